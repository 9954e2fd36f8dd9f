/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes every picture of a folder, several side by side. */
#include <stdlib.h>

#include "work.h"

/* Done pictures that may wait until earlier ones are told, for each at work. Such a picture holds little: its settings,
 * result and warnings, its metadata, and a plan that is not shared. */
#define AHEAD 4u

/* ---- One picture ----------------------------------------------------------------------------- */

typedef struct coding {
    wvl_cli_job *job;
    size_t mark;
    double start;
    int code;
} coding;

/* What one picture alone would have had, it gets: where memory or the device does not suffice for several, it is tried
 * again when no other is in work. */
static int encode_in_turn(void *user, int is_alone)
{
    coding *c = user;
    if (is_alone) {
        wvl_cli_forget_messages(c->mark);
    } else {
        c->job->stages.wait += wvl_cli_seconds() - c->start;
    }
    c->code = wvl_cli_encode_job(c->job);
    return c->code == WVL_EXIT_DEVICE;
}

int wvl_cli_encode_beside(wvl_cli_job *j)
{
    coding c = {.job = j};
    if (!j->turns) {
        return wvl_cli_encode_job(j);
    }
    if (!wvl_cli_encode_job_shared(j, &c.code)) {
        wvl_plan_memory memory = {.struct_size = sizeof memory};
        int is_measured = wvl_plan_measure(j->plan, &memory) == WVL_OK;
        uint64_t bytes = is_measured ? memory.base_bytes + memory.output_bytes_bound : UINT64_MAX / 2;
        c.mark = wvl_cli_mark_messages();
        c.start = wvl_cli_seconds();
        wvl_cli_code_piece(j->turns, j->turn, bytes, wvl_cli_share_of_memory(), encode_in_turn, &c);
        if (!c.code) {
            wvl_cli_note_start(j);
        }
    }
    return c.code;
}

static int check_clash(const wvl_cli_entry *entry)
{
    if (entry->clash) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: its output %s is the output of %s too; rename one of the pictures",
                            entry->input, entry->output, entry->clash);
    }
    return WVL_EXIT_OK;
}

/* The picture has its output already, and keeps it. */
static int is_skipped(const wvl_cli_run *s, const wvl_cli_entry *entry)
{
    uint64_t bytes;
    return s->args->skip_existing && !entry->clash && wvl_cli_is_whole(entry->output, &bytes);
}

/* An entry on its way. */
typedef struct entry_at_work {
    const char *input; /* what the job's inputs point to */
    wvl_cli_job job;
    int code, is_skipped;
} entry_at_work;

static int encode_job(wvl_cli_run *s, wvl_cli_job *j)
{
    const wvl_cli_entry *entry = &s->directory.entries[j->turn];
    int code = check_clash(entry);
    TRY(code, wvl_cli_check_entry(&s->directory, j->turn));
    if (!code && s->args->output && !wvl_cli_is_plan_only(s->args)) {
        code = wvl_cli_make_folder_of(entry->output);
    }
    TRY(code, wvl_cli_read_and_plan(j));
    return code || wvl_cli_is_plan_only(s->args) ? code : wvl_cli_encode_beside(j);
}

static void encode_entry(void *user, wvl_cli_turns *turns, size_t index, void *piece)
{
    wvl_cli_run *s = user;
    const wvl_cli_entry *entry = &s->directory.entries[index];
    entry_at_work *e = piece;
    e->is_skipped = is_skipped(s, entry);
    if (e->is_skipped) {
        return;
    }
    e->input = entry->input;
    e->job = wvl_cli_describe_job(s, &e->input, 1, entry->output);
    e->job.turns = wvl_cli_count_workers(turns) > 1 ? turns : NULL;
    e->job.turn = index;
    e->job.context = wvl_cli_choose_context(s, index);
    e->code = encode_job(s, &e->job);
    wvl_cli_give_samples_back(&e->job); /* others have the memory while this one waits to be told */
    wvl_cli_give_bytes_back(&e->job);
}

static void tell_entry(void *user, wvl_cli_turns *turns, size_t index, void *piece)
{
    wvl_cli_run *s = user;
    entry_at_work *e = piece;
    wvl_cli_tell_messages();
    s->done++;
    if (e->is_skipped) {
        const wvl_cli_entry *entry = &s->directory.entries[index];
        s->skipped++;
        s->unused = 0; /* nothing is known of what was not read */
        if (s->args->json) {
            wvl_cli_report_open_object(&s->report, NULL);
            wvl_cli_report_text(&s->report, "input", entry->input);
            wvl_cli_report_text(&s->report, "output", entry->output);
            wvl_cli_report_text(&s->report, "status", "skipped");
            wvl_cli_report_close(&s->report);
        } else {
            wvl_cli_inform("%s: skipped; %s exists", entry->input, entry->output);
        }
        return;
    }
    wvl_cli_note_unused(&s->unused, &e->job.picture);
    wvl_cli_report_job(&e->job, e->code);
    s->failed += e->code != WVL_EXIT_OK;
    wvl_cli_count_reason(&s->reasons, e->code);
    if (e->code == WVL_EXIT_INTERRUPTED || wvl_cli_was_interrupted()) {
        s->code = WVL_EXIT_INTERRUPTED;
        wvl_cli_stop_turns(turns);
    }
    wvl_cli_release_job(&e->job);
}

/* ---- Side by side ---------------------------------------------------------------------------- */

static void encode_entries(wvl_cli_run *s)
{
    wvl_cli_load load = {.count = s->directory.count};
    for (size_t i = 0; i < s->directory.count; i++) {
        uint64_t bytes = s->directory.entries[i].bytes;
        load.bytes += bytes;
        load.largest = bytes > load.largest ? bytes : load.largest;
    }
    wvl_cli_work work = wvl_cli_plan_work(s, &load);
    wvl_cli_open_work(s, &work, s->args->image_dir);
    s->unused = WVL_UNUSED_UNKNOWN;
    const wvl_cli_pieces pieces = {.count = s->directory.count,
                                   .bytes = sizeof(entry_at_work),
                                   .work = encode_entry,
                                   .tell = tell_entry,
                                   .user = s};
    wvl_cli_plans plans = {0};
    s->plans = wvl_cli_may_share_plans(s->args, s->params) ? &plans : NULL;
    wvl_cli_arm_signals(work.workers > 1 ? s->cancel : NULL);
    if (!wvl_cli_run_turns(&pieces, work.workers, AHEAD * work.workers)) {
        s->code = wvl_cli_lack_memory(s->args->image_dir);
    }
    wvl_cli_arm_signals(NULL);
    wvl_cli_release_plans(&plans);
    s->plans = NULL;
    s->peak = wvl_cli_sum_need(s, &work, 0);
    wvl_cli_close_work(s);
}

/* ---- All ------------------------------------------------------------------------------------- */

static void sum_up(wvl_cli_run *s)
{
    size_t count = s->directory.count;
    if (s->args->json) {
        wvl_cli_report_close(&s->report); /* the list of pictures */
        wvl_cli_report_open_object(&s->report, "summary");
        WVL_CLI_REPORT_NUMBERS(&s->report, {"pictures", s->directory.count},
                               {"encoded", s->done - s->failed - s->skipped}, {"skipped", s->skipped},
                               {"failed", s->failed});
        wvl_cli_report_reasons(&s->report, &s->reasons);
        if (wvl_cli_is_plan_only(s->args) && s->need.count) {
            WVL_CLI_REPORT_NUMBERS(&s->report, {"at_a_time", s->peak.pictures}, {"likely_bytes", s->peak.likely_bytes},
                                   {"worst_bytes", s->peak.worst_bytes}, {"locked_bytes", s->peak.locked_bytes});
        }
        return;
    }
    if (wvl_cli_is_plan_only(s->args) && s->need.count) {
        fprintf(s->out, "%zu pictures, ", count);
        wvl_cli_print_peak(s->out, &s->peak);
    }
    if (s->args->quiet || wvl_cli_is_plan_only(s->args) || !s->done) {
        return;
    }
    fprintf(s->out, "%zu pictures: %zu encoded", count, s->done - s->failed - s->skipped);
    if (s->skipped) {
        fprintf(s->out, ", %zu skipped (the output exists)", s->skipped);
    }
    fprintf(s->out, ", %zu failed", s->failed);
    wvl_cli_print_reasons(s->out, &s->reasons);
    if (s->done < count) {
        fprintf(s->out, ", %zu not begun", count - s->done);
    }
    fputc('\n', s->out);
}

static int list_pictures(wvl_cli_run *s)
{
    const wvl_cli_args *args = s->args;
    const wvl_cli_folder folder = {args->image_dir, args->output, args->out_format, args->recursive};
    int code = wvl_cli_list_directory(&folder, &s->directory);
    if (!code && args->recursive && !s->directory.folders) {
        wvl_cli_warn("%s: --recursive had no effect; the folder has no subfolders", args->image_dir);
    }
    return code;
}

int wvl_cli_encode_folder(wvl_cli_run *s)
{
    const wvl_cli_args *args = s->args;
    s->code = list_pictures(s);
    wvl_cli_keep_warnings();
    size_t count = s->directory.count;
    if (!s->code && args->trace) {
        s->code = wvl_cli_check_trace(args->trace, &s->directory);
    }
    if (!s->code) {
        encode_entries(s);
    }
    sum_up(s);
    if (!s->code && count) {
        wvl_cli_warn_unused(args->image_dir, s->unused);
    }
    if (!s->code && !count) {
        s->code = wvl_cli_fail(WVL_EXIT_INPUT,
                               "%s: no picture in this folder; the known extensions are tif, png, jpg, exr, pfm, pnm, "
                               "pam, pgx, dpx, bmp, tga, raw and yuv",
                               args->image_dir);
    }
    if (!s->code && s->failed) {
        s->code = wvl_cli_fail(WVL_EXIT_SOME_FAILED, "%zu of %zu pictures failed", s->failed, count);
    }
    wvl_cli_release_directory(&s->directory);
    return s->code;
}
