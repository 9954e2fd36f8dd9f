/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/rows_bench.h"

#include "geom/plan.h"

/* ---- The source ------------------------------------------------------------------------------ */

static unsigned bytes_of(const picture_plane *p)
{
    unsigned wide = p->depth <= 16 ? 2 : 4;
    return p->depth <= 8 ? 1 : wide;
}

static void put_row(const rows_bench *b, uint32_t component, uint32_t row, uint8_t *to)
{
    const picture_plane *p = &b->from->planes[component];
    const wvl_row_component *c = &b->components[component];
    unsigned bytes = bytes_of(p);
    for (uint32_t x = 0; x < p->width; x++) {
        int32_t v = p->samples[(size_t)row * p->width + x];
        memcpy(to + ((size_t)c->first_sample + (size_t)x * c->sample_stride) * bytes, &v, bytes);
    }
}

static void fill(rows_bench *b, uint32_t buffer, const wvl_row_buffer *rows)
{
    for (uint32_t c = 0; c < b->from->count; c++) {
        for (uint32_t i = 0; b->components[c].buffer == buffer && i < rows->row_count; i++) {
            REQUIRE(rows->first_row + i < b->from->planes[c].height);
            put_row(b, c, rows->first_row + i, (uint8_t *)rows->data + i * rows->pitch_bytes);
        }
    }
}

static wvl_status read_rows(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error, size_t error_bytes)
{
    rows_bench *b = user;
    REQUIRE(!b->releases && count == (b->interleaved ? 1 : b->from->count) && !error[0]);
    b->reads++;
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(buffers[i].first_row == b->next[i] && buffers[i].pitch_bytes >= buffers[i].row_bytes);
        if (!i && b->fails_at - buffers[i].first_row < buffers[i].row_count) {
            snprintf(error, error_bytes, "row %u is torn", b->fails_at);
            wvl_cancel_raise(b->cancel);
            return b->cancel ? WVL_OK : b->fails_with;
        }
        fill(b, i, &buffers[i]);
        b->next[i] += buffers[i].row_count;
        b->rows += buffers[i].row_count;
        b->most_rows = buffers[i].row_count > b->most_rows ? buffers[i].row_count : b->most_rows;
    }
    return WVL_OK;
}

static wvl_status rewind_rows(void *user, char *error, size_t error_bytes)
{
    rows_bench *b = user;
    REQUIRE(!b->releases);
    b->rewinds++;
    memset(b->next, 0, sizeof b->next);
    if (b->rewind_fails) {
        snprintf(error, error_bytes, "the tape is stuck");
    }
    return b->rewind_fails ? WVL_ERROR_INPUT : WVL_OK;
}

static void release_rows(void *user) { ((rows_bench *)user)->releases++; }

void rows_open(rows_bench *b, const picture *from, int interleaved, int can_rewind)
{
    memset(b, 0, sizeof *b);
    REQUIRE(from->count <= ROWS_MOST_COMPONENTS);
    b->from = from;
    b->interleaved = interleaved;
    b->fails_at = UINT32_MAX;
    for (uint32_t c = 0; c < from->count; c++) {
        unsigned bytes = bytes_of(&from->planes[c]);
        b->components[c] = (wvl_row_component){.buffer = interleaved ? 0 : c,
                                               .sample_stride = interleaved ? from->count : 1,
                                               .first_sample = interleaved ? c : 0,
                                               .container = bytes == 4 ? WVL_SAMPLE_32 : (uint8_t)bytes};
    }
    b->source = (wvl_row_source){.struct_size = sizeof b->source,
                                 .components = b->components,
                                 .component_count = from->count,
                                 .read = read_rows,
                                 .rewind = can_rewind ? rewind_rows : NULL,
                                 .release = release_rows,
                                 .user = b};
}

/* ---- Encodes --------------------------------------------------------------------------------- */

rows_output rows_encode(const picture *p, const char *settings, uint32_t threads, rows_bench *rows, uint32_t strip)
{
    rows_output out = {.status = WVL_OK};
    owned_context *context = test_open_context(threads);
    wvl_sink sink;
    void *data;
    owned_input input = picture_open_input(p, 0);
    owned_plan *plan = test_open_plan(context, &input.format, settings);
    plan->test.strip_rows = strip;
    REQUIRE(wvl_sink_open_memory(context, &sink) == WVL_OK);
    wvl_control control = {.struct_size = sizeof control, .cancel = rows ? rows->cancel : NULL};
    out.status =
        rows ? wvl_encode_rows(plan, &rows->source, rows->options, &sink, &control, NULL, out.error, sizeof out.error)
             : wvl_encode(plan, &input.image, &sink, NULL, NULL, out.error, sizeof out.error);
    if (out.status == WVL_OK) {
        REQUIRE(wvl_sink_take_memory(&sink, &data, &out.bytes) == WVL_OK);
        out.data = malloc(out.bytes);
        memcpy(out.data, data, out.bytes);
        wvl_memory_release(context, data, out.bytes);
    } else {
        wvl_sink_discard(&sink);
    }
    REQUIRE(!rows || rows->releases == 1);
    return out;
}

void rows_free(rows_output *output) { free(output->data); }

void rows_compare(const char *what, const rows_output *a, const rows_output *b)
{
    REQUIRE_THAT(a->status == WVL_OK && b->status == WVL_OK, "%s: %d %s, %d %s", what, a->status, a->error, b->status,
                 b->error);
    REQUIRE_THAT(a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes), "%s: other bytes (%zu, %zu)", what,
                 a->bytes, b->bytes);
}

/* ---- Pictures and sinks ----------------------------------------------------------------------- */

picture rows_draw(int kind)
{
    static const wvl_component_format subsampled[3] = {
        {.depth = 8, .dx = 1, .dy = 1}, {.depth = 8, .dx = 2, .dy = 2}, {.depth = 12, .dx = 2, .dy = 1}};
    static const wvl_component_format deep[2] = {{.depth = 16, .dx = 1, .dy = 1},
                                                 {.depth = 20, .is_signed = 1, .dx = 1, .dy = 3}};
    wvl_image_format format = {.struct_size = sizeof format, .x0 = 13, .y0 = 7, .x1 = 190, .y1 = 221};
    switch (kind) {
    case 0: return picture_draw(PICTURE_NATURAL, 201, 187, 3, 8, 5);
    case 3: return picture_draw(PICTURE_NATURAL, 300, 1, 1, 8, 5);
    case 4: return picture_draw(PICTURE_NATURAL, 1, 300, 1, 8, 5);
    default: break;
    }
    format.component_count = kind == 1 ? 3 : 2;
    format.components = kind == 1 ? subsampled : deep;
    return picture_draw_format(PICTURE_NATURAL, &format, 9);
}

int rows_expect(void *user, const void *data, size_t bytes)
{
    rows_output *whole = user;
    int is_same = !memcmp((uint8_t *)whole->data + whole->bytes, data, bytes);
    whole->bytes += bytes;
    return !is_same;
}
