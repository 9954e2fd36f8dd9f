/* SPDX-License-Identifier: BSD-2-Clause */
/* The block encoder as Annex D describes it: one array per state, one function per coding operation. */
#include "tests/prop/t1_reference.h"

#include <string.h>

#include "codec/t1/tables.h"

/* A frame of one sample around the block: (w + 2)(h + 2) is largest for 1024 x 4 and 4 x 1024. */
#define FRAME ((WVL_T1_MAX_SIDE + 2) * 6)

typedef struct ref_state {
    uint32_t pass;
    uint32_t magnitude[FRAME];
    uint8_t negative[FRAME];
    uint8_t shown_negative[FRAME]; /* negative and significant */
    uint8_t significant[FRAME];
    uint8_t visited[FRAME];
    uint8_t refined[FRAME];
} ref_state;

static const uint8_t sign_codes[256] = {WVL_ROWS_256(WVL_SC_CODE, 0)};

typedef struct ref {
    ref_state *s;
    wvl_t1_coder coder;
    uint32_t width, height;
    unsigned plane; /* P = p + F */
    unsigned orient, style;
    int exact; /* reconstruction has no error once this plane is known */
    int64_t gain;
} ref;

/* Samples stand in a frame of one insignificant sample on each side. */
static uint32_t at(const ref *r, uint32_t x, uint32_t y) { return (y + 1) * (r->width + 2) + x + 1; }

static int below_is_hidden(const ref *r, uint32_t y) { return (r->style & WVL_STYLE_VSC) && y % 4 == 3; }

/* Nine bits of core/t1_context.h from one of the state arrays. */
static unsigned neighbourhood(const ref *r, const uint8_t *flags, uint32_t x, uint32_t y)
{
    unsigned bits = 0;
    uint32_t row = r->width + 2, i = at(r, x, y) - row - 1;
    for (unsigned k = 0; k < 9; k++) {
        bits |= (unsigned)flags[i + k / 3 * row + k % 3] << k;
    }
    return bits & (below_is_hidden(r, y) ? 0x2Fu : 0x1EFu);
}

static unsigned zero_context(const ref *r, uint32_t x, uint32_t y)
{
    return wvl_t1_zero_codes[r->orient][neighbourhood(r, r->s->significant, x, y)] >> 1;
}

static void put_bit(ref *r, unsigned ctx, unsigned bit)
{
    if (wvl_t1_pass_is_raw(r->s->pass, r->style)) {
        wvl_raw_encode_bit(&r->coder.raw, bit);
    } else {
        wvl_mq_encode_bit(&r->coder.mq, ctx, bit);
    }
}

static unsigned magnitude_bit(const ref *r, uint32_t i) { return r->s->magnitude[i] >> r->plane & 1; }

static void put_sign_and_mark(ref *r, uint32_t x, uint32_t y)
{
    uint32_t i = at(r, x, y);
    unsigned n = neighbourhood(r, r->s->significant, x, y), negative = neighbourhood(r, r->s->shown_negative, x, y);
    unsigned code = sign_codes[(n & WVL_NB_SIGN_MASK) | (negative & WVL_NB_SIGN_MASK) >> 1];
    unsigned sign = r->s->negative[i], raw = wvl_t1_pass_is_raw(r->s->pass, r->style) != 0;
    put_bit(r, code >> 1, raw ? sign : sign ^ (code & 1));
    r->s->significant[i] = 1;
    r->s->shown_negative[i] = (uint8_t)sign;
    int64_t m = r->s->magnitude[i] & (((int64_t)2 << r->plane) - 1);
    r->gain += r->exact ? 4 : 12 * m - ((int64_t)9 << r->plane);
}

static void put_zero_coding(ref *r, uint32_t x, uint32_t y)
{
    unsigned bit = magnitude_bit(r, at(r, x, y));
    put_bit(r, zero_context(r, x, y), bit);
    if (bit) {
        put_sign_and_mark(r, x, y);
    }
}

static void propagate(ref *r, uint32_t x, uint32_t y)
{
    uint32_t i = at(r, x, y);
    if (r->s->significant[i] || !neighbourhood(r, r->s->significant, x, y)) {
        return;
    }
    r->s->visited[i] = 1;
    put_zero_coding(r, x, y);
}

static void refine(ref *r, uint32_t x, uint32_t y)
{
    uint32_t i = at(r, x, y);
    if (!r->s->significant[i] || r->s->visited[i]) {
        return;
    }
    unsigned bit = magnitude_bit(r, i), alone = !neighbourhood(r, r->s->significant, x, y);
    put_bit(r, WVL_T1_CTX_REFINE + (r->s->refined[i] ? 2u : alone ? 0u : 1u), bit);
    r->s->refined[i] = 1;
    int64_t m = r->s->magnitude[i] & (((int64_t)2 << r->plane) - 1), unit = (int64_t)1 << r->plane;
    if (r->exact) {
        r->gain += bit ? 0 : 4;
    } else {
        r->gain += bit ? 4 * m - 5 * unit : 3 * unit - 4 * m;
    }
}

static void clean(ref *r, uint32_t x, uint32_t y)
{
    uint32_t i = at(r, x, y);
    if (!r->s->significant[i] && !r->s->visited[i]) {
        put_zero_coding(r, x, y);
    }
    r->s->visited[i] = 0;
}

static int column_is_quiet(const ref *r, uint32_t x, uint32_t y)
{
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t i = at(r, x, y + k);
        if (r->s->significant[i] || r->s->visited[i] || neighbourhood(r, r->s->significant, x, y + k)) {
            return 0;
        }
    }
    return 1;
}

static void clean_column(ref *r, uint32_t x, uint32_t y, uint32_t rows)
{
    uint32_t k = 0;
    if (rows == 4 && column_is_quiet(r, x, y)) {
        while (k < 4 && !magnitude_bit(r, at(r, x, y + k))) {
            k++;
        }
        put_bit(r, WVL_T1_CTX_RUN, k < 4);
        if (k == 4) {
            return;
        }
        put_bit(r, WVL_T1_CTX_UNIFORM, k >> 1);
        put_bit(r, WVL_T1_CTX_UNIFORM, k & 1);
        put_sign_and_mark(r, x, y + k++);
    }
    for (; k < rows; k++) {
        clean(r, x, y + k);
    }
}

static void code_column(ref *r, int kind, uint32_t x, uint32_t y, uint32_t rows)
{
    if (kind == WVL_T1_CLEANUP) {
        clean_column(r, x, y, rows);
        return;
    }
    for (uint32_t k = 0; k < rows; k++) {
        if (kind == WVL_T1_PROPAGATE) {
            propagate(r, x, y + k);
        } else {
            refine(r, x, y + k);
        }
    }
}

static void code_pass(ref *r, int kind)
{
    for (uint32_t y = 0; y < r->height; y += 4) {
        for (uint32_t x = 0; x < r->width; x++) {
            code_column(r, kind, x, y, r->height - y < 4 ? r->height - y : 4);
        }
    }
    if (kind == WVL_T1_CLEANUP && (r->style & WVL_STYLE_SEGSYM)) {
        for (unsigned k = 0; k < 4; k++) {
            put_bit(r, WVL_T1_CTX_UNIFORM, !(k & 1));
        }
    }
}

static void load(ref *r, const wvl_t1_input *in, wvl_t1_output *out)
{
    uint64_t low = 0, high = 0;
    memset(r->s, 0, sizeof *r->s);
    for (uint32_t y = 0; y < r->height; y++) {
        for (uint32_t x = 0; x < r->width; x++) {
            size_t k = (size_t)y * in->stride + x;
            uint32_t v = in->coef_bytes == 2 ? ((const uint16_t *)in->coefs)[k] : ((const uint32_t *)in->coefs)[k];
            unsigned top = 8u * in->coef_bytes - 1;
            uint64_t m = v & (((uint32_t)1 << top) - 1);
            r->s->magnitude[at(r, x, y)] = (uint32_t)m;
            r->s->negative[at(r, x, y)] = (uint8_t)(v >> top);
            low += m * m & UINT32_MAX;
            high += m * m >> 32;
        }
    }
    if (in->want_gains && in->bound) {
        wvl_block_set_energy(out, low, high);
    }
}

void wvl_t1_encode_block_ref(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out)
{
    static _Thread_local ref_state state;
    (void)scratch;
    ref r = {.s = &state, .width = in->width, .height = in->height, .orient = in->orient, .style = in->style};
    uint32_t count = wvl_t1_init_coder(&r.coder, in, out);
    load(&r, in, out);
    for (uint32_t pass = 0; pass < count; pass++) {
        r.s->pass = pass;
        r.plane = wvl_t1_pass_plane(out->planes, pass) + in->frac_bits;
        r.exact = in->reversible && r.plane == 0;
        r.gain = 0;
        wvl_t1_init_pass(&r.coder, pass);
        code_pass(&r, wvl_t1_pass_kind(pass));
        wvl_t1_put_pass(&r.coder, out, in->want_gains ? r.gain : 0);
    }
    wvl_t1_fini_coder(&r.coder, out);
}
