/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a picture file says beside its pixels. Readers fill it; tools/metadata makes boxes of it.
 *
 * Everything here comes from files that may be hostile. What a reader hands out has been checked as far as the comments
 * say, and no further.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WVL_IO_MAX_METADATA_BYTES ((size_t)64 << 20) /* of one block; a longer one is left out and named */
#define WVL_IO_MAX_TEXTS 256u                        /* of one picture; the rest is left out and named */

/* A block of bytes with a format of its own. At most one of each kind. */
typedef enum wvl_io_blob_kind {
    WVL_IO_EXIF, /* a TIFF stream ("II*\0" or "MM\0*" first), without "Exif\0\0"; its directories lie within it */
    WVL_IO_IPTC, /* IPTC-IIM: begins with the tag marker 0x1C */
    WVL_IO_XMP,  /* a packet as the file has it, in any encoding: well-formed XML, without NULs at the end */
    WVL_IO_GEO,  /* a degenerate GeoTIFF: a TIFF stream of one sample, with the tags of GeoTIFF */
    WVL_IO_GML,  /* a GML document for GMLJP2: the same */
    WVL_IO_BLOB_KINDS
} wvl_io_blob_kind;

/* The identifiers of their UUID boxes; GML has none. */
extern const uint8_t wvl_io_uuids[WVL_IO_BLOB_KINDS][16];

typedef struct wvl_io_blob {
    uint8_t *data; /* owned; NULL: the file has none */
    size_t bytes;
} wvl_io_blob;

/* The meaning of a text of the file. */
typedef enum wvl_io_field {
    WVL_IO_FIELD_OTHER, /* no field of XMP is known for it */
    WVL_IO_FIELD_TITLE,
    WVL_IO_FIELD_ARTIST,
    WVL_IO_FIELD_COPYRIGHT,
    WVL_IO_FIELD_DESCRIPTION,
    WVL_IO_FIELD_COMMENT,
    WVL_IO_FIELD_CREATED,  /* the time when the picture was made */
    WVL_IO_FIELD_MODIFIED, /* the time when the file was last changed */
    WVL_IO_FIELD_SOFTWARE,
    WVL_IO_FIELD_MAKE,
    WVL_IO_FIELD_MODEL,
    WVL_IO_FIELD_SERIAL,  /* of the camera or scanner */
    WVL_IO_FIELD_PROJECT, /* DPX */
    WVL_IO_FIELD_COUNT
} wvl_io_field;

/* A text: UTF-8 without control characters but tab and line ends, never empty. Owned. */
typedef struct wvl_io_text {
    wvl_io_field field;
    char *name; /* as the format calls it: "ImageDescription", "Creation Time" */
    char *value;
} wvl_io_text;

/* A box of a JP2 file that no other member holds, in file order. Owned. */
typedef struct wvl_io_box {
    uint32_t type;    /* 'xml ', 'uuid' or 'asoc' */
    uint8_t uuid[16]; /* of uuid */
    uint8_t *data;    /* content behind the type (and uuid); XML in it is well-formed */
    size_t bytes;
} wvl_io_box;

typedef struct wvl_io_metadata {
    wvl_io_blob blobs[WVL_IO_BLOB_KINDS];
    wvl_io_text *texts;
    size_t text_count;
    wvl_io_box *boxes;
    size_t box_count;
} wvl_io_metadata;

/* The character at p in UTF-8 of `left` bytes, of which there is one, and its bytes; 0: there is none. Overlong forms,
 * surrogates, and U+FFFE and U+FFFF, which XML lacks, are none. */
uint32_t wvl_io_utf8_point(const uint8_t *p, size_t left, unsigned *length);

/* Frees everything and empties *metadata. Safe on an emptied one. */
void wvl_io_release_metadata(wvl_io_metadata *metadata);

/* Appends a name to a list with commas unless it is there; where the list is full it ends with "and others". */
void wvl_io_add_name(char *list, size_t bytes, const char *name);

/* Frees one block. */
void wvl_io_drop_blob(wvl_io_metadata *metadata, wvl_io_blob_kind kind);

/* 1 when there is nothing in it. */
int wvl_io_is_metadata_empty(const wvl_io_metadata *metadata);

/* Checks that bytes are a well-formed XML document with namespaces, in an encoding that Expat or the C library reads.
 * 0: they are, and *byte_count is without NULs at the end; 1: they are not, for this reason; -1: memory is short. */
int wvl_io_check_xml(const void *bytes, size_t *byte_count, char *reason, size_t reason_bytes);

/* 1: the bytes are a TIFF stream whose directories (IFD0, EXIF, GPS, Interoperability) and their values lie within
 * it. Values of a type that nobody knows are not looked at. */
int wvl_io_is_exif_sound(const uint8_t *bytes, size_t byte_count);

/* The fields of an EXIF block that say how its picture is to be read. */
typedef struct wvl_io_exif_fields {
    uint16_t orientation;                          /* 274; 1 to 8, or 0: not there */
    uint16_t positioning;                          /* 531; 1 centred, 2 co-sited, 0: not there */
    uint16_t color_space;                          /* 40961; 1 sRGB, 65535 another, 0: not there */
    double x_pixels_per_metre, y_pixels_per_metre; /* 282, 283, 296; 0: not there */
} wvl_io_exif_fields;

/* exif.c: reads IFD0 and the EXIF IFD of a TIFF stream (Exif 2.32, 4.5 and 4.6).
 * What is damaged counts as not there. */
wvl_io_exif_fields wvl_io_read_exif(const uint8_t *bytes, size_t byte_count);

#ifdef __cplusplus
}
#endif
