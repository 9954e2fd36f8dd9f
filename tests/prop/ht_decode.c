/* SPDX-License-Identifier: BSD-2-Clause */
#include "ht_decode.h"

#include <stdlib.h>
#include <string.h>

#include "../../tools/tablegen/ht_vlc_rows.h"

/* ---- Readers --------------------------------------------------------------------------------- */

/* Forward, lowest bit first; `beyond` is what comes after the end. */
typedef struct forward {
    const uint8_t *at, *end;
    unsigned byte, left, after_ff, beyond;
} forward;

static unsigned take_forward(forward *r)
{
    if (!r->left) {
        int is_there = r->at < r->end;
        r->left = 8 - r->after_ff;
        r->byte = is_there ? *r->at++ : r->beyond ? 0xFF : 0;
        r->after_ff = is_there && r->byte == 0xFF;
    }
    unsigned bit = r->byte & 1;
    r->byte >>= 1;
    r->left--;
    return bit;
}

static uint64_t take_forward_bits(forward *r, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++) {
        v |= (uint64_t)take_forward(r) << i;
    }
    return v;
}

/* Backward, lowest bit first; 0s beyond the start. */
typedef struct backward {
    const uint8_t *start, *at;
    unsigned byte, left, before;
} backward;

static unsigned take_backward(backward *r)
{
    if (!r->left) {
        r->byte = r->at > r->start ? *--r->at : 0;
        r->left = r->before > 0x8F && (r->byte & 0x7F) == 0x7F ? 7 : 8;
        r->before = r->byte;
    }
    unsigned bit = r->byte & 1;
    r->byte >>= 1;
    r->left--;
    return bit;
}

/* Forward, highest bit first, and the run decoder on it. */
typedef struct mel_reader {
    const uint8_t *at, *end;
    unsigned byte, left, after_ff;
    unsigned state, zeros, one_follows;
} mel_reader;

static unsigned take_mel_bit(mel_reader *r)
{
    if (!r->left) {
        r->left = 8 - r->after_ff;
        r->byte = r->at < r->end ? *r->at++ : 0xFF;
        r->after_ff = r->byte == 0xFF;
    }
    return r->byte >> --r->left & 1;
}

static unsigned take_event(mel_reader *r)
{
    static const unsigned exponents[13] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5};
    if (!r->zeros && !r->one_follows) {
        unsigned n = exponents[r->state];
        if (take_mel_bit(r)) {
            r->zeros = 1u << n;
            r->state = r->state < 12 ? r->state + 1 : 12;
        } else {
            while (n--) {
                r->zeros = 2 * r->zeros + take_mel_bit(r);
            }
            r->one_follows = 1;
            r->state = r->state ? r->state - 1 : 0;
        }
    }
    if (r->zeros) {
        r->zeros--;
        return 0;
    }
    r->one_follows = 0;
    return 1;
}

/* ---- Cleanup --------------------------------------------------------------------------------- */

typedef struct quad {
    unsigned rho, u_off, e_k, e_1, u;
    unsigned exponent[4];
} quad;

typedef struct decoder {
    const ht_block *block;
    forward magsgn;
    backward vlc;
    mel_reader mel;
    uint32_t wide;
    quad *quads;
    ht_sample *samples;
} decoder;

static const quad *quad_at(const decoder *d, long col, long row)
{
    static const quad none;
    return col < 0 || row < 0 || col >= (long)d->wide ? &none : &d->quads[(size_t)row * d->wide + (size_t)col];
}

static unsigned bit_of(unsigned v, unsigned n) { return v >> n & 1; }

static unsigned context_of(const decoder *d, long col, long row)
{
    const quad *left = quad_at(d, col - 1, row);
    if (!row) {
        unsigned l = left->rho;
        return (bit_of(l, 0) | bit_of(l, 1)) + 2 * bit_of(l, 2) + 4 * bit_of(l, 3);
    }
    const quad *above = quad_at(d, col, row - 1), *above_left = quad_at(d, col - 1, row - 1),
               *above_right = quad_at(d, col + 1, row - 1);
    return (bit_of(above_left->rho, 3) | bit_of(above->rho, 1)) + 2 * (bit_of(left->rho, 2) | bit_of(left->rho, 3)) +
           4 * (bit_of(above->rho, 3) | bit_of(above_right->rho, 1));
}

static const char *take_codeword(decoder *d, unsigned context, long row, quad *q)
{
    const struct ht_vlc_row *rows = row ? ht_vlc_table1 : ht_vlc_table0;
    size_t count = row ? sizeof ht_vlc_table1 / sizeof *rows : sizeof ht_vlc_table0 / sizeof *rows;
    unsigned code = 0;
    for (unsigned n = 1; n <= 7; n++) {
        code |= take_backward(&d->vlc) << (n - 1);
        for (size_t i = 0; i < count; i++) {
            if (rows[i].context == context && rows[i].bits == n && rows[i].codeword == code) {
                q->rho = rows[i].rho;
                q->u_off = rows[i].u_off;
                q->e_k = rows[i].e_k;
                q->e_1 = rows[i].e_1;
                return NULL;
            }
        }
    }
    return "no codeword fits";
}

/* 1, 2, 3 (and one bit), 5 (and five bits). */
static unsigned take_prefix(decoder *d)
{
    if (take_backward(&d->vlc)) {
        return 1;
    }
    return take_backward(&d->vlc) ? 2 : take_backward(&d->vlc) ? 3 : 5;
}

static unsigned take_suffix(decoder *d, unsigned prefix)
{
    unsigned v = prefix;
    for (unsigned i = 0; i < (prefix == 3 ? 1u : prefix == 5 ? 5u : 0u); i++) {
        v += take_backward(&d->vlc) << i;
    }
    return v;
}

/* 28 and more of five bits are followed by four bits, each worth four times as much. */
static unsigned take_extension(decoder *d, unsigned v)
{
    for (unsigned i = 2, is_long = v >= 5 + 28; is_long && i < 6; i++) {
        v += take_backward(&d->vlc) << i;
    }
    return v;
}

static void take_predictions(decoder *d, long row, quad *a, quad *b)
{
    unsigned more = 0, first = 0, second = 0;
    if (!row && a->u_off && b && b->u_off) {
        more = take_event(&d->mel) ? 2 : 0;
        first = take_prefix(d);
        if (!more && first > 2) {
            b->u = 1 + take_backward(&d->vlc);
            a->u = take_extension(d, take_suffix(d, first));
            return;
        }
        second = take_prefix(d);
    } else {
        first = a->u_off ? take_prefix(d) : 0;
        second = b && b->u_off ? take_prefix(d) : 0;
    }
    first = take_suffix(d, first);
    second = take_suffix(d, second);
    a->u = first ? more + take_extension(d, first) : 0;
    if (b) {
        b->u = second ? more + take_extension(d, second) : 0;
    }
}

static unsigned bit_length(uint64_t v)
{
    unsigned n = 0;
    for (; v; v >>= 1) {
        n++;
    }
    return n;
}

static unsigned kappa_of(const decoder *d, long col, long row, unsigned rho)
{
    if (!row || (rho & (rho - 1)) == 0) {
        return 1;
    }
    const quad *above = quad_at(d, col, row - 1), *left = quad_at(d, col - 1, row - 1),
               *right = quad_at(d, col + 1, row - 1);
    unsigned e[4] = {left->exponent[3], above->exponent[1], above->exponent[3], right->exponent[1]}, most = 0;
    for (int i = 0; i < 4; i++) {
        most = e[i] > most ? e[i] : most;
    }
    return most > 2 ? most - 1 : 1;
}

static const char *take_magnitudes(decoder *d, long col, long row, quad *q)
{
    unsigned U = kappa_of(d, col, row, q->rho) + q->u;
    for (unsigned n = 0; n < 4; n++) {
        uint32_t x = (uint32_t)(2 * col) + (n >> 1), y = (uint32_t)(2 * row) + (n & 1);
        if (!bit_of(q->rho, n)) {
            continue;
        }
        if (x >= d->block->width || y >= d->block->height) {
            return "a sample beyond the block is significant";
        }
        unsigned bits = U - bit_of(q->e_k, n);
        if (bits > 38) {
            return "a sample of more than 38 bits";
        }
        uint64_t v = take_forward_bits(&d->magsgn, bits) | (uint64_t)bit_of(q->e_1, n) << bits;
        ht_sample *s = &d->samples[(size_t)y * d->block->width + x];
        s->magnitude = (v >> 1) + 1;
        s->negative = v & 1;
        s->significant = 1;
        q->exponent[n] = bit_length(2 * s->magnitude - 1);
    }
    return NULL;
}

static const char *take_quad(decoder *d, long col, long row, quad *q)
{
    unsigned context = context_of(d, col, row);
    if (!context && !take_event(&d->mel)) {
        return NULL;
    }
    return take_codeword(d, context, row, q);
}

static const char *take_quads(decoder *d)
{
    for (long row = 0; 2 * row < (long)d->block->height; row++) {
        for (long col = 0; col < (long)d->wide; col += 2) {
            quad *a = &d->quads[(size_t)row * d->wide + (size_t)col], *b = col + 1 < (long)d->wide ? a + 1 : NULL;
            const char *wrong = take_quad(d, col, row, a);
            if (!wrong && b) {
                wrong = take_quad(d, col + 1, row, b);
            }
            if (wrong) {
                return wrong;
            }
            take_predictions(d, row, a, b);
            wrong = take_magnitudes(d, col, row, a);
            if (!wrong && b) {
                wrong = take_magnitudes(d, col + 1, row, b);
            }
            if (wrong) {
                return wrong;
            }
        }
    }
    return NULL;
}

/* ---- Refinement ------------------------------------------------------------------------------ */

static int is_neighbour_significant(const ht_block *b, const ht_sample *s, uint32_t x, uint32_t y)
{
    for (long v = (long)y - 1; v <= (long)y + 1; v++) {
        for (long u = (long)x - 1; u <= (long)x + 1; u++) {
            if (u < 0 || v < 0 || u >= (long)b->width || v >= (long)b->height || (u == (long)x && v == (long)y)) {
                continue;
            }
            if (b->is_causal && v / 4 > (long)y / 4) {
                continue;
            }
            const ht_sample *n = &s[(size_t)v * b->width + (size_t)u];
            if (n->significant || n->magnitude) {
                return 1;
            }
        }
    }
    return 0;
}

static uint32_t stripe_end(const ht_block *b, uint32_t y) { return y + 4 < b->height ? y + 4 : b->height; }

static void take_group(const ht_block *b, forward *r, uint32_t x0, uint32_t y0, ht_sample *s)
{
    uint32_t x1 = x0 + 4 < b->width ? x0 + 4 : b->width, y1 = stripe_end(b, y0);
    for (uint32_t x = x0; x < x1; x++) {
        for (uint32_t y = y0; y < y1; y++) {
            ht_sample *k = &s[(size_t)y * b->width + x];
            if (!k->significant && is_neighbour_significant(b, s, x, y)) {
                k->magnitude = take_forward(r);
                k->refined = 1;
            }
        }
    }
    for (uint32_t x = x0; x < x1; x++) {
        for (uint32_t y = y0; y < y1; y++) {
            ht_sample *k = &s[(size_t)y * b->width + x];
            if (!k->significant && k->magnitude) {
                k->negative = (uint8_t)take_forward(r);
            }
        }
    }
}

static void take_refinement(const ht_block *b, const uint8_t *bytes, size_t count, ht_sample *s)
{
    forward sigprop = {.at = bytes, .end = bytes + count};
    backward magref = {.start = bytes, .at = bytes + count, .before = 0xFF};
    for (uint32_t y = 0; y < b->height; y += 4) {
        for (uint32_t x = 0; x < b->width; x += 4) {
            take_group(b, &sigprop, x, y, s);
        }
    }
    for (uint32_t y0 = 0; b->passes > 2 && y0 < b->height; y0 += 4) {
        for (uint32_t x = 0; x < b->width; x++) {
            for (uint32_t y = y0; y < stripe_end(b, y0); y++) {
                ht_sample *k = &s[(size_t)y * b->width + x];
                if (k->significant) {
                    k->magnitude = 2 * k->magnitude + take_backward(&magref);
                    k->refined = 1;
                }
            }
        }
    }
}

/* ---- The block ------------------------------------------------------------------------------- */

static const char *check_bytes(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        if (bytes[i] == 0xFF && bytes[i + 1] > 0x8F) {
            return "a forbidden pair of bytes";
        }
    }
    return count && bytes[count - 1] == 0xFF ? "a segment ends in 0xFF" : NULL;
}

static const char *take_cleanup(decoder *d, const uint8_t *bytes, size_t count)
{
    size_t suffix = (size_t)bytes[count - 1] << 4 | (bytes[count - 2] & 15);
    if (suffix < 2 || suffix > count || suffix > 4079) {
        return "Scup is out of range";
    }
    uint8_t *copy = malloc(count);
    memcpy(copy, bytes, count);
    copy[count - 1] = 0xFF; /* the bits of Scup read as 1s */
    copy[count - 2] |= 15;
    size_t prefix = count - suffix;
    d->magsgn = (forward){.at = copy, .end = copy + prefix, .beyond = 1};
    d->mel = (mel_reader){.at = copy + prefix, .end = copy + count};
    d->vlc = (backward){.start = copy + prefix, .at = copy + count - 1, .before = 0xFF};
    for (int i = 0; i < 4; i++) {
        (void)take_backward(&d->vlc);
    }
    const char *wrong = take_quads(d);
    free(copy);
    return wrong;
}

const char *ht_decode_block(const ht_block *block, const uint8_t *cleanup, size_t cleanup_bytes,
                            const uint8_t *refinement, size_t refinement_bytes, ht_sample *samples)
{
    memset(samples, 0, (size_t)block->width * block->height * sizeof *samples);
    if (cleanup_bytes < 2 || cleanup_bytes > 65534 || refinement_bytes > 2046) {
        return "the length of a segment";
    }
    const char *wrong = check_bytes(cleanup, cleanup_bytes);
    if (!wrong) {
        wrong = check_bytes(refinement, refinement_bytes);
    }
    decoder d = {.block = block, .wide = (block->width + 1) / 2, .samples = samples};
    d.quads = calloc((size_t)d.wide * ((block->height + 1) / 2), sizeof *d.quads);
    if (!wrong) {
        wrong = take_cleanup(&d, cleanup, cleanup_bytes);
    }
    if (!wrong && block->passes > 1) {
        take_refinement(block, refinement, refinement_bytes, samples);
    }
    free(d.quads);
    return wrong;
}
