/* SPDX-License-Identifier: BSD-2-Clause */
/* Foreign codestreams go to OpenJPEG in a child process, since damaged ones may end it (D-guard-01). The sizes of the
   header are compared with the chunk before, so that a small chunk asks for no large memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chunk.h"
#include "tools/guard/guard.h"
#include "tools/openjpeg/guarded.h"

#define MOST_BYTES UINT32_MAX /* of a chunk, in HDF5 and in Blosc2 */

/* ---- The program that decodes ---------------------------------------------------------------- */

static char program[PATH_MAX];

static int take_program(const char *path) { return !access(path, X_OK) && realpath(path, program); }

/* In the folder of this library or one above it. */
static int find_beside(const char *library)
{
    char path[PATH_MAX + sizeof CHUNK_DECODER_NAME];
    if (!realpath(library, path)) {
        return 0;
    }
    for (int up = 0; up < 4; up++) {
        char *end = strrchr(path, '/');
        if (!end) {
            return 0;
        }
        memcpy(end, "/" CHUNK_DECODER_NAME, sizeof "/" CHUNK_DECODER_NAME);
        if (take_program(path)) {
            return 1;
        }
        *end = '\0';
    }
    return 0;
}

/* When the library is loaded: the host may change its own folder later, and the path of the library may be a relative
   one. */
__attribute__((constructor)) static void find_program(void)
{
    Dl_info self;
    const char *given = getenv("WAVELANE_CHUNK_DECODER");
    if ((given && *given && take_program(given)) || (dladdr(program, &self) && find_beside(self.dli_fname)) ||
        take_program(CHUNK_DECODER_FOLDER "/" CHUNK_DECODER_NAME)) {
        wvl_guard_use_program(program);
    }
}

/* ---- The main header ------------------------------------------------------------------------- */

static uint32_t big16(const uint8_t *p) { return (uint32_t)p[0] << 8 | p[1]; }

static uint32_t big32(const uint8_t *p) { return big16(p) << 16 | big16(p + 2); }

/* SOC and SIZ (A.5.1) of a codestream that can be a chunk: NULL, or why it is none. */
static const char *read_shape(const uint8_t *data, size_t bytes, chunk_shape *shape)
{
    enum { SIZ = 4, FIXED = 38, EACH = 3 };
    if (bytes < SIZ + FIXED || big32(data) != 0xFF4FFF51) {
        return "this is no JPEG 2000 codestream";
    }
    const uint8_t *siz = data + SIZ, *component = siz + FIXED;
    uint32_t count = big16(siz + 36), x1 = big32(siz + 4), y1 = big32(siz + 8), x0 = big32(siz + 12);
    uint32_t y0 = big32(siz + 16);
    if (x1 <= x0 || y1 <= y0 || !count || big16(siz) != FIXED + EACH * count || bytes < SIZ + FIXED + EACH * count) {
        return "the main header of the codestream is damaged";
    }
    uint32_t depth = (component[0] & 0x7Fu) + 1;
    for (uint32_t i = 0; i < count; i++) {
        if (component[EACH * i] != component[0] || component[EACH * i + 1] != 1 || component[EACH * i + 2] != 1) {
            return "the components of the codestream differ in depth, sign or size";
        }
    }
    if (depth > 16 || (count != 1 && count != 3)) {
        return "the codestream has samples above 16 bits, or neither one component nor three";
    }
    *shape = (chunk_shape){x1 - x0, y1 - y0, count, depth > 8 ? 2 : 1, component[0] >> 7};
    return NULL;
}

static const char *check_shape(const chunk_request *request, chunk_shape *shape)
{
    const char *wrong = read_shape(request->codestream, request->bytes, shape);
    if (wrong) {
        return wrong;
    }
    if (request->sample_bytes && request->sample_bytes < shape->sample_bytes) {
        return "the codestream has deeper samples than the type of the data";
    }
    shape->sample_bytes = request->sample_bytes ? request->sample_bytes : shape->sample_bytes;
    uint64_t bytes = chunk_bytes(shape);
    uint64_t samples = bytes / shape->sample_bytes;
    if (!bytes || bytes > MOST_BYTES || (request->expected_samples && request->expected_samples != samples) ||
        (request->expected_bytes && request->expected_bytes != bytes)) {
        return "the codestream has another size than the chunk";
    }
    return NULL;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* One component of a row, as it came, to its places in the chunk. */
static void spread(const uint8_t *row, uint32_t given_bytes, const chunk_shape *shape, uint8_t *out)
{
    uint16_t value;
    for (uint32_t x = 0; x < shape->width; x++, out += (size_t)shape->components * shape->sample_bytes) {
        if (shape->sample_bytes == 1) {
            *out = row[x];
        } else if (given_bytes == 2) {
            memcpy(out, row + 2 * (size_t)x, 2);
        } else {
            value = shape->is_signed ? (uint16_t)(int16_t)(int8_t)row[x] : row[x];
            memcpy(out, &value, 2);
        }
    }
}

/* What the child says is compared with the header that this process read. */
static int take_samples(const wvl_opj_picture *picture, const chunk_shape *shape, uint8_t *out)
{
    size_t pixel = (size_t)shape->components * shape->sample_bytes;
    uint8_t *row = malloc((size_t)shape->width * 2);
    int good = row && picture->component_count == shape->components;
    for (uint32_t c = 0; good && c < shape->components; c++) {
        const wvl_opj_component *from = &picture->components[c];
        good = from->has_data && from->width == shape->width && from->height == shape->height &&
               from->sample_bytes <= shape->sample_bytes;
        for (uint32_t y = 0; good && y < shape->height; y++) {
            uint8_t *at = out + y * pixel * shape->width + (size_t)c * shape->sample_bytes;
            if (pixel == from->sample_bytes) {
                good = wvl_opj_read_rows(picture, c, 0, shape->height, at) == 0;
                break;
            }
            good = wvl_opj_read_rows(picture, c, y, 1, row) == 0;
            spread(row, from->sample_bytes, shape, at);
        }
    }
    free(row);
    return good;
}

/* The first message counts. A warning says that samples may be other ones than those that were coded. */
static void keep_text(const char *text, void *user)
{
    char *kept = user;
    if (!kept[0]) {
        snprintf(kept, CHUNK_REASON_BYTES, "OpenJPEG: %.*s", (int)strcspn(text, "\n"), text);
    }
}

static const char *take_picture(const wvl_opj_picture *picture, const chunk_shape *shape, void **samples)
{
    *samples = malloc((size_t)chunk_bytes(shape));
    if (!*samples) {
        return "not enough memory";
    }
    return take_samples(picture, shape, *samples) ? NULL
                                                  : "OpenJPEG returned another picture than the main header says";
}

/* NULL: there are samples, or ask->user has the reason. */
static const char *decode(const wvl_opj_request *ask, const chunk_shape *shape, void **samples)
{
    char ended[WVL_OPJ_REASON_BYTES] = "", *said = ask->user;
    wvl_opj_picture picture;
    wvl_opj_result result;
    if (!wvl_opj_ask_child(ask, NULL, &picture, ended, &result)) {
        return CHUNK_DECODER_NAME
            " cannot be started: it belongs beside the plugin, or WAVELANE_CHUNK_DECODER names it";
    }
    const char *wrong = NULL;
    if (result == WVL_OPJ_NO_MEMORY) {
        wrong = "not enough memory";
    } else if (result == WVL_OPJ_FAILED) {
        snprintf(said, CHUNK_REASON_BYTES, "%s", ended);
    } else if (result == WVL_OPJ_REFUSED) {
        wrong = said[0] ? NULL : "OpenJPEG cannot decode it, and gives no reason";
    } else {
        wrong = said[0] ? NULL : take_picture(&picture, shape, samples);
        wvl_opj_release_answer(&picture);
    }
    return wrong;
}

chunk_status chunk_decode(const chunk_request *request, chunk_shape *shape, void **samples,
                          char reason[CHUNK_REASON_BYTES])
{
    const wvl_opj_request ask = {
        .data = request->codestream, .bytes = request->bytes, .complain = keep_text, .warn = keep_text, .user = reason};
    *samples = NULL;
    reason[0] = '\0';
    const char *wrong = check_shape(request, shape);
    wrong = wrong ? wrong : decode(&ask, shape, samples);
    if (wrong) {
        snprintf(reason, CHUNK_REASON_BYTES, "%s", wrong);
    }
    if (reason[0]) {
        free(*samples);
        *samples = NULL;
    }
    return reason[0] ? CHUNK_FAILED : CHUNK_OK;
}
