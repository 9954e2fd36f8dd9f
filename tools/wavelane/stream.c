/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that a file, pipe or device gives, in memory, within a limit. */
#include "stream.h"

#include "sequence.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_BYTES ((size_t)65536)
#define MAGIC_BYTES 12u

typedef struct stream {
    int fd;
    const char *name; /* for messages */
    uint64_t most;    /* bytes taken at most; UINT64_MAX for a regular file */
    wvl_cli_content content;
    uint8_t *data;
    size_t bytes, room;
} stream;

static int refuse(const stream *s, const char *reason)
{
    return wvl_cli_fail(WVL_EXIT_INPUT, "%s: %s", s->name, reason);
}

static int begins_as_jpeg2000(const stream *s)
{
    static const uint8_t signature[MAGIC_BYTES] = {0, 0, 0, 12, 'j', 'P', ' ', ' ', 0x0D, 0x0A, 0x87, 0x0A};
    return s->bytes >= MAGIC_BYTES &&
           (!memcmp(s->data, signature, MAGIC_BYTES) || (s->data[0] == 0xFF && s->data[1] == 0x4F));
}

int wvl_cli_could_hold(uint64_t bytes) { return bytes <= SIZE_MAX / 2 && bytes <= wvl_io_machine_memory(); }

static int make_room(stream *s, uint64_t wanted)
{
    uint8_t *larger = wvl_cli_could_hold(wanted) ? realloc(s->data, (size_t)wanted) : NULL;
    if (!larger) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "%s: not enough memory for %llu bytes", s->name,
                            (unsigned long long)wanted);
    }
    s->data = larger;
    s->room = (size_t)wanted;
    return WVL_EXIT_OK;
}

/* The buffer is full: whether reading goes on. A file that is not JPEG 2000 is left as soon as that is known. */
static int go_on(stream *s)
{
    if (s->content == WVL_CLI_JPEG2000 && s->most != UINT64_MAX && s->bytes && !begins_as_jpeg2000(s)) {
        return refuse(
            s, "begins with neither a JP2 signature box (I.5.1) nor an SOC marker (A.4.1); the rest is not read");
    }
    if (s->bytes > s->most) {
        return wvl_cli_fail(
            WVL_EXIT_INPUT,
            "%s: more than the limit of %llu bytes for a pipe or device; --max-input-bytes sets another", s->name,
            (unsigned long long)s->most);
    }
    uint64_t wanted = s->room ? 2 * (uint64_t)s->room : FIRST_BYTES;
    return make_room(s, wanted <= s->most ? wanted : s->most + 1);
}

static int read_to_end(stream *s)
{
    for (;;) {
        int code = s->bytes == s->room || s->bytes > s->most ? go_on(s) : WVL_EXIT_OK;
        if (code) {
            return code;
        }
        ssize_t got = read(s->fd, s->data + s->bytes, s->room - s->bytes);
        if (got > 0) {
            s->bytes += (size_t)got;
        } else if (got == 0) {
            return WVL_EXIT_OK;
        } else if (errno != EINTR) {
            return refuse(s, strerror(errno));
        }
    }
}

int wvl_cli_read_descriptor(int fd, const char *name, uint64_t most, wvl_cli_content content, uint8_t **data,
                            size_t *bytes)
{
    struct stat st;
    stream s = {.fd = fd, .name = name, .most = most, .content = content};
    int code = fstat(fd, &st) ? refuse(&s, strerror(errno)) : WVL_EXIT_OK;
    if (!code && S_ISDIR(st.st_mode)) {
        code = refuse(&s, "is a directory");
    }
    if (!code && S_ISREG(st.st_mode)) {
        s.most = UINT64_MAX;
        code = make_room(&s, (uint64_t)st.st_size + 1); /* one more shows the end */
    }
    TRY(code, read_to_end(&s));
    if (code) {
        free(s.data);
        return code;
    }
    *data = s.data;
    *bytes = s.bytes;
    return WVL_EXIT_OK;
}

int wvl_cli_read_whole(const char *path, uint64_t most, wvl_cli_content content, uint8_t **data, size_t *bytes)
{
    if (!strcmp(path, "-")) {
        return wvl_cli_read_descriptor(STDIN_FILENO, "standard input", most, content, data, bytes);
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: %s", path, strerror(errno));
    }
    int code = wvl_cli_read_descriptor(fd, path, most, content, data, bytes);
    (void)close(fd);
    return code;
}

/* ---- Bytes of frames on their way ------------------------------------------------------------ */

#define FIRST_ROOM 65536u
#define LARGE_ROOM ((size_t)4 << 20) /* from here on in large pages */

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
    uint8_t *larger = NULL;
    if (wanted >= LARGE_ROOM) {
        /* Its pages come once: later frames use it again. */
        larger = wvl_cli_could_hold(wanted) ? wvl_io_take_large(wanted) : NULL;
        if (larger && bytes->used) {
            memcpy(larger, bytes->data, bytes->used);
        }
        if (larger) {
            free(bytes->data);
        }
    } else if (wvl_cli_could_hold(wanted)) {
        larger = realloc(bytes->data, wanted);
    }
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

static int reserve_bytes(void *user, uint64_t count)
{
    wvl_cli_bytes *bytes = user;
    bytes->lacks_memory = count > SIZE_MAX || !wvl_cli_enlarge_buffer(bytes, (size_t)count);
    return bytes->lacks_memory ? -1 : 0;
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
    return (wvl_sink){.struct_size = sizeof(wvl_sink),
                      .write = write_bytes,
                      .close = close_bytes,
                      .reserve = reserve_bytes,
                      .user = bytes};
}
