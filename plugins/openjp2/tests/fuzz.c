/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random opj_cparameters and pictures, by the plugin and by libopenjp2. Both must accept the same, or the plugin says
 * why not; what Wavelane encoded must decode, and be the picture where nothing is lossy. Each draw is a child process:
 * libopenjp2 itself ends on some of them.
 *
 *   fuzz_openjp2 [SECONDS [SEED]]      SEED of one draw: repeats that draw alone, and says what it is (SECONDS 0)
 */
#define _DEFAULT_SOURCE
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum outcome {
    NOT_ENDED,
    BOTH_REFUSE,
    SAME_LOSSLESS,
    BOTH_LOSSY,
    HANDED_OVER,
    DECODER_FAULT, /* libopenjp2 does not decode its own file to the picture either */
    OURS_ALONE,    /* libopenjp2 refuses or ends, the plugin's file decodes */
    REFUSED_WITH_MESSAGE,
    FIRST_WRONG,
    REFUSED_SILENTLY = FIRST_WRONG,
    NOT_DECODED,
    OTHER_PIXELS,
    OUTCOMES
};

static const char *const names[] = {"not ended",
                                    "both refuse",
                                    "lossless, equal",
                                    "lossy",
                                    "handed over",
                                    "OpenJPEG decodes its own file to other pixels",
                                    "OpenJPEG does not encode it",
                                    "refused with a message",
                                    "REFUSED SILENTLY",
                                    "NOT DECODED",
                                    "OTHER PIXELS"};

/* What the child leaves. */
typedef struct report {
    int stage; /* 0: libopenjp2 encodes; 1: the plugin; 2: all done */
    enum outcome outcome;
    int has_losses;
    double ours_db, theirs_db;
    size_t ours_bytes, theirs_bytes;
    bench_messages messages;
} report;

/* ---- Draws ----------------------------------------------------------------------------------- */

static int one_of(uint32_t *seed, uint32_t n) { return bench_draw(seed, n) == 0; }

static int between(uint32_t *seed, int least, int most)
{
    return least + (int)bench_draw(seed, (uint32_t)(most - least + 1));
}

static void draw_picture(bench_picture *p, uint32_t *seed)
{
    static const uint32_t depths[] = {8, 8, 8, 8, 1, 4, 10, 12, 12, 16, 16, 20, 24};
    static const int32_t spaces[] = {OPJ_COLOR_SRGB, OPJ_COLOR_GREY, OPJ_COLOR_SYCC, OPJ_COLOR_CMYK, 0, -1};
    uint32_t depth = depths[bench_draw(seed, 13)], sgnd = (uint32_t)one_of(seed, 10);
    memset(p, 0, sizeof *p);
    p->count = (uint32_t)between(seed, 1, one_of(seed, 3) ? BENCH_COMPONENTS : 3);
    p->x0 = one_of(seed, 5) ? bench_draw(seed, 40) : 0;
    p->y0 = one_of(seed, 5) ? bench_draw(seed, 40) : 0;
    p->x1 = p->x0 + (uint32_t)between(seed, 1, one_of(seed, 5) ? 700 : 200);
    p->y1 = p->y0 + (uint32_t)between(seed, 1, one_of(seed, 5) ? 500 : 160);
    p->color_space = p->count >= 3 ? OPJ_COLOR_SRGB : OPJ_COLOR_GREY;
    if (one_of(seed, 3)) {
        p->color_space = spaces[bench_draw(seed, 6)];
    }
    int is_subsampled = one_of(seed, 8), has_depths = one_of(seed, 12);
    for (uint32_t i = 0; i < p->count; i++) {
        opj_component_request *c = &p->components[i];
        c->dx = is_subsampled && i ? 1 + bench_draw(seed, 2) : 1;
        c->dy = is_subsampled && i ? 1 + bench_draw(seed, 2) : 1;
        c->prec = c->bpp = has_depths ? depths[bench_draw(seed, 13)] : depth;
        c->sgnd = sgnd;
    }
    bench_fill(p, seed, one_of(seed, 6));
}

static void draw_layers(opj_cparameters *p, uint32_t *seed)
{
    p->tcp_numlayers = between(seed, 0, 5);
    p->cp_disto_alloc = 1;
    float rate = (float)between(seed, 2, 200), quality = (float)between(seed, 20, 35);
    for (int i = 0; i < p->tcp_numlayers; i++) {
        p->tcp_rates[i] = rate;
        p->tcp_distoratio[i] = quality;
        rate = one_of(seed, 40) ? rate * 2 : rate / (float)between(seed, 2, 4);
        quality += (float)between(seed, 1, 10);
    }
    if (p->tcp_numlayers && !one_of(seed, 3)) {
        p->tcp_rates[p->tcp_numlayers - 1] = one_of(seed, 2) ? 0 : 1;
        p->tcp_distoratio[p->tcp_numlayers - 1] = 0;
    }
    if (p->tcp_numlayers && one_of(seed, 4)) {
        p->cp_fixed_quality = 1;
        p->cp_disto_alloc = one_of(seed, 4);
    }
}

static void draw_order(opj_cparameters *p, const bench_picture *picture, uint32_t *seed)
{
    p->prog_order = one_of(seed, 200) ? -1 : between(seed, 0, 4);
    if (!one_of(seed, 10) || p->numresolution < 2) {
        return;
    }
    uint32_t middle = (uint32_t)between(seed, 1, p->numresolution - 1);
    for (int i = 0; i < 2; i++) {
        opj_change *c = &p->POC[i];
        c->tile = one_of(seed, 20) ? 2 : 1;
        c->resolution_begin = i ? middle : 0;
        c->resolution_end = i ? (uint32_t)p->numresolution : middle;
        c->component_end = picture->count;
        c->layer_end = (uint32_t)(p->tcp_numlayers ? p->tcp_numlayers : 1);
        c->order_given = between(seed, 0, 4);
    }
    p->numpocs = 2;
}

static void draw_profile(opj_cparameters *p, uint32_t *seed)
{
    static const int profiles[] = {1, 2, 3, 4, 5, 7, 0x101, 0x400, 0x456, 0x500, 0x700, 0x901, 0x8000, 0x8100};
    if (one_of(seed, 12)) {
        p->rsiz = (uint16_t)profiles[bench_draw(seed, 14)];
    }
    if (one_of(seed, 60)) {
        p->cp_cinema = between(seed, 1, 3);
    }
    if (one_of(seed, 40)) {
        p->max_cs_size = between(seed, 200, 40000);
    }
    if (one_of(seed, 30)) {
        p->max_comp_size = between(seed, 200, 40000);
    }
}

static void draw_structure(opj_cparameters *p, const bench_picture *picture, uint32_t *seed)
{
    if (one_of(seed, 3)) {
        p->tile_size_on = 1;
        p->cp_tx0 = (int)(one_of(seed, 3) ? bench_draw(seed, picture->x0 + 1) : 0);
        p->cp_ty0 = (int)(one_of(seed, 3) ? bench_draw(seed, picture->y0 + 1) : 0);
        p->cp_tdx = between(seed, 30, 256);
        p->cp_tdy = between(seed, 30, 256);
    }
    if (!one_of(seed, 2)) {
        p->numresolution = between(seed, 1, one_of(seed, 20) ? 33 : 7);
    }
    if (one_of(seed, 2)) {
        p->cblockw_init = 1 << between(seed, 2, 7);
        p->cblockh_init = 1 << between(seed, 2, one_of(seed, 20) ? 8 : 5);
    }
    p->csty = one_of(seed, 3) ? between(seed, 0, 7) : 0;
    if (p->csty & OPJ_CSTY_PRECINCTS) {
        p->res_spec = between(seed, 1, p->numresolution);
        for (int i = 0; i < p->res_spec; i++) {
            p->prcw_init[i] = 1 << between(seed, one_of(seed, 30) ? 0 : 3, 10);
            p->prch_init[i] = 1 << between(seed, one_of(seed, 30) ? 0 : 3, 10);
        }
    }
    p->mode = one_of(seed, 3) ? between(seed, 0, 63) : 0;
    p->mode |= one_of(seed, 200) ? OPJ_MODE_HT : 0;
    if (one_of(seed, 10)) {
        p->roi_compno = between(seed, 0, (int)picture->count - 1);
        p->roi_shift = between(seed, 0, 16);
    }
    if (one_of(seed, 6)) {
        p->tp_on = 1;
        p->tp_flag = one_of(seed, 15) ? 'P' : "RLC"[bench_draw(seed, 3)];
    }
}

static void draw_parameters(opj_cparameters *p, const bench_picture *picture, const opj_real *real, uint32_t *seed)
{
    static char comment[] = "a comment of the host";
    real->opj_set_default_encoder_parameters(p);
    draw_structure(p, picture, seed);
    draw_layers(p, seed);
    draw_order(p, picture, seed);
    draw_profile(p, seed);
    p->irreversible = one_of(seed, 3);
    p->tcp_mct = (char)(picture->count >= 3 && !one_of(seed, 4));
    p->tcp_mct = (char)(one_of(seed, 100) ? 1 : p->tcp_mct);
    p->cp_comment = one_of(seed, 5) ? comment : NULL;
}

/* ---- One draw -------------------------------------------------------------------------------- */

static int has_losses(const opj_cparameters *p)
{
    int last = p->tcp_numlayers - 1;
    int is_cut = last >= 0 && (p->cp_fixed_quality ? p->tcp_distoratio[last] != 0 : p->tcp_rates[last] > 1);
    return is_cut || p->irreversible || p->max_comp_size > 0 || p->max_cs_size > 0;
}

static double decibels(double squares, const bench_picture *picture)
{
    double most = (double)(((uint64_t)1 << picture->components[0].prec) - 1);
    return squares > 0 ? 10 * log10(most * most / squares) : 200;
}

static enum outcome judge(const opj_real *real, const bench_picture *picture, const bench_encode *e, int is_theirs,
                          const bench_memory *theirs, int is_ours, const bench_memory *ours, report *r)
{
    double own = 0, other = 0;
    if (!is_ours && !is_theirs) {
        return BOTH_REFUSE;
    }
    if (!is_ours) {
        return r->messages.error[0] ? REFUSED_WITH_MESSAGE : REFUSED_SILENTLY;
    }
    r->ours_bytes = ours->bytes;
    r->theirs_bytes = theirs->bytes;
    if (r->messages.handed_over) {
        return HANDED_OVER;
    }
    int their_result = is_theirs ? bench_compare(real, e->format, theirs, picture, &other) : -1;
    int result = bench_compare(real, e->format, ours, picture, &own);
    r->ours_db = decibels(own, picture);
    r->theirs_db = decibels(other, picture);
    if (result < 0 || (!r->has_losses && result == 0)) {
        enum outcome wrong = result < 0 ? NOT_DECODED : OTHER_PIXELS;
        return is_theirs && their_result == result ? DECODER_FAULT : wrong;
    }
    if (!is_theirs) {
        return OURS_ALONE;
    }
    return r->has_losses ? BOTH_LOSSY : SAME_LOSSLESS;
}

static void run_draw(uint32_t seed, report *r)
{
    const opj_real *real = real_find((const void *)(uintptr_t)run_draw);
    opj_real ours = bench_ours(real);
    bench_picture picture;
    opj_cparameters given, copy;
    bench_memory bytes[2] = {{.room = 1 << 24}, {.room = 1 << 24}};
    bench_messages messages;
    static const char *const options[] = {"PLT=YES", "GUARD_BITS=3", NULL};
    draw_picture(&picture, &seed);
    draw_parameters(&given, &picture, real, &seed);
    bench_encode e = {.format = one_of(&seed, 2) ? OPJ_FORMAT_JP2 : OPJ_FORMAT_J2K, .parameters = &copy};
    e.by_tiles = one_of(&seed, 3);
    e.extra = one_of(&seed, 6) ? options + bench_draw(&seed, 2) : NULL;
    e.takes_no_seek = 0;
    bytes[0].data = malloc(bytes[0].room);
    bytes[1].data = malloc(bytes[1].room);
    int is_theirs = 0;
    r->has_losses = has_losses(&given);
    if (r->stage == 0) { /* a second child, after libopenjp2 ended the first one, leaves this out */
        copy = given;
        is_theirs = bench_run(real, &picture, &e, &bytes[0], &messages);
        r->has_losses = r->has_losses || has_losses(&copy);
        r->stage = 1;
    }
    copy = given;
    int is_ours = bench_run(&ours, &picture, &e, &bytes[1], &r->messages);
    r->has_losses = r->has_losses || has_losses(&copy);
    r->stage = 2;
    r->outcome = judge(real, &picture, &e, is_theirs, &bytes[0], is_ours, &bytes[1], r);
    r->stage = 3;
    bench_release(&picture);
    free(bytes[0].data);
    free(bytes[1].data);
}

/* 1: the draw is right. */
static int take_draw(uint32_t seed, report *r, unsigned *counts, unsigned *crashes)
{
    memset(r, 0, sizeof *r);
    for (int attempt = 0; attempt < 2; attempt++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            run_draw(seed, r);
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (r->stage == 3) {
            counts[r->outcome]++;
            return r->outcome < FIRST_WRONG;
        }
        if (r->stage == 1 && !r->messages.handed_over) {
            break;
        }
        ++*crashes;
        if (r->stage != 0) {
            return 1; /* in libopenjp2: after the hand-over, or when it decodes */
        }
        r->stage = 1;
    }
    printf("seed %u: THE PLUGIN ENDED THE PROCESS\n", seed);
    return 0;
}

/* Why pictures were handed over, and why libopenjp2 alone refused: each text once, with its count. */
static struct {
    char text[100];
    unsigned count;
} reasons[200];

static void count_reason(const char *text)
{
    for (unsigned i = 0; *text && i < 200; i++) {
        if (!reasons[i].count) {
            snprintf(reasons[i].text, sizeof reasons[i].text, "%.99s", text);
        }
        if (!strncmp(reasons[i].text, text, sizeof reasons[i].text - 1)) {
            reasons[i].count++;
            return;
        }
    }
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    enum { MOST = 100000 };
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    uint32_t seed = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : (uint32_t)time(NULL);
    unsigned counts[OUTCOMES] = {0}, crashes = 0, draws = 0, wrong = 0, lossy = 0;
    double *gains = malloc(MOST * sizeof *gains);
    report *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    printf("seed %u\n", seed);
    fflush(stdout);
    do {
        if (!take_draw(seed, r, counts, &crashes) || seconds == 0) {
            wrong += r->stage != 3 || r->outcome >= FIRST_WRONG;
            printf("seed %u: %s; losses %d, %zu and %zu bytes, %.2f and %.2f dB; %s | %s | %s\n", seed,
                   names[r->outcome], r->has_losses, r->ours_bytes, r->theirs_bytes, r->ours_db, r->theirs_db,
                   r->messages.info, r->messages.warning, r->messages.error);
            fflush(stdout);
        }
        if (r->outcome == HANDED_OVER && r->theirs_bytes) {
            count_reason(r->messages.info);
            if (strstr(r->messages.info, "defect")) {
                printf("seed %u: %s\n", seed, r->messages.info);
            }
        } else if (r->outcome == REFUSED_WITH_MESSAGE) {
            count_reason(r->messages.error);
        }
        if (r->stage == 3 && r->outcome == BOTH_LOSSY && lossy < MOST && r->ours_bytes <= r->theirs_bytes * 1.02 &&
            r->ours_bytes >= r->theirs_bytes * 0.98) {
            gains[lossy++] = r->ours_db - r->theirs_db;
        }
        seed += 7919;
        draws++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - from.tv_sec) < seconds);
    printf("%u draws, %u wrong; OpenJPEG ended in %u\n", draws, wrong, crashes);
    for (int i = 1; i < OUTCOMES; i++) {
        printf("%7u %s\n", counts[i], names[i]);
    }
    for (unsigned i = 0; i < 200 && reasons[i].count; i++) {
        printf("%7u %s\n", reasons[i].count, reasons[i].text);
    }
    if (lossy) {
        qsort(gains, lossy, sizeof *gains, compare_numbers);
        printf("lossy, bytes within 2 %%: %u, median gain %.2f dB, a tenth below %.2f dB\n", lossy, gains[lossy / 2],
               gains[lossy / 10]);
    }
    free(gains);
    return wrong != 0;
}
