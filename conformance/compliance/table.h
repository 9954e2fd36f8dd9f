/* SPDX-License-Identifier: BSD-2-Clause */
/* What the encoder writes into the fields of the marker segments that tell a decoder how to read the rest; each end of
 * a range has a case that proves it. */
#ifndef WVL_COMPLIANCE_TABLE_H
#define WVL_COMPLIANCE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* A field of the first marker segment of its kind, in the main header or else in a tile-part header. */
typedef struct compliance_field {
    const char *segment, *name, *clause;
    const char *option;  /* whose range it follows, or NULL */
    const char *meaning; /* of the values */
    uint16_t marker;
    int16_t offset;       /* bytes behind the marker; negative: from the marker segment's end */
    uint8_t wide_indices; /* component indices before it, which have one byte more from 257 components on */
    uint8_t bytes;        /* 0: a component index, one byte or two */
    uint8_t shift;
    uint32_t mask; /* of the value shifted down; 0: all */
} compliance_field;

/* conformance/fuzz/case.h says how a case is written. */
typedef struct compliance_proof {
    uint64_t value;
    const char *text;
} compliance_proof;

#define COMPLIANCE_MOST_PROOFS 6u

typedef struct compliance_row {
    compliance_field field;
    compliance_proof proofs[COMPLIANCE_MOST_PROOFS]; /* ends with a text of NULL, or is full */
    const char *refused, *reason; /* the next value, and what the refusal holds; NULL: none can be asked for */
} compliance_row;

const compliance_row *compliance_rows(size_t *count);

#endif
