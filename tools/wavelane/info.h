/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane info: reads files that may be damaged or hostile; every length is checked against what holds it before it is
 * used. */
#ifndef WVL_TOOLS_INFO_H
#define WVL_TOOLS_INFO_H

#include "cli.h"

#define WVL_INFO_MAX_PROBLEMS 64u

typedef struct wvl_info_lengths {
    uint64_t *values;
    size_t count, capacity;
} wvl_info_lengths;

/* What a table of several files says of each: of the first codestream, from its main header. */
typedef struct wvl_info_facts {
    const char *format; /* NULL: unknown */
    uint64_t width, height, tile_width, tile_height;
    uint32_t least_depth, most_depth;
    int has_coding; /* the members below are set */
    uint32_t levels, block_width, block_height, style;
    const char *order, *transform;
} wvl_info_facts;

typedef struct wvl_info {
    const char *name;
    int fd;
    uint64_t size;
    uint8_t *memory; /* a pipe's content; else NULL */
    wvl_cli_report report;
    char *problems[WVL_INFO_MAX_PROBLEMS];
    size_t problem_count;               /* of all, those beyond the list included */
    int lacks_memory;                   /* one of them is no fault of the file */
    uint64_t stream_offset, stream_end; /* of the first codestream box; 0, 0 before it */
    /* of the codestream, from its main header */
    uint32_t component_count; /* 0 before SIZ */
    int has_cod, has_qcd;
    uint32_t layers;
    wvl_info_lengths tlm;            /* lengths, in order */
    wvl_info_lengths parts;          /* Psot, in order */
    uint64_t plt_packets, plt_bytes; /* of the present tile-part */
    wvl_info_facts facts;
} wvl_info;

/* Segment or box content under the cursor: reads beyond its end give 0 and are remembered. */
typedef struct wvl_info_cursor {
    const uint8_t *p;
    size_t left;
    int overrun;
} wvl_info_cursor;

uint32_t wvl_info_take(wvl_info_cursor *c, unsigned bytes); /* big-endian, 1..4 bytes */

/* most: bytes of a pipe or device. 0 or an exit code after a message. */
int wvl_info_open(wvl_info *info, const char *name, uint64_t most);
void wvl_info_close(wvl_info *info);
/* 1, or 0 after noting the problem. */
int wvl_info_read(wvl_info *info, uint64_t offset, size_t bytes, uint8_t *buffer);
int wvl_info_add_length(wvl_info_lengths *lengths, uint64_t value);
/* Notes what is wrong at offset; 0 always, so that it can be returned. */
int wvl_info_problem(wvl_info *info, uint64_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for memory that is missing. */
int wvl_info_lack_memory(wvl_info *info, uint64_t offset, const char *what);

/* An entry that is a line of text, or an object whose first member is `kind`. */
void wvl_info_open_entry(wvl_info *info, const char *kind, const char *name, uint64_t offset, uint64_t bytes);

/* All of the file into the open report, and what is wrong with it at the end of the report and as messages. */
void wvl_info_print_file(wvl_info *info);
void wvl_info_report_problems(wvl_info *info);

/* Each returns 1, or 0 when the rest cannot be made sense of. */
int wvl_info_print_boxes(wvl_info *info);
int wvl_info_print_codestream(wvl_info *info, uint64_t offset, uint64_t end);
/* Decodes the content of a marker segment (behind its length) into members of the open entry. */
void wvl_info_print_segment(wvl_info *info, unsigned marker, uint64_t offset, wvl_info_cursor *c);
const char *wvl_info_marker_name(unsigned marker); /* NULL: unknown */

#endif
