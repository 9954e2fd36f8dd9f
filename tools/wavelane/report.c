/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define MAX_DEPTH 15u
#define BARE 2 /* is_line of a line without a name: its first member needs no blank before it */

void wvl_cli_report_start(wvl_cli_report *r, FILE *file, int json)
{
    memset(r, 0, sizeof *r);
    r->file = file;
    r->json = json;
    if (json) {
        fputc('{', file);
    }
}

void wvl_cli_report_finish(wvl_cli_report *r)
{
    while (r->depth) {
        wvl_cli_report_close(r);
    }
    if (r->json) {
        fputs("}\n", r->file);
    }
}

static void put_json_char(FILE *file, unsigned char c)
{
    if (c == '"' || c == '\\') {
        fprintf(file, "\\%c", c);
    } else if (c < 32 || c > 126) {
        fprintf(file, "\\u%04x", c);
    } else {
        fputc(c, file);
    }
}

/* UTF-8 passes; other bytes (file names may hold any) are taken as Latin-1, so that the JSON is always valid. */
static void put_json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        unsigned length;
        if (*p >= 0x80 && wvl_io_utf8_point(p, 4, &length)) {
            (void)fwrite(p, 1, length, file);
            p += length - 1;
        } else {
            put_json_char(file, *p);
        }
    }
    fputc('"', file);
}

static void indent(wvl_cli_report *r)
{
    for (unsigned i = 0; i < r->depth; i++) {
        fputs("  ", r->file);
    }
}

/* Whatever stands before a member: separator, indentation, name. */
static void put_name(wvl_cli_report *r, const char *name)
{
    int first = !r->count[r->depth];
    r->count[r->depth] = 1;
    if (r->json) {
        fputs(first ? "" : ",", r->file);
        if (r->json == WVL_REPORT_JSON && r->depth < 3 && !r->is_line[r->depth]) {
            fputc('\n', r->file);
            indent(r);
        }
        if (name) {
            put_json_text(r->file, name);
            fputc(':', r->file);
        }
    } else if (r->is_line[r->depth]) {
        fputs(first && (r->is_list[r->depth] || r->is_line[r->depth] == BARE) ? "" : " ", r->file);
        fprintf(r->file, name ? "%s=" : "%s", name ? name : "");
    } else {
        indent(r);
        fprintf(r->file, name ? "%s " : "%s", name ? name : "");
    }
}

static void end_member(wvl_cli_report *r)
{
    if (!r->json && !r->is_line[r->depth]) {
        fputc('\n', r->file);
    }
}

static void descend(wvl_cli_report *r, int is_list, int is_line)
{
    r->depth += r->depth < MAX_DEPTH;
    r->count[r->depth] = 0;
    r->is_list[r->depth] = (uint8_t)is_list;
    r->is_line[r->depth] = (uint8_t)is_line;
}

static void put_heading(wvl_cli_report *r, const char *name, const char *end)
{
    if (name || !end[0]) {
        indent(r);
        fprintf(r->file, "%s%s", name ? name : "", end);
    }
    r->count[r->depth] = 1;
}

void wvl_cli_report_open_object(wvl_cli_report *r, const char *name)
{
    if (r->json) {
        put_name(r, name);
        fputc('{', r->file);
    } else {
        put_heading(r, name, "\n");
    }
    descend(r, 0, 0);
}

void wvl_cli_report_open_line(wvl_cli_report *r, const char *name)
{
    int is_bare = !name;
    if (r->json || r->is_line[r->depth]) {
        put_name(r, name);
        fputc(r->json ? '{' : '(', r->file);
        is_bare = 1;
    } else {
        put_heading(r, name, "");
    }
    descend(r, 0, is_bare ? BARE : 1);
}

/* A list beside other members is written as [a b c]; a list under a heading has one member a line. */
void wvl_cli_report_open_list(wvl_cli_report *r, const char *name)
{
    int is_line = r->is_line[r->depth] != 0;
    if (r->json || is_line) {
        put_name(r, name);
        fputc('[', r->file);
    } else {
        put_heading(r, name, "\n");
    }
    descend(r, 1, is_line);
}

void wvl_cli_report_close(wvl_cli_report *r)
{
    unsigned inner = r->depth;
    r->depth -= inner > 0;
    if (r->json) {
        if (r->json == WVL_REPORT_JSON && inner < 3 && r->count[inner] && !r->is_line[inner]) {
            fputc('\n', r->file);
            indent(r);
        }
        fputc(r->is_list[inner] ? ']' : '}', r->file);
    } else if (r->is_line[inner] && r->is_line[r->depth]) {
        fputc(r->is_list[inner] ? ']' : ')', r->file);
    } else if (r->is_line[inner]) {
        fputc('\n', r->file);
    }
}

void wvl_cli_report_text(wvl_cli_report *r, const char *name, const char *value)
{
    put_name(r, name);
    if (r->json) {
        put_json_text(r->file, value);
    } else {
        fputs(value, r->file);
    }
    end_member(r);
}

void wvl_cli_report_bytes(wvl_cli_report *r, const char *name, const uint8_t *bytes, size_t count)
{
    put_name(r, name);
    fputc('"', r->file);
    for (size_t i = 0; i < count; i++) {
        if (r->json) {
            put_json_char(r->file, bytes[i]);
        } else if (bytes[i] < 32 || bytes[i] > 126) {
            fprintf(r->file, "\\x%02x", bytes[i]);
        } else {
            fputc(bytes[i], r->file);
        }
    }
    fputc('"', r->file);
    end_member(r);
}

void wvl_cli_report_number(wvl_cli_report *r, const char *name, uint64_t value)
{
    put_name(r, name);
    fprintf(r->file, "%" PRIu64, value);
    end_member(r);
}

void wvl_cli_report_numbers(wvl_cli_report *r, const wvl_cli_number *numbers)
{
    for (; numbers->name; numbers++) {
        wvl_cli_report_number(r, numbers->name, numbers->value);
    }
}

/* The command never calls setlocale, so printf writes a point. JSON has no infinity. */
void wvl_cli_report_real(wvl_cli_report *r, const char *name, double value)
{
    put_name(r, name);
    if (r->json && !isfinite(value)) {
        fputs("null", r->file);
    } else {
        fprintf(r->file, "%.6g", value);
    }
    end_member(r);
}

void wvl_cli_report_flag(wvl_cli_report *r, const char *name, int value)
{
    put_name(r, name);
    fputs(r->json ? (value ? "true" : "false") : (value ? "yes" : "no"), r->file);
    end_member(r);
}

void wvl_cli_report_raw(wvl_cli_report *r, const char *name) { put_name(r, name); }

/* ---- Why pictures of a folder or a sequence failed ------------------------------------------- */

#define OTHER (WVL_EXIT_REPORT + 1)

static const struct {
    const char *word, *text;
} reasons_by_code[] = {
    [WVL_EXIT_SOME_FAILED] = {"other", "other reasons"},
    [WVL_EXIT_USAGE] = {"options", "options do not fit the picture"},
    [WVL_EXIT_INPUT] = {"input", "the input is refused"},
    [WVL_EXIT_OUTPUT] = {"output", "the output exists, or cannot be written"},
    [WVL_EXIT_DEVICE] = {"machine", "memory, threads or the device do not suffice"},
    [WVL_EXIT_CHECK] = {"check", "the check failed"},
    [WVL_EXIT_REPORT] = {"other", "other reasons"},
    [OTHER] = {"interrupted", "interrupted"},
};

void wvl_cli_count_reason(wvl_cli_reasons *reasons, int code)
{
    if (code == WVL_EXIT_INTERRUPTED) {
        reasons->counts[OTHER]++;
    } else if (code > WVL_EXIT_OK && code <= WVL_EXIT_REPORT) {
        reasons->counts[code]++;
    }
}

void wvl_cli_print_reasons(FILE *file, const wvl_cli_reasons *reasons)
{
    const char *between = " (";
    for (int i = 1; i <= OTHER; i++) {
        if (reasons->counts[i]) {
            fprintf(file, "%s%" PRIu64 ": %s", between, reasons->counts[i], reasons_by_code[i].text);
            between = "; ";
        }
    }
    fputs(between[0] == ';' ? ")" : "", file);
}

void wvl_cli_report_reasons(wvl_cli_report *r, const wvl_cli_reasons *reasons)
{
    wvl_cli_report_open_object(r, "reasons");
    for (int i = 1; i <= OTHER; i++) {
        if (reasons->counts[i]) {
            wvl_cli_report_number(r, reasons_by_code[i].word, reasons->counts[i]);
        }
    }
    wvl_cli_report_close(r);
}

/* ---- Progress -------------------------------------------------------------------------------- */

double wvl_cli_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void wvl_cli_progress_start(wvl_cli_progress *progress, int enabled)
{
    progress->enabled = enabled && isatty(STDERR_FILENO);
    progress->shown = 0;
    progress->started = progress->last = wvl_cli_seconds();
}

#define BAR 40

int wvl_cli_progress_step(void *user, uint64_t done, uint64_t total, wvl_stage stage)
{
    static const char *const stages[] = {"transform", "code", "rate", "write"};
    wvl_cli_progress *progress = user;
    double now = wvl_cli_seconds();
    if (!progress->enabled || now - progress->started < 1.0 || now - progress->last < 0.1 || !total) {
        return 0;
    }
    double part = (double)done / (double)total;
    int filled = part >= 1.0 ? BAR : (int)(part * BAR);
    fprintf(stderr, "\r%-9s [%.*s%*s] %3d%% %5.1f s ", stages[(unsigned)stage < 4 ? stage : 3], filled,
            "########################################", BAR - filled, "", (int)(part * 100.0), now - progress->started);
    (void)fflush(stderr);
    progress->last = now;
    progress->shown = 1;
    return 0;
}

void wvl_cli_progress_end(wvl_cli_progress *progress)
{
    if (progress->shown) {
        fprintf(stderr, "\r%*s\r", BAR + 32, "");
    }
}
