/* SPDX-License-Identifier: BSD-2-Clause */
/* How many pictures of a folder are in work at a time, where nothing says it. */
#include <check.h>
#include <string.h>

#include "tools/wavelane/job.h"

enum { FILES = 3 };

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

int main(void)
{
    Suite *suite = suite_create("turns");
    TCase *tests = tcase_create("turns");
    tcase_add_test(tests, small_files);
    tcase_add_test(tests, few_threads);
    tcase_add_test(tests, asked_for);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
