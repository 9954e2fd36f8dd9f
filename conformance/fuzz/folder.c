/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures: files of a folder, and drawn ones. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "folder.h"

#define MOST_FILE_BYTES (3l << 20)
#define MOST_SIDE 768u

/* ---- Folder ---------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int is_wanted(const char *folder, const char *name)
{
    static const char *const endings[] = {".png", ".ppm", ".pgm", ".pam", ".pgx", ".tif", ".tiff", ".bmp", ".dpx"};
    char path[1024];
    struct stat info;
    const char *dot = strrchr(name, '.');
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
        if (!strcmp(dot, endings[i]) && strlen(name) < 200 && !strpbrk(name, " %")) {
            return !stat(path, &info) && info.st_size <= MOST_FILE_BYTES;
        }
    }
    return 0;
}

static char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (!copy) {
        abort();
    }
    memcpy(copy, text, bytes);
    return copy;
}

void fuzz_folder_open(fuzz_folder *f, const char *path)
{
    memset(f, 0, sizeof *f);
    DIR *folder = path && path[0] ? opendir(path) : NULL;
    if (!folder) {
        return;
    }
    f->path = copy_text(path);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char **names = is_wanted(path, entry->d_name) ? realloc(f->names, (f->count + 1) * sizeof *names) : NULL;
        if (names) {
            f->names = names;
            names[f->count++] = copy_text(entry->d_name);
        }
    }
    (void)closedir(folder);
    if (f->count) {
        qsort(f->names, f->count, sizeof *f->names, compare_names);
    }
}

void fuzz_folder_close(fuzz_folder *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        free(f->names[i]);
    }
    free(f->names);
    free(f->path);
    fuzz_picture_free(&f->loaded);
    memset(f, 0, sizeof *f);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

void fuzz_picture_take(const wvl_io_component *from, uint32_t most_side, fuzz_plane *to)
{
    *to = (fuzz_plane){least(from->width, most_side),
                       least(from->height, most_side),
                       from->depth,
                       from->is_signed,
                       from->dx,
                       from->dy,
                       NULL};
    uint32_t left = (from->width - to->width) / 2, top = (from->height - to->height) / 2;
    to->samples = calloc((size_t)to->width * to->height + 1, sizeof *to->samples);
    if (!to->samples) {
        abort();
    }
    for (uint32_t y = 0; y < to->height; y++) {
        for (uint32_t x = 0; x < to->width; x++) {
            to->samples[(size_t)y * to->width + x] = (int32_t)wvl_io_sample(from, left + x, top + y);
        }
    }
}

/* 1 when the picture `name` is in f->loaded. A picture deeper than 28 bits is not of use here. */
int fuzz_folder_load(fuzz_folder *f, const char *name)
{
    char path[1024], error[512];
    wvl_io_picture io;
    if (f->loaded.count && !strcmp(f->loaded_name, name)) {
        return 1;
    }
    fuzz_picture_free(&f->loaded);
    snprintf(path, sizeof path, "%s/%s", f->path ? f->path : ".", name);
    if (!f->path || strlen(name) >= sizeof f->loaded_name ||
        wvl_io_read_picture(path, NULL, &io, error, sizeof error) < 0) {
        return 0;
    }
    if (io.components[0].depth <= 28) {
        f->loaded.count = least(io.component_count, 8);
        f->loaded.planes = calloc(f->loaded.count, sizeof *f->loaded.planes);
        for (uint32_t c = 0; f->loaded.planes && c < f->loaded.count; c++) {
            fuzz_picture_take(&io.components[c], MOST_SIDE, &f->loaded.planes[c]);
        }
        snprintf(f->loaded_name, sizeof f->loaded_name, "%s", name);
    }
    wvl_io_release_picture(&io);
    return f->loaded.planes != NULL;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

uint32_t fuzz_picture_hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t h = a * 0x85EBCA6Bu ^ b * 0xC2B2AE35u ^ c * 0x27D4EB2Fu;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return h ^ h >> 15;
}

/* Value noise on a lattice 2^cell apart, 0..65535. */
static int64_t lattice(uint32_t x, uint32_t y, unsigned cell, uint32_t seed)
{
    uint32_t cx = x >> cell, cy = y >> cell;
    int64_t side = INT64_C(1) << cell, fx = x & (side - 1), fy = y & (side - 1), corner[4];
    for (uint32_t i = 0; i < 4; i++) {
        corner[i] = fuzz_picture_hash(cx + (i & 1), cy + (i >> 1), seed) >> 16;
    }
    int64_t top = corner[0] * (side - fx) + corner[1] * fx, bottom = corner[2] * (side - fx) + corner[3] * fx;
    return (top * (side - fy) + bottom * fy) >> (2 * cell);
}

/* Amplitudes that fall with frequency, as in photographs; a bright bar and a dark disc for edges; a little grain. */
static uint32_t natural(uint32_t x, uint32_t y, uint32_t c, uint32_t seed)
{
    int64_t v = lattice(x, y, 7, seed) * 8 + lattice(x, y, 6, seed + 1) * 4 + lattice(x, y, 4, seed + 2) * 2 +
                lattice(x, y, 2, seed + 3);
    int64_t u = (int64_t)(x % 300) - 40, w = (int64_t)(y % 260) - 35;
    v = v / 16 + lattice(x, y, 5, seed + 16 + c) / 16;
    if (u * u + w * w < 400) {
        v /= 3;
    }
    if ((x + 2 * y) % 190 < 22) {
        v = 60000 - v / 4;
    }
    v += (int64_t)(fuzz_picture_hash(x, y, seed + 32 + c) >> 22) - 512;
    return (uint32_t)(v < 0 ? 0 : v > 65535 ? 65535 : v);
}

/* Only the ends of the range, in patterns that drive the filters far. */
static uint32_t extreme(uint32_t x, uint32_t y, uint32_t seed)
{
    uint32_t on;
    switch (fuzz_picture_hash(x >> 5, y >> 5, seed) & 7) {
    case 0: on = x ^ y; break;
    case 1: on = x; break;
    case 2: on = y; break;
    case 3: on = x >> 1 ^ y >> 1; break;
    case 4: on = x % 3 == 0; break;
    case 5: on = x >> 3; break;
    case 6: on = 1; break;
    default: on = fuzz_picture_hash(x, y, seed + 1) >> 7; break;
    }
    return on & 1 ? 65535 : 0;
}

uint32_t fuzz_picture_draw(const char *kind, uint32_t x, uint32_t y, uint32_t c, uint32_t seed)
{
    switch (kind[0]) {
    case 'f': return 65535 / 3;
    case 'e': return extreme(x, y, seed + c);
    case 's': return fuzz_picture_hash(x, y, seed + c) < 1u << 22 ? 65535 - (x & 1) : 32767;
    default: return kind[1] == 'o' ? fuzz_picture_hash(x, y, seed + 31 * c) >> 16 : natural(x, y, c, seed);
    }
}
