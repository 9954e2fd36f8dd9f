/* SPDX-License-Identifier: BSD-2-Clause */
/* Binary PPM files of 8 bits and one size become NAME.j2c, as fast as host and device can (docs/throughput.md).
 *   cc -pthread -o throughput throughput.c $(pkg-config --cflags --libs wavelane) && ./throughput *.ppm */
#define _DEFAULT_SOURCE /* madvise */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <wavelane_frames.h>

#define THREADS 28 /* twelve more than processors: some wait for the device */
#define LARGE_PAGE ((size_t)2 << 20)
#define REQUIRE(good) ((good) ? (void)0 : (perror(#good), exit(1)))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one thread at a time submits */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static wvl_context *context;
static wvl_encoder *encoder;
static char **names;
static int count, next;
static unsigned width, height;
static size_t head, bytes; /* of each file: bytes in front of the pixels, and all */

static void *work(void *unused)
{
    size_t room = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE, used;
    unsigned char *slot = aligned_alloc(LARGE_PAGE, room);
    wvl_memory_kind kind = WVL_MEMORY_HOST;
    REQUIRE(slot && (!madvise(slot, room, MADV_HUGEPAGE) || 1));
    for (int i; (i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < count;) {
        char name[4096];
        FILE *file = fopen(names[i], "rb");
        REQUIRE(file && !setvbuf(file, NULL, _IONBF, 0) && fread(slot, 1, bytes, file) == bytes && !fclose(file));
        if (kind == WVL_MEMORY_HOST && !wvl_context_pin(context, 0, slot, room, NULL, 0)) {
            kind = WVL_MEMORY_PINNED; /* once, behind the first file; without a device the CPU encodes */
        }
        wvl_plane red = {slot + head, (ptrdiff_t)width * 3, 3, 0, WVL_SAMPLE_8}, planes[3] = {red, red, red};
        planes[1].first_sample = 1, planes[2].first_sample = 2;
        wvl_image image = {.struct_size = sizeof image, .planes = planes, .plane_count = 3, .memory_kind = kind};
        wvl_encoded_picture *picture = NULL;
        wvl_status status = WVL_AGAIN; /* as long as all places of the encoder are taken */
        pthread_mutex_lock(&lock);
        while ((status == WVL_AGAIN && (status = wvl_encoder_submit(encoder, &image, NULL, &picture)) == WVL_AGAIN) ||
               (status == WVL_OK && !picture)) {
            pthread_cond_wait(&changed, &lock);
        }
        pthread_mutex_unlock(&lock);
        REQUIRE(status == WVL_OK && wvl_encoded_picture_status(picture) == WVL_OK);
        const void *data = wvl_encoded_picture_data(picture, &used);
        snprintf(name, sizeof name, "%s.j2c", names[i]);
        REQUIRE((file = fopen(name, "wb")) && fwrite(data, 1, used, file) == used && !fclose(file));
        wvl_encoded_picture_release(picture); /* its memory serves the next one */
    }
    wvl_context_unpin(context, 0, kind == WVL_MEMORY_PINNED ? slot : NULL);
    free(slot);
    return unused;
}

int main(int argc, char **argv)
{
    wvl_params *params;
    wvl_plan *plan;
    wvl_encoded_picture *picture;
    pthread_t threads[THREADS];
    wvl_component_format components[3] = {{.depth = 8}, {.depth = 8}, {.depth = 8}};
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    REQUIRE(file && fscanf(file, "P6 %u %u 255", &width, &height) == 2 && fgetc(file) != EOF);
    head = (size_t)ftell(file), bytes = head + (size_t)width * height * 3, names = argv + 1, count = argc - 1;
    wvl_image_format format = {sizeof format, 0, 0, width, height, 3, components};
    REQUIRE(!fclose(file) && !wvl_context_create(NULL, &context) && !wvl_params_create(context, &params));
    REQUIRE(!wvl_params_set(params, "style", "HT") && !wvl_params_set(params, "device", "cuda"));
    REQUIRE(!wvl_plan_create(context, params, &format, NULL, &plan) && !wvl_encoder_create(plan, 0, &encoder));
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(!pthread_create(&threads[i], NULL, work, NULL));
    }
    for (int received = 0; received < count;) { /* in the order of submission */
        if (wvl_encoder_receive(encoder, 100, &picture) == WVL_OK) {
            pthread_mutex_lock(&lock);
            *(wvl_encoded_picture **)wvl_encoded_picture_user(picture) = picture;
            pthread_cond_broadcast(&changed);
            pthread_mutex_unlock(&lock);
            received++;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    wvl_encoder_release(encoder), wvl_plan_release(plan), wvl_params_release(params), wvl_context_release(context);
    return 0;
}
