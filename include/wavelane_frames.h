/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More about pictures in flight (wvl_encoder in wavelane.h): parameters of single frames, a handle for poll(), devices
 * that are opened ahead, and readers on a device. All that wavelane.h says about ownership, threads, errors, structures
 * and the same bytes holds here too.
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
 * What may change from frame to frame: the values of targets (rates, bpp, layer-bytes, psnr, slopes) and of the caps
 * max-bytes and max-component-bytes. The bytes are those of a new encoder with these params. Everything else needs
 * another plan, and so do
 * - another number of targets, or targets of another kind (bytes, psnr, slopes);
 * - a cap where the plan of the encoder has none, and no cap where it has one;
 * - regions of interest and quality factors: they change what headers say.
 * Such a frame is refused, and the text names what differs. */

typedef struct wvl_frame {
    size_t struct_size;
    /* Read during the call only; no other thread may use them meanwhile. NULL: as the plan of the encoder. */
    const wvl_params *params;
    char *error;        /* gets the reason of a failure, always terminated, "" on success; may be NULL */
    size_t error_bytes; /* of error; a text that is longer is cut */
} wvl_frame;

/* wvl_encoder_submit() with parameters of the frame; frame NULL: the same as that. Never waits. Errors: also
 * _PARAMETER (what needs another plan, or breaks a rule of wvl_plan_create), _UNREACHABLE, _MEMORY.
 * A device that finishes pictures has memory for the bytes that the plan of the encoder allows. A frame that may take
 * more is encoded another way; with reach=packets and cuda-only, or output-memory=device, it is refused. */
WVL_API wvl_status wvl_encoder_submit_frame(wvl_encoder *encoder, const wvl_image *image, const wvl_sink *sink,
                                            const wvl_frame *frame, void *user);

/* ---- Waiting for several things --------------------------------------------------------------------------------- */

/* A file descriptor that poll(), select() and epoll find readable as long as wvl_encoder_receive() has something to do
 * or to say: the oldest picture is finished, or all were received after wvl_encoder_end(). Where the context starts no
 * threads it is readable while a picture waits, for receive does the work there. Do not read from it and do not close
 * it: it belongs to the encoder until wvl_encoder_release(). Each call gives the same one, from any thread.
 * WVL_ERROR_MEMORY: the process may have no more descriptors; *handle is -1 then. WVL_ERROR_ARGUMENT: NULL. */
WVL_API wvl_status wvl_encoder_poll_handle(wvl_encoder *encoder, int *handle);

/* ---- Opening a device ahead ------------------------------------------------------------------------------------- */

/* Opens a device now, and keeps it open as long as the context. Without it the first picture that goes to the device
 * opens it and waits: about 0.2 s on an H100. A program calls it in a thread of its own and reads pictures meanwhile;
 * what needs the device before it is open waits for it. A device that is open already stays so. error gets the reason
 * of a failure, always terminated, "" on success; it may be NULL. Any thread. Errors: _ARGUMENT (context is NULL),
 * _UNSUPPORTED (a build without device code), _DEVICE, _MEMORY; pictures then do what they would without the call. */
WVL_API wvl_status wvl_context_open_device(wvl_context *context, uint32_t ordinal, char *error, size_t error_bytes);

/* ---- Readers on a device ---------------------------------------------------------------------------------------- */

/* A picture that a device finished is complete when it is received: what is given to any stream after that may read its
 * bytes, in memory of the device or in page-locked memory. This is wvl_encoded_picture_release() for readers that may
 * not have ended: the memory goes to no other picture, and back to no allocator, before what `stream` holds now is
 * done. stream: a CUstream or cudaStream_t of the device of the picture; NULL: the default stream. The call does not
 * wait, unless the memory came from an allocator of the caller. Bytes of any other picture are gone at once. */
WVL_API void wvl_encoded_picture_release_after(wvl_encoded_picture *picture, void *stream);

#ifdef __cplusplus
}
#endif
#endif
