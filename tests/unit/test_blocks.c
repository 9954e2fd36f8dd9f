/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface of block sources (codec/blocks/source.h), by a source that is not the pool's: like a device it takes
 * the order's thresholds as a snapshot, codes into memory of its own, and hands over a batch of plain data when all is
 * done. The codestream must be the same, byte by byte, whatever reason a picture is coded again for.
 */

#include "backend/registry.h"
#include "codec/write/finish.h"
#include "codec/write/writer.h"
#include "tests/support/api.h"
#include "waves/source_wave.h"

#define SIDE 512u
#define MOST_CHUNKS 64u

typedef struct codestream {
    uint8_t *data;
    size_t bytes;
    unsigned reasons; /* bit per wvl_recode_reason that came up */
    unsigned orders;
} codestream;

/* ---- A source of batches --------------------------------------------------------------------- */

typedef struct batch_source {
    const wvl_plan *plan;
    wvl_block_source pool;
    unsigned orders;
    int fails; /* the next order fails */
} batch_source;

enum { NOT_CODED = 0xFF }; /* planes */
/* BY_DEVICE: through what the conductor makes of a backend (source_wave.h). FAILING: its second order fails. */
typedef enum variant { BY_POOL, BY_BATCHES, BY_DEVICE, BY_DEVICE_FAILING } variant;

static void open_own(const wvl_plan *plan, const wvl_block_order *order, const wvl_keeper *keeper, wvl_keeper *own)
{
    memset(own, 0, sizeof *own);
    ck_assert(wvl_keeper_open(own, keeper->allocator));
    own->coefs = keeper->coefs;
    own->writer_count = keeper->writer_count;
    own->writers = aligned_alloc(64, own->writer_count * sizeof *own->writers);
    memset(own->writers, 0, own->writer_count * sizeof *own->writers);
    own->has_gains = keeper->has_gains;
    own->tiles = calloc(plan->syntax.tile_count, sizeof *own->tiles);
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        uint64_t count = keeper->tiles[t].block_count;
        own->tiles[t].blocks = calloc(count + 1, sizeof *own->tiles[t].blocks);
        own->tiles[t].block_count = count;
        for (uint64_t b = 0; b < count; b++) {
            own->tiles[t].blocks[b] = keeper->tiles[t].blocks[b];
            own->tiles[t].blocks[b].planes = NOT_CODED;
        }
    }
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        atomic_store(&own->thresholds[g], order->thresholds[g]);
    }
}

static void close_own(const wvl_plan *plan, wvl_keeper *own)
{
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        free(own->tiles[t].blocks);
    }
    free(own->tiles);
    free(own->writers);
    wvl_keeper_close(own);
}

static wvl_block_record record_of(const wvl_coded_block *b)
{
    return (wvl_block_record){.bytes_at = b->bytes_at,
                              .passes_at = b->passes_at,
                              .energy = b->energy,
                              .bytes = b->bytes,
                              .pass_count = b->pass_count,
                              .decided = b->decided,
                              .end_slope = b->end_slope,
                              .planes = b->planes,
                              .zero_planes = b->zero_planes,
                              .lift = b->lift,
                              .energy_shift = b->energy_shift,
                              .is_changed = b->is_changed};
}

static wvl_chunks chunks_of(const wvl_store *store, const uint8_t **list)
{
    ck_assert(store->chunk_count <= MOST_CHUNKS);
    for (uint64_t c = 0; c < store->chunk_count; c++) {
        list[c] = wvl_store_at(store, c << WVL_CHUNK_LOG2);
    }
    return (wvl_chunks){list, store->chunk_count};
}

/* Records of an order's blocks, in memory of malloc(). */
typedef struct answer {
    wvl_block_record *records;
    uint32_t *ranges, *blocks;
    const uint8_t *bytes[MOST_CHUNKS], *passes[MOST_CHUNKS];
} answer;

static void free_answer(answer *a)
{
    free(a->records);
    free(a->ranges);
    free(a->blocks);
    a->records = NULL;
    a->ranges = a->blocks = NULL;
}

/* Blocks that were not coded have no record. */
static wvl_block_batch list_answer(answer *a, const wvl_block_order *order, const wvl_keeper *own)
{
    uint64_t most = 1;
    for (uint64_t r = 0; r < order->range_count; r++) {
        most += order->ranges[r].count;
    }
    a->records = calloc(most, sizeof *a->records);
    a->ranges = calloc(most, sizeof *a->ranges);
    a->blocks = calloc(most, sizeof *a->blocks);
    wvl_block_batch batch = {
        a->records, a->ranges, a->blocks, 0, chunks_of(&own->bytes, a->bytes), chunks_of(&own->passes, a->passes)};
    for (uint64_t r = 0; r < order->range_count; r++) {
        const wvl_block_range *range = &order->ranges[r];
        for (uint32_t b = range->first; b < range->first + range->count; b++) {
            const wvl_coded_block *block = wvl_keeper_block(own, range, b);
            if (block->planes != NOT_CODED) {
                a->records[batch.count] = record_of(block);
                a->ranges[batch.count] = (uint32_t)r;
                a->blocks[batch.count++] = b;
            }
        }
    }
    return batch;
}

static int hand_over(const wvl_block_order *order, const wvl_keeper *own, wvl_keeper *keeper)
{
    OWNED_BY(free_answer) answer a;
    wvl_block_batch batch = list_answer(&a, order, own);
    return wvl_keep_batch(keeper, NULL, 0, order, &batch);
}

static wvl_status code(void *self, const wvl_block_order *order, wvl_keeper *keeper)
{
    batch_source *s = self;
    wvl_keeper own;
    s->orders++;
    open_own(s->plan, order, keeper, &own);
    wvl_status status = s->pool.code(s->pool.self, order, &own);
    if (s->fails) { /* all work is lost, and nothing of it must be seen */
        s->fails = 0;
        close_own(s->plan, &own);
        open_own(s->plan, order, keeper, &own);
        status = s->pool.code(s->pool.self, order, &own);
    }
    if (status == WVL_OK && !hand_over(order, &own, keeper)) {
        status = WVL_ERROR_MEMORY;
    }
    close_own(s->plan, &own);
    return status;
}

static wvl_status weigh(void *self, const wvl_block_order *order, wvl_keeper *keeper, uint32_t *weights)
{
    batch_source *s = self;
    return s->pool.weigh(s->pool.self, order, keeper, weights);
}

/* ---- A device that codes --------------------------------------------------------------------- */

/* Answers orders as a backend does that reaches BLOCKS: by the CPU's workers, with nothing known of what is kept. */
struct wvl_backend_job {
    const wvl_plan *plan;
    wvl_block_source pool;
    const wvl_keeper *kept; /* the coder's, for its tiles and allocator alone */
    const wvl_coefs *coefs;
    uint32_t tiles;
    wvl_keeper own;
    int has_own;
    answer answer;
    unsigned orders, fails_at; /* that order fails; 0: none */
    wvl_status failure;
};

static void close_answer(wvl_backend_job *job)
{
    if (job->has_own) {
        close_own(job->plan, &job->own);
    }
    free_answer(&job->answer);
    job->has_own = 0;
}

/* The slopes that the order brings along are those that the blocks seem to have. */
static void set_slopes(const wvl_block_order *order, const wvl_keeper *own)
{
    uint64_t n = 0;
    for (uint64_t r = 0; r < order->range_count && order->block_slopes; r++) {
        const wvl_block_range *range = &order->ranges[r];
        for (uint32_t b = range->first; b < range->first + range->count; b++) {
            wvl_keeper_block(own, range, b)->end_slope = order->block_slopes[n++];
        }
    }
}

static wvl_status device_code(wvl_backend_job *job, const wvl_block_order *order, wvl_block_batch *batch)
{
    wvl_block_order plain = *order;
    ck_assert_int_eq(order->which, WVL_BLOCKS_ALL);
    ck_assert((order->block_slopes != NULL) == (job->plan->rate.rdoq && order->range_count));
    close_answer(job);
    if (++job->orders == job->fails_at) {
        return job->failure;
    }
    open_own(job->plan, order, job->kept, &job->own);
    job->has_own = 1;
    set_slopes(order, &job->own);
    plain.sets_slopes = 0;
    wvl_status status = job->pool.code(job->pool.self, &plain, &job->own);
    *batch = list_answer(&job->answer, order, &job->own);
    return status;
}

static wvl_status device_collect(wvl_backend_job *job, wvl_coefs *coefs)
{
    memcpy(coefs, job->coefs, job->tiles * sizeof *coefs);
    return WVL_OK;
}

static const wvl_backend_vtable device = {.name = "device", .collect = device_collect, .code = device_code};

/* ---- Encoding by hand ------------------------------------------------------------------------ */

static int put(void *user, const void *data, size_t bytes)
{
    codestream *c = user;
    c->data = realloc(c->data, c->bytes + bytes + 1);
    memcpy(c->data + c->bytes, data, bytes);
    c->bytes += bytes;
    return 0;
}

/* The coefficients of all waves would be needed for tiles in several waves: pictures here have one. */
static void run_coder(const wvl_plan *plan, const wvl_coefs *coefs, uint32_t tiles, wvl_wave *wave, variant how,
                      codestream *c)
{
    OWNED wvl_coder *coder = calloc(1, sizeof *coder);
    wvl_coder_options options = {&plan->context->host, plan, plan->context->pool, 1, NULL, NULL, NULL, NULL, NULL};
    ck_assert_int_eq(wvl_coder_init(coder, &options), WVL_OK);
    batch_source source = {plan, coder->blocks.source, 0, 1};
    wvl_backend_job job = {.plan = plan,
                           .pool = coder->blocks.source,
                           .kept = &coder->blocks.keeper,
                           .coefs = coefs,
                           .tiles = tiles,
                           .fails_at = how == BY_DEVICE_FAILING ? 2 : 0,
                           .failure = WVL_ERROR_MEMORY};
    wvl_image image = {.struct_size = sizeof image};
    wvl_drive drive = {.plan = plan,
                       .wave = wave,
                       .table = &device,
                       .reach = WVL_REACH_BLOCKS,
                       .jobs = 1,
                       .count = 1,
                       .image = &image,
                       .coefs = wave->coefs,
                       .cut = {.plan = plan},
                       .next = {plan->syntax.tile_count, 0},
                       .flight[0] = {.job = &job, .count = tiles}};
    wvl_wave_source there;
    if (how == BY_BATCHES) {
        coder->blocks.source = (wvl_block_source){&source, 1, weigh, code};
    }
    /* The tile plans of the picture's one wave are not built again. */
    const wvl_tile_walk walk = wvl_wave_walk(plan, wave);
    const wvl_tile_plan untouched = wave->scratch;
    do {
        if (how >= BY_DEVICE) { /* before every wave */
            coder->blocks.source = wvl_wave_source_open(&there, &drive, &coder->blocks);
        }
        ck_assert_int_eq(wvl_coder_code_tiles(coder, coefs, tiles), WVL_OK);
        ck_assert_int_eq(wvl_coder_finish(coder, &walk, &wave->order), WVL_OK);
        c->reasons |= 1u << coder->recode.reason;
    } while (wvl_coder_wants_again(coder));
    ck_assert_int_eq(wvl_coder_write(coder, &walk, &wave->order, put, c), WVL_OK);
    ck_assert(walk.built == wave->tiles && !memcmp(&untouched, &wave->scratch, sizeof untouched));
    c->orders = source.orders + job.orders;
    ck_assert(how < BY_DEVICE || plan->rate.rdoq || (drive.used & WVL_DRIVE_BLOCKS)); /* rdoq weighs on the CPU */
    close_answer(&job);
    wvl_coder_fini(coder);
}

static codestream encode(const wvl_plan *plan, const wvl_image *image, variant how)
{
    const wvl_backend_vtable *table = wvl_backend_fetch_host();
    wvl_backend_options options = {&plan->context->host, plan->context->pool, NULL, NULL, NULL};
    wvl_backend *backend;
    wvl_backend_job *job;
    wvl_wave wave;
    codestream c = {NULL, 0, 0, 0};
    wvl_carver carver = {NULL, 0};
    wvl_wave_carve(plan, &carver, &wave);
    void *memory = aligned_alloc(64, carver.used);
    memset(memory, 0, carver.used);
    carver = (wvl_carver){memory, 0};
    wvl_wave_carve(plan, &carver, &wave);
    uint32_t tiles = wvl_wave_build(plan, 0, wave.tiles);
    ck_assert_uint_eq(tiles, plan->syntax.tile_count);
    ck_assert_int_eq(table->open(&options, &backend), WVL_OK);
    ck_assert_int_eq(wvl_backend_prepare_tiles(table, backend, plan->context->pool, plan, wave.tiles, tiles), WVL_OK);
    ck_assert_int_eq(table->submit(backend, image, wave.tiles, tiles, &job), WVL_OK);
    ck_assert_int_eq(table->wait(job, WVL_EVENT_DONE, UINT32_MAX), WVL_OK);
    ck_assert_int_eq(table->collect(job, wave.coefs), WVL_OK);
    run_coder(plan, wave.coefs, tiles, &wave, how, &c);
    table->release(job);
    table->close(backend);
    free(memory);
    return c;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

typedef struct example {
    const char *settings;
    int32_t bias;     /* of predicted thresholds: blocks are left too early */
    unsigned reasons; /* that must come up */
} example;

static const example examples[] = {
    {"reversible=yes", 0, 1u << WVL_RECODE_NONE},
    {"reversible=yes style=HT tile=200,300", 0, 1u << WVL_RECODE_NONE},
    {"reversible=no bpp=0.7 rdoq=no", 0, 1u << WVL_RECODE_NONE},
    {"reversible=no bpp=0.7 rdoq=no", 4000, 1u << WVL_RECODE_DEEPER},
    {"reversible=no bpp=0.3,0.9 rdoq=no block=16,16 tile=300,200", 4000, 1u << WVL_RECODE_DEEPER},
    {"reversible=no bpp=0.7 rdoq=yes", 0, 1u << WVL_RECODE_NONE},
    {"reversible=no bpp=0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8 block=8,8 rdoq=yes", 0, 1u << WVL_RECODE_NONE},
    {"reversible=no bpp=1 style=HT", 0, 1u << WVL_RECODE_RESCALED},
    {"reversible=no bpp=1.5 max-component-bytes=60000 mct=off progression=CPRL tile-parts=C rdoq=yes", 0,
     1u << WVL_RECODE_NONE},
};

/* Smooth, with edges and noise. */
static void draw(uint8_t *samples)
{
    uint32_t rng = 1;
    for (uint32_t y = 0; y < SIDE; y++) {
        for (uint32_t x = 0; x < SIDE; x++) {
            rng = rng * 1664525u + 1013904223u;
            uint32_t edge = (x / 40 + y / 56) % 3 * 50;
            samples[y * SIDE + x] = (uint8_t)(60 + edge + (x * y >> 13) % 40 + (rng >> 24) % (1 + x / 24));
        }
    }
}

TEST_EACH(batches_give_the_same_bytes, sizeof examples / sizeof examples[0])
{
    const example *e = &examples[_i];
    wvl_component_format components[3] = {
        {.depth = 8, .dx = 1, .dy = 1}, {.depth = 8, .dx = 1, .dy = 1}, {.depth = 8, .dx = 1, .dy = 1}};
    wvl_image_format format = {sizeof format, 0, 0, SIDE, SIDE, 3, components};
    OWNED uint8_t *samples = malloc(SIDE * SIDE);
    draw(samples);
    wvl_plane planes[3] = {{.data = samples, .pitch_bytes = SIDE, .container = WVL_SAMPLE_8},
                           {.data = samples, .pitch_bytes = SIDE, .container = WVL_SAMPLE_8},
                           {.data = samples, .pitch_bytes = SIDE, .container = WVL_SAMPLE_8}};
    wvl_image image = {.struct_size = sizeof image, .plane_count = 3, .planes = planes};
    owned_context *context = test_open_context(3);
    owned_plan *plan = test_open_plan(context, &format, e->settings);
    plan->test.depth_bias = e->bias;
    codestream pool = encode(plan, &image, BY_POOL);
    /* Which blocks the pool has left when it learns of a threshold depends on the threads, so the reason may not come
     * up there each time. Batches are coded for the thresholds of their beginning. */
    unsigned reasons = pool.reasons;
    for (variant how = BY_BATCHES; how <= BY_DEVICE_FAILING; how++) {
        codestream other = encode(plan, &image, how);
        ck_assert(other.orders || (how >= BY_DEVICE && plan->rate.rdoq));
        reasons |= other.reasons;
        ck_assert_msg(pool.bytes == other.bytes && !memcmp(pool.data, other.data, pool.bytes),
                      "\"%s\": %zu bytes, by variant %u %zu", e->settings, pool.bytes, how, other.bytes);
        free(other.data);
    }
    ck_assert_msg((reasons & e->reasons) == e->reasons, "\"%s\": reasons %x", e->settings, reasons);
    free(pool.data);
}

TEST_MAIN("blocks")
