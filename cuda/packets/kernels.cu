/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets and pictures on the device, for the unit of all device code. */
#include "cuda/packets/heads.cu"
#include "cuda/packets/place.cu"
#include "cuda/packets/t1_blocks.cu"
#include "cuda/packets/write.cu"
