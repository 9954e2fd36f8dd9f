/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane verify: is a file legal, which profiles does it meet, and what does it decode to? */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"
#include "verify_options.h"

#define ISSUE_LIMIT 1000u

typedef struct finding {
    uint64_t offset;
    wvl_check_severity severity;
    const char *rule, *clause, *profile;
    char *text;
} finding;

typedef struct request {
    const char *name;
    wvl_cli_args args; /* how the originals were read, and a preset */
    wvl_context *context;
    char profile[WVL_CLI_PROFILE_CHARS];
    int json, lists_rules, lists_profiles;
    wvl_check_options options;
    uint8_t *data;
    size_t bytes;
    finding *findings;
    size_t count;
    int no_memory;
    wvl_check_summary summary;
    wvl_cli_check check;
} request;

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Value of option `name` at argument *i, as --name VALUE or --name=VALUE; NULL: it is another argument. */
static const char *match_value(const char *name, int argc, char **argv, int *i)
{
    const char *word = argv[*i];
    size_t n = strlen(name);
    if (word[0] != '-') {
        return NULL;
    }
    word += word[1] == '-' ? 2 : 1;
    if (strncmp(word, name, n) != 0) {
        return NULL;
    }
    if (word[n] == '=') {
        return word + n + 1;
    }
    return word[n] || *i + 1 >= argc ? NULL : argv[++*i];
}

static int match_flag(const char *name, const char *word)
{
    return word[0] == '-' && !strcmp(word + (word[1] == '-' ? 2 : 1), name);
}

static int parse_word(request *q, int argc, char **argv, int *i)
{
    const char *value;
    const char *word = argv[*i];
    if (match_flag("json", word)) {
        q->json = 1;
    } else if (match_flag("stereo", word)) {
        q->options.stereo = 1;
    } else if (match_flag("hfr", word)) {
        q->options.hfr = 1;
    } else if (match_flag("skip-blocks", word)) {
        q->options.skip_blocks = 1;
    } else if (match_flag("rules", word)) {
        q->lists_rules = 1;
    } else if (match_flag("profiles", word)) {
        q->lists_profiles = 1;
    } else if ((value = match_value("profile", argc, argv, i))) {
        q->options.profile = value;
    } else if ((value = match_value("fps", argc, argv, i))) {
        return wvl_cli_parse_rate(value, &q->options);
    } else if ((value = match_value("original", argc, argv, i))) {
        q->args.inputs[q->args.input_count++] = value;
    } else if (match_flag("original", word) || match_flag("profile", word) || match_flag("fps", word) ||
               (word[0] != '-' && q->name)) {
        wvl_cli_error("verify: \"%s\" is unexpected, or lacks its value; the form is: " WVL_CLI_VERIFY_USAGE, word);
        return WVL_EXIT_USAGE;
    } else if (word[0] == '-' && word[1]) {
        return wvl_cli_take_original(argc, argv, i, &q->args);
    } else {
        q->name = word;
    }
    return WVL_EXIT_OK;
}

/* The walker's name of a profile, or the name of a preset with its words. */
static int take_profile(request *q)
{
    size_t count, used = 0;
    char list[1024] = "";
    const char *name = q->options.profile;
    if (!name || wvl_cli_is_walker_profile(name)) {
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
    wvl_cli_error("verify: no profile or preset \"%s\"; profiles are:%s", name, list);
    return WVL_EXIT_USAGE;
}

static int settle_profile(request *q)
{
    const char *asked = q->options.profile;
    wvl_status status = wvl_context_create(NULL, &q->context);
    if (status) {
        wvl_cli_error("verify: %s", wvl_status_text(status));
        return wvl_cli_exit_code(status);
    }
    int code = take_profile(q);
    if (!code && q->args.preset) {
        code = wvl_cli_take_preset(&q->args, q->context, &q->options, q->profile);
        q->options.profile = asked && wvl_cli_is_walker_profile(asked) ? asked : q->options.profile;
    }
    return code;
}

static int parse(request *q, int argc, char **argv)
{
    int code = wvl_cli_init_args(argc, &q->args);
    for (int i = 1; !code && i < argc; i++) {
        code = parse_word(q, argc, argv, &i);
    }
    if (!code && !q->args.input_count && wvl_cli_reads_original(&q->args)) {
        wvl_cli_error("verify: options that say how a picture was read need --original PICTURE");
        code = WVL_EXIT_USAGE;
    }
    if (!code && !q->name && !q->lists_rules && !q->lists_profiles) {
        wvl_cli_error("verify: no file; the form is: " WVL_CLI_VERIFY_USAGE);
        code = WVL_EXIT_USAGE;
    }
    if (!code) {
        code = settle_profile(q);
    }
    if (!code && q->args.input_count && !wvl_cli_can_verify()) {
        wvl_cli_error("verify: --original: this build has no OpenJPEG to decode with");
        code = WVL_EXIT_USAGE;
    }
    return code;
}

/* ---- The file -------------------------------------------------------------------------------- */

static int read_file(request *q)
{
    uint64_t most = wvl_cli_most_bytes(&q->args, WVL_IO_MAX_INPUT_BYTES);
    int code = wvl_cli_read_whole(q->name, most, WVL_CLI_JPEG2000, &q->data, &q->bytes);
    q->name = strcmp(q->name, "-") != 0 ? q->name : "standard input";
    return code;
}

static void keep_issue(void *user, const wvl_check_issue *issue)
{
    request *q = user;
    if (!q->findings) {
        q->findings = calloc(ISSUE_LIMIT, sizeof *q->findings);
    }
    if (!q->findings || q->count == ISSUE_LIMIT) {
        q->no_memory |= !q->findings;
        return;
    }
    q->findings[q->count++] =
        (finding){issue->offset, issue->severity, issue->rule, issue->clause, issue->profile, strdup(issue->text)};
}

/* ---- Report ---------------------------------------------------------------------------------- */

static void report_issues(const request *q, wvl_cli_report *r)
{
    const wvl_check_summary *m = &q->summary;
    wvl_cli_report_number(r, "errors", m->errors);
    wvl_cli_report_number(r, "warnings", m->warnings);
    if (!q->json && !q->count) {
        return;
    }
    wvl_cli_report_open_list(r, "issues");
    for (size_t i = 0; i < q->count; i++) {
        const finding *f = &q->findings[i];
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

static void report_profiles(const request *q, wvl_cli_report *r)
{
    const wvl_check_summary *m = &q->summary;
    if (q->options.profile) {
        for (uint32_t i = 0; i < m->profile_count; i++) {
            if (!strcmp(m->profiles[i].name, q->options.profile)) {
                wvl_cli_report_text(r, "profile", q->options.profile);
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

static void report_check(const request *q, wvl_cli_report *r)
{
    if (!q->check.done) {
        return;
    }
    wvl_cli_report_text(r, "decoder", q->check.decoder);
    wvl_cli_report_flag(r, "exact", q->check.exact);
    wvl_cli_report_real(r, "psnr", q->check.psnr);
    wvl_cli_report_open_list(r, "component_psnr");
    for (uint32_t c = 0; c < q->check.count; c++) {
        wvl_cli_report_real(r, NULL, q->check.component_psnr[c]);
    }
    wvl_cli_report_close(r);
}

static void report(const request *q, int verdict)
{
    static const char *const formats[] = {"neither a codestream nor a JP2 or JPH file", "codestream", "JP2", "JPH"};
    static const char *const verdicts[] = {"yes", "no", "not decided: a limit was reached"};
    wvl_cli_report r;
    wvl_cli_report_start(&r, stdout, q->json);
    wvl_cli_report_text(&r, "file", q->name);
    wvl_cli_report_number(&r, "bytes", q->bytes);
    wvl_cli_report_text(&r, "format", formats[q->summary.format]);
    wvl_cli_report_text(&r, "legal", verdicts[verdict]);
    report_issues(q, &r);
    if (q->summary.component_count) {
        report_counts(&q->summary, &r);
    }
    report_profiles(q, &r);
    report_check(q, &r);
    wvl_cli_report_finish(&r);
}

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

/* ---- The command ----------------------------------------------------------------------------- */

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

static int compare_original(request *q)
{
    wvl_cli_picture picture;
    q->args.coded_depth = common_depth(&q->summary);
    int code = wvl_cli_read_original(&q->args, q->context, &picture);
    if (code) {
        return code;
    }
    code = wvl_cli_verify_bytes(&picture, q->name, 0, q->data, q->bytes, &q->check);
    wvl_cli_release_picture(&picture);
    return code;
}

static int verify(request *q)
{
    int code = read_file(q);
    if (code) {
        return code;
    }
    q->options.issue_limit = ISSUE_LIMIT;
    int verdict = wvl_check_file(q->data, q->bytes, &q->options, keep_issue, q, &q->summary);
    if (verdict < 0 || q->no_memory) {
        wvl_cli_error("%s: out of memory", q->name);
        return WVL_EXIT_DEVICE;
    }
    if (q->args.input_count && q->summary.format != WVL_CHECK_NOTHING) {
        code = compare_original(q);
    }
    report(q, verdict);
    if (!code && verdict) {
        wvl_cli_error("%s: %s", q->name,
                      verdict == WVL_CHECK_ILLEGAL ? "is not legal, or not what the profile asks for"
                                                   : "too much to walk within the limits");
        code = WVL_EXIT_CHECK;
    }
    return code;
}

int wvl_cli_run_verify(int argc, char **argv)
{
    request *q = calloc(1, sizeof *q);
    if (!q) {
        wvl_cli_error("out of memory");
        return WVL_EXIT_DEVICE;
    }
    q->options.struct_size = sizeof q->options;
    q->summary.struct_size = sizeof q->summary;
    int code = parse(q, argc, argv);
    if (!code && (q->lists_rules || q->lists_profiles)) {
        list_tables(q);
    } else if (!code) {
        code = verify(q);
    }
    if ((fflush(stdout) || ferror(stdout)) && !code) {
        wvl_cli_error("standard output: cannot be written");
        code = WVL_EXIT_OUTPUT;
    }
    for (size_t i = 0; i < q->count; i++) {
        free(q->findings[i].text);
    }
    wvl_check_release_summary(&q->summary);
    free(q->check.component_psnr);
    free(q->findings);
    free(q->data);
    wvl_cli_release_args(&q->args);
    wvl_context_release(q->context);
    free(q);
    return code;
}
