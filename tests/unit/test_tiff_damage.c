/* SPDX-License-Identifier: BSD-2-Clause */
/* Damage of which libtiff only warns: entries of the directory that lie beyond the file, palettes without a colour map,
 * fax and JPEG data that end early. Damage that libtiff refuses and that does not matter: values of tags that say
 * nothing of the samples. */
#include "imageio_bench.h"

#include <limits.h>
#include <tiffio.h>
#include <unistd.h>

#define WIDTH 64u
#define HEIGHT 48u

static uint8_t file[1 << 16];
static size_t file_bytes;

static void put_rows(TIFF *tiff, unsigned samples)
{
    uint8_t row[3 * WIDTH];
    uint32_t x, y;

    for (y = 0; y < HEIGHT; y++) {
        for (x = 0; x < samples * WIDTH; x++) {
            row[x] = (uint8_t)(x * y + 31 * y + x / 5);
        }
        ck_assert_int_eq(TIFFWriteScanline(tiff, row, y, 0), 1);
    }
}

/* mode: of TIFFOpen. */
static void write_file(const char *mode, uint16_t photometric, uint16_t compression, unsigned depth, unsigned samples)
{
    char path[] = "/tmp/tiff-damage-XXXXXX";
    uint16_t map[3][256] = {{0}};
    int fd = mkstemp(path);
    TIFF *tiff = TIFFOpen(path, mode);
    FILE *from;

    ck_assert(fd >= 0 && tiff);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, depth);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
    if (photometric == PHOTOMETRIC_PALETTE) {
        TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
    }
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    TIFFSetField(tiff, TIFFTAG_FILLORDER, FILLORDER_MSB2LSB);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
    TIFFSetField(tiff, TIFFTAG_ICCPROFILE, 16u, "0123456789abcdef");
    TIFFSetField(tiff, TIFFTAG_XMLPACKET, 5u, "<x/>\n");
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 300.0);
    TIFFSetField(tiff, TIFFTAG_ARTIST, "someone with a name");
    put_rows(tiff, samples);
    TIFFClose(tiff);
    from = fopen(path, "rb");
    ck_assert_ptr_nonnull(from);
    file_bytes = fread(file, 1, sizeof file, from);
    ck_assert(file_bytes && file_bytes < sizeof file);
    fclose(from);
    close(fd);
    unlink(path);
}

static uint64_t number_at(const uint8_t *at, unsigned width, int is_big_endian)
{
    uint64_t value = 0;
    unsigned i;

    for (i = 0; i < width; i++) {
        value = value << 8 | at[is_big_endian ? i : width - 1 - i];
    }
    return value;
}

/* The entry of a tag in the first directory. */
static uint8_t *find_entry(uint16_t tag)
{
    int is_big_endian = file[0] == 'M', is_big = number_at(file + 2, 2, is_big_endian) == 43;
    uint8_t *at = file + number_at(file + (is_big ? 8 : 4), is_big ? 8 : 4, is_big_endian);
    uint64_t count = number_at(at, is_big ? 8 : 2, is_big_endian), i;

    for (i = 0, at += is_big ? 8 : 2; i < count; i++, at += is_big ? 20 : 12) {
        if (number_at(at, 2, is_big_endian) == tag) {
            return at;
        }
    }
    ck_abort_msg("no tag %u", tag);
    return NULL;
}

static const char *const modes[] = {"wl", "wb", "wl8", "wb8"};

static void expect_same(const wvl_io_picture *p, const wvl_io_picture *whole)
{
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            ck_assert_int_eq(wvl_io_sample(&p->components[0], x, y), wvl_io_sample(&whole->components[0], x, y));
        }
    }
}

static void read_file(void)
{
    wvl_io_picture p;

    read_bytes(&p, file, file_bytes, "a.tif", NULL);
    wvl_io_release_picture(&p);
}

TEST_EACH(palette_without_a_map, 4)
{
    write_file(modes[_i], PHOTOMETRIC_PALETTE, COMPRESSION_LZW, 8, 1);
    read_file();
    memcpy(find_entry(TIFFTAG_COLORMAP), "\xFD\xFD", 2); /* a private tag */
    refuse_bytes(file, file_bytes, "a.tif", NULL, "PhotometricInterpretation 3");
}

/* Of a tag that says what the samples are, the file is truncated; any other one is left out. */
TEST_EACH(values_beyond_the_file, 8)
{
    static const uint16_t tags[] = {TIFFTAG_BITSPERSAMPLE, TIFFTAG_ARTIST};
    int is_big = _i % 4 >= 2, is_big_endian = _i % 2;
    wvl_io_picture p;

    write_file(modes[_i % 4], PHOTOMETRIC_RGB, COMPRESSION_LZW, 8, 3);
    read_file();
    if (is_big && _i / 4 == 0) {
        return; /* three SHORTs fit their entry there */
    }
    find_entry(tags[_i / 4])[(is_big ? 12 : 8) + (is_big_endian ? (is_big ? 5 : 1) : 2)] =
        0x7F; /* some 8 million bytes further */
    if (_i / 4 == 0) {
        refuse_bytes(file, file_bytes, "a.tif", NULL, "truncated");
        return;
    }
    read_bytes(&p, file, file_bytes, "a.tif", NULL);
    ck_assert_msg(strstr(p.lost, "Artist (damaged)") != NULL, "%s", p.lost);
    wvl_io_release_picture(&p);
}

/* Bytes of the header and of the directory are no colours. */
TEST_EACH(colours_in_the_header, 4)
{
    int is_big = _i >= 2, is_big_endian = _i % 2;
    unsigned width = is_big ? 8 : 4, place = is_big ? 12 : 8, last = is_big_endian ? width - 1 : 0;

    for (unsigned i = 0; i < 2; i++) {
        write_file(modes[_i], PHOTOMETRIC_PALETTE, COMPRESSION_LZW, 8, 1);
        memset(file + file_bytes, 0, 2048); /* as many bytes as the colours take */
        file_bytes += 2048;
        uint8_t *offset = find_entry(TIFFTAG_COLORMAP) + place;
        memset(offset, 0, width);
        offset[last] = 4;
        if (i == 1) { /* the directory's own place */
            memcpy(offset, file + (is_big ? 8 : 4), width);
        }
        refuse_bytes(file, file_bytes, "a.tif", NULL, "lies inside the header or the directory");
    }
}

/* Bytes of the header, of the directory and of its values are no samples. */
TEST_EACH(strips_in_the_header, 8)
{
    int is_big = _i % 4 >= 2, is_big_endian = _i % 2;
    unsigned width = is_big ? 8 : 4, place = is_big ? 12 : 8, last = is_big_endian ? width - 1 : 0;
    const unsigned inside[] = {0, is_big ? 15 : 7, 0, 0};

    for (unsigned i = 0; i < (is_big ? 3 : 4); i++) { /* three SHORTs fit their entry in BigTIFF */
        write_file(modes[_i % 4], PHOTOMETRIC_RGB, _i / 4 ? COMPRESSION_LZW : COMPRESSION_NONE, 8, 3);
        memmove(file + file_bytes, file, sizeof file - file_bytes < file_bytes ? sizeof file - file_bytes : file_bytes);
        file_bytes *= 2;
        uint8_t *offset = find_entry(TIFFTAG_STRIPOFFSETS) + place;
        memset(offset, 0, width);
        offset[last] = (uint8_t)inside[i];
        if (i == 2) { /* the directory's own place */
            memcpy(offset, file + (is_big ? 8 : 4), width);
        } else if (i == 3) { /* the place of the bits of each sample */
            memcpy(offset, find_entry(TIFFTAG_BITSPERSAMPLE) + place, width);
        }
        refuse_bytes(file, file_bytes, "a.tif", NULL, "lies inside the header or the directory");
    }
}

/* Bytes behind the samples are not read, whatever they are: here those of the directory. */
TEST_EACH(more_bytes_than_samples, 4)
{
    int is_big_endian = _i % 2;
    wvl_io_picture whole, p;

    write_file(modes[_i], PHOTOMETRIC_MINISBLACK, COMPRESSION_NONE, 8, 1);
    read_bytes(&whole, file, file_bytes, "a.tif", NULL);
    uint8_t *count = find_entry(TIFFTAG_STRIPBYTECOUNTS);
    static const unsigned widths[] = {[TIFF_SHORT] = 2, [TIFF_LONG] = 4, [TIFF_LONG8] = 8};
    unsigned width = widths[number_at(count + 2, 2, is_big_endian)];
    uint8_t *value = count + (_i >= 2 ? 12 : 8);
    ck_assert_uint_eq(number_at(value, width, is_big_endian), WIDTH * HEIGHT);
    value[is_big_endian ? width - 1 : 0] += 100;
    read_bytes(&p, file, file_bytes, "a.tif", NULL);
    expect_same(&p, &whole);
    wvl_io_release_picture(&p);
    wvl_io_release_picture(&whole);
}

/* The TIFF strip is as long as it was, so that nothing but its data shows that something is missing. */
TEST_EACH(data_that_ends_early, 4)
{
    static const uint16_t compressions[] = {COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4, COMPRESSION_CCITTRLE,
                                            COMPRESSION_JPEG};
    int is_jpeg = compressions[_i] == COMPRESSION_JPEG;
    uint8_t *offset, *count;
    uint64_t at, length;

    if (!TIFFIsCODECConfigured(compressions[_i])) {
        return;
    }
    write_file("wl", is_jpeg ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_MINISWHITE, compressions[_i], is_jpeg ? 8 : 1, 1);
    read_file();
    offset = find_entry(TIFFTAG_STRIPOFFSETS);
    count = find_entry(TIFFTAG_STRIPBYTECOUNTS);
    at = number_at(offset + 8, 4, 0);
    length = number_at(count + 8, number_at(count + 2, 2, 0) == 3 ? 2 : 4, 0);
    memset(file + at + length / 2, is_jpeg ? 0 : 0x55, length - length / 2);
    refuse_bytes(file, file_bytes, "a.tif", NULL, "libtiff");
}

/* In the old style, bits of codes are in reverse: a warning, and the whole picture. */
TEST(harmless_warnings_stay_notes)
{
    static const uint8_t old_lzw[] = {0x00,
                                      0x01}; /* how data in the old style begins: the clear code, low bits first */
    wvl_io_picture p;
    char error[256];

    write_file("wl", PHOTOMETRIC_MINISBLACK, COMPRESSION_LZW, 8, 1);
    memcpy(file + number_at(find_entry(TIFFTAG_STRIPOFFSETS) + 8, 4, 0), old_lzw, sizeof old_lzw);
    if (wvl_io_read_memory(file, file_bytes, "a.tif", NULL, &p, error, sizeof error) == 0) {
        wvl_io_release_picture(&p); /* what follows is in the new style: a picture or an error of the coder, never a
                                       refusal for a warning */
    } else {
        ck_assert_msg(strstr(error, "Old-style") == NULL, "%s", error);
    }
}

/* Values that say nothing of the samples: the picture is read without them, and a text names them. */
static const struct {
    uint16_t tag;
    int type, count, value; /* -1: as they are */
    const char *told;
} bad_values[] = {
    {TIFFTAG_ORIENTATION, -1, -1, 0, "Orientation (0)"},
    {TIFFTAG_ORIENTATION, -1, -1, 9, "Orientation (9)"},
    {TIFFTAG_ORIENTATION, -1, 0, -1, "Orientation (damaged)"},
    {TIFFTAG_ORIENTATION, -1, INT_MAX, -1, "Orientation (damaged)"}, /* beyond the file, as the other large ones */
    {TIFFTAG_ORIENTATION, TIFF_ASCII, -1, -1, "Orientation (damaged)"},
    {TIFFTAG_RESOLUTIONUNIT, -1, -1, 0, "ResolutionUnit (0)"},
    {TIFFTAG_RESOLUTIONUNIT, -1, -1, 4, "ResolutionUnit (4)"},
    {TIFFTAG_RESOLUTIONUNIT, -1, 0, -1, "ResolutionUnit (damaged)"},
    {TIFFTAG_XRESOLUTION, TIFF_ASCII, -1, -1, "XResolution (damaged)"},
    {TIFFTAG_XRESOLUTION, -1, 0, -1, "XResolution (damaged)"},
    {TIFFTAG_XRESOLUTION, -1, INT_MAX, -1, "XResolution (damaged)"},
    {TIFFTAG_FILLORDER, -1, -1, 0, "FillOrder is read as 1"},
    {TIFFTAG_FILLORDER, -1, -1, 3, "FillOrder is read as 1"},
    {TIFFTAG_FILLORDER, -1, 0, -1, "FillOrder is read as 1"},
    {TIFFTAG_FILLORDER, -1, 1000, -1, "FillOrder is read as 1"}, /* at offset 1 in classic TIFF */
    {TIFFTAG_FILLORDER, -1, INT_MAX, -1, "FillOrder is read as 1"},
    {TIFFTAG_FILLORDER, TIFF_DOUBLE, -1, -1, "FillOrder is read as 1"},
    {TIFFTAG_PLANARCONFIG, -1, -1, 0, "PlanarConfiguration is read as 1"},
    {TIFFTAG_PLANARCONFIG, TIFF_IFD, -1, -1, "PlanarConfiguration is read as 1"},
    {TIFFTAG_PLANARCONFIG, -1, INT_MAX, -1, "PlanarConfiguration is read as 1"},
    {TIFFTAG_ROWSPERSTRIP, -1, -1, 0, "RowsPerStrip is read as ImageLength"},
    {TIFFTAG_ICCPROFILE, TIFF_SHORT, 2, -1, "ICC profile (wrong type)"},
    {TIFFTAG_ICCPROFILE, -1, 0, -1, "ICC profile (empty)"},
    {TIFFTAG_ICCPROFILE, -1, INT_MAX, -1, "ICC profile (damaged)"},
    {TIFFTAG_XMLPACKET, TIFF_SHORT, 2, -1, "XMP (wrong type)"},
    {TIFFTAG_XMLPACKET, -1, 0, -1, "XMP (empty)"},
    {TIFFTAG_XMLPACKET, -1, INT_MAX, -1, "XMP (damaged)"},
    {TIFFTAG_XMLPACKET, 99, -1, -1, "XMP (wrong type)"},
    {TIFFTAG_ARTIST, TIFF_SHORT, 2, -1, "Artist (wrong type)"},
    {TIFFTAG_ARTIST, -1, 0, -1, "Artist (damaged)"},
    {TIFFTAG_ARTIST, -1, INT_MAX, -1, "Artist (damaged)"},
};

#define BAD_VALUES (int)(sizeof bad_values / sizeof bad_values[0])

static void put_number(uint8_t *at, unsigned width, int is_big_endian, int value)
{
    for (unsigned i = 0; value >= 0 && i < width; i++) {
        at[is_big_endian ? width - 1 - i : i] = i < 4 ? (uint8_t)(value >> (8 * i)) : 0;
    }
}

TEST_EACH(bad_values_that_do_not_matter, 4 * BAD_VALUES)
{
    int n = _i % BAD_VALUES, mode = _i / BAD_VALUES, is_big_endian = mode % 2, is_big = mode >= 2;
    wvl_io_picture whole, p;
    char told[sizeof p.lost + sizeof p.note + 2];

    write_file(modes[mode], PHOTOMETRIC_MINISBLACK, COMPRESSION_LZW, 8, 1);
    read_bytes(&whole, file, file_bytes, "a.tif", NULL);
    uint8_t *entry = find_entry(bad_values[n].tag);
    put_number(entry + 2, 2, is_big_endian, bad_values[n].type);
    put_number(entry + 4, is_big ? 8 : 4, is_big_endian, bad_values[n].count);
    put_number(entry + (is_big ? 12 : 8), number_at(entry + 2, 2, is_big_endian) == TIFF_LONG ? 4 : 2, is_big_endian,
               bad_values[n].value);
    read_bytes(&p, file, file_bytes, "a.tif", NULL);
    snprintf(told, sizeof told, "%s; %s", p.lost, p.note);
    ck_assert_msg(strstr(told, bad_values[n].told) != NULL, "\"%s\" does not name %s", told, bad_values[n].told);
    expect_same(&p, &whole);
    ck_assert_uint_eq(p.orientation, 1);
    wvl_io_release_picture(&p);
    wvl_io_release_picture(&whole);
}

TEST_MAIN("TIFF damage")
