/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams for the walker's suites: made by hand, packet by packet, or by the encoder, and then damaged by short texts.
 *
 * By hand: "x=40 y=30 L=2 part=0/0/1::000000": words key=value.
 *   x y x0 y0 tx ty           tile size: tx, ty
 *   depth=0B,8B               Ssiz of each component
 *   sub=1x1:2x2               XRsiz and YRsiz of each component
 *   L layers prog mct scod style xcb ycb eps qstyle G
 *   wave=1                    5/3
 *   prec=7788..               hex, resolution 0 first
 *   rsiz                      hex
 *   ht=CCAP15                 adds CAP
 *   pre= main=                hex, behind SIZ and behind QCD
 *   part=TILE/TPsot/TNsot:HEADER:DATA
 *                             any number; Psot is filled in
 * Hex strings may hold (bits), packed with bit stuffing and filled up with 0; [bits], packed without stuffing; {NxHH},
 * a byte N times.
 *
 * By the encoder: "encode SIZE key=value ..." with SIZE as WxHxCOMPONENTSxDEPTH; "jp2 ..." and "jph ..." the same as a
 * JP2 or a JPH file.
 *
 * Damage: commands separated by ";". TARGET is a marker's name, "data" (of a tile-part, behind SOD), "all" (offsets
 * from the first byte), or in JP2 a box's four letters; #n picks the n-th from 0.
 *   TARGET @OFF=HEX   overwrite
 *   TARGET @OFF+HEX   insert, lengths follow
 *   TARGET @OFF-N     take out, lengths follow
 *   TARGET -          take it out
 *   TARGET <HEX       insert before it
 *   TARGET >HEX       insert behind it
 * Lxxx, Psot, LBox and the lengths of what holds the box follow, unless the command ends in "!".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tests/support/owned.h"
#include "wavelane_check.h"

typedef struct check_bytes {
    uint8_t *p;
    size_t n, room;
} check_bytes;

#define owned_bytes OWNED_BY(check_free) check_bytes
static inline void check_free(check_bytes *b) { free(b->p); }

void check_put(check_bytes *b, const void *data, size_t bytes);
void check_put_hex(check_bytes *b, const char *hex, size_t length);
void check_insert(check_bytes *b, size_t at, const uint8_t *data, size_t bytes);
void check_remove(check_bytes *b, size_t at, size_t bytes);
uint32_t check_get(const check_bytes *b, size_t at, unsigned width);
void check_set(check_bytes *b, size_t at, unsigned width, uint32_t value);

/* Makes the bytes of a text as above. */
check_bytes check_make(const char *text);
void check_damage(check_bytes *b, const char *commands);

/* The rules that a walk reported, each once. */
typedef struct check_result {
    int verdict;
    size_t count;
    const char *rules[64];
    char first_text[512];
    wvl_check_summary summary; /* released */
} check_result;

/* options: NULL, or words profile=NAME fps=N memory=N work=N stereo hfr raw skip-blocks */
check_result check_walk(const check_bytes *b, const char *options);
int check_has(const check_result *r, const char *rule);
/* "a b c" of the rules reported. */
const char *check_list(const check_result *r, char *text, size_t bytes);

/* A rule, a stream that keeps it, and the damage that breaks it and (but for `also`) nothing else. */
typedef struct check_row {
    const char *rule, *stream, *damage, *also, *options;
} check_row;

extern const check_row check_rows_stream[], check_rows_coding[], check_rows_packet[], check_rows_ht[],
    check_rows_boxes[], check_rows_profiles[];
extern const size_t check_rows_stream_count, check_rows_coding_count, check_rows_packet_count, check_rows_ht_count,
    check_rows_boxes_count, check_rows_profiles_count;
