/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions shared by the C reference and the kernels. */
#pragma once

#ifdef __CUDACC__
#define WVL_HD static __host__ __device__ __forceinline__
#else
#define WVL_HD static inline
#endif
