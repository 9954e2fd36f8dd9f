/* SPDX-License-Identifier: BSD-2-Clause */
#include "params/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"

#define TOKEN_CHARS 64u

/* strtod and printf follow the locale of the thread and the rounding mode: both are set aside for the call. */
typedef struct neutral {
    wvl_fpenv env;
    locale_t c, saved;
} neutral;

static int enter_neutral(neutral *n)
{
    n->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!n->c) {
        return 0;
    }
    n->saved = uselocale(n->c);
    wvl_fpenv_enter(&n->env);
    return 1;
}

static void leave_neutral(neutral *n)
{
    wvl_fpenv_leave(&n->env);
    (void)uselocale(n->saved);
    freelocale(n->c);
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

wvl_status wvl_number_scan_unsigned(const char **text, uint64_t *value)
{
    const char *p = *text;
    uint64_t v = 0;
    if (!is_digit(*p)) {
        return WVL_ERROR_PARAMETER;
    }
    for (; is_digit(*p); p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (v > (UINT64_MAX - digit) / 10) {
            return WVL_ERROR_PARAMETER;
        }
        v = v * 10 + digit;
    }
    *text = p;
    *value = v;
    return WVL_OK;
}

static const char *skip_digits(const char *p, unsigned *count)
{
    for (; is_digit(*p); p++) {
        ++*count;
    }
    return p;
}

/* Length of the number at p, 0 if there is none. strtod alone would also take hexadecimal, "inf", "nan" and leading
 * blanks. */
static size_t real_length(const char *p)
{
    const char *start = p;
    unsigned digits = 0, exponent_digits = 0;
    p += *p == '+' || *p == '-';
    p = skip_digits(p, &digits);
    if (*p == '.') {
        p = skip_digits(p + 1, &digits);
    }
    if (!digits) {
        return 0;
    }
    if (*p == 'e' || *p == 'E') {
        const char *e = p + 1;
        e += *e == '+' || *e == '-';
        e = skip_digits(e, &exponent_digits);
        p = exponent_digits ? e : p;
    }
    return (size_t)(p - start);
}

wvl_status wvl_number_scan_real(const char **text, double *value)
{
    char token[TOKEN_CHARS];
    neutral n;
    size_t length = real_length(*text);
    if (!length || length >= sizeof token) {
        return WVL_ERROR_PARAMETER;
    }
    memcpy(token, *text, length);
    token[length] = '\0';
    if (!enter_neutral(&n)) {
        return WVL_ERROR_MEMORY;
    }
    double v = strtod(token, NULL);
    leave_neutral(&n);
    if (!isfinite(v)) {
        return WVL_ERROR_PARAMETER;
    }
    *text += length;
    *value = v;
    return WVL_OK;
}

wvl_status wvl_number_print_real(char text[WVL_NUMBER_CHARS], double value)
{
    neutral n;
    if (!enter_neutral(&n)) {
        return WVL_ERROR_MEMORY;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, WVL_NUMBER_CHARS, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    leave_neutral(&n);
    return WVL_OK;
}
