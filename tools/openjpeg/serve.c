/* SPDX-License-Identifier: BSD-2-Clause */
/* The child: decodes, and writes what it has. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COPY_BYTES (1u << 18)

/* No good codestream takes more: 1 GiB is for what does not grow with the picture, and 256 bytes a sample are those of
   precincts of 2x2 samples. Decoding is ten times as fast even where all checks of a compiler are on. */
#define LEAST_MEMORY (UINT64_C(1) << 30)
#define SAMPLE_MEMORY 256u
#define BYTE_MEMORY 64u
#define LEAST_SECONDS 60u
#define SAMPLES_A_SECOND 100000u
#define BYTES_A_SECOND 20000u

static void tell_error(const char *text, void *user)
{
    (void)user;
    wvl_guard_tell(WVL_OPJ_HEARD_ERROR, text);
}

static void tell_warning(const char *text, void *user)
{
    (void)user;
    wvl_guard_tell(WVL_OPJ_HEARD_WARNING, text);
}

static void limit(uint64_t samples, uint64_t bytes)
{
    wvl_guard_limit(LEAST_MEMORY + samples * SAMPLE_MEMORY + bytes * BYTE_MEMORY,
                    LEAST_SECONDS + samples / SAMPLES_A_SECOND + bytes / BYTES_A_SECOND);
}

static int tell_header(const opj_image_t *image, void *user)
{
    const wvl_guard_call *call = user;
    uint64_t samples = 0;
    for (uint32_t i = 0; i < image->numcomps; i++) {
        const opj_image_comp_t *c = &image->comps[i];
        samples += c->dx && c->dy
                       ? ((uint64_t)(image->x1 - image->x0) / c->dx + 1) * ((image->y1 - image->y0) / c->dy + 1)
                       : 0;
    }
    limit(samples, call->input_bytes);
    wvl_guard_tell(WVL_OPJ_HEARD_HEADER, "");
    return 1;
}

static int write_samples(wvl_guard_call *call, const opj_image_comp_t *from, unsigned sample_bytes, void *buffer)
{
    uint64_t count = (uint64_t)from->w * from->h, part = COPY_BYTES / sample_bytes;
    for (uint64_t i = 0; i < count; i += part) {
        uint64_t n = count - i < part ? count - i : part;
        wvl_opj_narrow(from->data + i, sample_bytes, n, buffer);
        if (wvl_guard_write(call, buffer, (size_t)(n * sample_bytes)) != 0) {
            return -1;
        }
    }
    return 0;
}

static int write_image(wvl_guard_call *call, const opj_image_t *image)
{
    const wvl_opj_head h = {image->x0, image->y0, image->x1, image->y1, image->numcomps};
    size_t bytes = image->numcomps * sizeof(wvl_opj_component);
    wvl_opj_component *components = malloc(bytes);
    void *buffer = malloc(COPY_BYTES);
    int failed = !components || !buffer;
    if (!failed) {
        wvl_opj_describe(image, sizeof h + bytes, components);
        failed = wvl_guard_write(call, &h, sizeof h) != 0 || wvl_guard_write(call, components, bytes) != 0;
    }
    for (uint32_t i = 0; !failed && i < image->numcomps; i++) {
        failed =
            components[i].has_data && write_samples(call, &image->comps[i], components[i].sample_bytes, buffer) != 0;
    }
    free(components);
    free(buffer);
    return failed ? -1 : 0;
}

static int serve(wvl_guard_call *call)
{
    wvl_opj_parameters p;
    memcpy(&p, call->parameters, sizeof p);
    const wvl_opj_request request = {.data = call->input,
                                     .bytes = call->input_bytes,
                                     .layers = p.layers,
                                     .discard = p.discard,
                                     .keep_indices = (int)p.keep_indices,
                                     .inspect = tell_header,
                                     .complain = tell_error,
                                     .warn = tell_warning,
                                     .user = call};
    limit(0, call->input_bytes);
    opj_image_t *image = wvl_opj_decode(&request);
    if (!image) {
        return WVL_OPJ_REFUSED;
    }
    int failed = write_image(call, image);
    int error = failed ? ENOMEM : 0; /* the output lies in memory */
    opj_image_destroy(image);
    errno = error;
    return failed ? WVL_OPJ_NO_MEMORY : WVL_OPJ_OK;
}

const wvl_guard_service wvl_opj_service = {WVL_OPJ_SERVICE, serve};
