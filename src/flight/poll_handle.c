/* SPDX-License-Identifier: BSD-2-Clause */
#include "flight/poll_handle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/eventfd.h>

static int open_ends(int *ends)
{
    ends[0] = ends[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return ends[0] >= 0;
}
#else
static int open_ends(int *ends)
{
    if (pipe(ends)) {
        return 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    return 1;
}
#endif

int wvl_poll_handle_open(wvl_poll_handle *handle)
{
    handle->is_open = handle->is_open || open_ends(handle->ends);
    return handle->is_open;
}

void wvl_poll_handle_close(wvl_poll_handle *handle)
{
    if (handle->is_open) {
        (void)close(handle->ends[0]);
        if (handle->ends[1] != handle->ends[0]) {
            (void)close(handle->ends[1]);
        }
    }
    handle->is_open = handle->is_raised = 0;
}

/* Eight bytes: what an eventfd takes; a pipe takes them too. */
void wvl_poll_handle_set(wvl_poll_handle *handle, int is_raised)
{
    uint64_t one = 1;
    ssize_t done;
    if (!handle->is_open || handle->is_raised == is_raised) {
        return;
    }
    do {
        done = is_raised ? write(handle->ends[1], &one, sizeof one) : read(handle->ends[0], &one, sizeof one);
    } while (done < 0 && errno == EINTR);
    handle->is_raised = is_raised;
}
