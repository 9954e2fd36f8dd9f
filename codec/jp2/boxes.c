/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/jp2/boxes.h"

#include <stdio.h>

#include "base/alloc.h"
#include "codec/cs/cursor.h"
#include "codec/jp2/jp2.h"
#include "codec/jp2/resolve.h"

#define BRAND_JP2 0x6A703220u /* 'jp2 ' */
#define BRAND_JPH 0x6A706820u /* 'jph ' (15444-15 Annex D) */
#define SIGNATURE 0x0D0A870Au
#define COMPRESSION_WAVELET 7u /* C of ihdr */
#define DEPTH_VARIES 255u      /* BPC of ihdr */
#define METHOD_ENUMERATED 1u
#define METHOD_RESTRICTED_ICC 2u
#define METHOD_ANY_ICC 3u    /* JPH */
#define METHOD_PARAMETERS 5u /* JPH */
#define ASSOCIATED_IMAGE 0u
#define ASSOCIATED_NONE 65535u
#define BOX_HEADER_BYTES 8u
#define LONG_BOX_HEADER_BYTES 16u

/* ---- The form of a box (I.4) ----------------------------------------------------------------- */

static void put_long_box_header(wvl_cursor *c, uint32_t type, uint64_t content_bytes)
{
    wvl_cursor_put_u32(c, 1);
    wvl_cursor_put_u32(c, type);
    wvl_cursor_put_u64(c, content_bytes + LONG_BOX_HEADER_BYTES);
}

static void put_box_header(wvl_cursor *c, uint32_t type, uint64_t content_bytes)
{
    if (content_bytes <= UINT32_MAX - BOX_HEADER_BYTES) {
        wvl_cursor_put_u32(c, (uint32_t)content_bytes + BOX_HEADER_BYTES);
        wvl_cursor_put_u32(c, type);
    } else {
        put_long_box_header(c, type, content_bytes);
    }
}

typedef void (*content_fn)(wvl_cursor *c, const void *arg);

static void put_box(wvl_cursor *c, uint32_t type, content_fn put, const void *arg)
{
    wvl_cursor content = {NULL, 0};
    put(&content, arg);
    put_box_header(c, type, content.bytes);
    put(c, arg);
}

size_t wvl_jp2_put_codestream_header(uint8_t out[WVL_JP2_MAX_HEADER_BYTES], uint64_t codestream_bytes)
{
    wvl_cursor c = {out, 0};
    put_box_header(&c, WVL_BOX_CODESTREAM, codestream_bytes);
    return (size_t)c.bytes;
}

size_t wvl_jp2_put_long_codestream_header(uint8_t out[WVL_JP2_MAX_HEADER_BYTES], uint64_t codestream_bytes)
{
    wvl_cursor c = {out, 0};
    put_long_box_header(&c, WVL_BOX_CODESTREAM, codestream_bytes);
    return (size_t)c.bytes;
}

/* ---- jp2h (I.5.3) ---------------------------------------------------------------------------- */

static unsigned component_depth_byte(const wvl_plan_component *component)
{
    return (component->is_signed ? 0x80u : 0u) | (component->depth - 1u);
}

static void put_image(wvl_cursor *c, const void *arg)
{
    const wvl_jp2_header *header = arg;
    wvl_cursor_put_u32(c, wvl_rect_height(header->plan->syntax.image));
    wvl_cursor_put_u32(c, wvl_rect_width(header->plan->syntax.image));
    wvl_cursor_put_u16(c, header->plan->syntax.component_count);
    wvl_cursor_put_u8(c,
                      header->mixed_depth ? DEPTH_VARIES : component_depth_byte(&header->plan->syntax.components[0]));
    wvl_cursor_put_u8(c, COMPRESSION_WAVELET);
    wvl_cursor_put_u8(c, header->info.color_unknown ? 1 : 0);
    wvl_cursor_put_u8(c, 0); /* IPR: no jp2i box */
}

static void put_depths(wvl_cursor *c, const void *arg)
{
    const wvl_jp2_header *header = arg;
    for (uint32_t i = 0; i < header->plan->syntax.component_count; i++) {
        wvl_cursor_put_u8(c, component_depth_byte(&header->plan->syntax.components[i]));
    }
}

static unsigned color_method(const wvl_jp2_header *header)
{
    if (header->info.cicp) {
        return METHOD_PARAMETERS;
    }
    if (!header->info.icc) {
        return METHOD_ENUMERATED;
    }
    return header->any_icc ? METHOD_ANY_ICC : METHOD_RESTRICTED_ICC;
}

static void put_color(wvl_cursor *c, const void *arg)
{
    const wvl_jp2_header *header = arg;
    wvl_cursor_put_u8(c, color_method(header));
    wvl_cursor_put_u8(c, 0); /* PREC */
    wvl_cursor_put_u8(c, 0); /* APPROX */
    if (header->info.cicp) {
        for (int i = 0; i < 3; i++) {
            wvl_cursor_put_u16(c, header->info.cicp[i]);
        }
        wvl_cursor_put_u8(c, header->info.cicp[3] ? 0x80 : 0); /* VIDFRNG is the top bit */
    } else if (header->info.icc) {
        wvl_cursor_put_bytes(c, header->info.icc, header->info.icc_bytes);
    } else {
        wvl_cursor_put_u32(c, header->enumerated);
    }
}

static void put_palette(wvl_cursor *c, const void *arg)
{
    const wvl_jp2_info *info = &((const wvl_jp2_header *)arg)->info;
    uint32_t count = info->palette_entries * info->palette_columns;
    wvl_cursor_put_u16(c, info->palette_entries);
    wvl_cursor_put_u8(c, info->palette_columns);
    for (uint32_t i = 0; i < info->palette_columns; i++) {
        wvl_cursor_put_u8(c, info->palette_depth - 1u);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (info->palette_depth <= 8) {
            wvl_cursor_put_u8(c, info->palette[i]);
        } else {
            wvl_cursor_put_u16(c, info->palette[i]);
        }
    }
}

/* One entry a channel: CMP, MTYP (1: through the palette), PCOL. */
static void put_mapping(wvl_cursor *c, const void *arg)
{
    const wvl_jp2_header *header = arg;
    for (uint32_t column = 0; column < header->info.palette_columns; column++) {
        wvl_cursor_put_u16(c, 0);
        wvl_cursor_put_u8(c, 1);
        wvl_cursor_put_u8(c, column);
    }
    for (uint32_t component = 1; component < header->plan->syntax.component_count; component++) {
        wvl_cursor_put_u16(c, component);
        wvl_cursor_put_u8(c, 0);
        wvl_cursor_put_u8(c, 0);
    }
}

static void put_channels(wvl_cursor *c, const void *arg)
{
    const wvl_jp2_header *header = arg;
    unsigned color = 0;
    wvl_cursor_put_u16(c, header->channel_count);
    for (uint32_t i = 0; i < header->channel_count; i++) {
        unsigned type = wvl_jp2_channel_type(header, i);
        wvl_cursor_put_u16(c, i);
        wvl_cursor_put_u16(c, type);
        wvl_cursor_put_u16(c, type == WVL_CHANNEL_COLOR         ? ++color
                              : type == WVL_CHANNEL_UNSPECIFIED ? ASSOCIATED_NONE
                                                                : ASSOCIATED_IMAGE);
    }
}

static void put_resolution_values(wvl_cursor *c, const void *arg)
{
    const wvl_jp2_resolution *resolution = arg;
    wvl_cursor_put_u16(c, resolution->y.numerator);
    wvl_cursor_put_u16(c, resolution->y.denominator);
    wvl_cursor_put_u16(c, resolution->x.numerator);
    wvl_cursor_put_u16(c, resolution->x.denominator);
    wvl_cursor_put_u8(c, (uint8_t)resolution->y.exponent);
    wvl_cursor_put_u8(c, (uint8_t)resolution->x.exponent);
}

static void put_resolution(wvl_cursor *c, const void *arg)
{
    const wvl_jp2_header *header = arg;
    if (header->capture.present) {
        put_box(c, WVL_BOX_CAPTURE, put_resolution_values, &header->capture);
    }
    if (header->display.present) {
        put_box(c, WVL_BOX_DISPLAY, put_resolution_values, &header->display);
    }
}

static void put_header(wvl_cursor *c, const void *arg)
{
    const wvl_jp2_header *header = arg;
    put_box(c, WVL_BOX_IMAGE, put_image, header);
    if (header->mixed_depth) {
        put_box(c, WVL_BOX_DEPTHS, put_depths, header);
    }
    put_box(c, WVL_BOX_COLOR, put_color, header);
    if (header->info.palette_entries) {
        put_box(c, WVL_BOX_PALETTE, put_palette, header);
        put_box(c, WVL_BOX_MAPPING, put_mapping, header);
    }
    if (header->channel_count !=
        header->color_count) { /* else channel i is colour i + 1 without being told (I.5.3.6) */
        put_box(c, WVL_BOX_CHANNELS, put_channels, header);
    }
    if (header->capture.present || header->display.present) {
        put_box(c, WVL_BOX_RESOLUTION, put_resolution, header);
    }
}

/* ---- The file up to the codestream ----------------------------------------------------------- */

static void put_signature(wvl_cursor *c, const void *arg)
{
    (void)arg;
    wvl_cursor_put_u32(c, SIGNATURE);
}

static void put_file_type(wvl_cursor *c, const void *arg)
{
    const wvl_jp2_header *header = arg;
    uint32_t brand = header->plan->syntax.jp2 == WVL_CONTAINER_JPH ? BRAND_JPH : BRAND_JP2;
    wvl_cursor_put_u32(c, brand);
    wvl_cursor_put_u32(c, 0); /* MinV */
    wvl_cursor_put_u32(c, brand);
}

static void put_user_box(wvl_cursor *c, const void *arg)
{
    const wvl_box *box = arg;
    if (box->type == WVL_BOX_UUID) {
        wvl_cursor_put_bytes(c, box->uuid, sizeof box->uuid);
    }
    wvl_cursor_put_bytes(c, box->data, box->bytes);
}

static void put_before(wvl_cursor *c, const wvl_jp2_header *header)
{
    put_box(c, WVL_BOX_SIGNATURE, put_signature, NULL);
    put_box(c, WVL_BOX_FILE_TYPE, put_file_type, header);
    put_box(c, WVL_BOX_HEADER, put_header, header);
    for (uint32_t i = 0; i < header->info.box_count; i++) {
        put_box(c, header->info.boxes[i].type, put_user_box, &header->info.boxes[i]);
    }
}

/* Lines in a buffer of fixed size. */
typedef struct text_lines {
    char *text;
    size_t bytes, used;
} text_lines;

static void add_line(void *user, const char *line)
{
    text_lines *lines = user;
    if (!lines->text || lines->used + 1 >= lines->bytes) {
        return;
    }
    int n = snprintf(lines->text + lines->used, lines->bytes - lines->used, "%s%s", lines->used ? "\n" : "", line);
    lines->used += n < 0 ? 0 : (size_t)n;
}

wvl_status wvl_jp2_build_boxes(const wvl_allocator *allocator, const wvl_plan *plan, const wvl_jp2_info *info,
                               wvl_blob *before, char *error, size_t error_bytes)
{
    text_lines lines = {error_bytes ? error : NULL, error_bytes, 0};
    wvl_report report = {add_line, &lines, 0};
    wvl_jp2_header header;
    if (lines.text) {
        lines.text[0] = '\0';
    }
    *before = (wvl_blob){NULL, 0};
    if (!wvl_jp2_resolve_header(plan, info, &header, &report)) {
        return WVL_ERROR_PARAMETER;
    }
    wvl_cursor c = {NULL, 0};
    put_before(&c, &header);
    uint8_t *memory = wvl_alloc(allocator, c.bytes);
    if (!memory) {
        add_line(&lines, "no memory for the JP2 boxes");
        return WVL_ERROR_MEMORY;
    }
    *before = (wvl_blob){memory, c.bytes};
    c = (wvl_cursor){memory, 0};
    put_before(&c, &header);
    return WVL_OK;
}
