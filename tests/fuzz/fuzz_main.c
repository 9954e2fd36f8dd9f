/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target without libFuzzer: TARGET CHANGES FILE...
 * Each file as it is, then CHANGES times with up to eight small changes, the same in every run. No coverage guides it:
 * it is a test, not a search.
 */
#include "tests/fuzz/fuzz_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (1u << 20)

typedef struct input {
    uint8_t bytes[2 * MOST_BYTES];
    size_t n;
} input;

static uint32_t draw(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(z >> 32);
}

/* Flip, set, cut out, repeat, or cut off; bytes near the beginning are chosen more often, where the headers are. */
static void change(input *to, uint64_t *state)
{
    if (!to->n) {
        return;
    }
    size_t reach = draw(state) & 1 && to->n > 256 ? 256 : to->n, at = draw(state) % reach;
    size_t length = 1 + draw(state) % 8;
    length = at + length > to->n ? to->n - at : length;
    switch (draw(state) % 6) {
    case 0: to->bytes[at] ^= (uint8_t)(1u << draw(state) % 8); break;
    case 1: to->bytes[at] = (uint8_t)draw(state); break;
    case 2: to->bytes[at] = (uint8_t)(draw(state) & 1 ? 0xFF : 0); break;
    case 3:
        memmove(to->bytes + at, to->bytes + at + length, to->n - at - length);
        to->n -= length;
        break;
    case 4:
        memmove(to->bytes + at + length, to->bytes + at, to->n - at);
        to->n += length;
        break;
    default: to->n = draw(state) % 8 ? to->n : at; break;
    }
}

static int load(const char *path, input *to)
{
    FILE *file = fopen(path, "rb");
    to->n = file ? fread(to->bytes, 1, MOST_BYTES, file) : 0;
    return file && !fclose(file);
}

int main(int count, char **arguments)
{
    static input whole, changed;
    unsigned long changes = count > 1 ? strtoul(arguments[1], NULL, 10) : 0, tried = 0;
    uint64_t state = 1;
    if (count < 3) {
        fprintf(stderr, "usage: %s CHANGES FILE...\n", arguments[0]);
        return 2;
    }
    for (int i = 2; i < count; i++) {
        if (!load(arguments[i], &whole)) {
            fprintf(stderr, "%s cannot be read\n", arguments[i]);
            return 2;
        }
        (void)LLVMFuzzerTestOneInput(whole.bytes, whole.n);
        for (unsigned long k = 0; k < changes; k++, tried++) {
            memcpy(changed.bytes, whole.bytes, whole.n);
            changed.n = whole.n;
            for (uint32_t times = 1 + draw(&state) % 8; times--;) {
                change(&changed, &state);
            }
            (void)LLVMFuzzerTestOneInput(changed.bytes, changed.n);
        }
    }
    printf("%d files, %lu changed copies\n", count - 2, tried);
    return 0;
}
