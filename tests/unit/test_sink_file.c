/* SPDX-License-Identifier: BSD-2-Clause */
/* File sinks: a file appears complete or not at all, whatever fails. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "codec/sink/system.h"
#include "tests/unit/sink_bench.h"

#define NOBODY 65534 /* the user that root becomes where permissions must bind */

/* ---- System calls that can fail -------------------------------------------------------------- */

/* errno values; 0: the call works. Every test runs twice: with files that have no name until they are complete, and
 * without such. */
static int unnamed_errno, name_errno, link_errno, rename_errno, rename_new_errno, fsync_errno, directory_errno;
static int fsync_calls, directory_calls, write_trouble, write_calls;

static void setup_faults(void)
{
    unnamed_errno = name_errno = link_errno = rename_errno = rename_new_errno = fsync_errno = directory_errno = 0;
    fsync_calls = directory_calls = write_trouble = write_calls = 0;
    setup();
}

static int fail_with(int code)
{
    errno = code;
    return -1;
}

static int try_unnamed(const char *where)
{
    return unnamed_errno ? fail_with(unnamed_errno) : wvl_sink_system_calls.open_unnamed(where);
}

static int try_name(int fd, const char *to)
{
    return name_errno ? fail_with(name_errno) : wvl_sink_system_calls.name_unnamed(fd, to);
}

static int try_link(const char *from, const char *to) { return link_errno ? fail_with(link_errno) : link(from, to); }

static int try_rename(const char *from, const char *to)
{
    return rename_errno ? fail_with(rename_errno) : rename(from, to);
}

static int try_rename_new(const char *from, const char *to)
{
    return rename_new_errno ? fail_with(rename_new_errno) : wvl_sink_system_calls.rename_new(from, to);
}

/* The disk itself is not under test. */
static int try_sync(int fd)
{
    struct stat st;
    ck_assert_int_eq(fstat(fd, &st), 0);
    int is_directory = S_ISDIR(st.st_mode), code = is_directory ? directory_errno : fsync_errno;
    fsync_calls += !is_directory;
    directory_calls += is_directory;
    if (code == EINTR) {
        fsync_errno = directory_errno = 0;
    }
    return code ? fail_with(code) : 0;
}

static const wvl_sink_system faults = {try_unnamed, try_name, try_link, try_rename, try_rename_new, try_sync};

static wvl_status open_file(const char *name, int overwrite)
{
    return wvl_sink_open_file_by(context, name, overwrite, &faults, &sink);
}

/* Which of the two ways this run of a test takes. */
static int is_named;

static void choose_way(int way)
{
    is_named = way;
    unnamed_errno = way ? EOPNOTSUPP : 0;
}

/* In trouble, every third call is interrupted and the others are short. */
ssize_t write(int fd, const void *data, size_t bytes)
{
    struct iovec piece = {(void *)(uintptr_t)data, bytes};
    if (write_trouble && ++write_calls % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    if (write_trouble && piece.iov_len > 1999) {
        piece.iov_len = 1999;
    }
    return writev(fd, &piece, 1);
}

/* ---- File ------------------------------------------------------------------------------------ */

static void begin_file(int overwrite, size_t bytes)
{
    ck_assert_int_eq(open_file(path, overwrite), WVL_OK);
    ck_assert_int_eq(write_pattern(bytes), 0);
}

static void finish_file(size_t bytes)
{
    expect_finish(1, WVL_OK, "");
    check_file(path, bytes);
}

/* The file that was there before is untouched. */
static void expect_old_file(void)
{
    struct stat st;
    ck_assert(!stat(path, &st) && st.st_size == 3);
}

static void make_file(const char *name, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, mode);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fchmod(fd, mode), 0);
    ck_assert_int_eq((int)write(fd, "old", 3), 3);
    (void)close(fd);
}

TEST_FIXTURE(setup_faults, teardown);

TEST_EACH(file_appears_when_complete, 2)
{
    choose_way(_i);
    static const size_t sizes[] = {0, 1, 131071, 131072, 131073, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct stat st;
        mode_t mask = umask(i & 1 ? 027 : 022);
        ck_assert_int_eq(open_file(path, 0), WVL_OK);
        (void)umask(mask);
        ck_assert_int_eq(write_pattern(sizes[i]), 0);
        ck_assert_int_ne(access(path, F_OK), 0);
        ck_assert_int_eq(count_entries(), is_named);
        fsync_calls = directory_calls = 0;
        expect_finish(1, WVL_OK, "");
        ck_assert_int_eq(fsync_calls, 1);
        ck_assert_int_eq(directory_calls, 1);
        ck_assert_int_eq(count_entries(), 1);
        check_file(path, sizes[i]);
        ck_assert_int_eq(stat(path, &st), 0);
        ck_assert_uint_eq(st.st_mode & 0777, i & 1 ? 0640 : 0644);
        ck_assert_uint_eq(st.st_nlink, 1);
        (void)unlink(path);
    }
}

TEST_EACH(file_is_removed_when_incomplete, 2)
{
    choose_way(_i);
    begin_file(1, 1000000);
    expect_finish(0, WVL_OK, "");
    ck_assert_int_eq(count_entries(), 0);
    begin_file(1, 10);
    wvl_sink_discard(&sink);
    ck_assert_int_eq(count_entries(), 0);
    make_file(path, 0644);
    begin_file(1, 10);
    expect_finish(0, WVL_OK, "");
    expect_old_file();
}

TEST_EACH(file_replaces_only_when_told, 2)
{
    choose_way(_i);
    make_file(path, 0600);
    ck_assert_int_eq(open_file(path, 0), WVL_ERROR_SINK);
    ck_assert(strstr(wvl_context_error(context), path) && strstr(wvl_context_error(context), strerror(EEXIST)));
    ck_assert_int_eq(count_entries(), 1);
    begin_file(1, 200000);
    finish_file(200000);
    struct stat st;
    ck_assert(!stat(path, &st) && (st.st_mode & 0777) == 0600);
    ck_assert_int_eq(count_entries(), 1);
}

/* Somebody else takes the name during the encode. */
static void lose_the_race(int no_links)
{
    link_errno = name_errno = no_links ? EPERM : 0;
    begin_file(0, 10);
    make_file(path, 0644);
    expect_finish(1, WVL_ERROR_SINK, strerror(EEXIST));
    expect_old_file();
    ck_assert_int_eq(count_entries(), 1);
    (void)unlink(path);
}

TEST_EACH(file_never_replaces_by_accident, 2)
{
    choose_way(_i);
    lose_the_race(0);
    lose_the_race(1);
}

/* No name of a file without content is ever seen: the name comes with the last step. */
TEST_EACH(file_without_hard_links, 2)
{
    static const int codes[] = {EPERM, EOPNOTSUPP, ENOSYS, EMLINK};
    choose_way(_i);
    for (int i = 0; i < 4; i++) {
        for (int overwrite = 0; overwrite < 2; overwrite++) {
            link_errno = name_errno = codes[i];
            begin_file(overwrite, 450000);
            finish_file(450000);
            ck_assert_int_eq(count_entries(), 1);
            (void)unlink(path);
        }
    }
    link_errno = name_errno = EIO;
    ck_assert_int_eq(open_file(path, 0), WVL_OK);
    expect_finish(1, WVL_ERROR_SINK, strerror(EIO));
    ck_assert_int_eq(count_entries(), 0);
}

/* A policy of the system may forbid to name such a file, and /proc may be gone by then. */
TEST(file_that_may_not_be_named)
{
    static const int codes[] = {EACCES, ENOENT, EXDEV, EPERM};
    for (int i = 0; i < 4; i++) {
        for (int overwrite = 0; overwrite < 2; overwrite++) {
            struct stat st;
            if (overwrite) {
                make_file(path, 0640);
            }
            name_errno = codes[i];
            begin_file(overwrite, 200000);
            finish_file(200000);
            ck_assert(!stat(path, &st) && (!overwrite || (st.st_mode & 0777) == 0640));
            ck_assert_int_eq(count_entries(), 1);
            (void)unlink(path);
        }
    }
}

/* Neither links nor a rename that keeps files: only --force can help, and nothing appears under the name. */
TEST_EACH(file_without_a_rename_that_keeps, 2)
{
    static const int codes[] = {EINVAL, ENOSYS, EPERM, EOPNOTSUPP};
    choose_way(_i);
    for (int i = 0; i < 4; i++) {
        link_errno = name_errno = EPERM;
        rename_new_errno = codes[i];
        begin_file(0, 10);
        expect_finish(1, WVL_ERROR_SINK, "--force");
        ck_assert_ptr_nonnull(strstr(error, path));
        ck_assert_int_eq(count_entries(), 0);
        begin_file(1, 10);
        finish_file(10);
        (void)unlink(path);
    }
    rename_new_errno = EIO;
    ck_assert_int_eq(open_file(path, 0), WVL_OK);
    expect_finish(1, WVL_ERROR_SINK, strerror(EIO));
    ck_assert_ptr_null(strstr(error, "--force"));
    ck_assert_int_eq(count_entries(), 0);
}

TEST_EACH(failed_rename_leaves_the_old_file, 2)
{
    choose_way(_i);
    make_file(path, 0644);
    rename_errno = EIO;
    begin_file(1, 10);
    expect_finish(1, WVL_ERROR_SINK, strerror(EIO));
    expect_old_file();
    ck_assert_int_eq(count_entries(), 1);
}

TEST_EACH(directory_is_flushed, 2)
{
    static const int harmless[] = {EINVAL, EOPNOTSUPP, ENOSYS, EINTR};
    choose_way(_i);
    for (int i = 0; i < 4; i++) {
        directory_errno = harmless[i];
        ck_assert_int_eq(open_file(path, 1), WVL_OK);
        expect_finish(1, WVL_OK, "");
    }
    directory_errno = EIO;
    begin_file(1, 10);
    expect_finish(1, WVL_ERROR_SINK, "the file is complete");
    check_file(path, 10);
    directory_errno = 0;
    directory_calls = 0;
    ck_assert_int_eq(chdir(directory), 0);
    ck_assert_int_eq(open_file("out.jp2", 1), WVL_OK);
    expect_finish(1, WVL_OK, "");
    ck_assert_int_eq(directory_calls, 1);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(count_entries(), 1);
}

TEST_EACH(file_is_patched, 2)
{
    choose_way(_i);
    static const struct {
        uint64_t offset;
        size_t bytes;
    } patches[] = {{0, 12},         {131070, 4}, {131060, 12}, {299999, 1},
                   {200000, 65536}, {0, 300000}, {262143, 2},  {300000, 0}};
    for (size_t i = 0; i < sizeof patches / sizeof patches[0]; i++) {
        OWNED uint8_t *right = malloc(300000), *wrong = malloc(300000);
        for (size_t k = 0; k < 300000; k++) {
            right[k] = wrong[k] = pattern(k);
        }
        memset(wrong + patches[i].offset, 0x55, patches[i].bytes);
        ck_assert_int_eq(open_file(path, 1), WVL_OK);
        for (size_t k = 0; k < 300000; k += 30000) {
            ck_assert_int_eq(sink.write(sink.user, wrong + k, 30000), 0);
        }
        ck_assert_int_eq(sink.patch(sink.user, patches[i].offset, right + patches[i].offset, patches[i].bytes), 0);
        finish_file(300000);
    }
    begin_file(1, 300000);
    ck_assert_int_ne(sink.patch(sink.user, 299999, "ab", 2), 0);
    expect_finish(1, WVL_ERROR_SINK, "beyond what was written");
}

TEST_EACH(writing_goes_on_after_a_patch, 2)
{
    choose_way(_i);
    uint8_t zero[4] = {0}, four[4] = {pattern(0), pattern(1), pattern(2), pattern(3)};
    ck_assert_int_eq(open_file(path, 1), WVL_OK);
    ck_assert_int_eq(sink.write(sink.user, zero, 4), 0);
    for (size_t k = 4; k < 500000; k++) {
        uint8_t byte = pattern(k);
        if (sink.write(sink.user, &byte, 1)) {
            ck_abort_msg("byte %zu", k);
        }
        if (k % 99991 == 0) {
            ck_assert_int_eq(sink.patch(sink.user, 0, four, 4), 0);
        }
    }
    finish_file(500000);
}

static void refuse_open(const char *name, int overwrite, int code)
{
    memset(&sink, 0xFF, sizeof sink);
    ck_assert_int_eq(open_file(name, overwrite), WVL_ERROR_SINK);
    const char *text = wvl_context_error(context);
    ck_assert_msg(strstr(text, strerror(code)) != NULL, "'%s', not '%s'", text, strerror(code));
    ck_assert(!sink.user && !sink.write && !sink.close);
}

TEST_EACH(impossible_targets_are_refused_at_once, 2)
{
    choose_way(_i);
    static char long_name[300];
    memset(long_name, 'n', 299);
    refuse_open(directory, 1, EISDIR);
    refuse_open(directory, 0, EISDIR);
    set_path("missing/out.jp2");
    refuse_open(path, 0, ENOENT);
    ck_assert_ptr_nonnull(strstr(wvl_context_error(context), path));
    set_path("file");
    make_file(path, 0644);
    set_path("file/out.jp2");
    refuse_open(path, 1, ENOTDIR);
    set_path(long_name);
    refuse_open(path, 0, ENAMETOOLONG);
    ck_assert_int_eq(count_entries(), 1);
    ck_assert_int_eq(wvl_sink_open_file(context, "", 0, &sink), WVL_ERROR_ARGUMENT);
}

/* Permissions do not bind root, so root becomes somebody else for a while. */
TEST_EACH(protected_targets_are_refused, 2)
{
    choose_way(_i);
    int is_root = geteuid() == 0;
    make_file(path, 0444);
    ck_assert_int_eq(chmod(directory, 0777), 0);
    ck_assert(!is_root || !seteuid(NOBODY));
    refuse_open(path, 1, EACCES); /* although it could be replaced */
    ck_assert(!is_root || !seteuid(0));
    ck_assert_int_eq(chmod(directory, 0555), 0);
    ck_assert(!is_root || !seteuid(NOBODY));
    refuse_open(path, 1, EACCES);
    set_path("new.jp2");
    refuse_open(path, 0, EACCES);
    ck_assert_ptr_nonnull(strstr(wvl_context_error(context), "beside"));
    ck_assert(!is_root || !seteuid(0));
    ck_assert_int_eq(chmod(directory, 0755), 0);
    ck_assert_int_eq(count_entries(), 1);
}

TEST_EACH(longest_name_fits, 2)
{
    choose_way(_i);
    char name[256], two[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    set_path(name);
    begin_file(0, 5);
    finish_file(5);
    for (int i = 0; i < 254; i += 2) { /* two-byte characters, cut at odd and even places */
        memcpy(two + i, "\xC3\xA9", 2);
    }
    two[254] = 'n';
    two[255] = '\0';
    set_path(two);
    ck_assert_int_eq(open_file(path, 0), WVL_OK);
    finish_file(0);
}

TEST_EACH(links_are_followed, 2)
{
    choose_way(_i);
    char target[sizeof path];
    struct stat st;
    set_path("target");
    memcpy(target, path, sizeof path);
    make_file(target, 0644);
    set_path("name");
    ck_assert_int_eq(symlink("target", path), 0);
    refuse_open(path, 0, EEXIST);
    begin_file(1, 77);
    expect_finish(1, WVL_OK, "");
    check_file(target, 77);
    ck_assert(!lstat(path, &st) && S_ISLNK(st.st_mode));
    ck_assert_int_eq(count_entries(), 2);
}

TEST_EACH(full_device_is_an_error_and_stays_a_device, 2)
{
    choose_way(_i);
    struct stat st;
    for (int overwrite = 0; overwrite < 2; overwrite++) {
        ck_assert_int_eq(open_file("/dev/full", overwrite), WVL_OK);
        ck_assert_ptr_null((void *)(uintptr_t)sink.patch);
        int failed = write_pattern(overwrite ? 10 : 1000000);
        ck_assert_int_eq(failed, overwrite ? 0 : -1);
        expect_finish(!failed, WVL_ERROR_SINK, "/dev/full");
        ck_assert_ptr_nonnull(strstr(error, strerror(ENOSPC)));
        ck_assert(!stat("/dev/full", &st) && S_ISCHR(st.st_mode));
    }
    ck_assert_int_eq(open_file("/dev/null", 0), WVL_OK);
    ck_assert_int_eq(write_pattern(1000000), 0);
    expect_finish(1, WVL_OK, "");
    ck_assert(!stat("/dev/null", &st) && S_ISCHR(st.st_mode));
}

TEST_EACH(file_size_limit_leaves_nothing, 2)
{
    choose_way(_i);
    struct rlimit limit, old;
    (void)signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = 200000; /* a short write, then a refused one */
    ck_assert_int_eq(open_file(path, 0), WVL_OK);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int failed = write_pattern(1000000);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    ck_assert_int_ne(failed, 0);
    ck_assert_int_ne(sink.write(sink.user, "x", 1), 0);
    expect_finish(1, WVL_ERROR_SINK, strerror(EFBIG));
    ck_assert_ptr_nonnull(strstr(error, path));
    ck_assert_int_eq(count_entries(), 0);
}

TEST_EACH(late_write_failure_leaves_nothing, 2)
{
    choose_way(_i);
    fsync_errno = EIO;
    begin_file(0, 10);
    expect_finish(1, WVL_ERROR_SINK, strerror(EIO));
    ck_assert_int_eq(count_entries(), 0);
    static const int harmless[] = {EINVAL, EOPNOTSUPP, ENOSYS, EINTR};
    for (int i = 0; i < 4; i++) {
        fsync_errno = harmless[i];
        begin_file(1, 10);
        finish_file(10);
    }
}

/* A pipe: writes are interrupted and short. */
typedef struct pipe_reader {
    const char *name;
    uint8_t *data;
    size_t bytes;
} pipe_reader;

static void *read_pipe(void *arg)
{
    pipe_reader *r = arg;
    int fd = open(r->name, O_RDONLY);
    for (ssize_t n; (n = read(fd, r->data + r->bytes, 3001)) > 0;) {
        r->bytes += (size_t)n;
    }
    (void)close(fd);
    return NULL;
}

TEST_EACH(interrupted_and_short_writes_go_on, 2)
{
    choose_way(_i);
    pipe_reader reader = {path, malloc(2100000), 0};
    pthread_t thread;
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, read_pipe, &reader), 0);
    ck_assert_int_eq(open_file(path, 0), WVL_OK);
    write_trouble = 1;
    int failed = write_pattern(2000000);
    wvl_status status = wvl_sink_finish(&sink, 1, error, sizeof error);
    write_trouble = 0;
    (void)pthread_join(thread, NULL);
    ck_assert_msg(!failed && !status, "%s", error);
    ck_assert_uint_eq(reader.bytes, 2000000);
    check_pattern(reader.data, reader.bytes);
    ck_assert_int_gt(write_calls, 1000);
    free(reader.data);
}

TEST_MAIN("sink_file")
