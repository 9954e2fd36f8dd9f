/* SPDX-License-Identifier: BSD-2-Clause */
#include "internal.h"

#ifdef WVL_HAVE_PNG

#include <png.h>
#include <stdlib.h>
#include <string.h>

#define SRGB_GAMMA 45455                               /* 1/2.2 in 1/100000, as files of sRGB write it (PNG 11.3.2.2) */
#define CHUNK_LIMIT_BYTES ((png_alloc_size_t)64 << 20) /* of one decompressed profile or text */
#define DEFLATE_MOST_PER_BYTE 1032u                    /* RFC 1951: 258 bytes for two bits */

/* All that must survive a jump out of libpng. */
typedef struct png_state {
    wvl_io_context *context;
    png_structp png;
    png_infop info;
    png_uint_32 width, height;
    int depth, color_type, passes;
    wvl_io_palette palette;
    int is_indexed, has_key;
    uint16_t key[3]; /* tRNS of grey or RGB: the one colour that is transparent */
} png_state;

static void on_error(png_structp png, png_const_charp message)
{
    png_state *s = png_get_error_ptr(png);

    wvl_io_fail(s->context, "libpng: %s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    png_state *s = png_get_error_ptr(png);

    wvl_io_note(s->context, "libpng: %s", message);
}

static void on_read(png_structp png, png_bytep bytes, size_t byte_count)
{
    png_state *s = png_get_io_ptr(png);

    if (wvl_io_source_read_some(&s->context->source, bytes, byte_count) != byte_count)
        png_error(png, wvl_io_source_trouble(&s->context->source) != NULL ? wvl_io_source_trouble(&s->context->source)
                                                                          : "truncated: the file ends early");
}

static png_voidp on_allocate(png_structp png, png_alloc_size_t byte_count)
{
    png_state *s = png_get_mem_ptr(png);
    void *block = malloc(byte_count);

    s->context->no_memory |= block == NULL;
    return block;
}

static void on_free(png_structp png, png_voidp block)
{
    (void)png;
    free(block);
}

/* ITU-T H.273 tables 2 and 3. PQ, HLG and others need more than a curve and a matrix: no name. */
static void name_space(wvl_io_picture *picture, const uint8_t *cicp)
{
    static const char *const spaces[13] = {NULL,         "rec709",     NULL,         NULL, NULL,
                                           "rec601-625", "rec601-525", "rec601-525", NULL, "rec2020",
                                           NULL,         "p3-dci",     "p3-d65"};
    unsigned primaries = cicp[0], transfer = cicp[1];
    int is_video = transfer == 1 || transfer == 6 || transfer == 14 || transfer == 15;
    const char *curve = is_video         ? "bt1886"
                        : transfer == 4  ? "2.2"
                        : transfer == 8  ? "linear"
                        : transfer == 13 ? "srgb"
                                         : NULL;

    picture->space_rules = 1;
    if (primaries < 13 && spaces[primaries] != NULL && curve != NULL && cicp[2] == 0 && cicp[3] == 1) {
        picture->space = spaces[primaries];
        picture->transfer = curve;
    }
}

/* cICP came after this libpng. */
static int on_unknown_chunk(png_structp png, png_unknown_chunkp chunk)
{
    png_state *s = png_get_user_chunk_ptr(png);

    if (memcmp(chunk->name, "cICP", 4) == 0 && chunk->size == 4) {
        name_space(s->context->picture, chunk->data);
        s->context->picture->has_cicp = 1;
        memcpy(s->context->picture->cicp, chunk->data, sizeof s->context->picture->cicp);
    }
    return 1;
}

static int take_palette(png_state *s)
{
    png_colorp colors = NULL;
    png_bytep alphas = NULL;
    int count = 0, alpha_count = 0, i;
    wvl_io_palette *p = &s->palette;

    if (png_get_PLTE(s->png, s->info, &colors, &count) == 0 || count <= 0)
        return wvl_io_fail(s->context, "PLTE: missing, and a palette picture needs it: the file is damaged");
    png_get_tRNS(s->png, s->info, &alphas, &alpha_count, NULL);
    p->columns = alpha_count > 0 ? 4 : 3;
    p->depth = 8;
    p->entries = (uint32_t)count;
    p->values = wvl_io_allocate(s->context, (uint64_t)p->entries * p->columns * sizeof *p->values, "palette");
    if (p->values == NULL)
        return -1;
    for (i = 0; i < count; i++) {
        uint16_t *entry = p->values + (size_t)i * p->columns;

        entry[0] = colors[i].red;
        entry[1] = colors[i].green;
        entry[2] = colors[i].blue;
        if (alpha_count > 0)
            entry[3] = i < alpha_count ? alphas[i] : 255;
    }
    return 0;
}

static void take_key(png_state *s)
{
    uint16_t mask = (uint16_t)((1u << s->depth) - 1);
    png_color_16p color = NULL;
    png_bytep alphas = NULL;
    int count = 0;

    if (png_get_tRNS(s->png, s->info, &alphas, &count, &color) == 0 || color == NULL)
        return;
    s->has_key = 1;
    s->key[0] = (uint16_t)((s->color_type == PNG_COLOR_TYPE_GRAY ? color->gray : color->red) & mask);
    s->key[1] = color->green & mask;
    s->key[2] = color->blue & mask;
}

static int describe_direct(png_state *s)
{
    int has_alpha = (s->color_type & PNG_COLOR_MASK_ALPHA) != 0, is_color = (s->color_type & PNG_COLOR_MASK_COLOR) != 0;
    unsigned colors = is_color ? 3 : 1;

    if (!has_alpha)
        take_key(s);
    has_alpha |= s->has_key;
    if (wvl_io_describe(s->context, s->width, s->height, colors + (unsigned)has_alpha, (unsigned)s->depth, 0) != 0)
        return -1;
    wvl_io_set_color(s->context->picture, is_color ? WVL_IO_RGB : WVL_IO_GREY, 0, has_alpha ? (int)colors : -1);
    return wvl_io_allocate_interleaved(s->context);
}

/* The size of a pipe, UINT64_MAX, passes. */
static int check_claim(png_state *s)
{
    uint64_t size = s->context->source.size, row_bytes = png_get_rowbytes(s->png, s->info);

    if (size < UINT64_MAX / DEFLATE_MOST_PER_BYTE && row_bytes > size * DEFLATE_MOST_PER_BYTE / s->height)
        return wvl_io_fail(s->context, "IHDR: size %u x %u: truncated: the file's %llu bytes cannot hold it", s->width,
                           s->height, (unsigned long long)size);
    return 0;
}

static int describe(png_state *s)
{
    int interlace = 0;

    png_get_IHDR(s->png, s->info, &s->width, &s->height, &s->depth, &s->color_type, &interlace, NULL, NULL);
    if (check_claim(s) != 0)
        return -1;
    s->is_indexed = s->color_type == PNG_COLOR_TYPE_PALETTE;
    if (s->is_indexed) {
        if (take_palette(s) != 0 ||
            wvl_io_describe_indexed(s->context, s->width, s->height, (unsigned)s->depth, &s->palette) != 0)
            return -1;
    } else if (describe_direct(s) != 0) {
        return -1;
    }
    if (s->depth < 8)
        png_set_packing(s->png);
    if (s->depth == 16) {
        const uint16_t probe = 1;

        if (*(const uint8_t *)&probe == 1)
            png_set_swap(s->png);
    }
    s->passes = png_set_interlace_handling(s->png);
    png_read_update_info(s->png, s->info);
    if (png_get_rowbytes(s->png, s->info) > s->context->picture->components[0].stride_bytes)
        return wvl_io_fail(s->context,
                           "IHDR: libpng hands out rows of %llu bytes, which width, depth and colour type do not make: "
                           "the file is damaged",
                           (unsigned long long)png_get_rowbytes(s->png, s->info));
    return 0;
}

/* Adds alpha to a row whose colours lie packed at its start; right to left, as in palettes. */
static void add_alpha_8(uint8_t *row, uint32_t width, unsigned n, const uint16_t *key, uint8_t opaque)
{
    uint32_t x;
    unsigned k;

    for (x = width; x-- > 0;) {
        const uint8_t *from = row + (size_t)x * n;
        uint8_t pixel[4];
        int same = 1;

        for (k = 0; k < n; k++) {
            pixel[k] = from[k];
            same = same && from[k] == key[k];
        }
        pixel[n] = same ? 0 : opaque;
        memcpy(row + (size_t)x * (n + 1), pixel, n + 1);
    }
}

static void add_alpha_16(uint8_t *row, uint32_t width, unsigned n, const uint16_t *key)
{
    uint32_t x;

    for (x = width; x-- > 0;) {
        uint16_t pixel[4];

        memcpy(pixel, row + (size_t)x * n * 2, (size_t)n * 2);
        pixel[n] = memcmp(pixel, key, (size_t)n * 2) == 0 ? 0 : 65535;
        memcpy(row + (size_t)x * (n + 1) * 2, pixel, (size_t)(n + 1) * 2);
    }
}

static int finish_rows(png_state *s)
{
    const wvl_io_component *first = &s->context->picture->components[0];
    unsigned n = s->context->picture->component_count - 1;
    uint32_t y;

    for (y = 0; y < s->height; y++) {
        uint8_t *row = (uint8_t *)first->data + (size_t)y * first->stride_bytes;

        if (s->is_indexed && wvl_io_finish_indexed_row(s->context, y, 1, &s->palette) != 0)
            return -1;
        if (s->has_key && s->depth == 16)
            add_alpha_16(row, s->width, n, s->key);
        else if (s->has_key)
            add_alpha_8(row, s->width, n, s->key, (uint8_t)((1u << s->depth) - 1));
    }
    return 0;
}

static void read_rows(png_state *s)
{
    const wvl_io_component *first = &s->context->picture->components[0];
    int pass;
    uint32_t y;

    for (pass = 0; pass < s->passes; pass++)
        for (y = 0; y < s->height; y++)
            png_read_row(s->png, (png_bytep)first->data + (size_t)y * first->stride_bytes, NULL);
}

static int take_color(png_state *s)
{
    png_charp name = NULL;
    png_bytep profile = NULL;
    png_uint_32 profile_bytes = 0;
    png_fixed_point gamma = 0;
    int intent = 0, method = 0;

    if (png_get_iCCP(s->png, s->info, &name, &method, &profile, &profile_bytes) != 0)
        return wvl_io_take_icc(s->context, profile, profile_bytes);
    if (png_get_sRGB(s->png, s->info, &intent) != 0)
        s->context->picture->color_declared = 1;
    else if (png_get_gAMA_fixed(s->png, s->info, &gamma) != 0 && (gamma < SRGB_GAMMA - 200 || gamma > SRGB_GAMMA + 200))
        wvl_io_note(s->context, "gAMA %.5f not carried", (double)gamma / 100000.0);
    return 0;
}

/* Keywords of PNG 11.3.3.2 that mean the same as a property of XMP; case counts. */
static wvl_io_field field_of_keyword(const char *keyword)
{
    static const struct {
        const char *keyword;
        wvl_io_field field;
    } fields[] = {{"Title", WVL_IO_FIELD_TITLE},
                  {"Author", WVL_IO_FIELD_ARTIST},
                  {"Description", WVL_IO_FIELD_DESCRIPTION},
                  {"Copyright", WVL_IO_FIELD_COPYRIGHT},
                  {"Creation Time", WVL_IO_FIELD_CREATED},
                  {"Software", WVL_IO_FIELD_SOFTWARE},
                  {"Comment", WVL_IO_FIELD_COMMENT}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(fields[i].keyword, keyword) == 0) {
            return fields[i].field;
        }
    }
    return WVL_IO_FIELD_OTHER;
}

static int take_text(png_state *s, const png_text *text)
{
    size_t bytes = text->itxt_length != 0 ? text->itxt_length : text->text_length;
    if (strcmp(text->key, "XML:com.adobe.xmp") == 0) {
        return wvl_io_take_xmp(s->context, text->text, bytes);
    }
    int result = wvl_io_take_raw_profile(s->context, text->key, text->text, bytes);
    if (result <= 0) {
        return result;
    }
    return wvl_io_take_text(s->context, field_of_keyword(text->key), text->key, text->text, bytes);
}

static int take_texts(png_state *s)
{
    png_textp texts = NULL;
    int count = 0, i;
#ifdef PNG_eXIf_SUPPORTED
    png_bytep exif = NULL;
    png_uint_32 exif_bytes = 0;

    if (png_get_eXIf_1(s->png, s->info, &exif_bytes, &exif) != 0 && wvl_io_take_exif(s->context, exif, exif_bytes) != 0)
        return -1;
#endif
    png_get_text(s->png, s->info, &texts, &count);
    for (i = 0; i < count; i++)
        if (take_text(s, &texts[i]) != 0)
            return -1;
    return 0;
}

static void take_resolution(png_state *s)
{
    png_uint_32 x = 0, y = 0;
    int unit = PNG_RESOLUTION_UNKNOWN;

    if (png_get_pHYs(s->png, s->info, &x, &y, &unit) == 0 || unit != PNG_RESOLUTION_METER)
        return;
    s->context->picture->x_pixels_per_metre = x;
    s->context->picture->y_pixels_per_metre = y;
}

static int decode(png_state *s)
{
    if (setjmp(png_jmpbuf(s->png)) != 0)
        return -1;
    png_set_read_fn(s->png, s, on_read);
    png_set_read_user_chunk_fn(s->png, s, on_unknown_chunk);
    png_set_user_limits(s->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* describe sets the limit */
    png_set_chunk_malloc_max(s->png, CHUNK_LIMIT_BYTES);
    png_read_info(s->png, s->info);
    if (describe(s) != 0)
        return -1;
    read_rows(s);
    png_read_end(s->png, s->info);
    if (finish_rows(s) != 0 || take_color(s) != 0 || take_texts(s) != 0)
        return -1;
    take_resolution(s);
    return 0;
}

int wvl_io_read_png(wvl_io_context *context)
{
    png_state s;
    int result = -1;

    memset(&s, 0, sizeof s);
    s.context = context;
    s.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s, on_allocate, on_free);
    if (s.png != NULL)
        s.info = png_create_info_struct(s.png);
    if (s.info != NULL)
        result = decode(&s);
    else
        wvl_io_fail(context, "libpng could not be started");
    if (result == 0 && context->no_memory) /* libpng may go on without a profile or text */
        result = wvl_io_fail(context, "libpng: not enough memory");
    if (result == 0 && s.is_indexed)
        wvl_io_settle_palette(context, &s.palette);
    free(s.palette.values);
    png_destroy_read_struct(&s.png, &s.info, NULL);
    return result;
}

#else
typedef int wvl_io_no_png; /* ISO C wants something in a translation unit */
#endif
