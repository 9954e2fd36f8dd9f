/* SPDX-License-Identifier: BSD-2-Clause */
/* --pages: pages of one TIFF file, each into a file of its own. */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "tools/sequence/names.h"

#define MOST_PAGES 65536u /* the limit of --page */

/* The next range of a list, from *text on; 0: there is none, or it is no range. */
static int next_range(const char **text, uint32_t *first, uint32_t *last)
{
    unsigned long v[2];
    char *end;
    const char *p = *text;
    for (int i = 0; i < 2; i++) {
        if (*p < '0' || *p > '9') {
            return 0;
        }
        v[i] = strtoul(p, &end, 10);
        p = end + (i == 0 && *end == '-');
        if (i == 0 && *end != '-') {
            v[1] = v[0];
            break;
        }
    }
    *first = (uint32_t)(v[0] < MOST_PAGES ? v[0] : MOST_PAGES);
    *last = (uint32_t)(v[1] < MOST_PAGES ? v[1] : MOST_PAGES);
    *text = p + (*p == ',' && p[1] != '\0');
    return *p == '\0' || (*p == ',' && p[1] != '\0');
}

int wvl_cli_are_pages(const char *text)
{
    uint32_t first, last, next = 0;
    if (!strcmp(text, "all")) {
        return 1;
    }
    do {
        if (!next_range(&text, &first, &last) || first < next || last < first || last >= MOST_PAGES) {
            return 0;
        }
        next = last + 1;
    } while (*text);
    return 1;
}

/* The output of a page: the number in place of %d, else -NUMBER before the extension. NULL: no memory. */
static char *name_output(const char *name, uint32_t page)
{
    unsigned digits;
    size_t bytes = strlen(name) + 24;
    const char *rest, *at = wvl_sequence_find_number(name, &digits, &rest), *dash = "";
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    char *made = malloc(bytes);
    if (!at) {
        dash = "-";
        at = rest = dot ? dot : name + strlen(name);
    }
    if (made) {
        (void)snprintf(made, bytes, "%.*s%s%0*u%s", (int)(at - name), name, dash, (int)digits, page, rest);
    } else {
        wvl_cli_error("%s: out of memory", name);
    }
    return made;
}

static int encode_page(wvl_cli_batch *s, const wvl_cli_args *all, uint32_t page)
{
    wvl_cli_args one = *all;
    char *output = all->output ? name_output(all->output, page) : NULL;
    if (all->output && !output) {
        return WVL_EXIT_DEVICE;
    }
    one.io.page = page;
    one.io.page_of_many = 1;
    s->args = &one;
    int code = wvl_cli_encode_one(s, all->inputs, 1, output);
    s->args = all;
    s->failed += code != WVL_EXIT_OK;
    free(output);
    return code;
}

static int check_pages(const wvl_cli_args *args, uint32_t *count)
{
    char error[512] = "";
    const char *text = args->pages;
    uint32_t first, last = 0;
    int result = wvl_io_count_pages(args->inputs[0], &args->io, count, error, sizeof error);
    if (result) {
        wvl_cli_error("%s", error);
        return result == WVL_IO_ERROR_MEMORY ? WVL_EXIT_DEVICE : WVL_EXIT_INPUT;
    }
    while (strcmp(args->pages, "all") != 0 && *text && next_range(&text, &first, &last)) {
    }
    if (last >= *count) {
        wvl_cli_error("%s: page %u does not exist; the file has pages 0 to %u", args->inputs[0], last, *count - 1);
        return WVL_EXIT_INPUT;
    }
    return WVL_EXIT_OK;
}

/* One page ends the run only where it was interrupted: the others are good. */
static int encode_range(wvl_cli_batch *s, uint32_t first, uint32_t last, uint32_t *done)
{
    for (uint32_t page = first; page <= last; page++, ++*done) {
        int code = encode_page(s, s->args, page);
        if (code == WVL_EXIT_INTERRUPTED || wvl_cli_was_interrupted()) {
            return WVL_EXIT_INTERRUPTED;
        }
    }
    return WVL_EXIT_OK;
}

int wvl_cli_encode_pages(wvl_cli_batch *s)
{
    const char *text = s->args->pages;
    uint32_t count = 1, first, last, done = 0;
    s->unused = WVL_UNUSED_UNKNOWN;
    int code = check_pages(s->args, &count);
    if (!code && !strcmp(text, "all")) {
        code = encode_range(s, 0, count - 1, &done);
    } else {
        while (!code && *text && next_range(&text, &first, &last)) {
            code = encode_range(s, first, last, &done);
        }
    }
    if (!code) {
        wvl_cli_warn_unused(s->args->inputs[0], s->unused);
    }
    if (!code && s->failed) {
        wvl_cli_error("%zu of %u pages failed", s->failed, done);
        code = WVL_EXIT_SOME_FAILED;
    }
    return code;
}
