/* SPDX-License-Identifier: BSD-2-Clause */
/* A driver that poisons memory and counts the launches of every kernel. */
#ifndef WVL_TESTS_TWIN_TEST_CUDA_USES_H
#define WVL_TESTS_TWIN_TEST_CUDA_USES_H

#include "test_cuda_job.h"

#define LOADED 512u /* functions: more than the backends of one test load */

static wvl_cuda_runtime driver;

/* Which kernels the suite has reached. Every backend loads its own; addresses of those that are closed may come again.
 */
static struct {
    char name[64];
    uint32_t launches;
} kernel_uses[WVL_CUDA_KERNELS + 256]; /* more than a device loads, of all rooms */
static struct {
    wvl_cuda_function function;
    unsigned use;
} loaded[LOADED];
static unsigned loaded_count;

static wvl_cuda_status named_function(wvl_cuda_function *function, wvl_cuda_module module, const char *name)
{
    wvl_cuda_status status = driver.module_function(function, module, name);
    unsigned use = 0;
    while (kernel_uses[use].name[0] && strcmp(kernel_uses[use].name, name) != 0) {
        use++;
        REQUIRE_THAT(use < sizeof kernel_uses / sizeof *kernel_uses, "no room for %s", name);
    }
    snprintf(kernel_uses[use].name, sizeof kernel_uses[use].name, "%s", name);
    loaded[loaded_count % LOADED].function = *function;
    loaded[loaded_count++ % LOADED].use = use;
    return status;
}

static void count_launch(wvl_cuda_function function)
{
    for (unsigned i = loaded_count; i-- > (loaded_count > LOADED ? loaded_count - LOADED : 0);) {
        if (loaded[i % LOADED].function == function) {
            kernel_uses[loaded[i % LOADED].use].launches++;
            return;
        }
    }
}

static wvl_cuda_status counted_launch(wvl_cuda_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                      unsigned by, unsigned bz, unsigned shared, wvl_cuda_stream s, void **arguments,
                                      void **extra)
{
    count_launch(f);
    return driver.launch(f, gx, gy, gz, bx, by, bz, shared, s, arguments, extra);
}

static wvl_cuda_status counted_config(const wvl_cuda_launch_config *config, wvl_cuda_function f, void **arguments,
                                      void **extra)
{
    count_launch(f);
    return driver.launch_config(config, f, arguments, extra);
}

static wvl_cuda_status poisoned_malloc(wvl_cuda_address *address, size_t bytes)
{
    wvl_cuda_status status = driver.malloc_device(address, bytes);
    if (status || getenv("WVL_CUDA_UNPOISONED")) {
        return status;
    }
    status = driver.fill(*address, 0xA7, bytes, NULL);
    return status ? status : driver.stream_wait(NULL);
}

#endif
