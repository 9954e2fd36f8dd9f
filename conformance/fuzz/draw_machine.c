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

void fuzz_draw_packets_case(uint64_t seed, const fuzz_folder *folder, fuzz_blocks blocks, fuzz_case *c)
{
    static const char *const left_out[] = {"psnr",   "plm",   "packed-headers", "measure-psnr",
                                           "device", "reach", "output-memory",  "device-memory"},
                             *const targets[] = {"rates",  "bpp",       "layer-bytes",        "rdoq",
                                                 "slopes", "max-bytes", "max-component-bytes"};
    char components[FUZZ_MAX_VALUE];
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
    if (fuzz_case_get(c, "components")) {
        lower_depths(fuzz_case_get(c, "components"), components, sizeof components);
        fuzz_case_set(c, "components", "%s", components);
    }
}
