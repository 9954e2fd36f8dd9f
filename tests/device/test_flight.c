/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures that a device finishes, HT and EBCOT side by side, through the interface and in every order: several
 * encoders of one context, pixels in memory of every kind, pictures received late and given back in any order, on
 * memory that is poisoned or dirty. The bytes are the CPU's when a picture is received and when it is given back. Runs
 * on the device in software, or on the machine's. WVL_CUDA_SUBSET: few flights, for checkers that are slow.
 */

#include "picture_bench.h"
#include "soft_find.h"
#include "tests/support/support.h"
#include "wavelane_frames.h"

#define PIXELS 3u         /* pictures of a recipe: their bytes differ in number */
#define MOST_CLIENTS 3u   /* encoders of a flight */
#define MOST_HELD 48u     /* pictures that were received and not given back */
#define MOST_FRAMES 64u   /* of an encoder */
#define MOST_BLOCKS 2048u /* of dirty memory */

/* ---- Recipes --------------------------------------------------------------------------------- */

/* The kinds are of the first picture of each. */
static const picture_row recipes[] = {
    {"style=HT", 131, 117, 3, 8, PICTURE_NATURAL},
    {"plt=yes", 131, 117, 3, 8, PICTURE_NATURAL},
    {"style=HT reversible=no step=0.004 measure-psnr=no plt=yes", 97, 83, 3, 8, PICTURE_NATURAL},
    {"style=TERMALL reversible=no step=0.004 measure-psnr=no block=32,32", 97, 83, 3, 8, PICTURE_NATURAL},
    {"style=HT tile=50,40 tile-parts=R tlm=yes progression=RPCL precincts=[64,32]", 100, 90, 3, 12, PICTURE_NATURAL},
    {"style=63 tile=50,40 tile-parts=R tlm=yes progression=PCRL precincts=[64,32]", 100, 90, 3, 12, PICTURE_NATURAL},
    {"style=HT reversible=no qfactor=80 measure-psnr=no block=32,32 container=jph", 60, 200, 1, 8, PICTURE_NATURAL},
    {"style=BYPASS reversible=no qfactor=80 measure-psnr=no block=16,64 container=jp2", 60, 200, 1, 8, PICTURE_NATURAL},
    {"style=HT levels=2 sop=yes eph=yes", 9, 260, 1, 16, PICTURE_NATURAL},
    {"style=RESET+VSC levels=2 sop=yes eph=yes", 9, 260, 1, 16, PICTURE_NATURAL},
    /* With rate control: */
    {"reversible=no bpp=2 rdoq=no measure-psnr=no block=16,16", 41, 37, 1, 8, PICTURE_NATURAL},
    {"max-bytes=900 rdoq=no style=TERMALL plt=yes progression=RPCL", 41, 37, 1, 12, PICTURE_NATURAL},
    {"layers=6 reversible=no bpp=1,3 measure-psnr=no block=16,16 tile-parts=L", 41, 37, 1, 8, PICTURE_NATURAL},
    {"style=HT reversible=no bpp=2 measure-psnr=no block=16,16", 41, 37, 1, 8, PICTURE_NATURAL},
    {"style=HT max-bytes=900 plt=yes progression=RPCL", 41, 37, 1, 12, PICTURE_NATURAL},
};
#define RECIPES (sizeof recipes / sizeof *recipes)
#define RATED 5u /* the last ones */
/* Recipes that fly: the device in software takes a second for a picture with rate control. */
static unsigned flying = RECIPES;

static picture_driver driver;
static picture_case cases[RECIPES][PIXELS];
static picture_pixels pixels[RECIPES][PIXELS]; /* each in memory of another kind */
static wvl_context *context;

static void open_recipe(unsigned r, unsigned i)
{
    static const picture_kind kinds[PIXELS] = {PICTURE_NATURAL, PICTURE_NOISE, PICTURE_SPARSE};
    static const wvl_memory_kind places[PIXELS] = {WVL_MEMORY_DEVICE, WVL_MEMORY_HOST, WVL_MEMORY_PINNED};
    picture_row row = recipes[r];
    row.kind = kinds[i];
    picture_case_draw(&cases[r][i], &row, r * PIXELS + i);
    REQUIRE(picture_pixels_open(&pixels[r][i], &driver, &cases[r][i], places[(r + i) % PIXELS]));
}

static void open_suite(void)
{
    REQUIRE_THAT(picture_driver_open(&driver), "no device: this suite runs on the software one, or on a real one");
    flying = soft_find() ? RECIPES - RATED : RECIPES;
    for (unsigned k = 0; k < RECIPES * PIXELS; k++) {
        open_recipe(k / PIXELS, k % PIXELS);
    }
}

static void close_suite(void)
{
    for (unsigned k = 0; k < RECIPES * PIXELS; k++) {
        picture_pixels_close(&pixels[k / PIXELS][k % PIXELS], &driver);
        picture_case_close(&cases[k / PIXELS][k % PIXELS]);
    }
    picture_driver_close(&driver);
}

static wvl_plan *make_plan(unsigned r, int on_device)
{
    char text[512], problem[256];
    snprintf(text, sizeof text, "device=cuda-only reach=packets output-memory=%s %s", on_device ? "device" : "host",
             recipes[r].settings);
    wvl_plan *plan = picture_make_plan(context, &cases[r][0].input.format, text, problem, sizeof problem);
    REQUIRE_THAT(plan, "%s", problem);
    return plan;
}

static void check_bytes(const wvl_finished *have, unsigned r, unsigned i, const char *when)
{
    const picture_case *want = &cases[r][i];
    uint8_t *bytes = picture_fetch(&driver, have);
    REQUIRE(bytes != NULL);
    REQUIRE_THAT(have->bytes == want->expected_bytes, "%s: recipe %u, picture %u: %llu bytes, not %zu", when, r, i,
                 (unsigned long long)have->bytes, want->expected_bytes);
    REQUIRE_THAT(!memcmp(bytes, want->expected, want->expected_bytes), "%s: recipe %u, picture %u: other bytes", when,
                 r, i);
    free(bytes);
}

/* ---- Dirty memory ---------------------------------------------------------------------------- */

typedef enum poison { POISON_NONE, POISON_A5, POISON_RANDOM, POISON_LEFT, POISONS } poison;

/* Memory of a context. A block that was freed is given again, with what was in it (POISON_LEFT), or filled anew. */
typedef struct dirt {
    pthread_mutex_t lock;
    int is_pinned;
    poison kind;
    uint64_t state;
    uint32_t live, count;
    struct {
        void *at;
        size_t bytes, asked; /* that it has, and that were asked for */
        int is_taken;
    } blocks[MOST_BLOCKS];
} dirt;

static dirt dirts[2]; /* pinned, and of the device */

static int spoil(dirt *d, void *at, size_t bytes)
{
    uint8_t *junk = malloc(bytes + sizeof(uint64_t));
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = d->kind == POISON_A5 ? UINT64_C(0xA5A5A5A5A5A5A5A5) : test_draw(&d->state);
        memcpy(junk + i, &word, sizeof word);
    }
    int failed = 0;
    if (d->is_pinned) {
        memcpy(at, junk, bytes);
    } else {
        failed = driver.runtime.upload((wvl_cuda_address)(uintptr_t)at, junk, bytes, NULL);
        failed |= driver.runtime.stream_wait(NULL);
    }
    free(junk);
    return !failed;
}

/* The index of a new block, or of one that is free and large enough. MOST_BLOCKS: none. */
static uint32_t find_block(dirt *d, size_t bytes)
{
    wvl_cuda_address address = 0;
    void *at = NULL;
    for (uint32_t i = d->count; i-- > 0;) {
        if (!d->blocks[i].is_taken && d->blocks[i].bytes >= bytes) {
            return i;
        }
    }
    if (d->count == MOST_BLOCKS ||
        (d->is_pinned ? driver.runtime.malloc_pinned(&at, bytes, 1) : driver.runtime.malloc_device(&address, bytes))) {
        return MOST_BLOCKS;
    }
    d->blocks[d->count].at = d->is_pinned ? at : (void *)(uintptr_t)address;
    d->blocks[d->count].bytes = bytes;
    return spoil(d, d->blocks[d->count].at, bytes) ? d->count++ : MOST_BLOCKS;
}

static void *take_dirty(void *user, size_t bytes, size_t alignment, void *stream)
{
    dirt *d = user;
    void *at = NULL;
    (void)stream;
    (void)pthread_mutex_lock(&d->lock);
    uint32_t i = alignment <= 256 ? find_block(d, bytes) : MOST_BLOCKS;
    if (i < MOST_BLOCKS && (d->kind == POISON_LEFT || spoil(d, d->blocks[i].at, bytes))) {
        d->blocks[i].is_taken = 1;
        d->blocks[i].asked = bytes;
        d->live++;
        at = d->blocks[i].at;
    }
    (void)pthread_mutex_unlock(&d->lock);
    return at;
}

static void give_dirty(void *user, void *memory, size_t bytes, void *stream)
{
    dirt *d = user;
    int is_known = 0;
    (void)pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->blocks[i].at == memory && d->blocks[i].is_taken) {
            is_known = d->blocks[i].asked == bytes && !stream;
            d->blocks[i].is_taken = 0;
            d->live--;
        }
    }
    (void)pthread_mutex_unlock(&d->lock);
    REQUIRE_THAT(is_known, "%zu bytes that were not given, or not as many, come back", bytes);
}

static void open_context(poison kind, uint32_t threads)
{
    wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    for (unsigned i = 0; i < 2; i++) {
        memset(&dirts[i], 0, sizeof dirts[i]);
        (void)pthread_mutex_init(&dirts[i].lock, NULL);
        dirts[i].is_pinned = i == 0;
        dirts[i].kind = kind;
        dirts[i].state = 7 + i;
    }
    if (kind != POISON_NONE) {
        options.pinned = (wvl_allocator){take_dirty, give_dirty, &dirts[0]};
        options.device = (wvl_allocator){take_dirty, give_dirty, &dirts[1]};
    }
    REQUIRE(wvl_context_create(&options, &context) == WVL_OK);
}

static void close_context(poison kind)
{
    wvl_context_release(context);
    for (unsigned i = 0; i < 2; i++) {
        dirt *d = &dirts[i];
        REQUIRE_THAT(d->live == 0, "%u blocks were not given back", d->live);
        REQUIRE(kind == POISON_NONE || d->count > 0);
        for (uint32_t k = 0; k < d->count; k++) {
            REQUIRE(!(i ? driver.runtime.free_device((wvl_cuda_address)(uintptr_t)d->blocks[k].at)
                        : driver.runtime.free_pinned(d->blocks[k].at)));
        }
        (void)pthread_mutex_destroy(&d->lock);
    }
}

/* ---- Flights --------------------------------------------------------------------------------- */

/* One encoder. */
typedef struct client {
    wvl_plan *plan;
    wvl_encoder *encoder;
    unsigned recipe;
    int on_device;
    uint32_t sent, received;
    unsigned which[MOST_FRAMES]; /* of those in flight, by number */
} client;

typedef struct held {
    wvl_encoded_picture *got;
    unsigned recipe, which;
} held;

typedef struct flight {
    uint64_t state;
    uint32_t turn; /* recipes that encoders took so far */
    uint32_t frames, client_count, held_count;
    client clients[MOST_CLIENTS];
    held held[MOST_HELD];
} flight;

static uint32_t draw(flight *f, uint32_t count) { return (uint32_t)(test_draw(&f->state) % count); }

static void open_client(flight *f, client *l, unsigned recipe)
{
    memset(l, 0, sizeof *l);
    l->recipe = recipe;
    l->on_device = draw(f, 3) == 0;
    l->plan = make_plan(l->recipe, l->on_device);
    REQUIRE(wvl_encoder_create(l->plan, f->frames, &l->encoder) == WVL_OK);
    REQUIRE(wvl_encoder_frames(l->encoder) == f->frames);
}

/* What is in flight is dropped. */
static void close_client(client *l)
{
    wvl_encoder_release(l->encoder);
    wvl_plan_release(l->plan);
}

static void send_picture(flight *f, client *l, unsigned which)
{
    int is_full = l->sent - l->received == f->frames;
    wvl_status status =
        wvl_encoder_submit(l->encoder, &pixels[l->recipe][which].image, NULL, (void *)(uintptr_t)l->sent);
    REQUIRE_THAT(status == (is_full ? WVL_AGAIN : WVL_OK), "submit says %d with %u of %u in flight", status,
                 l->sent - l->received, f->frames);
    if (!is_full) {
        l->which[l->sent++ % MOST_FRAMES] = which;
    }
}

static void send(flight *f, client *l) { send_picture(f, l, draw(f, PIXELS)); }

static wvl_finished lies(const wvl_encoded_picture *got)
{
    size_t bytes;
    const void *data = wvl_encoded_picture_data(got, &bytes);
    return (wvl_finished){
        .data = data, .bytes = bytes, .on_device = wvl_encoded_picture_memory(got) == WVL_MEMORY_DEVICE};
}

static void check_held(const held *h, const char *when)
{
    wvl_finished finished = lies(h->got);
    check_bytes(&finished, h->recipe, h->which, when);
}

/* Gives one back: the first, the last, or any. */
static void give(flight *f)
{
    if (f->held_count) {
        uint32_t last = f->held_count - 1;
        const uint32_t orders[] = {0, last, draw(f, f->held_count)};
        uint32_t at = orders[draw(f, 3)];
        check_held(&f->held[at], "given back");
        wvl_encoded_picture_release(f->held[at].got);
        memmove(&f->held[at], &f->held[at + 1], (last - at) * sizeof f->held[0]);
        f->held_count--;
    }
}

static void receive(flight *f, client *l)
{
    wvl_encoded_picture *got;
    if (l->sent == l->received) {
        REQUIRE(wvl_encoder_receive(l->encoder, 0, &got) == WVL_AGAIN);
        return;
    }
    REQUIRE(wvl_encoder_receive(l->encoder, UINT32_MAX, &got) == WVL_OK);
    REQUIRE_THAT(wvl_encoded_picture_status(got) == WVL_OK, "recipe %u, picture %u: %s", l->recipe,
                 l->which[l->received % MOST_FRAMES], wvl_encoded_picture_error(got));
    REQUIRE((uintptr_t)wvl_encoded_picture_user(got) == l->received);
    REQUIRE(!strcmp(wvl_result_backend(wvl_encoded_picture_result(got)), "cuda:0 packets"));
    REQUIRE(wvl_encoded_picture_memory(got) == (l->on_device ? WVL_MEMORY_DEVICE : WVL_MEMORY_PINNED));
    while (f->held_count == MOST_HELD) {
        give(f);
    }
    held *h = &f->held[f->held_count++];
    *h = (held){got, l->recipe, l->which[l->received++ % MOST_FRAMES]};
    check_held(h, "received");
}

/* One picture outside of all encoders, while theirs are in flight. */
static void encode_one(unsigned r, unsigned which)
{
    wvl_plan *plan = make_plan(r, 0);
    wvl_sink sink;
    wvl_result *result;
    char error[256] = "";
    void *data;
    size_t bytes;
    REQUIRE(wvl_sink_open_memory(context, &sink) == WVL_OK);
    wvl_status status = wvl_encode(plan, &pixels[r][which].image, &sink, NULL, &result, error, sizeof error);
    REQUIRE_THAT(status == WVL_OK, "%s", error);
    REQUIRE(!strcmp(wvl_result_backend(result), "cuda:0 packets"));
    REQUIRE(wvl_sink_take_memory(&sink, &data, &bytes) == WVL_OK);
    wvl_finished finished = {.data = data, .bytes = bytes};
    check_bytes(&finished, r, which, "alone");
    wvl_memory_release(context, data, bytes);
    wvl_result_release(result);
    wvl_plan_release(plan);
}

static void encode_alone(flight *f)
{
    unsigned r = draw(f, flying);
    encode_one(r, draw(f, PIXELS));
}

/* Habits of a caller: how often it submits, receives and gives back, of 8; the rest it does one after the other. */
static void act(flight *f, uint32_t habit)
{
    static const uint8_t habits[4][3] = {{3, 2, 2}, {5, 2, 1}, {2, 4, 1}, {6, 1, 0}};
    client *l = &f->clients[draw(f, f->client_count)];
    uint32_t what = draw(f, 8), sends = habits[habit][0], receives = habits[habit][1], gives = habits[habit][2];
    if (what < sends) {
        send(f, l);
    } else if (what < sends + receives) {
        receive(f, l);
    } else if (what < sends + receives + gives) {
        give(f);
    } else if (draw(f, 2)) {
        while (l->sent != l->received) {
            receive(f, l);
        }
    } else {
        while (l->sent - l->received < f->frames) {
            send(f, l);
        }
    }
}

/* Another encoder takes the place of one, whatever is in flight there. Neighbours differ in their block coder. */
static void change_client(flight *f)
{
    client *l = &f->clients[draw(f, f->client_count)];
    close_client(l);
    open_client(f, l, f->turn++ % flying);
}

/* What the second encoder has in flight is dropped. */
static void finish(flight *f)
{
    for (uint32_t i = 0; i < f->client_count; i++) {
        while (f->clients[i].sent != f->clients[i].received && i != 1) {
            receive(f, &f->clients[i]);
        }
        close_client(&f->clients[i]);
    }
    while (f->held_count) {
        give(f);
    }
}

static void fly(uint32_t frames, uint32_t client_count, uint32_t actions, uint64_t seed)
{
    static flight f;
    f = (flight){.state = seed, .turn = (uint32_t)seed, .frames = frames, .client_count = client_count};
    for (uint32_t i = 0; i < client_count; i++) {
        open_client(&f, &f.clients[i], f.turn++ % flying);
    }
    for (uint32_t i = 0; i < actions; i++) {
        act(&f, i / 32 % 4);
        if (i % 64 == 50) {
            change_client(&f);
        }
        if (i % 64 == 20) {
            encode_alone(&f);
        }
    }
    finish(&f);
}

static const uint32_t all_frames[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 32};
#define FRAMES (sizeof all_frames / sizeof *all_frames)
static int is_left_out(int row) { return getenv("WVL_CUDA_SUBSET") != NULL && row % 7 != 2; }

TEST_FIXTURE(open_suite, close_suite);

TEST_EACH(orders, FRAMES)
{
    for (uint32_t clients = 1; !is_left_out(_i) && clients <= MOST_CLIENTS; clients++) {
        open_context(POISON_NONE, clients);
        fly(all_frames[_i], clients, 96, (uint64_t)_i * 16 + clients);
        close_context(POISON_NONE);
    }
}

TEST_EACH(poisoned, 3)
{
    static const uint32_t frames[] = {1, 4, 16};
    for (poison kind = POISON_A5; !is_left_out(_i) && kind < POISONS; kind++) {
        open_context(kind, 2);
        fly(frames[_i], 2, 128, 1000 + (uint64_t)_i * POISONS + kind);
        close_context(kind);
    }
}

/* Single pictures of mixed sizes, each on what the last ones left. */
TEST(one_after_the_other)
{
    static flight f;
    f = (flight){.state = 99};
    for (poison kind = POISON_NONE; !is_left_out(2) && kind < POISONS; kind++) {
        open_context(kind, 2);
        for (unsigned i = 0; i < 30; i++) {
            encode_alone(&f);
        }
        close_context(kind);
    }
}

/* The same with rate control, for devices where it does not fly. */
TEST_EACH(rated_one_after_the_other, 2)
{
    open_context(_i ? POISON_A5 : POISON_LEFT, 2);
    for (unsigned i = 0; !is_left_out(2) && i < 2 * RATED; i++) {
        encode_one(RECIPES - 1 - i % RATED, i % PIXELS);
    }
    close_context(POISON_A5);
}

/* Workspaces behind the first have less scratch memory. Blocks of noise find no room there, in the first round or in a
 * later one: the picture is coded again in the first workspace. */
TEST_EACH(rated_without_room, 4)
{
    static const unsigned order[] = {1, 1, 2, 2, 1, 1}; /* noise and sparse ones, two at a time */
    static flight f;
    f = (flight){.state = 5, .frames = 2, .client_count = 1};
    open_context(_i & 1 ? POISON_RANDOM : POISON_NONE, 2);
    open_client(&f, &f.clients[0], RECIPES - (_i & 2 ? 1 : 4)); /* HT, EBCOT */
    for (unsigned i = 0; i < sizeof order / sizeof *order; i += 2) {
        send_picture(&f, &f.clients[0], order[i]);
        send_picture(&f, &f.clients[0], order[i + 1]);
        receive(&f, &f.clients[0]);
        receive(&f, &f.clients[0]);
    }
    finish(&f);
    close_context(_i & 1 ? POISON_RANDOM : POISON_NONE);
}

typedef struct reader { /* a copy of what another stream reads */
    wvl_cuda_stream stream;
    void *pinned[PIXELS];
    wvl_cuda_address copies[PIXELS]; /* on the device, of bytes in pinned memory */
} reader;

static void open_reader(reader *r, unsigned recipe)
{
    REQUIRE(!driver.runtime.stream_create(&r->stream, WVL_CUDA_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < PIXELS; i++) {
        size_t bytes = cases[recipe][i].expected_bytes;
        REQUIRE(!driver.runtime.malloc_pinned(&r->pinned[i], bytes, 1));
        REQUIRE(!driver.runtime.malloc_device(&r->copies[i], bytes));
    }
}

/* Queues a reader, and waits for nothing. */
static void read_later(const reader *r, unsigned i, const wvl_finished *from)
{
    const wvl_cuda_runtime *rt = &driver.runtime;
    REQUIRE(!(from->on_device
                  ? rt->download(r->pinned[i], (wvl_cuda_address)(uintptr_t)from->data, from->bytes, r->stream)
                  : rt->upload(r->copies[i], from->data, from->bytes, r->stream)));
}

static void check_reader(const reader *r, unsigned recipe, int on_device)
{
    const wvl_cuda_runtime *rt = &driver.runtime;
    for (unsigned i = 0; i < PIXELS; i++) {
        size_t bytes = cases[recipe][i].expected_bytes;
        REQUIRE(on_device || !rt->download(r->pinned[i], r->copies[i], bytes, r->stream));
        REQUIRE(!rt->stream_wait(r->stream));
        REQUIRE_THAT(!memcmp(r->pinned[i], cases[recipe][i].expected, bytes), "the reader of picture %u found others",
                     i);
        REQUIRE(!rt->free_pinned(r->pinned[i]) && !rt->free_device(r->copies[i]));
    }
    REQUIRE(!rt->stream_destroy(r->stream));
}

/* Pictures that are given back with readers still queued: no other picture comes to where they lie before. */
static void give_back_early(unsigned recipe, int on_device, poison kind)
{
    reader r;
    wvl_encoder *encoder;
    open_context(kind, 2);
    open_reader(&r, recipe);
    wvl_plan *plan = make_plan(recipe, on_device);
    REQUIRE(wvl_encoder_create(plan, 1, &encoder) == WVL_OK);
    for (unsigned i = 0; i < PIXELS; i++) {
        wvl_encoded_picture *got;
        REQUIRE(wvl_encoder_submit(encoder, &pixels[recipe][i].image, NULL, NULL) == WVL_OK);
        REQUIRE(wvl_encoder_receive(encoder, UINT32_MAX, &got) == WVL_OK);
        REQUIRE_THAT(wvl_encoded_picture_status(got) == WVL_OK, "%s", wvl_encoded_picture_error(got));
        wvl_finished finished = lies(got);
        read_later(&r, i, &finished);
        wvl_encoded_picture_release_after(got, r.stream);
    }
    check_reader(&r, recipe, on_device);
    wvl_encoder_release(encoder);
    wvl_plan_release(plan);
    close_context(kind);
}

TEST_EACH(readers, 4)
{
    for (unsigned recipe = 0; recipe < 2; recipe++) {
        give_back_early(recipe, _i & 1, _i & 2 ? POISON_RANDOM : POISON_NONE);
    }
}

TEST_MAIN("flight")
