/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenJPEG as a judge that decodes, and as the encoder whose quality is the floor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openjpeg.h>

#include "judge.h"

typedef struct complaints {
    char text[1024];
    size_t used;
    unsigned count;
} complaints;

static void complain(const char *message, void *user)
{
    complaints *c = user;
    c->count++;
    int n = snprintf(c->text + c->used, sizeof c->text - c->used, "%s", message);
    c->used += n > 0 && c->used + (size_t)n < sizeof c->text ? (size_t)n : 0;
}

static void take_picture(const opj_image_t *image, wvl_judge_picture *p)
{
    *p = (wvl_judge_picture){image->x0, image->y0,       image->x1,
                             image->y1, image->numcomps, wvl_judge_need_memory(image->numcomps, sizeof *p->planes)};
    for (uint32_t c = 0; c < p->count; c++) {
        const opj_image_comp_t *from = &image->comps[c];
        wvl_judge_plane *to = &p->planes[c];
        size_t samples = (size_t)from->w * from->h;
        *to = (wvl_judge_plane){from->w,           from->h, (uint8_t)from->prec, from->sgnd != 0, (uint8_t)from->dx,
                                (uint8_t)from->dy, NULL};
        to->samples = wvl_judge_need_memory(samples, sizeof *to->samples);
        if (from->data) {
            memcpy(to->samples, from->data, samples * sizeof *to->samples);
        }
    }
}

static int is_codestream(const char *path)
{
    uint8_t start[2] = {0, 0};
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(start, 1, 2, file) : 0;
    if (file) {
        (void)fclose(file);
    }
    return got == 2 && start[0] == 0xFF && start[1] == 0x4F;
}

/* Errors and warnings of the decoder are its verdict too: a legal stream gives none. */
int wvl_judge_decode_openjpeg(const wvl_judge_args *args, const char *path, wvl_judge_picture *p)
{
    complaints c = {"", 0, 0};
    opj_image_t *image = NULL;
    opj_dparameters_t parameters;
    opj_stream_t *stream = opj_stream_create_default_file_stream(path, OPJ_TRUE);
    opj_codec_t *codec = opj_create_decompress(is_codestream(path) ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    if (!stream || !codec) {
        return wvl_judge_fail(WVL_JUDGE_INPUT, "%s cannot be opened", path);
    }
    opj_set_default_decoder_parameters(&parameters);
    parameters.cp_layer = args->layers;
    parameters.cp_reduce = args->reduce;
    parameters.flags = args->keep_indices ? OPJ_DPARAMETERS_IGNORE_PCLR_CMAP_CDEF_FLAG : 0;
    (void)opj_set_error_handler(codec, complain, &c);
    (void)opj_set_warning_handler(codec, complain, &c);
    int done = opj_setup_decoder(codec, &parameters) && opj_read_header(stream, codec, &image) &&
               opj_set_decode_area(codec, image, 0, 0, 0, 0) && opj_decode(codec, stream, image) &&
               opj_end_decompress(codec, stream);
    if (done && !c.count) {
        take_picture(image, p);
    }
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
    return done && !c.count ? WVL_JUDGE_DONE
                            : wvl_judge_fail(WVL_JUDGE_REFUSED, "OpenJPEG %s: %s", opj_version(),
                                             c.count ? c.text : "no reason given");
}

static opj_image_t *make_image(const wvl_judge_picture *p)
{
    opj_image_cmptparm_t *parameters = wvl_judge_need_memory(p->count, sizeof *parameters);
    for (uint32_t c = 0; c < p->count; c++) {
        const wvl_judge_plane *plane = &p->planes[c];
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
        exit(wvl_judge_fail(5, "out of memory"));
    }
    image->x1 = p->x1;
    image->y1 = p->y1;
    for (uint32_t c = 0; c < p->count; c++) {
        memcpy(image->comps[c].data, p->planes[c].samples,
               (size_t)p->planes[c].width * p->planes[c].height * sizeof(int32_t));
    }
    return image;
}

/* OpenJPEG's cinema mode sets everything else itself, the rate from the limit. */
static int set_cinema(const wvl_judge_args *args, opj_cparameters_t *to)
{
    opj_set_default_encoder_parameters(to);
    to->rsiz = args->cinema[0] == 4 ? OPJ_PROFILE_CINEMA_4K : OPJ_PROFILE_CINEMA_2K;
    to->max_cs_size = (int)args->cinema[1];
    to->max_comp_size = (int)args->cinema[2];
    to->tcp_mct = 1;
    return args->cinema[1] <= INT32_MAX && args->cinema[2] <= INT32_MAX;
}

/* Fields of opj_cparameters_t from the command line. 0: the list of ratios is malformed. */
static int set_parameters(const wvl_judge_args *args, unsigned components, opj_cparameters_t *to)
{
    static const struct {
        const char *name;
        OPJ_PROG_ORDER order;
    } orders[] = {{"LRCP", OPJ_LRCP}, {"RLCP", OPJ_RLCP}, {"RPCL", OPJ_RPCL}, {"PCRL", OPJ_PCRL}, {"CPRL", OPJ_CPRL}};
    opj_set_default_encoder_parameters(to);
    to->tcp_numlayers = 0;
    for (const char *at = args->ratios; at && to->tcp_numlayers < 100;) {
        char *end;
        to->tcp_rates[to->tcp_numlayers++] = strtof(at, &end);
        if (end == at || (*end && *end != ',')) {
            return 0;
        }
        at = *end ? end + 1 : NULL;
    }
    for (size_t i = 0; args->order && i < sizeof orders / sizeof orders[0]; i++) {
        to->prog_order = !strcmp(args->order, orders[i].name) ? orders[i].order : to->prog_order;
    }
    to->cp_disto_alloc = 1;
    to->irreversible = 1;
    to->numresolution = (int)args->levels + 1;
    to->tcp_mct = components >= 3;
    to->mode = (int)args->style;
    to->csty |= (int)args->markers | (args->precinct_count ? 1 : 0);
    to->res_spec = (int)args->precinct_count;
    for (unsigned i = 0; i < args->precinct_count; i++) {
        to->prcw_init[i] = (int)args->precincts[2 * i];
        to->prch_init[i] = (int)args->precincts[2 * i + 1];
    }
    to->tile_size_on = args->tile[0] != 0;
    to->cp_tdx = (int)args->tile[0];
    to->cp_tdy = (int)args->tile[1];
    return to->tcp_numlayers > 0;
}

int wvl_judge_encode_openjpeg(const wvl_judge_args *args, const wvl_judge_picture *p)
{
    opj_cparameters_t parameters;
    if (args->cinema[0] ? !set_cinema(args, &parameters) : !set_parameters(args, p->count, &parameters)) {
        return wvl_judge_fail(WVL_JUDGE_USAGE, "--ratios: a list of ratios is asked for, or --cinema");
    }
    opj_image_t *image = make_image(p);
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    opj_stream_t *stream = opj_stream_create_default_file_stream(args->output, OPJ_FALSE);
    int done = stream && codec && opj_setup_encoder(codec, &parameters, image) &&
               opj_start_compress(codec, image, stream) && opj_encode(codec, stream) && opj_end_compress(codec, stream);
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
    return done ? WVL_JUDGE_DONE : wvl_judge_fail(WVL_JUDGE_REFUSED, "OpenJPEG %s cannot encode this", opj_version());
}
