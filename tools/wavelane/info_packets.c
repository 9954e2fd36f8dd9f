/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane info --packets: the packets of a file, and in JSON what each holds of which code block. */
#include <inttypes.h>
#include <string.h>

#include "info.h"
#include "wavelane_check.h"

typedef struct walk {
    wvl_info *info;
    wvl_check_packet packet; /* its blocks are still to come */
    int has_packet;
    uint64_t blocks, passes; /* of it */
    char problem[256];       /* the first that keeps packets from being found */
    uint64_t problem_offset;
} walk;

static const char *const block_fields[] = {"band", "level", "x", "y", "width", "height", "passes", "offset", "bytes"};

/* ---- One packet ------------------------------------------------------------------------------ */

static void open_packet(wvl_cli_report *r, const wvl_check_packet *p)
{
    wvl_cli_report_open_line(r, NULL);
    wvl_cli_report_number(r, "tile", p->tile);
    wvl_cli_report_number(r, "part", p->part);
    wvl_cli_report_number(r, "component", p->component);
    wvl_cli_report_number(r, "resolution", p->resolution);
    wvl_cli_report_number(r, "layer", p->layer);
    wvl_cli_report_number(r, "precinct", p->precinct);
    wvl_cli_report_number(r, "offset", p->offset);
    wvl_cli_report_number(r, "bytes", p->bytes);
    wvl_cli_report_number(r, "header_offset", p->header_offset);
    wvl_cli_report_number(r, "header_bytes", p->header_bytes);
    wvl_cli_report_number(r, "body_bytes", p->body_bytes);
    wvl_cli_report_open_list(r, "blocks");
}

static void close_packet(walk *w)
{
    wvl_cli_report *r = &w->info->report;
    const wvl_check_packet *p = &w->packet;
    if (w->has_packet && r->json) {
        wvl_cli_report_close(r);
        wvl_cli_report_close(r);
    } else if (w->has_packet) {
        fprintf(r->file,
                "  %5" PRIu32 " %5" PRIu32 " %9" PRIu32 " %10" PRIu32 " %5" PRIu32 " %8" PRIu64 " %10" PRIu64
                " %9" PRIu64 " %7" PRIu64 " %9" PRIu64 " %6" PRIu64 " %6" PRIu64 "\n",
                p->tile, p->part, p->component, p->resolution, p->layer, p->precinct, p->offset, p->bytes,
                p->header_bytes, p->body_bytes, w->blocks, w->passes);
    }
    w->has_packet = 0;
}

static void take_packet(void *user, const wvl_check_packet *packet)
{
    walk *w = user;
    close_packet(w);
    w->packet = *packet;
    w->has_packet = 1;
    w->blocks = w->passes = 0;
    if (w->info->report.json) {
        open_packet(&w->info->report, packet);
    }
}

static void take_block(void *user, const wvl_check_block *b)
{
    walk *w = user;
    wvl_cli_report *r = &w->info->report;
    w->blocks++;
    w->passes += b->passes;
    if (r->json) {
        wvl_cli_report_raw(r, NULL);
        fprintf(r->file,
                "[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64
                ",%" PRIu64 "]",
                b->band, b->level, b->x, b->y, b->width, b->height, b->passes, b->offset, b->bytes);
    }
}

static void take_issue(void *user, const wvl_check_issue *issue)
{
    walk *w = user;
    if (issue->severity == WVL_CHECK_ERROR && !w->problem[0]) {
        snprintf(w->problem, sizeof w->problem, "%s", issue->text);
        w->problem_offset = issue->offset;
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void open_packets(wvl_cli_report *r)
{
    if (r->json) {
        wvl_cli_report_open_list(r, "block_fields");
        for (size_t i = 0; i < sizeof block_fields / sizeof block_fields[0]; i++) {
            wvl_cli_report_text(r, NULL, block_fields[i]);
        }
        wvl_cli_report_close(r);
    }
    wvl_cli_report_open_list(r, "packets");
    if (!r->json) {
        fprintf(r->file, "  %5s %5s %9s %10s %5s %8s %10s %9s %7s %9s %6s %6s\n", "tile", "part", "component",
                "resolution", "layer", "precinct", "offset", "bytes", "header", "body", "blocks", "passes");
    }
}

/* What is not legal but leaves every packet in its place is for verify to say. */
void wvl_info_print_packets(wvl_info *info)
{
    walk w = {.info = info};
    wvl_check_options options = {
        .struct_size = sizeof options, .packet = take_packet, .block = take_block, .skip_blocks = 1};
    wvl_check_summary summary = {.struct_size = sizeof summary};
    open_packets(&info->report);
    int verdict = wvl_check_file(info->memory, info->size, &options, take_issue, &w, &summary);
    close_packet(&w);
    wvl_cli_report_close(&info->report);
    if (verdict == WVL_CHECK_NO_MEMORY) {
        info->lacks_memory = 1;
        wvl_info_note_problem(info, summary.codestream_offset, "no memory for the list of packets");
    } else if (!summary.complete && !info->problem_count) {
        wvl_info_note_problem(info, w.problem_offset,
                              w.problem[0] ? w.problem : "not every packet that the headers promise is there");
    }
    wvl_check_release_summary(&summary);
}
