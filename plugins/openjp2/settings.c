/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opj_cparameters as options of Wavelane. Both encoders use the terms of the standard, so most members have an option
 * of their own. Members that only opj_compress reads (file names, offsets, subsampling) mean nothing to the library.
 */
#include "codec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 8192 };

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

static double samples_bytes(const opj_image *image)
{
    double bytes = 0;
    for (uint32_t i = 0; i < image->numcomps; i++) {
        const opj_component *c = &image->comps[i];
        bytes += (double)c->w * c->h * c->prec / 8;
    }
    return bytes;
}

/* max_cs_size bounds the codestream: no layer has a smaller ratio than it allows. */
static void set_rates(setter *s, const codec_entry *c, int layers)
{
    const opj_cparameters *p = c->given;
    double least = p->max_cs_size > 0 ? samples_bytes(&c->image) / p->max_cs_size : 0;
    for (int i = 0; i < layers; i++) {
        double rate = p->tcp_rates[i] <= 1 ? 0 : p->tcp_rates[i];
        rate = rate < least ? least : rate;
        add(s, "%s%.9g", i ? "," : "", rate);
    }
    set_added(s, "rates");
}

static void set_qualities(setter *s, const opj_cparameters *p, int layers)
{
    for (int i = 0; i < layers; i++) {
        add(s, "%s%.9g", i ? "," : "", p->tcp_distoratio[i]);
    }
    set_added(s, "psnr");
}

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
    if (p->cp_fixed_quality && p->cp_disto_alloc) {
        return "layers by ratio and by PSNR at the same time";
    }
    if (p->cp_fixed_quality) {
        set_qualities(s, p, layers);
        if (p->max_cs_size > 0) {
            set_number(s, "max-bytes", p->max_cs_size);
        }
    } else if (p->tcp_numlayers > 0 || p->max_cs_size > 0) {
        set_rates(s, c, layers);
    }
    return NULL;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

/* The deprecated members cp_cinema and cp_rsiz count where rsiz is 0. */
static int profile_of(const opj_cparameters *p)
{
    if (p->rsiz || !(p->cp_cinema || p->cp_rsiz)) {
        return p->rsiz;
    }
    return p->cp_cinema == 3 || p->cp_rsiz == OPJ_RSIZ_CINEMA_4K ? OPJ_RSIZ_CINEMA_4K
           : p->cp_cinema || p->cp_rsiz == OPJ_RSIZ_CINEMA_2K    ? OPJ_RSIZ_CINEMA_2K
                                                                 : p->cp_rsiz;
}

/* A profile of cinema or IMF replaces most settings, as in libopenjp2: 1 if it does. */
static int set_profile(setter *s, const opj_cparameters *p, const char **reason)
{
    static const char *const imf[] = {"2k", "4k", "8k", "2k-r", "4k-r", "8k-r"};
    static const char *const broadcast[] = {"broadcast-single", "broadcast-multi", "broadcast-multi-r"};
    int profile = profile_of(p), main_level = profile & 15, sub_level = profile >> 4 & 15;
    if (profile == 0) {
        return 0;
    }
    if (profile == 1 || profile == 2) {
        set_number(s, "profile", profile - 1);
        return 0;
    }
    if (profile == OPJ_RSIZ_CINEMA_2K || profile == OPJ_RSIZ_CINEMA_4K) {
        int is_fast = p->cp_cinema == 2 || (p->max_cs_size > 0 && p->max_cs_size <= 651041);
        const char *name = profile == OPJ_RSIZ_CINEMA_4K ? "dci-4k" : is_fast ? "dci-2k-48" : "dci-2k";
        s->failed = s->failed || wvl_params_preset(s->params, name) != WVL_OK;
        return 1;
    }
    if (profile >= OPJ_RSIZ_IMF && profile < OPJ_RSIZ_IMF + 0x600 && main_level <= 11 && sub_level <= 9) {
        add(s, "imf-%s-m%d-s%d", imf[(profile >> 8) - 4], main_level, sub_level);
        s->failed = s->failed || wvl_params_preset(s->params, s->text) != WVL_OK;
        s->used = 0;
        return 1;
    }
    if (profile >= OPJ_RSIZ_BROADCAST && profile < OPJ_RSIZ_IMF && main_level <= 11 && !sub_level) {
        set(s, "profile", broadcast[(profile >> 8) - 1]);
        set_number(s, "main-level", main_level);
        return 0;
    }
    *reason = "a profile (rsiz) of JPEG 2000 Part 2, or unknown";
    return 0;
}

/* ---- Everything else ------------------------------------------------------------------------- */

/* Sizes beyond res_spec halve. Exponents: libopenjp2 takes those of the next lower power of two, and 1 for none. */
static void set_precincts(setter *s, const opj_cparameters *p)
{
    for (int i = 0; i < p->numresolution && i < OPJ_MOST_RESOLUTIONS; i++) {
        long long size[2];
        for (int axis = 0; axis < 2; axis++) {
            const int *given = axis ? p->prch_init : p->prcw_init;
            int last = p->res_spec - 1, value = i <= last ? given[i] : i - last > 30 ? 0 : given[last] >> (i - last);
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

static const char *set_changes(setter *s, const opj_cparameters *p)
{
    for (uint32_t i = 0; i < p->numpocs && i < OPJ_MOST_POCS; i++) {
        const opj_change *change = &p->POC[i];
        const char *order = order_of(change->order_given);
        if (!order) {
            return "a progression change with an unknown order";
        }
        add(s, "%sT%u=%u,%u,%u,%u,%u,%s", i ? "/" : "", change->tile, change->resolution_begin, change->component_begin,
            change->layer_end, change->resolution_end, change->component_end, order);
    }
    set_added(s, "progression-changes");
    return NULL;
}

static const char *set_structure(setter *s, const codec_entry *c)
{
    const opj_cparameters *p = c->given;
    const char *order = order_of(p->prog_order);
    if (!order) {
        return "an unknown progression order";
    }
    set(s, "progression", order);
    set(s, "reversible", p->irreversible ? "no" : "yes");
    set_number(s, "levels", p->numresolution - 1);
    set_pair(s, "block", p->cblockw_init, p->cblockh_init);
    set_number(s, "style", p->mode);
    set(s, "mct", p->tcp_mct == 1 && c->image.numcomps >= 3 ? "on" : "off");
    set(s, "sop", p->csty & OPJ_CSTY_SOP ? "yes" : "no");
    set(s, "eph", p->csty & OPJ_CSTY_EPH ? "yes" : "no");
    if (p->tile_size_on) {
        set_pair(s, "tile", p->cp_tdx, p->cp_tdy);
        set_pair(s, "tile-offset", p->cp_tx0, p->cp_ty0);
    }
    if ((p->csty & OPJ_CSTY_PRECINCTS) && p->res_spec > 0 && p->res_spec <= OPJ_MOST_RESOLUTIONS) {
        set_precincts(s, p);
    }
    if (p->tp_on && strchr("RLC", p->tp_flag) && p->tp_flag) {
        char letter[2] = {p->tp_flag, 0};
        set(s, "tile-parts", letter);
    }
    if (p->roi_compno >= 0 && p->roi_shift > 0) {
        add(s, "c=%d,U=%d", p->roi_compno, p->roi_shift);
        set_added(s, "roi");
    }
    return set_changes(s, p);
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
        char *value = s->text + key;
        if (*value) {
            *value++ = 0;
        }
        set(s, s->text, value);
        s->used = 0;
        options += end;
    }
}

const char *settings_apply(const codec_entry *c, wvl_params *params, int *is_refused, char *room, size_t room_bytes)
{
    *is_refused = 0;
    setter *s = calloc(1, sizeof *s);
    if (!s) {
        return "memory is short";
    }
    const opj_cparameters *p = c->given;
    const char *reason = NULL;
    s->params = params;
    if (p->tcp_mct == 2 || p->mct_data) {
        reason = "a colour transform of Part 2 (custom MCT)";
    } else if (!set_profile(s, p, &reason) && !reason) {
        reason = set_structure(s, c);
        reason = reason ? reason : set_layers(s, c);
    }
    if (!reason) {
        set(s, "container", c->format == OPJ_FORMAT_JP2 ? "jp2" : "j2k");
        if (c->comment && *c->comment) {
            set(s, "comment", c->comment);
        }
        if (c->plt) {
            set(s, "plt", "yes");
        }
        if (c->tlm) {
            set(s, "tlm", "yes");
        }
        if (c->guard_bits >= 0) {
            set_number(s, "guard-bits", c->guard_bits);
        }
        *is_refused = !s->failed;
        apply_user(s);
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
