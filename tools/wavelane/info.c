/* SPDX-License-Identifier: BSD-2-Clause */
#include "info.h"
#include "stream.h"
#include "wavelane_check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The file -------------------------------------------------------------------------------- */

static int read_whole(wvl_info *info, uint64_t most)
{
    size_t bytes = 0;
    int code = wvl_cli_read_descriptor(info->fd, info->name, most, WVL_CLI_JPEG2000, &info->memory, &bytes);
    info->size = bytes;
    return code;
}

int wvl_info_open(wvl_info *info, const char *name, uint64_t most, int is_whole)
{
    struct stat st;
    int is_standard = !strcmp(name, "-");
    info->name = is_standard ? "standard input" : name;
    info->fd = is_standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (info->fd < 0 || fstat(info->fd, &st)) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: %s", info->name, strerror(errno));
    }
    if (S_ISDIR(st.st_mode)) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: is a directory", info->name);
    }
    if (is_whole || !S_ISREG(st.st_mode)) { /* a pipe cannot be read twice */
        return read_whole(info, most);
    }
    info->size = (uint64_t)st.st_size;
    return WVL_EXIT_OK;
}

void wvl_info_close(wvl_info *info)
{
    if (info->fd > STDIN_FILENO) {
        (void)close(info->fd);
    }
    for (size_t i = 0; i < WVL_INFO_MAX_PROBLEMS; i++) {
        free(info->problems[i]);
    }
    free(info->memory);
}

/* ---- Problems -------------------------------------------------------------------------------- */

void wvl_info_note_problem(wvl_info *info, uint64_t offset, const char *problem)
{
    char text[352];
    snprintf(text, sizeof text, "at byte %" PRIu64 ": %s", offset, problem);
    if (info->problem_count < WVL_INFO_MAX_PROBLEMS) {
        info->problems[info->problem_count] = strdup(text);
    }
    info->problem_count++;
}

void wvl_info_report_problems(wvl_info *info)
{
    size_t listed = info->problem_count < WVL_INFO_MAX_PROBLEMS ? info->problem_count : WVL_INFO_MAX_PROBLEMS;
    if (info->report.json) {
        wvl_cli_report_open_list(&info->report, "problems");
        for (size_t i = 0; i < listed; i++) {
            wvl_cli_report_text(&info->report, NULL, info->problems[i] ? info->problems[i] : "out of memory");
        }
        wvl_cli_report_close(&info->report);
    }
    (void)fflush(info->report.file);
    for (size_t i = 0; i < listed; i++) {
        wvl_cli_error("%s: %s", info->name, info->problems[i] ? info->problems[i] : "out of memory");
    }
    if (info->problem_count > listed) {
        wvl_cli_error("%s: %zu more problems", info->name, info->problem_count - listed);
    }
}

static int read_file(void *user, uint64_t offset, void *buffer, size_t bytes)
{
    wvl_info *info = user;
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(info->fd, (uint8_t *)buffer + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            char problem[256];
            snprintf(problem, sizeof problem, "cannot be read: %s",
                     got < 0 ? strerror(errno) : "the file became shorter");
            wvl_info_note_problem(info, offset + done, problem);
            return 0;
        }
        done += (size_t)got;
    }
    return 1;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static const struct {
    const char *entry, *name; /* entry NULL: any */
    size_t place;
} kept_numbers[] = {
    {"SIZ", "Xsiz", offsetof(wvl_info_facts, x1)},
    {"SIZ", "Ysiz", offsetof(wvl_info_facts, y1)},
    {"SIZ", "XOsiz", offsetof(wvl_info_facts, x0)},
    {"SIZ", "YOsiz", offsetof(wvl_info_facts, y0)},
    {"SIZ", "XTsiz", offsetof(wvl_info_facts, tile_width)},
    {"SIZ", "YTsiz", offsetof(wvl_info_facts, tile_height)},
    {"SIZ", "Csiz", offsetof(wvl_info_facts, components)},
    {"COD", "layers", offsetof(wvl_info_facts, layers)},
    {"COD", "levels", offsetof(wvl_info_facts, levels)},
    {"COD", "xcb", offsetof(wvl_info_facts, xcb)},
    {"COD", "ycb", offsetof(wvl_info_facts, ycb)},
    {"COD", "style", offsetof(wvl_info_facts, style)},
    {NULL, "codestream_bytes", offsetof(wvl_info_facts, codestream_bytes)},
};

static void keep_number(wvl_info *info, const char *name, uint64_t number)
{
    wvl_info_facts *f = &info->facts;
    for (size_t i = 0; i < sizeof kept_numbers / sizeof kept_numbers[0]; i++) {
        const char *entry = kept_numbers[i].entry;
        if ((!entry || !strcmp(entry, info->entry)) && !strcmp(kept_numbers[i].name, name)) {
            *(uint64_t *)((char *)f + kept_numbers[i].place) = number;
        }
    }
    if (!strcmp(info->entry, "SIZ") && !strcmp(name, "depth")) {
        f->most_depth = number > f->most_depth ? number : f->most_depth;
        f->least_depth = !f->least_depth || number < f->least_depth ? number : f->least_depth;
    }
}

static void keep_text(wvl_info *info, const char *name, const char *text)
{
    wvl_info_facts *f = &info->facts;
    if (!strcmp(name, "format")) {
        snprintf(f->format, sizeof f->format, "%s", text);
    } else if (!strcmp(info->entry, "COD") && !strcmp(name, "progression")) {
        snprintf(f->order, sizeof f->order, "%s", text);
    } else if (!strcmp(info->entry, "COD") && !strcmp(name, "transform")) {
        snprintf(f->transform, sizeof f->transform, "%s", text);
    }
}

/* ---- Items ----------------------------------------------------------------------------------- */

#define SHOWN_BYTES 256u
#define SHOWN_LENGTHS 16u /* in text; JSON has all */

/* An entry is a line of text, or an object whose first member is `kind`. */
static void open_entry(wvl_info *info, const char *kind, const wvl_check_item *item)
{
    wvl_cli_report *r = &info->report;
    int is_superbox = item->kind == WVL_CHECK_ITEM_SUPERBOX;
    snprintf(info->entry, sizeof info->entry, "%s", item->name);
    if (!strcmp(info->entry, "COD") && info->facts.cod_count++) {
        info->entry[0] = '\0'; /* of a tile: no fact */
    }
    info->facts.part_count += !strcmp(info->entry, "SOT");
    if (r->json && is_superbox) {
        wvl_cli_report_open_object(r, NULL);
    } else {
        wvl_cli_report_open_line(r, r->json ? NULL : item->name);
    }
    if (r->json) {
        wvl_cli_report_text(r, kind, item->name);
    }
    wvl_cli_report_number(r, "offset", item->offset);
    wvl_cli_report_number(r, "bytes", item->bytes);
    if (is_superbox && !r->json) {
        wvl_cli_report_close(r);
    }
    if (is_superbox) {
        wvl_cli_report_open_list(r, r->json ? "boxes" : NULL);
    }
}

static void print_number(wvl_info *info, const wvl_check_item *item)
{
    wvl_cli_report *r = &info->report;
    int is_shown = item->name || !info->is_of_lengths || r->json || info->length_count < SHOWN_LENGTHS;
    if (item->name) {
        keep_number(info, item->name, item->number);
    }
    if (item->kind == WVL_CHECK_ITEM_RAW) {
        return;
    }
    if (is_shown) {
        wvl_cli_report_number(r, item->name, item->number);
    } else if (info->length_count == SHOWN_LENGTHS) {
        wvl_cli_report_text(r, NULL, "...");
    }
    info->length_count++;
}

static void print_bytes(wvl_cli_report *r, const wvl_check_item *item)
{
    static const char *const kinds[] = {"restricted grey", "restricted RGB", "not restricted", "broken"};
    if (!strcmp(item->name, "icc")) {
        wvl_cli_report_text(r, item->name, kinds[wvl_io_icc_kind(item->data, (size_t)item->bytes)]);
        return;
    }
    wvl_cli_report_bytes(r, item->name, item->data,
                         r->json || item->bytes < SHOWN_BYTES ? (size_t)item->bytes : SHOWN_BYTES);
}

static void print_item(void *user, const wvl_check_item *item)
{
    wvl_info *info = user;
    wvl_cli_report *r = &info->report;
    switch (item->kind) {
    case WVL_CHECK_ITEM_NUMBER:
    case WVL_CHECK_ITEM_RAW: print_number(info, item); break;
    case WVL_CHECK_ITEM_FLAG: wvl_cli_report_flag(r, item->name, item->number != 0); break;
    case WVL_CHECK_ITEM_REAL: wvl_cli_report_real(r, item->name, item->real); break;
    case WVL_CHECK_ITEM_TEXT:
        if (item->name) {
            keep_text(info, item->name, item->text);
        }
        wvl_cli_report_text(r, item->name, item->text);
        break;
    case WVL_CHECK_ITEM_BYTES: print_bytes(r, item); break;
    case WVL_CHECK_ITEM_LIST:
        info->is_of_lengths = !strcmp(item->name, "lengths");
        info->length_count = 0;
        wvl_cli_report_open_list(r, item->name);
        break;
    case WVL_CHECK_ITEM_ROW: wvl_cli_report_open_line(r, NULL); break;
    case WVL_CHECK_ITEM_BOX:
    case WVL_CHECK_ITEM_SUPERBOX: open_entry(info, "box", item); break;
    case WVL_CHECK_ITEM_SEGMENT: open_entry(info, "marker", item); break;
    case WVL_CHECK_ITEM_END:
        wvl_cli_report_close(r);
        if (item->ended == WVL_CHECK_ITEM_SUPERBOX && r->json) {
            wvl_cli_report_close(r);
        }
        break;
    case WVL_CHECK_ITEM_PROBLEM: wvl_info_note_problem(info, item->offset, item->text); break;
    }
}

void wvl_info_print_file(wvl_info *info)
{
    wvl_check_source source = {.struct_size = sizeof source, .data = info->memory, .bytes = info->size};
    source.read = info->memory ? NULL : read_file;
    wvl_cli_report_text(&info->report, "file", info->name);
    wvl_cli_report_number(&info->report, "bytes", info->size);
    info->lacks_memory = wvl_check_list(&source, print_item, info) == WVL_CHECK_NO_MEMORY;
}
