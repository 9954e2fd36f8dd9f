/* SPDX-License-Identifier: BSD-2-Clause */
/* The EBCOT block coder on the device. No job uses it yet: it is not in the unit of all device code. Twins compile it
 * for the CPU, or take a file of it (WVL_CUDA_TWIN_IMAGE). */
#include "cuda/blocks/mq_code.cu"
#include "cuda/blocks/mq_ends.cu"
#include "cuda/blocks/t1_gains.cu"
#include "cuda/blocks/t1_hull.cu"
#include "cuda/blocks/t1_list.cuh"
#include "cuda/blocks/t1_open.cu"
#include "cuda/blocks/t1_planes.cu"
#include "cuda/blocks/t1_sort.cu"
#include "cuda/blocks/t1_spread.cu"
