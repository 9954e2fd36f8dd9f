/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pictures of a TIFF file: directories in a chain (pages), those that SubIFDs of a page point to, and what
 * NewSubfileType says of each. Cameras put a thumbnail first and the picture into a SubIFD (TIFF/EP, DNG); maps and
 * slides have smaller copies and masks behind the picture (D-imageio-04).
 */
#include "read_tiff.h"

#include <stdio.h>
#include <stdlib.h>

#define TAG_SUB_DIRECTORIES 330u
#define TYPE_REDUCED 1u
#define TYPE_MASK 4u
#define TYPE_DEPTH 8u /* of DNG */

#define MOST_PAGES 65536u
#define MOST_SUB 256u       /* of one page */
#define MOST_LOOKED_AT 256u /* to choose one */
#define MOST_NAMED 6u

typedef struct page {
    uint64_t at;
    wvl_io_page page;
    uint64_t width, height;
} page;

typedef struct page_list {
    page *pages; /* owned */
    size_t count, room;
    uint64_t highest;            /* place of a page of the chain */
    int is_complete, is_damaged; /* is_damaged: a page or SubIFD cannot be read, and is left out */
} page_list;

/* ---- All of them ----------------------------------------------------------------------------- */

/* NewSubfileType, or the values of SubfileType before it. */
static wvl_io_page_kind kind_of(wvl_io_tiff *t, const wvl_io_tiff_directory *d)
{
    uint64_t type = wvl_io_tiff_number_of(t, d, TIFFTAG_SUBFILETYPE, 0);
    if (type & (TYPE_MASK | TYPE_DEPTH)) {
        return WVL_IO_PAGE_MASK;
    }
    if (type & TYPE_REDUCED || wvl_io_tiff_number_of(t, d, TIFFTAG_OSUBFILETYPE, 0) == OFILETYPE_REDUCEDIMAGE) {
        return WVL_IO_PAGE_REDUCED;
    }
    return WVL_IO_PAGE_FULL;
}

static int add_page(wvl_io_tiff *t, page_list *list, const wvl_io_tiff_directory *d, uint32_t number, uint32_t sub)
{
    if (list->count == list->room) {
        size_t room = 2 * list->room + 8;
        page *larger = realloc(list->pages, room * sizeof *larger);
        if (!larger) {
            return wvl_io_fail_memory(t->context, "list of pages", room * sizeof *larger);
        }
        list->pages = larger;
        list->room = room;
    }
    list->pages[list->count++] = (page){.at = d->at,
                                        .page = {number, sub, kind_of(t, d)},
                                        .width = wvl_io_tiff_number_of(t, d, TIFFTAG_IMAGEWIDTH, 0),
                                        .height = wvl_io_tiff_number_of(t, d, TIFFTAG_IMAGELENGTH, 0)};
    return 0;
}

/* A SubIFD that cannot be read is left out: the page may be good. */
static int add_sub_pages(wvl_io_tiff *t, page_list *list, const wvl_io_tiff_directory *parent, uint32_t number)
{
    wvl_io_tiff_entry e;
    uint64_t at;
    int result = 0;
    (void)wvl_io_tiff_find_entry(t, parent, TAG_SUB_DIRECTORIES, &e);
    for (uint32_t i = 0; result == 0 && i < MOST_SUB && wvl_io_tiff_entry_number(t, &e, i, &at); i++) {
        wvl_io_tiff_directory d;
        if (wvl_io_tiff_load_directory(t, at, &d) != 0) {
            if (t->context->no_memory) {
                return -1;
            }
            list->is_damaged = 1;
            continue;
        }
        result = add_page(t, list, &d, number, i + 1);
        wvl_io_tiff_release_directory(&d);
    }
    return result;
}

/* Most chains go up through the file. */
static int is_known(const page_list *list, uint64_t at)
{
    for (size_t i = 0; at <= list->highest && i < list->count; i++) {
        if (list->pages[i].at == at && !list->pages[i].page.sub) {
            return 1;
        }
    }
    return 0;
}

/* The first `most` pages of the chain, each with its SubIFDs behind it. The chain ends where it comes back. */
static int list_pages(wvl_io_tiff *t, uint32_t most, page_list *list)
{
    uint64_t at = t->first;
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < most && (i == 0 || (at && !is_known(list, at))); i++) {
        wvl_io_tiff_directory d;
        if (wvl_io_tiff_load_directory(t, at, &d) != 0) {
            if (i == 0 || t->context->no_memory) {
                return -1;
            }
            at = 0; /* the pages before it are good */
            list->is_damaged = 1;
            break;
        }
        at = d.next;
        list->highest = d.at > list->highest ? d.at : list->highest;
        result = add_page(t, list, &d, i, 0) == 0 ? add_sub_pages(t, list, &d, i) : -1;
        wvl_io_tiff_release_directory(&d);
    }
    list->is_complete = !at || is_known(list, at);
    return result;
}

int wvl_io_list_tiff(wvl_io_context *context, wvl_io_page **pages, size_t *count)
{
    wvl_io_tiff t;
    page_list list = {NULL, 0, 0, 0, 0, 0};
    memset(&t, 0, sizeof t);
    t.context = context;
    int result = wvl_io_tiff_find_first(&t);
    TRY(result, list_pages(&t, MOST_PAGES, &list));
    *pages = result == 0 ? wvl_io_allocate(context, list.count * sizeof **pages, "list of pages") : NULL;
    *count = *pages ? list.count : 0;
    for (size_t i = 0; i < *count; i++) {
        (*pages)[i] = list.pages[i].page;
    }
    free(list.pages);
    return *pages ? 0 : -1;
}

/* ---- The one that is asked for --------------------------------------------------------------- */

/* Its place; 0: there is none. */
static uint64_t find_page(const page_list *list, uint32_t number, uint32_t sub)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->pages[i].page.page == number && list->pages[i].page.sub == sub) {
            return list->pages[i].at;
        }
    }
    return 0;
}

static void put_name(char name[32], const wvl_io_page *p)
{
    if (p->sub) {
        snprintf(name, 32, "%u.%u", p->page, p->sub - 1);
    } else {
        snprintf(name, 32, "%u", p->page);
    }
}

/* Goes along the chain without a list: a file of many pages is read page by page. */
static int find_given(wvl_io_tiff *t, uint64_t *at, uint64_t *parent)
{
    const wvl_io_options *o = &t->context->options;
    page_list list = {NULL, 0, 0, 0, 0, 0};
    wvl_io_tiff_directory d;
    char name[32];
    uint64_t place = t->first;
    int result = 0;
    for (uint32_t i = 0; result == 0 && place && i < o->page && i < MOST_PAGES; i++) {
        result = wvl_io_tiff_load_directory(t, place, &d);
        place = result == 0 ? d.next : 0;
        wvl_io_tiff_release_directory(&d);
    }
    *at = place;
    *parent = 0;
    if (result == 0 && place && o->sub_page) {
        result = wvl_io_tiff_load_directory(t, place, &d);
        TRY(result, add_sub_pages(t, &list, &d, o->page));
        wvl_io_tiff_release_directory(&d);
        *at = find_page(&list, o->page, o->sub_page);
        *parent = place;
        free(list.pages);
    }
    if (result == 0 && (!*at || o->page >= MOST_PAGES)) {
        put_name(name, &(wvl_io_page){o->page, o->sub_page, WVL_IO_PAGE_FULL});
        result = wvl_io_fail(t->context, "page %s does not exist or cannot be read", name);
    }
    return result;
}

/* ---- The one that is meant ------------------------------------------------------------------- */

static int is_larger(const page *a, const page *b) { return a->width > b->width && a->height > b->height; }

/* The first page is not the picture: it says so, or a full picture in a SubIFD of it is larger. */
static int is_thumbnail(const page_list *list)
{
    int is_small = list->pages[0].page.kind != WVL_IO_PAGE_FULL;
    for (size_t i = 1; i < list->count; i++) {
        const page *p = &list->pages[i];
        is_small |= p->page.sub && !p->page.page && p->page.kind == WVL_IO_PAGE_FULL && is_larger(p, &list->pages[0]);
    }
    return is_small;
}

/* The only full picture; NULL: there are several, or none. */
static const page *find_only(const page_list *list)
{
    const page *found = NULL;
    int is_full = list->pages[0].page.kind == WVL_IO_PAGE_FULL;
    for (size_t i = 1; i < list->count; i++) {
        const page *p = &list->pages[i];
        if (p->page.kind != WVL_IO_PAGE_FULL || (is_full && !is_larger(p, &list->pages[0]))) {
            continue;
        }
        if (found) {
            return NULL;
        }
        found = p;
    }
    return list->is_complete ? found : NULL;
}

static void describe_page(char *text, size_t room, const page *p)
{
    static const char *const kinds[] = {"full", "reduced", "mask"};
    char name[32];
    put_name(name, &p->page);
    snprintf(text, room, "%s (%s, %llu x %llu)", name, kinds[p->page.kind], (unsigned long long)p->width,
             (unsigned long long)p->height);
}

/* The end of a text that names the first `named` pages. */
static const char *rest_of(const page_list *list, size_t named)
{
    if (list->count > named || !list->is_complete) {
        return ", and more";
    }
    return list->is_damaged ? ", and what cannot be read" : "";
}

static int refuse_unclear(wvl_io_tiff *t, const page_list *list)
{
    char text[MOST_NAMED * 96] = "";
    size_t used = 0;
    for (size_t i = 0; i < list->count && i < MOST_NAMED; i++) {
        char one[96];
        describe_page(one, sizeof one, &list->pages[i]);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", one);
        used = used < sizeof text ? used : sizeof text - 1;
    }
    return wvl_io_fail(t->context,
                       "the first page is no full picture, and it is not clear which other one is meant: "
                       "choose one of the pages with --page: %s%s",
                       text, rest_of(list, MOST_NAMED));
}

/* The largest full page besides the chosen one, where it is larger than that: slides and scans may begin with a small
 * picture that does not say so. "": there is none. */
static void name_larger(char *text, size_t room, const page_list *list, const page *chosen)
{
    const page *largest = chosen;
    char name[32];
    for (size_t i = 0; i < list->count; i++) {
        const page *p = &list->pages[i];
        largest = p->page.kind == WVL_IO_PAGE_FULL && is_larger(p, largest) ? p : largest;
    }
    put_name(name, &largest->page);
    if (largest == chosen) {
        text[0] = '\0';
    } else {
        snprintf(text, room, " (the largest is page %s of %llu x %llu)", name, (unsigned long long)largest->width,
                 (unsigned long long)largest->height);
    }
}

static int find_meant(wvl_io_tiff *t, uint64_t *at, uint64_t *parent)
{
    page_list list = {NULL, 0, 0, 0, 0, 0};
    int result = list_pages(t, MOST_LOOKED_AT, &list);
    const page *chosen = NULL;
    if (result == 0) {
        int has_others = list.count > 1 || list.is_damaged;
        chosen = is_thumbnail(&list) && has_others ? find_only(&list) : &list.pages[0];
        result = chosen ? 0 : refuse_unclear(t, &list);
    }
    if (result == 0) {
        /* "2 pages, 4 reduced pictures and 1 mask" of what is not read. */
        static const char *const names[][2] = {
            {"page", "pages"}, {"reduced picture", "reduced pictures"}, {"mask", "masks"}};
        size_t counts[3] = {0, 0, 0}, used = 0;
        char text[120] = "", name[32], larger[120];
        for (size_t i = 0; i < list.count; i++) {
            counts[list.pages[i].page.kind] += &list.pages[i] != chosen;
        }
        for (int k = 0; k < 3; k++) {
            if (counts[k]) {
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s", used ? ", " : "", counts[k],
                                         names[k][counts[k] != 1]);
            }
        }
        put_name(name, &chosen->page);
        name_larger(larger, sizeof larger, &list, chosen);
        if (used) {
            wvl_io_note(t->context, "page %s of %llu x %llu is read (--page chooses); left out: %s%s%s", name,
                        (unsigned long long)chosen->width, (unsigned long long)chosen->height, text,
                        rest_of(&list, SIZE_MAX), larger);
        } else if (chosen->page.kind != WVL_IO_PAGE_FULL) {
            wvl_io_note(t->context, "the only page is marked as %s", names[chosen->page.kind][0]);
        }
        *at = chosen->at;
        *parent = chosen->page.sub ? find_page(&list, chosen->page.page, 0) : 0;
    }
    free(list.pages);
    return result;
}

int wvl_io_tiff_choose_page(wvl_io_tiff *t)
{
    int is_given = t->context->options.page_given || t->context->options.page || t->context->options.sub_page;
    return is_given ? find_given(t, &t->at, &t->parent) : find_meant(t, &t->at, &t->parent);
}
