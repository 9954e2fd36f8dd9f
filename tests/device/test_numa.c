/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole encodes on a made-up machine: devices of software that lie at two memory nodes. The platform's calls are
 * answered here, and note for each thread what was set; the driver says which thread it hears. */
#include <stdatomic.h>

#include "base/numa.h"
#include "cuda/host/memory/device.h"
#include "soft_bench.h"
#include "tests/support/support.h"

#define DEVICES 3
#define FRAMES 4u
#define BOUND 2 /* a mode of memory that a user has set */

/* Devices finish the pictures; they code their blocks; they transform them. */
static const char *const kinds[] = {"style=HT", ("style=HT" WAVES), "reversible=no bpp=1,2 rdoq=no"};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

/* ---- The machine ----------------------------------------------------------------------------- */

static const char *const node_cpus[] = {"0-3,8-11\n", "4-7,12-15\n"};
static const unsigned long node_masks[] = {0x0f0f, 0xf0f0};
static int nodes_of[DEVICES]; /* -1: the machine does not say */
static const char *online;
static unsigned long user_mask; /* of every thread that nobody has moved */
static int user_mode, refuses;  /* refuses: a bit for each call that fails */
enum { REFUSE_READ = 1, REFUSE_GET_CPUS = 2, REFUSE_SET_CPUS = 4, REFUSE_GET_POLICY = 8, REFUSE_SET_POLICY = 16 };
static _Atomic unsigned moves, policies, pinned[DEVICES], launches[DEVICES], far;

/* The mask of the calling thread. 0: as the user has it. */
static _Thread_local unsigned long own_mask;
static _Thread_local int own_mode, own_node;

static unsigned long mask_now(void) { return own_mask ? own_mask : user_mask; }

static int read_file(const char *path, char *text, size_t room)
{
    char name[96];
    int status = -1;
    if (refuses & REFUSE_READ) {
        return 1;
    }
    if (!strcmp(path, "/sys/devices/system/node/online")) {
        snprintf(text, room, "%s", online);
        return 0;
    }
    for (int i = 0; i < DEVICES; i++) {
        snprintf(name, sizeof name, "/sys/bus/pci/devices/0001:a%d:04.0/numa_node", i);
        if (!strcmp(path, name)) {
            status = snprintf(text, room, "%d\n", nodes_of[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "/sys/devices/system/node/node%d/cpulist", i);
        if (!strcmp(path, name)) {
            status = snprintf(text, room, "%s", node_cpus[i]);
        }
    }
    ck_assert_msg(status >= 0, "no file %s is to be read", path);
    return 0;
}

static int get_cpus(wvl_numa_set *cpus)
{
    memset(cpus, 0, sizeof *cpus);
    cpus->words[0] = mask_now();
    return refuses & REFUSE_GET_CPUS;
}

static int set_cpus(const wvl_numa_set *cpus)
{
    moves++;
    if (refuses & REFUSE_SET_CPUS) {
        return 1;
    }
    ck_assert_msg(cpus->words[0] && !(cpus->words[0] & ~user_mask), "%lx is not within %lx", cpus->words[0], user_mask);
    own_mask = cpus->words[0] == user_mask ? 0 : cpus->words[0];
    return 0;
}

static int get_policy(int *mode)
{
    *mode = own_mode ? own_mode : user_mode;
    return refuses & REFUSE_GET_POLICY;
}

static int set_policy(int mode, unsigned node)
{
    policies++;
    if (refuses & REFUSE_SET_POLICY) {
        return 1;
    }
    ck_assert(mode == WVL_NUMA_PREFERRED || (mode == WVL_NUMA_DEFAULT && own_mode == WVL_NUMA_PREFERRED));
    own_mode = mode;
    own_node = (int)node;
    return 0;
}

static const wvl_numa_calls made_up = {read_file, get_cpus, set_cpus, get_policy, set_policy};

/* ---- What the driver hears ------------------------------------------------------------------- */

static int may_move(int node)
{
    return node >= 0 && (node_masks[node] & user_mask) && (node_masks[node] & user_mask) != user_mask;
}

/* Where everything is allowed: the thread is at the memory node of the device, and so is memory that it touches first.
 */
static void hear(const char *call, int device)
{
    int node = nodes_of[device], is_memory = !strcmp(call, "cuMemHostAlloc");
    (is_memory ? pinned : launches)[device]++;
    if (may_move(node) && !refuses && mask_now() != (node_masks[node] & user_mask)) {
        far++;
    }
    if (is_memory && node >= 0 && !user_mode && !refuses && (own_mode != WVL_NUMA_PREFERRED || own_node != node)) {
        far++;
    }
    if (node < 0) {
        far += own_mask != 0 || own_mode != 0;
    }
}

/* Threads that run code of the caller, and the caller's own, are as they were. */
static void expect_free(void)
{
    ck_assert_uint_eq(own_mask, 0);
    ck_assert_int_eq(own_mode, 0);
}

/* ---- Encodes --------------------------------------------------------------------------------- */

static picture_input input;
static bytes expected;

static void setup(void)
{
    wvl_numa_test_calls = &made_up;
    open_context();
    input = draw_input(PICTURE_NATURAL, 97, 70, 3, 8, 5);
    nodes_of[0] = 1;
    nodes_of[1] = 0;
    nodes_of[2] = -1;
    online = "0-1\n";
    user_mask = 0xffff;
    user_mode = refuses = 0;
    moves = policies = far = 0;
    memset(pinned, 0, sizeof pinned);
    memset(launches, 0, sizeof launches);
    soft->devices = 2;
    soft->watch = hear;
}

static void teardown(void)
{
    soft->watch = NULL;
    close_context();
    wvl_numa_test_calls = NULL;
}

static int sink_write(void *user, const void *data, size_t count)
{
    expect_free();
    bytes *b = user;
    ck_assert(b->count + count <= expected.count);
    memcpy((uint8_t *)b->data + b->count, data, count);
    b->count += count;
    return 0;
}

static void give_back(void *user)
{
    (void)user;
    expect_free();
}

static void check(const void *data, size_t count)
{
    ck_assert_msg(count == expected.count && !memcmp(data, expected.data, count), "other bytes");
}

static void check_next(wvl_encoder *encoder, const bytes *b)
{
    wvl_encoded_picture *finished;
    size_t count;
    ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &finished), WVL_OK);
    ck_assert_msg(wvl_encoded_picture_status(finished) == WVL_OK, "%s", wvl_encoded_picture_error(finished));
    const void *data = wvl_encoded_picture_data(finished, &count);
    if (b) {
        check(b->data, b->count);
        free(b->data);
    } else {
        check(data, count);
    }
    expect_free();
    wvl_encoded_picture_release(finished);
}

/* Pictures in flight, every second one to a sink of the caller; then one by itself. */
static void encode_some(const char *settings, const char *device)
{
    bytes outputs[FRAMES] = {{0}};
    expected = encode(&input, settings, "cpu");
    ck_assert_int_eq(expected.status, WVL_OK);
    wvl_plan *plan = make_plan(&input.format, settings, device);
    wvl_encoder *encoder = open_encoder(plan, FRAMES);
    expect_free();
    for (uint32_t n = 0; n < 12 + FRAMES; n++) {
        bytes *b = &outputs[n % FRAMES];
        if (n >= FRAMES) {
            check_next(encoder, n % 2 ? b : NULL);
        }
        wvl_image image = input.image;
        image.release = give_back;
        *b = (bytes){.data = malloc(expected.count)};
        wvl_sink sink = {.struct_size = sizeof sink, .write = sink_write, .user = b};
        if (n < 12) {
            ck_assert_int_eq(wvl_encoder_submit(encoder, &image, n % 2 ? &sink : NULL, NULL), WVL_OK);
        }
        if (n >= 12 || n % 2 == 0) {
            free(b->data);
        }
        expect_free();
    }
    wvl_encoder_release(encoder);
    bytes one = encode_plan(plan, &input.image);
    ck_assert_msg(one.status == WVL_OK, "%s", one.error);
    check(one.data, one.count);
    expect_free();
}

/* ---- Cases ----------------------------------------------------------------------------------- */

TEST_FIXTURE(setup, teardown);

TEST_EACH(at_the_node, KINDS)
{
    encode_some(kinds[_i], "cuda-only:all");
    for (int d = 0; d < 2; d++) {
        ck_assert_uint_gt(pinned[d], 0);
        ck_assert_uint_gt(launches[d], 0);
    }
    ck_assert_uint_gt(moves, 0);
    ck_assert_uint_gt(policies, 0);
    ck_assert_uint_eq(far, 0);
    ck_assert_ptr_nonnull(strstr(log_text, "device 0 lies at memory node 1"));
    ck_assert_ptr_nonnull(strstr(log_text, "device 1 lies at memory node 0"));
}

/* One memory node; devices of which the machine says nothing; files that cannot be read. */
TEST_EACH(nothing_to_do, 5)
{
    static const char *const lists[] = {"0\n", "", "0-1,x", "0-1\n", "0-1\n"};
    online = lists[_i];
    nodes_of[0] = nodes_of[1] = _i == 3 ? -1 : 0;
    refuses = _i == 4 ? REFUSE_READ : 0;
    encode_some(kinds[0], "cuda-only:all");
    ck_assert_uint_eq(moves, 0);
    ck_assert_uint_eq(policies, 0);
    ck_assert_ptr_null(strstr(log_text, "of memory"));
}

/* A user's mask is kept: what of the memory node it has is used, and where it has nothing of it, or nothing else,
 * threads stay.
 */
TEST_EACH(mask_of_the_user, 4)
{
    static const struct {
        unsigned long mask;
        int moves;
    } cases[] = {{0x0012, 1}, {0x8001, 1}, {0x0f0f, 0}, {0x0030, 0}};
    user_mask = cases[_i].mask;
    encode_some(kinds[0], "cuda-only:all");
    ck_assert_int_eq(moves > 0, cases[_i].moves);
    ck_assert_uint_gt(policies, 0);
    ck_assert_uint_eq(far, 0);
}

TEST(policy_of_the_user)
{
    user_mode = BOUND;
    encode_some(kinds[0], "cuda-only:all");
    ck_assert_uint_gt(moves, 0);
    ck_assert_uint_eq(policies, 0);
    ck_assert_uint_eq(far, 0);
}

TEST_EACH(calls_fail, 4)
{
    static const int calls[] = {REFUSE_GET_CPUS, REFUSE_SET_CPUS, REFUSE_GET_POLICY, REFUSE_SET_POLICY};
    refuses = calls[_i];
    encode_some(kinds[0], "cuda-only:all");
    ck_assert_int_eq(moves > 0, _i != 0);
    ck_assert_int_eq(policies > 0, _i != 2);
}

/* One device of two lies nowhere. */
TEST(some_devices)
{
    soft->devices = 3;
    encode_some(kinds[0], "cuda-only:0,2");
    ck_assert_uint_gt(launches[0], 0);
    ck_assert_uint_gt(launches[2], 0);
    ck_assert_uint_eq(far, 0);
}

static void run_here(void *user, uint32_t count, wvl_task_fn task, void *arg)
{
    (void)user;
    expect_free(); /* threads that start here would inherit it */
    for (uint32_t i = 0; i < count; i++) {
        task(arg, i, 0);
    }
}

/* A runner may start threads when work comes: it never finds itself at a memory node. Memory goes there all the same.
 */
TEST_EACH(runner, KINDS)
{
    wvl_context *usual = context;
    wvl_context_options options = {.struct_size = sizeof options, .runner = {run_here, NULL, 2}};
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
    soft->watch = NULL;
    encode_some(kinds[_i], "cuda-only:all");
    ck_assert_uint_gt(policies, 0);
    leave_context(usual);
}

TEST_MAIN("numa")
