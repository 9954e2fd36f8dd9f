/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of OpenJPEG in the smallest container. No call of OpenJPEG: parents of guarded decoders link it too. */
#include "internal.h"

#include <string.h>

void wvl_opj_narrow(const OPJ_INT32 *from, unsigned sample_bytes, uint64_t count, void *out)
{
    uint8_t *bytes = out;
    uint16_t *words = out;
    if (sample_bytes == 1) {
        for (uint64_t i = 0; i < count; i++) {
            bytes[i] = (uint8_t)from[i];
        }
    } else if (sample_bytes == 2) {
        for (uint64_t i = 0; i < count; i++) {
            words[i] = (uint16_t)from[i];
        }
    } else {
        memcpy(out, from, count * sizeof *from);
    }
}

static uint8_t container_bytes(uint32_t precision)
{
    if (precision <= 8) {
        return 1;
    }
    return precision <= 16 ? 2 : 4;
}

uint64_t wvl_opj_component_bytes(const wvl_opj_component *c)
{
    return c->has_data ? (uint64_t)c->width * c->height * c->sample_bytes : 0;
}

void wvl_opj_describe(const opj_image_t *image, uint64_t at, wvl_opj_component *components)
{
    for (uint32_t i = 0; i < image->numcomps; i++) {
        const opj_image_comp_t *from = &image->comps[i];
        wvl_opj_component *c = &components[i];
        memset(c, 0, sizeof *c);
        c->width = from->w;
        c->height = from->h;
        c->dx = from->dx;
        c->dy = from->dy;
        c->precision = from->prec;
        c->is_signed = from->sgnd != 0;
        c->has_data = from->data != NULL;
        c->sample_bytes = container_bytes(from->prec);
        c->offset = at;
        at += wvl_opj_component_bytes(c);
    }
}
