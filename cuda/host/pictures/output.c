/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for finished pictures: how much, and where it comes from (D-device-30). */
#include "cuda/host/pictures/picture.h"

#define ROOM_LEAST (UINT64_C(64) << 10) /* headers and boxes of small pictures */
#define ROOM_STEPS 8u                   /* of a doubling, at first */

uint64_t wvl_cuda_bound_output(const wvl_assembly *assembly)
{
    uint64_t bytes = assembly->output_bytes_bound;
    return bytes > UINT64_MAX - 256 ? UINT64_MAX : wvl_align_up(bytes, 256);
}

/* Room for a finished picture of `needed` bytes that is copied to it: the samples, and a sixteenth more. Lossless
 * pictures hardly ever take more; one that does gets its room when it is taken (copy_rest), and those after it have as
 * much. Room grows in steps, so that memory which is kept fits again. The bound is 2 to 3 times as much, and the driver
 * needs 0.29 ms for a MB of page-locked memory. */
static uint64_t room_for(const wvl_backend *b, uint64_t needed)
{
    uint64_t bytes = b->pictures->layout.staging_bytes, most = wvl_cuda_bound_output(b->pictures->assembly);
    bytes = wvl_align_up(bytes + bytes / 16 + b->plan->syntax.boxes_before.bytes + ROOM_LEAST, 256);
    while (bytes < needed && bytes < most) {
        bytes = wvl_align_up(bytes + bytes / ROOM_STEPS, 256);
    }
    return wvl_cuda_copies_picture(b) ? wvl_min_u64(bytes, most) : most;
}

/* For the largest picture so far, and a little more. */
static uint64_t room_bytes(wvl_backend *b)
{
    pthread_mutex_lock(&b->workspaces.lock);
    uint64_t most = b->pictures->most_bytes;
    pthread_mutex_unlock(&b->workspaces.lock);
    return room_for(b, most + most / WVL_CUDA_FORECAST_MORE);
}

/* The output that the workspace has, if it is large enough. */
static int has_output(const wvl_cuda_picture *picture, uint64_t room)
{
    return picture->output && picture->output_bytes >= room;
}

/* Takes the output of a workspace that waits for a job. A workspace that is used again at once would need a second one,
 * while others have theirs for nothing. */
static void borrow_output(wvl_backend *b, wvl_cuda_picture *picture, uint64_t room)
{
    pthread_mutex_lock(&b->workspaces.lock);
    for (wvl_workspace *workspace = b->workspaces.first; workspace && !picture->output; workspace = workspace->next) {
        wvl_cuda_picture *other = ((wvl_backend_job *)workspace)->picture;
        if (!workspace->busy && has_output(other, room)) {
            picture->output = other->output;
            picture->output_bytes = other->output_bytes;
            other->output = 0;
        }
    }
    pthread_mutex_unlock(&b->workspaces.lock);
}

wvl_cuda_status wvl_cuda_take_output(wvl_backend_job *job, int is_new)
{
    wvl_backend *b = job->backend;
    wvl_cuda_picture *picture = job->picture;
    unsigned place = wvl_cuda_output_place(b->plan->device.output);
    uint64_t room = room_bytes(b);
    if (has_output(picture, room)) {
        return WVL_CUDA_SUCCESS;
    }
    wvl_cuda_free(b->device, place, picture->output, picture->output_bytes, NULL);
    picture->output = is_new ? 0 : wvl_cuda_take_kept(b->device, place, room);
    picture->output_bytes = room;
    if (!picture->output && !is_new) {
        borrow_output(b, picture, room);
    }
    return picture->output ? WVL_CUDA_SUCCESS : wvl_cuda_alloc(b->device, place, room, &picture->output);
}

wvl_cuda_status wvl_cuda_enlarge_output(wvl_backend_job *job, uint64_t bytes)
{
    wvl_cuda_picture *picture = job->picture;
    wvl_device *device = job->backend->device;
    if (bytes <= picture->output_bytes) {
        return WVL_CUDA_SUCCESS;
    }
    wvl_cuda_free(device, WVL_CUDA_OUTPUT_PINNED, picture->output, picture->output_bytes, NULL);
    picture->copied_bytes = 0;
    picture->output_bytes = room_for(job->backend, bytes);
    return wvl_cuda_alloc(device, WVL_CUDA_OUTPUT_PINNED, picture->output_bytes, &picture->output);
}
