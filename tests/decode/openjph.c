/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/decode/openjph.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int has_format(const picture *p)
{
    int fits = p->count == 1 || p->count == 3;
    for (uint32_t c = 0; c < p->count; c++) {
        const picture_plane *plane = &p->planes[c], *first = &p->planes[0];
        fits &= !plane->is_signed && plane->depth <= 16 && plane->depth == first->depth;
        fits &= plane->width == first->width && plane->height == first->height;
    }
    return fits;
}

/* Asked once. */
static int is_installed(void)
{
    static int known = -1;
    if (known < 0) {
        known = system("command -v ojph_expand >/dev/null 2>&1") == 0;
    }
    return known;
}

static int write_file(const char *path, const uint8_t *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    int good = f && fwrite(data, 1, bytes, f) == bytes;
    return f && !fclose(f) && good;
}

/* PGM or PPM with the size and the components of `like`. */
static int read_samples(FILE *f, const picture *like, picture *p)
{
    unsigned width, height, most;
    char kind;
    const picture_plane *first = &like->planes[0];
    if (fscanf(f, "P%c %u %u %u", &kind, &width, &height, &most) != 4 || fgetc(f) == EOF ||
        kind != (like->count == 1 ? '5' : '6') || width != first->width || height != first->height) {
        return 0;
    }
    *p = picture_draw(PICTURE_FLAT, width, height, like->count, first->depth, 0);
    for (size_t i = 0; i < (size_t)width * height * like->count; i++) {
        int high = most > 255 ? fgetc(f) : 0, low = fgetc(f);
        p->planes[i % like->count].samples[i / like->count] = high << 8 | low;
    }
    picture_place(p, like->x0, like->y0);
    return !feof(f) && fgetc(f) == EOF;
}

static openjph_answer expand(const char *folder, const picture *like, picture *p, char *text, size_t text_bytes)
{
    char out[64], command[256];
    snprintf(out, sizeof out, "%s/out.%s", folder, like->count == 1 ? "pgm" : "ppm");
    snprintf(command, sizeof command, "ojph_expand -i %s/in.j2c -o %s >/dev/null 2>&1", folder, out);
    int status = system(command);
    if (status) {
        snprintf(text, text_bytes, "ojph_expand ends with status %d", WIFEXITED(status) ? WEXITSTATUS(status) : status);
        return OPENJPH_REFUSED;
    }
    FILE *f = fopen(out, "rb");
    int good = f && read_samples(f, like, p);
    if (f) {
        (void)fclose(f);
    }
    snprintf(text, text_bytes, "what ojph_expand wrote is not of the same size");
    return good ? OPENJPH_DECODED : OPENJPH_REFUSED;
}

openjph_answer openjph_decode(const uint8_t *data, size_t bytes, const picture *like, picture *p, char *text,
                              size_t text_bytes)
{
    char folder[] = "/tmp/openjphXXXXXX", in[64], command[96];
    if (!has_format(like) || !is_installed() || !mkdtemp(folder)) {
        return OPENJPH_ABSENT;
    }
    snprintf(in, sizeof in, "%s/in.j2c", folder);
    snprintf(command, sizeof command, "rm -r %s", folder);
    openjph_answer answer = OPENJPH_ABSENT;
    if (write_file(in, data, bytes)) {
        answer = expand(folder, like, p, text, text_bytes);
    }
    return system(command) == 0 ? answer : OPENJPH_ABSENT;
}
