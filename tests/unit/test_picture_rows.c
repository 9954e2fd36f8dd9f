/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures by rows: pipes, obstacles, reading again, misuse, and the memory of tall pictures. That rows are those of
 * the whole picture is tested with every picture of the other suites of readers (picture_rows_bench.h).
 */
#define _GNU_SOURCE
#include "tools/imageio/png_pixels.h"

#include "imageio_bench.h"
#include "tiff_layout.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#ifdef WVL_HAVE_PNG
#include <png.h>
#endif

#define TALL_BYTES (UINT64_C(500) << 20)
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MOST_RESIDENT_KB (160L << 10) /* freed blocks are kept, and what threads did with memory */
#else
#define MOST_RESIDENT_KB (40L << 10)
#endif

static void write_file(const void *at, size_t n)
{
    FILE *file = fopen(file_path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(at, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

static wvl_io_rows *open_input(const char *name, const wvl_io_options *options)
{
    wvl_io_rows *rows;
    char error[256] = "";
    ck_assert_msg(wvl_io_rows_open(name, options, &rows, error, sizeof error) == 0, "%s", error);
    return rows;
}

static void expect_refused_row(wvl_io_rows *rows, const char *reason)
{
    uint8_t row[256];
    const wvl_io_row_buffer buffers[3] = {{row, 64}, {row + 64, 64}, {row + 128, 64}};
    char error[256] = "";
    ck_assert_int_eq(wvl_io_rows_read(rows, 1, buffers, error, sizeof error), WVL_IO_ERROR_INPUT);
    ck_assert_msg(strstr(error, reason) != NULL, "\"%s\" does not say \"%s\"", error, reason);
}

/* ---- Pipes ----------------------------------------------------------------------------------- */

static const uint8_t ppm[] = "P6 2 3 255\nabcdefghijklmnopqr";

TEST(pipe_gives_rows_once)
{
    wvl_io_picture whole;
    char error[256] = "";
    read_bytes(&whole, ppm, sizeof ppm - 1, "-", NULL);
    feed(ppm, sizeof ppm - 1);
    wvl_io_rows *rows = open_input("-", NULL);
    ck_assert_ptr_null(wvl_io_rows_obstacle(rows));
    ck_assert_int_eq(wvl_io_rows_can_restart(rows), 0);
    ck_assert_int_eq(read_portions(rows, 2, &whole, error, sizeof error), 0);
    ck_assert_uint_eq(wvl_io_rows_next(rows), 3);
    ck_assert_int_lt(wvl_io_rows_restart(rows, error, sizeof error), 0);
    ck_assert_str_eq(error, "standard input: PNM: rows cannot be read again from a pipe or device");
    wvl_io_rows_close(rows);
    wvl_io_release_picture(&whole);
}

TEST(truncated_pipe_fails_at_its_row)
{
    char error[256] = "";
    feed(ppm, sizeof ppm - 3);
    wvl_io_rows *rows = open_input("-", NULL);
    ck_assert_int_eq(read_portions(rows, 1, NULL, error, sizeof error), WVL_IO_ERROR_INPUT);
    ck_assert_uint_eq(wvl_io_rows_next(rows), 3);
    ck_assert_str_eq(error, "standard input: PNM: pixel data: truncated: 6 bytes needed, the file ends after 4");
    wvl_io_rows_close(rows);
}

/* A reader that cannot give rows says why, refuses them, and gives the whole picture from the same pipe. */
static void expect_obstacle(const bytes *b, const char *name, const wvl_io_options *options, const char *why)
{
    wvl_io_picture whole, p;
    char error[256] = "";
    read_bytes(&whole, b->at, b->count, name, options);
    feed(b->at, b->count);
    wvl_io_rows *rows = open_input("-", options);
    ck_assert_ptr_nonnull(wvl_io_rows_obstacle(rows));
    ck_assert_msg(strstr(wvl_io_rows_obstacle(rows), why) != NULL, "\"%s\"", wvl_io_rows_obstacle(rows));
    expect_refused_row(rows, "cannot be read row by row: ");
    ck_assert_msg(wvl_io_rows_take_picture(rows, &p, error, sizeof error) == 0, "%s", error);
    ck_assert_uint_eq(crc_of_picture(&p), crc_of_picture(&whole));
    wvl_io_release_picture(&p);
    wvl_io_rows_close(rows);
    wvl_io_release_picture(&whole);
}

TEST(obstacles_of_pipes)
{
    static const wvl_io_options planes = {.format = "raw", .raw_format = "2,2,3,8,u"};
    bytes b;
    start_bmp(&b, 1, 2, 24, 0, 0);
    put(&b, "abc\0def", 8);
    expect_obstacle(&b, "a.bmp", NULL, "begins with the bottom row");
    b.count = 0;
    put(&b, "abcdefghijkl", 12);
    expect_obstacle(&b, "a.raw", &planes, "planes follow one another");
}

TEST(obstacles_of_formats)
{
    static const wvl_io_options tga = {.format = "tga"}, floats = {.float_transfer = WVL_IO_FLOAT_LINEAR};
    bytes b;
    start_bmp(&b, 2, 1, 8, 1, 8);
    put(&b, "\1\2\3\0\4\5\6\0\2\1\0\1", 12);
    expect_obstacle(&b, "a.bmp", NULL, "run lengths may skip rows");
    start_tga(&b, 3, 2, 1, 8, 0x20);
    put(&b, "ab", 2);
    expect_obstacle(&b, "a.tga", &tga, "compressed across their ends");
    b.count = 0;
    put(&b, "Pf\n1 1\n-1.0\n\0\0\x80\x3f", 16);
    expect_obstacle(&b, "a.pfm", &floats, "floating point");
}

/* A program that makes rows feeds a reader: the same picture as its file, twice. */
TEST(made_rows)
{
    static const char command[] = WVL_MAKE_ROWS " 300 201 3 12 5";
    wvl_io_picture whole;
    char text[512], error[256] = "";
    make_file();
    snprintf(text, sizeof text, "%s >%s", command, file_path);
    ck_assert_int_eq(system(text), 0);
    ck_assert_msg(wvl_io_read_picture(file_path, NULL, &whole, error, sizeof error) == 0, "%s", error);
    expect_shape(&whole, 300, 201, 3, 12, 0);
    ck_assert_int_ne(sample_at(&whole, 0, 0, 0), sample_at(&whole, 1, 0, 0));
    FILE *made = popen(command, "r");
    ck_assert_ptr_nonnull(made);
    ck_assert_int_eq(dup2(fileno(made), STDIN_FILENO), STDIN_FILENO);
    expect_rows_of_file("-", NULL, 64, &whole);
    (void)pclose(made);
    wvl_io_release_picture(&whole);
    unlink(file_path);
}

/* ---- TIFF ------------------------------------------------------------------------------------ */

static TIFF *start_tiff(const char *mode, uint32_t width, uint32_t height, uint16_t planar, uint16_t compression,
                        unsigned tiled)
{
    const layout l = {mode, 16, 3, 0, planar, tiled, PHOTOMETRIC_RGB, compression};
    TIFF *tiff = open_layout(file_path, &l, width, height);

    ck_assert_ptr_nonnull(tiff);
    return tiff;
}

/* TIFF strips of 5 rows, 8 x 23 pixels, of which the file holds what its position says. */
static void write_strips(const char *mode, uint16_t planar, uint16_t compression, uint16_t fill)
{
    uint16_t row[24];
    TIFF *tiff = start_tiff(mode, 8, 23, planar, compression, 0);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5u);
    TIFFSetField(tiff, TIFFTAG_FILLORDER, fill);
    for (uint16_t s = 0; s < (planar == PLANARCONFIG_SEPARATE ? 3 : 1); s++) {
        for (uint32_t y = 0; y < 23; y++) {
            for (uint32_t i = 0; i < 24; i++) {
                row[i] = (uint16_t)(i * 523 + y * 7919 + s * 20011);
            }
            ck_assert_int_eq(TIFFWriteScanline(tiff, row, y, s), 1);
        }
    }
    TIFFClose(tiff);
}

TEST_EACH(strips_in_all_orders, 32)
{
    static const char *const modes[4] = {"wl", "wb", "wl8", "wb8"};
    bytes b;
    wvl_io_picture p;
    make_file();
    write_strips(modes[_i & 3], _i & 4 ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG,
                 _i & 8 ? COMPRESSION_LZW : COMPRESSION_NONE, _i & 16 ? FILLORDER_LSB2MSB : FILLORDER_MSB2LSB);
    load_file(&b);
    read_bytes(&p, b.at, b.count, "a.tif", NULL);
    ck_assert_int_eq(sample_at(&p, 0, 1, 22), (uint16_t)((_i & 4 ? 523 : 3 * 523) + 22 * 7919));
    wvl_io_release_picture(&p);
    if (!(_i & 8)) { /* the last bytes of the samples are not in the file */
        expect_truncations_refused(b.at, 8 + 6 * 8 * 23, "a.tif", NULL);
    }
    unlink(file_path);
}

/* Tiles of 16 rows: a row of them, one as it is decoded, and one as it is stored. Stored rows go straight to the
 * caller. */
TEST(memory_of_a_reader)
{
    static const uint8_t zeros[16 * 16 * 6];
    make_file();
    TIFF *tiff = start_tiff("w", 100, 40, PLANARCONFIG_CONTIG, COMPRESSION_NONE, 1);
    for (uint32_t i = 0; i < 21; i++) {
        ck_assert_int_gt((int)TIFFWriteEncodedTile(tiff, i, (void *)(uintptr_t)zeros, sizeof zeros), 0);
    }
    TIFFClose(tiff);
    wvl_io_rows *rows = open_input(file_path, NULL);
    ck_assert_uint_eq(wvl_io_rows_memory(rows), 100 * 16 * 6 + 2 * sizeof zeros);
    wvl_io_rows_close(rows);
    write_strips("wl", PLANARCONFIG_CONTIG, COMPRESSION_NONE, FILLORDER_MSB2LSB);
    rows = open_input(file_path, NULL);
    ck_assert_uint_eq(wvl_io_rows_memory(rows), 0);
    wvl_io_rows_close(rows);
    write_strips("wl", PLANARCONFIG_SEPARATE, COMPRESSION_LZW, FILLORDER_MSB2LSB);
    rows = open_input(file_path, NULL);
    ck_assert_uint_ge(wvl_io_rows_memory(rows), 8 * 5 * 6);
    ck_assert_uint_le(wvl_io_rows_memory(rows), 2 * 8 * 5 * 6);
    wvl_io_rows_close(rows);
    unlink(file_path);
}

TEST(tiff_from_a_pipe)
{
    bytes b;
    make_file();
    write_strips("wl", PLANARCONFIG_CONTIG, COMPRESSION_NONE, FILLORDER_MSB2LSB);
    load_file(&b);
    expect_obstacle(&b, "a.tif", NULL, "rows of a TIFF file may lie anywhere");
    unlink(file_path);
}

/* ---- PNG ------------------------------------------------------------------------------------- */

#ifdef WVL_HAVE_PNG
static void write_png(int interlace, bytes *b)
{
    FILE *file = fopen(file_path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_text late = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = (char *)"Title", .text = (char *)"late"};
    uint8_t rows[9][7];
    png_bytep list[9];
    ck_assert(file && info && setjmp(png_jmpbuf(png)) == 0);
    for (int y = 0; y < 9; y++) {
        memset(rows[y], 17 * y, sizeof rows[y]);
        list[y] = rows[y];
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, 7, 9, 8, PNG_COLOR_TYPE_GRAY, interlace, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_set_text(png, info, &late, 1);
    png_write_image(png, list);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(file);
    load_file(b);
}

/* Metadata behind the pixels: known before the first row from a file, with the last row from a pipe. */
TEST(late_metadata_of_png)
{
    bytes b;
    char error[256] = "";
    make_file();
    write_png(PNG_INTERLACE_NONE, &b);
    wvl_io_rows *rows = open_input(file_path, NULL);
    ck_assert_uint_eq(wvl_io_rows_picture(rows)->metadata.text_count, 1);
    ck_assert_str_eq(wvl_io_rows_picture(rows)->metadata.texts[0].value, "late");
    ck_assert_int_eq(read_portions(rows, 4, NULL, error, sizeof error), 0);
    ck_assert_uint_eq(wvl_io_rows_picture(rows)->metadata.text_count, 1);
    wvl_io_rows_close(rows);
    feed(b.at, b.count);
    rows = open_input("-", NULL);
    ck_assert_uint_eq(wvl_io_rows_picture(rows)->metadata.text_count, 0);
    ck_assert_int_eq(read_portions(rows, 4, NULL, error, sizeof error), 0);
    ck_assert_uint_eq(wvl_io_rows_picture(rows)->metadata.text_count, 1);
    wvl_io_rows_close(rows);
    unlink(file_path);
}

/* The reader goes on without what it gave away. */
TEST(description_moves)
{
    bytes b;
    char error[256] = "";
    wvl_io_picture picture;
    make_file();
    write_png(PNG_INTERLACE_NONE, &b);
    wvl_io_rows *rows = open_input(file_path, NULL);
    ck_assert_int_eq(wvl_io_rows_take_description(rows, &picture), WVL_IO_OK);
    ck_assert_uint_eq(wvl_io_rows_picture(rows)->metadata.text_count, 0);
    ck_assert_ptr_ne(wvl_io_rows_picture(rows)->components, picture.components);
    ck_assert_int_eq(read_portions(rows, 4, NULL, error, sizeof error), 0);
    ck_assert_int_eq(wvl_io_rows_restart(rows, error, sizeof error), 0);
    ck_assert_int_eq(read_portions(rows, 4, NULL, error, sizeof error), 0);
    wvl_io_rows_close(rows);
    ck_assert_str_eq(picture.metadata.texts[0].value, "late");
    wvl_io_release_picture(&picture);
    unlink(file_path);
}

/* Noise, 13x9, with each filter in some rows. */
static void write_noise(int color, int depth, int filters, bytes *b)
{
    static uint32_t seed = 1;
    FILE *file = fopen(file_path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    uint8_t row[13 * 8];
    ck_assert(file && info && setjmp(png_jmpbuf(png)) == 0);
    png_init_io(png, file);
    png_set_IHDR(png, info, 13, 9, depth, color, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_buffer_size(png, 64); /* many IDAT chunks */
    png_write_info(png, info);
    for (int y = 0; y < 9; y++) {
        for (size_t i = 0; i < sizeof row; i++) {
            row[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
        }
        png_set_filter(png, 0, y % 3 ? filters : PNG_ALL_FILTERS);
        png_write_row(png, row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(file);
    load_file(b);
}

/* Says whether the pixels of the file in memory are read without libpng. */
static int is_read_at_once(const bytes *b, unsigned pixel_bytes)
{
    static const uint8_t end[8] = {0, 0, 0, 0, 'I', 'E', 'N', 'D'};
    const uint8_t *first = memmem(b->at, b->count, "IDAT", 4), *last = memmem(b->at, b->count, end, sizeof end);
    wvl_io_png_pixels p = {.row_bytes = 13 * pixel_bytes, .rows = 9, .pixel_bytes = pixel_bytes};
    wvl_io_source source = {0};
    wvl_io_source_memory(&source, b->at, b->count);
    int is = wvl_io_open_png_pixels(&p, &source, (uint64_t)(first - 4 - b->at), (uint64_t)(last - b->at));
    wvl_io_close_png_pixels(&p);
    return is;
}

/* A whole picture is read without libpng, by rows with it; what is damaged libpng reads in both. */
TEST(filters_of_png)
{
    static const int colors[4] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
    static const int filters[6] = {PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
                                   PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS};
    make_file();
    for (unsigned i = 0; i < 4 * 2 * 6; i++) {
        unsigned color = i % 4, wide = i / 4 % 2;
        bytes b;
        wvl_io_picture whole;
        char error[256] = "", other[256] = "";
        write_noise(colors[color], wide ? 16 : 8, filters[i / 8], &b);
        ck_assert_msg(wvl_io_read_picture(file_path, NULL, &whole, error, sizeof error) == 0, "%s", error);
        wvl_io_rows *rows = open_input(file_path, NULL);
        ck_assert_int_eq(read_portions(rows, 5, &whole, error, sizeof error), 0);
        wvl_io_rows_close(rows);
        wvl_io_release_picture(&whole);
        ck_assert_int_eq(is_read_at_once(&b, (color + 1) << wide), WVL_TEST_DEFLATE);
        uint8_t *data = memmem(b.at, b.count, "IDAT", 4);
        data[4 + i % 16] ^= 1;
        ck_assert_int_eq(is_read_at_once(&b, (color + 1) << wide), 0);
        write_file(b.at, b.count);
        ck_assert_int_eq(wvl_io_read_picture(file_path, NULL, &whole, error, sizeof error), WVL_IO_ERROR_INPUT);
        rows = open_input(file_path, NULL);
        ck_assert_int_eq(read_portions(rows, 5, NULL, other, sizeof other), WVL_IO_ERROR_INPUT);
        ck_assert_str_eq(error, other);
        wvl_io_rows_close(rows);
    }
    unlink(file_path);
}

TEST(interlaced_png)
{
    bytes b;
    make_file();
    write_png(PNG_INTERLACE_ADAM7, &b);
    expect_obstacle(&b, "a.png", NULL, "interlaced");
    unlink(file_path);
}
#endif

/* ---- Again, and misuse ----------------------------------------------------------------------- */

TEST(changed_file_is_refused)
{
    char error[256] = "";
    make_file();
    write_file(ppm, sizeof ppm - 1);
    wvl_io_rows *rows = open_input(file_path, NULL);
    ck_assert_int_eq(wvl_io_rows_restart(rows, error, sizeof error), 0);
    write_file("P6 3 2 255\nabcdefghijklmnopqr", sizeof ppm - 1);
    ck_assert_int_eq(wvl_io_rows_restart(rows, error, sizeof error), WVL_IO_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error, "the file has changed since it was opened"));
    ck_assert_uint_eq(wvl_io_rows_picture(rows)->width, 2);
    expect_refused_row(rows, "start again");
    write_file(ppm, sizeof ppm - 1);
    ck_assert_int_eq(wvl_io_rows_restart(rows, error, sizeof error), 0);
    ck_assert_int_eq(read_portions(rows, 3, NULL, error, sizeof error), 0);
    wvl_io_rows_close(rows);
    unlink(file_path);
}

TEST(requests_are_checked)
{
    uint8_t block[64];
    const wvl_io_row_buffer buffer = {block, 8};
    wvl_io_rows *rows;
    wvl_io_picture p;
    char error[256] = "";
    ck_assert_int_eq(wvl_io_rows_open_memory(ppm, sizeof ppm - 1, "a", NULL, &rows, error, sizeof error), 0);
    ck_assert_int_eq(wvl_io_rows_read(rows, 0, &buffer, error, sizeof error), 0);
    ck_assert_int_lt(wvl_io_rows_read(rows, 4, &buffer, error, sizeof error), 0);
    ck_assert_str_eq(error, "a: PNM: 4 rows at row 0 of 3: only the remaining ones can be read");
    ck_assert_int_eq(wvl_io_rows_read(rows, 1, &buffer, error, sizeof error), 0);
    ck_assert_int_lt(wvl_io_rows_take_picture(rows, &p, error, sizeof error), 0);
    ck_assert_ptr_nonnull(strstr(error, "the whole picture must be read before any row"));
    ck_assert_int_eq(wvl_io_rows_restart(rows, error, sizeof error), 0);
    ck_assert_int_eq(wvl_io_rows_take_picture(rows, &p, error, sizeof error), 0);
    wvl_io_release_picture(&p);
    ck_assert_int_lt(wvl_io_rows_read(rows, 1, &buffer, error, sizeof error), 0);
    wvl_io_rows_close(rows);
    wvl_io_rows_close(NULL);
}

TEST(second_picture_is_refused_with_the_last_row)
{
    static const uint8_t two[] = "P5 1 2 255\nabP5 1 1 255\nc";
    char error[256] = "";
    wvl_io_rows *rows;
    ck_assert_int_eq(wvl_io_rows_open_memory(two, sizeof two - 1, "a", NULL, &rows, error, sizeof error), 0);
    ck_assert_int_lt(read_portions(rows, 1, NULL, error, sizeof error), 0);
    ck_assert_uint_eq(wvl_io_rows_next(rows), 2);
    ck_assert_ptr_nonnull(strstr(error, "a second picture follows"));
    wvl_io_rows_close(rows);
}

/* Rows have no limit of samples but the one that is given; whole pictures have theirs. */
TEST(limits)
{
    static const char head[] = "P5 4294967295 4294967295 255\n";
    static const wvl_io_options limited = {.max_samples = 1000};
    wvl_io_rows *rows;
    wvl_io_picture p;
    char error[256] = "";
    feed(head, sizeof head - 1);
    ck_assert_int_lt(wvl_io_rows_open("-", &limited, &rows, error, sizeof error), 0);
    ck_assert_ptr_nonnull(strstr(error, "--max-pixels"));
    feed("P5 200000 100000 255\n", 21);
    rows = open_input("-", NULL);
    ck_assert_ptr_null(wvl_io_rows_obstacle(rows));
    ck_assert_int_lt(wvl_io_rows_take_picture(rows, &p, error, sizeof error), 0);
    ck_assert_ptr_nonnull(strstr(error, "--max-pixels"));
    wvl_io_rows_close(rows);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void write_tall_pgm(void)
{
    static const char head[] = "P5 10000 52428 255\n";
    write_file(head, sizeof head - 1);
    ck_assert_int_eq(truncate(file_path, (off_t)TALL_BYTES), 0);
}

static void put_big(FILE *file, uint64_t value, unsigned byte_count)
{
    for (unsigned i = 0; i < byte_count; i++) {
        ck_assert_int_ne(putc((int)(value >> 8 * i & 0xff), file), EOF);
    }
}

static void put_tag(FILE *file, unsigned tag, unsigned type, uint64_t count, uint64_t value)
{
    put_big(file, tag, 2);
    put_big(file, type, 2);
    put_big(file, count, 8);
    put_big(file, value, 8);
}

/* BigTIFF of one uncompressed TIFF strip, of one for each plane, or of tiles of 256 x 256; holes of the file are the
 * samples.
 */
static void write_tall_tiff(int is_planar, int is_tiled)
{
    const uint64_t width = 8192, height = TALL_BYTES / 6 / 8192 / 256 * 256, tiles = width * height / 65536;
    const uint64_t strips = is_planar ? 3 : 1;
    const uint64_t chunks = is_tiled ? tiles : strips, chunk_bytes = width * height * 6 / chunks;
    const uint64_t lists = 16 + 8 + 20 * 11 + 8, data = lists + 2 * 8 * chunks;
    FILE *file = fopen(file_path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite("II+\0\10\0\0\0\20\0\0\0\0\0\0\0", 1, 16, file), 16);
    put_big(file, is_tiled ? 11 : 10, 8);
    put_tag(file, TIFFTAG_IMAGEWIDTH, TIFF_LONG, 1, width);
    put_tag(file, TIFFTAG_IMAGELENGTH, TIFF_LONG, 1, height);
    put_tag(file, TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, 3, 0x1000100010);
    put_tag(file, TIFFTAG_COMPRESSION, TIFF_SHORT, 1, COMPRESSION_NONE);
    put_tag(file, TIFFTAG_PHOTOMETRIC, TIFF_SHORT, 1, PHOTOMETRIC_RGB);
    if (!is_tiled) {
        put_tag(file, TIFFTAG_STRIPOFFSETS, TIFF_LONG8, chunks, is_planar ? lists : data);
    }
    put_tag(file, TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 3);
    if (!is_tiled) {
        put_tag(file, TIFFTAG_ROWSPERSTRIP, TIFF_LONG, 1, height);
        put_tag(file, TIFFTAG_STRIPBYTECOUNTS, TIFF_LONG8, chunks, is_planar ? lists + 8 * chunks : chunk_bytes);
    }
    put_tag(file, TIFFTAG_PLANARCONFIG, TIFF_SHORT, 1, is_planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (is_tiled) {
        put_tag(file, TIFFTAG_TILEWIDTH, TIFF_LONG, 1, 256);
        put_tag(file, TIFFTAG_TILELENGTH, TIFF_LONG, 1, 256);
        put_tag(file, TIFFTAG_TILEOFFSETS, TIFF_LONG8, chunks, lists);
        put_tag(file, TIFFTAG_TILEBYTECOUNTS, TIFF_LONG8, chunks, lists + 8 * chunks);
    }
    ck_assert_int_eq(fseek(file, (long)lists, SEEK_SET), 0);
    for (uint64_t i = 0; i < chunks; i++) {
        put_big(file, data + i * chunk_bytes, 8);
    }
    for (uint64_t i = 0; i < chunks; i++) {
        put_big(file, chunk_bytes, 8);
    }
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(truncate(file_path, (off_t)(data + chunks * chunk_bytes)), 0);
}

static void read_tall(void)
{
    char error[256] = "";
    wvl_io_rows *rows;
    if (wvl_io_rows_open(file_path, NULL, &rows, error, sizeof error) != 0) {
        fprintf(stderr, "%s\n", error);
        _exit(2);
    }
    size_t pitch = wvl_io_rows_bytes(rows, 0);
    uint8_t *block = malloc(pitch * 21);
    wvl_io_row_buffer buffers[3] = {{block, pitch}, {block + 7 * pitch, pitch}, {block + 14 * pitch, pitch}};
    uint32_t height = wvl_io_rows_picture(rows)->height;
    for (uint32_t y = 0; y < height; y = wvl_io_rows_next(rows)) {
        if (wvl_io_rows_read(rows, height - y < 7 ? height - y : 7, buffers, error, sizeof error) != 0) {
            fprintf(stderr, "%s\n", error);
            _exit(3);
        }
    }
    free(block);
    wvl_io_rows_close(rows);
    _exit(0);
}

TEST_EACH(tall_pictures_in_little_memory, 4)
{
    struct rusage used;
    int status;
    make_file();
    if (_i == 0) {
        write_tall_pgm();
    } else {
        write_tall_tiff(_i == 3, _i == 2);
    }
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        read_tall();
    }
    ck_assert_int_eq(wait4(child, &status, 0, &used), child);
    unlink(file_path);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    ck_assert_msg(used.ru_maxrss < MOST_RESIDENT_KB, "%ld KiB", used.ru_maxrss);
}

TEST_MAIN("picture rows")
