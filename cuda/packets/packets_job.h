/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernels read and write that put pictures together: flat tables in device memory, the same on both sides.
 * Addresses are those of the device. The tables of the plan come from geom/handover_assembly.h, coded blocks from a
 * block coder. cuda/packets/README.md says who runs what.
 */
#pragma once

#include "geom/handover_assembly.h"

/* What a block sends in a layer, whatever coded it. Segments: passes << 24 | bytes; those beyond the second lie in a
 * list. */
typedef struct wvl_cuda_packets_block {
    uint64_t bytes; /* address of the first byte; of a set of HT passes that of its wvl_cuda_ht_part */
    uint64_t more;  /* the same of the third segment: uint32_t[segment_count - 2] */
    uint32_t segment[2];
    uint32_t byte_count;   /* of all segments */
    uint8_t segment_count; /* 0: nothing is sent */
    uint8_t passes;        /* of all segments */
    uint8_t zero_planes;   /* also of blocks that send nothing: what the tag tree holds */
    uint8_t flags;         /* WVL_CUDA_PACKETS_LEFT, _SENT, and from _GROWTH on how much Lblock has grown before */
} wvl_cuda_packets_block;

/* Flags of a block beside WVL_CUDA_PACKETS_LEFT: a layer before has sent some of it. Lblock is at most 24, for lengths
 * of 24 bits. */
#define WVL_CUDA_PACKETS_SENT 2u
#define WVL_CUDA_PACKETS_GROWTH 2u

/* Why a picture was not put together. The host puts it together from the blocks, and finds the words for errors. */
enum {
    WVL_CUDA_PACKETS_LEFT = 1,      /* a block was not coded */
    WVL_CUDA_PACKETS_SHORT = 2,     /* the output has no room */
    WVL_CUDA_PACKETS_LARGE = 4,     /* a packet or tile-part exceeds a field of the standard */
    WVL_CUDA_PACKETS_UNBOUNDED = 8, /* magnitudes exceed what the plan had proved */
    WVL_CUDA_PACKETS_OUTSIDE = 16,  /* a sample of the picture is outside its depth */
    WVL_CUDA_PACKETS_OVER = 32      /* not even empty packets keep the limits */
};

/* Where a picture goes. One thread of a launch reads this: it may lie in pinned memory, as all that it names. */
typedef struct wvl_cuda_packets_picture {
    uint64_t output; /* of the first byte; a multiple of 16. Device memory, or pinned memory as the device sees it */
    uint64_t output_bytes; /* room there */
    uint64_t result;       /* wvl_cuda_packets_result */
    uint64_t lengths; /* uint32_t[packet_count + part_count]: bytes of packets, Psot of tile-parts, written where no
                       * flag is set; 0: not wanted */
    uint64_t layers;  /* wvl_assembly_layer[layer_count], of several layers; 0: not wanted */
} wvl_cuda_packets_picture;

/* What rate control has chosen. */
typedef struct wvl_cuda_packets_outcome {
    uint32_t threshold;
    uint32_t is_everything; /* every pass of every block is sent */
} wvl_cuda_packets_outcome;

typedef struct wvl_cuda_packets_result {
    uint64_t bytes;      /* of the picture; with SHORT what it would take, with LEFT and LARGE undefined */
    uint64_t codestream; /* bytes before SOC */
    uint32_t flags;      /* 0: all bytes are there */
    uint32_t outside;    /* not 0: a sample was outside its depth */
    double energy, left; /* sums over wvl_cuda_block_error of all blocks, in a fixed order; 0 without them */
    wvl_cuda_packets_outcome outcome; /* 0 without rate control */
} wvl_cuda_packets_result;

/* A packet between the kernels. */
typedef struct wvl_cuda_packets_length {
    uint32_t head_bytes, body_bytes, flags;
} wvl_cuda_packets_length;

/* A tile-part between the kernels. */
typedef struct wvl_cuda_packets_span {
    uint64_t at;           /* in the codestream */
    uint64_t first;        /* sum of the lengths of all packets before its first */
    uint32_t first_plt;    /* the same of their PLT codes */
    uint32_t header_bytes; /* SOT to SOD */
    uint32_t psot;
    uint32_t segments; /* of PLT */
} wvl_cuda_packets_span;

/* The working memory of a picture: offsets in bytes, set by wvl_cuda_packets_measure. A piece is a run of bytes of the
 * output: it ends where the next one begins. */
typedef struct wvl_cuda_packets_work {
    uint64_t nodes;     /* uint32_t[node_count]: of packets whose nodes do not fit shared memory */
    uint64_t heads;     /* head_bytes */
    uint64_t headers;   /* part_header_bytes */
    uint64_t main;      /* tlm_bytes, and the header of the codestream's box */
    uint64_t lengths;   /* wvl_cuda_packets_length[packet_count] */
    uint64_t sums;      /* uint64_t[packet_count + 1]: of the lengths of packets */
    uint64_t plt_sums;  /* uint32_t[packet_count + 1] */
    uint64_t spans;     /* wvl_cuda_packets_span[part_count] */
    uint64_t segments;  /* uint32_t[segment_count]: first packets of PLT marker segments */
    uint64_t body_at;   /* uint32_t[place_count]: of a block's bytes in the body of its packet */
    uint64_t starts;    /* uint64_t[piece_count + 1]: in the output */
    uint64_t sources;   /* uint64_t[piece_count]: addresses */
    uint64_t totals;    /* uint64_t[WVL_CUDA_PACKETS_TOTALS] */
    uint64_t all_bytes; /* of a picture */
} wvl_cuda_packets_work;

/* Words of a picture, for the kernels behind: bytes to be written (0 with flags), bytes before SOC; of
 * wvl_cuda_packets_picture, so that they need not look into pinned memory. */
enum {
    WVL_CUDA_PACKETS_END,
    WVL_CUDA_PACKETS_BEGIN,
    WVL_CUDA_PACKETS_OUTPUT,
    WVL_CUDA_PACKETS_REPORT,
    WVL_CUDA_PACKETS_TOTALS
};

/* Thread blocks that code packet headers, by tag nodes and blocks of the packet. */
enum {
    WVL_CUDA_PACKETS_WIDE,  /* in shared memory, if they fit there */
    WVL_CUDA_PACKETS_SMALL, /* few nodes, in shared memory */
    WVL_CUDA_PACKETS_CLASSES
};
#define WVL_CUDA_PACKETS_SMALL_THREADS 64u
#define WVL_CUDA_PACKETS_SMALL_NODES 256u
#define WVL_CUDA_PACKETS_WIDE_THREADS 512u
#define WVL_CUDA_PACKETS_WIDE_NODES 7168u
#define WVL_CUDA_PACKETS_PLACE_THREADS 1024u
#define WVL_CUDA_PACKETS_PIECE_THREADS 256u
#define WVL_CUDA_PACKETS_WRITE_THREADS 256u
#define WVL_CUDA_PACKETS_WRITE_ROW 512u /* bytes of the output that a warp writes at a time */
#define WVL_CUDA_PACKETS_WRITE_ROWS 8u  /* most rows that lie side by side for a warp */

/* Pieces of the output beside blocks: boxes, the header of the codestream's box, main header, TLM; EOC. */
#define WVL_CUDA_PACKETS_MAIN_PIECES 4u
#define WVL_CUDA_PACKETS_OTHER_PIECES 5u
#define WVL_CUDA_PACKETS_HT_PIECES 5u      /* of a block as the HT coder leaves it in scratch memory, */
#define WVL_CUDA_PACKETS_CLEANUP_PIECES 3u /* where no block has SigProp or MagRef */

/* The argument of all kernels. */
typedef struct wvl_cuda_packets_job {
    /* Tables of the plan, shared by all jobs. */
    uint64_t packets; /* wvl_assembly_packet[packet_count] */
    uint64_t parts;   /* wvl_assembly_part[part_count] */
    uint64_t places;  /* wvl_assembly_place[place_count] */
    uint64_t bytes;   /* byte_count */
    uint64_t order;   /* uint32_t[packet_count]: indexes of packets, class by class */
    /* Blocks of picture p begin at p * layer_count * block_count. */
    uint64_t blocks;       /* wvl_cuda_packets_block; NULL: those of the HT coder follow (cuda/blocks/ht_job.h) */
    uint64_t block_places; /* uint32_t[block_count]: numbers of blocks in `blocks`; 0: as packets number them */
    uint64_t ht_records, ht_parts, ht_scratch;
    uint64_t t1_blocks, t1_records, t1_scratch; /* of the EBCOT coder (cuda/blocks/t1_job.h), of one picture: `blocks`
                                                 * are made from them; 0: they are there */
    uint64_t errors;                            /* wvl_cuda_block_error of the blocks; 0: none */
    uint64_t unbounded; /* a word: blocks whose magnitudes exceed what the plan had proved; 0: none is counted */
    uint64_t left;      /* a word: codings that found no room, also of blocks that were coded again; 0: as unbounded */
    uint64_t outside;   /* the word of the transform; 0: none */
    uint64_t notes;     /* a word of flags that the kernels in front have set; 0: none */
    uint64_t outcome;   /* wvl_cuda_packets_outcome; 0: there is no rate control */
    uint64_t layers;    /* wvl_assembly_layer[layer_count]; 0: there is one layer */
    uint64_t since;     /* uint16_t[packet_count]: 1 and the last layer before in which the packet of the same precinct
                         * says something, or 0; 0: there is one layer */
    uint64_t variant;   /* a word: which of the headers at `mains` a picture has; 0: there are those in `bytes` */
    uint64_t mains; /* of each: a main header up to TLM and, if variant_bytes are more, the templates of all parts */
    uint64_t variant_bytes;
    /* The job's own. */
    uint64_t pictures; /* wvl_cuda_packets_picture[picture_count] */
    uint64_t memory;   /* work.all_bytes for each picture, aligned to 256 */
    wvl_cuda_packets_work work;
    uint32_t picture_count, packet_count, part_count, place_count, block_count, layer_count;
    uint32_t boxes_bytes, main_bytes, tlm_bytes;
    uint32_t has_boxes, has_plt;
    uint32_t has_long_box; /* the header of the codestream's box has 16 bytes, whatever the length */
    uint32_t pieces;       /* of a block: 1, or WVL_CUDA_PACKETS_*_PIECES */
    uint32_t piece_count;  /* of a picture */
    uint32_t class_count[WVL_CUDA_PACKETS_CLASSES];
    uint32_t writers; /* most thread blocks that write the bytes of a picture; 0: as many as the device holds. A few
                       * dozen keep the bus to pinned memory busy, and leave the device to other launches */
    uint32_t first_packet; /* of a launch, in the order */
    uint32_t shared_nodes; /* tag nodes that its thread blocks hold in shared memory */
} wvl_cuda_packets_job;

/* 32-bit words of shared memory of a thread block that codes packet headers: sums, first nodes of levels, variables,
 * entries of warps, a window of bits; then nodes. */
#define WVL_CUDA_PACKETS_HEAD_SUMS 0u
#define WVL_CUDA_PACKETS_HEAD_LEVELS 64u
#define WVL_CUDA_PACKETS_HEAD_SHARE (WVL_CUDA_PACKETS_HEAD_LEVELS + 3u * WVL_ASSEMBLY_MOST_LEVELS)
#define WVL_CUDA_PACKETS_HEAD_ENTRIES (WVL_CUDA_PACKETS_HEAD_SHARE + 8u)
#define WVL_CUDA_PACKETS_HEAD_WINDOW(threads) (WVL_CUDA_PACKETS_HEAD_ENTRIES + (threads) / 2u)
#define WVL_CUDA_PACKETS_HEAD_ROOM(threads) (4u * (threads)) /* words of the window; one more is 0 */
#define WVL_CUDA_PACKETS_HEAD_NODES(threads)                                                                           \
    (WVL_CUDA_PACKETS_HEAD_WINDOW(threads) + WVL_CUDA_PACKETS_HEAD_ROOM(threads) + 2u)
#define WVL_CUDA_PACKETS_WRITE_WORDS (WVL_CUDA_PACKETS_WRITE_THREADS / 32u * 128u)
