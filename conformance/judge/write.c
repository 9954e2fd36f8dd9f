/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures for programs to read: PNM and PAM, PGX, raw with the low byte first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static void put_sample(FILE *file, int32_t value, unsigned bytes, int low_first)
{
    for (unsigned i = 0; i < bytes; i++) {
        unsigned at = low_first ? i : bytes - 1 - i;
        putc((int)((uint32_t)value >> (8 * at) & 255), file);
    }
}

static unsigned bytes_of(unsigned depth) { return depth <= 8 ? 1 : depth <= 16 ? 2 : 4; }

static int finish(FILE *file, const char *path)
{
    int failed = ferror(file);
    failed |= fclose(file);
    return failed ? wvl_judge_fail(WVL_JUDGE_OUTPUT, "%s cannot be written", path) : WVL_JUDGE_DONE;
}

static int is_uniform(const wvl_judge_picture *p)
{
    for (uint32_t c = 0; c < p->count; c++) {
        const wvl_judge_plane *a = &p->planes[0], *b = &p->planes[c];
        if (a->depth != b->depth || a->is_signed != b->is_signed || b->dx != 1 || b->dy != 1) {
            return 0;
        }
    }
    return p->count > 0;
}

static int write_pnm(const char *path, const wvl_judge_picture *p)
{
    const char *dot = strrchr(path, '.');
    unsigned depth = p->planes[0].depth, top = (1u << depth) - 1;
    int pam = !strcmp(dot, ".pam");
    if (!is_uniform(p) || p->planes[0].is_signed || depth > 16 || (!pam && p->count != 1 && p->count != 3)) {
        return wvl_judge_fail(WVL_JUDGE_USAGE, "%s: PNM has unsigned components of one depth up to 16", path);
    }
    FILE *file = fopen(path, "wb");
    if (!file) {
        return wvl_judge_fail(WVL_JUDGE_OUTPUT, "%s cannot be written", path);
    }
    if (pam) {
        static const char *const kinds[] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
        fprintf(file, "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n", p->x1, p->y1, p->count,
                top, p->count <= 4 ? kinds[p->count - 1] : "BANDS");
    } else {
        fprintf(file, "%s\n%u %u\n%u\n", p->count == 1 ? "P5" : "P6", p->x1, p->y1, top);
    }
    for (size_t i = 0; i < (size_t)p->planes[0].width * p->planes[0].height; i++) {
        for (uint32_t c = 0; c < p->count; c++) {
            put_sample(file, p->planes[c].samples[i], depth > 8 ? 2 : 1, 0);
        }
    }
    return finish(file, path);
}

/* NAME.pgx becomes NAME_0.pgx, NAME_1.pgx, ...; a single component keeps the name. */
static int write_pgx(const char *path, const wvl_judge_picture *p)
{
    int code = WVL_JUDGE_DONE;
    size_t length = strlen(path);
    char *name = wvl_judge_need_memory(length + 16, 1);
    for (uint32_t c = 0; !code && c < p->count; c++) {
        const wvl_judge_plane *plane = &p->planes[c];
        snprintf(name, length + 16, "%s", path);
        if (p->count > 1) {
            snprintf(name + length - 4, 20, "_%u.pgx", c);
        }
        FILE *file = fopen(name, "wb");
        if (!file) {
            code = wvl_judge_fail(WVL_JUDGE_OUTPUT, "%s cannot be written", name);
            break;
        }
        fprintf(file, "PG ML %c %u %u %u\n", plane->is_signed ? '-' : '+', plane->depth, plane->width, plane->height);
        for (size_t i = 0; i < (size_t)plane->width * plane->height; i++) {
            put_sample(file, plane->samples[i], bytes_of(plane->depth), 0);
        }
        code = finish(file, name);
    }
    free(name);
    return code;
}

static int write_raw(const char *path, const wvl_judge_picture *p)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        return wvl_judge_fail(WVL_JUDGE_OUTPUT, "%s cannot be written", path);
    }
    for (uint32_t c = 0; c < p->count; c++) {
        for (size_t i = 0; i < (size_t)p->planes[c].width * p->planes[c].height; i++) {
            put_sample(file, p->planes[c].samples[i], bytes_of(p->planes[c].depth), 1);
        }
    }
    return finish(file, path);
}

int wvl_judge_write_picture(const char *path, const wvl_judge_picture *p)
{
    const char *dot = strrchr(path, '.');
    if (dot && !strcmp(dot, ".pgx")) {
        return write_pgx(path, p);
    }
    if (dot && !strcmp(dot, ".rawl")) {
        return write_raw(path, p);
    }
    if (dot && (!strcmp(dot, ".pgm") || !strcmp(dot, ".ppm") || !strcmp(dot, ".pam"))) {
        return write_pnm(path, p);
    }
    return wvl_judge_fail(WVL_JUDGE_USAGE, "%s: the extension must be pgm, ppm, pam, pgx or rawl", path);
}
