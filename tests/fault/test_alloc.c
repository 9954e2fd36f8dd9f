/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that can fail around an encode does: memory, threads, sinks, samples, patience. WVL_TEST_SHORT: every
 * third allocation. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/decode/picture.h"
#include "tests/fault/ledger.h"

/* ---- Threads that do not start --------------------------------------------------------------- */

static int threads_allowed = -1; /* -1: all */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &symbol, sizeof real);
    if (threads_allowed == 0) {
        return EAGAIN;
    }
    threads_allowed -= threads_allowed > 0;
    return real(thread, attributes, start, arg);
}

/* ---- A sink that watches --------------------------------------------------------------------- */

typedef struct watch {
    uint8_t *data;
    size_t bytes, capacity;
    unsigned writes, refuse_at, closes; /* refuse_at: number of the write that is refused, from 1; 0: none */
    int complete, refuse_close, wrote_after_refusal;
} watch;

static int watch_write(void *user, const void *data, size_t bytes)
{
    watch *w = user;
    if (w->closes || (w->refuse_at && w->writes >= w->refuse_at)) {
        w->wrote_after_refusal = 1;
    }
    if (++w->writes == w->refuse_at) {
        return 1;
    }
    if (w->bytes + bytes > w->capacity) {
        w->capacity = 2 * (w->bytes + bytes);
        w->data = realloc(w->data, w->capacity);
    }
    memcpy(w->data + w->bytes, data, bytes);
    w->bytes += bytes;
    return 0;
}

static int watch_close(void *user, int complete)
{
    watch *w = user;
    w->closes++;
    w->complete = complete;
    return w->refuse_close;
}

static wvl_sink watch_sink(watch *w)
{
    wvl_sink sink = {.struct_size = sizeof sink, .write = watch_write, .close = watch_close, .user = w};
    return sink;
}

static void watch_free(watch *w)
{
    free(w->data);
    memset(w, 0, sizeof *w);
}

/* ---- One encode ------------------------------------------------------------------------------ */

typedef struct recipe {
    const char *const (*settings)[2];
    unsigned setting_count;
    uint32_t width, height, threads;
    int jp2;
} recipe;

static const char *const plain[][2] = {{"levels", "3"}};
static const char *const layered[][2] = {
    {"reversible", "no"},    {"bpp", "0.5,1,2"},   {"tile", "40,40"},
    {"plt", "yes"},          {"tlm", "yes"},       {"tile-parts", "R"},
    {"progression", "RPCL"}, {"comment", "words"}, {"max-component-bytes", "4000"}};
static const char *const boxed[][2] = {
    {"container", "jp2"}, {"layers", "4"}, {"precincts", "[32,32]"}, {"psnr", "30,0"}};
static const char *const judged[][2] = {{"profile", "imf-2k"}, {"reversible", "no"},    {"levels", "3"},
                                        {"block", "32,32"},    {"progression", "CPRL"}, {"tile-parts", "C"},
                                        {"tlm", "yes"},        {"sub-level", "1"}};
static const char *const varied[][2] = {
    {"tile", "50,40"},
    {"reversible", "no"},
    {"bpp", "1,3"},
    {"overrides", "C1:block=16,16/T2:levels=2;progression=RPCL/T3C2:style=4/T1-2:eph=yes"}};
static const char *const lifted[][2] = {{"tile", "50,40"}, {"psnr", "30,0"}, {"roi", "rect=20,20,30,30/T1C0:U=4"}};
static const char *const stepped[][2] = {
    {"style", "HT"}, {"reversible", "no"}, {"bpp", "1.5"}, {"tile", "60,50"}}; /* coded twice, with other steps */
static const char *const rounded[][2] = {{"reversible", "no"}, {"bpp", "1.5"}, {"rdoq", "yes"}}; /* coded twice too */
static const recipe recipes[] = {{plain, 1, 90, 70, 1, 0},    {layered, 9, 90, 70, 1, 0}, {boxed, 4, 64, 64, 3, 1},
                                 {layered, 9, 200, 50, 2, 0}, {judged, 8, 90, 70, 1, 0},  {varied, 4, 90, 70, 2, 0},
                                 {lifted, 3, 90, 70, 1, 0},   {stepped, 4, 90, 70, 1, 0}, {rounded, 3, 90, 70, 1, 0}};
#define RECIPES ((int)(sizeof recipes / sizeof recipes[0]))

typedef struct kitchen {
    wvl_context *context;
    wvl_params *params;
    wvl_plan *plan;
    wvl_result *result;
    picture drawn;
    picture_input input;
    unsigned releases;
} kitchen;

static kitchen open_kitchen(picture drawn, int wide)
{
    return (kitchen){.drawn = drawn, .input = picture_open_input(&drawn, wide)};
}

static void count_release(void *user) { ++*(unsigned *)user; }

static wvl_status prepare(kitchen *k, const recipe *r, const wvl_allocator *allocator)
{
    wvl_context_options options = {.struct_size = sizeof options, .threads = r->threads};
    static const wvl_box box = {0x786D6C20, {0}, "<a/>", 4};
    wvl_jp2_info jp2 = {.struct_size = sizeof jp2, .boxes = &box, .box_count = 1};
    if (allocator) {
        options.host = *allocator;
    }
    wvl_status status = wvl_context_create(&options, &k->context);
    if (status == WVL_OK) {
        status = wvl_params_create(k->context, &k->params);
    }
    for (unsigned i = 0; status == WVL_OK && i < r->setting_count; i++) {
        status = wvl_params_set(k->params, r->settings[i][0], r->settings[i][1]);
    }
    return status == WVL_OK ? wvl_plan_create(k->context, k->params, &k->input.format, r->jp2 ? &jp2 : NULL, &k->plan)
                            : status;
}

static wvl_status encode(kitchen *k, watch *w, const wvl_control *control)
{
    char text[256];
    wvl_sink sink = watch_sink(w);
    wvl_image image = k->input.image;
    image.release = count_release;
    image.release_user = &k->releases;
    k->releases = 0;
    wvl_status status = wvl_encode(k->plan, &image, &sink, control, &k->result, text, sizeof text);
    ck_assert_msg((status == WVL_OK) == (text[0] == 0), "status %d with the text \"%s\"", status, text);
    ck_assert_msg(k->releases == 1, "the picture was released %u times", k->releases);
    ck_assert_msg(w->closes == 1 && w->complete == (status == WVL_OK), "%u closes, complete = %d after %s", w->closes,
                  w->complete, wvl_status_text(status));
    ck_assert_msg(!w->wrote_after_refusal, "written to after a refusal");
    ck_assert((status == WVL_OK) == (k->result != NULL));
    return status;
}

static void clean(kitchen *k)
{
    wvl_result_release(k->result);
    wvl_plan_release(k->plan);
    wvl_params_release(k->params);
    wvl_context_release(k->context);
    *k = (kitchen){.drawn = k->drawn, .input = k->input};
}

static void close_kitchen(kitchen *k)
{
    picture_close_input(&k->input);
    fuzz_picture_free(&k->drawn);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void fail_each_call(const recipe *r, int fail_on)
{
    kitchen k = open_kitchen(picture_draw(PICTURE_NATURAL, r->width, r->height, 3, 8, 1), 0);
    watch reference = {0};
    ck_assert_int_eq(prepare(&k, r, NULL), WVL_OK);
    ck_assert_int_eq(encode(&k, &reference, NULL), WVL_OK);
    clean(&k);
    const uint64_t step = getenv("WVL_TEST_SHORT") ? 3 : 1;
    uint64_t n = 0, tried = 0, refused = 0;
    for (int reached = 1; reached; tried++) {
        ledger l;
        ledger_open(&l);
        l.fail_at = n += step;
        l.fail_on = fail_on;
        wvl_allocator allocator = ledger_allocator(&l);
        watch w = {0};
        wvl_status status = prepare(&k, r, &allocator);
        if (status == WVL_OK) {
            status = encode(&k, &w, NULL);
        }
        ck_assert_msg(status == WVL_OK || status == WVL_ERROR_MEMORY, "call %llu: %s", (unsigned long long)n,
                      wvl_status_text(status));
        if (status == WVL_OK && w.bytes) { /* done without: the bytes are the same */
            ck_assert_uint_eq(w.bytes, reference.bytes);
            ck_assert_msg(!memcmp(w.data, reference.data, w.bytes), "call %llu: other bytes", (unsigned long long)n);
        }
        refused += status != WVL_OK;
        clean(&k);
        ck_assert_msg(l.live_count == 0 && l.live_bytes == 0, "call %llu: %llu pieces, %llu bytes are left",
                      (unsigned long long)n, (unsigned long long)l.live_count, (unsigned long long)l.live_bytes);
        ck_assert_msg(l.wrong_sizes == 0, "call %llu: a piece was released with another size", (unsigned long long)n);
        watch_free(&w);
        reached = l.calls >= n;
    }
    ck_assert_msg(n > 15 && refused > 8 / step, "only %llu of %llu calls mattered", (unsigned long long)refused,
                  (unsigned long long)tried);
    watch_free(&reference);
    close_kitchen(&k);
}

TEST_EACH(one_allocation_fails, RECIPES) { fail_each_call(&recipes[_i], 0); }
TEST_EACH(all_allocations_fail_from_one_on, RECIPES) { fail_each_call(&recipes[_i], 1); }

/* ---- Threads --------------------------------------------------------------------------------- */

TEST_EACH(threads_that_do_not_start, RECIPES)
{
    recipe r = recipes[_i];
    kitchen k = open_kitchen(picture_draw(PICTURE_NATURAL, r.width, r.height, 3, 8, 1), 0);
    watch reference = {0};
    for (int allowed = -1; allowed < 4; allowed++) {
        watch w = {0};
        r.threads = 5;
        threads_allowed = allowed;
        ck_assert_int_eq(prepare(&k, &r, NULL), WVL_OK);
        threads_allowed = -1;
        ck_assert_uint_eq(wvl_context_threads(k.context), allowed < 0 ? 5 : (uint32_t)allowed + 1);
        ck_assert_int_eq(encode(&k, allowed < 0 ? &reference : &w, NULL), WVL_OK);
        ck_assert(allowed < 0 || (w.bytes == reference.bytes && !memcmp(w.data, reference.data, w.bytes)));
        clean(&k);
        watch_free(&w);
    }
    watch_free(&reference);
    close_kitchen(&k);
}

/* ---- Sinks ----------------------------------------------------------------------------------- */

TEST_EACH(sink_refuses_each_write, RECIPES)
{
    const recipe *r = &recipes[_i];
    kitchen k = open_kitchen(picture_draw(PICTURE_NOISE, 400, 300, 3, 8, 1), 0);
    ck_assert_int_eq(prepare(&k, r, NULL), WVL_OK);
    wvl_status status = WVL_ERROR_SINK;
    unsigned n = 0;
    while (status == WVL_ERROR_SINK) {
        watch w = {.refuse_at = ++n};
        status = encode(&k, &w, NULL);
        ck_assert(status == WVL_OK || status == WVL_ERROR_SINK);
        ck_assert_msg(status != WVL_OK || w.writes < n, "write %u was refused and it did not matter", n);
        wvl_result_release(k.result);
        k.result = NULL;
        watch_free(&w);
    }
    ck_assert_uint_gt(n, 1);
    watch w = {.refuse_close = 1};
    wvl_sink sink = watch_sink(&w);
    ck_assert_int_eq(wvl_encode(k.plan, &k.input.image, &sink, NULL, NULL, NULL, 0), WVL_ERROR_SINK);
    ck_assert_uint_eq(w.closes, 1);
    watch_free(&w);
    clean(&k);
    close_kitchen(&k);
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* One sample too great or too small, anywhere, in any container, is found. */
TEST_EACH(samples_outside_the_depth, 6)
{
    uint32_t state = 1 + (uint32_t)_i;
    static const uint8_t depths[] = {1, 5, 7, 9, 12, 15, 17, 24, 27};
    for (unsigned i = 0; i < 9; i++) {
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            wvl_component_format component[3];
            for (unsigned c = 0; c < 3; c++) {
                component[c] = (wvl_component_format){depths[i], (uint8_t)is_signed, 1, 1};
            }
            wvl_image_format format = {sizeof format, 0, 0, 77, 53, 3, component};
            picture p = picture_draw_format(PICTURE_NATURAL, &format, 3);
            picture_plane *plane = &p.planes[picture_between(&state, 0, 2)];
            size_t at = picture_between(&state, 0, 77 * 53 - 1);
            int32_t top = is_signed ? 1 << (depths[i] - 1) : 1 << depths[i], bottom = is_signed       ? -top - 1
                                                                                      : depths[i] < 8 ? top
                                                                                                      : 2 * top - 1;
            plane->samples[at] = picture_between(&state, 0, 1) ? top : bottom;
            kitchen k = open_kitchen(p, (int)picture_between(&state, 0, 1));
            for (unsigned reversible = 0; reversible < 2; reversible++) {
                const char *const settings[][2] = {{"reversible", reversible ? "yes" : "no"},
                                                   {"mct", picture_between(&state, 0, 1) ? "auto" : "off"}};
                recipe r = {settings, 2, 77, 53, 1 + picture_between(&state, 0, 1), 0};
                watch w = {0};
                ck_assert_int_eq(prepare(&k, &r, NULL), WVL_OK);
                wvl_status status = encode(&k, &w, NULL);
                ck_assert_msg(status == WVL_ERROR_INPUT, "depth %u%s: sample %d passed: %s", depths[i],
                              is_signed ? " signed" : "", plane->samples[at], wvl_status_text(status));
                watch_free(&w);
                clean(&k);
            }
            close_kitchen(&k);
        }
    }
}

/* ---- Cancelling ------------------------------------------------------------------------------ */

static void *raise_later(void *user)
{
    struct timespec pause = {0, 3000000};
    (void)nanosleep(&pause, NULL);
    wvl_cancel_raise(user);
    return NULL;
}

TEST_EACH(cancel_from_another_thread, 3)
{
    kitchen k = open_kitchen(picture_draw(PICTURE_NOISE, 1200, 900, 3, 8, 1), 0);
    wvl_cancel *cancel;
    recipe r = recipes[1];
    r.threads = 1 + (uint32_t)_i;
    r.setting_count--; /* the component cap is for small pictures */
    ck_assert_int_eq(prepare(&k, &r, NULL), WVL_OK);
    ck_assert_int_eq(wvl_cancel_create(k.context, &cancel), WVL_OK);
    wvl_control control = {.struct_size = sizeof control, .cancel = cancel};
    pthread_t thread;
    watch w = {0};
    ck_assert_int_eq(pthread_create(&thread, NULL, raise_later, cancel), 0);
    wvl_status status = encode(&k, &w, &control);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_msg(status == WVL_CANCELLED, "%s", wvl_status_text(status));
    ck_assert_uint_eq(w.bytes, 0);
    watch_free(&w);
    ck_assert_int_eq(encode(&k, &w, &control), WVL_CANCELLED); /* raised stays raised */
    watch_free(&w);
    wvl_cancel_release(cancel);
    clean(&k);
    close_kitchen(&k);
}

typedef struct steps {
    unsigned calls, stop_at;
    uint64_t done, total;
    int fell;
} steps;

static int step(void *user, uint64_t done, uint64_t total, wvl_stage stage)
{
    steps *s = user;
    (void)stage;
    s->fell |= done < s->done || done > total || (s->total && total != s->total);
    s->done = done;
    s->total = total;
    return ++s->calls == s->stop_at;
}

/* Progress never falls, and a nonzero answer at any call ends the encode. */
TEST_EACH(progress_cancels, RECIPES)
{
    kitchen k = open_kitchen(picture_draw(PICTURE_NATURAL, 300, 200, 3, 8, 1), 0);
    ck_assert_int_eq(prepare(&k, &recipes[_i], NULL), WVL_OK);
    wvl_status status = WVL_CANCELLED;
    for (unsigned n = 1; status == WVL_CANCELLED && n < 200; n++) {
        steps s = {.stop_at = n};
        wvl_control control = {.struct_size = sizeof control, .progress = step, .progress_user = &s};
        watch w = {0};
        status = encode(&k, &w, &control);
        ck_assert(!s.fell);
        ck_assert(status == WVL_CANCELLED || status == WVL_OK);
        ck_assert_msg(status == WVL_CANCELLED || s.calls < n || s.done == s.total,
                      "the answer of call %u was not heard", n);
        wvl_result_release(k.result);
        k.result = NULL;
        watch_free(&w);
    }
    ck_assert_int_eq(status, WVL_OK);
    clean(&k);
    close_kitchen(&k);
}

TEST_MAIN("faults")
