/* SPDX-License-Identifier: BSD-2-Clause */
/* Components of different subsampling at any place of the reference grid: more than picture files can say. */
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

#define MOST_PARTS 16

typedef struct job {
    const char *output;
    wvl_io_picture parts[MOST_PARTS];
    wvl_component_format components[MOST_PARTS];
    wvl_plane planes[MOST_PARTS];
    const char *settings[64];
    int part_count, setting_count;
    uint32_t threads;
    wvl_api_picture picture;
} job;

/* FILE@DXxDY */
static int take_file(job *j, char *word)
{
    char error[512];
    unsigned dx, dy;
    char *at = strrchr(word, '@');
    if (!at || sscanf(at, "@%3ux%3u", &dx, &dy) != 2 || !dx || !dy || dx > 255 || dy > 255 ||
        j->part_count == MOST_PARTS) {
        return wvl_api_fail(WVL_API_USAGE, "\"%s\": expected FILE@DXxDY or KEY=VALUE", word);
    }
    *at = '\0';
    wvl_io_picture *io = &j->parts[j->part_count];
    if (wvl_io_read_picture(word, NULL, io, error, sizeof error) < 0) {
        return wvl_api_fail(3, "%s", error);
    }
    const wvl_io_component *k = &io->components[0];
    j->components[j->part_count] = (wvl_component_format){k->depth, k->is_signed, (uint8_t)dx, (uint8_t)dy};
    j->planes[j->part_count] =
        (wvl_plane){k->data, (ptrdiff_t)k->stride_bytes, (uint32_t)(k->sample_stride_bytes / k->sample_bytes), 0,
                    k->sample_bytes == 1   ? WVL_SAMPLE_8
                    : k->sample_bytes == 2 ? WVL_SAMPLE_16
                                           : WVL_SAMPLE_32};
    j->part_count++;
    return WVL_API_DONE;
}

static int take_words(job *j, int argc, char **argv)
{
    uint32_t area[4];
    if (sscanf(argv[1], "%u,%u,%u,%u", &area[0], &area[1], &area[2], &area[3]) != 4) {
        return wvl_api_fail(WVL_API_USAGE, "\"%s\": expected X0,Y0,X1,Y1", argv[1]);
    }
    j->output = argv[0];
    for (int i = 2; i < argc; i++) {
        if (!strncmp(argv[i], "threads=", 8)) {
            j->threads = (uint32_t)strtoul(argv[i] + 8, NULL, 10);
        } else if (strchr(argv[i], '=') && j->setting_count < 64) {
            j->settings[j->setting_count++] = argv[i];
        } else {
            int code = take_file(j, argv[i]);
            if (code) {
                return code;
            }
        }
    }
    j->picture.format = (wvl_image_format){sizeof j->picture.format, area[0],      area[1], area[2], area[3],
                                           (uint32_t)j->part_count,  j->components};
    j->picture.image = (wvl_image){
        .struct_size = sizeof j->picture.image, .planes = j->planes, .plane_count = (uint32_t)j->part_count};
    return WVL_API_DONE;
}

static int write_stream(const job *j, const wvl_api_stream *s)
{
    FILE *file = fopen(j->output, "wb");
    int good = file && fwrite(s->data, 1, s->bytes, file) == s->bytes;
    good = file && !fclose(file) && good;
    return good ? WVL_API_DONE : wvl_api_fail(4, "%s cannot be written", j->output);
}

/* argv: OUT X0,Y0,X1,Y1 and what follows. */
int wvl_api_run_encode(int argc, char **argv)
{
    job *j = wvl_api_need_memory(sizeof *j);
    wvl_context *context = NULL;
    int code = take_words(j, argc, argv);
    wvl_context_options options = {.struct_size = sizeof options, .threads = j->threads};
    if (!code && wvl_context_create(&options, &context) == WVL_OK) {
        wvl_api_stream s = wvl_api_encode(context, &j->picture, j->settings, j->setting_count, NULL);
        code = s.status == WVL_OK ? write_stream(j, &s)
                                  : wvl_api_fail(WVL_API_REFUSED, "%s: %s", wvl_status_text(s.status), s.error);
        wvl_memory_release(context, s.data, s.bytes);
    }
    wvl_context_release(context);
    for (int i = 0; i < j->part_count; i++) {
        wvl_io_release_picture(&j->parts[i]);
    }
    free(j);
    return code;
}
