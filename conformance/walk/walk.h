/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the walker share: what the headers said, and where the walk is. Offsets count from SOC unless said
 * otherwise. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rules.h"
#include "wavelane_check.h"

#define WVL_WALK_MAX_RESOLUTIONS 33u
#define WVL_WALK_MAX_BANDS 97u

#define WVL_WALK_SOC 0xFF4Fu
#define WVL_WALK_SIZ 0xFF51u
#define WVL_WALK_COD 0xFF52u
#define WVL_WALK_QCD 0xFF5Cu
#define WVL_WALK_SOT 0xFF90u
#define WVL_WALK_SOP 0xFF91u
#define WVL_WALK_EPH 0xFF92u
#define WVL_WALK_SOD 0xFF93u
#define WVL_WALK_EOC 0xFFD9u

/* ---- Growing arrays -------------------------------------------------------------------------- */

typedef struct wvl_walk_list {
    void *items;
    size_t count, capacity, item_bytes; /* item_bytes is set by the first push */
} wvl_walk_list;

/* ---- What segments say ----------------------------------------------------------------------- */

typedef struct wvl_walk_coding { /* SPcod or SPcoc: A.6.1, Table A.15 */
    uint64_t offset;             /* of its marker segment */
    uint8_t levels, xcb, ycb, style, transform, has_precincts;
    uint8_t precincts[WVL_WALK_MAX_RESOLUTIONS]; /* PPy << 4 | PPx, resolution 0 first */
} wvl_walk_coding;

typedef struct wvl_walk_style { /* Scod and SGcod */
    uint8_t scod, progression, mct;
    uint16_t layers;
} wvl_walk_style;

typedef struct wvl_walk_quant { /* SPqcd or SPqcc: as stored, 8 or 16 bits each */
    uint64_t offset;            /* of its marker segment */
    uint8_t style, guard_bits;
    uint16_t count;
    uint16_t steps[WVL_WALK_MAX_BANDS];
} wvl_walk_quant;

typedef struct wvl_walk_volume { /* one progression: resolutions [r0, r1), components [c0, c1), layers [0, layers) */
    uint64_t offset;
    uint32_t r0, r1, c0, c1, layers;
    uint8_t progression;
} wvl_walk_volume;

/* A header's coding parameters. *_of[c] is the place in the list plus one, 0 for none; NULL before the first. */
typedef struct wvl_walk_scope {
    int has_cod, has_qcd, has_poc;
    wvl_walk_style style;
    wvl_walk_coding cod;
    wvl_walk_quant qcd;
    wvl_walk_list cocs, qccs, shifts;                               /* wvl_walk_coding, wvl_walk_quant, uint8_t */
    wvl_walk_list coc_components, qcc_components, shift_components; /* uint16_t: what to clear */
    uint16_t *coc_of, *qcc_of, *shift_of;
    wvl_walk_list volumes;
} wvl_walk_scope;

typedef struct wvl_walk_series_item {
    uint8_t index;
    uint64_t offset; /* of the marker */
    uint64_t at;     /* of the content after the index */
    uint32_t bytes;
} wvl_walk_series_item;

typedef struct wvl_walk_component {
    uint8_t depth, is_signed, dx, dy;
    uint8_t has_nlt; /* of its own */
} wvl_walk_component;

typedef struct wvl_walk_part {
    uint64_t offset, body, end;       /* SOT, first byte after SOD, end */
    uint64_t packed_at, packed_bytes; /* its packet headers in the PPM data */
    uint64_t plm_at, plm_bytes;       /* its lengths in the PLM data */
    uint32_t tile, next;              /* next: the tile's next one plus one, 0 for none */
    uint8_t index, count;             /* TPsot, TNsot */
    /* of the packets found */
    uint64_t packets;
    uint32_t c_min, c_max, r_min, r_max;
} wvl_walk_part;

typedef struct wvl_walk_tile {
    uint32_t first, last; /* tile-part plus one, 0 for none */
    uint16_t parts;
    uint8_t declared; /* TNsot, 0 for none yet */
} wvl_walk_tile;

typedef enum wvl_walk_marker_id {
    WVL_WALK_MARK_CAP,
    WVL_WALK_MARK_SIZ,
    WVL_WALK_MARK_COD,
    WVL_WALK_MARK_COC,
    WVL_WALK_MARK_TLM,
    WVL_WALK_MARK_PRF,
    WVL_WALK_MARK_PLM,
    WVL_WALK_MARK_PLT,
    WVL_WALK_MARK_CPF,
    WVL_WALK_MARK_QCD,
    WVL_WALK_MARK_QCC,
    WVL_WALK_MARK_RGN,
    WVL_WALK_MARK_POC,
    WVL_WALK_MARK_PPM,
    WVL_WALK_MARK_PPT,
    WVL_WALK_MARK_CRG,
    WVL_WALK_MARK_COM,
    WVL_WALK_MARK_NLT,
    WVL_WALK_MARK_COUNT
} wvl_walk_marker_id;

/* Bytes gathered from several places of the input, with the way back. */
typedef struct wvl_walk_gathered {
    wvl_walk_list bytes;  /* uint8_t */
    wvl_walk_list pieces; /* wvl_walk_piece */
} wvl_walk_gathered;

typedef struct wvl_walk_piece {
    uint64_t start, offset; /* in the gathered bytes; in the codestream */
} wvl_walk_piece;

/* ---- The walk -------------------------------------------------------------------------------- */

typedef struct wvl_walk {
    const uint8_t *data; /* SOC */
    size_t bytes;
    uint64_t base; /* of data in what the caller gave */
    const wvl_check_options *options;
    wvl_check_report_fn report;
    void *user;
    wvl_check_summary *summary;
    uint64_t reported;
    uint64_t memory, memory_limit, work, work_limit;
    int no_memory, limit_hit;
    uint64_t tile_reports[(WVL_RULE_COUNT + 63) / 64]; /* rules already reported for the tile at hand */

    uint16_t rsiz;
    uint32_t x0, y0, x1, y1, tile_x0, tile_y0, tile_width, tile_height;
    uint64_t tiles_wide, tiles_high;
    uint32_t component_count;
    wvl_walk_component *components;
    uint32_t pcap;
    uint16_t ccap15;
    int has_cap, has_prf, has_ht;
    int has_nlt; /* of all components */
    int has_sop; /* found in the bit stream */
    wvl_walk_scope main, tile_scope;
    int in_tile; /* tile_scope counts */
    uint32_t main_count[WVL_WALK_MARK_COUNT], tile_count[WVL_WALK_MARK_COUNT];
    uint64_t first_of[WVL_WALK_MARK_COUNT]; /* offset of the first one in the main header */
    uint32_t comment_texts;
    wvl_walk_list tlm, plm, ppm; /* wvl_walk_series_item */
    wvl_walk_list tlm_entries;   /* wvl_walk_tlm_entry */
    wvl_walk_gathered packed;    /* PPM */
    wvl_walk_gathered lengths;   /* PLM */
    uint64_t main_header_end;
    /* for the profiles: what any header said, each once */
    wvl_walk_list all_codings, all_styles;      /* wvl_walk_coding with offset 0, wvl_walk_style */
    uint32_t guard_bits_seen, step_styles_seen; /* bit masks */
    unsigned greatest_shift;
    uint64_t lowest_width, lowest_height; /* greatest resolution 0 of a tile-component */
    wvl_walk_list parts;                  /* wvl_walk_part */
    wvl_walk_tile *tiles;
    struct wvl_walk_ht_work *ht; /* NULL before the first HT block */
} wvl_walk;

typedef struct wvl_walk_tlm_entry {
    uint64_t offset;
    uint32_t tile, bytes; /* tile UINT32_MAX: not named */
} wvl_walk_tlm_entry;

/* ---- Reporting (report.c) -------------------------------------------------------------------- */

/* Returns 0, so that it can be returned. */
int wvl_check_fail(wvl_walk *w, wvl_check_rule_id rule, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same, but once for each rule and tile. */
int wvl_check_fail_once(wvl_walk *w, wvl_check_rule_id rule, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void wvl_check_report_profile(wvl_walk *w, const wvl_check_rule *rule, const char *profile, const char *text);
const wvl_check_rule *wvl_check_rule_of(wvl_check_rule_id rule);

/* ---- Memory within the limit (memory.c) ------------------------------------------------------ */

/* Zeroed; NULL after noting why. release takes the same size. */
void *wvl_check_allocate(wvl_walk *w, uint64_t count, size_t size);
void wvl_check_release(wvl_walk *w, void *memory, uint64_t count, size_t size);
/* Room for more items at the end; NULL when memory is short. push copies one there. */
void *wvl_check_extend(wvl_walk *w, wvl_walk_list *list, size_t more, size_t item_bytes);
void *wvl_check_push(wvl_walk *w, wvl_walk_list *list, const void *item, size_t item_bytes);
void wvl_check_release_list(wvl_walk *w, wvl_walk_list *list);
/* The same without counting: zeroed, from the caller's functions or the C library's. */
void *wvl_check_obtain(const wvl_check_options *options, size_t bytes);
void wvl_check_give_back(const wvl_check_options *options, void *memory, size_t bytes);
int wvl_check_gather(wvl_walk *w, wvl_walk_gathered *g, uint64_t offset, uint64_t bytes);
uint64_t wvl_check_origin(const wvl_walk_gathered *g, uint64_t at);
void wvl_check_release_gathered(wvl_walk *w, wvl_walk_gathered *g);
/* 0 when the limit is reached. */
int wvl_check_charge(wvl_walk *w, uint64_t work);

/* B of MAGB as CAP has it: 8, 9 .. 27, 31, 35 .. 71, 74 (15444-15 Annex A). */
unsigned wvl_check_told_bound(const wvl_walk *w);

/* ---- Headers --------------------------------------------------------------------------------- */

/* One marker segment with its content behind the length. */
typedef struct wvl_walk_segment {
    uint16_t marker;
    uint64_t offset, length; /* of the marker; Lxxx */
    const uint8_t *p;
    size_t left;
    wvl_walk_scope *scope;
    uint32_t part; /* tile-part at hand plus one; 0 in the main header */
} wvl_walk_segment;

uint32_t wvl_check_take(wvl_walk_segment *s, unsigned bytes); /* big-endian; 0 beyond the end */
unsigned wvl_check_index_bytes(const wvl_walk *w);            /* of a component number: 1 below 257 components */

/* headers.c: the headers' sequence of marker segments. */
/* Two or four bytes that must be there. */
uint16_t wvl_check_code_at(const wvl_walk *w, uint64_t offset);
uint32_t wvl_check_long_at(const wvl_walk *w, uint64_t offset);
typedef struct wvl_walk_tile_walk wvl_walk_tile_walk;
int wvl_check_read_main_header(wvl_walk *w);
/* Segments of a tile-part header; series of PLT and PPT are added to t. */
void wvl_check_read_part_header(wvl_walk *w, wvl_walk_part *part, wvl_walk_tile_walk *t);
/* Place behind SOD, or 0 after a complaint. */
uint64_t wvl_check_find_body(wvl_walk *w, uint64_t offset, uint64_t end);

/* segments_*.c: content of one segment. Those that can leave nothing to walk return 0. */
int wvl_check_read_siz(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_cap(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_prf(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_cpf(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_crg(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_com(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_nlt(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_cod(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_coc(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_qcd(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_qcc(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_rgn(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_poc(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_tlm(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_plm(wvl_walk *w, wvl_walk_segment *s);
void wvl_check_read_ppm(wvl_walk *w, wvl_walk_segment *s);

/* A Zxxx series: sorted, complaints about numbers that are not first, first + 1, ... */
void wvl_check_add_series(wvl_walk *w, wvl_walk_list *series, wvl_walk_segment *s);
void wvl_check_settle_series(wvl_walk *w, wvl_walk_list *series, wvl_check_rule_id rule, unsigned first,
                             const char *name);

/* scope.c: which parameters govern a component (A.6), and whether they fit together. */
const wvl_walk_coding *wvl_check_coding_of(const wvl_walk *w, uint32_t component);
const wvl_walk_quant *wvl_check_quant_of(const wvl_walk *w, uint32_t component);
unsigned wvl_check_shift_of(const wvl_walk *w, uint32_t component);
const wvl_walk_style *wvl_check_style_of(const wvl_walk *w);
/* Mb of equation E-2 with the RGN shift; index: LL, then HL, LH, HH of resolution 1, 2, ... */
int wvl_check_magnitude_bits(const wvl_walk *w, uint32_t component, unsigned resolution, unsigned band);
void wvl_check_scope_fits(wvl_walk *w, uint64_t offset);
/* Keeps the item if it is new; the first 64 are kept. */
void wvl_check_note(wvl_walk *w, wvl_walk_list *list, const void *item, size_t item_bytes);
int wvl_check_assign(wvl_walk *w, uint16_t **map, wvl_walk_list *components, uint32_t component, size_t count);
void wvl_check_clear_scope(wvl_walk *w, wvl_walk_scope *scope);
void wvl_check_release_scope(wvl_walk *w, wvl_walk_scope *scope);

/* tile_parts.c, tile.c: everything after the main header. */
int wvl_check_tile_has_samples(const wvl_walk *w, uint32_t tile); /* geometry.c */
void wvl_check_scan_parts(wvl_walk *w);
void wvl_check_walk_tiles(wvl_walk *w);

/* codestream.c */
/* Says whether a caller's structure of `size` bytes, of which `known` are known here, sets nothing beyond those. */
int wvl_check_is_known(const void *structure, size_t size, size_t known);
void wvl_check_walk_codestream(wvl_walk *w);
void wvl_check_release_walk(wvl_walk *w);
