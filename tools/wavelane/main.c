/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "cli.h"

/* ---- Devices --------------------------------------------------------------------------------- */

static void put_device(wvl_cli_report *r, const wvl_device_info *info)
{
    char name[16], capability[24];
    snprintf(name, sizeof name, "cuda:%u", info->ordinal);
    snprintf(capability, sizeof capability, "%u.%u", info->capability_major, info->capability_minor);
    if (!r->json) {
        fprintf(r->file, "%s  %s, compute capability %s, %u multiprocessors, %.1f GiB%s\n", name, info->name,
                capability, info->multiprocessors, (double)info->memory_bytes / (1024.0 * 1024.0 * 1024.0),
                info->usable ? "" : "; too old for this build (7.5 and later)");
        return;
    }
    wvl_cli_report_open_line(r, NULL);
    wvl_cli_report_text(r, "device", name);
    wvl_cli_report_text(r, "name", info->name);
    wvl_cli_report_text(r, "capability", capability);
    WVL_CLI_REPORT_NUMBERS(r, {"multiprocessors", info->multiprocessors}, {"memory_bytes", info->memory_bytes});
    wvl_cli_report_flag(r, "usable", info->usable);
    wvl_cli_report_close(r);
}

/* No device is an answer, not a failure. */
static const char *say_why(wvl_status status)
{
    return status == WVL_ERROR_UNSUPPORTED ? "this build has no device code"
           : status == WVL_ERROR_DEVICE    ? "there is no driver, or it does not start"
                                           : "none";
}

static int run_encode(int argc, char **argv)
{
    wvl_cli_args args;
    int code = wvl_cli_parse_args(argc, argv, &args);
    if (!code) {
        wvl_cli_set_verbosity(args.quiet ? -1 : args.verbose);
        if (args.help) {
            wvl_cli_print_help(stdout);
        } else if (args.version) {
            wvl_cli_print_version(stdout);
        } else {
            code = wvl_cli_run_encode(&args);
        }
        code = args.help || args.version ? wvl_cli_flush_output(code) : code;
    }
    wvl_cli_release_args(&args);
    return code;
}

/* *json: whether it is asked for. */
static int parse_json(int argc, char **argv, int *json)
{
    *json = argc == 2 && !strcmp(argv[1], "--json");
    return argc == 1 || *json
               ? WVL_EXIT_OK
               : wvl_cli_fail(WVL_EXIT_USAGE, "%s: the only option is --json; leave the rest out", argv[0]);
}

static int run_options(int argc, char **argv)
{
    int json, code = parse_json(argc, argv, &json);
    if (!code) {
        wvl_cli_print_options(stdout, json);
    }
    return code ? code : wvl_cli_flush_output(code);
}

static int run_devices(int argc, char **argv)
{
    wvl_cli_report r;
    wvl_device_info info = {.struct_size = sizeof info};
    uint32_t count = 0;
    int json, code = parse_json(argc, argv, &json);
    if (code) {
        return code;
    }
    wvl_cli_report_start(&r, stdout, json);
    if (json) {
        wvl_cli_report_open_list(&r, "devices");
    }
    wvl_status status = wvl_device_describe(0, &info);
    for (; status == WVL_OK; status = wvl_device_describe(++count, &info)) {
        put_device(&r, &info);
    }
    if (json) {
        wvl_cli_report_close(&r);
        wvl_cli_report_text(&r, "status", count ? "ok" : say_why(status));
    } else if (!count) {
        printf("no device: %s\n", say_why(status));
    }
    wvl_cli_report_finish(&r);
    return wvl_cli_flush_output(WVL_EXIT_OK);
}

static int run_help(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && !wvl_cli_is_command(argv[1]))) {
        return wvl_cli_fail(
            WVL_EXIT_USAGE,
            "help: \"%s\" is not a command; use encode, sequence, info, verify, run, options or devices, or none",
            argv[argc - 1]);
    }
    wvl_cli_print_help_of(stdout, argc == 2 ? argv[1] : "");
    return wvl_cli_flush_output(WVL_EXIT_OK);
}

/* Names that somebody may take for commands. */
static int run_other(int argc, char **argv)
{
    (void)argc;
    return wvl_cli_fail(WVL_EXIT_USAGE, "%s",
                        strcmp(argv[0], "bench") ? "explain is an option: wavelane -i PICTURE --explain"
                                                 : "bench is a separate program: wavelane-bench");
}

/* NAME --help, wherever it stands: the help of the command alone. Behind `run PROGRAM` it is the program's. */
static int asks_for_help(int argc, char **argv)
{
    int count = argc > 2 && !strcmp(argv[0], "run") ? 2 : argc;
    for (int i = 1; i < count; i++) {
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
    } commands[] = {{"encode", run_encode},      {"info", wvl_cli_run_info},     {"options", run_options},
                    {"help", run_help},          {"verify", wvl_cli_run_verify}, {"devices", run_devices},
                    {"explain", run_other},      {"bench", run_other},           {"sequence", wvl_cli_run_sequence},
                    {"run", wvl_cli_run_program}};
    wvl_cli_enter_guard(argv);
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) != 0) {
            continue;
        }
        if (wvl_cli_is_command(argv[1]) && asks_for_help(argc - 1, argv + 1)) {
            wvl_cli_print_help_of(stdout, argv[1]);
            return wvl_cli_flush_output(WVL_EXIT_OK);
        }
        return commands[i].run(argc - 1, argv + 1);
    }
    return run_encode(argc, argv);
}
