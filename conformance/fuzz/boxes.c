/* SPDX-License-Identifier: BSD-2-Clause */
#include "boxes.h"

#include <string.h>

static int has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, "+");
        if (n == length && !strncmp(p, word, n)) {
            return 1;
        }
        p += n;
        p += *p == '+';
    }
    return 0;
}

static void store32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

/* A restricted profile (I.5.3.3): header, tag table, and one piece of data that all tags share. */
static size_t make_profile(uint8_t *to, int is_grey)
{
    static const char grey[] = "kTRC", colour[] = "rXYZgXYZbXYZrTRCgTRCbTRC";
    const char *tags = is_grey ? grey : colour;
    uint32_t count = (uint32_t)strlen(tags) / 4, size = 132 + 12 * count + 24;
    store32(to, size);
    store32(to + 8, 0x02400000); /* version 2.4 */
    memcpy(to + 12, "mntr", 4);
    memcpy(to + 16, is_grey ? "GRAY" : "RGB ", 4);
    memcpy(to + 20, "XYZ ", 4);
    memcpy(to + 36, "acsp", 4);
    store32(to + 128, count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(to + 132 + 12 * i, tags + 4 * i, 4);
        store32(to + 136 + 12 * i, size - 24);
        store32(to + 140 + 12 * i, 24);
    }
    memcpy(to + size - 24, tags[1] == 'X' ? "XYZ " : "curv", 4);
    return size;
}

static void add_palette(const fuzz_picture *p, fuzz_boxes *b)
{
    uint32_t entries = p->planes[0].depth >= 10 ? FUZZ_PALETTE_ENTRIES : 1u << p->planes[0].depth;
    for (uint32_t i = 0; i < entries * 3; i++) {
        b->palette[i] = (uint16_t)(fuzz_picture_hash(i, 5, 9) & 255);
    }
    b->info.palette_entries = entries;
    b->info.palette_columns = 3;
    b->info.palette_depth = 8;
    b->info.palette = b->palette;
}

static void add_channels(const char *words, const fuzz_picture *p, fuzz_boxes *b)
{
    uint32_t count = p->count + (b->info.palette_entries ? 2 : 0);
    if (!has_word(words, "alpha") && !has_word(words, "premultiplied")) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        b->types[i] = i + 1 < count              ? WVL_CHANNEL_COLOR
                      : has_word(words, "alpha") ? WVL_CHANNEL_OPACITY
                                                 : WVL_CHANNEL_PREMULTIPLIED;
    }
    b->info.channel_types = b->types;
    b->info.channel_count = count;
}

static void add_extras(const char *words, fuzz_boxes *b)
{
    static const char text[] = "<?xml version=\"1.0\"?><note>drawn by chance</note>";
    if (has_word(words, "xml")) {
        b->boxes[b->info.box_count++] = (wvl_box){0x786D6C20, {0}, text, sizeof text - 1};
    }
    if (has_word(words, "uuid")) {
        b->boxes[b->info.box_count++] =
            (wvl_box){0x75756964, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, "anything", 8};
    }
    b->info.boxes = b->boxes;
    if (has_word(words, "res")) {
        b->info.capture_x_per_metre = 11811.0;
        b->info.capture_y_per_metre = 11811.02;
    }
    if (has_word(words, "resd")) {
        b->info.display_x_per_metre = 2834.6;
        b->info.display_y_per_metre = 0.125;
    }
    b->info.color_unknown = (uint8_t)has_word(words, "unknown");
}

void fuzz_boxes_make(const char *words, const fuzz_picture *p, fuzz_boxes *b)
{
    memset(b, 0, sizeof *b);
    b->info.struct_size = sizeof b->info;
    b->info.color = has_word(words, "grey")   ? WVL_COLOR_GREY
                    : has_word(words, "srgb") ? WVL_COLOR_SRGB
                    : has_word(words, "sycc") ? WVL_COLOR_SYCC
                                              : WVL_COLOR_AUTO;
    if (has_word(words, "palette")) {
        add_palette(p, b);
    }
    add_channels(words, p, b);
    if (has_word(words, "icc")) {
        b->info.icc_bytes = make_profile(b->profile, p->count < 3 && !b->info.palette_entries);
        b->info.icc = b->profile;
    }
    add_extras(words, b);
}
