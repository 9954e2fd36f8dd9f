/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A preloaded library that makes a program's machine fail: the N-th allocation, every new thread, writes from some byte
 * on. Set by the environment:
 *   WVL_FAULT=malloc:N     the N-th allocation of the process fails, counted from 1
 *   WVL_FAULT=threads:N    only N threads can be started
 *   WVL_FAULT=write:N:E    writes fail with errno E once N bytes have been written to files other than the standard
 *                          streams
 *   WVL_FAULT=shaky:N      every second write is interrupted (EINTR), the others take at most N bytes
 *   WVL_FAULT_COUNT=FILE   gets the number of allocations at the end
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
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_ulong calls, written, writes;
static unsigned long fail_call, write_limit, shaky;
static long threads_left = -1;
static int write_error, ready;

static int fails(void) { return ready && atomic_fetch_add(&calls, 1) + 1 == fail_call; }

__attribute__((constructor)) static void configure(void)
{
    const char *fault = getenv("WVL_FAULT");
    if (fault) {
        (void)sscanf(fault, "malloc:%lu", &fail_call);
        (void)sscanf(fault, "threads:%ld", &threads_left);
        (void)sscanf(fault, "write:%lu:%d", &write_limit, &write_error);
        (void)sscanf(fault, "shaky:%lu", &shaky);
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
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &symbol, sizeof real);
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

ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t (*real)(int, const void *, size_t);
    void *symbol = dlsym(RTLD_NEXT, "write");
    memcpy(&real, &symbol, sizeof real);
    ssize_t allowed = limit_write(fd, bytes);
    return allowed < 0 ? -1 : real(fd, data, (size_t)allowed);
}

/* Both names: a program built with 64-bit offsets calls the second. */
static ssize_t put_at(int fd, const void *data, size_t bytes, off64_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off64_t);
    void *symbol = dlsym(RTLD_NEXT, "pwrite64");
    memcpy(&real, &symbol, sizeof real);
    ssize_t allowed = limit_write(fd, bytes);
    return allowed < 0 ? -1 : real(fd, data, (size_t)allowed, offset);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) { return put_at(fd, data, bytes, offset); }
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) { return put_at(fd, data, bytes, offset); }
