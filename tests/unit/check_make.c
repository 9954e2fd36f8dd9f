/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/check_bench.h"

#include "tests/support/api.h"
#include "tests/support/icc.h"

/* ---- By hand --------------------------------------------------------------------------------- */

/* Value of word key=...; its length in *length; NULL: not there. From `*from` on, which moves behind it. */
static const char *next_word(const char **from, const char *key, size_t *length)
{
    size_t n = strlen(key);
    for (const char *at = *from; *at;) {
        while (*at == ' ') {
            at++;
        }
        size_t word = 0;
        /* Blanks within (bits) belong to the word. */
        for (int open = 0; at[word] && (open || at[word] != ' '); word++) {
            open += at[word] == '(' || at[word] == '[';
            open -= at[word] == ')' || at[word] == ']';
        }
        if (!strncmp(at, key, n) && at[n] == '=') {
            *length = word - n - 1;
            *from = at + word;
            return at + n + 1;
        }
        at += word;
    }
    return NULL;
}

static const char *word_of(const char *text, const char *key, size_t *length) { return next_word(&text, key, length); }

static unsigned number_of(const char *text, const char *key, int base, unsigned initial)
{
    size_t length;
    const char *value = word_of(text, key, &length);
    return value ? (unsigned)strtoul(value, NULL, base) : initial;
}

static void put(check_bytes *b, unsigned width, uint32_t value)
{
    uint8_t raw[4];
    for (unsigned i = 0; i < width; i++) {
        raw[i] = (uint8_t)(value >> (8 * (width - 1 - i)));
    }
    check_put(b, raw, width);
}

static void put_word_hex(check_bytes *b, const char *text, const char *key)
{
    size_t length;
    const char *value = word_of(text, key, &length);
    if (value) {
        check_put_hex(b, value, length);
    }
}

static unsigned list_components(const char *text, unsigned depth[8], unsigned dx[8], unsigned dy[8])
{
    size_t length;
    const char *at = word_of(text, "depth", &length), *sub = word_of(text, "sub", &length);
    unsigned count = 0;
    for (at = at ? at : "07"; at && *at && *at != ' '; at += *at == ',') {
        char *end;
        depth[count] = (unsigned)strtoul(at, &end, 16);
        dx[count] = dy[count] = 1;
        if (sub && *sub && *sub != ' ') {
            dx[count] = (unsigned)strtoul(sub, &end, 10);
            dy[count] = (unsigned)strtoul(end + 1, &end, 10);
            sub = end + (*end == ':');
        }
        at += strcspn(at, ", ");
        count++;
    }
    return count;
}

static void put_siz(check_bytes *b, const char *text)
{
    unsigned depth[8], dx[8], dy[8], count = list_components(text, depth, dx, dy);
    unsigned x = number_of(text, "x", 0, 8), y = number_of(text, "y", 0, 8);
    size_t length;
    int has_ht = word_of(text, "ht", &length) != NULL;
    put(b, 2, 0xFF51);
    put(b, 2, 38 + 3 * count);
    put(b, 2, number_of(text, "rsiz", 16, has_ht ? 0x4000 : 0));
    put(b, 4, x);
    put(b, 4, y);
    put(b, 4, number_of(text, "x0", 0, 0));
    put(b, 4, number_of(text, "y0", 0, 0));
    put(b, 4, number_of(text, "tx", 0, x));
    put(b, 4, number_of(text, "ty", 0, y));
    put(b, 4, 0);
    put(b, 4, 0);
    put(b, 2, count);
    for (unsigned c = 0; c < count; c++) {
        put(b, 1, depth[c]);
        put(b, 1, dx[c]);
        put(b, 1, dy[c]);
    }
    if (has_ht) {
        put(b, 2, 0xFF50);
        put(b, 2, 8);
        put(b, 4, 0x20000);
        put(b, 2, number_of(text, "ht", 16, 0));
    }
}

static void put_coding(check_bytes *b, const char *text)
{
    size_t length;
    unsigned levels = number_of(text, "L", 0, 0), scod = number_of(text, "scod", 16, 0),
             wave = number_of(text, "wave", 0, 1);
    unsigned style = number_of(text, "qstyle", 0, wave ? 0 : 2), eps = number_of(text, "eps", 0, 9),
             bands = style == 1 ? 1 : 3 * levels + 1;
    const char *precincts = word_of(text, "prec", &length);
    put(b, 2, 0xFF52);
    put(b, 2, 12 + (precincts ? levels + 1 : 0));
    put(b, 1, scod | (precincts != NULL));
    put(b, 1, number_of(text, "prog", 0, 0));
    put(b, 2, number_of(text, "layers", 0, 1));
    put(b, 1, number_of(text, "mct", 0, 0));
    put(b, 1, levels);
    put(b, 1, number_of(text, "xcb", 0, 4));
    put(b, 1, number_of(text, "ycb", 0, 4));
    put(b, 1, number_of(text, "style", 16, 0));
    put(b, 1, wave);
    put_word_hex(b, text, "prec");
    put(b, 2, 0xFF5C);
    put(b, 2, 3 + bands * (style ? 2 : 1));
    put(b, 1, number_of(text, "G", 0, 2) << 5 | style);
    while (bands--) {
        put(b, style ? 2 : 1, style ? eps << 11 : eps << 3);
    }
}

/* TILE/TPsot/TNsot:HEADER:DATA */
static void put_part(check_bytes *b, const char *value, size_t length)
{
    unsigned tile, part, count;
    size_t start = b->n, head = strcspn(value, ":");
    const char *header = value + head + 1;
    size_t header_length = strcspn(header, ":");
    ck_assert_int_eq(sscanf(value, "%u/%u/%u:", &tile, &part, &count), 3);
    put(b, 2, 0xFF90);
    put(b, 2, 10);
    put(b, 2, tile);
    put(b, 4, 0);
    put(b, 1, part);
    put(b, 1, count);
    check_put_hex(b, header, header_length);
    put(b, 2, 0xFF93);
    check_put_hex(b, header + header_length + 1, length - head - header_length - 2);
    check_set(b, start + 6, 4, (uint32_t)(b->n - start));
}

static check_bytes make_by_hand(const char *text)
{
    check_bytes b = {NULL, 0, 0};
    const char *at = text, *value;
    size_t length;
    put(&b, 2, 0xFF4F);
    put_siz(&b, text);
    put_word_hex(&b, text, "pre");
    put_coding(&b, text);
    put_word_hex(&b, text, "main");
    while ((value = next_word(&at, "part", &length))) {
        put_part(&b, value, length);
    }
    put(&b, 2, 0xFFD9);
    return b;
}

/* ---- By the encoder -------------------------------------------------------------------------- */

#define MOST_SAMPLES (1u << 18)

typedef struct drawing {
    unsigned width, height, count, depth;
    wvl_component_format formats[8];
    wvl_plane planes[8];
    uint16_t *samples;
} drawing;

/* Gradients, an edge, and a little grain: every band has something. */
static void draw(drawing *d)
{
    uint32_t seed = 12345;
    ck_assert(d->count <= 8 && (size_t)d->width * d->height * d->count <= MOST_SAMPLES);
    d->samples = malloc((size_t)d->width * d->height * d->count * 2);
    ck_assert_ptr_nonnull(d->samples);
    uint16_t *p = d->samples;
    for (unsigned c = 0; c < d->count; c++) {
        d->formats[c] = (wvl_component_format){.depth = (uint8_t)d->depth};
        d->planes[c] = (wvl_plane){.data = p,
                                   .pitch_bytes = (ptrdiff_t)d->width * (d->depth > 8 ? 2 : 1),
                                   .container = d->depth > 8 ? WVL_SAMPLE_16 : WVL_SAMPLE_8};
        for (unsigned y = 0; y < d->height; y++) {
            for (unsigned x = 0; x < d->width; x++) {
                seed = seed * 1664525u + 1013904223u;
                unsigned value = ((x * 3 + y * (c + 1)) << d->depth >> 9) + (x > y ? 1u << (d->depth - 2) : 0) +
                                 (seed >> (36 - d->depth));
                value &= (1u << d->depth) - 1;
                if (d->depth > 8) {
                    p[(size_t)y * d->width + x] = (uint16_t)value;
                } else {
                    ((uint8_t *)p)[(size_t)y * d->width + x] = (uint8_t)value;
                }
            }
        }
        p += (size_t)d->width * d->height;
    }
}

/* The words key=value of a text. */
static void set_params(wvl_params *params, const char *text)
{
    for (const char *word = text; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        OWNED char *setting = strndup(word, length);
        ck_assert_msg(!strchr(setting, '=') || test_try_settings(params, setting) == WVL_OK, "%s: %s", setting,
                      wvl_params_error(params));
        word += length;
    }
}

static void fill_info(wvl_jp2_info *info, const char *text, test_icc *icc, wvl_box boxes[2], uint16_t types[8],
                      uint16_t palette[12])
{
    static const char xmp[] =
        "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><tiff:Make exif:a=\"1\" photoshop:b='2'/></x:xmpmeta>";
    static const uint8_t xmp_id[16] = {0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8,
                                       0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC};
    info->struct_size = sizeof *info;
    if (strstr(text, " icc")) {
        const char *name = strstr(text, " icc-plain") ? "plain" : "Adobe RGB (1998)";
        *icc = test_make_icc("mntrRGB ", "desc" TEST_ICC_RGB_TAGS, name);
        info->icc = icc->bytes;
        info->icc_bytes = icc->size;
    }
    if (strstr(text, " alpha")) {
        types[3] = WVL_CHANNEL_OPACITY;
        info->channel_types = types;
        info->channel_count = 4;
    }
    if (strstr(text, " res")) {
        info->capture_x_per_metre = info->capture_y_per_metre = 11811;
        info->display_x_per_metre = info->display_y_per_metre = 2835;
    }
    if (strstr(text, " palette")) {
        for (unsigned i = 0; i < 12; i++) {
            palette[i] = (uint16_t)(20 * i);
        }
        info->palette = palette;
        info->palette_entries = 4;
        info->palette_columns = 3;
        info->palette_depth = 8;
    }
    info->boxes = boxes;
    if (strstr(text, " xml")) {
        boxes[info->box_count++] = (wvl_box){.type = 0x786D6C20, .data = "<a><b c='d'/>text</a>", .bytes = 21};
    }
    if (strstr(text, " uuid")) {
        boxes[info->box_count] = (wvl_box){.type = 0x75756964, .data = xmp, .bytes = sizeof xmp - 1};
        memcpy(boxes[info->box_count++].uuid, xmp_id, 16);
    }
}

/* container: j2k, jp2 or jph. What a file has besides: any of the words alpha icc res xml uuid palette. */
static check_bytes make_by_encoder(const char *text, const char *container)
{
    drawing d;
    test_icc icc;
    uint16_t types[8] = {0}, palette[12];
    wvl_box boxes[2];
    wvl_jp2_info info;
    char error[1024] = "";
    memset(&d, 0, sizeof d);
    memset(boxes, 0, sizeof boxes);
    memset(&info, 0, sizeof info);
    ck_assert_int_eq(sscanf(text, "%ux%ux%ux%u", &d.width, &d.height, &d.count, &d.depth), 4);
    draw(&d);
    fill_info(&info, text, &icc, boxes, types, palette);
    if (strstr(text, " palette")) { /* indices 0..3 */
        for (size_t i = 0; i < (size_t)d.width * d.height; i++) {
            ((uint8_t *)d.samples)[i] &= 3;
        }
    }
    wvl_image_format format = {sizeof format, 0, 0, d.width, d.height, d.count, d.formats};
    wvl_image image = {.struct_size = sizeof image, .planes = d.planes, .plane_count = d.count};
    owned_context *context = test_open_context(1);
    owned_params *params = test_open_params(context, "");
    owned_plan *plan = NULL;
    wvl_sink sink = {.struct_size = sizeof sink};
    void *data;
    size_t bytes;
    set_params(params, text);
    ck_assert(!wvl_params_set(params, "container", container));
    ck_assert_msg(!wvl_plan_create(context, params, &format, &info, &plan), "%s: %s", text, wvl_context_error(context));
    ck_assert(!wvl_sink_open_memory(context, &sink));
    ck_assert_msg(!wvl_encode(plan, &image, &sink, NULL, NULL, error, sizeof error), "%s: %s", text, error);
    ck_assert(!wvl_sink_take_memory(&sink, &data, &bytes));
    check_bytes b = {NULL, 0, 0};
    check_put(&b, data, bytes);
    wvl_memory_release(context, data, bytes);
    free(d.samples);
    return b;
}

check_bytes check_make(const char *text)
{
    if (!strncmp(text, "encode ", 7)) {
        return make_by_encoder(text + 7, "j2k");
    }
    int is_file = !strncmp(text, "jp2 ", 4) || !strncmp(text, "jph ", 4);
    return !is_file ? make_by_hand(text) : make_by_encoder(text + 4, text[2] == '2' ? "jp2" : "jph");
}
