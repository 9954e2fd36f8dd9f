/* SPDX-License-Identifier: BSD-2-Clause */
/* --ycc-to-rgb, --drop-alpha and --channels, in this order, on a picture that was read. */
#include "cli.h"

static int report(const char *name, int result, const char *error)
{
    if (result == WVL_IO_ERROR_MEMORY) {
        return wvl_cli_lack_memory(name);
    }
    if (result) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: %s", name, error);
    }
    return WVL_EXIT_OK;
}

static int drop_alpha(const char *name, wvl_io_picture *io, char *error, size_t error_bytes)
{
    if (io->alpha_component >= 0 && io->alpha_premultiplied) {
        wvl_cli_warn_once(name, "the colours stay multiplied by the alpha that is left out");
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
        wvl_cli_warn_once(name, "the ICC profile is left out; it is not for the channels of --channels");
    }
    return report(name, result, error);
}
