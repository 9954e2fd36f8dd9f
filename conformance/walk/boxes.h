/* SPDX-License-Identifier: BSD-2-Clause */
/* JP2 and JPH files (Annex I; 15444-15 Annex D). */
#pragma once

#include "walk.h"

#define WVL_WALK_BOX(a, b, c, d)                                                                                       \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d)) /* type of a box */

extern const uint8_t wvl_check_signature[12];

/* Content of a box: [at, end) in the file. */
typedef struct wvl_walk_span {
    uint64_t offset, at, end;
} wvl_walk_span;

typedef struct wvl_walk_boxes {
    const uint8_t *data;
    uint64_t bytes;
    int is_jph;
    /* first of each; at 0: none */
    wvl_walk_span ftyp, jp2h, ihdr, bpcc, pclr, cmap, cdef, res, resc, resd, jp2c, jp2i;
    wvl_walk_list colrs; /* wvl_walk_span */
    uint64_t xml_count, xmp_count, uuid_count;
    wvl_walk_span xmp;
    /* what the profiles ask for */
    uint32_t width, height, components, bpc;
    int is_unknown_space;        /* UnkC: the colour space is not known */
    unsigned method, enumerated; /* of the first colour specification box */
    /* of the first ICC profile */
    int is_matrix_icc;
    char icc_name[80];
    uint32_t palette_columns, palette_entries;
} wvl_walk_boxes;

/* By signature: a file of boxes with its codestream, or a codestream. */
void wvl_check_walk_file(wvl_walk *w, wvl_walk_boxes *b);

/* The header of a box whose 8 first bytes are at p, and 16 where left says so: its bytes, or 0 if its extended length
 * is cut off. A length of 0: up to the end of what holds the box. */
unsigned wvl_check_read_box_header(const uint8_t *p, uint64_t left, uint32_t *type, uint64_t *length);
uint32_t wvl_check_at32(const wvl_walk_boxes *b, uint64_t at);
uint32_t wvl_check_at16(const wvl_walk_boxes *b, uint64_t at);

/* boxes_header.c: boxes of the JP2 header box, after the codestream was walked. */
void wvl_check_judge_header(wvl_walk *w, wvl_walk_boxes *b);
/* boxes_color.c */
void wvl_check_judge_colors(wvl_walk *w, wvl_walk_boxes *b);
/* boxes_text.c */
void wvl_check_judge_xml(wvl_walk *w, const wvl_walk_boxes *b, const wvl_walk_span *box);
