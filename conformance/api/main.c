/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

static const char usage[] =
    "wavelane-api-rows plan WxH COMPONENTS DEPTH [KEY=VALUE ...]   is the format accepted? 7: refused, with the "
    "reason\n"
    "wavelane-api-rows encode OUT X0,Y0,X1,Y1 FILE@DXxDY ... [KEY=VALUE ...]   components of one file each, anywhere "
    "on the reference grid\n"
    "wavelane-api-rows cancel PICTURE          cancels encodes from another thread, early and late\n"
    "wavelane-api-rows pair PICTURE            two encoders of 16 threads at once give the bytes of one thread\n"
    "wavelane-api-rows loop PICTURE ROUNDS     encodes again and again; the memory of the process must not grow\n"
    "wavelane-api-rows strides PICTURE         long, negative and odd row distances, interleaving, unaligned memory\n"
    "wavelane-api-rows outside PICTURE         samples outside the declared depth are refused\n"
    "wavelane-api-rows locale PICTURE NAME     numbers are read, and bytes written, as in the C locale\n"
    "wavelane-api-rows huge BYTES patch|plain  at least BYTES of output into a counting sink whose boxes and "
    "tile-parts are followed\n";

int wvl_api_fail(int code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "wavelane-api-rows: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    return code;
}

static int run_plan(int argc, char **argv)
{
    unsigned width, height;
    char error[512] = "";
    wvl_context *context;
    wvl_plan *plan = NULL;
    if (argc < 5 || sscanf(argv[2], "%ux%u", &width, &height) != 2) {
        return wvl_api_fail(WVL_API_USAGE, "%s", usage);
    }
    uint32_t count = (uint32_t)strtoul(argv[3], NULL, 10);
    wvl_component_format *components = wvl_api_need_memory(count * sizeof *components);
    for (uint32_t c = 0; c < count; c++) {
        components[c] = (wvl_component_format){(uint8_t)strtoul(argv[4], NULL, 10), 0, 1, 1};
    }
    wvl_image_format format = {sizeof format, 0, 0, width, height, count, components};
    if (wvl_context_create(NULL, &context) != WVL_OK) {
        return wvl_api_fail(WVL_API_WRONG, "no context");
    }
    wvl_status status =
        wvl_api_create_plan(context, &format, (const char *const *)argv + 5, argc - 5, &plan, error, sizeof error);
    wvl_plan_release(plan);
    wvl_context_release(context);
    free(components);
    if (status == WVL_ERROR_PARAMETER || status == WVL_ERROR_UNSUPPORTED) {
        return wvl_api_fail(WVL_API_REFUSED, "%s: %s", wvl_status_text(status), error);
    }
    return status == WVL_OK ? WVL_API_DONE : wvl_api_fail(WVL_API_WRONG, "%s: %s", wvl_status_text(status), error);
}

static int run_with_picture(const char *command, const char *path, const char *more)
{
    wvl_api_picture p;
    int code = wvl_api_open_picture(path, &p);
    if (code) {
        return code;
    }
    if (!strcmp(command, "cancel")) {
        code = wvl_api_run_cancel(&p);
    } else if (!strcmp(command, "pair")) {
        code = wvl_api_run_pair(&p);
    } else if (!strcmp(command, "strides")) {
        code = wvl_api_run_strides(&p);
    } else if (!strcmp(command, "outside")) {
        code = wvl_api_run_outside(&p);
    } else if (!strcmp(command, "loop") && more) {
        code = wvl_api_run_loop(&p, (unsigned)strtoul(more, NULL, 10));
    } else if (!strcmp(command, "locale") && more) {
        code = wvl_api_run_locale(&p, more);
    } else {
        code = wvl_api_fail(WVL_API_USAGE, "%s", usage);
    }
    wvl_api_close_picture(&p);
    return code;
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        return fputs(usage, stdout) < 0;
    }
    if (argc > 1 && !strcmp(argv[1], "plan")) {
        return run_plan(argc, argv);
    }
    if (argc > 4 && !strcmp(argv[1], "encode")) {
        return wvl_api_run_encode(argc - 2, argv + 2);
    }
    if (argc == 4 && !strcmp(argv[1], "huge")) {
        return wvl_api_run_huge(strtoull(argv[2], NULL, 10), !strcmp(argv[3], "patch"));
    }
    if (argc == 3 || argc == 4) {
        return run_with_picture(argv[1], argv[2], argc == 4 ? argv[3] : NULL);
    }
    return wvl_api_fail(WVL_API_USAGE, "%s", usage);
}
