/* SPDX-License-Identifier: BSD-2-Clause */
/* Times in the forms that picture files have. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "xmp.h"

typedef struct moment {
    unsigned year, month, day, hour, minute, second;
} moment;

static int is_possible(const moment *m)
{
    return m->year <= 9999 && m->month >= 1 && m->month <= 12 && m->day >= 1 && m->day <= 31 && m->hour <= 23 &&
           m->minute <= 59 && m->second <= 60;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* `pattern`: 0 stands for a digit, any other character for itself. */
static int fits(const char *text, const char *pattern)
{
    for (; *pattern; pattern++, text++) {
        if (*pattern == '0' ? !is_digit(*text) : *text != *pattern) {
            return 0;
        }
    }
    return 1;
}

static unsigned digits(const char *text, unsigned count)
{
    unsigned value = 0;
    for (unsigned i = 0; i < count; i++) {
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    return value;
}

/* A zone as ISO 8601 has it, of "Z", "+01", "+0100", "+01:00", "GMT" or nothing. */
static int convert_zone(const char *text, char out[8])
{
    text += strspn(text, " :");
    out[0] = '\0';
    if (!*text) {
        return 1;
    }
    if (!strcmp(text, "Z") || !strcasecmp(text, "GMT") || !strcasecmp(text, "UT") || !strcasecmp(text, "UTC")) {
        memcpy(out, "Z", 2);
        return 1;
    }
    if (*text != '+' && *text != '-') {
        return 0;
    }
    int has_minutes = fits(text + 1, "0000") || fits(text + 1, "00:00");
    const char *minutes = has_minutes ? text + strlen(text) - 2 : "00";
    size_t length = strlen(text);
    if (!fits(text + 1, "00") || (!has_minutes && length != 3) || length > 6) {
        return 0;
    }
    snprintf(out, 8, "%c%.2s:%.2s", *text, text + 1, minutes);
    return 1;
}

static int write_moment(const moment *m, const char *zone, char out[40])
{
    char iso_zone[8];
    if (!is_possible(m) || !convert_zone(zone, iso_zone)) {
        return 0;
    }
    snprintf(out, 40, "%04u-%02u-%02uT%02u:%02u:%02u%s", m->year, m->month, m->day, m->hour, m->minute, m->second,
             iso_zone);
    return 1;
}

/* ISO 8601 as XMP has it: a year, and what follows to any depth. */
static int is_iso(const char *text)
{
    static const char *const forms[] = {"0000", "0000-00", "0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00:00"};
    size_t n = strlen(text);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        size_t form = strlen(forms[i]);
        char zone[8];
        if (n < form || !fits(text, forms[i])) {
            continue;
        }
        const char *rest = text + form;
        if (form == 19 && *rest == '.') {
            rest += 1 + strspn(rest + 1, "0123456789");
        }
        if (!*rest || (form >= 16 && (*rest == 'Z' || *rest == '+' || *rest == '-') && convert_zone(rest, zone) &&
                       !strcmp(rest, zone))) {
            return n < 40;
        }
    }
    return 0;
}

/* "[Tue, ]27 Jun 2006 11:58:42 GMT" (RFC 1123, the form that PNG proposes). */
static int convert_mail_date(const char *text, char out[40])
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const char *comma = strchr(text, ',');
    char name[4] = "";
    moment m;
    int used = 0;
    text = comma ? comma + 1 : text;
    if (sscanf(text, " %2u %3[A-Za-z] %4u %2u:%2u:%2u%n", &m.day, name, &m.year, &m.hour, &m.minute, &m.second,
               &used) != 6 ||
        strlen(name) != 3) {
        return 0;
    }
    for (m.month = 1; m.month <= 12; m.month++) {
        if (!strncasecmp(name, months + 3 * (size_t)(m.month - 1), 3)) {
            return write_moment(&m, text + used, out);
        }
    }
    return 0;
}

int wvl_metadata_convert_date(const char *text, char out[40])
{
    moment m;
    if (is_iso(text)) {
        snprintf(out, 40, "%s", text);
        return 1;
    }
    if (fits(text, "0000:00:00 00:00:00") || fits(text, "0000:00:00:00:00:00") || fits(text, "0000-00-00 00:00:00")) {
        char zone[8];
        /* "YYYY:MM:DD HH:MM:SS" and the like, numbers at fixed places. */
        m = (moment){digits(text, 4),      digits(text + 5, 2),  digits(text + 8, 2),
                     digits(text + 11, 2), digits(text + 14, 2), digits(text + 17, 2)};
        return write_moment(&m, convert_zone(text + 19, zone) ? zone : "", out); /* DPX may name the zone by letters */
    }
    return convert_mail_date(text, out);
}
