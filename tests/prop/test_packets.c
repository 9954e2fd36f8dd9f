/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet headers as the walker reads them, and the walker itself, which must notice damage. */

#include "tests/decode/cases.h"
#include "tests/support/support.h"

/* Structures that no decoder at hand can judge: coordinates beyond 2^31, many precincts, tiles without samples of a
 * component. */
TEST_EACH(what_only_the_walker_judges, 7)
{
    static const wvl_component_format components[3] = {{8, 0, 1, 1}, {8, 0, 3, 5}, {12, 1, 255, 7}};
    static const char *const settings[] = {
        "",
        "tile=50,40 tile-offset=4294960000,4294960000",
        "tile=2,40 tile-offset=4294960000,4294960000 levels=2 layers=2",
        "precincts=[32,16],[8,8] progression=PCRL layers=3 block=4,4",
        "precincts=[4,4],[2,2] progression=CPRL tile=64,64 tile-offset=4294959999,4294960001",
        "precincts=[2,2] progression=RPCL style=BYPASS+TERMALL sop=yes eph=yes plt=yes",
        "levels=32 progression=RPCL tile-parts=R tlm=yes plt=yes"};
    wvl_image_format format = {sizeof format,     4294960001u, 4294960003u, 4294960001u + 300,
                               4294960003u + 130, 3,           components};
    picture p = picture_draw_format(PICTURE_NATURAL, &format, 12);
    case_structure(settings[_i], &p, settings[_i]);
    fuzz_picture_free(&p);
}

/* A tag tree, an Lblock or a length that is off by one bit anywhere must not tile: flip each header bit in turn. */
TEST(walker_notices_damage)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 120, 90, 1, 8, 3);
    owned_outcome o = case_encode("damage", &p, "levels=2 layers=3 block=16,16", NULL);
    unsigned noticed = 0, flips = 0;
    for (size_t i = 0; i < o.packets.count; i++) {
        for (size_t bit = 0; bit < 8 * o.packets.items[i].header_bytes; bit++, flips++) {
            uint8_t *at = o.data + o.packets.items[i].header_offset + bit / 8, mask = (uint8_t)(0x80 >> bit % 8);
            *at ^= mask;
            noticed += wvl_check_file(o.data, o.bytes, NULL, NULL, NULL, NULL) == WVL_CHECK_ILLEGAL;
            *at ^= mask;
        }
    }
    /* what stays unseen moves a length from one block to another, or trades zero bit-planes that are not checked
     * against coded data */
    ck_assert_msg(flips > 400 && noticed > flips * 6 / 10, "%u of %u flips were noticed", noticed, flips);
    case_judge("repaired", &o, NULL);
}

/* Every packet of every layer of every progression: headers of blocks that join early, late, in steps, or never. */
TEST_EACH(layers_of_all_kinds, 5)
{
    static const char *const orders[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
    static const picture_kind kinds[] = {PICTURE_NATURAL, PICTURE_NOISE, PICTURE_SPARSE, PICTURE_FLAT, PICTURE_EXTREME};
    for (unsigned k = 0; k < 5; k++) {
        picture p = picture_draw(kinds[k], 230, 170, 2, 10, k);
        for (unsigned layers = 1; layers <= 300; layers = layers * 3 + 1) {
            char settings[200];
            snprintf(settings, sizeof settings,
                     "progression=%s layers=%u style=%u block=8,16 precincts=[64,64] sop=%u eph=%u plt=%u", orders[_i],
                     layers, (layers * 5 + k) % 64, layers & 1, k & 1, layers >> 1 & 1);
            case_structure(settings, &p, settings);
        }
        fuzz_picture_free(&p);
    }
}

/* Contributions of 2^16 bytes and more in one packet, and blocks with the most passes there are. */
TEST(long_lengths)
{
    picture p = picture_draw(PICTURE_NOISE, 128, 128, 1, 28, 3);
    for (unsigned style = 0; style < 64; style++) {
        char settings[64];
        outcome o;
        snprintf(settings, sizeof settings, "levels=1 style=%u layers=%u", style, 1 + style % 3);
        o = case_encode(settings, &p, settings, NULL);
        ck_assert_uint_gt(o.packets.passes, 4 * 70); /* of its four blocks */
        case_free(&o);
    }
    fuzz_picture_free(&p);
}

TEST_MAIN("packets")
