/* SPDX-License-Identifier: BSD-2-Clause */
/* Known faults of the decoders that judge. One table: what was seen, with which version, when it applies. */
#pragma once

#include "picture.h"

typedef enum fuzz_decoder { FUZZ_OPENJPEG, FUZZ_GROK, FUZZ_OPENJPH } fuzz_decoder;

typedef struct fuzz_facts {
    const fuzz_case *c;
    const fuzz_picture *p;
    int has_tile_without_body; /* every packet of some tile is empty */
    const char *complaint;     /* of the decoder; NULL: none yet */
    unsigned planes;           /* the most magnitude bits that QCD and QCC give a band of 9/7 */
    int has_exponent_0;        /* of a band of 5/3 */
    int has_unlike_offsets;    /* a colour transform in some tile, and components 0 to 2 apart in CRG */
    int has_unlike_precincts;  /* a COC with other precincts than the COD */
} fuzz_facts;

/* Takes planes, has_exponent_0, has_unlike_offsets and has_unlike_precincts from the markers of a codestream. */
void fuzz_facts_read(const uint8_t *codestream, size_t bytes, fuzz_facts *facts);

typedef struct fuzz_fault {
    fuzz_decoder decoder;
    const char *id, *version;
    int (*applies)(const fuzz_facts *f);
    const char *evidence;
    int is_fatal; /* the decoder dies or does not come back: it is not asked. Others count only where it dissents */
} fuzz_fault;

const fuzz_fault *fuzz_faults(size_t *count);
/* The first fault of the decoder that applies to a case; NULL: the decoder is to be believed. */
const fuzz_fault *fuzz_faults_find(fuzz_decoder decoder, const fuzz_facts *f);
