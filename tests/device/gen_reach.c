/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes docs/reach.md: how far a device goes, for each key of the option table and the values that are tried here. The
 * answers are the backend's own. A key without values below is an error, so that a new option cannot be forgotten.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/host/backend_cuda.h"
#include "pictures.h"

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
    {"roi", "rect=0,0,64,64"},
    {"progression-changes", "0,0,1,6,3,RPCL"},
    {"tile-parts", "none R RLC"},
    {"registration", "100,100"},
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

/* Keys that are tried with EBCOT blocks and without rdoq, too. */
static const char *const rate_keys[] = {"rates",  "bpp",       "layer-bytes",        "psnr",
                                        "slopes", "max-bytes", "max-component-bytes"};

enum { WITH_HT, WITHOUT_HT, WITHOUT_RDOQ, WAYS };
static const char *const notes[WAYS] = {"", " (without HT)", " (without HT, `rdoq=no`)"};

typedef struct answer {
    wvl_reach reach;
    char why[256];
    char values[256];
    int way; /* WITH_HT ... */
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
    (void)snprintf(name, sizeof name, "%.*s", (int)(equals - with), with);
    return set_word(params, name, equals + 1);
}

/* 0: the settings are refused. */
static int ask(const char *key, const char *value, int way, answer *a)
{
    static const wvl_component_format component = {8, 0, 1, 1};
    wvl_component_format components[3] = {component, component, component};
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = 512, .y1 = 512, .component_count = 3, .components = components};
    wvl_params *params = NULL;
    wvl_plan *plan = NULL;
    const char *why = NULL;
    if (wvl_params_create(context, &params) != WVL_OK) {
        return 0;
    }
    int good = (way != WITH_HT || set_word(params, "style", "HT")) &&
               (way != WITHOUT_RDOQ || set_word(params, "rdoq", "no")) && set_companion(params, key) &&
               set_word(params, key, value) && wvl_plan_create(context, params, &format, NULL, &plan) == WVL_OK;
    if (good) {
        a->reach = wvl_pictures_reach_with(&wvl_backend_cuda, plan, NULL, &why);
        (void)snprintf(a->why, sizeof a->why, "%s", why ? why : "");
        a->way = way;
        (void)snprintf(a->values, sizeof a->values, "%s", value);
    }
    wvl_plan_release(plan);
    wvl_params_release(params);
    return good;
}

static int list_values(const wvl_option *option, char *text, size_t bytes, char **values)
{
    const char *given = option->type == WVL_OPTION_CHOICE || option->type == WVL_OPTION_BOOL ? option->range : NULL;
    for (size_t i = 0; i < sizeof samples / sizeof *samples && !given; i++) {
        given = strcmp(samples[i].key, option->key) ? NULL : samples[i].values;
    }
    int count = 0;
    (void)snprintf(text, bytes, "%s", given ? given : "");
    for (char *word = strtok(text, "| "); word && count < MOST_VALUES; word = strtok(NULL, "| ")) {
        values[count++] = word;
    }
    return count;
}

/* Values that get the same answer share a row. */
static void add_answer(answer *answers, int *count, const answer *a)
{
    for (int i = 0; i < *count; i++) {
        answer *known = &answers[i];
        if (known->reach == a->reach && !strcmp(known->why, a->why) && known->way == a->way) {
            size_t used = strlen(known->values);
            (void)snprintf(known->values + used, sizeof known->values - used, "`, `%s", a->values);
            return;
        }
    }
    answers[(*count)++] = *a;
}

static int write_rows(const wvl_option *option)
{
    static const char *const names[] = {"none", "coefs", "blocks", "packets"};
    char text[2048], *values[MOST_VALUES];
    answer answers[MOST_VALUES], a;
    int count = 0, value_count = list_values(option, text, sizeof text, values);
    if (!value_count) {
        (void)fprintf(stderr, "gen_reach: no values to try for the option %s\n", option->key);
        return 0;
    }
    for (int i = 0; i < value_count; i++) {
        if (ask(option->key, values[i], WITH_HT, &a) || ask(option->key, values[i], WITHOUT_HT, &a)) {
            add_answer(answers, &count, &a);
        }
        if (is_rate_key(option->key) && ask(option->key, values[i], WITHOUT_RDOQ, &a)) {
            add_answer(answers, &count, &a);
        }
    }
    for (int i = 0; i < count; i++) {
        (void)printf("| %s | `%s`%s | %s | %s |\n", option->key, answers[i].values, notes[answers[i].way],
                     names[answers[i].reach], answers[i].why);
    }
    return 1;
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
    "Each row sets one option beside `style=HT`; the rate options, `step`, `qfactor`, `quantization`, "
    "`distortion-bits` "
    "and\n"
    "`measure-psnr` stand beside `reversible=no` too, `input-transfer` and `input-range` beside `input-color=rec709`. "
    "Values that HT does not allow are tried without it,\n"
    "and the rate options without HT and with `rdoq=no`, too. A picture of\n"
    "components of more than 16 bits is for the CPU (`none`).\n"
    "\n"
    "| option | values | device | why no farther |\n"
    "| --- | --- | --- | --- |\n";

int main(void)
{
    wvl_context_options options = {.struct_size = sizeof options, .threads = 1};
    size_t count;
    const wvl_option *table = wvl_options(&count);
    int good = wvl_context_create(&options, &context) == WVL_OK;
    (void)fputs(head, stdout);
    for (size_t i = 0; i < count && good; i++) {
        good = write_rows(&table[i]);
    }
    wvl_context_release(context);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
