/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints codec/core/gen/ht_tables.h: what the HT encoder looks up for a quad, for a pair of quads, and for a column
 * (15444-15 Annex C and 7.3). */
#include <stdio.h>
#include <stdlib.h>

#include "ht_vlc_rows.h"

#define PREDICTIONS 32 /* u of a quad: 0..31, as magnitudes have at most 31 bits */

static const struct ht_vlc_row *const tables[2] = {ht_vlc_table0, ht_vlc_table1};
static const size_t counts[2] = {sizeof ht_vlc_table0 / sizeof ht_vlc_table0[0],
                                 sizeof ht_vlc_table1 / sizeof ht_vlc_table1[0]};

static int count_bits(unsigned v)
{
    int n = 0;
    for (; v; v &= v - 1) {
        n++;
    }
    return n;
}

/* The codeword that tells most of the EMB pattern of those that fit. */
static unsigned find_codeword(int table, unsigned context, unsigned rho, unsigned emb)
{
    const struct ht_vlc_row *best = NULL;
    for (size_t i = 0; i < counts[table]; i++) {
        const struct ht_vlc_row *r = &tables[table][i];
        if (r->context == context && r->rho == rho && r->u_off == (emb != 0) && (emb & r->e_k) == r->e_1 &&
            (!best || count_bits(r->e_k) > count_bits(best->e_k))) {
            best = r;
        }
    }
    return best ? best->codeword | (unsigned)best->bits << 7 | (unsigned)best->e_k << 10 : 0;
}

static void print_codewords(void)
{
    printf("/* [first row 0, others 1][context << 8 | rho << 4 | EMB]: codeword, its bits << 7, EMB bits it tells << "
           "10. Context 0 with rho 0 has none. */\n");
    printf("static const uint16_t wvl_ht_vlc[2][2048] = {\n");
    for (int table = 0; table < 2; table++) {
        printf("    {");
        for (unsigned i = 0; i < 2048; i++) {
            printf("%s%u", i % 16 ? ", " : i ? ",\n     " : "", find_codeword(table, i >> 8, i >> 4 & 15, i & 15));
        }
        printf("}%s\n", table ? "};" : ",");
    }
}

/* The U-VLC code of u: prefix, then suffix, each sent from its lowest bit. */
struct code {
    unsigned bits, count;
};

static struct code prefix_of(unsigned u)
{
    struct code c = {u == 1 ? 1u : u == 2 ? 2u : u <= 4 && u ? 4u : 0u, u == 0 ? 0u : u < 3 ? u : 3u};
    return c;
}

static struct code suffix_of(unsigned u)
{
    struct code c = {u < 3 ? 0 : u < 5 ? u - 3 : u - 5, u < 3 ? 0u : u < 5 ? 1u : 5u};
    return c;
}

static void append(struct code *to, struct code c)
{
    to->bits |= c.bits << to->count;
    to->count += c.count;
}

static struct code pair_of(unsigned u1, unsigned u2)
{
    struct code c = {0, 0};
    append(&c, prefix_of(u1));
    append(&c, prefix_of(u2));
    append(&c, suffix_of(u1));
    append(&c, suffix_of(u2));
    return c;
}

/* First row: MEL says whether both exceed 2, and then both are sent less 2; if they do not and the first does, one bit
 * is enough for the other. */
static struct code first_row_pair_of(unsigned u1, unsigned u2)
{
    if (u1 > 2 && u2 > 2) {
        return pair_of(u1 - 2, u2 - 2);
    }
    if (u1 > 2 && u2) {
        struct code c = {0, 0}, one = {u2 - 1, 1};
        append(&c, prefix_of(u1));
        append(&c, one);
        append(&c, suffix_of(u1));
        return c;
    }
    return pair_of(u1, u2);
}

static void print_pairs(void)
{
    printf("\n/* [first row 0, others 1][u of the first quad << 5 | u of the second]: what U-VLC sends of a pair, at "
           "most 16 bits, their number << 16. */\n");
    printf("static const uint32_t wvl_ht_uvlc[2][1024] = {\n");
    for (int table = 0; table < 2; table++) {
        printf("    {");
        for (unsigned i = 0; i < PREDICTIONS * PREDICTIONS; i++) {
            struct code c = (table ? pair_of : first_row_pair_of)(i / PREDICTIONS, i % PREDICTIONS);
            printf("%s%u", i % 12 ? ", " : i ? ",\n     " : "", c.bits | c.count << 16);
        }
        printf("}%s\n", table ? "};" : ",");
    }
}

/* Returns what SigProp sends of a column of four samples: those that have a significant neighbour (members) and are not
 * significant (own); each that becomes significant makes the next one a member. */
static unsigned send_column(unsigned members, unsigned own, unsigned bits)
{
    unsigned code = 0, count = 0, fresh = 0;
    for (unsigned row = 0; row < 4; row++) {
        if ((members >> row & 1) && !(own >> row & 1)) {
            unsigned bit = bits >> row & 1;
            code |= bit << count++;
            fresh |= bit << row;
            members |= bit << (row + 1);
        }
    }
    return code | count << 4 | fresh << 8;
}

static void print_columns(void)
{
    printf("\n/* [members | significant << 4 | bits << 8]: bits that SigProp sends of a column, their number << 4, "
           "what became significant << 8. */\n");
    printf("static const uint16_t wvl_ht_column[4096] = {\n    ");
    for (unsigned i = 0; i < 4096; i++) {
        printf("%s%u", i % 20 ? ", " : i ? ",\n    " : "", send_column(i & 15, i >> 4 & 15, i >> 8));
    }
    printf("};\n");
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        return printf("usage: gen_ht > codec/core/gen/ht_tables.h\n") < 0;
    }
    printf("/* SPDX-License-Identifier: BSD-2-Clause */\n/* Generated by tools/tablegen/gen_ht.c: what the HT passes "
           "look up. */\n");
    printf("#ifndef WVL_CORE_GEN_HT_TABLES_H\n#define WVL_CORE_GEN_HT_TABLES_H\n\n#include <stdint.h>\n\n");
    print_codewords();
    print_pairs();
    print_columns();
    printf("\n#endif\n");
    return 0;
}
