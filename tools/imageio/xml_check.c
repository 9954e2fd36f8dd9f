/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that bytes are a well-formed XML document with namespaces, as Expat sees it: readers of JP2 that check XML
 * boxes (jpylyzer) use the same parser. Nothing outside the document is opened. */
#include "metadata.h"

#include <expat.h>
#include <iconv.h>
#include <stdio.h>
#include <string.h>

#define MOST_DEPTH 256u /* readers walk the tree by recursion */
#define AT_ONCE ((size_t)1 << 20)

typedef struct checker {
    XML_Parser parser;
    unsigned depth;
    const char *reason; /* of our own; NULL: Expat's */
} checker;

static void stop(checker *c, const char *reason)
{
    c->reason = reason;
    (void)XML_StopParser(c->parser, XML_FALSE);
}

static void on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    checker *c = user;
    (void)name, (void)attributes;
    if (++c->depth > MOST_DEPTH) {
        stop(c, "more than 256 elements within each other");
    }
}

static void on_end(void *user, const XML_Char *name)
{
    (void)name;
    ((checker *)user)->depth--;
}

/* Declared in a document type of another file, which nobody finds in a box. */
static void on_skipped(void *user, const XML_Char *name, int is_parameter)
{
    (void)name;
    if (!is_parameter) {
        stop(user, "an entity that the document does not declare");
    }
}

/* Encodings of one byte a character, beside those that Expat knows. */
static int on_encoding(void *user, const XML_Char *name, XML_Encoding *encoding)
{
    iconv_t convert = iconv_open("UTF-32BE", name);
    (void)user;
    if (convert == (iconv_t)-1) {
        return XML_STATUS_ERROR;
    }
    for (int i = 0; i < 256; i++) {
        char byte = (char)i, *from = &byte;
        unsigned char code[8] = {0};
        size_t left = 1, room = sizeof code;
        char *to = (char *)code;
        (void)iconv(convert, NULL, NULL, NULL, NULL);
        size_t failed = iconv(convert, &from, &left, &to, &room);
        int is_character = failed != (size_t)-1 && left == 0 && room == sizeof code - 4;
        encoding->map[i] = is_character ? code[1] << 16 | code[2] << 8 | code[3] : -1;
    }
    (void)iconv_close(convert);
    encoding->data = NULL;
    encoding->convert = NULL;
    encoding->release = NULL;
    return XML_STATUS_OK;
}

static int is_wide(const uint8_t *p, size_t n)
{
    return n >= 2 && ((p[0] == 0xFE && p[1] == 0xFF) || (p[0] == 0xFF && p[1] == 0xFE));
}

/* UTF-16 has characters that end with a zero byte. */
static size_t without_nuls(const uint8_t *p, size_t n)
{
    static const uint8_t nul[2] = {0, 0};
    size_t unit = is_wide(p, n) ? 2 : 1;
    n -= n % unit != 0 && !p[n - 1];
    while (n >= unit && memcmp(p + n - unit, nul, unit) == 0) {
        n -= unit;
    }
    return n;
}

static int say(const checker *c, char *reason, size_t reason_bytes)
{
    enum XML_Error code = XML_GetErrorCode(c->parser);
    const char *text = c->reason ? c->reason : XML_ErrorString(code);
    if (code == XML_ERROR_NO_MEMORY) {
        return -1;
    }
    if (code == XML_ERROR_UNKNOWN_ENCODING) {
        text = "an encoding that is not known here; convert it to UTF-8";
    }
    snprintf(reason, reason_bytes, "line %llu, column %llu: %s",
             (unsigned long long)XML_GetCurrentLineNumber(c->parser),
             (unsigned long long)XML_GetCurrentColumnNumber(c->parser) + 1, text);
    return 1;
}

int wvl_io_check_xml(const void *bytes, size_t *byte_count, char *reason, size_t reason_bytes)
{
    checker c = {.parser = XML_ParserCreateNS(NULL, '}')};
    const char *at = bytes;
    size_t left = without_nuls(bytes, *byte_count), whole = left;
    enum XML_Status status = XML_STATUS_OK;
    int result = 0;
    if (!c.parser) {
        return -1;
    }
    if (whole >= 2 && !is_wide(bytes, whole) && (!at[0] || !at[1])) { /* XML 4.3.3 asks for the mark */
        snprintf(reason, reason_bytes, "UTF-16 without a byte order mark, or UTF-32; convert it to UTF-8");
        XML_ParserFree(c.parser);
        return 1;
    }
    XML_SetUserData(c.parser, &c);
    XML_SetElementHandler(c.parser, on_start, on_end);
    XML_SetSkippedEntityHandler(c.parser, on_skipped);
    XML_SetUnknownEncodingHandler(c.parser, on_encoding, NULL);
    do {
        size_t part = left < AT_ONCE ? left : AT_ONCE;
        left -= part;
        status = XML_Parse(c.parser, at, (int)part, left == 0);
        at += part;
    } while (left && status == XML_STATUS_OK);
    if (status != XML_STATUS_OK) {
        result = say(&c, reason, reason_bytes);
    } else {
        *byte_count = whole;
    }
    XML_ParserFree(c.parser);
    return result;
}
