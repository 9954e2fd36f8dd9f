/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture_run.h"

#include "codec/rate/layers.h"
#include "codec/rate/quality.h"
#include "cuda/host/waves/job.h"
#include "soft_find.h"
#include "tests/support/support.h"

#define MOST_WORKSPACES 8

picture_driver run_driver;
soft_control *run_soft;
uint32_t run_pace;

void run_open(void)
{
    run_soft = soft_find();
    REQUIRE_THAT(picture_driver_open(&run_driver), "no device: this suite runs on the software one, or on a real one");
}
void run_close(void) { picture_driver_close(&run_driver); }

wvl_backend *run_open_backend(const picture_case *c, uint32_t workspaces)
{
    const wvl_backend_options options = {.pool = c->context->pool, .device = run_driver.device};
    wvl_backend_memory memory;
    wvl_backend *backend = NULL;
    const char *why = NULL;
    REQUIRE_THAT(wvl_backend_cuda.reach(c->plan, NULL, WVL_REACH_PACKETS, &why) == WVL_REACH_PACKETS, "reach: %s",
                 why ? why : "");
    REQUIRE(wvl_backend_cuda.open(&options, &backend) == WVL_OK);
    backend->pace = run_pace;
    wvl_backend_cuda.measure_picture(c->plan, &c->assembly, &memory);
    REQUIRE(memory.device_bytes != UINT64_MAX);
    for (uint32_t i = 0; i < workspaces; i++) {
        REQUIRE(wvl_backend_cuda.prepare_picture(backend, c->plan, &c->assembly, &memory) == WVL_OK);
    }
    return backend;
}

void run_check_bytes(const picture_case *c, const wvl_finished *finished, const char *name)
{
    uint8_t *bytes = picture_fetch(&run_driver, finished);
    REQUIRE(bytes != NULL);
    REQUIRE_THAT(finished->bytes == c->expected_bytes, "%s: %llu bytes, not %zu", name,
                 (unsigned long long)finished->bytes, c->expected_bytes);
    for (size_t i = 0; i < c->expected_bytes; i++) {
        REQUIRE_THAT(bytes[i] == c->expected[i], "%s: byte %zu of %zu is %02X, not %02X", name, i, c->expected_bytes,
                     bytes[i], c->expected[i]);
    }
    REQUIRE_THAT(bytes[finished->codestream_offset] == 0xFF && bytes[finished->codestream_offset + 1] == 0x4F,
                 "%s: no SOC at %llu", name, (unsigned long long)finished->codestream_offset);
    free(bytes);
}

static void check_lengths(const picture_case *c, const uint32_t *parts, const uint64_t *groups, const char *name)
{
    uint32_t resolutions = c->plan->syntax.max_levels + 1u, layers = c->plan->syntax.layer_count;
    for (uint32_t i = 0; i < c->assembly.part_count; i++) {
        wvl_tile_part_info info;
        REQUIRE(wvl_result_tile_part(c->result, i, &info) == WVL_OK);
        REQUIRE_THAT(info.bytes == parts[i], "%s: tile-part %u has %u bytes, not %llu", name, i, parts[i],
                     (unsigned long long)info.bytes);
    }
    for (uint32_t i = 0; i < c->plan->syntax.component_count; i++) {
        for (uint32_t r = 0; r < resolutions; r++) {
            for (uint32_t l = 0; l < layers; l++) {
                uint64_t wanted = wvl_result_packet_bytes(c->result, i, r, l);
                REQUIRE_THAT(groups[(i * resolutions + r) * layers + l] == wanted,
                             "%s: packets of component %u, resolution %u, layer %u", name, i, r, l);
            }
        }
    }
}

/* The estimate of the CPU rounds for every pass of a block, to units that hold the sum of all energies: where samples
 * have 16 bits and steps are fine, that shows. HT blocks without a target have one pass. */
static void check_psnr(const picture_case *c, const wvl_finished *finished, uint32_t layer, double gain,
                       int is_everything, const char *name)
{
    int is_exact = is_everything && c->plan->rate.reversible_share >= 1.0;
    double error = is_exact ? 0.0 : wvl_layers_squared_error(c->plan, finished->energy, gain),
           psnr = wvl_rate_psnr_for_error(c->plan, error), wanted = wvl_result_layer_psnr(c->result, layer);
    int is_ht = (c->plan->syntax.codings[0].style & WVL_STYLE_HT) && !c->plan->test.all_sets;
    double fine = is_ht ? 0.02 : 0.5, coarse = is_ht ? 1e-6 : 1e-5,
           allowed = c->plan->syntax.components[0].depth > 12 ? fine : coarse;
    REQUIRE_THAT(psnr == wanted || fabs(psnr - wanted) < allowed, "%s: layer %u has %.9f dB, not %.9f", name, layer,
                 psnr, wanted);
}

static void check_error(const picture_case *c, const wvl_finished *finished, const char *name)
{
    uint32_t last = c->plan->syntax.layer_count - 1;
    REQUIRE((finished->layers != NULL) == (last > 0));
    for (uint32_t l = 0; l < last; l++) {
        const wvl_assembly_layer *layer = &finished->layers[l];
        uint64_t bytes = wvl_result_layer_bytes(c->result, l);
        REQUIRE_THAT(layer->bytes == bytes && layer->threshold == wvl_result_layer_slope(c->result, l),
                     "%s: layer %u ends at %llu with slope %u, not at %llu with %u", name, l,
                     (unsigned long long)layer->bytes, layer->threshold, (unsigned long long)bytes,
                     wvl_result_layer_slope(c->result, l));
        check_psnr(c, finished, l, layer->gain, layer->is_everything != 0, name);
    }
    if (c->plan->rate.rate_control) {
        check_psnr(c, finished, last, finished->gain, finished->is_everything, name);
    }
}

unsigned run_again;

/* It found too little memory in its workspace: another one, or a larger one in its place. */
static wvl_status take_again(const picture_case *c, const picture_pixels *pixels, wvl_backend *backend,
                             wvl_backend_job **job, wvl_finished *finished, uint32_t *parts, uint64_t *groups)
{
    run_again++;
    wvl_backend_cuda.release(*job);
    wvl_status status = wvl_backend_cuda.submit_picture(backend, c->plan, &pixels->image, 1, job);
    status = status ? status : wvl_backend_cuda.wait(*job, WVL_EVENT_DONE, UINT32_MAX);
    return status ? status : wvl_backend_cuda.take_picture(*job, finished, parts, groups);
}

wvl_finished run_finish(const picture_case *c, const picture_pixels *pixels, wvl_backend *backend, wvl_backend_job *job,
                        const char *name)
{
    wvl_finished finished;
    uint32_t *parts = calloc(c->assembly.part_count + 1u, sizeof *parts);
    uint64_t *groups = malloc((size_t)c->plan->syntax.component_count * (c->plan->syntax.max_levels + 1u) *
                              c->plan->syntax.layer_count * sizeof *groups);
    wvl_status status = wvl_backend_cuda.wait(job, WVL_EVENT_DONE, UINT32_MAX);
    REQUIRE_THAT(status == WVL_OK, "%s: wait says %d", name, status);
    status = wvl_backend_cuda.take_picture(job, &finished, parts, groups);
    status = status == WVL_AGAIN ? take_again(c, pixels, backend, &job, &finished, parts, groups) : status;
    REQUIRE_THAT(status == WVL_OK, "%s: status %d", name, status);
    run_check_bytes(c, &finished, name);
    check_lengths(c, parts, groups, name);
    check_error(c, &finished, name);
    free(parts);
    free(groups);
    wvl_backend_cuda.release(job);
    return finished;
}

void run_pictures(const picture_case *c, wvl_memory_kind kind, uint32_t workspaces, uint32_t rounds, const char *name)
{
    picture_pixels pixels[2];
    wvl_backend *backend = run_open_backend(c, workspaces);
    wvl_finished finished[MOST_WORKSPACES];
    for (unsigned i = 0; i < 2; i++) {
        REQUIRE(picture_pixels_open(&pixels[i], &run_driver, c, kind));
    }
    for (uint32_t round = 0; round < rounds; round++) {
        wvl_backend_job *jobs[MOST_WORKSPACES], *none;
        for (uint32_t i = 0; i < workspaces; i++) {
            const wvl_image *image = &pixels[(round + i) / 3 % 2].image;
            REQUIRE(wvl_backend_cuda.submit_picture(backend, c->plan, image, 0, &jobs[i]) == WVL_OK);
            REQUIRE(wvl_backend_cuda.wait(jobs[i], WVL_EVENT_INPUT_FREE, UINT32_MAX) == WVL_OK);
        }
        REQUIRE(wvl_backend_cuda.submit_picture(backend, c->plan, &pixels[0].image, 0, &none) == WVL_AGAIN);
        for (uint32_t i = 0; i < workspaces; i++) {
            uint32_t at = round & 1 ? workspaces - 1 - i : i;
            finished[at] = run_finish(c, &pixels[(round + at) / 3 % 2], backend, jobs[at], name);
        }
        for (uint32_t i = 0; i < workspaces && round + 1 < rounds; i++) {
            wvl_backend_cuda.drop_picture(run_driver.device, &finished[i]);
        }
    }
    wvl_backend_cuda.close(backend);
    for (uint32_t i = 0; i < workspaces; i++) {
        wvl_backend_cuda.drop_picture(run_driver.device, &finished[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        picture_pixels_close(&pixels[i], &run_driver);
    }
}

void run_row(const picture_row *row, uint32_t seed, wvl_memory_kind kind, uint32_t workspaces, uint32_t rounds)
{
    picture_case c;
    picture_case_draw(&c, row, seed);
    run_pictures(&c, kind, workspaces, rounds, row->settings);
    picture_case_close(&c);
}
