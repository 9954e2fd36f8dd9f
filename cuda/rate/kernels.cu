/* SPDX-License-Identifier: BSD-2-Clause */
/* Rate control on the device, for the unit of all device code. */
#include "cuda/rate/bodies.cu"
#include "cuda/rate/choose.cu"
#include "cuda/rate/predict.cu" /* asks the sums of choose.cu */
#include "cuda/rate/sets.cu"
#include "cuda/rate/sets_again.cu" /* takes sets as sets.cu does */
#include "cuda/rate/step.cu"
