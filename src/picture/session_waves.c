/* SPDX-License-Identifier: BSD-2-Clause */
/* The conductor: waves of tiles go through the backend into the coder, layers are chosen, bytes leave through the sink.
 */
#include <stdio.h>

#include "base/ranges.h"
#include "base/try.h"
#include "codec/jp2/jp2.h"
#include "codec/sink/sink.h"
#include "codec/write/early.h"
#include "codec/write/finish.h"
#include "codec/write/lengths.h"
#include "geom/container.h"
#include "picture/picture_quality.h"
#include "picture/session_state.h"
#include "report/plan_log.h"

/* ---- Early output ---------------------------------------------------------------------------- */

/* Early output: bytes leave while later waves, or strips, are still to come (D-strip-06). */

/* The sink can do it, and something is won. Of whole pictures the plan has promised how much memory is taken. */
static int goes_early(const wvl_session *s, wvl_early_kind kind)
{
    if (s->many || !wvl_early_is_taken(s->plan, kind, s->now.sink->patch != NULL)) {
        return 0;
    }
    return s->now.rows || (!wvl_sink_reserves(s->now.sink) && wvl_early_fits_waves(s->plan));
}

/* Main header and boxes. */
static wvl_status open_early(wvl_session *s)
{
    const wvl_plan *plan = s->plan;
    wvl_early_kind kind = wvl_early_find_kind(plan, s->now.rows != NULL);
    if (!goes_early(s, kind)) {
        return WVL_OK;
    }
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    uint8_t header[WVL_JP2_MAX_HEADER_BYTES];
    size_t n = wvl_session_box_header(plan, 0, header);
    uint64_t boxes = plan->syntax.jp2 ? plan->syntax.boxes_before.bytes : 0;
    s->out.codestream_offset = boxes + n;
    s->out.open_at = wvl_early_needs_patch(plan, kind) ? boxes : UINT64_MAX;
    s->out.early = kind;
    if (plan->memory.wave_count == 1) {
        (void)wvl_wave_build(plan, 0, s->wave.tiles); /* wvl_wave_walk goes through them */
    }
    wvl_early_options options = {.tiles = wvl_wave_walk(plan, &s->wave),
                                 .memory = &s->wave.order,
                                 .by_rows = kind == WVL_EARLY_ROWS,
                                 .put = wvl_session_put,
                                 .user = s};
    int refused = plan->syntax.jp2 &&
                  (wvl_session_put(s, plan->syntax.boxes_before.data, boxes) || wvl_session_put(s, header, n));
    wvl_status status = refused ? WVL_ERROR_SINK : wvl_coder_open_early(&s->coder, &options);
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    return status;
}

/* What is complete does not wait in the buffer. */
static wvl_status flush(wvl_session *s, wvl_status status)
{
    return status == WVL_OK && wvl_session_flush(s) ? WVL_ERROR_SINK : status;
}

static wvl_status send_tiles(wvl_session *s, uint32_t count)
{
    if (!s->coder.early) {
        return WVL_OK;
    }
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    wvl_status status = flush(s, wvl_coder_send_tiles(&s->coder, count));
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    return status;
}

/* coefs[count]: of the tiles of a row; is_end: no strip of them follows. */
static wvl_status send_strip(wvl_session *s, const wvl_coefs *coefs, uint32_t count, int is_end)
{
    if (!s->coder.early) {
        return WVL_OK;
    }
    if (s->out.early != WVL_EARLY_ROWS) {
        return is_end ? send_tiles(s, count) : WVL_OK;
    }
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    wvl_status status = flush(s, wvl_coder_send_rows(&s->coder, &coefs[0], is_end));
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    return status;
}

/* What was written as 0 gets its value. */
static int patch(void *user, uint64_t offset, const void *data, size_t bytes)
{
    wvl_session *s = user;
    return s->now.sink->patch(s->now.sink->user, s->out.codestream_offset + offset, data, bytes);
}

static int patch_box(wvl_session *s)
{
    uint8_t header[WVL_JP2_MAX_HEADER_BYTES];
    uint64_t at = s->plan->syntax.jp2 ? s->plan->syntax.boxes_before.bytes : 0;
    size_t n = wvl_session_box_header(s->plan, wvl_coder_codestream_bytes(&s->coder), header);
    return n ? s->now.sink->patch(s->now.sink->user, at, header, n) : 0;
}

static wvl_status close_early(wvl_session *s)
{
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    wvl_session_tell(s, 2 * s->work.samples_done);
    wvl_status status = flush(s, wvl_coder_close_early(&s->coder));
    if (status == WVL_OK && s->out.written != s->out.codestream_offset + wvl_coder_codestream_bytes(&s->coder)) {
        status = wvl_session_fail(
            s, WVL_ERROR_INTERNAL,
            "the codestream is not as long as its lengths say: a defect of the library, please report it");
    }
    TRY(status, wvl_coder_patch_early(&s->coder, patch, s));
    if (status == WVL_OK && patch_box(s)) {
        status = WVL_ERROR_SINK;
    }
    if (status == WVL_OK && s->now.sink->finalized && s->out.open_at != UINT64_MAX) {
        s->now.sink->finalized(s->now.sink->user, s->out.written);
    }
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    return status;
}

/* ---- Stages ---------------------------------------------------------------------------------- */

static const char *const stage_names[WVL_STAGES] = {"wavelane transform", "wavelane code", "wavelane rate",
                                                    "wavelane write", "wavelane check"};

double wvl_session_begin_stage(wvl_session *s, wvl_stage stage)
{
    s->work.stage = stage;
    wvl_range_open(stage_names[stage]);
    return wvl_trace_now();
}

void wvl_session_end_stage(wvl_session *s, wvl_stage stage, double start)
{
    double end = wvl_trace_now();
    wvl_range_close();
    s->work.seconds[stage] += end - start;
    wvl_trace_put(&s->plan->context->trace, s->track, stage_names[stage] + sizeof "wavelane", s->now.number, start,
                  end);
}

wvl_status wvl_session_fail(wvl_session *s, wvl_status status, const char *text)
{
    if (s->now.error_bytes && !s->now.error[0]) {
        snprintf(s->now.error, s->now.error_bytes, "%s", text);
    }
    return status;
}

/* Where all blocks may come twice, each round is half of the work; a round that nobody foresaw adds nothing. */
void wvl_session_tell(wvl_session *s, uint64_t done)
{
    const wvl_control *c = s->now.control;
    uint64_t total = 2 * s->plan->syntax.total_samples,
             share = wvl_recode_may_take_all(s->plan) ? done / 2 + (s->work.round ? total / 2 : 0) : done;
    s->work.told = wvl_max_u64(s->work.told, share);
    if (c && c->progress && c->progress(c->progress_user, s->work.told, total, s->work.stage)) {
        atomic_store(&s->look.stopped, 1);
    }
}

static void tick(void *user, uint64_t done, uint64_t total)
{
    wvl_session *s = user;
    wvl_session_tell(s, 2 * s->work.samples_done + s->work.samples_in_work +
                            (uint64_t)((double)s->work.samples_in_work * (double)done / (double)total));
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static int rows_fit(const wvl_plane *plane, wvl_rect rect)
{
    uint64_t pitch = plane->pitch_bytes < 0 ? 0 - (uint64_t)plane->pitch_bytes : (uint64_t)plane->pitch_bytes;
    return wvl_container_row_fits(plane->first_sample, plane->sample_stride, wvl_rect_width(rect)) &&
           wvl_mul_saturate(pitch, wvl_rect_height(rect) ? wvl_rect_height(rect) - 1u : 0) <= (uint64_t)PTRDIFF_MAX;
}

wvl_status wvl_session_check_image(wvl_session *s)
{
    const wvl_image *image = s->now.image;
    if (image->plane_count != s->plan->syntax.component_count || !image->planes) {
        return wvl_session_fail(s, WVL_ERROR_ARGUMENT, "the image must have one plane per component of the plan");
    }
    if ((unsigned)image->memory_kind > WVL_MEMORY_MANAGED) {
        return wvl_session_fail(s, WVL_ERROR_ARGUMENT, "memory_kind of the image is not a wvl_memory_kind");
    }
    for (uint32_t c = 0; c < image->plane_count; c++) {
        const wvl_plane *plane = &image->planes[c];
        const wvl_plan_component *pc = &s->plan->syntax.components[c];
        unsigned depth = wvl_plan_input_depth(s->plan, c), bits = wvl_container_bits(plane->container);
        char text[160];
        if (!bits) {
            snprintf(text, sizeof text, "component %u: container type %u is not supported", c, plane->container);
            return wvl_session_fail(s, WVL_ERROR_UNSUPPORTED, text);
        }
        if (!plane->data || depth > bits || (wvl_container_is_packed(plane->container) && pc->is_signed)) {
            snprintf(text, sizeof text, "component %u: depth %u%s does not fit its container, or it has no data", c,
                     depth, pc->is_signed ? " signed" : "");
            return wvl_session_fail(s, WVL_ERROR_ARGUMENT, text);
        }
        if (!s->now.rows && !rows_fit(plane, pc->rect)) {
            snprintf(text, sizeof text,
                     "component %u: its rows do not fit memory: first_sample, sample_stride or pitch_bytes is too "
                     "large",
                     c);
            return wvl_session_fail(s, WVL_ERROR_ARGUMENT, text);
        }
    }
    return WVL_OK;
}

/* ---- Waves ----------------------------------------------------------------------------------- */

wvl_status wvl_session_fail_device(wvl_session *s, wvl_status status)
{
    char text[320];
    snprintf(text, sizeof text, "%s%s%s", wvl_status_text(status), s->drive.reason[0] ? ": " : "", s->drive.reason);
    return wvl_session_fail(s, status, text);
}

/* Why rows did not come, or were not taken. */
wvl_status wvl_session_fail_rows(wvl_session *s, wvl_status status)
{
    if (status < 0 && s->now.rows && s->now.rows->error[0]) {
        return wvl_session_fail(s, status, s->now.rows->error);
    }
    return status == WVL_ERROR_INPUT ? wvl_session_fail(s, status, WVL_TEXT_OUTSIDE) : status;
}

static void submit_beside(void *user) { wvl_drive_submit_ahead(user); }

/* is_strip: of each tile a part, and the coder's lists have room for one tile of a strip's size. */
static wvl_status code_job(wvl_session *s, wvl_coefs *coefs, uint32_t count, int is_strip)
{
    double start = wvl_session_begin_stage(s, WVL_STAGE_CODE);
    wvl_session_tell(s, 2 * s->work.samples_done + s->work.samples_in_work);
    s->coder.beside = s->by_strips ? NULL : submit_beside;
    s->coder.beside_user = &s->drive;
    s->coder.blocks.source = s->by_strips ? wvl_pool_source_of(&s->coder.blocks.pool)
                                          : wvl_wave_source_open(&s->source, &s->drive, &s->coder.blocks);
    wvl_status status = WVL_OK;
    uint32_t step = is_strip ? 1 : count;
    for (uint32_t t = 0; t < count && status == WVL_OK; t += step) {
        s->source.tile = t;
        status = wvl_coder_code_tiles(&s->coder, &coefs[t], step);
    }
    if (s->now.spill) {
        wvl_spill_rest(s->now.spill);
    }
    wvl_session_end_stage(s, WVL_STAGE_CODE, start);
    return status < 0 && s->drive.reason[0] ? wvl_session_fail_device(s, status) : status;
}

/* Nobody needs the pixels or the transform's memory any more. */
static void end_waves(wvl_session *s)
{
    wvl_drive_name(&s->drive, s->backend_name, sizeof s->backend_name);
    if (!s->many) {
        wvl_drive_close(&s->drive);
    } else {
        wvl_drive_stop(&s->drive);
    }
}

void wvl_session_give_pixels_back(wvl_session *s)
{
    if (s->now.image && s->now.image->release) {
        s->now.image->release(s->now.image->release_user);
    }
    s->now.image = NULL;
}

static double measure_error(void *user)
{
    wvl_session *s = user;
    return wvl_quality_measure(s->plan, s->wave.coefs, s->coder.tiles, &s->coder.recode.rescale, s->plan->context->pool,
                               &s->look, s->quality_memory);
}

/* The kept wave's tile plans stay in use while layers are chosen: finishing builds its own in the scratch beside them.
 */
static wvl_status open_measurement(wvl_session *s)
{
    wvl_pool_source_drop(&s->coder.blocks.pool); /* all blocks are coded: not beside it */
    s->quality_memory = wvl_alloc(&s->plan->context->host, s->plan->memory.quality_bytes);
    s->coder.measure_error = measure_error;
    s->coder.measure_user = s;
    return s->quality_memory ? WVL_OK : WVL_ERROR_MEMORY;
}

/* ---- Encode ---------------------------------------------------------------------------------- */

static wvl_status finish(wvl_session *s)
{
    double start = wvl_session_begin_stage(s, WVL_STAGE_RATE);
    wvl_session_tell(s, 2 * s->work.samples_done);
    wvl_status status = s->plan->rate.keep_coefs ? open_measurement(s) : WVL_OK;
    if (status == WVL_OK) {
        const wvl_tile_walk tiles = wvl_wave_walk(s->plan, &s->wave);
        status = wvl_coder_finish(&s->coder, &tiles, &s->wave.order);
    }
    if (s->plan->rate.keep_coefs) {
        wvl_free(&s->plan->context->host, s->quality_memory, s->plan->memory.quality_bytes);
        s->quality_memory = NULL;
        end_waves(s);
    }
    wvl_session_end_stage(s, WVL_STAGE_RATE, start);
    if (status == WVL_OK && !wvl_coder_wants_again(&s->coder)) {
        start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
        if (s->work.told < 2 * s->plan->syntax.total_samples) { /* no second round after all */
            s->work.round++;
            wvl_session_tell(s, 2 * s->work.samples_done);
        }
        status = wvl_session_write_output(s);
        wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    }
    return status;
}

/* Opens what the jobs of a round come from: the drive, or the strips of rows that are the host's. */
static wvl_status begin_round(wvl_session *s)
{
    wvl_drive *drive = &s->drive;
    int is_ours = s->way.in_strips && !s->now.rows->on_device;
    s->work.samples_done = 0;
    s->work.rounds++;
    wvl_status status = is_ours ? WVL_AGAIN : wvl_drive_open(drive, &s->way, s->now.image, s->now.rows);
    s->by_strips = status == WVL_AGAIN && s->way.in_strips;
    if (s->by_strips) {
        status = WVL_OK;
    } else if (status == WVL_AGAIN) { /* the rows are the host's */
        status = wvl_drive_open(drive, &s->way, s->now.image, s->now.rows);
    }
    if (status != WVL_OK || s->gather.is_full) {
        return status == WVL_OK ? status : wvl_session_fail_device(s, status);
    }
    if (s->plan->memory.wave_count == 1 && (s->by_strips || drive->cut.strip_rows)) {
        (void)wvl_wave_build(s->plan, 0, s->wave.tiles); /* wvl_wave_walk goes through them */
    }
    if (!s->by_strips) {
        return wvl_session_fail_rows(s, wvl_drive_start(drive));
    }
    if (s->way.gathers) {
        wvl_gather_close(&s->gather, s->now.spill);
        status = wvl_gather_open(&s->gather, s->plan, &s->wave, s->now.spill);
    }
    TRY(status, wvl_strip_drive_open(&s->strips, s->plan, s->now.rows, &s->look));
    TRY(status, wvl_session_fail_rows(s, wvl_strip_drive_start(&s->strips)));
    return status;
}

/* All jobs were handed over, or one failed. Once the look is over waves may be missing. */
static wvl_status end_round(wvl_session *s, wvl_status status)
{
    if (status == WVL_END) {
        status = wvl_session_is_cancelled(s) ? WVL_CANCELLED : WVL_OK;
    }
    wvl_strip_drive_close(&s->strips);
    if (status == WVL_OK && s->gather.plan) { /* all coefficients are there, from the first round on */
        s->gather.is_full = 1;
        wvl_session_give_pixels_back(s);
        s->work.samples_done = 0;
        s->work.samples_in_work = s->plan->syntax.total_samples;
        status = code_job(s, s->wave.coefs, s->plan->syntax.tile_count, 0);
        s->work.samples_done = s->work.samples_in_work;
    }
    if (!s->plan->rate.keep_coefs || status != WVL_OK) {
        end_waves(s);
    }
    if (!wvl_recode_is_possible(s->plan)) {
        wvl_session_give_pixels_back(s);
    }
    TRY(status, s->coder.early ? close_early(s) : finish(s));
    s->work.round++;
    if (status == WVL_OK) {
        status = wvl_coder_wants_again(&s->coder) ? begin_round(s) : WVL_END;
    }
    return status;
}

wvl_status wvl_session_begin_jobs(wvl_session *s)
{
    const wvl_context *context = s->plan->context;
    wvl_coder_options options = {&context->host, s->plan,  context->pool,
                                 s->now.number,  &s->look, s->memory.worker_memory,
                                 tick,           s,        s->now.spill};
    wvl_status status = wvl_coder_init(&s->coder, &options);
    TRY(status, open_early(s));
    TRY(status, begin_round(s));
    return status;
}

/* Samples of the job that was handed over. */
static uint64_t count_samples(const wvl_session *s, uint32_t count)
{
    const wvl_syntax_plan *syntax = &s->plan->syntax;
    uint64_t samples = 0;
    if (s->by_strips) {
        double height = (double)wvl_max_u64(wvl_rect_height(syntax->image), 1);
        return (uint64_t)((double)syntax->total_samples * (double)s->strips.share / height);
    }
    for (uint32_t i = 0; i < count; i++) {
        samples += s->drive.coefs[i].tile->sample_count;
    }
    return s->drive.cut.strip_rows ? wvl_drive_count_own(&s->drive) : samples;
}

wvl_status wvl_session_take_job(wvl_session *s, wvl_status status, uint32_t count)
{
    wvl_drive *drive = &s->drive;
    const wvl_strip_drive *strips = &s->strips;
    int is_strip = s->by_strips || drive->cut.strip_rows;
    wvl_coefs *coefs = s->by_strips ? strips->coefs : drive->coefs;
    if (status != WVL_OK) {
        return end_round(s, status < 0 ? wvl_session_fail_device(s, wvl_session_fail_rows(s, status)) : status);
    }
    s->work.samples_in_work = count_samples(s, count);
    if (s->by_strips && s->gather.plan) {
        wvl_session_tell(s, s->work.samples_done + s->work.samples_in_work);
        wvl_gather_take(&s->gather, &s->wave, coefs, count);
    } else {
        status = code_job(s, coefs, count, is_strip);
        if (status == WVL_OK && is_strip) {
            int is_end = s->by_strips ? strips->at == strips->tiles[0].rect.y1 : wvl_drive_ends_row(drive);
            status = send_strip(s, coefs, count, is_end);
        } else if (status == WVL_OK) {
            status = send_tiles(s, count);
        }
    }
    s->work.samples_done += s->work.samples_in_work;
    if (status != WVL_OK) {
        return end_round(s, status);
    }
    if (s->by_strips) {
        wvl_strips_pass(strips->strips);
    } else if (s->plan->rate.keep_coefs) { /* there is one job, and it stays */
        return end_round(s, WVL_END);
    } else {
        wvl_drive_pass(drive);
    }
    return WVL_OK;
}

static wvl_result_part part_of(const void *from, uint64_t index)
{
    const wvl_cs_part *part = &((const wvl_coder *)from)->parts[index];
    return (wvl_result_part){part->psot, part->tile, part->index, part->count, part->cap_group};
}

wvl_status wvl_session_report_jobs(wvl_session *s, wvl_result **result)
{
    wvl_coder *coder = &s->coder;
    wvl_plan_log_work(s->plan, s->backend_name, s->work.rounds, coder->blocks.survey.is_begun);
    if (!result) {
        return WVL_OK;
    }
    wvl_result_facts facts = {.plan = coder->plan,
                              .codestream_offset = s->out.codestream_offset,
                              .codestream_bytes = wvl_coder_codestream_bytes(coder),
                              .main_header_bytes = wvl_coder_main_header_bytes(coder),
                              .part_count = coder->part_count,
                              .part = part_of,
                              .from = coder,
                              .packet_bytes = coder->packet_bytes,
                              .layers = coder->layers,
                              .seconds = s->work.seconds,
                              .backend = s->backend_name};
    *result = wvl_result_create(&facts);
    if (*result) {
        coder->packet_bytes = NULL;
        coder->layers = NULL;
    }
    return *result ? WVL_OK : WVL_ERROR_MEMORY;
}
