/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of frames on their way. As many buffers live as frames are in work or wait to be told, whatever the
 * length of the sequence. */
#include <stdlib.h>
#include <string.h>

#include "sequence.h"
#include "stream.h"

#define FIRST_ROOM 65536u

wvl_cli_bytes *wvl_cli_take_buffer(wvl_cli_buffers *buffers)
{
    pthread_mutex_lock(&buffers->lock);
    wvl_cli_bytes *bytes = buffers->spare;
    buffers->spare = bytes ? bytes->next : NULL;
    pthread_mutex_unlock(&buffers->lock);
    bytes = bytes ? bytes : calloc(1, sizeof *bytes);
    if (bytes) {
        bytes->used = 0;
    }
    return bytes;
}

void wvl_cli_return_buffer(wvl_cli_buffers *buffers, wvl_cli_bytes *bytes)
{
    if (bytes) {
        pthread_mutex_lock(&buffers->lock);
        bytes->next = buffers->spare;
        buffers->spare = bytes;
        pthread_mutex_unlock(&buffers->lock);
    }
}

int wvl_cli_enlarge_buffer(wvl_cli_bytes *bytes, size_t room)
{
    if (room <= bytes->room) {
        return 1;
    }
    size_t doubled = bytes->room < SIZE_MAX / 2 ? 2 * bytes->room : room;
    size_t wanted = room > doubled ? room : doubled;
    wanted = wanted > FIRST_ROOM ? wanted : FIRST_ROOM;
    wanted = wvl_cli_could_hold(wanted) ? wanted : room;
    uint8_t *larger = wvl_cli_could_hold(wanted) ? realloc(bytes->data, wanted) : NULL;
    if (larger) {
        bytes->data = larger;
        bytes->room = wanted;
    }
    return larger != NULL;
}

void wvl_cli_release_buffers(wvl_cli_buffers *buffers)
{
    while (buffers->spare) {
        wvl_cli_bytes *bytes = buffers->spare;
        buffers->spare = bytes->next;
        free(bytes->data);
        free(bytes);
    }
}

/* ---- Sink ------------------------------------------------------------------------------------ */

static int write_bytes(void *user, const void *data, size_t count)
{
    wvl_cli_bytes *bytes = user;
    if (count > SIZE_MAX - bytes->used || !wvl_cli_enlarge_buffer(bytes, bytes->used + count)) {
        bytes->lacks_memory = 1;
        return -1;
    }
    if (count) {
        memcpy(bytes->data + bytes->used, data, count);
        bytes->used += count;
    }
    return 0;
}

static int close_bytes(void *user, int complete)
{
    wvl_cli_bytes *bytes = user;
    bytes->used = complete ? bytes->used : 0;
    return 0;
}

wvl_sink wvl_cli_open_buffer_sink(wvl_cli_bytes *bytes)
{
    bytes->used = 0;
    bytes->lacks_memory = 0;
    return (wvl_sink){.struct_size = sizeof(wvl_sink), .write = write_bytes, .close = close_bytes, .user = bytes};
}
