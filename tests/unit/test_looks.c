/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks, counted loop by loop. Each look says how much was done since the one before; the sums must be what the picture
 * has, so that a look that somebody takes away is missed. Raised at any look of any loop, an encode ends as cancelled,
 * after no more looks than every thread may be at.
 */

#include "base/context.h"
#include "codec/t2/precinct.h"
#include "tests/support/api.h"

#define WIDTH 700u
#define HEIGHT 500u
#define THREADS 2u

static const char *const names[WVL_LOOK_KINDS] = {"transform", "code",    "weigh",   "visit", "sum",     "gains",
                                                  "collect",   "fill",    "rebuild", "rows",  "columns", "compare",
                                                  "divide",    "lengths", "write",   "plan",  "list",    "clear"};

/* What an observer of looks has seen, and at which it raises. */
typedef struct watch {
    wvl_cancel *cancel;
    _Atomic uint64_t sums[WVL_LOOK_KINDS], counts[WVL_LOOK_KINDS], most[WVL_LOOK_KINDS];
    _Atomic uint64_t portions; /* whole ones of lists, WVL_LOOK_LISTED blocks each */
    unsigned kind;             /* of the look that raises */
    uint64_t at;               /* its number, from 1; 0: none */
    _Atomic uint64_t after;    /* looks since then */
    unsigned stages;           /* a bit for each stage that reported progress */
} watch;

static void note(void *user, wvl_look_kind kind, uint64_t work)
{
    watch *w = user;
    uint64_t most = atomic_load(&w->most[kind]);
    atomic_fetch_add(&w->sums[kind], work);
    atomic_fetch_add(&w->portions, kind == WVL_LOOK_LIST && work == WVL_LOOK_LISTED);
    while (work > most && !atomic_compare_exchange_weak(&w->most[kind], &most, work)) {
    }
    if (wvl_cancel_is_raised(w->cancel)) {
        atomic_fetch_add(&w->after, 1);
    }
    if (atomic_fetch_add(&w->counts[kind], 1) + 1 == w->at && kind == w->kind) {
        wvl_cancel_raise(w->cancel);
    }
}

typedef struct bench {
    wvl_context *context;
    wvl_params *params;
    wvl_component_format components[3];
    wvl_image_format format;
    uint8_t *pixels;
    wvl_plane planes[3];
    wvl_image image;
} bench;

static void draw(uint8_t *pixels)
{
    uint32_t noise = 1;
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        uint32_t x = i % WIDTH, y = i / WIDTH;
        noise = noise * 1664525u + 1013904223u;
        for (unsigned c = 0; c < 3; c++) {
            pixels[3 * i + c] = (uint8_t)(x / 4 + y / (3 + c) + (noise >> 28) + ((x / 32 + y / 32) & 1 ? 40 : 0));
        }
    }
}

static void open_bench(bench *b, const char *settings)
{
    memset(b, 0, sizeof *b);
    b->context = test_open_context(THREADS);
    b->params = test_open_params(b->context, settings);
    b->pixels = malloc((size_t)3 * WIDTH * HEIGHT);
    draw(b->pixels);
    for (unsigned c = 0; c < 3; c++) {
        b->components[c] = (wvl_component_format){.depth = 8};
        b->planes[c] = (wvl_plane){.data = b->pixels,
                                   .pitch_bytes = 3 * WIDTH,
                                   .sample_stride = 3,
                                   .first_sample = c,
                                   .container = WVL_SAMPLE_8};
    }
    b->format = (wvl_image_format){
        .struct_size = sizeof b->format, .x1 = WIDTH, .y1 = HEIGHT, .component_count = 3, .components = b->components};
    b->image = (wvl_image){.struct_size = sizeof b->image, .planes = b->planes, .plane_count = 3};
}

static void close_bench(bench *b)
{
    free(b->pixels);
    wvl_params_release(b->params);
    wvl_context_release(b->context);
}

#define owned_bench OWNED_BY(close_bench) bench

static int note_stage(void *user, uint64_t done, uint64_t total, wvl_stage stage)
{
    watch *w = user;
    (void)done, (void)total;
    w->stages |= 1u << stage;
    return 0;
}

#define EARLY UINT64_MAX /* raised before the picture begins */

/* Plans and encodes with a fresh token. */
static wvl_status run(bench *b, watch *w, unsigned kind, uint64_t at)
{
    char text[512];
    wvl_plan *plan;
    memset(w, 0, sizeof *w);
    w->kind = kind;
    w->at = at;
    ck_assert_int_eq(wvl_cancel_create(b->context, &w->cancel), WVL_OK);
    w->cancel->flag.note = note;
    w->cancel->flag.note_user = w;
    wvl_plan_request request = {.struct_size = sizeof request,
                                .context = b->context,
                                .params = b->params,
                                .format = &b->format,
                                .cancel = w->cancel,
                                .error = text,
                                .error_bytes = sizeof text};
    wvl_status status = wvl_plan_build(&request, &plan);
    if (status == WVL_OK) {
        wvl_sink sink = {.struct_size = sizeof sink, .write = test_swallow};
        wvl_control control = {
            .struct_size = sizeof control, .progress = note_stage, .progress_user = w, .cancel = w->cancel};
        if (at == EARLY) {
            wvl_cancel_raise(w->cancel);
        }
        status = wvl_encode(plan, &b->image, &sink, &control, NULL, text, sizeof text);
    }
    ck_assert_msg(status == WVL_OK || status == WVL_CANCELLED, "%s", text);
    wvl_plan_release(plan);
    wvl_cancel_release(w->cancel);
    return status;
}

/* What a whole picture is, in the units of the looks. */
typedef struct amounts {
    uint64_t blocks, precincts, packets, samples, tiles, inverse;
    uint64_t nodes, trees; /* of one tag tree for each precinct and band; bands of precincts */
} amounts;

static void add_trees(const wvl_plan *plan, const wvl_tile_plan *tile, amounts *a)
{
    wvl_t2_sizes sizes;
    OWNED wvl_precinct *precincts = malloc(tile->precinct_count * sizeof *precincts);
    wvl_t2_build_precincts(plan, tile, precincts, NULL, &sizes);
    a->nodes += sizes.nodes / 2;
    for (uint64_t p = 0; p < tile->precinct_count; p++) {
        for (unsigned i = 0; i < precincts[p].band_count; i++) {
            a->trees += wvl_precinct_blocks(&precincts[p].band[i]) != 0;
        }
    }
}

static amounts measure(bench *b)
{
    wvl_plan *plan;
    wvl_tile_plan tile;
    wvl_carver carver = {NULL, 0};
    ck_assert_int_eq(wvl_plan_create(b->context, b->params, &b->format, NULL, &plan), WVL_OK);
    wvl_tile_plan_carve(plan, &carver, &tile);
    carver = (wvl_carver){aligned_alloc(64, carver.used), 0};
    uint8_t *memory = carver.base;
    wvl_tile_plan_carve(plan, &carver, &tile);
    amounts a = {.samples = plan->syntax.total_samples, .tiles = plan->syntax.tile_count};
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        wvl_tile_plan_build(plan, t, &tile);
        a.blocks += tile.block_count;
        a.precincts += tile.precinct_count;
        add_trees(plan, &tile, &a);
        for (uint32_t r = 0; r < tile.resolution_count; r++) { /* all but the lowest are put together */
            wvl_rect rect = tile.resolutions[r].rect;
            a.inverse +=
                tile.resolutions[r].band_count == 1 ? 0 : (uint64_t)wvl_rect_width(rect) * wvl_rect_height(rect);
        }
    }
    a.packets = a.precincts * plan->syntax.layer_count;
    free(memory);
    wvl_plan_release(plan);
    return a;
}

/* Settings, and the loops that they are there for. */
typedef struct row {
    const char *settings;
    unsigned kinds;
} row;
#define HAS(kind) (1u << WVL_LOOK_##kind)
#define ALWAYS                                                                                                         \
    (HAS(TRANSFORM) | HAS(CODE) | HAS(VISIT) | HAS(SUM) | HAS(DIVIDE) | HAS(LENGTHS) | HAS(WRITE) | HAS(PLAN) |        \
     HAS(LIST) | HAS(CLEAR))
static const row rows[] = {
    {"reversible=yes", ALWAYS},
    {"reversible=no tile=200,150 block=16,16 precincts=[64,64]", ALWAYS},
    {"reversible=no levels=0 mct=off", ALWAYS},
    {"reversible=no bpp=0.5,1 rdoq=no block=16,16 precincts=[128,128] tile-parts=R",
     ALWAYS | HAS(GAINS) | HAS(COLLECT) | HAS(FILL)},
    {"reversible=no bpp=1 rdoq=yes block=16,16", ALWAYS | HAS(WEIGH) | HAS(GAINS)},
    {"reversible=no psnr=34 block=16,16", ALWAYS | HAS(GAINS) | HAS(REBUILD) | HAS(ROWS) | HAS(COLUMNS) | HAS(COMPARE)},
    {"reversible=yes layers=3 measure-psnr=yes",
     ALWAYS | HAS(GAINS) | HAS(REBUILD) | HAS(ROWS) | HAS(COLUMNS) | HAS(COMPARE)},
    {"reversible=no bpp=1 style=HT block=16,16", ALWAYS | HAS(GAINS)},
    {"reversible=no bpp=1 block=4,4", ALWAYS | HAS(WEIGH) | HAS(GAINS)}, /* packets of many blocks */
    {"reversible=yes plt=yes tile=200,150", ALWAYS},
    {"reversible=no psnr=34 tile=60,60 levels=2", ALWAYS | HAS(GAINS) | HAS(REBUILD) | HAS(ROWS) | HAS(COLUMNS)},
    {"reversible=yes packed-headers=ppm block=16,16 precincts=[64,64]", ALWAYS},
    {"reversible=yes packed-headers=ppt block=16,16 precincts=[64,64] tile-parts=R", ALWAYS},
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

TEST_EACH(every_loop_counts_its_work, ROWS)
{
    const row *r = &rows[_i];
    watch w;
    owned_bench b;
    open_bench(&b, r->settings);
    amounts a = measure(&b);
    ck_assert_int_eq(run(&b, &w, 0, 0), WVL_OK);
    ck_assert_uint_eq(w.sums[WVL_LOOK_PLAN], a.tiles);
    ck_assert_uint_eq(w.sums[WVL_LOOK_WRITE], a.packets);
    const struct {
        unsigned kind;
        uint64_t amount;
        int is_least; /* else a multiple */
    } sums[] = {
        {WVL_LOOK_LENGTHS, a.packets, 0},    {WVL_LOOK_DIVIDE, a.packets, 0},  {WVL_LOOK_CODE, a.blocks, 0},
        {WVL_LOOK_SUM, a.precincts, 0},      {WVL_LOOK_VISIT, a.precincts, 0}, {WVL_LOOK_TRANSFORM, a.samples, 1},
        {WVL_LOOK_WEIGH, a.blocks, 1},       {WVL_LOOK_GAINS, a.precincts, 0}, {WVL_LOOK_COLLECT, a.precincts, 0},
        {WVL_LOOK_REBUILD, a.blocks, 0},     {WVL_LOOK_ROWS, a.inverse, 0},    {WVL_LOOK_COLUMNS, a.inverse, 0},
        {WVL_LOOK_COMPARE, a.samples / 2, 1}};
    for (unsigned i = 0; i < sizeof sums / sizeof *sums; i++) {
        uint64_t sum = w.sums[sums[i].kind], amount = sums[i].amount;
        int is_there = r->kinds >> sums[i].kind & 1;
        ck_assert_msg(!is_there || (sum >= amount && (sums[i].is_least || sum % amount == 0)),
                      "%s: %s: %llu of %llu or a multiple", r->settings, names[sums[i].kind], (unsigned long long)sum,
                      (unsigned long long)amount);
    }
    for (unsigned kind = 0; kind < WVL_LOOK_KINDS; kind++) {
        ck_assert_msg(!(r->kinds >> kind & 1) || w.counts[kind], "%s: no look while it does %s", r->settings,
                      names[kind]);
    }
}

TEST_EACH(no_step_is_long, ROWS)
{
    watch w;
    owned_bench b;
    open_bench(&b, rows[_i].settings);
    ck_assert_int_eq(run(&b, &w, 0, 0), WVL_OK);
    static const uint64_t most[WVL_LOOK_KINDS] = {
        [WVL_LOOK_CODE] = WVL_LOOK_BLOCKS,    [WVL_LOOK_WEIGH] = WVL_LOOK_BLOCKS,
        [WVL_LOOK_REBUILD] = WVL_LOOK_BLOCKS, [WVL_LOOK_LIST] = WVL_LOOK_LISTED,
        [WVL_LOOK_CLEAR] = WVL_LOOK_BYTES,    [WVL_LOOK_TRANSFORM] = WVL_LOOK_SAMPLES,
        [WVL_LOOK_ROWS] = WVL_LOOK_SAMPLES,   [WVL_LOOK_COLUMNS] = WVL_LOOK_SAMPLES,
        [WVL_LOOK_COMPARE] = WVL_LOOK_SAMPLES};
    for (unsigned kind = 0; kind < WVL_LOOK_KINDS; kind++) {
        ck_assert(!most[kind] || w.most[kind] <= most[kind]);
    }
}

/*
 * Loops over the blocks of a packet, or of a list, one by one. Without rate control, with one level of one layer, every
 * band of a precinct is opened (blocks, and two trees but for their roots), cut for an empty layer and searched for
 * what joins it, cut, measured (its trees are copied; blocks come in and are put), and committed (blocks come in, are
 * put, and are listed). HT builds the second tree anew whenever blocks are put. The writer looks within packets, too.
 */
TEST_EACH(every_loop_over_blocks_looks, 2)
{
    static const char *const settings[] = {"reversible=yes levels=0 block=4,4 mct=off",
                                           "reversible=yes levels=0 block=4,4 mct=off style=HT"};
    watch w;
    owned_bench b;
    open_bench(&b, settings[_i]);
    amounts a = measure(&b);
    uint64_t tree = a.nodes - a.trees;
    ck_assert_int_eq(run(&b, &w, 0, 0), WVL_OK);
    uint64_t counted = 9 * a.blocks + 2 * tree + (_i ? 2 * (a.blocks + tree) : 0);
    uint64_t written = w.sums[WVL_LOOK_LIST] - counted; /* whole portions of 1024 blocks of each of three packets */
    ck_assert(written % 1024 == 0 && written <= a.blocks && written + UINT64_C(3) * 1024 > a.blocks);
    ck_assert_uint_ge(w.sums[WVL_LOOK_CLEAR], a.blocks * sizeof(wvl_coded_block) + 2 * a.nodes * sizeof(wvl_tag_node));
}

/* Lists that rate control goes through: of each component for the bodies and for the gains, of all for what was sent,
 * and, where blocks were quantised for slopes, of each for the slopes found and of all for how far off they are. */
TEST_EACH(every_list_looks, 2)
{
    watch w;
    owned_bench b;
    open_bench(&b, _i ? "reversible=no levels=0 block=4,4 mct=off bpp=1 rdoq=yes"
                      : "reversible=no levels=0 block=4,4 mct=off bpp=1 rdoq=no");
    amounts a = measure(&b);
    uint64_t each = 3 * (a.blocks / 3 / WVL_LOOK_LISTED), all = a.blocks / WVL_LOOK_LISTED;
    ck_assert_uint_gt(each, 0);
    ck_assert_int_eq(run(&b, &w, 0, 0), WVL_OK);
    ck_assert_uint_eq(w.portions, 2 * each + all + (_i ? each + all : 0));
}

/* Raised at the first, a middle and the last look of a loop. Every thread may be on its way to one look, and so may
 * what comes before the next check. */
TEST_EACH(every_loop_ends_soon, ROWS)
{
    const row *r = &rows[_i];
    watch all, w;
    owned_bench b;
    open_bench(&b, r->settings);
    b.format.x1 = r->kinds & HAS(WEIGH) ? WIDTH * 3 / 4 : WIDTH / 2; /* blocks of few pixels are not weighed */
    b.format.y1 = r->kinds & HAS(WEIGH) ? HEIGHT * 3 / 4 : HEIGHT / 2;
    ck_assert_int_eq(run(&b, &all, 0, 0), WVL_OK);
    for (unsigned kind = 0; kind < WVL_LOOK_KINDS; kind++) {
        uint64_t count = all.counts[kind], at[3] = {1, (count + 1) / 2, count - count / 8};
        for (unsigned i = 0; i < 3 && (r->kinds >> kind & 1); i++) {
            wvl_status status = run(&b, &w, kind, at[i]);
            ck_assert_msg(status == WVL_CANCELLED, "%s: raised at look %llu of %llu of %s: %s", r->settings,
                          (unsigned long long)at[i], (unsigned long long)count, names[kind], wvl_status_text(status));
            ck_assert_msg(w.after <= 64 * THREADS, "%s: raised at look %llu of %s: %llu looks after it", r->settings,
                          (unsigned long long)at[i], names[kind], (unsigned long long)w.after);
        }
    }
}

/* Raised before it begins, a picture ends in its first stage, and nothing is transformed. */
TEST_EACH(early_ends_at_once, ROWS)
{
    watch w;
    owned_bench b;
    open_bench(&b, rows[_i].settings);
    ck_assert_int_eq(run(&b, &w, 0, EARLY), WVL_CANCELLED);
    ck_assert_uint_eq(w.sums[WVL_LOOK_TRANSFORM], 0);
    ck_assert_uint_eq(w.stages & ~(1u << WVL_STAGE_TRANSFORM), 0);
}

TEST_MAIN("looks")
