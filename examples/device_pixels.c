/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pixels that lie in the memory of a CUDA device: the library reads them there, without a way through the host.
 *
 *   cc -o device_pixels device_pixels.c $(pkg-config --cflags --libs wavelane) -ldl
 *   ./device_pixels OUTPUT.j2c
 *
 * The driver is loaded by hand here, so that the example compiles without the CUDA toolkit. With the toolkit, memory of
 * cudaMalloc is used in the same way, and an event of cudaEventRecord as ready_event.
 * The exit code is 77 where there is no device, or where the library was built without device code.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavelane_simple.h>

enum { WIDTH = 512, HEIGHT = 384, CHANNELS = 3, BYTES = WIDTH * HEIGHT * CHANNELS, NO_DEVICE = 77 };

/* The functions of the driver that this example calls, as cuda.h declares them. 0 is success. */
typedef struct driver {
    int (*init)(unsigned flags);
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*allocate)(unsigned long long *address, size_t bytes);
    int (*free)(unsigned long long address);
    int (*upload)(unsigned long long to, const void *from, size_t bytes, void *stream);
    int (*create_event)(void **event, unsigned flags);
    int (*record)(void *event, void *stream);
    int (*destroy_event)(void *event);
} driver;

/* 1: all functions are there. */
static int load_driver(driver *d)
{
    static const char *const names[] = {"cuInit",
                                        "cuDevicePrimaryCtxRetain",
                                        "cuDevicePrimaryCtxRelease_v2",
                                        "cuCtxPushCurrent_v2",
                                        "cuCtxPopCurrent_v2",
                                        "cuMemAlloc_v2",
                                        "cuMemFree_v2",
                                        "cuMemcpyHtoDAsync_v2",
                                        "cuEventCreate",
                                        "cuEventRecord",
                                        "cuEventDestroy_v2"};
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; library && i < sizeof names / sizeof names[0]; i++) {
        void *symbol = dlsym(library, names[i]);
        if (!symbol) {
            return 0;
        }
        memcpy((char *)d + i * sizeof symbol, &symbol, sizeof symbol);
    }
    return library && !d->init(0);
}

/* Draws a picture and puts it into memory of device 0; *ready is an event behind the copy. 0: no memory, or no device.
 */
static int place_pixels(const driver *d, unsigned long long *address, void **ready)
{
    static unsigned char rgb[BYTES]; /* stays until the event has happened */
    void *context = NULL;
    for (size_t i = 0; i < BYTES; i++) {
        size_t x = i / CHANNELS % WIDTH, y = i / CHANNELS / WIDTH;
        rgb[i] = (unsigned char)(i % CHANNELS == 2 ? x ^ y : x * (i % CHANNELS + 1) + y);
    }
    return !d->retain(&context, 0) && !d->push(context) && !d->allocate(address, BYTES) && !d->create_event(ready, 0) &&
           !d->upload(*address, rgb, BYTES, NULL) && !d->record(*ready, NULL) && !d->pop(&context);
}

/* `device=cuda-only` asks for the device or an error; with `device=cuda` the library may decide otherwise. */
static wvl_status encode(unsigned long long address, void *ready, void **data, size_t *bytes, wvl_context *context,
                         char *error, size_t error_bytes)
{
    wvl_component_format components[CHANNELS] = {{.depth = 8}, {.depth = 8}, {.depth = 8}};
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = WIDTH, .y1 = HEIGHT, .component_count = CHANNELS, .components = components};
    wvl_plane planes[CHANNELS];
    for (unsigned c = 0; c < CHANNELS; c++) {
        planes[c] = (wvl_plane){.data = (const void *)(size_t)address,
                                .pitch_bytes = WIDTH * CHANNELS,
                                .sample_stride = CHANNELS,
                                .first_sample = c,
                                .container = WVL_SAMPLE_8};
    }
    wvl_image image = {.struct_size = sizeof image,
                       .planes = planes,
                       .plane_count = CHANNELS,
                       .memory_kind = WVL_MEMORY_DEVICE,
                       .device = 0,
                       .ready_event = ready};
    wvl_params *params = NULL;
    wvl_plan *plan = NULL;
    wvl_status status = wvl_params_create(context, &params);
    if (status == WVL_OK) {
        status = wvl_params_parse(params, "style=HT, device=cuda-only");
    }
    if (status == WVL_OK) {
        status = wvl_plan_create(context, params, &format, NULL, &plan);
        snprintf(error, error_bytes, "%s", wvl_context_error(context));
    }
    if (status == WVL_OK) {
        wvl_result *result = NULL;
        status = wvl_encode_to_memory(plan, &image, NULL, data, bytes, &result, error, error_bytes);
        if (status == WVL_OK) {
            printf("%zu bytes by %s\n", *bytes, wvl_result_backend(result));
        }
        wvl_result_release(result);
    }
    wvl_plan_release(plan);
    wvl_params_release(params);
    return status;
}

static int write_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    int written = file && fwrite(data, 1, bytes, file) == bytes;
    return file && !fclose(file) && written;
}

int main(int argc, char **argv)
{
    driver d;
    unsigned long long address = 0;
    void *ready = NULL, *data = NULL, *current = NULL;
    size_t bytes = 0;
    char error[1024] = "";
    wvl_context *context = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: device_pixels OUTPUT.j2c\n");
        return 2;
    }
    if (!load_driver(&d) || !place_pixels(&d, &address, &ready)) {
        fprintf(stderr, "device_pixels: no CUDA device here\n");
        return NO_DEVICE;
    }
    wvl_status status = wvl_context_create(NULL, &context);
    if (status == WVL_OK) {
        status = encode(address, ready, &data, &bytes, context, error, sizeof error);
    }
    int code = status == WVL_OK && write_file(argv[1], data, bytes) ? 0 : 1;
    if (status != WVL_OK) {
        fprintf(stderr, "device_pixels: %s: %s\n", wvl_status_text(status), error);
        code = status == WVL_ERROR_UNSUPPORTED ? NO_DEVICE : 1;
    }
    wvl_memory_release(context, data, bytes);
    wvl_context_release(context);
    if (!d.retain(&current, 0) && !d.push(current)) { /* to give back what belongs to the device */
        d.destroy_event(ready);
        d.free(address);
        d.pop(&current);
        d.release(0);
    }
    d.release(0);
    return code;
}
