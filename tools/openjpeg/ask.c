/* SPDX-License-Identifier: BSD-2-Clause */
/* The parent: asks a child, and judges its answer. No call of OpenJPEG (internal.h). */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wvl_opj_hear(int kind, const char *text, void *user)
{
    const wvl_opj_listener *l = user;
    if (kind == WVL_OPJ_HEARD_HEADER) {
        if (l->on_header) {
            l->on_header(l->request->user);
        }
    } else if (kind == WVL_OPJ_HEARD_ERROR) {
        l->request->complain(text, l->request->user);
    } else if (l->request->warn) {
        l->request->warn(text, l->request->user);
    }
}

/* The child may have been harmed before it wrote: nothing is believed. */
static int take_head(wvl_opj_picture *picture)
{
    const wvl_guard_answer *answer = &picture->answer;
    wvl_opj_head h;
    if (wvl_guard_read(answer, 0, &h, sizeof h) != 0 || !h.component_count || h.component_count > 16384) {
        return WVL_OPJ_FAILED;
    }
    size_t bytes = h.component_count * sizeof *picture->components;
    picture->components = malloc(bytes);
    if (!picture->components) {
        return WVL_OPJ_NO_MEMORY;
    }
    int good = wvl_guard_read(answer, sizeof h, picture->components, bytes) == 0;
    for (uint32_t i = 0; good && i < h.component_count; i++) {
        const wvl_opj_component *c = &picture->components[i];
        uint64_t limit = answer->output_bytes;
        good = (c->sample_bytes == 1 || c->sample_bytes == 2 || c->sample_bytes == 4) && c->offset <= limit &&
               (uint64_t)c->width * c->height <= (limit - c->offset) / c->sample_bytes;
        good = good || !c->has_data;
    }
    picture->x0 = h.x0;
    picture->y0 = h.y0;
    picture->x1 = h.x1;
    picture->y1 = h.y1;
    picture->component_count = h.component_count;
    return good ? WVL_OPJ_OK : WVL_OPJ_FAILED;
}

static wvl_opj_result fail(const char *text, char *reason)
{
    snprintf(reason, WVL_OPJ_REASON_BYTES, "%s", text);
    return WVL_OPJ_FAILED;
}

static wvl_opj_result judge_answer(wvl_opj_picture *picture, char *reason)
{
    const wvl_guard_answer *answer = &picture->answer;
    if (answer->outcome == WVL_GUARD_KILLED) {
        return WVL_OPJ_NO_MEMORY;
    }
    if (answer->outcome == WVL_GUARD_SLOW) {
        return fail("OpenJPEG takes longer than any good file of this size needs: the codestream is damaged", reason);
    }
    if (answer->outcome == WVL_GUARD_ENDED) {
        snprintf(reason, WVL_OPJ_REASON_BYTES, "OpenJPEG crashed while decoding (signal %d): the codestream is damaged",
                 answer->signal);
        return WVL_OPJ_FAILED;
    }
    if (answer->status == WVL_OPJ_OK) {
        wvl_opj_result result = take_head(picture);
        return result == WVL_OPJ_FAILED ? fail("OpenJPEG returned an inconsistent picture", reason) : result;
    }
    if (answer->error == ENOMEM && answer->is_bounded) {
        return fail("OpenJPEG takes more memory than any good file of this size needs: the codestream is damaged",
                    reason);
    }
    return answer->error == ENOMEM ? WVL_OPJ_NO_MEMORY : WVL_OPJ_REFUSED;
}

int wvl_opj_ask_child(const wvl_opj_request *request, void (*on_header)(void *user), wvl_opj_picture *picture,
                      char reason[WVL_OPJ_REASON_BYTES], wvl_opj_result *result)
{
    const wvl_opj_parameters p = {request->layers, request->discard, (uint32_t)request->keep_indices};
    wvl_opj_listener l = {request, on_header};
    const wvl_guard_job job = {.service = WVL_OPJ_SERVICE,
                               .parameters = &p,
                               .parameter_bytes = sizeof p,
                               .input = request->data,
                               .input_bytes = request->bytes,
                               .hear = wvl_opj_hear,
                               .user = &l};
    memset(picture, 0, sizeof *picture);
    reason[0] = '\0';
    wvl_guard_run(&job, &picture->answer);
    if (picture->answer.outcome == WVL_GUARD_ABSENT) {
        return 0;
    }
    *result = judge_answer(picture, reason);
    if (*result != WVL_OPJ_OK) {
        wvl_opj_release_answer(picture);
    }
    return 1;
}

int wvl_opj_read_rows(const wvl_opj_picture *picture, uint32_t component, uint32_t first, uint32_t count, void *out)
{
    const wvl_opj_component *c = &picture->components[component];
    uint64_t at = (uint64_t)first * c->width, samples = (uint64_t)count * c->width;
    if (picture->image) {
        wvl_opj_narrow(picture->image->comps[component].data + at, c->sample_bytes, samples, out);
        return 0;
    }
    return wvl_guard_read(&picture->answer, c->offset + at * c->sample_bytes, out, (size_t)(samples * c->sample_bytes));
}

void wvl_opj_release_answer(wvl_opj_picture *picture)
{
    free(picture->components);
    wvl_guard_release(&picture->answer);
    memset(picture, 0, sizeof *picture);
}
