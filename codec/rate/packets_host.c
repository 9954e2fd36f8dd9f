/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/packets_host.h"

#include <math.h>

#include "codec/rate/histogram.h"
#include "codec/rate/measure.h"
#include "codec/rate/sweep.h"

static void open_precinct(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t p, uint32_t worker, void *user)
{
    wvl_t2_tile t2 = wvl_rate_open_t2(job, tile);
    (void)worker;
    (void)user;
    wvl_t2_open_precinct(&t2, p);
}

void wvl_packets_open(wvl_layer_job *job)
{
    wvl_sweep_open(job);
    wvl_sweep_precincts(job, open_precinct, NULL);
}

static wvl_status host_open(void *self, wvl_slope_sums *sums)
{
    wvl_layer_job *job = self;
    wvl_packets_open(job);
    wvl_histogram_build(job, sums);
    return WVL_OK;
}

static wvl_status host_begin(void *self, uint32_t layer)
{
    wvl_rate_open_layer(self, layer);
    return WVL_OK;
}

static wvl_status host_cut(void *self, const wvl_layer_cuts *cuts)
{
    wvl_rate_cut_layer(self, cuts);
    return WVL_OK;
}

static wvl_status host_measure(void *self, const wvl_layer_cuts *cuts, wvl_layer_cost *cost, uint64_t *group_bytes)
{
    *cost = wvl_rate_measure_layer(self, cuts, group_bytes);
    return WVL_OK;
}

static wvl_status host_fill(void *self, const wvl_layer_cuts *cuts, const wvl_layer_room *room, wvl_layer_cost *cost,
                            uint64_t *group_bytes)
{
    wvl_rate_fill(self, cuts, room, cost, group_bytes);
    return WVL_OK;
}

static wvl_status host_commit(void *self, const wvl_layer_cuts *cuts, wvl_layer_cost *cost, uint64_t *group_bytes)
{
    return wvl_rate_commit_layer(self, cuts, cost, group_bytes);
}

/* ---- What was sent --------------------------------------------------------------------------- */

static double gain_of(const wvl_layer_job *job, const wvl_coded_tile *tile, uint64_t b)
{
    unsigned sent = tile->states[b].sent_passes;
    return sent ? (double)wvl_block_gains(job->passes, &tile->blocks[b])[sent - 1] : 0.0;
}

/* Without visual weights. */
static void add_plain(const wvl_layer_job *job, const wvl_coded_tile *tile, const wvl_precinct *precinct,
                      wvl_sent_sums *sums)
{
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        const wvl_band_coding *band = &job->plan->syntax.codings[precinct->coding].band[pb->coding_band];
        for (uint64_t k = 0; k < wvl_precinct_blocks(pb); k++) {
            uint64_t b = wvl_precinct_block(pb, k);
            const wvl_coded_block *block = &tile->blocks[b];
            /* not in whole units: weighted, the energy of fine bands may be less than one */
            sums->energy_plain +=
                ldexp((double)block->energy * band->weight_mantissa / band->visual,
                      2 * block->energy_shift + band->weight_exponent - job->plan->rate.gain_exponent);
            sums->gain_plain += gain_of(job, tile, b) / band->visual;
            if (wvl_look_listed(job->look, k)) {
                return;
            }
        }
    }
}

static int add_block(const wvl_layer_job *job, const wvl_coded_tile *tile, uint64_t b, wvl_sent_sums *sums)
{
    unsigned planes = tile->blocks[b].planes;
    sums->is_everything &=
        tile->states[b].sent_passes == (planes ? 3 * planes - 2 : 0); /* not all of them may have been coded */
    sums->gain += gain_of(job, tile, b);
    return wvl_look_listed(job->look, b);
}

static void add_precinct(const wvl_layer_job *job, const wvl_coded_tile *tile, const wvl_precinct *precinct,
                         wvl_sent_sums *sums)
{
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        for (uint64_t k = 0, n = wvl_precinct_blocks(pb); k < n; k++) {
            if (add_block(job, tile, wvl_precinct_block(pb, k), sums)) {
                return;
            }
        }
    }
}

wvl_status wvl_packets_add_sent(const wvl_layer_job *job, wvl_sent_sums *sums)
{
    const wvl_portion *portion = &job->portion;
    for (uint32_t t = portion->first; t < portion->end; t++) {
        const wvl_coded_tile *tile = &job->tiles[t];
        for (uint64_t b = 0; !portion->precincts && b < tile->block_count; b++) {
            if (add_block(job, tile, b, sums)) {
                return WVL_CANCELLED;
            }
        }
        for (uint64_t i = 0; portion->precincts && i < portion->count; i++) {
            add_precinct(job, tile, &tile->precincts[portion->precincts[i]], sums);
        }
        for (uint64_t i = 0; job->plan->rate.visual && i < wvl_portion_count(portion, tile); i++) {
            add_plain(job, tile, &tile->precincts[wvl_portion_at(portion, i)], sums);
        }
    }
    return wvl_look_is_over(job->look) ? WVL_CANCELLED : WVL_OK;
}

static wvl_status host_sent(void *self, wvl_sent_sums *sums)
{
    *sums = (wvl_sent_sums){0.0, 0.0, 0.0, 1};
    return wvl_packets_add_sent(self, sums);
}

/* ---- Packets --------------------------------------------------------------------------------- */

static wvl_packet_length host_length(void *self, uint32_t tile, uint64_t packet)
{
    const wvl_layer_job *job = self;
    const wvl_packet *p = &job->tiles[tile].packets[packet];
    return (wvl_packet_length){p->body_bytes, p->header_bytes};
}

static wvl_packet_span host_fetch(void *self, uint32_t tile, uint64_t packet, uint64_t piece)
{
    const wvl_layer_job *job = self;
    const wvl_packet *p = &job->tiles[tile].packets[packet];
    if (!piece) {
        return (wvl_packet_span){job->headers + p->header_at, p->header_bytes};
    }
    if (piece > p->contribution_count) {
        return (wvl_packet_span){NULL, 0};
    }
    const wvl_contribution *c = &job->contributions[p->contributions_at + piece - 1];
    const uint8_t *bytes = wvl_store_at(job->bytes, job->tiles[tile].blocks[c->block].bytes_at);
    return (wvl_packet_span){bytes + c->from, c->to - c->from};
}

wvl_packet_source wvl_packets_of_job(wvl_layer_job *job)
{
    return (wvl_packet_source){job,       host_open,   host_begin, host_cut,    host_measure,
                               host_fill, host_commit, host_sent,  host_length, host_fetch};
}
