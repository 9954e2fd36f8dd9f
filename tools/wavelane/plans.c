/* SPDX-License-Identifier: BSD-2-Clause */
#include "plans.h"

#include <stdlib.h>
#include <string.h>

static int are_alike(const wvl_image_format *a, const wvl_image_format *b)
{
    if (a->x0 != b->x0 || a->y0 != b->y0 || a->x1 != b->x1 || a->y1 != b->y1 ||
        a->component_count != b->component_count) {
        return 0;
    }
    for (uint32_t i = 0; i < a->component_count; i++) {
        const wvl_component_format *x = &a->components[i], *y = &b->components[i];
        if (x->depth != y->depth || x->is_signed != y->is_signed || x->dx != y->dx || x->dy != y->dy) {
            return 0;
        }
    }
    return 1;
}

/* A conversion to X'Y'Z' may follow from the picture's profile. */
int wvl_cli_may_share_plans(const wvl_cli_args *args, const wvl_params *params)
{
    const char *color = wvl_params_get(params, "input-color");
    return color && !strcmp(color, "none") && !args->auto_color;
}

wvl_plan *wvl_cli_find_plan(const wvl_cli_plans *plans, const wvl_context *context, const wvl_cli_picture *picture,
                            uint64_t limit_bytes)
{
    int fits = plans->plan && plans->context == context && plans->limit_bytes == limit_bytes &&
               plans->color == picture->io.color;
    return fits && are_alike(&plans->format, &picture->format) ? plans->plan : NULL;
}

int wvl_cli_keep_plan(wvl_cli_plans *plans, const wvl_context *context, const wvl_cli_picture *picture,
                      uint64_t limit_bytes, wvl_plan *plan)
{
    size_t bytes = picture->format.component_count * sizeof *plans->components;
    plans->components = plans->plan ? plans->components : malloc(bytes);
    if (plans->plan || !plans->components) {
        return 0;
    }
    memcpy(plans->components, picture->format.components, bytes);
    plans->context = context;
    plans->format = picture->format;
    plans->format.components = plans->components;
    plans->color = picture->io.color;
    plans->limit_bytes = limit_bytes;
    plans->plan = plan;
    return 1;
}

void wvl_cli_release_plans(wvl_cli_plans *plans)
{
    wvl_plan_release(plans->plan);
    free(plans->components);
    memset(plans, 0, sizeof *plans);
}
