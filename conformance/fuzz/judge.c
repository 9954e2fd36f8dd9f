/* SPDX-License-Identifier: BSD-2-Clause */
/* What must hold for a case, whatever its options are. */
#include "judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "color.h"
#include "decoder.h"
#include "draw.h"
#include "estimate.h"
#include "illegal.h"
#include "judge_parts.h"
#include "patience.h"
#include "refusal.h"
#include "wavelane_check.h"

void fuzz_judge_fail(fuzz_verdict *v, const char *check, const char *format, ...)
{
    va_list args;
    if (v->outcome == FUZZ_FAILED) {
        return; /* the first one is reported */
    }
    v->outcome = FUZZ_FAILED;
    snprintf(v->check, sizeof v->check, "%s", check);
    va_start(args, format);
    vsnprintf(v->text, sizeof v->text, format, args);
    va_end(args);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static int was_encoded(const fuzz_case *c, const fuzz_run *run, fuzz_verdict *v)
{
    if (run->broken[0]) {
        fuzz_judge_fail(v, strncmp(run->broken, "memory", 6) != 0 ? "interface" : "memory", "%s", run->broken);
        return 0;
    }
    if (run->status == WVL_OK) {
        return 1;
    }
    int reason = fuzz_refusal_find(c, run->status, run->error);
    if (reason >= 0) {
        v->outcome = FUZZ_REFUSED;
        v->refusal = (uint32_t)reason + 1;
        snprintf(v->text, sizeof v->text, "%s: %.400s", wvl_status_text(run->status), run->error);
    } else {
        fuzz_judge_fail(v, "refused", "%s: %.400s", wvl_status_text(run->status), run->error);
    }
    return 0;
}

/* ---- Walker ---------------------------------------------------------------------------------- */

#define FUZZ_MAX_TILES_TOLD 4096u

typedef struct walked {
    fuzz_verdict *verdict;
    uint64_t layer_body[FUZZ_MAX_LAYERS_TOLD], tile_body[FUZZ_MAX_TILES_TOLD]; /* bytes of packet bodies */
    uint32_t tiles;
} walked;

static void note_issue(void *user, const wvl_check_issue *issue)
{
    fuzz_judge_fail(((walked *)user)->verdict, "walker", "%s %s (%s) at %llu: %s",
                    issue->severity == WVL_CHECK_ERROR ? "error" : "warning", issue->rule, issue->clause,
                    (unsigned long long)issue->offset, issue->text);
}

static void check_component_caps(const fuzz_case *c, const wvl_check_summary *m, fuzz_verdict *v)
{
    const char *cap = fuzz_case_get(c, "max-component-bytes");
    uint64_t most = cap ? strtoull(cap, NULL, 10) : 0;
    int by_component =
        strchr(fuzz_case_or(c, "tile-parts", "none"), 'C') != NULL; /* then headers of tile-parts count too */
    for (uint32_t i = 0; most && i < m->component_count; i++) {
        uint64_t bytes = by_component && m->components[i].part_bytes > m->components[i].packet_bytes
                             ? m->components[i].part_bytes
                             : m->components[i].packet_bytes;
        if (bytes > most) {
            fuzz_judge_fail(v, "cap", "component %u has %llu bytes, the cap is %llu", i, (unsigned long long)bytes,
                            (unsigned long long)most);
        }
    }
}

/* Notes what the packets show and the options do not. */
static void note_packet(void *user, const wvl_check_packet *packet)
{
    walked *w = user;
    if (packet->layer < FUZZ_MAX_LAYERS_TOLD) {
        w->layer_body[packet->layer] += packet->body_bytes;
    }
    if (packet->tile < FUZZ_MAX_TILES_TOLD) {
        w->tile_body[packet->tile] += packet->body_bytes;
    }
    w->tiles = packet->tile + 1 > w->tiles ? packet->tile + 1 : w->tiles;
}

static int has_tile_without_body(const walked *w)
{
    for (uint32_t t = 0; t < w->tiles && t < FUZZ_MAX_TILES_TOLD; t++) {
        if (!w->tile_body[t]) {
            return 1;
        }
    }
    return 0;
}

/* The walker's name for a word of the option; NULL: none. */
static const char *profile_of(const char *word)
{
    size_t count;
    const wvl_check_profile *profiles = wvl_check_profiles(&count);
    for (size_t i = 0; i < count; i++) {
        const char *name = profiles[i].name;
        if (!strcmp(name, word) || (strlen(word) == 1 && !strncmp(name, "profile", 7) && !strcmp(name + 7, word))) {
            return name;
        }
    }
    return NULL;
}

static void walk(const fuzz_case *c, const fuzz_run *run, walked *w, fuzz_verdict *v)
{
    const fuzz_settings *s = &run->settings;
    wvl_check_options options = {.struct_size = sizeof options,
                                 .packet = note_packet,
                                 .profile = profile_of(s->profile),
                                 .frames = s->frames,
                                 .seconds = s->seconds,
                                 .stereo = s->is_stereo,
                                 .hfr = s->is_hfr};
    wvl_check_summary m = {.struct_size = sizeof m};
    w->verdict = v;
    int verdict = wvl_check_file(run->data, run->bytes, &options, note_issue, w, &m);
    if (verdict != WVL_CHECK_LEGAL || !m.complete) {
        fuzz_judge_fail(v, "walker", "verdict %d, complete %d", verdict, m.complete);
    }
    if (m.codestream_offset != run->codestream.offset || m.codestream_bytes != run->codestream.bytes) {
        fuzz_judge_fail(v, "result", "the codestream has %llu bytes at %llu, the result says %llu at %llu",
                        (unsigned long long)m.codestream_bytes, (unsigned long long)m.codestream_offset,
                        (unsigned long long)run->codestream.bytes, (unsigned long long)run->codestream.offset);
    }
    if (m.layer_count != run->layers && m.packet_count) {
        fuzz_judge_fail(v, "result", "%u layers, the result says %u", m.layer_count, run->layers);
    }
    check_component_caps(c, &m, v);
    wvl_check_release_summary(&m);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static double raw_bits(const fuzz_picture *p)
{
    double bits = 0.0;
    for (uint32_t c = 0; c < p->count; c++) {
        bits += (double)p->planes[c].width * p->planes[c].height * p->planes[c].depth;
    }
    return bits;
}

/* Bytes that a value of a target allows; infinity: all. */
static double allowed_bytes(const char *key, double value, const fuzz_picture *p)
{
    if (key[0] == 'r') {
        return value <= 1.0 ? INFINITY : raw_bits(p) / 8.0 / value;
    }
    double bytes = key[0] == 'b' ? ((double)p->x1 - p->x0) * ((double)p->y1 - p->y0) * value / 8.0
                                 : value; /* pixels first: they are exact */
    return value > 0.0 ? bytes : INFINITY;
}

/* The target given last is the one in force. */
static const fuzz_pair *target_of(const fuzz_case *c)
{
    static const char *const keys[] = {"rates", "bpp", "layer-bytes", "psnr", "slopes"};
    for (uint32_t i = c->count; i--;) {
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            if (!strcmp(c->pairs[i].key, keys[k])) {
                return &c->pairs[i];
            }
        }
    }
    return NULL;
}

/* A layer before the last one that cannot be met is left empty, at a byte a packet. */
static int is_left_empty(const walked *w, uint32_t layer)
{
    uint64_t body = 0;
    for (uint32_t i = 0; i <= layer; i++) {
        body += w->layer_body[i];
    }
    return !w->layer_body[layer] || !body;
}

static void check_bytes(const fuzz_case *c, const fuzz_picture *p, const fuzz_run *run, const walked *w,
                        fuzz_verdict *v)
{
    uint64_t cap = strtoull(fuzz_case_or(c, "max-bytes", "0"), NULL, 10);
    const fuzz_pair *target = target_of(c);
    uint32_t count = 1, first;
    if (cap && run->codestream.bytes > cap) {
        fuzz_judge_fail(v, "cap", "%llu bytes, the cap is %llu", (unsigned long long)run->codestream.bytes,
                        (unsigned long long)cap);
    }
    if (!target || target->key[0] == 'p' || target->key[0] == 's') {
        return;
    }
    for (const char *at = target->value; *at; at++) {
        count += *at == ',';
    }
    first = run->layers > count ? run->layers - count : 0; /* layers before the first target are the encoder's own */
    const char *at = target->value;
    for (uint32_t i = first; i < run->layers && i < FUZZ_MAX_LAYERS_TOLD; i++) {
        double allowed = allowed_bytes(target->key, strtod(at, NULL), p);
        uint64_t bytes = i + 1 == run->layers ? run->codestream.bytes : run->layer[i].bytes;
        if ((double)bytes > floor(allowed) && (i + 1 == run->layers || !is_left_empty(w, i))) {
            fuzz_judge_fail(v, "cap", "layer %u: %llu bytes, %s allows %.1f", i, (unsigned long long)bytes, target->key,
                            allowed);
        }
        at += strcspn(at, ",");
        at += *at == ',';
    }
}

/* ---- Samples --------------------------------------------------------------------------------- */

static int asks_for_everything(const fuzz_case *c)
{
    const fuzz_pair *target = target_of(c);
    const char *last = target ? strrchr(target->value, ',') : NULL;
    double value = target ? strtod(last ? last + 1 : target->value, NULL) : 0.0;
    int everything = !target || (target->key[0] == 'r' ? value <= 1.0 : value == 0.0);
    return everything && !fuzz_case_get(c, "max-bytes") && !fuzz_case_get(c, "max-component-bytes") &&
           !fuzz_case_get(c, "preset");
}

/* Everywhere. */
int fuzz_judge_is_reversible(const fuzz_case *c, const fuzz_run *run)
{
    return run->settings.is_reversible && !strstr(fuzz_case_or(c, "overrides", ""), "reversible=no");
}

void fuzz_judge_compare_psnr(const fuzz_case *c, const fuzz_picture *p, const fuzz_run *run, double found, double told,
                             int is_measured, const char *where, fuzz_verdict *v)
{
    double expected = fuzz_judge_is_reversible(c, run) ? told
                      : is_measured                    ? fuzz_estimate_expect_measured(c, p, told)
                                                       : fuzz_estimate_expect_estimated(c, p, told);
    if (!is_measured && found < told - FUZZ_PSNR_SLACK && found < expected - FUZZ_PSNR_SLACK) {
        v->found |= FUZZ_WAS_OVERTOLD;
    }
    if (getenv("WVL_FUZZ_VERBOSE")) {
        printf("%s: %.3f dB found, %.3f dB %s\n", where, found, told, is_measured ? "measured" : "estimated");
    }
    double slack = is_measured ? fuzz_estimate_measured_slack(c, p) : FUZZ_PSNR_SLACK + FUZZ_ESTIMATE_SLACK;
    v->found |= is_measured ? 0 : FUZZ_WAS_ESTIMATED;
    if (!is_measured && fuzz_estimate_counts(c, p, fuzz_judge_is_reversible(c, run), found, told)) {
        v->drift += fmax(-FUZZ_MEAN_REACH, fmin(FUZZ_MEAN_REACH, told - found));
        v->drift_count++;
    }
    if (is_measured && fuzz_estimate_counts_measured(c, p, found, told)) {
        v->measured_drift += fmax(-FUZZ_MEAN_REACH, fmin(FUZZ_MEAN_REACH, told - found));
        v->measured_count++;
    }
    if (found < expected - slack) {
        fuzz_judge_fail(v, "psnr", "%s: %.3f dB found, %.3f dB told, %.2f dB less are allowed", where, found, told,
                        slack);
    }
}

static void check_layer(const fuzz_case *c, const fuzz_picture *p, const fuzz_run *run, uint32_t layer, fuzz_verdict *v)
{
    fuzz_picture back;
    char text[512] = "", where[32];
    snprintf(where, sizeof where, "layer %u", layer);
    if (!fuzz_openjpeg_decode(run->data, run->bytes, layer + 1, &back, text, sizeof text)) {
        fuzz_judge_fail(v, "openjpeg", "layers 0 to %u: %s", layer, text);
        return;
    }
    fuzz_judge_compare_psnr(c, p, run, fuzz_picture_psnr(p, &back), run->layer[layer].psnr,
                            run->layer[layer].is_measured, where, v);
    fuzz_picture_free(&back);
}

/* A PSNR asked for is measured, not estimated; when everything is sent (slope 0) there is no more to give. */
static void check_psnr_target(const fuzz_case *c, const fuzz_picture *p, const fuzz_pair *target, const fuzz_run *run,
                              double found, fuzz_verdict *v)
{
    int is_deep = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        is_deep |= p->planes[i].depth >= FUZZ_DEEP;
    }
    double slack = FUZZ_PSNR_SLACK + (is_deep ? 4.0 : 0.0); /* of magnitudes of 32 bits and more it is estimated */
    const char *last = strrchr(target->value, ',');
    double asked = strtod(last ? last + 1 : target->value, NULL);
    if (run->last_slope && asked > 0.0 && !fuzz_case_get(c, "max-bytes") && !fuzz_case_get(c, "max-component-bytes") &&
        found < fuzz_estimate_expect(c, p, asked) - slack) {
        fuzz_judge_fail(v, "psnr target", "%.3f dB found, %.3f dB asked for", found, asked);
    }
}

static void check_lossy(const fuzz_case *c, const fuzz_picture *p, const fuzz_picture *back, const fuzz_run *run,
                        fuzz_verdict *v)
{
    const fuzz_pair *target = target_of(c);
    double found = fuzz_picture_psnr(p, back);
    v->found |= FUZZ_WAS_LOSSY;
    v->psnr_margin =
        isfinite(found) && isfinite(run->last_psnr) && found < FUZZ_JUDGE_FLOOR - 10.0 ? found - run->last_psnr : 0.0;
    fuzz_judge_compare_psnr(c, p, run, found, run->last_psnr, run->is_last_measured, "all layers", v);
    if (target && !strcmp(target->key, "psnr")) {
        check_psnr_target(c, p, target, run, found, v);
    }
    if (run->layers > 1 && run->layers < FUZZ_MAX_LAYERS_TOLD && v->outcome != FUZZ_FAILED) {
        check_layer(c, p, run, fuzz_picture_hash(p->x1, p->y1, run->layers) % (run->layers - 1), v);
    }
}

/* 1: the very samples that went in must come back. */
int fuzz_judge_is_exact(const fuzz_case *c, const fuzz_run *run)
{
    return fuzz_judge_is_reversible(c, run) && (isinf(run->last_psnr) || asks_for_everything(c));
}

static void check_samples(const fuzz_case *c, const fuzz_picture *p, const fuzz_picture *back, const fuzz_run *run,
                          fuzz_verdict *v)
{
    char text[512] = "";
    v->found |= FUZZ_WAS_DECODED;
    if (!fuzz_picture_same_shape(p, back, text, sizeof text)) {
        fuzz_judge_fail(v, "openjpeg", "%s", text);
    } else if (fuzz_judge_is_exact(c, run)) {
        v->found |= FUZZ_WAS_LOSSLESS;
        if (!fuzz_picture_equal(p, back, text, sizeof text)) {
            fuzz_judge_fail(v, "exact", "%s", text);
        }
    } else {
        check_lossy(c, p, back, run, v);
    }
}

/* ---- Decoders --------------------------------------------------------------------------------- */

static void excuse_first(const fuzz_judge *judge, const fuzz_facts *facts, const fuzz_fault *fault, const fuzz_run *run,
                         fuzz_verdict *v)
{
    fuzz_judge_excuse(fault, v);
    if (judge->second) {
        fuzz_judge_ask_grok_alone(judge, facts, run, v);
        fuzz_judge_ask_openjph(facts, NULL, run, v);
    }
}

/* A known fault counts only where the decoder does fail. text: what it says then. */
static int is_right_all_the_same(fuzz_facts *facts, const fuzz_run *run, char *text, size_t text_bytes,
                                 fuzz_verdict *alone)
{
    fuzz_picture back;
    if (!fuzz_openjpeg_decode(run->data, run->bytes, 0, &back, text, text_bytes)) {
        facts->complaint = text;
        return 0;
    }
    check_samples(facts->c, facts->p, &back, run, alone);
    fuzz_picture_free(&back);
    return alone->outcome == FUZZ_PASSED;
}

static void decode(const fuzz_judge *judge, const fuzz_case *c, const fuzz_picture *p, const fuzz_run *run,
                   const walked *w, fuzz_verdict *v)
{
    fuzz_picture back;
    char text[512] = "";
    fuzz_facts facts = {.c = c, .p = p, .has_tile_without_body = has_tile_without_body(w)};
    fuzz_facts_read(run->data + run->codestream.offset, (size_t)run->codestream.bytes, &facts);
    const fuzz_fault *fault = fuzz_faults_find(FUZZ_OPENJPEG, &facts);
    fuzz_verdict alone = *v;
    if (fault && (fault->is_fatal || !is_right_all_the_same(&facts, run, text, sizeof text, &alone))) {
        excuse_first(judge, &facts, fault, run, v);
        return;
    }
    if (!fuzz_openjpeg_decode(run->data, run->bytes, 0, &back, text, sizeof text)) {
        facts.complaint = text;
        fault = fuzz_faults_find(FUZZ_OPENJPEG, &facts);
        if (fault) {
            excuse_first(judge, &facts, fault, run, v);
        } else {
            fuzz_judge_fail(v, "openjpeg", "%s", text);
        }
        return;
    }
    check_samples(c, p, &back, run, v);
    if (judge->second && v->outcome == FUZZ_PASSED) {
        fuzz_judge_ask_grok(judge, &facts, &back, run, v);
        fuzz_judge_ask_openjph(&facts, &back, run, v);
    }
    fuzz_picture_free(&back);
}

/* ---- A case ---------------------------------------------------------------------------------- */

static void check_second_run(const fuzz_case *c, const fuzz_picture *p, const fuzz_run *first, fuzz_verdict *v)
{
    fuzz_run again;
    fuzz_run_encode(c, p, 1, &again);
    size_t at = 0;
    while (at < again.bytes && at < first->bytes && again.data[at] == first->data[at]) {
        at++;
    }
    if (again.broken[0]) {
        fuzz_judge_fail(v, "memory", "second encode: %s", again.broken);
    } else if (again.status != first->status || again.bytes != first->bytes || at < first->bytes) {
        fuzz_judge_fail(v, "same bytes",
                        "other threads and another layout: %s, %zu bytes became %zu, the first difference is at %zu",
                        wvl_status_text(again.status), first->bytes, again.bytes, at);
    }
    fuzz_run_free(&again);
}

static void write_file(const char *path, const fuzz_run *run)
{
    FILE *file = path ? fopen(path, "wb") : NULL;
    if (file) {
        (void)fwrite(run->data, 1, run->bytes, file);
        (void)fclose(file);
    }
}

void fuzz_judge_case(fuzz_judge *judge, const fuzz_case *c, fuzz_verdict *v)
{
    static walked w;
    fuzz_picture p;
    fuzz_run run;
    char text[512] = "";
    memset(v, 0, sizeof *v);
    memset(&w, 0, sizeof w);
    snprintf(v->preset, sizeof v->preset, "%s", fuzz_draw_suits_preset(c) ? fuzz_case_or(c, "preset", "") : "");
    if (fuzz_case_get(c, "illegal")) {
        fuzz_illegal_judge(c, v);
        return;
    }
    if (!fuzz_picture_build(c, &judge->folder, &p, text, sizeof text)) {
        v->outcome = FUZZ_REFUSED;
        snprintf(v->check, sizeof v->check, "picture");
        snprintf(v->text, sizeof v->text, "%s", text);
        return;
    }
    fuzz_run_encode(c, &p, 0, &run);
    v->found |= fuzz_run_reach(run.backend);
    if (was_encoded(c, &run, v)) {
        check_second_run(c, &p, &run, v);
        fuzz_color_convert(c, &p);
        write_file(judge->write, &run);
        walk(c, &run, &w, v);
        check_bytes(c, &p, &run, &w, v);
        if (v->outcome == FUZZ_PASSED) {
            unsigned left = fuzz_patience_begin(judge->patience);
            decode(judge, c, &p, &run, &w, v);
            fuzz_patience_end(left);
        }
    }
    fuzz_run_free(&run);
    fuzz_picture_free(&p);
}
