/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More functions for pictures in flight (wvl_encoder in wavelane.h): parameters of single frames, a handle for poll(),
 * opening a device early, page-locked memory for pixels, parts of finished pictures, and readers on a device. All that
 * wavelane.h says about ownership, threads, errors, structures and the same bytes holds here too.
 */
#ifndef WAVELANE_FRAMES_H
#define WAVELANE_FRAMES_H

#include "wavelane.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Parameters of a frame --------------------------------------------------------------------------------------
 *
 *   wvl_params_clone(params, &mine);                          // params: those of the encoder's plan
 *   wvl_params_set(mine, "max-bytes", "250000");
 *   wvl_frame frame = {.struct_size = sizeof frame, .params = mine};
 *   wvl_encoder_submit_frame(encoder, &image, NULL, &frame, user);
 *
 * These values may change from frame to frame: the targets (rates, bpp, layer-bytes, psnr, slopes) and the caps
 * max-bytes and max-component-bytes. The bytes are those of a new encoder with these params. These changes need another
 * plan, and so does every other option; such a frame is refused, and the text names what differs:
 * - another number of targets, or targets of another kind (bytes, psnr, slopes);
 * - a cap where the plan of the encoder has none, and no cap where it has one;
 * - regions of interest and quality factors: they change what headers say. */

typedef struct wvl_frame {
    size_t struct_size;
    /* Read during the call only; no other thread may use them meanwhile. NULL: those of the encoder's plan. */
    const wvl_params *params;
    char *error;        /* gets the reason of a failure, always terminated, "" on success; may be NULL */
    size_t error_bytes; /* size of error; a longer text is cut */
} wvl_frame;

/* Submits a picture as wvl_encoder_submit(), with parameters of its own; frame NULL: with those of the plan. Never
 * waits. Errors: also _PARAMETER (a change that needs another plan, or breaks a rule of wvl_plan_create),
 * _UNREACHABLE, _MEMORY. A device that finishes pictures has memory for the bytes that the plan of the encoder allows.
 * A frame that may take more is encoded another way; with reach=packets and cuda-only, or with output-memory=device,
 * it is refused. */
WVL_API wvl_status wvl_encoder_submit_frame(wvl_encoder *encoder, const wvl_image *image, const wvl_sink *sink,
                                            const wvl_frame *frame, void *user);

/* ---- Waiting for several things --------------------------------------------------------------------------------- */

/* Gives a file descriptor for poll(), select() and epoll. It is readable as long as wvl_encoder_receive() has
 * something to return: the oldest picture is finished, or all were received after wvl_encoder_end(). If the context
 * starts no threads, it is readable while a picture waits, because receive does the work there. Do not read from it
 * and do not close it: the encoder owns it until wvl_encoder_release(). Each call gives the same one, from any thread.
 * WVL_ERROR_MEMORY: the process may open no more descriptors; *handle is then -1. WVL_ERROR_ARGUMENT: NULL. */
WVL_API wvl_status wvl_encoder_poll_handle(wvl_encoder *encoder, int *handle);

/* ---- Opening a device early ------------------------------------------------------------------------------------- */

/* Opens a device now, and keeps it open as long as the context lives. Without this call, the first picture that goes
 * to the device opens it and waits: about 0.2 s on an H100. A program can call it in a thread of its own and read
 * pictures meanwhile. Whoever needs the device before it is open waits for it. An open device stays open. error gets
 * the reason of a failure, always terminated, "" on success; it may be NULL. Any thread. Errors: _ARGUMENT (context is
 * NULL), _UNSUPPORTED (the build has no device code), _DEVICE, _MEMORY. After an error pictures behave as without the
 * call. */
WVL_API wvl_status wvl_context_open_device(wvl_context *context, uint32_t ordinal, char *error, size_t error_bytes);

/* ---- Page-locked memory for pixels ------------------------------------------------------------------------------ */

/* Page-locks memory of the caller, so that devices fetch the pixels in it by themselves (memory_kind PINNED). Otherwise
 * the host copies the pixels first. A program reads a picture from its file into such memory, and uses it again for
 * later pictures, because page-locking takes time. Take whole pages that nothing else lies in; large pages (2 MiB) are
 * the fastest. Device `ordinal` is opened as by wvl_context_open_device(), and error is the same; every device of the
 * process may read the memory. Any thread. Errors: _ARGUMENT (context or memory is NULL, bytes is 0), _UNSUPPORTED
 * (also by the driver), _DEVICE, _MEMORY; the pixels can still be used, with memory_kind HOST. */
WVL_API wvl_status wvl_context_pin(wvl_context *context, uint32_t ordinal, void *memory, size_t bytes, char *error,
                                   size_t error_bytes);
/* Ends that, before the memory is freed and the context is released. No picture in flight has pixels there. */
WVL_API void wvl_context_unpin(wvl_context *context, uint32_t ordinal, void *memory);

/* ---- Parts of a finished picture ----------------------------------------------------------------------------------
 */

/* Takes the result out of a finished picture; the caller owns it until wvl_result_release(). The picture can then be
 * released when its bytes are written, so that its memory serves the next one, and the result is still there for a
 * report. NULL: there is none, or it was taken. */
WVL_API wvl_result *wvl_encoded_picture_take_result(wvl_encoded_picture *picture);

/* ---- Readers on a device ---------------------------------------------------------------------------------------- */

/* Releases a picture whose readers on the device may not have ended; else it is wvl_encoded_picture_release(). A
 * picture that a device finished is complete when it is received: later work in any stream may read its bytes, in
 * memory of the device or in page-locked memory. The library gives the memory to another picture, or back to its
 * allocator, only after all work that `stream` holds now is done. stream: a CUstream or cudaStream_t of the device of
 * the picture; NULL: the default stream. The call waits only if the memory came from an allocator of the caller. If no
 * device finished the picture, its bytes are gone at once. */
WVL_API void wvl_encoded_picture_release_after(wvl_encoded_picture *picture, void *stream);

#ifdef __cplusplus
}
#endif
#endif
