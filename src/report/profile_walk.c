/* SPDX-License-Identifier: BSD-2-Clause */
/* The library judges its own bytes with the walker before anybody gets them. */
#include "report/profile_walk.h"

#include <stdio.h>

#include "base/alloc.h"
#include "codec/cs/cs.h"
#include "geom/profile.h"
#include "wavelane_check.h"

#define FIXED_BYTES (UINT64_C(4) << 20) /* request, headers, bands that wait, lists that begin */
#define PART_BYTES 1024u                /* its record and its TLM entry, lists doubled */
#define RESOLUTION_BYTES 1024u
#define PRECINCT_BYTES 512u      /* its record and three bands */
#define BLOCK_BYTES 256u         /* its state, two trees, one contribution, lists doubled */
#define SEGMENTS_WITH_BYPASS 64u /* contributions of a block in one packet */

typedef struct report_text {
    const wvl_plan *plan;
    char *text;
    size_t bytes, used;
} report_text;

int wvl_profile_walks(const wvl_plan *plan) { return wvl_profile_of(plan->syntax.profile)->family != WVL_FAMILY_NONE; }

uint64_t wvl_profile_walk_bytes(const wvl_plan *plan)
{
    uint64_t block =
        plan->syntax.codings[0].style & WVL_STYLE_BYPASS ? BLOCK_BYTES + 24 * SEGMENTS_WITH_BYPASS : BLOCK_BYTES;
    if (!wvl_profile_walks(plan)) {
        return 0;
    }
    uint64_t bytes = wvl_add_saturate(FIXED_BYTES, wvl_mul_saturate(wvl_plan_most_parts(plan), PART_BYTES));
    bytes = wvl_add_saturate(
        bytes,
        wvl_mul_saturate((uint64_t)plan->syntax.component_count * (plan->syntax.max_levels + 1u), RESOLUTION_BYTES));
    bytes = wvl_add_saturate(bytes, wvl_mul_saturate(plan->memory.most_precincts, PRECINCT_BYTES));
    bytes = wvl_add_saturate(bytes, wvl_mul_saturate(plan->memory.most_blocks, block));
    bytes = wvl_add_saturate(bytes, wvl_mul_saturate(plan->syntax.boxes_before.bytes, 32));
    return wvl_add_saturate(bytes, wvl_mul_saturate(plan->syntax.layer_count, 64));
}

#define PSOT_END 10u /* from the start of SOT */

static int lengths_are_exposed(const wvl_plan *plan)
{
    uint64_t end = wvl_cs_measure_main_header(plan, plan->syntax.part_count),
             first = end - wvl_cs_measure_part_lengths(plan, plan->syntax.part_count);
    return (end + PSOT_END + 1) / 256 != (first + 1) / 256; /* a multiple of 256, less one or two, lies between */
}

void wvl_profile_space_lengths(wvl_plan *plan)
{
    static const char text[] = "wavelane ";
    if (wvl_profile_of(plan->syntax.profile)->family != WVL_FAMILY_CINEMA || !lengths_are_exposed(plan)) {
        return;
    }
    wvl_blob *spacer = &plan->syntax.comments[plan->syntax.comment_count++];
    do {
        spacer->data[spacer->bytes] = (uint8_t)text[spacer->bytes % (sizeof text - 1)];
        spacer->bytes++;
    } while (lengths_are_exposed(plan) && spacer->bytes < WVL_SPACER_BYTES);
}

static void *allocate(void *user, size_t bytes) { return wvl_alloc(user, bytes); }
static void release(void *user, void *memory, size_t bytes) { wvl_free(user, memory, bytes); }

static void report(void *user, const wvl_check_issue *issue)
{
    report_text *t = user;
    if (issue->severity == WVL_CHECK_ERROR && t->bytes) {
        size_t left = t->bytes - t->used;
        int n =
            snprintf(t->text + t->used, left, "%s%s%s: %s (%s)", t->used ? "\n" : "", issue->profile ? "profile " : "",
                     issue->profile ? issue->profile : issue->clause, issue->text, issue->rule);
        t->used += n > 0 ? wvl_min_u64((uint64_t)n, left ? left - 1 : 0) : 0;
    } else if (issue->severity != WVL_CHECK_ERROR && issue->profile) {
        wvl_context_log(t->plan->context, WVL_LOG_WARNING, "profile %s: %s (%s)", issue->profile, issue->text,
                        issue->rule);
    }
}

wvl_status wvl_profile_walk(const wvl_plan *plan, const void *data, uint64_t bytes, char *text, size_t text_bytes)
{
    /* The allocator is only read. */
    void *host = (void *)(uintptr_t)&plan->context->host;
    report_text lines = {plan, text, text_bytes, 0};
    wvl_check_options options = {.struct_size = sizeof options,
                                 .profile = wvl_profile_of(plan->syntax.profile)->name,
                                 .frames = plan->syntax.frames,
                                 .seconds = plan->syntax.seconds,
                                 .stereo = plan->syntax.stereo,
                                 .hfr = plan->syntax.hfr,
                                 .memory_limit = wvl_profile_walk_bytes(plan),
                                 .work_limit = UINT64_MAX,
                                 .allocate = allocate,
                                 .release = release,
                                 .memory_user = host,
                                 .skip_blocks = 1}; /* no profile speaks of what is in a block */
    switch (wvl_check_file(data, (size_t)bytes, &options, report, &lines, NULL)) {
    case WVL_CHECK_LEGAL: return WVL_OK;
    case WVL_CHECK_ILLEGAL: return WVL_ERROR_PROFILE;
    case WVL_CHECK_NO_MEMORY: return WVL_ERROR_MEMORY;
    default: return WVL_ERROR_INTERNAL;
    }
}
