/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/decode/decode.h"

#include <stdio.h>

#include "tools/openjpeg/decode.h"

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

int decode_picture(const uint8_t *data, size_t bytes, const decode_options *options, picture *p, decode_info *info,
                   char *text, size_t text_bytes)
{
    complaints c = {text, text_bytes, 0, 0};
    const wvl_opj_request request = {.data = data,
                                     .bytes = bytes,
                                     .layers = options ? options->layers : 0,
                                     .discard = options ? options->discard : 0,
                                     .keep_indices = options && options->keep_indices,
                                     .complain = complain,
                                     .warn = complain,
                                     .user = &c};
    memset(p, 0, sizeof *p);
    text[0] = 0;
    opj_image_t *image = wvl_opj_decode(&request);
    int done = image != NULL;
    if (done && !c.count) {
        take_picture(image, p);
        if (info) {
            take_info(image, info);
        }
    } else if (!c.count) {
        complain("the decoder refused without a word", &c);
    }
    opj_image_destroy(image);
    return done && !c.count;
}
