/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host logic of the device backend against a stub of the runtime table, on any machine: every call fails once in
 * turn, nothing leaks, and the steady state neither allocates nor waits but once a collect. The stub's device memory is
 * host memory; its kernels do nothing, but that one says a picture is there.
 */
#include "cuda/host/job.h"

#include "../twin/test_cuda_job.h"
#include "codec/tile_assembly.h"
#include "cuda/host/device.h"

static uint32_t calls, fail_at, live, waits, allocations, marches, uploads;
static wvl_cuda_status failure;

static wvl_cuda_status tick(void) { return ++calls == fail_at ? failure : WVL_CUDA_SUCCESS; }

/* A call that makes something, one that gives it back, and the others. */
static wvl_cuda_status make(void **out)
{
    wvl_cuda_status status = tick();
    if (!status) {
        *out = malloc(1);
        live++;
    }
    return status;
}

static wvl_cuda_status drop(void *what)
{
    free(what);
    live--;
    return WVL_CUDA_SUCCESS;
}

#define MAKER(name, type)                                                                                              \
    static wvl_cuda_status name(type *out)                                                                             \
    {                                                                                                                  \
        void *made = NULL;                                                                                             \
        wvl_cuda_status s = make(&made);                                                                               \
        *out = made;                                                                                                   \
        return s;                                                                                                      \
    }
MAKER(make_context, wvl_cuda_context)
MAKER(make_module, wvl_cuda_module)
MAKER(make_stream, wvl_cuda_stream)
MAKER(make_event, wvl_cuda_event)

static void *context;
static wvl_cuda_status stub_init(unsigned flags)
{
    (void)flags;
    return tick();
}
static wvl_cuda_status stub_get(int *device, int ordinal)
{
    *device = ordinal;
    return tick();
}
static wvl_cuda_status stub_retain(wvl_cuda_context *out, int device)
{
    (void)device;
    wvl_cuda_status status = make_context(out);
    context = status ? context : *out;
    return status;
}
static wvl_cuda_status stub_release(int device)
{
    (void)device;
    return drop(context);
}
static wvl_cuda_status stub_attribute(int *value, int attribute, int device)
{
    (void)attribute;
    (void)device;
    *value = 9;
    return tick();
}
static wvl_cuda_status stub_pinned_address(wvl_cuda_address *address, void *memory, unsigned flags)
{
    (void)flags;
    *address = (wvl_cuda_address)(uintptr_t)memory;
    return WVL_CUDA_SUCCESS;
}
static wvl_cuda_status stub_push(wvl_cuda_context c)
{
    (void)c;
    return WVL_CUDA_SUCCESS;
}
static wvl_cuda_status stub_pop(wvl_cuda_context *c)
{
    (void)c;
    return WVL_CUDA_SUCCESS;
}
static wvl_cuda_status stub_load(wvl_cuda_module *out, const void *image)
{
    (void)image;
    return make_module(out);
}
static wvl_cuda_status stub_unload(wvl_cuda_module m) { return drop(m); }
static wvl_cuda_status stub_function(wvl_cuda_function *f, wvl_cuda_module m, const char *name)
{
    (void)m;
    *f = (wvl_cuda_function)(uintptr_t)name;
    return tick();
}
static wvl_cuda_status stub_malloc(wvl_cuda_address *address, size_t bytes)
{
    void *memory = NULL;
    wvl_cuda_status status = tick();
    if (!status) {
        memory = malloc(bytes);
        live++;
        allocations++;
    }
    *address = (wvl_cuda_address)(uintptr_t)memory;
    return status;
}
static wvl_cuda_status stub_free(wvl_cuda_address address) { return drop((void *)(uintptr_t)address); }
static wvl_cuda_status stub_pinned(void **memory, size_t bytes, unsigned flags)
{
    wvl_cuda_address at;
    (void)flags;
    wvl_cuda_status status = stub_malloc(&at, bytes);
    *memory = (void *)(uintptr_t)at;
    return status;
}
static wvl_cuda_status stub_unpin(void *memory) { return drop(memory); }
static wvl_cuda_status stub_up(wvl_cuda_address to, const void *from, size_t bytes, wvl_cuda_stream s)
{
    (void)s;
    memcpy((void *)(uintptr_t)to, from, bytes);
    uploads++;
    return tick();
}
static wvl_cuda_status stub_down(void *to, wvl_cuda_address from, size_t bytes, wvl_cuda_stream s)
{
    (void)s;
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return tick();
}
static wvl_cuda_status stub_fill(wvl_cuda_address to, unsigned char value, size_t bytes, wvl_cuda_stream s)
{
    (void)s;
    memset((void *)(uintptr_t)to, value, bytes);
    return tick();
}
static wvl_cuda_status stub_stream(wvl_cuda_stream *s, unsigned flags)
{
    (void)flags;
    return make_stream(s);
}
static wvl_cuda_status stub_stream_end(wvl_cuda_stream s) { return drop(s); }
static wvl_cuda_status stub_stream_wait(wvl_cuda_stream s)
{
    (void)s;
    waits++;
    return WVL_CUDA_SUCCESS;
}
static wvl_cuda_status stub_event(wvl_cuda_event *e, unsigned flags)
{
    (void)flags;
    return make_event(e);
}
static wvl_cuda_status stub_event_end(wvl_cuda_event e) { return drop(e); }
static wvl_cuda_status stub_record(wvl_cuda_event e, wvl_cuda_stream s)
{
    (void)e;
    (void)s;
    return tick();
}
static wvl_cuda_status stub_query(wvl_cuda_event e)
{
    (void)e;
    return tick();
}
static wvl_cuda_status stub_event_wait(wvl_cuda_event e)
{
    (void)e;
    waits++;
    return tick();
}
/* A picture of a few bytes, or whatever a test wants it to be. */
static wvl_cuda_packets_picture *recorded;
static wvl_cuda_packets_result said;
static void say_picture(void)
{
    if (recorded) {
        *(wvl_cuda_packets_result *)(uintptr_t)recorded->result = said;
        memset((uint32_t *)(uintptr_t)recorded->lengths, 0, sizeof(uint32_t));
    }
}

static wvl_cuda_status stub_after(wvl_cuda_stream s, wvl_cuda_event e, unsigned flags)
{
    (void)s;
    (void)e;
    (void)flags;
    return tick();
}
static wvl_cuda_status stub_launch(wvl_cuda_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, wvl_cuda_stream s, void **arguments, void **extra)
{
    (void)gx;
    (void)gy;
    (void)gz;
    (void)by;
    (void)bz;
    (void)shared;
    (void)s;
    (void)extra;
    marches += bx == 32;
    if (!strcmp((const char *)(uintptr_t)f, "wvl_packets_place")) {
        const wvl_cuda_packets_job *packets = arguments[0];
        recorded = (wvl_cuda_packets_picture *)(uintptr_t)packets->pictures;
        say_picture();
    }
    return tick();
}

/* Graphs: what was captured runs when it is launched. */
MAKER(make_graph, wvl_cuda_graph)
MAKER(make_exec, wvl_cuda_exec)
static wvl_cuda_status stub_capture(wvl_cuda_stream s, int mode)
{
    (void)s;
    (void)mode;
    return tick();
}
static wvl_cuda_status stub_capture_end(wvl_cuda_stream s, wvl_cuda_graph *graph)
{
    (void)s;
    return make_graph(graph);
}
static wvl_cuda_status stub_build(wvl_cuda_exec *exec, wvl_cuda_graph graph, unsigned long long flags)
{
    (void)graph;
    (void)flags;
    return make_exec(exec);
}
static wvl_cuda_status stub_graph_launch(wvl_cuda_exec exec, wvl_cuda_stream s)
{
    (void)exec;
    (void)s;
    say_picture();
    return tick();
}
static wvl_cuda_status stub_graph_end(wvl_cuda_graph graph) { return drop(graph); }
static wvl_cuda_status stub_exec_end(wvl_cuda_exec exec) { return drop(exec); }

static const wvl_cuda_runtime stub = {
    .init = stub_init,
    .device_attribute = stub_attribute,
    .pinned_address = stub_pinned_address,
    .device_get = stub_get,
    .context_retain = stub_retain,
    .context_release = stub_release,
    .context_push = stub_push,
    .context_pop = stub_pop,
    .module_load = stub_load,
    .module_unload = stub_unload,
    .module_function = stub_function,
    .malloc_device = stub_malloc,
    .free_device = stub_free,
    .malloc_pinned = stub_pinned,
    .free_pinned = stub_unpin,
    .upload = stub_up,
    .download = stub_down,
    .fill = stub_fill,
    .stream_create = stub_stream,
    .stream_destroy = stub_stream_end,
    .stream_wait = stub_stream_wait,
    .event_create = stub_event,
    .event_destroy = stub_event_end,
    .event_record = stub_record,
    .event_query = stub_query,
    .event_wait = stub_event_wait,
    .launch = stub_launch,
    .stream_after = stub_after,
    .capture_begin = stub_capture,
    .capture_end = stub_capture_end,
    .graph_build = stub_build,
    .graph_launch = stub_graph_launch,
    .graph_destroy = stub_graph_end,
    .exec_destroy = stub_exec_end,
};

static job j;

static void open_job(int ht)
{
    seed_state = 1;
    default_job(&j);
    j.settings.style = ht ? WVL_STYLE_HT : 0;
    j.settings.ht_passes = 3;
    j.settings.reversible = !ht; /* HT blocks of a given step, with their sums */
    j.format.component_count = 3;
    j.format.x1 = 512;
    j.format.y1 = 256;
    plan_job(&j);
    draw_plain_pixels(&j, 1);
    pool = wvl_pool_create(NULL, 1, NULL);
    calls = fail_at = live = waits = allocations = marches = 0;
    failure = WVL_CUDA_OUT_OF_MEMORY;
    wvl_cuda_forget_losses();
}

static void setup(void) { open_job(0); }

static void teardown(void)
{
    free_job(&j);
    wvl_pool_destroy(pool);
}

/* All blocks of the picture, when the job is done; the stub's kernels have coded none. */
static wvl_status code_all(wvl_backend_job *running)
{
    wvl_block_run all = {.count = j.tiles[0].bands[0].block_cols * j.tiles[0].bands[0].block_rows};
    wvl_block_order order = {.runs = &all, .run_count = 1, .codings = j.plan->syntax.codings};
    wvl_block_batch batch;
    wvl_status status = wvl_backend_cuda.code(running, &order, &batch);
    ck_assert(status != WVL_OK || batch.count == all.count);
    return status;
}

/* One picture from open to close; the first status that is not OK. */
static wvl_status encode_once(void)
{
    wvl_cuda_options options = {.runtime = &stub, .image = "image"};
    wvl_backend *backend = NULL;
    wvl_backend_job *running = NULL;
    wvl_coefs coefs;
    wvl_status status = wvl_cuda_open_backend(NULL, pool, &options, &backend);
    if (status != WVL_OK) {
        return status;
    }
    status = wvl_backend_prepare_tiles(&wvl_backend_cuda, backend, pool, j.plan, j.tiles, 1);
    if (status == WVL_OK) {
        status = wvl_backend_cuda.submit(backend, &j.image, j.tiles, 1, &running);
    }
    if (status == WVL_OK) {
        status = wvl_backend_cuda.wait(running, WVL_EVENT_DONE, UINT32_MAX);
        status = status == WVL_OK && j.settings.style ? code_all(running) : status;
        status = status == WVL_OK ? wvl_backend_cuda.collect(running, &coefs) : status;
        wvl_backend_cuda.release(running);
    }
    wvl_backend_cuda.close(backend);
    return status;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static wvl_assembly assembly;
static unsigned picture_tables; /* options of the backend */

static void open_pictures(void)
{
    const char *why;
    open_job(1);
    j.plan->memory.output_bytes_bound = 4096; /* what the conductor adds to a plan */
    j.plan->memory.most_precincts = j.tiles->precinct_count;
    j.plan->memory.most_blocks = j.tiles->block_count;
    j.plan->memory.most_resolutions = j.tiles->resolution_count;
    j.plan->syntax.part_count = 1;
    said = (wvl_cuda_packets_result){.bytes = 700, .codestream = 0};
    ck_assert_int_eq(wvl_assembly_build(NULL, j.plan, &assembly, &why), WVL_OK);
    picture_tables = 0;
}

static void close_pictures(void)
{
    wvl_assembly_free(NULL, &assembly);
    recorded = NULL;
    teardown();
}

static wvl_status take_picture(wvl_backend_job *running, wvl_finished *finished)
{
    uint32_t *parts = calloc(assembly.part_count, sizeof *parts);
    uint64_t *groups = calloc(j.plan->syntax.component_count * (j.plan->syntax.max_levels + 1u), sizeof *groups);
    wvl_status status = wvl_backend_cuda.take_picture(running, finished, parts, groups);
    free(parts);
    free(groups);
    return status;
}

/* Submits a picture, and takes it. */
static wvl_status finish_picture(wvl_backend *backend, wvl_finished *finished)
{
    wvl_backend_job *running = NULL;
    wvl_status status = wvl_backend_cuda.submit_picture(backend, &j.image, &running);
    if (status == WVL_OK) {
        status = wvl_backend_cuda.wait(running, WVL_EVENT_DONE, UINT32_MAX);
        status = status == WVL_OK ? take_picture(running, finished) : status;
        wvl_backend_cuda.release(running);
    }
    return status;
}

/* Three pictures in two slots: the first has no prediction, the second one that is too small, the third one that does.
 */
static wvl_status finish_some(wvl_backend *backend, wvl_device *device)
{
    static const uint64_t bytes[] = {700, 900, 800};
    wvl_backend_memory slot;
    wvl_status status = WVL_OK;
    wvl_backend_cuda.measure_picture(j.plan, &assembly, &slot);
    for (unsigned i = 0; i < 2 && status == WVL_OK; i++) {
        status = wvl_backend_cuda.prepare_picture(backend, j.plan, &assembly, &slot);
    }
    for (unsigned i = 0; i < 3 && status == WVL_OK; i++) {
        wvl_finished finished;
        said.bytes = bytes[i];
        status = finish_picture(backend, &finished);
        if (status == WVL_OK) {
            ck_assert_uint_eq(finished.bytes, bytes[i]);
            wvl_backend_cuda.drop_picture(device, &finished);
        }
    }
    return status;
}

static wvl_status run_pictures(void)
{
    wvl_device_options device_options = {.ordinal = 0};
    wvl_device *device;
    wvl_backend *backend;
    recorded = NULL;
    wvl_status status = wvl_cuda_open_device(&device_options, &stub, "image", &device);
    if (status != WVL_OK) {
        return status;
    }
    const wvl_backend_options options = {.pool = pool, .device = device};
    ck_assert_int_eq(wvl_backend_cuda.open(&options, &backend), WVL_OK);
    backend->options = picture_tables;
    status = finish_some(backend, device);
    wvl_backend_cuda.close(backend);
    wvl_cuda_close_device(device);
    return status;
}

/* By graphs and without them; pixels on the host, or where the device reads them. */
START_TEST(every_call_of_a_picture_may_fail)
{
    picture_tables = _i & 1 ? WVL_CUDA_NO_GRAPHS : 0;
    j.image.memory_kind = _i & 2 ? WVL_MEMORY_DEVICE : WVL_MEMORY_HOST;
    ck_assert_int_eq(run_pictures(), WVL_OK);
    uint32_t total = calls;
    ck_assert_uint_eq(live, 0);
    ck_assert_uint_gt(total, 60);
    for (uint32_t n = 1; n <= total; n++) {
        calls = 0;
        fail_at = n;
        wvl_status status = run_pictures();
        ck_assert_msg(status == WVL_ERROR_MEMORY, "call %u of %u failed unseen: status %d", n, total, status);
        ck_assert_msg(live == 0, "call %u of %u: %u things leaked", n, total, live);
    }
    for (uint32_t n = 1; n <= total; n++) {
        failure = 719;
        calls = 0;
        fail_at = n;
        ck_assert_int_eq(run_pictures(), WVL_ERROR_DEVICE);
        ck_assert_msg(live == 0, "call %u of %u: %u things leaked", n, total, live);
        wvl_cuda_forget_losses();
    }
}
END_TEST

/* What a picture says of itself, as the caller sees it; the slot goes on. */
START_TEST(refused_pictures)
{
    static const struct {
        uint32_t flags;
        wvl_status status;
    } rows[] = {{WVL_CUDA_PACKETS_LEFT, WVL_ERROR_UNSUPPORTED},  {WVL_CUDA_PACKETS_SHORT, WVL_ERROR_UNSUPPORTED},
                {WVL_CUDA_PACKETS_LARGE, WVL_ERROR_UNSUPPORTED}, {WVL_CUDA_PACKETS_UNBOUNDED, WVL_ERROR_INTERNAL},
                {WVL_CUDA_PACKETS_OUTSIDE, WVL_ERROR_INPUT},     {0, WVL_OK}};
    wvl_cuda_options options = {.runtime = &stub, .image = "image"};
    wvl_backend *backend;
    wvl_backend_memory slot;
    wvl_finished finished;
    ck_assert_int_eq(wvl_cuda_open_backend(NULL, pool, &options, &backend), WVL_OK);
    wvl_backend_cuda.measure_picture(j.plan, &assembly, &slot);
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &assembly, &slot), WVL_OK);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        said.flags = rows[i].flags;
        ck_assert_int_eq(finish_picture(backend, &finished), rows[i].status);
    }
    said.flags = 0;
    wvl_backend_cuda.drop_picture(backend->device, &finished);
    /* Slots of pictures go when waves come, and the other way round. */
    ck_assert_int_eq(wvl_backend_prepare_tiles(&wvl_backend_cuda, backend, pool, j.plan, j.tiles, 1), WVL_OK);
    ck_assert_int_eq(finish_picture(backend, &finished), WVL_AGAIN);
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &assembly, &slot), WVL_OK);
    ck_assert_int_eq(finish_picture(backend, &finished), WVL_OK);
    wvl_backend_cuda.drop_picture(backend->device, &finished);
    wvl_backend_cuda.close(backend);
    ck_assert_uint_eq(live, 0);
}
END_TEST

/* A backend with slots for pictures, whose launches name their picture. */
static wvl_backend *open_slots(uint32_t count)
{
    wvl_cuda_options options = {.runtime = &stub, .image = "image", .tables = WVL_CUDA_NO_GRAPHS};
    wvl_backend *backend;
    wvl_backend_memory slot;
    ck_assert_int_eq(wvl_cuda_open_backend(NULL, pool, &options, &backend), WVL_OK);
    wvl_backend_cuda.measure_picture(j.plan, &assembly, &slot);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &assembly, &slot), WVL_OK);
    }
    return backend;
}

/* Each slot keeps the tables of the pixels that it had: when they come again, in any order, nothing goes up. */
START_TEST(slots_know_their_pixels)
{
    wvl_image images[2] = {j.image, j.image};
    wvl_plane planes[COMPONENTS];
    wvl_backend *backend = open_slots(2);
    memcpy(planes, j.planes, sizeof planes);
    for (unsigned c = 0; c < 3; c++) {
        planes[c].data = (const uint8_t *)planes[c].data + 4096; /* nothing reads them */
    }
    images[1].planes = planes;
    images[0].memory_kind = images[1].memory_kind = WVL_MEMORY_DEVICE;
    for (unsigned round = 0; round < 6; round++) {
        wvl_backend_job *running[2];
        uploads = 0;
        for (unsigned i = 0; i < 2; i++) {
            const wvl_image *image = &images[(round >> 1 & 1) ^ i];
            ck_assert_int_eq(wvl_backend_cuda.submit_picture(backend, image, &running[i]), WVL_OK);
        }
        ck_assert_msg(uploads == (round ? 0 : 2), "round %u: %u uploads", round, uploads);
        for (unsigned i = 0; i < 2; i++) {
            wvl_finished finished;
            ck_assert_int_eq(wvl_backend_cuda.wait(running[i], WVL_EVENT_DONE, UINT32_MAX), WVL_OK);
            ck_assert_int_eq(take_picture(running[i], &finished), WVL_OK);
            wvl_backend_cuda.drop_picture(backend->device, &finished);
            wvl_backend_cuda.release(running[i]);
        }
    }
    wvl_backend_cuda.close(backend);
    ck_assert_uint_eq(live, 0);
}
END_TEST

/* Calls in the wrong order, and plans that are not for pictures. */
START_TEST(misused_slots)
{
    wvl_backend *backend = open_slots(1);
    wvl_backend_job *running, *none;
    wvl_assembly other = assembly;
    wvl_backend_memory slot;
    wvl_finished finished;
    wvl_coefs coefs;
    ck_assert_int_eq(wvl_backend_cuda.submit_picture(backend, &j.image, &running), WVL_OK);
    ck_assert_int_eq(take_picture(running, &finished), WVL_ERROR_ARGUMENT); /* nobody waited for it */
    ck_assert_int_eq(wvl_backend_cuda.collect(running, &coefs), WVL_ERROR_UNSUPPORTED);
    ck_assert_int_eq(wvl_backend_cuda.submit(backend, &j.image, j.tiles, 1, &none), WVL_AGAIN);
    wvl_backend_cuda.measure_picture(j.plan, &other, &slot);
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &other, &slot), WVL_ERROR_ARGUMENT);
    wvl_backend_cuda.release(running); /* waits */
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &other, &slot), WVL_OK);
    ck_assert_int_eq(finish_picture(backend, &finished), WVL_OK);
    wvl_backend_cuda.drop_picture(backend->device, &finished);
    j.plan->syntax.components[0].depth = 17;
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &other, &slot), WVL_ERROR_UNSUPPORTED);
    ck_assert_int_eq(wvl_backend_cuda.prepare(backend, j.plan, &slot), WVL_ERROR_UNSUPPORTED);
    j.plan->syntax.components[0].depth = 8;
    wvl_backend_cuda.close(backend);
    ck_assert_uint_eq(live, 0);
}
END_TEST

/* Pinned memory that the device cannot see: results have no place. */
START_TEST(unseen_memory)
{
    wvl_cuda_options options = {.runtime = &stub, .image = "image", .tables = WVL_CUDA_WHOLE_DOWNLOAD};
    wvl_backend *backend;
    wvl_backend_memory slot;
    ck_assert_int_eq(wvl_cuda_open_backend(NULL, pool, &options, &backend), WVL_OK);
    wvl_backend_cuda.measure_picture(j.plan, &assembly, &slot);
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &assembly, &slot), WVL_ERROR_UNSUPPORTED);
    wvl_backend_cuda.close(backend);
    ck_assert_uint_eq(live, 0);
}
END_TEST

START_TEST(every_call_may_fail)
{
    if (_i) { /* with blocks that are coded there; coefficients come down later */
        teardown();
        open_job(1);
    }
    ck_assert_int_eq(encode_once(), WVL_OK);
    uint32_t total = calls;
    ck_assert_uint_eq(live, 0);
    ck_assert_uint_gt(total, 20);
    for (uint32_t n = 1; n <= total; n++) {
        calls = 0;
        fail_at = n;
        wvl_status status = encode_once();
        ck_assert_msg(status == WVL_ERROR_MEMORY, "call %u of %u failed unseen: status %d", n, total, status);
        ck_assert_msg(live == 0, "call %u of %u: %u things leaked", n, total, live);
    }
}
END_TEST

/* An error that lasts, at any call: the device is refused from then on, by whomever it is opened, and no call is made.
 */
START_TEST(lost_for_the_process)
{
    static const wvl_cuda_status lasting[] = {214, 700, 719, 999};
    ck_assert_int_eq(encode_once(), WVL_OK);
    uint32_t total = calls;
    for (uint32_t n = 1; n <= total; n++) {
        failure = lasting[n % 4];
        calls = 0;
        fail_at = n;
        ck_assert_int_eq(encode_once(), WVL_ERROR_DEVICE);
        ck_assert_msg(live == 0, "call %u of %u: %u things leaked", n, total, live);
        calls = 0;
        ck_assert_int_eq(encode_once(), WVL_ERROR_DEVICE);
        ck_assert_uint_eq(calls, 0);
        wvl_cuda_forget_losses();
    }
}
END_TEST

START_TEST(steady_state)
{
    wvl_cuda_options options = {.runtime = &stub, .image = "image"};
    wvl_backend *backend = NULL;
    wvl_coefs coefs;
    ck_assert_int_eq(wvl_cuda_open_backend(NULL, pool, &options, &backend), WVL_OK);
    ck_assert_int_eq(wvl_backend_prepare_tiles(&wvl_backend_cuda, backend, pool, j.plan, j.tiles, 1), WVL_OK);
    uint32_t before = allocations;
    for (uint32_t picture = 1; picture <= 5; picture++) {
        wvl_backend_job *running = NULL, *none = NULL;
        waits = 0;
        ck_assert_int_eq(wvl_backend_cuda.submit(backend, &j.image, j.tiles, 1, &running), WVL_OK);
        ck_assert_int_eq(wvl_backend_cuda.submit(backend, &j.image, j.tiles, 1, &none), WVL_AGAIN);
        ck_assert_uint_eq(waits, 0);
        ck_assert_int_eq(wvl_backend_cuda.wait(running, WVL_EVENT_DONE, UINT32_MAX), WVL_OK);
        ck_assert_int_eq(wvl_backend_cuda.collect(running, &coefs), WVL_OK);
        ck_assert_uint_eq(waits, 1);
        wvl_backend_cuda.release(running);
        ck_assert_uint_eq(allocations, before);
        ck_assert_uint_eq(
            marches,
            3 * picture); /* levels 1 and 2, then 3 and 4, march in this picture, and single warps take the last */
    }
    wvl_backend_cuda.close(backend);
    ck_assert_uint_eq(live, 0);
}
END_TEST

START_TEST(measured_is_what_is_allocated)
{
    wvl_backend_memory memory;
    wvl_backend_cuda.measure(j.plan, j.tiles, 1, 1, &memory);
    ck_assert_uint_gt(memory.device_bytes, memory.pinned_bytes);
    ck_assert_uint_ge(memory.pinned_bytes, 3u * 512 * 256 * 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fault_cuda_stub");
    TCase *tc = tcase_create("stub");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, every_call_may_fail, 0, 2);
    tcase_add_test(tc, lost_for_the_process);
    tcase_add_test(tc, steady_state);
    tcase_add_test(tc, measured_is_what_is_allocated);
    suite_add_tcase(suite, tc);
    tc = tcase_create("pictures");
    tcase_add_checked_fixture(tc, open_pictures, close_pictures);
    tcase_add_loop_test(tc, every_call_of_a_picture_may_fail, 0, 4);
    tcase_add_test(tc, refused_pictures);
    tcase_add_test(tc, slots_know_their_pixels);
    tcase_add_test(tc, misused_slots);
    tcase_add_test(tc, unseen_memory);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
