/* SPDX-License-Identifier: BSD-2-Clause */
/* A file descriptor that poll() and its kin find readable while something is raised. */
#pragma once

typedef struct wvl_poll_handle {
    int is_open, is_raised;
    int ends[2]; /* where it is read, and where it is written: the same one if the system has eventfd */
} wvl_poll_handle;

/* Zero-initialise. Under a lock of the caller. 0: the process may have no more descriptors. */
int wvl_poll_handle_open(wvl_poll_handle *handle);
void wvl_poll_handle_close(wvl_poll_handle *handle);
/* Does nothing where it is not open. */
void wvl_poll_handle_set(wvl_poll_handle *handle, int is_raised);
