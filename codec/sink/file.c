/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that appears complete or not at all. */
#define _XOPEN_SOURCE 700 /* realpath */
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/intmath.h"
#include "codec/sink/state.h"
#include "codec/sink/system.h"

#define FILE_BUFFER_BYTES 131072u   /* tile-parts of small tiles are a few hundred bytes; calls should not be */
#define MOST_WRITE_BYTES (1u << 30) /* of one call: Linux moves less than 2^31 */
#define MOST_BASE_NAME 200u         /* of the target's name kept in the temporary one, below NAME_MAX */
#define RANDOM_LETTERS 6u

typedef struct file_sink {
    wvl_sink_state state;
    const wvl_sink_system *system;
    int fd; /* -1: closed */
    int overwrite;
    int is_special;                 /* a device, FIFO or socket: written directly, neither patched nor renamed */
    uint64_t flushed;               /* bytes that left the buffer */
    uint32_t used;                  /* bytes in it */
    char *path, *directory, *spare; /* all in names; spare: room for the temporary name */
    char *temporary;                /* spare, or NULL when there is no file of that name to remove */
    uint8_t buffer[FILE_BUFFER_BYTES];
    char names[];
} file_sink;

static int file_fail(file_sink *s, const char *action, int code)
{
    return wvl_sink_fail(&s->state, WVL_ERROR_SINK, action, s->path, code);
}

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
    int code =
        bytes > INT64_MAX - s->flushed ? EFBIG : write_all(s->fd, data, bytes, s->is_special ? -1 : (off_t)s->flushed);
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

/* ---- Names ----------------------------------------------------------------------------------- */

/* ".NAME.xxxxxx" in the directory of path. NAME is cut, at a character of UTF-8, where the whole could exceed NAME_MAX.
 * Returns the end. */
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

/* Opens a file of a temporary name, or gives such a name to the open file that has none. open instead of mkstemp: it
 * applies the umask and default access lists, which cannot be read without a change for all threads. Returns 0 or an
 * errno value. */
static int take_temporary_name(file_sink *s)
{
    char *end = s->spare + strlen(s->spare);
    int code = EEXIST, has_file = s->fd >= 0;
    for (unsigned attempt = 0; attempt < 100 && code == EEXIST; attempt++) {
        /* Spreads time, process and attempt over the last letters. Uniqueness comes from O_EXCL, this only makes it
         * likely. */
        struct timespec now = {0, 0};
        (void)clock_gettime(CLOCK_REALTIME, &now);
        uint64_t v = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 40 ^ (uintptr_t)s;
        v = (v + attempt) * UINT64_C(0x9E3779B97F4A7C15);
        v = (v ^ v >> 31) * UINT64_C(0xBF58476D1CE4E5B9) >> 16;
        for (unsigned i = 1; i <= RANDOM_LETTERS; i++, v /= 36) {
            end[-(int)i] = "abcdefghijklmnopqrstuvwxyz0123456789"[v % 36];
        }
        int result = has_file ? s->system->name_unnamed(s->fd, s->spare)
                              : (s->fd = open(s->spare, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        code = result < 0 ? errno : 0;
    }
    s->temporary = code ? NULL : s->spare;
    return code;
}

static void remove_temporary(file_sink *s)
{
    if (s->temporary) {
        (void)unlink(s->temporary);
        s->temporary = NULL;
    }
}

/* ---- End ------------------------------------------------------------------------------------- */

/* A file system that cannot synchronise is not a failure. Returns 0 or an errno value. */
static int sync_descriptor(const file_sink *s, int fd)
{
    int result;
    do {
        result = s->system->sync(fd);
    } while (result && errno == EINTR);
    return result && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS ? errno : 0;
}

/* Linux closes the descriptor even when it reports EINTR. Returns 0 or an errno value. */
static int close_descriptor(int fd) { return fd >= 0 && close(fd) && errno != EINTR ? errno : 0; }

/* Some network file systems report a failed write only when a descriptor is closed: a second one is closed while the
 * file can still be left without a name. */
static int file_sync(file_sink *s)
{
    int code = sync_descriptor(s, s->fd);
    if (!code) {
        code = close_descriptor(fcntl(s->fd, F_DUPFD_CLOEXEC, 0));
    }
    return code ? file_fail(s, "cannot write", code) : 0;
}

/* The new name is on the disk when its directory is. A directory that may not be read is not a failure. */
static int sync_directory(file_sink *s)
{
    int fd = open(s->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    int code = sync_descriptor(s, fd);
    (void)close(fd);
    return code ? file_fail(s, "the file is complete, but its folder cannot be flushed to the disk:", code) : 0;
}

static int lacks_links(int code) { return code == EPERM || code == EOPNOTSUPP || code == ENOSYS || code == EMLINK; }

static int file_rename(file_sink *s)
{
    if (s->system->rename(s->temporary, s->path)) {
        return file_fail(s, "cannot create", errno);
    }
    s->temporary = NULL;
    return 0;
}

/* Without hard links. What the kernel says where the file system does not know this kind of rename: EINVAL. */
static int rename_new(file_sink *s)
{
    if (!s->system->rename_new(s->temporary, s->path)) {
        s->temporary = NULL;
        return 0;
    }
    if (errno == EINVAL || lacks_links(errno)) {
        return file_fail(s,
                         "this file system cannot create a file without the risk to replace one; allow that with "
                         "--force (overwrite) for",
                         errno);
    }
    return file_fail(s, "cannot create", errno);
}

static int publish_named(file_sink *s)
{
    if (s->overwrite) {
        return file_rename(s);
    }
    if (!s->system->link(s->temporary, s->path)) {
        remove_temporary(s);
        return 0;
    }
    return lacks_links(errno) ? rename_new(s) : file_fail(s, "cannot create", errno);
}

/* Copies the file of descriptor `from` to the end of the sink's. Returns 0 or an errno value. */
static int copy_content(file_sink *s, int from)
{
    uint64_t at = 0;
    while (at < s->flushed) {
        ssize_t got = pread(from, s->buffer, FILE_BUFFER_BYTES, (off_t)at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        int code = got > 0 ? write_all(s->fd, s->buffer, (uint64_t)got, (off_t)at) : EIO;
        if (code) {
            return got < 0 ? errno : code;
        }
        at += (uint64_t)got;
    }
    return 0;
}

/* A file that cannot be given a name becomes one that had a name from the beginning. */
static int copy_to_named(file_sink *s)
{
    struct stat st;
    int from = s->fd;
    s->fd = -1;
    int code = fstat(from, &st) ? errno : take_temporary_name(s);
    if (!code) {
        (void)fchmod(s->fd, st.st_mode & 0777);
        code = copy_content(s, from);
    }
    (void)close(from);
    return code ? file_fail(s, "cannot write", code) : file_sync(s);
}

/* Whatever keeps the system from naming the file, a copy with a name may still do. */
static int publish_unnamed(file_sink *s)
{
    int code = s->system->name_unnamed(s->fd, s->path) ? errno : 0;
    if (!code) {
        return 0;
    }
    if (code == EEXIST && !s->overwrite) {
        return file_fail(s, "cannot create", code);
    }
    if (code == EEXIST && !take_temporary_name(s)) {
        return file_rename(s);
    }
    return copy_to_named(s) ? -1 : publish_named(s);
}

/* The file has its name before it is closed: as long as a temporary name exists, a descriptor leads to it. */
static int file_settle(void *sink, int complete)
{
    file_sink *s = sink;
    int good = complete && !s->state.status && !file_flush(s);
    if (good && !s->is_special) {
        good = !file_sync(s) && !(s->temporary ? publish_named(s) : publish_unnamed(s)) && !sync_directory(s);
    }
    remove_temporary(s);
    int code = close_descriptor(s->fd);
    s->fd = -1;
    if (code && good && s->is_special) {
        good = !file_fail(s, "cannot write", code);
    }
    return complete && !good ? -1 : 0;
}

static void file_dispose(void *sink)
{
    file_sink *s = sink;
    remove_temporary(s);
    (void)close_descriptor(s->fd);
}

/* ---- Open ------------------------------------------------------------------------------------ */

/* A target that could not be written in place is not replaced either; one that is replaced passes its permissions on.
 */
static int file_open(file_sink *s)
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
        s->is_special = 1;
        do {
            s->fd = open(s->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        } while (s->fd < 0 && errno == EINTR);
        return s->fd < 0 ? file_fail(s, "cannot open", errno) : 0;
    }
    if (!s->overwrite && !lstat(s->path, &link_itself)) {
        return file_fail(s, "cannot create", EEXIST);
    }
    if (exists && faccessat(AT_FDCWD, s->path, W_OK, AT_EACCESS)) {
        return file_fail(s, "cannot write", errno);
    }
    s->fd = s->system->open_unnamed(s->directory);
    int code = s->fd < 0 ? take_temporary_name(s) : 0;
    if (code) {
        return file_fail(s, "cannot create a file beside", code);
    }
    if (exists) {
        (void)fchmod(s->fd, target.st_mode & 0777);
    }
    return 0;
}

static void put_directory(char *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (!length) {
        memcpy(out, slash ? "/" : ".", 2);
        return;
    }
    memcpy(out, path, length);
    out[length] = '\0';
}

static file_sink *file_create(wvl_context *context, const char *path, int overwrite, const wvl_sink_system *system)
{
    uint64_t length = strlen(path), directory_bytes = length + 2, spare_bytes = length + RANDOM_LETTERS + 3;
    uint64_t names_bytes = length + 1 + directory_bytes + spare_bytes;
    file_sink *s = wvl_sink_create_state(context, sizeof *s + names_bytes, file_settle, file_dispose);
    if (!s) {
        return NULL;
    }
    s->system = system;
    s->fd = -1;
    s->overwrite = overwrite;
    s->path = s->names;
    s->directory = s->path + length + 1;
    s->spare = s->directory + directory_bytes;
    memcpy(s->path, path, (size_t)length + 1);
    put_directory(s->directory, path);
    (void)put_temporary_name(s->spare, path);
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
    return wvl_sink_open_file_by(context, path, overwrite, &wvl_sink_system_calls, sink);
}

wvl_status wvl_sink_open_file_by(wvl_context *context, const char *path, int overwrite, const wvl_sink_system *system,
                                 wvl_sink *sink)
{
    char resolved[PATH_MAX];
    if (!context || !path || !*path || !sink) {
        return WVL_ERROR_ARGUMENT;
    }
    memset(sink, 0, WVL_SINK_BYTES);
    file_sink *s = file_create(context, overwrite ? follow_link(path, resolved) : path, overwrite, system);
    if (!s) {
        return WVL_ERROR_MEMORY;
    }
    if (file_open(s)) {
        wvl_context_add_error(context, "%s", s->state.error);
        wvl_sink_destroy_state(&s->state);
        return WVL_ERROR_SINK;
    }
    wvl_sink_fill(sink, &s->state, file_write, s->is_special ? NULL : file_patch);
    return WVL_OK;
}
