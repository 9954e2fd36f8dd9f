/* SPDX-License-Identifier: BSD-2-Clause */
#include "internal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef int (*read_function)(wvl_io_context *context);

/* What may follow a picture in its file. */
typedef enum rest {
    REST_IGNORED,   /* anything: files of this kind often end with bytes that mean nothing to readers */
    REST_NO_SECOND, /* anything but the beginning of another picture of the same kind, which nobody would get to see */
    REST_NOTED,     /* the same, and other bytes than white space are worth a note */
    REST_NOTHING    /* nothing: without a header, bytes left over are a second picture or a wrong geometry */
} rest;

typedef struct kind {
    const char *format;
    read_function read; /* NULL: known, but not read */
    rest rest;
} kind;

#ifndef WVL_HAVE_PNG
int wvl_io_read_png(wvl_io_context *context)
{
    return wvl_io_fail(context, "this build reads no PNG: it was made without libpng");
}
#endif

#ifndef WVL_HAVE_JPEG
int wvl_io_read_jpeg(wvl_io_context *context)
{
    return wvl_io_fail(context, "this build reads no JPEG: it was made without libjpeg");
}
#endif

#ifndef WVL_HAVE_OPENJPEG
int wvl_io_read_jp2(wvl_io_context *context)
{
    return wvl_io_fail(context, "this build reads no JPEG 2000: it was made without OpenJPEG");
}

int wvl_io_read_j2k(wvl_io_context *context) { return wvl_io_read_jp2(context); }
#endif

#ifndef WVL_HAVE_OPENEXR
int wvl_io_read_exr(wvl_io_context *context)
{
    return wvl_io_fail(context, "this build reads no OpenEXR: it was made without OpenEXR");
}
#endif

static const kind tiff = {"TIFF", wvl_io_read_tiff, REST_IGNORED};
static const kind png = {"PNG", wvl_io_read_png, REST_NO_SECOND};
static const kind pnm = {"PNM", wvl_io_read_pnm, REST_NOTED};
static const kind pam = {"PAM", wvl_io_read_pam, REST_NOTED};
static const kind pgx = {"PGX", wvl_io_read_pgx, REST_NOTED};
static const kind dpx = {"DPX", wvl_io_read_dpx, REST_NO_SECOND};
static const kind bmp = {"BMP", wvl_io_read_bmp, REST_NO_SECOND};
static const kind tga = {"TGA", wvl_io_read_tga, REST_IGNORED};
static const kind raw = {"RAW", wvl_io_read_raw, REST_NOTHING};
static const kind rawl = {"RAW", wvl_io_read_rawl, REST_NOTHING};
static const kind yuv = {"YUV", wvl_io_read_yuv, REST_NOTHING};
static const kind pfm = {"PFM", wvl_io_read_pfm, REST_NO_SECOND};
static const kind jpeg = {"JPEG", wvl_io_read_jpeg, REST_IGNORED};
static const kind jp2 = {"JP2", wvl_io_read_jp2, REST_IGNORED};
static const kind codestream = {"J2K", wvl_io_read_j2k, REST_IGNORED};
static const kind exr = {"OpenEXR", wvl_io_read_exr, REST_IGNORED};
static const kind gif = {"GIF", NULL, REST_IGNORED};

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
    size_t i;

    for (i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
        if (strcasecmp(extension, extensions[i].extension) == 0)
            return extensions[i].kind;
    return NULL;
}

static const char *extension_of_name(const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash != NULL ? slash : name, '.');

    return dot != NULL ? dot + 1 : "";
}

static const kind *kind_of_content(wvl_io_context *context)
{
    const uint8_t *head;
    size_t held = wvl_io_source_peek(&context->source, &head, 16), i;

    for (i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (held >= magics[i].byte_count && memcmp(head, magics[i].bytes, magics[i].byte_count) == 0)
            return magics[i].kind;
    if (held >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6' && strchr(" \t\r\n#", head[2]) != NULL &&
        head[2] != 0)
        return &pnm;
    return NULL;
}

static const kind *choose_kind(wvl_io_context *context)
{
    const char *extension = extension_of_name(context->name);
    const kind *by_name = kind_of_extension(extension), *by_content;

    if (context->options.format != NULL) {
        by_name = kind_of_extension(context->options.format);
        if (by_name == NULL)
            wvl_io_fail(context, "format \"%s\" is not known: --help lists those that are read",
                        context->options.format);
        return by_name;
    }
    if (strcmp(context->name, "-") == 0 && context->options.raw_format != NULL)
        return &raw;
    /* These have no magic, and their first bytes may look like somebody else's. */
    if (by_name == &raw || by_name == &rawl || by_name == &yuv)
        return by_name;
    by_content = kind_of_content(context);
    if (by_content != NULL || by_name == &tga)
        return by_content != NULL ? by_content : by_name;
    if (context->source.size == 0)
        wvl_io_fail(context, "the file is empty");
    else if (context->source.failed != 0)
        wvl_io_fail(context, "read error: %s", wvl_io_source_trouble(&context->source));
    else
        wvl_io_fail(context, "format not recognised: neither the first bytes nor the extension \"%s\" is known",
                    extension);
    return NULL;
}

/* White space between pictures is allowed where the headers are text. */
static void skip_space(wvl_io_source *source)
{
    const uint8_t *next;

    while (wvl_io_source_peek(source, &next, 1) == 1 && *next != 0 && strchr(" \t\n\v\f\r", *next) != NULL)
        (void)wvl_io_source_byte(source);
}

/* The last line may end with bytes that fill a word. */
static void skip_padding(wvl_io_source *source)
{
    int c = 0;

    while (c >= 0 && wvl_io_source_position(source) % 4 != 0)
        c = wvl_io_source_byte(source);
}

/* Two bytes that happen to be BM are no bitmap: its reserved fields are 0. */
static int is_second(const kind *found, const kind *next, const uint8_t *head, size_t held)
{
    if (found == &bmp && next == &bmp)
        return held >= 10 && memcmp(head + 6, "\0\0\0\0", 4) == 0;
    return next != NULL && (next == found || (found->rest == REST_NOTED && (next == &pnm || next == &pam)));
}

/* At the end of the picture: whether another one begins there. */
static int judge_rest(wvl_io_context *context, const kind *found)
{
    const uint8_t *head;
    size_t held;

    if (found->rest == REST_IGNORED || context->options.ignore_rest || context->source.endless)
        return 0;
    if (found->rest == REST_NOTED)
        skip_space(&context->source);
    if (found == &dpx)
        skip_padding(&context->source);
    held = wvl_io_source_peek(&context->source, &head, 16);
    if (held == 0)
        return 0;
    if (found->rest == REST_NOTHING)
        return wvl_io_fail(context,
                           "bytes follow the samples; only one picture per input is read: divide the input, or "
                           "correct its geometry");
    if (is_second(found, kind_of_content(context), head, held))
        return wvl_io_fail(context, "a second picture follows; only one picture per input is read: divide the input");
    if (found->rest == REST_NOTED)
        wvl_io_note(context, "bytes after the picture are not read");
    return 0;
}

static int read_picture(wvl_io_context *context)
{
    const kind *found = choose_kind(context);

    if (found == NULL)
        return -1;
    context->format = found->format;
    if (found->read == NULL)
        return wvl_io_fail(context, "files of this format are not read: convert the picture");
    snprintf(context->picture->format, sizeof context->picture->format, "%s", found->format);
    return found->read(context) == 0 ? judge_rest(context, found) : -1;
}

static void start(wvl_io_context *context, const char *name, const wvl_io_options *options, wvl_io_picture *out,
                  char *error, size_t error_bytes)
{
    memset(context, 0, sizeof *context);
    context->name = name;
    context->picture = out;
    context->error = error;
    context->error_bytes = error_bytes;
    if (options != NULL)
        context->options = *options;
    context->max_samples = context->options.max_samples != 0 ? context->options.max_samples : WVL_IO_MAX_SAMPLES;
    if (context->max_samples > WVL_IO_COUNTABLE_SAMPLES)
        context->max_samples = WVL_IO_COUNTABLE_SAMPLES;
    wvl_io_clear_picture(out);
    if (error != NULL && error_bytes != 0)
        error[0] = '\0';
}

static int finish(wvl_io_context *context, int result)
{
    wvl_io_source_close(&context->source);
    if (result == 0)
        return WVL_IO_OK;
    wvl_io_release_picture(context->picture);
    return context->no_memory ? WVL_IO_ERROR_MEMORY : WVL_IO_ERROR_INPUT;
}

int wvl_io_read_picture(const char *path, const wvl_io_options *options, wvl_io_picture *out, char *error,
                        size_t error_bytes)
{
    wvl_io_context context;

    start(&context, path, options, out, error, error_bytes);
    if (wvl_io_source_open(&context) != 0)
        return finish(&context, -1);
    return finish(&context, read_picture(&context));
}

int wvl_io_read_memory(const void *bytes, size_t byte_count, const char *name, const wvl_io_options *options,
                       wvl_io_picture *out, char *error, size_t error_bytes)
{
    wvl_io_context context;

    start(&context, name, options, out, error, error_bytes);
    wvl_io_source_memory(&context.source, bytes, byte_count);
    return finish(&context, read_picture(&context));
}

int wvl_io_measure_raw(const wvl_io_options *options, uint64_t *bytes, char *error, size_t error_bytes)
{
    wvl_io_context context;
    wvl_io_picture none;
    int result;

    start(&context, "-F", options, &none, error, error_bytes);
    wvl_io_source_memory(&context.source, "", 0);
    result = wvl_io_describe_raw(&context, bytes);
    if (result == 0)
        wvl_io_release_picture(&none);
    return finish(&context, result);
}

int wvl_io_count_pages(const char *path, const wvl_io_options *options, uint32_t *count, char *error,
                       size_t error_bytes)
{
    wvl_io_context context;
    wvl_io_picture none;
    int result;

    start(&context, path, options, &none, error, error_bytes);
    *count = 1;
    result = wvl_io_source_open(&context);
    if (result == 0) {
        const kind *found = choose_kind(&context);

        context.format = found != NULL ? found->format : NULL;
        result = found == NULL ? -1 : 0;
        if (found == &tiff)
            result = wvl_io_count_tiff(&context, count);
    }
    return finish(&context, result);
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
