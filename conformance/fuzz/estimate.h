/* SPDX-License-Identifier: BSD-2-Clause */
/* How far what a decoder finds may lie from what the encoder told of it. */
#pragma once

#include "picture.h"

#define FUZZ_PSNR_SLACK 0.3   /* dB that a decoder may find less than the encoder told */
#define FUZZ_DEEP 24          /* bits from which magnitudes may take more than 31: nothing is measured then */
#define FUZZ_JUDGE_FLOOR 90.0 /* dB that OpenJPEG's 9/7 in floats reaches mostly */

/* The same of a single estimate from sums of squares: what 70000 configurations needed at most was 7.6, where one
 * lowest coefficient stands for up to twice as many rows and columns as its weight says. Means of many say more. */
#define FUZZ_ESTIMATE_SLACK 8.2

/* The mean of (told - found), each taken within +-FUZZ_MEAN_REACH dB, over estimates of 9/7 on pictures that are no
 * drawing, from 4096 samples on and above the last bit of the samples. Over 20000 configurations (373 of them count) it
 * was -0.115 dB with a deviation of 0.27: estimates are a little low. */
#define FUZZ_MEAN_REACH 0.5
#define FUZZ_MEASURED_HIGHEST 0.02 /* dB: the mean of (told - found) over measured PSNRs, taken in the same way */
#define FUZZ_MEASURED_LEAST 20u    /* measured PSNRs without which their mean says nothing */
#define FUZZ_MEAN_HIGHEST 0.0      /* dB; a quarter of a decibel more gives +0.08 */
#define FUZZ_MEAN_LEAST 80u        /* estimates without which the mean says nothing */
/* With --estimates every case counts, and the mean of each 200 was -0.291, -0.307 and -0.300; a quarter of a decibel
 * more gives -0.09 to -0.11. */
#define FUZZ_DRAWN_LOWEST (-0.40)
#define FUZZ_DRAWN_HIGHEST (-0.20)
/* 1: the estimate is one of those. */
int fuzz_estimate_counts(const fuzz_case *c, const fuzz_picture *p, int is_reversible, double found, double told);
/* Says whether a measured PSNR counts in the mean of all: of pictures from 4096 samples on, without regions, which
 * OpenJPEG rebuilds in another way, below what floats of decoders reach. */
int fuzz_estimate_counts_measured(const fuzz_case *c, const fuzz_picture *p, double found, double told);

/* PSNR that is to be found where `told` was asked for or measured of 9/7: what the judge's own errors, rounding and all
 * that the encoder cannot see leave of it. */
double fuzz_estimate_expect(const fuzz_case *c, const fuzz_picture *p, double told);
/* The same where it was estimated. */
double fuzz_estimate_expect_estimated(const fuzz_case *c, const fuzz_picture *p, double told);
/* Both for what the encoder told as measured. */
double fuzz_estimate_expect_measured(const fuzz_case *c, const fuzz_picture *p, double told);
double fuzz_estimate_measured_slack(const fuzz_case *c, const fuzz_picture *p);
double fuzz_estimate_number(const fuzz_case *c, const char *key, const char *otherwise);
