/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists: their memory, and how targets, comments, progression order changes, registration and regions are read. */
#include <inttypes.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/try.h"
#include "params/number.h"
#include "params/value.h"

#define MOST_COMPONENTS 16384u

/* ---- Memory ---------------------------------------------------------------------------------- */

typedef struct list_place {
    size_t array, count; /* offsets into the settings, of the pointer and of the number of elements */
    size_t element_bytes;
} list_place;

#define PLACE(array, count, element_bytes)                                                                             \
    {                                                                                                                  \
        offsetof(wvl_settings, array), offsetof(wvl_settings, count), element_bytes                                    \
    }

static const list_place places[WVL_LISTS] = {
    [WVL_LIST_TARGETS] = PLACE(layer_values, layer_value_count, sizeof(double)),
    [WVL_LIST_PROGRESSIONS] = PLACE(progressions, progression_count, sizeof(wvl_progression)),
    [WVL_LIST_REGISTRATION] = PLACE(registration, registration_count, 2 * sizeof(uint16_t)),
    [WVL_LIST_OVERRIDES] = PLACE(overrides, override_count, sizeof(wvl_override)),
    [WVL_LIST_OVERRIDE_TEXT] = PLACE(override_text, override_chars, 1),
    [WVL_LIST_REGIONS] = PLACE(regions, region_count, sizeof(wvl_region)),
    [WVL_LIST_COMMENTS] = PLACE(comments, comment_count, sizeof(char *)),
};

static void *get_array(const wvl_params *params, const list_place *place)
{
    void *array;
    memcpy(&array, (const char *)&params->settings + place->array, sizeof array);
    return array;
}

static void set_array(wvl_params *params, const list_place *place, void *array, uint32_t count)
{
    memcpy((char *)&params->settings + place->array, &array, sizeof array);
    memcpy((char *)&params->settings + place->count, &count, sizeof count);
}

static uint32_t get_count(const wvl_params *params, const list_place *place)
{
    uint32_t count;
    memcpy(&count, (const char *)&params->settings + place->count, sizeof count);
    return count;
}

int wvl_params_reserve(wvl_params *params, wvl_params_list list, uint64_t count)
{
    const list_place *place = &places[list];
    void *array = get_array(params, place);
    int is_there = wvl_grow(&params->context->host, &array, &params->capacity[list], count, places[list].element_bytes);
    set_array(params, place, array, get_count(params, place));
    return is_there;
}

wvl_status wvl_params_store(wvl_params *params, wvl_params_list list, const void *values, uint32_t count)
{
    if (!wvl_params_reserve(params, list, count)) {
        return WVL_ERROR_MEMORY;
    }
    void *array = get_array(params, &places[list]);
    if (count) {
        memcpy(array, values, count * places[list].element_bytes);
    }
    set_array(params, &places[list], array, count);
    return WVL_OK;
}

static wvl_status store_comment(wvl_params *params, const char *text)
{
    const wvl_allocator *host = &params->context->host;
    size_t bytes = strlen(text) + 1;
    char *copy = wvl_params_reserve(params, WVL_LIST_COMMENTS, params->settings.comment_count + UINT64_C(1))
                     ? wvl_alloc(host, bytes)
                     : NULL;
    if (!copy) {
        return WVL_ERROR_MEMORY;
    }
    memcpy(copy, text, bytes);
    params->settings.comments[params->settings.comment_count++] = copy;
    return WVL_OK;
}

static void clear_comments(wvl_params *params)
{
    wvl_settings *s = &params->settings;
    for (uint32_t i = 0; i < s->comment_count; i++) {
        wvl_free(&params->context->host, s->comments[i], strlen(s->comments[i]) + 1);
    }
    s->comment_count = 0;
}

wvl_status wvl_params_copy_lists(const wvl_params *from, wvl_params *to)
{
    wvl_status status = WVL_OK;
    for (unsigned list = 0; list < WVL_LISTS; list++) {
        set_array(to, &places[list], NULL, 0);
    }
    for (unsigned list = 0; list < WVL_LIST_COMMENTS; list++) {
        TRY(status, wvl_params_store(to, list, get_array(from, &places[list]), get_count(from, &places[list])));
    }
    for (uint32_t i = 0; i < from->settings.comment_count; i++) {
        TRY(status, store_comment(to, from->settings.comments[i]));
    }
    return status;
}

void wvl_params_free_lists(wvl_params *params)
{
    clear_comments(params);
    for (unsigned list = 0; list < WVL_LISTS; list++) {
        wvl_free(&params->context->host, get_array(params, &places[list]),
                 params->capacity[list] * places[list].element_bytes);
    }
}

/* ---- Elements -------------------------------------------------------------------------------- */

static uint64_t count_chars(const char *value, char c)
{
    uint64_t count = 0;
    for (; *value; value++) {
        count += *value == c;
    }
    return count;
}

static wvl_status scan_elements(wvl_params_reader *r, size_t element_bytes, char separator, wvl_params_scan_fn scan,
                                char *elements, uint32_t *count)
{
    for (const char *p = r->value; *p;) {
        r->entry = r->noun ? *count + 1 : 0;
        wvl_status status = scan(r, &p, elements + *count * element_bytes);
        if (status) {
            return status;
        }
        ++*count;
        if (*p && !p[1]) {
            return wvl_params_refuse_value(r, "an entry is missing after the last /");
        }
        p += *p == separator;
    }
    r->entry = 0;
    return WVL_OK;
}

wvl_status wvl_params_scan_list(wvl_params_reader *r, wvl_params_list list, uint64_t most, char separator,
                                wvl_params_scan_fn scan)
{
    const wvl_allocator *host = &r->params->context->host;
    uint64_t bound = (r->value[0] ? 1 : 0) + count_chars(r->value, separator),
             bytes = bound * places[list].element_bytes;
    uint32_t count = 0;
    if (bound > most) {
        return wvl_params_refuse_value(r, "%" PRIu64 " %s; %" PRIu64 " are supported", bound, r->nouns, most);
    }
    void *elements = wvl_alloc(host, bytes);
    wvl_status status =
        elements ? scan_elements(r, places[list].element_bytes, separator, scan, elements, &count) : WVL_ERROR_MEMORY;
    TRY(status, wvl_params_store(r->params, list, elements, count));
    wvl_free(host, elements, bytes);
    return status == WVL_ERROR_MEMORY ? wvl_params_out_of_memory(r) : status;
}

/* ---- Targets and comments -------------------------------------------------------------------- */

static wvl_status scan_target(const wvl_params_reader *r, const char **p, void *element)
{
    double v;
    wvl_status status = wvl_params_scan_real(r, p, &v);
    if (status) {
        return status;
    }
    if (!(v >= 0.0)) {
        return wvl_params_refuse_value(r, "a target is negative");
    }
    if (r->field->maximum && v > (double)r->field->maximum) {
        return wvl_params_refuse_value(r, "a target exceeds %" PRIu64, r->field->maximum);
    }
    if (r->field->minimum == WVL_UNIT_BYTES && v != (double)(uint64_t)v) {
        return wvl_params_refuse_value(r, "bytes must be whole numbers");
    }
    if (**p && (**p != ',' || !(*p)[1])) {
        return wvl_params_refuse_value(r, "expected , and a number at \"%.32s\"", *p);
    }
    *(double *)element = v;
    return WVL_OK;
}

/* Emptying the list of a unit that is not in force changes nothing. */
wvl_status wvl_params_read_targets(wvl_params_reader *r)
{
    wvl_settings *s = &r->params->settings;
    uint64_t bound = (*r->value ? 1 : 0) + count_chars(r->value, ',');
    if (!bound && s->rate_unit != r->field->minimum) {
        return WVL_OK;
    }
    if (bound > WVL_MAX_LAYERS) {
        return wvl_params_refuse_value(r, "%" PRIu64 " targets; 65535 layers are allowed (A.6.1)", bound);
    }
    wvl_status status = wvl_params_scan_list(r, WVL_LIST_TARGETS, bound, ',', scan_target);
    if (!status) {
        uint32_t count = s->layer_value_count;
        s->rate_unit = (uint8_t)(count ? r->field->minimum : WVL_UNIT_NONE);
        s->layer_count = r->params->layers_given ? s->layer_count : wvl_max_u32(count, 1);
    }
    return status;
}

wvl_status wvl_params_read_comment(const wvl_params_reader *r)
{
    size_t bytes = strlen(r->value);
    if (!bytes) {
        clear_comments(r->params);
        return WVL_OK;
    }
    if (bytes > r->field->maximum) {
        return wvl_params_refuse_value(r, "%zu bytes; %" PRIu64 " are allowed (A.9.2)", bytes, r->field->maximum);
    }
    return store_comment(r->params, r->value) ? wvl_params_out_of_memory(r) : WVL_OK;
}

/* ---- Progression order changes --------------------------------------------------------------- */

const char *const wvl_params_order_names[5] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};

/* [Tn=]RS,CS,LYE,RE,CE,ORDER. The numbers fit their fields (A.6.6); the plan checks them against each other and the
 * picture. */
static wvl_status scan_progression(const wvl_params_reader *r, const char **p, void *element)
{
    wvl_progression *v = element;
    static const struct {
        const char *name;
        unsigned most;
    } parts[5] = {{"RS", 32}, {"CS", 16383}, {"LYE", 65535}, {"RE", 33}, {"CE", 16384}};
    uint64_t n[5], tile = 0;
    if (**p == 'T' || **p == 't') {
        ++*p;
        if (wvl_number_scan_unsigned(p, &tile) || tile < 1 || tile > 65535 || *(*p)++ != '=') {
            return wvl_params_refuse_value(r, "expected T, a tile from 1 to 65535, and =");
        }
    }
    for (unsigned i = 0; i < 5; i++) {
        if (wvl_number_scan_unsigned(p, &n[i]) || n[i] > parts[i].most || *(*p)++ != ',') {
            return wvl_params_refuse_value(r, "expected RS,CS,LYE,RE,CE,ORDER with %s from 0 to %u (A.6.6)",
                                           parts[i].name, parts[i].most);
        }
    }
    size_t length = strcspn(*p, "/");
    uint8_t order = 0;
    while (order < 5 && (length != 4 || strncasecmp(*p, wvl_params_order_names[order], 4) != 0)) {
        order++;
    }
    if (order == 5) {
        return wvl_params_refuse_value(r, "expected LRCP, RLCP, RPCL, PCRL or CPRL at \"%.32s\"", *p);
    }
    *p += length;
    *v = (wvl_progression){tile ? (uint32_t)tile - 1 : WVL_ALL_TILES,
                           (uint32_t)n[1],
                           (uint32_t)n[4],
                           (uint32_t)n[2],
                           (uint8_t)n[0],
                           (uint8_t)n[3],
                           order};
    return WVL_OK;
}

wvl_status wvl_params_read_progressions(wvl_params_reader *r)
{
    r->noun = "change";
    r->nouns = "changes";
    return wvl_params_scan_list(r, WVL_LIST_PROGRESSIONS, r->field->maximum, '/', scan_progression);
}

/* ---- Registration ---------------------------------------------------------------------------- */

static wvl_status scan_pair(const wvl_params_reader *r, const char **p, void *element)
{
    uint64_t v[2];
    if (*(*p)++ != '[' || wvl_number_scan_unsigned(p, &v[0]) || *(*p)++ != ',' || wvl_number_scan_unsigned(p, &v[1]) ||
        *(*p)++ != ']' || v[0] > 65535 || v[1] > 65535 || (**p && (**p != ',' || !(*p)[1]))) {
        return wvl_params_refuse_value(r, "expected [x,y],[x,y],... with numbers from 0 to 65535 (A.9.1)");
    }
    memcpy(element, (const uint16_t[2]){(uint16_t)v[0], (uint16_t)v[1]}, 2 * sizeof(uint16_t));
    return WVL_OK;
}

wvl_status wvl_params_read_registration(wvl_params_reader *r)
{
    if (count_chars(r->value, '[') > MOST_COMPONENTS) {
        return wvl_params_refuse_value(r, "more than 16384 components (A.5.1)");
    }
    return wvl_params_scan_list(r, WVL_LIST_REGISTRATION, UINT64_MAX, ',', scan_pair);
}

/* ---- Regions of interest --------------------------------------------------------------------- */

/* count numbers up to `most`, separated by commas. */
static int scan_numbers(const char **p, uint64_t *numbers, int count, uint64_t most)
{
    for (int i = 0; i < count; i++) {
        if ((i && *(*p)++ != ',') || wvl_number_scan_unsigned(p, &numbers[i]) || numbers[i] > most) {
            return 0;
        }
    }
    return 1;
}

static int starts_with(const char **p, const char *word)
{
    size_t n = strlen(word);
    int same = !strncmp(*p, word, n);
    *p += same ? n : 0;
    return same;
}

static wvl_status scan_rectangle(const wvl_params_reader *r, const char **p, wvl_region *region)
{
    uint64_t n[4];
    if (!scan_numbers(p, n, 4, UINT32_MAX) || !n[2] || !n[3] || n[0] + n[2] > UINT32_MAX || n[1] + n[3] > UINT32_MAX) {
        return wvl_params_refuse_value(
            r, "expected rect=x,y,width,height on the reference grid, below 2^32 and not empty");
    }
    region->is_whole = 0;
    region->rect = (wvl_rect){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)(n[0] + n[2]), (uint32_t)(n[1] + n[3])};
    return WVL_OK;
}

/* rect=, U= or c=, the last two as opj_compress has them. */
static wvl_status scan_item(const wvl_params_reader *r, const char **p, wvl_region *region)
{
    uint64_t n = 0;
    if (starts_with(p, "rect=")) {
        return scan_rectangle(r, p, region);
    }
    if (starts_with(p, "U=") || starts_with(p, "u=")) {
        region->shift_given = 1;
        if (!scan_numbers(p, &n, 1, 255)) {
            return wvl_params_refuse_value(r, "expected U= and a shift from 0 to 255 (A.6.3)");
        }
        region->shift = (uint8_t)n;
        return WVL_OK;
    }
    if (starts_with(p, "c=") && !wvl_scope_names_component(&region->scope) && scan_numbers(p, &n, 1, 16383)) {
        region->scope.component_first = (uint32_t)n;
        region->scope.component_end = (uint32_t)n + 1;
        return WVL_OK;
    }
    return wvl_params_refuse_value(r, "expected rect=x,y,width,height, U=shift or c=component at \"%.32s\"", *p);
}

static wvl_status scan_entry(const wvl_params_reader *r, const char **p, void *element)
{
    wvl_region *region = element;
    memset(region, 0, sizeof *region);
    region->is_whole = 1;
    int has_scope = **p == 'T' || **p == 't' || **p == 'C' || (**p == 'c' && (*p)[1] != '=');
    if (has_scope && (!wvl_params_scan_scope(p, &region->scope) || *(*p)++ != ':')) {
        return wvl_params_refuse_value(
            r, "expected T and tiles from 1 to 65535, C and components from 0 to 16383, or both, and a colon");
    }
    for (;;) {
        wvl_status status = scan_item(r, p, region);
        if (status) {
            return status;
        }
        if (!**p || **p == '/') {
            return region->is_whole && !region->shift_given
                       ? wvl_params_refuse_value(r, "whole components need a shift, U=N (A.6.3)")
                       : WVL_OK;
        }
        if (**p != ';' && **p != ',') {
            return wvl_params_refuse_value(r, "expected ; or , at \"%.32s\"", *p);
        }
        ++*p;
    }
}

wvl_status wvl_params_read_regions(wvl_params_reader *r)
{
    r->noun = "entry";
    r->nouns = "entries";
    return wvl_params_scan_list(r, WVL_LIST_REGIONS, r->field->maximum, '/', scan_entry);
}
