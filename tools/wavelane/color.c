/* SPDX-License-Identifier: BSD-2-Clause */
#include "color.h"

#include <stdlib.h>
#include <string.h>

static int set(const char *name, wvl_params *params, const char *key, const char *value)
{
    wvl_status status = wvl_params_set(params, key, value);
    if (status) {
        wvl_cli_error("%s: %s", name, wvl_params_error(params));
    }
    return status ? wvl_cli_exit_code(status) : WVL_EXIT_OK;
}

static int refuse_kind(const char *name, const wvl_io_picture *io)
{
    const char *what = io->palette ? "holds palette indices" : io->color == WVL_IO_GREY ? "is grey" : io->color == WVL_IO_YCC ? "is YCbCr" : "is CMYK";
    wvl_cli_error("%s: the picture %s; X'Y'Z' is made from RGB", name, what);
    return WVL_EXIT_INPUT;
}

static int take_header(const char *name, const wvl_io_picture *io, wvl_params *params)
{
    static const char says_nothing[] = "nothing in the picture says which colours these are", has_no_name[] = "the picture's colours have no name here";
    const char *space = io->space ? io->space : io->color == WVL_IO_RGB && io->color_declared && !io->space_rules ? "srgb" : NULL;
    if (!space) {
        wvl_cli_error("%s: %s; name them: --input-color rec709, srgb, p3-d65, ..., or xyz", name,
                      io->space_rules ? has_no_name : says_nothing);
        return WVL_EXIT_INPUT;
    }
    wvl_cli_inform("%s: taken as %s%s%s, as its header says, and converted to X'Y'Z'", name, space, io->transfer ? ", " : "", io->transfer ? io->transfer : "");
    int code = set(name, params, "input-color", space);
    return code || !io->transfer ? code : set(name, params, "input-transfer", io->transfer);
}

int wvl_cli_fit_color(const wvl_cli_args *args, const char *name, wvl_cli_picture *p, wvl_params *params)
{
    if (!args->auto_color) {
        return WVL_EXIT_OK;
    }
    const wvl_io_picture *io = &p->io;
    if (io->palette || io->color == WVL_IO_GREY || io->color == WVL_IO_YCC || io->color == WVL_IO_CMYK) {
        return refuse_kind(name, io);
    }
    return io->icc && !args->no_icc && !io->space_rules ? wvl_cli_apply_profile(name, p, params) : take_header(name, io, params);
}

int wvl_cli_converts_color(const wvl_cli_picture *p, const wvl_params *params)
{
    const char *color = wvl_params_get(params, "input-color");
    return strcmp(color, "none") != 0 && (strcmp(color, "xyz") != 0 || p->components[0].depth != 12);
}
