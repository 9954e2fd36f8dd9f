/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes what was encoded with a foreign decoder, and compares sample by sample. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"
#include "wavelane_check.h"

#ifndef WVL_HAVE_OPENJPEG

int wvl_cli_can_verify(void) { return 0; }

void wvl_cli_enter_guard(char **argv) { (void)argv; }

int wvl_cli_verify_bytes(const wvl_cli_picture *picture, const char *name, int lossless, const uint8_t *bytes,
                         size_t count, wvl_cli_check *check)
{
    (void)picture, (void)lossless, (void)bytes, (void)count, (void)check;
    return wvl_cli_fail(WVL_EXIT_CHECK, "%s: this build has no OpenJPEG to decode with", name);
}

#else

#include "tools/openjpeg/guarded.h"

#define OPENJPEG_DEPTH 28u

int wvl_cli_can_verify(void) { return 1; }

void wvl_cli_enter_guard(char **argv) { wvl_guard_enter(argv, &wvl_opj_service, 1); }

/* ---- Decoding -------------------------------------------------------------------------------- */

#define MESSAGE_BYTES 256

static void keep_message(const char *text, void *user)
{
    char *message = user;
    if (!message[0]) { /* the first error is the cause */
        snprintf(message, MESSAGE_BYTES, "%s", text);
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

/* row: memory for one of the component's rows. 0, or -1 where it cannot be read back. */
static int compare_component(const wvl_io_component *c, const wvl_opj_picture *decoded, uint32_t index, void *row,
                             difference *d)
{
    double peak = ldexp(1.0, c->depth) - 1.0;
    const wvl_opj_component *o = &decoded->components[index];
    const wvl_io_component one_row = {.sample_bytes = o->sample_bytes,
                                      .sample_stride_bytes = o->sample_bytes,
                                      .is_signed = o->is_signed,
                                      .data = row};
    for (uint32_t y = 0; y < c->height; y++) {
        double squares = 0.0;
        if (wvl_opj_read_rows(decoded, index, y, 1, row) != 0) {
            return -1;
        }
        for (uint32_t x = 0; x < c->width; x++) {
            int64_t a = wvl_io_sample(c, x, y), b = wvl_io_sample(&one_row, x, 0);
            if (a != b) {
                if (!d->unequal++) {
                    d->x = x;
                    d->y = y;
                    d->expected = a;
                    d->decoded = b;
                }
                squares += (double)(a - b) * (double)(a - b);
            }
        }
        d->squares += squares / (peak * peak);
    }
    d->samples = (double)c->width * c->height;
    return 0;
}

static double psnr_of(double squares, double samples)
{
    return squares > 0.0 ? -10.0 * log10(squares / samples) : INFINITY;
}

static int check_shape(const wvl_cli_picture *picture, const char *name, const wvl_opj_picture *decoded)
{
    if (decoded->component_count != picture->io.component_count) {
        return wvl_cli_fail(WVL_EXIT_CHECK, "%s: check failed: %u components were decoded, %u encoded", name,
                            decoded->component_count, picture->io.component_count);
    }
    for (uint32_t i = 0; i < decoded->component_count; i++) {
        const wvl_opj_component *o = &decoded->components[i];
        const wvl_io_component *c = &picture->io.components[i];
        if (o->width != c->width || o->height != c->height || o->precision != c->depth ||
            !o->is_signed != !c->is_signed || !o->has_data) {
            return wvl_cli_fail(
                WVL_EXIT_CHECK,
                "%s: check failed: component %u was decoded as %u x %u, %u bits %s; encoded were %u x %u, %u bits %s",
                name, i, o->width, o->height, o->precision, o->is_signed ? "signed" : "unsigned", c->width, c->height,
                c->depth, c->is_signed ? "signed" : "unsigned");
        }
    }
    return WVL_EXIT_OK;
}

/* Adds to the sums. */
static int compare_one(const wvl_cli_picture *picture, const char *name, int lossless, const wvl_opj_picture *decoded,
                       uint32_t i, wvl_cli_check *check, difference *sum)
{
    const wvl_opj_component *c = &decoded->components[i];
    difference d = {0};
    void *row = malloc((size_t)c->width * c->sample_bytes);
    int failed = row ? compare_component(&picture->io.components[i], decoded, i, row, &d) : 0;
    free(row);
    if (!row) {
        return wvl_cli_lack_memory(name);
    }
    if (failed) {
        return wvl_cli_fail(WVL_EXIT_CHECK, "%s: check failed: component %u: what was decoded cannot be read back",
                            name, i);
    }
    if (d.unequal && lossless) {
        return wvl_cli_fail(WVL_EXIT_CHECK,
                            "%s: check failed: component %u: %llu samples differ, the first at column %u, row %u: %lld "
                            "instead of %lld",
                            name, i, (unsigned long long)d.unequal, d.x, d.y, (long long)d.decoded,
                            (long long)d.expected);
    }
    check->exact &= !d.unequal;
    check->component_psnr[i] = psnr_of(d.squares, d.samples);
    sum->squares += d.squares;
    sum->samples += d.samples;
    return WVL_EXIT_OK;
}

static int compare(const wvl_cli_picture *picture, const char *name, int lossless, const wvl_opj_picture *decoded,
                   wvl_cli_check *check)
{
    difference sum = {0};
    int code = WVL_EXIT_OK;
    check->component_psnr = calloc(decoded->component_count, sizeof *check->component_psnr);
    if (!check->component_psnr) {
        return wvl_cli_lack_memory(name);
    }
    check->exact = 1;
    check->count = decoded->component_count;
    for (uint32_t i = 0; !code && i < decoded->component_count; i++) {
        code = compare_one(picture, name, lossless, decoded, i, check, &sum);
    }
    if (!code) {
        check->psnr = psnr_of(sum.squares, sum.samples);
        check->done = 1;
    }
    return code;
}

/* Release the picture after WVL_EXIT_OK. */
static int decode_or_say(const char *name, const uint8_t *bytes, size_t count, wvl_opj_picture *decoded)
{
    char message[MESSAGE_BYTES] = "", reason[WVL_OPJ_REASON_BYTES];
    /* Components as the codestream has them: palette and channel definitions are not applied. */
    const wvl_opj_request request = {
        .data = bytes, .bytes = count, .keep_indices = 1, .complain = keep_message, .user = message};
    switch (wvl_opj_decode_guarded(&request, NULL, decoded, reason)) {
    case WVL_OPJ_OK: return WVL_EXIT_OK;
    case WVL_OPJ_NO_MEMORY:
        return wvl_cli_fail(WVL_EXIT_DEVICE, "%s: not enough memory to decode it with OpenJPEG %s", name,
                            opj_version());
    case WVL_OPJ_FAILED: wvl_cli_error("%s: check failed: %s (OpenJPEG %s)", name, reason, opj_version()); break;
    default:
        wvl_cli_error("%s: check failed: OpenJPEG %s cannot decode it: %s", name, opj_version(),
                      message[0] ? message : "no reason given");
        break;
    }
    return WVL_EXIT_CHECK;
}

/* OpenJPEG passes NLT over, and would give other numbers. */
static int check_decodable(const wvl_cli_picture *picture, const char *name)
{
    for (uint32_t i = 0; i < picture->io.component_count; i++) {
        const wvl_io_component *c = &picture->io.components[i];
        if (c->is_float || c->depth > OPENJPEG_DEPTH) {
            return wvl_cli_fail(
                WVL_EXIT_USAGE,
                "%s: OpenJPEG, which --verify and --original ask, decodes neither floating point nor more "
                "than %u bits a sample; leave them out, or ask OpenJPH",
                name, OPENJPEG_DEPTH);
        }
    }
    return WVL_EXIT_OK;
}

int wvl_cli_verify_bytes(const wvl_cli_picture *picture, const char *name, int lossless, const uint8_t *bytes,
                         size_t count, wvl_cli_check *check)
{
    wvl_opj_picture decoded;
    snprintf(check->decoder, sizeof check->decoder, "OpenJPEG %s", opj_version());
    int code = check_decodable(picture, name);
    TRY(code, decode_or_say(name, bytes, count, &decoded));
    if (code) {
        return code;
    }
    code = check_shape(picture, name, &decoded);
    TRY(code, compare(picture, name, lossless, &decoded, check));
    wvl_opj_release_picture(&decoded);
    return code;
}

#endif

int wvl_cli_decode_bytes(const char *name, const uint8_t *bytes, size_t count, wvl_cli_picture *picture)
{
    const wvl_io_options options = {.max_samples = UINT64_MAX};
    char error[512] = "";
    memset(picture, 0, sizeof *picture);
    int result = wvl_io_read_memory(bytes, count, "decoded", &options, &picture->io, error, sizeof error);
    if (result) {
        return wvl_cli_fail(result == WVL_IO_ERROR_MEMORY ? WVL_EXIT_DEVICE : WVL_EXIT_CHECK,
                            "%s: check failed: the converted original cannot be %s", name, error);
    }
    return WVL_EXIT_OK;
}

/* ---- Before OpenJPEG decodes ----------------------------------------------------------------- */

typedef struct inspection {
    char *reason;
    size_t reason_bytes;
    int is_damaged;
} inspection;

/* Other warnings are of streams that decoders read. */
static void take_issue(void *user, const wvl_check_issue *issue)
{
    inspection *i = user;
    int is_of_blocks = !strncmp(issue->rule, "ht.", 3) && issue->severity == WVL_CHECK_ERROR;
    if (!i->is_damaged && (is_of_blocks || !strcmp(issue->rule, "ht.skipped-bit"))) {
        i->is_damaged = 1;
        snprintf(i->reason, i->reason_bytes, "damaged HT blocks: %s (%s)", issue->text, issue->clause);
    }
}

int wvl_cli_inspect_codestream(const uint8_t *codestream, size_t bytes, char *reason, size_t reason_bytes)
{
    const wvl_check_options options = {.struct_size = sizeof options, .issue_limit = UINT32_MAX};
    inspection i = {reason, reason_bytes, 0};
    (void)wvl_check_codestream(codestream, bytes, &options, take_issue, &i, NULL);
    return i.is_damaged;
}
