/* SPDX-License-Identifier: BSD-2-Clause */
/* --pages: pages of one TIFF file, each into a file of its own. */
#include <stdlib.h>

#include "args.h"
#include "job.h"
#include "tools/sequence/names.h"

#define MOST_PAGES 65536u /* the limit of --page */

/* Digits from *text on; 0: there is none. */
static int next_number(const char **text, uint32_t *number)
{
    uint64_t value;
    const char *end = wvl_cli_scan_number(*text, 0, UINT64_MAX, &value);
    *number = value < MOST_PAGES ? (uint32_t)value : MOST_PAGES;
    *text = end ? end : *text;
    return end != NULL;
}

/* The pages `first` to `last`, or SubIFD sub - 1 of `first`. */
typedef struct range {
    uint32_t first, last, sub;
} range;

/* "N", "N.M" or "N-N" from *text on; 0: there is none. */
static int next_range(const char **text, range *r)
{
    r->sub = 0;
    if (!next_number(text, &r->first)) {
        return 0;
    }
    r->last = r->first;
    if (**text == '.') {
        ++*text;
        return next_number(text, &r->sub) && r->sub++ < MOST_PAGES;
    }
    if (**text == '-') {
        ++*text;
        return next_number(text, &r->last);
    }
    return 1;
}

/* The next range of a list, and the comma behind it. */
static int next_item(const char **text, range *r)
{
    if (!next_range(text, r)) {
        return 0;
    }
    int has_more = **text == ',' && (*text)[1] != '\0';
    *text += has_more;
    return has_more || **text == '\0';
}

static int is_before(const range *a, const range *b)
{
    return a->last < b->first || (a->last == b->first && a->first == a->last && a->sub < b->sub);
}

int wvl_cli_are_pages(const char *text)
{
    range r, before = {0, 0, 0};
    int has_before = 0;
    if (!strcmp(text, "all")) {
        return 1;
    }
    do {
        if (!next_item(&text, &r) || (has_before && !is_before(&before, &r)) || r.last < r.first ||
            r.last >= MOST_PAGES) {
            return 0;
        }
        before = r;
        has_before = 1;
    } while (*text);
    return 1;
}

int wvl_cli_parse_page(const char *text, wvl_io_options *io)
{
    range r;
    if (!next_range(&text, &r) || *text || r.first != r.last) {
        return 0;
    }
    io->page = r.first;
    io->sub_page = r.sub;
    io->page_given = 1;
    return 1;
}

int wvl_cli_list_full_pages(const char *name, const wvl_io_options *io, wvl_io_page **pages, size_t *count)
{
    char error[512] = "";
    size_t all, full = 0;
    int result = wvl_io_list_pages(name, io, pages, &all, error, sizeof error);
    for (size_t i = 0; !result && i < all; i++) {
        if ((*pages)[i].kind == WVL_IO_PAGE_FULL) {
            (*pages)[full++] = (*pages)[i];
        }
    }
    *count = full;
    if (result) {
        wvl_cli_error("%s", error);
    } else if (!full) {
        wvl_cli_error("%s: all %zu pages are marked as reduced pictures or masks; choose some with --page or --pages",
                      name, all);
    } else if (full < all) {
        wvl_cli_warn("%s: %zu reduced pictures and masks are left out", name, all - full);
    }
    if (result || !full) {
        free(*pages);
        *pages = NULL;
        return result == WVL_IO_ERROR_MEMORY ? WVL_EXIT_DEVICE : WVL_EXIT_INPUT;
    }
    return WVL_EXIT_OK;
}

/* The output of a page: the number in place of %d, else -NUMBER before the extension. NULL: no memory. */
static char *name_output(const char *name, const wvl_io_page *page)
{
    unsigned digits;
    const char *rest, *at = wvl_sequence_find_number(name, &digits, &rest), *dash = "";
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    char sub[16] = "";
    if (!at) {
        dash = "-";
        at = rest = dot ? dot : name + strlen(name);
    }
    if (page->sub) {
        snprintf(sub, sizeof sub, ".%u", page->sub - 1);
    }
    return wvl_cli_compose("%.*s%s%0*u%s%s", (int)(at - name), name, dash, (int)digits, page->page, sub, rest);
}

static int encode_page(wvl_cli_run *s, const wvl_cli_args *all, const wvl_io_page *page)
{
    wvl_cli_args one = *all;
    char *output = all->output ? name_output(all->output, page) : NULL;
    if (all->output && !output) {
        return wvl_cli_lack_memory(all->output);
    }
    one.io.page = page->page;
    one.io.sub_page = page->sub;
    one.io.page_given = 1;
    one.page_of_many = 1;
    s->args = &one;
    int code = wvl_cli_encode_one(s, all->inputs, 1, output);
    s->args = all;
    s->failed += code != WVL_EXIT_OK;
    free(output);
    return code;
}

static const wvl_io_page *find_page(const wvl_io_page *pages, size_t count, uint32_t page, uint32_t sub)
{
    for (size_t i = 0; i < count; i++) {
        if (pages[i].page == page && pages[i].sub == sub) {
            return &pages[i];
        }
    }
    return NULL;
}

static int refuse_page(const wvl_cli_args *args, const wvl_io_page *pages, size_t count, const range *r, uint32_t page)
{
    char sub[16] = "";
    if (r->sub) {
        snprintf(sub, sizeof sub, ".%u", r->sub - 1);
    }
    return wvl_cli_fail(WVL_EXIT_INPUT, "%s: page %u%s does not exist; the file has pages 0 to %u", args->inputs[0],
                        page, sub, count ? pages[count - 1].page : 0);
}

/* The pages of a list, which replace all those of the file. */
static int select_listed(const wvl_cli_args *args, wvl_io_page **pages, size_t *count)
{
    const char *text = args->pages;
    wvl_io_page *chosen = NULL;
    size_t done = 0;
    range r;
    while (*text && next_item(&text, &r)) {
        size_t room = done + (size_t)(r.last - r.first) + 1;
        wvl_io_page *larger = realloc(chosen, room * sizeof *larger);
        if (!larger) {
            free(chosen);
            return wvl_cli_lack_memory(args->inputs[0]);
        }
        chosen = larger;
        for (uint32_t page = r.first; page <= r.last; page++) {
            const wvl_io_page *found = find_page(*pages, *count, page, r.sub);
            if (!found) {
                free(chosen);
                return refuse_page(args, *pages, *count, &r, page);
            }
            chosen[done++] = *found;
        }
    }
    free(*pages);
    *pages = chosen;
    *count = done;
    return WVL_EXIT_OK;
}

static int select_pages(const wvl_cli_args *args, wvl_io_page **pages, size_t *count)
{
    char error[512] = "";
    if (!strcmp(args->pages, "all")) {
        return wvl_cli_list_full_pages(args->inputs[0], &args->io, pages, count);
    }
    int result = wvl_io_list_pages(args->inputs[0], &args->io, pages, count, error, sizeof error);
    if (result) {
        return wvl_cli_fail(result == WVL_IO_ERROR_MEMORY ? WVL_EXIT_DEVICE : WVL_EXIT_INPUT, "%s", error);
    }
    return select_listed(args, pages, count);
}

/* One page ends the run only where it was interrupted: the others are good. */
int wvl_cli_encode_pages(wvl_cli_run *s)
{
    wvl_io_page *pages = NULL;
    size_t count = 0;
    int code = select_pages(s->args, &pages, &count);
    s->unused = WVL_UNUSED_UNKNOWN;
    for (size_t i = 0; !code && i < count; i++) {
        int one = encode_page(s, s->args, &pages[i]);
        if (one == WVL_EXIT_INTERRUPTED || wvl_cli_was_interrupted()) {
            code = WVL_EXIT_INTERRUPTED;
        }
    }
    free(pages);
    if (!code) {
        wvl_cli_warn_unused(s->args->inputs[0], s->unused);
    }
    if (!code && s->failed) {
        code = wvl_cli_fail(WVL_EXIT_SOME_FAILED, "%zu of %zu pages failed", s->failed, count);
    }
    return code;
}
