/* SPDX-License-Identifier: BSD-2-Clause */
/* Strips of a device: tables that are kept from one to the next, and another device that goes on in the middle. */

#include "cuda/host/memory/device.h"
#include "layouts.h"
#include "soft_bench.h"

/* Strips that begin at other rows modulo 8 have larger tables, and lie in memory otherwise. */
TEST_EACH(strips_of_unlike_layouts, 2)
{
    static const char *const settings[] = {"levels=0 block=64,64 precincts=[1024,2]",
                                           "style=HT levels=0 block=64,64 precincts=[1024,2]"};
    open_context();
    picture_input input = draw_input(PICTURE_NOISE, 1000, 330, 1, 8, 5);
    bytes reference = encode(&input, settings[_i], "cpu");
    for (uint32_t rows = 10; rows < 170; rows += 16) {
        wvl_plan *plan = make_plan(&input.format, settings[_i], "cuda-only");
        plan->test.strip_rows = rows;
        expect_same(settings[_i], &reference, encode_plan(plan, &input.image), "cuda:0 blocks");
    }
    close_context();
}

static uint32_t fault_at;

/* The device at work is lost with its next launch; the other one is there again, and has room for waves. */
static void change_devices(const char *call, int device)
{
    if (!device && strcmp(call, "cuLaunchKernel") == 0 && soft->launches_of[0] >= fault_at) {
        soft->watch = NULL;
        soft->broken_devices = 0;
        wvl_cuda_forget_losses();
        soft->memory_limit = 0;
        soft->kill = 0;
        soft->kill_at = soft->launches_of[0] + 1;
    }
}

static bytes encode_with_fault(const wvl_plan *plan, const wvl_image *image, uint64_t limit, uint32_t at)
{
    soft->memory_limit = limit;
    soft->broken_devices = 2;
    fault_at = soft->launches_of[0] + at;
    soft->watch = at ? change_devices : NULL;
    bytes b = encode_plan(plan, image);
    soft->watch = NULL;
    fail_call(0, 0);
    soft->kill_at = 0;
    soft->memory_limit = 0;
    return b;
}

/* A device that takes over in the middle goes on with strips, although it could take waves. */
TEST_EACH(another_device_goes_on, 2)
{
    static const struct {
        const char *settings;
        uint64_t limit;
    } rows[] = {{"levels=2 block=16,16 tile=60,300", 500000}, {"style=HT levels=2 block=16,16 tile=60,300", 300000}};
    picture_input input = draw_input(PICTURE_NATURAL, 200, 1500, 1, 8, 3);
    unsigned changed = 0;
    uint32_t all = 0;
    for (uint32_t share = 0; share < 8; share++) {
        open_context();
        soft->devices = 2;
        bytes reference = encode(&input, rows[_i].settings, "cpu");
        wvl_plan *plan = make_plan(&input.format, rows[_i].settings, "cuda-only:0,1");
        uint32_t before = soft->launches_of[0];
        bytes b = encode_with_fault(plan, &input.image, rows[_i].limit, all * share / 8);
        all = share ? all : soft->launches_of[0] - before;
        changed += strcmp(b.backend, "cuda:0,1 blocks") == 0;
        ck_assert_msg(b.status == WVL_OK, "%u of 8: %s", share, b.error);
        expect_same(rows[_i].settings, &reference, b, b.backend);
        soft->devices = 1;
        close_context();
    }
    ck_assert_uint_gt(changed, 2);
}

TEST_MAIN("takeover")
