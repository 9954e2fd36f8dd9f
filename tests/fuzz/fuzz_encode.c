/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target of params, plan and encoder: the input is a case of wavelane-fuzz, "key=value ...". What is taken must
 * come out legal to the walker, the same twice, within the memory promised; what is refused must say why. */
#include <stdlib.h>
#include <string.h>

#include "conformance/fuzz/draw.h"
#include "conformance/fuzz/run.h"
#include "tests/fuzz/fuzz_main.h"
#include "wavelane_check.h"

#define MOST_SIDE 48u
#define MOST_SAMPLES 8192u
#define MOST_LAYERS 40u

static void need(int holds)
{
    if (!holds) {
        abort();
    }
}

static uint64_t samples_of(const fuzz_picture *p)
{
    uint64_t samples = 0;
    for (uint32_t c = 0; c < p->count; c++) {
        samples += (uint64_t)p->planes[c].width * p->planes[c].height;
    }
    return samples;
}

/* Leaves what is small: time belongs to many cases. */
static int is_small(fuzz_case *c)
{
    uint32_t width = 32, height = 32, layers = 1, none;
    fuzz_case_pair(c, "size", &width, &height);
    fuzz_case_pair(c, "layers", &layers, &none);
    fuzz_case_set(c, "size", "%u,%u", width % MOST_SIDE, height % MOST_SIDE);
    fuzz_case_drop_key(c, "illegal");
    fuzz_case_drop_key(c, "device");
    fuzz_case_set(c, "threads", "1,2");
    if (strchr(fuzz_case_or(c, "picture", ""), '.')) {
        fuzz_case_drop_key(c, "picture");
    }
    return layers <= MOST_LAYERS;
}

static void judge(const fuzz_run *first, const fuzz_run *second)
{
    need(!first->broken[0] && !second->broken[0]);
    need(first->status == second->status && first->status != WVL_ERROR_INTERNAL && first->status != WVL_ERROR_MEMORY);
    if (first->status != WVL_OK) {
        need(first->error[0] != 0);
        return;
    }
    need(first->bytes == second->bytes && !memcmp(first->data, second->data, first->bytes));
    need(wvl_check_file(first->data, first->bytes, NULL, NULL, NULL, NULL) == WVL_CHECK_LEGAL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static fuzz_case c;
    static char line[FUZZ_MAX_TEXT];
    static fuzz_folder none;
    char text[512];
    fuzz_picture p;
    fuzz_run runs[2];
    size_t length = bytes < sizeof line ? bytes : sizeof line - 1;
    memcpy(line, data, length);
    line[length] = 0;
    if (!fuzz_case_parse(&c, line) || c.count + 3 > FUZZ_MAX_PAIRS || !is_small(&c) ||
        !fuzz_picture_shape(&c, &p, text, sizeof text)) {
        return 0;
    }
    uint64_t samples = samples_of(&p);
    fuzz_picture_free(&p);
    if (samples > MOST_SAMPLES || !fuzz_picture_build(&c, &none, &p, text, sizeof text)) {
        return 0;
    }
    fuzz_run_encode(&c, &p, 0, &runs[0]);
    fuzz_run_encode(&c, &p, 1, &runs[1]);
    judge(&runs[0], &runs[1]);
    fuzz_run_free(&runs[0]);
    fuzz_run_free(&runs[1]);
    fuzz_picture_free(&p);
    return 0;
}

#ifndef WVL_FUZZ_MAIN
/* Every other mutation takes a pair from a case that the generator draws, which bytes alone would hardly spell. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static fuzz_case mine, drawn;
    static char line[FUZZ_MAX_TEXT];
    fuzz_random random = {seed};
    if (size >= sizeof line || fuzz_random_chance(&random, 50)) {
        return LLVMFuzzerMutate(data, size, most);
    }
    memcpy(line, data, size);
    line[size] = 0;
    fuzz_draw_case(fuzz_random_next(&random) & UINT32_MAX, NULL, &drawn);
    const fuzz_pair *pair = &drawn.pairs[fuzz_random_between(&random, 0, drawn.count - 1)];
    if (!fuzz_case_parse(&mine, line) || mine.count + 1 >= FUZZ_MAX_PAIRS) {
        mine = drawn;
    } else {
        fuzz_case_set(&mine, pair->key, "%s", pair->value);
    }
    fuzz_case_print(&mine, line, sizeof line);
    size_t length = strlen(line) < most ? strlen(line) : most;
    memcpy(data, line, length);
    return length;
}
#endif
