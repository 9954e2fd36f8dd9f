/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static int take_option(wvl_bench_args *args, const wvl_bench_option *option, void *options)
{
    const char *value = NULL;

    if (option->name != NULL)
        args->next++;
    if (option->has_value && args->next >= args->count) {
        fprintf(stderr, "%s: %s needs a value\n", wvl_bench_program, option->name);
        return -1;
    }
    if (option->has_value)
        value = args->values[args->next++];
    return option->apply(value, options);
}

static const wvl_bench_option *find_option(const char *text, const wvl_bench_option *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].name == NULL ? text[0] != '-' : strcmp(text, table[i].name) == 0)
            return &table[i];
    fprintf(stderr, "%s: unknown option %s (see %s --help)\n", wvl_bench_program, text, wvl_bench_program);
    return NULL;
}

int wvl_bench_args_parse(wvl_bench_args *args, const wvl_bench_option *table, size_t count, void *options)
{
    while (args->next < args->count) {
        const wvl_bench_option *option = find_option(args->values[args->next], table, count);

        if (option == NULL || take_option(args, option, options) != 0)
            return -1;
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

    if (end != NULL && *end == '\0')
        return 0;
    fprintf(stderr, "%s: %s %s: not a number from %g to %g\n", wvl_bench_program, name, text, lowest, highest);
    return -1;
}

size_t wvl_bench_args_list(const char *name, const char *text, double lowest, double highest, double *numbers,
                           size_t limit)
{
    const char *at = text;
    size_t count = 0;

    while (count < limit && (at = parse_number(at, lowest, highest, &numbers[count])) != NULL) {
        count++;
        if (*at == '\0')
            return count;
        if (*at++ != ',')
            break;
    }
    fprintf(stderr, "%s: %s %s: not a list of at most %zu numbers from %g to %g\n", wvl_bench_program, name, text,
            limit, lowest, highest);
    return 0;
}

int wvl_bench_settings_add(wvl_bench_settings *settings, const char *text)
{
    if (strchr(text, '=') == NULL || settings->count == WVL_BENCH_MAX_SETTINGS) {
        fprintf(stderr, "%s: --set %s: not KEY=VALUE, or more than %d of them\n", wvl_bench_program, text,
                WVL_BENCH_MAX_SETTINGS);
        return -1;
    }
    settings->text[settings->count++] = text;
    return 0;
}

int wvl_bench_run_program(int argc, char **argv, const wvl_bench_command *commands, const char *const *usage)
{
    wvl_bench_args args = {.count = argc, .next = 2, .values = argv};
    const char *name = argc >= 2 ? argv[1] : "";
    const int wants_help = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    for (; commands->name; commands++) {
        if (strcmp(name, commands->name) == 0) {
            return commands->run(&args);
        }
    }
    for (; *usage; usage++) {
        fputs(*usage, wants_help ? stdout : stderr);
    }
    return wants_help ? WVL_BENCH_EXIT_OK : WVL_BENCH_EXIT_USAGE;
}
