/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the devices that transforms can run on. */
#include <string.h>

#include "cli.h"

static void put_device(wvl_cli_report *r, const wvl_device_info *info)
{
    char name[16], capability[24];
    snprintf(name, sizeof name, "cuda:%u", info->ordinal);
    snprintf(capability, sizeof capability, "%u.%u", info->capability_major, info->capability_minor);
    if (!r->json) {
        fprintf(r->file, "%s  %s, compute capability %s, %u multiprocessors, %.1f GiB%s\n", name, info->name,
                capability, info->multiprocessors, (double)info->memory_bytes / (1024.0 * 1024.0 * 1024.0),
                info->usable ? "" : "; too old for this build (7.5 and later)");
        return;
    }
    wvl_cli_report_open_line(r, NULL);
    wvl_cli_report_text(r, "device", name);
    wvl_cli_report_text(r, "name", info->name);
    wvl_cli_report_text(r, "capability", capability);
    wvl_cli_report_number(r, "multiprocessors", info->multiprocessors);
    wvl_cli_report_number(r, "memory_bytes", info->memory_bytes);
    wvl_cli_report_flag(r, "usable", info->usable);
    wvl_cli_report_close(r);
}

/* No device is an answer, not a failure. */
static const char *say_why(wvl_status status)
{
    return status == WVL_ERROR_UNSUPPORTED ? "this build has no device code"
           : status == WVL_ERROR_DEVICE    ? "there is no driver, or it does not start"
                                           : "none";
}

int wvl_cli_run_devices(int argc, char **argv)
{
    int json = argc == 2 && !strcmp(argv[1], "--json");
    if (argc > 1 && !json) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "devices: takes --json or nothing; leave the rest out");
    }
    wvl_cli_report r;
    wvl_device_info info = {.struct_size = sizeof info};
    uint32_t count = 0;
    wvl_cli_report_start(&r, stdout, json);
    if (json) {
        wvl_cli_report_open_list(&r, "devices");
    }
    wvl_status status = wvl_device_describe(0, &info);
    for (; status == WVL_OK; status = wvl_device_describe(++count, &info)) {
        put_device(&r, &info);
    }
    if (json) {
        wvl_cli_report_close(&r);
        wvl_cli_report_text(&r, "status", count ? "ok" : say_why(status));
    } else if (!count) {
        printf("no device: %s\n", say_why(status));
    }
    wvl_cli_report_finish(&r);
    return WVL_EXIT_OK;
}
