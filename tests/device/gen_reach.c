/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes docs/reach.md: how far a device goes, for each key of the option table and the values that are tried here. The
 * answers are the backend's own. A key without values below is an error, so that a new option cannot be forgotten.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/host/backend_cuda.h"
#include "way/way.h"

#define MOST_VALUES 24

/* Values of keys that are no choice, separated by blanks. */
static const struct {
    const char *key, *values;
} samples[] = {
    {"levels", "0 5 32 auto"},
    {"tile", "0,0 100,90"},
    {"tile-offset", "0,0"},
    {"block", "64,64 1024,4 4,4"},
    {"precincts", "[256,256],[128,128]"},
    {"style", "HT HT+VSC 0 BYPASS+SEGSYM"},
    {"overrides", "C0:levels=3 C0:reversible=no C0:block=32,32 T1:progression=RPCL C0:style=HT+VSC"},
    {"roi", "rect=0,0,64,64 c=1,U=8"},
    {"progression-changes", "0,0,1,6,3,RPCL"},
    {"tile-parts", "none R RLC"},
    {"registration", "[100,100]"},
    {"frame-rate", "24"},
    {"main-level", "0"},
    {"sub-level", "0"},
    {"step", "0 0.01"},
    {"qfactor", "0 85"},
    {"guard-bits", "1 2 7"},
    {"distortion-bits", "0 6"},
    {"rates", "1 20,1 8"},
    {"bpp", "1"},
    {"layer-bytes", "100000"},
    {"psnr", "40"},
    {"slopes", "40000"},
    {"layers", "1 4"},
    {"max-bytes", "0 100000"},
    {"max-component-bytes", "0 50000"},
    {"ht-passes", "1 2 3"},
    {"comment", "text"},
    {"device", "cuda"},
    {"device-memory", "0"},
};

/* Without these a key says nothing about blocks: they go with it. */
static const struct {
    const char *key, *with;
} companions[] = {
    {"step", "reversible=no"},
    {"qfactor", "reversible=no"},
    {"quantization", "reversible=no"},
    {"distortion-bits", "reversible=no"},
    {"measure-psnr", "reversible=no"},
    {"bpp", "reversible=no"},
    {"rates", "reversible=no"},
    {"psnr", "reversible=no"},
    {"slopes", "reversible=no"},
    {"input-transfer", "input-color=rec709"},
    {"input-range", "input-color=rec709"},
};

/* Keys that are tried without rdoq, too. */
static const char *const rate_keys[] = {"rates",  "bpp",       "layer-bytes",        "psnr",
                                        "slopes", "max-bytes", "max-component-bytes"};

/* Pictures with HT blocks, and those of Part 1, as they are and without rdoq. */
enum { HT, PART1, WITHOUT_RDOQ, WAYS };

/* What a device does with one value, each way. */
typedef struct answer {
    char reach[WAYS][8]; /* "-": the value is refused, or not tried this way */
    char why[WAYS][256];
    char values[256];
} answer;

static wvl_context *context;

static int set_word(wvl_params *params, const char *key, const char *value)
{
    return wvl_params_set(params, key, value) == WVL_OK;
}

static const char *companion_of(const char *key)
{
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) {
        if (!strcmp(companions[i].key, key)) {
            return companions[i].with;
        }
    }
    return NULL;
}

static int is_rate_key(const char *key)
{
    for (size_t i = 0; i < sizeof rate_keys / sizeof *rate_keys; i++) {
        if (!strcmp(rate_keys[i], key)) {
            return 1;
        }
    }
    return 0;
}

static int set_companion(wvl_params *params, const char *key)
{
    const char *with = companion_of(key), *equals = with ? strchr(with, '=') : NULL;
    char name[64];
    if (!with) {
        return 1;
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - with), with);
    return set_word(params, name, equals + 1);
}

static void ask(const char *key, const char *value, int way, answer *a)
{
    static const char *const names[] = {"none", "coefs", "blocks", "packets"};
    static const wvl_component_format component = {8, 0, 1, 1};
    wvl_component_format components[3] = {component, component, component};
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = 512, .y1 = 512, .component_count = 3, .components = components};
    wvl_params *params = NULL;
    wvl_plan *plan = NULL;
    a->why[way][0] = 0;
    snprintf(a->reach[way], sizeof a->reach[way], "-");
    if (wvl_params_create(context, &params) != WVL_OK) {
        return;
    }
    int good = (way != HT || set_word(params, "style", "HT")) &&
               (way != WITHOUT_RDOQ || set_word(params, "rdoq", "no")) && set_companion(params, key) &&
               set_word(params, key, value) && wvl_plan_create(context, params, &format, NULL, &plan) == WVL_OK;
    if (good) {
        const wvl_device_list one = {.table = &wvl_backend_cuda, .count = 1};
        wvl_way chosen = wvl_choose_way(plan, &(wvl_way_source){.many = 1, .devices = &one});
        snprintf(a->reach[way], sizeof a->reach[way], "%s", names[chosen.reach]);
        snprintf(a->why[way], sizeof a->why[way], "%s", chosen.why ? chosen.why : "");
    }
    wvl_plan_release(plan);
    wvl_params_release(params);
}

/* The value of a style says itself what blocks there are. */
static int is_meant(const char *key, const char *value, int way)
{
    return strcmp(key, "style") || (way == HT) == (strstr(value, "HT") != NULL);
}

static int is_answered(const answer *a, int way) { return strcmp(a->reach[way], "-") != 0; }

/* 0: no way takes the value. */
static int ask_all(const char *key, const char *value, answer *a)
{
    int good = 0;
    memset(a, 0, sizeof *a);
    snprintf(a->values, sizeof a->values, "%s", value);
    for (int way = HT; way < WAYS; way++) {
        snprintf(a->reach[way], sizeof a->reach[way], "-");
        if (is_meant(key, value, way) && (way != WITHOUT_RDOQ || is_rate_key(key))) {
            ask(key, value, way, a);
        }
        good |= is_answered(a, way);
    }
    if (!strcmp(a->reach[PART1], a->reach[WITHOUT_RDOQ]) && !strcmp(a->why[PART1], a->why[WITHOUT_RDOQ])) {
        snprintf(a->reach[WITHOUT_RDOQ], sizeof a->reach[WITHOUT_RDOQ], "-"); /* the same */
    }
    return good;
}

static int list_values(const wvl_option *option, char *text, size_t bytes, char **values)
{
    const char *given = option->type == WVL_OPTION_CHOICE || option->type == WVL_OPTION_BOOL ? option->range : NULL;
    for (size_t i = 0; i < sizeof samples / sizeof *samples && !given; i++) {
        given = strcmp(samples[i].key, option->key) ? NULL : samples[i].values;
    }
    int count = 0;
    snprintf(text, bytes, "%s", given ? given : "");
    for (char *word = strtok(text, "| "); word && count < MOST_VALUES; word = strtok(NULL, "| ")) {
        values[count++] = word;
    }
    return count;
}

/* Values that get the same answers share a row. */
static void add_answer(answer *answers, int *count, const answer *a)
{
    for (int i = 0; i < *count; i++) {
        answer *known = &answers[i];
        if (!memcmp(known->reach, a->reach, sizeof a->reach) && !memcmp(known->why, a->why, sizeof a->why)) {
            size_t used = strlen(known->values);
            snprintf(known->values + used, sizeof known->values - used, "`, `%s", a->values);
            return;
        }
    }
    answers[(*count)++] = *a;
}

static void write_row(const char *key, const answer *a)
{
    const char *of_ht = a->why[HT], *of_part1 = a->why[PART1];
    printf("| %s | `%s` | %s | %s | ", key, a->values, a->reach[HT], a->reach[PART1]);
    if (*of_ht && *of_part1 && strcmp(of_ht, of_part1)) {
        printf("HT: %s. Part 1: %s |\n", of_ht, of_part1);
    } else {
        printf("%s%s |\n", !*of_ht && *of_part1 && is_answered(a, HT) ? "Part 1: " : "", *of_ht ? of_ht : of_part1);
    }
    if (is_answered(a, WITHOUT_RDOQ)) {
        printf("| %s | `%s`, `rdoq=no` | - | %s | %s |\n", key, a->values, a->reach[WITHOUT_RDOQ],
               a->why[WITHOUT_RDOQ]);
    }
}

static int write_rows(const wvl_option *option)
{
    char text[2048], *values[MOST_VALUES];
    answer answers[MOST_VALUES], a;
    int count = 0, value_count = list_values(option, text, sizeof text, values);
    if (!value_count) {
        fprintf(stderr, "gen_reach: no values to try for the option %s\n", option->key);
        return 0;
    }
    for (int i = 0; i < value_count; i++) {
        if (ask_all(option->key, values[i], &a)) {
            add_answer(answers, &count, &a);
        }
    }
    for (int i = 0; i < count; i++) {
        write_row(option->key, &answers[i]);
    }
    if (!count) {
        fprintf(stderr, "gen_reach: no value of the option %s is taken\n", option->key);
    }
    return count;
}

static const char head[] =
    "<!-- written by tests/device/gen_reach.c; do not edit -->\n"
    "# How far a device goes\n"
    "\n"
    "A device does as many stages of an encode as it can; the CPU does the others, with the same bytes.\n"
    "`coefs`: colour transform, wavelet and quantisation. `blocks`: coding of code-blocks too. `packets`: packets "
    "too.\n"
    "The option `reach` asks for the least that a device must do. `wvl_result_backend` says what it did.\n"
    "\n"
    "Each row sets one option, in pictures with HT blocks (`style=HT`) and in those of Part 1; `-`: the value is "
    "refused "
    "there. The rate options,\n"
    "`step`, `qfactor`, `quantization`, `distortion-bits` and `measure-psnr` stand beside `reversible=no` too, "
    "`input-transfer` and\n"
    "`input-range` beside `input-color=rec709`. Where `rdoq=no` changes the answer it has a row of its own. A picture "
    "of\n"
    "components of more than 16 bits is for the CPU (`none`).\n"
    "A picture that exceeds the memory of the device, or the option `device-memory`, goes through it in waves of "
    "tiles, "
    "or in\n"
    "strips where a tile is too large (D-strip-07): no farther than `blocks`, as pictures whose packets are made on "
    "the "
    "CPU.\n"
    "`--explain` says how far.\n"
    "\n"
    "| option | values | HT | Part 1 | why no farther |\n"
    "| --- | --- | --- | --- | --- |\n";

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        return printf("usage: gen_reach > docs/reach.md\n") < 0;
    }
    wvl_context_options options = {.struct_size = sizeof options, .threads = 1};
    size_t count;
    const wvl_option *table = wvl_options(&count);
    int good = wvl_context_create(&options, &context) == WVL_OK;
    fputs(head, stdout);
    for (size_t i = 0; i < count && good; i++) {
        good = write_rows(&table[i]);
    }
    wvl_context_release(context);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
