/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenJPEG's library as the other contender and as the decoder that judges both. */
#include "bench.h"

#ifdef WVL_HAVE_OPENJPEG

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/openjpeg/decode.h"

const char *wvl_bench_opj_version(void) { return opj_version(); }

static void keep_error(const char *text, void *user)
{
    snprintf(user, WVL_BENCH_ERROR_BYTES, "OpenJPEG: %.*s", (int)strcspn(text, "\n"), text);
}

/* ---- Memory as OpenJPEG's stream: a write may land anywhere up to the end ---- */

typedef struct memory_stream {
    uint8_t *data;
    size_t bytes, capacity, at;
} memory_stream;

static int reserve(memory_stream *stream, size_t capacity)
{
    uint8_t *grown;

    if (capacity <= stream->capacity) {
        return 0;
    }
    capacity += capacity / 2;
    grown = realloc(stream->data, capacity);
    if (!grown) {
        return -1;
    }
    stream->data = grown;
    stream->capacity = capacity;
    return 0;
}

static OPJ_SIZE_T stream_write(void *data, OPJ_SIZE_T bytes, void *user)
{
    memory_stream *stream = user;

    if (reserve(stream, stream->at + bytes) != 0) {
        return (OPJ_SIZE_T)-1;
    }
    memcpy(stream->data + stream->at, data, bytes);
    stream->at += bytes;
    stream->bytes = stream->at > stream->bytes ? stream->at : stream->bytes;
    return bytes;
}

static OPJ_BOOL stream_seek(OPJ_OFF_T offset, void *user)
{
    memory_stream *stream = user;

    if (offset < 0 || (uint64_t)offset > stream->bytes) {
        return OPJ_FALSE;
    }
    stream->at = (size_t)offset;
    return OPJ_TRUE;
}

static OPJ_OFF_T stream_skip(OPJ_OFF_T offset, void *user)
{
    memory_stream *stream = user;

    return stream_seek((OPJ_OFF_T)stream->at + offset, stream) ? offset : -1;
}

static opj_stream_t *open_stream(memory_stream *memory)
{
    opj_stream_t *stream = opj_stream_create(1u << 20, OPJ_FALSE);

    if (!stream) {
        return NULL;
    }
    opj_stream_set_user_data(stream, memory, NULL);
    opj_stream_set_user_data_length(stream, memory->bytes);
    opj_stream_set_write_function(stream, stream_write);
    opj_stream_set_skip_function(stream, stream_skip);
    opj_stream_set_seek_function(stream, stream_seek);
    return stream;
}

/* ---- Encode ---- */

/* OpenJPEG's samples are int32_t. */
static int fits(const wvl_bench_picture *picture, char *error)
{
    for (uint32_t c = 0; c < picture->io.component_count; c++) {
        if (picture->io.components[c].depth > 31) {
            snprintf(error, WVL_BENCH_ERROR_BYTES, "component %u has %u bits, OpenJPEG holds 31", c,
                     picture->io.components[c].depth);
            return 0;
        }
    }
    return 1;
}

static opj_image_t *make_image(const wvl_bench_picture *picture)
{
    uint32_t count = picture->io.component_count;
    opj_image_cmptparm_t *shapes = calloc(count, sizeof *shapes);
    opj_image_t *image = NULL;

    for (uint32_t c = 0; shapes && c < count; c++) {
        const wvl_io_component *from = &picture->io.components[c];

        shapes[c] = (opj_image_cmptparm_t){.dx = from->dx,
                                           .dy = from->dy,
                                           .w = from->width,
                                           .h = from->height,
                                           .prec = from->depth,
                                           .sgnd = from->is_signed};
    }
    if (shapes) {
        image = opj_image_create(count, shapes, count >= 3 ? OPJ_CLRSPC_SRGB : OPJ_CLRSPC_GRAY);
    }
    free(shapes);
    if (!image) {
        return NULL;
    }
    image->x1 = picture->io.width;
    image->y1 = picture->io.height;
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t y = 0; y < image->comps[c].h; y++) {
            wvl_bench_fetch_row(&picture->io.components[c], y, image->comps[c].data + (size_t)y * image->comps[c].w);
        }
    }
    return image;
}

static void fill_parameters(const wvl_bench_picture *picture, const wvl_bench_job *job, opj_cparameters_t *parameters)
{
    double raw_bits =
        (double)picture->io.component_count * picture->io.components[0].depth; /* a pixel, as OpenJPEG counts it */

    opj_set_default_encoder_parameters(parameters);
    parameters->irreversible = !job->reversible;
    parameters->tcp_mct = (char)(job->color_transform != 0);
    parameters->numresolution = (int)job->levels + 1;
    parameters->tcp_numlayers = 1;
    parameters->cp_disto_alloc = 1;
    parameters->tcp_rates[0] = job->bpp > 0 ? (float)(raw_bits / job->bpp) : 0;
}

static int encode_image(opj_image_t *image, opj_cparameters_t *parameters, uint32_t threads, memory_stream *memory,
                        char *error)
{
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    opj_stream_t *stream = open_stream(memory);
    int done = 0;

    if (codec && stream) {
        opj_set_error_handler(codec, keep_error, error);
        done = opj_setup_encoder(codec, parameters, image) &&
               (threads <= 1 || opj_codec_set_threads(codec, (int)threads)) &&
               opj_start_compress(codec, image, stream) && opj_encode(codec, stream) && opj_end_compress(codec, stream);
    }
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    return done ? 0 : -1;
}

int wvl_bench_encode_opj(const wvl_bench_picture *picture, const wvl_bench_job *job, wvl_bench_coded *coded,
                         char *error)
{
    memory_stream memory = {.data = NULL};
    opj_cparameters_t parameters;
    opj_image_t *image;
    wvl_bench_time start;
    int status;

    if (!fits(picture, error)) {
        return -1;
    }
    image = make_image(picture);
    snprintf(error, WVL_BENCH_ERROR_BYTES, "OpenJPEG: no reason given");
    if (!image || reserve(&memory, (size_t)picture->raw_bytes + 65536) != 0) {
        opj_image_destroy(image);
        snprintf(error, WVL_BENCH_ERROR_BYTES, "OpenJPEG: no memory for the picture");
        return -1;
    }
    fill_parameters(picture, job, &parameters);
    start = wvl_bench_time_now();
    status = encode_image(image, &parameters, job->threads, &memory, error);
    coded->time = wvl_bench_time_since(start);
    opj_image_destroy(image);
    coded->data = memory.data;
    coded->bytes = memory.bytes;
    if (status != 0) {
        wvl_bench_release_coded(coded);
    }
    return status;
}

/* ---- Decode and compare ---- */

static int same_shape(const opj_image_comp_t *decoded, const wvl_io_component *truth)
{
    return decoded->data && decoded->w == truth->width && decoded->h == truth->height &&
           decoded->prec == truth->depth && (decoded->sgnd != 0) == (truth->is_signed != 0);
}

/* Mean square error of one component; negative if its shape is not the picture's. */
static double component_mse(const opj_image_comp_t *decoded, const wvl_io_component *truth, int32_t *row)
{
    double sum = 0;

    if (!same_shape(decoded, truth)) {
        return -1;
    }
    for (uint32_t y = 0; y < truth->height; y++) {
        const OPJ_INT32 *got = decoded->data + (size_t)y * decoded->w;

        wvl_bench_fetch_row(truth, y, row);
        for (uint32_t x = 0; x < truth->width; x++) {
            double difference = (double)got[x] - row[x];

            sum += difference * difference;
        }
    }
    return sum / ((double)truth->width * truth->height);
}

static int compare_image(const opj_image_t *image, const wvl_bench_picture *picture, wvl_bench_quality *quality,
                         char *error)
{
    uint32_t count = picture->io.component_count, depth = 1;
    int32_t *row = malloc((size_t)picture->io.width * sizeof *row);
    double sum = 0, mse = row && image->numcomps == count ? 0 : -1;

    for (uint32_t c = 0; c < count && mse >= 0; c++) {
        mse = component_mse(&image->comps[c], &picture->io.components[c], row);
        sum += mse;
        depth = picture->io.components[c].depth > depth ? picture->io.components[c].depth : depth;
    }
    free(row);
    if (mse < 0) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "decoded picture has other components than the source");
        return -1;
    }
    quality->exact = sum == 0;
    quality->psnr = sum == 0 ? INFINITY : 20 * log10(ldexp(1, (int)depth) - 1) - 10 * log10(sum / count);
    return 0;
}

int wvl_bench_decode_opj(const wvl_bench_coded *coded, const wvl_bench_picture *picture, wvl_bench_quality *quality,
                         char *error)
{
    const wvl_opj_request request = {.data = coded->data, .bytes = coded->bytes, .complain = keep_error, .user = error};
    if (!fits(picture, error)) {
        return -1;
    }
    snprintf(error, WVL_BENCH_ERROR_BYTES, "OpenJPEG: no reason given");
    opj_image_t *image = wvl_opj_decode(&request);
    int status = image ? compare_image(image, picture, quality, error) : -1;
    opj_image_destroy(image);
    return status;
}

#else

int wvl_bench_decode_opj(const wvl_bench_coded *coded, const wvl_bench_picture *picture, wvl_bench_quality *quality,
                         char *error)
{
    (void)coded, (void)picture, (void)quality;
    snprintf(error, WVL_BENCH_ERROR_BYTES, "built without OpenJPEG");
    return -1;
}

#endif
