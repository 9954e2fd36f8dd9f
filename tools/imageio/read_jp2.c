/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG 2000 as input: JP2, JPH and codestreams, decoded by OpenJPEG. The boxes are read here. What OpenJPEG repairs
 * with a warning while it decodes is refused.
 */
#include "read_jp2.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- SIZ ------------------------------------------------------------------------------------- */

/* The claims of the marker segment SIZ (A.5.1) against the bytes that are there. */

#define LEAST_TILE_BYTES 14u         /* SOT and SOD of the first tile-part */
#define DECODER_BYTES UINT64_C(1200) /* that OpenJPEG takes for each component of each tile */

static uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

static int check_area(wvl_io_jp2 *j, const uint8_t *siz)
{
    uint64_t x1 = wvl_io_be32(siz + 4), y1 = wvl_io_be32(siz + 8), x0 = wvl_io_be32(siz + 12),
             y0 = wvl_io_be32(siz + 16);
    uint64_t tw = wvl_io_be32(siz + 20), th = wvl_io_be32(siz + 24), tx0 = wvl_io_be32(siz + 28),
             ty0 = wvl_io_be32(siz + 32), components = wvl_io_be16(siz + 36), samples = 0;
    if (x1 <= x0 || y1 <= y0 || !tw || !th || tx0 > x0 || ty0 > y0 || tx0 + tw <= x0 || ty0 + th <= y0) {
        return wvl_io_fail(j->context, "SIZ: the image area or the first tile is empty (A.5.1, B.3)");
    }
    for (uint64_t c = 0; c < components; c++) {
        uint64_t dx = siz[39 + 3 * c], dy = siz[40 + 3 * c];
        if (!dx || !dy) {
            return wvl_io_fail(j->context, "SIZ: component %llu: a step of 0 (A.5.1)", (unsigned long long)c);
        }
        samples += ceil_div(x1 - x0, dx) * ceil_div(y1 - y0, dy);
        if (samples > j->context->max_samples || samples > WVL_IO_COUNTABLE_SAMPLES) {
            return wvl_io_fail(j->context,
                               "size %llu x %llu, %llu components: more than the limit of %llu samples "
                               "(--max-pixels)",
                               (unsigned long long)(x1 - x0), (unsigned long long)(y1 - y0),
                               (unsigned long long)components, (unsigned long long)j->context->max_samples);
        }
    }
    j->sample_count = samples;
    uint64_t tiles = ceil_div(x1 - tx0, tw) * ceil_div(y1 - ty0, th);
    if (tiles > 65535 || tiles * LEAST_TILE_BYTES > j->codestream_bytes) {
        return wvl_io_fail(j->context,
                           "SIZ: %llu tiles: more than 65535, or more than the codestream's %llu bytes can hold",
                           (unsigned long long)tiles, (unsigned long long)j->codestream_bytes);
    }
    if (tiles * components * DECODER_BYTES > (UINT64_C(1) << 28) + 64 * j->codestream_bytes + 8 * samples) {
        return wvl_io_fail(j->context, "SIZ: %llu tiles of %llu components: too many for this reader",
                           (unsigned long long)tiles, (unsigned long long)components);
    }
    return 0;
}

/* Says whether SIZ claims what the file can hold, before a decoder believes it. 0, or -1 with the reason. */
static int check_size(wvl_io_jp2 *j)
{
    const uint8_t *siz = j->codestream + 4; /* the length field of the marker segment */
    if (j->codestream_bytes < 4 + 41 || memcmp(j->codestream, "\xff\x4f\xff\x51", 4) != 0) {
        return wvl_io_fail(j->context, "codestream: does not begin with SOC and SIZ");
    }
    uint64_t length = wvl_io_be16(siz), components = wvl_io_be16(siz + 36);
    if (!components || components > WVL_IO_MAX_COMPONENTS || length != 38 + 3 * components ||
        length + 4 > j->codestream_bytes) {
        return wvl_io_fail(j->context,
                           "SIZ: %llu components in %llu bytes: they do not agree, or the file is truncated",
                           (unsigned long long)components, (unsigned long long)length);
    }
    for (uint64_t c = 0; c < components; c++) {
        unsigned depth = (siz[38 + 3 * c] & 127u) + 1;
        if (depth > 31) {
            return wvl_io_fail(j->context, "component %llu: %u bits: OpenJPEG decodes at most 31",
                               (unsigned long long)c, depth);
        }
    }
    return check_area(j, siz);
}

/* ---- OpenJPEG -------------------------------------------------------------------------------- */

typedef struct listener {
    wvl_io_jp2 *jp2;
    int decodes; /* the header is read */
    int damaged; /* a warning came after it */
    char message[160];
} listener;

static void keep(listener *l, const char *text)
{
    if (!l->message[0]) {
        snprintf(l->message, sizeof l->message, "%s", text);
    }
}

static void on_error(const char *text, void *user) { keep(user, text); }

static void on_warning(const char *text, void *user)
{
    listener *l = user;
    if (l->decodes) {
        keep(l, text);
        l->damaged = 1;
    } else if (strstr(l->jp2->context->picture->note, "OpenJPEG: ") == NULL) {
        wvl_io_note(l->jp2->context, "OpenJPEG: %s", text);
    }
}

static void on_header(void *user) { ((listener *)user)->decodes = 1; }

int wvl_io_jp2_check(wvl_io_jp2 *j)
{
    const wvl_io_options *o = &j->context->options;
    char reason[256] = "";
    if (check_size(j) != 0) {
        return -1;
    }
    if (o->inspect && o->inspect(j->codestream, (size_t)j->codestream_bytes, reason, sizeof reason)) {
        return wvl_io_fail(j->context, "%s", reason);
    }
    return 0;
}

int wvl_io_jp2_decode(wvl_io_jp2 *j, wvl_opj_picture *decoded)
{
    listener l = {.jp2 = j};
    const wvl_opj_request request = {.data = j->codestream,
                                     .bytes = (size_t)j->codestream_bytes,
                                     .keep_indices = 1,
                                     .complain = on_error,
                                     .warn = on_warning,
                                     .user = &l};
    char reason[WVL_OPJ_REASON_BYTES] = "";
    /* A short file may be a large picture of one value: what OpenJPEG will hold is asked for before it begins. */
    void *probe = wvl_io_allocate(j->context, j->sample_count * sizeof(OPJ_INT32), "samples that OpenJPEG holds");
    if (!probe) {
        return -1;
    }
    free(probe);
    switch (wvl_opj_decode_guarded(&request, on_header, decoded, reason)) {
    case WVL_OPJ_OK:
        if (!l.damaged) {
            return 0;
        }
        wvl_opj_release_picture(decoded);
        return wvl_io_fail(j->context, "OpenJPEG: %s", l.message);
    case WVL_OPJ_REFUSED: return wvl_io_fail(j->context, "OpenJPEG: %s", l.message[0] ? l.message : "no reason given");
    case WVL_OPJ_NO_MEMORY: return wvl_io_fail_memory(j->context, "OpenJPEG", j->codestream_bytes);
    default: return wvl_io_fail(j->context, "%s", reason);
    }
}

/* ---- The file as bytes ----------------------------------------------------------------------- */

/* *owned is NULL where the bytes are the window's. */
static const uint8_t *load(wvl_io_context *context, uint64_t *byte_count, uint8_t **owned)
{
    wvl_io_source *source = &context->source;
    *owned = NULL;
    if (wvl_io_source_slurp(context, NULL) != 0) {
        return NULL;
    }
    *byte_count = source->size;
    if (source->file < 0) {
        return source->window;
    }
    *owned = wvl_io_allocate(context, source->size, "file");
    if (*owned && wvl_io_read_bytes(context, *owned, (size_t)source->size, "file") != 0) {
        free(*owned);
        *owned = NULL;
    }
    return *owned;
}

/* ---- Components ------------------------------------------------------------------------------ */

/* The extent along one axis that all components agree on: natural where it suits them, else the largest. 0: none. */
static uint64_t common_extent(const wvl_opj_picture *decoded, int is_vertical, uint64_t natural)
{
    uint64_t least = 1, most = UINT32_MAX;
    for (uint32_t c = 0; c < decoded->component_count; c++) {
        const wvl_opj_component *k = &decoded->components[c];
        uint64_t step = is_vertical ? k->dy : k->dx, count = is_vertical ? k->height : k->width;
        if (!step || !count || step > 255) {
            return 0;
        }
        least = (count - 1) * step + 1 > least ? (count - 1) * step + 1 : least;
        most = count * step < most ? count * step : most;
    }
    if (natural >= least && natural <= most) {
        return natural;
    }
    return least <= most ? most : 0;
}

static int describe(wvl_io_context *context, const wvl_opj_picture *decoded)
{
    uint64_t width = common_extent(decoded, 0, (uint64_t)decoded->x1 - decoded->x0);
    uint64_t height = common_extent(decoded, 1, (uint64_t)decoded->y1 - decoded->y0);
    if (!width || !height) {
        return wvl_io_fail(context, "no image area without an offset gives the components these sizes (B.2)");
    }
    if (decoded->x0 || decoded->y0) {
        wvl_io_note(context, "the image offset %u,%u is not kept; -d sets one", decoded->x0, decoded->y0);
    }
    /* The sum of all components was checked with SIZ; here each counts as if it had no steps. */
    uint64_t limit = context->max_samples;
    context->max_samples = WVL_IO_COUNTABLE_SAMPLES;
    int result = wvl_io_describe(context, width, height, decoded->component_count, 8, 0);
    context->max_samples = limit;
    for (uint32_t c = 0; result == 0 && c < decoded->component_count; c++) {
        const wvl_opj_component *from = &decoded->components[c];
        wvl_io_component *to = &context->picture->components[c];
        wvl_io_subsample(context->picture, c, (uint8_t)from->dx, (uint8_t)from->dy);
        if (!from->has_data || from->precision < 1 || from->precision > 31 || to->width != from->width ||
            to->height != from->height) {
            return wvl_io_fail(context, "component %u: OpenJPEG decoded %u x %u samples of %u bits", c, from->width,
                               from->height, from->precision);
        }
        to->depth = (uint8_t)from->precision;
        to->is_signed = from->is_signed;
        to->sample_bytes = from->sample_bytes;
    }
    return result;
}

static int take_component(wvl_io_context *context, const wvl_opj_picture *decoded, uint32_t index)
{
    const wvl_io_component *c = &context->picture->components[index];
    int is_dense = c->stride_bytes == (size_t)c->width * c->sample_bytes;
    uint32_t step = is_dense ? c->height : 1;
    for (uint32_t y = 0; y < c->height; y += step) {
        if (wvl_opj_read_rows(decoded, index, y, step, (uint8_t *)c->data + (size_t)y * c->stride_bytes) != 0) {
            return wvl_io_fail(context, "component %u: what OpenJPEG decoded cannot be read back", index);
        }
    }
    return wvl_io_check_range(context, index, 0, c->height);
}

static int take_components(wvl_io_context *context, const wvl_opj_picture *decoded)
{
    if (describe(context, decoded) != 0 || wvl_io_allocate_planar(context) != 0) {
        return -1;
    }
    for (uint32_t c = 0; c < decoded->component_count; c++) {
        if (take_component(context, decoded, c) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int decode(wvl_io_jp2 *j)
{
    wvl_opj_picture decoded;
    if (wvl_io_jp2_check(j) != 0) {
        return -1;
    }
    wvl_io_announce_samples(j->context, j->sample_count * (sizeof(OPJ_INT32) + sizeof(uint16_t)));
    if (wvl_io_jp2_decode(j, &decoded) != 0) {
        return -1;
    }
    int result = take_components(j->context, &decoded);
    wvl_opj_release_picture(&decoded);
    return result;
}

/* Without boxes nobody says what components mean: one is taken for grey, three of one size for RGB. */
static wvl_io_color guess_color(const wvl_io_picture *picture)
{
    if (picture->component_count == 1) {
        return WVL_IO_GREY;
    }
    for (uint32_t c = 1; c < picture->component_count; c++) {
        if (picture->components[c].dx != picture->components[0].dx) {
            return WVL_IO_UNKNOWN;
        }
    }
    return picture->component_count == 3 ? WVL_IO_RGB : WVL_IO_UNKNOWN;
}

/* Where the tile-parts of a codestream end with EOC (A.4.2); 0: their lengths do not lead there. */
static uint64_t end_of_codestream(const uint8_t *p, uint64_t bytes)
{
    for (uint64_t at = 2; at + 2 <= bytes;) {
        unsigned marker = wvl_io_be16(p + at);
        if (marker == 0xFFD9) {
            return at + 2;
        }
        if (marker < 0xFF00 || at + 12 > bytes) {
            return 0;
        }
        uint64_t length = marker == 0xFF90 ? wvl_io_be32(p + at + 6) : 2u + wvl_io_be16(p + at + 2);
        if (length < 4) { /* the last tile-part may give 0: it goes to the end */
            return 0;
        }
        at += length;
    }
    return 0;
}

static int read_all(wvl_io_context *context, int has_boxes)
{
    wvl_io_jp2 j = {.context = context};
    uint8_t *owned;
    uint64_t byte_count = 0;
    const uint8_t *bytes = load(context, &byte_count, &owned);
    int result = bytes ? 0 : -1;
    j.codestream = bytes;
    j.codestream_bytes = byte_count;
    if (result == 0 && has_boxes) {
        j.codestream = NULL;
        result = wvl_io_jp2_read_boxes(&j, bytes, byte_count);
    }
    TRY(result, decode(&j));
    if (result == 0 && !has_boxes) {
        /* Frames of a sequence may lie in one file, one codestream behind the other. */
        uint64_t end = end_of_codestream(bytes, byte_count);
        if (end && byte_count - end >= 4 && !memcmp(bytes + end, "\xff\x4f\xff\x51", 4)) {
            wvl_io_note(context, "the first of several codestreams is read");
        }
    }
    TRY(result, wvl_io_jp2_map_channels(&j));
    if (result == 0) {
        context->picture->color = j.has_color ? j.color : guess_color(context->picture);
    }
    free(owned);
    return result;
}

int wvl_io_read_jp2(wvl_io_context *context) { return read_all(context, 1); }

int wvl_io_read_j2k(wvl_io_context *context) { return read_all(context, 0); }
