/* SPDX-License-Identifier: BSD-2-Clause */
/* Body of the inverse transform for SAMPLE; IS_97 selects the kernel. A line is an array of interleaved low and high samples: of scalars
 * (a row) or of rows (all columns at once). */

typedef struct NAME(line) {
    SAMPLE *base;       /* sample or row 0 */
    uint64_t step;      /* elements from one sample of the line to the next */
    uint64_t width;     /* elements of a sample: 1, or the columns of a row */
    uint32_t count;
    unsigned parity;    /* of the first absolute coordinate: 1 means it is a high-pass sample */
} NAME(line);

/* Whole-sample symmetric reflection at both ends; lifting needs one sample beyond. */
static SAMPLE *NAME(at)(const NAME(line) *l, int64_t i)
{
    if (i < 0) {
        i = -i;
    }
    if (i >= (int64_t)l->count) {
        i = 2 * ((int64_t)l->count - 1) - i;
    }
    return l->base + (uint64_t)i * l->step;
}

#ifdef IS_97

static void NAME(lift)(const NAME(line) *l, unsigned first, float c)
{
    for (uint32_t i = first; i < l->count; i += 2) {
        SAMPLE *x = NAME(at)(l, i);
        const SAMPLE *a = NAME(at)(l, (int64_t)i - 1), *b = NAME(at)(l, (int64_t)i + 1);
        for (uint64_t k = 0; k < l->width; k++) {
            x[k] -= c * (a[k] + b[k]);
        }
    }
}

static void NAME(scale)(const NAME(line) *l, unsigned first, float c)
{
    for (uint32_t i = first; i < l->count; i += 2) {
        SAMPLE *x = NAME(at)(l, i);
        for (uint64_t k = 0; k < l->width; k++) {
            x[k] *= c;
        }
    }
}

static void NAME(synthesise)(const NAME(line) *l)
{
    unsigned even = l->parity, odd = l->parity ^ 1;
    if (l->count == 1) {
        NAME(scale)(l, 0, l->parity ? 0.5f : 1.0f);
        return;
    }
    NAME(scale)(l, even, 1.230174104914001f);
    NAME(scale)(l, odd, (float)(1.0 / 1.230174104914001));
    NAME(lift)(l, even, 0.443506852043971f);
    NAME(lift)(l, odd, 0.882911075530934f);
    NAME(lift)(l, even, -0.052980118572961f);
    NAME(lift)(l, odd, -1.586134342059924f);
}

#else

static void NAME(synthesise)(const NAME(line) *l)
{
    unsigned even = l->parity, odd = l->parity ^ 1;
    if (l->count == 1) {
        for (uint64_t k = 0; l->parity && k < l->width; k++) {
            l->base[k] /= 2; /* coded doubled */
        }
        return;
    }
    for (uint32_t i = even; i < l->count; i += 2) {
        SAMPLE *x = NAME(at)(l, i);
        const SAMPLE *a = NAME(at)(l, (int64_t)i - 1), *b = NAME(at)(l, (int64_t)i + 1);
        for (uint64_t k = 0; k < l->width; k++) {
            x[k] -= (a[k] + b[k] + 2) >> 2;
        }
    }
    for (uint32_t i = odd; i < l->count; i += 2) {
        SAMPLE *x = NAME(at)(l, i);
        const SAMPLE *a = NAME(at)(l, (int64_t)i - 1), *b = NAME(at)(l, (int64_t)i + 1);
        for (uint64_t k = 0; k < l->width; k++) {
            x[k] += (a[k] + b[k]) >> 1;
        }
    }
}

#endif

/* Where interleaved position i stands among the low samples followed by the high ones. */
static uint32_t NAME(source)(uint32_t i, unsigned parity, uint32_t low_count)
{
    int high = (i + parity) & 1;
    return i / 2 + (high ? low_count : 0); /* of both kinds, i / 2 stand before position i */
}

static void NAME(synthesise_level)(wvl_rect rect, uint32_t low_width, uint32_t low_height, SAMPLE *plane, SAMPLE *spare, uint64_t stride, SAMPLE *row)
{
    uint32_t width = wvl_rect_width(rect), height = wvl_rect_height(rect);
    for (uint32_t y = 0; y < height; y++) {
        const SAMPLE *from = plane + y * stride;
        for (uint32_t x = 0; x < width; x++) {
            row[x] = from[NAME(source)(x, rect.x0 & 1, low_width)];
        }
        NAME(line) l = {row, 1, 1, width, rect.x0 & 1};
        NAME(synthesise)(&l);
        memcpy(spare + y * stride, row, width * sizeof *row);
    }
    for (uint32_t y = 0; y < height; y++) {
        memcpy(plane + y * stride, spare + NAME(source)(y, rect.y0 & 1, low_height) * stride, width * sizeof *plane);
    }
    NAME(line) l = {plane, stride, width, height, rect.y0 & 1};
    NAME(synthesise)(&l);
}

void NAME(wvl_inverse)(const wvl_tile_plan *tile, uint32_t component, SAMPLE *plane, SAMPLE *spare, uint64_t stride, SAMPLE *row)
{
    const wvl_tile_component *tc = &tile->components[component];
    for (unsigned r = 1; r <= tc->levels; r++) {
        const wvl_tile_resolution *res = &tile->resolutions[tc->first_resolution + r];
        wvl_rect low = tile->resolutions[tc->first_resolution + r - 1].rect;
        if (wvl_rect_width(res->rect) && wvl_rect_height(res->rect)) {
            NAME(synthesise_level)(res->rect, wvl_rect_width(low), wvl_rect_height(low), plane, spare, stride, row);
        }
    }
}
