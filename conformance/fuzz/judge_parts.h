/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the judge share (judge.c, judge_second.c); nobody else includes it. */
#pragma once

#include "faults.h"
#include "judge.h"
#include "run.h"

/* The case has failed; the first failure stays. */
void fuzz_judge_fail(fuzz_verdict *v, const char *check, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A known fault of a decoder explains what it did. */
void fuzz_judge_excuse(const fuzz_fault *fault, fuzz_verdict *v);
/* In every tile and component. */
int fuzz_judge_is_reversible(const fuzz_case *c, const fuzz_run *run);
/* 1: the very samples that went in must come back. */
int fuzz_judge_is_exact(const fuzz_case *c, const fuzz_run *run);
/* found: dB of what a decoder gave; told: what the encoder measured or estimated. */
void fuzz_judge_compare_psnr(const fuzz_case *c, const fuzz_picture *p, const fuzz_run *run, double found, double told,
                             int is_measured, const char *where, fuzz_verdict *v);
/* first: what OpenJPEG gave. */
void fuzz_judge_ask_grok(const fuzz_judge *judge, const fuzz_facts *facts, const fuzz_picture *first,
                         const fuzz_run *run, fuzz_verdict *v);
/* Where OpenJPEG is known to fail, the second decoder is the first. */
void fuzz_judge_ask_grok_alone(const fuzz_judge *judge, const fuzz_facts *facts, const fuzz_run *run, fuzz_verdict *v);
/* first: NULL where OpenJPEG was not asked. */
void fuzz_judge_ask_openjph(const fuzz_facts *facts, const fuzz_picture *first, const fuzz_run *run, fuzz_verdict *v);
