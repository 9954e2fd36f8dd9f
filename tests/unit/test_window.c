/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What items of later launches wait for, judged by what the kernels do: every sample that an item reads of the plane in
 * front is one that the items in its window store, and every other word of what is asked lies between the flags of one
 * split. No device is needed.
 */
#include "tests/twin/test_cuda_job.h"

#include "cuda/dwt/beside.h"
#include "cuda/dwt/tables_unit.h"

#define FLAGS UINT64_C(0x100000000)

static uint32_t machine = MACHINE; /* multiprocessors that the tables are for */
static uint64_t windows[4];        /* of marching, cascades, tiles, last levels: seen by the suite */
static uint64_t uneven;            /* launches of stretches of two lengths, long ones first */
static uint64_t crossing;          /* panels that go on from one picture to the next */

typedef struct tables_of {
    wvl_cuda_tables t;
    wvl_cuda_pixels pixels[COMPONENTS];
} tables_of;

static void open_tables(const job *j, tables_of *o)
{
    wvl_cuda_memory memory = {.coefs = 1u << 28,
                              .bounds = 1u << 20,
                              .outside = 1u << 16,
                              .planes = UINT64_C(1) << 40,
                              .flags = FLAGS,
                              .pixels = o->pixels};
    const wvl_cuda_table_options options = {.multiprocessors = machine};
    uint32_t count = j->plan->syntax.tile_count;
    memset(o, 0, sizeof *o);
    for (uint32_t c = 0; c < j->format.component_count; c++) {
        const wvl_plan_component *pc = &j->plan->syntax.components[c];
        uint64_t bytes = pc->depth > 8 ? 2 : 1,
                 pitch = wvl_align_up((wvl_rect_width(pc->rect) + 64ull) * bytes * j->format.component_count, 64);
        o->pixels[c] = (wvl_cuda_pixels){.data = 1u << 30,
                                         .pitch_bytes = (int64_t)pitch,
                                         .first = c,
                                         .stride = j->format.component_count,
                                         .x0 = pc->rect.x0,
                                         .y0 = pc->rect.y0,
                                         .half = 1u << (pc->depth - 1),
                                         .container = pc->depth > 8 ? WVL_SAMPLE_16 : WVL_SAMPLE_8,
                                         .depth = pc->depth};
    }
    wvl_cuda_build_tables(j->plan, j->tiles, count, &options, NULL, &o->t);
    o->t.splits = calloc(o->t.split_count, sizeof *o->t.splits);
    o->t.items = calloc(o->t.item_count, sizeof *o->t.items);
    o->t.launches = calloc(o->t.launch_count, sizeof *o->t.launches);
    o->t.fronts = calloc((size_t)count * j->format.component_count, sizeof *o->t.fronts);
    uint64_t flags = o->t.flag_count, items = o->t.item_count;
    wvl_cuda_build_tables(j->plan, j->tiles, count, &options, &memory, &o->t);
    REQUIRE_THAT(o->t.flag_count <= flags && o->t.item_count <= items, "%llu flags of %llu: %s",
                 (unsigned long long)o->t.flag_count, (unsigned long long)flags, j->name);
}

static void close_tables(tables_of *o)
{
    free(o->t.splits);
    free(o->t.items);
    free(o->t.launches);
    free(o->t.fronts);
}

/* ---- What is stored -------------------------------------------------------------------------- */

typedef struct plane {
    wvl_rect rect;
    uint8_t *there;
} plane;

static int is_there(const plane *p, int64_t x, int64_t y)
{
    return p->there[(y - p->rect.y0) * (int64_t)wvl_rect_width(p->rect) + (x - p->rect.x0)];
}

/* Lanes of a panel of march.cuh that are its own, wherever they are; the column of one of them, in the picture or in
 * all that stand beside. */
static void own_lanes(const wvl_cuda_split *of, const wvl_cuda_item *item, int64_t *first, int64_t *end)
{
    *first = !of->lead && !item->x ? 0 : of->room;
    *end = !of->lead && item->x + 1 == of->panels ? 32 : 32 - (int64_t)of->room;
}
static int64_t lane_run(const wvl_cuda_split *of, const wvl_cuda_item *item, int64_t lane)
{
    return (int64_t)item->x * (32 - 2 * (int64_t)of->room) - of->lead + lane;
}

/* The last samples of an item of march.cuh: lanes but the outer ones, rows of the second level that its iterations end.
 */
static void store_item(plane *p, const wvl_cuda_split *front, const wvl_cuda_item *item)
{
    const int64_t base = (((int64_t)front->rect.y0 >> 1) - 1) >> 1, lag = !front->reversible,
                  width = wvl_rect_width(front->rect);
    for (int64_t m = base + item->y; m < base + item->y + item->count; m++) {
        int64_t first, end;
        own_lanes(front, item, &first, &end);
        for (int64_t lane = first; lane < end; lane++) {
            int64_t col = lane_run(front, item, lane) * front->columns, y = m - lag;
            for (int64_t i = 0; i < front->columns / 4 && col >= 0 && col < width && y >= p->rect.y0 && y < p->rect.y1;
                 i++) {
                p->there[(y - p->rect.y0) * (int64_t)wvl_rect_width(p->rect) + col / 4 + i] = 1;
            }
        }
    }
}

/* The split whose flags an item asks, and the items that it has, by their numbers. */
static const wvl_cuda_split *find_front(const wvl_cuda_tables *t, uint64_t flags, uint64_t *first)
{
    const wvl_cuda_split *front = NULL;
    for (uint64_t i = 0; i < t->split_count && !front; i++) {
        front = t->splits[i].flags == flags ? &t->splits[i] : NULL;
        *first = i;
    }
    return front;
}

/* Three components share the items of the first. */
static int item_serves(const wvl_cuda_tables *t, const wvl_cuda_item *item, uint64_t number)
{
    uint32_t part = t->splits[number].mct_part;
    return item->split + (part ? part - 1u : 0u) == number;
}

static void store_window(const wvl_cuda_tables *t, const wvl_cuda_item *asks, plane *p, const job *j)
{
    uint64_t number, found = 0;
    const wvl_cuda_split *front = find_front(t, t->splits[asks->split].front_flags, &number);
    REQUIRE_THAT(front && asks->front_cols && front->flags >= FLAGS, "no front: %s", j->name);
    memset(p->there, 0, (size_t)wvl_rect_width(p->rect) * wvl_rect_height(p->rect));
    for (const wvl_cuda_item *item = t->items; item < asks; item++) {
        uint32_t row = (item->flag - asks->front) / asks->front_pitch,
                 col = (item->flag - asks->front) % asks->front_pitch;
        if (item_serves(t, item, number) && item->flag >= asks->front && row < asks->front_rows &&
            col < asks->front_cols) {
            store_item(p, front, item);
            found++;
        }
    }
    REQUIRE_THAT(found == (uint64_t)asks->front_rows * asks->front_cols, "%llu of %u flags: %s",
                 (unsigned long long)found, asks->front_rows * asks->front_cols, j->name);
}

/* ---- What is read ---------------------------------------------------------------------------- */

static int64_t mirror(int64_t at, int64_t first, int64_t end)
{
    while (at < first || at >= end) {
        at = end - first == 1 ? first : at < first ? 2 * first - at : 2 * (end - 1) - at;
    }
    return at;
}

/* Columns and rows before mirroring. */
static void read_area(const plane *p, int64_t x0, int64_t x1, int64_t y0, int64_t y1, const job *j)
{
    for (int64_t y = y0; y < y1; y++) {
        for (int64_t x = x0; x < x1; x++) {
            int64_t mx = mirror(x, p->rect.x0, p->rect.x1), my = mirror(y, p->rect.y0, p->rect.y1);
            REQUIRE_THAT(is_there(p, mx, my), "sample %lld,%lld (%lld,%lld) is not waited for: %s", (long long)mx,
                         (long long)my, (long long)x, (long long)y, j->name);
        }
    }
}

static void read_march(const plane *p, const wvl_cuda_split *split_of, const wvl_cuda_item *item, const job *j)
{
    const int64_t base = (((int64_t)split_of->rect.y0 >> 1) - 1) >> 1, warm = split_of->reversible ? 2 : 5,
                  r0 = split_of->reversible ? 3 : 5;
    const int64_t width = wvl_rect_width(split_of->rect), m = base + item->y - warm, to = base + item->y + item->count;
    for (int64_t lane = 0; lane < 32; lane++) {
        int64_t col = lane_run(split_of, item, lane) * split_of->columns;
        col = split_of->rect.x0 + (col < 0 ? 0 : col > width - split_of->columns ? width - split_of->columns : col);
        read_area(p, col, col + split_of->columns, 4 * m + r0 - 1, 4 * (to - 1) + r0 + 4, j);
    }
    windows[0]++;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void read_cascade(const plane *p, const wvl_cuda_split *splits, const wvl_cuda_item *item, const job *j)
{
    const int reach = splits->reversible ? WVL_CUDA_CASCADE_REACH53 : WVL_CUDA_CASCADE_REACH97,
              shift = splits->chain - 1;
    const int64_t margin = wvl_cuda_cascade_margin(reach, shift), scale = 1 << shift;
    const wvl_rect deep = splits[shift].rect, r = splits->rect;
    int64_t c0 = (deep.x0 & ~3u) + (int64_t)item->x * splits->tile_width,
            r0 = (deep.y0 & ~7u) + (int64_t)item->y * splits->tile_height;
    int64_t left = larger(c0 * scale - margin, r.x0), top = larger(r0 * scale - margin, r.y0) & ~7;
    int64_t right = (c0 + splits->tile_width) * scale + margin, bottom = (r0 + splits->tile_height) * scale + margin;
    right = right > r.x1 ? r.x1 : right;
    bottom = bottom > r.y1 ? r.y1 : bottom;
    read_area(p, left - 4, right + 4, top - reach, bottom + reach, j);
    windows[1]++;
}

static void read_last(const plane *p, const wvl_cuda_split *split_of, const wvl_cuda_item *item, const job *j)
{
    const int reach = split_of->reversible ? WVL_CUDA_CASCADE_REACH53 : WVL_CUDA_CASCADE_REACH97;
    const wvl_rect r = split_of->rect;
    int64_t x = (r.x0 & ~3u) + (int64_t)item->x * WVL_CUDA_CASCADE_OWN,
            y = (r.y0 & ~7u) + (int64_t)item->y * WVL_CUDA_CASCADE_ROWS;
    int64_t right = x + WVL_CUDA_CASCADE_OWN, bottom = y + WVL_CUDA_CASCADE_ROWS;
    right = right > r.x1 ? r.x1 : right;
    bottom = bottom > r.y1 ? r.y1 : bottom;
    read_area(p, x - reach, right + reach - (right < r.x1), larger(y, r.y0) - reach, bottom + reach - (bottom < r.y1),
              j);
    windows[3]++;
}

static void read_tile(const plane *p, const wvl_cuda_split *split_of, const wvl_cuda_item *item, const job *j)
{
    const wvl_rect r = split_of->rect;
    int64_t x = (r.x0 & ~7u) + (int64_t)item->x * WVL_CUDA_TILE_WIDTH - 4,
            y = (r.y0 & ~7u) + (int64_t)item->y * WVL_CUDA_TILE_HEIGHT - 4;
    int64_t end = x + WVL_CUDA_TILE_WIDTH + 8;
    if (split_of->chain) {
        read_area(p, r.x0, r.x1, r.y0, r.y1, j);
    } else {
        read_area(p, x, end > (int64_t)r.x1 + 4 ? (int64_t)r.x1 + 4 : end, y, y + WVL_CUDA_TILE_HEIGHT + 7, j);
    }
    windows[2]++;
}

static void check_item(const wvl_cuda_tables *t, unsigned family, const wvl_cuda_item *item, const job *j)
{
    const wvl_cuda_split *split_of = &t->splits[item->split];
    if (!item->front_rows) {
        return;
    }
    plane p = {split_of->rect, malloc((size_t)wvl_rect_width(split_of->rect) * wvl_rect_height(split_of->rect))};
    store_window(t, item, &p, j);
    if (family == WVL_CUDA_FAMILY_MARCH) {
        read_march(&p, split_of, item, j);
    } else if (family == WVL_CUDA_FAMILY_LAST) {
        read_last(&p, split_of, item, j);
    } else if (family == WVL_CUDA_FAMILY_CASCADE) {
        read_cascade(&p, split_of, item, j);
    } else {
        read_tile(&p, split_of, item, j);
    }
    free(p.there);
}

/* Flags of splits do not overlap. */
static void check_flags(const wvl_cuda_tables *t, const job *j)
{
    uint64_t used = 0;
    uint8_t *taken = calloc(t->flag_count + 1, 1);
    for (uint64_t i = 0; i < t->item_count; i++) {
        for (uint64_t k = 0; k < 3 && t->items[i].split + k < t->split_count; k++) {
            const wvl_cuda_split *of = &t->splits[t->items[i].split + k];
            uint64_t at = of->flags ? (of->flags - FLAGS) / 4 + t->items[i].flag : 0;
            if (of->flags && item_serves(t, &t->items[i], t->items[i].split + k)) {
                REQUIRE_THAT(at < t->flag_count && !taken[at], "flag %llu: %s", (unsigned long long)at, j->name);
                taken[at] = 1;
                used++;
            }
        }
    }
    REQUIRE_THAT(used == t->flag_count, "%llu of %llu flags are set: %s", (unsigned long long)used,
                 (unsigned long long)t->flag_count, j->name);
    free(taken);
}

/* A launch knows its split exactly if it has but one. */
static void check_only(const wvl_cuda_tables *t, uint64_t at_launch, const job *j)
{
    const wvl_cuda_item *items = &t->items[t->launches[at_launch].first_item];
    uint32_t others = 0;
    for (uint32_t i = 1; i < t->launches[at_launch].item_count; i++) {
        others += items[i].split != items->split;
    }
    REQUIRE_THAT(t->launches[at_launch].only == (others ? 0 : items->split + 1), "the only split of launch %llu: %s",
                 (unsigned long long)at_launch, j->name);
}

/* Items of a launch, or of several, by the splits that they are of. */
typedef struct launch {
    const wvl_cuda_split *splits;
    const wvl_cuda_item *items;
    uint64_t first_split, end_split, item_count;
} launch;

static uint64_t count_runs(const wvl_cuda_split *of)
{
    return of->columns ? wvl_rect_width(of->rect) / of->columns : 0;
}

/* Every lane of every picture is some panel's own, once an iteration. Of three components the first has the items;
 * other_levels: there are splits of later launches, too. */
static void check_owned(const launch *l, int other_levels, const job *j)
{
    uint64_t *at = calloc(l->end_split + 1, sizeof *at);
    for (uint64_t k = l->first_split; k < l->end_split; k++) {
        at[k + 1] = at[k] + count_runs(&l->splits[k]);
    }
    uint32_t *owned = calloc(at[l->end_split] + 1, sizeof *owned);
    for (uint64_t i = 0; i < l->item_count; i++) {
        const wvl_cuda_item *item = &l->items[i];
        const wvl_cuda_split *of = &l->splits[item->split];
        const int64_t runs = (int64_t)count_runs(of);
        int64_t lane, end;
        for (own_lanes(of, item, &lane, &end); lane < end; lane++) {
            int64_t n = lane_run(of, item, lane);
            if (n >= 0 && n < runs * of->beside) {
                owned[at[item->split + (uint64_t)(n / runs) * of->beside_splits] + (uint64_t)(n % runs)] += item->count;
            }
        }
        crossing += of->beside > 1 && item->x * 30 / runs != (item->x * 30 + 29) / runs;
    }
    for (uint64_t k = l->first_split; k < l->end_split; k++) {
        const wvl_cuda_split *of = &l->splits[k];
        uint32_t wanted = of->mct_part > 1 || (other_levels && !of->from_pixels) ? 0 : of->iterations;
        for (uint64_t n = 0; n < count_runs(of); n++) {
            REQUIRE_THAT(owned[at[k] + n] == wanted, "split %llu, lane %llu: %u of %u iterations: %s",
                         (unsigned long long)k, (unsigned long long)n, owned[at[k] + n], wanted, j->name);
        }
    }
    free(owned);
    free(at);
}

/* Pictures that stand beside the first one. */
static void check_beside(const launch *l, const job *j)
{
    for (uint64_t number = l->first_split; number < l->end_split; number++) {
        const wvl_cuda_split *split_of = &l->splits[number];
        for (uint32_t k = 1; k < split_of->beside; k++) {
            const wvl_cuda_split *other = split_of + (uint64_t)k * split_of->beside_splits;
            REQUIRE_THAT(other < l->splits + l->end_split && rects_alike(other->rect, split_of->rect) &&
                             other->rect.y0 == split_of->rect.y0 && !other->flags && other->beside == 1,
                         "picture %u beside: %s", k, j->name);
        }
    }
}

static void check_march(const wvl_cuda_tables *t, uint64_t at_launch, const job *j)
{
    const wvl_cuda_launch *r = &t->launches[at_launch];
    const launch l = {t->splits, t->items + r->first_item, r->first_split,
                      at_launch + 1 < t->launch_count ? r[1].first_split : t->split_count, r->item_count};
    const wvl_cuda_kernel_row *row = &wvl_cuda_kernel_rows[r->kernel];
    if (row->family == WVL_CUDA_FAMILY_MARCH && row->share != WVL_CUDA_SHARE_PACK) {
        check_owned(&l, 0, j);
        check_beside(&l, j);
    }
}

/* A launch that is finished once more stays as it is. */
static void check_again(const wvl_cuda_tables *t, uint64_t at_launch, const job *j)
{
    const uint32_t count = t->launches[at_launch].item_count;
    wvl_cuda_item *items = &t->items[t->launches[at_launch].first_item], *before = malloc(count * sizeof *before);
    memcpy(before, items, count * sizeof *before);
    uint64_t left = wvl_cuda_finish_items(t->launches[at_launch].kernel,
                                          (uint64_t)j->plan->syntax.tile_count * j->format.component_count, t->splits,
                                          items, count);
    REQUIRE_THAT(left == count && !memcmp(before, items, count * sizeof *before), "%llu of %u items: %s",
                 (unsigned long long)left, count, j->name);
    free(before);
}

static void check_windows(job *j)
{
    static tables_of o;
    plan_job(j);
    open_tables(j, &o);
    check_flags(&o.t, j);
    for (uint64_t r = 0; r < o.t.launch_count; r++) {
        const wvl_cuda_item *items = &o.t.items[o.t.launches[r].first_item];
        check_only(&o.t, r, j);
        check_march(&o.t, r, j);
        uneven += o.t.splits[items->split].long_rows < o.t.splits[items->split].rows;
        for (uint32_t i = 0; i < o.t.launches[r].item_count; i++) {
            REQUIRE_THAT(!i || items[i].count <= WVL_CUDA_MARCH_SHORT_MOST ||
                             items[i - 1].count > WVL_CUDA_MARCH_SHORT_MOST ||
                             o.t.splits[items->split].long_rows == o.t.splits[items->split].rows,
                         "order of items: %s", j->name);
            check_item(&o.t, wvl_cuda_kernel_rows[o.t.launches[r].kernel].family,
                       &o.t.items[o.t.launches[r].first_item + i], j);
        }
    }
    for (uint64_t r = 0; r < o.t.launch_count; r++) {
        check_again(&o.t, r, j);
    }
    close_tables(&o);
    free_job(j);
}

/* Launches of several pictures, merged as the benchmark does. */
typedef struct merged {
    wvl_cuda_split *splits;
    wvl_cuda_item *items;
    uint64_t split_count, item_count;
    uint32_t kernel;
} merged;

/* The first launch of one picture more. */
static void merge_picture(const job *j, const tables_of *o, uint32_t number, uint32_t bundle, merged *m)
{
    uint64_t blocks = o->t.block_count * 4, at = (uint64_t)number * wvl_align_up(o->t.coef_bytes, 256);
    wvl_cuda_memory memory = {.coefs = (UINT64_C(1) << 41) + at,
                              .bounds = (1u << 20) + number * wvl_align_up(blocks, 256),
                              .outside = 1u << 16,
                              .planes = UINT64_C(1) << 40,
                              .flags = FLAGS,
                              .pixels = o->pixels};
    const wvl_cuda_table_options options = {.bundle = bundle, .multiprocessors = machine};
    wvl_cuda_tables t = o->t;
    t.splits = m->splits + m->split_count;
    t.items = calloc(o->t.item_count + 1000, sizeof *t.items);
    wvl_cuda_build_tables(j->plan, j->tiles, j->plan->syntax.tile_count, &options, &memory, &t);
    for (uint64_t r = 0; r < t.launch_count; r++) {
        for (uint32_t i = 0;
             i < t.launches[r].item_count && wvl_cuda_kernel_rows[t.launches[r].kernel].share == WVL_CUDA_SHARE_MIX;
             i++) {
            m->kernel = t.launches[r].kernel;
            m->items[m->item_count] = t.items[t.launches[r].first_item + i];
            m->items[m->item_count++].split += (uint32_t)m->split_count;
        }
    }
    m->split_count += t.split_count;
    free(t.items);
}

static void check_bundle(job *j, uint32_t bundle)
{
    static tables_of o;
    plan_job(j);
    open_tables(j, &o);
    merged m = {calloc(o.t.split_count * bundle, sizeof *m.splits),
                calloc((o.t.item_count + 1000) * bundle, sizeof *m.items), 0, 0, 0};
    for (uint32_t f = 0; f < bundle; f++) {
        merge_picture(j, &o, f, bundle, &m);
    }
    uint64_t before = m.item_count;
    m.item_count = wvl_cuda_finish_items(m.kernel, (uint64_t)j->plan->syntax.tile_count * 3 * bundle, m.splits, m.items,
                                         m.item_count);
    REQUIRE_THAT(before && m.item_count <= before, "%llu of %llu items: %s", (unsigned long long)m.item_count,
                 (unsigned long long)before, j->name);
    check_owned(&(launch){m.splits, m.items, 0, m.split_count, m.item_count}, 1, j);
    free(m.splits);
    free(m.items);
    close_tables(&o);
    free_job(j);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

TEST_EACH(shapes, 192)
{
    static job j;
    seed_state = (uint64_t)_i + 1;
    default_job(&j);
    j.settings.reversible = _i & 1;
    j.settings.levels = (uint8_t)between(3, 8);
    j.format.component_count = _i & 2 ? 3 : 1;
    for (unsigned c = 0; c < COMPONENTS; c++) {
        j.components[c].depth = _i & 4 ? 12 : 8;
    }
    uint32_t x0 = 16 * between(0, 5), y0 = between(0, 40), align = _i & 8 ? 16 : 64;
    place_picture(&j, align * between(64 / align, 1536 / align), between(64, 900), x0, _i & 16 ? y0 : 16 * (y0 / 16));
    if (_i & 32) {
        j.settings.tile_width = 16 * between(10, 50);
        j.settings.tile_height = 16 * between(10, 40);
    }
    check_windows(&j);
}

TEST_EACH(large, 14)
{
    static job j;
    static const struct {
        uint32_t w, h, components, tile;
    } sizes[] = {{4096, 2160, 3, 0},    {2048, 1080, 3, 0}, {4096, 4096, 1, 0}, {8192, 3000, 1, 0},
                 {8192, 4096, 3, 2048}, {8192, 6400, 1, 0}, {3040, 2960, 1, 0}};
    default_job(&j);
    j.settings.reversible = _i & 1;
    j.format.component_count = sizes[_i / 2].components;
    place_picture(&j, sizes[_i / 2].w, sizes[_i / 2].h, 0, 0);
    if (sizes[_i / 2].tile) {
        j.settings.tile_width = sizes[_i / 2].tile;
        j.settings.tile_height = sizes[_i / 2].tile / 2;
    }
    check_windows(&j);
}

TEST_EACH(bundles, 24)
{
    static job j;
    seed_state = 919191u + (uint64_t)_i;
    default_job(&j);
    j.settings.reversible = 0;
    j.format.component_count = 3;
    uint32_t width = _i ? 16 * between(33, 70) : 800, cols = _i ? between(1, 4) : 2,
             height = _i ? between(260, 900) : 800; /* lower cells would differ */
    place_picture(&j, cols * width, height, 0, 0);
    j.settings.tile_width = width;
    j.settings.tile_height = height;
    check_bundle(&j, _i ? between(8, 20) : 17);
}

int main(void)
{
    int failed = test_run_suite_as("window", CK_NOFORK);
    printf("windows: %llu of marching, %llu of cascades, %llu of last levels, %llu of tiles\n",
           (unsigned long long)windows[0], (unsigned long long)windows[1], (unsigned long long)windows[3],
           (unsigned long long)windows[2]);
    return failed || !windows[0] || !windows[1] || !windows[2] || !windows[3] || !uneven || !crossing;
}
