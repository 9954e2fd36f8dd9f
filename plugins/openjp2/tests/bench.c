/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

uint32_t bench_draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(*seed >> 8) * below) >> 24);
}

/* ---- Memory as a stream ---------------------------------------------------------------------- */

static size_t write_memory(void *data, size_t bytes, void *user)
{
    bench_memory *m = user;
    m->writes++;
    if (bytes > m->room - m->at || (m->fails_at && m->at + bytes > m->fails_at)) {
        return (size_t)-1;
    }
    memcpy(m->data + m->at, data, bytes);
    m->at += bytes;
    m->bytes = m->at > m->bytes ? m->at : m->bytes;
    return bytes;
}

static size_t read_memory(void *data, size_t bytes, void *user)
{
    bench_memory *m = user;
    size_t left = m->bytes - m->at;
    bytes = bytes < left ? bytes : left;
    memcpy(data, m->data + m->at, bytes);
    m->at += bytes;
    return bytes ? bytes : (size_t)-1;
}

static int64_t skip_memory(int64_t bytes, void *user)
{
    bench_memory *m = user;
    m->skips++;
    m->at += (size_t)bytes;
    return bytes;
}

static opj_bool seek_memory(int64_t at, void *user)
{
    bench_memory *m = user;
    m->seeks++;
    m->at = (size_t)at;
    return 1;
}

static void keep(char *room, const char *text)
{
    snprintf(room, 400, "%s", text);
    room[strcspn(room, "\n")] = 0;
}

static void take_info(const char *text, void *user)
{
    bench_messages *m = user;
    if (!m->handed_over) { /* the reason stays */
        keep(m->info, text);
        m->handed_over = strstr(text, "leaves this picture") != NULL;
    }
}

static void take_warning(const char *text, void *user) { keep(((bench_messages *)user)->warning, text); }

static void take_error(const char *text, void *user) { keep(((bench_messages *)user)->error, text); }

/* ---- Pictures -------------------------------------------------------------------------------- */

static uint32_t ceil_div(uint64_t a, uint32_t b) { return (uint32_t)((a + b - 1) / b); }

void bench_fill(bench_picture *picture, uint32_t *seed, int is_noise)
{
    for (uint32_t i = 0; i < picture->count; i++) {
        opj_component_request *c = &picture->components[i];
        c->x0 = picture->x0;
        c->y0 = picture->y0;
        c->w = ceil_div(picture->x1, c->dx) - ceil_div(picture->x0, c->dx);
        c->h = ceil_div(picture->y1, c->dy) - ceil_div(picture->y0, c->dy);
        picture->samples[i] = malloc(((size_t)c->w * c->h + 1) * 4);
        int64_t range = (int64_t)1 << c->prec, least = c->sgnd ? -range / 2 : 0;
        for (size_t k = 0; k < (size_t)c->w * c->h; k++) {
            int64_t x = (int64_t)(k % c->w), y = (int64_t)(k / c->w), noise = bench_draw(seed, 256);
            int64_t value = is_noise ? range * noise / 256 : range * ((x * 3 + y * (2 + i)) % 251) / 251 + noise / 64;
            value = value >= range ? range - 1 : value;
            picture->samples[i][k] = (int32_t)(value + least);
        }
    }
}

void bench_release(bench_picture *picture)
{
    for (uint32_t i = 0; i < picture->count; i++) {
        free(picture->samples[i]);
        picture->samples[i] = NULL;
    }
}

static opj_image *make_image(const opj_real *by, const bench_picture *picture, int with_samples)
{
    bench_picture copy = *picture;
    opj_image *image = with_samples ? by->opj_image_create(copy.count, copy.components, copy.color_space)
                                    : by->opj_image_tile_create(copy.count, copy.components, copy.color_space);
    if (!image) {
        return NULL;
    }
    image->x0 = picture->x0;
    image->y0 = picture->y0;
    image->x1 = picture->x1;
    image->y1 = picture->y1;
    image->color_space = picture->color_space;
    if (picture->alpha) {
        image->comps[picture->alpha - 1].alpha = 1;
    }
    if (picture->icc) {
        image->icc_profile_buf = by->opj_image_data_alloc(picture->icc_bytes);
        memcpy(image->icc_profile_buf, picture->icc, picture->icc_bytes);
        image->icc_profile_len = picture->icc_bytes;
    }
    for (uint32_t i = 0; with_samples && i < picture->count; i++) {
        opj_component *c = &image->comps[i];
        memcpy(c->data, picture->samples[i], (size_t)c->w * c->h * 4);
    }
    return image;
}

/* ---- Encode ---------------------------------------------------------------------------------- */

static unsigned char *put_sample(unsigned char *at, int32_t value, uint32_t depth)
{
    int16_t half = (int16_t)value;
    if (depth <= 8) {
        *at = (unsigned char)value;
        return at + 1;
    }
    memcpy(at, depth <= 16 ? (const void *)&half : &value, depth <= 16 ? 2 : 4);
    return at + (depth <= 16 ? 2 : 4);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* The samples of one tile, as opj_write_tile() takes them. */
static size_t copy_tile(const bench_picture *picture, const opj_cparameters *p, uint32_t column, uint32_t row,
                        unsigned char *to)
{
    const unsigned char *from = to;
    size_t dx = p->tile_size_on ? (size_t)p->cp_tdx : picture->x1,
           dy = p->tile_size_on ? (size_t)p->cp_tdy : picture->y1;
    size_t tx = p->tile_size_on ? (size_t)p->cp_tx0 : 0, ty = p->tile_size_on ? (size_t)p->cp_ty0 : 0;
    size_t x0 = larger(tx + column * dx, picture->x0), x1 = smaller(tx + (column + 1) * dx, picture->x1);
    size_t y0 = larger(ty + row * dy, picture->y0), y1 = smaller(ty + (row + 1) * dy, picture->y1);
    for (uint32_t i = 0; i < picture->count; i++) {
        const opj_component_request *c = &picture->components[i];
        size_t left = ceil_div(picture->x0, c->dx), top = ceil_div(picture->y0, c->dy);
        for (size_t y = ceil_div(y0, c->dy); y < ceil_div(y1, c->dy); y++) {
            for (size_t x = ceil_div(x0, c->dx); x < ceil_div(x1, c->dx); x++) {
                to = put_sample(to, picture->samples[i][(y - top) * c->w + x - left], c->prec);
            }
        }
    }
    return (size_t)(to - from);
}

static int write_tiles(const opj_real *by, opj_codec *codec, opj_stream *stream, const bench_picture *picture,
                       const bench_encode *e)
{
    const opj_cparameters *p = e->parameters;
    uint32_t across = p->tile_size_on ? ceil_div(picture->x1 - (uint32_t)p->cp_tx0, (uint32_t)p->cp_tdx) : 1;
    uint32_t down = p->tile_size_on ? ceil_div(picture->y1 - (uint32_t)p->cp_ty0, (uint32_t)p->cp_tdy) : 1;
    size_t room = 0;
    for (uint32_t i = 0; i < picture->count; i++) {
        room += ((size_t)picture->components[i].w * picture->components[i].h + 1) * 4;
    }
    unsigned char *data = malloc(room);
    int done = data != NULL;
    for (uint32_t i = 0; done && i < across * down; i++) {
        uint32_t index = e->by_tiles == 2 ? across * down - 1 - i : i;
        size_t bytes = copy_tile(picture, p, index % across, index / across, data);
        done = by->opj_write_tile(codec, index, data, (uint32_t)bytes, stream);
    }
    free(data);
    return done;
}

int bench_run(const opj_real *by, const bench_picture *picture, const bench_encode *e, bench_memory *out,
              bench_messages *messages)
{
    memset(messages, 0, sizeof *messages);
    out->at = out->bytes = 0;
    out->seeks = out->skips = out->writes = 0;
    opj_image *image = make_image(by, picture, !e->by_tiles);
    opj_codec *codec = by->opj_create_compress(e->format);
    opj_stream *stream = by->opj_stream_create(4096, 0);
    by->opj_set_info_handler(codec, take_info, messages);
    by->opj_set_warning_handler(codec, take_warning, messages);
    by->opj_set_error_handler(codec, take_error, messages);
    by->opj_stream_set_user_data(stream, out, NULL);
    by->opj_stream_set_write_function(stream, write_memory);
    by->opj_stream_set_skip_function(stream, skip_memory);
    if (!e->takes_no_seek) {
        by->opj_stream_set_seek_function(stream, seek_memory);
    }
    int done = image && by->opj_setup_encoder(codec, e->parameters, image);
    done = done && (e->threads < 2 || by->opj_codec_set_threads(codec, e->threads));
    done = done && (!e->extra || by->opj_encoder_set_extra_options(codec, e->extra));
    done = done && by->opj_start_compress(codec, image, stream);
    done = done && (e->by_tiles ? write_tiles(by, codec, stream, picture, e) : by->opj_encode(codec, stream));
    done = done && by->opj_end_compress(codec, stream);
    by->opj_stream_destroy(stream);
    by->opj_destroy_codec(codec);
    if (image) {
        by->opj_image_destroy(image);
    }
    return done;
}

#define OWN(result, name, parameters, arguments) result name parameters;
OPJ_TAKEN(OWN)

opj_real bench_ours(const opj_real *real)
{
    opj_real ours = *real;
#define TAKE(result, name, parameters, arguments) ours.name = name;
    OPJ_TAKEN(TAKE)
    return ours;
}

/* ---- Decode ---------------------------------------------------------------------------------- */

static int compare_samples(const opj_image *image, const bench_picture *picture, double *squares)
{
    double sum = 0, count = 0;
    int is_equal = image->numcomps == picture->count;
    for (uint32_t i = 0; is_equal && i < picture->count; i++) {
        const opj_component *c = &image->comps[i];
        const opj_component_request *k = &picture->components[i];
        if (c->w != k->w || c->h != k->h || c->prec != k->prec || c->sgnd != k->sgnd || !c->data) {
            return 0;
        }
        for (size_t n = 0; n < (size_t)c->w * c->h; n++) {
            double d = (double)c->data[n] - picture->samples[i][n];
            sum += d * d;
        }
        count += (double)c->w * c->h;
    }
    if (squares) {
        *squares = count > 0 ? sum / count : 0;
    }
    return is_equal && sum == 0;
}

int bench_compare(const opj_real *real, int format, const bench_memory *bytes, const bench_picture *picture,
                  double *squares)
{
    bench_memory in = *bytes;
    unsigned char *parameters = calloc(1, 65536);
    opj_image *image = NULL;
    in.at = 0;
    opj_codec *codec = real->opj_create_decompress(format);
    opj_stream *stream = real->opj_stream_create(1 << 16, 1);
    real->opj_stream_set_user_data(stream, &in, NULL);
    real->opj_stream_set_user_data_length(stream, in.bytes);
    real->opj_stream_set_read_function(stream, read_memory);
    real->opj_stream_set_skip_function(stream, skip_memory);
    real->opj_stream_set_seek_function(stream, seek_memory);
    real->opj_set_default_decoder_parameters(parameters);
    int result = -1;
    if (real->opj_setup_decoder(codec, parameters) && real->opj_read_header(stream, codec, &image) &&
        real->opj_decode(codec, stream, image) && real->opj_end_decompress(codec, stream)) {
        result = compare_samples(image, picture, squares);
    }
    real->opj_stream_destroy(stream);
    real->opj_destroy_codec(codec);
    if (image) {
        real->opj_image_destroy(image);
    }
    free(parameters);
    return result;
}

int bench_is_ours(const bench_memory *bytes)
{
    for (size_t i = 0; i + 19 < bytes->bytes && i < 4000; i++) {
        if (!memcmp(bytes->data + i, "Encoded by Wavelane", 19)) {
            return 1;
        }
    }
    return 0;
}
