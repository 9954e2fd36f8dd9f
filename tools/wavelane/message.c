/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <string.h>

#include "cli.h"

static int verbosity_now;
static char last_error[1024];

void wvl_cli_set_verbosity(int verbosity)
{
    verbosity_now = verbosity;
}

const char *wvl_cli_last_error(void)
{
    return last_error;
}

void wvl_cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    (void)fprintf(stderr, "wavelane: %s\n", last_error);
}

static void say(const char *kind, const char *format, va_list args)
{
    (void)fprintf(stderr, "wavelane: %s", kind);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
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
