/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of whole pictures behind the backend's table: bytes, lengths and errors against those of wvl_encode on the CPU.
 * On the device in software, or on the machine's if that is what is found. */
#pragma once

#include "picture_bench.h"
#include "soft.h"

extern picture_driver run_driver;
extern soft_control *run_soft; /* NULL: no software device */
extern uint32_t run_pace;      /* of backends that are opened (job.h) */
extern unsigned run_again;     /* pictures that asked for another workspace */

/* Fixtures of test cases. */
void run_open(void);
void run_close(void);

wvl_backend *run_open_backend(const picture_case *c, uint32_t workspaces);
void run_check_bytes(const picture_case *c, const wvl_finished *finished, const char *name);
/* Waits for a picture, compares it, and releases its job. */
wvl_finished run_finish(const picture_case *c, const picture_pixels *pixels, wvl_backend *backend, wvl_backend_job *job,
                        const char *name);
/* `workspaces` pictures in flight, `rounds` times; pictures of a round are given back after it, the last ones after the
 * backend. The second of two sets of pixels comes now and then. */
void run_pictures(const picture_case *c, wvl_memory_kind kind, uint32_t workspaces, uint32_t rounds, const char *name);
void run_row(const picture_row *row, uint32_t seed, wvl_memory_kind kind, uint32_t workspaces, uint32_t rounds);
