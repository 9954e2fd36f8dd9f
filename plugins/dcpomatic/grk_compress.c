/* SPDX-License-Identifier: BSD-2-Clause */
/* The program that DCP-o-matic starts: one thread reads the texts of the client, the other sends results. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wavelane_frames.h>

#include "job.h"
#include "seam.h"

typedef struct frame {
    uint64_t id;
    uint32_t slot;
} frame;

typedef struct server {
    job job;
    seam seam;
    seam_memory pixels, results;
    size_t frame_bytes;
    int are_pixels_seen, are_pinned, keeps_frames, failed;
    pthread_mutex_t lock;
    pthread_cond_t change;
    frame *frames; /* by slot of pixels */
    /* Below the lock, by slot. */
    unsigned char *are_pixels_taken, *is_result_taken;
} server;

static seam *signalled;

static void on_signal(int number)
{
    (void)number;
    signalled->stop = 1;
}

static int fail(server *s, const char *text)
{
    fprintf(stderr, "grk_compress: %s\n", text);
    s->failed = 1;
    return -1;
}

/* ---- Results go out -------------------------------------------------------------------------- */

/* A slot that the client has emptied; -1: no thread waits any more. */
static int take_result_slot(server *s)
{
    int slot = -1;
    (void)pthread_mutex_lock(&s->lock);
    for (int waited = 0; slot < 0 && !s->seam.stop;) {
        for (uint32_t i = 0; i < s->job.slots && slot < 0; i++) {
            slot = s->is_result_taken[i] ? -1 : (int)i;
        }
        if (slot < 0) {
            struct timespec until;
            (void)clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 1;
            (void)pthread_cond_timedwait(&s->change, &s->lock, &until);
            waited += s->seam.goodbye ? 1000 : 0;
            s->seam.stop = waited > SEAM_GOODBYE_MS ? 1 : s->seam.stop;
        }
    }
    if (slot >= 0) {
        s->is_result_taken[slot] = 1;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return slot;
}

/* Copies the bytes of a picture to a slot. 0 bytes: there are none, and the client encodes the frame. */
static size_t copy_result(server *s, const wvl_encoded_picture *picture, const frame *f, int slot)
{
    size_t bytes = 0;
    const void *data = wvl_encoded_picture_data(picture, &bytes);
    if (wvl_encoded_picture_status(picture) != WVL_OK || !data || bytes > s->job.cap) {
        fprintf(stderr, "grk_compress: frame %" PRIu64 " is left to the client: %s\n", f->id,
                wvl_encoded_picture_error(picture));
        return 0;
    }
    memcpy((char *)s->results.data + (size_t)slot * s->job.cap, data, bytes);
    return bytes;
}

static int send_picture(server *s, wvl_encoded_picture *picture)
{
    char text[SEAM_TEXT_BYTES];
    const frame f = *(const frame *)wvl_encoded_picture_user(picture);
    int slot = take_result_slot(s);
    size_t bytes = slot < 0 ? 0 : copy_result(s, picture, &f, slot);
    wvl_encoded_picture_release(picture);
    (void)pthread_mutex_lock(&s->lock);
    s->are_pixels_taken[f.slot] = 0;
    (void)pthread_mutex_unlock(&s->lock);
    if (slot < 0) {
        return -1;
    }
    snprintf(text, sizeof text, SEAM_VERB "PROCESSED_UNCOMPRESSED,%" PRIu32, f.slot);
    if (seam_send(&s->seam, text)) {
        return -1;
    }
    snprintf(text, sizeof text, SEAM_VERB "SUBMIT_COMPRESSED,%" PRIu64 ",%d,%zu", f.id, slot, bytes);
    return seam_send(&s->seam, text);
}

static void *send_results(void *argument)
{
    server *s = argument;
    wvl_status status = WVL_OK;
    while (!s->seam.stop && status >= WVL_OK && status != WVL_END) {
        wvl_encoded_picture *picture;
        status = wvl_encoder_receive(s->job.encoder, SEAM_POLL_MS, &picture);
        if (status == WVL_OK && wvl_encoded_picture_status(picture) == WVL_CANCELLED) {
            wvl_encoded_picture_release(picture);
        } else if (status == WVL_OK && send_picture(s, picture)) {
            break;
        }
    }
    s->seam.stop = 1;
    return NULL;
}

/* ---- Texts come in --------------------------------------------------------------------------- */

/* By name and at the first frame: the client may have made the memory anew since the texts began. */
static int see_pixels(server *s)
{
    char error[SEAM_ERROR_BYTES];
    seam_memory found;
    if (s->are_pixels_seen) {
        return 0;
    }
    if (seam_open_memory(&found, s->pixels.name, s->pixels.bytes, 0, error)) {
        return fail(s, error);
    }
    found.is_made_here = s->pixels.is_made_here;
    s->pixels.is_made_here = 0; /* the name stays */
    seam_close_memory(&s->pixels);
    s->pixels = found;
    s->are_pixels_seen = 1;
    s->are_pinned = s->job.device >= 0 && wvl_context_pin(s->job.context, (uint32_t)s->job.device, found.data,
                                                          found.bytes, NULL, 0) == WVL_OK;
    return 0;
}

static int submit(server *s, uint64_t id, uint64_t slot)
{
    char text[SEAM_TEXT_BYTES];
    (void)pthread_mutex_lock(&s->lock);
    int is_free = slot < s->job.slots && !s->are_pixels_taken[slot];
    if (is_free) {
        s->are_pixels_taken[slot] = 1;
    }
    (void)pthread_mutex_unlock(&s->lock);
    if (!is_free) {
        snprintf(text, sizeof text, "frame %" PRIu64 ": slot %" PRIu64 " is not free; there are %" PRIu32, id, slot,
                 s->job.slots);
        return fail(s, text);
    }
    if (see_pixels(s)) {
        return -1;
    }
    wvl_plane planes[JOB_COMPONENTS];
    for (uint32_t c = 0; c < JOB_COMPONENTS; c++) {
        planes[c] = (wvl_plane){.data = (const char *)s->pixels.data + slot * s->frame_bytes,
                                .pitch_bytes = (ptrdiff_t)s->job.width * JOB_COMPONENTS * 2,
                                .sample_stride = JOB_COMPONENTS,
                                .first_sample = c,
                                .container = WVL_SAMPLE_16};
    }
    const wvl_image image = {.struct_size = sizeof image,
                             .planes = planes,
                             .plane_count = JOB_COMPONENTS,
                             .memory_kind = s->are_pinned ? WVL_MEMORY_PINNED : WVL_MEMORY_HOST};
    s->frames[slot] = (frame){id, (uint32_t)slot};
    wvl_status status = wvl_encoder_submit(s->job.encoder, &image, NULL, &s->frames[slot]);
    if (status != WVL_OK) {
        snprintf(text, sizeof text, "frame %" PRIu64 ": %s", id, wvl_status_text(status));
        return fail(s, text);
    }
    return 0;
}

static int empty_result(server *s, uint64_t slot)
{
    if (slot >= s->job.slots) {
        return fail(s, "the client names a result slot that does not exist");
    }
    (void)pthread_mutex_lock(&s->lock);
    s->is_result_taken[slot] = 0;
    (void)pthread_cond_signal(&s->change);
    (void)pthread_mutex_unlock(&s->lock);
    return 0;
}

static int say_goodbye(server *s)
{
    s->seam.goodbye = 1;
    if (!s->keeps_frames) {
        wvl_encoder_cancel(s->job.encoder);
    }
    wvl_encoder_end(s->job.encoder);
    return 0;
}

static int answer(server *s, const char *text)
{
    char verb[64] = "";
    uint64_t first = 0, second = 0;
    int n = sscanf(text, SEAM_VERB "%63[A-Z_],%" SCNu64 ",%" SCNu64, verb, &first, &second);
    if (!strcmp(verb, "SUBMIT_UNCOMPRESSED") && n == 3 && !s->seam.goodbye) {
        return submit(s, first, second);
    }
    if (!strcmp(verb, "PROCESSSED_COMPRESSED") && n >= 2) {
        return empty_result(s, first);
    }
    if (!strcmp(verb, "FLUSH")) {
        s->keeps_frames = 1;
        return 0;
    }
    if (!strcmp(verb, "SHUTDOWN")) {
        return say_goodbye(s);
    }
    fprintf(stderr, "grk_compress: unknown text \"%.100s\"\n", text);
    return 0;
}

static void serve(server *s)
{
    char text[SEAM_TEXT_BYTES];
    pthread_t sender;
    snprintf(text, sizeof text,
             SEAM_VERB "COMPRESS_INIT,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%d,12,%" PRIu64 ",%" PRIu32, s->job.width,
             s->job.stride, s->job.height, JOB_COMPONENTS, s->job.cap, s->job.slots);
    if (pthread_create(&sender, NULL, send_results, s)) {
        (void)fail(s, "no thread can be started");
        return;
    }
    int failed = seam_send(&s->seam, text);
    while (!failed) {
        failed = seam_receive(&s->seam, text) || answer(s, text);
    }
    if (!s->seam.goodbye && !s->failed && !seam_client_lives(&s->seam)) {
        (void)fail(s, "the client has ended");
    }
    s->seam.stop = 1;
    (void)pthread_mutex_lock(&s->lock);
    (void)pthread_cond_signal(&s->change);
    (void)pthread_mutex_unlock(&s->lock);
    wvl_encoder_cancel(s->job.encoder);
    (void)pthread_join(sender, NULL);
}

/* ---- The program ----------------------------------------------------------------------------- */

static int open_all(server *s)
{
    char error[SEAM_ERROR_BYTES];
    s->frame_bytes = (size_t)s->job.width * s->job.height * JOB_COMPONENTS * 2;
    s->frames = calloc(s->job.slots, sizeof *s->frames);
    s->are_pixels_taken = calloc(s->job.slots, 1);
    s->is_result_taken = calloc(s->job.slots, 1);
    if (!s->frames || !s->are_pixels_taken || !s->is_result_taken) {
        return fail(s, "not enough memory");
    }
    if (seam_open(&s->seam, error) ||
        seam_open_memory(&s->pixels, SEAM_PREFIX "grok_uncompressed_buf", s->job.slots * s->frame_bytes, 1, error) ||
        seam_open_memory(&s->results, SEAM_PREFIX "grok_compressed_buf", s->job.slots * s->job.cap, 1, error)) {
        return fail(s, error);
    }
    return 0;
}

static void close_all(server *s)
{
    wvl_encoder_release(s->job.encoder); /* pictures in flight borrow the pixels */
    if (s->are_pinned) {
        wvl_context_unpin(s->job.context, (uint32_t)s->job.device, s->pixels.data);
    }
    job_end(&s->job);
    seam_close_memory(&s->pixels);
    seam_close_memory(&s->results);
    seam_close(&s->seam);
    free(s->frames);
    free(s->are_pixels_taken);
    free(s->is_result_taken);
}

static int print_help(void)
{
    puts("Wavelane in the place of Grok's program, for DCP-o-matic, which starts it:\n"
         "  grk_compress -batch_src GRK_MSGR_BATCH_IMAGE,W,STRIDE,H,3,12 -out_fmt j2k -k 1 [-G DEVICE]\n"
         "               -cinema2K|-cinema4K FPS,BITS [-j LICENCE] [-J SERVER] [-v]\n"
         "Environment: WAVELANE_OPTIONS, WAVELANE_DEVICE, WAVELANE_THREADS");
    return 0;
}

int main(int argc, char **argv)
{
    static server s = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};
    char error[JOB_ERROR_BYTES];
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        return print_help();
    }
    signalled = &s.seam;
    (void)signal(SIGTERM, on_signal);
    (void)signal(SIGINT, on_signal);
    (void)signal(SIGPIPE, SIG_IGN);
    if (job_read(&s.job, argv + 1, error) || job_start(&s.job, error)) {
        error[strcspn(error, "\n")] = '\0';
        (void)fail(&s, error);
    } else if (open_all(&s) == 0) {
        serve(&s);
    }
    close_all(&s);
    return s.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
