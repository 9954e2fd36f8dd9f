/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals that end the command. A thread of its own waits for them, so that they work while every other thread reads a
 * pipe that stays silent, writes to one that nobody empties, or decodes. Work in progress is cancelled and gets GRACE
 * to end in order; then the process ends, whatever the others do.
 */
#define _GNU_SOURCE /* readlink of /proc, sigtimedwait */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define GRACE_NANOSECONDS 700000000 /* a signal ends the command within a second */
#define MOST_DESCRIPTORS 4096
#define RANDOM_LETTERS 6u /* at the end of a temporary name: ".NAME.xxxxxx" */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards token */
static wvl_cancel *volatile token;                       /* lives from the first arming to the end of the command */
static atomic_int interrupted;
static sigset_t signals;

/* ---- What a forced end would leave ----------------------------------------------------------- */

static int is_temporary_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    return base[0] == '.' && length > RANDOM_LETTERS + 2 && base[length - RANDOM_LETTERS - 1] == '.' &&
           strspn(base + length - RANDOM_LETTERS, "abcdefghijklmnopqrstuvwxyz0123456789") == RANDOM_LETTERS;
}

void wvl_cli_remove_temporaries(void)
{
    char name[40], path[PATH_MAX];
    for (int fd = STDERR_FILENO + 1; fd < MOST_DESCRIPTORS; fd++) {
        /* A descriptor that does not survive exec was opened by this process, not handed to it. */
        struct stat st;
        int flags = fcntl(fd, F_GETFD);
        if (flags < 0 || !((flags & FD_CLOEXEC)) || (fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY || fstat(fd, &st) ||
            !S_ISREG(st.st_mode)) {
            continue;
        }
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(name, path, sizeof path - 1);
        if (length > 0) {
            path[length] = '\0';
            if (is_temporary_name(path)) {
                (void)unlink(path);
            }
        }
    }
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* A second signal cuts the grace short. */
static void *watch(void *arg)
{
    const struct timespec grace = {0, GRACE_NANOSECONDS};
    int number;
    (void)arg;
    while (sigwait(&signals, &number)) {
    }
    atomic_store(&interrupted, 1);
    (void)pthread_mutex_lock(&lock);
    wvl_cancel *cancel = token;
    if (cancel) {
        wvl_cancel_raise(cancel);
    }
    (void)pthread_mutex_unlock(&lock);
    if (cancel != NULL) {
        (void)sigtimedwait(&signals, NULL, &grace);
    }
    wvl_cli_remove_temporaries();
    _exit(WVL_EXIT_INTERRUPTED);
    return NULL;
}

/* Does what a handler may do when no thread can be had. */
static void on_signal(int number)
{
    (void)number;
    atomic_store(&interrupted, 1);
    if (token) {
        wvl_cancel_raise(token);
    } else {
        _exit(WVL_EXIT_INTERRUPTED);
    }
}

static void set_handler(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

/* SIGHUP stays ignored where nohup(1) asks for that. */
static int is_caught(int number)
{
    struct sigaction action;
    return number != SIGHUP || sigaction(number, NULL, &action) || action.sa_handler != SIG_IGN;
}

void wvl_cli_catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    static int is_done;
    pthread_t watcher;
    sigset_t before;
    if (is_done++) {
        return;
    }
    (void)sigemptyset(&signals);
    set_handler(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with a message */
    set_handler(SIGXFSZ, SIG_IGN); /* a file size limit is an error of write(), so that the partial file is removed */
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (is_caught(numbers[i])) {
            (void)sigaddset(&signals, numbers[i]);
            set_handler(numbers[i], SIG_DFL);
        }
    }
    (void)pthread_sigmask(SIG_BLOCK, &signals, &before);
    if (!pthread_create(&watcher, NULL, watch, NULL)) {
        (void)pthread_detach(watcher);
        return;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (sigismember(&signals, numbers[i]) == 1) {
            set_handler(numbers[i], on_signal);
        }
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void wvl_cli_arm_signals(wvl_cancel *cancel)
{
    (void)pthread_mutex_lock(&lock);
    token = cancel;
    (void)pthread_mutex_unlock(&lock);
}

int wvl_cli_was_interrupted(void) { return atomic_load(&interrupted); }
