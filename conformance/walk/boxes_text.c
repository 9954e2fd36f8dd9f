/* SPDX-License-Identifier: BSD-2-Clause */
/* XML as far as a reader trips over it: characters, and tags that close what they opened. No entity and no document
 * type is looked into. */
#include "boxes.h"

#include <string.h>

typedef struct text {
    wvl_walk *w;
    const uint8_t *data;
    uint64_t start, at, end;
    wvl_walk_list open; /* wvl_walk_span: names of the elements that are open */
    int elements;
} text;

static int bad(text *t, const char *what)
{
    return wvl_check_fail(t->w, WVL_RULE_XML_TEXT, t->at < t->end ? t->at : t->end, "%s", what);
}

/* Length of the UTF-8 sequence at p; 0: none. */
static unsigned utf8_length(const uint8_t *p, uint64_t left)
{
    unsigned n = p[0] < 0x80                   ? 1
                 : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
                 : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
                 : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                               : 0;
    if (n > left) {
        return 0;
    }
    for (unsigned i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return n;
}

static int has_word(const text *t, uint64_t end, const char *word)
{
    size_t n = strlen(word);
    for (uint64_t at = t->start; at + n <= end; at++) {
        if (!memcmp(t->data + at, word, n)) {
            return 1;
        }
    }
    return 0;
}

/* The XML declaration names an encoding other than UTF-8: bytes above 127 are not looked into. */
static int declares_other(const text *t)
{
    const uint8_t *close = memchr(t->data + t->start, '>', (size_t)(t->end - t->start));
    uint64_t end = close ? (uint64_t)(close - t->data) : t->start;
    return end - t->start > 5 && !memcmp(t->data + t->start, "<?xml", 5) && has_word(t, end, "encoding") &&
           !has_word(t, end, "UTF-8") && !has_word(t, end, "utf-8");
}

static int characters_are_good(text *t)
{
    int has_bytes = declares_other(t);
    for (t->at = t->start; t->at < t->end;) {
        uint8_t c = t->data[t->at];
        unsigned n = has_bytes ? 1 : utf8_length(t->data + t->at, t->end - t->at);
        if (!n || (c < 32 && c != '\t' && c != '\n' && c != '\r')) {
            return bad(t, "a character that XML does not have");
        }
        t->at += n;
    }
    return 1;
}

static int starts_with(const text *t, const char *word)
{
    size_t n = strlen(word);
    return t->end - t->at >= n && !memcmp(t->data + t->at, word, n);
}

static int skip_to(text *t, const char *word)
{
    while (t->at < t->end && !starts_with(t, word)) {
        t->at++;
    }
    if (t->at == t->end) {
        return bad(t, "a comment, instruction or section has no end");
    }
    t->at += strlen(word);
    return 1;
}

/* At "<!DOCTYPE" or the like: to its '>', behind a part in brackets, which may have quotes, comments and instructions
 * of its own. */
static int skip_declaration(text *t)
{
    int depth = 0, good = 1;
    for (t->at += 2; good && t->at < t->end; t->at++) {
        uint8_t c = t->data[t->at];
        if (c == '"' || c == '\'') {
            const uint8_t *close = memchr(t->data + t->at + 1, c, (size_t)(t->end - t->at - 1));
            t->at = close ? (uint64_t)(close - t->data) : t->end - 1;
        } else if (starts_with(t, "<!--") || starts_with(t, "<?")) {
            good = skip_to(t, t->data[t->at + 1] == '?' ? "?>" : "-->");
            t->at--;
        } else if (c == '>' && depth == 0) {
            t->at++;
            return 1;
        }
        depth += (c == '[') - (c == ']');
    }
    return good ? bad(t, "a comment, instruction or section has no end") : 0;
}

static int is_name_end(uint8_t c) { return c <= ' ' || c == '/' || c == '>' || c == '='; }

/* At the '<' of a start or end tag. */
static int take_tag(text *t)
{
    int closes = t->at + 1 < t->end && t->data[t->at + 1] == '/';
    wvl_walk_span name = {t->at, t->at + 1 + (uint64_t)closes, 0};
    uint8_t quote = 0;
    for (t->at = name.at; t->at < t->end && !is_name_end(t->data[t->at]); t->at++) {
    }
    name.end = t->at;
    for (; t->at < t->end && (quote || t->data[t->at] != '>'); t->at++) {
        uint8_t c = t->data[t->at];
        if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
        } else if (c == '<') {
            return bad(t, "a tag within a tag");
        }
    }
    if (t->at == t->end || name.end == name.at) {
        return bad(t, "a tag has no name or no end");
    }
    t->at++;
    t->elements++;
    if (!closes) {
        int is_empty = t->data[t->at - 2] == '/';
        return is_empty || wvl_check_push(t->w, &t->open, &name, sizeof name);
    }
    wvl_walk_span *top = t->open.count ? (wvl_walk_span *)t->open.items + t->open.count - 1 : NULL;
    if (!top || top->end - top->at != name.end - name.at ||
        memcmp(t->data + top->at, t->data + name.at, (size_t)(name.end - name.at))) {
        return bad(t, "an end tag closes no open element");
    }
    t->open.count--;
    return 1;
}

static int tags_are_good(text *t)
{
    t->at = t->start;
    if (starts_with(t, "\xEF\xBB\xBF")) {
        t->at += 3;
    }
    while (t->at < t->end) {
        uint8_t c = t->data[t->at];
        int good = 1;
        if (c != '<') {
            if (!t->open.count && c > ' ') {
                return bad(t, "text outside the document's element");
            }
            t->at++;
        } else if (starts_with(t, "<!--")) {
            good = skip_to(t, "-->");
        } else if (starts_with(t, "<![CDATA[")) {
            good = skip_to(t, "]]>");
        } else if (starts_with(t, "<?")) {
            good = skip_to(t, "?>");
        } else if (starts_with(t, "<!")) {
            good = skip_declaration(t);
        } else {
            good = take_tag(t);
        }
        if (!good) {
            return 0;
        }
    }
    return t->open.count || !t->elements ? bad(t, "an element is not closed, or there is none") : 1;
}

void wvl_check_judge_xml(wvl_walk *w, const wvl_walk_boxes *b, const wvl_walk_span *span)
{
    text t = {w, b->data, span->at, span->at, span->end, {0}, 0};
    int is_wide =
        span->end - span->at >= 2 && ((b->data[span->at] ^ b->data[span->at + 1]) == 1) && b->data[span->at] >= 0xFE;
    if (!is_wide && characters_are_good(&t)) { /* UTF-16 is legal and is not looked into */
        (void)tags_are_good(&t);
    }
    wvl_check_release_list(w, &t.open);
}
