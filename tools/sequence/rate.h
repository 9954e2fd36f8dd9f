/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate control of a sequence: how many bytes each frame may take. Integers alone decide, and the limit of frame n
 * follows from the options, from the limits of the frames before it, and from the bytes of frames 0 to n - lag. It does
 * not depend on threads, devices, machines or restarts.
 *
 * Average. Each frame brings its share of the bits a second. The bytes of frames 0 to n never exceed their shares; what
 * they leave may be used by later frames.
 *
 * Leaky bucket. It is empty at first. Frame n adds its bytes, which must fit, and then the bytes of one frame's time
 * flow out. Frames whose bytes are not known yet count with their limits, so no frame can ever overflow it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WVL_SEQUENCE_USUAL_LAG 64u
#define WVL_SEQUENCE_MOST_LAG 4096u
#define WVL_SEQUENCE_MOST_BITS (UINT64_C(1) << 40)   /* a second, and in a bucket */
#define WVL_SEQUENCE_MOST_RATE (UINT32_C(1) << 20)   /* frames and seconds of a frame rate */
#define WVL_SEQUENCE_MOST_FRAMES (UINT32_C(1) << 30) /* of a sequence with rate control */

/* 0 means none, unless it says otherwise. */
typedef struct wvl_sequence_rate_options {
    uint64_t bits_per_second;        /* average */
    uint64_t bucket_bits;            /* what the bucket holds */
    uint64_t bucket_bits_per_second; /* what flows out; 0: as the average */
    uint64_t frame_bytes;            /* limit of every frame */
    uint32_t frames, seconds;        /* frame rate: frames / seconds */
    uint32_t lag;                    /* 1..WVL_SEQUENCE_MOST_LAG */
} wvl_sequence_rate_options;

typedef enum wvl_sequence_rate_status {
    WVL_SEQUENCE_RATE_OK = 0,
    WVL_SEQUENCE_RATE_RANGE,     /* an option is outside its range */
    WVL_SEQUENCE_RATE_NO_FLOW,   /* a bucket needs a rate that flows out */
    WVL_SEQUENCE_RATE_NO_ROOM,   /* the bucket holds less than flows out in one frame's time */
    WVL_SEQUENCE_RATE_NO_LIMIT,  /* neither an average nor a bucket: there is nothing to control */
    WVL_SEQUENCE_RATE_TOO_SMALL, /* less than one byte a frame */
    WVL_SEQUENCE_RATE_MEMORY,
    WVL_SEQUENCE_RATE_DEFECT /* a frame has more bytes than its limit, or frames came out of order */
} wvl_sequence_rate_status;

wvl_sequence_rate_status wvl_sequence_check_rate(const wvl_sequence_rate_options *options);

/* ---- One pass -------------------------------------------------------------------------------- */

typedef struct wvl_sequence_rate wvl_sequence_rate;

wvl_sequence_rate_status wvl_sequence_open_rate(const wvl_sequence_rate_options *options, wvl_sequence_rate **rate);
void wvl_sequence_close_rate(wvl_sequence_rate *rate);
/* The bytes of the next frame, from frame 0 on. They must not exceed its limit; 0 for a frame that failed. */
wvl_sequence_rate_status wvl_sequence_put_bytes(wvl_sequence_rate *rate, uint64_t bytes);
/* Number of frames whose limits are known: lag more than have put their bytes. */
uint64_t wvl_sequence_limit_count(const wvl_sequence_rate *rate);
/* The limit of a frame, at least 1: one whose limit is known and whose bytes were not put yet. */
uint64_t wvl_sequence_limit_bytes(const wvl_sequence_rate *rate, uint64_t frame);

/* ---- Two passes ------------------------------------------------------------------------------ */

/* From the bytes of every frame in a first pass to the limit of each in the second. Limits are in proportion to the
 * bytes, as far as the frame limit and the bucket allow, and their sum is at most the budget of the average. Without
 * an average, limits are the bytes of the first pass as far as the others allow. limits may be bytes. */
wvl_sequence_rate_status wvl_sequence_share_bytes(const wvl_sequence_rate_options *options, const uint64_t *bytes,
                                                  size_t count, uint64_t *limits);
