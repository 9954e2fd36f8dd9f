/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target of the picture readers, whole and by rows, and of what becomes of the metadata. First byte: format to
 * assume and options, from 0xC0 on the rest is metadata too; the rest is the file. With libFuzzer: -fsanitize=fuzzer
 * and LLVMFuzzerTestOneInput alone. With WVL_FUZZ_MAIN: a program that reads the files named on its command line, as
 * pictures under every choice of options and as saved fuzzer inputs.
 */
#include "picture_rows.h"
#include "tools/metadata/boxes.h"
#include "tools/metadata/sidecar.h"

#include <stdio.h>
#include <stdlib.h>

#define SAMPLE_LIMIT (UINT64_C(1) << 22)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count);

/* Touches every sample and checks what the header promises about it. */
static void walk(const wvl_io_component *c)
{
    if (c->depth == 0 || c->depth > 32 || c->sample_bytes != (c->depth <= 8 ? 1 : c->depth <= 16 ? 2 : 4)) {
        abort();
    }
    for (uint32_t y = 0; y < c->height; y++) {
        for (uint32_t x = 0; x < c->width; x++) {
            const uint8_t *at = (const uint8_t *)c->data + y * c->stride_bytes + x * c->sample_stride_bytes;
            uint32_t value = 0;
            uint16_t half;

            if (c->sample_bytes == 4) {
                memcpy(&value, at, 4);
            } else if (c->sample_bytes == 2) {
                memcpy(&half, at, 2), value = c->is_signed ? (uint32_t)(int32_t)(int16_t)half : half;
            } else {
                value = c->is_signed ? (uint32_t)(int32_t)(int8_t)*at : *at;
            }
            if (c->is_signed) {
                value ^= value >> 31 ? UINT32_MAX : 0;
            }
            if (c->depth - c->is_signed < 32 && value >> (c->depth - c->is_signed) != 0) {
                abort();
            }
        }
    }
}

static void check(const wvl_io_picture *p)
{
    for (uint32_t c = 0; c < p->component_count; c++) {
        const wvl_io_component *k = &p->components[c];

        if (k->dx == 0 || k->dy == 0 || k->width != ((uint64_t)p->width + k->dx - 1) / k->dx ||
            k->height != ((uint64_t)p->height + k->dy - 1) / k->dy) {
            abort();
        }
        walk(k);
    }
    if (p->alpha_component >= (int)p->component_count || p->orientation < 1 || p->orientation > 8) {
        abort();
    }
    if (p->icc) {
        (void)wvl_io_icc_kind(p->icc, p->icc_bytes);
    }
}

/* Does what the options of the command make of channels. */
static void change_channels(wvl_io_picture *p)
{
    uint32_t reversed[4];
    char error[256];
    if (p->color == WVL_IO_YCC && wvl_io_convert_ycc(p, error, sizeof error) == WVL_IO_OK) {
        check(p);
    }
    (void)wvl_io_drop_alpha(p, error, sizeof error);
    uint32_t count = p->component_count < 4 ? p->component_count : 4;
    for (uint32_t i = 0; i < count; i++) {
        reversed[i] = p->component_count - 1 - i;
    }
    (void)wvl_io_select_channels(p, reversed, count, error, sizeof error);
    check(p);
}

static int is_legal_xml(const void *bytes, size_t byte_count)
{
    char reason[128];
    size_t n = byte_count;
    return wvl_io_check_xml(bytes, &n, reason, sizeof reason) == 0 && n == byte_count;
}

/* What goes into a file can be read there. Packets of a test that are no XML stay as they are. */
static void check_boxes(const wvl_io_picture *p, const wvl_metadata_boxes *made)
{
    const wvl_io_blob *xmp = &p->metadata.blobs[WVL_IO_XMP];
    int was_legal = !xmp->data || is_legal_xml(xmp->data, xmp->bytes);
    for (size_t i = 0; i < made->count; i++) {
        const wvl_box *box = &made->boxes[i];
        int is_xml = box->type == 0x786D6C20 || (was_legal && wvl_metadata_is_xmp_uuid(box->uuid));
        if ((box->bytes != 0 && !box->data) || (is_xml && !is_legal_xml(box->data, box->bytes))) {
            abort();
        }
    }
}

/* Boxes of everything, before and after the picture is turned; the file itself serves as .aux.xml and world file. */
static void use_metadata(wvl_io_picture *p, const uint8_t *bytes, size_t byte_count)
{
    wvl_metadata_boxes made;
    char error[256];
    int swaps = wvl_io_orientation_swaps(p->orientation);

    if (wvl_metadata_make_boxes(p, WVL_KEEP_ALL, 1, &made) == 0) {
        check_boxes(p, &made);
    }
    wvl_metadata_release_boxes(&made);
    if (wvl_io_orient_picture(p, error, sizeof error) == WVL_IO_OK) {
        wvl_metadata_reset_orientation(&p->metadata, swaps);
        check(p);
    }
    wvl_io_release_metadata(&p->metadata);
    (void)wvl_metadata_take_sidecars((const char *)bytes, byte_count, (const char *)bytes, byte_count, p);
    if (p->metadata.blobs[WVL_IO_GEO].data &&
        !wvl_io_is_exif_sound(p->metadata.blobs[WVL_IO_GEO].data, p->metadata.blobs[WVL_IO_GEO].bytes)) {
        abort();
    }
}

/* Metadata for which a picture would only be a wrapping: XMP that texts join, EXIF, GeoTIFF. */
static void use_bytes_as_metadata(const uint8_t *bytes, size_t byte_count)
{
    static const uint8_t pixel[] = "P5 1 1 255\n\x7f";
    wvl_io_text texts[3] = {
        {WVL_IO_FIELD_ARTIST, "a", "b"}, {WVL_IO_FIELD_TITLE, "t", "u"}, {WVL_IO_FIELD_CREATED, "d", "x"}};
    wvl_io_picture picture;
    char error[256];

    if (wvl_io_read_memory(pixel, sizeof pixel - 1, "fuzz", NULL, &picture, error, sizeof error) != 0) {
        return;
    }
    for (unsigned i = 0; i < WVL_IO_BLOB_KINDS; i++) {
        int is_sound = i != WVL_IO_EXIF || wvl_io_is_exif_sound(bytes, byte_count);
        picture.metadata.blobs[i].data = is_sound && byte_count != 0 ? malloc(byte_count) : NULL;
        picture.metadata.blobs[i].bytes = picture.metadata.blobs[i].data ? byte_count : 0;
        if (picture.metadata.blobs[i].data) {
            memcpy(picture.metadata.blobs[i].data, bytes, byte_count);
        }
        if (i == WVL_IO_EXIF && picture.metadata.blobs[i].data) {
            (void)wvl_io_read_exif(bytes, byte_count);
        }
    }
    wvl_io_drop_blob(&picture.metadata, WVL_IO_GML); /* so that it is made of GeoTIFF tags */
    picture.metadata.texts = texts;
    picture.metadata.text_count = 3;
    picture.orientation = 6;
    {
        wvl_metadata_boxes made;
        if (wvl_metadata_make_boxes(&picture, WVL_KEEP_ALL, 1, &made) == 0) {
            check_boxes(&picture, &made);
        }
        wvl_metadata_release_boxes(&made);
    }
    picture.metadata.texts = NULL;
    picture.metadata.text_count = 0;
    use_metadata(&picture, bytes, byte_count);
    wvl_io_release_picture(&picture);
}

/* Rows first .. next - 1 are those of the whole picture. */
static void compare_rows(const wvl_io_rows *rows, const wvl_io_row_buffer *buffers, const wvl_io_picture *whole,
                         uint32_t first)
{
    for (uint32_t i = 0; i < wvl_io_rows_buffer_count(rows); i++) {
        const wvl_io_component *k = &whole->components[i];
        const uint8_t *base = (const uint8_t *)k->data - wvl_io_rows_offset(rows, i);
        uint32_t top = wvl_io_rows_of_component(k, first);
        for (uint32_t y = top; y < wvl_io_rows_of_component(k, wvl_io_rows_next(rows)); y++) {
            if (memcmp((const uint8_t *)buffers[i].data + (y - top) * buffers[i].pitch_bytes,
                       base + y * k->stride_bytes, wvl_io_rows_bytes(rows, i)) != 0) {
                abort();
            }
        }
    }
}

/* whole: what the same bytes are as a whole; NULL: they are refused. */
static void read_portions(wvl_io_rows *rows, uint32_t portion, const wvl_io_picture *whole)
{
    const wvl_io_picture *p = wvl_io_rows_picture(rows);
    uint32_t count = wvl_io_rows_buffer_count(rows);
    wvl_io_row_buffer *buffers = calloc(count, sizeof *buffers);
    char error[256] = "";
    int result = buffers ? 0 : -1;
    for (uint32_t i = 0; buffers && i < count; i++) {
        buffers[i].pitch_bytes = wvl_io_rows_bytes(rows, i);
        buffers[i].data = malloc(buffers[i].pitch_bytes * portion);
        result = buffers[i].data ? result : -1;
    }
    while (result == 0 && wvl_io_rows_next(rows) < p->height) {
        uint32_t first = wvl_io_rows_next(rows), left = p->height - first;
        result = wvl_io_rows_read(rows, left < portion ? left : portion, buffers, error, sizeof error);
        if (result == 0 && whole) {
            compare_rows(rows, buffers, whole, first);
        }
    }
    if (result != WVL_IO_ERROR_MEMORY && (result == 0) != (whole != NULL)) {
        abort();
    }
    for (uint32_t i = 0; buffers && i < count; i++) {
        free(buffers[i].data);
    }
    free(buffers);
}

static void try_rows(const uint8_t *bytes, size_t byte_count, const wvl_io_options *options,
                     const wvl_io_picture *whole)
{
    wvl_io_rows *rows;
    char error[256] = "";
    int result = wvl_io_rows_open_memory(bytes, byte_count, "fuzz", options, &rows, error, sizeof error);
    if (result == WVL_IO_ERROR_INPUT && whole) {
        abort();
    }
    if (result == 0 && !wvl_io_rows_obstacle(rows)) {
        uint32_t portion = 1 + (uint32_t)byte_count % 7;
        read_portions(rows, portion, whole);
        if (wvl_io_rows_restart(rows, error, sizeof error) == 0) {
            read_portions(rows, portion + 2, whole);
        }
    }
    wvl_io_rows_close(rows);
}

/* Samples that stay as they lie in a file of DPX or TIFF are those that become integers at once, or none are. */
static void try_words(const uint8_t *bytes, size_t byte_count, const wvl_io_options *options,
                      const wvl_io_picture *whole)
{
    wvl_io_options keeps = *options;
    wvl_io_picture kept;
    keeps.keep_words = WVL_IO_KEEP_ALL_WORDS;
    int result = wvl_io_read_memory(bytes, byte_count, "fuzz", &keeps, &kept, NULL, 0);
    if (result != WVL_IO_ERROR_MEMORY && (result == 0) != (whole != NULL)) {
        abort();
    }
    if (result == 0 && wvl_io_expand_words(&kept) == WVL_IO_OK) {
        for (uint32_t c = 0; c < whole->component_count; c++) {
            const wvl_io_component *k = &whole->components[c];
            for (uint64_t i = 0; i < (uint64_t)k->width * k->height; i++) {
                uint32_t x = (uint32_t)(i % k->width), y = (uint32_t)(i / k->width);
                if (wvl_io_sample(k, x, y) != wvl_io_sample(&kept.components[c], x, y)) {
                    abort();
                }
            }
        }
    }
    wvl_io_release_picture(&kept);
}

static void try_reading(const uint8_t *bytes, size_t byte_count, const wvl_io_options *options, int by_rows)
{
    wvl_io_picture picture;
    char error[256] = "";

    int result = wvl_io_read_memory(bytes, byte_count, "fuzz", options, &picture, error, sizeof error);
    if (by_rows && result != WVL_IO_ERROR_MEMORY) {
        try_rows(bytes, byte_count, options, result == 0 ? &picture : NULL);
    }
    if (byte_count && memchr("IMSX", bytes[0], 4) && result != WVL_IO_ERROR_MEMORY) {
        try_words(bytes, byte_count, options, result == 0 ? &picture : NULL);
    }
    if (result == 0) {
        check(&picture), use_metadata(&picture, bytes, byte_count), change_channels(&picture);
    } else if (error[0] == '\0' || picture.components) {
        abort();
    }
    wvl_io_release_picture(&picture);
}

static void choose_options(wvl_io_options *options, uint8_t choice)
{
    static const char *const formats[8] = {NULL, NULL, NULL, "tga", "raw", "rawl", "yuv", "tga"};

    memset(options, 0, sizeof *options);
    options->format = formats[choice & 7];
    options->keep_palette = choice >> 3 & 1;
    options->page = choice >> 4 & 1;
    options->page_given = options->page;
    options->sub_page = (choice >> 4 & 3) == 3;
    options->keep_ycc = choice >> 6 & 1;
    options->float_transfer = (wvl_io_float_transfer)(choice >> 6);
    options->raw_format = choice >> 5 & 1 ? "7,5,3,12,s@1x1:2x2" : "16,9,2,8,u";
    options->max_samples = SAMPLE_LIMIT;
}

/* Files of which a library decodes most: OpenEXR, JPEG 2000 codestreams and boxes. */
static int is_foreign(const uint8_t *bytes, size_t byte_count)
{
    static const uint8_t beginnings[3][4] = {{0x76, 0x2F, 0x31, 0x01}, {0xFF, 0x4F, 0xFF, 0x51}, {0, 0, 0, 0x0C}};
    int is = 0;

    for (unsigned i = 0; i < 3 && byte_count >= 4; i++) {
        is |= !memcmp(bytes, beginnings[i], 4);
    }
    return is;
}

/* WVL_FUZZ_FOREIGN in the environment: those files too. Without it, faults of libraries do not end a run of CI. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count)
{
    wvl_io_options options;

    if (byte_count == 0) {
        return 0;
    }
    if (bytes[0] >= 0xC0) {
        use_bytes_as_metadata(bytes + 1, byte_count - 1);
    }
    if (is_foreign(bytes + 1, byte_count - 1) && !getenv("WVL_FUZZ_FOREIGN")) {
        return 0;
    }
    choose_options(&options, bytes[0]);
    try_reading(bytes + 1, byte_count - 1, &options, 1);
    return 0;
}

#ifdef WVL_FUZZ_MAIN
static uint8_t *load_file(const char *path, size_t *byte_count)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long size = -1;

    if (file && fseek(file, 0, SEEK_END) == 0) {
        size = ftell(file);
    }
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        bytes = malloc(size != 0 ? (size_t)size : 1);
    }
    if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    if (file) {
        fclose(file);
    }
    *byte_count = bytes ? (size_t)size : 0;
    return bytes;
}

int main(int argument_count, char **arguments)
{
    int failed = 0;

    for (int i = 1; i < argument_count; i++) {
        size_t byte_count;
        uint8_t *bytes = load_file(arguments[i], &byte_count);

        if (!bytes) {
            fprintf(stderr, "%s: cannot be read\n", arguments[i]);
            failed = 1;
            continue;
        }
        /* All of the first six bits; floating point and stored planes with few of them. */
        for (unsigned choice = 0; choice < 256; choice += choice < 64 ? 1 : 8 << (choice >> 6)) {
            wvl_io_options options;

            choose_options(&options, (uint8_t)choice);
            try_reading(bytes, byte_count, &options, choice % 5 == 0);
        }
        use_bytes_as_metadata(bytes, byte_count);
        LLVMFuzzerTestOneInput(bytes, byte_count); /* an input that the fuzzer saved */
        free(bytes);
    }
    return failed;
}
#endif
