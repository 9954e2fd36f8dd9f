/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG of 8 bits a sample (ISO/IEC 10918-1) through libjpeg. What libjpeg repairs with a warning is lost data here, and
 * refused. The inverse DCT is the exact integer one, and nothing is smoothed: the samples are those of every libjpeg.
 */
#include "read_jpeg.h"

#include <jerror.h>
#include <stdlib.h>

#define MOST_SCANS 500         /* a file may ask for any number of passes over the whole picture */
#define BLOCK_SAMPLES 64u      /* DCTSIZE2 */
#define COEFFICIENT_BYTES 128u /* of a block */

/* ---- Callbacks of libjpeg -------------------------------------------------------------------- */

static wvl_io_jpeg *whole(j_common_ptr info) { return (wvl_io_jpeg *)info; }

/* failed: of the function that has set the reason. */
static void give_up(wvl_io_jpeg *j, int failed)
{
    (void)failed;
    longjmp(j->back, 1);
}

static void on_error(j_common_ptr info)
{
    wvl_io_jpeg *j = whole(info);
    char text[JMSG_LENGTH_MAX];

    if (j->errors.msg_code == JERR_OUT_OF_MEMORY) {
        give_up(j, wvl_io_fail_memory(j->context, "libjpeg", sizeof(wvl_io_jpeg)));
    }
    if (j->errors.msg_code == JERR_BAD_PRECISION) {
        give_up(j,
                wvl_io_fail(j->context, "%d bits a sample: this libjpeg supports 8; convert the picture to TIFF or PNG",
                            j->info.data_precision));
    }
    j->errors.format_message(info, text);
    give_up(j, wvl_io_fail(j->context, "libjpeg: %s", text));
}

static int is_harmless(int code) { return code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR; }

/* Level -1 is a warning: libjpeg fills what it misses with grey, and goes on. */
static void on_message(j_common_ptr info, int level)
{
    wvl_io_jpeg *j = whole(info);
    char text[JMSG_LENGTH_MAX];
    if (level >= 0) {
        return;
    }
    j->errors.format_message(info, text);
    if (is_harmless(j->errors.msg_code)) {
        wvl_io_note(j->context, "libjpeg: %s", text);
        return;
    }
    give_up(j, wvl_io_fail(j->context, "pixel data: damaged: libjpeg: %s", text));
}

static void on_progress(j_common_ptr info)
{
    wvl_io_jpeg *j = whole(info);
    if (j->info.input_scan_number > MOST_SCANS) {
        give_up(j, wvl_io_fail(j->context, "more than %d scans: the limit of this reader", MOST_SCANS));
    }
}

static void start_input(j_decompress_ptr info) { (void)info; }

static boolean fill_input(j_decompress_ptr info)
{
    wvl_io_jpeg *j = whole((j_common_ptr)info);
    wvl_io_source *source = &j->context->source;
    size_t got = wvl_io_source_read_some(source, j->buffer, sizeof j->buffer);
    if (!got && source->failed != 0) {
        give_up(j, wvl_io_fail(j->context, "read error: %s", wvl_io_source_trouble(source)));
    }
    if (!got) {
        give_up(j, wvl_io_fail(j->context, "truncated: the file ends before the marker EOI (end of image)"));
    }
    j->input.next_input_byte = j->buffer;
    j->input.bytes_in_buffer = got;
    return TRUE;
}

static void skip_input(j_decompress_ptr info, long count)
{
    wvl_io_jpeg *j = whole((j_common_ptr)info);
    size_t left = count > 0 ? (size_t)count : 0;
    while (left > j->input.bytes_in_buffer) {
        left -= j->input.bytes_in_buffer;
        (void)fill_input(info);
    }
    j->input.next_input_byte += left;
    j->input.bytes_in_buffer -= left;
}

static void end_input(j_decompress_ptr info) { (void)info; }

/* ---- Header ---------------------------------------------------------------------------------- */

static int keeps_ycc(const wvl_io_jpeg *j)
{
    return j->context->options.keep_ycc && j->info.jpeg_color_space == JCS_YCbCr;
}

/* Fewest bytes that Huffman codes of every block take: a bit each, or two where AC coefficients follow the DC at once.
   Arithmetic codes have no such bound. */
static uint64_t least_bytes(const wvl_io_jpeg *j, uint64_t *blocks)
{
    *blocks = 0;
    for (int c = 0; c < j->info.num_components; c++) {
        const jpeg_component_info *k = &j->info.comp_info[c];
        *blocks += (uint64_t)k->width_in_blocks * k->height_in_blocks;
    }
    if (j->info.arith_code) {
        return 0;
    }
    return j->info.progressive_mode ? *blocks / 8 : *blocks / 4;
}

/* Before the coefficients of the whole picture are asked for, which libjpeg keeps where there are several scans. */
static int check_claims(wvl_io_jpeg *j)
{
    uint64_t blocks, least = least_bytes(j, &blocks), held = j->input.bytes_in_buffer;
    if (wvl_io_require_bytes(j->context, least > held ? least - held : 0, "pixel data") != 0) {
        return -1;
    }
    if (jpeg_has_multiple_scans(&j->info)) {
        void *probe = wvl_io_allocate(j->context, blocks * COEFFICIENT_BYTES, "coefficients of a progressive picture");
        free(probe);
        return probe ? 0 : -1;
    }
    return 0;
}

/* The colour space to which libjpeg converts. CMYK is inverted after that. */
static J_COLOR_SPACE wanted_space(const wvl_io_jpeg *j)
{
    switch (j->info.jpeg_color_space) {
    case JCS_YCbCr: return keeps_ycc(j) ? JCS_YCbCr : JCS_RGB;
    case JCS_RGB: return JCS_RGB;
    case JCS_GRAYSCALE: return JCS_GRAYSCALE;
    case JCS_CMYK:
    case JCS_YCCK: return JCS_CMYK;
    default: return JCS_UNKNOWN;
    }
}

static wvl_io_color color_of(J_COLOR_SPACE space)
{
    switch (space) {
    case JCS_YCbCr: return WVL_IO_YCC;
    case JCS_RGB: return WVL_IO_RGB;
    case JCS_GRAYSCALE: return WVL_IO_GREY;
    case JCS_CMYK: return WVL_IO_CMYK;
    default: return WVL_IO_UNKNOWN;
    }
}

/* ---- Stored planes --------------------------------------------------------------------------- */

/* Subsampling of a JPEG component is max / own (10918-1 A.1.1); JPEG 2000 takes whole steps only. */
static int describe_planes(wvl_io_jpeg *j)
{
    if (wvl_io_describe(j->context, j->info.image_width, j->info.image_height, 3, 8, 0) != 0) {
        return -1;
    }
    for (int c = 0; c < 3; c++) {
        const jpeg_component_info *k = &j->info.comp_info[c];
        if (j->info.max_h_samp_factor % k->h_samp_factor || j->info.max_v_samp_factor % k->v_samp_factor) {
            return wvl_io_fail(
                j->context, "component %d: sampling factors %d, %d of %d, %d are no whole steps; use --jpeg-ycc rgb", c,
                k->h_samp_factor, k->v_samp_factor, j->info.max_h_samp_factor, j->info.max_v_samp_factor);
        }
        wvl_io_subsample(j->context->picture, (uint32_t)c, (uint8_t)(j->info.max_h_samp_factor / k->h_samp_factor),
                         (uint8_t)(j->info.max_v_samp_factor / k->v_samp_factor));
    }
    wvl_io_lay_out(j->context, 0);
    return check_claims(j);
}

/* One row of blocks of each component, whole blocks wide. */
static int allocate_rows(wvl_io_jpeg *j)
{
    wvl_io_jpeg_planes *p = &j->planes;
    uint64_t bytes = 0, at = 0;
    for (int c = 0; c < 3; c++) {
        bytes += (uint64_t)j->info.comp_info[c].width_in_blocks * (unsigned)j->info.comp_info[c].v_samp_factor;
    }
    j->block = wvl_io_allocate(j->context, bytes * BLOCK_SAMPLES, "rows of blocks");
    j->context->held_bytes = bytes * BLOCK_SAMPLES;
    for (int c = 0; j->block && c < 3; c++) {
        const jpeg_component_info *k = &j->info.comp_info[c];
        p->list[c] = p->rows[c];
        for (int i = 0; i < k->v_samp_factor * DCTSIZE; i++) {
            p->rows[c][i] = j->block + at;
            at += (uint64_t)k->width_in_blocks * DCTSIZE;
        }
    }
    return j->block ? 0 : -1;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int describe(wvl_io_jpeg *j)
{
    if (setjmp(j->back)) {
        return -1;
    }
    /* Must follow setjmp. */
    jpeg_create_decompress(&j->info);
    j->input.init_source = start_input;
    j->input.fill_input_buffer = fill_input;
    j->input.skip_input_data = skip_input;
    j->input.resync_to_restart = jpeg_resync_to_restart;
    j->input.term_source = end_input;
    j->info.src = &j->input;
    j->progress.progress_monitor = on_progress;
    j->info.progress = &j->progress;
    jpeg_save_markers(&j->info, JPEG_APP0 + 1, 0xFFFF);
    jpeg_save_markers(&j->info, JPEG_APP0 + 2, 0xFFFF);
    jpeg_save_markers(&j->info, JPEG_APP0 + 13, 0xFFFF);
    jpeg_save_markers(&j->info, JPEG_COM, 0xFFFF);
    (void)jpeg_read_header(&j->info, TRUE);
    j->info.out_color_space = wanted_space(j);
    j->info.dct_method = JDCT_ISLOW;
    j->info.do_block_smoothing = FALSE;
    j->info.raw_data_out = keeps_ycc(j);
    wvl_io_set_color(j->context->picture, color_of(j->info.out_color_space), 0, -1);
    if (wvl_io_jpeg_take_markers(j) != 0) { /* libjpeg forgets them at the end of the pixels */
        return -1;
    }
    if (jpeg_has_multiple_scans(&j->info)) {
        j->context->needs_all = "a progressive picture is complete only after its last scan; convert it to a baseline "
                                "JPEG";
    }
    if (keeps_ycc(j)) {
        return describe_planes(j) != 0 ? -1 : allocate_rows(j);
    }
    if (wvl_io_describe(j->context, j->info.image_width, j->info.image_height, (uint64_t)j->info.num_components, 8,
                        0) != 0 ||
        check_claims(j) != 0) {
        return -1;
    }
    wvl_io_lay_out(j->context, 1);
    /* libjpeg: a row of blocks, and as many samples again while they are converted. */
    j->context->held_bytes = (uint64_t)j->info.image_width * (unsigned)j->info.num_components * 2 *
                             (unsigned)j->info.max_v_samp_factor * DCTSIZE;
    return 0;
}

static int begin(wvl_io_context *context)
{
    wvl_io_jpeg *j = context->state;
    j->context = context;
    j->info.err = jpeg_std_error(&j->errors);
    j->errors.error_exit = on_error;
    j->errors.emit_message = on_message;
    return describe(j);
}

static int read_rows(wvl_io_context *context, uint32_t first, uint32_t count)
{
    wvl_io_jpeg *j = context->state;
    if (setjmp(j->back)) {
        return -1;
    }
    if (first == 0) {
        (void)jpeg_start_decompress(&j->info);
    }
    if (j->info.raw_data_out) {
        JDIMENSION rows = (JDIMENSION)j->info.max_v_samp_factor * DCTSIZE;
        for (uint32_t y = first; y < first + count; y++) {
            if (y % rows == 0) {
                (void)jpeg_read_raw_data(&j->info, j->planes.list, rows);
            }
            /* Of the components that have a row there. */
            for (uint32_t c = 0; c < 3; c++) {
                const wvl_io_component *k = &j->context->picture->components[c];
                uint32_t held = (uint32_t)j->info.comp_info[c].v_samp_factor * DCTSIZE;
                if (y % k->dy == 0) {
                    memcpy(wvl_io_row(j->context, c, y / k->dy), j->planes.rows[c][y / k->dy % held], k->width);
                }
            }
        }
    } else {
        size_t row_bytes = wvl_io_row_bytes(&j->context->picture->components[0]);
        /* Adobe writes inks as 255 - ink, and says that it wrote the file (Adobe Technical Note 5116). */
        int inverts = j->info.out_color_space == JCS_CMYK && j->info.saw_Adobe_marker;
        for (uint32_t y = first; y < first + count; y++) {
            JSAMPROW row = wvl_io_pixels(j->context, y);
            (void)jpeg_read_scanlines(&j->info, &row, 1);
            if (inverts) {
                for (size_t i = 0; i < row_bytes; i++) {
                    row[i] = (uint8_t)(255 - row[i]);
                }
            }
        }
    }
    return 0;
}

static int end(wvl_io_context *context)
{
    wvl_io_jpeg *j = context->state;
    if (setjmp(j->back)) {
        return -1;
    }
    (void)jpeg_finish_decompress(&j->info);
    /* A pipe is not read for this. */
    uint8_t next[3] = {0};
    const uint8_t *more;
    size_t held = j->input.bytes_in_buffer < sizeof next ? j->input.bytes_in_buffer : sizeof next;
    memcpy(next, j->input.next_input_byte, held);
    if (j->context->source.seekable && held < sizeof next) {
        size_t got = wvl_io_source_peek(&j->context->source, &more, sizeof next - held);
        memcpy(next + held, more, got);
    }
    if (!j->has_index && memcmp(next, "\xff\xd8\xff", sizeof next) == 0) {
        wvl_io_note(j->context, "a second JPEG picture follows in the file, and is not read");
    }
    return 0;
}

static void release(wvl_io_context *context)
{
    wvl_io_jpeg *j = context->state;
    jpeg_destroy_decompress(&j->info);
    free(j->block);
}

const wvl_io_row_format wvl_io_jpeg_rows = {begin, read_rows, end, release, sizeof(wvl_io_jpeg)};
