/* SPDX-License-Identifier: BSD-2-Clause */
#include "png_pixels.h"

#ifdef WVL_HAVE_PNG

#include <png.h>
#include <stdlib.h>
#include <string.h>

#define SRGB_GAMMA 45455                               /* 1/2.2 in 1/100000, as files of sRGB write it (PNG 11.3.2.2) */
#define CHUNK_LIMIT_BYTES ((png_alloc_size_t)64 << 20) /* of one decompressed profile or text */
#define AT_ONCE_BYTES (UINT64_C(256) << 20)            /* pixels of a larger picture are not in memory twice */
#define DEFLATE_MOST_PER_BYTE 1032u                    /* RFC 1951: 258 bytes for two bits */

/*
 * The file without its pixels, for the metadata behind them: what comes before, an empty IDAT, and what follows.
 */
typedef struct wvl_io_png_survey {
    uint64_t before, behind; /* positions: the first IDAT, and the chunk behind the last one */
} wvl_io_png_survey;

/* All that must survive a jump out of libpng. */
typedef struct png_state {
    wvl_io_context *context;
    png_structp png;
    png_infop info;
    png_uint_32 width, height;
    int depth, color_type, passes;
    wvl_io_palette palette;
    int is_indexed, has_key;
    int texts_taken, has_exif, has_metadata;
    const wvl_io_png_survey *survey; /* NULL: the state of a reader */
    wvl_io_png_pixels pixels;        /* of a picture that is read whole */
    uint16_t key[3];                 /* tRNS of grey or RGB: the one colour that is transparent */
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

    if (!s->survey) { /* the reader itself warns too */
        wvl_io_note(s->context, "libpng: %s", message);
    }
}

static void on_read(png_structp png, png_bytep bytes, size_t byte_count)
{
    png_state *s = png_get_io_ptr(png);
    wvl_io_source *source = &s->context->source;

    if (wvl_io_source_read_some(source, bytes, byte_count) != byte_count) {
        png_error(png,
                  wvl_io_source_trouble(source) ? wvl_io_source_trouble(source) : "truncated: the file ends early");
    }
    if ((png_get_io_state(png) & PNG_IO_CHUNK_HDR) != 0 && byte_count == 8) {
        /* libpng allocates and clears what the head of a chunk asks for before it reads a byte of it: no more than
         * follows in the file, or than a profile or text may have. Pixels are read in pieces. */
        uint64_t here = wvl_io_source_position(source), left = source->size > here ? source->size - here : 0;
        int is_pipe = source->size == WVL_IO_SIZE_UNKNOWN;

        if (memcmp(bytes + 4, "IDAT", 4) != 0 && wvl_io_be32(bytes) > (is_pipe ? CHUNK_LIMIT_BYTES : left)) {
            png_error(png, is_pipe ? "a chunk has more than 64 MiB, and the input is a pipe"
                                   : "truncated: the file ends early");
        }
    }
}

static png_voidp on_allocate(png_structp png, png_alloc_size_t byte_count)
{
    png_state *s = png_get_mem_ptr(png);
    void *block = malloc(byte_count);

    s->context->no_memory |= !block;
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
    if (primaries < 13 && spaces[primaries] && curve && cicp[2] == 0 && cicp[3] == 1) {
        picture->space = spaces[primaries];
        picture->transfer = curve;
    }
}

/* cICP came after this libpng. The IDAT of a survey is empty. Without a critical chunk, which has a capital letter
 * first, nobody knows what the picture is (PNG 5.4). */
static int on_unknown_chunk(png_structp png, png_unknown_chunkp chunk)
{
    png_state *s = png_get_user_chunk_ptr(png);
    int is_critical = (chunk->name[0] & 0x20) == 0;

    if (is_critical && (!s->survey || memcmp(chunk->name, "IDAT", 4) != 0)) {
        wvl_io_fail(s->context, "the critical chunk %.4s is not known: the picture cannot be understood without it",
                    (const char *)chunk->name);
        png_longjmp(png, 1);
    }
    if (s->survey) {
        return 1;
    }
    if (memcmp(chunk->name, "acTL", 4) == 0) {
        /* libpng reads the still picture of an animation (APNG), which may be its first frame. */
        uint32_t frames = chunk->size == 8 ? wvl_io_be32(chunk->data) : 0;

        if (frames > 1) {
            wvl_io_note(s->context, "an animation of %u frames (APNG): its still picture alone is read", frames);
        }
    }
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
    int count = 0, alpha_count = 0;
    wvl_io_palette *p = &s->palette;

    if (png_get_PLTE(s->png, s->info, &colors, &count) == 0 || count <= 0) {
        return wvl_io_fail(s->context, "PLTE: missing, and a palette picture needs it: the file is damaged");
    }
    png_get_tRNS(s->png, s->info, &alphas, &alpha_count, NULL);
    if (wvl_io_make_palette(s->context, p, (uint32_t)count, alpha_count > 0 ? 4 : 3, 8) != 0) {
        return -1;
    }
    for (int i = 0; i < count; i++) {
        uint16_t *entry = p->values + (size_t)i * p->columns;

        entry[0] = colors[i].red;
        entry[1] = colors[i].green;
        entry[2] = colors[i].blue;
        if (alpha_count > 0) {
            entry[3] = i < alpha_count ? alphas[i] : 255;
        }
    }
    return 0;
}

static int describe_direct(png_state *s)
{
    int has_alpha = (s->color_type & PNG_COLOR_MASK_ALPHA) != 0, is_color = (s->color_type & PNG_COLOR_MASK_COLOR) != 0;
    unsigned colors = is_color ? 3 : 1;

    if (!has_alpha) {
        uint16_t mask = (uint16_t)((1u << s->depth) - 1);
        png_color_16p color = NULL;
        png_bytep alphas = NULL;
        int count = 0;

        if (png_get_tRNS(s->png, s->info, &alphas, &count, &color) != 0 && color) {
            s->has_key = 1;
            s->key[0] = (uint16_t)((s->color_type == PNG_COLOR_TYPE_GRAY ? color->gray : color->red) & mask);
            s->key[1] = color->green & mask;
            s->key[2] = color->blue & mask;
        }
    }
    has_alpha |= s->has_key;
    if (wvl_io_describe(s->context, s->width, s->height, colors + (unsigned)has_alpha, (unsigned)s->depth, 0) != 0) {
        return -1;
    }
    wvl_io_set_color(s->context->picture, is_color ? WVL_IO_RGB : WVL_IO_GREY, 0, has_alpha ? (int)colors : -1);
    wvl_io_lay_out(s->context, 1);
    return 0;
}

/* Adds alpha to a row whose colours lie packed at its start; right to left, as in palettes. */
static void add_alpha(uint8_t *row, uint32_t width, unsigned n, unsigned bytes, const uint16_t *key, uint32_t opaque)
{
    for (uint32_t x = width; x-- > 0;) {
        const uint8_t *from = row + (size_t)x * n * bytes;
        uint8_t *to = row + (size_t)x * (n + 1) * bytes;
        int same = 1;

        for (unsigned k = 0; k < n; k++) {
            same = same && wvl_io_load(from + k * bytes, bytes, 0) == key[k];
        }
        memmove(to, from, (size_t)n * bytes);
        wvl_io_store(to + n * bytes, bytes, same ? 0 : opaque);
    }
}

static void fetch_row(png_state *s, uint32_t y)
{
    const uint8_t *from = wvl_io_fetch_png_row(&s->pixels, y);
    uint8_t *to = wvl_io_pixels(s->context, y);

    if (s->depth == 16 && wvl_io_is_little_endian()) {
        for (size_t x = 0; x < s->pixels.row_bytes; x += 2) {
            to[x] = from[x + 1];
            to[x + 1] = from[x];
        }
    } else {
        memcpy(to, from, s->pixels.row_bytes);
    }
}

static int read_rows(wvl_io_context *context, uint32_t first, uint32_t count)
{
    png_state *s = context->state;

    if (setjmp(png_jmpbuf(s->png)) != 0) {
        return -1;
    }
    for (int pass = 0; pass < s->passes; pass++) {
        for (uint32_t y = first; y < first + count; y++) {
            if (s->pixels.memory) {
                fetch_row(s, y);
            } else {
                png_read_row(s->png, wvl_io_pixels(context, y), NULL);
            }
        }
    }
    for (uint32_t y = first; y < first + count; y++) {
        unsigned n = s->context->picture->component_count - 1;
        uint8_t *row = wvl_io_pixels(s->context, y);

        if (s->is_indexed && wvl_io_finish_indexed_row(s->context, y, 1, &s->palette) != 0) {
            return -1;
        }
        if (s->has_key) {
            add_alpha(row, s->width, n, wvl_io_container_bytes((unsigned)s->depth), s->key, (1u << s->depth) - 1);
        }
    }
    return 0;
}

static int take_color(png_state *s)
{
    png_charp name = NULL;
    png_bytep profile = NULL;
    png_uint_32 profile_bytes = 0;
    png_fixed_point gamma = 0;
    int intent = 0, method = 0;

    if (png_get_iCCP(s->png, s->info, &name, &method, &profile, &profile_bytes) != 0) {
        return wvl_io_take_icc(s->context, profile, profile_bytes);
    }
    if (png_get_sRGB(s->png, s->info, &intent) != 0) {
        s->context->picture->color_declared = 1;
    } else if (png_get_gAMA_fixed(s->png, s->info, &gamma) != 0 &&
               (gamma < SRGB_GAMMA - 200 || gamma > SRGB_GAMMA + 200)) {
        wvl_io_note(s->context, "the gamma of the file, %.5f (gAMA), is left out", (double)gamma / 100000.0);
    }
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

/* Takes the texts that the call before did not find. */
static int take_texts(png_state *s)
{
    png_textp texts = NULL;
    int count = 0;
#ifdef PNG_eXIf_SUPPORTED
    png_bytep exif = NULL;
    png_uint_32 exif_bytes = 0;

    if (!s->has_exif && png_get_eXIf_1(s->png, s->info, &exif_bytes, &exif) != 0) {
        s->has_exif = 1;
        if (wvl_io_take_exif(s->context, exif, exif_bytes) != 0) {
            return -1;
        }
    }
#endif
    png_get_text(s->png, s->info, &texts, &count);
    for (; s->texts_taken < count; s->texts_taken++) {
        if (take_text(s, &texts[s->texts_taken]) != 0) {
            return -1;
        }
    }
    return 0;
}

static int take_all(png_state *s)
{
    if (take_color(s) != 0 || take_texts(s) != 0) {
        return -1;
    }
    png_uint_32 x = 0, y = 0;
    int unit = PNG_RESOLUTION_UNKNOWN;

    if (png_get_pHYs(s->png, s->info, &x, &y, &unit) != 0 && unit == PNG_RESOLUTION_METER) {
        wvl_io_take_resolution(s->context, x, y);
    }
    return 0;
}

static int make_png(png_state *s, wvl_io_context *context)
{
    s->context = context;
    s->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, s, on_error, on_warning, s, on_allocate, on_free);
    if (s->png) {
        s->info = png_create_info_struct(s->png);
    }
    return s->info ? 0 : wvl_io_fail(context, "libpng could not be started");
}

static void read_header(png_state *s, png_rw_ptr read)
{
    png_set_read_fn(s->png, s, read);
    png_set_user_limits(s->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* describe sets the limit */
    png_set_chunk_malloc_max(s->png, CHUNK_LIMIT_BYTES);
    png_read_info(s->png, s->info);
}

static int check_memory(const png_state *s) /* libpng may go on without a profile or text */
{
    return s->context->no_memory ? wvl_io_fail(s->context, "libpng: not enough memory") : 0;
}

/* Finds the pixels; 0: nothing but IEND follows them, or the file is damaged, which its reader will say. */
static int find_pixels(wvl_io_source *source, wvl_io_png_survey *survey)
{
    uint64_t at = 8;
    uint8_t head[8];

    *survey = (wvl_io_png_survey){0, 0};
    for (;;) {
        if (wvl_io_source_read_at(source, at, head, sizeof head) != 0) {
            return 0;
        }
        int is_pixels = memcmp(head + 4, "IDAT", 4) == 0;
        if (survey->before != 0 && !is_pixels) {
            survey->behind = at;
            return memcmp(head + 4, "IEND", 4) != 0;
        }
        survey->before = is_pixels && survey->before == 0 ? at : survey->before;
        at += 12 + (uint64_t)wvl_io_be32(head);
    }
}

/* libpng takes heads of chunks in calls of their own, so no call goes over the seam. */
static void on_survey_read(png_structp png, png_bytep bytes, size_t byte_count)
{
    static const uint8_t empty[12] = {0, 0, 0, 0, 'I', 'D', 'A', 'T', 0x35, 0xAF, 0x06, 0x1E};
    png_state *s = png_get_io_ptr(png);
    wvl_io_source *source = &s->context->source;
    uint64_t at = wvl_io_source_position(source);

    if (at < s->survey->before || at >= s->survey->behind) {
        on_read(png, bytes, byte_count);
        return;
    }
    uint64_t done = at - s->survey->before; /* the empty IDAT stands for the first bytes of the pixels */
    memcpy(bytes, empty + (done < sizeof empty ? done : 0), byte_count <= sizeof empty - done ? byte_count : 0);
    at = done + byte_count >= sizeof empty ? s->survey->behind : at + byte_count;
    if (wvl_io_source_seek(source, at) != 0) {
        png_error(png, "truncated: the file ends early");
    }
}

static int read_survey(png_state *s)
{
    if (setjmp(png_jmpbuf(s->png)) != 0) {
        return -1;
    }
    png_set_read_user_chunk_fn(s->png, s, on_unknown_chunk);
    png_set_keep_unknown_chunks(s->png, PNG_HANDLE_CHUNK_ALWAYS, (png_const_bytep) "IDAT", 1);
    read_header(s, on_survey_read);
    png_read_end(s->png, s->info);
    return take_all(s);
}

/* By rows, the description must be complete before the pixels are decoded. */
static int take_survey(wvl_io_context *context, const wvl_io_png_survey *survey)
{
    png_state *s = calloc(1, sizeof *s);

    if (!s) {
        return wvl_io_fail_memory(context, "libpng", sizeof *s);
    }
    s->survey = survey;
    int result = make_png(s, context);
    TRY(result, wvl_io_go_to(context, 0, "header"));
    TRY(result, read_survey(s));
    TRY(result, check_memory(s));
    png_destroy_read_struct(&s->png, &s->info, NULL);
    free(s);
    return result;
}

static int describe_header(png_state *s)
{
    if (setjmp(png_jmpbuf(s->png)) != 0) {
        return -1;
    }
    png_set_read_user_chunk_fn(s->png, s, on_unknown_chunk);
    read_header(s, on_read);
    int interlace = 0;

    png_get_IHDR(s->png, s->info, &s->width, &s->height, &s->depth, &s->color_type, &interlace, NULL, NULL);
    /* The size of a pipe, UINT64_MAX, passes. */
    uint64_t size = s->context->source.size, row_bytes = png_get_rowbytes(s->png, s->info);

    if (size < UINT64_MAX / DEFLATE_MOST_PER_BYTE && row_bytes > size * DEFLATE_MOST_PER_BYTE / s->height) {
        return wvl_io_fail(s->context, "IHDR: size %u x %u: truncated: the file's %llu bytes cannot hold it", s->width,
                           s->height, (unsigned long long)size);
    }
    s->is_indexed = s->color_type == PNG_COLOR_TYPE_PALETTE;
    if (s->is_indexed) {
        if (take_palette(s) != 0 ||
            wvl_io_describe_indexed(s->context, s->width, s->height, (unsigned)s->depth, &s->palette) != 0) {
            return -1;
        }
        wvl_io_settle_palette(s->context, &s->palette);
    } else if (describe_direct(s) != 0) {
        return -1;
    }
    if (s->depth < 8) {
        png_set_packing(s->png);
    }
    if (s->depth == 16 && wvl_io_is_little_endian()) {
        png_set_swap(s->png);
    }
    s->passes = png_set_interlace_handling(s->png);
    if (s->passes != 1) {
        s->context->needs_all = "the picture is interlaced; convert it to PNG without interlacing";
    }
    png_read_update_info(s->png, s->info);
    s->context->held_bytes = 2 * (uint64_t)png_get_rowbytes(s->png, s->info); /* this row, and the one before */
    if (png_get_rowbytes(s->png, s->info) > s->context->picture->components[0].stride_bytes) {
        return wvl_io_fail(s->context,
                           "IHDR: libpng returns rows of %llu bytes, which width, depth and colour type do not make: "
                           "the file is damaged",
                           (unsigned long long)png_get_rowbytes(s->png, s->info));
    }
    return 0;
}

static int take_header(png_state *s)
{
    if (setjmp(png_jmpbuf(s->png)) != 0) {
        return -1;
    }
    return take_all(s) != 0 ? -1 : check_memory(s);
}

/* Nothing but a whole IEND, from `at` on. */
static int is_end(wvl_io_source *source, uint64_t at)
{
    static const uint8_t iend[12] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xAE, 0x42, 0x60, 0x82};
    uint8_t found[12];

    return wvl_io_source_read_at(source, at, found, sizeof found) == 0 && memcmp(found, iend, sizeof iend) == 0;
}

/* Between the header and the pixels, of which this leaves the reader where it was. */
static int survey(png_state *s)
{
    wvl_io_context *context = s->context;
    wvl_io_png_survey found;
    uint64_t position = wvl_io_source_position(&context->source);
    int has_more = find_pixels(&context->source, &found);

    if (!context->by_rows && (has_more || is_end(&context->source, found.behind))) {
        unsigned channels = png_get_channels(s->png, s->info);

        s->pixels.row_bytes = png_get_rowbytes(s->png, s->info);
        s->pixels.rows = s->height;
        s->pixels.pixel_bytes = channels * (unsigned)s->depth / 8;
        (void)wvl_io_open_png_pixels(&s->pixels, &context->source, found.before, found.behind);
    }
    s->has_metadata = has_more && (context->by_rows || s->pixels.memory);
    if (s->has_metadata && take_survey(context, &found) != 0) {
        return -1;
    }
    return wvl_io_go_to(context, position, "pixel data");
}

/* By rows, metadata behind the pixels is looked for first; pixels without libpng leave it behind them too. */
static int wants_survey(const png_state *s)
{
    uint64_t bytes = (uint64_t)png_get_rowbytes(s->png, s->info) * s->height;
    int is_plain = s->passes == 1 && !s->is_indexed && s->depth >= 8 && bytes <= AT_ONCE_BYTES;

    return s->context->source.seekable && (s->context->by_rows || is_plain);
}

static int begin(wvl_io_context *context)
{
    png_state *s = context->state;

    if (make_png(s, context) != 0 || describe_header(s) != 0) {
        return -1;
    }
    if (wants_survey(s) && survey(s) != 0) {
        return -1;
    }
    return s->has_metadata ? 0 : take_header(s);
}

static int end(wvl_io_context *context)
{
    png_state *s = context->state;

    if (s->pixels.memory) {
        return check_memory(s);
    }
    if (setjmp(png_jmpbuf(s->png)) != 0) {
        return -1;
    }
    png_read_end(s->png, s->info);
    if (!s->has_metadata && take_texts(s) != 0) {
        return -1;
    }
    return check_memory(s);
}

static void release(wvl_io_context *context)
{
    png_state *s = context->state;

    free(s->palette.values);
    wvl_io_close_png_pixels(&s->pixels);
    png_destroy_read_struct(&s->png, &s->info, NULL);
}

const wvl_io_row_format wvl_io_png_rows = {begin, read_rows, end, release, sizeof(png_state)};

#else
typedef int wvl_io_no_png; /* ISO C wants something in a translation unit */
#endif
