/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams are opaque, and what a host sets cannot be read back: the setters are recorded. Streams to a file that
 * libopenjp2 would open itself are made as user streams here, so that both encoders can write to them.
 */
#define _GNU_SOURCE
#include "codec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static stream_entry *entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

stream_entry *stream_find(opj_stream *handle)
{
    pthread_mutex_lock(&lock);
    stream_entry *s = entries;
    while (s && s->handle != handle) {
        s = s->next;
    }
    pthread_mutex_unlock(&lock);
    return s;
}

static opj_stream *record(const opj_real *real, opj_stream *handle, opj_bool is_input)
{
    stream_entry *s = NULL;
    if (handle && !is_input) {
        s = stream_find(handle); /* one that was destroyed unseen */
        if (s) {
            s->write = NULL;
            s->seek = NULL;
            s->user = NULL;
            s->real = real;
        } else if ((s = calloc(1, sizeof *s))) {
            s->handle = handle;
            s->real = real;
            pthread_mutex_lock(&lock);
            s->next = entries;
            entries = s;
            pthread_mutex_unlock(&lock);
        }
    }
    return handle; /* without memory for an entry, libopenjp2 encodes */
}

int stream_write(const stream_entry *stream, const void *data, size_t bytes)
{
    for (const unsigned char *at = data; bytes;) {
        size_t done = stream->write ? stream->write((void *)(uintptr_t)at, bytes, stream->user) : 0;
        if (!done || done > bytes) {
            return 1;
        }
        at += done;
        bytes -= done;
    }
    return 0;
}

/* ---- Streams to a file ----------------------------------------------------------------------- */

static size_t write_file(void *data, size_t bytes, void *user) { return fwrite(data, 1, bytes, user); }

static opj_bool seek_file(int64_t offset, void *user) { return !fseeko(user, offset, SEEK_SET); }

static int64_t skip_file(int64_t bytes, void *user) { return fseeko(user, bytes, SEEK_CUR) ? -1 : bytes; }

int stream_flush(const stream_entry *stream) { return stream->write == write_file && fflush(stream->user); }

static void close_file(void *user) { fclose(user); }

static opj_stream *open_file(const opj_real *real, const char *path, size_t bytes)
{
    FILE *file = path ? fopen(path, "wb") : NULL;
    opj_stream *handle = file ? real->opj_stream_create(bytes, 0) : NULL;
    if (!handle) {
        if (file) {
            fclose(file);
        }
        return NULL;
    }
    real->opj_stream_set_write_function(handle, write_file);
    real->opj_stream_set_seek_function(handle, seek_file);
    real->opj_stream_set_skip_function(handle, skip_file);
    real->opj_stream_set_user_data(handle, file, close_file);
    record(real, handle, 0);
    stream_entry *s = stream_find(handle);
    if (s) {
        s->write = write_file;
        s->seek = seek_file;
        s->user = file;
    }
    return handle;
}

/* ---- The interface --------------------------------------------------------------------------- */

opj_stream *opj_stream_create(size_t bytes, opj_bool is_input)
{
    const opj_real *real = OPJ_REAL();
    return real ? record(real, real->opj_stream_create(bytes, is_input), is_input) : NULL;
}

opj_stream *opj_stream_default_create(opj_bool is_input)
{
    const opj_real *real = OPJ_REAL();
    return real ? record(real, real->opj_stream_default_create(is_input), is_input) : NULL;
}

opj_stream *opj_stream_create_file_stream(const char *path, size_t bytes, opj_bool is_input)
{
    const opj_real *real = OPJ_REAL();
    if (!real) {
        return NULL;
    }
    return is_input || !real->fits ? real->opj_stream_create_file_stream(path, bytes, is_input)
                                   : open_file(real, path, bytes);
}

opj_stream *opj_stream_create_default_file_stream(const char *path, opj_bool is_input)
{
    const opj_real *real = OPJ_REAL();
    if (!real) {
        return NULL;
    }
    return is_input || !real->fits ? real->opj_stream_create_default_file_stream(path, is_input)
                                   : open_file(real, path, 1 << 20);
}

void opj_stream_destroy(opj_stream *stream)
{
    const opj_real *real = OPJ_REAL(); /* the caller may have another library than the stream */
    pthread_mutex_lock(&lock);
    for (stream_entry **at = &entries; *at; at = &(*at)->next) {
        if ((*at)->handle == stream) {
            stream_entry *gone = *at;
            *at = gone->next;
            real = gone->real;
            free(gone);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (real) {
        real->opj_stream_destroy(stream);
    }
}

/* Passes a setter on, and records its value. */
#define SET(stream, call, member, value)                                                                               \
    do {                                                                                                               \
        stream_entry *entry = stream_find(stream);                                                                     \
        const opj_real *real = entry ? entry->real : OPJ_REAL();                                                       \
        if (entry) {                                                                                                   \
            entry->member = value;                                                                                     \
        }                                                                                                              \
        if (real) {                                                                                                    \
            real->call;                                                                                                \
        }                                                                                                              \
    } while (0)

void opj_stream_set_write_function(opj_stream *stream, opj_transfer_fn function)
{
    SET(stream, opj_stream_set_write_function(stream, function), write, function);
}

void opj_stream_set_skip_function(opj_stream *stream, opj_skip_fn function)
{
    const stream_entry *entry = stream_find(stream);
    const opj_real *real = entry ? entry->real : OPJ_REAL();
    if (real) {
        real->opj_stream_set_skip_function(stream, function);
    }
}

void opj_stream_set_seek_function(opj_stream *stream, opj_seek_fn function)
{
    SET(stream, opj_stream_set_seek_function(stream, function), seek, function);
}

void opj_stream_set_user_data(opj_stream *stream, void *user, opj_free_fn release)
{
    SET(stream, opj_stream_set_user_data(stream, user, release), user, user);
}
