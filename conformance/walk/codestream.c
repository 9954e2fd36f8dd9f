/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "ht.h"
#include "profile_table.h"

#define MOST_STRUCT_BYTES 65536u /* a greater size is memory that nobody has set */

void wvl_check_walk_codestream(wvl_walk *w)
{
    wvl_check_summary *m = w->summary;
    m->codestream_offset = w->base;
    m->codestream_bytes = w->bytes;
    if (wvl_check_read_main_header(w) && !w->limit_hit) {
        m->complete = 1;
        wvl_check_scan_parts(w);
        wvl_check_walk_tiles(w);
        m->complete &= !w->limit_hit;
    }
}

void wvl_check_release_walk(wvl_walk *w)
{
    wvl_walk_list *const lists[] = {&w->tlm,   &w->plm,         &w->ppm,       &w->tlm_entries,
                                    &w->parts, &w->all_codings, &w->all_styles};
    wvl_check_release(w, w->tiles, w->tiles_wide * w->tiles_high, sizeof *w->tiles);
    wvl_check_release_scope(w, &w->main);
    wvl_check_release_scope(w, &w->tile_scope);
    wvl_check_release(w, w->components, w->component_count, sizeof *w->components);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        wvl_check_release_list(w, lists[i]);
    }
    wvl_check_release(w, w->ht, 1, sizeof *w->ht);
    wvl_check_release_gathered(w, &w->packed);
    wvl_check_release_gathered(w, &w->lengths);
}

void wvl_check_release_summary(wvl_check_summary *summary)
{
    if (summary) {
        free(summary->components);
        free(summary->layer_bytes);
        summary->components = NULL;
        summary->layer_bytes = NULL;
        summary->component_count = summary->layer_count = 0;
    }
}

/* ---- Entry ----------------------------------------------------------------------------------- */

typedef struct request {
    wvl_check_options options;
    wvl_check_summary summary;
    wvl_walk walk;
    wvl_walk_boxes boxes;
} request;

/* Beyond what is known here a newer caller may have set nothing: nobody would do what it asks for. */
int wvl_check_is_known(const void *structure, size_t size, size_t known)
{
    const uint8_t *bytes = structure;
    if (size < sizeof size || size > MOST_STRUCT_BYTES) {
        return 0;
    }
    for (size_t i = known; i < size; i++) {
        if (bytes[i]) {
            return 0;
        }
    }
    return 1;
}

#define LEAST_SUMMARY_BYTES offsetof(wvl_check_summary, ht_block_count) /* of version 0.2.0 */

static int is_room(const wvl_check_summary *summary)
{
    return !summary || (summary->struct_size >= LEAST_SUMMARY_BYTES && summary->struct_size <= MOST_STRUCT_BYTES);
}

static wvl_check_options known_options(const wvl_check_options *options)
{
    wvl_check_options known;
    memset(&known, 0, sizeof known);
    if (options) {
        memcpy(&known, options, options->struct_size < sizeof known ? options->struct_size : sizeof known);
    }
    return known;
}

static int open_request(request *q, const void *data, size_t bytes, const wvl_check_options *options,
                        wvl_check_report_fn report, void *user)
{
    if ((!data && bytes) || (options && !wvl_check_is_known(options, options->struct_size, sizeof *options)) ||
        (q->options.profile && !wvl_check_knows_profile(q->options.profile))) {
        return 0;
    }
    wvl_walk *w = &q->walk;
    w->data = data;
    w->bytes = bytes;
    w->options = &q->options;
    w->summary = &q->summary;
    w->report = report;
    w->user = user;
    uint64_t size = bytes < UINT64_MAX >> 8 ? bytes : UINT64_MAX >> 8; /* no limit wraps */
    w->memory_limit = q->options.memory_limit ? q->options.memory_limit : (UINT64_C(256) << 20) + 64 * size;
    w->work_limit = q->options.work_limit ? q->options.work_limit : (UINT64_C(1) << 25) + 128 * size;
    return 1;
}

/* An older caller's structure is shorter: it gets what it knows, which includes all memory that it must release. */
static void hand_over(wvl_check_summary *from, wvl_check_summary *to)
{
    size_t known = to->struct_size < sizeof *from ? to->struct_size : sizeof *from;
    from->struct_size = known;
    memcpy(to, from, known);
}

static void release_own_summary(request *q)
{
    wvl_check_summary *m = &q->summary;
    wvl_check_release(&q->walk, m->components, m->component_count, sizeof *m->components);
    wvl_check_release(&q->walk, m->layer_bytes, m->layer_count, sizeof *m->layer_bytes);
}

static int close_request(request *q, wvl_check_summary *summary)
{
    wvl_walk *w = &q->walk;
    wvl_check_judge_profiles(w, &q->boxes);
    int verdict = w->no_memory        ? WVL_CHECK_NO_MEMORY
                  : q->summary.errors ? WVL_CHECK_ILLEGAL
                  : w->limit_hit      ? WVL_CHECK_UNDECIDED
                                      : WVL_CHECK_LEGAL;
    wvl_check_release_list(w, &q->boxes.colrs);
    wvl_check_release_walk(w);
    if (summary) {
        hand_over(&q->summary, summary);
    } else {
        release_own_summary(q);
    }
    return verdict;
}

typedef void (*walk_fn)(request *q);

static void walk_codestream(request *q)
{
    q->summary.format = WVL_CHECK_CODESTREAM;
    wvl_check_walk_codestream(&q->walk);
}

static void walk_file(request *q) { wvl_check_walk_file(&q->walk, &q->boxes); }

static int run(walk_fn walk, const void *data, size_t bytes, const wvl_check_options *options,
               wvl_check_report_fn report, void *user, wvl_check_summary *summary)
{
    wvl_check_options known = known_options(options);
    int verdict = WVL_CHECK_BAD_ARGUMENT;
    if (!known.allocate != !known.release || (known.allocate && summary) || !is_room(summary)) {
        return verdict;
    }
    request *q = wvl_check_obtain(&known, sizeof *q);
    if (!q) {
        return WVL_CHECK_NO_MEMORY;
    }
    q->options = known;
    if (open_request(q, data, bytes, options, report, user)) {
        walk(q);
        verdict = close_request(q, summary);
    }
    wvl_check_give_back(&known, q, sizeof *q);
    return verdict;
}

int wvl_check_codestream(const void *data, size_t bytes, const wvl_check_options *options, wvl_check_report_fn report,
                         void *user, wvl_check_summary *summary)
{
    return run(walk_codestream, data, bytes, options, report, user, summary);
}

int wvl_check_file(const void *data, size_t bytes, const wvl_check_options *options, wvl_check_report_fn report,
                   void *user, wvl_check_summary *summary)
{
    return run(walk_file, data, bytes, options, report, user, summary);
}
