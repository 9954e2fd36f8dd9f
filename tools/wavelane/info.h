/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane info: prints the items that libwavelane-check lists of a file, which may be damaged or hostile. */
#ifndef WVL_TOOLS_INFO_H
#define WVL_TOOLS_INFO_H

#include "cli.h"

#define WVL_INFO_MAX_PROBLEMS 64u

/* What a table of several files says of each: of the first codestream, from its main header. */
typedef struct wvl_info_facts {
    uint64_t x0, y0, x1, y1, tile_width, tile_height, components, least_depth,
        most_depth; /* components: 0 before SIZ */
    uint64_t layers, levels, xcb, ycb, style, cod_count;
    uint64_t part_count, codestream_bytes;
    char format[24], order[12], transform[12]; /* "": unknown */
} wvl_info_facts;

typedef struct wvl_info {
    const char *name;
    int fd;
    uint64_t size;
    uint8_t *memory; /* the content of a pipe, or of what is wanted whole; else NULL */
    wvl_cli_report report;
    char *problems[WVL_INFO_MAX_PROBLEMS];
    size_t problem_count;  /* of all, those beyond the list included */
    int lacks_memory;      /* one of them is no fault of the file */
    char entry[8];         /* box or marker segment at hand */
    int is_of_lengths;     /* the list at hand is shown in part */
    uint64_t length_count; /* of it */
    wvl_info_facts facts;
} wvl_info;

/* most: bytes of a pipe or device. is_whole: all bytes are needed, not the headers alone. 0 or an exit code after a
 * message. */
int wvl_info_open(wvl_info *info, const char *name, uint64_t most, int is_whole);
void wvl_info_close(wvl_info *info);

/* All of the file into the open report, and what is wrong with it at the end of the report and as messages. */
void wvl_info_print_file(wvl_info *info);
/* After that: the packets, of a file that was opened whole. */
void wvl_info_print_packets(wvl_info *info);
void wvl_info_note_problem(wvl_info *info, uint64_t offset, const char *problem);
void wvl_info_report_problems(wvl_info *info);

#endif
