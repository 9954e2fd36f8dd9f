/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "cli.h"

static int flush_output(void)
{
    if (fflush(stdout) || ferror(stdout)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "standard output: cannot be written");
    }
    return WVL_EXIT_OK;
}

static int run_encode(int argc, char **argv)
{
    wvl_cli_args args;
    int code = wvl_cli_parse_args(argc, argv, &args);
    if (!code) {
        wvl_cli_set_verbosity(args.quiet ? -1 : args.verbose);
        if (args.help) {
            wvl_cli_print_help(stdout);
            code = flush_output();
        } else if (args.version) {
            wvl_cli_print_version(stdout);
            code = flush_output();
        } else {
            code = wvl_cli_run_encode(&args);
        }
    }
    wvl_cli_release_args(&args);
    return code;
}

static int run_options(int argc, char **argv)
{
    int json = argc == 2 && !strcmp(argv[1], "--json");
    if (argc > 1 && !json) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "options: takes --json or nothing; leave the rest out");
    }
    wvl_cli_print_options(stdout, json);
    return flush_output();
}

static int run_devices(int argc, char **argv)
{
    int code = wvl_cli_run_devices(argc, argv);
    return code ? code : flush_output();
}

static int run_help(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && !wvl_cli_is_command(argv[1]))) {
        return wvl_cli_fail(
            WVL_EXIT_USAGE,
            "help: \"%s\" is no command; use encode, sequence, info, verify, options or devices, or no word at all",
            argv[argc - 1]);
    }
    wvl_cli_print_help_of(stdout, argc == 2 ? argv[1] : "");
    return flush_output();
}

static int run_explain(int argc, char **argv)
{
    (void)argc, (void)argv;
    return wvl_cli_fail(WVL_EXIT_USAGE, "explain is an option: wavelane -i PICTURE --explain");
}

static int run_bench(int argc, char **argv)
{
    (void)argc, (void)argv;
    return wvl_cli_fail(WVL_EXIT_USAGE, "bench is a program of its own: wavelane-bench");
}

/* NAME --help, wherever it stands: the help of the command alone. */
static int asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-help") || !strcmp(argv[i], "-h")) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"encode", run_encode},   {"info", wvl_cli_run_info},     {"options", run_options},
                    {"help", run_help},       {"verify", wvl_cli_run_verify}, {"devices", run_devices},
                    {"explain", run_explain}, {"bench", run_bench},           {"sequence", wvl_cli_run_sequence}};
    wvl_cli_enter_guard(argv);
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) != 0) {
            continue;
        }
        if (wvl_cli_is_command(argv[1]) && asks_for_help(argc - 1, argv + 1)) {
            wvl_cli_print_help_of(stdout, argv[1]);
            return flush_output();
        }
        return commands[i].run(argc - 1, argv + 1);
    }
    return run_encode(argc, argv);
}
