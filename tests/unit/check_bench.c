/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/check_bench.h"

#include "tests/support/support.h"

/* ---- Bytes ----------------------------------------------------------------------------------- */

void check_insert(check_bytes *b, size_t at, const uint8_t *data, size_t bytes)
{
    ck_assert_uint_le(at, b->n);
    if (b->n + bytes > b->room) {
        b->room = 2 * (b->n + bytes);
        b->p = realloc(b->p, b->room);
        ck_assert_ptr_nonnull(b->p);
    }
    memmove(b->p + at + bytes, b->p + at, b->n - at);
    if (bytes) {
        memcpy(b->p + at, data, bytes);
    }
    b->n += bytes;
}

void check_put(check_bytes *b, const void *data, size_t bytes) { check_insert(b, b->n, data, bytes); }

void check_remove(check_bytes *b, size_t at, size_t bytes)
{
    ck_assert_uint_le(at + bytes, b->n);
    memmove(b->p + at, b->p + at + bytes, b->n - at - bytes);
    b->n -= bytes;
}

uint32_t check_get(const check_bytes *b, size_t at, unsigned width)
{
    uint32_t value = 0;
    ck_assert_uint_le(at + width, b->n);
    for (unsigned i = 0; i < width; i++) {
        value = value << 8 | b->p[at + i];
    }
    return value;
}

void check_set(check_bytes *b, size_t at, unsigned width, uint32_t value)
{
    ck_assert_uint_le(at + width, b->n);
    for (unsigned i = 0; i < width; i++) {
        b->p[at + i] = (uint8_t)(value >> (8 * (width - 1 - i)));
    }
}

static const char *put_bits(check_bytes *b, const char *bits, char close, int is_stuffed)
{
    unsigned byte = 0, room = 8;
    for (; *bits != close; bits++) {
        if (*bits == '0' || *bits == '1') {
            byte = byte << 1 | (unsigned)(*bits - '0');
            if (!--room) {
                uint8_t whole = (uint8_t)byte;
                check_put(b, &whole, 1);
                room = is_stuffed && whole == 0xFF ? 7 : 8;
                byte = 0;
            }
        }
    }
    if (room < 8) { /* behind 0xFF there is always one more */
        uint8_t rest = (uint8_t)(byte << room);
        check_put(b, &rest, 1);
    }
    return bits + 1;
}

static const char *put_run(check_bytes *b, const char *text)
{
    unsigned count, value;
    ck_assert_int_eq(sscanf(text, "%ux%2x}", &count, &value), 2);
    while (count--) {
        uint8_t byte = (uint8_t)value;
        check_put(b, &byte, 1);
    }
    return strchr(text, '}') + 1;
}

void check_put_hex(check_bytes *b, const char *hex, size_t length)
{
    const char *end = hex + length;
    while (hex < end) {
        unsigned value;
        if (*hex == '(' || *hex == '[') {
            hex = put_bits(b, hex + 1, *hex == '(' ? ')' : ']', *hex == '(');
        } else if (*hex == '{') {
            hex = put_run(b, hex + 1);
        } else {
            ck_assert_msg(end - hex >= 2 && sscanf(hex, "%2x", &value) == 1, "no hex: \"%s\"", hex);
            uint8_t byte = (uint8_t)value;
            check_put(b, &byte, 1);
            hex += 2;
        }
    }
}

/* ---- Places ---------------------------------------------------------------------------------- */

typedef struct place {
    size_t at, bytes;
    int is_segment, is_box;
    size_t part;       /* offset of the SOT that holds it; 0: main header or none */
    size_t parents[4]; /* boxes around it */
    unsigned parent_count;
} place;

static unsigned code_of(const char *name)
{
    static const struct {
        const char *name;
        unsigned code;
    } codes[] = {{"SOC", 0xFF4F}, {"CAP", 0xFF50}, {"SIZ", 0xFF51}, {"COD", 0xFF52}, {"COC", 0xFF53}, {"TLM", 0xFF55},
                 {"PRF", 0xFF56}, {"PLM", 0xFF57}, {"PLT", 0xFF58}, {"CPF", 0xFF59}, {"QCD", 0xFF5C}, {"QCC", 0xFF5D},
                 {"RGN", 0xFF5E}, {"POC", 0xFF5F}, {"PPM", 0xFF60}, {"PPT", 0xFF61}, {"CRG", 0xFF63}, {"COM", 0xFF64},
                 {"NLT", 0xFF76}, {"SOT", 0xFF90}, {"SOD", 0xFF93}, {"EOC", 0xFFD9}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (!strcmp(codes[i].name, name)) {
            return codes[i].code;
        }
    }
    return 0;
}

static int find_marker(const check_bytes *b, unsigned code, unsigned nth, int wants_data, place *found)
{
    size_t at = 0, part = 0;
    while (at + 2 <= b->n) {
        unsigned marker = check_get(b, at, 2);
        int is_bare =
            marker == 0xFF4F || marker == 0xFF93 || marker == 0xFFD9 || (marker >= 0xFF30 && marker <= 0xFF3F);
        size_t bytes = is_bare ? 2 : 2 + check_get(b, at + 2, 2);
        part = marker == 0xFF90 ? at : marker == 0xFFD9 ? 0 : part;
        if (marker == code && !nth--) {
            *found = (place){.at = at, .bytes = bytes, .is_segment = !is_bare, .part = part};
            if (wants_data) {
                found->at = at + 2;
                found->bytes = part + check_get(b, part + 6, 4) - found->at;
                found->is_segment = 0;
            }
            return 1;
        }
        at = marker == 0xFF93 ? part + check_get(b, part + 6, 4) : at + bytes;
        ck_assert_uint_gt(bytes, 1);
    }
    return 0;
}

static int find_box(const check_bytes *b, size_t at, size_t end, const char *type, unsigned *nth, place *found)
{
    while (at + 8 <= end) {
        size_t bytes = check_get(b, at, 4) ? check_get(b, at, 4) : end - at;
        const char *name = (const char *)b->p + at + 4;
        if (!memcmp(name, type, 4) && !(*nth)--) {
            found->at = at;
            found->bytes = bytes;
            found->is_box = 1;
            return 1;
        }
        if (!memcmp(name, "jp2h", 4) || !memcmp(name, "res ", 4) || !memcmp(name, "uinf", 4)) {
            found->parents[found->parent_count++] = at;
            if (find_box(b, at + 8, at + bytes, type, nth, found)) {
                return 1;
            }
            found->parent_count--;
        }
        at += bytes;
    }
    return 0;
}

static place find(const check_bytes *b, const char *name, unsigned nth)
{
    place found;
    memset(&found, 0, sizeof found);
    if (!strcmp(name, "all")) {
        found.bytes = b->n;
    } else if (b->p[0] == 0xFF) {
        int is_data = !strcmp(name, "data");
        ck_assert_msg(find_marker(b, is_data ? 0xFF93 : code_of(name), nth, is_data, &found), "no %s", name);
    } else {
        ck_assert_msg(find_box(b, 0, b->n, name, &nth, &found), "no box %s", name);
    }
    return found;
}

/* ---- Damage ---------------------------------------------------------------------------------- */

/* Lengths of everything around a place that grew by `more` (or shrank); inside: the place's own length too. */
static void adjust(check_bytes *b, const place *p, int more, int inside)
{
    if (inside && p->is_segment) {
        check_set(b, p->at + 2, 2, check_get(b, p->at + 2, 2) + (uint32_t)more);
    }
    if (inside && p->is_box && check_get(b, p->at, 4)) {
        check_set(b, p->at, 4, check_get(b, p->at, 4) + (uint32_t)more);
    }
    if (p->part) {
        check_set(b, p->part + 6, 4, check_get(b, p->part + 6, 4) + (uint32_t)more);
    }
    for (unsigned i = 0; i < p->parent_count; i++) {
        check_set(b, p->parents[i], 4, check_get(b, p->parents[i], 4) + (uint32_t)more);
    }
}

static void apply(check_bytes *b, const char *name, unsigned nth, const char *operation, int keeps_lengths)
{
    check_bytes value = {NULL, 0, 0};
    place p = find(b, name, nth);
    place outer = p;
    unsigned offset = 0, count = 0;
    char *rest = NULL;
    if (!strcmp(name, "SOT") && *operation != '@' && *operation != '>') {
        outer.part = 0; /* a whole tile-part goes, or something comes before it */
        p.bytes = *operation == '-' ? check_get(b, p.at + 6, 4) : p.bytes;
    }
    if (*operation == '@') {
        offset = (unsigned)strtoul(operation + 1, &rest, 10);
        if (*rest == '-') {
            count = (unsigned)atoi(rest + 1);
            check_remove(b, p.at + offset, count);
        } else {
            check_put_hex(&value, rest + 1, strlen(rest + 1));
            if (*rest == '=') {
                ck_assert_uint_le(p.at + offset + value.n, b->n);
                memcpy(b->p + p.at + offset, value.p, value.n);
            } else {
                check_insert(b, p.at + offset, value.p, value.n);
            }
        }
        if (*rest != '=' && !keeps_lengths) {
            adjust(b, &p, *rest == '-' ? -(int)count : (int)value.n, 1);
        }
    } else if (*operation == '-') {
        check_remove(b, p.at, p.bytes);
        adjust(b, &outer, -(int)p.bytes, 0);
    } else {
        check_put_hex(&value, operation + 1, strlen(operation + 1));
        check_insert(b, *operation == '<' ? p.at : p.at + p.bytes, value.p, value.n);
        if (!keeps_lengths) {
            adjust(b, &outer, (int)value.n, 0);
        }
    }
    free(value.p);
}

void check_damage(check_bytes *b, const char *commands)
{
    while (commands && *commands) {
        char name[16] = "", operation[8192] = "";
        unsigned nth = 0;
        size_t length = strcspn(commands, ";"), used = strcspn(commands, " #");
        ck_assert_uint_lt(used, sizeof name);
        memcpy(name, commands, used);
        if (commands[used] == '#') {
            nth = (unsigned)strtoul(commands + used + 1, NULL, 10);
            used += strcspn(commands + used, " ");
        }
        ck_assert_uint_lt(length - used, sizeof operation);
        memcpy(operation, commands + used + 1, length - used - 1);
        size_t n = strlen(operation);
        int keeps_lengths = n && operation[n - 1] == '!';
        operation[n - (size_t)keeps_lengths] = '\0';
        if (strlen(name) == 3 && !code_of(name) && strcmp(name, "all")) {
            strcat(name, " "); /* a box of three letters */
        }
        apply(b, name, nth, operation, keeps_lengths);
        commands += length + (commands[length] == ';');
    }
}

/* ---- Walk ------------------------------------------------------------------------------------ */

static void collect(void *user, const wvl_check_issue *issue)
{
    check_result *r = user;
    if (!r->count) {
        snprintf(r->first_text, sizeof r->first_text, "%llu: %s", (unsigned long long)issue->offset, issue->text);
    }
    if (!check_has(r, issue->rule)) {
        ck_assert_uint_lt(r->count, 64);
        r->rules[r->count++] = issue->rule;
    }
}

int check_has(const check_result *r, const char *rule)
{
    for (size_t i = 0; i < r->count; i++) {
        if (!strcmp(r->rules[i], rule)) {
            return 1;
        }
    }
    return 0;
}

const char *check_list(const check_result *r, char *text, size_t bytes)
{
    text[0] = '\0';
    for (size_t i = 0; i < r->count && strlen(text) + strlen(r->rules[i]) + 2 < bytes; i++) {
        strcat(strcat(text, i ? " " : ""), r->rules[i]);
    }
    return text;
}

static const char *word_of(const char *options, const char *key, char *value, size_t bytes)
{
    const char *at = options ? strstr(options, key) : NULL;
    if (!at) {
        return NULL;
    }
    snprintf(value, bytes, "%.*s", (int)strcspn(at + strlen(key), " "), at + strlen(key));
    return value;
}

check_result check_walk(const check_bytes *b, const char *options)
{
    check_result r;
    char profile[64], number[32];
    wvl_check_options o = {.struct_size = sizeof o};
    memset(&r, 0, sizeof r);
    r.summary.struct_size = sizeof r.summary;
    o.profile = word_of(options, "profile=", profile, sizeof profile);
    o.frames = word_of(options, "fps=", number, sizeof number) ? (uint32_t)strtoul(number, NULL, 10) : 0;
    o.seconds = o.frames ? 1 : 0;
    o.stereo = options && strstr(options, "stereo");
    o.skip_blocks = options && strstr(options, "skip-blocks");
    o.hfr = options && strstr(options, "hfr");
    o.memory_limit = word_of(options, "memory=", number, sizeof number) ? strtoull(number, NULL, 10) : 0;
    o.work_limit = word_of(options, "work=", number, sizeof number) ? strtoull(number, NULL, 10) : 0;
    /* exactly as large as the data: a sanitizer sees one byte read too far */
    uint8_t *exact = malloc(b->n ? b->n : 1);
    ck_assert_ptr_nonnull(exact);
    if (b->n) {
        memcpy(exact, b->p, b->n);
    }
    int is_raw = options && strstr(options, "raw");
    r.verdict = (is_raw || (b->n > 1 && b->p[0] == 0xFF) ? wvl_check_codestream
                                                         : wvl_check_file)(exact, b->n, &o, collect, &r, &r.summary);
    free(exact);
    wvl_check_release_summary(&r.summary);
    return r;
}
