/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/decode/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openjpeg.h>

/* ---- Stream over memory ---------------------------------------------------------------------- */

typedef struct memory {
    const uint8_t *data;
    size_t bytes, at;
} memory;

static OPJ_SIZE_T read_memory(void *buffer, OPJ_SIZE_T bytes, void *user)
{
    memory *m = user;
    size_t left = m->bytes - m->at, n = bytes < left ? bytes : left;
    if (!n) {
        return (OPJ_SIZE_T)-1;
    }
    memcpy(buffer, m->data + m->at, n);
    m->at += n;
    return n;
}

static OPJ_OFF_T skip_memory(OPJ_OFF_T bytes, void *user)
{
    memory *m = user;
    if (bytes < 0 || (uint64_t)bytes > m->bytes - m->at) {
        return -1;
    }
    m->at += (size_t)bytes;
    return bytes;
}

static OPJ_BOOL seek_memory(OPJ_OFF_T to, void *user)
{
    memory *m = user;
    if (to < 0 || (uint64_t)to > m->bytes) {
        return OPJ_FALSE;
    }
    m->at = (size_t)to;
    return OPJ_TRUE;
}

static opj_stream_t *open_stream(memory *m)
{
    opj_stream_t *stream = opj_stream_create(1 << 16, OPJ_TRUE);
    if (stream) {
        opj_stream_set_read_function(stream, read_memory);
        opj_stream_set_skip_function(stream, skip_memory);
        opj_stream_set_seek_function(stream, seek_memory);
        opj_stream_set_user_data(stream, m, NULL);
        opj_stream_set_user_data_length(stream, m->bytes);
    }
    return stream;
}

/* ---- Complaints ------------------------------------------------------------------------------ */

typedef struct complaints {
    char *text;
    size_t bytes, used;
    unsigned count;
} complaints;

static void complain(const char *message, void *user)
{
    complaints *c = user;
    c->count++;
    if (c->used < c->bytes) {
        int n = snprintf(c->text + c->used, c->bytes - c->used, "%s", message);
        c->used += n > 0 ? (size_t)n : 0;
    }
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static void take_picture(const opj_image_t *image, picture *p)
{
    *p = (picture){image->x0, image->y0,       image->x1,
                   image->y1, image->numcomps, calloc(image->numcomps, sizeof *p->planes)};
    if (!p->planes) {
        abort();
    }
    for (uint32_t c = 0; c < p->count; c++) {
        const opj_image_comp_t *from = &image->comps[c];
        picture_plane *to = &p->planes[c];
        size_t samples = (size_t)from->w * from->h;
        *to = (picture_plane){
            from->w,           from->h, (uint8_t)from->prec, (uint8_t)(from->sgnd != 0), (uint8_t)from->dx,
            (uint8_t)from->dy, NULL};
        to->samples = calloc(samples ? samples : 1, sizeof *to->samples);
        if (!to->samples) {
            abort();
        }
        if (from->data) {
            memcpy(to->samples, from->data, samples * sizeof *to->samples);
        }
    }
}

static void take_info(const opj_image_t *image, decode_info *info)
{
    memset(info, 0, sizeof *info);
    info->color_space = (int)image->color_space;
    for (uint32_t c = 0; c < image->numcomps && c < 16; c++) {
        info->alpha[c] = image->comps[c].alpha;
    }
    if (image->icc_profile_buf && image->icc_profile_len) {
        info->icc = malloc(image->icc_profile_len);
        info->icc_bytes = info->icc ? image->icc_profile_len : 0;
        if (info->icc) {
            memcpy(info->icc, image->icc_profile_buf, info->icc_bytes);
        }
    }
}

static opj_codec_t *open_codec(const uint8_t *data, size_t bytes, const decode_options *options, complaints *c)
{
    int raw = bytes > 1 && data[0] == 0xFF && data[1] == 0x4F;
    opj_codec_t *codec = opj_create_decompress(raw ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    opj_dparameters_t parameters;
    if (!codec) {
        return NULL;
    }
    opj_set_default_decoder_parameters(&parameters);
    parameters.cp_layer = options ? options->layers : 0;
    parameters.cp_reduce = options ? options->discard : 0;
    parameters.flags = options && options->keep_indices ? OPJ_DPARAMETERS_IGNORE_PCLR_CMAP_CDEF_FLAG : 0;
    (void)opj_set_error_handler(codec, complain, c);
    (void)opj_set_warning_handler(codec, complain, c);
    if (!opj_setup_decoder(codec, &parameters)) {
        opj_destroy_codec(codec);
        return NULL;
    }
    return codec;
}

int decode_picture(const uint8_t *data, size_t bytes, const decode_options *options, picture *p, decode_info *info,
                   char *text, size_t text_bytes)
{
    memory m = {data, bytes, 0};
    complaints c = {text, text_bytes, 0, 0};
    opj_image_t *image = NULL;
    memset(p, 0, sizeof *p);
    text[0] = 0;
    opj_stream_t *stream = open_stream(&m);
    opj_codec_t *codec = open_codec(data, bytes, options, &c);
    int done = stream && codec && opj_read_header(stream, codec, &image) &&
               opj_set_decode_area(codec, image, 0, 0, 0, 0) && opj_decode(codec, stream, image) &&
               opj_end_decompress(codec, stream);
    if (done && !c.count) {
        take_picture(image, p);
        if (info) {
            take_info(image, info);
        }
    } else if (!c.count) {
        complain("the decoder refused without a word", &c);
    }
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
    return done && !c.count;
}
