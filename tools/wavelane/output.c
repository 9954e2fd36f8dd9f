/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
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

int wvl_cli_is_exr(const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash + 1 : name, '.');
    return dot && !strcasecmp(dot, ".exr");
}

/* The file behind a name, - being standard input or output. */
static int identify(const char *name, int standard, struct stat *st)
{
    return strcmp(name, "-") != 0 ? stat(name, st) : fstat(standard, st);
}

static int is_same(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Names compare badly: links lead to one file under several of them. */
static int refuse_input(const char *input, const char *output, const struct stat *out)
{
    struct stat in;
    if (!identify(input, STDIN_FILENO, &in) && is_same(&in, out)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: is the input %s itself; choose another name", output, input);
    }
    return WVL_EXIT_OK;
}

/* Everything that is read: pictures, and the files that become boxes. */
static int check_not_input(const wvl_cli_args *args, const char *const *inputs, size_t input_count, const char *output,
                           const struct stat *out)
{
    int code = WVL_EXIT_OK;
    for (size_t i = 0; !code && i < input_count; i++) {
        code = refuse_input(inputs[i], output, out);
    }
    for (size_t i = 0; !code && i < args->box_count; i++) {
        code = refuse_input(args->boxes[i].path, output, out);
    }
    return code;
}

int wvl_cli_check_output(const wvl_cli_args *args, const char *const *inputs, size_t input_count, const char *output)
{
    struct stat out;
    int is_stream = !strcmp(output, "-");
    if (identify(output, STDOUT_FILENO, &out)) {
        if (errno == ENOENT && !is_stream) {
            return WVL_EXIT_OK;
        }
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: %s", is_stream ? "standard output" : output, strerror(errno));
    }
    int code = check_not_input(args, inputs, input_count, output, &out);
    if (code) {
        return code;
    }
    if ((args->dry_run || args->explain) && (is_stream || !S_ISREG(out.st_mode) || !strncmp(output, "/dev/", 5))) {
        return WVL_EXIT_OK; /* nothing is written */
    }
    if (is_stream) {
        if (isatty(STDOUT_FILENO)) {
            return wvl_cli_fail(WVL_EXIT_OUTPUT, "standard output: is a terminal; redirect it to a file or a pipe");
        }
        return WVL_EXIT_OK;
    }
    if (S_ISDIR(out.st_mode)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: is a directory; give the name of a file", output);
    }
    if (!args->force && !args->skip_existing &&
        S_ISREG(out.st_mode)) { /* devices and pipes are written to, not replaced */
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: exists; --force replaces it", output);
    }
    return WVL_EXIT_OK;
}

/* Two files that do not exist yet are the same if they will be in the same place: its folder, and its name there. */
static int is_same_place(const char *a, const char *b)
{
    const char *names[2] = {a, b}, *bases[2];
    struct stat folders[2];
    for (int i = 0; i < 2; i++) {
        char folder[PATH_MAX];
        const char *slash = strrchr(names[i], '/');
        size_t length = slash ? (size_t)(slash + 1 - names[i]) : 0;
        bases[i] = names[i] + length;
        snprintf(folder, sizeof folder, "%.*s", (int)length, names[i]);
        if (length >= sizeof folder || stat(length ? folder : ".", &folders[i])) {
            return 0;
        }
    }
    return !strcmp(bases[0], bases[1]) && folders[0].st_dev == folders[1].st_dev &&
           folders[0].st_ino == folders[1].st_ino;
}

int wvl_cli_is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    int lacks_a = identify(a, STDOUT_FILENO, &x), lacks_b = identify(b, STDOUT_FILENO, &y);
    if (lacks_a || lacks_b) {
        return lacks_a && lacks_b && is_same_place(a, b);
    }
    return is_same(&x, &y);
}

/* Also where a link of another name leads to it. */
int wvl_cli_refuse_picture_name(const char *what, const char *path)
{
    char real[PATH_MAX];
    int is_picture = wvl_cli_container_of(path) >= 0 || (realpath(path, real) && wvl_cli_container_of(real) >= 0);
    if (is_picture) {
        wvl_cli_error("%s %s: has the name of a picture; give it another extension, as .json or .txt", what, path);
    }
    return is_picture ? WVL_EXIT_OUTPUT : WVL_EXIT_OK;
}

int wvl_cli_is_whole(const char *path, uint64_t *bytes)
{
    uint8_t end[2] = {0, 0};
    struct stat st;
    FILE *file = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL; /* a pipe would be waited for */
    int good = file && !fseeko(file, -2, SEEK_END) && fread(end, 1, 2, file) == 2;
    *bytes = good ? (uint64_t)ftello(file) : 0;
    if (file) {
        (void)fclose(file);
    }
    return good && end[0] == 0xFF && end[1] == 0xD9;
}

int wvl_cli_open_sink(const wvl_cli_args *args, wvl_context *context, const char *output, wvl_sink *sink)
{
    int is_stream = !strcmp(output, "-");
    wvl_status status = is_stream ? wvl_sink_open_stream(context, stdout, sink)
                                  : wvl_sink_open_file(context, output, args->force || args->skip_existing, sink);
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
