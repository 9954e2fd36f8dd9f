/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that have no effect as the other options stand: one row an option, with what it needs. */
#include <string.h>

#include "geom/profile.h"
#include "params/params.h"

/* One option: whether it asks for something, whether that counts, and what is missing where it does not. */
typedef struct idle_rule {
    const char *key;
    int (*asks)(const wvl_settings *s);
    int (*counts)(const wvl_settings *s);
    const char *needs; /* follows "KEY needs " */
} idle_rule;

/* ---- What others say ------------------------------------------------------------------------- */

static int has_97(const wvl_settings *s)
{
    for (uint32_t i = 0; i < s->override_count; i++) {
        if ((s->overrides[i].given & WVL_GIVEN_REVERSIBLE) && !s->overrides[i].reversible) {
            return 1;
        }
    }
    return !s->reversible;
}

/* The last layer asks for less than everything, or a cap holds. */
static int is_limited(const wvl_settings *s)
{
    wvl_profile_limits limits = wvl_profile_limits_of(s);
    double last = s->layer_value_count ? s->layer_values[s->layer_value_count - 1] : 0.0;
    int has_target = s->layer_value_count && last > (s->rate_unit == WVL_UNIT_RATIO ? 1.0 : 0.0);
    return has_target || s->max_bytes || s->max_component_bytes || limits.frame_bytes || limits.component_bytes ||
           limits.target_bytes;
}

static int has_truncation(const wvl_settings *s) { return is_limited(s) || s->layer_count > 1; }
static int has_errors(const wvl_settings *s) { return has_truncation(s) || has_97(s); }

/* "xyz" takes samples as they are, and tables of the caller have curves of their own. */
static int has_transfer(const wvl_settings *s)
{
    return s->input_color != WVL_INPUT_AS_IS && s->input_color != WVL_INPUT_XYZ && s->input_color != WVL_INPUT_CUSTOM;
}

static int has_range(const wvl_settings *s)
{
    return s->input_color != WVL_INPUT_AS_IS && s->input_color != WVL_INPUT_XYZ;
}
static int is_cinema(const wvl_settings *s) { return wvl_profile_of(s->profile)->family == WVL_FAMILY_CINEMA; }

static int has_main_level(const wvl_settings *s)
{
    unsigned family = wvl_profile_of(s->profile)->family;
    return family == WVL_FAMILY_IMF || family == WVL_FAMILY_BROADCAST;
}

static int has_sub_level(const wvl_settings *s) { return has_main_level(s); } /* broadcast profiles refuse it */
static int has_frames(const wvl_settings *s)
{
    return is_cinema(s) || (has_main_level(s) && (s->main_level || s->sub_level));
}

static int may_use_device(const wvl_settings *s) { return s->device != WVL_DEVICE_CPU; }

/* ---- What is asked for ----------------------------------------------------------------------- */

static int asks_transfer(const wvl_settings *s) { return s->input_transfer != WVL_TRANSFER_AUTO; }
static int asks_range(const wvl_settings *s) { return s->input_video; }
static int asks_frames(const wvl_settings *s) { return s->frames != 24 || s->seconds != 1; }
static int asks_stereo(const wvl_settings *s) { return s->stereo; }
static int asks_hfr(const wvl_settings *s) { return s->hfr; }
static int asks_main_level(const wvl_settings *s) { return s->main_level != 0; }
static int asks_sub_level(const wvl_settings *s) { return s->sub_level != 0; }
static int asks_derived(const wvl_settings *s) { return s->quant_style == WVL_QUANT_DERIVED; }
static int asks_step(const wvl_settings *s) { return s->step > 0.0; }
static int asks_qfactor(const wvl_settings *s) { return s->qfactor != 0; }
static int asks_distortion(const wvl_settings *s) { return s->distortion_bits != 6; }
static int asks_rdoq(const wvl_settings *s) { return s->rdoq == WVL_RDOQ_YES; }
static int asks_visual(const wvl_settings *s) { return s->visual; }
static int asks_passes(const wvl_settings *s)
{
    return s->ht_passes == 2;
} /* 1 is what blocks have without a target, 3 the default */
static int asks_reach(const wvl_settings *s) { return s->reach != 0; }
static int asks_output_memory(const wvl_settings *s) { return s->output_memory; }
static int asks_measure(const wvl_settings *s) { return s->measure_psnr == WVL_MEASURE_ALWAYS; }

static int asks_override_steps(const wvl_settings *s)
{
    for (uint32_t i = 0; i < s->override_count; i++) {
        const wvl_override *o = &s->overrides[i];
        if (((o->given & WVL_GIVEN_STEP) && o->step > 0.0) ||
            ((o->given & WVL_GIVEN_QUANTIZATION) && o->quant_style == WVL_QUANT_DERIVED)) {
            return 1;
        }
    }
    return 0;
}

/* ---- The table ------------------------------------------------------------------------------- */

#define NEEDS_97 "-I (reversible no): only the 9/7 wavelet has quantizer steps"
#define NEEDS_DEVICE "device auto, cuda or cuda-only: with cpu no device is used"
#define NEEDS_LIMIT "a limit: rates, bpp, layer-bytes, psnr, slopes or max-bytes"

static const idle_rule rules[] = {
    {"input-transfer", asks_transfer, has_transfer, "input-color with a space of RGB: nothing is converted without it"},
    {"input-range", asks_range, has_range, "input-color with a space of RGB: nothing is converted without it"},
    {"overrides", asks_override_steps, has_97,
     "-I (reversible no), or reversible=no in an entry: only the 9/7 wavelet has quantizer steps"},
    {"frame-rate", asks_frames, has_frames,
     "a profile with byte limits: cinema, or IMF and broadcast with main-level or sub-level"},
    {"stereo", asks_stereo, has_frames,
     "a profile with byte limits: cinema, or IMF and broadcast with main-level or sub-level"},
    {"hfr", asks_hfr, is_cinema, "a profile of digital cinema (cinema2k, cinema4k)"},
    {"main-level", asks_main_level, has_main_level, "a profile of IMF or broadcast"},
    {"sub-level", asks_sub_level, has_sub_level, "a profile of IMF"},
    {"quantization", asks_derived, has_97, NEEDS_97},
    {"step", asks_step, has_97, NEEDS_97},
    {"qfactor", asks_qfactor, has_97, NEEDS_97},
    {"distortion-bits", asks_distortion, has_97, NEEDS_97},
    {"rdoq", asks_rdoq, is_limited, NEEDS_LIMIT},
    {"visual", asks_visual, has_truncation, NEEDS_LIMIT ", or several layers"},
    {"ht-passes", asks_passes, is_limited, NEEDS_LIMIT ": without one, HT blocks have the cleanup pass alone"},
    {"measure-psnr", asks_measure, has_errors,
     "-I (reversible no), several layers or a limit: a lossless file has no error to measure"},
    {"reach", asks_reach, may_use_device, NEEDS_DEVICE},
    {"output-memory", asks_output_memory, may_use_device, NEEDS_DEVICE},
};

const char *wvl_settings_find_idle(const wvl_settings *settings, size_t *at, const char **needs)
{
    for (; *at < sizeof rules / sizeof rules[0]; ++*at) {
        const idle_rule *rule = &rules[*at];
        if (rule->asks(settings) && !rule->counts(settings)) {
            ++*at;
            *needs = rule->needs;
            return rule->key;
        }
    }
    return NULL;
}

const char *wvl_params_needs(const wvl_params *params, const char *key)
{
    const char *needs, *idle;
    for (size_t at = 0; params && key && (idle = wvl_settings_find_idle(&params->settings, &at, &needs)) != NULL;) {
        if (!strcmp(idle, key)) {
            return needs;
        }
    }
    return NULL;
}
