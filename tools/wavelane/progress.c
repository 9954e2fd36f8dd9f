/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* ---- Signals --------------------------------------------------------------------------------------------------------- */

static wvl_cancel *volatile token; /* lives from the first arming to the end of the command */
static volatile sig_atomic_t armed, interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
    if (armed) {
        wvl_cancel_raise(token);
    } else {
        _exit(WVL_EXIT_INTERRUPTED); /* nothing is half written */
    }
}

void wvl_cli_catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN; /* a closed pipe is a write error with a message */
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL); /* a file size limit is an error of write(), so that the partial file is removed */
}

void wvl_cli_arm_signals(wvl_cancel *cancel)
{
    armed = 0;
    token = cancel;
    armed = cancel != NULL;
}

int wvl_cli_was_interrupted(void)
{
    return interrupted != 0;
}

/* ---- Progress -------------------------------------------------------------------------------------------------------- */

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
    (void)fprintf(stderr, "\r%-9s [%.*s%*s] %3d%% %5.1f s ", stages[(unsigned)stage < 4 ? stage : 3], filled,
                  "########################################", BAR - filled, "", (int)(part * 100.0), now - progress->started);
    (void)fflush(stderr);
    progress->last = now;
    progress->shown = 1;
    return 0;
}

void wvl_cli_progress_end(wvl_cli_progress *progress)
{
    if (progress->shown) {
        (void)fprintf(stderr, "\r%*s\r", BAR + 32, "");
    }
}
