/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* vasprintf */
#include <pthread.h>
#include <stdarg.h>

#include "cli.h"
#include "tools/sequence/grow.h"

static int verbosity_now;

#define ONCE '\1' /* begins a held line that is printed once a run: ONCE name NAME_END text newline */
#define NAME_END '\2'

static _Thread_local wvl_cli_messages own;
static wvl_cli_texts of_run; /* warnings that belong to no picture, for the report of the run */
static wvl_cli_texts seen;   /* warnings that are printed once a run */
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;

/* 1: the text is new. Without memory for it every text is new. */
static int add_text(wvl_cli_texts *list, const char *text)
{
    size_t at = 0;
    while (at < list->count && strcmp(list->texts[at].text, text) != 0) {
        at++;
    }
    if (at < list->count) {
        list->texts[at].repeats++;
        return 0;
    }
    wvl_cli_text *texts = wvl_sequence_grow(list->texts, list->count, &list->capacity, sizeof *texts);
    char *copy = texts ? strdup(text) : NULL;
    list->texts = texts ? texts : list->texts;
    if (copy) {
        list->texts[list->count++] = (wvl_cli_text){copy, 0};
    }
    return 1;
}

static void clear_texts(wvl_cli_texts *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->texts[i].text);
    }
    free(list->texts);
    *list = (wvl_cli_texts){0};
}

void wvl_cli_swap_messages(wvl_cli_messages *messages)
{
    const wvl_cli_messages mine = own;
    own = *messages;
    *messages = mine;
}

void wvl_cli_clear_messages(wvl_cli_messages *messages)
{
    free(messages->text);
    clear_texts(&messages->noted);
    *messages = (wvl_cli_messages){0};
}

void wvl_cli_set_verbosity(int verbosity) { verbosity_now = verbosity; }

const char *wvl_cli_last_error(void) { return own.last_error; }

void wvl_cli_hold_messages(void) { own.holds = 1; }

void wvl_cli_hold_errors(void) { own.holds = own.leaves_warnings = 1; }

size_t wvl_cli_mark_messages(void) { return own.bytes; }

void wvl_cli_forget_messages(size_t mark) { own.bytes = mark < own.bytes ? mark : own.bytes; }

/* name: "" for none. */
static void print_once(const char *name, const char *text)
{
    pthread_mutex_lock(&seen_lock);
    int is_new = add_text(&seen, text);
    pthread_mutex_unlock(&seen_lock);
    if (is_new) {
        fprintf(stderr, "wavelane: warning: %s%s%s\n", name, name[0] ? ": " : "", text);
    }
}

void wvl_cli_tell_messages(void)
{
    for (char *line = own.text, *end = own.text + own.bytes; own.bytes && line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline) {
            break;
        }
        *newline = '\0';
        /* One held line, its newline replaced by a zero. */
        char *text = line[0] == ONCE ? strchr(line, NAME_END) : NULL;
        if (text) {
            *text = '\0';
            print_once(line + 1, text + 1);
        } else {
            fprintf(stderr, "%s\n", line);
        }
        line = newline + 1;
    }
    free(own.text);
    own.text = NULL;
    own.bytes = own.capacity = 0;
    own.holds = own.leaves_warnings = 0;
}

static int make_room(size_t more)
{
    size_t capacity = own.capacity ? own.capacity : 256;
    while (capacity - own.bytes < more) {
        capacity *= 2;
    }
    char *larger = capacity > own.capacity ? realloc(own.text, capacity) : own.text;
    if (larger) {
        own.text = larger;
        own.capacity = capacity;
    }
    return larger != NULL;
}

/* A whole line. Where there is no memory to hold it, it comes at once. */
static void put_line(const char *kind, const char *text)
{
    size_t bytes = strlen(kind) + strlen(text) + sizeof "wavelane: \n";
    if (own.holds && make_room(bytes)) {
        own.bytes += (size_t)snprintf(own.text + own.bytes, bytes, "wavelane: %s%s\n", kind, text);
    } else {
        fprintf(stderr, "wavelane: %s%s\n", kind, text);
    }
}

int wvl_cli_fail(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(own.last_error, sizeof own.last_error, format, args);
    va_end(args);
    put_line("", own.last_error);
    return code;
}

int wvl_cli_lack_memory(const char *name) { return wvl_cli_fail(WVL_EXIT_DEVICE, "%s: out of memory", name); }

void wvl_cli_tell_repeats(void)
{
    for (size_t i = 0; i < seen.count; i++) {
        if (seen.texts[i].repeats) {
            fprintf(stderr, "wavelane: warning: %zu more: %s\n", seen.texts[i].repeats, seen.texts[i].text);
        }
    }
    clear_texts(&seen);
}

void wvl_cli_keep_warnings(void)
{
    clear_texts(&of_run);
    of_run = own.noted;
    own.noted = (wvl_cli_texts){0};
}

static void report_texts(wvl_cli_report *r, wvl_cli_texts *list)
{
    for (size_t i = 0; i < list->count; i++) {
        wvl_cli_report_text(r, NULL, list->texts[i].text);
    }
    clear_texts(list);
}

void wvl_cli_report_warnings_of_run(wvl_cli_report *r)
{
    wvl_cli_report_open_list(r, "warnings");
    report_texts(r, &of_run);
    report_texts(r, &own.noted);
    wvl_cli_report_close(r);
}

void wvl_cli_report_warnings(wvl_cli_report *r)
{
    wvl_cli_report_open_list(r, "warnings");
    report_texts(r, &own.noted);
    wvl_cli_report_close(r);
}

size_t wvl_cli_count_warnings(void)
{
    size_t count = own.noted.count;
    for (size_t i = 0; i < own.noted.count; i++) {
        count += own.noted.texts[i].repeats;
    }
    return count;
}

void wvl_cli_copy_warnings(char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < own.noted.count; i++) {
        size_t length = strlen(own.noted.texts[i].text);
        if (length + 2 <= room - used) {
            used += (size_t)snprintf(text + used, room - used, "%s\n", own.noted.texts[i].text);
        }
    }
}

void wvl_cli_warn_again(const char *name, char *text)
{
    for (char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        *end = '\0';
        wvl_cli_warn_once(name, "%s", text);
    }
}

void wvl_cli_clear_warnings(void) { clear_texts(&own.noted); }

char *wvl_cli_compose(const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    return length < 0 ? NULL : text;
}

const char *wvl_cli_slash_behind(const char *folder)
{
    size_t length = strlen(folder);
    return length && folder[length - 1] == '/' ? "" : "/";
}

typedef enum message_kind { WARNING, WARNING_ONCE, INFORMATION } message_kind;

static void say(message_kind kind, const char *name, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
static void say(message_kind kind, const char *name, const char *format, va_list args)
{
    char *text = NULL;
    int is_warning = kind == WARNING || kind == WARNING_ONCE;
    int is_shown = is_warning ? verbosity_now >= 0 && !own.leaves_warnings : verbosity_now > 0;
    if ((!is_warning && !is_shown) || vasprintf(&text, format, args) < 0) {
        return;
    }
    if (is_warning) {
        (void)add_text(&own.noted, text);
    }
    if (is_shown && kind == WARNING_ONCE) {
        /* As put_line, for what is printed once a run. */
        size_t bytes = strlen(name) + strlen(text) + 4;
        if (own.holds && make_room(bytes)) {
            own.bytes += (size_t)snprintf(own.text + own.bytes, bytes, "%c%s%c%s\n", ONCE, name, NAME_END, text);
        } else {
            print_once(name, text);
        }
    } else if (is_shown) {
        put_line(is_warning ? "warning: " : "", text);
    }
    free(text);
}

void wvl_cli_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(WARNING, NULL, format, args);
    va_end(args);
}

void wvl_cli_warn_once(const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(WARNING_ONCE, strcmp(name, "-") != 0 ? name : "standard input", format, args);
    va_end(args);
}

void wvl_cli_inform(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(INFORMATION, NULL, format, args);
    va_end(args);
}

void wvl_cli_log(void *user, wvl_log_level level, const char *text)
{
    (void)user;
    if (level <= WVL_LOG_WARNING) {
        wvl_cli_warn_once("", "%s", text);
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
