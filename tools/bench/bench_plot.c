/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane-bench plot: runs the script beside the program. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

#define SCRIPT "wavelane-plot"

/* Its path, or 0 (reported). */
static int find_script(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof SCRIPT);
    path[length > 0 ? length : 0] = '\0';
    char *name = strrchr(path, '/');
    if (!name) {
        (void)wvl_bench_fail(0, "plot: cannot find where the program is: %s", strerror(errno));
        return 0;
    }
    memcpy(name + 1, SCRIPT, sizeof SCRIPT);
    if (access(path, R_OK) != 0) {
        (void)wvl_bench_fail(0, "plot: %s: %s; it is tools/bench/plot of the sources", path, strerror(errno));
        return 0;
    }
    return 1;
}

int wvl_bench_run_plot(wvl_bench_args *args)
{
    char path[PATH_MAX];
    size_t left = (size_t)(args->count - args->next);
    if (!find_script(path)) {
        return WVL_BENCH_EXIT_FAILED;
    }
    char **words = calloc(left + 3, sizeof *words);
    if (!words) {
        return wvl_bench_fail(WVL_BENCH_EXIT_FAILED, "plot: no memory");
    }
    words[0] = (char *)"python3";
    words[1] = path;
    memcpy(words + 2, args->values + args->next, left * sizeof *words);
    (void)execvp(words[0], words);
    int status = wvl_bench_fail(WVL_BENCH_EXIT_FAILED, "plot: python3, which draws: %s", strerror(errno));
    free(words);
    return status;
}
