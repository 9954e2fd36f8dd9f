/* SPDX-License-Identifier: BSD-2-Clause */
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* ---- Progress -------------------------------------------------------------------------------- */

double wvl_cli_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void wvl_cli_progress_start(wvl_cli_progress *progress, int enabled)
{
    progress->enabled = enabled && isatty(STDERR_FILENO);
    progress->shown = 0;
    progress->started = progress->last = wvl_cli_seconds();
}

#define BAR 40

int wvl_cli_progress_step(void *user, uint64_t done, uint64_t total, wvl_stage stage)
{
    static const char *const stages[] = {"transform", "code", "rate", "write"};
    wvl_cli_progress *progress = user;
    double now = wvl_cli_seconds();
    if (!progress->enabled || now - progress->started < 1.0 || now - progress->last < 0.1 || !total) {
        return 0;
    }
    double part = (double)done / (double)total;
    int filled = part >= 1.0 ? BAR : (int)(part * BAR);
    fprintf(stderr, "\r%-9s [%.*s%*s] %3d%% %5.1f s ", stages[(unsigned)stage < 4 ? stage : 3], filled,
            "########################################", BAR - filled, "", (int)(part * 100.0), now - progress->started);
    (void)fflush(stderr);
    progress->last = now;
    progress->shown = 1;
    return 0;
}

void wvl_cli_progress_end(wvl_cli_progress *progress)
{
    if (progress->shown) {
        fprintf(stderr, "\r%*s\r", BAR + 32, "");
    }
}
