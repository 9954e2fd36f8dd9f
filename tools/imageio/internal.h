/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts that the readers share: the byte source, failing with a reason, allocation of samples, palettes. */
#pragma once

#include "picture_rows.h"
#include "src/base/try.h"

#define WVL_IO_SIZE_UNKNOWN UINT64_MAX
/* A limit that holds whatever the caller permits: bytes of these samples, up to 4 each, fit 64 bits. */
#define WVL_IO_COUNTABLE_SAMPLES (UINT64_C(1) << 56)

#if defined(__GNUC__)
#define WVL_IO_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define WVL_IO_PRINTF(format_index, first_argument)
#endif

/*
 * Bytes of a file, a pipe or memory. window[at..end) are buffered bytes; window_start is the position
 * in the file of window[0]. For memory the window is the whole file.
 */
typedef struct wvl_io_source {
    int file; /* -1: memory only */
    int seekable;
    uint64_t base; /* descriptor offset of our position 0: standard input may be handed over part-read */
    uint64_t size; /* WVL_IO_SIZE_UNKNOWN for a pipe */
    uint64_t window_start;
    const uint8_t *window;
    size_t at, end;
    uint8_t *buffer;      /* owned, NULL for borrowed memory */
    int failed;           /* errno of a read that failed, else 0 */
    int endless;          /* a character device: something always follows */
    uint64_t taken, most; /* bytes read from the descriptor, and their limit */
    int over;             /* the limit was reached */
} wvl_io_source;

typedef struct wvl_io_context {
    const char *name;   /* of the file */
    const char *format; /* for messages */
    wvl_io_options options;
    uint64_t max_samples;
    wvl_io_source source;
    wvl_io_picture *picture;
    char *error;
    size_t error_bytes;
    int no_memory; /* memory was refused: the cause of the failure */

    /* Members of formats that give rows. */
    int by_rows;                      /* 1: rows are wanted; 0: the whole picture */
    const char *needs_all;            /* why not by rows; set by begin, NULL: rows can be given */
    void *state;                      /* of the format; owned */
    int is_interleaved;               /* all components lie in one buffer */
    const uint8_t *order;             /* NULL, or the place of each component in an interleaved pixel */
    uint64_t held_bytes;              /* that the format holds while it gives rows */
    const wvl_io_row_buffer *buffers; /* where rows go: row `window_first` of the picture comes first */
    uint32_t window_first;
} wvl_io_context;

/*
 * A format that gives rows. Pictures are read by rows, or whole in one call of rows. The int results are 0, or -1 with
 * the reason in the error text.
 */
typedef struct wvl_io_row_format {
    /* From position 0: describes the picture, checks its claims and lays it out; holds no samples. */
    int (*begin)(wvl_io_context *context);
    /* Rows first .. first + count - 1 into the buffers. Calls follow one another without a gap; where needs_all is set,
       there is one call with all rows. */
    int (*rows)(wvl_io_context *context, uint32_t first, uint32_t count);
    /* Behind the last row; leaves the source behind the picture. May be NULL. */
    int (*end)(wvl_io_context *context);
    /* Frees what the state owns, at any time after begin was called. May be NULL. */
    void (*release)(wvl_io_context *context);
    size_t state_bytes; /* not 0; the state is zeroed before begin */
} wvl_io_row_format;

/* source.c. The int results are 0, or -1 with the reason already in the error text. */
int wvl_io_source_open(wvl_io_context *context);
void wvl_io_source_memory(wvl_io_source *source, const void *bytes, size_t byte_count);
void wvl_io_source_close(wvl_io_source *source);
/* Back to position 0 of a source that can be sought in; a file is as it is now. 0 or -1, without a message. */
int wvl_io_source_restart(wvl_io_source *source);
/* Up to wanted bytes at the present position without moving it; returns how many there are (<= 4096). */
size_t wvl_io_source_peek(wvl_io_source *source, const uint8_t **bytes, size_t wanted);
/* Short counts only at the end or on a read error. */
size_t wvl_io_source_read_some(wvl_io_source *source, void *bytes, size_t byte_count);
/* All of the bytes at a position. 0 or -1, without a message. */
int wvl_io_source_read_at(wvl_io_source *source, uint64_t position, void *bytes, size_t byte_count);
/* 0 or -1, without a message: for callers inside libtiff. */
int wvl_io_source_seek(wvl_io_source *source, uint64_t position);
uint64_t wvl_io_source_position(const wvl_io_source *source);
/* Next byte or -1. */
int wvl_io_source_byte(wvl_io_source *source);
/* what: "header", "pixel data", ... for the message about truncation. */
int wvl_io_read_bytes(wvl_io_context *context, void *bytes, size_t byte_count, const char *what);
int wvl_io_go_to(wvl_io_context *context, uint64_t position, const char *what);
/* Why a read gave less than was wanted; NULL: the file ended. */
const char *wvl_io_source_trouble(const wvl_io_source *source);
/* Refuses, before anything is allocated, a file whose size is known and too small for its claims, and a
   pipe or device that would have to give more than the limit. */
int wvl_io_require_bytes(wvl_io_context *context, uint64_t byte_count, const char *what);
/* Bytes that a file needs, judged by its first `used` ones; UINT64_MAX, or NULL in place of it: all that there are. */
typedef uint64_t (*wvl_io_extent)(const uint8_t *bytes, uint64_t used);
/* Reads a pipe as far as it is needed, so that it can be sought in. */
int wvl_io_source_slurp(wvl_io_context *context, wvl_io_extent extent);

/* picture.c */
/* Writes "name: format: reason" and returns -1. */
int wvl_io_fail(wvl_io_context *context, const char *reason, ...) WVL_IO_PRINTF(2, 3);
/* The same for want of memory. */
int wvl_io_fail_memory(wvl_io_context *context, const char *what, uint64_t byte_count);
/* Appends to picture->note, where it is not there. */
void wvl_io_note(wvl_io_context *context, const char *remark, ...) WVL_IO_PRINTF(2, 3);
/* Likewise to picture->lost. */
void wvl_io_lose(wvl_io_context *context, const char *name);
/* The result of the interface for a 0 or -1 of a reader. */
static inline int wvl_io_result_of(const wvl_io_context *context, int result)
{
    int reason = context->no_memory ? WVL_IO_ERROR_MEMORY : WVL_IO_ERROR_INPUT;
    return result == 0 ? WVL_IO_OK : reason;
}
void wvl_io_clear_picture(wvl_io_picture *picture);
void *wvl_io_allocate(wvl_io_context *context, uint64_t byte_count, const char *what);

/* Checks that so much memory can be had now, before a library that ends the process for want of it (D-guard-02). 0 or
 * -1.
 */
int wvl_io_reserve(wvl_io_context *context, uint64_t byte_count, const char *what);

static inline uint8_t wvl_io_container_bytes(unsigned depth) { return (uint8_t)(depth <= 8 ? 1 : depth <= 16 ? 2 : 4); }

/* Sets size and fills component_count descriptors with depth and sign, without samples. Checks sizes,
   count and max_samples. */
int wvl_io_describe(wvl_io_context *context, uint64_t width, uint64_t height, uint64_t component_count, unsigned depth,
                    int is_signed);
/* Declares XRsiz, YRsiz of one component, which sets its size. */
void wvl_io_subsample(wvl_io_picture *picture, uint32_t component, uint8_t dx, uint8_t dy);
/* Says where samples will lie. Interleaved: all components are of one size and container, and share a block. */
void wvl_io_lay_out(wvl_io_context *context, int is_interleaved);
/* Blocks for the whole picture as it is laid out. */
int wvl_io_allocate_blocks(wvl_io_context *context);
/* Tells who asked for it that samples will take these bytes. */
void wvl_io_announce_samples(wvl_io_context *context, uint64_t bytes);
/* Both at once. */
int wvl_io_allocate_interleaved(wvl_io_context *context);
int wvl_io_allocate_planar(wvl_io_context *context);
/* Lets the components begin in the buffers with row `first` of the picture. buffers must outlast their use. */
void wvl_io_aim(wvl_io_context *context, const wvl_io_row_buffer *buffers, uint32_t first);
static inline size_t wvl_io_row_bytes(const wvl_io_component *component)
{
    return (size_t)component->width * component->sample_stride_bytes;
}
/* Row y of a component. */
static inline uint8_t *wvl_io_row(const wvl_io_context *context, uint32_t component, uint32_t y)
{
    const wvl_io_component *c = &context->picture->components[component];
    return (uint8_t *)c->data + (size_t)(y - wvl_io_rows_of_component(c, context->window_first)) * c->stride_bytes;
}
/* Row y of the interleaved pixels, in the order of the file. */
static inline uint8_t *wvl_io_pixels(const wvl_io_context *context, uint32_t y)
{
    return (uint8_t *)context->buffers[0].data + (size_t)(y - context->window_first) * context->buffers[0].pitch_bytes;
}
/* Reads rows first .. end - 1 of a component, or of all where they are interleaved, and puts them in host order. */
int wvl_io_read_stored_rows(wvl_io_context *context, uint32_t component, uint32_t first, uint32_t end, int big_endian,
                            const char *what);
/* Sum over the components of width * height; describe has bounded it. */
uint64_t wvl_io_sample_count(const wvl_io_picture *picture);
/* Refuses samples outside the declared depth, in rows first .. end - 1 of a component. */
int wvl_io_check_range(wvl_io_context *context, uint32_t component, uint32_t first, uint32_t end);
/* Sets color, color_declared and alpha in one go. */
void wvl_io_set_color(wvl_io_picture *picture, wvl_io_color color, int declared, int alpha_component);
/* Takes over a copy of the profile, cut to its own size field; a hopeless one is noted and dropped. */
int wvl_io_take_icc(wvl_io_context *context, const void *bytes, size_t byte_count);

/* metadata.c: copies of what a file holds. 0, or -1 for want of memory; damaged or endless ones are left out and named
   in picture->lost. Of two blocks of a kind the first counts. */
int wvl_io_take_blob(wvl_io_context *context, wvl_io_blob_kind kind, const void *bytes, size_t byte_count);
int wvl_io_take_xmp(wvl_io_context *context, const void *bytes, size_t byte_count);
/* With or without "Exif\0\0" first; sets picture->orientation where it was 1. */
int wvl_io_take_exif(wvl_io_context *context, const void *bytes, size_t byte_count);

/* Pixels per metre across and down. 0 by 0: the file says nothing. One direction alone, or what no picture has, is left
 * out and named: a resolution box would not be legal. */
void wvl_io_take_resolution(wvl_io_context *context, double across, double down);
/* Image resources of Photoshop (TIFF tag 34377, JPEG APP13 behind "Photoshop 3.0\0"): takes the IPTC-IIM in them. */
int wvl_io_take_photoshop(wvl_io_context *context, const void *bytes, size_t byte_count);
/* png_profile.c: a text "Raw profile type exif" and the like. 1: it is none of these; otherwise as above. */
int wvl_io_take_raw_profile(wvl_io_context *context, const char *keyword, const char *text, size_t byte_count);
/* value: UTF-8 or, where it is none, Windows-1252; ends at its first NUL. An empty one is no text. */
int wvl_io_take_text(wvl_io_context *context, wvl_io_field field, const char *name, const void *value,
                     size_t value_bytes);
/* A box of a JP2 file for which there is no other place; uuid may be NULL. */
int wvl_io_take_box(wvl_io_context *context, uint32_t type, const uint8_t uuid[16], const void *bytes,
                    size_t byte_count);

/* Bytes of one value of a TIFF type; 0: not known. */
static inline unsigned wvl_io_tiff_type_bytes(uint64_t type)
{
    static const uint8_t bytes[19] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type < sizeof bytes ? bytes[type] : 0;
}

/* Row `row` from pixels that are little-endian words of 1 to 4 bytes: component c is the masks[c] bits of a word,
   moved down by shifts[c]. */
void wvl_io_unpack_fields(wvl_io_context *context, uint32_t row, const uint8_t *line, unsigned pixel_bytes,
                          const uint32_t *masks, const unsigned *shifts);

/*
 * Palettes. A reader fills one of these and then either keeps the indices or writes, for every row,
 * the indices at the start of the row's bytes and lets wvl_io_finish_indexed_row widen them in place.
 */
typedef struct wvl_io_palette {
    uint32_t entries;
    uint32_t columns; /* 1 (grey), 3 or 4 */
    uint8_t depth;    /* 1..16 */
    uint16_t *values; /* entries * columns */
} wvl_io_palette;

/* Allocates the values. */
int wvl_io_make_palette(wvl_io_context *context, wvl_io_palette *palette, uint32_t entries, uint32_t columns,
                        unsigned depth);
/* Describes and lays out the picture for a palette: index_depth when indices are kept, else columns. */
int wvl_io_describe_indexed(wvl_io_context *context, uint64_t width, uint64_t height, unsigned index_depth,
                            const wvl_io_palette *palette);
/* Finishes one row whose indices (index_bytes each, 1 or 2) lie packed at the start of the row: checks
   them against the palette and expands in place unless indices are kept. Fails on a bad index. */
int wvl_io_finish_indexed_row(wvl_io_context *context, uint32_t row, unsigned index_bytes,
                              const wvl_io_palette *palette);
/* Hands the values to the picture when indices are kept; rows can be finished as before. Call once. */
void wvl_io_settle_palette(wvl_io_context *context, wvl_io_palette *palette);

/* How many pictures the index of a Multi-Picture file names (CIPA DC-007, 5.2.3.2), also a TIFF stream; 0: not known.
 */
uint32_t wvl_io_read_mpf_count(const uint8_t *bytes, size_t byte_count);

/* A format, and how it is read. */
typedef struct wvl_io_kind {
    const char *format;
    int rest;                             /* what may follow the picture */
    const wvl_io_row_format *rows;        /* or NULL, and: */
    int (*read)(wvl_io_context *context); /* reads the whole picture; NULL: known, but not read */
    const char *obstacle;                 /* why that is not done by rows */
} wvl_io_kind;

/* imageio.c: by content and name; NULL, with the reason in the error text. */
const wvl_io_kind *wvl_io_choose_kind(wvl_io_context *context);
/* At the end of the picture: refuses another one that begins there. */
int wvl_io_judge_rest(wvl_io_context *context, const wvl_io_kind *found);

/* The readers. Each gets an emptied picture and a source at position 0; 0 or -1 with the reason set. */
int wvl_io_read_tga(wvl_io_context *context);
/* Checks options->raw_format and describes the picture; *bytes: of its samples. */
int wvl_io_describe_raw(wvl_io_context *context, uint64_t *bytes);
int wvl_io_list_tiff(wvl_io_context *context, wvl_io_page **pages, size_t *count);
int wvl_io_read_pfm(wvl_io_context *context);
int wvl_io_read_exr(wvl_io_context *context);
int wvl_io_read_jp2(wvl_io_context *context);
int wvl_io_read_j2k(wvl_io_context *context);

extern const wvl_io_row_format wvl_io_pnm_rows, wvl_io_pam_rows, wvl_io_pgx_rows, wvl_io_dpx_rows, wvl_io_bmp_rows;
extern const wvl_io_row_format wvl_io_raw_rows;                   /* big-endian above 8 bits */
extern const wvl_io_row_format wvl_io_rawl_rows, wvl_io_yuv_rows; /* little-endian */
extern const wvl_io_row_format wvl_io_tiff_rows, wvl_io_png_rows, wvl_io_jpeg_rows;

/* words.c: whether samples of the picture, which has been described, may stay as they lie in the file. */
int wvl_io_may_keep_words(const wvl_io_context *context);
/* Behind wvl_io_lay_out(): what the samples stay, and the bytes of a row where they do. */
void wvl_io_settle_words(wvl_io_context *context, wvl_io_words words, size_t row_bytes);
/* Most significant bit first, rows padded to whole bytes; depth <= 32, count <= 2^48. */
void wvl_io_unpack_bits(const uint8_t *from, unsigned depth, uint8_t *to, unsigned sample_bytes, size_t count);
/* read_dpx.c: words of DPX, of 10 and 12 bits: the bytes of a row, and its samples as 16-bit integers. */
size_t wvl_io_dpx_word_bytes(wvl_io_words words, uint64_t samples);
void wvl_io_dpx_expand_words(wvl_io_words words, const uint8_t *line, uint8_t *row, size_t samples);

/* Byte order. */
static inline int wvl_io_is_little_endian(void)
{
    const uint16_t probe = 1;
    return *(const uint8_t *)&probe;
}
static inline uint64_t wvl_io_number(const uint8_t *p, int big_endian, unsigned byte_count) /* at most 8 */
{
    uint64_t value = 0;
    for (unsigned i = 0; i < byte_count; i++) {
        value = value << 8 | p[big_endian ? i : byte_count - 1 - i];
    }
    return value;
}
static inline uint32_t wvl_io_le16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t wvl_io_be16(const uint8_t *p) { return (uint32_t)p[0] << 8 | (uint32_t)p[1]; }
static inline uint32_t wvl_io_le32(const uint8_t *p) { return wvl_io_le16(p) | wvl_io_le16(p + 2) << 16; }
static inline uint32_t wvl_io_be32(const uint8_t *p) { return wvl_io_be16(p) << 16 | wvl_io_be16(p + 2); }

static inline uint32_t wvl_io_get16(const uint8_t *p, int big_endian)
{
    return big_endian ? wvl_io_be16(p) : wvl_io_le16(p);
}
static inline uint32_t wvl_io_get32(const uint8_t *p, int big_endian)
{
    return big_endian ? wvl_io_be32(p) : wvl_io_le32(p);
}

/* Behind the decimal number at p, which must begin with a digit and be at most UINT32_MAX; NULL: it is not. */
const char *wvl_io_parse_number(const char *p, uint32_t *value);

/* The highest of samples of 1 or 2 bytes without a sign. */
uint32_t wvl_io_highest(const uint8_t *row, size_t count, unsigned bytes);
/* Two's complement of `depth` bits becomes that of the container. */
static inline void wvl_io_extend_signs(uint8_t *row, unsigned bytes, unsigned depth, size_t count)
{
    uint32_t sign = UINT32_C(1) << (depth - 1);
    for (size_t i = 0; i < count; i++, row += bytes) {
        wvl_io_store(row, bytes, ((uint32_t)wvl_io_load(row, bytes, 0) ^ sign) - sign);
    }
}

/* Turns count samples of sample_bytes (1, 2, 4), stored in the given order, into host order in place. */
void wvl_io_to_host_order(void *samples, size_t count, unsigned sample_bytes, int big_endian);
