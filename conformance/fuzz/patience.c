/* SPDX-License-Identifier: BSD-2-Clause */
#include "patience.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void give_up(int number)
{
    (void)number;
    _exit(FUZZ_SLOW_STATUS);
}

unsigned fuzz_patience_begin(uint32_t seconds)
{
    unsigned left = alarm(0);
    (void)signal(SIGALRM, give_up);
    (void)alarm(seconds);
    return left;
}

void fuzz_patience_end(unsigned left)
{
    (void)alarm(0);
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(left);
}

#define LOOKS_A_SECOND 500

int fuzz_patience_wait(pid_t child, uint32_t seconds, int *status)
{
    const struct timespec pause = {0, 1000000000 / LOOKS_A_SECOND};
    unsigned left = alarm(0);
    pid_t ended = 0;
    for (uint64_t i = 0; !ended && i < (uint64_t)seconds * LOOKS_A_SECOND; i++) {
        ended = waitpid(child, status, WNOHANG);
        if (!ended) {
            (void)nanosleep(&pause, NULL);
        }
    }
    if (!ended) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, status, 0);
    }
    (void)alarm(left);
    return ended == child;
}
