/* SPDX-License-Identifier: BSD-2-Clause */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define WINDOW_BYTES ((size_t)65536)
#define READ_AT_ONCE ((size_t)1 << 30) /* read(2) takes at most 2^31 - 4096 on Linux */

static uint64_t size_from(const struct stat *facts, uint64_t base)
{
    return facts->st_size > (off_t)base ? (uint64_t)facts->st_size - base : 0;
}

int wvl_io_source_open(wvl_io_context *context)
{
    wvl_io_source *source = &context->source;
    struct stat facts;
    int file = STDIN_FILENO;

    memset(source, 0, sizeof *source);
    source->file = -1;
    if (strcmp(context->name, "-") != 0) {
        file = open(context->name, O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            return wvl_io_fail(context, "cannot be opened: %s", strerror(errno));
        }
    }
    source->file = file; /* from here on the caller closes it */
    if (fstat(file, &facts) != 0) {
        facts.st_mode = 0;
    }
    if (S_ISDIR(facts.st_mode)) {
        return wvl_io_fail(context, "is a directory; give the name of a file");
    }
    off_t here = lseek(file, 0, SEEK_CUR);
    source->size = WVL_IO_SIZE_UNKNOWN;
    source->most = context->options.max_input_bytes != 0 ? context->options.max_input_bytes : WVL_IO_MAX_INPUT_BYTES;
    source->endless = S_ISCHR(facts.st_mode);
    if (S_ISREG(facts.st_mode) && here >= 0) {
        source->seekable = 1;
        source->most = UINT64_MAX;
        source->base = (uint64_t)here;
        source->size = size_from(&facts, source->base);
    }
    source->buffer = malloc(WINDOW_BYTES);
    source->window = source->buffer;
    return source->buffer ? 0 : wvl_io_fail_memory(context, "file", WINDOW_BYTES);
}

void wvl_io_source_memory(wvl_io_source *source, const void *bytes, size_t byte_count)
{
    memset(source, 0, sizeof *source);
    source->file = -1;
    source->seekable = 1;
    source->size = byte_count;
    source->window = bytes;
    source->end = byte_count;
}

void wvl_io_source_close(wvl_io_source *source)
{
    if (source->file > STDIN_FILENO) {
        close(source->file);
    }
    free(source->buffer);
    memset(source, 0, sizeof *source);
    source->file = -1;
}

int wvl_io_source_restart(wvl_io_source *source)
{
    struct stat facts;

    source->failed = 0;
    if (source->file < 0) {
        return wvl_io_source_seek(source, 0);
    }
    if (fstat(source->file, &facts) != 0 || lseek(source->file, (off_t)source->base, SEEK_SET) < 0) {
        return -1;
    }
    source->size = size_from(&facts, source->base);
    source->window_start = 0;
    source->at = source->end = 0;
    return 0;
}

/* The limit of bytes is reached: one more byte is too many, and none is the end. */
static void expect_end(wvl_io_source *source)
{
    uint8_t beyond;
    ssize_t got;

    do {
        got = read(source->file, &beyond, 1);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        source->failed = errno;
    }
    if (got > 0) {
        source->over = 1;
        source->failed = EFBIG;
    }
}

static size_t read_file(wvl_io_source *source, uint8_t *bytes, size_t byte_count)
{
    size_t done = 0;

    while (source->file >= 0 && done < byte_count && source->failed == 0) {
        size_t left = byte_count - done;

        left = left < READ_AT_ONCE ? left : READ_AT_ONCE;
        if (left > source->most - source->taken) {
            left = (size_t)(source->most - source->taken);
        }
        if (left == 0) {
            expect_end(source);
            break;
        }
        ssize_t got = read(source->file, bytes + done, left);
        if (got == 0) {
            break;
        }
        if (got > 0) {
            done += (size_t)got;
            source->taken += (uint64_t)got;
        } else if (errno != EINTR) {
            source->failed = errno;
        }
    }
    return done;
}

const char *wvl_io_source_trouble(const wvl_io_source *source)
{
    if (source->over) {
        return "more than the limit of bytes for a pipe or device (--max-input-bytes)";
    }
    return source->failed != 0 ? strerror(source->failed) : NULL;
}

/* Drops what has been consumed and fills the window up to wanted bytes beyond the position. */
static void fill_window(wvl_io_source *source, size_t wanted)
{
    size_t kept = source->end - source->at;

    if (source->file < 0 || kept >= wanted) {
        return;
    }
    memmove(source->buffer, source->buffer + source->at, kept);
    source->window_start += source->at;
    source->at = 0;
    source->end = kept + read_file(source, source->buffer + kept, WINDOW_BYTES - kept);
}

size_t wvl_io_source_peek(wvl_io_source *source, const uint8_t **bytes, size_t wanted)
{
    fill_window(source, wanted);
    size_t held = source->end - source->at;
    *bytes = source->window + source->at;
    return held < wanted ? held : wanted;
}

int wvl_io_source_byte(wvl_io_source *source)
{
    if (source->at == source->end) {
        fill_window(source, 1);
    }
    return source->at < source->end ? source->window[source->at++] : -1;
}

size_t wvl_io_source_read_some(wvl_io_source *source, void *bytes, size_t byte_count)
{
    uint8_t *to = bytes;

    if (byte_count < WINDOW_BYTES) {
        fill_window(source, byte_count);
    }
    size_t held = source->end - source->at;
    if (held > byte_count) {
        held = byte_count;
    }
    if (held != 0 && to != source->window + source->at) { /* memory that is lent may be that which is read */
        memcpy(to, source->window + source->at, held);
    }
    source->at += held;
    if (held == byte_count || source->file < 0) {
        return held;
    }
    size_t direct = read_file(source, to + held, byte_count - held);
    source->window_start += source->at + direct;
    source->at = source->end = 0;
    return held + direct;
}

uint64_t wvl_io_source_position(const wvl_io_source *source) { return source->window_start + source->at; }

static int skip_forward(wvl_io_source *source, uint64_t byte_count)
{
    while (byte_count != 0) {
        fill_window(source, 1);
        size_t held = source->end - source->at;
        if (held == 0) {
            return -1;
        }
        if (held > byte_count) {
            held = (size_t)byte_count;
        }
        source->at += held;
        byte_count -= held;
    }
    return 0;
}

int wvl_io_source_seek(wvl_io_source *source, uint64_t position)
{
    if (position >= source->window_start && position - source->window_start <= source->end) {
        source->at = (size_t)(position - source->window_start);
        return 0;
    }
    if (!source->seekable) {
        uint64_t here = wvl_io_source_position(source);

        return position < here ? -1 : skip_forward(source, position - here);
    }
    if (source->file < 0 || position > source->size ||
        lseek(source->file, (off_t)(source->base + position), SEEK_SET) < 0) {
        return -1;
    }
    source->window_start = position;
    source->at = source->end = 0;
    return 0;
}

int wvl_io_source_read_at(wvl_io_source *source, uint64_t position, void *bytes, size_t byte_count)
{
    int is_read =
        wvl_io_source_seek(source, position) == 0 && wvl_io_source_read_some(source, bytes, byte_count) == byte_count;
    return is_read ? 0 : -1;
}

int wvl_io_read_bytes(wvl_io_context *context, void *bytes, size_t byte_count, const char *what)
{
    wvl_io_source *source = &context->source;
    size_t got = wvl_io_source_read_some(source, bytes, byte_count);

    if (got == byte_count) {
        return 0;
    }
    if (source->failed != 0) {
        return wvl_io_fail(context, "%s: read error: %s", what, wvl_io_source_trouble(source));
    }
    return wvl_io_fail(context, "%s: truncated: %llu bytes needed, the file ends after %llu", what,
                       (unsigned long long)byte_count, (unsigned long long)got);
}

int wvl_io_go_to(wvl_io_context *context, uint64_t position, const char *what)
{
    uint64_t here = wvl_io_source_position(&context->source);

    if (wvl_io_source_seek(&context->source, position) == 0) {
        return 0;
    }
    if (!context->source.seekable && position < here) {
        return wvl_io_fail(context, "%s: offset %llu lies before what has been read, and a pipe cannot be rewound",
                           what, (unsigned long long)position);
    }
    return wvl_io_fail(context, "%s: truncated: offset %llu lies beyond the end of the file", what,
                       (unsigned long long)position);
}

int wvl_io_require_bytes(wvl_io_context *context, uint64_t byte_count, const char *what)
{
    uint64_t size = context->source.size, here = wvl_io_source_position(&context->source);
    uint64_t left = size > here ? size - here : 0, most = context->source.most;

    if (size == WVL_IO_SIZE_UNKNOWN && (here > most || byte_count > most - here)) {
        return wvl_io_fail(context,
                           "%s: %llu bytes needed, more than the limit of %llu for a pipe or device "
                           "(--max-input-bytes)",
                           what, (unsigned long long)byte_count, (unsigned long long)most);
    }
    if (size == WVL_IO_SIZE_UNKNOWN || byte_count <= left) {
        return 0;
    }
    return wvl_io_fail(context, "%s: truncated: %llu bytes needed, %llu left in the file", what,
                       (unsigned long long)byte_count, (unsigned long long)left);
}

/* Twice the room, but not more than the limit can fill. */
static int widen(wvl_io_context *context, size_t *room)
{
    wvl_io_source *source = &context->source;
    uint64_t wanted = *room > source->most / 2 ? source->most + 1 : (uint64_t)*room * 2;
    uint8_t *larger = wanted <= SIZE_MAX / 2 ? realloc(source->buffer, (size_t)wanted) : NULL;

    if (!larger) {
        return wvl_io_fail_memory(context, "content of a pipe", wanted);
    }
    source->buffer = larger;
    *room = (size_t)wanted;
    return 0;
}

int wvl_io_source_slurp(wvl_io_context *context, wvl_io_extent extent)
{
    wvl_io_source *source = &context->source;
    size_t room = WINDOW_BYTES, wanted, got;
    uint64_t needed;

    if (source->seekable) {
        return 0;
    }
    fill_window(source, 16);
    size_t used = source->end;
    do {
        needed = extent ? extent(source->buffer, used) : UINT64_MAX;
        if (used == room && needed > used && widen(context, &room) != 0) {
            return -1;
        }
        wanted = needed < room ? (size_t)needed : room;
        got = wanted > used ? read_file(source, source->buffer + used, wanted - used) : 0;
        used += got;
    } while (got != 0);
    if (source->failed != 0) {
        return wvl_io_fail(context, "read error: %s", wvl_io_source_trouble(source));
    }
    if (source->file > STDIN_FILENO) {
        close(source->file);
    }
    source->file = -1;
    source->window = source->buffer;
    source->end = used;
    source->size = used;
    source->seekable = 1;
    return 0;
}
