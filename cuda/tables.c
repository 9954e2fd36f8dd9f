/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/tables.h"

#include <string.h>

#include "base/intmath.h"
#include "cuda/cascade.h"
#include "cuda/launch.h"
#include "cuda/segment.h"
#include "cuda/tables_unit.h"
#include "cuda/tuning.h"
#include "dwt/quant.h"
#include "geom/handover.h"

static uint64_t plane_bytes(const unit *u, unsigned which)
{
    unsigned level = which + 1;
    if (level >= u->tc->levels) {
        return 0;
    }
    wvl_rect r = low_resolution(u, level)->rect;
    return is_empty(r) ? 0 : wvl_align_up(wvl_mul_saturate(pitch_bytes(r), wvl_rect_height(r)), 256);
}

/* The low-low plane of `level`, written at `turn`. */
static wvl_cuda_plane build_plane(const builder *b, const unit *u, unsigned level, uint32_t turn, uint32_t narrow)
{
    wvl_rect r = low_resolution(u, level)->rect;
    return (wvl_cuda_plane){b->memory->planes + u->planes[turn & 1], pitch_bytes(r), r.x0 & ~(WVL_CUDA_PLANE_ALIGN - 1), r.y0, narrow};
}

/* Two levels of 5/3 of a colour difference of 8-bit samples stay below 255 * 1.5^4 + 6. */
static uint32_t writes_narrow(uint32_t kernel)
{
    return kernel == WVL_CUDA_MARCH53_8 || kernel == WVL_CUDA_MARCH53_8N || kernel == WVL_CUDA_MARCH53_8X3 || kernel == WVL_CUDA_MARCH53_8P3 ||
           kernel == WVL_CUDA_MARCH53_8X3W || kernel == WVL_CUDA_MARCH53_8P3W;
}

static void build_band(const builder *b, const unit *u, const wvl_tile_band *from, wvl_cuda_band *to)
{
    if (is_empty(from->rect)) {
        return;
    }
    to->samples = b->memory->coefs + u->coefs + from->coef_offset;
    to->bounds = b->memory->bounds + (u->bounds + from->first_block) * sizeof(uint32_t);
    to->slot_bytes = (uint32_t)(wvl_coef_slot(from, 1) - wvl_coef_slot(from, 0));
    to->row_bytes = (uint64_t)from->block_cols * to->slot_bytes;
    to->rect = from->rect;
    to->block_x0 = from->block_x0;
    to->block_y0 = from->block_y0;
    to->block_cols = from->block_cols;
    to->slot_width = from->slot_width;
    to->reciprocal = from->reciprocal;
    to->xcb = from->xcb;
    to->ycb = from->ycb;
    to->coef_bytes = from->coef_bytes;
    to->deep = (unsigned)(from->planes + from->frac_bits) > WVL_QUANT_FLOAT_BITS;
}

static void build_bands(const builder *b, const unit *u, unsigned r, wvl_cuda_band *bands)
{
    const wvl_tile_resolution *res = &u->tile->resolutions[u->tc->first_resolution + r];
    for (unsigned i = 0; i < res->band_count; i++) {
        const wvl_tile_band *band = &u->tile->bands[res->first_band + i];
        build_band(b, u, band, &bands[band->orient]);
    }
}

/* The colour transform takes components 0..2. */
static void build_input(const builder *b, const unit *u, wvl_cuda_job *job)
{
    int mixed = u->tile->mct != WVL_MCT_NONE && u->component < 3;
    job->from_pixels = 1;
    job->mct_part = mixed ? (uint8_t)(u->component + 1) : 0;
    memcpy(job->pixels, b->memory->pixels + (mixed ? 0 : u->component), (mixed ? 3 : 1) * sizeof *job->pixels);
}

/* The job that begins at `level` (0: no decomposition). */
static void build_job(const builder *b, const unit *u, unsigned level, wvl_cuda_job *job)
{
    unsigned levels = u->tc->levels;
    memset(job, 0, sizeof *job);
    job->levels = level ? WVL_CUDA_SPLIT : WVL_CUDA_PLAIN;
    job->reversible = u->tc->reversible;
    job->outside = b->memory->outside;
    job->rect = low_resolution(u, level ? level - 1 : 0)->rect;
    if (level < 2) {
        build_input(b, u, job);
    } else {
        job->in = build_plane(b, u, level - 1, u->turn - 1, u->narrow);
    }
    if (level) {
        build_bands(b, u, levels - level + 1, job->band);
    }
    if (level == levels) {
        build_bands(b, u, 0, job->band);
    } else {
        job->low = build_plane(b, u, level, u->turn, 0);
    }
}

/* Tiles of an any-shape job, the first of which begins at the last multiple of 8 up to the rectangle. */
static void tile_grid(wvl_rect r, uint32_t *cols, uint32_t *rows)
{
    *cols = (uint32_t)wvl_ceil_div((uint64_t)r.x1 - (r.x0 & ~7u), WVL_CUDA_TILE_WIDTH);
    *rows = (uint32_t)wvl_ceil_div((uint64_t)r.y1 - (r.y0 & ~7u), WVL_CUDA_TILE_HEIGHT);
}

/* Levels from this one on that one thread block takes, one after the other; 0: tiles, which also bound the counts of a chain. */
static uint32_t chain_length(const builder *b, const unit *u, unsigned level)
{
    uint32_t cols, rows;
    if (!b->memory || (b->options & WVL_CUDA_PLAIN_PATH) || b->components > WVL_CUDA_CHAIN_COMPONENTS || !level || u->tc->levels < level + 1) {
        return 0;
    }
    tile_grid(low_resolution(u, level - 1)->rect, &cols, &rows);
    uint32_t length = 0; /* an odd line of one sample leaves nothing to the next level */
    while (level + length <= u->tc->levels && !is_empty(low_resolution(u, level + length - 1)->rect)) {
        length++;
    }
    return (uint64_t)cols * rows <= WVL_CUDA_CHAIN_TILES && length > 1 ? length : 0;
}

static void add_tiles(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    uint32_t cols, rows;
    tile_grid(low_resolution(u, level ? level - 1 : 0)->rect, &cols, &rows);
    uint64_t count = (uint64_t)cols * rows;
    if (b->memory) {
        wvl_cuda_item *item = t->items + t->item_count;
        build_job(b, u, level, t->jobs + t->job_count);
        for (uint32_t y = 0; y < rows; y++) {
            for (uint32_t x = 0; x < cols; x++) {
                *item++ = (wvl_cuda_item){(uint32_t)t->job_count, x, y};
            }
        }
    } else {
        count += rows + 2; /* where it marches instead, rounding up may need one more row of warps */
    }
    t->job_count++;
    t->item_count += count;
}

static void add_any(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    uint32_t chain = chain_length(b, u, level);
    if (!chain) {
        add_tiles(b, u, level);
        return;
    }
    for (uint32_t k = 0; k < chain; k++) {
        unit one = *u;
        one.turn += k;
        one.narrow = k ? 0 : u->narrow;
        build_job(b, &one, level + k, &t->jobs[t->job_count + k]);
        t->jobs[t->job_count + k].chain = (uint8_t)(chain - k);
    }
    t->items[t->item_count++] = (wvl_cuda_item){(uint32_t)t->job_count, 0, 0};
    t->job_count += chain;
}

/* ---- Marching -------------------------------------------------------------------------------------------------------------------- */

static uint32_t march_columns(uint32_t kernel)
{
    int wide = kernel == WVL_CUDA_MARCH53_8 || kernel == WVL_CUDA_MARCH97_8 || kernel >= WVL_CUDA_MARCH53_8X3W;
    return wide ? WVL_CUDA_MARCH_COLUMNS_8 : WVL_CUDA_MARCH_COLUMNS;
}

/* Lanes at either side that a strip shares with its neighbour: 6 columns are needed in 5/3, 12 in 9/7. A second lane makes what 5/3 stores begin with
 * whole sectors at both levels, which is worth more than the samples computed twice, unless it costs a strip where there are few. */
static uint32_t march_room(const builder *b, const unit *u, unsigned level, uint32_t kernel)
{
    uint32_t columns = march_columns(kernel), lanes = wvl_rect_width(level_rect(u, level)) / columns;
    uint64_t few = wvl_ceil_div(lanes, 30), many = wvl_ceil_div(lanes, 28);
    if (lanes <= 32) {
        return 0;
    }
    if (!u->tc->reversible) {
        return columns == WVL_CUDA_MARCH_COLUMNS_8 ? 1 : 2;
    }
    int cheap = 16 * (many - few) <= few || b->components >= WVL_CUDA_MARCH_MANY;
    return cheap && kernel != WVL_CUDA_PLANE53_W ? 2 : 1;
}

static uint32_t march_strips(const builder *b, const unit *u, unsigned level, uint32_t kernel)
{
    uint32_t lanes = wvl_rect_width(level_rect(u, level)) / march_columns(kernel);
    return (uint32_t)wvl_ceil_div(lanes, 32 - 2 * march_room(b, u, level, kernel));
}

/* Iterations of four rows from the first row of the level to the last of the next: march.cu has the same sum. */
static uint32_t march_iterations(const unit *u, unsigned level)
{
    wvl_rect r = level_rect(u, level);
    int64_t y0 = r.y0, y1 = r.y1, lag = !u->tc->reversible;
    int64_t base = ((y0 >> 1) - 1) >> 1, one = (((y1 - 1) >> 1) - 1) >> 1, two = ((((y1 + 1) >> 1) - 1) >> 1) + lag;
    return (uint32_t)((one > two ? one : two) + 1 - base);
}

/* Warps of the kernel that a multiprocessor holds. */
static uint64_t march_warps(uint32_t kernel, int reversible)
{
    if (kernel >= WVL_CUDA_MARCH53_8X3 && kernel <= WVL_CUDA_MARCH97_8P3) {
        return reversible ? WVL_CUDA_MARCH_WARPS53_X3 : WVL_CUDA_MARCH_WARPS97_X3;
    }
    if (kernel == WVL_CUDA_MARCH97_8X3W || kernel == WVL_CUDA_MARCH97_8P3W) {
        return 3 * WVL_CUDA_MARCH_BLOCKS97_X3W; /* as many strips are counted */
    }
    if (kernel == WVL_CUDA_MARCH53_8) {
        return WVL_CUDA_MARCH_COUNTED53_HALF;
    }
    if (kernel >= WVL_CUDA_PLANE53_P && kernel <= WVL_CUDA_PLANE53_SP) {
        return reversible ? WVL_CUDA_MARCH_WARPS53_PACKED : WVL_CUDA_MARCH_WARPS97_PACKED;
    }
    if (kernel == WVL_CUDA_MARCH53_16W) {
        return WVL_CUDA_MARCH_WARPS53_16W;
    }
    if (march_columns(kernel) == WVL_CUDA_MARCH_COLUMNS_8) {
        return reversible ? WVL_CUDA_MARCH_WARPS53_8 : WVL_CUDA_MARCH_WARPS97_8;
    }
    return reversible ? WVL_CUDA_MARCH_WARPS53 : WVL_CUDA_MARCH_WARPS97;
}

static uint32_t march_segment(const builder *b, const unit *u, unsigned level)
{
    uint64_t strips = wvl_max_u64(b->strips * wvl_max_u64(b->options >> 8, 1), 1);
    return wvl_cuda_choose_segment(strips, march_warps(b->kernel, u->tc->reversible) * WVL_CUDA_MARCH_MULTIPROCESSORS, march_iterations(u, level),
                                   u->tc->reversible ? WVL_CUDA_RUN_IN53 : WVL_CUDA_RUN_IN97,
                                   level > 1 ? WVL_CUDA_PLANE_SEGMENT_MIN : WVL_CUDA_MARCH_SEGMENT_MIN);
}

/* The three bands of a level share their block grid and first row, and hold `bytes` a coefficient. */
static int bands_march(const wvl_tile_plan *tile, const wvl_tile_resolution *res, unsigned bytes)
{
    const wvl_tile_band *first = &tile->bands[res->first_band];
    for (unsigned i = 0; i < 3; i++) {
        const wvl_tile_band *band = &first[i];
        uint64_t slots = (uint64_t)band->block_cols * band->block_rows * band->slot_width * band->slot_height * band->coef_bytes;
        if (is_empty(band->rect) || band->coef_bytes != bytes || band->xcb < 3 || band->xcb != first->xcb || band->ycb != first->ycb ||
            band->slot_width != first->slot_width || band->slot_height != first->slot_height || band->block_cols != first->block_cols ||
            band->block_x0 != first->block_x0 || band->block_y0 != first->block_y0 || band->rect.x0 != first->rect.x0 ||
            band->rect.y0 != first->rect.y0 || (bytes == 2 && (unsigned)(band->planes + band->frac_bits) > WVL_QUANT_FLOAT_BITS) || slots >> 31) {
            return 0;
        }
    }
    return 1;
}

static int shape_marches(const unit *u, unsigned level, uint32_t columns, unsigned bytes)
{
    if (u->tc->levels < level + 2) {
        return 0;
    }
    wvl_rect r = level_rect(u, level);
    if (wvl_rect_width(r) < WVL_CUDA_MARCH_SIDE_MIN || wvl_rect_height(r) < WVL_CUDA_MARCH_SIDE_MIN || r.x0 % columns ||
        wvl_rect_width(r) % columns || r.x1 >> 30 || r.y1 >> 30 || pitch_bytes(r) * wvl_rect_height(r) >> 32) {
        return 0;
    }
    return bands_march(u->tile, low_resolution(u, level) + 1, bytes) && bands_march(u->tile, low_resolution(u, level + 1) + 1, bytes);
}

/* Rows that lanes of `lane_bytes` may load whole. */
static int pixels_march(const wvl_cuda_pixels *p, const unit *u, uint32_t stride, uint32_t bytes, uint32_t lane_bytes)
{
    uint32_t align = lane_bytes % 16 ? 8 : 16;
    uint64_t at = p->data + (uint64_t)(u->tc->rect.x0 - p->x0) * stride * bytes;
    return p->stride == stride && !p->is_signed && p->container == (bytes == 1 ? WVL_SAMPLE_8 : WVL_SAMPLE_16) &&
           (bytes == 2 || (p->depth == 8 && p->half == 128 && !p->bias)) &&
           at % align == 0 && p->pitch_bytes % align == 0 && p->pitch_bytes > 0 &&
           (uint64_t)p->pitch_bytes * (u->tc->rect.y1 - p->y0) >> 32 == 0;
}

static unsigned coefficient_bytes(const unit *u, unsigned level) { return u->tile->bands[(low_resolution(u, level) + 1)->first_band].coef_bytes; }

static uint32_t choose_gray(const builder *b, const unit *u)
{
    const wvl_cuda_pixels *p = &b->memory->pixels[u->component];
    unsigned bytes = u->tc->levels ? coefficient_bytes(u, 1) : 0;
    uint32_t kernel = WVL_CUDA_KERNELS;
    if (p->first) {
        return WVL_CUDA_KERNELS;
    }
    if (bytes == 2 && pixels_march(p, u, 1, 1, 16) && shape_marches(u, 1, 16, 2) && wvl_rect_width(u->tc->rect) > 32 * WVL_CUDA_MARCH_COLUMNS) {
        kernel = WVL_CUDA_MARCH53_8;
    } else if (bytes == 2 && pixels_march(p, u, 1, 1, 8) && shape_marches(u, 1, 8, 2)) {
        kernel = WVL_CUDA_MARCH53_8N;
    } else if (pixels_march(p, u, 1, 2, 16) && shape_marches(u, 1, 8, bytes)) {
        kernel = bytes == 2 ? WVL_CUDA_MARCH53_16 : WVL_CUDA_MARCH53_16W;
    }
    return kernel == WVL_CUDA_KERNELS ? kernel : kernel + !u->tc->reversible;
}

/* Whether all of three components agree on lanes of so many columns. */
static int colors_march(const builder *b, const unit *u, int shared, uint32_t columns)
{
    const wvl_cuda_pixels *p = b->memory->pixels;
    int fit = 1;
    for (uint32_t i = 0; i < 3; i++) {
        unit one = *u;
        one.tc = &u->tile->components[i];
        fit = fit && pixels_march(&p[i], &one, shared ? 3 : 1, 1, shared ? 3 * columns : columns) &&
              p[i].first == (shared ? i : 0) && p[i].data % 8 == 0 &&
              (!shared || p[i].data == p[0].data) && p[i].pitch_bytes == p[0].pitch_bytes && shape_marches(&one, 1, columns, 2) &&
              one.tc->reversible == u->tc->reversible;
    }
    return fit;
}

/* One of three components. 16 columns a lane are faster by more than an eighth, but lanes of the last strip may idle. */
static uint32_t choose_color(const builder *b, const unit *u)
{
    const wvl_cuda_pixels *p = b->memory->pixels;
    int shared = p[1].data == p[0].data, narrow = !u->tc->reversible;
    uint32_t few = march_strips(b, u, 1, WVL_CUDA_MARCH53_8X3W), many = march_strips(b, u, 1, WVL_CUDA_MARCH53_8X3 + (uint32_t)narrow);
    int fits = !shared || wvl_rect_width(u->tc->rect) >= 32 * WVL_CUDA_MARCH_COLUMNS_8; /* interleaved rows come by whole warps */
    if (fits && 16 * few <= 9 * many && colors_march(b, u, shared, WVL_CUDA_MARCH_COLUMNS_8)) {
        return (uint32_t)(shared ? WVL_CUDA_MARCH53_8X3W : WVL_CUDA_MARCH53_8P3W) + (uint32_t)narrow;
    }
    return !colors_march(b, u, shared, WVL_CUDA_MARCH_COLUMNS) ? (uint32_t)WVL_CUDA_KERNELS
                                                              : (uint32_t)(shared ? WVL_CUDA_MARCH53_8X3 : WVL_CUDA_MARCH53_8P3) + (uint32_t)narrow;
}

static int is_mixed(const unit *u) { return u->tile->mct != WVL_MCT_NONE && u->component < 3; }

static uint32_t choose_plane(const unit *u, unsigned level)
{
    if (u->tc->levels < level + 2) {
        return WVL_CUDA_KERNELS;
    }
    unsigned bytes = coefficient_bytes(u, level);
    if (!shape_marches(u, level, 8, bytes)) {
        return WVL_CUDA_KERNELS;
    }
    int packs = pack_size(level_rect(u, level)) > 1;
    if (u->narrow) {
        return packs ? WVL_CUDA_PLANE53_SP : WVL_CUDA_PLANE53_S;
    }
    uint32_t kernel = packs ? (bytes == 2 ? WVL_CUDA_PLANE53_P : WVL_CUDA_PLANE53_WP) : bytes == 2 ? WVL_CUDA_PLANE53 : WVL_CUDA_PLANE53_W;
    return kernel + !u->tc->reversible;
}

/* Levels from this one on that one launch takes tile by tile. */
static unsigned cascade_levels(const unit *u, unsigned level)
{
    return u->tc->levels < level ? 0 : wvl_min_u32(u->tc->levels - level + 1u, WVL_CUDA_CASCADE_LEVELS);
}

static int shape_cascades(const unit *u, unsigned level)
{
    unsigned bytes = coefficient_bytes(u, level), last = level + cascade_levels(u, level) - 1;
    wvl_rect r = level_rect(u, level);
    int fit = wvl_rect_width(r) >= WVL_CUDA_CASCADE_SIDE_MIN && wvl_rect_height(r) >= WVL_CUDA_CASCADE_SIDE_MIN && !(r.x1 >> 30) && !(r.y1 >> 30) &&
              !(pitch_bytes(r) * wvl_rect_height(r) >> 32) && !(u->narrow && bytes == 4);
    for (unsigned l = level; l <= last && fit; l++) {
        fit = !((level_rect(u, l).x0 | level_rect(u, l).y0) & 3) && bands_march(u->tile, low_resolution(u, l) + 1, bytes);
    }
    const wvl_tile_band *low = &u->tile->bands[low_resolution(u, u->tc->levels)->first_band];
    return fit && (last < u->tc->levels || (low->coef_bytes == bytes && low->xcb > 1 &&
                                            (bytes == 4 || (unsigned)(low->planes + low->frac_bits) <= WVL_QUANT_FLOAT_BITS)));
}

static uint32_t choose_cascade(const unit *u, unsigned level)
{
    if (!cascade_levels(u, level) || pack_size(level_rect(u, level)) > 1 || !shape_cascades(u, level)) {
        return WVL_CUDA_KERNELS;
    }
    uint32_t kernel = coefficient_bytes(u, level) == 2 ? WVL_CUDA_CASCADE53 : WVL_CUDA_CASCADE53_W;
    return u->narrow ? (uint32_t)WVL_CUDA_CASCADE53_S : kernel + !u->tc->reversible;
}

static int is_cascade(uint32_t kernel) { return kernel >= WVL_CUDA_CASCADE53 && kernel <= WVL_CUDA_CASCADE53_S; }

/* Levels that a launch takes of a component beyond the first; any-shape kernels: none. */
static unsigned further_levels(const unit *u, unsigned level, uint32_t kernel)
{
    return kernel == WVL_CUDA_KERNELS ? 0 : is_cascade(kernel) ? cascade_levels(u, level) - 1 : 1;
}

/* Too little for marching to fill the machine. */
static int is_little(const builder *b, const unit *u, unsigned level)
{
    uint64_t samples = (uint64_t)wvl_rect_width(level_rect(u, level)) * wvl_rect_height(level_rect(u, level)) * b->components;
    return samples <= (u->tc->reversible ? WVL_CUDA_CASCADE_LITTLE53 : WVL_CUDA_CASCADE_LITTLE97);
}

/* Which kernel takes this level and others at once; WVL_CUDA_KERNELS: none. */
static uint32_t choose_march(const builder *b, const unit *u, unsigned level)
{
    if (!b->memory || (b->options & WVL_CUDA_PLAIN_PATH)) {
        return WVL_CUDA_KERNELS;
    }
    if (level > 1) {
        uint32_t march = choose_plane(u, level), cascade = choose_cascade(u, level);
        return cascade < WVL_CUDA_KERNELS && (march == WVL_CUDA_KERNELS || is_little(b, u, level)) ? cascade : march;
    }
    return is_mixed(u) ? choose_color(b, u) : choose_gray(b, u);
}

static void build_march(const builder *b, const unit *u, unsigned level, wvl_cuda_job *job)
{
    memset(job, 0, sizeof *job);
    job->levels = WVL_CUDA_SPLIT_TWICE;
    job->reversible = u->tc->reversible;
    job->outside = b->memory->outside;
    job->rect = level_rect(u, level);
    job->room = march_room(b, u, level, b->kernel);
    job->segment = march_segment(b, u, level);
    job->pack = 1;
    if (level > 1) {
        job->in = build_plane(b, u, level - 1, u->turn - 1, u->narrow);
    } else {
        build_input(b, u, job);
    }
    build_bands(b, u, u->tc->levels - level + 1u, job->band);
    build_bands(b, u, u->tc->levels - level, job->deep_band);
    job->low = build_plane(b, u, level + 1, u->turn, writes_narrow(b->kernel));
}

static int bands_alike(const wvl_cuda_band *a, const wvl_cuda_band *b)
{
    int alike = 1;
    for (unsigned i = 1; i < 4; i++) {
        alike = alike && a[i].row_bytes == b[i].row_bytes && a[i].rect.y0 == b[i].rect.y0 && a[i].block_y0 == b[i].block_y0 &&
                a[i].block_cols == b[i].block_cols && a[i].slot_width == b[i].slot_width && a[i].slot_bytes == b[i].slot_bytes &&
                a[i].xcb == b[i].xcb && a[i].ycb == b[i].ycb && a[i].deep == b[i].deep;
    }
    return alike;
}

/* Whether one warp may take both. */
static int jobs_alike(const wvl_cuda_job *a, const wvl_cuda_job *b)
{
    return wvl_rect_width(a->rect) == wvl_rect_width(b->rect) && a->rect.y0 == b->rect.y0 && a->rect.y1 == b->rect.y1 &&
           a->segment == b->segment && a->in.pitch_bytes == b->in.pitch_bytes && a->in.y0 == b->in.y0 &&
           a->low.pitch_bytes == b->low.pitch_bytes && a->low.y0 == b->low.y0 && bands_alike(a->band, b->band) &&
           bands_alike(a->deep_band, b->deep_band);
}

/* Makes the job the next of those that the last one with items begins, if there is room. */
static int joins_pack(builder *b, wvl_cuda_job *job)
{
    if (b->kernel < WVL_CUDA_PLANE53_P || b->kernel > WVL_CUDA_PLANE53_SP || b->tables->job_count == b->first_job) {
        return 0;
    }
    wvl_cuda_job *leader = &b->tables->jobs[b->tables->items[b->tables->item_count - 1].job];
    if (leader->pack >= pack_size(leader->rect) || !jobs_alike(leader, job)) {
        return 0;
    }
    leader->pack++;
    return 1;
}

/* The jobs of three components follow one another; the first has the items. */
static void add_march(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    wvl_cuda_job *job = &t->jobs[t->job_count];
    build_march(b, u, level, job);
    if (joins_pack(b, job)) {
        t->job_count++;
        return;
    }
    uint32_t strips = march_strips(b, u, level, b->kernel), rows = (uint32_t)wvl_ceil_div(march_iterations(u, level), job->segment);
    for (uint32_t y = 0; y < rows && !(level == 1 && is_mixed(u) && u->component); y++) {
        for (uint32_t x = 0; x < strips; x++) {
            t->items[t->item_count++] = (wvl_cuda_item){(uint32_t)t->job_count, x, y};
        }
    }
    t->job_count++;
}

/* A job a level; the first has the items. */
static void add_cascade(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    wvl_cuda_job *job = &t->jobs[t->job_count];
    uint32_t levels = cascade_levels(u, level);
    for (uint32_t k = 0; k < levels; k++) {
        unit one = *u;
        one.turn += k;
        one.narrow = k ? 0 : u->narrow;
        build_job(b, &one, level + k, &job[k]);
        job[k].chain = (uint8_t)(levels - k);
    }
    wvl_rect r = job[levels - 1].rect;
    uint32_t width = wvl_rect_width(r), height = r.y1 - (r.y0 & ~7u);
    if (!b->cascade || b->cascade->chain != levels || !rects_alike(b->cascade[levels - 1].rect, r)) { /* not for every tile anew */
        wvl_cuda_choose_cascade(b->components, width, height, job->reversible, (int)levels, &b->tile_width, &b->tile_height);
    }
    job->tile_width = b->tile_width;
    job->tile_height = b->tile_height;
    b->cascade = job;
    for (uint32_t y = 0; y * job->tile_height < height; y++) {
        for (uint32_t x = 0; x * job->tile_width < width; x++) {
            t->items[t->item_count++] = (wvl_cuda_item){(uint32_t)t->job_count, x, y};
        }
    }
    t->job_count += levels;
}

static void count_strips(builder *b, const unit *u, unsigned level)
{
    uint32_t pack = b->kernel >= WVL_CUDA_PLANE53_P && b->kernel <= WVL_CUDA_PLANE53_SP ? pack_size(level_rect(u, level)) : 1;
    b->strips += 32u / pack * march_strips(b, u, level, b->kernel);
}

/* ---- All jobs -------------------------------------------------------------------------------------------------------------------- */

/* The kernel that begins with this level of the component; WVL_CUDA_KERNELS: none does, or the one before has taken it. Components without
 * decomposition go with the first level. */
static uint32_t choose_kernel(const builder *b, unit *u, unsigned level)
{
    if ((u->tc->levels < level && level != 1) || is_empty(level_rect(u, u->tc->levels ? level : 0))) {
        return WVL_CUDA_KERNELS;
    }
    int taken = 0;
    unsigned further = 0;    /* levels that the launch in front takes from this one on */
    uint32_t march = WVL_CUDA_KERNELS, front = WVL_CUDA_KERNELS;
    u->turn = u->narrow = 0;
    for (unsigned l = 1; l <= level; l++) {
        taken = further > 0;
        u->narrow = taken ? u->narrow : writes_narrow(front);
        uint32_t chain = taken ? 0 : chain_length(b, u, l);
        if (chain && l < level) {
            return WVL_CUDA_KERNELS;
        }
        march = taken || chain ? (uint32_t)WVL_CUDA_KERNELS : choose_march(b, u, l);
        further = taken ? further - 1 : further_levels(u, l, march);
        u->turn += !taken && l < level;
        front = taken ? front : march;
    }
    if (taken || march != WVL_CUDA_KERNELS) {
        return march;
    }
    return u->tc->reversible ? WVL_CUDA_ANY53 : WVL_CUDA_ANY97;
}

typedef void (*visit)(builder *b, const unit *u, unsigned level);

/* Calls for every component of which b->kernel begins with the level. */
static void walk_units(builder *b, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned level, visit call)
{
    wvl_cuda_tables *t = b->tables;
    t->plane_bytes = t->coef_bytes = t->block_count = 0;
    for (uint32_t i = 0; i < tile_count; i++) {
        for (uint32_t c = 0; c < b->plan->component_count; c++) {
            unit u = {.tile = &tiles[i], .tc = &tiles[i].components[c], .component = c, .coefs = t->coef_bytes, .bounds = t->block_count};
            for (unsigned which = 0; which < 2; which++) {
                u.planes[which] = t->plane_bytes;
                t->plane_bytes = wvl_add_saturate(t->plane_bytes, plane_bytes(&u, which));
            }
            if (choose_kernel(b, &u, level) == b->kernel) {
                call(b, &u, u.tc->levels ? level : 0);
            }
        }
        t->coef_bytes = wvl_add_saturate(t->coef_bytes, tiles[i].coef_bytes);
        t->block_count = wvl_add_saturate(t->block_count, tiles[i].block_count);
    }
}

static void build_round(builder *b, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    uint64_t first = t->item_count;
    int marches = b->kernel >= WVL_CUDA_PLANE53;
    b->strips = 0;
    if (marches) {
        walk_units(b, tiles, tile_count, level, count_strips);
        b->strips = wvl_ceil_div(b->strips, 32);
    }
    b->first_job = t->job_count;
    b->cascade = NULL;
    walk_units(b, tiles, tile_count, level, marches ? add_march : is_cascade(b->kernel) ? add_cascade : add_any);
    if (t->item_count > first) {
        if (b->memory) {
            t->rounds[t->round_count] = (wvl_cuda_round){b->kernel, (uint32_t)first, (uint32_t)(t->item_count - first)};
        }
        t->round_count++;
    }
}

void wvl_cuda_build_tables(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned options,
                           const wvl_cuda_memory *memory, wvl_cuda_tables *tables)
{
    builder b = {.plan = plan, .memory = memory, .tables = tables, .options = options};
    b.components = (uint64_t)tile_count * plan->component_count * wvl_max_u64(options >> 8, 1);
    tables->job_count = tables->item_count = 0;
    tables->round_count = memory ? 0 : WVL_CUDA_KERNELS + (WVL_CUDA_PLANE53_SP + 1) * WVL_MAX_LEVELS;
    for (unsigned level = 1; level <= wvl_max_u32(plan->max_levels, 1); level++) {
        for (b.kernel = 0; b.kernel < (level == 1 ? (uint32_t)WVL_CUDA_KERNELS : WVL_CUDA_PLANE53_SP + 1u); b.kernel++) {
            build_round(&b, tiles, tile_count, level);
        }
    }
}
