/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoders beside OpenJPEG: Grok and OpenJPH. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decoder.h"
#include "estimate.h"
#include "judge_parts.h"
#include "patience.h"

#define OPENJPH_BITS 14u /* OpenJPH in fewer digits: 2 to 4 of 16 bits apart from OpenJPEG where everything is sent */
#define JUDGE_BITS 16u   /* decoders compute 9/7 in floats: deeper samples are compared in steps of 16-bit samples */

void fuzz_judge_excuse(const fuzz_fault *fault, fuzz_verdict *v)
{
    size_t count;
    v->found |= FUZZ_WAS_EXCUSED;
    v->excuses |= UINT64_C(1) << (fault - fuzz_faults(&count));
    if (v->outcome == FUZZ_PASSED) {
        snprintf(v->check, sizeof v->check, "%.23s", fault->id);
    }
}

/* 1: Grok handed out a picture. */
static int ask_program(const fuzz_judge *judge, const fuzz_run *run, uint32_t components, fuzz_picture *back,
                       char *text, size_t text_bytes, fuzz_verdict *v)
{
    int done = fuzz_grok_decode(run->data + run->codestream.offset, (size_t)run->codestream.bytes, components,
                                judge->patience, back, text, text_bytes);
    if (done == FUZZ_TOO_SLOW) {
        v->found |= FUZZ_WAS_SLOW;
        snprintf(v->check, sizeof v->check, "a judge is too slow");
    }
    return done > 0;
}

/* 1: what OpenJPEG found is what the library itself finds in the same bytes, which do not depend on measuring, as far
 * as it is asked of measured PSNRs. */
static int is_first_right(const fuzz_facts *facts, const fuzz_picture *first, const fuzz_run *run)
{
    static fuzz_case c;
    fuzz_run again;
    c = *facts->c;
    fuzz_case_set(&c, "measure-psnr", "yes");
    fuzz_run_encode(&c, facts->p, 0, &again);
    int is_same = again.status == WVL_OK && again.bytes == run->bytes && !memcmp(again.data, run->data, run->bytes);
    double least =
        fuzz_estimate_expect_measured(&c, facts->p, again.last_psnr) - fuzz_estimate_measured_slack(&c, facts->p);
    int is_right = is_same && again.is_last_measured && fuzz_picture_psnr(facts->p, first) > least;
    fuzz_run_free(&again);
    return is_right;
}

#define SAME_PSNR 0.1

/* The original decides between two decoders: the second one is wrong where the first found the very samples that went
 * in, or came clearly nearer to them, and no worse than the encoder told. A program that writes nothing has limits of
 * its own. */
void fuzz_judge_ask_grok(const fuzz_judge *judge, const fuzz_facts *facts, const fuzz_picture *first,
                         const fuzz_run *run, fuzz_verdict *v)
{
    fuzz_picture back = {0};
    char text[512] = "";
    const fuzz_fault *fault = fuzz_faults_find(FUZZ_GROK, facts);
    if (!ask_program(judge, run, first->count, &back, text, sizeof text, v)) {
        return;
    }
    int agrees = fuzz_picture_same_shape(first, &back, text, sizeof text), exact = (v->found & FUZZ_WAS_LOSSLESS) != 0;
    double most = agrees ? fuzz_picture_greatest(first, &back, JUDGE_BITS) : INFINITY;
    double nearer =
        agrees && !exact ? fuzz_picture_psnr(facts->p, first) - fuzz_picture_psnr(facts->p, &back) : INFINITY;
    if (most <= (exact ? 0.0 : 1.0)) {
        v->found |= FUZZ_WAS_CONFIRMED;
    } else if (fault) {
        fuzz_judge_excuse(fault, v);
    } else if (nearer > SAME_PSNR) {
        v->found |= FUZZ_WAS_DISPUTED;
    } else if (nearer >= -SAME_PSNR ||
               (!exact && agrees &&
                (run->is_last_measured ||
                 is_first_right(facts, first, run)))) { /* nearer than what was measured is no fault; decoders choose
                                             where in its interval a truncated coefficient lies (E.1.1.2) */
        v->found |= FUZZ_WAS_MATCHED;
    } else {
        fuzz_judge_fail(v, "second", "Grok differs by up to %g, %+.2f dB from the original: %s", most, -nearer, text);
    }
    fuzz_picture_free(&back);
}

static int has_ht_blocks(const fuzz_run *run)
{
    const uint8_t *siz = run->data + run->codestream.offset + 2;
    return run->codestream.bytes > 50 && siz[4] & 0x40; /* Rsiz */
}

/* OpenJPH takes fewer structures than the standard has, and says so. What it decodes must be what OpenJPEG decodes, or
 * the very original. first: NULL where OpenJPEG was not asked. */
void fuzz_judge_ask_openjph(const fuzz_facts *facts, const fuzz_picture *first, const fuzz_run *run, fuzz_verdict *v)
{
    fuzz_picture back = {0};
    char text[512] = "";
    const fuzz_fault *before = fuzz_faults_find(FUZZ_OPENJPH, facts);
    int exact = fuzz_judge_is_exact(facts->c, run), can = has_ht_blocks(run) && (first || exact);
    if (can && before && before->is_fatal) {
        v->found |= FUZZ_WAS_HT | FUZZ_WAS_HT_DECLINED;
        fuzz_judge_excuse(before, v);
        return;
    }
    int done = can ? fuzz_openjph_decode(run->data + run->codestream.offset, (size_t)run->codestream.bytes, &back, text,
                                         sizeof text)
                   : -1;
    if (done < 0) {
        return;
    }
    v->found |= FUZZ_WAS_HT;
    fuzz_facts after = *facts;
    after.complaint = done ? NULL : text;
    const fuzz_fault *fault = fuzz_faults_find(FUZZ_OPENJPH, &after);
    int agrees = done && fuzz_picture_same_shape(facts->p, &back, text, sizeof text);
    double most = agrees ? fuzz_picture_greatest(exact ? facts->p : first, &back, exact ? 32 : OPENJPH_BITS) : INFINITY;
    double nearer =
        agrees && !exact ? fuzz_picture_psnr(facts->p, first) - fuzz_picture_psnr(facts->p, &back) : INFINITY;
    if (most <= (exact ? 0.0 : 1.0)) {
        v->found |= FUZZ_WAS_HT_CONFIRMED;
    } else if (fault) {
        v->found |= done ? 0 : FUZZ_WAS_HT_DECLINED;
        fuzz_judge_excuse(fault, v);
    } else if (nearer >= -SAME_PSNR && nearer <= SAME_PSNR) {
        v->found |= FUZZ_WAS_HT_MATCHED;
    } else if (agrees && !exact &&
               fuzz_judge_is_reversible(
                   facts->c, run)) { /* decoders choose where in its interval a truncated coefficient lies (E.1.1.2) */
        v->found |= FUZZ_WAS_HT_MATCHED;
        fuzz_judge_compare_psnr(facts->c, facts->p, run, fuzz_picture_psnr(facts->p, &back), run->last_psnr,
                                run->is_last_measured, "OpenJPH", v);
    } else {
        fuzz_judge_fail(v, "openjph", "differs by up to %g: %s", most, text);
    }
    fuzz_picture_free(&back);
}

/* Where OpenJPEG is known to fail, the second decoder is the first. */
void fuzz_judge_ask_grok_alone(const fuzz_judge *judge, const fuzz_facts *facts, const fuzz_run *run, fuzz_verdict *v)
{
    const fuzz_case *c = facts->c;
    fuzz_picture back = {0};
    char text[512] = "";
    if (fuzz_faults_find(FUZZ_GROK, facts) || !ask_program(judge, run, facts->p->count, &back, text, sizeof text, v)) {
        return;
    }
    if (!fuzz_picture_same_shape(facts->p, &back, text, sizeof text)) {
        fuzz_judge_fail(v, "second", "Grok: %s", text);
    } else if (fuzz_judge_is_exact(c, run)) {
        if (!fuzz_picture_equal(facts->p, &back, text, sizeof text)) {
            fuzz_judge_fail(v, "second", "Grok: %s", text);
        }
    } else {
        fuzz_judge_compare_psnr(c, facts->p, run, fuzz_picture_psnr(facts->p, &back), run->last_psnr,
                                run->is_last_measured, "Grok, all layers", v);
    }
    v->found |= FUZZ_WAS_CONFIRMED;
    fuzz_picture_free(&back);
}
