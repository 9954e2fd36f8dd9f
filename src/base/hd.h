/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions shared by the C reference and the kernels. */
#ifndef WVL_BASE_HD_H
#define WVL_BASE_HD_H

#ifdef __CUDACC__
#define WVL_HD static __host__ __device__ __forceinline__
#else
#define WVL_HD static inline
#endif

#endif
