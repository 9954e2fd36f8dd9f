/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/openjpeg/decode.h"

#include <string.h>

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

static opj_stream_t *open_stream(reader *r)
{
    opj_stream_t *stream = opj_stream_default_create(OPJ_TRUE);
    if (stream) {
        opj_stream_set_read_function(stream, read_some);
        opj_stream_set_skip_function(stream, skip_some);
        opj_stream_set_seek_function(stream, seek_to);
        opj_stream_set_user_data(stream, r, NULL);
        opj_stream_set_user_data_length(stream, r->bytes);
    }
    return stream;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static void drop_message(const char *text, void *user) { (void)text, (void)user; }

static opj_codec_t *open_codec(const wvl_opj_request *request)
{
    int is_codestream = request->bytes > 1 && request->data[0] == 0xFF && request->data[1] == 0x4F;
    opj_codec_t *codec = opj_create_decompress(is_codestream ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    parameters.cp_layer = request->layers;
    parameters.cp_reduce = request->discard;
    parameters.flags = request->keep_indices ? OPJ_DPARAMETERS_IGNORE_PCLR_CMAP_CDEF_FLAG : 0;
    int good = codec && opj_set_error_handler(codec, request->complain, request->user) &&
               opj_set_warning_handler(codec, request->warn ? request->warn : drop_message, request->user) &&
               opj_set_info_handler(codec, drop_message, NULL) && opj_setup_decoder(codec, &parameters);
    if (!good) {
        opj_destroy_codec(codec);
        return NULL;
    }
    return codec;
}

static OPJ_BOOL choose_area(opj_codec_t *codec, opj_image_t *image, const uint32_t *area)
{
    static const uint32_t all[4] = {0, 0, 0, 0};
    const uint32_t *a = area ? area : all;
    return opj_set_decode_area(codec, image, (OPJ_INT32)a[0], (OPJ_INT32)a[1], (OPJ_INT32)a[2], (OPJ_INT32)a[3]);
}

opj_image_t *wvl_opj_decode(const wvl_opj_request *request)
{
    reader r = {request->data, request->bytes, 0};
    opj_image_t *image = NULL;
    opj_stream_t *stream = open_stream(&r);
    opj_codec_t *codec = open_codec(request);
    int good = stream && codec && opj_read_header(stream, codec, &image) &&
               (!request->inspect || request->inspect(image, request->user)) &&
               choose_area(codec, image, request->area) && opj_decode(codec, stream, image) &&
               opj_end_decompress(codec, stream);
    good = good && image->numcomps; /* OpenJPEG 2.5.0 hands out a picture without components where memory ends */
    if (!good && image) {
        opj_image_destroy(image);
        image = NULL;
    }
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
    return image;
}
