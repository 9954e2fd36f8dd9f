/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Range readers: an image server reads the index of a file, TLM and PLT, and then only the packets of a region at a
 * resolution. The small reader here shares no code with the library. It takes bytes of the file only through fetch(),
 * and makes a codestream of them in which all other packets are empty; OpenJPEG decodes the region of both alike.
 */
#include "tests/decode/cases.h"
#include "tests/support/support.h"
#include "tools/openjpeg/decode.h"

enum { SIZ = 0xFF51, COD = 0xFF52, TLM = 0xFF55, PLT = 0xFF58, SOT = 0xFF90, SOD = 0xFF93, EOC = 0xFFD9 };

#define MOST_RESOLUTIONS 33u

/* ---- Bytes ----------------------------------------------------------------------------------- */

typedef struct far_file {
    const uint8_t *data;
    size_t bytes, fetched; /* fetched: bytes that left the file */
} far_file;

static const uint8_t *fetch(far_file *f, size_t at, size_t count)
{
    ck_assert(at <= f->bytes && count <= f->bytes - at);
    f->fetched += count;
    return f->data + at;
}

static uint32_t number(const uint8_t *p, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        value = value << 8 | p[i];
    }
    return value;
}

typedef struct output {
    uint8_t *data;
    size_t bytes;
} output;

static void append(output *o, const void *from, size_t count)
{
    memcpy(o->data + o->bytes, from, count);
    o->bytes += count;
}

static void append_number(output *o, uint32_t value, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0;) {
        o->data[o->bytes++] = (uint8_t)(value >> 8 * i);
    }
}

/* ---- Index ----------------------------------------------------------------------------------- */

typedef struct stream_index {
    uint32_t width, height;
    unsigned components, levels, layers, is_reversible, has_precincts, order;
    uint8_t precinct[MOST_RESOLUTIONS]; /* PPx | PPy << 4 */
    size_t part_at[256];                /* of tile-parts, by TLM; one more: the end of the last */
    unsigned parts;
} stream_index;

/* Finds where the codestream begins: 0, or behind the head of the box jp2c (I.5.4). */
static size_t find_codestream(far_file *f)
{
    size_t at = 0;
    if (number(fetch(f, 0, 2), 2) == 0xFF4F) {
        return 0;
    }
    for (;;) {
        const uint8_t *head = fetch(f, at, 8);
        if (!memcmp(head + 4, "jp2c", 4)) {
            return at + (number(head, 4) == 1 ? 16 : 8);
        }
        at += number(head, 4);
    }
}

static void take_siz(stream_index *x, const uint8_t *p)
{
    x->width = number(p + 4, 4);
    x->height = number(p + 8, 4);
    x->components = number(p + 36, 2);
    ck_assert(number(p + 12, 4) == 0 && number(p + 16, 4) == 0);
    ck_assert(number(p + 20, 4) >= x->width && number(p + 24, 4) >= x->height); /* one tile */
}

static void take_cod(stream_index *x, const uint8_t *p)
{
    x->has_precincts = p[2] & 1;
    ck_assert_uint_eq(p[2] & 6, 0); /* neither SOP nor EPH */
    x->order = p[3];
    x->layers = number(p + 4, 2);
    x->levels = p[7];
    x->is_reversible = p[11];
    for (unsigned r = 0; r <= x->levels; r++) {
        x->precinct[r] = x->has_precincts ? p[12 + r] : 0xFF;
    }
}

/* Psot of each tile-part in turn (A.7.1); part_at holds lengths until the header has been read. */
static void take_tlm(stream_index *x, const uint8_t *p, size_t length)
{
    unsigned tile_bytes = p[3] >> 4 & 3, length_bytes = p[3] >> 6 & 1 ? 4 : 2;
    for (size_t at = 4; at < length; at += tile_bytes + length_bytes) {
        x->part_at[x->parts++] = number(p + at + tile_bytes, length_bytes);
    }
}

/* The main header, of which all but TLM goes to `out`. */
static void read_index(far_file *f, stream_index *x, output *out)
{
    size_t at = find_codestream(f);
    append(out, fetch(f, at, 2), 2);
    for (at += 2;;) {
        const uint8_t *p = fetch(f, at, 4);
        uint32_t marker = number(p, 2), length = number(p + 2, 2);
        if (marker == SOT) {
            break;
        }
        p = fetch(f, at, 2 + length) + 2;
        if (marker == SIZ) {
            take_siz(x, p);
        } else if (marker == COD) {
            take_cod(x, p);
        }
        if (marker == TLM) {
            take_tlm(x, p, length);
        } else {
            append(out, p - 2, 2 + length);
        }
        at += 2 + length;
    }
    for (unsigned i = 0; i <= x->parts; i++) {
        size_t length = x->part_at[i];
        x->part_at[i] = at;
        at += length;
    }
}

/* Lengths of the packets of a tile-part (A.7.3); returns where its body begins. The caller frees *lengths. */
static size_t read_lengths(far_file *f, size_t at, uint32_t **lengths, size_t *count)
{
    size_t room = 0;
    uint32_t value = 0;
    *lengths = NULL;
    *count = 0;
    at += 12;
    for (;;) {
        const uint8_t *p = fetch(f, at, 2);
        if (number(p, 2) == SOD) {
            return at + 2;
        }
        ck_assert_uint_eq(number(p, 2), PLT);
        uint32_t length = number(fetch(f, at + 2, 2), 2);
        p = fetch(f, at + 5, length - 3);
        room += length;
        *lengths = realloc(*lengths, room * sizeof **lengths);
        ck_assert_ptr_nonnull(*lengths);
        for (uint32_t i = 0; i < length - 3; i++) {
            value = value << 7 | (p[i] & 0x7F);
            if (!(p[i] & 0x80)) {
                (*lengths)[(*count)++] = value;
                value = 0;
            }
        }
        at += 2 + length;
    }
}

/* ---- Region ---------------------------------------------------------------------------------- */

typedef struct span {
    int64_t low, high; /* half open */
} span;

static uint32_t ceil_shift(uint64_t value, unsigned shift)
{
    return (uint32_t)((value + (UINT64_C(1) << shift) - 1) >> shift);
}

/* Samples of resolution r that the samples `want` of resolution `top` are made of, filters included: to make a sample,
 * the inverse transform takes neighbours at a distance of up to 2 (5/3) or 4 (9/7) samples. */
static span reach(span want, unsigned top, unsigned r, int margin)
{
    for (; top > r; top--) {
        want.low = (want.low - margin) / 2 - 1;
        want.high = (want.high + margin) / 2 + 1;
    }
    return want;
}

/* Precincts of one direction. */
static span precincts_of(span want, unsigned exponent, int margin, uint32_t size)
{
    span s = {want.low - margin, want.high + margin};
    s.low = (s.low > 0 ? s.low : 0) >> exponent;
    s.high = ((s.high < size ? s.high : size) - 1) >> exponent;
    s.high++;
    return s;
}

typedef struct request {
    const uint32_t *area; /* x0, y0, x1, y1 of the whole picture */
    unsigned discard;
    unsigned drop; /* 1: a precinct in the middle of the highest resolution is left out, which must show */
} request;

/* One tile-part, with the packets that the request needs. RPCL: by rows of precincts, components, layers (B.12.1.3). */
static void take_part(far_file *f, const stream_index *x, const request *q, unsigned r, output *out)
{
    unsigned top = x->levels - q->discard, ppx = x->precinct[r] & 15, ppy = x->precinct[r] >> 4, shift = x->levels - r;
    int margin = x->is_reversible ? 2 : 4, own = r > 0 ? margin : 0;
    uint32_t width = ceil_shift(x->width, shift), height = ceil_shift(x->height, shift);
    span wide = {ceil_shift(q->area[0], q->discard), ceil_shift(q->area[2], q->discard)};
    span high = {ceil_shift(q->area[1], q->discard), ceil_shift(q->area[3], q->discard)};
    span across = precincts_of(reach(wide, top, r, margin), ppx, own, width);
    span down = precincts_of(reach(high, top, r, margin), ppy, own, height);
    uint32_t columns = ceil_shift(width, ppx), rows = ceil_shift(height, ppy), *lengths;
    size_t count, start = out->bytes, body = read_lengths(f, x->part_at[r], &lengths, &count), k = 0;
    ck_assert_uint_eq(count, (size_t)columns * rows * x->components * x->layers);
    append(out, fetch(f, x->part_at[r], 12), 12);
    append_number(out, SOD, 2);
    for (; k < count; body += lengths[k++]) {
        int64_t precinct = (int64_t)(k / x->layers / x->components), px = precinct % columns, py = precinct / columns;
        int needed = px >= across.low && px < across.high && py >= down.low && py < down.high;
        if (q->drop && r == top && px == (across.low + across.high) / 2 && py == (down.low + down.high) / 2) {
            needed = 0;
        }
        if (needed) {
            append(out, fetch(f, body, lengths[k]), lengths[k]);
        } else {
            append(out, "", 1); /* an empty packet (B.10.3) */
        }
    }
    ck_assert_uint_eq(body, x->part_at[r + 1]);
    free(lengths);
    output patch = {out->data, start + 6};
    append_number(&patch, (uint32_t)(out->bytes - start), 4);
    patch.bytes++;
    append_number(&patch, top + 1, 1); /* TNsot */
}

/* A codestream of what the request needs; *fetched gets the bytes read for it. Release with free. */
static output read_ranges(const outcome *o, const request *q, size_t *fetched)
{
    far_file f = {o->data, o->bytes, 0};
    output out = {malloc(o->bytes + 4096), 0};
    stream_index x = {0};
    ck_assert_ptr_nonnull(out.data);
    read_index(&f, &x, &out);
    ck_assert_uint_eq(x.order, 2); /* RPCL */
    ck_assert_uint_eq(x.parts, x.levels + 1);
    for (unsigned r = 0; r + q->discard <= x.levels; r++) {
        take_part(&f, &x, q, r, &out);
    }
    append_number(&out, EOC, 2);
    *fetched = f.fetched;
    return out;
}

/* ---- The two must agree ---------------------------------------------------------------------- */

static void complain(const char *text, void *user)
{
    (void)user;
    ck_abort_msg("OpenJPEG: %s", text);
}

static opj_image_t *decode(const uint8_t *data, size_t bytes, const request *q)
{
    wvl_opj_request r = {
        .data = data, .bytes = bytes, .discard = q->discard, .area = q->area, .complain = complain, .warn = complain};
    opj_image_t *image = wvl_opj_decode(&r);
    ck_assert_ptr_nonnull(image);
    return image;
}

static int is_same(const opj_image_t *a, const opj_image_t *b)
{
    int same = a->numcomps == b->numcomps;
    for (OPJ_UINT32 c = 0; same && c < a->numcomps; c++) {
        const opj_image_comp_t *k = &a->comps[c], *l = &b->comps[c];
        ck_assert(k->w == l->w && k->h == l->h && k->w > 0 && k->h > 0);
        same = !memcmp(k->data, l->data, (size_t)k->w * k->h * sizeof *k->data);
    }
    return same;
}

/* Returns bytes fetched, in thousandths of the file. */
static unsigned compare(const outcome *o, const uint32_t *area, unsigned discard, int drop)
{
    size_t fetched;
    request q = {area, discard, 0};
    opj_image_t *all = decode(o->data, o->bytes, &q);
    q.drop = (unsigned)drop;
    output part = read_ranges(o, &q, &fetched);
    opj_image_t *some = decode(part.data, part.bytes, &q);
    ck_assert_msg(is_same(all, some) == !drop, "area %u,%u %u,%u, %u resolutions left out", area[0], area[1], area[2],
                  area[3], discard);
    opj_image_destroy(all);
    opj_image_destroy(some);
    free(part.data);
    return (unsigned)(fetched * 1000 / o->bytes);
}

static const struct range_case {
    uint32_t area[4];
    unsigned discard, most; /* most: thousandths of the file that may be read */
} ranges[] = {
    {{0, 0, 256, 256}, 0, 250},     {{516, 260, 760, 508}, 0, 350},  {{700, 500, 701, 501}, 0, 220},
    {{255, 255, 257, 257}, 0, 250}, {{1043, 0, 1300, 7}, 0, 160},    {{0, 0, 1300, 900}, 3, 50},
    {{0, 0, 1300, 900}, 6, 5},      {{512, 384, 1024, 768}, 1, 400}, {{300, 300, 1200, 800}, 2, 130},
};

static const char *const presets[] = {"preset=iiif-lossless", "preset=iiif-lossy"};

/* A region at a resolution needs the bytes that the index says, and no others. */
TEST_EACH(regions_need_what_the_index_says, 4)
{
    const uint32_t cut[4] = {512, 256, 768, 512};
    owned_picture p = picture_draw(PICTURE_NATURAL, 1300, 900, 3, 8, 11);
    const char *settings = test_print("%s container=%s", presets[_i & 1], _i & 2 ? "j2k" : "jp2");
    owned_outcome o = case_encode(settings, &p, settings, NULL);
    for (size_t i = (size_t)_i / 2; i < sizeof ranges / sizeof ranges[0]; i += 2) {
        unsigned read = compare(&o, ranges[i].area, ranges[i].discard, 0);
        ck_assert_msg(read <= ranges[i].most, "range %zu: %u of 1000 bytes", i, read);
    }
    (void)compare(&o, cut, 0, 1); /* and they are needed */
}

TEST_MAIN("ranges")
