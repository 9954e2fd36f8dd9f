/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers that are open: pictures by rows, and whole pictures as all rows at once. */
#include "picture_rows.h"
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

struct wvl_io_rows {
    wvl_io_context context;
    wvl_io_picture picture;
    char *name;
    const wvl_io_kind *kind;
    uint32_t next;
    int is_stopped; /* after a failure, and after the whole picture was taken */
};

/* ---- Open and close -------------------------------------------------------------------------- */

static uint64_t sample_limit(const wvl_io_options *options, int by_rows)
{
    uint64_t limit = options->max_samples != 0 ? options->max_samples : WVL_IO_MAX_SAMPLES;

    if (by_rows && options->max_samples == 0) {
        limit = WVL_IO_COUNTABLE_SAMPLES;
    }
    return limit < WVL_IO_COUNTABLE_SAMPLES ? limit : WVL_IO_COUNTABLE_SAMPLES;
}

static void set_error(wvl_io_rows *rows, char *error, size_t error_bytes)
{
    rows->context.error = error;
    rows->context.error_bytes = error_bytes;
    rows->context.no_memory = 0;
    if (error && error_bytes != 0) {
        error[0] = '\0';
    }
}

/* bytes NULL: the file of that name. 0 or -1, and finish() follows in both cases. */
static int start(wvl_io_rows *rows, const void *bytes, size_t byte_count, const char *name,
                 const wvl_io_options *options, int by_rows, char *error, size_t error_bytes)
{
    wvl_io_context *context = &rows->context;

    context->source.file = -1;
    context->name = name;
    context->picture = &rows->picture;
    context->by_rows = by_rows;
    if (options) {
        context->options = *options;
    }
    context->max_samples = sample_limit(&context->options, by_rows);
    if (by_rows && context->options.max_input_bytes == 0) {
        context->options.max_input_bytes = UINT64_MAX;
    }
    wvl_io_clear_picture(&rows->picture);
    set_error(rows, error, error_bytes);
    if (bytes) {
        wvl_io_source_memory(&context->source, bytes, byte_count);
    }
    return bytes ? 0 : wvl_io_source_open(context);
}

static void free_state(wvl_io_context *context, const wvl_io_kind *kind)
{
    if (kind && kind->rows && kind->rows->release && context->state) {
        kind->rows->release(context);
    }
    free(context->state);
    context->state = NULL;
}

static void finish(wvl_io_rows *rows)
{
    free_state(&rows->context, rows->kind);
    wvl_io_source_close(&rows->context.source);
    wvl_io_release_picture(&rows->picture);
}

/* From position 0. */
static int begin(wvl_io_context *context, const wvl_io_kind *kind)
{
    context->needs_all = kind->obstacle;
    context->order = NULL;
    context->held_bytes = 0;
    snprintf(context->picture->format, sizeof context->picture->format, "%s", kind->format);
    if (!kind->rows) {
        return 0;
    }
    context->state = calloc(1, kind->rows->state_bytes);
    return context->state ? kind->rows->begin(context) : wvl_io_fail_memory(context, "reader", kind->rows->state_bytes);
}

/* The source is open. */
static int begin_first(wvl_io_rows *rows)
{
    wvl_io_context *context = &rows->context;

    rows->kind = wvl_io_choose_kind(context);
    if (!rows->kind) {
        return -1;
    }
    context->format = rows->kind->format;
    if (!rows->kind->rows && !rows->kind->read) {
        return wvl_io_fail(context, "files of this format are not read: convert the picture");
    }
    return begin(context, rows->kind);
}

/* bytes NULL: the file of that name. */
static int open_reader(const void *bytes, size_t byte_count, const char *name, const wvl_io_options *options,
                       wvl_io_rows **out, char *error, size_t error_bytes)
{
    wvl_io_rows *rows = calloc(1, sizeof *rows);

    *out = NULL;
    if (!rows || (rows->name = malloc(strlen(name) + 1)) == NULL) {
        free(rows);
        snprintf(error, error_bytes, "%s: not enough memory to open it", name);
        return WVL_IO_ERROR_MEMORY;
    }
    memcpy(rows->name, name, strlen(name) + 1);
    int result = start(rows, bytes, byte_count, rows->name, options, 1, error, error_bytes);
    TRY(result, begin_first(rows));
    if (result == 0) {
        *out = rows;
        return WVL_IO_OK;
    }
    result = wvl_io_result_of(&rows->context, result);
    wvl_io_rows_close(rows);
    return result;
}

int wvl_io_rows_open(const char *path, const wvl_io_options *options, wvl_io_rows **rows, char *error,
                     size_t error_bytes)
{
    return open_reader(NULL, 0, path, options, rows, error, error_bytes);
}

int wvl_io_rows_open_memory(const void *bytes, size_t byte_count, const char *name, const wvl_io_options *options,
                            wvl_io_rows **rows, char *error, size_t error_bytes)
{
    return open_reader(bytes, byte_count, name, options, rows, error, error_bytes);
}

void wvl_io_rows_close(wvl_io_rows *rows)
{
    if (rows) {
        finish(rows);
        free(rows->name);
        free(rows);
    }
}

/* ---- What is open ---------------------------------------------------------------------------- */

const char *wvl_io_rows_obstacle(const wvl_io_rows *rows) { return rows->context.needs_all; }

const wvl_io_picture *wvl_io_rows_picture(const wvl_io_rows *rows) { return &rows->picture; }

int wvl_io_rows_take_description(wvl_io_rows *rows, wvl_io_picture *out)
{
    wvl_io_picture *picture = &rows->picture;
    size_t bytes = picture->component_count * sizeof *out->components;
    wvl_io_component *components = malloc(bytes != 0 ? bytes : 1);

    wvl_io_clear_picture(out);
    if (!components) {
        return WVL_IO_ERROR_MEMORY;
    }
    memcpy(components, picture->components, bytes);
    *out = *picture;
    out->components = components;
    picture->palette = NULL; /* the number of its entries stays: has_shape() looks at it */
    picture->icc = NULL;
    picture->icc_bytes = 0;
    memset(&picture->metadata, 0, sizeof picture->metadata);
    return WVL_IO_OK;
}

uint32_t wvl_io_rows_buffer_count(const wvl_io_rows *rows)
{
    return rows->context.is_interleaved ? 1 : rows->picture.component_count;
}

size_t wvl_io_rows_bytes(const wvl_io_rows *rows, uint32_t buffer)
{
    return wvl_io_row_bytes(&rows->picture.components[buffer]);
}

size_t wvl_io_rows_offset(const wvl_io_rows *rows, uint32_t component)
{
    const wvl_io_context *context = &rows->context;
    size_t place = context->order ? context->order[component] : component;

    return context->is_interleaved ? place * rows->picture.components[component].sample_bytes : 0;
}

uint64_t wvl_io_rows_memory(const wvl_io_rows *rows) { return rows->context.held_bytes; }

uint32_t wvl_io_rows_next(const wvl_io_rows *rows) { return rows->next; }

int wvl_io_rows_can_restart(const wvl_io_rows *rows) { return rows->context.source.seekable; }

int wvl_io_rows_can_reopen(const wvl_io_rows *rows)
{
    return rows->context.source.seekable && rows->context.source.file >= 0 && strcmp(rows->name, "-") != 0;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static int end_rows(wvl_io_context *context, const wvl_io_kind *kind)
{
    if (kind->rows->end && kind->rows->end(context) != 0) {
        return -1;
    }
    return wvl_io_judge_rest(context, kind);
}

static int check_request(wvl_io_rows *rows, uint32_t count)
{
    wvl_io_context *context = &rows->context;

    if (context->needs_all) {
        return wvl_io_fail(context, "cannot be read row by row: %s", context->needs_all);
    }
    if (rows->is_stopped) {
        return wvl_io_fail(context, "rows cannot be read after a failure or after a whole picture; start again");
    }
    if (count > rows->picture.height - rows->next) {
        return wvl_io_fail(context, "%u rows at row %u of %u: only the remaining ones can be read", count, rows->next,
                           rows->picture.height);
    }
    return 0;
}

int wvl_io_rows_read(wvl_io_rows *rows, uint32_t count, const wvl_io_row_buffer *buffers, char *error,
                     size_t error_bytes)
{
    wvl_io_context *context = &rows->context;

    set_error(rows, error, error_bytes);
    int result = check_request(rows, count);
    if (result == 0 && count != 0) {
        wvl_io_aim(context, buffers, rows->next);
        result = rows->kind->rows->rows(context, rows->next, count);
        /* The buffers of the caller are not kept. */
        for (uint32_t c = 0; c < context->picture->component_count; c++) {
            wvl_io_component *k = &context->picture->components[c];
            k->data = NULL;
            k->stride_bytes = wvl_io_row_bytes(k);
        }
        context->buffers = NULL;
        rows->next += count;
        if (result == 0 && rows->next == rows->picture.height) {
            result = end_rows(context, rows->kind);
        }
        rows->is_stopped = result != 0;
    }
    return wvl_io_result_of(context, result);
}

/* ---- Again ----------------------------------------------------------------------------------- */

static int has_shape(const wvl_io_picture *a, const wvl_io_picture *b)
{
    if (a->width != b->width || a->height != b->height || a->component_count != b->component_count ||
        a->palette_entries != b->palette_entries) {
        return 0;
    }
    for (uint32_t c = 0; c < a->component_count; c++) {
        const wvl_io_component *k = &a->components[c], *l = &b->components[c];
        if (k->depth != l->depth || k->is_signed != l->is_signed || k->dx != l->dx || k->dy != l->dy ||
            k->sample_stride_bytes != l->sample_stride_bytes) {
            return 0;
        }
    }
    return 1;
}

/* The description that the caller has stays, and the new one goes. */
static int begin_again(wvl_io_rows *rows)
{
    wvl_io_context *context = &rows->context;
    wvl_io_picture described = rows->picture;
    int was_taken = described.component_count == 0;

    free_state(context, rows->kind);
    wvl_io_clear_picture(&rows->picture);
    int result = wvl_io_source_restart(&context->source) == 0 ? begin(context, rows->kind)
                                                              : wvl_io_fail(context, "cannot be read again");
    if (result == 0 && !was_taken && !has_shape(&rows->picture, &described)) {
        result = wvl_io_fail(context, "the file has changed since it was opened");
    }
    if (!was_taken) {
        wvl_io_release_picture(&rows->picture);
        rows->picture = described;
    }
    return result;
}

int wvl_io_rows_restart(wvl_io_rows *rows, char *error, size_t error_bytes)
{
    wvl_io_context *context = &rows->context;

    set_error(rows, error, error_bytes);
    if (!wvl_io_rows_can_restart(rows)) {
        return wvl_io_result_of(context, wvl_io_fail(context, "rows cannot be read again from a pipe or device"));
    }
    int result = begin_again(rows);
    rows->next = 0;
    rows->is_stopped = result != 0;
    return wvl_io_result_of(context, result);
}

/* ---- Whole pictures -------------------------------------------------------------------------- */

static int read_all_rows(wvl_io_context *context, const wvl_io_kind *kind)
{
    wvl_io_picture *picture = context->picture;
    uint32_t count = context->is_interleaved ? 1 : picture->component_count;
    wvl_io_row_buffer *buffers = NULL;
    int result = wvl_io_allocate_blocks(context);

    if (result == 0) {
        buffers = wvl_io_allocate(context, count * sizeof *buffers, "rows");
        result = buffers ? 0 : -1;
    }
    for (uint32_t c = 0; result == 0 && c < count; c++) {
        buffers[c] = (wvl_io_row_buffer){picture->components[c].data, picture->components[c].stride_bytes};
    }
    if (result == 0) {
        wvl_io_aim(context, buffers, 0);
        result = kind->rows->rows(context, 0, picture->height);
    }
    free(buffers);
    context->buffers = NULL;
    return result == 0 ? end_rows(context, kind) : -1;
}

/* The picture moves to *out; after a failure it is gone. */
static int take(wvl_io_rows *rows, wvl_io_picture *out)
{
    wvl_io_context *context = &rows->context;
    int result = rows->kind->rows ? read_all_rows(context, rows->kind) : rows->kind->read(context);
    TRY(result, rows->kind->rows ? 0 : wvl_io_judge_rest(context, rows->kind));

    if (result == 0) {
        *out = rows->picture;
        wvl_io_clear_picture(&rows->picture);
    } else {
        wvl_io_release_picture(&rows->picture);
    }
    rows->is_stopped = 1;
    return wvl_io_result_of(context, result);
}

/* A picture that is held as a whole has limits again. */
static int limit_whole(wvl_io_context *context)
{
    uint64_t limit = sample_limit(&context->options, 0);

    context->max_samples = limit;
    if (context->options.max_input_bytes == UINT64_MAX && !context->source.seekable) {
        context->source.most = WVL_IO_MAX_INPUT_BYTES;
    }
    if (wvl_io_sample_count(context->picture) > limit) {
        return wvl_io_fail(context, "more than the limit of %llu samples for a whole picture (--max-pixels)",
                           (unsigned long long)limit);
    }
    return 0;
}

int wvl_io_rows_take_picture(wvl_io_rows *rows, wvl_io_picture *out, char *error, size_t error_bytes)
{
    wvl_io_clear_picture(out);
    set_error(rows, error, error_bytes);
    if (rows->is_stopped || rows->next != 0) {
        return wvl_io_result_of(
            &rows->context, wvl_io_fail(&rows->context, "the whole picture must be read before any row; start again"));
    }
    if (limit_whole(&rows->context) != 0) {
        return WVL_IO_ERROR_INPUT;
    }
    return take(rows, out);
}

static int read_whole(const void *bytes, size_t byte_count, const char *name, const wvl_io_options *options,
                      wvl_io_picture *out, char *error, size_t error_bytes)
{
    wvl_io_rows rows = {0};

    wvl_io_clear_picture(out);
    int result = start(&rows, bytes, byte_count, name, options, 0, error, error_bytes);
    TRY(result, begin_first(&rows));
    result = result == 0 ? take(&rows, out) : wvl_io_result_of(&rows.context, result);
    finish(&rows);
    return result;
}

int wvl_io_read_picture(const char *path, const wvl_io_options *options, wvl_io_picture *out, char *error,
                        size_t error_bytes)
{
    return read_whole(NULL, 0, path, options, out, error, error_bytes);
}

int wvl_io_read_memory(const void *bytes, size_t byte_count, const char *name, const wvl_io_options *options,
                       wvl_io_picture *out, char *error, size_t error_bytes)
{
    return read_whole(bytes, byte_count, name, options, out, error, error_bytes);
}

int wvl_io_recognise(const void *bytes, size_t byte_count, const char *name, const wvl_io_options *options, char *error,
                     size_t error_bytes)
{
    wvl_io_rows rows = {0};

    (void)start(&rows, bytes, byte_count, name, options, 0, error, error_bytes);
    int result = wvl_io_result_of(&rows.context, wvl_io_choose_kind(&rows.context) ? 0 : -1);
    finish(&rows);
    return result;
}

int wvl_io_measure_raw(const wvl_io_options *options, uint64_t *bytes, char *error, size_t error_bytes)
{
    wvl_io_rows rows = {0};

    (void)start(&rows, "", 0, "-F", options, 0, error, error_bytes);
    int result = wvl_io_result_of(&rows.context, wvl_io_describe_raw(&rows.context, bytes));
    finish(&rows);
    return result;
}

int wvl_io_list_pages(const char *path, const wvl_io_options *options, wvl_io_page **pages, size_t *count, char *error,
                      size_t error_bytes)
{
    wvl_io_rows rows = {0};
    wvl_io_context *context = &rows.context;
    int result = -1;

    *pages = NULL;
    *count = 0;
    int is_open = start(&rows, NULL, 0, path, options, 0, error, error_bytes) == 0;
    const wvl_io_kind *found = is_open ? wvl_io_choose_kind(context) : NULL;
    if (found && found->rows == &wvl_io_tiff_rows) {
        context->format = found->format;
        context->options.page_given = 0;
        result = wvl_io_list_tiff(context, pages, count);
    } else if (found) {
        *pages = wvl_io_allocate(context, sizeof **pages, "list of pages");
        *count = *pages != NULL;
        result = *pages ? 0 : -1;
        if (result == 0) {
            (*pages)[0] = (wvl_io_page){0, 0, WVL_IO_PAGE_FULL};
        }
    }
    result = wvl_io_result_of(context, result);
    finish(&rows);
    return result;
}
