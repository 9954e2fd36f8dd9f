/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file holds, item by item, damaged or not (wvl_check_list). */
#pragma once

#include "walk.h"

typedef struct wvl_walk_listing {
    const wvl_check_source *source;
    wvl_check_item_fn item;
    void *user;
    wvl_walk memory;   /* for its memory only */
    uint8_t start[16]; /* what a source without memory gave */
    wvl_walk_list held;
    int has_problem, lacks_memory;
    /* content of the box or marker segment at hand: reads beyond its end give 0 and are noted */
    uint64_t offset;
    const uint8_t *p;
    size_t left;
    uint64_t beyond; /* bytes of the content that are not held */
    int is_overrun;
    uint32_t raw, kept; /* the number read last; one that a later field needs */
    /* of the codestream */
    uint64_t stream, stream_end; /* of the first codestream box; 0, 0 before it */
    uint32_t component_count;
    int has_cod, has_qcd;
    wvl_walk_list tlm, parts;        /* uint64_t: lengths from TLM, and Psot */
    uint64_t plt_packets, plt_bytes; /* of the tile-part at hand */
} wvl_walk_listing;

void wvl_check_put_number(wvl_walk_listing *l, wvl_check_item_kind kind, const char *name, uint64_t number);
void wvl_check_put_text(wvl_walk_listing *l, const char *name, const char *text);
void wvl_check_open_item(wvl_walk_listing *l, wvl_check_item_kind kind, const char *name, uint64_t offset,
                         uint64_t bytes);
void wvl_check_close_item(wvl_walk_listing *l, wvl_check_item_kind kind);
/* Returns 0, so that it can be returned. */
int wvl_check_put_problem(wvl_walk_listing *l, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int wvl_check_lack_memory(wvl_walk_listing *l, const char *what);

/* list_fields.c */
const char *wvl_check_marker_name(unsigned marker); /* NULL: unknown */
/* The fields of the content at hand. */
void wvl_check_list_segment(wvl_walk_listing *l, unsigned marker);
int wvl_check_is_listed_box(uint32_t type);
/* 0: the beginning of the content is enough. */
int wvl_check_is_whole_box(uint32_t type);
void wvl_check_list_box(wvl_walk_listing *l, uint32_t type);
void wvl_check_name_box(uint32_t type, char name[5]);
