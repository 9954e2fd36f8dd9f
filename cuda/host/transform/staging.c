/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/transform/staging.h"

#define ROWS_PER_TASK 16u
#define TASKS_MAX 256u
#define PIECE_BYTES                                                                                                    \
    (UINT64_C(2) << 20) /* sent while more is copied: 40 us on a bus of 50 GB/s, several times what a call costs */

#define PACKED_MOST 4u /* components that go up together as they lie */

/* Pixels of one component, or of several that interleave. */
typedef struct stage {
    const uint8_t *from; /* row `rect.y0` of the job, first container */
    ptrdiff_t from_pitch;
    uint8_t *to;
    uint64_t to_pitch, row_bytes;
    uint64_t first, stride; /* gathered: containers of the source */
    uint32_t rows, rows_per_task, width, to_bytes;
    uint32_t bias, depth; /* checked where containers shrink */
    int gathered, is_signed;
    int is_other; /* containers other than those that travel */
    uint8_t container;
    _Atomic uint32_t *outside;
    uint64_t offset; /* of the first sample, in the staging memory: `to` */
    /* Sent on the way, by the calling thread: */
    wvl_cuda_staging *sends; /* NULL: afterwards */
    uint64_t at;             /* of the rows, in the staging memory */
    uint32_t whole;          /* tasks, from the first on without a gap, whose rows lie there */
    _Atomic uint8_t *done;   /* [tasks] */
} stage;

wvl_rect wvl_cuda_fetch_rect(const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t c)
{
    wvl_rect all = {UINT32_MAX, UINT32_MAX, 0, 0};
    for (uint32_t t = 0; t < tile_count; t++) {
        wvl_rect r = tiles[t].components[c].rect;
        if (wvl_rect_width(r) && wvl_rect_height(r)) {
            all = (wvl_rect){wvl_min_u32(all.x0, r.x0), wvl_min_u32(all.y0, r.y0), wvl_max_u32(all.x1, r.x1),
                             wvl_max_u32(all.y1, r.y1)};
        }
    }
    return all.x0 < all.x1 ? all : (wvl_rect){0, 0, 0, 0};
}

/* Bytes of the smallest container: what travels. */
static uint32_t sample_bytes(const wvl_plan *plan, uint32_t c) { return wvl_plan_input_depth(plan, c) > 8 ? 2 : 1; }

static unsigned travelling(const wvl_plan *plan, uint32_t c)
{
    return sample_bytes(plan, c) == 1 ? WVL_SAMPLE_8 : WVL_SAMPLE_16;
}

uint64_t wvl_cuda_measure_staging(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count)
{
    uint64_t bytes = 0;
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        bytes = wvl_add_saturate(
            bytes, wvl_cuda_measure_plane(wvl_cuda_fetch_rect(tiles, tile_count, c), sample_bytes(plan, c)));
    }
    return bytes;
}

static uint32_t read_container(const stage *s, const uint8_t *row, uint64_t at)
{
    uint16_t half;
    uint32_t word;
    switch (s->container) {
    case WVL_SAMPLE_8: return s->is_signed ? (uint32_t)(int32_t)(int8_t)row[at] : row[at];
    case WVL_SAMPLE_16: memcpy(&half, row + 2 * at, 2); return s->is_signed ? (uint32_t)(int32_t)(int16_t)half : half;
    case WVL_SAMPLE_32: memcpy(&word, row + 4 * at, 4); return word;
    default: return wvl_container_read(s->container, row, at);
    }
}

/* Any container to the smallest that holds the depth; samples that do not fit are noted. */
static void shrink_row(const stage *s, const uint8_t *from, uint8_t *to)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < s->width; i++) {
        uint32_t v = read_container(s, from, s->first + i * s->stride);
        all |= v + s->bias;
        if (s->to_bytes == 1) {
            to[i] = (uint8_t)v;
        } else {
            uint16_t half = (uint16_t)v;
            memcpy(to + (uint64_t)i * 2, &half, 2);
        }
    }
    if (all >> s->depth) {
        atomic_fetch_or_explicit(s->outside, 1u, memory_order_relaxed);
    }
}

/* Sends up what lies in memory up to there. */
static void send_until(wvl_cuda_staging *staging, uint64_t end)
{
    uint64_t from = staging->sent_bytes;
    if (end > from && !staging->status) {
        staging->status = !from && staging->begun ? staging->runtime->event_record(staging->begun, staging->stream)
                                                  : WVL_CUDA_SUCCESS;
    }
    if (end > from && !staging->status) {
        staging->status = staging->runtime->upload(staging->address + from, staging->memory + from,
                                                   (size_t)(end - from), staging->stream);
    }
    staging->sent_bytes = end;
}

static void send_whole(stage *s)
{
    while ((uint64_t)s->whole * s->rows_per_task < s->rows &&
           atomic_load_explicit(&s->done[s->whole], memory_order_acquire)) {
        s->whole++;
    }
    uint64_t end = s->at + s->to_pitch * wvl_min_u64((uint64_t)s->whole * s->rows_per_task, s->rows);
    if (end >= s->sends->sent_bytes + PIECE_BYTES) {
        send_until(s->sends, end);
    }
}

static void copy_rows(void *arg, uint32_t task, uint32_t worker)
{
    stage *s = arg;
    uint64_t first = (uint64_t)task * s->rows_per_task, end = wvl_min_u64(first + s->rows_per_task, s->rows);
    for (uint64_t y = first; y < end; y++) {
        const uint8_t *from = s->from + (ptrdiff_t)y * s->from_pitch;
        uint8_t *to = s->to + y * s->to_pitch;
        if (s->gathered) {
            /* Strided containers one after the other. */
            if (s->is_other) {
                shrink_row(s, from, to);
            } else if (s->to_bytes == 1) {
                for (uint32_t i = 0; i < s->width; i++) {
                    to[i] = from[s->first + i * s->stride];
                }
            } else {
                for (uint32_t i = 0; i < s->width; i++) {
                    memcpy(to + (uint64_t)i * 2, from + (s->first + i * s->stride) * 2, 2);
                }
            }
        } else {
            memcpy(to, from, s->row_bytes);
        }
    }
    atomic_store_explicit(&s->done[task], 1, memory_order_release);
    if (s->sends && worker == 0) {
        send_whole(s);
    }
}

/* The bus works while the host copies: the calling thread, which alone may call the driver, sends what is there between
 * its own rows. */
static void stage_rows(stage *s, wvl_pool *pool, uint64_t at, wvl_cuda_staging *staging)
{
    _Atomic uint8_t done[TASKS_MAX];
    if (!staging->memory && !staging->status) {
        staging->status = staging->take(staging->user, &staging->memory);
    }
    if (staging->status) {
        return;
    }
    s->to = staging->memory + s->offset;
    memset(done, 0, sizeof done);
    s->rows_per_task = wvl_max_u32(ROWS_PER_TASK, (uint32_t)wvl_ceil_div(s->rows, TASKS_MAX));
    s->at = at;
    s->done = done;
    s->sends = wvl_pool_uses_caller(pool) ? staging : NULL;
    wvl_pool_run(pool, (uint32_t)wvl_ceil_div(s->rows, s->rows_per_task), copy_rows, s);
}

static void describe(const wvl_plan *plan, const wvl_plane *plane, uint32_t c, wvl_cuda_pixels *pixels)
{
    const wvl_plan_component *pc = &plan->syntax.components[c];
    memset(pixels, 0, sizeof *pixels);
    pixels->container = plane->container;
    pixels->is_signed = pc->is_signed;
    pixels->is_float = pc->is_float;
    pixels->depth = (uint8_t)wvl_plan_input_depth(plan, c);
    pixels->half = 1u << (pixels->depth - 1);
    pixels->bias = pc->is_signed ? pixels->half : 0;
    pixels->stride = plane->sample_stride ? plane->sample_stride : 1;
    pixels->first = plane->first_sample;
    pixels->x0 = pc->rect.x0;
    pixels->y0 = pc->rect.y0;
    pixels->data = (uint64_t)(uintptr_t)plane->data;
    pixels->pitch_bytes = plane->pitch_bytes;
}

static uint64_t first_address(const wvl_cuda_pixels *p)
{
    return p->data + p->first * (wvl_container_bits(p->container) / 8);
}

/* How many components from c on are the interleaved pixels of one picture, each pixel nothing but them, in the smallest
 * container. */
static uint32_t interleaved(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                            const wvl_cuda_pixels *pixels, uint32_t c)
{
    const wvl_cuda_pixels *p = &pixels[c];
    uint32_t n = p->stride;
    wvl_rect rect = wvl_cuda_fetch_rect(tiles, tile_count, c);
    if (n < 2 || n > plan->syntax.component_count - c || p->container != travelling(plan, c)) {
        return 1;
    }
    uint64_t sum = 0, lowest = p->first, wanted = 0;
    for (uint32_t i = 0; i < n; i++) {
        wvl_rect other = wvl_cuda_fetch_rect(tiles, tile_count, c + i);
        if (p[i].data != p->data || p[i].pitch_bytes != p->pitch_bytes || p[i].container != p->container ||
            p[i].stride != n || sample_bytes(plan, c + i) != sample_bytes(plan, c) ||
            memcmp(&other, &rect, sizeof rect) != 0) {
            return 1;
        }
        lowest = wvl_min_u64(lowest, p[i].first);
    }
    for (uint32_t i = 0; i < n; i++) { /* distinct, and summing to 0 + .. + n-1: they are those */
        uint64_t place = p[i].first - lowest;
        for (uint32_t k = 0; k < i; k++) {
            if (p[k].first - lowest == place) {
                return 1;
            }
        }
        sum += place;
        wanted += i;
    }
    return sum == wanted ? n : 1;
}

static stage build_stage(const wvl_plan *plan, wvl_rect rect, uint32_t c, uint32_t n, const wvl_cuda_pixels *p)
{
    stage s = {.rows = wvl_rect_height(rect),
               .width = wvl_rect_width(rect),
               .is_signed = p->is_signed,
               .container = p->container};
    s.bias = p->bias;
    s.depth = p->depth;
    s.to_bytes = sample_bytes(plan, c);
    s.is_other = p->container != travelling(plan, c);
    s.gathered = s.is_other || (n == 1 && p->stride != 1);
    s.to_pitch = wvl_align_up(((uint64_t)s.width + rect.x0 % WVL_CUDA_ROW_ROOM) * n * s.to_bytes, 64);
    s.row_bytes = (uint64_t)s.width * n * s.to_bytes;
    s.from_pitch = (ptrdiff_t)p->pitch_bytes;
    s.from = (const uint8_t *)(uintptr_t)p->data + (ptrdiff_t)(rect.y0 - p->y0) * s.from_pitch;
    s.stride = p->stride;
    return s;
}

/* The device fetches the rows itself. */
static void add_copy(const stage *s, uint64_t address, wvl_cuda_staging *staging)
{
    wvl_cuda_copy *copy = &staging->copies[staging->copy_count++];
    memset(copy, 0, sizeof *copy);
    copy->from_kind = 1;
    copy->from_host = s->from;
    copy->from_pitch_bytes = (size_t)s->from_pitch;
    copy->to_kind = 2;
    copy->to_device = address;
    copy->to_pitch_bytes = (size_t)s->to_pitch;
    copy->width_bytes = (size_t)s->row_bytes;
    copy->rows = s->rows;
}

/* Rows that lie, or will lie, at [used, end) of the staging memory: by the device, or by the host. Returns the end. */
static uint64_t send_rows(stage *s, uint64_t address, wvl_pool *pool, uint64_t used, uint64_t end,
                          wvl_cuda_staging *staging)
{
    if (staging->copies && !s->gathered && s->from_pitch > 0 && (uint64_t)s->from_pitch >= s->row_bytes) {
        send_until(staging, used);
        staging->sent_bytes = end; /* this goes by itself */
        add_copy(s, address, staging);
    } else {
        stage_rows(s, pool, used, staging);
    }
    return end;
}

/* Components [c, c + n), n > 1 when they interleave: rows as they lie, or gathered, to offset `used` of the staging
 * memory. Returns its new end. */
static uint64_t stage_components(const wvl_plan *plan, wvl_rect rect, uint32_t c, uint32_t n, wvl_pool *pool,
                                 uint64_t used, wvl_cuda_staging *staging)
{
    wvl_cuda_pixels *p = &staging->pixels[c];
    uint64_t lowest = p->first;
    for (uint32_t i = 1; i < n; i++) {
        lowest = wvl_min_u64(lowest, p[i].first);
    }
    stage s = build_stage(plan, rect, c, n, p);
    uint64_t room = (uint64_t)(rect.x0 % WVL_CUDA_ROW_ROOM) * n * s.to_bytes,
             end = used + wvl_align_up(s.to_pitch * s.rows, 64);
    s.outside = &staging->outside;
    s.offset = used + room;
    s.first = lowest + (uint64_t)(rect.x0 - p->x0) * p->stride;
    if (!s.gathered) {
        s.from += s.first * s.to_bytes;
    }
    (void)send_rows(&s, staging->address + used + room, pool, used, end, staging);
    for (uint32_t i = 0; i < n; i++) {
        p[i].data = staging->address + used + room;
        p[i].pitch_bytes = (int64_t)s.to_pitch;
        p[i].first = n == 1 ? 0 : p[i].first - lowest;
        p[i].stride = n;
        p[i].x0 = rect.x0;
        p[i].y0 = rect.y0;
        p[i].container = (uint8_t)travelling(plan, c);
    }
    return end;
}

/* ---- Packed samples, as they lie ------------------------------------------------------------------------------- */

/* Rows from byte `from` on, of the words that hold containers [first, end) of a row. */
typedef struct packed_rows {
    uint64_t first, from, bytes, pitch;
} packed_rows;

/* How many components from c on are packed and lie in the same rows; 0: none. */
static uint32_t packed_together(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                                const wvl_cuda_pixels *pixels, uint32_t c)
{
    wvl_rect rect = wvl_cuda_fetch_rect(tiles, tile_count, c);
    uint32_t n = 0;
    while (c + n < plan->syntax.component_count && wvl_container_is_packed(pixels[c + n].container)) {
        const wvl_cuda_pixels *p = &pixels[c + n];
        wvl_rect own = wvl_cuda_fetch_rect(tiles, tile_count, c + n);
        if (p->data != pixels[c].data || p->pitch_bytes != pixels[c].pitch_bytes ||
            p->container != pixels[c].container || own.y0 != rect.y0 || own.y1 != rect.y1) {
            break;
        }
        n++;
    }
    return n;
}

/* rects: [n], none empty. */
static packed_rows find_rows(const wvl_rect *rects, const wvl_cuda_pixels *p, uint32_t n)
{
    packed_rows rows = {.first = UINT64_MAX};
    uint64_t end = 0, period = wvl_container_period(p->container);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t first = p[i].first + (uint64_t)(rects[i].x0 - p[i].x0) * p[i].stride;
        rows.first = wvl_min_u64(rows.first, first / period * period);
        end = wvl_max_u64(end, first + (uint64_t)(wvl_rect_width(rects[i]) - 1) * p[i].stride + 1);
    }
    rows.from = wvl_container_bytes(p->container, rows.first);
    rows.bytes = wvl_container_bytes(p->container, end) - rows.from;
    rows.pitch = wvl_align_up(rows.bytes, 64);
    return rows;
}

/* Components [c, c + n) that are packed together. 0: they would take more memory than their integers. */
static int stage_packed(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t c, uint32_t n,
                        wvl_pool *pool, uint64_t *used, wvl_cuda_staging *staging)
{
    wvl_rect rects[PACKED_MOST];
    wvl_cuda_pixels *p = &staging->pixels[c];
    uint64_t room = 0;
    for (uint32_t i = 0; i < n && n <= PACKED_MOST; i++) {
        rects[i] = wvl_cuda_fetch_rect(tiles, tile_count, c + i);
        room += wvl_cuda_measure_plane(rects[i], sample_bytes(plan, c + i));
    }
    if (n > PACKED_MOST || rects[0].x0 >= rects[0].x1) {
        return 0;
    }
    packed_rows rows = find_rows(rects, p, n);
    stage s = {.rows = wvl_rect_height(rects[0]),
               .offset = *used,
               .to_pitch = rows.pitch,
               .row_bytes = rows.bytes,
               .from_pitch = (ptrdiff_t)p->pitch_bytes};
    s.from = (const uint8_t *)(uintptr_t)p->data + (ptrdiff_t)(rects[0].y0 - p->y0) * s.from_pitch + rows.from;
    if (wvl_mul_saturate(s.to_pitch, s.rows) > room) {
        return 0;
    }
    *used = send_rows(&s, staging->address + *used, pool, *used, *used + s.to_pitch * s.rows, staging);
    for (uint32_t i = 0; i < n; i++) {
        p[i].data = staging->address + *used - s.to_pitch * s.rows;
        p[i].pitch_bytes = (int64_t)s.to_pitch;
        p[i].first += (uint64_t)(rects[i].x0 - p[i].x0) * p[i].stride - rows.first;
        p[i].x0 = rects[i].x0;
        p[i].y0 = rects[i].y0;
    }
    return 1;
}

void wvl_cuda_build_staging(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                            const wvl_image *image, wvl_pool *pool, wvl_cuda_staging *staging)
{
    uint64_t used = 0;
    staging->copy_count = 0;
    staging->sent_bytes = 0;
    staging->status = WVL_CUDA_SUCCESS;
    atomic_store(&staging->outside, 0);
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        describe(plan, &image->planes[c], c, &staging->pixels[c]);
    }
    for (uint32_t c = 0, n; c < plan->syntax.component_count; c += n) {
        n = staging->pixels[c].stride;
        n = n <= plan->syntax.component_count - c ? n : 1;
        /* A caller gives pixels that interleave as one address with several first samples, or as several addresses. The
         * latter become the former: what follows knows no other. */
        wvl_cuda_pixels *p = &staging->pixels[c];
        uint64_t lowest = UINT64_MAX, bytes = wvl_container_bits(p->container) / 8;
        int alike = bytes && wvl_container_bits(p->container) % 8 == 0;
        for (uint32_t i = 0; i < n && alike; i++) {
            alike = p[i].stride == n && p[i].pitch_bytes == p->pitch_bytes && p[i].container == p->container;
            lowest = wvl_min_u64(lowest, first_address(&p[i]));
        }
        for (uint32_t i = 0; i < n && alike; i++) {
            uint64_t distance = first_address(&p[i]) - lowest;
            alike = distance % bytes == 0 && distance / bytes < n;
        }
        for (uint32_t i = 0; i < n && alike; i++) {
            p[i].first = (first_address(&p[i]) - lowest) / bytes;
            p[i].data = lowest;
        }
    }
    for (uint32_t c = 0, n; !staging->lies_on_device && c < plan->syntax.component_count; c += n) {
        wvl_rect rect = wvl_cuda_fetch_rect(tiles, tile_count, c);
        n = staging->keeps_packed ? packed_together(plan, tiles, tile_count, staging->pixels, c) : 0;
        if (n && stage_packed(plan, tiles, tile_count, c, n, pool, &used, staging)) {
            continue;
        }
        n = interleaved(plan, tiles, tile_count, staging->pixels, c);
        if (rect.x0 < rect.x1) {
            used = stage_components(plan, rect, c, n, pool, used, staging);
        }
    }
    send_until(staging, used);
}
