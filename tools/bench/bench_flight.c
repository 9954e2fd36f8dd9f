/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns of pictures in flight, each picture timed from submit until it is received. */
#include "base/try.h"
#include "bench_ring.h"

#include <errno.h>
#include <stdlib.h>

#define PIECE_BYTES (32u << 10)
#define PLACES_MAX (2 * WVL_BENCH_PLACES_MAX) /* the next one is written down too */

typedef struct codestream {
    void *data;
    size_t bytes;
} codestream;

typedef struct flight {
    const wvl_bench_frames_options *options;
    wvl_context *context;
    wvl_bench_trace *trace;
    const wvl_bench_ring *ring;
    const wvl_bench_store *store;
    wvl_plan *plan;
    wvl_plan *alone[WVL_BENCH_DEVICES_MAX]; /* of each device by itself */
    int asked;                              /* what of a picture a device must do, as rank_backend counts */
    codestream expected[WVL_BENCH_RING_MAX];
    wvl_encoder *encoder;         /* NULL: one by one */
    wvl_bench_arrivals *arrivals; /* NULL: pixels are there before the clock starts */
    /* The turn that runs: */
    const wvl_plan *at_work;
    uint32_t first, stride; /* its pictures of the ring */
    int compares;           /* every byte; else how many there are, and some of them */
    uint64_t sent, got;
    double sent_at[PLACES_MAX];
    double *latencies; /* [got] */
    size_t room;
    wvl_bench_flight *turn;
    wvl_bench_flights *all;
} flight;

/* ---- What came out ---- */

/* 0: the CPU had a part in it that devices can do; 1: coefficients, 2: blocks, 3: packets of a device. */
static int rank_backend(const char *name)
{
    if (strstr(name, "cpu")) {
        return 0;
    }
    if (strstr(name, " packets")) {
        return 3;
    }
    return strstr(name, " blocks") ? 2 : 1;
}

static void count_backend(flight *f, const char *name, size_t bytes)
{
    wvl_bench_backend_count *b = f->all->backends;
    uint32_t i = 0;
    while (i + 1 < WVL_BENCH_BACKENDS_MAX && b[i].pictures && strcmp(b[i].name, name) != 0) {
        i++;
    }
    snprintf(b[i].name, sizeof b[i].name, "%s", name);
    b[i].pictures++;
    int is_host = strcmp(name, "cpu") == 0;
    f->all->below += rank_backend(name) < f->asked;
    f->all->up_bytes += is_host || f->options->kind == WVL_MEMORY_DEVICE ? 0 : f->ring->sent_bytes;
    if (is_host || rank_backend(name) >= 2) {
        f->all->down_bytes += is_host ? 0 : bytes;
        f->all->down_known++;
    }
}

/* The picture of the ring that number n of the turn is. */
static uint32_t pick(const flight *f, uint64_t n)
{
    uint32_t own = (f->ring->count - f->first + f->stride - 1) / f->stride;
    return f->first + (uint32_t)(n % own) * f->stride;
}

/* While the clock runs: the end, which comes last, and a piece that moves from picture to picture. */
static int has_same_pieces(const codestream *e, const uint8_t *data, uint64_t n)
{
    size_t piece = e->bytes < PIECE_BYTES ? e->bytes : PIECE_BYTES,
           at = (size_t)(n * PIECE_BYTES % (e->bytes - piece + 1));
    const uint8_t *want = e->data;
    return memcmp(data + at, want + at, piece) == 0 &&
           memcmp(data + e->bytes - piece, want + e->bytes - piece, piece) == 0;
}

/* data NULL: only how many bytes there are is known. */
static int is_expected(const flight *f, const void *data, size_t bytes)
{
    const codestream *e = &f->expected[pick(f, f->got)];
    if (bytes == e->bytes &&
        (!data || (f->compares ? memcmp(data, e->data, bytes) == 0 : has_same_pieces(e, data, f->got)))) {
        return 1;
    }
    return wvl_bench_fail(0, "picture %u of the ring: %zu bytes differ from the CPU's %zu bytes",
                          (unsigned)pick(f, f->got), bytes, e->bytes);
}

static int note_latency(flight *f, double seconds)
{
    if (f->got == f->room) {
        size_t room = f->room ? 2 * f->room : 4096;
        double *more = realloc(f->latencies, room * sizeof *more);
        if (!more) {
            return -1;
        }
        f->latencies = more;
        f->room = room;
    }
    f->latencies[f->got] = seconds;
    return 0;
}

static int write_out(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    int failed = !file || fwrite(data, 1, bytes, file) != bytes;
    if (file) {
        failed |= fclose(file) != 0;
    }
    return failed ? wvl_bench_fail(WVL_BENCH_EXIT_OUTPUT, "%s: %s", path, strerror(errno)) : WVL_BENCH_EXIT_OK;
}

/* One finished picture. An exit status. */
static int take_picture(flight *f, const void *data, size_t bytes, const char *backend)
{
    const char *out = f->options->out;
    double latency = wvl_bench_wall_seconds() - f->sent_at[f->got % PLACES_MAX];
    if (!is_expected(f, data, bytes)) {
        return WVL_BENCH_EXIT_CHECK;
    }
    if (f->compares) {
        f->got++;
        return out && f->got == 1 ? write_out(out, data, bytes) : WVL_BENCH_EXIT_OK;
    }
    if (note_latency(f, latency) != 0) {
        return wvl_bench_fail(WVL_BENCH_EXIT_FAILED, "no memory for the latencies; a smaller --seconds needs less");
    }
    f->got++;
    f->turn->bytes += bytes;
    count_backend(f, backend, bytes);
    return WVL_BENCH_EXIT_OK;
}

/* ---- One by one, and in flight ---- */

static int fail(const char *why, wvl_status status)
{
    return wvl_bench_fail(WVL_BENCH_EXIT_FAILED, "%s", why[0] != '\0' ? why : wvl_status_text(status));
}

static int count_written(void *user, const void *data, size_t bytes)
{
    (void)data;
    ((codestream *)user)->bytes += bytes;
    return 0;
}

static int leave_unpatched(void *user, uint64_t offset, const void *data, size_t bytes)
{
    (void)user, (void)offset, (void)data, (void)bytes;
    return 0;
}

/* To memory, which coded owns; keeps = 0: only its bytes are counted. An exit status (reported). */
static int encode(const flight *f, const wvl_plan *plan, const wvl_image *image, int keeps, codestream *coded,
                  char backend[32])
{
    wvl_sink sink = {.struct_size = sizeof sink, .write = count_written, .patch = leave_unpatched, .user = coded};
    wvl_result *result = NULL;
    char error[WVL_BENCH_ERROR_BYTES] = "";
    *coded = (codestream){NULL, 0};
    wvl_status status = keeps ? wvl_sink_open_memory(f->context, &sink) : WVL_OK;
    TRY(status, wvl_encode(plan, image, &sink, NULL, &result, error, sizeof error));
    snprintf(backend, 32, "%s", status == WVL_OK ? wvl_result_backend(result) : "");
    wvl_result_release(result);
    if (keeps) {
        TRY(status, wvl_sink_take_memory(&sink, &coded->data, &coded->bytes));
    }
    return status == WVL_OK ? WVL_BENCH_EXIT_OK : fail(error, status);
}

/* The next picture; one that arrives, as `own` and `planes`, which last as long as its submit. NULL: the driver failed.
 */
static const wvl_image *next_image(flight *f, wvl_image *own, wvl_plane *planes)
{
    uint32_t k = pick(f, f->sent);
    const wvl_image *image = &f->ring->images[k], *host = &f->ring->on_host[k];
    void *event;
    if (!f->arrivals) {
        return image;
    }
    uint8_t *at = wvl_bench_send(f->arrivals, k, (uint32_t)image->device, &event);
    *own = *image;
    for (uint32_t c = 0; c < image->plane_count && at; c++) {
        planes[c] = image->planes[c];
        planes[c].data = at + ((const uint8_t *)host->planes[c].data - f->ring->pixels[k]);
    }
    own->planes = planes;
    own->ready_event = event;
    return at ? own : NULL;
}

/* What a caller does with the bytes is not the encoder's time: when it is taken, they are counted. */
static int run_alone(flight *f)
{
    codestream coded;
    char backend[32];
    wvl_image own;
    wvl_plane planes[WVL_BENCH_ARRIVING_MAX];
    f->sent_at[f->sent % PLACES_MAX] = wvl_bench_wall_seconds();
    const wvl_image *image = next_image(f, &own, planes);
    f->sent++;
    int code = image ? encode(f, f->at_work, image, f->compares, &coded, backend) : fail("", WVL_ERROR_DEVICE);
    if (code != WVL_BENCH_EXIT_OK) {
        return code;
    }
    code = take_picture(f, coded.data, coded.bytes, backend);
    wvl_memory_release(f->context, coded.data, coded.data ? coded.bytes : 0);
    return code;
}

/* Until there is no free place. */
static int submit_more(flight *f)
{
    wvl_status status = WVL_OK;
    wvl_image own;
    wvl_plane planes[WVL_BENCH_ARRIVING_MAX];
    while (status == WVL_OK && f->sent - f->got < f->all->places) {
        f->sent_at[f->sent % PLACES_MAX] = wvl_bench_wall_seconds();
        const wvl_image *image = next_image(f, &own, planes);
        status = image ? wvl_encoder_submit(f->encoder, image, NULL, NULL) : WVL_ERROR_DEVICE;
        f->sent += status == WVL_OK;
    }
    return status == WVL_AGAIN || status == WVL_OK ? WVL_BENCH_EXIT_OK : fail("", status);
}

static int receive_one(flight *f)
{
    wvl_encoded_picture *picture;
    size_t bytes;
    wvl_status status = wvl_encoder_receive(f->encoder, UINT32_MAX, &picture);
    if (status != WVL_OK) {
        return fail("", status);
    }
    const void *data = wvl_encoded_picture_data(picture, &bytes);
    int code;
    if (wvl_encoded_picture_status(picture) == WVL_OK) {
        code = take_picture(f, data, bytes, wvl_result_backend(wvl_encoded_picture_result(picture)));
    } else {
        code = fail(wvl_encoded_picture_error(picture), wvl_encoded_picture_status(picture));
    }
    wvl_encoded_picture_release(picture);
    return code;
}

/* Every place is kept taken until `count` pictures are sent and the time is over; then the rest is received. */
static int fly(flight *f, uint64_t count, double seconds)
{
    double start = wvl_bench_wall_seconds();
    int code = WVL_BENCH_EXIT_OK;
    f->sent = f->got = 0;
    while (code == WVL_BENCH_EXIT_OK) {
        int is_open = f->sent < count || wvl_bench_wall_seconds() - start < seconds;
        if (!is_open && f->got == f->sent) {
            break;
        }
        if (!f->encoder) {
            code = run_alone(f);
            continue;
        }
        code = is_open ? submit_more(f) : WVL_BENCH_EXIT_OK;
        code = code == WVL_BENCH_EXIT_OK ? receive_one(f) : code;
    }
    return code;
}

/* ---- Turns ---- */

/* Nearest rank: the least latency that `hundredths` of all do not exceed. */
static double pick_latency(const flight *f, uint64_t hundredths)
{
    uint64_t rank = (f->got * hundredths + 99) / 100;
    return f->latencies[rank ? rank - 1 : 0];
}

static int time_turn(flight *f)
{
    f->compares = 0;
    wvl_bench_time start = wvl_bench_time_now();
    int code = fly(f, 1, f->options->seconds);
    wvl_bench_time time = wvl_bench_time_since(start);
    if (code != WVL_BENCH_EXIT_OK) {
        return code;
    }
    qsort(f->latencies, f->got, sizeof *f->latencies, wvl_bench_compare);
    f->turn->pictures = f->got;
    f->turn->seconds = time.wall_seconds;
    f->turn->cpu_seconds = time.cpu_seconds;
    f->turn->p50 = pick_latency(f, 50);
    f->turn->p99 = pick_latency(f, 99);
    f->all->turn_count++;
    return WVL_BENCH_EXIT_OK;
}

/* Every place and every picture is used once before the clock starts, and every byte is compared. */
static int run_turn(flight *f, wvl_bench_flights *all)
{
    uint32_t count = f->ring->count;
    f->all = all;
    f->turn = &all->turns[all->turn_count];
    f->encoder = NULL;
    if (all->frames != 0) {
        wvl_status status = wvl_encoder_create(f->at_work, all->frames, &f->encoder);
        if (status != WVL_OK) {
            return fail(wvl_context_error(f->context), status);
        }
        all->places = wvl_encoder_frames(f->encoder);
        count = all->places > count ? all->places : count;
    }
    f->compares = 1;
    int code = fly(f, count, 0);
    code = code == WVL_BENCH_EXIT_OK ? time_turn(f) : code;
    wvl_encoder_release(f->encoder);
    return code;
}

/* One number of frames: all devices, and where there are several each of them by itself. */
static int run_frames(flight *f, size_t i, wvl_bench_flight_results *results)
{
    const wvl_bench_frames_options *o = f->options;
    uint32_t frames = (uint32_t)o->frames.values[i];
    int code = WVL_BENCH_EXIT_OK;
    for (uint32_t d = 0; d < results->alone_count && code == WVL_BENCH_EXIT_OK; d++) {
        int stays = o->kind == WVL_MEMORY_DEVICE;
        f->at_work = f->alone[d];
        f->first = stays ? d : 0;
        f->stride = stays ? o->devices : 1;
        results->alone[i][d].frames = (frames + o->devices - 1) / o->devices;
        code = run_turn(f, &results->alone[i][d]);
    }
    f->at_work = f->plan;
    f->first = 0;
    f->stride = 1;
    results->settings[i].frames = frames;
    return code == WVL_BENCH_EXIT_OK ? run_turn(f, &results->settings[i]) : code;
}

static int time_copies(const flight *f, int has_downloads, double *rate)
{
    size_t down[WVL_BENCH_RING_MAX];
    for (uint32_t i = 0; i < f->ring->count; i++) {
        down[i] = f->expected[i].bytes;
    }
    int status = wvl_bench_time_copies(f->store, has_downloads ? down : NULL, f->options->seconds, rate);
    return status ? wvl_bench_fail(WVL_BENCH_EXIT_FAILED, "copies alone: device status %d", status) : 0;
}

static int run_turns(flight *f, wvl_bench_flight_results *results)
{
    const wvl_bench_frames_options *o = f->options;
    int code = WVL_BENCH_EXIT_OK;
    for (uint32_t t = 0; t < o->turns; t++) {
        for (size_t i = 0; i < o->frames.count; i++) {
            TRY(code, run_frames(f, i, results));
        }
        if (o->uploads) {
            TRY(code, time_copies(f, 0, &results->uploads[t]));
        }
        if (o->copies) {
            TRY(code, time_copies(f, 1, &results->copies[t]));
        }
    }
    return code;
}

/* ---- What is asked for ---- */

/* The last value that --set gives a key. */
static const char *find_setting(const wvl_bench_settings *settings, const char *key, const char *none)
{
    const char *value = none;
    size_t length = strlen(key);
    for (size_t i = 0; i < settings->count; i++) {
        if (strncmp(settings->text[i], key, length) == 0 && settings->text[i][length] == '=') {
            value = settings->text[i] + length + 1;
        }
    }
    return value;
}

static int rank_asked(const wvl_bench_frames_options *o)
{
    const char *device = find_setting(&o->settings, "device", "auto");
    const char *reach = find_setting(&o->settings, "reach", "");
    if (strcmp(device, "cpu") == 0) {
        return 0;
    }
    if (strcmp(reach, "packets") == 0) {
        return 3;
    }
    if (strcmp(reach, "blocks") == 0) {
        return 2;
    }
    return strncmp(device, "cuda", 4) == 0 || reach[0] != '\0' || o->kind == WVL_MEMORY_DEVICE;
}

/* A place more than pictures in flight: the next one is on its way before a picture is received. An exit status. */
static int open_arrivals(flight *f)
{
    const wvl_bench_list *frames = &f->options->frames;
    double places = 1;
    for (size_t i = 0; i < frames->count; i++) {
        places = frames->values[i] > places ? frames->values[i] : places;
    }
    if (!f->options->arrives) {
        return WVL_BENCH_EXIT_OK;
    }
    if (f->ring->format->component_count > WVL_BENCH_ARRIVING_MAX) {
        return fail("--arrive takes at most 16 components", WVL_ERROR_PARAMETER);
    }
    f->arrivals = wvl_bench_open_arrivals(f->store, f->ring->pixels, f->ring->count, f->ring->picture_bytes,
                                          (uint32_t)places + 1);
    return f->arrivals ? 0 : fail("no memory for pixels that arrive; a smaller --frames needs less", WVL_ERROR_MEMORY);
}

/* An exit status. */
static int encode_expected(flight *f)
{
    wvl_plan *plan = NULL;
    char backend[32];
    int code = (int)wvl_bench_make_plan(f->context, &f->options->settings, "cpu", f->ring->format, &plan);
    for (uint32_t i = 0; i < f->ring->count; i++) {
        TRY(code, encode(f, plan, &f->ring->on_host[i], 1, &f->expected[i], backend));
    }
    wvl_plan_release(plan);
    return code ? WVL_BENCH_EXIT_FAILED : WVL_BENCH_EXIT_OK;
}

/* Makes a plan for each device by itself, where several share the pictures. */
static wvl_status make_plans_alone(flight *f, wvl_bench_flight_results *results)
{
    const wvl_bench_frames_options *o = f->options;
    const char *device = find_setting(&o->settings, "device", "auto");
    wvl_status status = WVL_OK;
    if (o->devices < 2 || strncmp(device, "cuda", 4) != 0) {
        return WVL_OK;
    }
    for (uint32_t d = 0; d < o->devices && status == WVL_OK; d++) {
        char one[32];
        snprintf(one, sizeof one, "%.*s:%u", (int)strcspn(device, ":"), device, d);
        status = wvl_bench_make_plan(f->context, &o->settings, one, f->ring->format, &f->alone[d]);
    }
    results->alone_count = status == WVL_OK ? o->devices : 0;
    return status;
}

static void close_flight(flight *f)
{
    for (uint32_t i = 0; i < f->ring->count; i++) {
        wvl_memory_release(f->context, f->expected[i].data, f->expected[i].data ? f->expected[i].bytes : 0);
    }
    for (uint32_t d = 0; d < WVL_BENCH_DEVICES_MAX; d++) {
        wvl_plan_release(f->alone[d]);
    }
    wvl_bench_close_arrivals(f->arrivals);
    free(f->latencies);
    wvl_plan_release(f->plan);
}

/* The devices that share the pictures, where the option names none. NULL: as it is. */
static const char *name_devices(const wvl_bench_frames_options *o, char *text, size_t bytes)
{
    const char *device = find_setting(&o->settings, "device", "auto");
    if (o->devices < 2 || strncmp(device, "cuda", 4) != 0 || strchr(device, ':')) {
        return NULL;
    }
    int used = snprintf(text, bytes, "%s:0", device);
    for (uint32_t d = 1; d < o->devices && used > 0 && (size_t)used < bytes; d++) {
        used += snprintf(text + used, bytes - (size_t)used, ",%u", d);
    }
    return text;
}

/* All turns. An exit status. */
static int run_flights(flight *f, wvl_bench_flight_results *results)
{
    const wvl_bench_frames_options *o = f->options;
    int code = WVL_BENCH_EXIT_FAILED;
    char devices[96];
    const char *all = name_devices(o, devices, sizeof devices);
    if (wvl_bench_make_plan(f->context, &o->settings, all, f->ring->format, &f->plan) == WVL_OK &&
        make_plans_alone(f, results) == WVL_OK && encode_expected(f) == 0 && open_arrivals(f) == 0) {
        code = run_turns(f, results);
    }
    for (size_t i = 0; i < o->frames.count; i++) {
        results->settings[i].first_bytes = f->expected[0].bytes;
    }
    close_flight(f);
    return code;
}

/* ---- The whole ---- */

static int run_store(const wvl_bench_frames_options *o, const wvl_bench_picture *picture, wvl_bench_store *store,
                     wvl_bench_flight_results *results)
{
    wvl_bench_ring ring;
    flight f = {.options = o, .ring = &ring, .store = store, .asked = rank_asked(o)};
    int code = wvl_bench_open_ring(picture, o->ring, o->order, o->kind, store, &ring);
    if (code != WVL_BENCH_EXIT_OK) {
        return code;
    }
    code = wvl_bench_open_trace(o->threads, o->trace, &f.context, &f.trace);
    if (code == WVL_BENCH_EXIT_OK) {
        if (o->raw) {
            code = wvl_bench_write_raw(&ring, picture, o->raw) == 0 ? WVL_BENCH_EXIT_OK : WVL_BENCH_EXIT_OUTPUT;
        } else {
            code = run_flights(&f, results);
        }
        wvl_context_release(f.context); /* before the memory of the pictures goes */
        int is_written = wvl_bench_close_trace(f.trace) == 0;
        code = code == WVL_BENCH_EXIT_OK && !is_written ? WVL_BENCH_EXIT_OUTPUT : code;
    }
    if (code == WVL_BENCH_EXIT_OK && !o->raw) {
        code = wvl_bench_report_flights(o, picture, &ring, results);
    }
    wvl_bench_close_ring(&ring);
    return code;
}

int wvl_bench_run_ring(const wvl_bench_frames_options *o, const wvl_bench_picture *picture)
{
    wvl_bench_flight_results *results = calloc(1, sizeof *results);
    if (!results) {
        return fail("no memory", WVL_ERROR_MEMORY);
    }
    wvl_bench_store *store = wvl_bench_open_store(o->kind, o->devices);
    int code = store ? run_store(o, picture, store, results) : WVL_BENCH_EXIT_NO_DEVICE;
    wvl_bench_close_store(store);
    free(results);
    return code;
}
