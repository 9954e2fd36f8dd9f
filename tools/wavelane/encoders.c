/* SPDX-License-Identifier: BSD-2-Clause */
#include "encoders.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
#define FRAMES 16u             /* pictures on the device at a time, as many as the library chooses (D-command-06) */
#define AUTO_SAMPLES 1048576.0 /* least of a picture with device=auto, as for pictures in flight (wavelane.h) */
#define MOST_BYTES "18446744073709551615"
#define POLL_MS 50u /* how long an interruption may go unseen */

/* SEEN: one picture of that kind came; the second one opens the encoder. */
typedef enum encoder_state {
    ENCODER_FREE = 0,
    ENCODER_SEEN,
    ENCODER_OPENING,
    ENCODER_OPEN,
    ENCODER_REFUSED
} encoder_state;

struct wvl_cli_encoder {
    wvl_cli_encoders *all; /* whose lock guards what follows */
    encoder_state state;
    uint8_t *key;
    size_t key_bytes;
    uint64_t last;                       /* number of its last use */
    unsigned users;                      /* threads that hold it */
    int receiving;                       /* one of them waits for the encoder */
    struct waiting *first, **last_place; /* those that have submitted a picture, in that order */
    uint64_t pinned_bytes;
    wvl_plan *plan;
    wvl_encoder *encoder;
};

struct wvl_cli_encoders {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    wvl_context *context;
    char device[64];       /* of their plans */
    double least_samples;  /* of a picture that takes an encoder */
    uint32_t most_frames;  /* that an encoder has memory for */
    int is_begun, is_down; /* down: there is no device, or it failed */
    uint64_t uses;
    uint64_t pinned_bytes, pinned_limit; /* page-locked memory of all encoders */
    wvl_cli_encoder encoders[ENCODERS];
};

/* Where a picture's thread waits for it. */
typedef struct waiting {
    struct waiting *next;
    pthread_cond_t called; /* the picture is there, or nobody waits for the encoder any more */
    wvl_encoded_picture *picture;
} waiting;

/* ---- Life ------------------------------------------------------------------------------------ */

wvl_cli_encoders *wvl_cli_open_encoders(wvl_context *context, const char *device, size_t pictures)
{
    const char *ordinal = strchr(device, ':');
    wvl_cli_encoders *all = strcmp(device, "cpu") != 0 ? calloc(1, sizeof *all) : NULL;
    if (!all) {
        return NULL;
    }
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)pthread_cond_init(&all->changed, NULL);
    all->context = context;
    all->pinned_limit = wvl_cli_share_of_memory() / 4;
    snprintf(all->device, sizeof all->device, "cuda-only%s", ordinal ? ordinal : "");
    all->most_frames = pictures < FRAMES ? (uint32_t)pictures : FRAMES;
    all->least_samples = strcmp(device, "auto") ? 0.0 : AUTO_SAMPLES;
    for (unsigned i = 0; i < ENCODERS; i++) {
        all->encoders[i].all = all;
    }
    return all;
}

/* Under the lock, or when no other thread is left. */
static void empty_place(wvl_cli_encoder *e)
{
    wvl_cli_encoders *all = e->all;
    wvl_encoder_release(e->encoder);
    wvl_plan_release(e->plan);
    free(e->key);
    all->pinned_bytes -= e->pinned_bytes;
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
static wvl_status build_params(const wvl_cli_encoder *e, const wvl_cli_plan_input *p, wvl_params **params)
{
    wvl_status status = wvl_params_clone(p->params, params);
    status = status == WVL_OK ? wvl_params_set(*params, "device", e->all->device) : status;
    return status == WVL_OK ? wvl_params_set(*params, "reach", "packets") : status;
}

/* With limits of single pictures: memory for the largest one. */
static wvl_status build_plan(wvl_cli_encoder *e, const wvl_cli_plan_input *p)
{
    wvl_params *params = NULL;
    size_t mark = wvl_cli_mark_messages(); /* the picture's own plan has the same */
    wvl_status status = build_params(e, p, &params);
    if (p->has_own_limit && status == WVL_OK) {
        status = wvl_params_set(params, "max-bytes", MOST_BYTES);
    }
    status =
        status == WVL_OK ? wvl_plan_create(e->all->context, params, &p->picture->format, p->jp2, &e->plan) : status;
    wvl_cli_forget_messages(mark);
    wvl_params_release(params);
    return status;
}

/* How many pictures its page-locked memory may hold; 0: not one. That memory is then taken. */
static uint32_t reserve_frames(wvl_cli_encoder *e)
{
    wvl_cli_encoders *all = e->all;
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    if (wvl_plan_measure(e->plan, &memory) != WVL_OK || !memory.pinned_bytes) {
        return 0; /* nothing of such a picture is done on a device */
    }
    pthread_mutex_lock(&all->lock);
    uint64_t most = (all->pinned_limit - all->pinned_bytes) / memory.pinned_bytes;
    uint32_t frames = most < all->most_frames ? (uint32_t)most : all->most_frames;
    e->pinned_bytes = frames * memory.pinned_bytes;
    all->pinned_bytes += e->pinned_bytes;
    pthread_mutex_unlock(&all->lock);
    return frames;
}

/* Without the lock: the encoder is this thread's while it is being opened. */
static wvl_status open_encoder(wvl_cli_encoder *e, const wvl_cli_plan_input *p)
{
    wvl_status status = build_plan(e, p);
    uint32_t frames = status == WVL_OK ? reserve_frames(e) : 0;
    if (!frames) {
        return status == WVL_OK ? WVL_ERROR_MEMORY : status;
    }
    return wvl_encoder_create(e->plan, frames, &e->encoder);
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
        /* Under the lock, which is given up meanwhile. */
        e->state = ENCODER_OPENING;
        pthread_mutex_unlock(&all->lock);
        wvl_status status = open_encoder(e, p);
        pthread_mutex_lock(&all->lock);
        e->state = status == WVL_OK ? ENCODER_OPEN : ENCODER_REFUSED;
        all->is_down |= status == WVL_ERROR_DEVICE;
        if (status != WVL_OK) {
            all->pinned_bytes -= e->pinned_bytes;
            e->pinned_bytes = 0;
        }
        pthread_cond_broadcast(&all->changed);
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

/* Under the lock, which is given up meanwhile. One thread waits for the encoder, for all. The others sleep, and one of
 * them goes on when it leaves. */
static void receive_for_all(wvl_cli_encoder *e, const waiting *mine)
{
    wvl_cli_encoders *all = e->all;
    e->receiving = 1;
    while (!mine->picture) {
        wvl_encoded_picture *picture = NULL;
        pthread_mutex_unlock(&all->lock);
        (void)wvl_encoder_receive(e->encoder, POLL_MS, &picture);
        if (wvl_cli_was_interrupted()) {
            wvl_encoder_cancel(e->encoder);
        }
        pthread_mutex_lock(&all->lock);
        if (picture) {
            /* Under the lock: pictures come in the order of submission, so it is the first one. */
            waiting *owner = wvl_encoded_picture_user(picture);
            owner->picture = picture;
            e->first = owner->next;
            pthread_cond_signal(&owner->called);
            pthread_cond_broadcast(&all->changed); /* a place is free */
        }
    }
    e->receiving = 0;
    if (e->first) {
        pthread_cond_signal(&e->first->called);
    }
}

wvl_status wvl_cli_encode_shared(wvl_cli_encoder *e, const wvl_cli_plan_input *input, const wvl_image *image,
                                 wvl_encoded_picture **finished)
{
    waiting mine = {.called = PTHREAD_COND_INITIALIZER};
    wvl_params *params = NULL;
    wvl_status status = input->has_own_limit ? build_params(e, input, &params) : WVL_OK;
    const wvl_frame frame = {.struct_size = sizeof frame, .params = params};
    if (status != WVL_OK) {
        wvl_params_release(params);
        return status;
    }
    pthread_mutex_lock(&e->all->lock);
    while ((status = wvl_encoder_submit_frame(e->encoder, image, NULL, &frame, &mine)) == WVL_AGAIN) {
        pthread_cond_wait(&e->all->changed, &e->all->lock);
    }
    if (status == WVL_OK) {
        /* Under the lock. */
        *(e->first ? e->last_place : &e->first) = &mine;
        e->last_place = &mine.next;
    }
    while (status == WVL_OK && !mine.picture) {
        if (e->receiving) {
            pthread_cond_wait(&mine.called, &e->all->lock);
        } else {
            receive_for_all(e, &mine);
        }
    }
    pthread_mutex_unlock(&e->all->lock);
    pthread_cond_destroy(&mine.called);
    wvl_params_release(params);
    *finished = mine.picture;
    return status;
}

/* ---- Devices opened early -------------------------------------------------------------------- */

struct wvl_cli_ahead {
    wvl_context *context;
    pthread_t thread;
    char device[64];
};

/* One after the other: the library opens one device at a time. */
static void open_listed(wvl_context *context, const char *list)
{
    while (*list) {
        char *end;
        unsigned long ordinal = strtoul(list, &end, 10);
        if (end == list) {
            return;
        }
        (void)wvl_context_open_device(context, (uint32_t)ordinal, NULL, 0);
        list = *end == ',' ? end + 1 : end;
    }
}

static void *work(void *user)
{
    const wvl_cli_ahead *ahead = user;
    const char *ordinals = strchr(ahead->device, ':');
    if (ordinals && !strcmp(ordinals, ":all")) {
        wvl_device_info info = {.struct_size = sizeof info};
        for (uint32_t i = 0; wvl_device_describe(i, &info) == WVL_OK; i++) {
            if (info.usable) {
                (void)wvl_context_open_device(ahead->context, i, NULL, 0);
            }
        }
    } else {
        open_listed(ahead->context, ordinals ? ordinals + 1 : "0");
    }
    return NULL;
}

wvl_cli_ahead *wvl_cli_open_ahead(wvl_context *context, const char *device)
{
    wvl_cli_ahead *ahead = device && !strncmp(device, "cuda", 4) ? calloc(1, sizeof *ahead) : NULL;
    if (!ahead) {
        return NULL;
    }
    ahead->context = context;
    snprintf(ahead->device, sizeof ahead->device, "%s", device);
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
