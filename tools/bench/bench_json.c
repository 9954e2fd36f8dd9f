/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

int wvl_bench_json_open(wvl_bench_json *json, const char *path)
{
    *json = (wvl_bench_json){.path = path};
    if (!path) {
        return 0;
    }
    json->out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (json->out) {
        return 0;
    }
    return wvl_bench_fail(-1, "%s: %s", path, strerror(errno));
}

/* A device or pipe named as the output is not ours to remove. */
static void remove_file(const char *path)
{
    struct stat about;
    if (lstat(path, &about) == 0 && S_ISREG(about.st_mode)) {
        remove(path);
    }
}

int wvl_bench_json_close(wvl_bench_json *json, int complete)
{
    if (!json->out) {
        return 0;
    }
    fputc('\n', json->out);
    int failed = fflush(json->out) != 0 || ferror(json->out);
    if (json->out != stdout) {
        failed |= fclose(json->out) != 0;
        if (failed || !complete) {
            remove_file(json->path);
        }
    }
    return failed ? wvl_bench_fail(-1, "%s: cannot be written", json->path) : 0;
}

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(out, "\\u%04x", (unsigned)c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

/* Says whether there is something to put. */
static int put_key(wvl_bench_json *json, const char *key)
{
    if (!json->out) {
        return 0;
    }
    if (json->separate) {
        fputs(", ", json->out);
    }
    json->separate = 1;
    if (key) {
        put_string(json->out, key);
        fputs(": ", json->out);
    }
    return 1;
}

void wvl_bench_put_open(wvl_bench_json *json, const char *key, char bracket)
{
    if (put_key(json, key)) {
        fputc(bracket, json->out);
        json->separate = 0;
    }
}

void wvl_bench_put_close(wvl_bench_json *json, char bracket)
{
    if (json->out) {
        fputc(bracket, json->out);
        json->separate = 1;
    }
}

void wvl_bench_put_text(wvl_bench_json *json, const char *key, const char *text)
{
    if (put_key(json, key)) {
        put_string(json->out, text);
    }
}

void wvl_bench_put_number(wvl_bench_json *json, const char *key, double number)
{
    if (put_key(json, key)) {
        fprintf(json->out, isfinite(number) ? "%.10g" : "null", number);
    }
}

void wvl_bench_put_list(wvl_bench_json *json, const char *key, const double *numbers, size_t count)
{
    wvl_bench_put_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        wvl_bench_put_number(json, NULL, numbers[i]);
    }
    wvl_bench_put_close(json, ']');
}

void wvl_bench_put_settings(wvl_bench_json *json, const wvl_bench_settings *settings)
{
    wvl_bench_put_open(json, "settings", '[');
    for (size_t i = 0; i < settings->count; i++) {
        wvl_bench_put_text(json, NULL, settings->text[i]);
    }
    wvl_bench_put_close(json, ']');
}

void wvl_bench_put_picture(wvl_bench_json *json, const wvl_bench_picture *picture)
{
    wvl_bench_put_text(json, "picture", picture->name);
    wvl_bench_put_number(json, "width", picture->io.width);
    wvl_bench_put_number(json, "height", picture->io.height);
    wvl_bench_put_number(json, "components", picture->io.component_count);
    wvl_bench_put_number(json, "depth", picture->io.components[0].depth);
}
