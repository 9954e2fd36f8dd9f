/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets and pictures on a device, beside copies of as many bytes. Blocks are coded by the device beforehand; their
 * kernels, the transform and uploads do not count. */
#include <stdio.h>

#include "device_timer.h"
#include "tests/twin/packets_case.h"

static wvl_cuda_status run_packets(void *user)
{
    const packets_load *load = user;
    return wvl_cuda_packets_launch(&load->packets, &load->job, wvl_cuda_to_stream(timer_device.stream));
}

/* The bytes of all pictures to their output from elsewhere on the device, by the driver. */
typedef struct copy_job {
    const packets_load *load;
    wvl_cuda_address from;
    uint64_t bytes; /* of a picture */
} copy_job;

static wvl_cuda_status run_copy(void *user)
{
    const copy_job *j = user;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t p = 0; p < j->load->job.picture_count && !status; p++) {
        uint64_t at = p * j->load->output_each;
        wvl_cuda_copy copy = {.from_kind = 2,
                              .from_device = j->from + at,
                              .from_pitch_bytes = j->bytes,
                              .to_kind = 2,
                              .to_device = j->load->output + at,
                              .to_pitch_bytes = j->bytes,
                              .width_bytes = j->bytes,
                              .rows = 1};
        status = j->load->pinned
                     ? timer_driver.download(j->load->pinned + at, j->from + at, j->bytes, timer_device.stream)
                     : timer_driver.upload_rows(&copy, timer_device.stream);
    }
    return status;
}

static void time_load(uint32_t runs, packets_case *c, const char *name, uint32_t pictures, unsigned flags)
{
    packets_load load;
    copy_job copy = {&load, 0, c->expected_bytes};
    if (!packets_load_open(&load, &timer_device, c, pictures, c->expected_bytes, flags) ||
        packets_load_run(&load, &timer_device)) {
        timer_fail("%s: no memory", name);
    }
    const char *wrong = packets_load_check(&load, &timer_device, c);
    timer_times whole = timer_measure(runs, run_packets, &load);
    load.packets.runtime = &timer_marked;
    timer_times parts = timer_measure(runs, run_packets, &load);
    load.packets.runtime = &timer_driver;
    timer_require(timer_driver.malloc_device(&copy.from, load.output_each * pictures));
    timer_times bytes = timer_measure(runs, run_copy, &copy);
    printf("%-44s %s %s %u: %8.2f us a frame, copy alone %8.2f; kernels", name, load.pinned ? "pinned" : "device",
           flags & PACKETS_CODES_BLOCKS ? "parts" : "plain", pictures, whole.all / pictures, bytes.all / pictures);
    timer_print_parts(&parts, pictures);
    printf("; %zu bytes, %s\n", c->expected_bytes, wrong ? wrong : "right");
    (void)fflush(stdout);
    (void)timer_driver.free_device(copy.from);
    packets_load_close(&load, &timer_device);
}

static void time_settings(const timer *t, const picture_input *input, const char *settings)
{
    packets_case c;
    uint32_t most = timer_or(t->frames, 8);
    if (!packets_case_open(&c, &input->format, &input->image, settings)) {
        timer_fail("%s: %s", settings, c.problem);
    }
    for (uint32_t pictures = 1; pictures; pictures = pictures < most ? most : 0) {
        for (unsigned flags = 0; flags < 4; flags++) {
            if (c.has_list || !(flags & PACKETS_CODES_BLOCKS)) {
                time_load(timer_or(t->runs, 21), &c, settings, pictures, flags);
            }
        }
    }
    packets_case_close(&c);
}

void timer_run_packets(const timer *t)
{
    static const char *const settings[] = {"style=HT", "style=HT block=32,32",
                                           "style=HT progression=RPCL precincts=[256,256] plt=yes tlm=yes tile-parts=R",
                                           "style=HT tile=512,512 plt=yes tlm=yes", "block=32,32"};
    picture p = timer_load(t->picture);
    picture_input input = picture_open_input(&p, 0);
    timer_open_device();
    printf("median of %u; kernels: heads of large and of small packets where there are any, place, list, write\n",
           timer_or(t->runs, 21));
    for (unsigned i = 0; i < sizeof settings / sizeof *settings && !t->settings[0]; i++) {
        time_settings(t, &input, settings[i]);
    }
    if (t->settings[0]) {
        time_settings(t, &input, t->settings);
    }
    picture_close_input(&input);
    fuzz_picture_free(&p);
}
