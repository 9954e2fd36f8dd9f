/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures in flight on a device that fails (soft.h), HT and EBCOT: each ends with the CPU's bytes or an error, nothing
 * leaks and nothing hangs. WVL_TEST_SHORT: every fifth call. */

#include "cuda/host/memory/device.h"
#include "soft_bench.h"
#include "wavelane_frames.h"

#define IN_FLIGHT 4u
#define PICTURES 7u
#define LOST 719       /* of the driver: it lasts */
#define SHORT_MEMORY 2 /* of the driver: it does not */
#define KINDS 2u

static const char *const kinds[KINDS] = {"style=HT", "style=BYPASS block=32,16"};

static picture_input inputs[PICTURES];
static bytes expected[KINDS][PICTURES];

static void open_pictures(void)
{
    open_context();
    for (unsigned i = 0; i < PICTURES; i++) {
        inputs[i] = draw_input(i % 3 == 2 ? PICTURE_NOISE : PICTURE_NATURAL, 61, 47, 1, 8, i);
        for (unsigned k = 0; k < KINDS; k++) {
            expected[k][i] = encode(&inputs[i], kinds[k], "cpu");
            ck_assert_int_eq(expected[k][i].status, WVL_OK);
        }
    }
}

static void close_pictures(void)
{
    soft->broken = 0;
    soft->fail_at = soft->scratch_cost = 0;
    close_context();
}

/* ---- A flight -------------------------------------------------------------------------------- */

/* How the pictures of a flight ended. */
typedef struct ends {
    uint32_t by_device, by_cpu, memory, lost;
    int is_created;
    uint64_t used; /* device memory, when all are there */
} ends;

static uint32_t sum_of(const ends *e) { return e->by_device + e->by_cpu + e->memory + e->lost; }

static void count_end(ends *e, wvl_encoded_picture *got, const bytes *want)
{
    size_t count;
    const void *data = wvl_encoded_picture_data(got, &count);
    wvl_status status = wvl_encoded_picture_status(got);
    if (status == WVL_OK) {
        int is_finished = strstr(wvl_result_backend(wvl_encoded_picture_result(got)), " packets") != NULL;
        ck_assert_msg(count == want->count && !memcmp(data, want->data, count), "%s: other bytes", soft->last);
        e->by_device += (uint32_t)is_finished;
        e->by_cpu += (uint32_t)!is_finished;
    } else {
        ck_assert_msg(status == WVL_ERROR_MEMORY || status == WVL_ERROR_DEVICE, "%s: %d", soft->last, status);
        ck_assert_msg(strlen(wvl_encoded_picture_error(got)) > 10, "%s: no text", soft->last);
        e->memory += status == WVL_ERROR_MEMORY;
        e->lost += status == WVL_ERROR_DEVICE;
    }
    if (sum_of(e) % 2) { /* calls of the driver that may fail, too */
        wvl_encoded_picture_release_after(got, NULL);
    } else {
        wvl_encoded_picture_release(got);
    }
}

static void receive_end(wvl_encoder *encoder, unsigned kind, uint32_t *received, ends *e)
{
    wvl_encoded_picture *got;
    ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &got), WVL_OK);
    count_end(e, got, &expected[kind][*received]);
    ++*received;
}

/* All pictures through one encoder. */
static void send_all(wvl_encoder *encoder, unsigned kind, ends *e)
{
    uint32_t received = 0;
    for (uint32_t sent = 0; sent < PICTURES; sent++) {
        wvl_status status;
        while ((status = wvl_encoder_submit(encoder, &inputs[sent].image, NULL, NULL)) == WVL_AGAIN) {
            receive_end(encoder, kind, &received, e);
        }
        ck_assert_int_eq(status, WVL_OK);
    }
    while (received < PICTURES) {
        receive_end(encoder, kind, &received, e);
    }
    e->used = soft->memory_used;
}

/* What goes wrong. All 0: nothing. */
typedef struct trouble {
    uint32_t fail_at; /* call of the driver, from 1 */
    int status;       /* that it ends with */
    uint64_t memory;  /* of the device */
    int is_taken;     /* others take what is left of it as soon as the encoder is there */
} trouble;

/* In a context of its own. */
static ends fly_with(unsigned kind, const char *device, const trouble *t)
{
    wvl_encoder *encoder;
    ends e = {0};
    fail_call(t->fail_at, t->status);
    soft->memory_limit = t->memory;
    wvl_context *usual = enter_context(1);
    wvl_plan *plan = make_plan(&inputs[0].format, kinds[kind], device);
    wvl_status status = wvl_encoder_create(plan, IN_FLIGHT, &encoder);
    e.is_created = status == WVL_OK;
    if (e.is_created) {
        soft->memory_limit = t->is_taken ? soft->memory_used : t->memory;
        send_all(encoder, kind, &e);
        wvl_encoder_release(encoder);
    } else {
        ck_assert_msg(status == WVL_ERROR_MEMORY || status == WVL_ERROR_DEVICE, "create: %d", status);
    }
    leave_context(usual);
    soft->broken = 0;
    soft->fail_at = 0;
    soft->memory_limit = 0;
    return e;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

TEST_FIXTURE(open_pictures, close_pictures);

/* Every call of the driver fails once, with a device that goes on or is lost. Once the encoder is there, nothing but
 * pictures on a lost device end with an error. */
TEST_EACH(every_call_may_fail, 8)
{
    unsigned kind = (unsigned)_i & 1;
    int only = _i & 4;
    trouble t = {.fail_at = 1, .status = _i & 2 ? LOST : SHORT_MEMORY};
    uint32_t errors = 0;
    ends e;
    for (;; t.fail_at += getenv("WVL_TEST_SHORT") ? 5 : 1) {
        e = fly_with(kind, only ? "cuda-only" : "cuda", &t);
        if (!soft->last) {
            break;
        }
        errors += e.memory + e.lost;
        ck_assert_msg(!e.is_created || sum_of(&e) == PICTURES, "call %u (%s): %u ends", t.fail_at, soft->last,
                      sum_of(&e));
        ck_assert_msg(e.is_created || only, "call %u (%s): no encoder", t.fail_at, soft->last);
        ck_assert_msg(!e.lost || t.status == LOST, "call %u (%s): %u lost", t.fail_at, soft->last, e.lost);
        ck_assert_msg(only || !e.memory, "call %u (%s): %u had no memory", t.fail_at, soft->last, e.memory);
    }
    ck_assert_uint_eq(e.by_device, PICTURES);
    ck_assert_uint_gt(t.fail_at, 60);
    ck_assert((errors > 0) == (t.status == LOST));
}

/* Device memory for no workspace, one, some or all; pixels that come when others have taken the rest. */
TEST_EACH(memory_is_short, 4)
{
    unsigned kind = (unsigned)_i & 1, seen = 0;
    const char *device = _i & 2 ? "cuda-only" : "cuda";
    trouble t = {0};
    uint64_t all = fly_with(kind, device, &t).used;
    ck_assert_uint_gt(all, 100000);
    for (t.memory = all / 40; t.memory <= all + all / 40; t.memory += all / 40) {
        t.is_taken = !t.is_taken;
        ends e = fly_with(kind, device, &t);
        ck_assert_uint_eq(e.lost, 0);
        ck_assert_msg(!e.is_created || sum_of(&e) == PICTURES, "%u ends", sum_of(&e));
        ck_assert_msg(_i & 2 || (e.is_created && !e.memory), "%u had no memory", e.memory);
        seen |= (e.by_device == PICTURES ? 1u : 0u) | (e.by_device && e.by_device < PICTURES ? 2u : 0u) |
                (e.by_device ? 0u : 4u);
    }
    ck_assert_msg((seen & 5) == 5, "seen: %u", seen);
}

/* Scratch memory that does not hold the blocks of a picture: it is coded in waves or on the CPU, with the same bytes.
 * Asked for packets, a device says that it cannot. */
TEST_EACH(scratch_is_short, KINDS)
{
    unsigned kind = (unsigned)_i;
    char strict[64];
    const trouble none = {0};
    static const uint32_t costs[] = {3, 16, 1u << 16};
    snprintf(strict, sizeof strict, "%s reach=packets", kinds[kind]);
    for (unsigned i = 0; i < 3; i++) {
        soft->scratch_cost = costs[i];
        ends e = fly_with(kind, "cuda-only", &none);
        ck_assert_uint_eq(e.by_device + e.by_cpu, PICTURES);
        e = fly_with(kind, "cuda", &none);
        ck_assert_uint_eq(e.by_device + e.by_cpu, PICTURES);
        ck_assert(costs[i] < 1u << 16 || !e.by_device);
    }
    bytes refused = encode(&inputs[0], strict, "cuda-only");
    ck_assert_msg(refused.status != WVL_OK && strlen(refused.error) > 10, "%d %s", refused.status, refused.error);
    bytes b = encode(&inputs[0], strict, "cuda");
    expect_same("by the CPU", &expected[kind][0], b, "cpu");
    soft->scratch_cost = 0;
    expect_same("next", &expected[kind][0], encode(&inputs[0], strict, "cuda-only"), "cuda:0 packets");
}

TEST_MAIN("device_faults")
