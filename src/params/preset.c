/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets: what each sets, and the words behind a name. */
#include <stdio.h>
#include <string.h>

#include "params/value.h"

#define PLAIN "profile=none mct=auto "
#define MOVING                                                                                                         \
    "tile=0,0 tile-offset=0,0 precincts= style=0 progression=CPRL tile-parts=C sop=no eph=no plt=no plm=no tlm=yes "   \
    "packed-headers=none "                                                                                             \
    "registration= layers=1 rates= bpp= layer-bytes= psnr= slopes= max-bytes=0 max-component-bytes=0 stereo=no "       \
    "hfr=no frame-rate=24 "                                                                                            \
    "main-level=0 sub-level=0 container=j2k "
#define CINEMA "reversible=no mct=on block=32,32 quantization=expounded " MOVING
#define DCI_NAMES "; add the frame rate, 3d, hfr: "
#define IMF "mct=auto block=32,32 progression-changes= guard-bits=2 " MOVING
#define IMF_NAMES "; add the frame rate, m and the main level, s and the sublevel: "
#define KEEP                                                                                                           \
    "mct=auto tile-offset=0,0 block=64,64 progression-changes= packed-headers=none plm=no max-bytes=0 "                \
    "max-component-bytes=0 container=jp2 "
#define SMALL_PRECINCTS "precincts=[256,256],[256,256],[128,128] "
#define KB                                                                                                             \
    "levels=5 tile=1024,1024 " SMALL_PRECINCTS                                                                         \
    "style=SEGSYM progression=RPCL tile-parts=none sop=yes eph=yes plt=no tlm=no "
#define BODLEIAN                                                                                                       \
    "levels=6 tile=512,512 " SMALL_PRECINCTS "style=0 progression=RPCL tile-parts=R sop=yes eph=yes plt=yes tlm=no "
#define NO_TARGET "rates= bpp= layer-bytes= psnr= slopes= max-bytes=0 max-component-bytes=0 container=j2k "
#define HT_ONE                                                                                                         \
    "mct=auto tile-offset=0,0 progression=RPCL progression-changes= sop=no eph=no plm=no tlm=yes packed-headers=none " \
    "registration= layers=1 roi= overrides= " NO_TARGET
#define NDNP_BPP                                                                                                       \
    "0.015625,0.01858,0.0221,0.025,0.03125,0.03716,0.04419,0.05,0.0625,0.07,0.088,0.1,0.125,0.15,0.18,0.21,0.25,0.3,"  \
    "0.35,0.4,0.5,0.6,"                                                                                                \
    "0.7,0.84,1"

static const wvl_preset presets[] = {
    {"archive-lossless",
     "Preservation master: 5/3, tiles of 1024, RPCL, eleven layers up to lossless, error resilience, pointers.",
     PLAIN
     "reversible=yes levels=5 tile=1024,1024 block=64,64 " SMALL_PRECINCTS "style=SEGSYM "
     "progression=RPCL tile-parts=none sop=yes eph=yes plt=yes tlm=yes rates=2560,1280,640,320,160,80,40,20,10,5,1"},
    {"iiif-lossless",
     "Image server, lossless: 5/3, one tile, small precincts, RPCL, six layers, tile-parts by resolution, pointers.",
     PLAIN "reversible=yes levels=6 tile=0,0 block=64,64 " SMALL_PRECINCTS "style=0 progression=RPCL "
           "tile-parts=R sop=no eph=no plt=yes tlm=yes rates=1 layers=6"},
    {"iiif-lossy",
     "Image server, lossy: 9/7 at a ratio of 8, one tile, small precincts, RPCL, six layers, tile-parts by resolution, "
     "pointers.",
     PLAIN "reversible=no levels=6 tile=0,0 block=64,64 " SMALL_PRECINCTS "style=0 progression=RPCL "
           "tile-parts=R sop=no eph=no plt=yes tlm=yes rates=8 layers=6"},
    {"dci-2k",
     "Digital cinema 2K: 230 Mbit/s, never more than 250, a component never more than 200" DCI_NAMES
     "dci-2k-48, dci-2k-24-3d.",
     "profile=cinema2k levels=5 guard-bits=1 progression-changes= " CINEMA},
    {"dci-4k",
     "Digital cinema 4K: 230 Mbit/s, never more than 250, a tile-part never more than 200, its 2K part first" DCI_NAMES
     "dci-4k-30.",
     "profile=cinema4k levels=6 guard-bits=2 progression-changes=0,0,1,6,3,CPRL/6,0,1,7,3,CPRL " CINEMA},
    {"imf-2k", "IMF 2K, 9/7" IMF_NAMES "imf-2k-24-m3-s1.", "profile=imf-2k reversible=no levels=5 " IMF},
    {"imf-4k", "IMF 4K, 9/7" IMF_NAMES "imf-4k-24-m6-s3.", "profile=imf-4k reversible=no levels=6 " IMF},
    {"imf-8k", "IMF 8K, 9/7" IMF_NAMES "imf-8k-24-m8-s5.", "profile=imf-8k reversible=no levels=7 " IMF},
    {"imf-2k-r", "IMF 2K, lossless" IMF_NAMES "imf-2k-r-24-m5-s3.", "profile=imf-2k-r reversible=yes levels=4 " IMF},
    {"imf-4k-r", "IMF 4K, lossless" IMF_NAMES "imf-4k-r-24-m6-s4.", "profile=imf-4k-r reversible=yes levels=5 " IMF},
    {"imf-8k-r", "IMF 8K, lossless" IMF_NAMES "imf-8k-r-24-m8-s6.", "profile=imf-8k-r reversible=yes levels=6 " IMF},
    {"broadcast-single",
     "Broadcast contribution, one tile, 9/7; add the frame rate, m and the level: broadcast-single-25-m3.",
     "profile=broadcast-single reversible=no levels=5 " IMF},
    {"broadcast-multi",
     "Broadcast contribution, one tile, or four by --tile, 9/7; add the frame rate, m and the level.",
     "profile=broadcast-multi reversible=no levels=5 " IMF},
    {"broadcast-multi-r",
     "Broadcast contribution, one tile, or four by --tile, lossless; add the frame rate, m and the level.",
     "profile=broadcast-multi-r reversible=yes levels=5 " IMF},
    {"kb-master",
     "Koninklijke Bibliotheek, lossless master: eleven layers; needs XMP, Adobe RGB (1998) or eciRGB v2, and the "
     "capture resolution.",
     "profile=kb-master reversible=yes " KB
     "comment=KB_MASTER_LOSSLESS_01/01/2015 rates=2560,1280,640,320,160,80,40,20,10,5,1 layers=11 " KEEP},
    {"kb-access", "Koninklijke Bibliotheek, access copy: 9/7 at a ratio of 20, eight layers.",
     "profile=kb-access reversible=no " KB
     "comment=KB_ACCESS_LOSSY_01/01/2015 rates=2560,1280,640,320,160,80,40,20 layers=8 " KEEP},
    {"ndnp", "Library of Congress, National Digital Newspaper Program: grey, 9/7 at one bit a pixel, 25 layers.",
     "profile=ndnp reversible=no levels=6 tile=1024,1024 precincts= style=BYPASS progression=RLCP tile-parts=none "
     "sop=no eph=no plt=no tlm=no "
     "bpp=" NDNP_BPP " layers=25 " KEEP},
    {"bodleian", "Bodleian Library: lossless, tiles of 512, six layers, a tile-part for each resolution.",
     "profile=bodleian reversible=yes " BODLEIAN "rates=1 layers=6 " KEEP},
    {"bodleian-lossy", "Bodleian Library: the same with 9/7 at three bits a pixel.",
     "profile=bodleian-lossy reversible=no " BODLEIAN "bpp=3 layers=6 " KEEP},
    {"bl-newspaper", "British Library, newspapers: 9/7, one tile, twelve layers.",
     "profile=bl-newspaper reversible=no levels=6 tile=0,0 " SMALL_PRECINCTS
     "style=BYPASS progression=RPCL tile-parts=none sop=no eph=no plt=yes tlm=no "
     "bpp=0.075,0.15,0.3,0.6,1.2,2.1,3.4,5.2,7,8.7,10,0 layers=12 " KEEP},
    {"ht-archive",
     "Preservation master with HT blocks, a JPH file: 5/3, tiles of 1024, RPCL, error resilience, pointers. The "
     "finished file is checked.",
     "profile=ht-archive reversible=yes levels=5 tile=1024,1024 " SMALL_PRECINCTS
     "style=HT progression=RPCL tile-parts=none sop=yes eph=yes plt=yes "
     "tlm=yes layers=1 " NO_TARGET KEEP "container=jph"},
    {"dicom-htj2k-rpcl",
     "DICOM transfer syntax HTJ2K Lossless RPCL (1.2.840.10008.1.2.4.202): lossless HT, a thumbnail of at most 64,64 "
     "first, tile-parts by resolution.",
     "profile=dicom-htj2k-rpcl reversible=yes levels=auto tile=0,0 block=64,64 precincts= style=HT tile-parts=R "
     "plt=no " HT_ONE},
    {"imf-ht-rev", "IMF with HT blocks, lossless (SMPTE ST 2067-21, APP2.HT.REV).",
     "profile=imf-ht-rev reversible=yes levels=5 tile=0,0 block=128,32 precincts= style=HT guard-bits=1 tile-parts=R "
     "plt=no " HT_ONE},
    {"imf-ht-irv", "IMF with HT blocks, 9/7 (SMPTE ST 2067-21, APP2.HT.IRV); give a rate, a quality or a step.",
     "profile=imf-ht-irv reversible=no levels=5 tile=0,0 block=128,32 precincts= style=HT guard-bits=1 "
     "quantization=expounded tile-parts=R plt=no " HT_ONE},
    {"wellcome",
     "Wellcome Collection, image server: 9/7 at two bits a pixel, precincts that shrink with the resolution.",
     "profile=none reversible=no levels=7 tile=0,0 "
     "precincts=[256,256],[256,256],[256,256],[128,128],[128,128],[64,64],[64,64],[32,32] style=0 progression=RPCL "
     "tile-parts=R sop=yes eph=no plt=yes "
     "tlm=no bpp=2 " KEEP},
};
#define PRESETS (sizeof presets / sizeof presets[0])

const wvl_preset *wvl_presets(size_t *count)
{
    if (count) {
        *count = PRESETS;
    }
    return presets;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static int is_moving(const wvl_preset *preset) { return strstr(preset->settings, "frame-rate=") != NULL; }

static const char *nearest_preset(const char *name)
{
    size_t best = 0;
    for (size_t i = 1; i < PRESETS; i++) {
        best = wvl_params_name_distance(name, presets[i].name) < wvl_params_name_distance(name, presets[best].name)
                   ? i
                   : best;
    }
    return presets[best].name;
}

static wvl_status refuse_name(wvl_params *params, const char *name)
{
    int n = snprintf(params->error, sizeof params->error, "unknown preset \"%.64s\"; the nearest is \"%s\"; there are",
                     name, nearest_preset(name));
    size_t used = n > 0 ? (size_t)n : 0;
    for (size_t i = 0; i < PRESETS && used < sizeof params->error; i++) {
        n = snprintf(params->error + used, sizeof params->error - used, "%s %s", i ? "," : "", presets[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
    return WVL_ERROR_PARAMETER;
}

/* Key that a word behind the name is for, and its value; NULL: none. */
static const char *key_of_word(const char *word, const char **value)
{
    int is_number = word[0] >= '0' && word[0] <= '9';
    *value = "yes";
    if (!strcmp(word, "3d")) {
        return "stereo";
    }
    if (!strcmp(word, "hfr")) {
        return "hfr";
    }
    *value = is_number ? word : word + 1;
    return is_number ? "frame-rate" : word[0] == 'm' ? "main-level" : word[0] == 's' ? "sub-level" : NULL;
}

/* Words are short: a longer one is none of them. */
static wvl_status apply_words(wvl_params *params, const char *name, const char *words)
{
    wvl_status status = WVL_OK;
    while (words && status == WVL_OK) {
        char word[16];
        const char *value;
        size_t length = strcspn(words, "-");
        snprintf(word, sizeof word, "%.*s", (int)wvl_min_u32((uint32_t)length, sizeof word - 1), words);
        const char *key = length < sizeof word ? key_of_word(word, &value) : NULL;
        status = key ? wvl_params_set(params, key, value) : WVL_ERROR_PARAMETER;
        if (status == WVL_ERROR_PARAMETER) {
            snprintf(params->error, sizeof params->error,
                     "preset \"%.64s\": \"%.16s\" is unknown; words are a frame rate, 3d, hfr, m with a main level, s "
                     "with a sublevel",
                     name, word);
            return WVL_ERROR_PARAMETER;
        }
        words = words[length] ? words + length + 1 : NULL;
    }
    return status;
}

/* ---- Settings -------------------------------------------------------------------------------- */

/* One "key=value" of at most sizeof word - 1 characters. */
static wvl_status apply_setting(wvl_params *params, const char *setting, size_t length)
{
    char word[256];
    if (length >= sizeof word) {
        return WVL_ERROR_INTERNAL;
    }
    memcpy(word, setting, length);
    word[length] = '\0';
    char *equals = strchr(word, '=');
    if (!equals) {
        return WVL_ERROR_INTERNAL;
    }
    *equals = '\0';
    return wvl_params_set(params, word, equals + 1);
}

wvl_status wvl_params_preset(wvl_params *params, const char *name)
{
    if (!params || !name) {
        return WVL_ERROR_ARGUMENT;
    }
    params->error[0] = '\0';
    const char *words = NULL;
    /* The preset with the longest name that `name` is, or begins with before a hyphen; *words is what follows the
     * hyphen, or NULL. */
    const wvl_preset *preset = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < PRESETS; i++) {
        size_t length = strlen(presets[i].name);
        if (strncmp(presets[i].name, name, length) != 0 || length <= longest) {
            continue;
        }
        if (!name[length] || (name[length] == '-' && is_moving(&presets[i]))) {
            preset = &presets[i];
            longest = length;
            words = name[length] ? name + length + 1 : NULL;
        }
    }
    if (!preset) {
        return refuse_name(params, name);
    }
    for (const char *p = preset->settings; *p;) {
        size_t length = strcspn(p, " ");
        wvl_status status = apply_setting(params, p, length);
        if (status) {
            return status;
        }
        p += length;
        p += *p == ' ';
    }
    return apply_words(params, name, words);
}
