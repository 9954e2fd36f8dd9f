/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lifting schemes as data (Annex F). The scale factor K is no step here: unscaled lifting leaves low samples K
 * times and high samples 1/K times the normalised ones per level and axis, and the plan folds that, the quantiser step
 * and the colour gains into one reciprocal per band.
 */
#pragma once

/* 9/7, in the order of application: odd, even, odd, even samples (F.4.8.2). Decimals longer than a float holds, rounded
 * by the compiler. */
#define WVL_LIFT97_ALPHA (-1.58613434205992355842f)
#define WVL_LIFT97_BETA (-0.05298011857296141461f)
#define WVL_LIFT97_GAMMA (0.88291107553093329591f)
#define WVL_LIFT97_DELTA (0.44350685204397115211f)
#define WVL_LIFT97_K (1.230174104914001f)

/* Samples beyond each end of a signal that symmetric extension must supply (Tables F.8, F.9; the larger side). */
#define WVL_LIFT97_REACH 4
#define WVL_LIFT53_REACH 2
