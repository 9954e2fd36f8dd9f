/* SPDX-License-Identifier: BSD-2-Clause */
/* What wavelane verify says of one file: a report, an object, or a row of a table. */
#include "verify_report.h"

#include <string.h>

#include "files.h"

/* WVL_CHECK_NOTHING and the formats behind it */
static const char *const formats[] = {"neither a codestream nor a JP2 or JPH file", "codestream", "JP2", "JPH"};
static const char *const verdicts[] = {"yes", "no", "not decided: a limit was reached"};

/* ---- Reports --------------------------------------------------------------------------------- */

static void report_issues(const wvl_cli_verdict *v, wvl_cli_report *r)
{
    const wvl_check_summary *m = &v->summary;
    wvl_cli_report_number(r, "errors", m->errors);
    wvl_cli_report_number(r, "warnings", m->warnings);
    if (!r->json && !v->count) {
        return;
    }
    wvl_cli_report_open_list(r, "issues");
    for (size_t i = 0; i < v->count; i++) {
        const wvl_cli_finding *f = &v->findings[i];
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_text(r, "severity", f->severity == WVL_CHECK_ERROR ? "error" : "warning");
        wvl_cli_report_number(r, "offset", f->offset);
        wvl_cli_report_text(r, "rule", f->rule);
        if (f->profile) {
            wvl_cli_report_text(r, "profile", f->profile);
        }
        wvl_cli_report_text(r, "clause", f->clause);
        wvl_cli_report_text(r, "text", f->text ? f->text : "out of memory");
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

static void report_components(const wvl_check_summary *m, wvl_cli_report *r)
{
    wvl_cli_report_open_list(r, "components");
    for (uint32_t c = 0; c < m->component_count; c++) {
        const wvl_check_component *k = &m->components[c];
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_number(r, "depth", k->depth);
        wvl_cli_report_flag(r, "signed", k->is_signed);
        wvl_cli_report_number(r, "dx", k->dx);
        wvl_cli_report_number(r, "dy", k->dy);
        wvl_cli_report_number(r, "packet_bytes", k->packet_bytes);
        wvl_cli_report_number(r, "part_bytes", k->part_bytes);
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

static void report_counts(const wvl_check_summary *m, wvl_cli_report *r)
{
    unsigned resolutions = 33;
    wvl_cli_report_number(r, "width", m->x1 - m->x0);
    wvl_cli_report_number(r, "height", m->y1 - m->y0);
    wvl_cli_report_number(r, "rsiz", m->rsiz);
    wvl_cli_report_number(r, "codestream_bytes", m->codestream_bytes);
    wvl_cli_report_number(r, "tiles", m->tile_count);
    wvl_cli_report_number(r, "tile_parts", m->part_count);
    wvl_cli_report_number(r, "packets", m->packet_count);
    wvl_cli_report_number(r, "empty_packets", m->empty_packet_count);
    wvl_cli_report_number(r, "header_bytes", m->header_bytes);
    wvl_cli_report_number(r, "body_bytes", m->body_bytes);
    wvl_cli_report_number(r, "layers", m->layer_count);
    if (m->ht_block_count) {
        wvl_cli_report_number(r, "ht_blocks", m->ht_block_count);
        wvl_cli_report_number(r, "magb_told", m->ht_bound_told);
        wvl_cli_report_number(r, "magb_needed", m->ht_bound_needed);
    }
    report_components(m, r);
    wvl_cli_report_open_list(r, "layer_bytes");
    for (uint32_t i = 0; i < m->layer_count; i++) {
        wvl_cli_report_number(r, NULL, m->layer_bytes[i]);
    }
    wvl_cli_report_close(r);
    while (resolutions && !m->resolution_bytes[resolutions - 1]) {
        resolutions--;
    }
    wvl_cli_report_open_list(r, "resolution_bytes");
    for (unsigned i = 0; i < resolutions; i++) {
        wvl_cli_report_number(r, NULL, m->resolution_bytes[i]);
    }
    wvl_cli_report_close(r);
}

static void report_profiles(const wvl_cli_verdict *v, const char *profile, wvl_cli_report *r)
{
    const wvl_check_summary *m = &v->summary;
    if (profile) {
        for (uint32_t i = 0; i < m->profile_count; i++) {
            if (!strcmp(m->profiles[i].name, profile)) {
                wvl_cli_report_text(r, "profile", profile);
                wvl_cli_report_flag(r, "profile_met", m->profiles[i].met);
            }
        }
    }
    wvl_cli_report_open_list(r, "profiles_met");
    for (uint32_t i = 0; i < m->profile_count; i++) {
        if (m->profiles[i].met) {
            wvl_cli_report_text(r, NULL, m->profiles[i].name);
        }
    }
    wvl_cli_report_close(r);
}

void wvl_cli_report_verdict(const wvl_cli_verdict *v, const char *profile, int json)
{
    wvl_cli_report r;
    wvl_cli_report_start(&r, stdout, json);
    wvl_cli_report_text(&r, "file", v->name);
    wvl_cli_report_number(&r, "bytes", v->bytes);
    wvl_cli_report_text(&r, "format", formats[v->summary.format]);
    wvl_cli_report_text(&r, "legal", verdicts[v->verdict]);
    report_issues(v, &r);
    if (v->summary.component_count) {
        report_counts(&v->summary, &r);
    }
    report_profiles(v, profile, &r);
    if (v->check.done) {
        wvl_cli_report_check(&r, &v->check);
    }
    wvl_cli_report_finish(&r);
}

void wvl_cli_report_unread(const wvl_cli_verdict *v)
{
    wvl_cli_report r;
    wvl_cli_report_start(&r, stdout, WVL_REPORT_JSON_LINE);
    wvl_cli_report_text(&r, "file", v->name);
    wvl_cli_report_text(&r, "error", wvl_cli_last_error());
    wvl_cli_report_finish(&r);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

void wvl_cli_put_verdict_heading(FILE *file)
{
    fputs("file,bytes,format,legal,errors,warnings,severity,offset,rule,clause,text,profile,profile_met,"
          "profiles_met,width,height,components,tiles,layers,codestream_bytes,exact,psnr,error\n",
          file);
}

/* The first error, or if there is none the first warning; NULL: neither. */
static const wvl_cli_finding *worst_finding(const wvl_cli_verdict *v)
{
    for (size_t i = 0; i < v->count; i++) {
        if (v->findings[i].severity == WVL_CHECK_ERROR) {
            return &v->findings[i];
        }
    }
    return v->count ? v->findings : NULL;
}

static void put_finding(const wvl_cli_verdict *v, wvl_cli_row *row)
{
    const wvl_cli_finding *f = worst_finding(v);
    if (!f) {
        wvl_cli_row_skip(row, 5);
        return;
    }
    wvl_cli_row_text(row, f->severity == WVL_CHECK_ERROR ? "error" : "warning");
    wvl_cli_row_number(row, f->offset);
    wvl_cli_row_text(row, f->rule);
    wvl_cli_row_text(row, f->clause);
    wvl_cli_row_text(row, f->text ? f->text : "out of memory");
}

/* The profile that was asked for, whether it is met, and all that are, with blanks between them. */
static void put_profiles(const wvl_cli_verdict *v, const char *profile, wvl_cli_row *row)
{
    const wvl_check_summary *m = &v->summary;
    char met[1024] = "";
    const char *answer = "";
    for (uint32_t i = 0; i < m->profile_count; i++) {
        size_t used = strlen(met);
        if (m->profiles[i].met) {
            snprintf(met + used, sizeof met - used, "%s%s", used ? " " : "", m->profiles[i].name);
        }
        if (profile && !strcmp(m->profiles[i].name, profile)) {
            answer = m->profiles[i].met ? "yes" : "no";
        }
    }
    wvl_cli_row_text(row, profile ? profile : "");
    wvl_cli_row_text(row, answer);
    wvl_cli_row_text(row, met);
}

static void put_counts(const wvl_check_summary *m, wvl_cli_row *row)
{
    if (!m->component_count) {
        wvl_cli_row_skip(row, 6);
        return;
    }
    wvl_cli_row_number(row, m->x1 - m->x0);
    wvl_cli_row_number(row, m->y1 - m->y0);
    wvl_cli_row_number(row, m->component_count);
    wvl_cli_row_number(row, m->tile_count);
    wvl_cli_row_number(row, m->layer_count);
    wvl_cli_row_number(row, m->codestream_bytes);
}

static void put_check(const wvl_cli_verdict *v, wvl_cli_row *row)
{
    char psnr[32];
    if (!v->check.done) {
        wvl_cli_row_skip(row, 2);
        return;
    }
    snprintf(psnr, sizeof psnr, "%.6g", v->check.psnr);
    wvl_cli_row_text(row, v->check.exact ? "yes" : "no");
    wvl_cli_row_text(row, psnr);
}

void wvl_cli_put_verdict_row(FILE *file, const wvl_cli_verdict *v, const char *profile)
{
    wvl_cli_row row = {file, 0};
    wvl_cli_row_text(&row, v->name);
    if (!v->is_judged) {
        wvl_cli_row_skip(&row, 21);
        wvl_cli_row_text(&row, wvl_cli_last_error());
        wvl_cli_row_end(&row);
        return;
    }
    wvl_cli_row_number(&row, v->bytes);
    wvl_cli_row_text(&row, v->summary.format == WVL_CHECK_NOTHING ? "neither" : formats[v->summary.format]);
    wvl_cli_row_text(&row, verdicts[v->verdict]);
    wvl_cli_row_number(&row, v->summary.errors);
    wvl_cli_row_number(&row, v->summary.warnings);
    put_finding(v, &row);
    put_profiles(v, profile, &row);
    put_counts(&v->summary, &row);
    put_check(v, &row);
    wvl_cli_row_skip(&row, 1);
    wvl_cli_row_end(&row);
}
