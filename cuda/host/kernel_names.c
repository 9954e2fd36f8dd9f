/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of a plan, by name: a job goes through the backend as ever, on a driver that does nothing and tells each
 * launch. So the names are those of the launches themselves, and no device is needed.
 */

#include "base/alloc.h"
#include "base/try.h"
#include "cuda/host/backend_cuda.h"

#define KERNELS 160u                     /* more than there are */
#define ADDRESS (UINT64_C(1) << 40)      /* of any memory: nothing is read or written there */
#define PIXELS (UINT64_C(1) << 41)       /* of the first component; */
#define PIXELS_APART (UINT64_C(1) << 44) /* those of the next one begin there */
#define ROW_BYTES 64u                    /* rows begin at multiples */
#define PINNED_BYTES 256u                /* of the alignment that the driver gives */

typedef struct teller teller;

typedef struct kernel {
    const char *name;
    teller *of;
} kernel;

/* What stands for the image and the module. */
struct teller {
    wvl_kernel_fn tell;
    void *user;
    kernel kernels[KERNELS];
    unsigned count;
};

/* ---- A driver -------------------------------------------------------------------------------- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define DO_NOTHING(member, symbol, parameters)                                                                         \
    static wvl_cuda_status do_##member parameters { return WVL_CUDA_SUCCESS; }
WVL_CUDA_CALLS(DO_NOTHING)
#undef DO_NOTHING

static wvl_cuda_status set_function(wvl_cuda_function function, int attribute, int value) { return WVL_CUDA_SUCCESS; }

/* A large device. */
static wvl_cuda_status tell_attribute(int *value, int attribute, int device)
{
    switch (attribute) {
    case WVL_CUDA_ATTRIBUTE_MULTIPROCESSORS: *value = 132; break;
    case WVL_CUDA_ATTRIBUTE_MAJOR: *value = 9; break;
    case WVL_CUDA_ATTRIBUTE_SHARED_PROCESSOR: *value = 228 << 10; break;
    case WVL_CUDA_ATTRIBUTE_SHARED_BLOCK: *value = 227 << 10; break;
    default: *value = 0;
    }
    return WVL_CUDA_SUCCESS;
}

static wvl_cuda_status tell_function(int *value, int attribute, wvl_cuda_function function)
{
    *value = 90;
    return attribute == WVL_CUDA_FUNCTION_PTX_VERSION ? WVL_CUDA_SUCCESS : WVL_CUDA_NOT_SUPPORTED;
}

static wvl_cuda_status load_module(wvl_cuda_module *module, const void *image)
{
    memcpy(module, &image, sizeof image);
    return WVL_CUDA_SUCCESS;
}

static wvl_cuda_status find_function(wvl_cuda_function *function, wvl_cuda_module module, const char *name)
{
    teller *t = (teller *)(void *)module;
    if (t->count == KERNELS) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    t->kernels[t->count] = (kernel){name, t};
    *function = (wvl_cuda_function)(void *)&t->kernels[t->count++];
    return WVL_CUDA_SUCCESS;
}

static wvl_cuda_status launch(wvl_cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                              wvl_cuda_stream stream, void **arguments, void **extra)
{
    const kernel *k = (const kernel *)(const void *)function;
    k->of->tell(k->of->user, k->name);
    return WVL_CUDA_SUCCESS;
}

static wvl_cuda_status take_device(wvl_cuda_address *address, size_t bytes)
{
    *address = ADDRESS;
    return WVL_CUDA_SUCCESS;
}

/* Tables are written there. The size stands in front. */
static wvl_cuda_status take_pinned(void **memory, size_t bytes, unsigned flags)
{
    uint8_t *at = bytes < SIZE_MAX - PINNED_BYTES ? wvl_alloc(NULL, bytes + PINNED_BYTES) : NULL;
    if (!at) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    memcpy(at, &bytes, sizeof bytes);
    *memory = at + PINNED_BYTES;
    return WVL_CUDA_SUCCESS;
}

static wvl_cuda_status give_pinned(void *memory)
{
    size_t bytes;
    uint8_t *at = (uint8_t *)memory - PINNED_BYTES;
    memcpy(&bytes, at, sizeof bytes);
    wvl_free(NULL, at, bytes + PINNED_BYTES);
    return WVL_CUDA_SUCCESS;
}

static wvl_cuda_status find_pinned(wvl_cuda_address *address, void *memory, unsigned flags)
{
    *address = (wvl_cuda_address)(uintptr_t)memory;
    return WVL_CUDA_SUCCESS;
}
#pragma GCC diagnostic pop

static wvl_cuda_runtime make_driver(void)
{
#define DO_NOTHING(member, symbol, parameters) .member = do_##member,
    wvl_cuda_runtime rt = {WVL_CUDA_CALLS(DO_NOTHING).function_set = set_function};
#undef DO_NOTHING
    rt.device_attribute = tell_attribute;
    rt.function_attribute = tell_function;
    rt.module_load = load_module;
    rt.module_function = find_function;
    rt.launch = launch;
    rt.malloc_device = take_device;
    rt.malloc_pinned = take_pinned;
    rt.free_pinned = give_pinned;
    rt.pinned_address = find_pinned;
    return rt;
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

static int are_colors(const wvl_plan *plan)
{
    const wvl_plan_component *c = plan->syntax.components;
    int alike = plan->syntax.component_count == 3;
    for (uint32_t i = 1; i < 3 && alike; i++) {
        alike = c[i].dx == c[0].dx && c[i].dy == c[0].dy && c[i].is_signed == c[0].is_signed &&
                wvl_plan_input_depth(plan, i) == wvl_plan_input_depth(plan, 0);
    }
    return alike;
}

/* Describes planes as staging gives them to a device: rows keep their alignment to the absolute grid. */
static void describe_planes(const wvl_plan *plan, wvl_plane *planes)
{
    uint32_t stride = are_colors(plan) ? 3 : 1;
    for (uint32_t i = 0; i < plan->syntax.component_count; i++) {
        const wvl_rect rect = plan->syntax.components[i].rect;
        uint64_t bytes = wvl_plan_input_depth(plan, i) > 8 ? 2 : 1, sample = stride * bytes,
                 room = rect.x0 % ROW_BYTES * sample;
        uint64_t at = PIXELS + (stride > 1 ? 0 : i * PIXELS_APART) + room;
        planes[i] = (wvl_plane){.data = (const void *)(uintptr_t)at,
                                .pitch_bytes = (ptrdiff_t)wvl_align_up(room + wvl_rect_width(rect) * sample, ROW_BYTES),
                                .sample_stride = stride,
                                .first_sample = stride > 1 ? i : 0,
                                .container = bytes > 1 ? WVL_SAMPLE_16 : WVL_SAMPLE_8};
    }
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static wvl_status run_job(wvl_backend *b, const wvl_plan *plan, const wvl_assembly *assembly,
                          const wvl_tile_plan *tiles, uint32_t tile_count, const wvl_image *image)
{
    const wvl_backend_vtable *table = &wvl_backend_cuda;
    wvl_backend_job *job = NULL;
    wvl_backend_memory workspace = {.host_bytes = 0};
    if (!assembly) {
        table->measure(plan, tiles, tile_count, 1, &workspace);
    }
    wvl_status status =
        assembly ? table->prepare_picture(b, plan, assembly, &workspace) : table->prepare(b, plan, &workspace);
    if (status == WVL_OK) {
        status = assembly ? table->submit_picture(b, plan, image, 0, &job)
                          : table->submit(b, image, tiles, tile_count, &job);
    }
    if (job) {
        table->release(job);
    }
    return status;
}

wvl_status wvl_cuda_name_kernels(const wvl_plan *plan, const wvl_assembly *assembly, const wvl_tile_plan *tiles,
                                 uint32_t tile_count, wvl_kernel_fn tell, void *user)
{
    const wvl_cuda_runtime driver = make_driver();
    teller t = {.tell = tell, .user = user};
    const wvl_cuda_options options = {WVL_DEVICE_ORDINAL_MAX, WVL_CUDA_NO_GRAPHS, &driver, &t};
    uint64_t bytes = plan->syntax.component_count * sizeof(wvl_plane);
    wvl_plane *planes = wvl_alloc(NULL, bytes);
    wvl_backend *backend = NULL;
    if (!planes) {
        return WVL_ERROR_MEMORY;
    }
    describe_planes(plan, planes);
    const wvl_image image = {.struct_size = sizeof image,
                             .planes = planes,
                             .plane_count = plan->syntax.component_count,
                             .memory_kind = WVL_MEMORY_DEVICE};
    wvl_status status = wvl_cuda_open_backend(NULL, NULL, &options, &backend);
    TRY(status, run_job(backend, plan, assembly, tiles, tile_count, &image));
    wvl_backend_cuda.close(backend);
    wvl_free(NULL, planes, bytes);
    return status;
}
