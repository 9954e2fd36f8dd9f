/* SPDX-License-Identifier: BSD-2-Clause */
/* Orientation in EXIF and XMP, set to "as stored" once the samples have been turned. */
#include <string.h>

#include "boxes.h"
#include "stream.h"
#include "xmp.h"

enum {
    TAG_ORIENTATION = 274,
    TAG_X_RESOLUTION = 282,
    TAG_Y_RESOLUTION = 283,
    TAG_EXIF = 34665,
    TAG_PIXEL_X = 40962,
    TAG_PIXEL_Y = 40963
};

/* Type, count and value change places; the tags stay. */
static void swap_entries(wvl_tiff_stream *s, uint32_t directory, unsigned tag_a, unsigned tag_b)
{
    size_t a = wvl_tiff_find_entry(s, directory, tag_a), b = wvl_tiff_find_entry(s, directory, tag_b);
    uint8_t kept[10];
    if (a && b) {
        memcpy(kept, s->bytes + a + 2, sizeof kept);
        memcpy(s->bytes + a + 2, s->bytes + b + 2, sizeof kept);
        memcpy(s->bytes + b + 2, kept, sizeof kept);
    }
}

static void reset_exif(wvl_io_blob *exif, int swap)
{
    wvl_tiff_stream s = wvl_tiff_stream_of(exif->data, exif->bytes);
    uint32_t first = wvl_tiff_first_directory(&s);
    size_t orientation = wvl_tiff_find_entry(&s, first, TAG_ORIENTATION);
    size_t pointer = wvl_tiff_find_entry(&s, first, TAG_EXIF);
    double directory;
    if (orientation) {
        wvl_tiff_set_value(&s, orientation, 1);
    }
    if (swap) {
        swap_entries(&s, first, TAG_X_RESOLUTION, TAG_Y_RESOLUTION);
    }
    if (swap && pointer && wvl_tiff_read_value(&s, pointer, 0, &directory)) {
        swap_entries(&s, (uint32_t)directory, TAG_PIXEL_X, TAG_PIXEL_Y);
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
