/* SPDX-License-Identifier: BSD-2-Clause */
/* Optimised quantisation on the device, for the unit of all device code. */
#include "cuda/rdoq/again.cu"
#include "cuda/rdoq/change.cu"
#include "cuda/rdoq/survey.cu"
#include "cuda/rdoq/weigh.cu" /* takes the step of survey.cu */
