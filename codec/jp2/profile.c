/* SPDX-License-Identifier: BSD-2-Clause */
/* Restricted ICC profiles (I.5.3.3, ICC.1): header of 128 bytes, then a table of tags. */
#include "codec/jp2/resolve.h"

#define ICC_HEADER_BYTES 128u
#define ICC_TAG_BYTES 12u
#define ICC_LEAST_BYTES (ICC_HEADER_BYTES + 4u)

static uint32_t fetch_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t signature(const char *s)
{
    return (uint32_t)(uint8_t)s[0] << 24 | (uint32_t)(uint8_t)s[1] << 16 | (uint32_t)(uint8_t)s[2] << 8 | (uint8_t)s[3];
}

typedef struct signature_text {
    char text[5];
} signature_text;

static signature_text show(uint32_t value)
{
    signature_text s;
    for (int i = 0; i < 4; i++) {
        char v = (char)(value >> (24 - 8 * i) & 0x7F);
        s.text[i] = v < 0x20 || v == 0x7F ? '?' : v;
    }
    s.text[4] = '\0';
    return s;
}

static int has_tag(const uint8_t *profile, uint32_t tag_count, const char *name)
{
    for (uint32_t i = 0; i < tag_count; i++) {
        if (fetch_u32(profile + ICC_LEAST_BYTES + (size_t)i * ICC_TAG_BYTES) == signature(name)) {
            return 1;
        }
    }
    return 0;
}

/* Number of tags whose entries lie inside the profile; reports a table or data that does not. */
static uint32_t check_tag_table(const uint8_t *profile, size_t bytes, wvl_report *report)
{
    uint32_t count = fetch_u32(profile + ICC_HEADER_BYTES);
    uint64_t room = (bytes - ICC_LEAST_BYTES) / ICC_TAG_BYTES;
    if (count > room) {
        wvl_report_add(report, "ICC profile: %u tags are announced, its %zu bytes hold %u at most", count, bytes,
                       (unsigned)room);
        return (uint32_t)room;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = profile + ICC_LEAST_BYTES + (size_t)i * ICC_TAG_BYTES;
        if ((uint64_t)fetch_u32(entry + 4) + fetch_u32(entry + 8) > bytes) {
            wvl_report_add(report, "ICC profile: tag '%s' reaches beyond the profile's %zu bytes",
                           show(fetch_u32(entry)).text, bytes);
            break; /* a hostile table may have millions */
        }
    }
    return count;
}

unsigned wvl_jp2_check_profile(const uint8_t *profile, size_t bytes, wvl_report *report)
{
    if (bytes < ICC_LEAST_BYTES) {
        wvl_report_add(report, "ICC profile: %zu bytes are too few, the header alone has 128 and a tag count", bytes);
        return 0;
    }
    uint32_t size = fetch_u32(profile), kind = fetch_u32(profile + 12), space = fetch_u32(profile + 16),
             pcs = fetch_u32(profile + 20);
    if (size != bytes) {
        wvl_report_add(report, "ICC profile: its size field says %u bytes, there are %zu", size, bytes);
    }
    if (fetch_u32(profile + 36) != signature("acsp")) {
        wvl_report_add(report, "ICC profile: the signature 'acsp' is missing at byte 36");
    }
    if (kind != signature("scnr") && kind != signature("mntr")) {
        wvl_report_add(report,
                       "ICC profile: class '%s' is not allowed, a restricted profile is 'scnr' or 'mntr' (I.5.3.3)",
                       show(kind).text);
    }
    if (pcs != signature("XYZ ")) {
        wvl_report_add(report,
                       "ICC profile: connection space '%s' is not allowed, a restricted profile has 'XYZ ' (I.5.3.3)",
                       show(pcs).text);
    }
    unsigned color_count = space == signature("GRAY") ? 1 : space == signature("RGB ") ? 3 : 0;
    uint32_t tag_count = check_tag_table(profile, bytes, report);
    if (color_count) {
        static const char *const grey[] = {"kTRC", NULL};
        static const char *const matrix[] = {"rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", NULL};
        for (const char *const *name = color_count == 1 ? grey : matrix; *name; name++) {
            if (!has_tag(profile, tag_count, *name)) {
                wvl_report_add(report, "ICC profile: a restricted %s profile needs the tag '%s' (I.5.3.3)",
                               color_count == 1 ? "grey" : "RGB", *name);
            }
        }
        if (has_tag(profile, tag_count, "A2B0")) {
            wvl_report_add(report,
                           "ICC profile: the look-up table 'A2B0' is not allowed in a restricted profile (I.5.3.3)");
        }
    } else {
        wvl_report_add(
            report,
            "ICC profile: colour space '%s' is not allowed, a restricted profile has 'GRAY' or 'RGB ' (I.5.3.3)",
            show(space).text);
    }
    return color_count;
}

unsigned wvl_jp2_count_profile_colors(const uint8_t *profile, size_t bytes, wvl_report *report)
{
    static const struct {
        const char *space;
        unsigned colors;
    } spaces[] = {{"GRAY", 1}, {"RGB ", 3}, {"CMYK", 4}, {"Lab ", 3}, {"XYZ ", 3}, {"YCbr", 3}, {"CMY ", 3}};
    if (bytes < ICC_LEAST_BYTES || fetch_u32(profile) != bytes || fetch_u32(profile + 36) != signature("acsp")) {
        wvl_report_add(
            report, "ICC profile: its %zu bytes do not hold together: header of 128 bytes, own size, signature 'acsp'",
            bytes);
        return 0;
    }
    uint32_t before = report->count;
    (void)check_tag_table(profile, bytes, report);
    if (report->count != before) {
        return 0;
    }
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (fetch_u32(profile + 16) == signature(spaces[i].space)) {
            return spaces[i].colors;
        }
    }
    wvl_report_add(report, "ICC profile: colour space '%s' is not supported", show(fetch_u32(profile + 16)).text);
    return 0;
}
