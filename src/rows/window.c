/* SPDX-License-Identifier: BSD-2-Clause */
#include "rows/window.h"

#include <stdio.h>

#include "codec/write/recode.h"
#include "geom/container.h"

/* ---- The source ------------------------------------------------------------------------------ */

static uint32_t count_buffers(const wvl_row_source *source)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < source->component_count; c++) {
        most = wvl_max_u32(most, source->components[c].buffer);
    }
    return most + 1;
}

/* The first component of a buffer; NULL: it has none. */
static const wvl_row_component *find_first(const wvl_row_source *source, uint32_t buffer, uint32_t *index)
{
    for (uint32_t c = 0; c < source->component_count; c++) {
        if (source->components[c].buffer == buffer) {
            *index = c;
            return &source->components[c];
        }
    }
    return NULL;
}

/* Bytes up to the last container of a component. */
static uint64_t count_row_bytes(const wvl_plan *plan, const wvl_row_source *source, uint32_t component)
{
    const wvl_row_component *c = &source->components[component];
    uint32_t width = wvl_rect_width(plan->syntax.components[component].rect);
    return wvl_container_bytes(c->container, wvl_container_count(c->first_sample, c->sample_stride, width));
}

static const char *refuse_component(const wvl_plan *plan, const wvl_row_source *source, uint32_t index)
{
    const wvl_row_component *component = &source->components[index];
    uint32_t other = index;
    if (component->buffer >= source->component_count) {
        return "the buffers of a row source are numbered from 0, without gaps";
    }
    const wvl_row_component *first = find_first(source, component->buffer, &other);
    if (!wvl_container_bits(component->container)) {
        return "a component of the row source has a container type that is not supported";
    }
    if (!wvl_container_row_fits(component->first_sample, component->sample_stride,
                                wvl_rect_width(plan->syntax.components[index].rect))) {
        return "a row of the row source is longer than memory: first_sample or sample_stride is too large";
    }
    if (first->container != component->container ||
        plan->syntax.components[other].dy != plan->syntax.components[index].dy) {
        return "components in one buffer of a row source must have the same container type and vertical subsampling";
    }
    return NULL;
}

const char *wvl_rows_refuse(const wvl_plan *plan, const wvl_row_source *source)
{
    const char *why = NULL;
    uint32_t unused;
    if (!source->components || source->component_count != plan->syntax.component_count) {
        return "the row source must describe one component per component of the plan";
    }
    for (uint32_t c = 0; c < source->component_count && !why; c++) {
        why = refuse_component(plan, source, c);
    }
    for (uint32_t b = 0; !why && b < count_buffers(source); b++) {
        why = find_first(source, b, &unused) ? NULL : "the buffers of a row source are numbered from 0, without gaps";
    }
    return why;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void carve(wvl_carver *carver, wvl_row_window *w, uint64_t rows)
{
    const wvl_plan *plan = w->plan;
    w->planes = wvl_carve(carver, w->source.component_count, sizeof *w->planes);
    w->components = wvl_carve(carver, w->source.component_count, sizeof *w->components);
    w->panes = wvl_carve(carver, w->pane_count, sizeof *w->panes);
    w->wanted = wvl_carve(carver, w->pane_count, sizeof *w->wanted);
    for (uint32_t b = 0; b < w->pane_count; b++) {
        wvl_row_pane pane = {.dy = 1};
        for (uint32_t c = 0; c < w->source.component_count; c++) {
            const wvl_plan_component *pc = &plan->syntax.components[c];
            if (w->source.components[c].buffer == b) {
                pane.row_bytes = wvl_max_u64(pane.row_bytes, count_row_bytes(plan, &w->source, c));
                pane.dy = pc->dy;
                pane.first = pc->rect.y0;
                pane.end = pc->rect.y1;
            }
        }
        /* Short rows lie close together, so that a column is not held as many columns. */
        uint64_t pitch = 1;
        while (pitch < pane.row_bytes && pitch < WVL_ALIGNMENT) {
            pitch *= 2;
        }
        pane.pitch_bytes = pitch < WVL_ALIGNMENT ? pitch : wvl_align_up(pane.row_bytes, WVL_ALIGNMENT);
        pane.room = (uint32_t)wvl_min_u64(rows / pane.dy + 2, wvl_max_u32(pane.end - pane.first, 1));
        pane.data = wvl_carve(carver, pane.room, pane.pitch_bytes);
        if (carver->base) {
            w->panes[b] = pane;
        }
    }
}

/* Rows that are needed again, of a source that cannot go back, unless their coefficients are gathered. */
static int must_keep_all(const wvl_plan *plan, const wvl_row_source *source)
{
    return wvl_recode_is_possible(plan) && !source->rewind && !wvl_strips_gather(plan, 0);
}

uint64_t wvl_rows_window_bytes(const wvl_plan *plan, const wvl_row_source *source, uint64_t rows)
{
    wvl_row_window w = {.plan = plan, .source = *source, .pane_count = count_buffers(source)};
    int keeps_all = must_keep_all(plan, source);
    wvl_carver carver = {NULL, 0};
    carve(&carver, &w, keeps_all ? wvl_rect_height(plan->syntax.image) : rows);
    return carver.used;
}

/* Aims planes at the place where row 0 of a component would lie: rows that are not held are never read. */
static void aim_planes(wvl_row_window *w)
{
    for (uint32_t c = 0; c < w->source.component_count; c++) {
        const wvl_row_pane *pane = &w->panes[w->components[c].buffer];
        w->planes[c].data =
            (const void *)((uintptr_t)pane->data - (uintptr_t)(pane->top - pane->first) * pane->pitch_bytes);
    }
}

static void release(void *user)
{
    wvl_row_window *w = user;
    if (!w->is_released && w->source.release) {
        w->source.release(w->source.user);
    }
    w->is_released = 1;
}

wvl_status wvl_rows_open(wvl_row_window *w, const wvl_plan *plan, const wvl_row_source *source, const wvl_way *way)
{
    uint64_t rows = way->window_rows;
    memset(w, 0, sizeof *w);
    w->plan = plan;
    w->on_device = way->kind == WVL_WAY_JOBS;
    w->strip_rows = way->strip_rows;
    w->source = *source;
    w->pane_count = count_buffers(source);
    w->keeps_all = must_keep_all(plan, source);
    w->memory_bytes = wvl_rows_window_bytes(plan, source, rows);
    w->memory = wvl_alloc(&plan->context->host, w->memory_bytes);
    if (!w->memory) {
        return WVL_ERROR_MEMORY;
    }
    wvl_carver carver = {w->memory, 0};
    carve(&carver, w, w->keeps_all ? wvl_rect_height(plan->syntax.image) : rows);
    memcpy(w->components, source->components, source->component_count * sizeof *w->components);
    w->source.components = w->components;
    for (uint32_t c = 0; c < source->component_count; c++) {
        const wvl_row_component *from = &w->components[c];
        w->planes[c] = (wvl_plane){.pitch_bytes = (ptrdiff_t)w->panes[from->buffer].pitch_bytes,
                                   .sample_stride = from->sample_stride,
                                   .first_sample = from->first_sample,
                                   .container = from->container};
    }
    for (uint32_t b = 0; b < w->pane_count; b++) {
        w->panes[b].top = w->panes[b].bottom = w->panes[b].first;
    }
    aim_planes(w);
    w->image = (wvl_image){.struct_size = sizeof w->image,
                           .planes = w->planes,
                           .plane_count = source->component_count,
                           .release = release,
                           .release_user = w};
    return WVL_OK;
}

void wvl_rows_close(wvl_row_window *w)
{
    release(w);
    wvl_free(&w->plan->context->host, w->memory, w->memory_bytes);
    w->memory = NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static wvl_status fail(wvl_row_window *w, wvl_status status)
{
    if (status > 0 && status != WVL_CANCELLED) {
        status = WVL_ERROR_INPUT;
    }
    if (!w->error[0]) {
        snprintf(w->error, sizeof w->error, "the row source failed: %s", wvl_status_text(status));
    }
    return status;
}

wvl_status wvl_rows_begin(wvl_row_window *w)
{
    w->error[0] = 0;
    if (!w->is_used) {
        w->reads = 1;
        return WVL_OK;
    }
    if (w->keeps_all) {
        return WVL_OK;
    }
    wvl_status status =
        w->source.rewind ? w->source.rewind(w->source.user, w->error, sizeof w->error) : WVL_ERROR_INPUT;
    if (status != WVL_OK) {
        return fail(w, status);
    }
    for (uint32_t b = 0; b < w->pane_count; b++) {
        w->panes[b].top = w->panes[b].bottom = w->panes[b].first;
    }
    w->is_used = 0;
    w->at = 0;
    w->reads++;
    aim_planes(w);
    return WVL_OK;
}

/* 0: there is nothing to read. */
static int list_wanted(wvl_row_window *w, uint64_t keep, uint64_t end)
{
    int is_any = 0;
    for (uint32_t b = 0; b < w->pane_count; b++) {
        wvl_row_pane *pane = &w->panes[b];
        uint32_t bottom = (uint32_t)wvl_min_u64(wvl_max_u64(wvl_ceil_div(end, pane->dy), pane->bottom), pane->end);
        if (bottom > pane->bottom && bottom - pane->top > pane->room) {
            /* Drops the rows above `keep`. */
            uint32_t top = (uint32_t)wvl_min_u64(wvl_max_u64(keep / pane->dy, pane->top), pane->bottom);
            if (!w->keeps_all && top != pane->top) {
                memmove(pane->data, pane->data + (top - pane->top) * pane->pitch_bytes,
                        (size_t)((pane->bottom - top) * pane->pitch_bytes));
                pane->top = top;
            }
        }
        w->wanted[b] = (wvl_row_buffer){.data = pane->data + (pane->bottom - pane->top) * pane->pitch_bytes,
                                        .pitch_bytes = pane->pitch_bytes,
                                        .row_bytes = pane->row_bytes,
                                        .first_row = pane->bottom - pane->first,
                                        .row_count = bottom - pane->bottom};
        is_any |= bottom > pane->bottom;
    }
    return is_any;
}

wvl_status wvl_rows_bring(wvl_row_window *w, const wvl_look *look, uint64_t keep, uint64_t end)
{
    /* Rows of the reference grid that one call of the source fills. */
    uint64_t bytes = 1;
    for (uint32_t b = 0; b < w->pane_count; b++) {
        bytes += w->panes[b].pitch_bytes / w->panes[b].dy;
    }
    uint64_t portion = wvl_max_u64(WVL_LOOK_BYTES / bytes, 1), next;
    end = wvl_min_u64(end, w->plan->syntax.image.y1);
    for (uint64_t at = wvl_max_u64(w->at, w->plan->syntax.image.y0); at < end; w->at = at = next) {
        next = wvl_min_u64(end, at + portion);
        if (wvl_look_is_over(look)) {
            return WVL_CANCELLED;
        }
        if (!list_wanted(w, keep, next)) {
            continue;
        }
        for (uint32_t b = 0; b < w->pane_count; b++) {
            const wvl_row_pane *pane = &w->panes[b];
            if (pane->bottom - pane->top + w->wanted[b].row_count > pane->room) {
                return WVL_ERROR_INTERNAL;
            }
        }
        w->is_used = 1;
        wvl_status status = w->source.read(w->source.user, w->wanted, w->pane_count, w->error, sizeof w->error);
        if (status != WVL_OK) {
            return fail(w, status);
        }
        for (uint32_t b = 0; b < w->pane_count; b++) {
            w->panes[b].bottom += w->wanted[b].row_count;
        }
        aim_planes(w);
    }
    return WVL_OK;
}
