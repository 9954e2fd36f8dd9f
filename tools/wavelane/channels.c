/* SPDX-License-Identifier: BSD-2-Clause */
/* --ycc-to-rgb, --drop-alpha and --channels, in this order, on a picture that was read. */
#include "cli.h"
#include <stdlib.h>

static int drop_alpha(const char *name, wvl_io_picture *io, char *error, size_t error_bytes)
{
    if (io->alpha_component >= 0 && io->alpha_premultiplied) {
        wvl_cli_warn_once(name, "the colours remain multiplied by the alpha channel that is left out");
    }
    return wvl_io_drop_alpha(io, error, error_bytes);
}

int wvl_cli_change_channels(const wvl_cli_args *args, const char *name, wvl_io_picture *io)
{
    char error[256] = "";
    int result = 0, had_profile = io->icc != NULL;
    if (args->ycc_to_rgb && io->color == WVL_IO_YCC) {
        result = wvl_io_convert_ycc(io, error, sizeof error);
    }
    if (!result && args->drop_alpha) {
        result = drop_alpha(name, io, error, sizeof error);
    }
    if (!result && args->channel_count) {
        result = wvl_io_select_channels(io, args->channels, args->channel_count, error, sizeof error);
    }
    if (!result && had_profile && !io->icc) {
        wvl_cli_warn_once(name, "the ICC profile is left out; it does not fit the channels chosen by --channels");
    }
    if (result == WVL_IO_ERROR_MEMORY) {
        return wvl_cli_lack_memory(name);
    }
    if (result) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: %s", name, error);
    }
    return WVL_EXIT_OK;
}

/* ---- -TargetBitDepth: the arithmetic of opj_compress, for every input format ----------------- */

/* Up: v * (greatest new) / (greatest old), toward zero; the products stay below 2^64. Down: bits are dropped. */
static int64_t scale_sample(int64_t v, unsigned from, unsigned to, int is_signed)
{
    if (to < from) {
        int64_t divisor = (int64_t)1 << (from - to);
        return v >= 0 ? v / divisor : -((-v + divisor - 1) / divisor);
    }
    if (is_signed) {
        return v * ((int64_t)1 << (to - from));
    }
    uint64_t new_max = ((uint64_t)1 << to) - 1, old_max = ((uint64_t)1 << from) - 1;
    return (int64_t)((uint64_t)v * new_max / old_max);
}

static void scale_component(const wvl_io_component *c, uint8_t *data, unsigned bytes, unsigned depth)
{
    for (uint32_t y = 0; y < c->height; y++) {
        for (uint32_t x = 0; x < c->width; x++, data += bytes) {
            wvl_io_store(data, bytes, (uint32_t)scale_sample(wvl_io_sample(c, x, y), c->depth, depth, c->is_signed));
        }
    }
}

int wvl_cli_scale_depth(const char *name, wvl_io_picture *io, unsigned depth)
{
    unsigned bytes = depth <= 8 ? 1 : depth <= 16 ? 2 : 4;
    uint8_t **data;
    if (io->palette) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s: -TargetBitDepth cannot scale palette indices; use --palette expand",
                            name);
    }
    for (uint32_t i = 0; i < io->component_count; i++) {
        if (io->components[i].is_float) {
            return wvl_cli_fail(WVL_EXIT_USAGE, "%s: -TargetBitDepth cannot scale floating point", name);
        }
    }
    data = calloc(io->component_count, sizeof *data);
    int failed = !data;
    for (uint32_t i = 0; !failed && i < io->component_count; i++) {
        const wvl_io_component *c = &io->components[i];
        data[i] = malloc((size_t)c->width * c->height * bytes);
        failed = !data[i];
        if (!failed) {
            scale_component(c, data[i], bytes, depth);
        }
    }
    /* Only now may the old samples go: several components can lie in one block. */
    for (uint32_t i = 0; data && i < io->component_count; i++) {
        wvl_io_component *c = &io->components[i];
        if (failed) {
            free(data[i]);
            continue;
        }
        free(c->owned);
        c->data = c->owned = data[i];
        c->depth = (uint8_t)depth;
        c->sample_bytes = (uint8_t)bytes;
        c->sample_stride_bytes = bytes;
        c->stride_bytes = (size_t)c->width * bytes;
    }
    free(data);
    if (failed) {
        wvl_cli_error("%s: out of memory", name);
    }
    return failed ? WVL_EXIT_DEVICE : WVL_EXIT_OK;
}
