/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Picture files in: TIFF, PNG, JPEG, JPEG 2000, OpenEXR, PFM, PNM/PAM, PGX, DPX, BMP, TGA, raw and planar YUV.
 *
 * Every reader hands out the stored samples, not an interpretation of them: no scaling between
 * depths, no colour conversion, no rotation. The exceptions are the ones a JPEG 2000 file cannot
 * express: min-is-white and PBM pictures are inverted to min-is-black, bottom-up files are turned
 * top-down, and palettes are expanded unless the indices are asked for. YCbCr of JPEG data (files, and
 * in TIFF) becomes RGB unless the stored planes are asked for (D-command-07).
 *
 * A file that is truncated, that claims more than it holds, or that this code does not fully
 * understand is refused; there is no partial result. Nothing is printed.
 */
#pragma once

#include <string.h>

#include "metadata.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WVL_IO_MAX_COMPONENTS 16384u               /* Csiz, ISO/IEC 15444-1 A.5.1 */
#define WVL_IO_MAX_SAMPLES (UINT64_C(1) << 33)     /* unless the caller sets another limit */
#define WVL_IO_MAX_INPUT_BYTES (UINT64_C(1) << 31) /* of a pipe or device, likewise */

/*
 * One component. Sample (x, y) lies at
 *     (const uint8_t *)data + y * stride_bytes + x * sample_stride_bytes
 * as a host-endian, right-justified integer of sample_bytes bytes, sign-extended when is_signed,
 * and always inside the range of depth. The container is the smallest of 1, 2, 4 bytes.
 * dx, dy: XRsiz, YRsiz; width = ceil(picture width / dx), height likewise.
 */
typedef struct wvl_io_component {
    uint32_t width, height;
    uint8_t dx, dy;
    uint8_t depth; /* 1..32 */
    uint8_t is_signed;
    uint8_t is_float; /* and signed: the integer is the bits of a floating-point number */
    uint8_t sample_bytes;
    size_t sample_stride_bytes; /* sample_bytes when planar, more when components are interleaved */
    size_t stride_bytes;
    void *data;
    void *owned; /* what wvl_io_release_picture frees: several components may lie in one block,
                    which exactly one of them owns; the others hold NULL */
} wvl_io_component;

/* A sample of 1, 2 or 4 bytes. */
static inline int64_t wvl_io_load(const uint8_t *at, unsigned bytes, int is_signed)
{
    uint16_t half;
    uint32_t word;
    if (bytes == 1) {
        return is_signed ? (int8_t)*at : *at;
    }
    if (bytes == 2) {
        memcpy(&half, at, sizeof half);
        return is_signed ? (int16_t)half : half;
    }
    memcpy(&word, at, sizeof word);
    return is_signed ? (int64_t)(int32_t)word : (int64_t)word;
}

/* A sample of 1, 2 or 4 bytes in host order, cut to that; wvl_io_load() reads it. */
static inline void wvl_io_store(uint8_t *at, unsigned bytes, uint32_t sample)
{
    uint16_t half = (uint16_t)sample;
    if (bytes == 1) {
        *at = (uint8_t)sample;
    } else if (bytes == 2) {
        memcpy(at, &half, sizeof half);
    } else {
        memcpy(at, &sample, sizeof sample);
    }
}

/* The place of sample (x, y). */
static inline uint8_t *wvl_io_place(const wvl_io_component *component, uint32_t x, uint32_t y)
{
    return (uint8_t *)component->data + y * component->stride_bytes + x * component->sample_stride_bytes;
}

/* Sample (x, y), which must lie in the component. */
static inline int64_t wvl_io_sample(const wvl_io_component *component, uint32_t x, uint32_t y)
{
    return wvl_io_load(wvl_io_place(component, x, y), component->sample_bytes, component->is_signed);
}

typedef enum wvl_io_color {
    WVL_IO_GREY,
    WVL_IO_RGB,
    WVL_IO_YCC,
    WVL_IO_CMYK,
    WVL_IO_UNKNOWN /* several bands without a declared meaning, or inks other than CMYK */
} wvl_io_color;

/* How floating point becomes integers of 16 bits (D-command-09): code = round(65535 * f), f limited to 0..1. */
typedef enum wvl_io_float_transfer {
    WVL_IO_FLOAT_REFUSED, /* floating point is refused */
    WVL_IO_FLOAT_LINEAR,  /* f = (v - low) / (high - low) */
    WVL_IO_FLOAT_LOG,     /* f = log(v / low) / log(high / low) */
    WVL_IO_FLOAT_PQ,      /* f = the inverse EOTF of SMPTE ST 2084, with 10000 cd/m2 at high and none at low */
    WVL_IO_FLOAT_KEPT     /* it does not: components are is_float, of 16 or 32 bits as in the file */
} wvl_io_float_transfer;

/* How samples of a file may be kept as they lie there: in the containers of wavelane.h with these names. */
typedef enum wvl_io_words {
    WVL_IO_INTEGERS, /* samples are integers */
    WVL_IO_FILLED10_BE,
    WVL_IO_FILLED10_LE,
    WVL_IO_FILLED12_BE,
    WVL_IO_FILLED12_LE,
    WVL_IO_WORDS12_BE,
    WVL_IO_WORDS12_LE,
    WVL_IO_WORDS10_BE,
    WVL_IO_WORDS10_LE,
    WVL_IO_PACKED10,
    WVL_IO_PACKED12,
    WVL_IO_16_BE
} wvl_io_words;

/* DPX, TIFF: which samples of 10, 12 and 16 bits may stay as they lie in the file; others become integers. */
typedef enum wvl_io_keep_words {
    WVL_IO_KEEP_NO_WORDS = 0,
    WVL_IO_KEEP_WORDS_OF_THREE, /* of pictures of three components */
    WVL_IO_KEEP_ALL_WORDS
} wvl_io_keep_words;

typedef struct wvl_io_picture {
    uint32_t width, height;
    uint32_t component_count;
    wvl_io_component *components;
    /* With words, which were asked for: row y begins at components[0].data + y * stride_bytes, and sample (x, y) of
       component c is number x * component_count + c of its samples. There is no gap between rows; the memory has room
       for integers. Until wvl_io_expand_words() nothing else here knows how to read them. */
    wvl_io_words words;

    wvl_io_color color;
    int color_declared; /* 1: the file says which space (a profile, sRGB, a YCbCr definition equal to
                           sYCC); 0: assumed, e.g. untagged RGB */
    const char
        *space; /* RGB space that header fields of the file name, as the encoder's "input-color" has it; NULL: none */
    const char *transfer; /* its transfer where that is not the usual one, as "input-transfer" has it; NULL */
    int space_rules; /* 1: these two count more than a profile (PNG cICP); with NULL: colours that have no such name */
    int alpha_component; /* -1: none */
    int alpha_premultiplied;
    uint8_t orientation;   /* TIFF tag 274 numbering; 1: rows run down and samples to the right */
    uint8_t chroma_siting; /* YCC only. 0: unknown, 1: centred, 2: co-sited */
    int was_ycc;           /* 1: the reader made RGB of YCbCr; it may be 0 for JPEG files */
    int ycc_tagged;        /* 1: the file has the next two; 0: BT.601, full range */
    float ycc_luma[3];     /* YCbCrCoefficients of TIFF 6.0 section 21: red, green, blue */
    float ycc_range[6];    /* ReferenceBlackWhite: black and white of Y, Cb, Cr */

    /* Samples that were floating point: how they became integers. */
    wvl_io_float_transfer float_transfer; /* WVL_IO_FLOAT_REFUSED: they were integers */
    double float_low, float_high;         /* the values of the lowest and the highest code */

    /* Only when the picture has been kept as indices: entry e, column c at palette[e * columns + c].
       columns is 3, or 4 with alpha last. Every index is below palette_entries. Up to 65536 entries;
       JP2 carries at most 1024 (ISO/IEC 15444-1 I.5.3.4). */
    uint32_t palette_entries;
    uint32_t palette_columns;
    uint8_t palette_depth; /* 1..16, of all columns */
    uint16_t *palette;

    uint8_t *icc; /* exactly as many bytes as the profile's own size field says */
    size_t icc_bytes;
    int has_cicp;
    uint8_t cicp[4]; /* PNG cICP, ITU-T H.273: colour primaries, transfer, matrix, full range flag */
    wvl_io_metadata metadata;
    uint8_t
        *exr_header; /* of keep_layers: the attributes of the file as they lie there, with the byte that ends them */
    size_t exr_header_bytes;
    double x_pixels_per_metre, y_pixels_per_metre; /* 0: unknown */

    char format[8]; /* "TIFF", "PNG", "JPEG", "OpenEXR", "PFM", "JP2", "J2K", "PNM", "PAM", "PGX", "DPX", "BMP", "TGA",
                       "RAW", "YUV" */
    char lost[256]; /* metadata of the file that no member holds: "Photoshop resources, EXIF (damaged)"; or "" */
    char note[192]; /* what a careful person would want to know though nothing was refused; or "" */
} wvl_io_picture;

/* The results of a reader. */
enum {
    WVL_IO_OK = 0,
    WVL_IO_ERROR_INPUT = -1, /* the file cannot be read, or is not what it claims to be */
    WVL_IO_ERROR_MEMORY = -2 /* memory is short; the file may be good */
};

typedef struct wvl_io_options {
    const char *format;     /* file name extension to assume ("raw", "rawl", "yuv", "tga", ...) instead of
                               the content and the name; NULL: find out */
    const char *raw_format; /* "w,h,n,bits,{s,u,f}@1x1:2x2:2x2" for raw, rawl and yuv */
    int raw_interleaved;    /* raw, rawl, yuv: 1: component after component of each pixel; 0: plane after plane */
    int raw_video_range;    /* raw, rawl, yuv: 1: YCbCr has the limited range of video (BT.601); 0: the full one */
    int keep_palette;       /* 1: hand out indices and palette; 0: expand */
    int keep_ycc;           /* JPEG, also in TIFF; JPEG 2000 in TIFF: 1: hand out YCbCr planes as stored; 0: RGB */
    wvl_io_keep_words keep_words;
    int page_given;    /* TIFF: 1: page and sub_page say which picture; 0: the first one, or where that is a thumbnail
                          the only full one */
    uint32_t page;     /* TIFF: directory, from 0 */
    uint32_t sub_page; /* TIFF: 0: the page itself; k + 1: SubIFD k of it */
    wvl_io_float_transfer float_transfer;
    int float_range_given; /* 0: low and high are found in the picture */
    double float_low, float_high;
    uint64_t max_samples;     /* over all components; 0: WVL_IO_MAX_SAMPLES */
    uint64_t max_input_bytes; /* read from what is not a regular file; 0: WVL_IO_MAX_INPUT_BYTES */
    int keep_layers;          /* OpenEXR: 1: every channel as it is, in the order of the file, and the header too */
    int ignore_rest;          /* 1: bytes after the first picture are left unread; 0: a second picture is refused */
    /* JPEG 2000: gets the codestream before it is decoded. Anything but 0 refuses it; reason gets a line of text. NULL:
     * there is none. */
    int (*inspect)(const uint8_t *codestream, size_t bytes, char *reason, size_t reason_bytes);
    /* Gets the bytes that the samples of a whole picture take, before that memory is taken; it may wait. NULL: there is
     * none. */
    void (*before_samples)(void *user, uint64_t bytes);
    void *before_samples_user;
    /* Lends memory for the samples of a whole picture, behind before_samples and with its user: it stays the caller's,
     * and outlasts the picture. NULL, or NULL from it: the reader takes its own. Samples without a header (raw, rawl,
     * yuv) that are read from just this memory stay where they are. */
    void *(*lend_samples)(void *user, uint64_t bytes);
} wvl_io_options;

/* Bytes of the machine's memory; UINT64_MAX: not known. malloc may promise more than there is, and the process ends
 * when it uses that: such a promise is not asked for. */
uint64_t wvl_io_machine_memory(void);
/* Memory that begins with a large page (2 MiB) and asks for such; free() gives it back. NULL: there is none. */
void *wvl_io_take_large(size_t byte_count);

/* File name extensions that are read, without the dot, from index 0; NULL after the last one. */
const char *wvl_io_extension(size_t index);

/* Formats that this build cannot read for want of a library, each behind a blank: " JPEG OpenEXR"; "": it reads all. */
const char *wvl_io_missing_formats(void);

/*
 * Reads a picture. path "-" is standard input (raw data there needs options->format or raw_format).
 * The format is found by content first; raw, rawl, yuv and tga by name. options may be NULL.
 * An input holds one picture: where a second PNM, PAM, PGX, PNG, BMP or DPX picture follows, or more raw
 * samples, the input is refused. Other bytes behind the picture are common and harmless.
 * Returns WVL_IO_OK, or a negative value with *out emptied and a one-line reason in error, which names
 * file, format, field and limit. The caller releases *out.
 */
int wvl_io_read_picture(const char *path, const wvl_io_options *options, wvl_io_picture *out, char *error,
                        size_t error_bytes);

/* The same from memory; name stands for the file in messages and for its extension. */
int wvl_io_read_memory(const void *bytes, size_t byte_count, const char *name, const wvl_io_options *options,
                       wvl_io_picture *out, char *error, size_t error_bytes);

/* Says if a file that begins with these bytes has a format that is read. Returns as wvl_io_read_picture does. */
int wvl_io_recognise(const void *bytes, size_t byte_count, const char *name, const wvl_io_options *options, char *error,
                     size_t error_bytes);

/* Bytes of one picture of raw samples, as options->raw_format describes it. Returns as wvl_io_read_picture does. */
int wvl_io_measure_raw(const wvl_io_options *options, uint64_t *bytes, char *error, size_t error_bytes);

/* Frees what a reader allocated and empties *picture. Safe on an emptied picture. */
/* Samples alone: what else is known of the picture stays. */
void wvl_io_release_samples(wvl_io_picture *picture);
void wvl_io_release_picture(wvl_io_picture *picture);

/* Samples that were kept in words become integers, where they lie. WVL_IO_OK or WVL_IO_ERROR_MEMORY. */
int wvl_io_expand_words(wvl_io_picture *picture);

/* The kind that a directory of a TIFF file declares. */
typedef enum wvl_io_page_kind { WVL_IO_PAGE_FULL, WVL_IO_PAGE_REDUCED, WVL_IO_PAGE_MASK } wvl_io_page_kind;

typedef struct wvl_io_page {
    uint32_t page, sub; /* as wvl_io_options.page and sub_page */
    wvl_io_page_kind kind;
} wvl_io_page;

/* All pictures of a TIFF file, SubIFDs behind their pages; one for other formats. Returns as wvl_io_read_picture does;
 * the caller frees the list. */
int wvl_io_list_pages(const char *path, const wvl_io_options *options, wvl_io_page **pages, size_t *count, char *error,
                      size_t error_bytes);

/*
 * Keeps the given components, in this order; none may stand twice. The colour stays where its components come first,
 * in any order; else one component is grey, and more have no declared meaning and no profile. Where all that stay have
 * the same steps, the picture gets their size.
 */
int wvl_io_select_channels(wvl_io_picture *picture, const uint32_t *channels, uint32_t count, char *error,
                           size_t error_bytes);
/* Leaves out the alpha channel, also that of a palette; nothing happens where there is none. */
int wvl_io_drop_alpha(wvl_io_picture *picture, char *error, size_t error_bytes);
/*
 * YCbCr to RGB, with chroma of any steps: linear interpolation from where the samples lie (centred, unless the file
 * says co-sited), then the matrix of the file, or BT.601 with full range. Matrix coefficients have 24 bits behind the
 * point; all else is exact, with one rounding to the nearest code at the end, halves up. At most 16 bits a sample.
 */
int wvl_io_convert_ycc(wvl_io_picture *picture, char *error, size_t error_bytes);

/*
 * Makes one picture of several, e.g. one PGX file a component: the components of parts[0..count-1] in
 * order. steps is NULL, or holds XRsiz, YRsiz for each component in turn. With NULL the widest and the
 * highest component set the size, and the steps are the smallest that explain the others.
 * On success the samples move into *out (not one of the parts) and the parts are empty; on failure the
 * parts are untouched. Profiles and metadata of the parts do not go along.
 */
int wvl_io_merge_components(wvl_io_picture *parts, size_t count, const uint8_t *steps, wvl_io_picture *out, char *error,
                            size_t error_bytes);

/*
 * Turns and mirrors the samples so that rows run down and samples to the right, as picture->orientation says, which is
 * 1 afterwards. No sample changes its value. Width, height, subsampling and resolution change places where rows become
 * columns. Metadata stays as it is. A subsampled picture whose size is no multiple of its sampling is refused where it
 * would have to begin with an incomplete group of samples. On failure the picture is untouched.
 */
int wvl_io_orient_picture(wvl_io_picture *picture, char *error, size_t error_bytes);
/* 1: the orientation exchanges width and height. */
static inline int wvl_io_orientation_swaps(uint8_t orientation) { return orientation >= 5 && orientation <= 8; }

/* The use that JP2 may make of an ICC profile (ISO/IEC 15444-1 I.5.3.3: the restricted method). */
typedef enum wvl_io_icc {
    WVL_IO_ICC_GREY,  /* restricted: monochrome input or display profile, PCS XYZ */
    WVL_IO_ICC_RGB,   /* restricted: three-component matrix profile, input or display, PCS XYZ, no A2B0 */
    WVL_IO_ICC_OTHER, /* well formed, but not allowed in JP2 */
    WVL_IO_ICC_BROKEN /* header or tag table does not hold together */
} wvl_io_icc;

wvl_io_icc wvl_io_icc_kind(const uint8_t *bytes, size_t byte_count);

#ifdef __cplusplus
}
#endif
