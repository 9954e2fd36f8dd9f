/* SPDX-License-Identifier: BSD-2-Clause */
/* Orientation in EXIF and XMP, set to "as stored" once the samples have been turned. */

#include "boxes.h"
#include "tools/imageio/tiff_tags.h"
#include "xmp.h"

enum {
    TAG_ORIENTATION = 274,
    TAG_X_RESOLUTION = 282,
    TAG_Y_RESOLUTION = 283,
    TAG_PIXEL_X = 40962,
    TAG_PIXEL_Y = 40963
};

/* Type, count and value change places; the tags stay. */
static void swap_entries(wvl_io_blob *exif, uint32_t directory, unsigned tag_a, unsigned tag_b)
{
    wvl_io_tiff_block b = wvl_io_tiff_block_of(exif->data, exif->bytes);
    size_t first = wvl_io_find_entry(&b, directory, tag_a), second = wvl_io_find_entry(&b, directory, tag_b);
    uint8_t kept[10];
    if (first && second) {
        memcpy(kept, exif->data + first + 2, sizeof kept);
        memcpy(exif->data + first + 2, exif->data + second + 2, sizeof kept);
        memcpy(exif->data + second + 2, kept, sizeof kept);
    }
}

static void reset_exif(wvl_io_blob *exif, int swap)
{
    wvl_io_tiff_block s = wvl_io_tiff_block_of(exif->data, exif->bytes);
    uint32_t first = wvl_io_first_directory(&s);
    size_t orientation = wvl_io_find_entry(&s, first, TAG_ORIENTATION);
    size_t pointer = wvl_io_find_entry(&s, first, WVL_TAG_EXIF);
    double directory;
    if (orientation) {
        /* The only value of an entry of SHORT or LONG becomes 1. */
        wvl_io_tiff_block b = wvl_io_tiff_block_of(exif->data, exif->bytes);
        uint64_t type = wvl_io_number_at(&b, orientation + 2, 2);
        if ((type == WVL_TIFF_SHORT || type == WVL_TIFF_LONG) && wvl_io_number_at(&b, orientation + 4, 4) == 1) {
            unsigned each = wvl_io_tiff_type_bytes(type);
            memset(exif->data + orientation + 8, 0, each);
            exif->data[orientation + 8 + (b.big_endian ? each - 1 : 0)] = 1;
        }
    }
    if (swap) {
        swap_entries(exif, first, TAG_X_RESOLUTION, TAG_Y_RESOLUTION);
    }
    if (swap && pointer && wvl_io_read_value(&s, pointer, 0, &directory)) {
        swap_entries(exif, (uint32_t)directory, TAG_PIXEL_X, TAG_PIXEL_Y);
    }
}

/* "6" becomes "1" where it is the whole value. */
static void reset_digit(wvl_io_blob *xmp, wvl_xml_span value)
{
    if (value.bytes == 1 && value.at[0] >= '1' && value.at[0] <= '8') {
        xmp->data[(size_t)(value.at - (const char *)xmp->data)] = '1';
    }
}

/* tiff:Orientation as an attribute or an element. */
static void reset_xmp(wvl_io_blob *xmp)
{
    wvl_xml_span document = {(const char *)xmp->data, xmp->bytes}, name, value;
    wvl_xmp_prefixes prefixes;
    wvl_xml_tag tag;
    if (!wvl_metadata_is_xmp_text(*xmp)) {
        return;
    }
    wvl_metadata_find_prefixes(document, "http://ns.adobe.com/tiff/1.0/", &prefixes);
    for (size_t at = 0; prefixes.count && wvl_xml_next_tag(document, &at, &tag) > 0;) {
        if (!tag.closes && !tag.is_empty && wvl_metadata_is_named(&prefixes, tag.name, "Orientation") &&
            document.bytes - at >= 2 && document.at[at + 1] == '<') {
            reset_digit(xmp, (wvl_xml_span){document.at + at, 1});
        }
        for (size_t next = 0; wvl_xml_next_attribute(&tag, &next, &name, &value) > 0;) {
            if (wvl_metadata_is_named(&prefixes, name, "Orientation")) {
                reset_digit(xmp, value);
            }
        }
    }
}

void wvl_metadata_reset_orientation(wvl_io_metadata *metadata, int swap)
{
    if (metadata->blobs[WVL_IO_EXIF].data) {
        reset_exif(&metadata->blobs[WVL_IO_EXIF], swap);
    }
    if (metadata->blobs[WVL_IO_XMP].data) {
        reset_xmp(&metadata->blobs[WVL_IO_XMP]);
    }
}
