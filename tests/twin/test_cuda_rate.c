/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate control on devices against codec/rate: blocks of drawn passes, gains and slopes, limits of bytes on every size
 * that can come out, caps of components. Cuts, thresholds and whole codestreams must be the same. The device code runs
 * compiled for the CPU (emulate.h), in both orders of threads, and on a device if there is one and the build has device
 * code. Environment variables are those of test_cuda_ht.c.
 */

#include "emulated_suite.h"
#include "rate_case.h"

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* How blocks are drawn. EQUAL: all of a picture have the same passes. ALONE: one block has passes. STEEP: slopes at
 * both ends of the range. LEVEL: one slope along the hull. SPARSE: most blocks have no passes. */
enum { FALLING, EQUAL, ALONE, STEEP, LEVEL, SPARSE, TEMPERS };

static void draw_pass(rate_block *b, uint32_t i, uint32_t bytes, int64_t gain)
{
    wvl_pass *p = &b->passes[i];
    p->final_bytes = (i ? b->passes[i - 1].final_bytes : 0) + bytes;
    p->safe_bytes = p->final_bytes + below(4);
    p->safe_bytes = i && b->passes[i - 1].safe_bytes > p->safe_bytes ? b->passes[i - 1].safe_bytes : p->safe_bytes;
    p->tail_count = (uint8_t)below(1 + (p->final_bytes < 6 ? p->final_bytes : 6));
    for (unsigned k = 0; k < sizeof p->tail; k++) {
        p->tail[k] = (uint8_t)(below(4) ? below(255) : 255);
    }
    b->gains[i] = (i ? b->gains[i - 1] : 0) + gain;
}

/* Slopes fall along the hull; passes between its points have none. */
static uint32_t draw_slope(unsigned temper, uint32_t before)
{
    uint32_t flat = 1 + below(3);
    switch (temper) {
    case STEEP: return below(3) || flat > before ? before - below(before < 3 ? before : 3) : flat;
    case LEVEL: return before;
    default: return before > 400 ? before - below(400) : before;
    }
}

static void draw_block(rate_block *b, unsigned temper, uint32_t planes, uint32_t most_bytes)
{
    static const uint32_t firsts[TEMPERS] = {40000, 42000, 39000, 65535, 41000, 40000};
    uint32_t most = b->most_planes < planes ? b->most_planes : planes,
             slope = firsts[temper] - below(temper == EQUAL ? 1 : 900);
    b->planes = (uint8_t)(temper == SPARSE && below(8) ? 0 : below(most + 1));
    b->planes = temper == EQUAL || temper == ALONE ? (uint8_t)most : b->planes;
    b->pass_count = (uint8_t)(b->planes ? 3 * b->planes - 2 : 0);
    for (uint32_t i = 0; i < b->pass_count; i++) {
        uint32_t bytes = below(6) ? below(most_bytes + 1) : 0;
        int64_t gain = below(7) ? (int64_t)below(1 << 20) << below(20) : -(int64_t)below(1000);
        draw_pass(b, i, bytes, temper == LEVEL ? (int64_t)bytes << 12 : gain);
        int is_point = !below(3) || i + 1 == b->pass_count;
        b->slopes[i] = (uint16_t)(is_point ? slope = draw_slope(temper, slope) : 0);
    }
}

/* planes, most_bytes: most of a block, and of a pass. */
static void draw_blocks(rate_case *c, unsigned temper, uint32_t planes, uint32_t most_bytes)
{
    uint32_t n = c->assembly.block_count, chosen = n ? below(n) : 0;
    uint64_t same = rng.s;
    for (uint32_t i = 0; i < n; i++) {
        rate_block *b = &c->blocks[i];
        rng.s = temper == EQUAL ? same : rng.s;
        b->planes = b->pass_count = 0;
        if (temper != ALONE || i == chosen) {
            draw_block(b, temper, planes, most_bytes);
        }
    }
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static void open_case(rate_case *c, uint32_t width, uint32_t height, uint32_t count, const char *settings)
{
    static wvl_component_format components[16];
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = width, .y1 = height, .component_count = count, .components = components};
    for (uint32_t i = 0; i < count; i++) {
        components[i] = (wvl_component_format){12, 0, 1, 1};
    }
    char text[512];
    snprintf(text, sizeof text, "rdoq=no measure-psnr=no %s", settings);
    REQUIRE_THAT(rate_case_open(c, &format, text), "%s: %s", settings, c->problem);
}

/* The CPU, then all devices, by a thread block and by a cluster in turn; the emulation takes both orders of threads. */
static void check(rate_case *c, const char *name)
{
    static int turn;
    REQUIRE_THAT(rate_case_expect(c), "%s: %s", name, c->problem);
    for (unsigned i = 0; i < device_count; i++) {
        wvl_emulate_reversed(turn & 1);
        c->is_wide = turn++ >> 1 & 1;
        const char *wrong = rate_case_check(c, &devices[i]);
        REQUIRE_THAT(!wrong, "%s, limits %llu and %llu: %s", name, (unsigned long long)c->plan->rate.max_bytes,
                     (unsigned long long)c->plan->rate.max_component_bytes, wrong);
    }
}

/* Bytes of a picture that sends everything. */
static uint64_t measure_all(rate_case *c, const char *name)
{
    c->plan->rate.max_bytes = UINT64_C(1) << 40;
    c->plan->rate.max_component_bytes = c->plan->rate.max_component_bytes ? UINT64_C(1) << 40 : 0;
    check(c, name);
    REQUIRE(c->status == WVL_OK);
    return c->expected_bytes;
}

/* Bytes of all blocks. */
static uint64_t rate_bytes(const rate_case *c)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->assembly.block_count; i++) {
        const rate_block *b = &c->blocks[i];
        bytes += b->pass_count ? b->passes[b->pass_count - 1].final_bytes : 0;
    }
    return bytes;
}

/* ---- Every size ------------------------------------------------------------------------------ */

EMULATED_SUITE("wvl_rate_choose_wide");

/* The emulation has clusters: what the tests below say of them is no vain word. */
TEST(clusters)
{
    wvl_cuda_rate rate;
    REQUIRE(!wvl_cuda_rate_open(&rate, devices[0].runtime, devices[0].module));
    REQUIRE(devices[0].runtime != &emulated_runtime || rate.has_clusters);
}

/* From all bytes down to what no picture keeps: each limit is one byte below what came out last, now and then just at
 * it. */
TEST_EACH(sizes, TEMPERS)
{
    static const struct {
        const char *settings;
        uint32_t width, height;
    } rows[] = {{"max-bytes=100000 levels=0 block=16,16", 30, 16},
                {"max-bytes=100000 levels=1 block=8,8 plt=yes style=TERMALL", 16, 16},
                {"max-bytes=100000 levels=1 block=4,4 precincts=[8,8] sop=yes eph=yes style=BYPASS", 16, 8},
                {"max-bytes=100000 levels=0 tile=9,9 block=4,4 tlm=yes", 18, 9}};
    for (unsigned k = (unsigned)_i % 4; k < sizeof rows / sizeof *rows; k += 4) {
        rate_case c;
        uint32_t steps = 0;
        rng.s = t1_seed() + 16u * (uint32_t)_i + k;
        open_case(&c, rows[k].width, rows[k].height, 1, rows[k].settings);
        draw_blocks(&c, (unsigned)_i, 3, 9);
        (void)measure_all(&c, rows[k].settings);
        while (c.status == WVL_OK && steps++ < (subset ? 10u : 400u)) {
            c.plan->rate.max_bytes = c.expected_bytes - 1;
            check(&c, rows[k].settings);
            if (c.status == WVL_OK && steps % 4 == 0) {
                c.plan->rate.max_bytes = c.expected_bytes;
                check(&c, rows[k].settings);
            }
        }
        REQUIRE_THAT(subset || c.status == WVL_ERROR_UNREACHABLE, "the least size was not reached");
        rate_case_close(&c);
    }
}

/* ---- Many candidates ------------------------------------------------------------------------- */

/* More passes beyond the threshold than are tried (384), and more than 10,000. */
TEST_EACH(many, 4)
{
    static const struct {
        unsigned temper, side, candidates;
    } rows[] = {{EQUAL, 64, 1500}, {FALLING, 64, 1500}, {LEVEL, 64, 1500}, {EQUAL, 168, 10000}};
    static const char settings[] = "max-bytes=100000 levels=1 block=4,4 precincts=[32,32] plt=yes";
    unsigned side = rows[_i].side;
    rate_case c;
    rng.s = t1_seed() + 100 + (uint32_t)_i;
    open_case(&c, side, side, 1, settings);
    draw_blocks(&c, rows[_i].temper, 12, 6);
    REQUIRE(WVL_CUDA_RATE_CANDIDATES * c.assembly.block_count > rows[_i].candidates);
    c.plan->rate.max_bytes = rate_bytes(&c) * 2 / 5;
    check(&c, settings);
    REQUIRE(c.status == WVL_OK);
    rate_case_close(&c);
}

/* Pictures above half a million samples: passes much less steep than the threshold are no candidates. */
TEST_EACH(reach, 2)
{
    static const uint32_t sides[] = {736, 1460};
    rate_case c;
    rng.s = t1_seed() + 200 + (uint32_t)_i;
    open_case(&c, sides[_i], sides[_i], 1, "max-bytes=100000 levels=2 block=64,64");
    draw_blocks(&c, FALLING, 12, 60);
    for (unsigned share = 20; share < 95; share += 30) {
        c.plan->rate.max_bytes = rate_bytes(&c) * share / 100 + below(100);
        check(&c, "reach");
    }
    rate_case_close(&c);
}

/* Packets of three small blocks: candidates are tried side by side, some of them fit, and what fits leaves no room, in
 * the codestream or in a component, for others that were tried with them. Rows are of more and of fewer than
 * WVL_CUDA_RATE_FEW_BLOCKS blocks. */
TEST_EACH(beside, 4)
{
    static const uint32_t sides[] = {88, 160};
    rate_case c;
    rng.s = t1_seed() + 250 + (uint32_t)_i;
    open_case(&c, sides[_i % 2], sides[_i % 2], 3,
              _i < 2 ? "max-bytes=1000000 levels=1 block=8,8 precincts=[16,16]"
                     : "max-bytes=1000000 max-component-bytes=1000000 levels=1 block=8,8 precincts=[16,16]");
    for (unsigned turn = 0; turn < (subset ? 1u : 6u); turn++) {
        draw_blocks(&c, turn % 3 ? LEVEL : FALLING, 8, 2 + turn);
        c.plan->rate.max_bytes = rate_bytes(&c) * between(60, 90) / 100 + 9000;
        c.plan->rate.max_component_bytes = _i < 2 ? 0 : c.plan->rate.max_bytes * between(30, 36) / 100;
        check(&c, "beside");
        REQUIRE(c.status == WVL_OK && c.plan->rate.max_bytes > 8192);
    }
    rate_case_close(&c);
}

/* `bytes` with the first `cut` passes, on the hull; one pass more adds no byte, and those behind it gain nothing. */
static void put_last(rate_block *b, uint32_t planes, uint32_t cut, uint32_t bytes)
{
    const wvl_pass ends = {.final_bytes = bytes, .safe_bytes = bytes};
    b->planes = (uint8_t)planes;
    b->pass_count = (uint8_t)(3 * planes - 2);
    for (uint32_t i = 0; i < b->pass_count; i++) {
        b->passes[i] = ends;
        b->gains[i] = (cut ? 1 << 20 : 0) + (i == cut ? 1 << 10 : 0);
        b->slopes[i] = (uint16_t)(i + 1 == cut ? 40000 : 0);
    }
}

/* A fourth pass takes a bit off the header of the packet between (3 Lblock + 2 bits hold the length), which is a byte.
 * So a packet before it that needs two bytes would fit after it. It is not tried again; the one behind has the bytes.
 */
TEST(shrinking)
{
    static const char settings[] = "max-bytes=1000 levels=0 block=8,8 precincts=[8,8]";
    rate_case c;
    open_case(&c, 24, 8, 1, settings);
    REQUIRE(c.assembly.block_count == 3 && c.blocks[0].most_planes > 11);
    put_last(&c.blocks[0], c.blocks[0].most_planes - 9u, 0, 0);
    put_last(&c.blocks[1], c.blocks[1].most_planes - 3u, 3, 20);
    put_last(&c.blocks[2], c.blocks[2].most_planes - 9u, 0, 0);
    uint32_t met = 0;
    for (uint64_t most = measure_all(&c, settings); c.status == WVL_OK; most--) {
        c.plan->rate.max_bytes = most;
        check(&c, settings);
        met += c.status == WVL_OK && !c.sent[0] && c.sent[1] == 4 && c.sent[2] == 1;
    }
    REQUIRE(met);
    rate_case_close(&c);
}

/* ---- Caps of components ---------------------------------------------------------------------- */

static void check_caps(const char *settings, uint32_t count, unsigned temper)
{
    rate_case c;
    char text[256];
    snprintf(text, sizeof text, "max-component-bytes=1000000 %s", settings);
    open_case(&c, 32, 24, count, text);
    REQUIRE((c.plan->rate.cap_split != 0) == (strstr(settings, "cinema4k") != NULL));
    draw_blocks(&c, temper, 5, 30);
    uint64_t all = rate_bytes(&c) + 200u * count, each = all / count;
    int is_limited = c.plan->rate.max_bytes != 0;
    for (unsigned turn = 0; turn < 4; turn++) {
        c.plan->rate.max_bytes = is_limited ? all * between(20, 100) / 100 : 0;
        c.plan->rate.max_component_bytes = turn ? each * between(10, 130) / 100 : 20; /* 20: less than headers */
        check(&c, settings);
    }
    rate_case_close(&c);
}

TEST_EACH(caps, 4)
{
    static const struct {
        const char *settings;
        uint32_t count;
    } rows[] = {
        {"levels=2 block=8,8", 3},
        {"levels=2 block=8,8 tile-parts=C plt=yes progression=CPRL max-bytes=1000000", 3},
        {"levels=1 block=16,16 tile=24,24 tile-parts=C progression=CPRL precincts=[16,16] overrides=T1:step=0.1", 2},
        {"levels=1 block=16,16", 1},
        {"levels=1 block=16,16 max-bytes=1000000", 10},
        {"levels=2 block=8,8 slopes=39800", 4},
        {"profile=cinema4k progression=CPRL levels=6 guard-bits=2 progression-changes=0,0,1,6,3,CPRL/6,0,1,7,3,CPRL "
         "reversible=no "
         "mct=on block=32,32 tile-parts=C tlm=yes sop=no eph=no",
         3}}; /* a component has two caps */
    for (unsigned k = (unsigned)_i & 1; k < sizeof rows / sizeof *rows; k += 2) {
        rng.s = t1_seed() + 300 + 16u * (uint32_t)_i + k;
        check_caps(rows[k].settings, rows[k].count, ((unsigned)_i + k) % TEMPERS);
    }
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Targets that come one after the other, now and then so close that layers stay empty, or not in order. */
static void draw_targets(rate_case *c)
{
    uint32_t n = c->plan->syntax.layer_count;
    uint64_t all = rate_bytes(c) + 400, bytes = 0;
    uint32_t slope = 41000;
    for (uint32_t i = 0; i < n; i++) {
        wvl_layer_target *target = &c->plan->rate.layers[i];
        bytes += all * between(0, 240) / 100 / n;
        slope -= below(4) ? below(1200) : 0;
        if (target->kind == WVL_RATE_BYTES) {
            target->value = (double)bytes;
        } else if (target->kind == WVL_RATE_SLOPE) {
            target->value = slope;
        }
    }
    c->plan->rate.max_bytes = c->plan->rate.max_bytes ? all * between(5, 120) / 100 : 0;
    c->plan->rate.max_component_bytes =
        c->plan->rate.max_component_bytes ? all / c->plan->syntax.component_count * between(20, 120) / 100 : 0;
}

/* Packets of one block, of some and of thousands; those that say nothing in layers between; all progressions. */
TEST_EACH(layers, 15)
{
    static const struct {
        const char *settings;
        uint32_t width, height, count, turns;
    } rows[] = {
        {"layers=6 levels=1 block=8,8 plt=yes style=TERMALL max-bytes=1000", 32, 24, 1, 4},
        {"slopes=4,3,2,1 levels=1 block=4,4 precincts=[8,8] sop=yes eph=yes progression=RPCL", 40, 24, 1, 6},
        {"layer-bytes=1,2,3,4,9000 levels=2 block=8,4 progression=RLCP tile-parts=L tlm=yes", 48, 32, 2, 8},
        {"layers=9 layer-bytes=1,2,9000 levels=1 block=4,8 style=BYPASS progression=PCRL tile=24,24 plt=yes", 50, 30, 1,
         6},
        {"layers=4 slopes=3,2 max-bytes=1000 levels=0 block=4,4 style=BYPASS+TERMALL", 36, 36, 1, 6},
        {"layers=3 levels=1 block=16,16 max-component-bytes=1000 progression=CPRL tile-parts=CL plt=yes", 32, 24, 3, 4},
        {"layer-bytes=1,2,9000 levels=1 block=16,16 max-component-bytes=1000", 32, 24, 10, 3},
        {"layers=64 levels=0 block=4,4 precincts=[16,16]", 24, 24, 1, 2},
        {"slopes=5,4,3,2,1 levels=0 block=4,4", 160, 120, 1, 1},
        {"slopes=3,2,1 levels=0 block=4,4", 352, 340, 1, 1}, /* nodes lie in memory */
    };
    for (unsigned k = (unsigned)_i % 5; k < sizeof rows / sizeof *rows; k += 5) {
        rate_case c;
        rng.s = t1_seed() + 400 + 16u * (uint32_t)_i + k;
        open_case(&c, rows[k].width, rows[k].height, rows[k].count, rows[k].settings);
        REQUIRE(c.plan->syntax.layer_count > 2);
        uint32_t turns = subset ? 1 : rows[k].turns;
        for (uint32_t turn = 0; turn < turns; turn++) {
            draw_blocks(&c, ((unsigned)_i / 5 + turn) % TEMPERS, 5, 30);
            draw_targets(&c);
            check(&c, rows[k].settings);
        }
        rate_case_close(&c);
    }
}

/* ---- Some passes ----------------------------------------------------------------------------- */

/* A pass that gains is one that the last bytes may take; one on the hull has a slope. */
static void put_pass(rate_block *b, uint32_t pass, uint32_t bytes, int gains, uint32_t slope)
{
    b->passes[pass - 1] = (wvl_pass){.final_bytes = bytes, .safe_bytes = bytes, .tail_count = 4};
    b->gains[pass - 1] = (pass > 1 ? b->gains[pass - 2] : 0) + (gains ? 1 << 20 : -1);
    b->slopes[pass - 1] = (uint16_t)slope;
}

/* The last bytes may take pass 9 of a block that the search cuts behind pass 3. A device that has eight passes, and is
 * settled for what the search looks at, has to ask. One that has nine asks when it takes that pass: more may follow. */
TEST_EACH(behind_cut, 2)
{
    static const char settings[] = "max-bytes=9000 levels=0 block=8,8 precincts=[8,8]";
    static const uint8_t bytes_of[] = {20, 20, 20, 60, 60, 60, 60, 60, 75, 120, 120, 120, 120};
    static const uint16_t slopes_of[13] = {[2] = 40000, [12] = 30000}, others[4] = {[0] = 40000, [3] = 39000};
    rate_case c;
    open_case(&c, 16, 8, 1, settings);
    REQUIRE(c.assembly.block_count == 2);
    rate_block *b = &c.blocks[0], *other = &c.blocks[1];
    b->planes = 5;
    b->pass_count = 13;
    b->known = (uint8_t)(8 + _i);
    b->unsettled = 30000;
    for (uint32_t i = 0; i < b->pass_count; i++) {
        put_pass(b, i + 1, bytes_of[i], i == 2 || i == 8 || i == 12, slopes_of[i]);
    }
    other->planes = 2;
    other->pass_count = 4;
    for (uint32_t i = 0; i < other->pass_count; i++) {
        put_pass(other, i + 1, i < 3 ? 10 : 250, i == 0 || i == 3, others[i]);
    }
    uint32_t runs = 0, met = 0;
    for (uint32_t bytes = 140; bytes < 260; bytes++) {
        c.plan->rate.max_bytes = bytes;
        check(&c, settings);
        runs += c.status == WVL_OK;
        met += c.status == WVL_OK && c.sent[0] >= 9;
    }
    REQUIRE_THAT(met > 10 && runs > met + 10 && c.asked == device_count * (_i ? met : runs),
                 "%u runs, %u with pass 9, %u asked", runs, met, c.asked);
    rate_case_close(&c);
}

TEST_MAIN("cuda_rate")
