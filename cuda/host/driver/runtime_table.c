/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/driver/runtime_table.h"

#include <string.h>

/* A build without device code has no use for a driver, and takes no dlopen. Tests bring a driver made of software. */
#if defined(WVL_HAVE_CUDA) || defined(WVL_TESTING)
#include <dlfcn.h>

/* Copied as bytes: ISO C has no conversion between object and function pointers, POSIX gives both one size. */
static int fetch_entry(void *library, const char *name, void *entry)
{
    void *symbol = dlsym(library, name);
    memcpy(entry, &symbol, sizeof symbol);
    return symbol != NULL;
}

int wvl_cuda_fetch_runtime(wvl_cuda_runtime *runtime)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int complete = library != NULL;
    memset(runtime, 0, sizeof *runtime);
#define WVL_CUDA_FETCH(member, symbol, parameters)                                                                     \
    complete = complete && fetch_entry(library, #symbol, &runtime->member);
    WVL_CUDA_CALLS(WVL_CUDA_FETCH)
#undef WVL_CUDA_FETCH
#define WVL_CUDA_FETCH(member, symbol, parameters) (void)(complete && fetch_entry(library, #symbol, &runtime->member));
    WVL_CUDA_LATER_CALLS(WVL_CUDA_FETCH)
#undef WVL_CUDA_FETCH
    return complete;
}
#else
int wvl_cuda_fetch_runtime(wvl_cuda_runtime *runtime)
{
    memset(runtime, 0, sizeof *runtime);
    return 0;
}
#endif
