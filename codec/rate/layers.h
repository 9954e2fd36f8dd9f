/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layers of a picture: PCRD-opt over all tiles at once (J.14.3). For every layer a slope threshold is found whose
 * packets, headers counted to the byte, meet the target; then the layer is committed: its headers are coded for good.
 */
#pragma once

#include "base/pool.h"
#include "codec/t2/coded_tile.h"
#include "geom/handover_packets.h"

#define WVL_DECIDED UINT32_MAX

typedef struct wvl_layer_result {
    uint64_t bytes; /* of the whole codestream up to this layer */
    uint32_t slope;
    double squared_error; /* of the coefficients, an estimate, in squared units of the deepest component */
    double decoded_error; /* of the decoded samples where it was measured, else negative */
} wvl_layer_result;

/* Everything that is not a packet. */
typedef struct wvl_rate_overhead {
    uint64_t codestream_bytes; /* main header, SOT to SOD of every tile-part without PLT, EOC */
    uint64_t part_count;
    uint64_t *component_bytes; /* [cap groups]: part headers that count for the group, PLT and PPT marker segments
                                  without content included; NULL without a component cap */
} wvl_rate_overhead;

typedef struct wvl_layer_job {
    const wvl_plan *plan;
    const wvl_allocator *allocator;
    wvl_pool *pool;
    uint64_t rank;        /* in the pool */
    const wvl_look *look; /* may be NULL; once it is over nothing of the result counts */
    uint32_t workers;     /* the pool's concurrency */
    const wvl_store *bytes, *passes;
    uint32_t slope_least, slope_most; /* of all blocks' hulls, 1 to 65535; least > most: there are none */
    wvl_coded_tile *tiles;            /* [plan->syntax.tile_count] */
    wvl_portion portion;              /* what is at work; of a whole picture all tiles */
    wvl_packet_source
        packets; /* says what layers cost, and codes them. Set by the caller: wvl_packets_of_job(), or a device's */
    wvl_rate_overhead overhead;
    /* Squared error that a decoder will really have with the cuts in the states (next_passes), in squared units of the
     * deepest component; NULL: estimates must do. */
    double (*measure_error)(void *user);
    void *measure_user;
    uint32_t decided[WVL_RATE_GROUPS]; /* every block of the group is decided for thresholds from here on (core/hull.h);
                                          0: all passes are there */
    /* results */
    int is_undecided; /* blocks must be decided for `wanted` first; nothing else of the result counts */
    uint32_t wanted[WVL_RATE_GROUPS];
    wvl_layer_result *layers; /* [layer_count], caller's */
    uint8_t *headers;
    uint64_t header_count, header_capacity;
    wvl_contribution *contributions;
    uint64_t contribution_count, contribution_capacity;
    const char *problem;    /* why an error was returned */
    uint64_t problem_bytes; /* the least number of bytes that would do */
    /* working */
    wvl_status status;                    /* of the source of packets: its first error */
    uint64_t *body_histogram;             /* [rate groups][WVL_SLOPES]: wvl_histogram_bodies() */
    double *gain_histogram;               /* [WVL_SLOPES]: gains on hulls with at least this slope; NULL: nobody asks */
    uint64_t precinct_count, block_count; /* of the portion */
    uint16_t *sweep_order;
    double energy;                 /* squared error of the empty picture, gain units */
    uint8_t *scratch;              /* [workers]: wvl_rate_scratch_bytes() */
    wvl_t2_sizes sizes;            /* the greatest of all tiles; set by the caller */
    void *fill_memory;             /* wvl_rate_fill_bytes() */
    uint32_t *thresholds;          /* [cap groups]: of the layer in work */
    uint32_t *floors, *floors_bad; /* [cap groups]: least threshold that keeps the component cap; highest known to break
                                      it, plus one */
    uint8_t *floors_open;          /* [cap groups]: the floor is being searched */
    double *floors_rest;           /* [cap groups]: bytes beside the bodies of the group, as last measured */
    uint32_t given_layer;          /* the first layer that is not automatic, from the layer in work on */
    uint64_t *component_totals;    /* [cap groups] */
    uint64_t
        empty_layer_bytes; /* packets without contributions, their PLT lengths, PLT marker segments these may begin */
    uint64_t *budgets;     /* [layer_count]: most bytes of the codestream up to a layer */
    uint64_t *empty_component_bytes; /* [cap groups]: the same by group */
    uint32_t layers_to_come;         /* after the layer in work */
    uint64_t *sent_component_bytes;  /* [cap groups]: packets and PLT lengths of committed layers */
    uint64_t sent_bytes, sent_plt_bytes, sent_plm_bytes,
        sent_header_bytes; /* of committed layers, as in wvl_layer_cost */
} wvl_layer_job;

/* Squared error of the coefficients (wvl_layer_result), of sums in gain units without visual weights: squares of all
 * coefficients, and what passes take off them. */
double wvl_layers_squared_error(const wvl_plan *plan, double energy, double gain);
/* Bytes that wvl_layers_allocate works in, beyond headers and contributions. */
uint64_t wvl_layers_working_bytes(const wvl_plan *plan, const wvl_t2_sizes *sizes, uint32_t workers);
/* Releases headers and contributions of a job, whatever wvl_layers_allocate returned. */
void wvl_layers_fini(wvl_layer_job *job);
/* WVL_CANCELLED: the look is over. WVL_ERROR_UNREACHABLE: a cap is below what headers alone need (problem_bytes).
 * WVL_ERROR_MEMORY. */
wvl_status wvl_layers_allocate(wvl_layer_job *job);
