/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

int wvl_cli_container_of_extension(const char *extension)
{
    static const struct {
        const char *extension;
        int is_jp2;
    } known[] = {{"jp2", 1}, {"jph", 2}, {"j2k", 0}, {"j2c", 0}, {"jpc", 0}, {"jhc", 0}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!strcasecmp(extension, known[i].extension)) {
            return known[i].is_jp2;
        }
    }
    return -1;
}

int wvl_cli_container_of(const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash + 1 : name, '.');
    return dot ? wvl_cli_container_of_extension(dot + 1) : -1;
}

/* The file behind a name, - being standard input or output. */
static int identify(const char *name, int standard, struct stat *st)
{
    return strcmp(name, "-") != 0 ? stat(name, st) : fstat(standard, st);
}

static int check_not_input(const char *const *inputs, size_t input_count, const char *output, const struct stat *out)
{
    for (size_t i = 0; i < input_count; i++) {
        struct stat in;
        if (!identify(inputs[i], STDIN_FILENO, &in) && S_ISREG(in.st_mode) && in.st_dev == out->st_dev && in.st_ino == out->st_ino) {
            wvl_cli_error("%s: is the input %s itself; choose another name", output, inputs[i]);
            return WVL_EXIT_OUTPUT;
        }
    }
    return WVL_EXIT_OK;
}

int wvl_cli_check_output(const wvl_cli_args *args, const char *const *inputs, size_t input_count, const char *output)
{
    struct stat out;
    int is_stream = !strcmp(output, "-");
    if (identify(output, STDOUT_FILENO, &out)) {
        if (errno == ENOENT && !is_stream) {
            return WVL_EXIT_OK;
        }
        wvl_cli_error("%s: %s", is_stream ? "standard output" : output, strerror(errno));
        return WVL_EXIT_OUTPUT;
    }
    int code = check_not_input(inputs, input_count, output, &out);
    if (code) {
        return code;
    }
    if ((args->dry_run || args->explain) && (is_stream || !S_ISREG(out.st_mode) || !strncmp(output, "/dev/", 5))) {
        return WVL_EXIT_OK; /* nothing is written */
    }
    if (is_stream) {
        if (isatty(STDOUT_FILENO)) {
            wvl_cli_error("standard output: is a terminal; redirect it to a file or a pipe");
            return WVL_EXIT_OUTPUT;
        }
        return WVL_EXIT_OK;
    }
    if (S_ISDIR(out.st_mode)) {
        wvl_cli_error("%s: is a directory; give the name of a file", output);
        return WVL_EXIT_OUTPUT;
    }
    if (!args->force) {
        wvl_cli_error("%s: exists; --force replaces it", output);
        return WVL_EXIT_OUTPUT;
    }
    return WVL_EXIT_OK;
}

int wvl_cli_open_sink(const wvl_cli_args *args, wvl_context *context, const char *output, wvl_sink *sink)
{
    int is_stream = !strcmp(output, "-");
    wvl_status status = is_stream ? wvl_sink_open_stream(context, stdout, sink) : wvl_sink_open_file(context, output, args->force, sink);
    if (!status) {
        return WVL_EXIT_OK;
    }
    const char *detail = wvl_context_error(context);
    if (strstr(detail, output)) {
        wvl_cli_error("%s", detail);
    } else {
        wvl_cli_error("%s: %s", output, detail[0] ? detail : wvl_status_text(status));
    }
    return status == WVL_ERROR_MEMORY ? WVL_EXIT_DEVICE : WVL_EXIT_OUTPUT;
}
