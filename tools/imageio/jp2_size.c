/* SPDX-License-Identifier: BSD-2-Clause */
/* The claims of the marker segment SIZ (A.5.1) against the bytes that are there. */
#include "read_jp2.h"

#include <string.h>

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

int wvl_io_jp2_check_size(wvl_io_jp2 *j)
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
