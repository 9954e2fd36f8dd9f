/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <string.h>
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
    fprintf(stderr, "%s: %s: %s\n", wvl_bench_program, path, strerror(errno));
    return -1;
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
    int failed;

    if (!json->out) {
        return 0;
    }
    failed = fflush(json->out) != 0 || ferror(json->out);
    if (json->out != stdout) {
        failed |= fclose(json->out) != 0;
        if (failed || !complete) {
            remove_file(json->path);
        }
    }
    if (failed) {
        fprintf(stderr, "%s: %s: cannot be written\n", wvl_bench_program, json->path);
    }
    return failed;
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

static void put_key(wvl_bench_json *json, const char *key)
{
    if (json->separate) {
        fputs(", ", json->out);
    }
    json->separate = 1;
    if (key) {
        put_string(json->out, key);
        fputs(": ", json->out);
    }
}

void wvl_bench_put_open(wvl_bench_json *json, const char *key, char bracket)
{
    put_key(json, key);
    fputc(bracket, json->out);
    json->separate = 0;
}

void wvl_bench_put_close(wvl_bench_json *json, char bracket)
{
    fputc(bracket, json->out);
    json->separate = 1;
}

void wvl_bench_put_text(wvl_bench_json *json, const char *key, const char *text)
{
    put_key(json, key);
    put_string(json->out, text);
}

void wvl_bench_put_number(wvl_bench_json *json, const char *key, double number)
{
    put_key(json, key);
    if (isfinite(number)) {
        fprintf(json->out, "%.10g", number);
    } else {
        fputs("null", json->out);
    }
}
