/* SPDX-License-Identifier: BSD-2-Clause */
/* How far what a decoder finds may lie from what the encoder told of it. */
#ifndef WVL_FUZZ_ESTIMATE_H
#define WVL_FUZZ_ESTIMATE_H

#include "picture.h"

#define FUZZ_PSNR_SLACK 0.3 /* dB that a decoder may find less than the encoder told */
#define FUZZ_DEEP 24         /* bits from which magnitudes may take more than 31: nothing is measured then */
#define FUZZ_JUDGE_FLOOR 90.0 /* dB that OpenJPEG's 9/7 in floats reaches mostly */

/* PSNR that is to be found where `told` was told of 9/7: what the judge's own errors, rounding and all that the encoder can not see leave of it. */
double fuzz_estimate_expect(const fuzz_case *c, const fuzz_picture *p, double told);
/* dB by which an estimate from sums of squares may be too high. */
double fuzz_estimate_slack(const fuzz_case *c, const fuzz_picture *p, int is_reversible, double told);
/* Both for what the encoder told as measured. */
double fuzz_estimate_expect_measured(const fuzz_case *c, const fuzz_picture *p, double told);
double fuzz_estimate_measured_slack(const fuzz_case *c, const fuzz_picture *p);
double fuzz_estimate_number(const fuzz_case *c, const char *key, const char *otherwise);

#endif
