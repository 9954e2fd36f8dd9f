/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <stdarg.h>
#include <stdlib.h>

int wvl_bench_fail(int code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(stderr, "%s: ", wvl_bench_program);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    return code;
}

static int take_count(const wvl_bench_option *option, const char *value, uint32_t *to)
{
    double number;
    if (wvl_bench_args_number(option->name, value, option->lowest, option->highest, &number) != 0) {
        return -1;
    }
    *to = (uint32_t)number;
    return 0;
}

static int take_list(const wvl_bench_option *option, const char *value, wvl_bench_list *to)
{
    to->count =
        wvl_bench_args_list(option->name, value, option->lowest, option->highest, to->values, WVL_BENCH_LIST_MAX);
    return to->count ? 0 : -1;
}

static int take_size(const wvl_bench_option *option, const char *value, uint32_t *to)
{
    double pair[2];
    if (wvl_bench_args_list(option->name, value, option->lowest, option->highest, pair, 2) != 2) {
        return wvl_bench_fail(-1, "%s needs W,H", option->name);
    }
    to[0] = (uint32_t)pair[0];
    to[1] = (uint32_t)pair[1];
    return 0;
}

static int take_word(const wvl_bench_option *option, const char *value, int *to)
{
    char all[128] = "";
    for (int i = 0; option->words[i]; i++) {
        if (strcmp(value, option->words[i]) == 0) {
            *to = i;
            return 0;
        }
        const char *before = option->words[i + 1] ? ", " : " or ";
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? before : "", option->words[i]);
    }
    return wvl_bench_fail(-1, "%s %s: give %s", option->name, value, all);
}

static int take_value(const wvl_bench_option *option, const char *value, void *options)
{
    void *to = (char *)options + option->at;
    switch (option->kind) {
    case WVL_BENCH_IS_FLAG: *(int *)to = 1; return 0;
    case WVL_BENCH_IS_TEXT: *(const char **)to = value; return 0;
    case WVL_BENCH_IS_WORD: return take_word(option, value, to);
    case WVL_BENCH_IS_COUNT: return take_count(option, value, to);
    case WVL_BENCH_IS_NUMBER: return wvl_bench_args_number(option->name, value, option->lowest, option->highest, to);
    case WVL_BENCH_IS_LIST: return take_list(option, value, to);
    case WVL_BENCH_IS_SIZE: return take_size(option, value, to);
    case WVL_BENCH_IS_SETTING: return wvl_bench_settings_add(to, value);
    default: return option->apply(value, options);
    }
}

static int take_option(wvl_bench_args *args, const wvl_bench_option *option, void *options)
{
    args->next += option->name != NULL;
    if (option->kind == WVL_BENCH_IS_FLAG) {
        return take_value(option, NULL, options);
    }
    if (args->next >= args->count) {
        return wvl_bench_fail(-1, "%s needs a value", option->name);
    }
    return take_value(option, args->values[args->next++], options);
}

static const wvl_bench_option *find_option(const wvl_bench_args *args, const wvl_bench_option *table, size_t count)
{
    const char *text = args->values[args->next];
    for (size_t i = 0; i < count; i++) {
        if (!table[i].name ? text[0] != '-' : strcmp(text, table[i].name) == 0) {
            return &table[i];
        }
    }
    (void)wvl_bench_fail(-1, "unknown option %s (see %s %s --help)", text, wvl_bench_program, args->values[1]);
    return NULL;
}

int wvl_bench_args_parse(wvl_bench_args *args, const wvl_bench_option *table, size_t count, void *options)
{
    while (args->next < args->count) {
        const wvl_bench_option *option = find_option(args, table, count);
        if (!option || take_option(args, option, options) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The text after the number, or NULL when there is none in range. */
static const char *parse_number(const char *text, double lowest, double highest, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *number >= lowest && *number <= highest ? end : NULL;
}

int wvl_bench_args_number(const char *name, const char *text, double lowest, double highest, double *number)
{
    const char *end = parse_number(text, lowest, highest, number);
    if (end && *end == '\0') {
        return 0;
    }
    return wvl_bench_fail(-1, "%s %s: not a number from %g to %g", name, text, lowest, highest);
}

size_t wvl_bench_args_list(const char *name, const char *text, double lowest, double highest, double *numbers,
                           size_t limit)
{
    const char *at = text;
    size_t count = 0;
    while (count < limit && (at = parse_number(at, lowest, highest, &numbers[count])) != NULL) {
        count++;
        if (*at == '\0') {
            return count;
        }
        if (*at++ != ',') {
            break;
        }
    }
    (void)wvl_bench_fail(-1, "%s %s: not a list of at most %zu numbers from %g to %g", name, text, limit, lowest,
                         highest);
    return 0;
}

int wvl_bench_settings_add(wvl_bench_settings *settings, const char *text)
{
    if (!strchr(text, '=') || settings->count == WVL_BENCH_MAX_SETTINGS) {
        return wvl_bench_fail(-1, "--set %s: not KEY=VALUE, or more than %d of them", text, WVL_BENCH_MAX_SETTINGS);
    }
    settings->text[settings->count++] = text;
    return 0;
}

static int is_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

static int print_command(const wvl_bench_command *c)
{
    printf("usage: %s %s [options]\n\n%s\n\n%s", wvl_bench_program, c->name, c->text, c->help);
    return WVL_BENCH_EXIT_OK;
}

static void print_commands(FILE *out, const wvl_bench_command *commands, const char *more)
{
    fprintf(out, "usage: %s COMMAND [options]\n       %s COMMAND --help\n\n", wvl_bench_program, wvl_bench_program);
    for (const wvl_bench_command *c = commands; c->name; c++) {
        fprintf(out, "  %-10s %s\n", c->name, c->text);
    }
    fputs(more ? more : "", out);
}

int wvl_bench_run_program(int argc, char **argv, const wvl_bench_command *commands, const char *more)
{
    wvl_bench_args args = {.count = argc, .next = 2, .values = argv};
    const char *name = argc >= 2 ? argv[1] : "";
    for (const wvl_bench_command *c = commands; c->name; c++) {
        if (strcmp(name, c->name) == 0) {
            return c->help && argc > 2 && is_help(argv[2]) ? print_command(c) : c->run(&args);
        }
    }
    if (argc >= 2 && !is_help(name)) {
        (void)wvl_bench_fail(-1, "%s: no such command", name);
    }
    print_commands(is_help(name) ? stdout : stderr, commands, more);
    return is_help(name) ? WVL_BENCH_EXIT_OK : WVL_BENCH_EXIT_USAGE;
}
