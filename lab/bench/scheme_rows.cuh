/* SPDX-License-Identifier: BSD-2-Clause */
/* Behind generated kernels and LAB_ROWS: puts them on the list of scheme_harness.cu. Several such files make one
 * program. */
#ifndef WVL_BENCH_SCHEME_ROWS_CUH
#define WVL_BENCH_SCHEME_ROWS_CUH

#include "../dwtgen/prelude.cuh"

#include "../dwtgen/levels.cuh"
#include <vector>

enum lab_direction { FORWARD, INVERSE };
enum lab_type { F32, F16X2, I32 };

struct lab_entry {
    const char *name, *wavelet, *scheme;
    lab_direction direction;
    lab_type type;
    int threads, tile_width, tile_height, tiles, shared_bytes, is_memoryless, levels;
    void (*body)(lab_args);
};

/* All kernels of the program. */
std::vector<lab_entry> &lab_list();

#ifdef LAB_ROWS
#define LAB_ROW(NAME, WAVELET, SCHEME, DIRECTION, TYPE, THREADS, WIDTH, HEIGHT, TILES, SHARED, MEMORYLESS, LEVELS)     \
    {#NAME, #WAVELET, #SCHEME, DIRECTION, TYPE, THREADS, WIDTH, HEIGHT, TILES, SHARED, MEMORYLESS, LEVELS, NAME},
static const lab_entry lab_entries[] = {LAB_ROWS};
static const bool lab_are_listed =
    (lab_list().insert(lab_list().end(), lab_entries, lab_entries + sizeof lab_entries / sizeof *lab_entries), true);
#endif

#endif
