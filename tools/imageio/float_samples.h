/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating-point samples, and the integers of 16 bits that they become (D-command-09). */
#pragma once

#include "internal.h"

/* Refuses floating point unless the options name a transfer; kind is how the format calls it. */
int wvl_io_permit_floats(wvl_io_context *context, const char *kind);
/* A component of floating point that stays as it is (WVL_IO_FLOAT_KEPT), of 16 or 32 bits. Before samples have a place.
 */
void wvl_io_keep_floats(wvl_io_component *component, unsigned depth);
/* All components are described with 32 bits, and each sample holds a float. Makes 16-bit integers of them in their
   place, once colour and alpha are known; with WVL_IO_FLOAT_KEPT nothing but the colour changes. */
int wvl_io_finish_floats(wvl_io_context *context);

/* The float of the same value. */
float wvl_io_float_of_half(uint16_t half);

/* The logarithm of positive finite numbers, and the power of -1100..1000: made of additions, products and divisions
   only, so that all machines have the same result. Within 1e-14 of the truth, relative to the larger of it and 1. */
double wvl_io_log2(double value);
double wvl_io_exp2(double exponent);
/* f of 0..1 for a value; NaN becomes 0. */
double wvl_io_transfer_value(wvl_io_float_transfer transfer, double low, double high, double value);
