/* SPDX-License-Identifier: BSD-2-Clause */
/* The child: takes requests from its socket, and limits itself for each. */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Messages and output --------------------------------------------------------------------- */

static void send_message(const wvl_guard_message *message)
{
    ssize_t sent;
    do {
        sent = send(WVL_GUARD_SOCKET, message, sizeof *message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0) {
        _exit(1); /* nobody listens */
    }
}

void wvl_guard_tell(int kind, const char *text)
{
    wvl_guard_message message = {.kind = kind};
    snprintf(message.text, sizeof message.text, "%s", text);
    send_message(&message);
}

int wvl_guard_write(wvl_guard_call *call, const void *bytes, size_t byte_count)
{
    size_t done;
    int result = wvl_guard_put(WVL_GUARD_OUTPUT, bytes, byte_count, call->output_bytes, &done);
    call->output_bytes += done;
    return result;
}

/* ---- Limits ---------------------------------------------------------------------------------- */

/* At most what was inherited. 1: it is now the value. */
static int set_soft_limit(int resource, rlim_t inherited, uint64_t value)
{
    struct rlimit limit;
    int is_lower = value && (inherited == RLIM_INFINITY || value < inherited);
    if (getrlimit(resource, &limit)) {
        return 0;
    }
    limit.rlim_cur = is_lower ? (rlim_t)value : inherited;
    return !setrlimit(resource, &limit) && is_lower;
}

static uint64_t address_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file) {
        pages = fscanf(file, "%llu", &pages) == 1 ? pages : 0;
        (void)fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct rlimit given_memory, given_time; /* as they were inherited */
static int is_bounded;

static void reset_limits(void)
{
    is_bounded = 0;
    (void)set_soft_limit(RLIMIT_AS, given_memory.rlim_cur, 0);
    (void)set_soft_limit(RLIMIT_CPU, given_time.rlim_cur, 0);
}

/* A bound above the machine's memory would say nothing. */
void wvl_guard_limit(uint64_t memory_bytes, uint64_t seconds)
{
    struct rusage used;
    uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), base = address_bytes();
    if (base && memory_bytes < all && !WVL_GUARD_IS_SANITIZED) {
        is_bounded = set_soft_limit(RLIMIT_AS, given_memory.rlim_cur, base + memory_bytes);
    } else {
        is_bounded = 0;
        (void)set_soft_limit(RLIMIT_AS, given_memory.rlim_cur, 0);
    }
    (void)getrusage(RUSAGE_SELF, &used);
    uint64_t spent = (uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec + 2;
    (void)set_soft_limit(RLIMIT_CPU, given_time.rlim_cur, spent + seconds);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void answer(const wvl_guard_request *request, const wvl_guard_service *services, size_t count)
{
    wvl_guard_message last = {.status = -1, .error = ENOSYS};
    wvl_guard_call call = {.parameters = request->parameters,
                           .parameter_bytes = (size_t)request->parameter_bytes,
                           .input_bytes = (size_t)request->input_bytes};
    void *input = call.input_bytes ? mmap(NULL, call.input_bytes, PROT_READ, MAP_PRIVATE, WVL_GUARD_INPUT, 0) : NULL;
    if (input == MAP_FAILED) {
        last.error = ENOMEM;
        send_message(&last);
        return;
    }
    call.input = input;
    reset_limits();
    for (size_t i = 0; i < count; i++) {
        if (!strncmp(services[i].name, request->service, sizeof request->service)) {
            errno = 0;
            last.status = services[i].run(&call);
            last.error = errno;
            last.is_bounded = is_bounded;
        }
    }
    if (input) {
        (void)munmap(input, call.input_bytes);
    }
    last.output_bytes = call.output_bytes;
    send_message(&last);
}

/* A decoder that does not return must not outlive the parent. */
static void *watch_parent(void *unused)
{
    struct pollfd watched = {WVL_GUARD_SOCKET, POLLRDHUP, 0};
    (void)unused;
    while (poll(&watched, 1, -1) < 0 && errno == EINTR) {
    }
    _exit(0);
}

static void close_the_rest(void)
{
#ifdef SYS_close_range
    if (!syscall(SYS_close_range, (unsigned)WVL_GUARD_FIRST_FREE, ~0u, 0u)) {
        return;
    }
#endif
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = WVL_GUARD_FIRST_FREE; fd < (most > 0 && most < 65536 ? most : 65536); fd++) {
        (void)close(fd);
    }
}

/* Signals of a terminal are the parent's to answer; it was started with them blocked. */
static void settle_signals(void)
{
    static const int ignored[] = {SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGPIPE};
    sigset_t none;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) {
        (void)signal(ignored[i], SIG_IGN);
    }
    (void)signal(SIGXCPU, SIG_DFL);
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
}

void wvl_guard_serve(const wvl_guard_service *services, size_t count)
{
    const struct rlimit no_core = {0, 0};
    const wvl_guard_message ready = {0};
    pthread_t watcher;
    wvl_guard_request request;
    settle_signals();
    close_the_rest();
    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (getrlimit(RLIMIT_AS, &given_memory) || getrlimit(RLIMIT_CPU, &given_time)) {
        _exit(1);
    }
    if (pthread_create(&watcher, NULL, watch_parent, NULL) != 0) {
        _exit(1);
    }
    send_message(&ready);
    for (;;) {
        ssize_t got = recv(WVL_GUARD_SOCKET, &request, sizeof request, 0);
        if (got == (ssize_t)sizeof request && request.parameter_bytes <= sizeof request.parameters) {
            answer(&request, services, count);
        } else if (got >= 0 || errno != EINTR) {
            _exit(0);
        }
    }
}
