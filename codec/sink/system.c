/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* O_TMPFILE, renameat2 */
#define _FILE_OFFSET_BITS 64

#include "codec/sink/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROC_NAME_BYTES 40

#ifdef O_TMPFILE
/* A file without a name gets its name through this one (open(2), O_TMPFILE). */
static void put_proc_name(char name[PROC_NAME_BYTES], int fd)
{
    snprintf(name, PROC_NAME_BYTES, "/proc/self/fd/%d", fd);
}

/* Without /proc the file could never be named: better not to begin. */
static int can_be_named(int fd)
{
    char name[PROC_NAME_BYTES];
    struct stat by_name, itself;
    put_proc_name(name, fd);
    return !stat(name, &by_name) && !fstat(fd, &itself) && by_name.st_dev == itself.st_dev &&
           by_name.st_ino == itself.st_ino;
}

static int open_unnamed(const char *directory)
{
    int fd = open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    if (fd >= 0 && !can_be_named(fd)) {
        (void)close(fd);
        errno = ENOSYS;
        return -1;
    }
    return fd;
}

static int name_unnamed(int fd, const char *path)
{
    char name[PROC_NAME_BYTES];
    put_proc_name(name, fd);
    return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}
#else
static int open_unnamed(const char *directory)
{
    (void)directory;
    errno = ENOSYS;
    return -1;
}

static int name_unnamed(int fd, const char *path)
{
    (void)fd, (void)path;
    errno = ENOSYS;
    return -1;
}
#endif

static int rename_new(const char *from, const char *to)
{
#ifdef RENAME_NOREPLACE
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
#else
    (void)from, (void)to;
    errno = ENOSYS;
    return -1;
#endif
}

const wvl_sink_system wvl_sink_system_calls = {open_unnamed, name_unnamed, link, rename, rename_new, fsync};
