/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session holds, for the files that encode its pictures: session.c (its life, and pictures that a device
 * finishes) and session_waves.c (pictures in waves). */
#ifndef WVL_SESSION_STATE_H
#define WVL_SESSION_STATE_H

#include "backend/backend.h"
#include "codec/write/coder.h"
#include "context.h"
#include "picture/session.h"
#include "waves/drive.h"
#include "waves/early.h"
#include "waves/gather.h"
#include "waves/source_wave.h"
#include "waves/strip_drive.h"

#define WVL_TEXT_OUTSIDE "a sample lies outside the depth that its component declares"

struct wvl_session {
    const wvl_plan *plan;
    const char *track;
    int many;
    wvl_wave wave;
    void *wave_memory;
    uint64_t wave_bytes;
    void *worker_memory; /* of the coder, kept between pictures; NULL: each takes its own */
    uint64_t worker_bytes;
    wvl_drive drive;
    wvl_wave_source source; /* of the wave at work */
    wvl_lanes *lanes;       /* devices that finish pictures, shared; NULL: none */
    wvl_pictures own;       /* the same for one picture; closed: backend is NULL */
    uint32_t gave_up;       /* a bit for each device that did not finish the picture at work */
    wvl_pictures *pictures; /* what the last picture that a device finished, or tried to, was given to */
    /* Of the picture at work: */
    const wvl_image *image; /* NULL: given back */
    wvl_row_window *rows;   /* of the image; NULL: all rows are there */
    wvl_spill *spill;       /* of its coded data, or NULL */
    wvl_gather gather;      /* of pictures in strips that need all coefficients; else closed */
    wvl_strip_drive strips; /* in place of `drive` for pictures in strips; closed: plan is NULL */
    wvl_sink *sink;
    wvl_finished *finished; /* where a picture of a device stays; NULL: it goes to the sink */
    const wvl_control *control;
    uint64_t picture; /* number */
    unsigned rounds;  /* the pixels of this picture were transformed so often */
    char backend_name[64];
    void *quality_memory;
    wvl_coder coder;
    wvl_look look;
    uint64_t samples_done, samples_in_work;
    unsigned round; /* how often all pixels have come before */
    uint64_t told;  /* progress */
    wvl_stage stage;
    double seconds[WVL_STAGES];
    size_t buffered;
    uint64_t written;
    uint64_t open_at;     /* bytes from here on may be patched; UINT64_MAX: none */
    wvl_early_kind early; /* with coder.early */
    uint64_t codestream_offset;
    uint8_t *held; /* the whole output of a profile that is judged before the sink gets it */
    uint64_t held_bytes;
    char *error;
    size_t error_bytes;
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
/* session_output.c. To the sink, the second through a buffer. Nonzero: it refused. */
int wvl_session_send(wvl_session *s, const void *data, size_t bytes);
/* Bytes that lie there as they leave, in pieces between which the session may be cancelled. */
wvl_status wvl_session_send_finished(wvl_session *s, const uint8_t *data, uint64_t bytes);
int wvl_session_put(void *session, const void *data, size_t bytes);
int wvl_session_flush(wvl_session *s);
void wvl_session_drop_held(wvl_session *s);
/* Judges finished bytes by their profile, if it has rules for them, before anybody gets them. Within writing. */
wvl_status wvl_session_judge(wvl_session *s, const void *data, uint64_t bytes);
/* Header of the codestream's box; 0: there is none. */
size_t wvl_session_box_header(const wvl_plan *plan, uint64_t codestream_bytes, uint8_t header[16]);
/* Boxes and codestream, when all lengths are known. */
wvl_status wvl_session_write_output(wvl_session *s, uint64_t *codestream_offset);
/* session_early.c. Opens coder.early where bytes leave early; the others do nothing without it. */
wvl_status wvl_session_open_early(wvl_session *s, uint64_t *codestream_offset);
wvl_status wvl_session_send_tiles(wvl_session *s, uint32_t count);
/* coefs[count]: of the tiles of a row; is_end: no strip of them follows. */
wvl_status wvl_session_send_strip(wvl_session *s, const wvl_coefs *coefs, uint32_t count, int is_end);
wvl_status wvl_session_close_early(wvl_session *s);
/* session_strips.c. Transforms and codes a picture in strips, once for each round. */
wvl_status wvl_session_transform_strips(wvl_session *s);
/* session_shares.c. The picture on several devices, if it is large enough. *is_done 0: nothing was encoded. */
wvl_status wvl_session_encode_shares(wvl_session *s, wvl_result **result, int *is_done);
/* Transforms, codes and writes. */
wvl_status wvl_session_encode_waves(wvl_session *s, uint64_t *codestream_offset);

#endif
