/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory and stream sinks: what arrives, and every failure with its reason. */
#define _XOPEN_SOURCE 700
#include <signal.h>

#include "tests/unit/sink_bench.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

static void take_and_check(size_t want)
{
    void *data;
    size_t bytes;
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &bytes), WVL_OK);
    ck_assert_uint_eq(bytes, want);
    check_pattern(data, bytes);
    wvl_memory_release(context, data, bytes);
    ck_assert(!sink.user && !sink.write);
}

TEST_FIXTURE(setup, teardown);

TEST(memory_holds_what_was_written)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65535, 65536, 65537, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t before = books.live_bytes;
        ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
        ck_assert_int_eq(write_pattern(sizes[i]), 0);
        expect_finish(1, WVL_OK, "");
        take_and_check(sizes[i]);
        ck_assert_uint_eq(books.live_bytes, before);
    }
}

TEST(memory_is_patched)
{
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(sink.write(sink.user, "??cdef??", 8), 0);
    OWNED uint8_t *want = malloc(100000);
    for (size_t i = 0; i < 100000; i++) {
        want[i] = pattern(i);
    }
    ck_assert_int_eq(sink.write(sink.user, want + 8, 99992), 0);
    ck_assert_int_eq(sink.patch(sink.user, 0, want, 8), 0);
    ck_assert_int_eq(sink.patch(sink.user, 99999, want + 99999, 1), 0);
    ck_assert_int_eq(sink.patch(sink.user, 100000, want, 0), 0);
    expect_finish(1, WVL_OK, "");
    take_and_check(100000);
}

static void refuse_patch(uint64_t offset, size_t bytes)
{
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(100), 0);
    ck_assert_int_ne(sink.patch(sink.user, offset, "12345678", bytes), 0);
    ck_assert_int_ne(sink.write(sink.user, "x", 1), 0); /* failed once, failed for good */
    expect_finish(1, WVL_ERROR_SINK, "beyond what was written");
    ck_assert_ptr_null(sink.user);
}

TEST(memory_refuses_wrong_patches)
{
    refuse_patch(100, 1);
    refuse_patch(99, 2);
    refuse_patch(UINT64_MAX, 1);
    refuse_patch(UINT64_MAX - 1, 8);
}

TEST(memory_is_taken_only_when_complete)
{
    void *data = &data;
    size_t bytes = 7;
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(write_pattern(100), 0);
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &bytes), WVL_ERROR_ARGUMENT);
    ck_assert(!data && bytes == 0);
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

/* The member itself, as a caller who wraps a sink would use it. */
TEST(close_member_ends_a_sink)
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

TEST(reserved_memory_is_allocated_once)
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

static wvl_status whole_life(void)
{
    void *data;
    size_t bytes;
    wvl_context_options options = {.struct_size = sizeof options, .threads = 1, .host = ledger_allocator(&books)};
    wvl_status status = wvl_context_create(&options, &context);
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
TEST(every_failed_allocation_is_reported_and_leaks_nothing)
{
    wvl_context *kept = context;
    ledger outer = books;
    unsigned survived = 0, failed = 0;
    for (uint64_t n = 1; n == 1 || books.calls >= n - 1; n++) {
        for (uint64_t rest = 0; rest < 2; rest++) {
            ledger_open(&books);
            books.fail_at = n;
            books.fail_on = (int)rest;
            wvl_status status = whole_life();
            ck_assert(status == WVL_OK || status == WVL_ERROR_MEMORY);
            ck_assert(status == WVL_ERROR_MEMORY || !rest || books.calls < n);
            ck_assert_uint_eq(books.live_bytes, 0);
            failed += status != WVL_OK;
            survived += status == WVL_OK && books.calls >= n;
        }
    }
    ck_assert_msg(failed >= 9 && survived >= 3, "%u failed, %u survived", failed, survived);
    books = outer;
    context = kept;
    books.fail_at = books.calls + 1;
    ck_assert_int_eq(wvl_sink_open_file(context, path, 0, &sink), WVL_ERROR_MEMORY);
    ck_assert(!sink.user && strstr(wvl_context_error(context), "no memory"));
    ck_assert_int_eq(count_entries(), 0);
}

/* A memory sink outlives its context's last reference elsewhere. */
TEST(sinks_hold_their_context)
{
    wvl_context *kept = context;
    wvl_allocator host = ledger_allocator(&books);
    context = test_open_context_by(&host, 1);
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    wvl_context_release(context);
    ck_assert_int_eq(write_pattern(100000), 0);
    expect_finish(0, WVL_OK, "");
    context = kept;
}

/* ---- One encode ------------------------------------------------------------------------------ */

static wvl_plan *plan_four(void)
{
    static const wvl_component_format grey = {8, 0, 1, 1};
    wvl_image_format format = {sizeof format, 0, 0, 4, 4, 1, &grey};
    return test_open_plan(context, &format, "");
}

static void take_encoded(void)
{
    void *data;
    size_t bytes;
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &bytes), WVL_OK);
    ck_assert(bytes > 4 && !memcmp(data, "\xFF\x4F\xFF\x51", 4) && !memcmp((uint8_t *)data + bytes - 2, "\xFF\xD9", 2));
    wvl_memory_release(context, data, bytes);
}

/* What is in a sink stays to be taken, and nothing comes behind it. */
TEST(a_sink_serves_one_encode)
{
    static const uint8_t pixels[16];
    wvl_plane plane = {.data = pixels, .pitch_bytes = 4, .container = WVL_SAMPLE_8};
    wvl_image image = {.struct_size = sizeof image, .planes = &plane, .plane_count = 1};
    wvl_encoder *encoder;
    wvl_encoded_picture *picture;
    owned_plan *plan = plan_four();
    ck_assert_int_eq(wvl_encoder_create(plan, 2, &encoder), WVL_OK);
    for (int flies = 0; flies < 2; flies++) {
        ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
        if (flies) {
            ck_assert_int_eq(wvl_encoder_submit(encoder, &image, &sink, NULL), WVL_OK);
            ck_assert_int_eq(wvl_encoder_submit(encoder, &image, &sink, NULL), WVL_ERROR_ARGUMENT);
            ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &picture), WVL_OK);
            wvl_encoded_picture_release(picture);
        } else {
            ck_assert_int_eq(wvl_encode(plan, &image, &sink, NULL, NULL, NULL, 0), WVL_OK);
        }
        ck_assert_int_eq(wvl_encode(plan, &image, &sink, NULL, NULL, error, sizeof error), WVL_ERROR_ARGUMENT);
        ck_assert_str_eq(error, "the sink was given to another encode: open one for each");
        ck_assert_int_eq(wvl_encode_rows(plan, &test_zeros, NULL, &sink, NULL, NULL, NULL, 0), WVL_ERROR_ARGUMENT);
        ck_assert_int_eq(wvl_encoder_submit(encoder, &image, &sink, NULL), WVL_ERROR_ARGUMENT);
        take_encoded();
    }
    wvl_encoder_release(encoder);
}

/* ---- Stream ---------------------------------------------------------------------------------- */

TEST(stream_receives_and_stays_open)
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

TEST(full_stream_is_an_error)
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

TEST(broken_pipe_is_an_error)
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

/* ---- The caller's own sink ------------------------------------------------------------------- */

static int closes, close_result;

static int caller_close(void *user, int complete)
{
    ck_assert_ptr_eq(user, &closes);
    closes += complete ? 1 : 100;
    return close_result;
}

/* The structure of version 0.2.0 ended with `user`; what lies behind it belongs to the program. */
TEST(older_structures_are_not_overrun)
{
    const size_t old_bytes = offsetof(wvl_sink, reserve);
    wvl_sink old[3];
    FILE *file = tmpfile();
    memset(old, 0xA5, sizeof old);
    ck_assert_int_eq(wvl_sink_open_memory(context, &old[0]), WVL_OK);
    ck_assert_int_eq(wvl_sink_open_stream(context, file, &old[1]), WVL_OK);
    ck_assert_int_eq(wvl_sink_open_file(context, path, 1, &old[2]), WVL_OK);
    for (unsigned kind = 0; kind < 3; kind++) {
        ck_assert_uint_eq(old[kind].struct_size, old_bytes);
        wvl_sink_discard(&old[kind]);
        for (size_t i = old_bytes; i < sizeof *old; i++) {
            ck_assert_uint_eq(((const uint8_t *)&old[kind])[i], 0xA5);
        }
    }
    (void)fclose(file);
}

TEST(callers_sink_is_closed_once)
{
    sink = (wvl_sink){.struct_size = sizeof sink, .close = caller_close, .user = &closes};
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

TEST_MAIN("sink")
