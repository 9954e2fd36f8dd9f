/* SPDX-License-Identifier: BSD-2-Clause */
/* The EBCOT block coder on the device, for the unit of all device code. */
#include "cuda/blocks/mq_code.cu"
#include "cuda/blocks/mq_ends.cu"
#include "cuda/blocks/t1_gains.cu"
#include "cuda/blocks/t1_gather.cu"
#include "cuda/blocks/t1_hull.cu"
#include "cuda/blocks/t1_lift.cu"
#include "cuda/blocks/t1_list.cuh"
#include "cuda/blocks/t1_open.cu"
#include "cuda/blocks/t1_planes.cu"
#include "cuda/blocks/t1_sort.cu"
#include "cuda/blocks/t1_spread.cu"
#include "cuda/blocks/t1_weigh.cu"
