/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a foreign decoder may take. One that is slow says nothing about the encoder: the trial counts as such, and
 * not as a hang, which a trial's own alarm finds. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#define FUZZ_SLOW_STATUS 99 /* with which a process ends whose decoder took too long */
#define FUZZ_TOO_SLOW (-2)  /* what a decoder in a program of its own comes to then */

/* From here on the process's alarm is of a decoder: it ends with FUZZ_SLOW_STATUS after `seconds`. Returns what was
 * left of the alarm before. */
unsigned fuzz_patience_begin(uint32_t seconds);
/* The alarm is that of the trial again, with what was left of it; 0: none was set. */
void fuzz_patience_end(unsigned left);
/* Waits for a child for so long, whatever alarm there is, and kills it then. 1: it has ended, with *status; 0: it was
 * killed. */
int fuzz_patience_wait(pid_t child, uint32_t seconds, int *status);
