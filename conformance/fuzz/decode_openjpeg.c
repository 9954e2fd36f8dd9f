/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "tools/openjpeg/decode.h"

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
        snprintf(c->text, c->room, "OpenJPEG: %.*s", (int)strcspn(message, "\n"), message);
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
    complaints c = {text, text_bytes, 0, has_layers(data, bytes)};
    const wvl_opj_request request = {.data = data,
                                     .bytes = bytes,
                                     .layers = layers,
                                     .keep_indices = 1,
                                     .complain = complain,
                                     .warn = complain,
                                     .user = &c};
    memset(p, 0, sizeof *p);
    opj_image_t *image = wvl_opj_decode(&request);
    int done = image != NULL;
    if (done && !c.count) {
        take_image(image, p);
    } else if (!c.count) {
        complain("refused without a word", &c);
    }
    opj_image_destroy(image);
    return done && !c.count;
}
