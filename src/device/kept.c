/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/kept.h"

#include "backend/devices.h"
#include "codec/write/assembly.h"

/* Under the lock. The first ones of a plan, and of a device if it is not UINT32_MAX; they are kept no more. NULL: there
 * are none. */
static wvl_pictures *take_out(wvl_context *context, const wvl_plan *plan, uint32_t ordinal)
{
    wvl_pictures *found = NULL, **kept = context->kept;
    for (unsigned i = 0; i < WVL_CONTEXT_KEPT && kept[i]; i++) {
        if ((!plan || kept[i]->plan == plan) && (ordinal == UINT32_MAX || kept[i]->ordinal == ordinal)) {
            found = kept[i];
            memmove(kept + i, kept + i + 1, (WVL_CONTEXT_KEPT - 1 - i) * sizeof *kept);
            kept[WVL_CONTEXT_KEPT - 1] = NULL;
            break;
        }
    }
    return found;
}

static void close_pictures(const wvl_context *context, wvl_pictures *pictures)
{
    wvl_pictures_close(pictures);
    wvl_free(&context->host, pictures, sizeof *pictures);
}

/* What is closed under the lock still has its plan: the thread that releases the plan waits for the lock here. */
int wvl_kept_drop(wvl_context *context, const wvl_plan *plan)
{
    int any = 0;
    pthread_mutex_lock(&context->kept_lock);
    for (wvl_pictures *p; (p = take_out(context, plan, UINT32_MAX)); any = 1) {
        close_pictures(context, p);
    }
    pthread_mutex_unlock(&context->kept_lock);
    return any;
}

static int is_usable(const wvl_pictures *p) { return !atomic_load(&p->is_down) && !p->table->is_lost(p->device); }

wvl_status wvl_kept_open(wvl_pictures **pictures, const wvl_plan *plan, uint32_t ordinal, char *reason,
                         size_t reason_bytes)
{
    wvl_context *context = plan->context;
    pthread_mutex_lock(&context->kept_lock);
    *pictures = take_out(context, plan, ordinal);
    pthread_mutex_unlock(&context->kept_lock);
    if (*pictures && is_usable(*pictures)) {
        return WVL_OK;
    }
    wvl_kept_close(*pictures, 0);
    *pictures = wvl_alloc(&context->host, sizeof **pictures);
    wvl_status status =
        *pictures ? wvl_pictures_open(*pictures, plan, wvl_assembly_whole(plan), ordinal, 1, reason, reason_bytes)
                  : WVL_ERROR_MEMORY;
    if (status != WVL_OK) {
        wvl_free(&context->host, *pictures, sizeof **pictures);
        *pictures = NULL;
    }
    return status;
}

/* The caller's allocators get back what an encode has taken. */
static int may_keep(const wvl_context *context, const wvl_pictures *p)
{
    return !context->device.allocate && !context->pinned.allocate && is_usable(p);
}

void wvl_kept_close(wvl_pictures *pictures, int keeps)
{
    if (!pictures) {
        return;
    }
    wvl_context *context = pictures->plan->context;
    wvl_pictures **kept = context->kept;
    if (!keeps || !may_keep(context, pictures)) {
        close_pictures(context, pictures);
        return;
    }
    pthread_mutex_lock(&context->kept_lock);
    if (kept[WVL_CONTEXT_KEPT - 1]) {
        close_pictures(context, kept[WVL_CONTEXT_KEPT - 1]);
    }
    memmove(kept + 1, kept, (WVL_CONTEXT_KEPT - 1) * sizeof *kept);
    kept[0] = pictures;
    context->drop_kept = wvl_kept_drop;
    pthread_mutex_unlock(&context->kept_lock);
}
