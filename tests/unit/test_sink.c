/* SPDX-License-Identifier: BSD-2-Clause */
/* Sinks: what arrives, what stays behind on failure, and every failure with its reason. */
#define _XOPEN_SOURCE 700
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/sink.h"
#include "wavelane.h"

#define NOBODY 65534
#define TEMPLATE_BYTES 4000

/* ---- System calls that can fail -------------------------------------------------------------------------------------------- */

static int link_errno, fsync_errno, fsync_calls;

int link(const char *from, const char *to)
{
    if (link_errno) {
        errno = link_errno;
        return -1;
    }
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int fsync(int fd)
{
    fsync_calls++;
    if (fsync_errno) {
        errno = fsync_errno;
        fsync_errno = fsync_errno == EINTR ? 0 : fsync_errno;
        return -1;
    }
    return fcntl(fd, F_GETFD) < 0 ? -1 : 0; /* the disk itself is not under test */
}

/* ---- Memory that can fail ---------------------------------------------------------------------------------------------------- */

typedef struct ledger { uint64_t live, calls, fail_at, fail_count; } ledger;

static void *ledger_allocate(void *user, size_t bytes, size_t alignment, void *stream)
{
    ledger *l = user;
    (void)stream;
    if (++l->calls >= l->fail_at && l->calls < l->fail_at + l->fail_count) {
        return NULL;
    }
    l->live += bytes;
    return aligned_alloc(alignment, bytes);
}

static void ledger_release(void *user, void *memory, size_t bytes, void *stream)
{
    (void)stream;
    ((ledger *)user)->live -= bytes;
    free(memory);
}

static ledger books;
static wvl_context *context;
static wvl_sink sink;
static char directory[TEMPLATE_BYTES], path[TEMPLATE_BYTES + 400], error[600];

static wvl_status open_context(void)
{
    wvl_context_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.threads = 1;
    options.host = (wvl_allocator){ledger_allocate, ledger_release, &books};
    return wvl_context_create(&options, &context);
}

static void set_path(const char *name) { (void)snprintf(path, sizeof path, "%s/%s", directory, name); }

static void setup(void)
{
    const char *base = getenv("TMPDIR");
    books = (ledger){0, 0, 0, 0};
    link_errno = fsync_errno = fsync_calls = 0;
    memset(&sink, 0, sizeof sink);
    (void)snprintf(directory, sizeof directory, "%s/wvl-sink-XXXXXX", base ? base : P_tmpdir);
    ck_assert(mkdtemp(directory) != NULL);
    ck_assert_int_eq(open_context(), WVL_OK);
    set_path("out.jp2");
}

/* Entries of the directory. */
static int count_entries(void)
{
    int count = 0;
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    }
    closedir(d);
    return count;
}

static void teardown(void)
{
    char name[sizeof path + 300];
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        (void)snprintf(name, sizeof name, "%s/%s", directory, e->d_name);
        (void)unlink(name);
    }
    closedir(d);
    ck_assert_int_eq(rmdir(directory), 0);
    wvl_context_release(context);
    ck_assert_uint_eq(books.live, 0);
}

/* ---- What is written --------------------------------------------------------------------------------------------------------- */

static uint8_t pattern(uint64_t i) { return (uint8_t)(i * 2654435761u >> 16); }

/* bytes of the pattern in pieces of many sizes. Returns the first failure. */
static int write_pattern(uint64_t bytes)
{
    static uint8_t piece[400000];
    uint64_t at = 0, size = 1;
    while (at < bytes) {
        uint64_t n = size < bytes - at ? size : bytes - at;
        for (uint64_t i = 0; i < n; i++) {
            piece[i] = pattern(at + i);
        }
        if (sink.write(sink.user, piece, (size_t)n)) {
            return -1;
        }
        at += n;
        size = size * 7 % 399989;
    }
    return 0;
}

static void check_pattern(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (data[i] != pattern(i)) {
            ck_abort_msg("byte %zu of %zu", i, bytes);
        }
    }
}

static void check_file(const char *name, size_t bytes)
{
    uint8_t *data = malloc(bytes + 1);
    FILE *f = fopen(name, "rb");
    ck_assert_msg(f != NULL, "%s: %s", name, strerror(errno));
    ck_assert_uint_eq(fread(data, 1, bytes + 1, f), bytes);
    (void)fclose(f);
    check_pattern(data, bytes);
    free(data);
}

static void make_file(const char *name, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, mode);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fchmod(fd, mode), 0);
    ck_assert_int_eq((int)write(fd, "old", 3), 3);
    (void)close(fd);
}

static void expect_finish(int complete, wvl_status status, const char *reason)
{
    wvl_status got = wvl_sink_finish(&sink, complete, error, sizeof error);
    ck_assert_msg(got == status && strstr(error, reason) != NULL && (*reason || !*error), "%d: '%s', not %d: '%s'", got, error, status, reason);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------------ */

static void take_and_check(size_t want)
{
    void *data;
    size_t bytes;
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &bytes), WVL_OK);
    ck_assert_uint_eq(bytes, want);
    check_pattern(data, bytes);
    wvl_memory_release(context, data, bytes);
    ck_assert(sink.user == NULL && sink.write == NULL);
}

START_TEST(memory_holds_what_was_written)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65535, 65536, 65537, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t before = books.live;
        ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
        ck_assert_int_eq(write_pattern(sizes[i]), 0);
        expect_finish(1, WVL_OK, "");
        take_and_check(sizes[i]);
        ck_assert_uint_eq(books.live, before);
    }
}
END_TEST

START_TEST(memory_is_patched)
{
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(sink.write(sink.user, "??cdef??", 8), 0);
    uint8_t *want = malloc(100000);
    for (size_t i = 0; i < 100000; i++) {
        want[i] = pattern(i);
    }
    ck_assert_int_eq(sink.write(sink.user, want + 8, 99992), 0);
    ck_assert_int_eq(sink.patch(sink.user, 0, want, 8), 0);
    ck_assert_int_eq(sink.patch(sink.user, 99999, want + 99999, 1), 0);
    ck_assert_int_eq(sink.patch(sink.user, 100000, want, 0), 0);
    free(want);
    expect_finish(1, WVL_OK, "");
    take_and_check(100000);
}
END_TEST

static void refuse_patch(uint64_t offset, size_t bytes)
{
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(100), 0);
    ck_assert_int_ne(sink.patch(sink.user, offset, "12345678", bytes), 0);
    ck_assert_int_ne(sink.write(sink.user, "x", 1), 0); /* failed once, failed for good */
    expect_finish(1, WVL_ERROR_SINK, "beyond what was written");
    ck_assert_ptr_null(sink.user);
}

START_TEST(memory_refuses_wrong_patches)
{
    refuse_patch(100, 1);
    refuse_patch(99, 2);
    refuse_patch(UINT64_MAX, 1);
    refuse_patch(UINT64_MAX - 1, 8);
}
END_TEST

START_TEST(memory_is_taken_only_when_complete)
{
    void *data = &data;
    size_t bytes = 7;
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(100), 0);
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &bytes), WVL_ERROR_ARGUMENT);
    ck_assert(data == NULL && bytes == 0);
    expect_finish(0, WVL_OK, "");
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &bytes), WVL_ERROR_ARGUMENT);
    wvl_sink_discard(&sink);
    wvl_sink_discard(NULL);
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    wvl_sink_discard(&sink);
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(100), 0);
    expect_finish(1, WVL_OK, "");
    wvl_sink_discard(&sink); /* complete but not wanted */
    ck_assert_ptr_null(sink.user);
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &bytes), WVL_ERROR_ARGUMENT);
}
END_TEST

/* The member itself, as a caller who wraps a sink would use it. */
START_TEST(close_member_ends_a_sink)
{
    void *data;
    size_t bytes;
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(10), 0);
    ck_assert_int_eq(sink.close(sink.user, 1), 0);
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &bytes), WVL_OK);
    wvl_memory_release(context, data, bytes);
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(sink.close(sink.user, 0), 0);
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(10), 0);
    ck_assert_int_eq(sink.close(sink.user, 1), 0);
    check_file(path, 10);
}
END_TEST

START_TEST(reserved_memory_is_allocated_once)
{
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    uint64_t before = books.calls;
    ck_assert_int_eq(wvl_sink_reserve(&sink, 1000003), WVL_OK);
    ck_assert_int_eq(write_pattern(1000003), 0);
    expect_finish(1, WVL_OK, "");
    take_and_check(1000003);
    ck_assert_uint_eq(books.calls, before + 1);
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(wvl_sink_reserve(&sink, UINT64_MAX), WVL_ERROR_MEMORY);
    expect_finish(0, WVL_ERROR_MEMORY, "no memory");
}
END_TEST

static wvl_status whole_life(void)
{
    void *data;
    size_t bytes;
    wvl_status status = open_context();
    if (status) {
        return status;
    }
    status = wvl_sink_open_memory(context, &sink);
    if (!status) {
        int failed = write_pattern(500000);
        status = wvl_sink_finish(&sink, !failed, error, sizeof error);
        ck_assert_int_eq(failed != 0, status == WVL_ERROR_MEMORY);
    }
    if (!status) {
        status = wvl_sink_take_memory(&sink, &data, &bytes);
        if (!status) {
            check_pattern(data, bytes);
            wvl_memory_release(context, data, bytes);
        }
        wvl_sink_discard(&sink);
    }
    wvl_context_release(context);
    return status;
}

/* The n-th allocation fails, alone (a doubling that fails is tried again with what is needed) or with all after it. */
START_TEST(every_failed_allocation_is_reported_and_leaks_nothing)
{
    wvl_context *kept = context;
    ledger outer = books;
    unsigned survived = 0, failed = 0;
    for (uint64_t n = 1; n == 1 || books.calls >= n - 1; n++) {
        for (uint64_t rest = 0; rest < 2; rest++) {
            books = (ledger){0, 0, n, rest ? UINT32_MAX : 1};
            wvl_status status = whole_life();
            ck_assert(status == WVL_OK || status == WVL_ERROR_MEMORY);
            ck_assert(status == WVL_ERROR_MEMORY || !rest || books.calls < n);
            ck_assert_uint_eq(books.live, 0);
            failed += status != WVL_OK;
            survived += status == WVL_OK && books.calls >= n;
        }
    }
    ck_assert_msg(failed >= 9 && survived >= 3, "%u failed, %u survived", failed, survived);
    books = outer;
    context = kept;
    books.fail_at = books.calls + 1;
    books.fail_count = 1;
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_ERROR_MEMORY);
    ck_assert(sink.user == NULL && strstr(wvl_context_error(context), "no memory"));
    ck_assert_int_eq(count_entries(), 0);
}
END_TEST

/* A memory sink outlives its context's last reference elsewhere. */
START_TEST(sinks_hold_their_context)
{
    wvl_context *kept = context;
    ck_assert_int_eq(open_context(), WVL_OK);
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    wvl_context_release(context);
    ck_assert_int_eq(write_pattern(100000), 0);
    expect_finish(0, WVL_OK, "");
    context = kept;
}
END_TEST

/* ---- Stream ------------------------------------------------------------------------------------------------------------------ */

START_TEST(stream_receives_and_stays_open)
{
    FILE *f = fopen(path, "wb");
    ck_assert_int_eq(wvl_sink_open_stream(context, f, &sink), WVL_OK);
    ck_assert_ptr_null((void *)(uintptr_t)sink.patch);
    ck_assert_int_eq(write_pattern(300000), 0);
    expect_finish(1, WVL_OK, "");
    check_file(path, 300000); /* flushed before fclose */
    for (unsigned i = 300000; i < 300010; i++) {
        ck_assert_int_ne(fputc(pattern(i), f), EOF);
    }
    ck_assert_int_eq(fclose(f), 0);
    check_file(path, 300010);
}
END_TEST

START_TEST(full_stream_is_an_error)
{
    static const size_t sizes[] = {1, 100, 1000000}; /* the small ones fail only when flushed */
    for (int i = 0; i < 3; i++) {
        FILE *f = fopen("/dev/full", "wb");
        ck_assert_ptr_nonnull(f);
        ck_assert_int_eq(wvl_sink_open_stream(context, f, &sink), WVL_OK);
        int failed = write_pattern(sizes[i]);
        ck_assert_int_eq(failed, i == 2 ? -1 : 0);
        expect_finish(!failed, WVL_ERROR_SINK, strerror(ENOSPC));
        (void)fclose(f);
    }
}
END_TEST

START_TEST(broken_pipe_is_an_error)
{
    int ends[2];
    (void)signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe(ends), 0);
    (void)close(ends[0]);
    FILE *f = fdopen(ends[1], "wb");
    ck_assert_int_eq(wvl_sink_open_stream(context, f, &sink), WVL_OK);
    ck_assert_int_ne(write_pattern(1000000), 0);
    expect_finish(0, WVL_ERROR_SINK, strerror(EPIPE));
    (void)fclose(f);
}
END_TEST

/* ---- File -------------------------------------------------------------------------------------------------------------------- */

START_TEST(file_appears_when_complete)
{
    static const size_t sizes[] = {0, 1, 131071, 131072, 131073, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct stat st;
        mode_t mask = umask(i & 1 ? 027 : 022);
        ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_OK);
        (void)umask(mask);
        ck_assert_int_eq(write_pattern(sizes[i]), 0);
        ck_assert_int_ne(access(path, F_OK), 0);
        ck_assert_int_eq(count_entries(), 1);
        fsync_calls = 0;
        expect_finish(1, WVL_OK, "");
        ck_assert_int_eq(fsync_calls, 1);
        ck_assert_int_eq(count_entries(), 1);
        check_file(path, sizes[i]);
        ck_assert_int_eq(stat(path, &st), 0);
        ck_assert_uint_eq(st.st_mode & 0777, i & 1 ? 0640 : 0644);
        ck_assert_uint_eq(st.st_nlink, 1);
        (void)unlink(path);
    }
}
END_TEST

START_TEST(file_is_removed_when_incomplete)
{
    ck_assert_int_eq(wvl_sink_open_file(context, path, 1, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(1000000), 0);
    expect_finish(0, WVL_OK, "");
    ck_assert_int_eq(count_entries(), 0);
    ck_assert_int_eq(wvl_sink_open_file(context, path, 1, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(10), 0);
    wvl_sink_discard(&sink);
    ck_assert_int_eq(count_entries(), 0);
    make_file(path, 0644);
    ck_assert_int_eq(wvl_sink_open_file(context, path, 1, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(10), 0);
    expect_finish(0, WVL_OK, "");
    struct stat st;
    ck_assert(!stat(path, &st) && st.st_size == 3); /* the old one is untouched */
}
END_TEST

START_TEST(file_replaces_only_when_told)
{
    make_file(path, 0600);
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_ERROR_SINK);
    ck_assert(strstr(wvl_context_error(context), path) && strstr(wvl_context_error(context), strerror(EEXIST)));
    ck_assert_int_eq(count_entries(), 1);
    ck_assert_int_eq(wvl_sink_open_file(context, path, 1, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(200000), 0);
    expect_finish(1, WVL_OK, "");
    check_file(path, 200000);
    struct stat st;
    ck_assert(!stat(path, &st) && (st.st_mode & 0777) == 0600);
    ck_assert_int_eq(count_entries(), 1);
}
END_TEST

/* Somebody else takes the name during the encode. */
static void lose_the_race(int no_links)
{
    link_errno = no_links ? EPERM : 0;
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(10), 0);
    make_file(path, 0644);
    expect_finish(1, WVL_ERROR_SINK, strerror(EEXIST));
    struct stat st;
    ck_assert(!stat(path, &st) && st.st_size == 3);
    ck_assert_int_eq(count_entries(), 1);
    (void)unlink(path);
}

START_TEST(file_never_replaces_by_accident)
{
    lose_the_race(0);
    lose_the_race(1);
}
END_TEST

START_TEST(file_without_hard_links)
{
    static const int codes[] = {EPERM, EOPNOTSUPP, ENOSYS, EMLINK};
    for (int i = 0; i < 4; i++) {
        link_errno = codes[i];
        ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_OK);
        ck_assert_int_eq(write_pattern(150000), 0);
        expect_finish(1, WVL_OK, "");
        check_file(path, 150000);
        ck_assert_int_eq(count_entries(), 1);
        (void)unlink(path);
    }
    link_errno = EIO;
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_OK);
    expect_finish(1, WVL_ERROR_SINK, strerror(EIO));
    ck_assert_int_eq(count_entries(), 0);
}
END_TEST

START_TEST(file_is_patched)
{
    static const struct { uint64_t offset; size_t bytes; } patches[] = {
        {0, 12}, {131070, 4}, {131060, 12}, {299999, 1}, {200000, 65536}, {0, 300000}, {262143, 2}, {300000, 0}};
    for (size_t i = 0; i < sizeof patches / sizeof patches[0]; i++) {
        uint8_t *data = malloc(300000);
        for (size_t k = 0; k < 300000; k++) {
            data[k] = pattern(k);
        }
        memset(data + patches[i].offset, 0x55, patches[i].bytes);
        ck_assert_int_eq(wvl_sink_open_file(context, path, 1, &sink), WVL_OK);
        for (size_t k = 0; k < 300000; k += 30000) {
            ck_assert_int_eq(sink.write(sink.user, data + k, 30000), 0);
        }
        for (size_t k = 0; k < 300000; k++) {
            data[k] = pattern(k);
        }
        ck_assert_int_eq(sink.patch(sink.user, patches[i].offset, data + patches[i].offset, patches[i].bytes), 0);
        expect_finish(1, WVL_OK, "");
        check_file(path, 300000);
        free(data);
    }
    ck_assert_int_eq(wvl_sink_open_file(context, path, 1, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(300000), 0);
    ck_assert_int_ne(sink.patch(sink.user, 299999, "ab", 2), 0);
    expect_finish(1, WVL_ERROR_SINK, "beyond what was written");
}
END_TEST

START_TEST(writing_goes_on_after_a_patch)
{
    uint8_t zero[4] = {0}, four[4] = {pattern(0), pattern(1), pattern(2), pattern(3)};
    ck_assert_int_eq(wvl_sink_open_file(context, path, 1, &sink), WVL_OK);
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
    expect_finish(1, WVL_OK, "");
    check_file(path, 500000);
}
END_TEST

static void refuse_open(const char *name, int overwrite, int code)
{
    memset(&sink, 0xFF, sizeof sink);
    ck_assert_int_eq(wvl_sink_open_file(context, name, overwrite, &sink), WVL_ERROR_SINK);
    const char *text = wvl_context_error(context);
    ck_assert_msg(strstr(text, strerror(code)) != NULL, "'%s', not '%s'", text, strerror(code));
    ck_assert(sink.user == NULL && sink.write == NULL && sink.close == NULL);
}

START_TEST(impossible_targets_are_refused_at_once)
{
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
    ck_assert_int_eq(wvl_sink_open_file(context, NULL, 0, &sink), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(wvl_sink_open_file(NULL, path, 0, &sink), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(wvl_sink_open_memory(context, NULL), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(wvl_sink_open_stream(context, NULL, &sink), WVL_ERROR_ARGUMENT);
}
END_TEST

/* Permissions do not bind root, so root becomes somebody else for a while. */
START_TEST(protected_targets_are_refused)
{
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
END_TEST

START_TEST(longest_name_fits)
{
    char name[256], two[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    set_path(name);
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(5), 0);
    expect_finish(1, WVL_OK, "");
    check_file(path, 5);
    for (int i = 0; i < 254; i += 2) { /* two-byte characters, cut at odd and even places */
        memcpy(two + i, "\xC3\xA9", 2);
    }
    two[254] = 'n';
    two[255] = '\0';
    set_path(two);
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_OK);
    expect_finish(1, WVL_OK, "");
    check_file(path, 0);
}
END_TEST

START_TEST(links_are_followed)
{
    char target[sizeof path];
    struct stat st;
    set_path("target");
    memcpy(target, path, sizeof path);
    make_file(target, 0644);
    set_path("name");
    ck_assert_int_eq(symlink("target", path), 0);
    refuse_open(path, 0, EEXIST);
    ck_assert_int_eq(wvl_sink_open_file(context, path, 1, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(77), 0);
    expect_finish(1, WVL_OK, "");
    check_file(target, 77);
    ck_assert(!lstat(path, &st) && S_ISLNK(st.st_mode));
    ck_assert_int_eq(count_entries(), 2);
}
END_TEST

START_TEST(full_device_is_an_error_and_stays_a_device)
{
    struct stat st;
    for (int overwrite = 0; overwrite < 2; overwrite++) {
        ck_assert_int_eq(wvl_sink_open_file(context, "/dev/full", overwrite, &sink), WVL_OK);
        ck_assert_ptr_null((void *)(uintptr_t)sink.patch);
        int failed = write_pattern(overwrite ? 10 : 1000000);
        ck_assert_int_eq(failed, overwrite ? 0 : -1);
        expect_finish(!failed, WVL_ERROR_SINK, "/dev/full");
        ck_assert_ptr_nonnull(strstr(error, strerror(ENOSPC)));
        ck_assert(!stat("/dev/full", &st) && S_ISCHR(st.st_mode));
    }
    ck_assert_int_eq(wvl_sink_open_file(context, "/dev/null", 0, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(1000000), 0);
    expect_finish(1, WVL_OK, "");
    ck_assert(!stat("/dev/null", &st) && S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(file_size_limit_leaves_nothing)
{
    struct rlimit limit, old;
    (void)signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = 200000; /* a short write, then a refused one */
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_OK);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int failed = write_pattern(1000000);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    ck_assert_int_ne(failed, 0);
    ck_assert_int_ne(sink.write(sink.user, "x", 1), 0);
    expect_finish(1, WVL_ERROR_SINK, strerror(EFBIG));
    ck_assert_ptr_nonnull(strstr(error, path));
    ck_assert_int_eq(count_entries(), 0);
}
END_TEST

START_TEST(late_write_failure_leaves_nothing)
{
    fsync_errno = EIO;
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(10), 0);
    expect_finish(1, WVL_ERROR_SINK, strerror(EIO));
    ck_assert_int_eq(count_entries(), 0);
    static const int harmless[] = {EINVAL, EOPNOTSUPP, ENOSYS, EINTR};
    for (int i = 0; i < 4; i++) {
        fsync_errno = harmless[i];
        ck_assert_int_eq(wvl_sink_open_file(context, path, 1, &sink), WVL_OK);
        ck_assert_int_eq(write_pattern(10), 0);
        expect_finish(1, WVL_OK, "");
        check_file(path, 10);
    }
}
END_TEST

/* A pipe that is read slowly while signals arrive: writes are short and interrupted. */
typedef struct slow_reader {
    const char *name;
    uint8_t *data;
    size_t bytes;
    pthread_t writer;
    _Atomic int done;
} slow_reader;

static atomic_int interruptions;

static void on_signal(int number)
{
    (void)number;
    atomic_fetch_add(&interruptions, 1);
}

static void *read_slowly(void *arg)
{
    slow_reader *r = arg;
    int fd = open(r->name, O_RDONLY);
    for (ssize_t n; (n = read(fd, r->data + r->bytes, 3001)) > 0;) {
        r->bytes += (size_t)n;
        if (!atomic_load(&r->done) && r->bytes % 5 == 0) {
            (void)pthread_kill(r->writer, SIGUSR1);
        }
    }
    (void)close(fd);
    return NULL;
}

START_TEST(interrupted_and_short_writes_go_on)
{
    static slow_reader reader;
    struct sigaction action;
    pthread_t thread;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal; /* no SA_RESTART */
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    reader.name = path;
    reader.data = malloc(2100000);
    reader.writer = pthread_self();
    ck_assert_int_eq(pthread_create(&thread, NULL, read_slowly, &reader), 0);
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(2000000), 0);
    atomic_store(&reader.done, 1);
    expect_finish(1, WVL_OK, "");
    (void)pthread_join(thread, NULL);
    ck_assert_uint_eq(reader.bytes, 2000000);
    check_pattern(reader.data, reader.bytes);
    ck_assert_int_gt(atomic_load(&interruptions), 10);
    free(reader.data);
}
END_TEST

/* ---- The caller's own sink ----------------------------------------------------------------------------------------------------- */

static int closes, close_result;

static int caller_close(void *user, int complete)
{
    ck_assert_ptr_eq(user, &closes);
    closes += complete ? 1 : 100;
    return close_result;
}

START_TEST(callers_sink_is_closed_once)
{
    sink = (wvl_sink){sizeof sink, NULL, NULL, NULL, caller_close, &closes};
    wvl_sink_discard(&sink); /* not ours */
    ck_assert_int_eq(closes, 0);
    ck_assert_int_eq(wvl_sink_reserve(&sink, 100), WVL_OK);
    expect_finish(1, WVL_OK, "");
    ck_assert_int_eq(closes, 1);
    close_result = -1;
    expect_finish(0, WVL_ERROR_SINK, "close");
    ck_assert_int_eq(closes, 101);
    ck_assert_ptr_eq(sink.user, &closes);
    sink.close = NULL;
    ck_assert_int_eq(wvl_sink_finish(&sink, 1, NULL, 0), WVL_OK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sink");
    TCase *tests = tcase_create("sink");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, memory_holds_what_was_written);
    tcase_add_test(tests, memory_is_patched);
    tcase_add_test(tests, memory_refuses_wrong_patches);
    tcase_add_test(tests, memory_is_taken_only_when_complete);
    tcase_add_test(tests, close_member_ends_a_sink);
    tcase_add_test(tests, reserved_memory_is_allocated_once);
    tcase_add_test(tests, every_failed_allocation_is_reported_and_leaks_nothing);
    tcase_add_test(tests, sinks_hold_their_context);
    tcase_add_test(tests, stream_receives_and_stays_open);
    tcase_add_test(tests, full_stream_is_an_error);
    tcase_add_test(tests, broken_pipe_is_an_error);
    tcase_add_test(tests, file_appears_when_complete);
    tcase_add_test(tests, file_is_removed_when_incomplete);
    tcase_add_test(tests, file_replaces_only_when_told);
    tcase_add_test(tests, file_never_replaces_by_accident);
    tcase_add_test(tests, file_without_hard_links);
    tcase_add_test(tests, file_is_patched);
    tcase_add_test(tests, writing_goes_on_after_a_patch);
    tcase_add_test(tests, impossible_targets_are_refused_at_once);
    tcase_add_test(tests, protected_targets_are_refused);
    tcase_add_test(tests, longest_name_fits);
    tcase_add_test(tests, links_are_followed);
    tcase_add_test(tests, full_device_is_an_error_and_stays_a_device);
    tcase_add_test(tests, file_size_limit_leaves_nothing);
    tcase_add_test(tests, late_write_failure_leaves_nothing);
    tcase_add_test(tests, interrupted_and_short_writes_go_on);
    tcase_add_test(tests, callers_sink_is_closed_once);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
