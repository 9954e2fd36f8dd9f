/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane verify: is a file legal, which profiles does it meet, and what does it decode to? */
#include <stdlib.h>

#include "args.h"
#include "files.h"
#include "stream.h"

#define USAGE                                                                                                          \
    "wavelane verify [--profile NAME|--preset NAME] [--fps N[/D]] [--stereo] [--hfr] [--original PICTURE] "            \
    "[--raw-format ...] "                                                                                              \
    "[-TargetBitDepth BITS] [--input-color SPACE] [--palette indices] [--orient auto] [--skip-blocks] "                \
    "[--json|--csv] [--recursive] FILE|FOLDER..."
#define PROFILE_CHARS 64
#define ISSUE_LIMIT 1000u

/* ---- Reports of one file -------------------------------------------------------------------------- */

typedef struct finding {
    uint64_t offset;
    wvl_check_severity severity;
    const char *rule, *clause, *profile;
    char *text; /* NULL: no memory for it */
} finding;

/* One file, and what was found. */
typedef struct wvl_cli_verdict {
    const char *name;
    uint8_t *data;
    size_t bytes;
    finding *findings;
    size_t count;
    int no_memory;
    int is_judged; /* the members below are set */
    int verdict;   /* of wvl_check_file, 0 or more */
    wvl_check_summary summary;
    wvl_cli_check check;
} wvl_cli_verdict;

/* WVL_CHECK_NOTHING and the formats behind it */
static const char *const formats[] = {"neither a codestream nor a JP2 or JPH file", "codestream", "JP2", "JPH"};
static const char *const verdicts[] = {"yes", "no", "not decided: a limit was reached"};

/* ---- Reports --------------------------------------------------------------------------------- */

static void report_issues(const wvl_cli_verdict *v, wvl_cli_report *r)
{
    const wvl_check_summary *m = &v->summary;
    WVL_CLI_REPORT_NUMBERS(r, {"errors", m->errors}, {"warnings", m->warnings});
    if (!r->json && !v->count) {
        return;
    }
    wvl_cli_report_open_list(r, "issues");
    for (size_t i = 0; i < v->count; i++) {
        const finding *f = &v->findings[i];
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

static void report_counts(const wvl_check_summary *m, wvl_cli_report *r)
{
    unsigned resolutions = 33;
    WVL_CLI_REPORT_NUMBERS(r, {"width", m->x1 - m->x0}, {"height", m->y1 - m->y0}, {"rsiz", m->rsiz},
                           {"codestream_bytes", m->codestream_bytes}, {"tiles", m->tile_count},
                           {"tile_parts", m->part_count}, {"packets", m->packet_count},
                           {"empty_packets", m->empty_packet_count}, {"header_bytes", m->header_bytes},
                           {"body_bytes", m->body_bytes}, {"layers", m->layer_count});
    if (m->ht_block_count) {
        WVL_CLI_REPORT_NUMBERS(r, {"ht_blocks", m->ht_block_count}, {"magb_told", m->ht_bound_told},
                               {"magb_needed", m->ht_bound_needed});
    }
    wvl_cli_report_open_list(r, "components");
    for (uint32_t c = 0; c < m->component_count; c++) {
        const wvl_check_component *k = &m->components[c];
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_number(r, "depth", k->depth);
        wvl_cli_report_flag(r, "signed", k->is_signed);
        WVL_CLI_REPORT_NUMBERS(r, {"dx", k->dx}, {"dy", k->dy}, {"packet_bytes", k->packet_bytes},
                               {"part_bytes", k->part_bytes});
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
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

/* profile: the one that was asked for, or NULL. json: WVL_REPORT_*. */
static void report_verdict(const wvl_cli_verdict *v, const char *profile, int json)
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
    const wvl_check_summary *m = &v->summary;
    if (profile) {
        for (uint32_t i = 0; i < m->profile_count; i++) {
            if (!strcmp(m->profiles[i].name, profile)) {
                wvl_cli_report_text(&r, "profile", profile);
                wvl_cli_report_flag(&r, "profile_met", m->profiles[i].met);
            }
        }
    }
    wvl_cli_report_open_list(&r, "profiles_met");
    for (uint32_t i = 0; i < m->profile_count; i++) {
        if (m->profiles[i].met) {
            wvl_cli_report_text(&r, NULL, m->profiles[i].name);
        }
    }
    wvl_cli_report_close(&r);
    if (v->check.done) {
        wvl_cli_report_check(&r, &v->check);
    }
    wvl_cli_report_finish(&r);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The first error, or if there is none the first warning; NULL: neither. */
static const finding *worst_finding(const wvl_cli_verdict *v)
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
    const finding *f = worst_finding(v);
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

static void put_verdict_row(FILE *file, const wvl_cli_verdict *v, const char *profile)
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
    /* The profile that was asked for, whether it is met, and all that are, with blanks between them. */
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
    wvl_cli_row_text(&row, profile ? profile : "");
    wvl_cli_row_text(&row, answer);
    wvl_cli_row_text(&row, met);
    const uint64_t counts[] = {m->x1 - m->x0, m->y1 - m->y0,  m->component_count,
                               m->tile_count, m->layer_count, m->codestream_bytes};
    wvl_cli_row_numbers(&row, m->component_count != 0, counts, 6);
    put_check(v, &row);
    wvl_cli_row_skip(&row, 1);
    wvl_cli_row_end(&row);
}
typedef struct request {
    wvl_cli_files files;
    wvl_cli_args args; /* how the originals were read, and a preset */
    wvl_context *context;
    char profile[PROFILE_CHARS];
    int json, csv, lists_rules, lists_profiles;
    wvl_check_options options;
} request;

/* ---- Options of the original ----------------------------------------------------------------- */

static int is_about_reading(const wvl_cli_args *a)
{
    int encodes = a->output || a->image_dir || a->out_format || a->trace || a->demo || a->force || a->skip_existing ||
                  a->box_count || a->threads || a->color || a->no_xmp || a->pages || a->dropped || a->gml ||
                  a->memory_bytes || a->spill_dir || a->pictures;
    int reports = a->verify || a->psnr_report || a->dry_run || a->explain || a->json || a->quiet || a->verbose ||
                  a->help || a->version;
    return !encodes && !reports && a->subsampling[0] == 1 && a->subsampling[1] == 1 && !a->offset[0] && !a->offset[1];
}

static int reads_original(const wvl_cli_args *a)
{
    int reads = a->io.raw_format || a->io.format || a->io.page_given || a->io.max_samples || a->io.keep_palette ||
                a->io.keep_ycc || a->io.float_transfer || a->float_range_spelled || a->raw_layout_given;
    int changes =
        a->component_steps || a->target_depth || a->channel_count || a->drop_alpha || a->ycc_to_rgb || a->orient;
    return reads || changes || a->icc || a->auto_color || a->setting_count;
}

static int parse_original(int argc, char **argv, int *i, wvl_cli_args *args)
{
    const char *word = argv[*i];
    size_t count = args->setting_count;
    int code = wvl_cli_parse_option(argc, argv, i, args);
    if (!code &&
        (!is_about_reading(args) || (args->setting_count > count && strncmp(args->settings[count].key, "input-", 6)))) {
        code = wvl_cli_fail(WVL_EXIT_USAGE, "verify: %s is an option of encoding; usage: " USAGE, word);
    }
    return code;
}

/* ---- Presets --------------------------------------------------------------------------------- */

static int is_walker_profile(const char *name)
{
    size_t count;
    const wvl_check_profile *profiles = wvl_check_profiles(&count);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(name, profiles[i].name)) {
            return 1;
        }
    }
    return 0;
}

static int take_preset(const wvl_cli_args *args, wvl_context *context, wvl_check_options *options,
                       char profile[PROFILE_CHARS])
{
    wvl_params *params = NULL;
    wvl_cli_args plain = *args;
    wvl_status status = wvl_params_create(context, &params);
    int code = status ? wvl_cli_exit_code(status) : WVL_EXIT_OK;
    plain.setting_count = 0;
    TRY(code, wvl_cli_apply_settings(&plain, params));
    if (!code) {
        snprintf(profile, PROFILE_CHARS, "%s", wvl_params_get(params, "profile"));
        options->profile = is_walker_profile(profile) ? profile : NULL;
        options->stereo |= !strcmp(wvl_params_get(params, "stereo"), "yes");
        options->hfr |= !strcmp(wvl_params_get(params, "hfr"), "yes");
        code = options->frames ? WVL_EXIT_OK : wvl_cli_parse_rate(wvl_params_get(params, "frame-rate"), options);
    }
    wvl_params_release(params);
    return code;
}

/* ---- The original ---------------------------------------------------------------------------- */

static int wants_conversion(const wvl_cli_args *args) { return args->auto_color || args->setting_count; }

/* Reads the original as the encoder read it, and converts it as the encoder did. */
static int read_original(const wvl_cli_args *args, wvl_context *context, wvl_cli_picture *picture)
{
    const char *name = args->inputs[0];
    wvl_cli_picture read;
    wvl_params *params = NULL;
    wvl_cli_args plain = *args;
    plain.preset = NULL;
    plain.coded_depth = wants_conversion(args) ? 0 : args->coded_depth;
    int code = wvl_cli_read_picture(&plain, args->inputs, args->input_count, &read);
    TRY(code, wvl_cli_refuse_unused(name, &read));
    if (code || !wants_conversion(args)) {
        *picture = read;
        return code;
    }
    wvl_status status = wvl_params_create(context, &params);
    code = status ? wvl_cli_exit_code(status) : wvl_cli_apply_settings(&plain, params);
    TRY(code, wvl_cli_refuse_idle(&plain, params));
    TRY(code, wvl_cli_fit_color(&plain, name, &read, params));
    int converts = !code && wvl_cli_converts_color(&read, params);
    if (converts) {
        code = wvl_cli_convert_picture(name, context, params, &read, picture);
    }
    wvl_params_release(params);
    if (converts || code) {
        wvl_cli_release_picture(&read);
    } else {
        *picture = read;
    }
    return code;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static int take_fps(void *to, const char *spelling, const char *value)
{
    (void)spelling;
    return wvl_cli_parse_rate(value, &((request *)to)->options);
}

static int take_original(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = &((request *)to)->args;
    (void)spelling;
    args->inputs[args->input_count++] = value;
    return WVL_EXIT_OK;
}

#define OWN(kind, member) WVL_CLI_MEMBER(kind, request, member)
#define FLAG(member) OWN(FLAG, member)
#define ELSEWHERE WVL_CLI_TAKE(NULL)

const wvl_cli_option wvl_cli_verify_own[] = {
    {"profile", 0, "NAME|PRESET", OWN(TEXT, options.profile),
     "Check against this profile too. --profiles lists the names; the name of a preset with its words works as well.",
     NULL},
    {"preset", 0, "NAME", ELSEWHERE,
     "Check against the profile of this preset, at its frame rate. -cinema2K, -cinema4K and -IMF work as for encode.",
     NULL},
    {"fps", 0, "N[/D]", WVL_CLI_TAKE(take_fps), "Frame rate for the byte limits of profiles; by default 24.", NULL},
    {"stereo", 0, NULL, OWN(FLAG, options.stereo), "The file is one eye of a stereoscopic pair: half the bytes.", NULL},
    {"hfr", 0, NULL, OWN(FLAG, options.hfr), "High frame rate in digital cinema: twice the bytes.", NULL},
    {"original", 0, "PICTURE", WVL_CLI_TAKE(take_original),
     "Decode with OpenJPEG and compare with this picture. Repeat it for each file that was an -i of the encoding.",
     NULL},
    {"raw-format", 0, "W,H,N,BITS,{s|u|f}[@DXxDY:...]", ELSEWHERE,
     "How a raw original is read, as for encode; -F is the same.", NULL},
    {"raw-layout", 0, "planar|interleaved", ELSEWHERE, "Order of a raw original's samples, as for encode.", NULL},
    {"input-format", 0, "EXTENSION", ELSEWHERE,
     "Read the original as a file with this extension, regardless of its name and first bytes.", NULL},
    {"page", 0, "N[.M]", ELSEWHERE, "Page of a TIFF original, from 0, or SubIFD M of it.", NULL},
    {"palette", 0, "expand|indices", ELSEWHERE, "How a palette original was encoded.", NULL},
    {"jpeg-ycc", 0, "rgb|keep", ELSEWHERE, "How a JPEG original was read, as for encode.", NULL},
    {"channels", 0, "N,...", ELSEWHERE, "Channels of the original that were encoded.", NULL},
    {"drop-alpha", 0, NULL, ELSEWHERE, "Leave the alpha channel of the original out.", NULL},
    {"ycc-to-rgb", 0, NULL, ELSEWHERE, "Convert a YCbCr original to RGB, as for encode.", NULL},
    {"float-transfer", 0, "linear|log|pq", ELSEWHERE, "How a floating-point original became integers.", NULL},
    {"float-range", 0, "LO,HI|auto", ELSEWHERE, "Its range, as for encode.", NULL},
    {"orient", 0, "auto|keep", ELSEWHERE, "Whether the original was turned by its orientation, as for encode.", NULL},
    {"component-steps", 0, "DXxDY:...", ELSEWHERE, "Subsampling of several originals that made one picture.", NULL},
    {"TargetBitDepth", 0, "BITS", ELSEWHERE, "Scale the original to this depth, as for encode.", NULL},
    {"input-color", 0, "auto|none|xyz|SPACE", ELSEWHERE, "Convert the original to X'Y'Z', as for encode.", NULL},
    {"input-transfer", 0, "CURVE", ELSEWHERE, "Transfer of the original, as for encode.", NULL},
    {"input-range", 0, "full|video", ELSEWHERE, "Range of the original, as for encode.", NULL},
    {"icc", 0, "keep|fit|drop", ELSEWHERE,
     "The ICC profile of the original, as for encode: drop leaves it out of the conversion.", NULL},
    {"no-icc", 0, NULL, ELSEWHERE, "Same as --icc drop.", NULL},
    {"max-pixels", 0, "N", ELSEWHERE, "Largest original that is read, in samples, as for encode.", NULL},
    WVL_CLI_MAX_INPUT_BYTES(ELSEWHERE),
    {"skip-blocks", 0, NULL, OWN(FLAG, options.skip_blocks), "Do not decode HT blocks; faster.", NULL},
    WVL_CLI_SEVERAL_FILES(FLAG),
    {"rules", 0, NULL, OWN(FLAG, lists_rules), "List the rules and exit.", NULL},
    {"profiles", 0, NULL, OWN(FLAG, lists_profiles), "List the profiles and exit.", NULL},
    {.name = NULL},
};

static int parse_word(request *q, int argc, char **argv, int *i)
{
    const char *word = argv[*i];
    int code = wvl_cli_parse_own(wvl_cli_verify_own, q, argc, argv, i);
    if (code >= 0) {
        return code;
    }
    if (word[0] == '-' && word[1]) {
        return parse_original(argc, argv, i, &q->args);
    }
    q->files.words[q->files.word_count++] = word;
    return WVL_EXIT_OK;
}

/* The walker's name of a profile, or the name of a preset with its words. */
static int take_profile(request *q)
{
    size_t count, used = 0;
    char list[1024] = "";
    const char *name = q->options.profile;
    if (!name || is_walker_profile(name)) {
        return WVL_EXIT_OK;
    }
    wvl_params *params = NULL;
    int known = !wvl_params_create(q->context, &params) && !wvl_params_preset(params, name);
    wvl_params_release(params);
    if (known) {
        q->args.preset = q->args.preset_words = name;
        q->args.preset_spelling = "--profile";
        return WVL_EXIT_OK;
    }
    const wvl_check_profile *profiles = wvl_check_profiles(&count);
    for (size_t i = 0; i < count; i++) {
        int n = snprintf(list + used, sizeof list - used, " %s", profiles[i].name);
        used += n > 0 && (size_t)n < sizeof list - used ? (size_t)n : 0;
    }
    return wvl_cli_fail(WVL_EXIT_USAGE, "verify: no profile or preset \"%s\"; profiles are:%s", name, list);
}

static int settle_profile(request *q)
{
    const char *asked = q->options.profile;
    wvl_status status = wvl_context_create(NULL, &q->context);
    if (status) {
        return wvl_cli_fail(wvl_cli_exit_code(status), "verify: %s", wvl_status_text(status));
    }
    int code = take_profile(q);
    if (!code && q->args.preset) {
        code = take_preset(&q->args, q->context, &q->options, q->profile);
        q->options.profile = asked && is_walker_profile(asked) ? asked : q->options.profile;
    }
    return code;
}

/* Refuses what does not go together, after all words were read. */
static int check_words(const request *q)
{
    int lists = q->lists_rules || q->lists_profiles, has_original = q->args.input_count != 0;
    const wvl_cli_condition conditions[] = {
        {!has_original && reads_original(&q->args),
         "verify: options that say how a picture was read need --original PICTURE"},
        {!q->files.word_count && !lists, "verify: no file; usage: " USAGE},
        {q->csv && q->json, "verify: --csv and --json cannot be used together; give one of them"},
        {q->csv && lists, "verify: --csv and a list of rules or profiles cannot be used together; give one of them"},
        {has_original && q->files.word_count > 1, "verify: --original is compared with one file; give one"},
        {q->args.component_steps && q->args.input_count < 2,
         "verify: --component-steps needs several --original that made one picture"},
        {has_original && !wvl_cli_can_verify(), "verify: --original: this build has no OpenJPEG to decode with"},
    };
    int code = WVL_CLI_CHECK(conditions);
    return code ? code : wvl_cli_check_reading(&q->args);
}

static int parse(request *q, int argc, char **argv)
{
    int code = wvl_cli_init_args(argc, &q->args);
    q->args.command = "verify";
    TRY(code, wvl_cli_init_files(argc, &q->files));
    for (int i = 1; !code && i < argc; i++) {
        code = parse_word(q, argc, argv, &i);
    }
    TRY(code, check_words(q));
    TRY(code, settle_profile(q));
    return code;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void list_tables(const request *q)
{
    size_t count;
    wvl_cli_report r;
    wvl_cli_report_start(&r, stdout, q->json);
    if (q->lists_profiles) {
        const wvl_check_profile *profiles = wvl_check_profiles(&count);
        wvl_cli_report_open_object(&r, "profiles");
        for (size_t i = 0; i < count; i++) {
            wvl_cli_report_text(&r, profiles[i].name, profiles[i].doc);
        }
        wvl_cli_report_close(&r);
    }
    if (q->lists_rules) {
        const wvl_check_rule *rules = wvl_check_rules(&count);
        wvl_cli_report_open_list(&r, "rules");
        for (size_t i = 0; i < count; i++) {
            wvl_cli_report_open_line(&r, NULL);
            wvl_cli_report_text(&r, "rule", rules[i].id);
            wvl_cli_report_text(&r, "severity", rules[i].severity == WVL_CHECK_ERROR ? "error" : "warning");
            wvl_cli_report_text(&r, "clause", rules[i].clause);
            wvl_cli_report_text(&r, "doc", rules[i].doc);
            wvl_cli_report_close(&r);
        }
        wvl_cli_report_close(&r);
    }
    wvl_cli_report_finish(&r);
}

/* ---- One file -------------------------------------------------------------------------------- */

static void keep_issue(void *user, const wvl_check_issue *issue)
{
    wvl_cli_verdict *v = user;
    if (!v->findings) {
        v->findings = calloc(ISSUE_LIMIT, sizeof *v->findings);
    }
    if (!v->findings || v->count == ISSUE_LIMIT) {
        v->no_memory |= !v->findings;
        return;
    }
    v->findings[v->count++] =
        (finding){issue->offset, issue->severity, issue->rule, issue->clause, issue->profile, strdup(issue->text)};
}

/* Depth of every component, or 0 where they differ. */
static uint32_t common_depth(const wvl_check_summary *m)
{
    for (uint32_t c = 1; c < m->component_count; c++) {
        if (m->components[c].depth != m->components[0].depth) {
            return 0;
        }
    }
    return m->component_count ? m->components[0].depth : 0;
}

static int judge_file(request *q, wvl_cli_verdict *v)
{
    q->options.issue_limit = ISSUE_LIMIT;
    v->verdict = wvl_check_file(v->data, v->bytes, &q->options, keep_issue, v, &v->summary);
    if (v->verdict < 0 || v->no_memory) {
        return wvl_cli_lack_memory(v->name);
    }
    v->is_judged = 1;
    if (q->args.input_count && v->summary.format != WVL_CHECK_NOTHING) {
        wvl_cli_picture picture;
        q->args.coded_depth = common_depth(&v->summary);
        int code = read_original(&q->args, q->context, &picture);
        if (code) {
            return code;
        }
        code = wvl_cli_verify_bytes(&picture, v->name, 0, v->data, v->bytes, &v->check);
        wvl_cli_release_picture(&picture);
        return code;
    }
    return WVL_EXIT_OK;
}

static int verify(request *q, const char *name)
{
    wvl_cli_verdict v;
    memset(&v, 0, sizeof v);
    v.name = name;
    v.summary.struct_size = sizeof v.summary;
    uint64_t most = wvl_cli_most_bytes(&q->args, WVL_IO_MAX_INPUT_BYTES);
    int code = wvl_cli_read_whole(v.name, most, WVL_CLI_JPEG2000, &v.data, &v.bytes);
    v.name = strcmp(v.name, "-") != 0 ? v.name : "standard input";
    TRY(code, judge_file(q, &v));
    int json = q->json && q->files.is_many ? WVL_REPORT_JSON_LINE : q->json;
    if (q->csv) {
        put_verdict_row(stdout, &v, q->options.profile);
    } else if (v.is_judged) {
        report_verdict(&v, q->options.profile, json);
    } else if (json == WVL_REPORT_JSON_LINE) {
        /* A line of JSON about a file that could not be judged, with the last error. */
        wvl_cli_report r;
        wvl_cli_report_start(&r, stdout, WVL_REPORT_JSON_LINE);
        wvl_cli_report_text(&r, "file", v.name);
        wvl_cli_report_text(&r, "error", wvl_cli_last_error());
        wvl_cli_report_finish(&r);
    }
    if (!code && v.verdict) {
        code = wvl_cli_fail(WVL_EXIT_CHECK, "%s: %s", v.name,
                            v.verdict == WVL_CHECK_ILLEGAL
                                ? "is not legal, or does not meet the profile"
                                : "was not checked completely: a limit of memory or of work was reached");
    }
    for (size_t i = 0; i < v.count; i++) {
        free(v.findings[i].text);
    }
    wvl_check_release_summary(&v.summary);
    free(v.check.component_psnr);
    free(v.findings);
    free(v.data);
    return code;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int verify_all(request *q)
{
    if (q->csv) {
        /* A table of comma-separated values: its first line, and a row for each file, judged or not. */
        FILE *file = stdout;
        fputs("file,bytes,format,legal,errors,warnings,severity,offset,rule,clause,text,profile,profile_met,"
              "profiles_met,width,height,components,tiles,layers,codestream_bytes,exact,psnr,error\n",
              file);
    }
    int code = wvl_cli_list_files(&q->files);
    if (q->args.input_count && q->files.count > 1) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "verify: --original is compared with one file; the folder has %zu",
                            q->files.count);
    }
    for (size_t i = 0; i < q->files.count && !ferror(stdout); i++) {
        if (i && !q->csv && !q->json) {
            putchar('\n');
        }
        code = wvl_cli_worse_code(code, verify(q, q->files.names[i]));
    }
    return code;
}

int wvl_cli_run_verify(int argc, char **argv)
{
    request *q = calloc(1, sizeof *q);
    if (!q) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "out of memory");
    }
    q->options.struct_size = sizeof q->options;
    int code = parse(q, argc, argv);
    if (!code && (q->lists_rules || q->lists_profiles)) {
        list_tables(q);
    } else {
        TRY(code, verify_all(q));
    }
    code = wvl_cli_flush_output(code);
    wvl_cli_release_files(&q->files);
    wvl_cli_release_args(&q->args);
    wvl_context_release(q->context);
    free(q);
    return code;
}
