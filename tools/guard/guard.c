/* SPDX-License-Identifier: BSD-2-Clause */
/* The parent: starts children, keeps idle ones, and says how a call ended. */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define FIRST_OWN 16 /* descriptors of this side lie above those that a child gets */

typedef struct child {
    struct child *next;
    pid_t pid;
    int socket, input, output;
} child;

/* Idle children belong to the process that started them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static child *idle;
static pid_t owner;
static const char *program; /* NULL: nothing is guarded */

/* /proc/self/exe is this program also when its file was replaced meanwhile. */
void wvl_guard_enter(char **argv, const wvl_guard_service *services, size_t count)
{
    if (argv[0] && !strcmp(argv[0], WVL_GUARD_NAME)) {
        wvl_guard_serve(services, count);
    }
    program = "/proc/self/exe";
}

void wvl_guard_use_program(const char *path) { program = path; }

/* ---- Children -------------------------------------------------------------------------------- */

static int move_up(int fd)
{
    int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_OWN);
    if (fd >= 0) {
        (void)close(fd);
    }
    return moved;
}

static void close_child(child *c)
{
    const int all[] = {c->socket, c->input, c->output};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i] >= 0) {
            (void)close(all[i]);
        }
    }
    free(c);
}

static int add_actions(posix_spawn_file_actions_t *actions, const child *c, int socket)
{
    int failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ||
                 posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    /* What a library says when it ends its process is no message of ours. */
    failed = failed || (!WVL_GUARD_IS_SANITIZED &&
                        posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0));
    return failed || posix_spawn_file_actions_adddup2(actions, socket, WVL_GUARD_SOCKET) ||
           posix_spawn_file_actions_adddup2(actions, c->input, WVL_GUARD_INPUT) ||
           posix_spawn_file_actions_adddup2(actions, c->output, WVL_GUARD_OUTPUT);
}

static int spawn(child *c, int socket)
{
    static char name[] = WVL_GUARD_NAME;
    char *const argv[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;
    if (posix_spawn_file_actions_init(&actions)) {
        return -1;
    }
    int failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        (void)sigfillset(&all); /* until the child has settled what it ignores */
        failed = add_actions(&actions, c, socket) || posix_spawnattr_setsigmask(&attributes, &all) ||
                 posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) ||
                 posix_spawn(&c->pid, program, &actions, &attributes, argv, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed ? -1 : 0;
}

static int open_channels(child *c, int *far_end)
{
    int pair[2] = {-1, -1};
    if (!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
        c->socket = move_up(pair[0]);
        *far_end = move_up(pair[1]);
    }
    c->input = move_up(memfd_create("wavelane input", MFD_CLOEXEC));
    c->output = move_up(memfd_create("wavelane output", MFD_CLOEXEC));
    return c->socket >= 0 && *far_end >= 0 && c->input >= 0 && c->output >= 0 ? 0 : -1;
}

static int receive(const child *c, wvl_guard_message *message)
{
    ssize_t got;
    do {
        got = recv(c->socket, message, sizeof *message, 0);
    } while (got < 0 && errno == EINTR);
    message->text[sizeof message->text - 1] = '\0';
    return got == (ssize_t)sizeof *message ? 0 : -1;
}

/* How it ended: 0, or the signal. */
static int bury(child *c)
{
    int state = 0;
    pid_t pid;
    (void)kill(c->pid, SIGKILL); /* nothing more happens to one that has ended */
    do {
        pid = waitpid(c->pid, &state, 0);
    } while (pid < 0 && errno == EINTR);
    close_child(c);
    return pid > 0 && WIFSIGNALED(state) ? WTERMSIG(state) : 0;
}

/* NULL: no child can be had here. */
static child *start_child(void)
{
    child *c = malloc(sizeof *c);
    wvl_guard_message ready;
    int far_end = -1;
    if (!c) {
        return NULL;
    }
    *c = (child){.socket = -1, .input = -1, .output = -1};
    int good = open_channels(c, &far_end) == 0 && spawn(c, far_end) == 0;
    if (far_end >= 0) {
        (void)close(far_end);
    }
    if (!good) {
        close_child(c);
        return NULL;
    }
    if (receive(c, &ready) != 0) {
        (void)bury(c);
        return NULL;
    }
    return c;
}

/* An idle one, or a new one. *is_new says which. */
static child *take_child(int *is_new)
{
    (void)pthread_mutex_lock(&lock);
    if (owner != getpid()) { /* a fork: those children answer the other process */
        owner = getpid();
        idle = NULL;
    }
    child *c = idle;
    idle = c ? c->next : NULL;
    (void)pthread_mutex_unlock(&lock);
    *is_new = !c;
    return c ? c : start_child();
}

/* ---- Calls ----------------------------------------------------------------------------------- */

int wvl_guard_put(int fd, const void *bytes, size_t byte_count, uint64_t at, size_t *done)
{
    for (*done = 0; *done < byte_count;) {
        ssize_t n = pwrite(fd, (const uint8_t *)bytes + *done, byte_count - *done, (off_t)(at + *done));
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        *done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int ask(const child *c, const wvl_guard_job *job)
{
    wvl_guard_request request = {.input_bytes = job->input_bytes, .parameter_bytes = job->parameter_bytes};
    ssize_t sent;
    size_t done;
    if (job->parameter_bytes > sizeof request.parameters || ftruncate(c->output, 0) || ftruncate(c->input, 0) ||
        wvl_guard_put(c->input, job->input, job->input_bytes, 0, &done) != 0) {
        return -1;
    }
    snprintf(request.service, sizeof request.service, "%s", job->service);
    if (job->parameter_bytes) {
        memcpy(request.parameters, job->parameters, job->parameter_bytes);
    }
    do {
        sent = send(c->socket, &request, sizeof request, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

/* 0: the service returned; -1: the child is gone. */
static int listen_to(const child *c, const wvl_guard_job *job, wvl_guard_answer *answer)
{
    wvl_guard_message message;
    while (receive(c, &message) == 0) {
        if (message.kind == 0) {
            answer->status = message.status;
            answer->error = message.error;
            answer->is_bounded = message.is_bounded;
            answer->output_bytes = message.output_bytes;
            return 0;
        }
        if (job->hear) {
            job->hear(message.kind, message.text, job->user);
        }
    }
    return -1;
}

void wvl_guard_run(const wvl_guard_job *job, wvl_guard_answer *answer)
{
    int is_new = 1, asked = -1;
    child *c = NULL;
    *answer = (wvl_guard_answer){.outcome = WVL_GUARD_ABSENT};
    while (program && asked && (c = take_child(&is_new)) != NULL) {
        asked = ask(c, job);
        if (asked) { /* an idle one may have been ended meanwhile */
            (void)bury(c);
            c = NULL;
            if (is_new) {
                return;
            }
        }
    }
    if (!c) {
        return;
    }
    if (listen_to(c, job, answer) == 0) {
        answer->outcome = WVL_GUARD_DONE;
        answer->child = c;
        return;
    }
    answer->signal = bury(c);
    switch (answer->signal) {
    case SIGXCPU: answer->outcome = WVL_GUARD_SLOW; break;
    case SIGKILL: answer->outcome = WVL_GUARD_KILLED; break;
    default: answer->outcome = WVL_GUARD_ENDED; break;
    }
}

int wvl_guard_read(const wvl_guard_answer *answer, uint64_t offset, void *bytes, size_t byte_count)
{
    const child *c = answer->child;
    if (!c || offset > answer->output_bytes || byte_count > answer->output_bytes - offset) {
        return -1;
    }
    for (size_t done = 0; done < byte_count;) {
        ssize_t n = pread(c->output, (uint8_t *)bytes + done, byte_count - done, (off_t)(offset + done));
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

void wvl_guard_release(wvl_guard_answer *answer)
{
    child *c = answer->child;
    answer->child = NULL;
    if (c && (ftruncate(c->output, 0) || ftruncate(c->input, 0))) {
        (void)bury(c);
    } else if (c) {
        (void)pthread_mutex_lock(&lock);
        c->next = idle;
        idle = c;
        (void)pthread_mutex_unlock(&lock);
    }
}
