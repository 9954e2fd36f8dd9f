/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host logic of the device backend against a stub of the runtime table, on any machine: every call fails once in
 * turn, nothing leaks, and the steady state neither allocates nor waits but once a collect.
 */
#include "cuda/host/waves/job.h"

#include "../twin/test_cuda_job.h"
#include "codec/write/assembly.h"
#include "cuda/host/memory/device.h"
#include "stub.h"

static job j;

/* Coefficients alone, as with rdoq, and blocks of a given step with their sums or gains. */
typedef enum job_kind { JOB_COEFS, JOB_HT, JOB_T1 } job_kind;

static void open_job(job_kind kind)
{
    seed_state = 1;
    default_job(&j);
    j.settings.style = kind == JOB_HT ? WVL_STYLE_HT : 0;
    j.settings.ht_passes = 3;
    j.settings.reversible = kind == JOB_COEFS;
    j.format.component_count = 3;
    j.format.x1 = 512;
    j.format.y1 = 256;
    plan_job(&j);
    j.plan->rate.rdoq = kind == JOB_COEFS;
    draw_plain_pixels(&j, 1);
    pool = wvl_pool_create(NULL, 1, NULL);
    calls = fail_at = live = waits = allocations = marches = 0;
    failure = WVL_CUDA_OUT_OF_MEMORY;
    wvl_cuda_forget_losses();
}

static void setup(void) { open_job(JOB_COEFS); }

static void teardown(void)
{
    free_job(&j);
    wvl_pool_destroy(pool);
}

/* All blocks of the picture, when the job is done; the stub's kernels have coded none. */
static wvl_status code_all(wvl_backend_job *running)
{
    wvl_block_range all = {.count = j.tiles[0].bands[0].block_cols * j.tiles[0].bands[0].block_rows};
    wvl_block_order order = {.ranges = &all, .range_count = 1, .codings = j.plan->syntax.codings};
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
        status = status == WVL_OK && !j.plan->rate.rdoq ? code_all(running) : status;
        status = status == WVL_OK ? wvl_backend_cuda.collect(running, &coefs) : status;
        wvl_backend_cuda.release(running);
    }
    wvl_backend_cuda.close(backend);
    return status;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static wvl_assembly assembly;
static unsigned picture_tables; /* options of the backend */

static void open_pictures_of(job_kind kind)
{
    const char *why;
    open_job(kind);
    j.plan->memory.output_bytes_bound = 4096; /* what the conductor adds to a plan */
    j.plan->memory.most_precincts = j.tiles->precinct_count;
    j.plan->memory.most_blocks = j.tiles->block_count;
    j.plan->memory.most_resolutions = j.tiles->resolution_count;
    j.plan->syntax.part_count = 1;
    said = (wvl_cuda_packets_result){.bytes = 700, .codestream = 0};
    ck_assert_int_eq(wvl_assembly_build(NULL, j.plan, wvl_assembly_whole(j.plan), &assembly, &why), WVL_OK);
    picture_tables = 0;
}

static void open_pictures(void) { open_pictures_of(JOB_HT); }

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
    wvl_status status = wvl_backend_cuda.submit_picture(backend, j.plan, &j.image, 0, &running);
    if (status == WVL_OK) {
        status = wvl_backend_cuda.wait(running, WVL_EVENT_DONE, UINT32_MAX);
        status = status == WVL_OK ? take_picture(running, finished) : status;
        wvl_backend_cuda.release(running);
    }
    return status;
}

/* Three pictures in two workspaces: the first has no prediction, the second one that is too small, the third one that
 * does.
 */
static wvl_status finish_some(wvl_backend *backend, wvl_device *device)
{
    static const uint64_t bytes[] = {700, 900, 800};
    wvl_backend_memory workspace;
    wvl_status status = WVL_OK;
    wvl_backend_cuda.measure_picture(j.plan, &assembly, &workspace);
    for (unsigned i = 0; i < 2 && status == WVL_OK; i++) {
        status = wvl_backend_cuda.prepare_picture(backend, j.plan, &assembly, &workspace);
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

TEST_FIXTURE(open_pictures, close_pictures);

/* By graphs and without them; pixels on the host, or where the device reads them; HT and EBCOT. A graph for which the
 * driver has no memory is no error: its kernels are launched one by one. */
TEST_EACH(every_call_of_a_picture_may_fail, 8)
{
    if (_i & 4) {
        close_pictures();
        open_pictures_of(JOB_T1);
    }
    picture_tables = _i & 1 ? WVL_CUDA_NO_GRAPHS : 0;
    j.image.memory_kind = _i & 2 ? WVL_MEMORY_DEVICE : WVL_MEMORY_HOST;
    ck_assert_int_eq(run_pictures(), WVL_OK);
    uint32_t total = calls;
    ck_assert_uint_eq(live, 0);
    ck_assert_uint_gt(total, 60);
    uint32_t of_graphs = 0;
    for (uint32_t n = 1; n <= total; n++) {
        calls = 0;
        fail_at = n;
        graph_failed = 0;
        wvl_status status = run_pictures();
        of_graphs += (uint32_t)graph_failed;
        ck_assert_msg(status == (graph_failed ? WVL_OK : WVL_ERROR_MEMORY), "call %u of %u failed: status %d", n, total,
                      status);
        ck_assert_msg(live == 0, "call %u of %u: %u things leaked", n, total, live);
    }
    ck_assert_msg(_i & 1 ? !of_graphs : of_graphs > 20, "%u calls were for graphs", of_graphs);
    for (uint32_t n = 1; n <= total; n++) {
        failure = 719;
        calls = 0;
        fail_at = n;
        ck_assert_int_eq(run_pictures(), WVL_ERROR_DEVICE);
        ck_assert_msg(live == 0, "call %u of %u: %u things leaked", n, total, live);
        wvl_cuda_forget_losses();
    }
}

/* What a picture says of itself, as the caller sees it; the workspace goes on. */
TEST(refused_pictures)
{
    static const struct {
        uint32_t flags;
        wvl_status status;
    } rows[] = {{WVL_CUDA_PACKETS_LEFT, WVL_ERROR_UNSUPPORTED},  {WVL_CUDA_PACKETS_SHORT, WVL_ERROR_UNSUPPORTED},
                {WVL_CUDA_PACKETS_LARGE, WVL_ERROR_UNSUPPORTED}, {WVL_CUDA_PACKETS_UNBOUNDED, WVL_ERROR_INTERNAL},
                {WVL_CUDA_PACKETS_OUTSIDE, WVL_ERROR_INPUT},     {0, WVL_OK}};
    wvl_cuda_options options = {.runtime = &stub, .image = "image"};
    wvl_backend *backend;
    wvl_backend_memory workspace;
    wvl_finished finished;
    ck_assert_int_eq(wvl_cuda_open_backend(NULL, pool, &options, &backend), WVL_OK);
    wvl_backend_cuda.measure_picture(j.plan, &assembly, &workspace);
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &assembly, &workspace), WVL_OK);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        said.flags = rows[i].flags;
        ck_assert_int_eq(finish_picture(backend, &finished), rows[i].status);
    }
    said.flags = 0;
    wvl_backend_cuda.drop_picture(backend->device, &finished);
    /* Workspaces of pictures go when waves come, and the other way round. */
    ck_assert_int_eq(wvl_backend_prepare_tiles(&wvl_backend_cuda, backend, pool, j.plan, j.tiles, 1), WVL_OK);
    ck_assert_int_eq(finish_picture(backend, &finished), WVL_AGAIN);
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &assembly, &workspace), WVL_OK);
    ck_assert_int_eq(finish_picture(backend, &finished), WVL_OK);
    wvl_backend_cuda.drop_picture(backend->device, &finished);
    wvl_backend_cuda.close(backend);
    ck_assert_uint_eq(live, 0);
}

/* A backend with workspaces for pictures, whose launches name their picture. */
static wvl_backend *open_workspaces(uint32_t count)
{
    wvl_cuda_options options = {.runtime = &stub, .image = "image", .tables = WVL_CUDA_NO_GRAPHS};
    wvl_backend *backend;
    wvl_backend_memory workspace;
    ck_assert_int_eq(wvl_cuda_open_backend(NULL, pool, &options, &backend), WVL_OK);
    wvl_backend_cuda.measure_picture(j.plan, &assembly, &workspace);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &assembly, &workspace), WVL_OK);
    }
    return backend;
}

/* Each workspace keeps the tables of the pixels that it had: when they come again, in any order, nothing goes up. */
TEST(workspaces_know_their_pixels)
{
    wvl_image images[2] = {j.image, j.image};
    wvl_plane planes[COMPONENTS];
    wvl_backend *backend = open_workspaces(2);
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
            ck_assert_int_eq(wvl_backend_cuda.submit_picture(backend, j.plan, image, 0, &running[i]), WVL_OK);
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

/* Calls in the wrong order, and plans that are not for pictures. */
TEST(misused_workspaces)
{
    wvl_backend *backend = open_workspaces(1);
    wvl_backend_job *running, *none;
    wvl_assembly other = assembly;
    wvl_backend_memory workspace;
    wvl_finished finished;
    wvl_coefs coefs;
    ck_assert_int_eq(wvl_backend_cuda.submit_picture(backend, j.plan, &j.image, 0, &running), WVL_OK);
    ck_assert_int_eq(take_picture(running, &finished), WVL_ERROR_ARGUMENT); /* nobody waited for it */
    ck_assert_int_eq(wvl_backend_cuda.collect(running, &coefs), WVL_ERROR_UNSUPPORTED);
    ck_assert_int_eq(wvl_backend_cuda.submit(backend, &j.image, j.tiles, 1, &none), WVL_AGAIN);
    wvl_backend_cuda.measure_picture(j.plan, &other, &workspace);
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &other, &workspace), WVL_ERROR_ARGUMENT);
    wvl_backend_cuda.release(running); /* waits */
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &other, &workspace), WVL_OK);
    ck_assert_int_eq(finish_picture(backend, &finished), WVL_OK);
    wvl_backend_cuda.drop_picture(backend->device, &finished);
    j.plan->syntax.components[0].depth = 17;
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &other, &workspace), WVL_ERROR_UNSUPPORTED);
    ck_assert_int_eq(wvl_backend_cuda.prepare(backend, j.plan, &workspace), WVL_ERROR_UNSUPPORTED);
    j.plan->syntax.components[0].depth = 8;
    wvl_backend_cuda.close(backend);
    ck_assert_uint_eq(live, 0);
}

/* Pinned memory that the device cannot see: results have no place. */
TEST(unseen_memory)
{
    wvl_cuda_options options = {.runtime = &stub, .image = "image", .tables = WVL_CUDA_WHOLE_DOWNLOAD};
    wvl_backend *backend;
    wvl_backend_memory workspace;
    ck_assert_int_eq(wvl_cuda_open_backend(NULL, pool, &options, &backend), WVL_OK);
    wvl_backend_cuda.measure_picture(j.plan, &assembly, &workspace);
    ck_assert_int_eq(wvl_backend_cuda.prepare_picture(backend, j.plan, &assembly, &workspace), WVL_ERROR_UNSUPPORTED);
    wvl_backend_cuda.close(backend);
    ck_assert_uint_eq(live, 0);
}

TEST_FIXTURE(setup, teardown);

TEST_EACH(every_call_may_fail, 3)
{
    if (_i) { /* with blocks that are coded there; coefficients come down later */
        teardown();
        open_job(_i == 1 ? JOB_HT : JOB_T1);
    }
    ck_assert_int_eq(encode_once(), WVL_OK);
    uint32_t total = calls, retried = 0;
    ck_assert_uint_eq(live, 0);
    ck_assert_uint_gt(total, 20);
    for (uint32_t n = 1; n <= total; n++) {
        calls = 0;
        fail_at = n;
        wvl_status status = encode_once();
        retried += status == WVL_OK; /* with less memory for blocks of Part 1 */
        ck_assert_msg(status == WVL_ERROR_MEMORY || status == WVL_OK, "call %u of %u failed unseen: status %d", n,
                      total, status);
        ck_assert_msg(live == 0, "call %u of %u: %u things leaked", n, total, live);
    }
    ck_assert_msg(_i == 2 ? retried && retried < total / 2 : !retried, "%u calls failed unseen", retried);
}

/* An error that lasts, at any call: the device is refused from then on, by whomever it is opened, and no call is made.
 */
TEST(lost_for_the_process)
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

TEST(steady_state)
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

TEST(measured_is_what_is_allocated)
{
    wvl_backend_memory memory;
    wvl_backend_cuda.measure(j.plan, j.tiles, 1, 1, &memory);
    ck_assert_uint_gt(memory.device_bytes, memory.pinned_bytes);
    ck_assert_uint_ge(memory.pinned_bytes, 3u * 512 * 256 * 2);
}

TEST_MAIN("fault_cuda_stub")
