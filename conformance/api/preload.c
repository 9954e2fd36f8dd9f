/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A preloaded library that makes a program's machine fail: the N-th allocation, every new thread, writes from some byte
 * on. Set by the environment:
 *   WVL_FAULT=malloc:N     the N-th allocation of the process fails, counted from 1
 *   WVL_FAULT=threads:N    only N threads can be started
 *   WVL_FAULT=write:N:E    writes fail with errno E once N bytes have been written to files other than the standard
 *                          streams
 *   WVL_FAULT=shaky:N      every second write is interrupted (EINTR), the others take at most N bytes
 *   WVL_FAULT=clock:N      every second look at the time of day (not at the monotonic clock) sees it N seconds ahead
 *   WVL_FAULT_COUNT=FILE   gets the number of allocations at the end
 *   WVL_FAULT_LOG=FILE     gets a line for each rename ("name"), each call that puts files on the disk ("sync"), and
 *                          each write to a file that ends with .journal ("journal N", N: its lines that begin with
 *                          "frame ")
 */
#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The function of that name behind this library. */
#define FIND(real, name)                                                                                               \
    do {                                                                                                               \
        void *symbol = dlsym(RTLD_NEXT, name);                                                                         \
        memcpy(&(real), &symbol, sizeof(real));                                                                        \
    } while (0)

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_ulong calls, written, writes;
static unsigned long fail_call, write_limit, shaky;
static long threads_left = -1;
static long clock_step;
static atomic_ulong clock_looks;
static int write_error, ready, log_file = -1;

static int fails(void) { return ready && atomic_fetch_add(&calls, 1) + 1 == fail_call; }

__attribute__((constructor)) static void configure(void)
{
    const char *fault = getenv("WVL_FAULT");
    if (fault) {
        (void)sscanf(fault, "malloc:%lu", &fail_call);
        (void)sscanf(fault, "threads:%ld", &threads_left);
        (void)sscanf(fault, "write:%lu:%d", &write_limit, &write_error);
        (void)sscanf(fault, "shaky:%lu", &shaky);
        (void)sscanf(fault, "clock:%ld", &clock_step);
    }
    const char *path = getenv("WVL_FAULT_LOG");
    if (path) {
        log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
    ready = 1;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("WVL_FAULT_COUNT");
    char text[32];
    ready = 0;
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd >= 0) {
        int n = snprintf(text, sizeof text, "%lu\n", (unsigned long)atomic_load(&calls));
        if (n > 0 && write(fd, text, (size_t)n) < 0) {
            _exit(99);
        }
        (void)close(fd);
    }
}

static void *refuse(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t bytes) { return fails() ? refuse() : __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return fails() ? refuse() : __libc_calloc(count, bytes); }
void *realloc(void *memory, size_t bytes) { return fails() ? refuse() : __libc_realloc(memory, bytes); }
void *memalign(size_t alignment, size_t bytes) { return fails() ? refuse() : __libc_memalign(alignment, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) { return fails() ? refuse() : __libc_memalign(alignment, bytes); }

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *p = fails() ? NULL : __libc_memalign(alignment, bytes);
    if (!p) {
        return ENOMEM;
    }
    *memory = p;
    return 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    FIND(real, "pthread_create");
    if (threads_left == 0) {
        return EAGAIN;
    }
    threads_left -= threads_left > 0;
    return real(thread, attributes, start, arg);
}

/* How much of a write is let through; -1 with errno: nothing. */
static ssize_t limit_write(int fd, size_t bytes)
{
    if (!ready || fd <= 2) {
        return (ssize_t)bytes;
    }
    if (shaky) {
        if (atomic_fetch_add(&writes, 1) & 1) {
            errno = EINTR;
            return -1;
        }
        return (ssize_t)(bytes < shaky ? bytes : shaky);
    }
    if (write_error) {
        unsigned long before = atomic_load(&written);
        size_t room = before >= write_limit ? 0 : write_limit - before;
        if (!room) {
            errno = write_error;
            return -1;
        }
        bytes = bytes < room ? bytes : room; /* a disk takes what fits, then fails */
        atomic_fetch_add(&written, bytes);
    }
    return (ssize_t)bytes;
}

/* ---- What is noted ----------------------------------------------------------------------------- */

static ssize_t really_write(int fd, const void *data, size_t bytes)
{
    ssize_t (*real)(int, const void *, size_t);
    FIND(real, "write");
    return real(fd, data, bytes);
}

static void note(const char *format, unsigned long number)
{
    char text[48];
    int n = log_file >= 0 ? snprintf(text, sizeof text, format, number) : 0;
    if (n > 0 && really_write(log_file, text, (size_t)n) != n) {
        _exit(99);
    }
}

/* Frames of a piece of a journal, which is written by whole lines. */
static void note_journal(int fd, const char *data, size_t bytes)
{
    char entry[32], path[4096];
    unsigned long frames = 0;
    snprintf(entry, sizeof entry, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(entry, path, sizeof path);
    if (n < 8 || memcmp(path + n - 8, ".journal", 8) != 0) {
        return;
    }
    for (const char *end = data + bytes, *line = data; line < end;) {
        frames += (size_t)(end - line) > 6 && memcmp(line, "frame ", 6) == 0;
        const char *next = memchr(line, '\n', (size_t)(end - line));
        line = next ? next + 1 : end;
    }
    note("journal %lu\n", frames);
}

int fsync(int fd)
{
    int (*real)(int);
    FIND(real, "fsync");
    note("sync\n", 0);
    return real(fd);
}

int fdatasync(int fd)
{
    int (*real)(int);
    FIND(real, "fdatasync");
    note("sync\n", 0);
    return real(fd);
}

int syncfs(int fd)
{
    int (*real)(int);
    FIND(real, "syncfs");
    note("sync\n", 0);
    return real(fd);
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *);
    FIND(real, "rename");
    int code = real(from, to);
    note("name\n", 0);
    return code;
}

/* ---- The time of day --------------------------------------------------------------------------- */

static time_t clock_error(void) { return clock_step && atomic_fetch_add(&clock_looks, 1) % 2 ? clock_step : 0; }

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int (*real)(clockid_t, struct timespec *);
    FIND(real, "clock_gettime");
    int code = real(clock, now);
    now->tv_sec += !code && clock == CLOCK_REALTIME ? clock_error() : 0;
    return code;
}

int gettimeofday(struct timeval *now, void *zone)
{
    struct timespec t;
    int code = clock_gettime(CLOCK_REALTIME, &t);
    (void)zone;
    *now = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
    return code;
}

time_t time(time_t *now)
{
    struct timespec t = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &t);
    if (now) {
        *now = t.tv_sec;
    }
    return t.tv_sec;
}

/* ---- Writes ------------------------------------------------------------------------------------ */

ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t allowed = limit_write(fd, bytes);
    ssize_t done = allowed < 0 ? -1 : really_write(fd, data, (size_t)allowed);
    if (log_file >= 0 && done > 0) {
        note_journal(fd, data, (size_t)done);
    }
    return done;
}

/* Both names: a program built with 64-bit offsets calls the second. */
static ssize_t put_at(int fd, const void *data, size_t bytes, off64_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off64_t);
    FIND(real, "pwrite64");
    ssize_t allowed = limit_write(fd, bytes);
    return allowed < 0 ? -1 : real(fd, data, (size_t)allowed, offset);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) { return put_at(fd, data, bytes, offset); }
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) { return put_at(fd, data, bytes, offset); }
