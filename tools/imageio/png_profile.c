/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles that ImageMagick and GIMP store as texts of PNG: a name, the count of bytes, and hexadecimal digits. */
#include "internal.h"

#include <stdlib.h>

#define PREFIX "Raw profile type "

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

/* Behind the next line end; the end of the text where there is none. */
static const char *next_line(const char *p, const char *end)
{
    const char *found = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return found ? found + 1 : end;
}

/* The bytes of the digits from p on; returns how many there are, at most `most`. */
static size_t decode_digits(const char *p, const char *end, uint8_t *to, size_t most)
{
    size_t count = 0;
    int high = -1;
    for (; p < end && count < most; p++) {
        int digit = digit_of(*p);
        if (digit >= 0 && high >= 0) {
            to[count++] = (uint8_t)(high << 4 | digit);
            high = -1;
        } else if (digit >= 0) {
            high = digit;
        }
    }
    return count;
}

static int take_profile(wvl_io_context *context, const char *type, const uint8_t *bytes, size_t n)
{
    static const char xmp_name[] = "http://ns.adobe.com/xap/1.0/";
    if (!strcmp(type, "iptc") || !strcmp(type, "8bim")) {
        return n && bytes[0] == 0x1C ? wvl_io_take_blob(context, WVL_IO_IPTC, bytes, n)
                                     : wvl_io_take_photoshop(context, bytes, n);
    }
    if (!strcmp(type, "xmp")) {
        return wvl_io_take_xmp(context, bytes, n);
    }
    if (n > sizeof xmp_name && !memcmp(bytes, xmp_name, sizeof xmp_name)) { /* APP1 of JPEG holds EXIF or XMP */
        return wvl_io_take_xmp(context, bytes + sizeof xmp_name, n - sizeof xmp_name);
    }
    return wvl_io_take_exif(context, bytes, n);
}

static int is_known(const char *type)
{
    return !strcmp(type, "exif") || !strcmp(type, "APP1") || !strcmp(type, "iptc") || !strcmp(type, "8bim") ||
           !strcmp(type, "xmp");
}

int wvl_io_take_raw_profile(wvl_io_context *context, const char *keyword, const char *text, size_t byte_count)
{
    if (strncmp(keyword, PREFIX, strlen(PREFIX)) != 0 || !is_known(keyword + strlen(PREFIX))) {
        return 1;
    }
    const char *end = text + byte_count, *type = keyword + strlen(PREFIX);
    const char *count = next_line(next_line(text, end), end), *digits = next_line(count, end);
    char number[16] = "";
    size_t length = (size_t)(digits - count) < sizeof number ? (size_t)(digits - count) : sizeof number - 1;
    memcpy(number, count, length);
    unsigned long claimed = strtoul(number, NULL, 10);
    size_t most = (size_t)(end - digits) / 2;
    uint8_t *bytes = wvl_io_allocate(context, most, keyword);
    if (!bytes) {
        return -1;
    }
    size_t found = decode_digits(digits, end, bytes, claimed < most ? claimed : most);
    int result = 0;
    if (!found || found != claimed) {
        wvl_io_lose(context, keyword);
    } else {
        result = take_profile(context, type, bytes, found);
    }
    free(bytes);
    return result;
}
