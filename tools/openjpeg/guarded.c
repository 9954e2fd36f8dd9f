/* SPDX-License-Identifier: BSD-2-Clause */
#include "guarded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVICE "openjpeg"
#define COPY_BYTES (1u << 18)

/* No good codestream takes more: 1 GiB is for what does not grow with the picture, and 256 bytes a sample are those of
   precincts of 2x2 samples. Decoding is ten times as fast even where all checks of a compiler are on. */
#define LEAST_MEMORY (UINT64_C(1) << 30)
#define SAMPLE_MEMORY 256u
#define BYTE_MEMORY 64u
#define LEAST_SECONDS 60u
#define SAMPLES_A_SECOND 100000u
#define BYTES_A_SECOND 20000u

enum { HEARD_ERROR = 1, HEARD_WARNING, HEARD_HEADER };

typedef struct parameters {
    uint32_t layers, discard, keep_indices;
} parameters;

/* At the beginning of the output, before the components. */
typedef struct head {
    uint32_t x0, y0, x1, y1, component_count;
} head;

/* ---- Samples --------------------------------------------------------------------------------- */

static void narrow(const OPJ_INT32 *from, unsigned sample_bytes, uint64_t count, void *out)
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

static uint64_t sample_bytes_of(const wvl_opj_component *c)
{
    return c->has_data ? (uint64_t)c->width * c->height * c->sample_bytes : 0;
}

/* Components of a decoded image, their samples one after the other from offset `at`. */
static void describe(const opj_image_t *image, uint64_t at, wvl_opj_component *components)
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
        at += sample_bytes_of(c);
    }
}

/* ---- In the child ---------------------------------------------------------------------------- */

static void tell_error(const char *text, void *user)
{
    (void)user;
    wvl_guard_tell(HEARD_ERROR, text);
}

static void tell_warning(const char *text, void *user)
{
    (void)user;
    wvl_guard_tell(HEARD_WARNING, text);
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
    wvl_guard_tell(HEARD_HEADER, "");
    return 1;
}

static int write_samples(wvl_guard_call *call, const opj_image_comp_t *from, unsigned sample_bytes, void *buffer)
{
    uint64_t count = (uint64_t)from->w * from->h, part = COPY_BYTES / sample_bytes;
    for (uint64_t i = 0; i < count; i += part) {
        uint64_t n = count - i < part ? count - i : part;
        narrow(from->data + i, sample_bytes, n, buffer);
        if (wvl_guard_write(call, buffer, (size_t)(n * sample_bytes)) != 0) {
            return -1;
        }
    }
    return 0;
}

static int write_image(wvl_guard_call *call, const opj_image_t *image)
{
    const head h = {image->x0, image->y0, image->x1, image->y1, image->numcomps};
    size_t bytes = image->numcomps * sizeof(wvl_opj_component);
    wvl_opj_component *components = malloc(bytes);
    void *buffer = malloc(COPY_BYTES);
    int failed = !components || !buffer;
    if (!failed) {
        describe(image, sizeof h + bytes, components);
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
    parameters p;
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

const wvl_guard_service wvl_opj_service = {SERVICE, serve};

/* ---- In the parent --------------------------------------------------------------------------- */

typedef struct listener {
    const wvl_opj_request *request;
    void (*on_header)(void *user);
} listener;

static void hear(int kind, const char *text, void *user)
{
    const listener *l = user;
    if (kind == HEARD_HEADER) {
        if (l->on_header) {
            l->on_header(l->request->user);
        }
    } else if (kind == HEARD_ERROR) {
        l->request->complain(text, l->request->user);
    } else if (l->request->warn) {
        l->request->warn(text, l->request->user);
    }
}

/* The child may have been harmed before it wrote: nothing is believed. */
static int take_head(wvl_opj_picture *picture)
{
    const wvl_guard_answer *answer = &picture->answer;
    head h;
    if (wvl_guard_read(answer, 0, &h, sizeof h) != 0 || !h.component_count || h.component_count > 16384) {
        return WVL_OPJ_FAILED;
    }
    size_t bytes = h.component_count * sizeof *picture->components;
    picture->components = malloc(bytes);
    if (!picture->components) {
        return WVL_OPJ_NO_MEMORY;
    }
    int good = wvl_guard_read(answer, sizeof h, picture->components, bytes) == 0;
    for (uint32_t i = 0; good && i < h.component_count; i++) {
        const wvl_opj_component *c = &picture->components[i];
        uint64_t limit = answer->output_bytes;
        good = (c->sample_bytes == 1 || c->sample_bytes == 2 || c->sample_bytes == 4) && c->offset <= limit &&
               (uint64_t)c->width * c->height <= (limit - c->offset) / c->sample_bytes;
        good = good || !c->has_data;
    }
    picture->x0 = h.x0;
    picture->y0 = h.y0;
    picture->x1 = h.x1;
    picture->y1 = h.y1;
    picture->component_count = h.component_count;
    return good ? WVL_OPJ_OK : WVL_OPJ_FAILED;
}

static wvl_opj_result fail(const char *text, char *reason)
{
    snprintf(reason, WVL_OPJ_REASON_BYTES, "%s", text);
    return WVL_OPJ_FAILED;
}

static wvl_opj_result judge_answer(wvl_opj_picture *picture, char *reason)
{
    const wvl_guard_answer *answer = &picture->answer;
    if (answer->outcome == WVL_GUARD_KILLED) {
        return WVL_OPJ_NO_MEMORY;
    }
    if (answer->outcome == WVL_GUARD_SLOW) {
        return fail("OpenJPEG takes longer than any good file of this size needs: the codestream is damaged", reason);
    }
    if (answer->outcome == WVL_GUARD_ENDED) {
        snprintf(reason, WVL_OPJ_REASON_BYTES, "OpenJPEG crashed while decoding (signal %d): the codestream is damaged",
                 answer->signal);
        return WVL_OPJ_FAILED;
    }
    if (answer->status == WVL_OPJ_OK) {
        wvl_opj_result result = take_head(picture);
        return result == WVL_OPJ_FAILED ? fail("OpenJPEG returned an inconsistent picture", reason) : result;
    }
    if (answer->error == ENOMEM && answer->is_bounded) {
        return fail("OpenJPEG takes more memory than any good file of this size needs: the codestream is damaged",
                    reason);
    }
    return answer->error == ENOMEM ? WVL_OPJ_NO_MEMORY : WVL_OPJ_REFUSED;
}

/* ---- In this process ------------------------------------------------------------------------- */

static int on_header_here(const opj_image_t *image, void *user)
{
    (void)image;
    hear(HEARD_HEADER, "", user);
    return 1;
}

static void on_error_here(const char *text, void *user) { hear(HEARD_ERROR, text, user); }

static void on_warning_here(const char *text, void *user) { hear(HEARD_WARNING, text, user); }

static wvl_opj_result decode_here(listener *l, wvl_opj_picture *picture)
{
    wvl_opj_request request = *l->request;
    request.inspect = on_header_here;
    request.complain = on_error_here;
    request.warn = on_warning_here;
    request.user = l;
    errno = 0;
    picture->image = wvl_opj_decode(&request); /* gives up directly after an allocation that failed */
    if (!picture->image) {
        return errno == ENOMEM ? WVL_OPJ_NO_MEMORY : WVL_OPJ_REFUSED;
    }
    const opj_image_t *image = picture->image;
    picture->components = malloc(image->numcomps * sizeof *picture->components);
    if (!picture->components) {
        return WVL_OPJ_NO_MEMORY;
    }
    describe(image, 0, picture->components);
    picture->x0 = image->x0;
    picture->y0 = image->y0;
    picture->x1 = image->x1;
    picture->y1 = image->y1;
    picture->component_count = image->numcomps;
    return WVL_OPJ_OK;
}

/* ---- Both ------------------------------------------------------------------------------------ */

wvl_opj_result wvl_opj_decode_guarded(const wvl_opj_request *request, void (*on_header)(void *user),
                                      wvl_opj_picture *picture, char reason[WVL_OPJ_REASON_BYTES])
{
    const parameters p = {request->layers, request->discard, (uint32_t)request->keep_indices};
    listener l = {request, on_header};
    const wvl_guard_job job = {.service = SERVICE,
                               .parameters = &p,
                               .parameter_bytes = sizeof p,
                               .input = request->data,
                               .input_bytes = request->bytes,
                               .hear = hear,
                               .user = &l};
    memset(picture, 0, sizeof *picture);
    reason[0] = '\0';
    wvl_guard_run(&job, &picture->answer);
    wvl_opj_result result =
        picture->answer.outcome == WVL_GUARD_ABSENT ? decode_here(&l, picture) : judge_answer(picture, reason);
    if (result != WVL_OPJ_OK) {
        wvl_opj_release_picture(picture);
    }
    return result;
}

int wvl_opj_read_rows(const wvl_opj_picture *picture, uint32_t component, uint32_t first, uint32_t count, void *out)
{
    const wvl_opj_component *c = &picture->components[component];
    uint64_t at = (uint64_t)first * c->width, samples = (uint64_t)count * c->width;
    if (picture->image) {
        narrow(picture->image->comps[component].data + at, c->sample_bytes, samples, out);
        return 0;
    }
    return wvl_guard_read(&picture->answer, c->offset + at * c->sample_bytes, out, (size_t)(samples * c->sample_bytes));
}

void wvl_opj_release_picture(wvl_opj_picture *picture)
{
    if (picture->image) {
        opj_image_destroy(picture->image);
    }
    free(picture->components);
    wvl_guard_release(&picture->answer);
    memset(picture, 0, sizeof *picture);
}
