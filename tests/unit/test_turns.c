/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of a folder beside each other: how many are in work at a time, where nothing says it, and what they hold. */
#define _GNU_SOURCE /* usleep */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tools/wavelane/work.h"

enum { PIECES = 200, WORKERS = 8, SAMPLE_BYTES = 3, CODING_BYTES = 4, MOST_BYTES = 10 };

/* A function of wvl_cli_pieces; most use not all of what they are given. */
#define UNUSED __attribute__((unused))
#define PIECE(name) static void name(UNUSED void *user, UNUSED wvl_cli_turns *turns, size_t index, UNUSED void *piece)

static wvl_cli_args args;
static wvl_cli_run run;

static void open_run(uint32_t threads, const char *device)
{
    const wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    memset(&args, 0, sizeof args);
    memset(&run, 0, sizeof run);
    run.args = &args;
    ck_assert_int_eq(wvl_context_create(&options, &run.context), WVL_OK);
    ck_assert_int_eq(wvl_params_create(run.context, &run.params), WVL_OK);
    ck_assert_int_eq(wvl_params_set(run.params, "device", device), WVL_OK);
}

static void close_run(void)
{
    wvl_params_release(run.params);
    wvl_context_release(run.context);
}

/* How `count` files of `bytes` bytes are encoded: workers, those with a thread of their own, on a device. */
static void expect_work(uint64_t count, uint64_t bytes, size_t workers, size_t singles, int on_device)
{
    wvl_cli_load load = {count, count < 1000 ? count * bytes : WVL_CLI_UNKNOWN_COUNT, bytes};
    wvl_cli_work work = wvl_cli_plan_work(&run, &load);
    ck_assert_msg(work.workers == workers && work.single_count == singles && work.on_device == on_device,
                  "%llu files: %zu workers, %zu by themselves, device %d", (unsigned long long)count, work.workers,
                  work.single_count, work.on_device);
}

TEST(few_files)
{
    open_run(40, "cpu");
    expect_work(3, UINT64_C(16) << 20, 16, 0, 0);
    expect_work(3, (UINT64_C(16) << 20) + 1, 4, 0, 0); /* not small */
    close_run();
    open_run(3, "cpu");
    expect_work(2, 1000, 3, 0, 0);
    close_run();
}

/* As long as there is a file for each thread. The last round is shared unless it is nearly full. */
TEST(many_files)
{
    open_run(8, "cpu");
    expect_work(8, 1000, 8, 8, 0);
    expect_work(9, 1000, 8, 8, 0);
    expect_work(15, 1000, 8, 15, 0);
    expect_work(7, 1000, 8, 7, 0);
    expect_work(WVL_CLI_UNKNOWN_COUNT, 1000, 8, SIZE_MAX, 0);
    expect_work(100, wvl_cli_share_of_memory() / 8, 4, 0, 0); /* too large to be held side by side */
    args.pictures = 7;
    expect_work(100, 1000, 7, 0, 0);
    args.pictures = 9;
    expect_work(100, 1000, 9, 99, 0);
    args.pictures = 0;
    args.trace = "trace.json"; /* of one picture after the other */
    expect_work(100, 1000, 1, 0, 0);
    close_run();
}

TEST(on_a_device)
{
    open_run(8, "cuda:1");
    expect_work(100, 1000, 20, 0, 1);
    expect_work(1, 1000, 8, 0, 0); /* one picture is encoded by itself */
    args.pictures = 5;
    expect_work(100, 1000, 5, 0, 1);
    args.pictures = 0;
    args.dry_run = 1; /* it says what the run would do */
    expect_work(100, 1000, 20, 0, 1);
    close_run();
    open_run(8, "auto");
    expect_work(100, 1000, 8, 96, 0); /* too little for a device */
    close_run();
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static atomic_int held, most_held, coding, ended, wrong;

/* Runs the pieces, and counts them in `number`. */
static void run_pieces(const wvl_cli_pieces *pieces, size_t workers, size_t ahead, const atomic_int *number, int count)
{
    ck_assert_int_eq(wvl_cli_run_turns(pieces, workers, ahead), 1);
    ck_assert_int_eq(*number, count);
    ck_assert_int_eq(wrong, 0);
}

static void change(int bytes)
{
    int now = atomic_fetch_add(&held, bytes) + bytes, before = atomic_load(&most_held);
    while (now > before && !atomic_compare_exchange_weak(&most_held, &before, now)) {
    }
}

/* Every seventh piece wants to be the only one that encodes. */
static int code_piece(void *user, int is_alone)
{
    size_t index = *(const size_t *)user;
    change(is_alone ? 0 : CODING_BYTES);
    int others = atomic_fetch_add(&coding, 1);
    wrong += is_alone && (others || index % 7);
    (void)usleep(is_alone ? 100 : index % 3 * 50);
    wrong += is_alone && atomic_load(&coding) != 1;
    atomic_fetch_sub(&coding, 1);
    int is_again = !is_alone && index % 7 == 0;
    change(is_again ? 0 : -CODING_BYTES);
    return is_again;
}

/* Reads, encodes, and gives all back. */
PIECE(work_with_memory)
{
    wvl_cli_hold_samples(turns, index, SAMPLE_BYTES, MOST_BYTES);
    change(SAMPLE_BYTES);
    (void)usleep(index % 5 * 20);
    wvl_cli_code_piece(turns, index, CODING_BYTES, MOST_BYTES, code_piece, &index);
    change(-SAMPLE_BYTES);
    wvl_cli_drop_samples(turns, SAMPLE_BYTES);
    atomic_fetch_add(&ended, 1);
}

/* The first piece that is not told may go beyond the limit by what it takes, when no other encodes. */
TEST_EACH(memory_has_a_limit, 2)
{
    const wvl_cli_pieces pieces = {.count = PIECES, .work = work_with_memory};
    run_pieces(&pieces, WORKERS, _i ? WORKERS : 0, &ended, PIECES);
    ck_assert_int_eq(held, 0);
    ck_assert_int_ge(most_held, MOST_BYTES - SAMPLE_BYTES);
    ck_assert_int_le(most_held, MOST_BYTES + SAMPLE_BYTES + CODING_BYTES);
}

static int code_much(UNUSED void *user, UNUSED int is_alone)
{
    wrong += atomic_fetch_add(&coding, 1) != 0;
    (void)usleep(50);
    atomic_fetch_sub(&coding, 1);
    return 0;
}

/* No piece fits: one after the other. */
PIECE(work_with_much)
{
    wvl_cli_hold_samples(turns, index, MOST_BYTES + 1, MOST_BYTES);
    wvl_cli_code_piece(turns, index, UINT64_MAX / 2, MOST_BYTES, code_much, NULL);
    wvl_cli_drop_samples(turns, MOST_BYTES + 1);
    atomic_fetch_add(&ended, 1);
}

TEST_EACH(one_after_the_other, 2)
{
    const wvl_cli_pieces pieces = {.count = PIECES, .work = work_with_much};
    run_pieces(&pieces, WORKERS, _i ? WORKERS : 0, &ended, PIECES);
}

/* Samples are held before they are read. */
PIECE(read_picture)
{
    const char *input = user;
    wvl_cli_job j = wvl_cli_describe_job(&run, &input, 1, NULL);
    j.turns = turns;
    j.turn = index;
    wrong += wvl_cli_read_and_plan(&j) != WVL_EXIT_OK;
    wrong += j.sample_bytes != 7 * 5 * 3;
    wvl_cli_release_job(&j);
    wvl_cli_drop_samples(turns, j.sample_bytes);
    atomic_fetch_add(&ended, 1);
}

/* A run of pictures of 7x5 whose file gets this name. */
static void open_pictures(char *name)
{
    const char pixels[7 * 5 * 3] = {0};
    int file = mkstemp(name);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, "P6\n7 5\n255\n", 11), 11);
    ck_assert_int_eq(write(file, pixels, sizeof pixels), sizeof pixels);
    (void)close(file);
    memset(&args, 0, sizeof args);
    memset(&run, 0, sizeof run);
    args.image_dir = "/tmp";
    args.dry_run = 1;
    args.subsampling[0] = args.subsampling[1] = 1;
    run.args = &args;
    run.out = stdout;
    ck_assert_int_eq(wvl_cli_open_run(&run), WVL_EXIT_OK);
}

TEST(samples_are_held)
{
    char name[] = "/tmp/turns-XXXXXX";
    const wvl_cli_pieces pieces = {.count = 4, .work = read_picture, .user = name};
    open_pictures(name);
    run_pieces(&pieces, 2, 1, &ended, 4);
    wvl_cli_close_run(&run);
    (void)unlink(name);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static wvl_cli_job plan_picture(const char *const *input, wvl_context *context)
{
    wvl_cli_job j = wvl_cli_describe_job(&run, input, 1, NULL);
    j.context = context;
    ck_assert_int_eq(wvl_cli_read_and_plan(&j), WVL_EXIT_OK);
    ck_assert_ptr_nonnull(j.plan);
    return j;
}

/* Pictures that are alike have one plan; one of another context has its own. */
TEST(plans_are_shared)
{
    char name[] = "/tmp/turns-XXXXXX";
    const char *input = name;
    wvl_cli_plans plans = {0};
    open_pictures(name);
    wvl_context *single = wvl_cli_open_single(&run);
    ck_assert_int_eq(wvl_cli_may_share_plans(&args, run.params), 1);
    run.plans = &plans;
    wvl_cli_job jobs[] = {plan_picture(&input, run.context), plan_picture(&input, single),
                          plan_picture(&input, run.context)};
    ck_assert_ptr_eq(jobs[0].plan, plans.plan);
    ck_assert_ptr_ne(jobs[1].plan, plans.plan);
    ck_assert_ptr_eq(jobs[2].plan, plans.plan);
    for (int i = 0; i < 3; i++) {
        wvl_cli_release_job(&jobs[i]);
    }
    wvl_cli_release_plans(&plans);
    args.auto_color = 1;
    ck_assert_int_eq(wvl_cli_may_share_plans(&args, run.params), 0);
    wvl_context_release(single);
    wvl_cli_close_run(&run);
    (void)unlink(name);
}

/* A plan that gives a warning is not shared: every picture gives it, also the second time in one thread. */
TEST(plans_with_warnings)
{
    char name[] = "/tmp/turns-XXXXXX";
    const char *input = name;
    wvl_cli_plans plans = {0};
    open_pictures(name);
    ck_assert_int_eq(wvl_params_set(run.params, "roi", "c=1,U=1"), WVL_OK);
    ck_assert_int_eq(wvl_params_set(run.params, "bpp", "200"), WVL_OK);
    run.plans = &plans;
    wvl_cli_set_verbosity(-1);
    for (size_t i = 1; i <= 2; i++) {
        wvl_cli_job j = plan_picture(&input, run.context);
        ck_assert_uint_eq(wvl_cli_count_warnings(), i);
        ck_assert_ptr_null(plans.plan);
        wvl_cli_release_job(&j);
    }
    wvl_cli_set_verbosity(0);
    wvl_cli_clear_warnings();
    ck_assert_uint_eq(wvl_cli_count_warnings(), 0);
    wvl_cli_close_run(&run);
    (void)unlink(name);
}

/* ---- Turns ----------------------------------------------------------------------------------- */

enum { AHEAD = 5, AT_WORK = 3 };

static atomic_int begun, at_work, done, told, telling, most_begun;

/* Waits until the number is that large; 0: in vain. */
static int await(atomic_int *number, int least)
{
    for (int i = 0; i < 50000 && atomic_load(number) < least; i++) {
        (void)usleep(100);
    }
    return atomic_load(number) >= least;
}

static void begin(void)
{
    int now = atomic_fetch_add(&begun, 1) + 1 - atomic_load(&told), before = atomic_load(&most_begun);
    while (now > before && !atomic_compare_exchange_weak(&most_begun, &before, now)) {
    }
    wrong += atomic_fetch_add(&at_work, 1) >= AT_WORK;
}

static void end(void)
{
    atomic_fetch_sub(&at_work, 1);
    atomic_fetch_add(&done, 1);
}

/* In order, one at a time, with what its work has left. */
PIECE(tell_number)
{
    wrong += atomic_fetch_add(&telling, 1) != 0;
    wrong += *(size_t *)piece != index + 1;
    wrong += atomic_load(&told) != (int)index;
    (void)usleep(index % 4 * 20);
    atomic_fetch_sub(&telling, 1);
    atomic_fetch_add(&told, 1);
}

/* The first piece takes until all others that may be begun are done: their threads wait for nothing. */
PIECE(work_ahead)
{
    size_t *number = piece;
    begin();
    wrong += *number != 0;
    if (!index) {
        wrong += !await(&done, AT_WORK + AHEAD - 1);
        (void)usleep(5000); /* no more are begun */
        wrong += atomic_load(&begun) != AT_WORK + AHEAD || atomic_load(&told) != 0;
    }
    (void)usleep(index * 7 % 5 * 20);
    *number = index + 1;
    end();
}

TEST(others_go_on)
{
    const wvl_cli_pieces pieces = {.count = PIECES, .bytes = sizeof(size_t), .work = work_ahead, .tell = tell_number};
    run_pieces(&pieces, AT_WORK, AHEAD, &told, PIECES);
    ck_assert_int_eq(most_begun, AT_WORK + AHEAD);
}

/* The same pieces in one thread: each is told before the next one begins. */
PIECE(work_alone)
{
    wrong += atomic_load(&told) != (int)index;
    *(size_t *)piece = index + 1;
}

TEST(one_thread)
{
    const wvl_cli_pieces pieces = {.count = PIECES, .bytes = sizeof(size_t), .work = work_alone, .tell = tell_number};
    run_pieces(&pieces, 1, AHEAD, &told, PIECES);
}

TEST(no_pieces)
{
    const wvl_cli_pieces none = {.work = work_alone};
    ck_assert_int_eq(wvl_cli_run_turns(&none, AT_WORK, AHEAD), 1);
}

/* A thread that tells goes on to what others have done meanwhile, and they go on with other pieces: when both are at
 * work on later ones, the first AHEAD are done. */
static pthread_t teller;

PIECE(work_behind)
{
    begin();
    wrong += index && !await(index < AHEAD ? &telling : &told, index < AHEAD ? 1 : AHEAD);
    end();
}

PIECE(tell_slowly)
{
    if (!index) {
        teller = pthread_self();
        atomic_fetch_add(&telling, 1);
        wrong += !await(&begun, AHEAD + AT_WORK - 1);
    }
    wrong += index < AHEAD && !pthread_equal(teller, pthread_self());
    wrong += atomic_fetch_add(&told, 1) != (int)index;
}

TEST(teller_goes_on)
{
    const wvl_cli_pieces pieces = {.count = PIECES, .work = work_behind, .tell = tell_slowly};
    run_pieces(&pieces, AT_WORK, AHEAD, &told, PIECES);
}

/* Pieces wait to be told when the first one stops: none is begun any more, and all that are begun are told. */
PIECE(work_before_stop)
{
    begin();
    wrong += !index && !await(&done, AT_WORK + AHEAD - 1);
    *(size_t *)piece = index + 1;
    end();
}

PIECE(tell_stop)
{
    if (!index) {
        wvl_cli_stop_turns(turns);
    }
    tell_number(user, turns, index, piece);
}

TEST(stop_while_pieces_wait)
{
    const wvl_cli_pieces pieces = {
        .count = PIECES, .bytes = sizeof(size_t), .work = work_before_stop, .tell = tell_stop};
    run_pieces(&pieces, AT_WORK, AHEAD, &told, AT_WORK + AHEAD);
    ck_assert_int_eq(begun, AT_WORK + AHEAD);
}

/* ---- Messages -------------------------------------------------------------------------------- */

enum { TALKERS = 40 };

/* With several threads, the first piece ends behind others, and one of those is told by another thread than its own. */
PIECE(work_and_talk)
{
    *(pthread_t *)piece = pthread_self();
    wvl_cli_error("work %zu", index);
    (void)usleep(index % 5 * 20);
    wvl_cli_warn("warning %zu", index);
    wvl_cli_warn_once("name", "once");
    atomic_fetch_add(&done, index != 0);
    wrong += !index && wvl_cli_count_workers(turns) > 1 && !await(&done, AT_WORK);
}

PIECE(tell_and_talk)
{
    char last[32], noted[64], text[64];
    snprintf(last, sizeof last, "work %zu", index);
    snprintf(noted, sizeof noted, "warning %zu\nonce\n", index);
    wvl_cli_copy_warnings(text, sizeof text);
    wrong += strcmp(wvl_cli_last_error(), last) != 0;
    wrong += strcmp(text, noted) != 0;
    *(int *)user += !pthread_equal(*(pthread_t *)piece, pthread_self());
    if (index == 1) {
        wvl_cli_forget_messages(0); /* they are never printed */
    }
    if (index != 2) { /* those of 2 are printed behind it */
        wvl_cli_tell_messages();
    }
    wvl_cli_error("told %zu", index);
    atomic_fetch_add(&told, 1);
}

static void check_lines(FILE *file, int are_held)
{
    char line[64], wanted[64];
    for (int i = 0; i < TALKERS; i++) {
        static const char *const lines[] = {"wavelane: work %d\n", "wavelane: warning: warning %d\n",
                                            "wavelane: warning: name: once\n", "wavelane: told %d\n"};
        for (int k = i == 1 && are_held ? 3 : 0; k < 4; k += k == 1 && i ? 2 : 1) {
            snprintf(wanted, sizeof wanted, lines[k], i);
            ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
            ck_assert_str_eq(line, wanted);
        }
    }
    ck_assert_ptr_null(fgets(line, sizeof line, file));
}

/* Lines of a piece stand together and in order, with one thread and with several. What the caller's thread has said
 * stays its own. */
TEST_EACH(messages_go_with_pieces, 2)
{
    static int by_others;
    const size_t workers = _i ? AT_WORK : 1; /* one thread holds no messages */
    const wvl_cli_pieces pieces = {
        .count = TALKERS, .bytes = sizeof(pthread_t), .work = work_and_talk, .tell = tell_and_talk, .user = &by_others};
    FILE *file = tmpfile();
    int terminal = dup(STDERR_FILENO);
    char mine[32];
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
    wvl_cli_hold_messages();
    wvl_cli_warn("mine");
    int code = wvl_cli_run_turns(&pieces, workers, AHEAD);
    ck_assert_int_ge(dup2(terminal, STDERR_FILENO), 0);
    (void)close(terminal);
    ck_assert_int_eq(code, 1);
    ck_assert_int_eq(told, TALKERS);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(by_others > 0, workers > 1);
    ck_assert_uint_gt(wvl_cli_mark_messages(), 0);
    wvl_cli_copy_warnings(mine, sizeof mine);
    ck_assert_str_eq(mine, "mine\n");
    wvl_cli_forget_messages(0);
    wvl_cli_tell_messages();
    wvl_cli_clear_warnings();
    rewind(file);
    check_lines(file, workers > 1);
    (void)fclose(file);
}

TEST_MAIN("turns")
