/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What follows from the plan alone of a finished picture: its packets in their order, the blocks of each, tile-parts,
 * and the bytes of headers and boxes with room for the lengths. The host builds it once a plan
 * (codec/write/assembly.h); a device that puts pictures together reads it (cuda/packets). Flat tables, the same on
 * both sides.
 */
#pragma once

#include <stdint.h>

#define WVL_ASSEMBLY_MOST_BLOCKS (UINT32_C(1) << 25) /* of a packet in one band, not reached */
#define WVL_ASSEMBLY_MOST_LEVELS 16u /* of a tag tree: a precinct has at most 2^13 blocks along an axis */

/* The blocks of a packet in one band. Blocks of a picture are numbered tile by tile, as tile plans number them. */
typedef struct wvl_assembly_band {
    uint32_t first_block;
    uint32_t stride;     /* blocks from row to row of the band */
    uint32_t cols, rows; /* 0: none */
    uint32_t planes;     /* Mb */
} wvl_assembly_band;

/* A packet. Its head is SOP, the packet header and EPH. */
typedef struct wvl_assembly_packet {
    uint64_t head_at;  /* among the heads of the picture: room for any header */
    uint64_t nodes_at; /* among the tag nodes of the picture: both trees share a node */
    wvl_assembly_band band[3];
    uint32_t node_count;
    uint32_t first_place, block_count; /* its blocks in the list of places */
    uint32_t part;
    uint16_t number; /* Nsop */
    uint16_t layer;
    uint8_t band_count, sop, eph, room;
} wvl_assembly_packet;

/* The blocks of all packets, in the order of packets. */
typedef struct wvl_assembly_place {
    uint32_t block, packet;
} wvl_assembly_place;

/* A tile-part. Its header is SOT, what the tile says of itself, PLT and SOD. */
typedef struct wvl_assembly_part {
    uint64_t header_at;                   /* among the part headers of the picture: room for any */
    uint32_t template_at, template_bytes; /* SOT and the tile's marker segments in the bytes; Psot is to be set */
    uint32_t length_from, length_at;      /* the TLM bytes that are its own, up to Ptlm, and Ptlm; both in the bytes */
    uint32_t first_packet, packet_count;
    uint32_t first_segment; /* of PLT, in the list of these */
    uint32_t room;
} wvl_assembly_part;

/* For results, on the host: whose bytes a packet's are, and which tile-part it is. */
typedef struct wvl_assembly_owner {
    uint16_t component;
    uint16_t resolution;
    uint32_t tile, precinct; /* of the tile */
} wvl_assembly_owner;
typedef struct wvl_assembly_part_name {
    uint32_t tile, index, count; /* as wvl_tile_part_info */
    uint32_t cap_group;          /* wvl_plan_cap_group() of its packets; UINT32_MAX: of several */
} wvl_assembly_part_name;

/* What rate control has chosen for a layer, where there are several. */
typedef struct wvl_assembly_layer {
    uint64_t bytes;         /* of the codestream up to it, as rate control bounds them */
    double gain;            /* wvl_finished.gain of what is sent up to it */
    uint32_t threshold;     /* slope */
    uint32_t is_everything; /* every pass of every block is sent */
} wvl_assembly_layer;

/* A band whose step follows the byte target (D-ht-04): what becomes of magnitudes, weights and planes when steps
 * are a number of sixteenths of an octave coarser. */
typedef struct wvl_assembly_step {
    uint64_t factor; /* old step over new one, in 1/2^32 */
    uint32_t weight_mantissa;
    int32_t weight_exponent;
    uint32_t planes; /* Mb */
    uint32_t room;
} wvl_assembly_step;

/* Consecutive tiles of a picture that are finished together (D-device-27). */
typedef struct wvl_tile_range {
    uint32_t first, count;
} wvl_tile_range;

typedef struct wvl_assembly {
    wvl_tile_range range; /* its tiles; blocks, packets and tile-parts are numbered from the first of them on */
    wvl_assembly_packet *packets;
    wvl_assembly_part *parts;
    wvl_assembly_place *places;
    uint8_t *bytes;
    wvl_assembly_owner *owners;         /* [packet_count] */
    wvl_assembly_part_name *part_names; /* [part_count] */
    wvl_assembly_step *steps;           /* [16][step_count]: by sixteenths; coding by coding, step_bands each */
    uint32_t step_count, step_bands;    /* 0: steps are what they are */
    uint32_t mains_at;      /* with steps: in the bytes, for each number of sixteenths the main header up to TLM and, */
    uint32_t variant_bytes; /* where these are more than its own, the templates of all tile-parts */
    uint32_t packet_count, part_count, place_count;
    uint32_t block_count;   /* of a layer */
    uint32_t layer_count;   /* records of blocks lie layer by layer */
    uint32_t segment_count; /* places in the list of PLT marker segments */
    uint32_t byte_count;
    uint32_t boxes_bytes;       /* bytes: boxes before the codestream, */
    uint32_t main_bytes;        /* then the main header up to TLM, */
    uint32_t tlm_bytes;         /* then TLM, then templates of parts */
    uint8_t has_long_box;       /* it has 16 bytes, whatever the length (wvl_early_needs_long_box) */
    uint8_t has_boxes, has_plt; /* the header of the codestream's box stands between boxes and main header */
    uint64_t head_bytes, part_header_bytes, node_count;
    uint64_t output_bytes_bound; /* of what is finished, proved */
    void *memory;                /* one allocation holds the tables */
    uint64_t memory_bytes;
} wvl_assembly;
