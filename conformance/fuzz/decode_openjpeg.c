/* SPDX-License-Identifier: BSD-2-Clause */
#include <openjpeg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"

/* ---- Stream over memory ---------------------------------------------------------------------- */

typedef struct reader {
    const uint8_t *data;
    size_t bytes, at;
} reader;

static OPJ_SIZE_T read_some(void *buffer, OPJ_SIZE_T wanted, void *user)
{
    reader *r = user;
    size_t left = r->bytes - r->at, n = wanted < left ? wanted : left;
    if (!n) {
        return (OPJ_SIZE_T)-1;
    }
    memcpy(buffer, r->data + r->at, n);
    r->at += n;
    return n;
}

static OPJ_OFF_T skip_some(OPJ_OFF_T wanted, void *user)
{
    reader *r = user;
    if (wanted < 0 || (uint64_t)wanted > r->bytes - r->at) {
        return -1;
    }
    r->at += (size_t)wanted;
    return wanted;
}

static OPJ_BOOL seek_to(OPJ_OFF_T at, void *user)
{
    reader *r = user;
    if (at < 0 || (uint64_t)at > r->bytes) {
        return OPJ_FALSE;
    }
    r->at = (size_t)at;
    return OPJ_TRUE;
}

/* ---- Complaints ------------------------------------------------------------------------------ */

typedef struct complaints {
    char *text;
    size_t room;
    unsigned count;
    int layered; /* several layers */
} complaints;

/* A block whose last cut lies in a layer before the last one ends with a prefix of its codeword, which no predictable
 * termination follows. */
static int is_of_a_prefix(const char *message) { return !strncmp(message, "PTERM check failure", 19); }

static void complain(const char *message, void *user)
{
    complaints *c = user;
    if (c->layered && is_of_a_prefix(message)) {
        return;
    }
    if (!c->count++) {
        (void)snprintf(c->text, c->room, "OpenJPEG: %.*s", (int)strcspn(message, "\n"), message);
    }
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static void take_image(const opj_image_t *image, fuzz_picture *p)
{
    *p = (fuzz_picture){image->x0, image->y0,       image->x1,
                        image->y1, image->numcomps, calloc(image->numcomps, sizeof *p->planes)};
    for (uint32_t c = 0; p->planes && c < p->count; c++) {
        const opj_image_comp_t *from = &image->comps[c];
        fuzz_plane *to = &p->planes[c];
        size_t samples = (size_t)from->w * from->h;
        *to =
            (fuzz_plane){from->w,           from->h, (uint8_t)from->prec, (uint8_t)(from->sgnd != 0), (uint8_t)from->dx,
                         (uint8_t)from->dy, NULL};
        to->samples = calloc(samples + 1, sizeof *to->samples);
        if (to->samples && from->data) {
            memcpy(to->samples, from->data, samples * sizeof *to->samples);
        }
    }
}

static opj_codec_t *open_codec(const uint8_t *data, size_t bytes, unsigned layers, complaints *c)
{
    int raw = bytes > 1 && data[0] == 0xFF && data[1] == 0x4F;
    opj_codec_t *codec = opj_create_decompress(raw ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    parameters.cp_layer = layers;
    parameters.flags = OPJ_DPARAMETERS_IGNORE_PCLR_CMAP_CDEF_FLAG;
    if (codec) {
        (void)opj_set_error_handler(codec, complain, c);
        (void)opj_set_warning_handler(codec, complain, c);
        if (!opj_setup_decoder(codec, &parameters)) {
            opj_destroy_codec(codec);
            return NULL;
        }
    }
    return codec;
}

static opj_stream_t *open_stream(reader *r)
{
    opj_stream_t *stream = opj_stream_create(1 << 16, OPJ_TRUE);
    if (stream) {
        opj_stream_set_read_function(stream, read_some);
        opj_stream_set_skip_function(stream, skip_some);
        opj_stream_set_seek_function(stream, seek_to);
        opj_stream_set_user_data(stream, r, NULL);
        opj_stream_set_user_data_length(stream, r->bytes);
    }
    return stream;
}

/* Layers of COD, the first marker segment of its kind (A.6.1). */
static int has_layers(const uint8_t *data, size_t bytes)
{
    for (size_t at = 0; at + 10 < bytes; at++) {
        if (data[at] == 0xFF && data[at + 1] == 0x52 && !data[at + 2]) {
            return data[at + 6] || data[at + 7] > 1;
        }
    }
    return 0;
}

int fuzz_openjpeg_decode(const uint8_t *data, size_t bytes, unsigned layers, fuzz_picture *p, char *text,
                         size_t text_bytes)
{
    reader r = {data, bytes, 0};
    complaints c = {text, text_bytes, 0, has_layers(data, bytes)};
    opj_image_t *image = NULL;
    memset(p, 0, sizeof *p);
    opj_stream_t *stream = open_stream(&r);
    opj_codec_t *codec = open_codec(data, bytes, layers, &c);
    int done = stream && codec && opj_read_header(stream, codec, &image) &&
               opj_set_decode_area(codec, image, 0, 0, 0, 0) && opj_decode(codec, stream, image) &&
               opj_end_decompress(codec, stream);
    if (done && !c.count) {
        take_image(image, p);
    } else if (!c.count) {
        complain("refused without a word", &c);
    }
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
    return done && !c.count;
}
