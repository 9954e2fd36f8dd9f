/* SPDX-License-Identifier: BSD-2-Clause */
#include "refusal.h"

#include <string.h>

#include "draw.h"

static int has_output_memory(const fuzz_case *c) { return fuzz_case_get(c, "output-memory") != NULL; }

/* A preset whose picture suits it may be refused for its bytes, and for what no drawn picture has. Any other refusal is
 * a finding. */
static int lacks_xmp(const fuzz_case *c) { return !strcmp(fuzz_case_or(c, "preset", ""), "kb-master"); }
static int has_unsuited_picture(const fuzz_case *c) { return fuzz_case_get(c, "preset") && !fuzz_draw_suits_preset(c); }
static int has_tile_parts(const fuzz_case *c) { return fuzz_case_get(c, "tile-parts") != NULL; }
static int has_plm(const fuzz_case *c) { return fuzz_case_is_on(c, "plm"); }
static int has_main_level(const fuzz_case *c) { return fuzz_case_get(c, "main-level") != NULL; }
static int has_frame_rate(const fuzz_case *c) { return fuzz_case_get(c, "preset") && fuzz_case_get(c, "frame-rate"); }
static int has_guard_bits(const fuzz_case *c)
{
    return fuzz_case_get(c, "guard-bits") || strstr(fuzz_case_or(c, "overrides", ""), "guard-bits=");
}
static int has_region(const fuzz_case *c) { return fuzz_case_get(c, "roi") != NULL; }
static int has_any(const fuzz_case *c) { return c->count != 0; }
static int has_step(const fuzz_case *c)
{
    const char *overrides = fuzz_case_or(c, "overrides", "");
    return fuzz_case_get(c, "step") || fuzz_case_get(c, "quantization") || strstr(overrides, "step=") ||
           strstr(overrides, "quantization=");
}
static int has_ht_in_jp2(const fuzz_case *c)
{
    const char *preset = fuzz_case_or(c, "preset", "");
    return !strcmp(fuzz_case_or(c, "container", ""), "jp2") &&
           (strstr(preset, "ht") || strstr(fuzz_case_or(c, "style", ""), "HT"));
}
static int has_other_colours(const fuzz_case *c)
{
    return fuzz_case_get(c, "preset") && (fuzz_case_get(c, "container") || !fuzz_draw_suits_preset(c));
}
static int has_byte_target(const fuzz_case *c)
{
    return fuzz_case_get(c, "max-bytes") || fuzz_case_get(c, "layer-bytes") || fuzz_case_get(c, "bpp") ||
           fuzz_case_get(c, "rates") || fuzz_case_get(c, "preset");
}
static int has_component_cap(const fuzz_case *c)
{
    return fuzz_case_get(c, "max-component-bytes") || fuzz_case_get(c, "preset");
}

static const struct {
    const char *name;
    wvl_status status;
    const char *text;
    int (*applies)(const fuzz_case *c);
} known[] = {
    {"more tile-parts than 255", WVL_ERROR_PARAMETER, "255", has_tile_parts},
    {"packets that PLM cannot name", WVL_ERROR_PARAMETER, "A.7.2", has_plm},
    {"level of the profile", WVL_ERROR_PARAMETER, "level", has_main_level},
    {"frame rate that the profile lacks", WVL_ERROR_PARAMETER, "frame-rate", has_frame_rate},
    {"guard bits and magnitude bits", WVL_ERROR_PARAMETER, "guard bits", has_guard_bits},
    {"magnitude bits of deep samples", WVL_ERROR_PARAMETER, "can be carried (E", has_any},
    {"exponent below 0", WVL_ERROR_PARAMETER, "falls below 0", has_step},
    {"no magnitude bit left", WVL_ERROR_PARAMETER, "leaves no magnitude bit", has_step},
    {"shift of a region", WVL_ERROR_PARAMETER, "roi: a shift of", has_region},
    {"preset: picture does not suit it", WVL_ERROR_PARAMETER, "profile ", has_unsuited_picture},
    {"preset: XMP packet, which is not drawn", WVL_ERROR_PARAMETER, "the XMP packet is missing", lacks_xmp},
    {"preset: HT blocks in JP2", WVL_ERROR_PARAMETER, "without HT blocks", has_ht_in_jp2},
    {"preset: colour words of another picture", WVL_ERROR_PARAMETER, "colour: ", has_other_colours},
    {"preset: tiles before the offset", WVL_ERROR_PARAMETER, "contains no part of the image", has_unsuited_picture},
    {"bytes below those of the headers", WVL_ERROR_UNREACHABLE, "the byte cap is below what the headers",
     has_byte_target},
    {"component bytes below those of the headers", WVL_ERROR_UNREACHABLE, "the component byte cap is below",
     has_component_cap},
    {"finished picture in device memory", WVL_ERROR_UNSUPPORTED, "the option output-memory is device",
     has_output_memory},
    {"target out of reach", WVL_ERROR_UNREACHABLE, "cannot be met", has_byte_target},
};

int fuzz_refusal_find(const fuzz_case *c, wvl_status status, const char *error)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (status == known[i].status && strstr(error, known[i].text) && known[i].applies(c)) {
            return (int)i;
        }
    }
    return -1;
}

size_t fuzz_refusal_count(void) { return sizeof known / sizeof known[0]; }
const char *fuzz_refusal_name(size_t index) { return known[index].name; }
