/* SPDX-License-Identifier: BSD-2-Clause */
/* Context: options, log, cancel tokens, and what a failed allocation does to everything that lives on it. */
#include <sched.h>

#include "base/context.h"
#include "base/cpu.h"
#include "params/params.h"
#include "tests/fault/ledger.h"

/* ---- Faults ---------------------------------------------------------------------------------- */

/* One life of everything; memory errors are passed up, anything else is a failure. */
static wvl_status live_once(const wvl_context_options *options)
{
    static const char *const settings[][2] = {
        {"rates", "40,20,10"}, {"comment", "a"}, {"comment", "b"}, {"layer-bytes", "1,2,3,4,5,6,7,8,9,10,11"}};
    wvl_context *c = NULL;
    owned_params *p = NULL, *copy = NULL;
    wvl_cancel *cancel = NULL;
    wvl_status status = wvl_context_create(options, &c);
    status = status ? status : wvl_cancel_create(c, &cancel);
    status = status ? status : wvl_params_create(c, &p);
    for (size_t i = 0; !status && i < sizeof settings / sizeof settings[0]; i++) {
        status = wvl_params_set(p, settings[i][0], settings[i][1]);
    }
    status = status ? status : wvl_params_clone(p, &copy);
    if (!status && !wvl_params_get(copy, "layer-bytes")) {
        status = WVL_ERROR_MEMORY;
    }
    wvl_context_release(c); /* first on purpose: the others keep it alive */
    wvl_cancel_release(cancel);
    return status;
}

TEST(every_failed_allocation_is_reported_and_leaks_nothing)
{
    uint32_t n = 1, done_without = 0;
    for (;; n++) {
        owned_ledger l;
        ledger_open(&l);
        l.fail_at = n;
        wvl_context_options options = {.struct_size = sizeof options, .threads = 1, .host = ledger_allocator(&l)};
        wvl_status status = live_once(&options);
        if (l.calls < n) {
            ck_assert_int_eq(status, WVL_OK);
            break;
        }
        done_without += status == WVL_OK;
        ck_assert(status == WVL_OK || status == WVL_ERROR_MEMORY);
    }
    ck_assert_uint_gt(n, 10);
    ck_assert_uint_le(done_without, 1); /* the list of worker threads: work goes on without them */
}

/* ---- Context --------------------------------------------------------------------------------- */

static void run_serially(void *user, uint32_t count, wvl_task_fn task, void *arg)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++) {
        task(arg, i, 0);
    }
}

TEST(context_options_are_checked)
{
    wvl_context *c;
    wvl_context_options options = {.struct_size = sizeof options, .threads = 3};
    ck_assert_int_eq(wvl_context_create(&options, &c), WVL_OK);
    ck_assert_uint_eq(wvl_context_threads(c), 3);
    wvl_context_release(c);
    options.runner = (wvl_runner){run_serially, NULL, 5};
    ck_assert_int_eq(wvl_context_create(&options, &c), WVL_OK);
    ck_assert_uint_eq(wvl_context_threads(c), 5);
    wvl_context_release(c);
    options.runner.concurrency = 0;
    ck_assert_int_eq(wvl_context_create(&options, &c), WVL_ERROR_ARGUMENT);
    ck_assert_ptr_null(c);
    options.struct_size = offsetof(wvl_context_options, runner); /* shorter than in 0.2.0 */
    ck_assert_int_eq(wvl_context_create(&options, &c), WVL_ERROR_ARGUMENT);
    options = (wvl_context_options){.struct_size = 0};
    ck_assert_int_eq(wvl_context_create(&options, &c), WVL_ERROR_ARGUMENT);
    options = (wvl_context_options){.struct_size = sizeof options, .threads = 1025};
    ck_assert_int_eq(wvl_context_create(&options, &c), WVL_ERROR_ARGUMENT);
    options = (wvl_context_options){.struct_size = sizeof options, .host = {ledger_allocate, NULL, NULL}};
    ck_assert_int_eq(wvl_context_create(&options, &c), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(wvl_context_create(NULL, &c), WVL_OK);
    ck_assert_uint_ge(wvl_context_threads(c), 1);
    wvl_context_release(c);
}

static void keep_log(void *user, wvl_log_level level, const char *text)
{
    (void)level;
    strcat(user, text);
}

TEST(context_log_and_errors)
{
    char log[256] = "";
    owned_context *c = NULL;
    wvl_context_options options = {
        .struct_size = sizeof options, .threads = 1, .log = keep_log, .log_user = log, .log_level = WVL_LOG_WARNING};
    ck_assert_int_eq(wvl_context_create(&options, &c), WVL_OK);
    wvl_context_log(c, WVL_LOG_INFO, "hidden");
    wvl_context_log(c, WVL_LOG_WARNING, "seen %d", 7);
    ck_assert_str_eq(log, "seen 7");
    ck_assert_str_eq(wvl_context_error(c), "");
    wvl_context_add_error(c, "first %s", "line");
    wvl_context_add_error(c, "second");
    ck_assert_str_eq(wvl_context_error(c), "first line\nsecond");
    for (int i = 0; i < 100; i++) {
        wvl_context_add_error(c, "component %d: something is wrong with it", i);
    }
    ck_assert_ptr_nonnull(strstr(wvl_context_error(c), "component 99:"));
    wvl_context_clear_error(c);
    ck_assert_str_eq(wvl_context_error(c), "");
}

TEST(cancel_tokens)
{
    wvl_context *c;
    wvl_cancel *cancel;
    ck_assert_int_eq(wvl_context_create(NULL, &c), WVL_OK);
    ck_assert_int_eq(wvl_cancel_create(c, &cancel), WVL_OK);
    wvl_context_release(c); /* the token keeps it */
    ck_assert_int_eq(wvl_cancel_is_raised(cancel), 0);
    wvl_cancel_raise(cancel);
    ck_assert_int_eq(wvl_cancel_is_raised(cancel), 1);
    wvl_cancel_release(cancel);
    ck_assert_int_eq(wvl_cancel_is_raised(NULL), 0);
}

TEST(texts)
{
    int major = -1, minor = -1, patch = -1;
    for (int status = -12; status < 6; status++) {
        ck_assert_uint_gt(strlen(wvl_status_text((wvl_status)status)), 0);
    }
    ck_assert_str_eq(wvl_status_text(WVL_ERROR_SINK), "the output refused bytes");
    wvl_version(&major, &minor, &patch);
    ck_assert_int_eq(major, WVL_VERSION_MAJOR);
    ck_assert_int_eq(minor, WVL_VERSION_MINOR);
    ck_assert_int_eq(patch, WVL_VERSION_PATCH);
    ck_assert_ptr_nonnull(strstr(wvl_build_text(), "wavelane "));
    ck_assert_ptr_nonnull(strstr(wvl_build_text(), "CUDA"));
}

/* ---- Whom the workers help ------------------------------------------------------------------- */

static _Atomic int gate_is_open, held, order_count;
static const void *order[3];

typedef struct ranked_run {
    wvl_pool *pool;
    uint64_t rank;
    _Atomic int begun;
} ranked_run;

/* The caller of a run waits at the gate, so that its second task is for the pool's worker. */
static void hold_caller(void *arg, uint32_t index, uint32_t worker)
{
    ranked_run *run = arg;
    (void)index;
    if (worker == 0 || run->rank == 0) {
        run->begun = 1;
        while (!atomic_load(worker == 0 ? &gate_is_open : &held)) {
            sched_yield();
        }
    } else {
        order[order_count++] = run;
    }
    gate_is_open |= order_count == 3;
}

static void *start_run(void *arg)
{
    ranked_run *run = arg;
    wvl_pool_run_ranked(run->pool, run->rank, 2, hold_caller, run);
    return NULL;
}

/* Three runs of other ranks come while the only worker is held in one: it then helps by rank, and by age within a rank.
 */
TEST(workers_help_by_rank)
{
    static const uint64_t ranks[4] = {0, 9, 7, 9};
    pthread_t threads[4];
    ranked_run runs[4];
    wvl_pool *pool = wvl_pool_create(NULL, 2, NULL);
    ck_assert_ptr_nonnull(pool);
    for (unsigned i = 0; i < 4; i++) {
        runs[i] = (ranked_run){pool, ranks[i], 0};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, start_run, &runs[i]), 0);
        while (!runs[i].begun) {
            sched_yield();
        }
    }
    held = 1;
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
    wvl_pool_destroy(pool);
    ck_assert_int_eq(order_count, 3);
    ck_assert(order[0] == &runs[2] && order[1] == &runs[1] && order[2] == &runs[3]);
}

/* CPUID is read by hand; gcc and clang know the same by their own functions. */
TEST(processor_level)
{
#if defined(WVL_HAVE_AVX2) && defined(__GNUC__)
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
                 __builtin_cpu_supports("avx512vbmi2");
    wvl_cpu_level widest = avx512 ? WVL_CPU_AVX512 : WVL_CPU_AVX2;
    ck_assert_int_eq(unsetenv("WVL_SIMD"), 0);
    ck_assert_int_eq(wvl_cpu_fetch_level(), avx2 ? widest : WVL_CPU_C);
    ck_assert_int_eq(wvl_cpu_has_fast_pext(), !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2"));
#endif
}

TEST(limit_of_level)
{
    wvl_cpu_level highest = wvl_cpu_fetch_level();
    for (unsigned level = WVL_CPU_C; level <= WVL_CPU_NEON; level++) {
        int is_there = wvl_cpu_has_level((wvl_cpu_level)level);
        ck_assert_int_eq(is_there && level > (unsigned)highest, 0);
        ck_assert_int_eq(!is_there && (level == WVL_CPU_C || level == (unsigned)highest), 0);
    }
    ck_assert_int_ne(wvl_cpu_limit_level(highest == WVL_CPU_NEON ? WVL_CPU_AVX2 : WVL_CPU_NEON), 0);
    ck_assert_int_eq(wvl_cpu_fetch_level(), highest);
    ck_assert_int_eq(wvl_cpu_limit_level(WVL_CPU_C), 0);
    ck_assert_int_eq(wvl_cpu_fetch_level(), WVL_CPU_C);
    ck_assert_int_eq(wvl_cpu_has_level(WVL_CPU_AVX2) || wvl_cpu_has_level(WVL_CPU_NEON), 0);
}

TEST_MAIN("context")
