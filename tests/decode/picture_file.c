/* SPDX-License-Identifier: BSD-2-Clause */
/* Real pictures, where there are any. */
#include <stdio.h>

#include "tests/decode/picture.h"
#include "tools/imageio/imageio.h"

const char *picture_folder(void)
{
    const char *folder = getenv("WVL_TEST_PICTURES");
#ifdef WVL_TEST_PICTURES
    folder = folder ? folder : WVL_TEST_PICTURES;
#endif
    return folder && folder[0] ? folder : NULL;
}

static void copy_plane(const wvl_io_component *from, picture_plane *to)
{
    *to = (picture_plane){from->width, from->height, from->depth, from->is_signed, from->dx, from->dy, NULL};
    to->samples = calloc((size_t)to->width * to->height, sizeof *to->samples);
    for (uint32_t y = 0; to->samples && y < to->height; y++) {
        for (uint32_t x = 0; x < to->width; x++) {
            to->samples[(size_t)y * to->width + x] = (int32_t)wvl_io_sample(from, x, y);
        }
    }
}

int picture_load(const char *name, const char *raw, picture *p)
{
    char path[1024], error[512];
    wvl_io_picture io;
    wvl_io_options options = {.raw_format = raw, .keep_palette = 1};
    memset(p, 0, sizeof *p);
    int is_path = name && (name[0] == '/' || name[0] == '.');
    if (!name || (!is_path && !picture_folder())) {
        return 0;
    }
    snprintf(path, sizeof path, "%s%s%s", is_path ? "" : picture_folder(), is_path ? "" : "/", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        return 0;
    }
    (void)fclose(file);
    if (wvl_io_read_picture(path, &options, &io, error, sizeof error) < 0) {
        fprintf(stderr, "%s\n", error);
        return 0;
    }
    *p = (picture){0, 0, io.width, io.height, io.component_count, calloc(io.component_count, sizeof *p->planes)};
    for (uint32_t c = 0; p->planes && c < p->count; c++) {
        copy_plane(&io.components[c], &p->planes[c]);
    }
    wvl_io_release_picture(&io);
    return p->planes != NULL;
}
