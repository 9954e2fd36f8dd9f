/* SPDX-License-Identifier: BSD-2-Clause */
/* What the markers of a codestream say, by which known faults of decoders are found. */
#include <string.h>

#include "faults.h"

#define SOT 0xFF90u
#define SOD 0xFF93u
#define COD 0xFF52u
#define COC 0xFF53u
#define QCD 0xFF5Cu
#define QCC 0xFF5Du
#define CRG 0xFF63u

typedef struct found {
    fuzz_facts *facts;
    int is_wide;                     /* component indices have two bytes (A.6.2) */
    int has_transform, has_distance; /* a colour transform; components 0 to 2 with unlike offsets in CRG */
    const uint8_t *precincts;        /* of the COD that holds; precinct_count 0: all are as large as can be (A.6.1) */
    unsigned precinct_count;
} found;

static unsigned be16(const uint8_t *p) { return (unsigned)p[0] << 8 | p[1]; }
static size_t be32(const uint8_t *p) { return (size_t)be16(p) << 16 | be16(p + 2); }

/* p: the marker of QCD or QCC. */
static void take_exponents(const uint8_t *p, found *f)
{
    unsigned index_bytes = f->is_wide ? 2 : 1;
    unsigned end = be16(p + 2) + 2, at = be16(p) == QCD ? 4 : 4 + index_bytes;
    unsigned style = p[at] & 31, guard_bits = p[at] >> 5;
    for (unsigned i = at + 1; i < end; i += style ? 2 : 1) {
        unsigned exponent = p[i] >> 3, planes = guard_bits + exponent - 1;
        f->facts->planes = style && planes > f->facts->planes ? planes : f->facts->planes;
        f->facts->has_exponent_0 |= !style && !exponent;
    }
}

/* p: the marker of COD or COC. style: bytes from there to Scod or Scoc; precincts: to the sizes, if there are some. */
static void take_precincts(const uint8_t *p, unsigned style, unsigned precincts, found *f)
{
    const uint8_t *sizes = p + precincts;
    unsigned count = p[style] & 1 ? be16(p + 2) + 2 - precincts : 0;
    if (be16(p) == COD) {
        f->precincts = sizes;
        f->precinct_count = count;
    } else {
        f->facts->has_unlike_precincts |=
            count != f->precinct_count || (count && memcmp(sizes, f->precincts, count) != 0);
    }
}

static void take_segment(const uint8_t *p, int is_main, found *f)
{
    unsigned marker = be16(p), index_bytes = f->is_wide ? 2 : 1;
    if (marker == COD) {
        f->has_transform |= p[8] == 1;
        take_precincts(p, 4, 14, f);
    } else if (marker == COC) {
        take_precincts(p, 4 + index_bytes, 10 + index_bytes, f);
    } else if (marker == CRG && be16(p + 2) >= 2 + 3 * 4) {
        f->has_distance = memcmp(p + 4, p + 8, 4) != 0 || memcmp(p + 8, p + 12, 4) != 0;
    } else if (is_main && (marker == QCD || marker == QCC)) {
        take_exponents(p, f);
    }
}

/* Marker segments from p to SOT or SOD. Returns where that marker is, or NULL. */
static const uint8_t *read_header(const uint8_t *p, const uint8_t *end, int is_main, found *f)
{
    while (end - p >= 4 && be16(p) != SOT && be16(p) != SOD) {
        size_t length = 2 + (size_t)be16(p + 2);
        if (length > (size_t)(end - p)) {
            return NULL;
        }
        take_segment(p, is_main, f);
        p += length;
    }
    return end - p >= 2 ? p : NULL;
}

void fuzz_facts_read(const uint8_t *codestream, size_t bytes, fuzz_facts *facts)
{
    enum { CSIZ = 40, SOT_BYTES = 12 };
    const uint8_t *end = codestream + bytes, *p = codestream + 2;
    found f = {.facts = facts, .is_wide = bytes > CSIZ + 2 && be16(codestream + CSIZ) > 256};
    p = read_header(p, end, 1, &f);
    const found main_header = f;
    while (p && end - p > SOT_BYTES && be16(p) == SOT) {
        size_t part_bytes = be32(p + 6); /* Psot; 0: to the end */
        int is_last = part_bytes <= SOT_BYTES || part_bytes >= (size_t)(end - p);
        f.precincts = main_header.precincts;
        f.precinct_count = main_header.precinct_count;
        (void)read_header(p + SOT_BYTES, end, 0, &f);
        p = is_last ? NULL : p + part_bytes;
    }
    facts->has_unlike_offsets = f.has_transform && f.has_distance;
}
