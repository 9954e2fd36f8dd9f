/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of version 0.2: it sees nothing but the header of that version, and runs with the library of today. Prints
 * the bytes of what it encoded. */
#include "wavelane-0.2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96, HEIGHT = 64 };
static uint8_t rgb[HEIGHT][WIDTH][3];

static int fail(const char *what, wvl_status status, const char *text)
{
    fprintf(stderr, "%s: %s: %s\n", what, wvl_status_text(status), text);
    return 1;
}

static int encode_in_flight(const wvl_plan *plan, const wvl_image *image, size_t expected)
{
    wvl_encoder *encoder = NULL;
    wvl_encoded_picture *picture = NULL;
    size_t bytes = 0;
    wvl_status status = wvl_encoder_create(plan, 2, &encoder);
    status = status ? status : wvl_encoder_submit(encoder, image, NULL, rgb);
    status = status ? status : wvl_encoder_receive(encoder, UINT32_MAX, &picture);
    if (status || wvl_encoded_picture_status(picture)) {
        return fail("in flight", status, picture ? wvl_encoded_picture_error(picture) : "");
    }
    int same =
        wvl_encoded_picture_data(picture, &bytes) && bytes == expected && wvl_encoded_picture_user(picture) == rgb;
    wvl_encoded_picture_release(picture);
    wvl_encoder_release(encoder);
    return same ? 0 : fail("in flight", WVL_OK, "other bytes");
}

static int encode(wvl_context *context, const wvl_plan *plan, const wvl_image *image)
{
    char error[256];
    void *data = NULL;
    size_t bytes = 0;
    wvl_sink sink;
    wvl_result *result = NULL;
    wvl_cancel *cancel = NULL;
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    wvl_status status = wvl_cancel_create(context, &cancel);
    wvl_control control = {.struct_size = sizeof control, .cancel = cancel};
    status = status ? status : wvl_sink_open_memory(context, &sink);
    status = status ? status : wvl_encode(plan, image, &sink, &control, &result, error, sizeof error);
    status = status ? status : wvl_sink_take_memory(&sink, &data, &bytes);
    status = status ? status : wvl_plan_measure(plan, &memory);
    if (status || bytes != wvl_result_bytes(result) || memory.worst_bytes < memory.certain_bytes) {
        return fail("encode", status, error);
    }
    int code = encode_in_flight(plan, image, bytes);
    printf("%zu bytes, %.2f dB\n", bytes, wvl_result_layer_psnr(result, 0));
    wvl_memory_release(context, data, bytes);
    wvl_result_release(result);
    wvl_cancel_release(cancel);
    return code;
}

int main(void)
{
    char error[256];
    wvl_context *context = NULL;
    wvl_params *params = NULL;
    wvl_plan *plan = NULL;
    wvl_component_format components[3] = {{.depth = 8}, {.depth = 8}, {.depth = 8}};
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = WIDTH, .y1 = HEIGHT, .component_count = 3, .components = components};
    wvl_context_options options = {.struct_size = sizeof options, .threads = 2, .max_samples = 3 * WIDTH * HEIGHT};
    wvl_jp2_info jp2 = {.struct_size = sizeof jp2, .color = WVL_COLOR_SRGB};
    wvl_plane planes[3];
    wvl_image image = {.struct_size = sizeof image, .planes = planes, .plane_count = 3};
    for (unsigned i = 0; i < sizeof rgb; i++) {
        rgb[i / 3 / WIDTH][i / 3 % WIDTH][i % 3] = (uint8_t)(i * 7 + i / 91);
    }
    for (unsigned c = 0; c < 3; c++) {
        planes[c] = (wvl_plane){
            .data = rgb, .pitch_bytes = 3 * WIDTH, .sample_stride = 3, .first_sample = c, .container = WVL_SAMPLE_8};
    }
    wvl_status status = wvl_context_create(&options, &context);
    status = status ? status : wvl_params_create(context, &params);
    status = status ? status : wvl_params_set(params, "container", "jp2");
    wvl_plan_request request = {.struct_size = sizeof request,
                                .context = context,
                                .params = params,
                                .format = &format,
                                .jp2 = &jp2,
                                .error = error,
                                .error_bytes = sizeof error};
    status = status ? status : wvl_plan_build(&request, &plan);
    int code = status ? fail("plan", status, error) : encode(context, plan, &image);
    wvl_plan_release(plan);
    wvl_params_release(params);
    wvl_context_release(context);
    return code;
}
