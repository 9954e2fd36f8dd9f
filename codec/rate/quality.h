/* SPDX-License-Identifier: BSD-2-Clause */
/* Between squared error of coefficients, squared error of decoded samples, and PSNR. */
#pragma once

#include "codec/core/layer_targets.h"

/* Squared coefficient error, in gain units over the whole picture, that leads to a PSNR over the mean of all samples.
 */
double wvl_rate_error_for_psnr(const wvl_plan *plan, double psnr);
/* Squared error of the decoded picture, in squared units of the deepest component, at a PSNR. */
double wvl_rate_decoded_error_for_psnr(const wvl_plan *plan, double psnr);
/* Estimated PSNR for a squared coefficient error in squared units of the deepest component. For reports only (libm). */
double wvl_rate_psnr_for_error(const wvl_plan *plan, double squared_error);
double wvl_rate_psnr_for_decoded_error(const wvl_plan *plan, double squared_error);
