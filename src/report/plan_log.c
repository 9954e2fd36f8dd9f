/* SPDX-License-Identifier: BSD-2-Clause */
/* What a plan says through the log of its context. */
#include "report/plan_log.h"

#include "base/context.h"
#include "base/cpu.h"
#include "codec/rate/depth.h"
#include "params/value.h"

#define DECODED_PLANES 31u /* OpenJPEG 2.5 holds a shifted magnitude in 31 bits */

static unsigned most_planes(const wvl_coding *coding)
{
    unsigned most = 0;
    for (unsigned band = 0; band < 3u * coding->levels + 1u; band++) {
        most = wvl_max_u32(most, coding->band[band].planes);
    }
    return most;
}

/* Shifted magnitudes are s bits longer (H.1). */
static void warn_of_shifts(const wvl_plan *plan)
{
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        const wvl_coding *c = &plan->syntax.codings[i];
        unsigned planes = most_planes(c);
        if (c->region == WVL_REGION_WHOLE && planes + c->region_shift > DECODED_PLANES) {
            wvl_context_log(
                plan->context, WVL_LOG_WARNING,
                "roi: shift %u on %u magnitude bits makes %u bit-planes; OpenJPEG decodes at most %u; use a smaller U",
                (unsigned)c->region_shift, planes, planes + c->region_shift, DECODED_PLANES);
            return;
        }
    }
}

/* Whole components below the full shift: opj_compress weighs their errors by 4^U, here they go first whatever U is. */
static void warn_of_starving(const wvl_plan *plan)
{
    int is_limited = plan->rate.layers[plan->syntax.layer_count - 1].kind != WVL_RATE_ALL || plan->rate.max_bytes ||
                     plan->rate.max_component_bytes;
    for (uint32_t i = 0; is_limited && i < plan->syntax.coding_count; i++) {
        const wvl_coding *c = &plan->syntax.codings[i];
        if (c->region == WVL_REGION_WHOLE && c->region_shift < most_planes(c)) {
            wvl_context_log(
                plan->context, WVL_LOG_WARNING,
                "roi: with a rate target a whole component goes first, whatever its shift; the others get what is left "
                "(opj_compress weighs by 4^U)");
            return;
        }
    }
}

void wvl_plan_log_warnings(const wvl_plan *plan, const wvl_settings *settings)
{
    const char *key, *needs;
    for (size_t at = 0; (key = wvl_settings_find_idle(settings, &at, &needs)) != NULL;) {
        wvl_context_log(plan->context, WVL_LOG_WARNING, "%s has no effect; it needs %s", key, needs);
    }
    if (plan->syntax.region_count) {
        warn_of_shifts(plan);
        warn_of_starving(plan);
    }
}

void wvl_plan_log_work(const wvl_plan *plan, const char *backend_name, unsigned rounds, int is_surveyed)
{
    static const char *const reaches[] = {"none", "coefs", "blocks", "packets"}; /* by wvl_reach */
    const char *foresight = rounds > 1 ? "none: blocks are coded twice" : "none: every pass is coded";
    if (is_surveyed) {
        foresight = "slopes surveyed, then blocks quantized for them";
    } else if (wvl_depth_is_possible(plan)) {
        foresight = "blocks end where the rate needs no more";
    }
    wvl_context_log(
        plan->context, WVL_LOG_INFO,
        "backend %s (device %s, reach %s), threads %u, SIMD %s, tiles %u, waves %u, rounds %u, foresight: %s",
        backend_name, wvl_params_device_names[plan->device.choice], reaches[plan->device.reach],
        wvl_pool_concurrency(plan->context->pool), wvl_cpu_level_text(wvl_cpu_fetch_level()), plan->syntax.tile_count,
        plan->memory.wave_count, rounds, foresight);
}
