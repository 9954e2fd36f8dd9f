/* SPDX-License-Identifier: BSD-2-Clause */
#include "flight.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "turns.h"

#define FLIGHTS 4u /* open at the same time: more kinds of pictures side by side are rare in a folder */
#define FRAMES 4u  /* pictures on the device at a time: enough that it never waits for the readers (D-command-06) */
#define AUTO_SAMPLES 1048576.0 /* least of a picture with device=auto, as for pictures in flight (wavelane.h) */
#define POLL_MS 50u            /* how long an interruption may go unseen */

/* SEEN: one picture of that kind came; the second one opens the encoder. */
typedef enum flight_state { FLIGHT_FREE = 0, FLIGHT_SEEN, FLIGHT_OPENING, FLIGHT_OPEN, FLIGHT_REFUSED } flight_state;

struct wvl_cli_flight {
    wvl_cli_flights *all; /* whose lock guards what follows */
    flight_state state;
    uint8_t *key;
    size_t key_bytes;
    uint64_t last;   /* number of the boarding that came last */
    unsigned aboard; /* threads that hold it */
    int receiving;   /* one of them waits for the encoder */
    uint64_t pinned_bytes;
    wvl_plan *plan;
    wvl_encoder *encoder;
};

struct wvl_cli_flights {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    wvl_context *context;
    char device[24];       /* of their plans */
    double least_samples;  /* pictures of fewer do not fly */
    int is_begun, is_down; /* down: there is no device, or it failed */
    uint64_t boardings;
    uint64_t pinned_bytes, pinned_limit; /* page-locked memory of all encoders */
    wvl_cli_flight flights[FLIGHTS];
};

/* Where a picture's thread waits for it. */
typedef struct ticket {
    wvl_encoded_picture *picture;
} ticket;

/* ---- Life ------------------------------------------------------------------------------------ */

wvl_cli_flights *wvl_cli_open_flights(wvl_context *context, const char *device)
{
    const char *ordinal = strchr(device, ':');
    wvl_cli_flights *all = strcmp(device, "cpu") != 0 ? calloc(1, sizeof *all) : NULL;
    if (!all) {
        return NULL;
    }
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)pthread_cond_init(&all->changed, NULL);
    all->context = context;
    all->pinned_limit = wvl_cli_share_of_memory() / 4;
    (void)snprintf(all->device, sizeof all->device, "cuda-only%s", ordinal ? ordinal : "");
    all->least_samples = strcmp(device, "auto") ? 0.0 : AUTO_SAMPLES;
    for (unsigned i = 0; i < FLIGHTS; i++) {
        all->flights[i].all = all;
    }
    return all;
}

/* Under the lock, or when no other thread is left. */
static void empty_flight(wvl_cli_flight *f)
{
    wvl_cli_flights *all = f->all;
    wvl_encoder_release(f->encoder);
    wvl_plan_release(f->plan);
    free(f->key);
    all->pinned_bytes -= f->pinned_bytes;
    *f = (wvl_cli_flight){.all = all};
}

void wvl_cli_close_flights(wvl_cli_flights *all)
{
    if (!all) {
        return;
    }
    for (unsigned i = 0; i < FLIGHTS; i++) {
        empty_flight(&all->flights[i]);
    }
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    free(all);
}

/* ---- Open ------------------------------------------------------------------------------------ */

/* A plan for the device alone, and for all stages: what it cannot do, it must not hand to the CPU in an encoder whose
 * messages no picture would get. */
static wvl_status build_plan(wvl_cli_flight *f, const wvl_cli_passenger *p)
{
    wvl_params *params = NULL;
    size_t mark = wvl_cli_mark_messages(); /* the picture's own plan has the same */
    wvl_status status = wvl_params_clone(p->params, &params);
    status = status == WVL_OK ? wvl_params_set(params, "device", f->all->device) : status;
    status = status == WVL_OK ? wvl_params_set(params, "reach", "packets") : status;
    status =
        status == WVL_OK ? wvl_plan_create(f->all->context, params, &p->picture->format, p->jp2, &f->plan) : status;
    wvl_cli_forget_messages(mark);
    wvl_params_release(params);
    return status;
}

/* How many pictures its page-locked memory may hold; 0: not one. That memory is then taken. */
static uint32_t reserve_frames(wvl_cli_flight *f)
{
    wvl_cli_flights *all = f->all;
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    if (wvl_plan_measure(f->plan, &memory) != WVL_OK || !memory.pinned_bytes) {
        return 0; /* nothing of such a picture is done on a device */
    }
    pthread_mutex_lock(&all->lock);
    uint64_t most = (all->pinned_limit - all->pinned_bytes) / memory.pinned_bytes;
    uint32_t frames = most < FRAMES ? (uint32_t)most : FRAMES;
    f->pinned_bytes = frames * memory.pinned_bytes;
    all->pinned_bytes += f->pinned_bytes;
    pthread_mutex_unlock(&all->lock);
    return frames;
}

/* Without the lock: the flight is this thread's while it is being opened. */
static wvl_status open_encoder(wvl_cli_flight *f, const wvl_cli_passenger *p)
{
    wvl_status status = build_plan(f, p);
    uint32_t frames = status == WVL_OK ? reserve_frames(f) : 0;
    if (!frames) {
        return status == WVL_OK ? WVL_ERROR_MEMORY : status;
    }
    return wvl_encoder_create(f->plan, frames, &f->encoder);
}

/* Under the lock, which is given up meanwhile. */
static void open_flight(wvl_cli_flight *f, const wvl_cli_passenger *p)
{
    wvl_cli_flights *all = f->all;
    f->state = FLIGHT_OPENING;
    pthread_mutex_unlock(&all->lock);
    wvl_status status = open_encoder(f, p);
    pthread_mutex_lock(&all->lock);
    f->state = status == WVL_OK ? FLIGHT_OPEN : FLIGHT_REFUSED;
    all->is_down |= status == WVL_ERROR_DEVICE;
    if (status != WVL_OK) {
        all->pinned_bytes -= f->pinned_bytes;
        f->pinned_bytes = 0;
    }
    pthread_cond_broadcast(&all->changed);
}

/* ---- Board and leave ------------------------------------------------------------------------- */

static wvl_cli_flight *find_flight(wvl_cli_flights *all, const uint8_t *key, size_t bytes)
{
    for (unsigned i = 0; i < FLIGHTS; i++) {
        wvl_cli_flight *f = &all->flights[i];
        if (f->key && f->key_bytes == bytes && !memcmp(f->key, key, bytes)) {
            return f;
        }
    }
    return NULL;
}

/* A place for pictures of another kind: a free one, or that which was not used for longest. NULL: all are in use. */
static wvl_cli_flight *find_place(wvl_cli_flights *all)
{
    wvl_cli_flight *found = NULL;
    for (unsigned i = 0; i < FLIGHTS; i++) {
        wvl_cli_flight *f = &all->flights[i];
        if (!f->aboard && f->state != FLIGHT_OPENING && (!found || f->last < found->last)) {
            found = f;
        }
    }
    if (found) {
        empty_flight(found);
    }
    return found;
}

/* The flight of that key, in any state but OPENING; a new one is SEEN and takes the key. NULL: there is no place. */
static wvl_cli_flight *fetch_flight(wvl_cli_flights *all, uint8_t **key, size_t bytes)
{
    wvl_cli_flight *f = find_flight(all, *key, bytes);
    while (f && f->state == FLIGHT_OPENING) {
        pthread_cond_wait(&all->changed, &all->lock);
        f = find_flight(all, *key, bytes);
    }
    if (!f && (f = find_place(all)) != NULL) {
        f->key = *key;
        f->key_bytes = bytes;
        *key = NULL;
        f->state = FLIGHT_FREE;
    }
    return f;
}

/* Most folders hold pictures of one kind: the first one opens its flight at once. */
static void advance(wvl_cli_flight *f, const wvl_cli_passenger *p)
{
    wvl_cli_flights *all = f->all;
    int opens = f->state == FLIGHT_SEEN || (f->state == FLIGHT_FREE && !all->is_begun);
    all->is_begun = 1;
    if (opens) {
        open_flight(f, p);
    } else if (f->state == FLIGHT_FREE) {
        f->state = FLIGHT_SEEN;
    }
}

wvl_cli_flight *wvl_cli_board_flight(wvl_cli_flights *all, const wvl_cli_passenger *passenger)
{
    size_t bytes;
    int is_large = wvl_cli_sample_count(passenger->picture) >= all->least_samples;
    uint8_t *key = is_large ? wvl_cli_build_key(passenger, &bytes) : NULL;
    if (!key) {
        return NULL;
    }
    pthread_mutex_lock(&all->lock);
    wvl_cli_flight *f = all->is_down ? NULL : fetch_flight(all, &key, bytes);
    if (f && !all->is_down) {
        f->last = ++all->boardings;
        advance(f, passenger);
    }
    int flies = f && f->state == FLIGHT_OPEN && !all->is_down;
    if (flies) {
        f->aboard++;
    }
    pthread_mutex_unlock(&all->lock);
    free(key);
    return flies ? f : NULL;
}

void wvl_cli_leave_flight(wvl_cli_flight *f)
{
    pthread_mutex_lock(&f->all->lock);
    f->aboard--;
    pthread_mutex_unlock(&f->all->lock);
}

int wvl_cli_flight_failed(wvl_cli_flight *f, wvl_status status)
{
    if (status == WVL_ERROR_DEVICE) {
        pthread_mutex_lock(&f->all->lock);
        f->all->is_down = 1;
        pthread_mutex_unlock(&f->all->lock);
    }
    return status == WVL_ERROR_DEVICE || status == WVL_ERROR_MEMORY || status == WVL_ERROR_UNSUPPORTED;
}

/* ---- Fly ------------------------------------------------------------------------------------- */

/* Under the lock, which is given up meanwhile. One thread waits for the encoder, for all; pictures come in the order of
 * submission, and each goes to the thread that waits for it. */
static void await_any(wvl_cli_flight *f)
{
    wvl_cli_flights *all = f->all;
    wvl_encoded_picture *picture = NULL;
    if (f->receiving) {
        pthread_cond_wait(&all->changed, &all->lock);
        return;
    }
    f->receiving = 1;
    pthread_mutex_unlock(&all->lock);
    (void)wvl_encoder_receive(f->encoder, POLL_MS, &picture);
    if (wvl_cli_was_interrupted()) {
        wvl_encoder_cancel(f->encoder);
    }
    pthread_mutex_lock(&all->lock);
    f->receiving = 0;
    if (picture) {
        ticket *owner = wvl_encoded_picture_user(picture);
        owner->picture = picture;
    }
    pthread_cond_broadcast(&all->changed);
}

wvl_status wvl_cli_fly(wvl_cli_flight *f, const wvl_image *image, const wvl_sink *sink, wvl_encoded_picture **finished)
{
    ticket mine = {NULL};
    wvl_status status;
    pthread_mutex_lock(&f->all->lock);
    while ((status = wvl_encoder_submit(f->encoder, image, sink, &mine)) == WVL_AGAIN) {
        await_any(f);
    }
    while (status == WVL_OK && !mine.picture) {
        await_any(f);
    }
    pthread_mutex_unlock(&f->all->lock);
    *finished = mine.picture;
    return status;
}
