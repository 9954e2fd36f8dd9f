/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opj_cparameters as options of Wavelane. Both encoders use the terms of the standard, so most members have an option
 * of their own. Members that only opj_compress reads (file names, offsets, subsampling) mean nothing to the library.
 */
#define _GNU_SOURCE
#include "codec.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 8192, LEAST_BYTES = 30, MOST_SHIFTED_BITS = 27 };

/* Settings on their way into params: the first one that is refused ends it. */
typedef struct setter {
    wvl_params *params;
    char text[TEXT_BYTES]; /* a value that is put together */
    size_t used;
    int failed;
} setter;

static void set(setter *s, const char *key, const char *value)
{
    s->failed = s->failed || wvl_params_set(s->params, key, value) != WVL_OK;
}

static void set_number(setter *s, const char *key, long long value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", value);
    set(s, key, text);
}

static void set_pair(setter *s, const char *key, long long x, long long y)
{
    char text[48];
    snprintf(text, sizeof text, "%lld,%lld", x, y);
    set(s, key, text);
}

__attribute__((format(printf, 2, 3))) static void add(setter *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(s->text + s->used, sizeof s->text - s->used, format, list);
    va_end(list);
    s->used += length > 0 ? (size_t)length : 0;
    if (s->used >= sizeof s->text) {
        s->used = sizeof s->text - 1;
        s->failed = 1;
    }
}

static void set_added(setter *s, const char *key)
{
    if (s->used) {
        set(s, key, s->text);
    }
    s->used = 0;
    s->text[0] = 0;
}

static const char *const orders[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};

static const char *order_of(int order) { return order >= 0 && order < 5 ? orders[order] : NULL; }

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Bytes of a codestream up to a layer as libopenjp2 counts them: all components are taken to be as the first one, and
 * boxes before the codestream count too: 85 bytes, the profile, and the types of channels. 0: everything. */
static double layer_bytes(const codec_entry *c, double rate)
{
    const opj_image *image = &c->image;
    const opj_component *first = &image->comps[0];
    double samples = (double)image->numcomps * (image->x1 - image->x0) * (image->y1 - image->y0);
    double boxes = c->format == OPJ_FORMAT_JP2 ? 95.0 + image->icc_profile_len + 6.0 * image->numcomps : 0;
    if (rate <= 1) {
        return 0;
    }
    double bytes = floor(samples * first->prec / (8 * rate * first->dx * first->dy) - boxes);
    return bytes < LEAST_BYTES ? LEAST_BYTES : bytes;
}

/* Steps of one least significant bit, as those of libopenjp2. Wavelane by itself takes finer ones where there is a
 * limit of bytes, and would fill limits that libopenjp2 stays below. */
static void set_step(setter *s, const codec_entry *c)
{
    const opj_component *k = c->image.comps;
    for (uint32_t i = 0; i < c->image.numcomps; i++) {
        if (k[i].prec != k[0].prec || !c->given->irreversible) {
            return;
        }
    }
    add(s, "%.12g", 1.0 / (1u << k[0].prec));
    set_added(s, "step");
}

/* opj_setup_encoder() has raised the ratios that max_cs_size does not allow. */
static const char *set_layers(setter *s, const codec_entry *c)
{
    const opj_cparameters *p = c->given;
    int layers = p->tcp_numlayers < 1 ? 1 : p->tcp_numlayers;
    if (layers > OPJ_MOST_LAYERS) {
        return "more than 100 layers";
    }
    if (p->cp_fixed_alloc) {
        return "layers by cp_matrice (cp_fixed_alloc)";
    }
    for (int i = 0; i < layers; i++) {
        double value = p->cp_fixed_quality ? p->tcp_distoratio[i] : layer_bytes(c, p->tcp_rates[i]);
        add(s, "%s%.15g", i ? "," : "", value);
    }
    set_added(s, p->cp_fixed_quality ? "psnr" : "layer-bytes");
    if (p->max_comp_size > 0) {
        set_number(s, "max-component-bytes", p->max_comp_size);
    }
    return NULL;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

/* libopenjp2 has resolved the deprecated members, and has taken back a profile that the picture does not fit. */
static const char *set_profile(setter *s, const opj_cparameters *p)
{
    static const char *const imf[] = {"imf-2k", "imf-4k", "imf-8k", "imf-2k-r", "imf-4k-r", "imf-8k-r"};
    int profile = p->rsiz;
    if (profile == OPJ_RSIZ_PROFILE_0 || profile == OPJ_RSIZ_PROFILE_1) {
        set_number(s, "profile", profile - 1);
    } else if (profile == OPJ_RSIZ_CINEMA_2K || profile == OPJ_RSIZ_CINEMA_4K) {
        int is_2k = profile == OPJ_RSIZ_CINEMA_2K;
        set(s, "profile", is_2k ? "cinema2k" : "cinema4k");
        set_number(s, "guard-bits", is_2k ? 1 : 2);
        set_number(s, "max-bytes", p->max_cs_size);
    } else if (profile >= OPJ_RSIZ_IMF && profile < OPJ_RSIZ_IMF + 0x600) {
        set(s, "profile", imf[(profile >> 8) - 4]);
        set_number(s, "main-level", profile & 15);
        set_number(s, "sub-level", profile >> 4 & 15);
    } else if (profile) {
        return "a profile (rsiz) of JPEG 2000 Part 2, or unknown";
    }
    return NULL;
}

/* ---- Everything else ------------------------------------------------------------------------- */

/* Sizes beyond res_spec halve. Exponents: libopenjp2 takes those of the next lower power of two, and 1 for none. */
static void set_precincts(setter *s, const opj_cparameters *p)
{
    for (int i = 0; i < p->numresolution && i < OPJ_MOST_RESOLUTIONS; i++) {
        long long size[2];
        for (int axis = 0; axis < 2; axis++) {
            const int *given = axis ? p->prch_init : p->prcw_init;
            int last = p->res_spec - 1, halvings = i > last ? i - last : 0;
            int value = halvings < 31 ? given[i - halvings] >> halvings : 0;
            size[axis] = 2;
            while (value >= 1 && size[axis] * 2 <= value) {
                size[axis] *= 2;
            }
            size[axis] = value == 1 ? 1 : size[axis];
        }
        add(s, "%s[%lld,%lld]", i ? "," : "", size[0], size[1]);
    }
    set_added(s, "precincts");
}

static const char *set_changes(setter *s, const opj_cparameters *p, int is_tiled)
{
    for (uint32_t i = 0; i < p->numpocs && i < OPJ_MOST_POCS; i++) {
        const opj_change *change = &p->POC[i];
        const char *order = order_of(change->order_given);
        if (!order) {
            return "a progression change with an unknown order";
        }
        add(s, i ? "/" : "");
        if (is_tiled) {
            add(s, "T%u=", change->tile);
        }
        add(s, "%u,%u,%u,%u,%u,%s", change->resolution_begin, change->component_begin, change->layer_end,
            change->resolution_end, change->component_end, order);
    }
    set_added(s, "progression-changes");
    return NULL;
}

/* libopenjp2 does not weigh the passes of a region more than others; Wavelane does, and would spend the bytes there. */
static const char *set_region(setter *s, const opj_cparameters *p)
{
    if (p->roi_compno < 0 || p->roi_shift <= 0) {
        return NULL;
    }
    for (int i = 0; i < p->tcp_numlayers && i < OPJ_MOST_LAYERS; i++) {
        if (p->cp_fixed_quality ? p->tcp_distoratio[i] > 0 : p->tcp_rates[i] > 1) {
            return "a region with a limit of bytes or a PSNR";
        }
    }
    add(s, "c=%d,U=%d", p->roi_compno, p->roi_shift);
    set_added(s, "roi");
    return NULL;
}

/* The components that the colour transform takes have one size; else libopenjp2 leaves it out. */
static int has_transform(const codec_entry *c)
{
    const opj_component *k = c->image.comps;
    return c->given->tcp_mct == 1 && c->image.numcomps >= 3 && k[0].dx == k[1].dx && k[0].dx == k[2].dx &&
           k[0].dy == k[1].dy && k[0].dy == k[2].dy;
}

static const char *set_tile_parts(setter *s, const opj_cparameters *p)
{
    if (!p->tp_on) {
        return NULL;
    }
    if (!p->tp_flag || !strchr("RLC", p->tp_flag)) {
        return "tile-parts (tp_flag) by another letter than R, L and C";
    }
    char letter[2] = {p->tp_flag, 0};
    set(s, "tile-parts", letter);
    return NULL;
}

static const char *set_structure(setter *s, const codec_entry *c)
{
    const opj_cparameters *p = c->given;
    const char *order = order_of(p->prog_order);
    if (!order) {
        return "an unknown progression order";
    }
    if (p->mode & ~OPJ_MODES) {
        return "code-block modes that Part 1 does not have";
    }
    set(s, "progression", order);
    set(s, "reversible", p->irreversible ? "no" : "yes");
    set_number(s, "levels", p->numresolution - 1);
    set_pair(s, "block", p->cblockw_init, p->cblockh_init);
    set_number(s, "style", p->mode);
    set(s, "mct", has_transform(c) ? "on" : "off");
    set(s, "sop", p->csty & OPJ_CSTY_SOP ? "yes" : "no");
    set(s, "eph", p->csty & OPJ_CSTY_EPH ? "yes" : "no");
    if (p->tile_size_on) {
        set_pair(s, "tile", p->cp_tdx, p->cp_tdy);
        set_pair(s, "tile-offset", p->cp_tx0, p->cp_ty0);
    }
    if ((p->csty & OPJ_CSTY_PRECINCTS) && p->res_spec > 0 && p->res_spec <= OPJ_MOST_RESOLUTIONS) {
        set_precincts(s, p);
    }
    const char *reason = set_region(s, p);
    reason = reason ? reason : set_changes(s, p, p->tile_size_on);
    return reason ? reason : set_tile_parts(s, p);
}

/* What libopenjp2 refuses in opj_start_compress(), or does not do at all. */
static const char *find_refusal(const codec_entry *c)
{
    const opj_cparameters *p = c->given;
    uint32_t width = p->tile_size_on ? (uint32_t)p->cp_tdx : c->image.x1 - (uint32_t)p->cp_tx0;
    uint32_t height = p->tile_size_on ? (uint32_t)p->cp_tdy : c->image.y1 - (uint32_t)p->cp_ty0;
    if (c->has_matrix || p->tcp_mct < 0 || p->tcp_mct > 1) {
        return "a colour transform of Part 2 (custom MCT)";
    }
    if (p->jpwl[0]) {
        return "error protection of Part 11 (jpwl)";
    }
    if (p->jpip_on && c->format == OPJ_FORMAT_JP2) {
        return "an index for JPIP (jpip_on)";
    }
    if (p->tcp_mct == 1 && c->image.numcomps < 3) {
        return "a colour transform of fewer than three components";
    }
    if (p->roi_compno >= 0 && (uint32_t)p->roi_compno < c->image.numcomps && p->roi_shift > 0) {
        /* Fewer bits have as many bit-planes as seven: rounding takes room (src/geom/quant.c). */
        uint32_t depth = c->image.comps[p->roi_compno].prec;
        if ((depth > 7 ? depth : 7) + (uint32_t)p->roi_shift > MOST_SHIFTED_BITS) {
            return "a region whose shifted samples libopenjp2 could not decode";
        }
    }
    if (p->numresolution < 1 || p->numresolution > 32 || width >> (p->numresolution - 1) == 0 ||
        height >> (p->numresolution - 1) == 0) {
        return "more resolutions than a tile has samples for";
    }
    return NULL;
}

/* WAVELANE_PRESET, then WAVELANE_OPTIONS: "key=value, key=value"; they are the user's and come last. A comma ends a
 * setting only where "key=" follows, so lists of numbers need no quotes. */
static void apply_user(setter *s)
{
    const char *preset = getenv("WAVELANE_PRESET"), *options = getenv("WAVELANE_OPTIONS");
    const char *device = getenv("WAVELANE_DEVICE");
    if (preset && *preset) {
        s->failed = s->failed || wvl_params_preset(s->params, preset) != WVL_OK;
    }
    if (device && *device) {
        set(s, "device", device);
    }
    while (options && *(options += strspn(options, ", ;\t\n"))) {
        size_t key = strcspn(options, "="), end = key + (options[key] == '=');
        for (;;) { /* to a separator with a key behind it, or to the end */
            end += strcspn(options + end, ",;");
            const char *next = options + end + strspn(options + end, ", ;\t\n");
            size_t word = strspn(next, "abcdefghijklmnopqrstuvwxyz0123456789-");
            if (!options[end] || !*next || options[end] == ';' || (word && next[word] == '=')) {
                break;
            }
            end++;
        }
        s->used = 0;
        add(s, "%.*s", (int)end, options);
        if (s->failed) {
            return;
        }
        char *value = s->text + key;
        if (*value) {
            *value++ = 0;
        }
        set(s, s->text, value);
        s->used = 0;
        options += end;
    }
}

/* The host wants a codestream or a file; the user does not choose that. HT blocks make the file a JPH file. */
static void set_container(setter *s, const codec_entry *c)
{
    const char *style = wvl_params_get(s->params, "style");
    int is_ht = style && (strstr(style, "HT") || atoi(style) & OPJ_MODE_HT);
    const char *file = is_ht ? "jph" : "jp2";
    set(s, "container", c->format == OPJ_FORMAT_JP2 ? file : "j2k");
}

static void set_rest(setter *s, const codec_entry *c)
{
    set_container(s, c);
    /* A comment that names OpenJPEG as the encoder would not be true. */
    if (c->comment && *c->comment && strncmp(c->comment, "Created by OpenJPEG", 19) != 0) {
        set(s, "comment", c->comment);
    }
    if (c->plt) {
        set(s, "plt", "yes");
    }
    if (c->tlm || c->wants_profile) {
        set(s, "tlm", "yes");
    }
    if (c->guard_bits >= 0) {
        set_number(s, "guard-bits", c->guard_bits);
    }
}

static const char *apply(const codec_entry *c, wvl_params *params, int has_user, int *is_refused, char *room,
                         size_t room_bytes)
{
    *is_refused = 0;
    setter *s = calloc(1, sizeof *s);
    if (!s) {
        return "memory is short";
    }
    s->params = params;
    const char *reason = find_refusal(c);
    reason = reason ? reason : set_structure(s, c);
    reason = reason ? reason : set_layers(s, c);
    set_step(s, c);
    reason = reason ? reason : set_profile(s, c->given);
    if (!reason) {
        set_rest(s, c);
        *is_refused = !s->failed;
        if (has_user) {
            apply_user(s);
        }
        set_container(s, c);
        *is_refused = *is_refused && s->failed;
        add(s, "Encoded by Wavelane %d.%d.%d", WVL_VERSION_MAJOR, WVL_VERSION_MINOR, WVL_VERSION_PATCH);
        set_added(s, "comment");
    }
    if (!reason && s->failed) {
        snprintf(room, room_bytes, "%s", wvl_params_error(params)[0] ? wvl_params_error(params) : "too long a setting");
        reason = room;
    }
    free(s);
    return reason;
}

/* Numbers have a point in options, whatever the host's locale writes. */
const char *settings_apply(const codec_entry *c, wvl_params *params, int has_user, int *is_refused, char *room,
                           size_t room_bytes)
{
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!plain) {
        *is_refused = 0;
        return "memory is short";
    }
    locale_t old = uselocale(plain);
    const char *reason = apply(c, params, has_user, is_refused, room, room_bytes);
    (void)uselocale(old);
    freelocale(plain);
    return reason;
}

int settings_has_user(void)
{
    static const char *const names[] = {"WAVELANE_OPTIONS", "WAVELANE_PRESET", "WAVELANE_DEVICE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) {
            return 1;
        }
    }
    return 0;
}

int settings_must_use_device(void)
{
    const char *device = getenv("WAVELANE_DEVICE"), *options = getenv("WAVELANE_OPTIONS");
    return (device && strstr(device, "cuda-only")) || (options && strstr(options, "cuda-only"));
}
