/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int verbosity_now;

/* Of a thread whose messages wait for their turn (turns.h). */
typedef struct held_messages {
    char *text;
    size_t bytes, capacity;
    int holds;
} held_messages;

static _Thread_local char last_error[1024];
static _Thread_local held_messages held;

void wvl_cli_set_verbosity(int verbosity)
{
    verbosity_now = verbosity;
}

const char *wvl_cli_last_error(void)
{
    return last_error;
}

void wvl_cli_hold_messages(void)
{
    held.holds = 1;
}

size_t wvl_cli_mark_messages(void)
{
    return held.bytes;
}

void wvl_cli_forget_messages(size_t mark)
{
    held.bytes = mark < held.bytes ? mark : held.bytes;
}

void wvl_cli_tell_messages(void)
{
    if (held.bytes) {
        (void)fwrite(held.text, 1, held.bytes, stderr);
    }
    free(held.text);
    held = (held_messages){0};
}

static int make_room(size_t more)
{
    size_t capacity = held.capacity ? held.capacity : 256;
    while (capacity - held.bytes < more) {
        capacity *= 2;
    }
    char *larger = capacity > held.capacity ? realloc(held.text, capacity) : held.text;
    if (larger) {
        held.text = larger;
        held.capacity = capacity;
    }
    return larger != NULL;
}

/* A whole line. Where there is no memory to hold it, it comes at once. */
static void put_line(const char *kind, const char *text)
{
    size_t bytes = strlen(kind) + strlen(text) + sizeof "wavelane: \n";
    if (held.holds && make_room(bytes)) {
        held.bytes += (size_t)snprintf(held.text + held.bytes, bytes, "wavelane: %s%s\n", kind, text);
    } else {
        (void)fprintf(stderr, "wavelane: %s%s\n", kind, text);
    }
}

void wvl_cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    put_line("", last_error);
}

static void say(const char *kind, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) {
        (void)vsnprintf(text, (size_t)length + 1, format, again);
        put_line(kind, text);
    }
    va_end(again);
    free(text);
}

void wvl_cli_warn(const char *format, ...)
{
    va_list args;
    if (verbosity_now < 0) {
        return;
    }
    va_start(args, format);
    say("warning: ", format, args);
    va_end(args);
}

void wvl_cli_inform(const char *format, ...)
{
    va_list args;
    if (verbosity_now < 1) {
        return;
    }
    va_start(args, format);
    say("", format, args);
    va_end(args);
}

void wvl_cli_log(void *user, wvl_log_level level, const char *text)
{
    (void)user;
    if (level <= WVL_LOG_WARNING) {
        wvl_cli_warn("%s", text);
    } else {
        wvl_cli_inform("%s", text);
    }
}

int wvl_cli_exit_code(wvl_status status)
{
    switch (status) {
    case WVL_OK:
    case WVL_AGAIN:
    case WVL_END: return WVL_EXIT_OK;
    case WVL_CANCELLED: return WVL_EXIT_INTERRUPTED;
    case WVL_ERROR_ARGUMENT:
    case WVL_ERROR_PARAMETER:
    case WVL_ERROR_UNSUPPORTED:
    case WVL_ERROR_UNREACHABLE: return WVL_EXIT_USAGE;
    case WVL_ERROR_INPUT: return WVL_EXIT_INPUT;
    case WVL_ERROR_SINK: return WVL_EXIT_OUTPUT;
    case WVL_ERROR_MEMORY:
    case WVL_ERROR_THREAD:
    case WVL_ERROR_DEVICE: return WVL_EXIT_DEVICE;
    case WVL_ERROR_PROFILE:
    case WVL_ERROR_INTERNAL: return WVL_EXIT_CHECK;
    }
    return WVL_EXIT_CHECK;
}
