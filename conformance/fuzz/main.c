/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane-fuzz: random configurations on small crops, judged by the walker and by foreign decoders. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef WVL_HAVE_NETTLE
#include "digests.h"
#endif
#include "faults.h"
#include "illegal.h"
#include "pool.h"
#include "tally.h"

#define MAX_FAILURES 200u

static const char usage[] =
    "wavelane-fuzz: random legal configurations must encode, and decode as promised; illegal ones must be refused\n"
    "\n"
    "  --seed N          first seed (1)\n"
    "  --count N         how many (300)\n"
    "  --jobs N          processes (1)\n"
    "  --pictures DIR    crops come from pictures of this folder (else from drawn ones)\n"
    "  --second          ask a second decoder too (grk_decompress), and OpenJPH about HT blocks where built with it\n"
    "  --ht              HT blocks only, and nothing illegal\n"
    "  --packets [ht|ht-rate|part1|rate|layers|waves]  blocks of that kind (ht), and only what a device finishes: 99 "
    "of "
    "100 must reach packets; ht-rate, rate: with targets and limits; layers: the same of part1 with several layers; "
    "waves: of part1 what the CPU finishes: 99 of 100 must reach blocks\n"
    "  --presets         every case has a preset, and nothing is illegal\n"
    "  --estimates       9/7 at a rate, with an estimated PSNR: the mean of its errors is checked\n"
    "  --seconds N       of one trial at most, without foreign decoders (60)\n"
    "  --patience N      seconds of a foreign decoder at most: a slower one does not count (60)\n"
    "  --keep DIR        write the case of each failure to a file there\n"
    "  --replay \"key=value ...\"   judge one case\n"
    "  --replay-files FILE...     judge the cases of files, one each; must be last\n"
    "  --write FILE      for a --replay that follows: keep the encoded file\n"
    "  --show SEED       print the case of a seed\n"
    "  --rows            the second encode of each comes by rows, with strips of all heights and with little memory\n"
    "  --device cpu|cuda|cuda-only  option \"device\" of every configuration\n"
    "  --reach coefs|blocks|packets  the same of \"reach\": a device that does less is an error with cuda-only\n"
    "  --digests FILE    write a line with seed and SHA-256 of the output for each configuration, and judge nothing: "
    "compare two builds by it\n"
    "  --faults          list the known faults of the decoders, with evidence\n"
    "\n"
    "Ends with 0 when nothing failed, 1 when something did, 2 when it was called in a wrong way.\n";

typedef struct failure {
    uint64_t seed;
    fuzz_verdict verdict;
} failure;

typedef struct session {
    fuzz_plan plan;
    fuzz_judge judge;
    const char *keep, *digests;
    fuzz_tally tally;
    failure failures[MAX_FAILURES];
    uint32_t failure_count;
} session;

/* ---- Report ---------------------------------------------------------------------------------- */

static void count_trial(void *user, uint64_t seed, const fuzz_verdict *v)
{
    session *s = user;
    fuzz_tally_count(&s->tally, v);
    if (v->outcome == FUZZ_FAILED && s->failure_count < MAX_FAILURES) {
        s->failures[s->failure_count++] = (failure){seed, *v};
    }
    if (getenv("WVL_FUZZ_VERBOSE") &&
        (v->outcome == FUZZ_REFUSED || (v->found & (FUZZ_WAS_EXCUSED | FUZZ_WAS_DISPUTED | FUZZ_WAS_HT_DECLINED)))) {
        printf("seed %" PRIu64 ": %s %s\n", seed, v->check, v->text);
    }
}

static void print_summary(const session *s, double seconds)
{
    printf("%" PRIu64 " configurations, seeds %" PRIu64 " to %" PRIu64 ", %u processes, %.0f s: %" PRIu64 " failed\n",
           s->tally.trials, s->plan.seed, s->plan.seed + s->plan.count - 1, s->plan.jobs, seconds, s->tally.failed);
    fuzz_tally_print(&s->tally);
}

static void keep_case(const session *s, const failure *f, const char *line)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%.20s_%" PRIu64 ".case", s->keep, f->verdict.check, f->seed);
    for (char *p = path + strlen(s->keep) + 1; *p; p++) {
        *p = *p == ' ' ? '_' : *p;
    }
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "# seed %" PRIu64 ", %s: %s\n%s\n", f->seed, f->verdict.check, f->verdict.text, line);
        (void)fclose(file);
        printf("  kept as %s\n", path);
    } else {
        printf("  could not be kept as %s\n", path);
    }
}

static void report_failure(const session *s, const failure *f)
{
    static fuzz_case c;
    static char line[FUZZ_MAX_TEXT];
    fuzz_pool_draw(&s->plan, f->seed, &c);
    fuzz_case_print(&c, line, sizeof line);
    printf("FAILED seed %" PRIu64 ", %s: %s\n  --replay \"%s\"\n", f->seed, f->verdict.check, f->verdict.text, line);
    if (s->keep) {
        keep_case(s, f, line);
    }
    (void)fflush(stdout);
}

/* ---- Replaying ------------------------------------------------------------------------------- */

static int replay(session *s, const char *name, const char *text)
{
    static fuzz_case c;
    static const char *const words[] = {"passed", "refused", "FAILED"};
    fuzz_verdict v;
    if (!fuzz_case_parse(&c, text)) {
        fprintf(stderr, "%s: not a case: expected key=value key=value ...\n", name);
        return 2;
    }
    fuzz_pool_try(&s->judge, &c, s->plan.seconds, &v);
    printf("%s: %s %s %s\n", name, words[v.outcome], v.check, v.text);
    return v.outcome == FUZZ_FAILED;
}

static int replay_file(session *s, const char *path)
{
    static char text[FUZZ_MAX_TEXT];
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        return 2;
    }
    size_t n = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[n] = 0;
    return replay(s, path, text);
}

static void list_faults(void)
{
    size_t count;
    const fuzz_fault *faults = fuzz_faults(&count);
    for (size_t i = 0; i < count; i++) {
        printf("%s (%s %s)\n    %s\n", faults[i].id,
               faults[i].decoder == FUZZ_OPENJPEG ? "OpenJPEG"
               : faults[i].decoder == FUZZ_GROK   ? "Grok"
                                                  : "OpenJPH",
               faults[i].version, faults[i].evidence);
    }
}

static int show(session *s, uint64_t seed)
{
    static fuzz_case c;
    static char line[FUZZ_MAX_TEXT];
    fuzz_pool_draw(&s->plan, seed, &c);
    fuzz_case_print(&c, line, sizeof line);
    printf("%s\n", line);
    return 0;
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int write_digests(session *s)
{
#ifdef WVL_HAVE_NETTLE
    s->plan.judge_case = fuzz_digests_judge;
    return fuzz_digests_write(&s->plan, s->digests);
#else
    fprintf(stderr, "%s: this build has no --digests: install nettle (Debian: nettle-dev) and configure again\n",
            s->digests);
    return 2;
#endif
}

static int run_session(session *s)
{
    struct timespec from, to;
    if (s->digests) {
        return write_digests(s);
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    int done = fuzz_pool_run(&s->plan, count_trial, s);
    (void)clock_gettime(CLOCK_MONOTONIC, &to);
    for (uint32_t i = 0; i < s->failure_count; i++) {
        report_failure(s, &s->failures[i]);
    }
    print_summary(s, (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    if (!done || s->tally.trials != s->plan.count) {
        printf("  not all of %" PRIu64 " were tried\n", s->plan.count);
        return 1;
    }
    int lacks = s->plan.only_packets && fuzz_tally_lacks(&s->tally, fuzz_pool_wants(&s->plan));
    return fuzz_tally_fails(&s->tally) || lacks || s->tally.failed != 0;
}

/* Takes the value of a named option. 0: no such name. */
static int take_number(session *s, const char *name, const char *value)
{
    uint64_t v = strtoull(value, NULL, 10);
    if (!strcmp(name, "--seed")) {
        s->plan.seed = v;
    } else if (!strcmp(name, "--count")) {
        s->plan.count = v;
    } else if (!strcmp(name, "--jobs")) {
        s->plan.jobs = v < 1 ? 1 : v > FUZZ_MAX_JOBS ? FUZZ_MAX_JOBS : (uint32_t)v;
    } else if (!strcmp(name, "--seconds")) {
        s->plan.seconds = (uint32_t)v;
    } else if (!strcmp(name, "--patience")) {
        s->judge.patience = (uint32_t)v;
    } else {
        return 0;
    }
    return 1;
}

static int take_text(session *s, const char *name, const char *value)
{
    if (!strcmp(name, "--pictures")) {
        fuzz_folder_close(&s->judge.folder);
        fuzz_folder_open(&s->judge.folder, value);
    } else if (!strcmp(name, "--keep")) {
        s->keep = value;
    } else if (!strcmp(name, "--write")) {
        s->judge.write = value;
    } else if (!strcmp(name, "--device")) {
        s->plan.device = value;
    } else if (!strcmp(name, "--reach")) {
        s->plan.reach = value;
    } else if (!strcmp(name, "--digests")) {
        s->digests = value;
    } else {
        return take_number(s, name, value);
    }
    return 1;
}

static int take_word(session *s, const char *name)
{
    if (!strcmp(name, "--second")) {
        s->judge.second = 1;
    } else if (!strcmp(name, "--ht")) {
        s->plan.blocks = FUZZ_BLOCKS_HT;
    } else if (!strcmp(name, "--presets")) {
        s->plan.only_presets = 1;
    } else if (!strcmp(name, "--estimates")) {
        s->plan.only_estimates = s->tally.only_estimates = 1;
    } else if (!strcmp(name, "--rows")) {
        s->plan.by_rows = 1;
    } else {
        return 0;
    }
    return 1;
}

/* "--packets", which may have a value: how many arguments it takes. 0: another name. */
static int take_packets(session *s, const char *name, const char *value)
{
    static const struct {
        const char *word;
        fuzz_blocks blocks;
    } kinds[] = {{"ht", FUZZ_BLOCKS_HT},         {"part1", FUZZ_BLOCKS_PART1}, {"rate", FUZZ_BLOCKS_RATE},
                 {"layers", FUZZ_BLOCKS_LAYERS}, {"waves", FUZZ_BLOCKS_WAVES}, {"ht-rate", FUZZ_BLOCKS_HT_RATE}};
    if (strcmp(name, "--packets") != 0) {
        return 0;
    }
    s->plan.only_packets = 1;
    s->plan.blocks = FUZZ_BLOCKS_HT;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (value && !strcmp(value, kinds[i].word)) {
            s->plan.blocks = kinds[i].blocks;
            return 2;
        }
    }
    return 1;
}

static int run_arguments(session *s, int count, char **arguments)
{
    int worst = 0;
    for (int i = 1; i < count; i++) {
        const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
        if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
            return fputs(usage, stdout) < 0;
        }
        if (!strcmp(name, "--faults")) {
            list_faults();
            return 0;
        }
        if (value && !strcmp(name, "--replay")) {
            return replay(s, "case", value);
        }
        if (value && !strcmp(name, "--show")) {
            return show(s, strtoull(value, NULL, 10));
        }
        if (value && !strcmp(name, "--replay-files")) {
            for (i++; i < count; i++) {
                int code = replay_file(s, arguments[i]);
                worst = code > worst ? code : worst;
            }
            return worst;
        }
        int taken = take_packets(s, name, value);
        if (taken) {
            i += taken - 1;
            continue;
        }
        if (!take_word(s, name) && (!value || !take_text(s, name, value) || !i++)) {
            fputs(usage, stderr);
            return 2;
        }
    }
    return run_session(s);
}

int main(int count, char **arguments)
{
    session *s = calloc(1, sizeof *s);
    if (!s) {
        return 2;
    }
    s->plan = (fuzz_plan){.seed = 1, .count = 300, .jobs = 1, .seconds = 60, .judge = &s->judge};
    s->judge.patience = 60;
    int code = run_arguments(s, count, arguments);
    fuzz_folder_close(&s->judge.folder);
    free(s);
    return code;
}
