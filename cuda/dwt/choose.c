/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/dwt/choose.h"

#include "cuda/dwt/beside.h"
#include "dwt/quant.h"

#define REACH53 6u /* columns that a panel needs at either side, for two levels */
#define REACH97 12u

/* ---- Any-shape kernels ----------------------------------------------------------------------- */

/* Tiles of an any-shape split. The first of them begins at the last multiple of 8 up to the rectangle. */
void wvl_cuda_measure_grid(wvl_rect r, uint32_t *cols, uint32_t *rows)
{
    *cols = (uint32_t)wvl_ceil_div((uint64_t)r.x1 - (r.x0 & ~7u), WVL_CUDA_TILE_WIDTH);
    *rows = (uint32_t)wvl_ceil_div((uint64_t)r.y1 - (r.y0 & ~7u), WVL_CUDA_TILE_HEIGHT);
}

/* Levels from this one on that one thread block takes, one after the other; 0: tiles, which also bound the counts of a
 * chain. */
uint32_t wvl_cuda_chain_length(const builder *b, const unit *u, unsigned level)
{
    uint32_t cols, rows;
    int fills = b->components > b->multiprocessors;
    if (!b->memory || b->any_shape || fills || !level || u->tc->levels < level + 1) {
        return 0;
    }
    wvl_cuda_measure_grid(low_resolution(u, level - 1)->rect, &cols, &rows);
    uint32_t length = 0; /* an odd line of one sample leaves nothing to the next level */
    while (level + length <= u->tc->levels && !wvl_cuda_is_empty(low_resolution(u, level + length - 1)->rect)) {
        length++;
    }
    return (uint64_t)cols * rows <= WVL_CUDA_CHAIN_TILES && length > 1 ? length : 0;
}

/* ---- Panels of marching kernels -------------------------------------------------------------- */

/* Lanes at either side that a panel shares with its neighbour. A second lane (WHOLE) makes what is stored begin with
 * whole sectors at both levels. That is worth more than the samples computed twice where memory is what is waited for
 * (5/3; 9/7 of one 8-bit component), unless it costs a panel where there are few. */
uint32_t wvl_cuda_march_room(const builder *b, const unit *u, unsigned level, const wvl_cuda_kernel_row *row)
{
    uint32_t lanes = wvl_rect_width(level_rect(u, level)) / row->columns;
    uint64_t few = wvl_ceil_div(lanes, 30), many = wvl_ceil_div(lanes, 28);
    if (lanes <= 32) {
        return 0;
    }
    int cheap = 16 * (many - few) <= few || b->components >= WVL_CUDA_MARCH_MANY;
    uint32_t needed = (uint32_t)wvl_ceil_div(row->reversible ? REACH53 : REACH97, row->columns);
    return needed + (row->owns == WVL_CUDA_OWNS_WHOLE && cheap);
}

/* Where the outer panels own the lanes of their room at the EDGES, it takes a panel less now and then, but moves what
 * panels own by `room` lanes: two keep sectors whole at one level of two. That costs little in planes, where a quarter
 * of the samples is at the other level. */
uint32_t wvl_cuda_march_panels(const builder *b, const unit *u, unsigned level, const wvl_cuda_kernel_row *row)
{
    uint32_t lanes = wvl_rect_width(level_rect(u, level)) / row->columns;
    uint32_t room = wvl_cuda_march_room(b, u, level, row), outer = row->owns == WVL_CUDA_OWNS_EDGES ? 2 * room : 0;
    return (uint32_t)wvl_ceil_div(lanes - outer, 32 - 2 * room);
}

uint64_t wvl_cuda_panel_shares(const builder *b, const unit *u, unsigned level, const wvl_cuda_kernel_row *row)
{
    uint64_t lanes = wvl_rect_width(level_rect(u, level)) / row->columns;
    if (wvl_cuda_goes_on(row, b->components)) {
        return wvl_ceil_div(32 * lanes, 30);
    }
    return 32ull * wvl_cuda_march_panels(b, u, level, row);
}

/* ---- What fits ------------------------------------------------------------------------------- */

static int is_deep(const wvl_tile_band *band) { return wvl_quant_is_deep(band->planes, band->frac_bits); }

/* Alike (bytes 0: but for the size of their coefficients), inside 31 bits, and 16-bit ones no deeper than the float
 * quantiser proves. */
static int bands_march(const wvl_tile_band *first, unsigned bytes)
{
    int fit = wvl_cuda_bands_alike(first, bytes);
    for (unsigned i = 0; i < 3 && fit; i++) {
        fit = (bytes != 2 || !is_deep(&first[i])) && !(wvl_cuda_cells_bytes(&first[i]) >> 31);
    }
    return fit;
}

/* Offsets in a plane of this shape stay inside 32 bits, and coordinates inside 30. */
static int plane_addresses_fit(wvl_rect r)
{
    return !(r.x1 >> 30) && !(r.y1 >> 30) && !(wvl_cuda_pitch_bytes(r) * wvl_rect_height(r) >> 32);
}

/* Levels `level` and level + 1. */
static int levels_march(const wvl_tile_plan *tile, const wvl_tile_component *tc, unsigned level, uint32_t columns,
                        unsigned bytes)
{
    if (tc->levels < level + 2) {
        return 0;
    }
    wvl_rect r = wvl_cuda_low_resolution(tile, tc, level - 1)->rect;
    return wvl_cuda_rect_fits(r, columns, WVL_CUDA_MARCH_SIDE_MIN) && plane_addresses_fit(r) &&
           bands_march(wvl_cuda_level_bands(tile, tc, level), bytes) &&
           bands_march(wvl_cuda_level_bands(tile, tc, level + 1), bytes);
}

static int first_levels_march(const wvl_tile_plan *tile, const wvl_tile_component *tc, uint32_t columns, unsigned bytes)
{
    return levels_march(tile, tc, 1, columns, bytes);
}

/* Offsets inside 32 bits; 8-bit samples as the kernels know them. */
static int pixels_march(const wvl_cuda_pixels *p, const wvl_tile_component *tc, uint32_t bytes)
{
    return (bytes == 2 || (p->depth == 8 && p->half == 128 && !p->bias)) &&
           (uint64_t)p->pitch_bytes * (tc->rect.y1 - p->y0) >> 32 == 0;
}

static wvl_cuda_fit fit_of(const builder *b, const unit *u)
{
    return (wvl_cuda_fit){u->tile, b->memory->pixels, pixels_march, first_levels_march, 0};
}

static unsigned coefficient_bytes(const unit *u, unsigned level)
{
    return wvl_cuda_level_bands(u->tile, u->tc, level)->coef_bytes;
}

/* Says whether all bands of the level, and LL behind the last one, have coefficients of `bytes`. */
static int level_is_of(const unit *u, unsigned level, unsigned bytes)
{
    const wvl_tile_band *bands = wvl_cuda_level_bands(u->tile, u->tc, level),
                        *low = wvl_cuda_level_bands(u->tile, u->tc, u->tc->levels + 1u);
    int alike = level < u->tc->levels || low->coef_bytes == bytes;
    for (unsigned i = 0; i < 3; i++) {
        alike = alike && bands[i].coef_bytes == bytes;
    }
    return alike;
}

/* Bytes of a coefficient of levels `level` to `last`, for a launch that reads planes; 0: bands differ. Irreversible
 * bands: those of the first, with which bands_march compares the others. */
static unsigned common_bytes(const unit *u, unsigned level, unsigned last)
{
    const unsigned bytes = coefficient_bytes(u, level);
    int alike = 1;
    for (unsigned l = level; u->tc->reversible && l <= wvl_min_u32(last, u->tc->levels); l++) {
        alike = alike && level_is_of(u, l, bytes);
    }
    return alike ? bytes : 0;
}

static int bands_deep(const unit *u, const wvl_tile_resolution *res)
{
    int deep = 0;
    for (unsigned i = 0; i < res->band_count; i++) {
        deep = deep || is_deep(&u->tile->bands[res->first_band + i]);
    }
    return deep;
}

/* Sets whether a band of the two levels (or of the last one) has magnitudes of more bits than the float quantiser
 * proves, and finds the kernel. */
static const wvl_cuda_kernel_row *find_by_depth(const unit *u, unsigned level, wvl_cuda_kernel_wish *wish)
{
    const wvl_tile_resolution *low = low_resolution(u, level); /* with the bands of the next level, or the last one */
    wish->deep = bands_deep(u, low + 1) || bands_deep(u, low);
    return wvl_cuda_find_kernel(wish);
}

/* ---- Levels 1 and 2 from pixels -------------------------------------------------------------- */

static wvl_cuda_kernel_wish wish_for(const unit *u, unsigned family)
{
    return (wvl_cuda_kernel_wish){.family = (uint8_t)family, .reversible = u->tc->reversible};
}

/* bytes: of a coefficient; 0: each band its own, and pixels may be signed. */
static const wvl_cuda_kernel_row *find_gray(const builder *b, const unit *u, unsigned bytes)
{
    wvl_cuda_kernel_wish wish = wish_for(u, WVL_CUDA_FAMILY_MARCH);
    wvl_cuda_fit fit = fit_of(b, u);
    fit.may_be_signed = !bytes;
    if (!wvl_cuda_fit_gray(&fit, u->tc, &b->memory->pixels[u->component], bytes, &wish)) {
        return NULL;
    }
    return find_by_depth(u, 1, &wish);
}

static const wvl_cuda_kernel_row *choose_gray(const builder *b, const unit *u)
{
    const wvl_cuda_kernel_row *row = u->tc->levels ? find_gray(b, u, coefficient_bytes(u, 1)) : NULL;
    return row ? row : find_gray(b, u, 0);
}

/* Says whether all of three components agree. */
static int colors_march(const builder *b, const unit *u, int shared, const wvl_cuda_kernel_row *row)
{
    const wvl_cuda_pixels *p = b->memory->pixels;
    wvl_cuda_fit fit = fit_of(b, u);
    fit.may_be_signed = !row->coef_bits;
    int fits = wvl_cuda_fit_colors(&fit, shared, row->columns, row->container_bits / 8, row->coef_bits / 8);
    for (uint32_t i = 0; i < 3 && fits; i++) {
        fits = p[i].data % 8 == 0 && p[i].depth == p[0].depth && p[i].half == p[0].half && p[i].bias == p[0].bias;
    }
    return fits;
}

static const wvl_cuda_kernel_row *find_color(const unit *u, int shared, unsigned bits, unsigned columns,
                                             unsigned coef_bits)
{
    wvl_cuda_kernel_wish wish = wish_for(u, WVL_CUDA_FAMILY_MARCH);
    wish.end = shared ? WVL_CUDA_END_INTERLEAVED : WVL_CUDA_END_PLANAR;
    wish.container_bits = (uint8_t)bits;
    wish.columns = (uint8_t)columns;
    wish.coef_bits = (uint8_t)coef_bits;
    return wvl_cuda_find_kernel(&wish);
}

/* One of three components. 16 columns a lane are faster by more than an eighth, but lanes of the last panel may idle.
 */
static const wvl_cuda_kernel_row *choose_color(const builder *b, const unit *u)
{
    const wvl_cuda_pixels *p = b->memory->pixels;
    int shared = p[1].data == p[0].data;
    if (p->container == WVL_SAMPLE_16) {
        unsigned coef_bits = u->tc->levels ? 8 * coefficient_bytes(u, 1) : 0;
        const wvl_cuda_kernel_row *row = find_color(u, shared, 16, WVL_CUDA_MARCH_COLUMNS, coef_bits);
        if (row && colors_march(b, u, shared, row)) {
            return row;
        }
        row = find_color(u, shared, 16, WVL_CUDA_MARCH_COLUMNS, 0);
        return row && colors_march(b, u, shared, row) ? row : NULL;
    }
    const wvl_cuda_kernel_row *wide = find_color(u, shared, 8, WVL_CUDA_MARCH_WIDE, 16);
    const wvl_cuda_kernel_row *row = find_color(u, shared, 8, WVL_CUDA_MARCH_COLUMNS, 16);
    uint64_t few = wvl_cuda_panel_shares(b, u, 1, wide), many = wvl_cuda_panel_shares(b, u, 1, row);
    /* Interleaved rows come by whole warps in 5/3. */
    int fits = !shared || !u->tc->reversible || wvl_rect_width(u->tc->rect) >= 32 * WVL_CUDA_MARCH_WIDE;
    if (fits && 16 * few <= 9 * many && colors_march(b, u, shared, wide)) {
        return wide;
    }
    return colors_march(b, u, shared, row) ? row : NULL;
}

int wvl_cuda_is_mixed(const unit *u) { return u->tile->mct != WVL_MCT_NONE && u->component < 3; }

/* ---- Later levels, from planes --------------------------------------------------------------- */

static uint64_t launch_samples(const builder *b, const unit *u, unsigned level)
{
    return (uint64_t)wvl_rect_width(level_rect(u, level)) * wvl_rect_height(level_rect(u, level)) * b->components;
}

int wvl_cuda_plane_is_little(const builder *b, const unit *u, unsigned level)
{
    return level > 1 && !u->tc->reversible && launch_samples(b, u, level) <= WVL_CUDA_PLANE_LITTLE;
}

/* bytes: of a coefficient; 0: each band its own. */
static wvl_cuda_kernel_wish plane_wish(const unit *u, unsigned family, unsigned columns, unsigned bytes)
{
    wvl_cuda_kernel_wish wish = wish_for(u, family);
    wish.end = WVL_CUDA_END_PLANE;
    wish.container_bits = u->narrow ? 16 : 32;
    wish.columns = (uint8_t)columns;
    wish.coef_bits = (uint8_t)(8 * bytes);
    return wish;
}

static const wvl_cuda_kernel_row *choose_plane(const builder *b, const unit *u, unsigned level)
{
    unsigned bytes = u->tc->levels < level ? 0 : common_bytes(u, level, level + 1);
    if (!levels_march(u->tile, u->tc, level, WVL_CUDA_MARCH_COLUMNS, bytes)) {
        return NULL;
    }
    wvl_cuda_kernel_wish wish = plane_wish(u, WVL_CUDA_FAMILY_MARCH, WVL_CUDA_MARCH_COLUMNS, bytes);
    wish.packed = pack_size(level_rect(u, level)) > 1;
    const wvl_cuda_kernel_row *row = find_by_depth(u, level, &wish);
    if (!wish.deep && wvl_cuda_plane_is_little(b, u, level)) {
        wish.columns = WVL_CUDA_MARCH_NARROW;
        const wvl_cuda_kernel_row *narrow = wvl_cuda_find_kernel(&wish);
        row = narrow ? narrow : row;
    }
    return row;
}

unsigned wvl_cuda_cascade_levels(const unit *u, unsigned level)
{
    return u->tc->levels < level ? 0 : wvl_min_u32(u->tc->levels - level + 1u, WVL_CUDA_CASCADE_LEVELS);
}

/* The last low-low band goes where the others go. */
static int last_band_fits(const unit *u, unsigned bytes)
{
    const wvl_tile_band *low = &u->tile->bands[low_resolution(u, u->tc->levels)->first_band];
    return (!bytes || low->coef_bytes == bytes) && low->xcb > 1 && low->ycb > 1 && (bytes != 2 || !is_deep(low));
}

static int shape_cascades(const unit *u, unsigned level, unsigned last, unsigned bytes)
{
    unsigned least = last > level ? WVL_CUDA_CASCADE_SIDE_MIN : WVL_CUDA_LAST_SIDE_MIN;
    wvl_rect r = level_rect(u, level);
    int fit = wvl_cuda_rect_fits(r, 1, least) && plane_addresses_fit(r);
    for (unsigned l = level; l <= last && fit; l++) {
        fit = !((level_rect(u, l).x0 | level_rect(u, l).y0) & 3) &&
              bands_march(wvl_cuda_level_bands(u->tile, u->tc, l), bytes);
    }
    return fit && (last < u->tc->levels || last_band_fits(u, bytes));
}

/* Several levels tile by tile, or the last one by itself. */
static const wvl_cuda_kernel_row *choose_cascade(const unit *u, unsigned level)
{
    int is_last = level == u->tc->levels, packs = !is_last && pack_size(level_rect(u, level)) > 1;
    unsigned levels = wvl_cuda_cascade_levels(u, level), last = level + levels - 1;
    unsigned bytes = levels ? common_bytes(u, level, last) : 0;
    if (!levels || packs || !shape_cascades(u, level, last, bytes)) {
        return NULL;
    }
    unsigned family = is_last ? WVL_CUDA_FAMILY_LAST : WVL_CUDA_FAMILY_CASCADE;
    wvl_cuda_kernel_wish wish = plane_wish(u, family, 4, bytes);
    return is_last ? find_by_depth(u, level, &wish) : wvl_cuda_find_kernel(&wish);
}

/* Too little for marching to fill the machine. */
static int is_little(const builder *b, const unit *u, unsigned level)
{
    uint64_t little = u->tc->reversible ? WVL_CUDA_CASCADE_LITTLE53 : WVL_CUDA_CASCADE_LITTLE97;
    return launch_samples(b, u, level) <= little;
}

/* ---- All levels ------------------------------------------------------------------------------ */

/* Levels that a launch takes of a component beyond the first; any-shape kernels: none. */
static unsigned further_levels(const unit *u, unsigned level, const wvl_cuda_kernel_row *row)
{
    if (!row || row->family == WVL_CUDA_FAMILY_LAST) {
        return 0;
    }
    return row->family == WVL_CUDA_FAMILY_CASCADE ? wvl_cuda_cascade_levels(u, level) - 1 : 1;
}

/* The kernel that takes this level in a faster way than the any-shape ones; NULL: none. */
static const wvl_cuda_kernel_row *choose_fast(const builder *b, const unit *u, unsigned level)
{
    if (!b->memory || b->any_shape) {
        return NULL;
    }
    if (level == 1) {
        return wvl_cuda_is_mixed(u) ? choose_color(b, u) : choose_gray(b, u);
    }
    const wvl_cuda_kernel_row *march = choose_plane(b, u, level), *cascade = choose_cascade(u, level);
    return cascade && (!march || is_little(b, u, level)) ? cascade : march;
}

const wvl_cuda_kernel_row *wvl_cuda_choose_kernel(const builder *b, unit *u, unsigned level)
{
    if ((u->tc->levels < level && level != 1) || wvl_cuda_is_empty(level_rect(u, u->tc->levels ? level : 0))) {
        return NULL;
    }
    int taken = 0;
    unsigned further = 0; /* levels that the launch in front takes from this one on */
    const wvl_cuda_kernel_row *fast = NULL, *front = NULL;
    u->narrow = 0;
    for (unsigned l = 1; l <= level; l++) {
        taken = further > 0;
        u->narrow = taken ? u->narrow : front && wvl_cuda_writes_narrow(front);
        uint32_t chain = taken ? 0 : wvl_cuda_chain_length(b, u, l);
        if (chain && l < level) {
            return NULL;
        }
        fast = taken || chain ? NULL : choose_fast(b, u, l);
        further = taken ? further - 1 : further_levels(u, l, fast);
        front = taken ? front : fast;
    }
    wvl_cuda_kernel_wish any = wish_for(u, WVL_CUDA_FAMILY_ANY);
    any.columns = 8;
    return taken || fast ? fast : wvl_cuda_find_kernel(&any);
}
