/* SPDX-License-Identifier: BSD-2-Clause */
#include "emulated_driver.h"

#include "cuda/host/transform/launch.h"
#include "ht_emulated.h"
#include "tests/support/support.h"

static wvl_cuda_status emulated_attribute(int *value, int attribute, int device)
{
    (void)device;
    *value = 228 << 10;
    if (attribute == WVL_CUDA_ATTRIBUTE_MULTIPROCESSORS) {
        *value = 2;
    } else if (attribute == WVL_CUDA_ATTRIBUTE_SHARED_BLOCK) {
        *value = 227 << 10;
    }
    return 0;
}
static wvl_cuda_status emulated_malloc(wvl_cuda_address *address, size_t bytes)
{
    *address = (uintptr_t)aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    return *address ? 0 : WVL_CUDA_OUT_OF_MEMORY;
}
static wvl_cuda_status emulated_free(wvl_cuda_address address)
{
    free((void *)(uintptr_t)address);
    return 0;
}
static wvl_cuda_status emulated_upload(wvl_cuda_address to, const void *from, size_t bytes, wvl_cuda_stream stream)
{
    (void)stream;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}
static wvl_cuda_status emulated_download(void *to, wvl_cuda_address from, size_t bytes, wvl_cuda_stream stream)
{
    (void)stream;
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}
static wvl_cuda_status emulated_fill(wvl_cuda_address to, unsigned char value, size_t bytes, wvl_cuda_stream stream)
{
    (void)stream;
    memset((void *)(uintptr_t)to, value, bytes);
    return 0;
}
static wvl_cuda_status emulated_wait(wvl_cuda_stream stream)
{
    (void)stream;
    return 0;
}
uint32_t emulated_most_shared;
static wvl_cuda_status emulated_set(wvl_cuda_function function, int attribute, int value)
{
    (void)function;
    emulated_most_shared = attribute == WVL_CUDA_FUNCTION_SHARED && (uint32_t)value > emulated_most_shared
                               ? (uint32_t)value
                               : emulated_most_shared;
    return attribute != WVL_CUDA_FUNCTION_SHARED || value > 227 << 10;
}

/* Kernels are those for 9.0. */
static wvl_cuda_status emulated_function(int *value, int attribute, wvl_cuda_function function)
{
    (void)function;
    *value = 90;
    return attribute != WVL_CUDA_FUNCTION_PTX_VERSION;
}

const wvl_cuda_runtime emulated_runtime = {.device_attribute = emulated_attribute,
                                           .module_function = wvl_emulate_find,
                                           .malloc_device = emulated_malloc,
                                           .free_device = emulated_free,
                                           .upload = emulated_upload,
                                           .download = emulated_download,
                                           .fill = emulated_fill,
                                           .stream_wait = emulated_wait,
                                           .launch = wvl_emulate_launch,
                                           .function_set = emulated_set,
                                           .function_attribute = emulated_function};
static wvl_cuda_runtime driver;

static void *read_image(const char *name)
{
    FILE *f = name ? fopen(name, "rb") : NULL;
    void *image = NULL;
    if (f) {
        image = calloc(1, 64 << 20);
        REQUIRE_THAT(image && fread(image, 1, (64 << 20) - 1, f) > 0, "%s", name);
        (void)fclose(f);
    }
    return image;
}

static wvl_cuda_status open_device(ht_device *d, const void *image)
{
    wvl_cuda_context context;
    *d = (ht_device){.runtime = &driver};
    wvl_cuda_status status = driver.device_get(&d->ordinal, 0);
    status = status ? status : driver.context_retain(&context, d->ordinal);
    status = status ? status : driver.context_push(context);
    status = status ? status : driver.module_load(&d->module, image);
    return status ? status : driver.stream_create(&d->stream, WVL_CUDA_STREAM_NON_BLOCKING);
}

unsigned emulated_open_devices(ht_device *devices)
{
    int count = 0;
    unsigned opened = 0;
    void *file = read_image(getenv("WVL_CUDA_TWIN_IMAGE"));
    const void *image = file ? file : wvl_cuda_fetch_image();
    if (!getenv("WVL_CUDA_NO_EMULATION")) {
        devices[opened++] = (ht_device){.runtime = &emulated_runtime};
    }
    if (!image || !wvl_cuda_fetch_runtime(&driver) || driver.init(0) || driver.device_count(&count) || !count) {
        printf("no device, or no device code in this build: the emulation alone\n");
    } else {
        REQUIRE_THAT(!open_device(&devices[opened++], image), "the device cannot be opened");
    }
    free(file);
    return opened;
}

unsigned emulated_open_devices_with(ht_device *devices, const char *kernel)
{
    unsigned opened = emulated_open_devices(devices);
    wvl_cuda_function function;
    if (opened && devices[opened - 1].runtime->module_function(&function, devices[opened - 1].module, kernel)) {
        printf("the device code has no %s: the emulation alone\n", kernel);
        opened--;
        emulated_close_devices(&devices[opened], 1);
    }
    return opened;
}

void emulated_close_devices(const ht_device *devices, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (devices[i].runtime == &driver) {
            (void)driver.stream_destroy(devices[i].stream);
            (void)driver.module_unload(devices[i].module);
            (void)driver.context_release(devices[i].ordinal);
        }
    }
}
