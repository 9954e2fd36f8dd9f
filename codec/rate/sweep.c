/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/sweep.h"

#define SORTED 1024u      /* precincts: more are even enough as they come */
#define LEAST_BLOCKS 512u /* fewer are visited sooner than workers come */
#define RUNS_PER_WORKER 64u

typedef struct sweep {
    wvl_layer_job *job;
    wvl_visit_fn visit;
    void *user;
    uint64_t step; /* precincts taken at a time */
    _Atomic uint64_t next;
} sweep;

uint64_t wvl_sweep_bytes(void) { return SORTED * sizeof(uint16_t); }

/* Those of high resolutions first: they have the most blocks, and work ends when the largest one does. */
static void sort_precincts(wvl_layer_job *job)
{
    uint64_t at = 0;
    for (uint32_t r = job->plan->syntax.max_levels + 1u; r-- > 0;) {
        uint64_t index = 0;
        for (uint32_t t = job->portion.first; t < job->portion.end; t++) {
            const wvl_coded_tile *tile = &job->tiles[t];
            for (uint64_t i = 0; i < wvl_portion_count(&job->portion, tile); i++, index++) {
                if (tile->precincts[wvl_portion_at(&job->portion, i)].resolution == r) {
                    job->sweep_order[at++] = (uint16_t)index;
                }
            }
        }
    }
}

static uint64_t count_blocks(const wvl_portion *portion, const wvl_coded_tile *tile)
{
    uint64_t blocks = 0;
    for (uint64_t i = 0; portion->precincts && i < portion->count; i++) {
        const wvl_precinct *precinct = &tile->precincts[portion->precincts[i]];
        for (unsigned b = 0; b < precinct->band_count; b++) {
            blocks += wvl_precinct_blocks(&precinct->band[b]);
        }
    }
    return portion->precincts ? blocks : tile->block_count;
}

void wvl_sweep_open(wvl_layer_job *job)
{
    job->precinct_count = job->block_count = 0;
    for (uint32_t t = job->portion.first; t < job->portion.end; t++) {
        job->tiles[t].first_precinct = job->precinct_count;
        job->precinct_count += wvl_portion_count(&job->portion, &job->tiles[t]);
        job->block_count += count_blocks(&job->portion, &job->tiles[t]);
    }
    if (job->precinct_count <= SORTED) {
        sort_precincts(job);
    }
}

/* The last tile that begins at or before the precinct, and so has it: empty ones begin where the next one does. */
static uint32_t find_tile(const wvl_layer_job *job, uint64_t precinct)
{
    uint32_t lo = job->portion.first, hi = job->portion.end;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (job->tiles[mid].first_precinct <= precinct) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static void visit_precincts(void *arg, uint32_t index, uint32_t worker)
{
    sweep *s = arg;
    wvl_layer_job *job = s->job;
    int is_sorted = job->precinct_count <= SORTED;
    (void)index;
    for (uint64_t i; (i = atomic_fetch_add_explicit(&s->next, s->step, memory_order_relaxed)) < job->precinct_count;) {
        for (uint64_t end = wvl_min_u64(i + s->step, job->precinct_count); i < end; i++) {
            if (wvl_look_is_over(job->look)) {
                return; /* what an earlier visit left may not be complete */
            }
            uint64_t p = is_sorted ? job->sweep_order[i] : i;
            wvl_coded_tile *tile = &job->tiles[find_tile(job, p)];
            s->visit(job, tile, wvl_portion_at(&job->portion, p - tile->first_precinct), worker, s->user);
            if (wvl_look_after(job->look, WVL_LOOK_VISIT, 1)) {
                return;
            }
        }
    }
}

void wvl_sweep_precincts(wvl_layer_job *job, wvl_visit_fn visit, void *user)
{
    uint64_t tasks = job->block_count < LEAST_BLOCKS ? 1 : wvl_min_u64(job->workers, job->precinct_count);
    sweep s = {
        job, visit, user,
        job->precinct_count <= SORTED ? 1 : wvl_max_u64(1, job->precinct_count / (RUNS_PER_WORKER * job->workers)), 0};
    if (tasks > 1) {
        wvl_pool_run_ranked(job->pool, job->rank, (uint32_t)tasks, visit_precincts, &s);
    } else {
        visit_precincts(&s, 0, 0);
    }
}
