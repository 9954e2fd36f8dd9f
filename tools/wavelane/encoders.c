/* SPDX-License-Identifier: BSD-2-Clause */
#include "encoders.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "turns.h"
#include "wavelane_frames.h"

/* ---- Plans that codestreams share ------------------------------------------------------------ */

static int are_alike(const wvl_image_format *a, const wvl_image_format *b)
{
    if (a->x0 != b->x0 || a->y0 != b->y0 || a->x1 != b->x1 || a->y1 != b->y1 ||
        a->component_count != b->component_count) {
        return 0;
    }
    for (uint32_t i = 0; i < a->component_count; i++) {
        const wvl_component_format *x = &a->components[i], *y = &b->components[i];
        if (x->depth != y->depth || x->is_signed != y->is_signed || x->dx != y->dx || x->dy != y->dy) {
            return 0;
        }
    }
    return 1;
}

/* A conversion to X'Y'Z' may follow from the picture's profile. */
int wvl_cli_may_share_plans(const wvl_cli_args *args, const wvl_params *params)
{
    const char *color = wvl_params_get(params, "input-color");
    return color && !strcmp(color, "none") && !args->auto_color;
}

wvl_plan *wvl_cli_find_plan(const wvl_cli_plans *plans, const wvl_context *context, const wvl_cli_picture *picture,
                            uint64_t limit_bytes)
{
    int fits = plans->plan && plans->context == context && plans->limit_bytes == limit_bytes &&
               plans->color == picture->io.color;
    return fits && are_alike(&plans->format, &picture->format) ? plans->plan : NULL;
}

int wvl_cli_keep_plan(wvl_cli_plans *plans, const wvl_context *context, const wvl_cli_picture *picture,
                      uint64_t limit_bytes, wvl_plan *plan)
{
    size_t bytes = picture->format.component_count * sizeof *plans->components;
    plans->components = plans->plan ? plans->components : malloc(bytes);
    if (plans->plan || !plans->components) {
        return 0;
    }
    memcpy(plans->components, picture->format.components, bytes);
    plans->context = context;
    plans->format = picture->format;
    plans->format.components = plans->components;
    plans->color = picture->io.color;
    plans->limit_bytes = limit_bytes;
    plans->plan = plan;
    return 1;
}

void wvl_cli_release_plans(wvl_cli_plans *plans)
{
    wvl_plan_release(plans->plan);
    free(plans->components);
    memset(plans, 0, sizeof *plans);
}

/* ---- What makes a plan, written down: options, format, boxes --------------------------------- */

static void put(FILE *k, const void *data, size_t bytes)
{
    if (bytes) { /* no data may be NULL */
        (void)fwrite(data, 1, bytes, k);
    }
}

static void put_number(FILE *k, uint64_t value) { put(k, &value, sizeof value); }

/* With its length: what follows cannot be taken for a part of it. */
static void put_block(FILE *k, const void *data, size_t bytes)
{
    put_number(k, data ? bytes : UINT64_MAX);
    put(k, data, data ? bytes : 0);
}

static void put_format(FILE *k, const wvl_image_format *f)
{
    put_number(k, (uint64_t)f->x0 << 32 | f->y0);
    put_number(k, (uint64_t)f->x1 << 32 | f->y1);
    put_number(k, f->component_count);
    for (uint32_t i = 0; i < f->component_count; i++) {
        const wvl_component_format *c = &f->components[i];
        const uint8_t bytes[4] = {c->depth, c->is_signed, c->dx, c->dy};
        put(k, bytes, sizeof bytes);
    }
}

static void put_jp2(FILE *k, const wvl_jp2_info *jp2)
{
    const double dots[4] = {jp2->capture_x_per_metre, jp2->capture_y_per_metre, jp2->display_x_per_metre,
                            jp2->display_y_per_metre};
    put_number(k, (uint64_t)jp2->color << 8 | jp2->color_unknown);
    put_block(k, jp2->icc, jp2->icc_bytes);
    put_block(k, jp2->cicp, 4);
    put_number(k, (uint64_t)jp2->palette_entries << 32 | jp2->palette_columns << 8 | jp2->palette_depth);
    put_block(k, jp2->palette, (size_t)jp2->palette_entries * jp2->palette_columns * sizeof *jp2->palette);
    put_block(k, jp2->channel_types, jp2->channel_count * sizeof *jp2->channel_types);
    put(k, dots, sizeof dots);
    put_number(k, jp2->box_count);
    for (uint32_t i = 0; i < jp2->box_count; i++) {
        put_number(k, jp2->boxes[i].type);
        put(k, jp2->boxes[i].uuid, sizeof jp2->boxes[i].uuid);
        put_block(k, jp2->boxes[i].data, jp2->boxes[i].bytes);
    }
}

static uint8_t *build_key(const wvl_cli_plan_input *p, size_t *bytes)
{
    char *key = NULL;
    FILE *k = open_memstream(&key, bytes);
    const wvl_io_picture *io = &p->picture->io;
    size_t count;
    int failed = !k;
    const wvl_option *options = wvl_options(&count);
    for (size_t i = 0; k && i < count; i++) {
        int is_own = p->has_own_limit && !strcmp(options[i].key, "max-bytes");
        const char *value = is_own ? "own" : wvl_params_get(p->params, options[i].key);
        failed |= !value;
        put_block(k, value, value ? strlen(value) : 0);
    }
    if (k) {
        put_block(k, io->icc, io->icc_bytes); /* the tables of "input-color" custom come from it */
        put_format(k, &p->picture->format);
        put_number(k, p->jp2 != NULL);
        if (p->jp2) {
            put_jp2(k, p->jp2);
        }
        failed |= ferror(k) != 0;
        failed |= fclose(k) != 0;
    }
    if (failed) {
        free(key);
    }
    return failed ? NULL : (uint8_t *)key;
}

#define ENCODERS 4u            /* open at the same time: more kinds of pictures side by side are rare in a folder */
#define LEAST_FRAMES 16u       /* the library's choice; it takes fewer where memory is short (D-command-06) */
#define AUTO_SAMPLES 1048576.0 /* least of a picture with device=auto, as for pictures in flight (wavelane.h) */
#define MOST_BYTES "18446744073709551615"
#define POLL_MS 50u /* how long an interruption may go unseen */
#define MOST_DEVICES 16u

/* SEEN: one picture of that kind came; the second one opens the encoder. */
typedef enum encoder_state {
    ENCODER_FREE = 0,
    ENCODER_SEEN,
    ENCODER_OPENING,
    ENCODER_OPEN,
    ENCODER_REFUSED
} encoder_state;

/* What one device has for pictures of one kind. */
typedef struct lane {
    wvl_cli_encoders *all;
    uint32_t ordinal;
    wvl_plan *plan;
    wvl_encoder *encoder; /* NULL: the device is not used */
    uint64_t pinned_bytes;
    wvl_status opened;
    pthread_mutex_t busy; /* of submitting and of pictures on their way to their threads */
    pthread_cond_t freed; /* a place in flight is free */
    pthread_t receiver;   /* waits for the encoder */
    atomic_uint at_work;  /* pictures */
    atomic_int is_down;   /* the device failed */
} lane;

struct wvl_cli_encoder {
    wvl_cli_encoders *all; /* whose lock guards what follows, but for lanes of an open encoder */
    encoder_state state;
    uint8_t *key;
    size_t key_bytes;
    uint64_t last;  /* number of its last use */
    unsigned users; /* threads that hold it */
    lane *lanes;    /* [device_count]; NULL: not opened */
};

struct wvl_cli_encoders {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    wvl_context *context;
    uint32_t devices[MOST_DEVICES], device_count;
    double least_samples;  /* of a picture that takes an encoder */
    uint32_t most_frames;  /* that an encoder has memory for */
    int is_begun, is_down; /* down: there is no device, or it failed */
    uint64_t uses;
    uint64_t pinned_bytes, pinned_limit; /* page-locked memory of all encoders */
    wvl_cli_encoder encoders[ENCODERS];
};

/* Where a picture's thread waits for it. */
typedef struct waiting {
    pthread_cond_t called; /* the picture is there */
    wvl_encoded_picture *picture;
} waiting;

/* ---- Devices ------------------------------------------------------------------------------- */

/* Those of the option's value; the first one if it names none. */
static uint32_t list_devices(const char *device, uint32_t *ordinals)
{
    const char *list = strchr(device, ':');
    uint32_t count = 0;
    if (list && !strcmp(list, ":all")) {
        wvl_device_info info = {.struct_size = sizeof info};
        for (uint32_t i = 0; count < MOST_DEVICES && wvl_device_describe(i, &info) == WVL_OK; i++) {
            ordinals[count] = i;
            count += info.usable != 0;
        }
        return count;
    }
    for (list = list ? list + 1 : "0"; *list && count < MOST_DEVICES; count++) {
        char *end;
        ordinals[count] = (uint32_t)strtoul(list, &end, 10);
        if (end == list) {
            break;
        }
        list = *end == ',' ? end + 1 : end;
    }
    return count;
}

uint32_t wvl_cli_count_devices(const char *device)
{
    uint32_t ordinals[MOST_DEVICES], count = list_devices(device, ordinals);
    return count ? count : 1;
}

/* ---- Life ------------------------------------------------------------------------------------ */

wvl_cli_encoders *wvl_cli_open_encoders(wvl_context *context, const char *device, uint32_t frames)
{
    wvl_cli_encoders *all = strcmp(device, "cpu") != 0 ? calloc(1, sizeof *all) : NULL;
    if (!all) {
        return NULL;
    }
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)pthread_cond_init(&all->changed, NULL);
    all->context = context;
    all->pinned_limit = wvl_cli_limit_locked();
    all->device_count = list_devices(device, all->devices);
    all->most_frames = frames;
    all->least_samples = strcmp(device, "auto") ? 0.0 : AUTO_SAMPLES;
    for (unsigned i = 0; i < ENCODERS; i++) {
        all->encoders[i].all = all;
    }
    return all;
}

static void close_lane(lane *l)
{
    if (l->encoder) {
        wvl_encoder_end(l->encoder);
        pthread_join(l->receiver, NULL);
        wvl_encoder_release(l->encoder);
        pthread_cond_destroy(&l->freed);
        pthread_mutex_destroy(&l->busy);
    }
    wvl_plan_release(l->plan);
    l->all->pinned_bytes -= l->pinned_bytes;
}

/* Under the lock, or when no other thread is left. */
static void empty_place(wvl_cli_encoder *e)
{
    wvl_cli_encoders *all = e->all;
    for (uint32_t i = 0; e->lanes && i < all->device_count; i++) {
        close_lane(&e->lanes[i]);
    }
    free(e->lanes);
    free(e->key);
    *e = (wvl_cli_encoder){.all = all};
}

void wvl_cli_close_encoders(wvl_cli_encoders *all)
{
    if (!all) {
        return;
    }
    for (unsigned i = 0; i < ENCODERS; i++) {
        empty_place(&all->encoders[i]);
    }
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    free(all);
}

/* ---- Open ------------------------------------------------------------------------------------ */

/* For the device alone, and for all stages: what it cannot do, it must not hand to the CPU in an encoder whose messages
 * no picture would get. */
static wvl_status build_params(uint32_t ordinal, const wvl_cli_plan_input *p, wvl_params **params)
{
    char device[32];
    wvl_status status = wvl_params_clone(p->params, params);
    snprintf(device, sizeof device, "cuda-only:%u", ordinal);
    status = status == WVL_OK ? wvl_params_set(*params, "device", device) : status;
    return status == WVL_OK ? wvl_params_set(*params, "reach", "packets") : status;
}

/* With limits of single pictures: memory for the largest one. */
static wvl_status build_plan(const wvl_cli_encoders *all, uint32_t ordinal, const wvl_cli_plan_input *p,
                             wvl_plan **plan)
{
    wvl_params *params = NULL;
    size_t mark = wvl_cli_mark_messages(); /* the picture's own plan has the same */
    wvl_status status = build_params(ordinal, p, &params);
    if (p->has_own_limit && status == WVL_OK) {
        status = wvl_params_set(params, "max-bytes", MOST_BYTES);
    }
    status = status == WVL_OK ? wvl_plan_create(all->context, params, &p->picture->format, p->jp2, plan) : status;
    wvl_cli_forget_messages(mark);
    wvl_params_release(params);
    return status;
}

/* How many pictures an equal part of the page-locked memory that is left may hold, and half of the device's memory,
 * which others may need. devices: the number of parts. */
static uint32_t count_frames(const wvl_cli_encoders *all, uint64_t left, uint32_t devices, uint32_t ordinal,
                             const wvl_plan_memory *memory)
{
    wvl_device_info info = {.struct_size = sizeof info};
    uint64_t most = memory->pinned_bytes ? left / devices / memory->pinned_bytes : 0;
    if (memory->device_bytes && wvl_device_describe(ordinal, &info) == WVL_OK) {
        uint64_t half = info.memory_bytes / 2 / memory->device_bytes;
        half = half > LEAST_FRAMES ? half : LEAST_FRAMES;
        most = most < half ? most : half;
    }
    return most < all->most_frames ? (uint32_t)most : all->most_frames;
}

uint32_t wvl_cli_measure_encoder(const wvl_cli_encoders *all, const wvl_cli_plan_input *input, wvl_plan_memory *memory)
{
    wvl_plan *plan = NULL;
    int is_known = all->device_count && wvl_cli_sample_count(input->picture) >= all->least_samples &&
                   build_plan(all, all->devices[0], input, &plan) == WVL_OK && wvl_plan_measure(plan, memory) == WVL_OK;
    wvl_plan_release(plan);
    uint32_t frames = 0;
    uint64_t left = all->pinned_limit - all->pinned_bytes;
    for (uint32_t devices = is_known ? all->device_count : 0; devices; devices--) {
        uint32_t more = count_frames(all, left, devices, all->devices[all->device_count - devices], memory);
        frames += more;
        left -= more * memory->pinned_bytes;
    }
    return frames;
}

/* How many pictures its page-locked memory may hold; 0: not one. That memory is then taken. devices: those that still
 * need some. */
static uint32_t reserve_frames(lane *l, uint32_t devices)
{
    wvl_cli_encoders *all = l->all;
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    if (wvl_plan_measure(l->plan, &memory) != WVL_OK || !memory.pinned_bytes) {
        return 0; /* nothing of such a picture is done on a device */
    }
    pthread_mutex_lock(&all->lock);
    uint32_t frames = count_frames(all, all->pinned_limit - all->pinned_bytes, devices, l->ordinal, &memory);
    l->pinned_bytes = frames * memory.pinned_bytes;
    all->pinned_bytes += l->pinned_bytes;
    pthread_mutex_unlock(&all->lock);
    return frames;
}

/* Hands each picture to its thread. One thread does nothing else: one that also reads or writes would let finished
 * pictures lie meanwhile. */
static void *receive_all(void *user)
{
    lane *l = user;
    wvl_encoded_picture *picture = NULL;
    while (wvl_encoder_receive(l->encoder, POLL_MS, &picture) != WVL_END) {
        if (wvl_cli_was_interrupted()) {
            wvl_encoder_cancel(l->encoder);
        }
        if (picture) {
            pthread_mutex_lock(&l->busy);
            waiting *owner = wvl_encoded_picture_user(picture);
            owner->picture = picture;
            pthread_cond_signal(&owner->called);
            pthread_cond_signal(&l->freed);
            pthread_mutex_unlock(&l->busy);
        }
    }
    return NULL;
}

static wvl_status start_lane(lane *l, uint32_t frames)
{
    wvl_status status = wvl_encoder_create(l->plan, frames, &l->encoder);
    if (status != WVL_OK) {
        l->encoder = NULL;
        return status;
    }
    (void)pthread_mutex_init(&l->busy, NULL);
    (void)pthread_cond_init(&l->freed, NULL);
    if (pthread_create(&l->receiver, NULL, receive_all, l)) {
        pthread_cond_destroy(&l->freed);
        pthread_mutex_destroy(&l->busy);
        wvl_encoder_release(l->encoder);
        l->encoder = NULL;
        status = WVL_ERROR_MEMORY;
    }
    return status;
}

/* devices: this one and those that follow. What fails takes no memory. */
static wvl_status open_lane(lane *l, uint32_t devices, const wvl_cli_plan_input *p)
{
    wvl_status status = build_plan(l->all, l->ordinal, p, &l->plan);
    uint32_t frames = status == WVL_OK ? reserve_frames(l, devices) : 0;
    if (!frames) {
        return status == WVL_OK ? WVL_ERROR_MEMORY : status;
    }
    status = start_lane(l, frames);
    if (status != WVL_OK) {
        pthread_mutex_lock(&l->all->lock);
        l->all->pinned_bytes -= l->pinned_bytes;
        l->pinned_bytes = 0;
        pthread_mutex_unlock(&l->all->lock);
    }
    return status;
}

/* Without the lock: the encoder is this thread's while it is being opened. One device is enough. WVL_ERROR_DEVICE: all
 * have failed as devices. */
static wvl_status open_encoder(wvl_cli_encoder *e, const wvl_cli_plan_input *p)
{
    wvl_cli_encoders *all = e->all;
    wvl_status status = WVL_ERROR_DEVICE;
    uint32_t open_count = 0;
    e->lanes = calloc(all->device_count ? all->device_count : 1, sizeof *e->lanes);
    status = e->lanes ? status : WVL_ERROR_MEMORY;
    for (uint32_t i = 0; e->lanes && i < all->device_count; i++) {
        lane *l = &e->lanes[i];
        l->all = all;
        l->ordinal = all->devices[i];
        l->opened = open_lane(l, all->device_count - i, p);
        open_count += l->opened == WVL_OK;
        status = l->opened != WVL_OK && l->opened != WVL_ERROR_DEVICE ? l->opened : status;
    }
    for (uint32_t i = 0; open_count && i < all->device_count; i++) {
        const lane *l = &e->lanes[i];
        if (l->opened != WVL_OK) {
            wvl_cli_warn("device %u: %s; the other devices do its work", l->ordinal, wvl_status_text(l->opened));
        }
    }
    return open_count ? WVL_OK : status;
}

/* Under the lock, which is given up meanwhile. */
static void open_shared(wvl_cli_encoder *e, const wvl_cli_plan_input *p)
{
    wvl_cli_encoders *all = e->all;
    e->state = ENCODER_OPENING;
    pthread_mutex_unlock(&all->lock);
    wvl_status status = open_encoder(e, p);
    pthread_mutex_lock(&all->lock);
    e->state = status == WVL_OK ? ENCODER_OPEN : ENCODER_REFUSED;
    all->is_down |= status == WVL_ERROR_DEVICE;
    pthread_cond_broadcast(&all->changed);
}

/* ---- Take and return ------------------------------------------------------------------------- */

static wvl_cli_encoder *find_encoder(wvl_cli_encoders *all, const uint8_t *key, size_t bytes)
{
    for (unsigned i = 0; i < ENCODERS; i++) {
        wvl_cli_encoder *e = &all->encoders[i];
        if (e->key && e->key_bytes == bytes && !memcmp(e->key, key, bytes)) {
            return e;
        }
    }
    return NULL;
}

/* A place for pictures of another kind: a free one, or that which was not used for longest. NULL: all are in use. */
static wvl_cli_encoder *find_place(wvl_cli_encoders *all)
{
    wvl_cli_encoder *found = NULL;
    for (unsigned i = 0; i < ENCODERS; i++) {
        wvl_cli_encoder *e = &all->encoders[i];
        if (!e->users && e->state != ENCODER_OPENING && (!found || e->last < found->last)) {
            found = e;
        }
    }
    if (found) {
        empty_place(found);
    }
    return found;
}

/* The encoder of that key, in any state but OPENING; a new one is SEEN and takes the key. NULL: there is no place. */
static wvl_cli_encoder *fetch_encoder(wvl_cli_encoders *all, uint8_t **key, size_t bytes)
{
    wvl_cli_encoder *e = find_encoder(all, *key, bytes);
    while (e && e->state == ENCODER_OPENING) {
        pthread_cond_wait(&all->changed, &all->lock);
        e = find_encoder(all, *key, bytes);
    }
    if (!e && (e = find_place(all)) != NULL) {
        e->key = *key;
        e->key_bytes = bytes;
        *key = NULL;
        e->state = ENCODER_FREE;
    }
    return e;
}

/* Most folders hold pictures of one kind: the first one opens its encoder at once. */
static void advance(wvl_cli_encoder *e, const wvl_cli_plan_input *p)
{
    wvl_cli_encoders *all = e->all;
    int opens = e->state == ENCODER_SEEN || (e->state == ENCODER_FREE && !all->is_begun);
    all->is_begun = 1;
    if (opens) {
        open_shared(e, p);
    } else if (e->state == ENCODER_FREE) {
        e->state = ENCODER_SEEN;
    }
}

wvl_cli_encoder *wvl_cli_take_encoder(wvl_cli_encoders *all, const wvl_cli_plan_input *input)
{
    size_t bytes;
    int is_large = wvl_cli_sample_count(input->picture) >= all->least_samples;
    uint8_t *key = is_large ? build_key(input, &bytes) : NULL;
    if (!key) {
        return NULL;
    }
    pthread_mutex_lock(&all->lock);
    wvl_cli_encoder *e = all->is_down ? NULL : fetch_encoder(all, &key, bytes);
    if (e && !all->is_down) {
        e->last = ++all->uses;
        advance(e, input);
    }
    int is_taken = e && e->state == ENCODER_OPEN && !all->is_down;
    if (is_taken) {
        e->users++;
    }
    pthread_mutex_unlock(&all->lock);
    free(key);
    return is_taken ? e : NULL;
}

void wvl_cli_return_encoder(wvl_cli_encoder *e)
{
    pthread_mutex_lock(&e->all->lock);
    e->users--;
    pthread_mutex_unlock(&e->all->lock);
}

int wvl_cli_note_failure(wvl_cli_encoder *e, wvl_status status)
{
    if (status == WVL_ERROR_DEVICE) {
        pthread_mutex_lock(&e->all->lock);
        e->all->is_down = 1;
        pthread_mutex_unlock(&e->all->lock);
    }
    return status == WVL_ERROR_DEVICE || status == WVL_ERROR_MEMORY || status == WVL_ERROR_UNSUPPORTED;
}

/* ---- Encode ---------------------------------------------------------------------------------- */

/* The one with fewest pictures: a device that is faster gets more. NULL: all failed. */
static lane *choose_lane(wvl_cli_encoder *e)
{
    lane *best = NULL;
    for (uint32_t i = 0; i < e->all->device_count; i++) {
        lane *l = &e->lanes[i];
        int is_up = l->encoder && !atomic_load(&l->is_down);
        best = is_up && (!best || atomic_load(&l->at_work) < atomic_load(&best->at_work)) ? l : best;
    }
    return best;
}

static wvl_status encode_in_lane(lane *l, const wvl_cli_plan_input *input, const wvl_image *image,
                                 wvl_encoded_picture **finished)
{
    waiting mine = {.called = PTHREAD_COND_INITIALIZER};
    wvl_params *params = NULL;
    wvl_status status = input->has_own_limit ? build_params(l->ordinal, input, &params) : WVL_OK;
    const wvl_frame frame = {.struct_size = sizeof frame, .params = params};
    if (status != WVL_OK) {
        wvl_params_release(params);
        return status;
    }
    pthread_mutex_lock(&l->busy);
    while ((status = wvl_encoder_submit_frame(l->encoder, image, NULL, &frame, &mine)) == WVL_AGAIN) {
        pthread_cond_wait(&l->freed, &l->busy);
    }
    if (status != WVL_OK) {
        pthread_cond_signal(&l->freed); /* the place is for another thread */
    }
    while (status == WVL_OK && !mine.picture) {
        pthread_cond_wait(&mine.called, &l->busy);
    }
    pthread_mutex_unlock(&l->busy);
    pthread_cond_destroy(&mine.called);
    wvl_params_release(params);
    *finished = mine.picture;
    return status;
}

wvl_status wvl_cli_encode_shared(wvl_cli_encoder *e, const wvl_cli_plan_input *input, const wvl_image *image,
                                 wvl_encoded_picture **finished)
{
    wvl_status status = WVL_ERROR_DEVICE;
    for (lane *l = choose_lane(e), *next; l; l = next) {
        atomic_fetch_add(&l->at_work, 1);
        status = encode_in_lane(l, input, image, finished);
        atomic_fetch_sub(&l->at_work, 1);
        if (status != WVL_OK || wvl_encoded_picture_status(*finished) != WVL_ERROR_DEVICE) {
            return status;
        }
        int was_down = atomic_exchange(&l->is_down, 1);
        next = choose_lane(e);
        if (next) {
            if (!was_down) {
                wvl_cli_warn("device %u: %s; the other devices do its work", l->ordinal,
                             wvl_encoded_picture_error(*finished));
            }
            wvl_encoded_picture_release(*finished);
            *finished = NULL;
        }
    }
    return status;
}

/* ---- Devices opened early -------------------------------------------------------------------- */

struct wvl_cli_ahead {
    wvl_context *context;
    pthread_t thread;
    char device[64];
    double begin; /* of wvl_cli_seconds() */
    atomic_int is_done;
};

/* One after the other: the library opens one device at a time. */
static void *work(void *user)
{
    wvl_cli_ahead *ahead = user;
    uint32_t ordinals[MOST_DEVICES], count = list_devices(ahead->device, ordinals);
    for (uint32_t i = 0; i < count; i++) {
        (void)wvl_context_open_device(ahead->context, ordinals[i], NULL, 0);
    }
    atomic_store(&ahead->is_done, 1);
    return NULL;
}

double wvl_cli_time_to_open(wvl_cli_ahead *ahead)
{
    if (!ahead || atomic_load(&ahead->is_done)) {
        return 0;
    }
    double elapsed = wvl_cli_seconds() - ahead->begin, usual = WVL_CLI_OPEN_SECONDS - elapsed;
    return usual > elapsed / 4 ? usual : elapsed / 4; /* one that takes longer may take longer still */
}

wvl_cli_ahead *wvl_cli_open_ahead(wvl_context *context, const char *device)
{
    wvl_cli_ahead *ahead = device && !strncmp(device, "cuda", 4) ? calloc(1, sizeof *ahead) : NULL;
    if (!ahead) {
        return NULL;
    }
    ahead->context = context;
    snprintf(ahead->device, sizeof ahead->device, "%s", device);
    ahead->begin = wvl_cli_seconds();
    if (pthread_create(&ahead->thread, NULL, work, ahead)) {
        free(ahead);
        return NULL;
    }
    return ahead;
}

void wvl_cli_close_ahead(wvl_cli_ahead *ahead)
{
    if (ahead) {
        pthread_join(ahead->thread, NULL);
        free(ahead);
    }
}
