/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks the packets of a parsed codestream (Annex B.9 to B.12) with geometry, progression and tag trees of its own. It
 * shares no code with the library. Coded bytes are measured, not decoded. */
#ifndef TEST_PACKETS_H
#define TEST_PACKETS_H

#include "tests/prop/cs_parse.h"

typedef struct packet_info {
    unsigned tile, component, resolution, layer;
    uint64_t precinct;    /* raster index in its resolution */
    size_t part;          /* index into cs_stream.parts */
    size_t offset, bytes; /* SOP, header, EPH, body */
    size_t header_bytes, body_bytes;
} packet_info;

typedef struct packet_list {
    packet_info *items; /* in the order of the codestream */
    size_t count, capacity;
    uint64_t blocks_coded, passes;
} packet_list;

/* 1: the packets of every tile, in the order that COD announces, fill its tile-parts exactly; every header is well
 * formed; PLT, SOP and EPH agree. 0: error says what does not. Release with packets_free either way. */
int packets_walk(const uint8_t *data, const cs_stream *stream, packet_list *list, char *error, size_t error_bytes);
void packets_free(packet_list *list);

#endif
