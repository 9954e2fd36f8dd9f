/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 of what the encoder writes for the case of each seed: two builds are compared by these files. */
#pragma once

#include "pool.h"

/* Encodes once. v->text gets the digest in hexadecimal, or the name of the status; texts of errors may change between
 * builds. */
void fuzz_digests_judge(fuzz_judge *judge, const fuzz_case *c, fuzz_verdict *v);
/* Runs all seeds of the plan and writes a line "SEED DIGEST" for each to path, in the order of seeds. Ends with 0, or
 * with 1 where a process or the file failed. */
int fuzz_digests_write(const fuzz_plan *plan, const char *path);
