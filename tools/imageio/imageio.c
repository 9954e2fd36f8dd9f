/* SPDX-License-Identifier: BSD-2-Clause */
#include "internal.h"

#include <strings.h>

typedef wvl_io_kind kind;

/* The bytes that may follow a picture in its file. */
enum {
    REST_IGNORED,   /* anything: files of this kind often end with bytes that mean nothing to readers */
    REST_NO_SECOND, /* anything but the beginning of another picture of the same kind, which nobody would get to see */
    REST_NOTED,     /* the same, and other bytes than white space are worth a note */
    REST_NOTHING    /* nothing: without a header, bytes left over are a second picture or a wrong geometry */
};

#ifndef WVL_HAVE_PNG
static int refuse_png(wvl_io_context *context)
{
    return wvl_io_fail(context, "this build cannot read PNG: it was made without libpng");
}

const wvl_io_row_format wvl_io_png_rows = {refuse_png, NULL, NULL, NULL, 1};
#endif

#ifndef WVL_HAVE_JPEG
static int refuse_jpeg(wvl_io_context *context)
{
    return wvl_io_fail(context, "this build cannot read JPEG: it was made without libjpeg");
}

const wvl_io_row_format wvl_io_jpeg_rows = {refuse_jpeg, NULL, NULL, NULL, 1};
#endif

#ifndef WVL_HAVE_OPENJPEG
int wvl_io_read_jp2(wvl_io_context *context)
{
    return wvl_io_fail(context, "this build cannot read JPEG 2000: it was made without OpenJPEG");
}

int wvl_io_read_j2k(wvl_io_context *context) { return wvl_io_read_jp2(context); }
#endif

#ifndef WVL_HAVE_OPENEXR
int wvl_io_read_exr(wvl_io_context *context)
{
    return wvl_io_fail(context, "this build cannot read OpenEXR: it was made without OpenEXR");
}
#endif

#define RUNS_OR_BOTTOM_UP "its rows may be compressed across their ends, or be stored from the bottom up"
#define FLOATS "floating point is converted to integers only when all samples are known"
#define DECODED_WHOLE "the decoder returns only whole pictures"

static const kind tiff = {"TIFF", REST_IGNORED, &wvl_io_tiff_rows, NULL, NULL};
static const kind png = {"PNG", REST_NO_SECOND, &wvl_io_png_rows, NULL, NULL};
static const kind pnm = {"PNM", REST_NOTED, &wvl_io_pnm_rows, NULL, NULL};
static const kind pam = {"PAM", REST_NOTED, &wvl_io_pam_rows, NULL, NULL};
static const kind pgx = {"PGX", REST_NOTED, &wvl_io_pgx_rows, NULL, NULL};
static const kind dpx = {"DPX", REST_NO_SECOND, &wvl_io_dpx_rows, NULL, NULL};
static const kind bmp = {"BMP", REST_NO_SECOND, &wvl_io_bmp_rows, NULL, NULL};
static const kind tga = {"TGA", REST_IGNORED, NULL, wvl_io_read_tga, RUNS_OR_BOTTOM_UP};
static const kind raw = {"RAW", REST_NOTHING, &wvl_io_raw_rows, NULL, NULL};
static const kind rawl = {"RAW", REST_NOTHING, &wvl_io_rawl_rows, NULL, NULL};
static const kind yuv = {"YUV", REST_NOTHING, &wvl_io_yuv_rows, NULL, NULL};
static const kind pfm = {"PFM", REST_NO_SECOND, NULL, wvl_io_read_pfm, FLOATS};
static const kind jpeg = {"JPEG", REST_IGNORED, &wvl_io_jpeg_rows, NULL, NULL};
static const kind jp2 = {"JP2", REST_IGNORED, NULL, wvl_io_read_jp2, DECODED_WHOLE};
static const kind codestream = {"J2K", REST_IGNORED, NULL, wvl_io_read_j2k, DECODED_WHOLE};
static const kind exr = {"OpenEXR", REST_IGNORED, NULL, wvl_io_read_exr, FLOATS};
static const kind gif = {"GIF", REST_IGNORED, NULL, NULL, NULL};

typedef struct magic {
    const char *bytes;
    size_t byte_count;
    const kind *kind;
} magic;

static const magic magics[] = {
    {"II*\0", 4, &tiff},
    {"MM\0*", 4, &tiff},
    {"II+\0", 4, &tiff},
    {"MM\0+", 4, &tiff},
    {"\x89PNG\r\n\x1a\n", 8, &png},
    {"SDPX", 4, &dpx},
    {"XPDS", 4, &dpx},
    {"P7\n", 3, &pam},
    {"P7\r", 3, &pam},
    {"BM", 2, &bmp},
    {"PG ", 3, &pgx},
    {"PG\t", 3, &pgx},
    {"PF\n", 3, &pfm},
    {"Pf\n", 3, &pfm},
    {"\xff\xd8\xff", 3, &jpeg},
    {"\0\0\0\x0cjP  ", 8, &jp2},
    {"\xff\x4f\xff\x51", 4, &codestream},
    {"\x76\x2f\x31\x01", 4, &exr},
    {"GIF8", 4, &gif},
};

static const struct {
    const char *extension;
    const kind *kind;
} extensions[] = {
    {"raw", &raw},  {"rawl", &rawl}, {"yuv", &yuv},   {"tga", &tga}, {"vda", &tga}, {"icb", &tga},
    {"vst", &tga},  {"tif", &tiff},  {"tiff", &tiff}, {"png", &png}, {"pgm", &pnm}, {"ppm", &pnm},
    {"pbm", &pnm},  {"pnm", &pnm},   {"pam", &pam},   {"pgx", &pgx}, {"dpx", &dpx}, {"bmp", &bmp},
    {"jpg", &jpeg}, {"jpeg", &jpeg}, {"pfm", &pfm},   {"exr", &exr},
};

const char *wvl_io_extension(size_t index)
{
    return index < sizeof extensions / sizeof extensions[0] ? extensions[index].extension : NULL;
}

static const kind *kind_of_extension(const char *extension)
{
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        if (strcasecmp(extension, extensions[i].extension) == 0) {
            return extensions[i].kind;
        }
    }
    return NULL;
}

static const kind *kind_of_content(wvl_io_context *context)
{
    const uint8_t *head;
    size_t held = wvl_io_source_peek(&context->source, &head, 16);

    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        if (held >= magics[i].byte_count && memcmp(head, magics[i].bytes, magics[i].byte_count) == 0) {
            return magics[i].kind;
        }
    }
    if (held >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6' && strchr(" \t\r\n#", head[2]) != NULL &&
        head[2] != 0) {
        return &pnm;
    }
    return NULL;
}

static int begins_with(wvl_io_context *context, const char *text)
{
    const uint8_t *head;
    size_t length = strlen(text);

    return wvl_io_source_peek(&context->source, &head, 16) >= length && memcmp(head, text, length) == 0;
}

const wvl_io_kind *wvl_io_choose_kind(wvl_io_context *context)
{
    const char *slash = strrchr(context->name, '/'), *dot = strrchr(slash ? slash : context->name, '.');

    const char *extension = dot ? dot + 1 : "";
    const kind *by_name = kind_of_extension(extension);

    if (context->options.format) {
        by_name = kind_of_extension(context->options.format);
        if (!by_name) {
            wvl_io_fail(context, "format \"%s\" is not known; --help lists the supported ones",
                        context->options.format);
        }
        return by_name;
    }
    if (strcmp(context->name, "-") == 0 && context->options.raw_format) {
        return &raw;
    }
    /* These have no magic, and their first bytes may look like somebody else's. */
    if (by_name == &raw || by_name == &rawl || by_name == &yuv) {
        return by_name;
    }
    const kind *by_content = kind_of_content(context);
    if (by_content || by_name == &tga) {
        return by_content ? by_content : by_name;
    }
    if (context->source.size == 0) {
        wvl_io_fail(context, "the file is empty");
    } else if (context->source.failed != 0) {
        wvl_io_fail(context, "read error: %s", wvl_io_source_trouble(&context->source));
    } else if (begins_with(context, "YUV4MPEG2 ")) {
        wvl_io_fail(context, "is YUV4MPEG2, a sequence of frames; wavelane sequence reads it");
    } else {
        wvl_io_fail(context, "format not recognised: neither the first bytes nor the extension \"%s\" is known",
                    extension);
    }
    return NULL;
}

/* White space between pictures is allowed where the headers are text. */
static void skip_space(wvl_io_source *source)
{
    const uint8_t *next;

    while (wvl_io_source_peek(source, &next, 1) == 1 && *next != 0 && strchr(" \t\n\v\f\r", *next) != NULL) {
        (void)wvl_io_source_byte(source);
    }
}

/* Two bytes that happen to be BM are no bitmap: its reserved fields are 0. */
static int is_second(const kind *found, const kind *next, const uint8_t *head, size_t held)
{
    if (found == &bmp && next == &bmp) {
        return held >= 10 && memcmp(head + 6, "\0\0\0\0", 4) == 0;
    }
    return next && (next == found || (found->rest == REST_NOTED && (next == &pnm || next == &pam)));
}

int wvl_io_judge_rest(wvl_io_context *context, const wvl_io_kind *found)
{
    const uint8_t *head;

    if (found->rest == REST_IGNORED || context->options.ignore_rest || context->source.endless) {
        return 0;
    }
    if (found->rest == REST_NOTED) {
        skip_space(&context->source);
    }
    if (found == &dpx) {
        /* The last line may end with bytes that fill a word. */
        int c = 0;

        while (c >= 0 && wvl_io_source_position(&context->source) % 4 != 0) {
            c = wvl_io_source_byte(&context->source);
        }
    }
    size_t held = wvl_io_source_peek(&context->source, &head, 16);
    if (held == 0) {
        return 0;
    }
    if (found->rest == REST_NOTHING) {
        return wvl_io_fail(context,
                           "bytes follow the samples; only one picture per input is read: divide the input, or "
                           "correct its geometry");
    }
    if (is_second(found, kind_of_content(context), head, held)) {
        return wvl_io_fail(context, "a second picture follows; only one picture per input is read: divide the input");
    }
    if (found->rest == REST_NOTED) {
        wvl_io_note(context, "bytes after the picture are not read");
    }
    return 0;
}

const char *wvl_io_missing_formats(void)
{
    return ""
#ifndef WVL_HAVE_PNG
           " PNG"
#endif
#ifndef WVL_HAVE_JPEG
           " JPEG"
#endif
#ifndef WVL_HAVE_OPENJPEG
           " JPEG-2000"
#endif
#ifndef WVL_HAVE_OPENEXR
           " OpenEXR"
#endif
        ;
}
