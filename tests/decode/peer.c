/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/decode/peer.h"

#include <stdlib.h>
#include <string.h>

#include <openjpeg.h>

typedef struct memory {
    uint8_t *data;
    size_t bytes, at, capacity;
} memory;

static OPJ_SIZE_T write_memory(void *buffer, OPJ_SIZE_T bytes, void *user)
{
    memory *m = user;
    if (m->at + bytes > m->capacity) {
        m->capacity = 2 * (m->at + bytes);
        m->data = realloc(m->data, m->capacity);
        if (!m->data) {
            abort();
        }
    }
    memcpy(m->data + m->at, buffer, bytes);
    m->at += bytes;
    m->bytes = m->at > m->bytes ? m->at : m->bytes;
    return bytes;
}

static OPJ_OFF_T skip_memory(OPJ_OFF_T bytes, void *user)
{
    memory *m = user;
    if (bytes < 0 || m->at + (size_t)bytes > m->bytes) {
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

static opj_image_t *make_image(const picture *p)
{
    opj_image_cmptparm_t *parameters = calloc(p->count, sizeof *parameters);
    if (!parameters) {
        abort();
    }
    for (uint32_t c = 0; c < p->count; c++) {
        const picture_plane *plane = &p->planes[c];
        parameters[c].dx = plane->dx;
        parameters[c].dy = plane->dy;
        parameters[c].w = plane->width;
        parameters[c].h = plane->height;
        parameters[c].prec = plane->depth;
        parameters[c].sgnd = plane->is_signed;
    }
    opj_image_t *image = opj_image_create(p->count, parameters, p->count >= 3 ? OPJ_CLRSPC_SRGB : OPJ_CLRSPC_GRAY);
    free(parameters);
    if (!image) {
        abort();
    }
    image->x0 = p->x0;
    image->y0 = p->y0;
    image->x1 = p->x1;
    image->y1 = p->y1;
    for (uint32_t c = 0; c < p->count; c++) {
        memcpy(image->comps[c].data, p->planes[c].samples,
               (size_t)p->planes[c].width * p->planes[c].height * sizeof(int32_t));
    }
    return image;
}

int peer_encode(const picture *p, double ratio, unsigned levels, uint32_t tile_width, uint32_t tile_height,
                uint8_t **data, size_t *bytes)
{
    memory m = {NULL, 0, 0, 0};
    opj_cparameters_t parameters;
    opj_set_default_encoder_parameters(&parameters);
    parameters.tcp_numlayers = 1;
    parameters.tcp_rates[0] = (float)ratio;
    parameters.cp_disto_alloc = 1;
    parameters.irreversible = 1;
    parameters.numresolution = (int)levels + 1;
    parameters.tcp_mct = p->count >= 3;
    parameters.tile_size_on = tile_width != 0;
    parameters.cp_tdx = (int)tile_width;
    parameters.cp_tdy = (int)tile_height;
    opj_image_t *image = make_image(p);
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    opj_stream_t *stream = opj_stream_create(1 << 16, OPJ_FALSE);
    opj_stream_set_write_function(stream, write_memory);
    opj_stream_set_skip_function(stream, skip_memory);
    opj_stream_set_seek_function(stream, seek_memory);
    opj_stream_set_user_data(stream, &m, NULL);
    int done = opj_setup_encoder(codec, &parameters, image) && opj_start_compress(codec, image, stream) &&
               opj_encode(codec, stream) && opj_end_compress(codec, stream);
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
    *data = m.data;
    *bytes = m.bytes;
    return done;
}
