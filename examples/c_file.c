/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture file to a JP2 file.
 *
 *   cc -o c_file c_file.c $(pkg-config --cflags --libs wavelane)
 *   ./c_file photo.ppm photo.jp2 'reversible=no, bpp=1.5'
 *
 * It reads binary PGM and PPM of 8 bits. The options are those of "wavelane options"; without any the file is lossless.
 */
#include <stdio.h>
#include <stdlib.h>
#include <wavelane_simple.h>

/* Pixels of a PGM (1 channel) or PPM (3 channels) file; NULL: it is none. The caller frees them. */
static unsigned char *read_pnm(const char *path, unsigned *width, unsigned *height, unsigned *channels)
{
    unsigned char *pixels = NULL;
    char kind;
    unsigned peak;
    FILE *file = fopen(path, "rb");
    if (file && fscanf(file, "P%c %u %u %u", &kind, width, height, &peak) == 4 && fgetc(file) != EOF && peak == 255 &&
        (kind == '5' || kind == '6') && *width && *height && *width < 100000 && *height < 100000) {
        *channels = kind == '6' ? 3 : 1;
        size_t bytes = (size_t)*width * *height * *channels;
        pixels = malloc(bytes);
        if (pixels && fread(pixels, 1, bytes, file) != bytes) {
            free(pixels);
            pixels = NULL;
        }
    }
    if (file) {
        fclose(file);
    }
    return pixels;
}

/* A plan is made of the options and of the shape of the picture; then the pixels are encoded into the file. */
static wvl_status encode(wvl_context *context, wvl_params *params, const wvl_image_format *format,
                         const wvl_image *image, const char *path, char *error, size_t error_bytes)
{
    wvl_plan *plan = NULL;
    wvl_sink sink;
    wvl_plan_request request = {.struct_size = sizeof request,
                                .context = context,
                                .params = params,
                                .format = format,
                                .error = error,
                                .error_bytes = error_bytes};
    wvl_status status = wvl_plan_build(&request, &plan);
    if (status == WVL_OK) {
        status = wvl_sink_open_file(context, path, 1, &sink); /* 1: replaces a file of that name */
        if (status == WVL_OK) {
            status = wvl_encode(plan, image, &sink, NULL, NULL, error, error_bytes);
        } else {
            snprintf(error, error_bytes, "%s", wvl_context_error(context));
        }
    }
    wvl_plan_release(plan);
    return status;
}

int main(int argc, char **argv)
{
    unsigned width, height, channels;
    char error[1024] = "";
    if (argc < 3) {
        fprintf(stderr, "usage: c_file PICTURE.ppm OUTPUT.jp2 [OPTIONS]\n");
        return 2;
    }
    unsigned char *pixels = read_pnm(argv[1], &width, &height, &channels);
    if (!pixels) {
        fprintf(stderr, "%s: is no binary PGM or PPM file of 8 bits\n", argv[1]);
        return 3;
    }

    /* Three components of 8 bits, or one; their samples lie side by side. */
    wvl_component_format components[3] = {{.depth = 8}, {.depth = 8}, {.depth = 8}};
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = width, .y1 = height, .component_count = channels, .components = components};
    wvl_plane planes[3];
    for (unsigned c = 0; c < channels; c++) {
        planes[c] = (wvl_plane){.data = pixels,
                                .pitch_bytes = (ptrdiff_t)width * channels,
                                .sample_stride = channels,
                                .first_sample = c,
                                .container = WVL_SAMPLE_8};
    }
    wvl_image image = {.struct_size = sizeof image, .planes = planes, .plane_count = channels};

    wvl_context *context = NULL;
    wvl_params *params = NULL;
    wvl_status status = wvl_context_create(NULL, &context);
    if (status == WVL_OK) {
        status = wvl_params_create(context, &params);
    }
    if (status == WVL_OK) {
        status = wvl_params_set(params, "container", "jp2");
    }
    if (status == WVL_OK && argc > 3) {
        status = wvl_params_parse(params, argv[3]);
        snprintf(error, sizeof error, "%s", wvl_params_error(params));
    }
    if (status == WVL_OK) {
        status = encode(context, params, &format, &image, argv[2], error, sizeof error);
    }
    if (status != WVL_OK) {
        fprintf(stderr, "%s: %s\n", wvl_status_text(status), error);
    }
    wvl_params_release(params);
    wvl_context_release(context);
    free(pixels);
    return status == WVL_OK ? 0 : 1;
}
