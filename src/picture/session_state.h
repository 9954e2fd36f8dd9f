/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session holds, for the files that encode its pictures: session.c (its life, and the ways), session_device.c
 * (bytes that devices make), session_waves.c (pictures in waves, and in strips). */
#pragma once

#include "picture/session.h"
#include "waves/gather.h"
#include "waves/source_wave.h"
#include "waves/strip_drive.h"
#include "way/leaving.h"

#define WVL_TEXT_OUTSIDE "a sample lies outside the depth that its component declares"

/* Memory that a session keeps between pictures. */
typedef struct wvl_session_memory {
    void *wave_memory;
    uint64_t wave_bytes;
    void *worker_memory; /* of the coder; NULL: each picture takes its own */
    uint64_t worker_bytes;
} wvl_session_memory;

/* Devices that finish pictures. */
typedef struct wvl_session_devices {
    wvl_stations *stations; /* shared with other sessions; NULL: none */
    wvl_pictures *own;      /* of one picture; NULL: not open */
    uint32_t gave_up;       /* a bit for each device that did not finish the picture at work */
    wvl_pictures *pictures; /* what the last picture that a device finished, or tried to, was given to */
} wvl_session_devices;

/* How far the picture at work is. Samples are those of the plan, each of which counts twice: transformed, and coded. */
typedef struct wvl_session_work {
    uint64_t samples_done, samples_in_work;
    unsigned round;  /* how often all pixels have come before */
    unsigned rounds; /* how often pixels were transformed */
    uint64_t told;   /* progress */
    wvl_stage stage;
    double seconds[WVL_STAGES];
} wvl_session_work;

/* Its bytes on their way to the sink. */
typedef struct wvl_session_output {
    size_t buffered;
    uint64_t written;
    uint64_t open_at;     /* bytes from here on may be patched; UINT64_MAX: none */
    wvl_early_kind early; /* with coder.early */
    uint64_t codestream_offset;
    uint8_t *held; /* the whole output of a profile that is judged before the sink gets it */
    uint64_t held_bytes;
} wvl_session_output;

struct wvl_session {
    const wvl_plan *plan;
    const char *track;
    int many;
    wvl_session_memory memory;
    wvl_wave wave;
    wvl_drive drive;
    wvl_wave_source source; /* of the wave at work */
    wvl_session_devices devices;
    /* The picture at work: */
    wvl_session_picture now; /* image NULL: given back */
    wvl_way way;
    wvl_session_work work;
    wvl_session_output out;
    wvl_gather gather;      /* of pictures in strips that need all coefficients; else closed */
    wvl_strip_drive strips; /* in place of `drive` for pictures in strips; closed: plan is NULL */
    int by_strips;          /* jobs come from `strips` */
    wvl_coder coder;
    wvl_look look;
    void *quality_memory;
    char backend_name[64];
};

static inline int wvl_session_is_cancelled(const wvl_session *s) { return wvl_look_is_over(&s->look); }

/* session_waves.c. */
double wvl_session_begin_stage(wvl_session *s, wvl_stage stage);
void wvl_session_end_stage(wvl_session *s, wvl_stage stage, double start);
/* The first text of a failure stays. Both return the status. */
wvl_status wvl_session_fail(wvl_session *s, wvl_status status, const char *text);
wvl_status wvl_session_fail_device(wvl_session *s, wvl_status status);
/* Progress: samples of work, of twice the samples of the picture. */
void wvl_session_tell(wvl_session *s, uint64_t done);
/* Why rows did not come, or were not taken. */
wvl_status wvl_session_fail_rows(wvl_session *s, wvl_status status);
wvl_status wvl_session_check_image(wvl_session *s);
void wvl_session_give_pixels_back(wvl_session *s);
/* Bytes that lie there as they leave, in pieces between which the session may be cancelled. */
wvl_status wvl_session_send_finished(wvl_session *s, const uint8_t *data, uint64_t bytes);
int wvl_session_put(void *session, const void *data, size_t bytes);
int wvl_session_flush(wvl_session *s);
/* Judges finished bytes by their profile, if it has rules for them, before anybody gets them. Within writing. */
wvl_status wvl_session_judge(wvl_session *s, const void *data, uint64_t bytes);
/* Header of the codestream's box; 0: there is none. */
size_t wvl_session_box_header(const wvl_plan *plan, uint64_t codestream_bytes, uint8_t header[16]);
/* Boxes and codestream, when all lengths are known. */
wvl_status wvl_session_write_output(wvl_session *s);
/* session_device.c. WVL_AGAIN: nothing was encoded, and another way may do it. reason: what the device said, or "". */
wvl_status wvl_session_encode_shares(wvl_session *s, wvl_result **result);
wvl_status wvl_session_encode_picture(wvl_session *s, wvl_result **result, char *reason, size_t reason_bytes);
/* The device of a picture that was encoded alone gets its memory back; keeps: or it stays for the next one of the plan.
 */
void wvl_session_close_device(wvl_session *s, int keeps);
/* session_waves.c. Opens what jobs come from. After that take_job gets each, with what became of it: it is coded and
 * sent, and behind the last one the picture is finished, or another round begun. WVL_END: the picture is written. */
wvl_status wvl_session_begin_jobs(wvl_session *s);
wvl_status wvl_session_take_job(wvl_session *s, wvl_status status, uint32_t count);
wvl_status wvl_session_report_jobs(wvl_session *s, wvl_result **result);
