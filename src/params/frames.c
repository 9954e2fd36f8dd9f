/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a frame rate: a whole number, a fraction, or a decimal number of at most three places. */
#include <inttypes.h>
#include <stdio.h>

#include "params/number.h"
#include "params/value.h"

typedef struct rate {
    uint64_t frames, seconds;
} rate;

static int scan_bounded(const char **p, uint64_t most, uint64_t *value)
{
    return !wvl_number_scan_unsigned(p, value) && *value <= most;
}

/* 23.976, 29.97 and their kin, with two places or three, stand for N * 1000/1001. */
static int replace_drop_rate(rate *r)
{
    static const uint8_t whole[] = {24, 30, 48, 60, 96, 120};
    for (size_t i = 0; i < sizeof whole; i++) {
        uint64_t exact = whole[i] * UINT64_C(1000000) / 1001, given = r->frames * 1000 / r->seconds; /* thousandths */
        uint64_t apart = given > exact ? given - exact : exact - given;
        if (apart <= 5 && r->seconds > 1) {
            *r = (rate){whole[i] * UINT64_C(1000), 1001};
            return 1;
        }
    }
    return 0;
}

static int scan_places(const char **p, uint64_t most, rate *r)
{
    for (++*p; **p >= '0' && **p <= '9' && r->seconds < 1000; ++*p) {
        r->frames = r->frames * 10 + (uint64_t)(**p - '0');
        r->seconds *= 10;
    }
    if (r->seconds == 1 || r->frames / r->seconds > most) {
        return 0;
    }
    while (!replace_drop_rate(r) && r->seconds > 1 && r->frames % 10 == 0) {
        r->frames /= 10;
        r->seconds /= 10;
    }
    return 1;
}

wvl_status wvl_params_read_frames(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                  const char *value)
{
    char reason[96];
    const char *p = value;
    rate r = {0, 1};
    int is_read = scan_bounded(&p, field->maximum, &r.frames);
    if (is_read && *p == '/') {
        p++;
        is_read = scan_bounded(&p, field->maximum, &r.seconds);
    } else if (is_read && *p == '.') {
        is_read = scan_places(&p, field->maximum, &r);
    }
    if (!is_read || *p || !r.frames || !r.seconds) {
        snprintf(reason, sizeof reason, "expected frames a second as 24, 24000/1001 or 23.976, parts up to %" PRIu64,
                 field->maximum);
        return wvl_params_refuse_value(params, option, value, reason);
    }
    params->settings.frames = (uint32_t)r.frames;
    params->settings.seconds = (uint32_t)r.seconds;
    return WVL_OK;
}
