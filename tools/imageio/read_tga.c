/* SPDX-License-Identifier: BSD-2-Clause */
/* TGA (Truevision 2.0): palette, colour and grey, plain and run-length. There is no magic number: the name decides. */
#include "internal.h"

#include <stdlib.h>

#define HEADER_BYTES 18u
#define FOOTER_BYTES 26u
#define EXTENSION_BYTES 495u    /* of the extension area, which begins with its size */
#define ATTRIBUTES_TYPE_AT 494u /* in it */
#define PREMULTIPLIED 4

enum { INDEXED = 1, COLORS = 2, GREYS = 3, RUN_LENGTHS = 8 };

typedef struct tga_header {
    uint32_t id_bytes, palette_type, type, first_entry, entries, entry_bits, width, height, bits, attribute_bits;
    int run_lengths, top_down, right_to_left;
} tga_header;

/* The fields of a pixel or of a palette entry, in the order of the components. */
typedef struct layout {
    unsigned count; /* 0: not known */
    uint32_t masks[4];
    unsigned shifts[4];
    uint8_t depths[4];
} layout;

static const layout grey_8 = {1, {0xff}, {0}, {8}};
static const layout grey_alpha = {2, {0xff, 0xff00}, {0, 8}, {8, 8}};
static const layout rgb_555 = {3, {0x7c00, 0x3e0, 0x1f}, {10, 5, 0}, {5, 5, 5}};
static const layout rgba_5551 = {4, {0x7c00, 0x3e0, 0x1f, 0x8000}, {10, 5, 0, 15}, {5, 5, 5, 1}};
static const layout rgb_888 = {3, {0xff0000, 0xff00, 0xff}, {16, 8, 0}, {8, 8, 8}};
static const layout rgba_8888 = {4, {0xff0000, 0xff00, 0xff, 0xff000000}, {16, 8, 0, 24}, {8, 8, 8, 8}};
static const layout unknown = {0, {0}, {0}, {0}};

static const layout *layout_of_colors(uint32_t bits, uint32_t attribute_bits)
{
    if (bits == 15 || bits == 16) {
        return bits == 16 && attribute_bits == 1 ? &rgba_5551 : &rgb_555;
    }
    if (bits == 24) {
        return &rgb_888;
    }
    if (bits == 32) {
        return attribute_bits == 8 ? &rgba_8888 : &rgb_888;
    }
    return &unknown;
}

static const layout *layout_of_pixels(const tga_header *h)
{
    if (h->type == COLORS) {
        return layout_of_colors(h->bits, h->attribute_bits);
    }
    if (h->bits == 8) {
        return &grey_8;
    }
    return h->bits == 16 && h->attribute_bits == 8 ? &grey_alpha : &unknown;
}

static unsigned bytes_of(uint32_t bits) { return (bits + 7) / 8; }

/* The size is checked against the smallest body: run lengths make at most 128 pixels of one packet. */
static int check_body(wvl_io_context *context, const tga_header *h)
{
    uint64_t pixels = (uint64_t)h->width * h->height, bytes = bytes_of(h->bits);

    if (h->run_lengths) {
        return wvl_io_require_bytes(context, (pixels + 127) / 128 * (1 + bytes), "pixel data");
    }
    return wvl_io_require_bytes(context, pixels * bytes, "pixel data");
}

typedef struct packets {
    unsigned left; /* pixels of the present packet; packets may run on over the end of a line */
    int repeats;
    uint8_t pixel[4];
} packets;

static int start_packet(wvl_io_context *context, packets *state, unsigned pixel_bytes)
{
    uint8_t head;

    if (wvl_io_read_bytes(context, &head, 1, "run lengths") != 0) {
        return -1;
    }
    state->left = (head & 0x7fu) + 1;
    state->repeats = head >> 7;
    return state->repeats ? wvl_io_read_bytes(context, state->pixel, pixel_bytes, "run lengths") : 0;
}

static int read_line(wvl_io_context *context, const tga_header *h, packets *state, uint8_t *line)
{
    unsigned bytes = bytes_of(h->bits);
    uint32_t x = 0;

    if (!h->run_lengths) {
        return wvl_io_read_bytes(context, line, (size_t)h->width * bytes, "pixel data");
    }
    while (x < h->width) {
        if (state->left == 0 && start_packet(context, state, bytes) != 0) {
            return -1;
        }
        uint32_t count = state->left < h->width - x ? state->left : h->width - x;
        if (!state->repeats &&
            wvl_io_read_bytes(context, line + (size_t)x * bytes, (size_t)count * bytes, "run lengths") != 0) {
            return -1;
        }
        for (uint32_t k = 0; state->repeats && k < count; k++) {
            memcpy(line + (size_t)(x + k) * bytes, state->pixel, bytes);
        }
        state->left -= count;
        x += count;
    }
    return 0;
}

static void reverse_line(uint8_t *line, uint32_t width, unsigned bytes)
{
    uint32_t left = 0, right = width - 1;

    for (; left < right; left++, right--) {
        uint8_t pixel[4];

        memcpy(pixel, line + (size_t)left * bytes, bytes);
        memcpy(line + (size_t)left * bytes, line + (size_t)right * bytes, bytes);
        memcpy(line + (size_t)right * bytes, pixel, bytes);
    }
}

static int place_indices(wvl_io_context *context, const tga_header *h, const wvl_io_palette *palette, uint8_t *line,
                         uint32_t row)
{
    unsigned bytes = bytes_of(h->bits);
    uint8_t *out = wvl_io_row(context, 0, row);

    for (uint32_t x = 0; x < h->width; x++) {
        uint32_t index = bytes == 1 ? line[x] : wvl_io_le16(line + 2 * (size_t)x);
        if (index < h->first_entry) {
            return wvl_io_fail(context, "row %u: palette index %u, the palette begins at %u", row, index,
                               h->first_entry);
        }
        wvl_io_store(out + bytes * (size_t)x, bytes, index - h->first_entry);
    }
    return wvl_io_finish_indexed_row(context, row, bytes, palette);
}

/* palette is NULL for direct pixels. */
static int read_lines(wvl_io_context *context, const tga_header *h, const wvl_io_palette *palette)
{
    unsigned bytes = bytes_of(h->bits);
    uint8_t *line = wvl_io_allocate(context, (uint64_t)h->width * bytes, "line");
    const layout *pixels = layout_of_pixels(h);
    packets state = {0, 0, {0}};
    int result = line ? 0 : -1;

    for (uint32_t y = 0; y < h->height && result == 0; y++) {
        uint32_t row = h->top_down ? y : h->height - 1 - y;

        result = read_line(context, h, &state, line);
        if (result != 0) {
            break;
        }
        if (h->right_to_left) {
            reverse_line(line, h->width, bytes);
        }
        if (palette) {
            result = place_indices(context, h, palette, line, row);
        } else {
            wvl_io_unpack_fields(context, row, line, bytes, pixels->masks, pixels->shifts);
        }
    }
    free(line);
    return result;
}

static int read_palette(wvl_io_context *context, const tga_header *h, wvl_io_palette *palette)
{
    const layout *entry = layout_of_colors(h->entry_bits, h->entry_bits == 32 ? h->attribute_bits : 0);
    unsigned bytes = bytes_of(h->entry_bits);

    if (h->entries == 0 || entry->count == 0) {
        return wvl_io_fail(context, "colour map of %u entries of %u bits: must be of 15, 16, 24 or 32 bits", h->entries,
                           h->entry_bits);
    }
    if (wvl_io_make_palette(context, palette, h->entries, entry->count, entry->depths[0]) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < h->entries; i++) {
        uint8_t p[4] = {0};

        if (wvl_io_read_bytes(context, p, bytes, "colour map") != 0) {
            return -1;
        }
        uint32_t word = wvl_io_le32(p);
        for (unsigned k = 0; k < entry->count; k++) {
            palette->values[(size_t)i * entry->count + k] = (uint16_t)((word & entry->masks[k]) >> entry->shifts[k]);
        }
    }
    return 0;
}

static int read_indexed(wvl_io_context *context, const tga_header *h)
{
    wvl_io_palette palette = {0, 0, 0, NULL};
    int result = read_palette(context, h, &palette);

    TRY(result, check_body(context, h));
    TRY(result, wvl_io_describe_indexed(context, h->width, h->height, h->bits, &palette));
    TRY(result, wvl_io_allocate_blocks(context));
    TRY(result, read_lines(context, h, &palette));
    if (result == 0) {
        wvl_io_settle_palette(context, &palette);
    }
    free(palette.values);
    return result;
}

static int read_direct(wvl_io_context *context, const tga_header *h)
{
    uint64_t palette_bytes = h->palette_type == 1 ? (uint64_t)h->entries * bytes_of(h->entry_bits) : 0;
    const layout *pixels = layout_of_pixels(h);

    if (wvl_io_go_to(context, HEADER_BYTES + h->id_bytes + palette_bytes, "pixel data") != 0 ||
        check_body(context, h) != 0 || wvl_io_describe(context, h->width, h->height, pixels->count, 8, 0) != 0) {
        return -1;
    }
    for (unsigned k = 0; k < pixels->count; k++) {
        context->picture->components[k].depth = pixels->depths[k];
    }
    wvl_io_set_color(context->picture, pixels->count <= 2 ? WVL_IO_GREY : WVL_IO_RGB, 0,
                     (pixels->count & 1) == 0 ? (int)pixels->count - 1 : -1);
    if (h->bits == 32 && pixels->count == 3) {
        wvl_io_note(context, "the fourth byte of each pixel is declared meaningless and left out");
    }
    return wvl_io_allocate_interleaved(context) != 0 ? -1 : read_lines(context, h, NULL);
}

/* TGA 2.0 says in its extension area, behind the pixels, whether the colours are multiplied by alpha. A file without
   the footer is an older one, and a pipe is not read to its end for this. */
static int is_premultiplied(wvl_io_source *source)
{
    uint64_t pixels_end = wvl_io_source_position(source);
    uint8_t footer[FOOTER_BYTES], area[EXTENSION_BYTES];

    if (!source->seekable || source->size < FOOTER_BYTES ||
        wvl_io_source_read_at(source, source->size - FOOTER_BYTES, footer, FOOTER_BYTES) != 0 ||
        memcmp(footer + 8, "TRUEVISION-XFILE.", 18) != 0) {
        return 0;
    }
    uint32_t at = wvl_io_le32(footer);
    return at >= pixels_end && wvl_io_source_read_at(source, at, area, sizeof area) == 0 &&
           wvl_io_le16(area) >= EXTENSION_BYTES && area[ATTRIBUTES_TYPE_AT] == PREMULTIPLIED;
}

int wvl_io_read_tga(wvl_io_context *context)
{
    tga_header h;

    uint8_t p[HEADER_BYTES];

    if (wvl_io_read_bytes(context, p, sizeof p, "header") != 0) {
        return -1;
    }
    h.id_bytes = p[0];
    h.palette_type = p[1];
    h.type = p[2] & 7u;
    h.run_lengths = (p[2] & RUN_LENGTHS) != 0;
    h.first_entry = wvl_io_le16(p + 3);
    h.entries = wvl_io_le16(p + 5);
    h.entry_bits = p[7];
    h.width = wvl_io_le16(p + 12);
    h.height = wvl_io_le16(p + 14);
    h.bits = p[16];
    h.attribute_bits = p[17] & 15u;
    h.right_to_left = (p[17] & 0x10) != 0;
    h.top_down = (p[17] & 0x20) != 0;
    if (p[2] > 11 || h.type == 0 || h.type > GREYS) {
        return wvl_io_fail(context, "image type %u: supported are 1, 2, 3, 9, 10, 11 (or this is not a TGA file)",
                           p[2]);
    }
    if (h.palette_type > 1 || (h.type == INDEXED && h.palette_type != 1)) {
        return wvl_io_fail(context,
                           "colour map type %u with image type %u: must be 1 with types 1 and 9, 0 or 1 with others",
                           h.palette_type, p[2]);
    }
    if ((p[17] & 0xc0) != 0) {
        return wvl_io_fail(context, "descriptor 0x%02x: interleaving is not supported", p[17]);
    }
    if (h.type == INDEXED ? h.bits != 8 && h.bits != 16 : layout_of_pixels(&h)->count == 0) {
        return wvl_io_fail(context, "image type %u with %u bits a pixel, %u of them attributes, is not supported", p[2],
                           h.bits, h.attribute_bits);
    }
    if (h.type == INDEXED) {
        if (wvl_io_go_to(context, HEADER_BYTES + h.id_bytes, "colour map") != 0 || read_indexed(context, &h) != 0) {
            return -1;
        }
    } else if (read_direct(context, &h) != 0) {
        return -1;
    }
    if (context->picture->alpha_component >= 0) {
        context->picture->alpha_premultiplied = is_premultiplied(&context->source);
    }
    return 0;
}
