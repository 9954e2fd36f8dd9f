/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for the samples of pictures. A reader puts them into a tray, and the encoder takes them from there. A tray is
 * used again for later pictures: its pages are there, and a device page-locks them once (D-command-20).
 */
#pragma once

#include "cli.h"

typedef struct wvl_cli_trays wvl_cli_trays;

typedef struct wvl_cli_tray {
    struct wvl_cli_tray *next;
    uint8_t *memory;
    uint64_t bytes;
    int is_locked, is_refused; /* page-locked; it cannot be */
} wvl_cli_tray;

/* device: the value of that option where pictures go to a device; NULL: they do not. NULL: out of memory. */
wvl_cli_trays *wvl_cli_open_trays(wvl_context *context, const char *device);
/* Bytes of a tray for samples of that number of bytes. */
uint64_t wvl_cli_round_tray(uint64_t bytes);
/* When all trays are back. Before the context is released. */
void wvl_cli_close_trays(wvl_cli_trays *trays);
/* A tray of at least `bytes`. Any thread. NULL: no memory. */
wvl_cli_tray *wvl_cli_take_tray(wvl_cli_trays *trays, uint64_t bytes);
void wvl_cli_return_tray(wvl_cli_trays *trays, wvl_cli_tray *tray);
/* Says whether the tray is page-locked, now or from now on. Its holder calls. */
int wvl_cli_lock_tray(wvl_cli_trays *trays, wvl_cli_tray *tray);
/* Most bytes of trays at a time, and of those that were page-locked. */
void wvl_cli_measure_trays(wvl_cli_trays *trays, uint64_t *bytes, uint64_t *locked);
