/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments become a preset of cinema and a cap in bytes. */
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavelane_simple.h>

enum { MOST_SLOTS = 256, MOST_RATE = 120, MOST_SIDE = 1 << 16 };

/* DCSS 4.3.3: bits a second of a picture track. */
static const uint64_t usual_bits = 250000000, hfr_bits = 500000000;

/* ---- Arguments ------------------------------------------------------------------------------- */

static int read_source(job *j, const char *value, char *error)
{
    unsigned components = 0, depth = 0;
    int end = 0, n = sscanf(value, "GRK_MSGR_BATCH_IMAGE,%" SCNu32 ",%" SCNu32 ",%" SCNu32 ",%u,%u%n", &j->width,
                            &j->stride, &j->height, &components, &depth, &end);
    if (n != 5 || value[end] || !j->width || !j->height || j->width > MOST_SIDE || j->height > MOST_SIDE) {
        snprintf(error, JOB_ERROR_BYTES, "-batch_src %.100s: GRK_MSGR_BATCH_IMAGE,width,stride,height,3,12 is needed",
                 value);
        return -1;
    }
    if (components != JOB_COMPONENTS || depth != 12) {
        snprintf(error, JOB_ERROR_BYTES, "-batch_src: %u components of %u bits; X'Y'Z' has 3 of 12", components, depth);
        return -1;
    }
    if (j->stride != j->width && j->stride != 3 * j->width && j->stride != 6 * j->width) {
        snprintf(error, JOB_ERROR_BYTES, "-batch_src: stride %" PRIu32 " at width %" PRIu32 "; rows must be packed",
                 j->stride, j->width);
        return -1;
    }
    return 0;
}

static int read_rate(job *j, const char *preset, const char *value, char *error)
{
    int end = 0, n = sscanf(value, "%" SCNu32 ",%" SCNu64 "%n", &j->rate, &j->bits, &end);
    if (n != 2 || value[end] || j->rate < 1 || j->rate > MOST_RATE) {
        snprintf(error, JOB_ERROR_BYTES, "cinema rate %.60s: frames a second (1 to %d), a comma, bits a second", value,
                 MOST_RATE);
        return -1;
    }
    j->preset = preset;
    return 0;
}

static int read_device(job *j, const char *value, char *error)
{
    char *end;
    j->device = strtol(value, &end, 10);
    if (end == value || *end || j->device < -1 || j->device > 255) {
        snprintf(error, JOB_ERROR_BYTES, "-G %.60s: the number of a device, or -1", value);
        return -1;
    }
    return 0;
}

static int is_one_of(const char *name, const char *list)
{
    const char *found = strstr(list, name);
    return found && found > list && found[-1] == ' ' && found[strlen(name)] == ' ';
}

int job_read(job *j, char **arguments, char *error)
{
    *j = (job){.device = -2};
    int failed = 0;
    for (char **a = arguments; *a && !failed; a++) {
        const char *name = *a;
        if (!strcmp(name, "-v")) {
            j->is_detailed = 1;
            continue;
        }
        if (!is_one_of(name, " -batch_src -cinema2K -cinema4K -G -out_fmt -k -j -J ") || !a[1]) {
            snprintf(error, JOB_ERROR_BYTES, a[1] ? "unknown argument %.60s" : "%.60s: unknown, or without its value",
                     name);
            return -1;
        }
        const char *value = *++a;
        if (!strcmp(name, "-batch_src")) {
            failed = read_source(j, value, error);
        } else if (!strncmp(name, "-cinema", 7)) {
            failed = read_rate(j, name[7] == '2' ? "dci-2k" : "dci-4k", value, error);
        } else if (!strcmp(name, "-G")) {
            failed = read_device(j, value, error);
        } else if (!strcmp(name, "-out_fmt") && strcmp(value, "j2k") != 0) {
            snprintf(error, JOB_ERROR_BYTES, "-out_fmt %.60s: only j2k", value);
            failed = -1;
        }
    }
    if (!failed && (!j->width || !j->preset)) {
        snprintf(error, JOB_ERROR_BYTES, "%s is needed", j->width ? "-cinema2K or -cinema4K" : "-batch_src");
        failed = -1;
    }
    return failed;
}

/* ---- Encoder --------------------------------------------------------------------------------- */

/* The lowest rate of the profile that is not below this one. */
static uint32_t profile_rate(uint32_t rate)
{
    static const uint8_t rates[] = {24, 25, 30, 48, 50, 60, 96, 100, MOST_RATE};
    size_t i = 0;
    while (rates[i] < rate) {
        i++;
    }
    return rates[i];
}

static wvl_status set_number(wvl_params *params, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return wvl_params_set(params, key, text);
}

static wvl_status set_device(const job *j, wvl_params *params)
{
    const char *wanted = getenv("WAVELANE_DEVICE");
    char text[32] = "auto";
    if (j->device == -1) {
        snprintf(text, sizeof text, "cpu");
    } else if (j->device >= 0) {
        snprintf(text, sizeof text, "cuda:%ld", j->device);
    }
    return wvl_params_set(params, "device", wanted && *wanted ? wanted : text);
}

/* The bytes that fit at this rate, never above those of the profile. Two eyes share the bits. */
static uint64_t bytes_at(const job *j, wvl_params *params)
{
    uint64_t limit = strcmp(wvl_params_get(params, "hfr"), "yes") ? usual_bits : hfr_bits;
    uint64_t eyes = strcmp(wvl_params_get(params, "stereo"), "yes") ? 1 : 2;
    uint64_t asked = j->bits / (8 * j->rate * eyes), most = limit / (8 * profile_rate(j->rate) * eyes);
    return asked < most ? asked : most;
}

static wvl_status set_options(job *j, wvl_params *params)
{
    const char *options = getenv("WAVELANE_OPTIONS");
    wvl_status status = wvl_params_preset(params, j->preset);
    status = status ? status : set_number(params, "frame-rate", profile_rate(j->rate));
    status = status ? status : wvl_params_set(params, "hfr", j->bits > usual_bits ? "yes" : "no");
    status = status ? status : set_device(j, params);
    status = status || !options ? status : wvl_params_parse(params, options);
    if (status == WVL_OK) {
        j->cap = bytes_at(j, params);
        status = set_number(params, "max-bytes", j->cap);
    }
    return status;
}

static void print_message(void *user, wvl_log_level level, const char *text)
{
    (void)user;
    fprintf(stderr, "grk_compress: %s%s\n", level == WVL_LOG_WARNING ? "warning: " : "", text);
}

static wvl_status build(job *j, wvl_params *params, char *error)
{
    static const wvl_component_format components[JOB_COMPONENTS] = {{.depth = 12}, {.depth = 12}, {.depth = 12}};
    const wvl_image_format format = {.struct_size = sizeof format,
                                     .x1 = j->width,
                                     .y1 = j->height,
                                     .component_count = JOB_COMPONENTS,
                                     .components = components};
    const wvl_plan_request request = {.struct_size = sizeof request,
                                      .context = j->context,
                                      .params = params,
                                      .format = &format,
                                      .error = error,
                                      .error_bytes = JOB_ERROR_BYTES};
    wvl_status status = set_options(j, params);
    if (status != WVL_OK) {
        snprintf(error, JOB_ERROR_BYTES, "%s", wvl_params_error(params));
        return status;
    }
    status = wvl_plan_build(&request, &j->plan);
    if (status == WVL_OK && (status = wvl_encoder_create(j->plan, 0, &j->encoder)) != WVL_OK) {
        snprintf(error, JOB_ERROR_BYTES, "%s", wvl_context_error(j->context));
    }
    return status;
}

int job_start(job *j, char *error)
{
    const char *threads = getenv("WAVELANE_THREADS");
    int count = threads ? atoi(threads) : 0; /* "all" is 0 */
    const wvl_context_options options = {.struct_size = sizeof options,
                                         .log = print_message,
                                         .log_level = j->is_detailed ? WVL_LOG_INFO : WVL_LOG_WARNING,
                                         .threads = count > 1 ? (uint32_t)count : 0};
    wvl_params *params = NULL;
    wvl_status status = wvl_context_create(&options, &j->context);
    status = status ? status : wvl_params_create(j->context, &params);
    if (status != WVL_OK) {
        snprintf(error, JOB_ERROR_BYTES, "%s", wvl_status_text(status));
    } else {
        status = build(j, params, error);
    }
    wvl_params_release(params);
    if (status == WVL_OK) {
        uint32_t places = wvl_encoder_frames(j->encoder);
        j->slots = places < MOST_SLOTS ? places : MOST_SLOTS;
    }
    return status == WVL_OK ? 0 : -1;
}

void job_end(job *j)
{
    wvl_plan_release(j->plan);
    wvl_context_release(j->context);
}
