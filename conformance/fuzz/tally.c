/* SPDX-License-Identifier: BSD-2-Clause */
#include "tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "refusal.h"

#define LEAST_PACKETS 99u /* of 100 configurations that ask only for what a device finishes */
#define ENOUGH_TRIALS 6u  /* of a preset: fewer may all be refused by chance */

/* ---- Counting -------------------------------------------------------------------------------- */

/* The preset's own name: the longest one that the words begin with. */
static const char *name_preset(const char *words)
{
    size_t count, best = 0;
    const wvl_preset *presets = wvl_presets(&count);
    const char *name = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(presets[i].name);
        if (length > best && !strncmp(words, presets[i].name, length)) {
            name = presets[i].name;
            best = length;
        }
    }
    return name;
}

static void count_preset(fuzz_tally *t, const fuzz_verdict *v)
{
    const char *name = v->preset[0] ? name_preset(v->preset) : NULL;
    for (size_t i = 0; name && i < FUZZ_MAX_PRESETS; i++) {
        if (!t->presets[i].name[0]) {
            snprintf(t->presets[i].name, sizeof t->presets[i].name, "%s", name);
        }
        if (!strcmp(t->presets[i].name, name)) {
            t->presets[i].tried++;
            t->presets[i].refused += v->outcome == FUZZ_REFUSED;
            return;
        }
    }
}

static void count_bits(uint64_t *counts, unsigned most, uint64_t bits)
{
    for (unsigned i = 0; i < most; i++) {
        counts[i] += bits >> i & 1;
    }
}

void fuzz_tally_count(fuzz_tally *t, const fuzz_verdict *v)
{
    t->trials++;
    t->passed += v->outcome == FUZZ_PASSED;
    t->refused += v->outcome == FUZZ_REFUSED;
    t->failed += v->outcome == FUZZ_FAILED;
    count_bits(t->found, 32, v->found);
    count_bits(t->excuses, 64, v->excuses);
    if (v->refusal && v->refusal <= FUZZ_MAX_REFUSALS) {
        t->refusals[v->refusal - 1]++;
    }
    t->unjudged += v->outcome == FUZZ_PASSED &&
                   !(v->found & (FUZZ_WAS_ILLEGAL | FUZZ_WAS_DECODED | FUZZ_WAS_CONFIRMED | FUZZ_WAS_HT_CONFIRMED));
    t->least_margin = v->psnr_margin < t->least_margin ? v->psnr_margin : t->least_margin;
    t->drift += v->drift;
    t->drift_count += v->drift_count;
    t->measured_drift += v->measured_drift;
    t->measured_count += v->measured_count;
    count_preset(t, v);
}

/* ---- Saying ---------------------------------------------------------------------------------- */

static uint64_t found(const fuzz_tally *t, uint32_t bit)
{
    unsigned n = 0;
    while (bit >> (n + 1)) {
        n++;
    }
    return t->found[n];
}

static void print_decoders(const fuzz_tally *t)
{
    printf("  %" PRIu64 " encoded and judged: %" PRIu64 " decoded by OpenJPEG (%" PRIu64 " exactly, %" PRIu64
           " lossy, least margin %+.2f dB), %" PRIu64 " confirmed by Grok within 1, %" PRIu64 " in PSNR, %" PRIu64
           " disputed by it against the original\n",
           t->passed - found(t, FUZZ_WAS_ILLEGAL), found(t, FUZZ_WAS_DECODED), found(t, FUZZ_WAS_LOSSLESS),
           found(t, FUZZ_WAS_LOSSY), t->least_margin, found(t, FUZZ_WAS_CONFIRMED), found(t, FUZZ_WAS_MATCHED),
           found(t, FUZZ_WAS_DISPUTED));
    printf("  %" PRIu64 " with HT blocks put before OpenJPH: %" PRIu64 " confirmed exactly or within 1, %" PRIu64
           " in PSNR, %" PRIu64 " refused by it for a known reason\n",
           found(t, FUZZ_WAS_HT), found(t, FUZZ_WAS_HT_CONFIRMED), found(t, FUZZ_WAS_HT_MATCHED),
           found(t, FUZZ_WAS_HT_DECLINED));
    printf("  %" PRIu64 " of the lossy ones had a measured PSNR; of %" PRIu64 " with estimates %" PRIu64
           " were more than 0.3 dB too high\n",
           found(t, FUZZ_WAS_LOSSY) - found(t, FUZZ_WAS_ESTIMATED), found(t, FUZZ_WAS_ESTIMATED),
           found(t, FUZZ_WAS_OVERTOLD));
    if (t->drift_count) {
        printf("  estimates of 9/7 less what was found: %+.3f dB in the mean of %" PRIu64 "\n",
               t->drift / (double)t->drift_count, t->drift_count);
    }
    if (t->measured_count) {
        printf("  measured PSNRs less what was found: %+.4f dB in the mean of %" PRIu64 "\n",
               t->measured_drift / (double)t->measured_count, t->measured_count);
    }
}

void fuzz_tally_print_reach(const fuzz_tally *t)
{
    uint64_t devices = found(t, FUZZ_WAS_ON_DEVICE), blocks = found(t, FUZZ_WAS_BLOCKS),
             packets = found(t, FUZZ_WAS_PACKETS);
    if (devices) {
        printf("%" PRIu64 " on a device: %" PRIu64 " packets, %" PRIu64 " blocks, %" PRIu64 " coefs\n", devices,
               packets, blocks, devices - packets - blocks);
    }
}

static void print_used(const char *title, uint64_t sum) { printf("  %s: %" PRIu64 "\n", title, sum); }

static void print_line(uint64_t count, const char *name)
{
    if (count) {
        printf("    %6" PRIu64 "  %s\n", count, name);
    }
}

void fuzz_tally_print(const fuzz_tally *t)
{
    size_t faults;
    const fuzz_fault *fault = fuzz_faults(&faults);
    print_decoders(t);
    printf("  %" PRIu64 " illegal ones refused\n", found(t, FUZZ_WAS_ILLEGAL));
    fuzz_tally_print_reach(t);
    print_used("explained: a known fault of a decoder", found(t, FUZZ_WAS_EXCUSED));
    for (size_t i = 0; i < faults; i++) {
        print_line(t->excuses[i], fault[i].id);
    }
    print_used("unjudged: walked, and read by no foreign decoder", t->unjudged);
    print_used("refused for what follows from packets and bytes, or without a picture", t->refused);
    for (size_t i = 0; i < fuzz_refusal_count(); i++) {
        print_line(t->refusals[i], fuzz_refusal_name(i));
    }
    print_used("a foreign decoder was too slow and was not waited for", found(t, FUZZ_WAS_SLOW));
}

/* ---- All together ---------------------------------------------------------------------------- */

/* Single estimates have excuses, all together have not. */
static int do_estimates_drift(const fuzz_tally *t)
{
    double mean = t->drift_count ? t->drift / (double)t->drift_count : 0.0;
    double most = t->only_estimates ? FUZZ_DRAWN_HIGHEST : FUZZ_MEAN_HIGHEST,
           least = t->only_estimates ? FUZZ_DRAWN_LOWEST : -FUZZ_MEAN_REACH;
    if (t->drift_count < FUZZ_MEAN_LEAST || (mean <= most && mean >= least)) {
        return 0;
    }
    printf("FAILED estimates: %+.3f dB in the mean of %" PRIu64 ", %+.2f to %+.2f is allowed\n", mean, t->drift_count,
           least, most);
    return 1;
}

static int do_measurements_drift(const fuzz_tally *t)
{
    double mean = t->measured_count ? t->measured_drift / (double)t->measured_count : 0.0;
    if (t->measured_count < FUZZ_MEASURED_LEAST || mean <= FUZZ_MEASURED_HIGHEST) {
        return 0;
    }
    printf("FAILED measured: %+.4f dB in the mean of %" PRIu64 ", at most %+.2f is allowed\n", mean, t->measured_count,
           FUZZ_MEASURED_HIGHEST);
    return 1;
}

/* kb-master asks for an XMP packet, which no drawn picture has; decode.archive encodes with it. */
static int does_preset_refuse_all(const fuzz_tally *t)
{
    int failed = 0;
    for (size_t i = 0; i < FUZZ_MAX_PRESETS && t->presets[i].name[0]; i++) {
        if (t->presets[i].tried >= ENOUGH_TRIALS && t->presets[i].refused == t->presets[i].tried &&
            strcmp(t->presets[i].name, "kb-master") != 0) {
            printf("FAILED preset: %s refused all of %" PRIu64 " pictures that suit it\n", t->presets[i].name,
                   t->presets[i].tried);
            failed = 1;
        }
    }
    return failed;
}

int fuzz_tally_lacks(const fuzz_tally *t, unsigned wanted)
{
    uint64_t devices = found(t, FUZZ_WAS_ON_DEVICE), reached = found(t, wanted);
    if (100 * reached >= LEAST_PACKETS * devices) {
        return 0;
    }
    printf("FAILED reach: a device made %s of %" PRIu64 " of %" PRIu64 ", at least %u of 100 are expected\n",
           wanted == FUZZ_WAS_BLOCKS ? "the blocks" : "the packets", reached, devices, LEAST_PACKETS);
    return 1;
}

int fuzz_tally_fails(const fuzz_tally *t)
{
    int drifts = do_estimates_drift(t), measured = do_measurements_drift(t), refuses = does_preset_refuse_all(t);
    return drifts || measured || refuses;
}
