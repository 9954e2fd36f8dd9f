/* SPDX-License-Identifier: BSD-2-Clause */
/* A child decodes, or where there can be none, this process. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- In this process ------------------------------------------------------------------------- */

static int on_header_here(const opj_image_t *image, void *user)
{
    (void)image;
    wvl_opj_hear(WVL_OPJ_HEARD_HEADER, "", user);
    return 1;
}

static void on_error_here(const char *text, void *user) { wvl_opj_hear(WVL_OPJ_HEARD_ERROR, text, user); }

static void on_warning_here(const char *text, void *user) { wvl_opj_hear(WVL_OPJ_HEARD_WARNING, text, user); }

static wvl_opj_result decode_here(wvl_opj_listener *l, wvl_opj_picture *picture)
{
    wvl_opj_request request = *l->request;
    request.inspect = on_header_here;
    request.complain = on_error_here;
    request.warn = on_warning_here;
    request.user = l;
    errno = 0;
    picture->image = wvl_opj_decode(&request); /* gives up directly after an allocation that failed */
    if (!picture->image) {
        return errno == ENOMEM ? WVL_OPJ_NO_MEMORY : WVL_OPJ_REFUSED;
    }
    const opj_image_t *image = picture->image;
    picture->components = malloc(image->numcomps * sizeof *picture->components);
    if (!picture->components) {
        return WVL_OPJ_NO_MEMORY;
    }
    wvl_opj_describe(image, 0, picture->components);
    picture->x0 = image->x0;
    picture->y0 = image->y0;
    picture->x1 = image->x1;
    picture->y1 = image->y1;
    picture->component_count = image->numcomps;
    return WVL_OPJ_OK;
}

/* ---- Both ------------------------------------------------------------------------------------ */

wvl_opj_result wvl_opj_decode_guarded(const wvl_opj_request *request, void (*on_header)(void *user),
                                      wvl_opj_picture *picture, char reason[WVL_OPJ_REASON_BYTES])
{
    wvl_opj_listener l = {request, on_header};
    wvl_opj_result result;
    if (wvl_opj_ask_child(request, on_header, picture, reason, &result)) {
        return result;
    }
    result = decode_here(&l, picture);
    if (result != WVL_OPJ_OK) {
        wvl_opj_release_picture(picture);
    }
    return result;
}

void wvl_opj_release_picture(wvl_opj_picture *picture)
{
    if (picture->image) {
        opj_image_destroy(picture->image);
    }
    wvl_opj_release_answer(picture);
}
