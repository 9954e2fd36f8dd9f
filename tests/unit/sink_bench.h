/* SPDX-License-Identifier: BSD-2-Clause */
/* A context whose memory can fail, a directory of its own, and a pattern to write, for the tests of the sinks. Define
 * _XOPEN_SOURCE 700 before the first include. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/sink/sink.h"
#include "tests/fault/ledger.h"

#define TEMPLATE_BYTES 4000

static ledger books;
static wvl_context *context;
static wvl_sink sink;
static char directory[TEMPLATE_BYTES], path[TEMPLATE_BYTES + 400], error[600];

static inline void set_path(const char *name) { snprintf(path, sizeof path, "%s/%s", directory, name); }

static inline void setup(void)
{
    const char *base = getenv("TMPDIR");
    memset(&sink, 0, sizeof sink);
    snprintf(directory, sizeof directory, "%s/wvl-sink-XXXXXX", base ? base : P_tmpdir);
    ck_assert(mkdtemp(directory) != NULL);
    context = ledger_open_context(&books, 1);
    set_path("out.jp2");
}

/* Entries of the directory. */
static inline int count_entries(void)
{
    int count = 0;
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    }
    closedir(d);
    return count;
}

static inline void teardown(void)
{
    char name[sizeof path + 300];
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        snprintf(name, sizeof name, "%s/%s", directory, e->d_name);
        (void)unlink(name);
    }
    closedir(d);
    ck_assert_int_eq(rmdir(directory), 0);
    wvl_context_release(context);
    ledger_close(&books);
}

/* ---- What is written ------------------------------------------------------------------------- */

static inline uint8_t pattern(uint64_t i) { return (uint8_t)(i * 2654435761u >> 16); }

/* bytes of the pattern in pieces of many sizes. Returns the first failure. */
static inline int write_pattern(uint64_t bytes)
{
    static uint8_t piece[400000];
    uint64_t at = 0, size = 1;
    while (at < bytes) {
        uint64_t n = size < bytes - at ? size : bytes - at;
        for (uint64_t i = 0; i < n; i++) {
            piece[i] = pattern(at + i);
        }
        if (sink.write(sink.user, piece, (size_t)n)) {
            return -1;
        }
        at += n;
        size = size * 7 % 399989;
    }
    return 0;
}

static inline void check_pattern(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (data[i] != pattern(i)) {
            ck_abort_msg("byte %zu of %zu", i, bytes);
        }
    }
}

static inline void check_file(const char *name, size_t bytes)
{
    uint8_t *data = malloc(bytes + 1);
    FILE *f = fopen(name, "rb");
    ck_assert_msg(f != NULL, "%s: %s", name, strerror(errno));
    ck_assert_uint_eq(fread(data, 1, bytes + 1, f), bytes);
    (void)fclose(f);
    check_pattern(data, bytes);
    free(data);
}

static inline void expect_finish(int complete, wvl_status status, const char *reason)
{
    wvl_status got = wvl_sink_finish(&sink, complete, error, sizeof error);
    ck_assert_msg(got == status && strstr(error, reason) && (*reason || !*error), "%d: '%s', not %d: '%s'", got, error,
                  status, reason);
}
