/* SPDX-License-Identifier: BSD-2-Clause */
#include "t1_decode.h"

#include <stdlib.h>
#include <string.h>

enum { BYPASS = 1, RESET = 2, TERMALL = 4, VSC = 8, SEGSYM = 32 };

static const uint16_t mq_qe[47] = {0x5601, 0x3401, 0x1801, 0x0AC1, 0x0521, 0x0221, 0x5601, 0x5401, 0x4801, 0x3801,
                                   0x3001, 0x2401, 0x1C01, 0x1601, 0x5601, 0x5401, 0x5101, 0x4801, 0x3801, 0x3401,
                                   0x3001, 0x2801, 0x2401, 0x2201, 0x1C01, 0x1801, 0x1601, 0x1401, 0x1201, 0x1101,
                                   0x0AC1, 0x09C1, 0x08A1, 0x0521, 0x0441, 0x02A1, 0x0221, 0x0141, 0x0111, 0x0085,
                                   0x0049, 0x0025, 0x0015, 0x0009, 0x0005, 0x0001, 0x5601};
static const uint8_t mq_nmps[47] = {1,  2,  3,  4,  5,  38, 7,  8,  9,  10, 11, 12, 13, 29, 15, 16,
                                    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
                                    33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 45, 46};
static const uint8_t mq_nlps[47] = {1,  6,  9,  12, 29, 33, 6,  14, 14, 14, 17, 18, 20, 21, 14, 14,
                                    15, 16, 17, 18, 19, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
                                    30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 46};

void mq_decoder_init_contexts(mq_decoder *d)
{
    memset(d->row, 0, sizeof d->row);
    memset(d->mps, 0, sizeof d->mps);
    d->row[0] = 4;
    d->row[17] = 3;
    d->row[18] = 46;
}

static uint32_t byte_at(const mq_decoder *d, size_t i) { return i < d->length ? d->bytes[i] : 0xFF; }

/* BYTEIN, Figure C.19. */
static void take_byte(mq_decoder *d)
{
    if (byte_at(d, d->at) == 0xFF) {
        if (byte_at(d, d->at + 1) > 0x8F) {
            d->c += 0xFF00;
            d->ct = 8;
        } else {
            d->at++;
            d->c += byte_at(d, d->at) << 9;
            d->ct = 7;
        }
    } else {
        d->at++;
        d->c += byte_at(d, d->at) << 8;
        d->ct = 8;
    }
}

/* INITDEC, Figure C.20. */
void mq_decoder_init_segment(mq_decoder *d, const uint8_t *bytes, size_t length)
{
    d->bytes = bytes;
    d->length = length;
    d->at = 0;
    d->c = byte_at(d, 0) << 16;
    take_byte(d);
    d->c <<= 7;
    d->ct -= 7;
    d->a = 0x8000;
}

static unsigned exchange(mq_decoder *d, unsigned ctx, int lps)
{
    unsigned row = d->row[ctx], bit = d->mps[ctx];
    if (lps) {
        bit ^= 1;
        if (row == 0 || row == 6 || row == 14) {
            d->mps[ctx] ^= 1;
        }
        d->row[ctx] = mq_nlps[row];
    } else {
        d->row[ctx] = mq_nmps[row];
    }
    return bit;
}

/* DECODE, Figures C.15 to C.18. */
unsigned mq_decoder_fetch_bit(mq_decoder *d, unsigned ctx)
{
    uint32_t qe = mq_qe[d->row[ctx]];
    unsigned bit;
    d->a -= qe;
    if (d->c >> 16 < qe) {
        bit = exchange(d, ctx, d->a >= qe);
        d->a = qe;
    } else {
        d->c -= qe << 16;
        if (d->a & 0x8000) {
            return d->mps[ctx];
        }
        bit = exchange(d, ctx, d->a < qe);
    }
    do {
        if (d->ct == 0) {
            take_byte(d);
        }
        d->a <<= 1;
        d->c <<= 1;
        d->ct--;
    } while (!(d->a & 0x8000));
    return bit;
}

typedef struct raw_decoder {
    const uint8_t *bytes;
    size_t length, at;
    uint32_t byte, left;
} raw_decoder;

static unsigned raw_bit(raw_decoder *d)
{
    if (d->left == 0) {
        d->left = d->byte == 0xFF ? 7 : 8;
        d->byte = d->at < d->length ? d->bytes[d->at] : 0xFF;
        d->at++;
    }
    return d->byte >> --d->left & 1;
}

typedef struct decoder {
    t1_block *block;
    t1_sample *samples;
    uint8_t *visited, *refined;
    mq_decoder mq;
    raw_decoder raw;
    int is_raw;
    uint32_t plane;
} decoder;

static unsigned next_bit(decoder *d, unsigned ctx)
{
    return d->is_raw ? raw_bit(&d->raw) : mq_decoder_fetch_bit(&d->mq, ctx);
}

static const t1_sample *neighbour(const decoder *d, uint32_t x, uint32_t y, int dx, int dy)
{
    static const t1_sample none;
    int64_t nx = (int64_t)x + dx, ny = (int64_t)y + dy;
    if (nx < 0 || ny < 0 || nx >= d->block->width || ny >= d->block->height) {
        return &none;
    }
    if ((d->block->style & VSC) && dy == 1 && y % 4 == 3) {
        return &none;
    }
    return &d->samples[ny * d->block->width + nx];
}

static int sig(const decoder *d, uint32_t x, uint32_t y, int dx, int dy)
{
    return neighbour(d, x, y, dx, dy)->significant;
}

static unsigned edge_context(int h, int v, int dd)
{
    if (h == 2) {
        return 8;
    }
    if (h == 1) {
        return v ? 7 : dd ? 6 : 5;
    }
    if (v) {
        return v == 2 ? 4 : 3;
    }
    return dd >= 2 ? 2 : (unsigned)dd;
}

static unsigned cross_context(int hv, int dd)
{
    if (dd >= 3) {
        return 8;
    }
    if (dd == 2) {
        return hv ? 7 : 6;
    }
    if (dd == 1) {
        return hv >= 2 ? 5 : hv ? 4 : 3;
    }
    return hv >= 2 ? 2 : (unsigned)hv;
}

static unsigned zero_context(const decoder *d, uint32_t x, uint32_t y)
{
    int h = sig(d, x, y, -1, 0) + sig(d, x, y, 1, 0), v = sig(d, x, y, 0, -1) + sig(d, x, y, 0, 1);
    int dd = sig(d, x, y, -1, -1) + sig(d, x, y, 1, -1) + sig(d, x, y, -1, 1) + sig(d, x, y, 1, 1);
    if (d->block->orient == 3) {
        return cross_context(h + v, dd);
    }
    return d->block->orient == 1 ? edge_context(v, h, dd) : edge_context(h, v, dd);
}

static int lonely(const decoder *d, uint32_t x, uint32_t y)
{
    int n = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            n += (dx || dy) && sig(d, x, y, dx, dy);
        }
    }
    return n == 0;
}

static int contribution(const decoder *d, uint32_t x, uint32_t y, int dx, int dy)
{
    const t1_sample *s = neighbour(d, x, y, dx, dy);
    return s->significant ? 1 - 2 * s->negative : 0;
}

static int clamp(int v) { return v > 1 ? 1 : v < -1 ? -1 : v; }

static void decode_sign(decoder *d, uint32_t x, uint32_t y)
{
    static const uint8_t ctx[3][3] = {{13, 12, 11}, {10, 9, 10}, {11, 12, 13}}; /* [h + 1][v + 1], Table D.3 */
    static const uint8_t flip[3][3] = {{1, 1, 1}, {1, 0, 0}, {0, 0, 0}};
    int h = clamp(contribution(d, x, y, -1, 0) + contribution(d, x, y, 1, 0));
    int v = clamp(contribution(d, x, y, 0, -1) + contribution(d, x, y, 0, 1));
    t1_sample *s = &d->samples[y * d->block->width + x];
    unsigned bit = next_bit(d, ctx[h + 1][v + 1]);
    s->negative = (uint8_t)(d->is_raw ? bit : bit ^ flip[h + 1][v + 1]);
    s->significant = 1;
    s->magnitude = (uint32_t)1 << d->plane;
}

static void decode_zero(decoder *d, uint32_t x, uint32_t y)
{
    d->samples[y * d->block->width + x].plane = (uint8_t)d->plane;
    if (next_bit(d, zero_context(d, x, y))) {
        decode_sign(d, x, y);
    }
}

static void decode_sample(decoder *d, uint32_t x, uint32_t y, int kind)
{
    size_t i = (size_t)y * d->block->width + x;
    t1_sample *s = &d->samples[i];
    if (kind == 0 && !s->significant && !lonely(d, x, y)) {
        d->visited[i] = 1;
        decode_zero(d, x, y);
    } else if (kind == 1 && s->significant && !d->visited[i]) {
        unsigned bit = next_bit(d, d->refined[i] ? 16 : lonely(d, x, y) ? 14 : 15);
        d->refined[i] = 1;
        s->magnitude |= (uint32_t)bit << d->plane;
        s->plane = (uint8_t)d->plane;
    } else if (kind == 2) {
        if (!s->significant && !d->visited[i]) {
            decode_zero(d, x, y);
        }
        d->visited[i] = 0;
    }
}

static int run_mode(const decoder *d, uint32_t x, uint32_t y)
{
    if (d->block->height - y < 4) {
        return 0;
    }
    for (uint32_t k = 0; k < 4; k++) {
        size_t i = (size_t)(y + k) * d->block->width + x;
        if (d->samples[i].significant || d->visited[i] || !lonely(d, x, y + k)) {
            return 0;
        }
    }
    return 1;
}

static void decode_column(decoder *d, uint32_t x, uint32_t y, int kind)
{
    uint32_t k = 0;
    if (kind == 2 && run_mode(d, x, y)) {
        unsigned any = next_bit(d, 17);
        k = 4;
        if (any) {
            k = next_bit(d, 18) << 1;
            k |= next_bit(d, 18);
        }
        for (uint32_t j = 0; j < k; j++) {
            d->samples[(y + j) * d->block->width + x].plane = (uint8_t)d->plane;
        }
        if (!any) {
            return;
        }
        d->samples[(y + k) * d->block->width + x].plane = (uint8_t)d->plane;
        decode_sign(d, x, y + k++);
    }
    for (; k < 4 && y + k < d->block->height; k++) {
        decode_sample(d, x, y + k, kind);
    }
}

static void decode_pass(decoder *d, int kind)
{
    for (uint32_t y = 0; y < d->block->height; y += 4) {
        for (uint32_t x = 0; x < d->block->width; x++) {
            decode_column(d, x, y, kind);
        }
    }
    if (kind == 2 && (d->block->style & SEGSYM)) {
        unsigned v = 0;
        for (int k = 0; k < 4; k++) {
            v = v << 1 | next_bit(d, 18);
        }
        d->block->symbols_broken |= v != 10;
    }
}

static void decode_segment(decoder *d, const t1_segment *segment, uint32_t first_pass)
{
    for (uint32_t pass = first_pass; pass < first_pass + segment->passes; pass++) {
        int kind = (int)((pass + 2) % 3);
        d->plane = d->block->planes - 1 - (pass + 2) / 3;
        d->is_raw = (d->block->style & BYPASS) && pass >= 10 && kind != 2;
        if (d->block->style & RESET) {
            mq_decoder_init_contexts(&d->mq);
        }
        if (pass == first_pass) {
            if (d->is_raw) {
                d->raw = (raw_decoder){segment->bytes, segment->length, 0, 0, 0};
            } else {
                mq_decoder_init_segment(&d->mq, segment->bytes, segment->length);
            }
        }
        decode_pass(d, kind);
    }
}

void t1_decode_block(t1_block *block, const t1_segment *segments, size_t segment_count, t1_sample *samples)
{
    size_t count = (size_t)block->width * block->height;
    decoder d = {.block = block, .samples = samples, .visited = calloc(count, 1), .refined = calloc(count, 1)};
    if (!d.visited || !d.refined) {
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        samples[i] = (t1_sample){0, 0, 0, (uint8_t)block->planes};
    }
    mq_decoder_init_contexts(&d.mq);
    block->symbols_broken = 0;
    uint32_t pass = 0;
    for (size_t s = 0; s < segment_count; s++) {
        decode_segment(&d, &segments[s], pass);
        pass += segments[s].passes;
    }
    free(d.visited);
    free(d.refined);
}
