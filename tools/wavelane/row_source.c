/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row_job {
    wvl_io_rows *rows;
    wvl_row_component *components;
    wvl_io_row_buffer *targets;
} row_job;

/* The row of the picture behind those that are asked for; UINT32_MAX: they are not the same rows in all buffers. */
static uint32_t end_of_request(const wvl_io_picture *p, const wvl_row_buffer *buffers, uint32_t count)
{
    uint64_t end = p->height;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t most = ((uint64_t)buffers[i].first_row + buffers[i].row_count) * p->components[i].dy;
        end = most < end ? most : end;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (wvl_io_rows_of_component(&p->components[i], (uint32_t)end) != buffers[i].first_row + buffers[i].row_count) {
            return UINT32_MAX;
        }
    }
    return (uint32_t)end;
}

static wvl_status status_of(int result)
{
    if (result == WVL_IO_OK) {
        return WVL_OK;
    }
    return result == WVL_IO_ERROR_MEMORY ? WVL_ERROR_MEMORY : WVL_ERROR_INPUT;
}

static wvl_status read_rows(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error, size_t error_bytes)
{
    row_job *job = user;
    uint32_t next = wvl_io_rows_next(job->rows);
    uint32_t end = end_of_request(wvl_io_rows_picture(job->rows), buffers, count);

    if (end == UINT32_MAX || end < next) {
        snprintf(error, error_bytes, "rows of subsampled components cannot be read in this order; leave --memory out");
        return WVL_ERROR_INPUT;
    }
    for (uint32_t i = 0; i < count; i++) {
        job->targets[i] = (wvl_io_row_buffer){buffers[i].data, buffers[i].pitch_bytes};
    }
    return status_of(wvl_io_rows_read(job->rows, end - next, job->targets, error, error_bytes));
}

static wvl_status rewind_rows(void *user, char *error, size_t error_bytes)
{
    return status_of(wvl_io_rows_restart(((row_job *)user)->rows, error, error_bytes));
}

static uint8_t container_of(const wvl_io_component *c)
{
    if (c->sample_bytes == 1) {
        return WVL_SAMPLE_8;
    }
    return c->sample_bytes == 2 ? WVL_SAMPLE_16 : WVL_SAMPLE_32;
}

static void describe_components(row_job *job)
{
    const wvl_io_picture *p = wvl_io_rows_picture(job->rows);
    int is_shared = wvl_io_rows_buffer_count(job->rows) == 1;

    for (uint32_t c = 0; c < p->component_count; c++) {
        const wvl_io_component *k = &p->components[c];
        job->components[c] = (wvl_row_component){
            .buffer = is_shared ? 0 : c,
            .sample_stride = (uint32_t)(k->sample_stride_bytes / k->sample_bytes),
            .first_sample = (uint32_t)(wvl_io_rows_offset(job->rows, c) / k->sample_bytes),
            .container = container_of(k),
        };
    }
}

int wvl_cli_make_row_source(wvl_io_rows *rows, wvl_row_source *source)
{
    uint32_t count = wvl_io_rows_picture(rows)->component_count;
    row_job *job = calloc(1, sizeof *job);

    memset(source, 0, sizeof *source);
    if (!job) {
        return 0;
    }
    *source = (wvl_row_source){.struct_size = sizeof *source, .component_count = count, .read = read_rows, .user = job};
    source->rewind = wvl_io_rows_can_restart(rows) ? rewind_rows : NULL;
    job->rows = rows;
    job->components = calloc(count, sizeof *job->components);
    job->targets = calloc(count, sizeof *job->targets);
    source->components = job->components;
    if (!job->components || !job->targets) {
        wvl_cli_release_row_source(source);
        return 0;
    }
    describe_components(job);
    return 1;
}

void wvl_cli_release_row_source(wvl_row_source *source)
{
    row_job *job = source->user;

    if (job) {
        free(job->components);
        free(job->targets);
        free(job);
    }
    source->user = NULL;
}
