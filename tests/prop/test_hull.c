/* SPDX-License-Identifier: BSD-2-Clause */
/* Hulls of blocks against a list of their points, pass by pass: gains, slopes, and whether a block is open. */

#include "codec/core/hull.h"
#include "tests/support/support.h"

#define PASSES WVL_HULL_MAX_PASSES

static uint64_t seed;

static uint32_t below(uint32_t n) { return test_draw32(&seed) % n; }
static uint64_t draw64(void) { return (uint64_t)test_draw32(&seed) << 32 | test_draw32(&seed); }

/* ---- The model: points in a list, each with all that it is ------------------------------------- */

typedef struct model_point {
    int64_t gain;
    uint32_t bytes, pass, slope;
} model_point;

typedef struct model {
    const wvl_band_coding *band;
    int32_t gain_exponent;
    unsigned planes, lift, region_passes, boost;
    int64_t energy;
    uint32_t samples, limit, count, last, settled;
    model_point points[PASSES + 1]; /* the first is the empty block */
    int64_t gains[PASSES];
} model;

static uint32_t slope_of(const model *m, wvl_wide gain, uint32_t bytes)
{
    int64_t held = gain > INT64_MAX ? INT64_MAX : (int64_t)gain;
    return held > 0 ? wvl_rate_slope(held, bytes, m->gain_exponent) : 0;
}

static int64_t add_gain(const model *m, int64_t gain_quarters)
{
    unsigned plane = m->planes - 1 - (m->count + 2) / 3, region = m->lift && plane >= m->lift ? m->lift : 0;
    wvl_wide weighed =
        wvl_rate_weigh_pass(m->band, m->gain_exponent, gain_quarters, plane - region + m->band->frac_bits);
    wvl_wide sum = weighed + (m->count ? m->gains[m->count - 1] : 0), most = (wvl_wide)1 << 62;
    sum = sum > most ? most : sum;
    return (int64_t)(sum < -most ? -most : sum);
}

static int is_bent(const model_point *p, int64_t gain, uint32_t bytes)
{
    wvl_wide rise = p->gain - p[-1].gain, next = gain - p->gain;
    return rise * (bytes - p->bytes) <= next * (p->bytes - p[-1].bytes);
}

static void put_point(model *m, int64_t gain, uint32_t bytes)
{
    model_point *p = m->points;
    while (m->last > m->settled && gain >= p[m->last].gain && bytes <= p[m->last].bytes) {
        m->last--;
    }
    if (gain <= p[m->last].gain) {
        return;
    }
    while (m->last > m->settled && is_bent(&p[m->last], gain, bytes)) {
        m->last--;
    }
    uint32_t slope = slope_of(m, gain - p[m->last].gain, bytes - p[m->last].bytes);
    p[++m->last] = (model_point){gain, bytes, m->count, slope < m->limit ? slope : m->limit - 1};
}

static void lower_limit(model *m, const wvl_pass *passes)
{
    uint32_t i = m->count - 1, start = 0, most = 1;
    int64_t before = 0;
    if (m->count < WVL_HULL_WINDOW) {
        return;
    }
    if (m->count > WVL_HULL_WINDOW) {
        before = m->gains[i - WVL_HULL_WINDOW];
        start = passes[i - WVL_HULL_WINDOW].final_bytes;
    }
    uint32_t bytes = passes[i].final_bytes > start ? passes[i].final_bytes - start : 0;
    uint32_t recent = slope_of(m, (wvl_wide)m->gains[i] - before, bytes),
             left = slope_of(m, (wvl_wide)m->energy - m->gains[i], m->samples);
    if (recent > WVL_HULL_DROP && recent - WVL_HULL_DROP > most) {
        most = recent - WVL_HULL_DROP;
    }
    if (left && left + WVL_HULL_SPARSE > most) {
        most = left + WVL_HULL_SPARSE;
    }
    m->limit = most < m->limit ? most : m->limit;
    while (m->settled < m->last && m->points[m->settled + 1].slope >= m->limit) {
        m->settled++;
    }
}

static void put_pass(model *m, const wvl_pass *passes)
{
    uint32_t i = m->count;
    if (i == m->region_passes) {
        m->limit = 65536;
        m->settled = m->last;
    }
    m->gains[i] = add_gain(m, passes[i].gain_quarters);
    if (!wvl_hull_is_idle(passes, m->gains, i)) {
        put_point(m, m->gains[i], passes[i].final_bytes);
    }
    m->count++;
    lower_limit(m, passes);
}

static void level_slopes(const model *m, uint16_t *slopes)
{
    uint32_t least = 0;
    memset(slopes, 0, m->count * sizeof *slopes);
    for (uint32_t k = m->last; k; k--) {
        uint32_t own = m->points[k].slope + (m->points[k].pass < m->region_passes ? m->boost : 0);
        least = own > least ? own : least;
        slopes[m->points[k].pass] = (uint16_t)(least > 65535 ? 65535 : least);
    }
}

static int is_open(const model *m, const wvl_pass *passes, uint32_t threshold, int is_layered)
{
    uint32_t cut = 0;
    if (m->limit > threshold || !is_layered) {
        return m->limit > threshold;
    }
    for (uint32_t k = 1; k <= m->settled && m->points[k].slope >= threshold; k++) {
        cut = m->points[k].pass + 1;
    }
    const wvl_pass *now = &passes[m->count - 1];
    return cut && (cut == m->count || passes[cut - 1].safe_bytes > now->final_bytes - now->tail_count);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* How gains and lengths go on from pass to pass. FALLING is what blocks do; TIES keeps points on one line. */
enum { FALLING, TIES, ANY_GAIN, HUGE_GAIN, NOTHING, SETS, TEMPERS };

typedef struct block {
    wvl_band_coding band;
    int32_t gain_exponent;
    unsigned planes;
    uint32_t count, samples;
    int64_t energy;
    wvl_pass passes[PASSES];
} block;

static int64_t draw_gain(unsigned temper, uint32_t pass, uint32_t bytes)
{
    int64_t any = (int64_t)(draw64() >> (17 + below(30)));
    switch (temper) {
    case FALLING: return (any >> below(8)) + (int64_t)(draw64() >> 18);
    case TIES: return (int64_t)bytes << below(2);
    case ANY_GAIN: return below(3) ? any : -any;
    case HUGE_GAIN: return below(2) ? INT64_MAX : -(int64_t)(draw64() >> 1);
    case SETS: return below(4) ? any : 0;
    default: return pass % 7 ? 0 : any;
    }
}

static uint32_t draw_bytes(unsigned temper, uint32_t pass)
{
    if (temper == TIES) {
        return 16u << (pass + 2) / 3 % 8;
    }
    return below(5) ? below(1u << below(12)) : 0;
}

static void draw_block(block *b, unsigned temper)
{
    uint32_t at = 0;
    memset(b, 0, sizeof *b);
    b->band.weight_mantissa = 0x80000000u | test_draw32(&seed);
    b->band.weight_exponent = -(int32_t)below(90);
    b->band.frac_bits = (uint8_t)below(6);
    b->planes = 1 + below(38);
    b->gain_exponent = b->band.weight_exponent + (int32_t)below(temper == HUGE_GAIN ? 8 : 64);
    b->count = 1 + below(3 * b->planes - 2);
    b->samples = 1 + below(4096);
    b->energy = (int64_t)(draw64() >> (2 + below(40)));
    for (uint32_t i = 0; i < b->count; i++) {
        wvl_pass *p = &b->passes[i];
        uint32_t bytes = draw_bytes(temper, i);
        at = temper == SETS && i % 3 == 0 ? bytes : at + bytes;
        p->gain_quarters = draw_gain(temper, i, bytes);
        p->final_bytes = at;
        p->safe_bytes = at + below(6);
        p->tail_count = (uint8_t)(at < 6 ? at : below(7));
        p->flags = (uint8_t)(temper == SETS ? WVL_PASS_SET : 0);
    }
}

/* kind 0: no region, 1: all of the block lies in one, 2: part of it. */
static void open_both(const block *b, unsigned kind, wvl_hull *hull, model *m)
{
    wvl_hull_init(hull, &b->band, b->gain_exponent, b->planes, b->energy, b->samples);
    *m = (model){.band = &b->band,
                 .gain_exponent = b->gain_exponent,
                 .planes = b->planes,
                 .energy = b->energy,
                 .samples = b->samples,
                 .limit = 65536};
    if (kind) {
        unsigned shift = 1 + below(b->planes - 1);
        wvl_hull_set_region(&hull->line, shift, kind == 2);
        m->lift = kind == 2 ? shift : 0;
        m->region_passes = kind == 2 ? 3 * (b->planes - shift) - 2 : PASSES;
        m->boost = WVL_HULL_REGION_BOOST;
    }
}

static void compare(const block *b, const wvl_hull *hull, const model *m)
{
    uint16_t slopes[PASSES], want[PASSES];
    int64_t gains[PASSES];
    wvl_hull_fetch(hull, slopes, gains);
    level_slopes(m, want);
    REQUIRE(!memcmp(gains, m->gains, m->count * sizeof *gains));
    REQUIRE(!memcmp(slopes, want, m->count * sizeof *slopes));
    for (unsigned k = 0; k < 6; k++) {
        uint32_t near = want[below(m->count)], threshold = below(2) ? near : near + below(300);
        for (int layered = 0; layered < 2; layered++) {
            REQUIRE(wvl_hull_is_open(hull, b->passes, threshold, layered) == is_open(m, b->passes, threshold, layered));
        }
    }
}

TEST_EACH(passes, TEMPERS)
{
    static wvl_hull hull;
    static model m;
    seed = 1 + (uint64_t)_i;
    uint32_t points = 0, settled = 0, deep = 0;
    for (unsigned turn = 0; turn < 3000; turn++) {
        block b;
        draw_block(&b, (unsigned)_i);
        open_both(&b, b.planes > 1 && _i != SETS ? below(3) : 0, &hull, &m);
        for (uint32_t i = 0; i < b.count; i++) {
            put_pass(&m, b.passes);
            wvl_hull_put_pass(&hull, b.passes);
            compare(&b, &hull, &m);
        }
        points += m.last;
        settled += m.settled;
        deep += m.last && m.points[m.last].pass >= 64;
    }
    REQUIRE_THAT(points > 2000 && settled && (deep || _i == HUGE_GAIN),
                 "%u points, %u settled, %u blocks with late points", points, settled, deep);
}

TEST_MAIN("hull")
