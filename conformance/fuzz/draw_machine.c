/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of the machine: no byte depends on them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

#define MOST_DEPTH 16u /* that devices transform */

void fuzz_draw_device(fuzz_draw *d)
{
    static const char *const devices[] = {"cpu", "auto", "cuda"}; /* where there is no device the CPU takes over */
    if (fuzz_draw_chance(d, 5)) {
        fuzz_case_set(d->c, "device", "%s", devices[fuzz_draw_between(d, 0, 2)]);
    }
}

void fuzz_draw_reach(fuzz_draw *d)
{
    if (fuzz_draw_chance(d, 4)) { /* a device that does less is not used */
        fuzz_case_set(d->c, "reach", "%s", fuzz_draw_chance(d, 50) ? "blocks" : "packets");
    }
}

void fuzz_draw_output_memory(fuzz_draw *d)
{
    if (fuzz_draw_chance(d, 1)) { /* refused: only encoder objects give such pictures */
        fuzz_case_set(d->c, "output-memory", "%s", "device");
    }
}

void fuzz_draw_device_memory(fuzz_draw *d)
{
    if (fuzz_draw_chance(d, 10)) { /* pictures that do not fit go in strips, or to the CPU */
        fuzz_case_set(d->c, "device-memory", "%u", 1u << fuzz_draw_between(d, 14, 24));
    }
}

/* ---- What a device finishes ------------------------------------------------------------------ */

/* Depths above MOST_DEPTH become that: the numbers before "u" and "s". */
static void lower_depths(const char *from, char *to, size_t bytes)
{
    size_t n = 0;
    while (*from && n + 4 < bytes) {
        char *end;
        unsigned long number = isdigit((unsigned char)*from) ? strtoul(from, &end, 10) : 0;
        if (!number) {
            to[n++] = *from++;
            continue;
        }
        int is_depth = *end == 'u' || *end == 's';
        n += (size_t)snprintf(to + n, bytes - n, "%lu", is_depth && number > MOST_DEPTH ? MOST_DEPTH : number);
        from = end;
    }
    to[n] = 0;
}

static void limit_depths(fuzz_case *c)
{
    char components[FUZZ_MAX_VALUE];
    if (fuzz_case_get(c, "components")) {
        lower_depths(fuzz_case_get(c, "components"), components, sizeof components);
        fuzz_case_set(c, "components", "%s", components);
    }
}

static int is_set(const fuzz_case *c, const char *key, const char *idle)
{
    const char *value = fuzz_case_get(c, key);
    return value && strcmp(value, idle) != 0;
}

/* Draws what the CPU has to finish: as it was drawn, or packed headers, which no profile 0 and no lists of packets go
 * with.
 */
static void draw_waves(uint64_t seed, const fuzz_folder *folder, fuzz_case *c)
{
    static const fuzz_blocks kinds[] = {FUZZ_BLOCKS_PART1, FUZZ_BLOCKS_RATE, FUZZ_BLOCKS_LAYERS};
    static const char *const left_out[] = {"device", "reach", "output-memory", "device-memory", "rdoq"},
                             *const against[] = {"profile", "plt", "plm"};
    fuzz_draw_case_of(seed, folder, kinds[seed % 3], c);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        fuzz_case_drop_key(c, left_out[i]);
    }
    fuzz_case_set(c, "rdoq", "%s", "no");
    if (!fuzz_case_get(c, "psnr") && !is_set(c, "plm", "no") && !is_set(c, "packed-headers", "none")) {
        for (size_t i = 0; i < sizeof against / sizeof *against; i++) {
            fuzz_case_drop_key(c, against[i]);
        }
        fuzz_case_set(c, "packed-headers", "%s", seed & 1 ? "ppm" : "ppt");
    }
    limit_depths(c);
}

void fuzz_draw_packets_case(uint64_t seed, const fuzz_folder *folder, fuzz_blocks blocks, fuzz_case *c)
{
    static const char *const left_out[] = {"psnr",   "plm",   "packed-headers", "measure-psnr",
                                           "device", "reach", "output-memory",  "device-memory"},
                             *const targets[] = {"rates",  "bpp",       "layer-bytes",        "rdoq",
                                                 "slopes", "max-bytes", "max-component-bytes"};
    if (blocks == FUZZ_BLOCKS_WAVES) {
        draw_waves(seed, folder, c);
        return;
    }
    fuzz_draw_case_of(seed, folder, blocks, c);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        fuzz_case_drop_key(c, left_out[i]);
    }
    for (size_t i = 0; i < sizeof targets / sizeof *targets && !fuzz_draw_has_targets(blocks); i++) {
        fuzz_case_drop_key(c, targets[i]);
    }
    if (blocks != FUZZ_BLOCKS_LAYERS) {
        fuzz_case_drop_key(c, "layers");
        fuzz_case_drop_key(c, "roi");
    }
    limit_depths(c);
}
