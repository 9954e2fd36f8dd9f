/* SPDX-License-Identifier: BSD-2-Clause */
/* The guard: a child serves many calls, and whatever ends it ends nothing else. */
#define _GNU_SOURCE
#include "tests/support/support.h"
#include "tools/guard/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITS_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIMITS_MEMORY 0
#endif
#endif
#ifndef LIMITS_MEMORY
#define LIMITS_MEMORY 1
#endif

/* ---- In the child ---------------------------------------------------------------------------- */

/* The input backwards, and the length as text. */
static int turn(wvl_guard_call *call)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", call->input_bytes);
    wvl_guard_tell(7, text);
    for (size_t i = call->input_bytes; i > 0; i--) {
        if (wvl_guard_write(call, &call->input[i - 1], 1) != 0) {
            return -1;
        }
    }
    return 5;
}

static int tell_pid(wvl_guard_call *call)
{
    (void)call;
    return (int)getpid();
}

static int end_by(wvl_guard_call *call)
{
    const int *signal_number = call->parameters;
    (void)signal(*signal_number, SIG_DFL);
    (void)raise(*signal_number);
    _exit(0);
}

static int loop(wvl_guard_call *call)
{
    volatile unsigned turns = 0;
    (void)call;
    wvl_guard_limit(UINT64_C(1) << 30, 0);
    while (turns + 1 != 0) {
        turns += 2;
    }
    return 0;
}

static int take_memory(wvl_guard_call *call)
{
    (void)call;
    wvl_guard_limit(UINT64_C(64) << 20, 60);
    char *volatile block = malloc((size_t)256 << 20);
    int error = errno, result = !block;
    free(block);
    errno = error;
    return result;
}

static int count_open_files(wvl_guard_call *call)
{
    int count = 0;
    (void)call;
    for (int fd = 0; fd < 256; fd++) {
        int copy = dup(fd);
        count += copy >= 0;
        (void)close(copy);
    }
    return count;
}

static const wvl_guard_service services[] = {{"turn", turn}, {"pid", tell_pid},       {"end", end_by},
                                             {"loop", loop}, {"memory", take_memory}, {"files", count_open_files}};

/* ---- In the parent --------------------------------------------------------------------------- */

static void keep(int kind, const char *text, void *user) { snprintf(user, 64, "%d %s", kind, text); }

static wvl_guard_answer ask(const char *service)
{
    const wvl_guard_job job = {.service = service};
    wvl_guard_answer answer;
    wvl_guard_run(&job, &answer);
    return answer;
}

static int pid_of_child(void)
{
    wvl_guard_answer answer = ask("pid");
    ck_assert_int_eq(answer.outcome, WVL_GUARD_DONE);
    wvl_guard_release(&answer);
    return answer.status;
}

TEST(input_and_output)
{
    static const uint8_t input[] = "abc";
    char heard[64] = "", output[4] = "";
    const wvl_guard_job job = {.service = "turn", .input = input, .input_bytes = 3, .hear = keep, .user = heard};
    for (int i = 0; i < 3; i++) {
        wvl_guard_answer answer;
        wvl_guard_run(&job, &answer);
        ck_assert_int_eq(answer.outcome, WVL_GUARD_DONE);
        ck_assert_int_eq(answer.status, 5);
        ck_assert_str_eq(heard, "7 3");
        ck_assert_uint_eq(answer.output_bytes, 3);
        ck_assert_int_eq(wvl_guard_read(&answer, 0, output, 3), 0);
        ck_assert_str_eq(output, "cba");
        ck_assert_int_eq(wvl_guard_read(&answer, 1, output, 3), -1);
        ck_assert_int_eq(wvl_guard_read(&answer, UINT64_MAX, output, 1), -1);
        wvl_guard_release(&answer);
    }
}

TEST(a_child_serves_many_calls)
{
    int first = pid_of_child();
    ck_assert_int_ne(first, (int)getpid());
    ck_assert_int_eq(pid_of_child(), first);
    ck_assert_int_eq(kill((pid_t)first, SIGKILL), 0); /* while it is idle */
    for (int i = 0; i < 200 && kill((pid_t)first, 0) == 0; i++) {
        (void)usleep(1000); /* a zombie until the next call; its socket closes before */
    }
    int second = pid_of_child();
    ck_assert_int_ne(second, first);
}

TEST(what_ends_a_child)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGFPE, SIGKILL};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        const wvl_guard_job job = {.service = "end", .parameters = &signals[i], .parameter_bytes = sizeof signals[i]};
        wvl_guard_answer answer;
        wvl_guard_run(&job, &answer);
        ck_assert_int_eq(answer.outcome, signals[i] == SIGKILL ? WVL_GUARD_KILLED : WVL_GUARD_ENDED);
        ck_assert_int_eq(answer.signal, signals[i]);
        wvl_guard_release(&answer);
        (void)pid_of_child(); /* there is another one */
    }
}

TEST(time_ends)
{
    wvl_guard_answer answer = ask("loop");
    ck_assert_int_eq(answer.outcome, WVL_GUARD_SLOW);
    wvl_guard_release(&answer);
    (void)pid_of_child();
}

TEST_EACH(memory_ends, LIMITS_MEMORY)
{
    wvl_guard_answer answer = ask("memory");
    ck_assert_int_eq(answer.outcome, WVL_GUARD_DONE);
    ck_assert_int_eq(answer.status, 1);
    ck_assert_int_eq(answer.error, ENOMEM);
    ck_assert_int_eq(answer.is_bounded, 1);
    wvl_guard_release(&answer);
    answer = ask("pid"); /* the limit was of that call */
    ck_assert_int_eq(answer.is_bounded, 0);
    wvl_guard_release(&answer);
}

TEST(files_stay_here)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0); /* not closed by exec */
    wvl_guard_answer answer = ask("files");
    ck_assert_int_eq(answer.status, 6); /* three of every program, and three channels */
    wvl_guard_release(&answer);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void *ask_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        wvl_guard_answer answer = ask("pid");
        if (answer.outcome != WVL_GUARD_DONE) {
            abort();
        }
        wvl_guard_release(&answer);
    }
    return NULL;
}

TEST(threads)
{
    pthread_t all[4];
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&all[i], NULL, ask_often, NULL), 0);
    }
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(all[i], NULL), 0);
    }
}

TEST(no_child)
{
    wvl_guard_use_program("/nonexistent");
    wvl_guard_answer answer = ask("pid");
    ck_assert_int_eq(answer.outcome, WVL_GUARD_ABSENT);
    wvl_guard_release(&answer);
    wvl_guard_use_program("/bin/true"); /* ends before it serves */
    answer = ask("pid");
    ck_assert_int_eq(answer.outcome, WVL_GUARD_ABSENT);
}

int main(int argc, char **argv)
{
    (void)argc;
    wvl_guard_enter(argv, services, sizeof services / sizeof services[0]);
    return test_run_suite("guard");
}
