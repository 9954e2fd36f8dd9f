/* SPDX-License-Identifier: BSD-2-Clause */
/* Options as one text: "key=value, key=value". */
#include <stdio.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/try.h"
#include "params/params.h"
#include "wavelane_simple.h"

#define BLANKS " \t\r\n"

/* The text that is read. `copy` is as long as `text`: keys and values are cut out of it. */
typedef struct reader {
    const char *text, *at; /* at: what is read next */
    char *copy;
    wvl_params *params;
    int applies; /* 0: the form is checked only, so that a value whose quotes are missing is named as such */
} reader;

static wvl_status refuse(const reader *r, const char *at, const char *reason)
{
    snprintf(r->params->error, sizeof r->params->error, "position %zu: %s", (size_t)(at - r->text) + 1, reason);
    return WVL_ERROR_PARAMETER;
}

/* The same with the text of the call that failed. */
static wvl_status refuse_setting(const reader *r, const char *at, wvl_status status)
{
    char reason[sizeof r->params->error - 40]; /* room for the position */
    memcpy(reason, r->params->error, sizeof reason);
    reason[sizeof reason - 1] = '\0';
    (void)refuse(r, at, reason);
    return status;
}

static void skip_blanks(reader *r) { r->at += strspn(r->at, BLANKS); }

/* Up to `ends`, without blanks at the end; the result stands in `to`, terminated. Returns the place behind it. */
static char *take_plain(reader *r, const char *ends, char *to)
{
    size_t length = strcspn(r->at, ends);
    memcpy(to, r->at, length);
    r->at += length;
    while (length && strchr(BLANKS, to[length - 1])) {
        length--;
    }
    to[length] = '\0';
    return to + length + 1;
}

/* A value in quotes; r->at stands at the first. */
static wvl_status take_quoted(reader *r, char *to)
{
    const char *begin = r->at;
    char quote = *r->at++;
    while (*r->at && (*r->at != quote || r->at[1] == quote)) {
        r->at += *r->at == quote;
        *to++ = *r->at++;
    }
    *to = '\0';
    if (!*r->at) {
        return refuse(r, begin, "this quote is not closed; close it, or double a quote inside the value");
    }
    r->at++;
    skip_blanks(r);
    return *r->at && *r->at != ',' ? refuse(r, r->at, "expected a comma or the end behind a value in quotes") : WVL_OK;
}

/* One key=value; r->at stands at the key. */
static wvl_status read_setting(reader *r)
{
    const char *begin = r->at;
    char *key = r->copy, *value = take_plain(r, "=,", key);
    if (*r->at != '=') {
        return refuse(r, begin, "expected key=value; a value with commas stands in quotes: block=\"64,64\" is one");
    }
    if (!*key) {
        return refuse(r, begin, "no key before the =; give the name of an option");
    }
    r->at++;
    skip_blanks(r);
    wvl_status status = WVL_OK;
    if (*r->at == '"' || *r->at == '\'') {
        status = take_quoted(r, value);
    } else {
        (void)take_plain(r, ",", value);
    }
    if (status || !r->applies) {
        return status;
    }
    status = strcmp(key, "preset") ? wvl_params_set(r->params, key, value) : wvl_params_preset(r->params, value);
    return status ? refuse_setting(r, begin, status) : WVL_OK;
}

static wvl_status read_settings(reader *r, int applies)
{
    r->at = r->text;
    r->applies = applies;
    skip_blanks(r);
    while (*r->at) {
        wvl_status status = read_setting(r);
        if (status || !*r->at) {
            return status;
        }
        r->at++; /* the comma */
        skip_blanks(r);
        if (!*r->at) {
            return refuse(r, r->at, "no key=value behind the last comma; leave the comma out");
        }
    }
    return WVL_OK;
}

/* Settings are read into a copy, so that an error changes none. */
static wvl_status parse(wvl_params *params, wvl_params *copy, const char *text)
{
    const wvl_allocator *host = &params->context->host;
    uint64_t bytes = (uint64_t)strlen(text) + 2; /* key and value are terminated each */
    reader r = {.text = text, .copy = wvl_alloc(host, bytes), .params = copy};
    if (!r.copy) {
        return WVL_ERROR_MEMORY;
    }
    wvl_status status = read_settings(&r, 0);
    TRY(status, read_settings(&r, 1));
    wvl_free(host, r.copy, bytes);
    if (status) {
        memcpy(params->error, copy->error, sizeof params->error);
        return status;
    }
    wvl_params old = *params;
    *params = *copy;
    *copy = old;
    return WVL_OK;
}

wvl_status wvl_params_parse(wvl_params *params, const char *text)
{
    if (!params || !text) {
        return WVL_ERROR_ARGUMENT;
    }
    params->error[0] = '\0';
    wvl_params *copy;
    wvl_status status = wvl_params_clone(params, &copy);
    if (!status) {
        status = parse(params, copy, text);
        wvl_params_release(copy);
    }
    if (status == WVL_ERROR_MEMORY) {
        snprintf(params->error, sizeof params->error, "no memory for the options");
    }
    return status;
}
