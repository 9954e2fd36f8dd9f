/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of a folder beside each other: how many are in work at a time, where nothing says it, and what they hold. */
#define _GNU_SOURCE /* usleep */
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/wavelane/job.h"

enum { FILES = 3, PIECES = 200, WORKERS = 8, SAMPLE_BYTES = 3, CODING_BYTES = 4, MOST_BYTES = 10 };

static wvl_cli_args args;
static wvl_cli_batch batch;
static wvl_cli_entry files[FILES];

/* A folder of FILES files of these bytes each, and a context of that many threads. */
static void open_folder(uint64_t bytes, uint32_t threads)
{
    const wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    memset(&args, 0, sizeof args);
    memset(&batch, 0, sizeof batch);
    for (size_t i = 0; i < FILES; i++) {
        files[i].bytes = bytes;
    }
    batch.args = &args;
    batch.directory.entries = files;
    batch.directory.count = FILES;
    ck_assert_int_eq(wvl_context_create(&options, &batch.context), WVL_OK);
}

static void close_folder(void) { wvl_context_release(batch.context); }

START_TEST(small_files)
{
    open_folder(UINT64_C(16) << 20, 40);
    ck_assert_uint_eq(wvl_cli_choose_workers(&batch, 0), 16);
    files[1].bytes++; /* one that is not small */
    ck_assert_uint_eq(wvl_cli_choose_workers(&batch, 0), 4);
    ck_assert_uint_eq(wvl_cli_choose_workers(&batch, 1), 16);
    close_folder();
}
END_TEST

START_TEST(few_threads)
{
    open_folder(1000, 3);
    ck_assert_uint_eq(wvl_cli_choose_workers(&batch, 0), 3);
    ck_assert_uint_eq(wvl_cli_choose_workers(&batch, 1), 3);
    close_folder();
}
END_TEST

START_TEST(asked_for)
{
    open_folder(1000, 40);
    args.pictures = 7;
    ck_assert_uint_eq(wvl_cli_choose_workers(&batch, 0), 7);
    args.pictures = 0;
    args.trace = "trace.json"; /* of one picture after the other */
    ck_assert_uint_eq(wvl_cli_choose_workers(&batch, 0), 1);
    close_folder();
}
END_TEST

/* ---- Memory ---------------------------------------------------------------------------------- */

static atomic_int held, most_held, coding, ended, wrong;

static void change(int bytes)
{
    int now = atomic_fetch_add(&held, bytes) + bytes, before = atomic_load(&most_held);
    while (now > before && !atomic_compare_exchange_weak(&most_held, &before, now)) {
    }
}

/* Reads, encodes, and gives all back; every seventh piece wants to be the only one that encodes. */
static void work_with_memory(void *user, wvl_cli_turns *turns, size_t index)
{
    (void)user;
    wvl_cli_hold_samples(turns, index, SAMPLE_BYTES, MOST_BYTES);
    change(SAMPLE_BYTES);
    (void)usleep(index % 5 * 20);
    wvl_cli_begin_coding(turns, index, CODING_BYTES, MOST_BYTES);
    change(CODING_BYTES);
    atomic_fetch_add(&coding, 1);
    (void)usleep(index % 3 * 50);
    if (index % 7 == 0) {
        atomic_fetch_sub(&coding, 1);
        wvl_cli_code_alone(turns);
        wrong += atomic_fetch_add(&coding, 1) != 0;
        (void)usleep(100);
        wrong += atomic_load(&coding) != 1;
    }
    atomic_fetch_sub(&coding, 1);
    change(-CODING_BYTES);
    wvl_cli_end_coding(turns, CODING_BYTES);
    wvl_cli_take_turn(turns, index);
    change(-SAMPLE_BYTES);
    wvl_cli_drop_samples(turns, SAMPLE_BYTES);
    atomic_fetch_add(&ended, 1);
}

/* The first piece that has not ended may go beyond the limit by what it takes, when no other encodes. */
START_TEST(memory_has_a_limit)
{
    wvl_cli_run_turns(PIECES, WORKERS, _i ? WORKERS : 0, work_with_memory, NULL);
    ck_assert_int_eq(ended, PIECES);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(held, 0);
    ck_assert_int_ge(most_held, MOST_BYTES - SAMPLE_BYTES);
    ck_assert_int_le(most_held, MOST_BYTES + SAMPLE_BYTES + CODING_BYTES);
}
END_TEST

/* No piece fits: one after the other. */
static void work_with_much(void *user, wvl_cli_turns *turns, size_t index)
{
    (void)user;
    wvl_cli_hold_samples(turns, index, MOST_BYTES + 1, MOST_BYTES);
    wvl_cli_begin_coding(turns, index, UINT64_MAX / 2, MOST_BYTES);
    wrong += atomic_fetch_add(&coding, 1) != 0;
    (void)usleep(50);
    atomic_fetch_sub(&coding, 1);
    wvl_cli_end_coding(turns, UINT64_MAX / 2);
    wvl_cli_drop_samples(turns, MOST_BYTES + 1);
    atomic_fetch_add(&ended, 1);
}

START_TEST(one_after_the_other)
{
    wvl_cli_run_turns(PIECES, WORKERS, _i ? WORKERS : 0, work_with_much, NULL);
    ck_assert_int_eq(ended, PIECES);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

/* The first piece takes long: it waits until some others are done, which wait for its turn. No more are at work at a
 * time than there are workers, and all tell in their order. */
enum { AHEAD = 5, AT_WORK = 2 };
static atomic_int at_work, done, told;

static void work_ahead(void *user, wvl_cli_turns *turns, size_t index)
{
    (void)user;
    wrong += atomic_fetch_add(&at_work, 1) >= AT_WORK;
    for (int i = 0; i < 50000 && !index && atomic_load(&done) < AHEAD; i++) {
        (void)usleep(100);
    }
    wrong += !index && atomic_load(&done) < AHEAD;
    atomic_fetch_add(&done, 1);
    atomic_fetch_sub(&at_work, 1);
    wvl_cli_take_turn(turns, index);
    wrong += atomic_fetch_add(&told, 1) != (int)index;
}

START_TEST(others_go_on)
{
    wvl_cli_run_turns(PIECES, AT_WORK, AHEAD, work_ahead, NULL);
    ck_assert_int_eq(told, PIECES);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Samples are held before they are read. */
static void read_picture(void *user, wvl_cli_turns *turns, size_t index)
{
    const char *input = user;
    wvl_cli_job j = wvl_cli_describe_job(&batch, &input, 1, NULL);
    j.turns = turns;
    j.turn = index;
    wrong += wvl_cli_read_and_plan(&j) != WVL_EXIT_OK;
    wrong += j.sample_bytes != 7 * 5 * 3;
    wvl_cli_release_job(&j);
    wvl_cli_drop_samples(turns, j.sample_bytes);
    atomic_fetch_add(&ended, 1);
}

START_TEST(samples_are_held)
{
    char name[] = "/tmp/turns-XXXXXX", pixels[7 * 5 * 3] = {0};
    int file = mkstemp(name);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, "P6\n7 5\n255\n", 11), 11);
    ck_assert_int_eq(write(file, pixels, sizeof pixels), sizeof pixels);
    memset(&args, 0, sizeof args);
    memset(&batch, 0, sizeof batch);
    args.image_dir = "/tmp";
    args.dry_run = 1;
    args.subsampling[0] = args.subsampling[1] = 1;
    batch.args = &args;
    batch.out = stdout;
    ck_assert_int_eq(wvl_cli_open_batch(&batch), WVL_EXIT_OK);
    wvl_cli_run_turns(4, 2, 1, read_picture, name);
    ck_assert_int_eq(ended, 4);
    ck_assert_int_eq(wrong, 0);
    wvl_cli_close_batch(&batch);
    (void)close(file);
    (void)unlink(name);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("turns");
    TCase *tests = tcase_create("turns");
    tcase_add_test(tests, small_files);
    tcase_add_test(tests, few_threads);
    tcase_add_test(tests, asked_for);
    tcase_add_loop_test(tests, memory_has_a_limit, 0, 2);
    tcase_add_loop_test(tests, one_after_the_other, 0, 2);
    tcase_add_test(tests, others_go_on);
    tcase_add_test(tests, samples_are_held);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
