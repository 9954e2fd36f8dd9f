/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes what was encoded with a foreign decoder, and compares sample by sample. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#ifndef WVL_HAVE_OPENJPEG

int wvl_cli_can_verify(void) { return 0; }

int wvl_cli_verify_bytes(const wvl_cli_picture *picture, const char *name, int lossless, const uint8_t *bytes,
                         size_t count, wvl_cli_check *check)
{
    (void)picture, (void)lossless, (void)bytes, (void)count, (void)check;
    wvl_cli_error("%s: this build has no OpenJPEG to decode with", name);
    return WVL_EXIT_CHECK;
}

int wvl_cli_decode_bytes(const char *name, const uint8_t *bytes, size_t count, wvl_cli_picture *picture)
{
    (void)bytes, (void)count, (void)picture;
    wvl_cli_error("%s: this build has no OpenJPEG to decode with", name);
    return WVL_EXIT_CHECK;
}

#else

#include "tools/openjpeg/decode.h"

int wvl_cli_can_verify(void) { return 1; }

/* ---- Decoding --------------------------------------------------------------------------------- */

#define MESSAGE_BYTES 256

static void keep_message(const char *text, void *user)
{
    char *message = user;
    if (!message[0]) { /* the first error is the cause */
        (void)snprintf(message, MESSAGE_BYTES, "%s", text);
        message[strcspn(message, "\n")] = '\0';
    }
}

/* ---- Comparison ------------------------------------------------------------------------------ */

typedef struct difference {
    double squares, samples; /* sum of squared errors in units of the full range, and the number of samples */
    uint64_t unequal;
    uint32_t x, y; /* the first unequal one */
    int64_t expected, decoded;
} difference;

static void note_difference(difference *d, uint32_t x, uint32_t y, int64_t expected, int64_t decoded)
{
    if (!d->unequal++) {
        d->x = x;
        d->y = y;
        d->expected = expected;
        d->decoded = decoded;
    }
}

static difference compare_component(const wvl_io_component *c, const opj_image_comp_t *decoded)
{
    difference d = {0};
    double peak = ldexp(1.0, c->depth) - 1.0;
    for (uint32_t y = 0; y < c->height; y++) {
        const OPJ_INT32 *other = decoded->data + (size_t)y * decoded->w;
        double squares = 0.0;
        for (uint32_t x = 0; x < c->width; x++) {
            int64_t a = wvl_io_sample(c, x, y), b = c->is_signed ? (int64_t)other[x] : (int64_t)(uint32_t)other[x];
            if (a != b) {
                note_difference(&d, x, y, a, b);
                squares += (double)(a - b) * (double)(a - b);
            }
        }
        d.squares += squares / (peak * peak);
    }
    d.samples = (double)c->width * c->height;
    return d;
}

static double psnr_of(double squares, double samples)
{
    return squares > 0.0 ? -10.0 * log10(squares / samples) : INFINITY;
}

static int check_shape(const wvl_cli_picture *picture, const char *name, const opj_image_t *image)
{
    if (image->numcomps != picture->io.component_count) {
        wvl_cli_error("%s: check failed: %u components were decoded, %u encoded", name, image->numcomps,
                      picture->io.component_count);
        return WVL_EXIT_CHECK;
    }
    for (uint32_t i = 0; i < image->numcomps; i++) {
        const opj_image_comp_t *o = &image->comps[i];
        const wvl_io_component *c = &picture->io.components[i];
        if (o->w != c->width || o->h != c->height || o->prec != c->depth || !o->sgnd != !c->is_signed || !o->data) {
            wvl_cli_error(
                "%s: check failed: component %u was decoded as %u x %u, %u bits %s; encoded were %u x %u, %u bits %s",
                name, i, o->w, o->h, o->prec, o->sgnd ? "signed" : "unsigned", c->width, c->height, c->depth,
                c->is_signed ? "signed" : "unsigned");
            return WVL_EXIT_CHECK;
        }
    }
    return WVL_EXIT_OK;
}

static int compare(const wvl_cli_picture *picture, const char *name, int lossless, const opj_image_t *image,
                   wvl_cli_check *check)
{
    double squares = 0.0, samples = 0.0;
    check->component_psnr = calloc(image->numcomps, sizeof *check->component_psnr);
    if (!check->component_psnr) {
        wvl_cli_error("%s: out of memory", name);
        return WVL_EXIT_DEVICE;
    }
    check->exact = 1;
    check->count = image->numcomps;
    for (uint32_t i = 0; i < image->numcomps; i++) {
        difference d = compare_component(&picture->io.components[i], &image->comps[i]);
        if (d.unequal && lossless) {
            wvl_cli_error("%s: check failed: component %u: %llu samples differ, the first at column %u, row %u: %lld "
                          "instead of %lld",
                          name, i, (unsigned long long)d.unequal, d.x, d.y, (long long)d.decoded,
                          (long long)d.expected);
            return WVL_EXIT_CHECK;
        }
        check->exact &= !d.unequal;
        check->component_psnr[i] = psnr_of(d.squares, d.samples);
        squares += d.squares;
        samples += d.samples;
    }
    check->psnr = psnr_of(squares, samples);
    check->done = 1;
    return WVL_EXIT_OK;
}

/* *code: why there is no image. OpenJPEG gives up directly after an allocation that failed. */
static opj_image_t *decode_or_say(const char *name, const uint8_t *bytes, size_t count, int *code)
{
    char message[MESSAGE_BYTES] = "";
    /* Components as the codestream has them: palette and channel definitions are not applied. */
    const wvl_opj_request request = {
        .data = bytes, .bytes = count, .keep_indices = 1, .complain = keep_message, .user = message};
    errno = 0;
    opj_image_t *image = wvl_opj_decode(&request);
    *code = image || errno != ENOMEM ? WVL_EXIT_CHECK : WVL_EXIT_DEVICE;
    if (!image && *code == WVL_EXIT_DEVICE) {
        wvl_cli_error("%s: not enough memory to decode it with OpenJPEG %s", name, opj_version());
    } else if (!image) {
        wvl_cli_error("%s: check failed: OpenJPEG %s cannot decode it: %s", name, opj_version(),
                      message[0] ? message : "no reason given");
    }
    return image;
}

int wvl_cli_verify_bytes(const wvl_cli_picture *picture, const char *name, int lossless, const uint8_t *bytes,
                         size_t count, wvl_cli_check *check)
{
    (void)snprintf(check->decoder, sizeof check->decoder, "OpenJPEG %s", opj_version());
    int code;
    opj_image_t *image = decode_or_say(name, bytes, count, &code);
    if (!image) {
        return code;
    }
    code = check_shape(picture, name, image);
    if (!code) {
        code = compare(picture, name, lossless, image, check);
    }
    opj_image_destroy(image);
    return code;
}

/* ---- A picture of what was decoded ----------------------------------------------------------- */

static int take_component(const opj_image_comp_t *from, wvl_io_component *to)
{
    size_t bytes = (size_t)from->w * from->h * sizeof(int32_t);
    *to = (wvl_io_component){.width = from->w,
                             .height = from->h,
                             .dx = (uint8_t)from->dx,
                             .dy = (uint8_t)from->dy,
                             .depth = (uint8_t)from->prec,
                             .is_signed = from->sgnd != 0,
                             .sample_bytes = 4,
                             .sample_stride_bytes = 4,
                             .stride_bytes = (size_t)from->w * 4};
    to->data = to->owned = from->data ? malloc(bytes) : NULL;
    if (to->owned) {
        memcpy(to->owned, from->data, bytes);
    }
    return to->owned != NULL;
}

int wvl_cli_decode_bytes(const char *name, const uint8_t *bytes, size_t count, wvl_cli_picture *picture)
{
    memset(picture, 0, sizeof *picture);
    int code;
    opj_image_t *image = decode_or_say(name, bytes, count, &code);
    if (!image) {
        return code;
    }
    wvl_io_picture *io = &picture->io;
    io->components = calloc(image->numcomps, sizeof *io->components);
    int good = io->components != NULL;
    for (uint32_t i = 0; good && i < image->numcomps; i++) {
        good = take_component(&image->comps[i], &io->components[i]);
        io->component_count = i + 1;
    }
    io->width = image->x1 - image->x0;
    io->height = image->y1 - image->y0;
    opj_image_destroy(image);
    if (!good) {
        wvl_io_release_picture(io);
        wvl_cli_error("%s: out of memory", name);
    }
    return good ? WVL_EXIT_OK : WVL_EXIT_DEVICE;
}

#endif
