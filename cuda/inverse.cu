/* SPDX-License-Identifier: BSD-2-Clause */
/* All device code of the inverse in one unit: an image of its own, which only tests and the benchmark carry. */
#include "cuda/inverse_any.cu"
#include "cuda/inverse_march.cu"
