/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coded bytes of a job of waves to memory of the host. Kernels leave them on the device, and the copy engine brings
 * them down: beside it, other jobs go up and are coded. Kernels that write to pinned memory are slower than it, and
 * slow uploads down (D-device-09).
 */
#include "cuda/host/coders/wave_coder.h"

#define SHARE_LOG2 16u /* forecasts are in 2^-16 of the bytes of coefficients: waves and strips differ in size */

static uint64_t count_coefs(const wvl_cuda_layout *l) { return l->down_end - l->coefs; }

/* As in the jobs before. The first ones get half of what the pixels take. */
static uint64_t predict(const wvl_cuda_code *code)
{
    const wvl_cuda_layout *l = code->layout;
    uint64_t share = wvl_cuda_predict_size(&code->device->coded),
             bytes = share ? wvl_mul_saturate(share, (count_coefs(l) >> SHARE_LOG2) + 1) : (l->planes - l->staging) / 2;
    return wvl_min_u64(wvl_align_up(bytes, 256), wvl_min_u64(code->room_bytes, l->output_bytes));
}

static void note(const wvl_cuda_code *code, uint64_t bytes)
{
    wvl_cuda_note_size(&code->device->coded, bytes / ((count_coefs(code->layout) >> SHARE_LOG2) + 1) + 1);
}

static wvl_cuda_status copy(const wvl_cuda_code *code, uint64_t to, uint64_t from, uint64_t bytes)
{
    const wvl_cuda_layout *l = code->layout;
    return bytes ? code->device->runtime->download(code->pinned + l->output + to, code->address + l->coded + from,
                                                   (size_t)bytes, code->stream)
                 : WVL_CUDA_SUCCESS;
}

wvl_cuda_status wvl_cuda_queue_output(wvl_cuda_code *code)
{
    code->fetched_bytes = predict(code);
    code->is_predicted = 1;
    return copy(code, 0, 0, code->fetched_bytes);
}

wvl_cuda_status wvl_cuda_await_code(const wvl_cuda_code *code, wvl_cuda_status queued)
{
    const wvl_cuda_runtime *rt = code->device->runtime;
    wvl_cuda_status status = queued ? queued : rt->event_record(code->event, code->stream);
    status = status ? status : rt->event_wait(code->event);
    if (status) {
        (void)rt->stream_wait(code->stream);
    }
    return status;
}

static wvl_cuda_status copy_rest(const wvl_cuda_code *code, uint64_t to, uint64_t bytes)
{
    uint64_t from = code->fetched_bytes;
    wvl_cuda_status status = wvl_cuda_enter(code->device);
    if (status) {
        return status;
    }
    status = wvl_cuda_await_code(code, copy(code, to + from, from, bytes - from));
    wvl_cuda_leave(code->device);
    return status;
}

wvl_status wvl_cuda_fetch_output(wvl_cuda_code *code, uint64_t to, uint64_t bytes)
{
    wvl_cuda_status status = bytes > code->fetched_bytes ? copy_rest(code, to, bytes) : WVL_CUDA_SUCCESS;
    if (code->is_predicted) {
        note(code, bytes);
    }
    code->fetched_bytes = 0;
    code->is_predicted = 0;
    return wvl_cuda_note_status(code->device, status);
}
