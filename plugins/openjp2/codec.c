/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of libopenjp2 that encode. A codec that this plugin does not know, or whose picture libopenjp2 takes,
 * goes straight through. Wavelane decides in opj_start_compress(), when settings, picture and stream are known.
 */
#define _GNU_SOURCE
#include "codec.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static codec_entry *entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static codec_entry *find(opj_codec *handle)
{
    pthread_mutex_lock(&lock);
    codec_entry *c = entries;
    while (c && c->handle != handle) {
        c = c->next;
    }
    pthread_mutex_unlock(&lock);
    return c;
}

void codec_say(const codec_entry *c, int kind, const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (c->handlers[kind].call) {
        c->handlers[kind].call(text, c->handlers[kind].user);
    }
    real_say(0, "%.*s", (int)strcspn(text, "\n"), text);
}

/* The samples and the profile that the codec took over from the host. */
static void drop_picture(codec_entry *c)
{
    for (uint32_t i = 0; c->image.comps && i < c->image.numcomps; i++) {
        if (c->image.comps[i].data) {
            c->real->opj_image_data_free(c->image.comps[i].data);
        }
    }
    free(c->image.comps);
    free(c->image.icc_profile_buf);
    memset(&c->image, 0, sizeof c->image);
    tiles_release(c);
    wvl_plan_release(c->plan);
    c->plan = NULL;
    c->is_finished = c->is_handed_over = c->is_broken = 0;
}

static int copy_header(codec_entry *c, const opj_image *image)
{
    c->image = *image;
    c->image.icc_profile_buf = NULL;
    c->image.comps = calloc(image->numcomps, sizeof *image->comps);
    if (image->icc_profile_buf && image->icc_profile_len && c->image.comps) {
        c->image.icc_profile_buf = malloc(image->icc_profile_len);
        if (c->image.icc_profile_buf) {
            memcpy(c->image.icc_profile_buf, image->icc_profile_buf, image->icc_profile_len);
        }
    }
    if (!c->image.comps || (image->icc_profile_buf && image->icc_profile_len && !c->image.icc_profile_buf)) {
        return 0;
    }
    memcpy(c->image.comps, image->comps, image->numcomps * sizeof *image->comps);
    for (uint32_t i = 0; i < image->numcomps; i++) {
        c->image.comps[i].data = NULL;
    }
    return 1;
}

/* ---- The interface --------------------------------------------------------------------------- */

opj_codec *opj_create_compress(int format)
{
    const opj_real *real = OPJ_REAL();
    opj_codec *handle = real ? real->opj_create_compress(format) : NULL;
    if (!handle || !real->fits || (format != OPJ_FORMAT_J2K && format != OPJ_FORMAT_JP2)) {
        return handle;
    }
    codec_entry *c = calloc(1, sizeof *c);
    if (c) {
        c->real = real;
        c->handle = handle;
        c->format = format;
        c->guard_bits = -1;
        pthread_mutex_lock(&lock);
        c->next = entries;
        entries = c;
        pthread_mutex_unlock(&lock);
    }
    return handle;
}

static int wants_profile(const opj_cparameters *p)
{
    return (p->rsiz >= OPJ_RSIZ_CINEMA_2K && p->rsiz <= OPJ_RSIZ_CINEMA_S4K) ||
           (p->rsiz >= OPJ_RSIZ_IMF && p->rsiz < OPJ_RSIZ_IMF + 0x600) ||
           (!p->rsiz && (p->cp_cinema || p->cp_rsiz == OPJ_RSIZ_CINEMA_2K || p->cp_rsiz == OPJ_RSIZ_CINEMA_4K));
}

/* libopenjp2 is set up too: it judges what the host gave, with its own messages, and may have to encode. */
opj_bool opj_setup_encoder(opj_codec *codec, opj_cparameters *parameters, opj_image *image)
{
    codec_entry *c = find(codec);
    if (!c || !parameters || !image) {
        const opj_real *real = c ? c->real : OPJ_REAL();
        return real ? real->opj_setup_encoder(codec, parameters, image) : 0;
    }
    free(c->given);
    free(c->comment);
    c->given = NULL;
    c->comment = parameters->cp_comment ? strdup(parameters->cp_comment) : NULL;
    c->has_matrix = parameters->mct_data != NULL;
    c->wants_profile = wants_profile(parameters);
    opj_bool done = c->real->opj_setup_encoder(codec, parameters, image);
    if (done && (c->given = malloc(sizeof *c->given))) {
        *c->given = *parameters;
    }
    return done;
}

opj_bool opj_encoder_set_extra_options(opj_codec *codec, const char *const *options)
{
    codec_entry *c = find(codec);
    const opj_real *real = c ? c->real : OPJ_REAL();
    opj_bool done = real && real->opj_encoder_set_extra_options && real->opj_encoder_set_extra_options(codec, options);
    for (size_t i = 0; done && c && options && options[i]; i++) {
        const char *value = strchr(options[i], '=');
        if (value && !strncmp(options[i], "PLT=", 4)) {
            c->plt = !strcmp(value, "=YES");
        } else if (value && !strncmp(options[i], "TLM=", 4)) {
            c->tlm = !strcmp(value, "=YES");
        } else if (value && !strncmp(options[i], "GUARD_BITS=", 11)) {
            c->guard_bits = atoi(value + 1);
        }
    }
    return done;
}

/* Wavelane takes the picture, if it can do all that is asked for. Else *is_refused says whether this is an error. */
static const char *take_picture(codec_entry *c, opj_stream *stream, int *is_refused, char *room, size_t bytes)
{
    *is_refused = 0;
    c->stream = stream_find(stream);
    if (!c->given) {
        return "opj_setup_encoder() did not work";
    }
    if (!c->stream || !c->stream->write) {
        return "the stream is not one that opj_stream_create() made for output";
    }
    return picture_plan(c, is_refused, room, bytes);
}

opj_bool opj_start_compress(opj_codec *codec, opj_image *image, opj_stream *stream)
{
    codec_entry *c = find(codec);
    if (!c || !image || !stream || !image->numcomps || !image->comps) {
        const opj_real *real = c ? c->real : OPJ_REAL();
        return real ? real->opj_start_compress(codec, image, stream) : 0;
    }
    char room[1024];
    int is_refused = 0;
    drop_picture(c);
    const char *reason =
        copy_header(c, image) ? take_picture(c, stream, &is_refused, room, sizeof room) : "memory is short";
    if (reason && is_refused) {
        codec_say(c, MESSAGE_ERROR, "Wavelane: WAVELANE_OPTIONS, _PRESET or _DEVICE: %s\n", reason);
        c->is_broken = 1; /* libopenjp2 was not started, so it must not see a call that belongs to the picture */
        return 0;
    }
    if (reason) {
        codec_say(c, MESSAGE_INFO, "Wavelane leaves this picture to OpenJPEG: %s\n", reason);
        c->is_handed_over = 1;
        return c->real->opj_start_compress(codec, image, stream);
    }
    for (uint32_t i = 0; i < image->numcomps; i++) {
        c->image.comps[i].data = image->comps[i].data;
        image->comps[i].data = NULL;
    }
    return 1;
}

/* After the first bytes there is no way back; before them libopenjp2 takes the picture. */
static opj_bool hand_over(codec_entry *c, opj_stream *stream, const char *reason)
{
    codec_say(c, MESSAGE_INFO, "Wavelane leaves this picture to OpenJPEG: %s\n", reason);
    c->is_handed_over = 1;
    return c->real->opj_start_compress(c->handle, &c->image, stream) && c->real->opj_encode(c->handle, stream);
}

opj_bool opj_encode(opj_codec *codec, opj_stream *stream)
{
    codec_entry *c = find(codec);
    if (c && c->is_broken) {
        return 0;
    }
    if (!c || c->is_handed_over || !c->plan) {
        const opj_real *real = c ? c->real : OPJ_REAL();
        return real ? real->opj_encode(codec, stream) : 0;
    }
    if (c->is_finished || c->tiles) {
        codec_say(c, MESSAGE_ERROR, "Wavelane: the picture is encoded already, or comes by tiles\n");
        return 0;
    }
    char error[1024] = "memory is short";
    uint64_t written = 0;
    wvl_status status = WVL_ERROR_MEMORY;
    wvl_plane *planes = calloc(c->image.numcomps, sizeof *planes);
    for (uint32_t i = 0; planes && i < c->image.numcomps; i++) {
        const opj_component *k = &c->image.comps[i];
        if (!k->data) {
            free(planes);
            codec_say(c, MESSAGE_ERROR, "Wavelane: component %u has no samples\n", i);
            return 0;
        }
        planes[i] = (wvl_plane){
            .data = k->data, .pitch_bytes = (ptrdiff_t)picture_width(&c->image, k) * 4, .container = WVL_SAMPLE_32};
    }
    if (planes) {
        status = picture_encode(c, planes, &written, error, sizeof error);
        free(planes);
    }
    c->is_finished = status == WVL_OK;
    if (status != WVL_OK && !written && status != WVL_ERROR_SINK && !settings_must_use_device()) {
        return hand_over(c, stream, error);
    }
    if (status != WVL_OK) {
        codec_say(c, MESSAGE_ERROR, "Wavelane: %s\n", error);
    }
    return c->is_finished;
}

opj_bool opj_write_tile(opj_codec *codec, uint32_t index, unsigned char *data, uint32_t bytes, opj_stream *stream)
{
    codec_entry *c = find(codec);
    if (c && c->is_broken) {
        return 0;
    }
    if (!c || c->is_handed_over || !c->plan) {
        const opj_real *real = c ? c->real : OPJ_REAL();
        return real ? real->opj_write_tile(codec, index, data, bytes, stream) : 0;
    }
    return tiles_take(c, index, data, bytes);
}

opj_bool opj_end_compress(opj_codec *codec, opj_stream *stream)
{
    codec_entry *c = find(codec);
    if (c && c->is_broken) {
        return 0;
    }
    if (!c || c->is_handed_over || !c->plan) {
        const opj_real *real = c ? c->real : OPJ_REAL();
        return real ? real->opj_end_compress(codec, stream) : 0;
    }
    return c->is_finished || tiles_finish(c);
}

void opj_destroy_codec(opj_codec *codec)
{
    codec_entry *c = NULL;
    pthread_mutex_lock(&lock);
    for (codec_entry **at = &entries; *at; at = &(*at)->next) {
        if ((*at)->handle == codec) {
            c = *at;
            *at = c->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    const opj_real *real = c ? c->real : OPJ_REAL();
    if (c) {
        drop_picture(c);
        free(c->given);
        free(c->comment);
        free(c);
    }
    if (real) {
        real->opj_destroy_codec(codec);
    }
}

opj_bool opj_codec_set_threads(opj_codec *codec, int threads)
{
    codec_entry *c = find(codec);
    const opj_real *real = c ? c->real : OPJ_REAL();
    if (c) {
        c->threads = threads;
    }
    return real && real->opj_codec_set_threads ? real->opj_codec_set_threads(codec, threads) : 0;
}

static const opj_real *keep_handler(opj_codec *codec, int kind, opj_message_fn handler, void *user, const void *caller)
{
    codec_entry *c = find(codec);
    if (c) {
        c->handlers[kind].call = handler;
        c->handlers[kind].user = user;
    }
    return c ? c->real : real_find(caller);
}

opj_bool opj_set_info_handler(opj_codec *codec, opj_message_fn handler, void *user)
{
    const opj_real *real = keep_handler(codec, MESSAGE_INFO, handler, user, __builtin_return_address(0));
    return real ? real->opj_set_info_handler(codec, handler, user) : 0;
}

opj_bool opj_set_warning_handler(opj_codec *codec, opj_message_fn handler, void *user)
{
    const opj_real *real = keep_handler(codec, MESSAGE_WARNING, handler, user, __builtin_return_address(0));
    return real ? real->opj_set_warning_handler(codec, handler, user) : 0;
}

opj_bool opj_set_error_handler(opj_codec *codec, opj_message_fn handler, void *user)
{
    const opj_real *real = keep_handler(codec, MESSAGE_ERROR, handler, user, __builtin_return_address(0));
    return real ? real->opj_set_error_handler(codec, handler, user) : 0;
}
