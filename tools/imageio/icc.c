/* SPDX-License-Identifier: BSD-2-Clause */
/* ICC.1 7.2 (header) and 7.3 (tag table), as far as JP2's restricted method asks. */
#include "internal.h"

#define HEADER_BYTES 128u
#define TAG_BYTES 12u

static int is_signature(const uint8_t *p, const char *signature) { return memcmp(p, signature, 4) == 0; }

static int tags_hold_together(const uint8_t *profile, size_t size)
{
    uint64_t count = wvl_io_be32(profile + HEADER_BYTES);

    if (count > (size - HEADER_BYTES - 4) / TAG_BYTES) {
        return 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *tag = profile + HEADER_BYTES + 4 + i * TAG_BYTES;

        if ((uint64_t)wvl_io_be32(tag + 4) + wvl_io_be32(tag + 8) > size) {
            return 0;
        }
    }
    return 1;
}

static int has_tag(const uint8_t *profile, const char *signature)
{
    uint32_t count = wvl_io_be32(profile + HEADER_BYTES);

    for (uint32_t i = 0; i < count; i++) {
        if (is_signature(profile + HEADER_BYTES + 4 + (size_t)i * TAG_BYTES, signature)) {
            return 1;
        }
    }
    return 0;
}

static int is_matrix_shaper(const uint8_t *profile)
{
    static const char *const needed[] = {"rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"};

    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!has_tag(profile, needed[i])) {
            return 0;
        }
    }
    return 1;
}

wvl_io_icc wvl_io_icc_kind(const uint8_t *bytes, size_t byte_count)
{
    if (!bytes || byte_count < HEADER_BYTES + 4 || wvl_io_be32(bytes) != byte_count ||
        !is_signature(bytes + 36, "acsp") || !tags_hold_together(bytes, byte_count)) {
        return WVL_IO_ICC_BROKEN;
    }
    int permitted = (is_signature(bytes + 12, "scnr") || is_signature(bytes + 12, "mntr")) &&
                    is_signature(bytes + 20, "XYZ ") && !has_tag(bytes, "A2B0");
    if (permitted && is_signature(bytes + 16, "GRAY") && has_tag(bytes, "kTRC")) {
        return WVL_IO_ICC_GREY;
    }
    if (permitted && is_signature(bytes + 16, "RGB ") && is_matrix_shaper(bytes)) {
        return WVL_IO_ICC_RGB;
    }
    return WVL_IO_ICC_OTHER;
}
