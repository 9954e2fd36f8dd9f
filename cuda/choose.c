/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/choose.h"

#include "cuda/beside.h"
#include "cuda/launch.h"
#include "dwt/quant.h"
#include "geom/handover.h"

/* Two levels of 5/3 of a colour difference of 8-bit samples stay below 255 * 1.5^4 + 6. */
uint32_t wvl_cuda_writes_narrow(uint32_t kernel)
{
    return kernel == WVL_CUDA_MARCH53_8 || kernel == WVL_CUDA_MARCH53_8N || kernel == WVL_CUDA_MARCH53_8X3 || kernel == WVL_CUDA_MARCH53_8P3 ||
           kernel == WVL_CUDA_MARCH53_8X3W || kernel == WVL_CUDA_MARCH53_8P3W;
}

/* Tiles of an any-shape job, the first of which begins at the last multiple of 8 up to the rectangle. */
void wvl_cuda_measure_grid(wvl_rect r, uint32_t *cols, uint32_t *rows)
{
    *cols = (uint32_t)wvl_ceil_div((uint64_t)r.x1 - (r.x0 & ~7u), WVL_CUDA_TILE_WIDTH);
    *rows = (uint32_t)wvl_ceil_div((uint64_t)r.y1 - (r.y0 & ~7u), WVL_CUDA_TILE_HEIGHT);
}

/* Levels from this one on that one thread block takes, one after the other; 0: tiles, which also bound the counts of a chain. */
uint32_t wvl_cuda_chain_length(const builder *b, const unit *u, unsigned level)
{
    uint32_t cols, rows;
    if (!b->memory || (b->options & WVL_CUDA_PLAIN_PATH) || b->components > WVL_CUDA_CHAIN_COMPONENTS || !level || u->tc->levels < level + 1) {
        return 0;
    }
    wvl_cuda_measure_grid(low_resolution(u, level - 1)->rect, &cols, &rows);
    uint32_t length = 0; /* an odd line of one sample leaves nothing to the next level */
    while (level + length <= u->tc->levels && !wvl_cuda_is_empty(low_resolution(u, level + length - 1)->rect)) {
        length++;
    }
    return (uint64_t)cols * rows <= WVL_CUDA_CHAIN_TILES && length > 1 ? length : 0;
}

uint32_t wvl_cuda_march_columns(uint32_t kernel)
{
    int wide = kernel == WVL_CUDA_MARCH53_8 || kernel == WVL_CUDA_MARCH97_8 || kernel >= WVL_CUDA_MARCH53_8X3W;
    return wide ? WVL_CUDA_MARCH_COLUMNS_8 : kernel == WVL_CUDA_PLANE97_N ? WVL_CUDA_MARCH_COLUMNS_N : WVL_CUDA_MARCH_COLUMNS;
}

/* Lanes at either side that a strip shares with its neighbour: 6 columns are needed in 5/3, 12 in 9/7. A second lane makes what is stored begin with
 * whole sectors at both levels, which is worth more than the samples computed twice where memory is what is waited for (5/3; 9/7 of one 8-bit component),
 * unless it costs a strip where there are few. */
uint32_t wvl_cuda_march_room(const builder *b, const unit *u, unsigned level, uint32_t kernel)
{
    uint32_t columns = wvl_cuda_march_columns(kernel), lanes = wvl_rect_width(level_rect(u, level)) / columns;
    uint64_t few = wvl_ceil_div(lanes, 30), many = wvl_ceil_div(lanes, 28);
    if (lanes <= 32) {
        return 0;
    }
    if (!u->tc->reversible && kernel != WVL_CUDA_MARCH97_8) {
        return (uint32_t)wvl_ceil_div(12, columns);
    }
    int cheap = 16 * (many - few) <= few || b->components >= WVL_CUDA_MARCH_MANY;
    return cheap && kernel != WVL_CUDA_PLANE53_W ? 2 : 1;
}

uint32_t wvl_cuda_march_strips(const builder *b, const unit *u, unsigned level, uint32_t kernel)
{
    uint32_t lanes = wvl_rect_width(level_rect(u, level)) / wvl_cuda_march_columns(kernel), room = wvl_cuda_march_room(b, u, level, kernel);
    return (uint32_t)wvl_ceil_div(lanes - (wvl_cuda_owns_edges(kernel) ? 2 * room : 0), 32 - 2 * room);
}

/* In 32nds: strips that go on from picture to picture need not be whole. */
uint64_t wvl_cuda_strip_shares(const builder *b, const unit *u, unsigned level, uint32_t kernel)
{
    uint64_t lanes = wvl_rect_width(level_rect(u, level)) / wvl_cuda_march_columns(kernel);
    return wvl_cuda_goes_on(kernel, b->components) ? wvl_ceil_div(32 * lanes, 30) : 32ull * wvl_cuda_march_strips(b, u, level, kernel);
}

/* The outer strips own the lanes of their room at the edges, too. It takes a strip less now and then, but moves what strips own by `room` lanes: two keep
 * sectors whole at one level of two, which costs little in planes, where a quarter of the samples is at the other. */
int wvl_cuda_owns_edges(uint32_t kernel)
{
    return kernel == WVL_CUDA_PLANE97 || kernel == WVL_CUDA_PLANE97_W || kernel == WVL_CUDA_PLANE97_D || kernel == WVL_CUDA_PLANE97_N;
}

/* Alike, inside 31 bits, and 16-bit ones no deeper than the float quantiser proves. */
static int bands_march(const wvl_tile_plan *tile, const wvl_tile_resolution *res, unsigned bytes)
{
    const wvl_tile_band *first = &tile->bands[res->first_band];
    int fit = wvl_cuda_bands_alike(first, bytes);
    for (unsigned i = 0; i < 3 && fit; i++) {
        fit = (bytes != 2 || (unsigned)(first[i].planes + first[i].frac_bits) <= WVL_QUANT_FLOAT_BITS) && !(wvl_cuda_slots_bytes(&first[i]) >> 31);
    }
    return fit;
}

static int shape_marches(const unit *u, unsigned level, uint32_t columns, unsigned bytes)
{
    if (u->tc->levels < level + 2) {
        return 0;
    }
    wvl_rect r = level_rect(u, level);
    if (wvl_rect_width(r) < WVL_CUDA_MARCH_SIDE_MIN || wvl_rect_height(r) < WVL_CUDA_MARCH_SIDE_MIN || r.x0 % columns ||
        wvl_rect_width(r) % columns || r.x1 >> 30 || r.y1 >> 30 || wvl_cuda_pitch_bytes(r) * wvl_rect_height(r) >> 32) {
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

static int bands_deep(const unit *u, const wvl_tile_resolution *res)
{
    int deep = 0;
    for (unsigned i = 0; i < res->band_count; i++) {
        const wvl_tile_band *band = &u->tile->bands[res->first_band + i];
        deep = deep || (unsigned)(band->planes + band->frac_bits) > WVL_QUANT_FLOAT_BITS;
    }
    return deep;
}

/* The kernel, or the one for magnitudes of more bits than the float quantiser proves, if a band of the two levels (or of the last one) has them. */
static uint32_t by_depth(const unit *u, unsigned level, uint32_t kernel)
{
    const wvl_tile_resolution *low = low_resolution(u, level); /* with the bands of the next level, or the last one */
    if (!bands_deep(u, low + 1) && !bands_deep(u, low)) {
        return kernel;
    }
    switch (kernel) {
    case WVL_CUDA_LAST97_W: return WVL_CUDA_LAST97_D;
    case WVL_CUDA_PLANE97_W: return WVL_CUDA_PLANE97_D;
    case WVL_CUDA_MARCH97_16W: return WVL_CUDA_MARCH97_16D;
    default: return kernel;
    }
}

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
    return kernel == WVL_CUDA_KERNELS ? kernel : by_depth(u, 1, kernel + !u->tc->reversible);
}

/* Whether all of three components agree on lanes of so many columns, containers of `bytes` and coefficients of `wide`. */
static int colors_march(const builder *b, const unit *u, int shared, uint32_t columns, uint32_t bytes, unsigned wide)
{
    const wvl_cuda_pixels *p = b->memory->pixels;
    int fit = 1;
    for (uint32_t i = 0; i < 3; i++) {
        unit one = *u;
        one.tc = &u->tile->components[i];
        fit = fit && pixels_march(&p[i], &one, shared ? 3 : 1, bytes, (shared ? 3 * columns : columns) * bytes) &&
              p[i].first == (shared ? i : 0) && p[i].data % 8 == 0 &&
              (!shared || p[i].data == p[0].data) && p[i].pitch_bytes == p[0].pitch_bytes && shape_marches(&one, 1, columns, wide) &&
              one.tc->reversible == u->tc->reversible && p[i].depth == p[0].depth && p[i].half == p[0].half && p[i].bias == p[0].bias;
    }
    return fit;
}

static uint32_t choose_deep_color(const builder *b, const unit *u, int shared)
{
    unsigned wide = u->tc->levels ? coefficient_bytes(u, 1) : 0;
    uint32_t kernel = shared ? WVL_CUDA_MARCH53_16X3 : WVL_CUDA_MARCH53_16P3;
    kernel += wide == 4 ? WVL_CUDA_MARCH53_16X3W - WVL_CUDA_MARCH53_16X3 : 0;
    return colors_march(b, u, shared, WVL_CUDA_MARCH_COLUMNS, 2, wide) ? kernel + !u->tc->reversible : (uint32_t)WVL_CUDA_KERNELS;
}

/* One of three components. 16 columns a lane are faster by more than an eighth, but lanes of the last strip may idle. */
static uint32_t choose_color(const builder *b, const unit *u)
{
    const wvl_cuda_pixels *p = b->memory->pixels;
    int shared = p[1].data == p[0].data, narrow = !u->tc->reversible;
    if (p->container == WVL_SAMPLE_16) {
        return choose_deep_color(b, u, shared);
    }
    uint64_t few = wvl_cuda_strip_shares(b, u, 1, WVL_CUDA_MARCH53_8X3W + (uint32_t)narrow), many = wvl_cuda_strip_shares(b, u, 1, WVL_CUDA_MARCH53_8X3 + (uint32_t)narrow);
    int fits = !shared || narrow || wvl_rect_width(u->tc->rect) >= 32 * WVL_CUDA_MARCH_COLUMNS_8; /* interleaved rows come by whole warps in 5/3 */
    if (fits && 16 * few <= 9 * many && colors_march(b, u, shared, WVL_CUDA_MARCH_COLUMNS_8, 1, 2)) {
        return (uint32_t)(shared ? WVL_CUDA_MARCH53_8X3W : WVL_CUDA_MARCH53_8P3W) + (uint32_t)narrow;
    }
    return !colors_march(b, u, shared, WVL_CUDA_MARCH_COLUMNS, 1, 2) ? (uint32_t)WVL_CUDA_KERNELS
                                                              : (uint32_t)(shared ? WVL_CUDA_MARCH53_8X3 : WVL_CUDA_MARCH53_8P3) + (uint32_t)narrow;
}

int wvl_cuda_is_mixed(const unit *u) { return u->tile->mct != WVL_MCT_NONE && u->component < 3; }

static uint64_t launch_samples(const builder *b, const unit *u, unsigned level)
{
    return (uint64_t)wvl_rect_width(level_rect(u, level)) * wvl_rect_height(level_rect(u, level)) * b->components;
}

int wvl_cuda_plane_is_little(const builder *b, const unit *u, unsigned level)
{
    return level > 1 && !u->tc->reversible && launch_samples(b, u, level) <= WVL_CUDA_PLANE_LITTLE;
}

static uint32_t choose_plane(const builder *b, const unit *u, unsigned level)
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
    kernel = by_depth(u, level, kernel + !u->tc->reversible);
    return kernel == WVL_CUDA_PLANE97_W && wvl_cuda_plane_is_little(b, u, level) ? (uint32_t)WVL_CUDA_PLANE97_N : kernel;
}

unsigned wvl_cuda_cascade_levels(const unit *u, unsigned level)
{
    return u->tc->levels < level ? 0 : wvl_min_u32(u->tc->levels - level + 1u, WVL_CUDA_CASCADE_LEVELS);
}

static int shape_cascades(const unit *u, unsigned level)
{
    unsigned bytes = coefficient_bytes(u, level), last = level + wvl_cuda_cascade_levels(u, level) - 1;
    unsigned least = last > level ? WVL_CUDA_CASCADE_SIDE_MIN : WVL_CUDA_LAST_SIDE_MIN;
    wvl_rect r = level_rect(u, level);
    int fit = wvl_rect_width(r) >= least && wvl_rect_height(r) >= least && !(r.x1 >> 30) && !(r.y1 >> 30) &&
              !(wvl_cuda_pitch_bytes(r) * wvl_rect_height(r) >> 32) && !(u->narrow && bytes == 4);
    for (unsigned l = level; l <= last && fit; l++) {
        fit = !((level_rect(u, l).x0 | level_rect(u, l).y0) & 3) && bands_march(u->tile, low_resolution(u, l) + 1, bytes);
    }
    const wvl_tile_band *low = &u->tile->bands[low_resolution(u, u->tc->levels)->first_band];
    return fit && (last < u->tc->levels || (low->coef_bytes == bytes && low->xcb > 1 &&
                                            (bytes == 4 || (unsigned)(low->planes + low->frac_bits) <= WVL_QUANT_FLOAT_BITS)));
}

static uint32_t choose_cascade(const unit *u, unsigned level)
{
    int packs = level < u->tc->levels && pack_size(level_rect(u, level)) > 1;
    if (!wvl_cuda_cascade_levels(u, level) || packs || !shape_cascades(u, level)) {
        return WVL_CUDA_KERNELS;
    }
    uint32_t kernel = coefficient_bytes(u, level) == 2 ? WVL_CUDA_CASCADE53 : WVL_CUDA_CASCADE53_W;
    kernel = u->narrow ? (uint32_t)WVL_CUDA_CASCADE53_S : kernel + !u->tc->reversible;
    return level < u->tc->levels ? kernel : by_depth(u, level, kernel + WVL_CUDA_LAST53 - WVL_CUDA_CASCADE53);
}

int wvl_cuda_is_cascade(uint32_t kernel) { return kernel >= WVL_CUDA_CASCADE53 && kernel <= WVL_CUDA_CASCADE53_S; }
int wvl_cuda_is_last(uint32_t kernel) { return kernel >= WVL_CUDA_LAST53 && kernel <= WVL_CUDA_LAST97_D; }

/* Levels that a launch takes of a component beyond the first; any-shape kernels: none. */
static unsigned further_levels(const unit *u, unsigned level, uint32_t kernel)
{
    return kernel == WVL_CUDA_KERNELS || wvl_cuda_is_last(kernel) ? 0 : wvl_cuda_is_cascade(kernel) ? wvl_cuda_cascade_levels(u, level) - 1 : 1;
}

/* Too little for marching to fill the machine. */
static int is_little(const builder *b, const unit *u, unsigned level)
{
    return launch_samples(b, u, level) <= (u->tc->reversible ? WVL_CUDA_CASCADE_LITTLE53 : WVL_CUDA_CASCADE_LITTLE97);
}

/* Which kernel takes this level and others at once; WVL_CUDA_KERNELS: none. */
static uint32_t choose_march(const builder *b, const unit *u, unsigned level)
{
    if (!b->memory || (b->options & WVL_CUDA_PLAIN_PATH)) {
        return WVL_CUDA_KERNELS;
    }
    if (level > 1) {
        uint32_t march = choose_plane(b, u, level), cascade = choose_cascade(u, level);
        return cascade < WVL_CUDA_KERNELS && (march == WVL_CUDA_KERNELS || is_little(b, u, level)) ? cascade : march;
    }
    return wvl_cuda_is_mixed(u) ? choose_color(b, u) : choose_gray(b, u);
}

uint32_t wvl_cuda_choose_kernel(const builder *b, unit *u, unsigned level)
{
    if ((u->tc->levels < level && level != 1) || wvl_cuda_is_empty(level_rect(u, u->tc->levels ? level : 0))) {
        return WVL_CUDA_KERNELS;
    }
    int taken = 0;
    unsigned further = 0;    /* levels that the launch in front takes from this one on */
    uint32_t march = WVL_CUDA_KERNELS, front = WVL_CUDA_KERNELS;
    u->narrow = 0;
    for (unsigned l = 1; l <= level; l++) {
        taken = further > 0;
        u->narrow = taken ? u->narrow : wvl_cuda_writes_narrow(front);
        uint32_t chain = taken ? 0 : wvl_cuda_chain_length(b, u, l);
        if (chain && l < level) {
            return WVL_CUDA_KERNELS;
        }
        march = taken || chain ? (uint32_t)WVL_CUDA_KERNELS : choose_march(b, u, l);
        further = taken ? further - 1 : further_levels(u, l, march);
        front = taken ? front : march;
    }
    if (taken || march != WVL_CUDA_KERNELS) {
        return march;
    }
    return u->tc->reversible ? WVL_CUDA_ANY53 : WVL_CUDA_ANY97;
}
