/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this plugin knows of the host's codecs and streams. The host holds handles of the real library: a codec of the
 * real library is made and set up for each of the host's, so that a picture may go to it at any time. The tables here
 * say what else belongs to a handle.
 */
#ifndef WVL_OPENJP2_CODEC_H
#define WVL_OPENJP2_CODEC_H

#include <wavelane.h>
#include <wavelane_rows.h>

#include "real.h"

/* A stream for output. Its functions are those of the host, or of a file (streams.c). */
typedef struct stream_entry {
    struct stream_entry *next;
    const opj_real *real; /* which made the handle */
    opj_stream *handle;
    opj_transfer_fn write;
    opj_seek_fn seek;
    void *user;
} stream_entry;

/* The entry of a stream; NULL if it was made elsewhere. */
stream_entry *stream_find(opj_stream *handle);

/* Writes all bytes. Nonzero: the host's function failed. */
int stream_write(const stream_entry *stream, const void *data, size_t bytes);
/* After the last byte. Nonzero: a file could not take all bytes. */
int stream_flush(const stream_entry *stream);

enum { MESSAGE_INFO, MESSAGE_WARNING, MESSAGE_ERROR, MESSAGE_KINDS };

typedef struct tile_rows tile_rows; /* tiles.c */

typedef struct codec_entry {
    struct codec_entry *next;
    const opj_real *real;
    opj_codec *handle;
    int format; /* OPJ_FORMAT_ */
    int threads;
    struct {
        opj_message_fn call;
        void *user;
    } handlers[MESSAGE_KINDS];

    /* What the host gave, as opj_setup_encoder() of libopenjp2 left it: it resolves profiles, layers and deprecated
     * members in the host's structure. NULL: not set up. */
    opj_cparameters *given;
    char *comment;     /* a copy of given->cp_comment, or NULL */
    int has_matrix;    /* 1: opj_set_MCT() was called */
    int wants_profile; /* 1: cinema or IMF, also if the picture does not fit: TLM then */
    int plt, tlm, guard_bits;

    /* From opj_start_compress() on. The host's samples belong to the codec then, as in libopenjp2. */
    opj_image image;      /* a copy of the header and the components; icc_profile_buf too */
    int is_handed_over;   /* 1: libopenjp2 encodes this picture */
    int is_finished;      /* 1: all bytes are written; only opj_end_compress() is missing */
    int is_broken;        /* 1: refused, or failed: every further call on this picture fails */
    stream_entry *stream; /* of opj_start_compress() */
    wvl_plan *plan;
    tile_rows *tiles; /* of opj_write_tile() */
} codec_entry;

/* Text for the host's handler of that kind; without one nothing is printed, as in libopenjp2. */
void codec_say(const codec_entry *c, int kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- settings.c: opj_cparameters as options of Wavelane ---- */

/* Fills params from what the host set up, then, with has_user, from WAVELANE_PRESET, _DEVICE and _OPTIONS. NULL on
 * success, else the reason why Wavelane does not encode this: static text, or text in `room`. *is_refused: 1 if the
 * user's variables are wrong; libopenjp2 is not asked then. */
const char *settings_apply(const codec_entry *c, wvl_params *params, int has_user, int *is_refused, char *room,
                           size_t room_bytes);
/* 1: one of these variables is set. */
int settings_has_user(void);
/* 1: the user permits no other device than one of CUDA; a failure is an error then. */
int settings_must_use_device(void);

/* ---- picture.c: opj_image for Wavelane ---- */

/* Samples of a row, by the reference grid. */
uint32_t picture_width(const opj_image *image, const opj_component *component);

/* Makes c->plan of the codec's picture and settings. NULL on success, else the reason as above. */
const char *picture_plan(codec_entry *c, int *is_refused, char *room, size_t room_bytes);

/* Encodes from planes in memory, one a component, into the stream of the codec. *written: bytes that the stream got. */
wvl_status picture_encode(codec_entry *c, const wvl_plane *planes, uint64_t *written, char *error, size_t error_bytes);

/* ---- tiles.c: pictures that come tile by tile ---- */

/* Takes one tile; components one after another, each sample in 1, 2 or 4 bytes by its depth. 0: failed, and said so. */
int tiles_take(codec_entry *c, uint32_t index, const unsigned char *data, uint32_t bytes);
/* After the last tile: waits for the encode. 0: failed, and said so. */
int tiles_finish(codec_entry *c);
void tiles_release(codec_entry *c);

#endif
