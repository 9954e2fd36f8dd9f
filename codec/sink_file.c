/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that appears complete or not at all. */
#define _XOPEN_SOURCE 700 /* realpath */
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/intmath.h"
#include "codec/sink_state.h"
#include "context.h"

#define FILE_BUFFER_BYTES 131072u   /* tile-parts of small tiles are a few hundred bytes; calls should not be */
#define MOST_WRITE_BYTES (1u << 30) /* of one call: Linux moves less than 2^31 */
#define MOST_BASE_NAME 200u         /* of the target's name kept in the temporary one, below NAME_MAX */
#define RANDOM_LETTERS 6u

typedef struct file_sink {
    wvl_sink_state state;
    int fd;              /* -1: closed */
    int overwrite;
    int is_special;      /* a device, FIFO or socket: written directly, neither patched nor renamed */
    uint64_t flushed;    /* bytes that left the buffer */
    uint32_t used;       /* bytes in it */
    char *path, *temporary; /* both in names; temporary is NULL when there is none to remove */
    uint8_t buffer[FILE_BUFFER_BYTES];
    char names[];
} file_sink;

static int file_fail(file_sink *s, const char *action, int code) { return wvl_sink_fail(&s->state, WVL_ERROR_SINK, action, s->path, code); }

/* Writes everything, at an offset or (negative) where the file stands. Returns 0 or an errno value. */
static int write_all(int fd, const uint8_t *data, uint64_t bytes, off_t offset)
{
    while (bytes) {
        size_t n = (size_t)wvl_min_u64(bytes, MOST_WRITE_BYTES);
        ssize_t done = offset < 0 ? write(fd, data, n) : pwrite(fd, data, n, offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return done ? errno : EIO;
        }
        data += done;
        bytes -= (uint64_t)done;
        offset += offset < 0 ? 0 : (off_t)done;
    }
    return 0;
}

static int file_put(file_sink *s, const uint8_t *data, uint64_t bytes)
{
    int code = bytes > INT64_MAX - s->flushed ? EFBIG : write_all(s->fd, data, bytes, s->is_special ? -1 : (off_t)s->flushed);
    if (code) {
        return file_fail(s, "cannot write", code);
    }
    s->flushed += bytes;
    return 0;
}

static int file_flush(file_sink *s)
{
    uint32_t used = s->used;
    s->used = 0;
    return file_put(s, s->buffer, used);
}

static int file_write(void *user, const void *data, size_t bytes)
{
    file_sink *s = user;
    if (s->state.status) {
        return -1;
    }
    if (bytes > FILE_BUFFER_BYTES - s->used && file_flush(s)) {
        return -1;
    }
    if (bytes > FILE_BUFFER_BYTES) {
        return file_put(s, data, bytes);
    }
    if (bytes) {
        memcpy(s->buffer + s->used, data, bytes);
        s->used += (uint32_t)bytes;
    }
    return 0;
}

static int file_patch(void *user, uint64_t offset, const void *data, size_t bytes)
{
    file_sink *s = user;
    if (wvl_sink_check_patch(&s->state, s->flushed + s->used, offset, bytes)) {
        return -1;
    }
    if (bytes && offset >= s->flushed) {
        memcpy(s->buffer + (offset - s->flushed), data, bytes);
        return 0;
    }
    if (bytes > s->flushed - wvl_min_u64(offset, s->flushed) && file_flush(s)) {
        return -1;
    }
    int code = write_all(s->fd, data, bytes, (off_t)offset);
    return code ? file_fail(s, "cannot write", code) : 0;
}

/* A file system that can not synchronise is not a failure. */
static int file_sync(file_sink *s)
{
    int result;
    do {
        result = fsync(s->fd);
    } while (result && errno == EINTR);
    return result && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS ? file_fail(s, "cannot write", errno) : 0;
}

/* Linux closes the descriptor even when it reports EINTR. */
static int file_close(file_sink *s)
{
    int result = s->fd < 0 ? 0 : close(s->fd);
    s->fd = -1;
    return result && errno != EINTR ? file_fail(s, "cannot write", errno) : 0;
}

static void remove_temporary(file_sink *s)
{
    if (s->temporary) {
        (void)unlink(s->temporary);
        s->temporary = NULL;
    }
}

static int file_rename(file_sink *s)
{
    if (rename(s->temporary, s->path)) {
        return file_fail(s, "cannot create", errno);
    }
    s->temporary = NULL;
    return 0;
}

/* Without hard links: whoever creates the name owns it, and replaces only his own empty file. */
static int claim_and_rename(file_sink *s)
{
    int fd = open(s->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        return file_fail(s, "cannot create", errno);
    }
    (void)close(fd);
    if (file_rename(s)) {
        (void)unlink(s->path);
        return -1;
    }
    return 0;
}

static int file_publish(file_sink *s)
{
    if (s->overwrite) {
        return file_rename(s);
    }
    if (!link(s->temporary, s->path)) {
        remove_temporary(s);
        return 0;
    }
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK) {
        return claim_and_rename(s);
    }
    return file_fail(s, "cannot create", errno);
}

static int file_settle(void *sink, int complete)
{
    file_sink *s = sink;
    int good = complete && !s->state.status && !file_flush(s) && (s->is_special || !file_sync(s));
    good = !file_close(s) && good;
    if (good && !s->is_special) {
        good = !file_publish(s);
    }
    return complete && !good ? -1 : 0;
}

static void file_dispose(void *sink)
{
    file_sink *s = sink;
    if (s->fd >= 0) {
        (void)close(s->fd);
    }
    remove_temporary(s);
}

/* ".NAME.xxxxxx" in the directory of path. NAME is cut, at a character of UTF-8, where the whole could exceed NAME_MAX. Returns the end. */
static char *put_temporary_name(char *out, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t directory = (size_t)(base - path), name = strlen(base);
    if (name > MOST_BASE_NAME) {
        for (name = MOST_BASE_NAME; name && ((uint8_t)base[name] & 0xC0) == 0x80; name--) {
        }
    }
    memcpy(out, path, directory);
    out += directory;
    *out++ = '.';
    memcpy(out, base, name);
    out += name;
    *out++ = '.';
    memset(out, 'x', RANDOM_LETTERS);
    out[RANDOM_LETTERS] = '\0';
    return out + RANDOM_LETTERS;
}

/* Spreads time, process and attempt over the last letters. Uniqueness comes from O_EXCL, this only makes it likely. */
static void put_random_letters(char *end, const void *salt, unsigned attempt)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t v = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 40 ^ (uintptr_t)salt;
    v = (v + attempt) * UINT64_C(0x9E3779B97F4A7C15);
    v = (v ^ v >> 31) * UINT64_C(0xBF58476D1CE4E5B9) >> 16;
    for (unsigned i = 1; i <= RANDOM_LETTERS; i++, v /= 36) {
        end[-(int)i] = "abcdefghijklmnopqrstuvwxyz0123456789"[v % 36];
    }
}

/* open instead of mkstemp: it applies the umask and default access lists, which can not be read without changing them for all threads. */
static int open_temporary(file_sink *s, char *name)
{
    char *end = name + strlen(name);
    int code = EEXIST;
    for (unsigned attempt = 0; attempt < 100 && code == EEXIST; attempt++) {
        put_random_letters(end, s, attempt);
        s->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        code = s->fd < 0 ? errno : 0;
    }
    if (code) {
        return file_fail(s, "cannot create a file beside", code);
    }
    s->temporary = name;
    return 0;
}

static int open_special(file_sink *s)
{
    s->is_special = 1;
    do {
        s->fd = open(s->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } while (s->fd < 0 && errno == EINTR);
    return s->fd < 0 ? file_fail(s, "cannot open", errno) : 0;
}

/* A target that could not be written in place is not replaced either; one that is replaced passes its permissions on. */
static int file_open(file_sink *s, char *temporary)
{
    struct stat target, link_itself;
    int exists = !stat(s->path, &target);
    if (!exists && errno != ENOENT) {
        return file_fail(s, "cannot create", errno);
    }
    if (exists && S_ISDIR(target.st_mode)) {
        return file_fail(s, "cannot write", EISDIR);
    }
    if (exists && !S_ISREG(target.st_mode)) {
        return open_special(s);
    }
    if (!s->overwrite && !lstat(s->path, &link_itself)) {
        return file_fail(s, "cannot create", EEXIST);
    }
    if (exists && faccessat(AT_FDCWD, s->path, W_OK, AT_EACCESS)) {
        return file_fail(s, "cannot write", errno);
    }
    if (open_temporary(s, temporary)) {
        return -1;
    }
    if (exists) {
        (void)fchmod(s->fd, target.st_mode & 0777);
    }
    return 0;
}

static file_sink *file_create(wvl_context *context, const char *path, int overwrite)
{
    uint64_t length = strlen(path);
    file_sink *s = wvl_sink_create_state(context, sizeof *s + 2 * length + RANDOM_LETTERS + 4, file_settle, file_dispose);
    if (!s) {
        return NULL;
    }
    s->fd = -1;
    s->overwrite = overwrite;
    s->path = s->names;
    memcpy(s->path, path, (size_t)length + 1);
    (void)put_temporary_name(s->names + length + 1, path);
    return s;
}

/* Replacing a link would leave the file it names as it was: the file is replaced instead. */
static const char *follow_link(const char *path, char resolved[PATH_MAX])
{
    struct stat st;
    return !lstat(path, &st) && S_ISLNK(st.st_mode) && realpath(path, resolved) ? resolved : path;
}

wvl_status wvl_sink_open_file(wvl_context *context, const char *path, int overwrite, wvl_sink *sink)
{
    char resolved[PATH_MAX];
    if (!context || !path || !*path || !sink) {
        return WVL_ERROR_ARGUMENT;
    }
    memset(sink, 0, WVL_SINK_BYTES);
    file_sink *s = file_create(context, overwrite ? follow_link(path, resolved) : path, overwrite);
    if (!s) {
        return WVL_ERROR_MEMORY;
    }
    if (file_open(s, s->names + strlen(s->path) + 1)) {
        wvl_context_add_error(context, "%s", s->state.error);
        wvl_sink_destroy_state(&s->state);
        return WVL_ERROR_SINK;
    }
    *sink = (wvl_sink){WVL_SINK_BYTES, file_write, s->is_special ? NULL : file_patch, NULL, wvl_sink_close_own, s};
    return WVL_OK;
}
