/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several levels of the 1-D transform in one launch, without samples that are computed twice (D-lattice-07).
 *
 * As in march.cuh a warp goes along its stretch of the signal, run after run. What the last pair of a run lacks, and
 * the next run has, is kept from run to run: one value a stage and level. Forward, pairs need the pairs behind them,
 * so a warp goes from the end of its stretch to its beginning. The inverse goes the other way. A run gives as many
 * pairs as it takes, so that the order of runs is known beforehand: a level runs once where the level below (forward)
 * or above (the inverse, for the one above) runs twice. Places in memory follow from the number of the run.
 *
 * The first run of each level begins without kept values. The stretch is so much longer (wvl_lattice_carry_reach()).
 *
 * STAGES: of a filter; each has a register for its kept value. 0: any number, and kept values stay in shared memory.
 * FEWER: filters may have fewer; they ask after each stage whether it was the last.
 */
#ifndef WVL_CUDA_LATTICE_CARRY_CUH
#define WVL_CUDA_LATTICE_CARRY_CUH

#include "lab/cuda/lattice/march.cuh"

namespace wvl_lattice
{

/* The kept values of a level, of the lane that has them. */
template <int STAGES> struct kept_values {
    float at[STAGES ? STAGES : 1], *room;
    bool is_mine;

    __device__ __forceinline__ kept_values(float *from, bool mine) : room(from), is_mine(mine)
    {
#pragma unroll
        for (int i = 0; i < STAGES; i++) {
            at[i] = mine ? room[i] : 0.0f;
        }
    }
    /* Takes what this run leaves, and gives what it sends to its neighbour. */
    __device__ __forceinline__ float turn(int i, float value)
    {
        float sent = value;
        if (STAGES) {
            sent = is_mine ? at[STAGES ? i : 0] : value;
            at[STAGES ? i : 0] = value;
        } else if (is_mine) {
            sent = room[i];
            room[i] = value;
        }
        return sent;
    }
    __device__ __forceinline__ void store()
    {
#pragma unroll
        for (int i = 0; i < STAGES; i++) {
            if (is_mine) {
                room[i] = at[i];
            }
        }
    }
};

/* Pairs or samples: level k begins here where the last level begins at `at`. */
static __device__ __forceinline__ long long begin_of_level(const wvl_lattice_args &a, long long at, int k)
{
    const int levels = a.levels - k;
    return (at << levels) + (long long)a.first * ((1 << levels) - 1);
}

/* Runs of level 1 for one of level k, as a power of 2: a run of level 2 takes 64 DEEP samples, and one of level 1 gives
 * 32 FIRST. */
template <int FIRST, int DEEP> static __device__ __forceinline__ int runs_log2(int k)
{
    static_assert(4 * DEEP == FIRST || 2 * DEEP == FIRST || DEEP == FIRST,
                  "a run of level 2 takes half a run of level 1, one, or two");
    static_assert(FIRST % 4 == 0 && DEEP % 4 == 0, "swizzle() repeats itself after 128 floats");
    return k <= 2 ? k == 2 && DEEP == FIRST : k - 2 + (DEEP == FIRST) - (4 * DEEP == FIRST);
}

/* Runs of level k in one turn, if there are any. */
template <int FIRST, int DEEP> static __device__ __forceinline__ int runs_at_once(int k)
{
    return 4 * DEEP == FIRST && k == 2 ? 2 : 1;
}

/* Floats before the buffer between levels k and k + 1. */
template <int FIRST, int DEEP> static __device__ __forceinline__ int buffer_before(int k)
{
    return k == 1 ? 0 : 64 * wvl_lattice_carry_second(FIRST, DEEP) + 64 * DEEP * (k - 2);
}

static __device__ __forceinline__ bool is_multiple(int n, int log2) { return (n & ((1 << log2) - 1)) == 0; }

/* ---- Forward --------------------------------------------------------------------------------- */

/* FEWER: the filter has fewer stages than MOST. */
template <int MOST, bool FEWER, int COUNT>
static __device__ __forceinline__ void stages_forward(const wvl_lattice_args &a, kept_values<MOST> &kept,
                                                      float (&u)[COUNT], float (&v)[COUNT])
{
    const int lane = (int)threadIdx.x & 31, count = (int)a.steps.stage_count;
#pragma unroll(MOST ? MOST : 3)
    for (int i = 0; i < (MOST ? MOST : count); i++) {
        if (FEWER && i >= count) {
            continue;
        }
        const float t = a.steps.t[i], s = a.steps.s[i];
        float first = 0;
#pragma unroll
        for (int r = 0; r < COUNT; r++) {
            const float next = add_product(u[r], t, v[r]);
            u[r] = add_product(v[r], s, u[r]);
            (r == 0 ? first : v[r == 0 ? 0 : r - 1]) = next;
        }
        v[COUNT - 1] = __shfl_sync(0xFFFFFFFFu, kept.turn(i, first), (lane + 1) & 31);
    }
}

template <int STAGES, bool FEWER, int COUNT>
static __device__ __forceinline__ void keep_forward(const wvl_lattice_args &a, float *room, const float (&x)[2 * COUNT],
                                                    float (&u)[COUNT], float (&v)[COUNT])
{
    const int lane = (int)threadIdx.x & 31;
    kept_values<STAGES> kept(room, lane == 0);
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        u[r] = x[2 * r];
        v[r] = x[2 * r + 1];
    }
    if (FEWER && (int)a.steps.stage_count < STAGES) {
        stages_forward<STAGES, FEWER>(a, kept, u, v);
    } else {
        stages_forward<STAGES, false>(a, kept, u, v);
    }
    kept.store();
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        apply(a.steps.b, u[r], v[r]);
    }
}

/* What a warp gives, and where its rooms in shared memory are. */
struct carry_stretch {
    long long tile, end; /* low coefficients of the last level: the first one, and the one after the last */
    float *results, *kept;
};

/* The run of level k that begins at pair `start`. buffer: to the next level. part: of it. */
template <int STAGES, bool FEWER, int COUNT>
static __device__ __forceinline__ void give_forward(const wvl_lattice_args &a, const carry_stretch &w, int k,
                                                    long long start, float *buffer, int part,
                                                    const float (&x)[2 * COUNT])
{
    const int lane = (int)threadIdx.x & 31, left = a.levels - k;
    const int from = (int)max((w.tile << left) - start, 0ll), end = (int)min((w.end << left) - start, 32ll * COUNT);
    const long long half = wvl_lattice_half(&a, k);
    float u[COUNT], v[COUNT];
    keep_forward<STAGES, FEWER>(a, w.kept + 16 * (k - 1), x, u, v);
    put_floats(w.results, COUNT * lane, v);
    if (left) {
        put_floats(buffer, 32 * COUNT * part + COUNT * lane, u);
    }
    __syncwarp();
    give_results(a.coefs + half + start, w.results, from, end, lane);
    __syncwarp();
    if (!left) {
        put_floats(w.results, COUNT * lane, u);
        __syncwarp();
        give_results(a.low + start, w.results, from, end, lane);
        __syncwarp();
    }
}

/* tile: low coefficients of the last level that a warp gives. Shared memory: wvl_lattice_carry_forward_floats() a warp.
 */
template <int FIRST, int DEEP, int STAGES = 0, bool FEWER = false>
static __device__ __forceinline__ void forward_carry(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(shared_floats);
    const int lane = (int)threadIdx.x & 31, parts = 1 << runs_log2<FIRST, DEEP>(2);
    const long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5,
                    half = wvl_lattice_half(&a, a.levels);
    float *samples = shared_floats + (int)(threadIdx.x >> 5) * wvl_lattice_carry_forward_floats(&a, FIRST, DEEP);
    float *results = samples + 64 * FIRST, *buffers = results + 32 * (FIRST > DEEP ? FIRST : DEEP);
    const carry_stretch w = {warp * a.tile, min((warp + 1) * a.tile, half), results,
                             buffers + buffer_before<FIRST, DEEP>(a.levels)};
    if (w.tile >= half) {
        return;
    }
    for (int i = lane; i < 16 * a.levels; i += 32) {
        w.kept[i] = 0.0f;
    }
    __syncwarp();
    const long long last = w.end + wvl_lattice_carry_reach(&a), first = begin_of_level(a, last, 1);
    const int whole = 32 * (a.levels == 1 ? FIRST : DEEP) * runs_at_once<FIRST, DEEP>(a.levels);
    const int runs = ((int)(last - w.tile) + whole - 1) / whole << runs_log2<FIRST, DEEP>(a.levels);
    fetch_samples<FIRST>(a, 2 * (first - 32 * FIRST) + a.first, samples, lane);
#pragma unroll 1
    for (int n = 0; n < runs; n++) {
        float x[2 * FIRST];
        const long long start = first - 32ll * FIRST * (n + 1);
        copy_wait(0);
        __syncwarp();
        take_floats(samples, 2 * FIRST * lane, x);
        __syncwarp();
        if (n + 1 < runs) {
            fetch_samples<FIRST>(a, 2 * (start - 32 * FIRST) + a.first, samples, lane);
        }
        give_forward<STAGES, FEWER, FIRST>(a, w, 1, start, buffers, parts - 1 - n % parts, x);
#pragma unroll 1
        for (int k = 2; k <= a.levels && is_multiple(n + 1, runs_log2<FIRST, DEEP>(k)); k++) {
            const int times = runs_at_once<FIRST, DEEP>(k);
#pragma unroll 1
            for (int i = times; i-- > 0;) { /* the last part of the buffer goes first */
                float deep[2 * DEEP];
                const int number = times * (n >> runs_log2<FIRST, DEEP>(k)) + times - 1 - i;
                take_floats(buffers + buffer_before<FIRST, DEEP>(k - 1), 64 * DEEP * i + 2 * DEEP * lane, deep);
                give_forward<STAGES, FEWER, DEEP>(a, w, k, begin_of_level(a, last, k) - 32ll * DEEP * (number + 1),
                                                  buffers + buffer_before<FIRST, DEEP>(k), 1 - (number & 1), deep);
            }
        }
    }
}

/* ---- The inverse ----------------------------------------------------------------------------- */

template <int MOST, bool FEWER, int COUNT>
static __device__ __forceinline__ void stages_inverse(const wvl_lattice_args &a, kept_values<MOST> &kept,
                                                      float (&u)[COUNT], float (&v)[COUNT])
{
    const int lane = (int)threadIdx.x & 31, count = (int)a.steps.stage_count;
#pragma unroll(MOST ? MOST : 3)
    for (int i = MOST ? MOST : count; i-- > 0;) {
        if (FEWER && i >= count) {
            continue;
        }
        const float t = -a.steps.t[i], s = -a.steps.s[i];
        float before = __shfl_sync(0xFFFFFFFFu, kept.turn(i, v[COUNT - 1]), (lane + 31) & 31);
#pragma unroll
        for (int r = 0; r < COUNT; r++) {
            const float taken = before, mine = u[r];
            before = v[r];
            u[r] = add_product(taken, t, mine);
            v[r] = add_product(mine, s, taken);
        }
    }
}

template <int STAGES, bool FEWER, int COUNT>
static __device__ __forceinline__ void keep_inverse(const wvl_lattice_args &a, float *room, float (&u)[COUNT],
                                                    float (&v)[COUNT], float (&x)[2 * COUNT])
{
    const int lane = (int)threadIdx.x & 31;
    kept_values<STAGES> kept(room, lane == 31);
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        apply(a.steps.inverse_b, u[r], v[r]);
    }
    if (FEWER && (int)a.steps.stage_count < STAGES) {
        stages_inverse<STAGES, FEWER>(a, kept, u, v);
    } else {
        stages_inverse<STAGES, false>(a, kept, u, v);
    }
    kept.store();
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        x[2 * r] = u[r];
        x[2 * r + 1] = v[r];
    }
}

/* Floats before the high coefficients of level k. */
template <int FIRST, int DEEP> static __device__ __forceinline__ int highs_before(int k)
{
    if (k <= 2) {
        return k == 2 ? 32 * FIRST : 0;
    }
    return 32 * FIRST + 32 * wvl_lattice_carry_second(FIRST, DEEP) + 32 * DEEP * (k - 3);
}

/* Rooms of a warp in shared memory: samples, coefficients on their way (low ones of the last level), low ones between
 * levels. last: the first low coefficient of the last level. */
struct inverse_stretch {
    long long last;
    int runs; /* of level 1 */
    float *results, *low, *highs, *buffers, *kept;
};

/* Coefficients of the run of level k that begins at pair `start`: low ones from the level above, or from memory. Then
 * those of the run `ahead` pairs later are on their way; 0: there is none. x: samples. left: groups of copies that were
 * begun after its own. */
template <int STAGES, bool FEWER, int COUNT>
static __device__ __forceinline__ void take_inverse(const wvl_lattice_args &a, int k, long long start, int ahead,
                                                    const float *low_buffer, float *low, float *high, float *kept,
                                                    int left, float (&x)[2 * COUNT])
{
    const int lane = (int)threadIdx.x & 31;
    float u[COUNT], v[COUNT];
    copy_wait(left);
    __syncwarp();
    take_floats(high, COUNT * lane, v);
    take_floats(low ? low : low_buffer, COUNT * lane, u);
    __syncwarp();
    if (ahead) {
        fetch_coefs<COUNT>(a, k, start + ahead, low, high, lane);
    }
    keep_inverse<STAGES, FEWER>(a, kept + 16 * (k - 1), u, v, x);
}

/* The first coefficients of all levels, on their way. */
template <int FIRST, int DEEP>
static __device__ __forceinline__ void begin_inverse(const wvl_lattice_args &a, const inverse_stretch &w)
{
    const int lane = (int)threadIdx.x & 31;
    for (int k = a.levels; k > 1; k--) {
        for (int i = 0; i < runs_at_once<FIRST, DEEP>(k); i++) {
            fetch_coefs<DEEP>(a, k, begin_of_level(a, w.last, k) + 32 * DEEP * i,
                              k == a.levels ? w.low + 32 * DEEP * i : nullptr,
                              w.highs + highs_before<FIRST, DEEP>(k) + 32 * DEEP * i, lane);
        }
    }
    fetch_coefs<FIRST>(a, 1, begin_of_level(a, w.last, 1), a.levels == 1 ? w.low : nullptr, w.highs, lane);
}

/* Levels above the first one in turn n. The result: groups of copies that were begun. */
template <int FIRST, int DEEP, int STAGES, bool FEWER>
static __device__ __forceinline__ int turn_inverse(const wvl_lattice_args &a, const inverse_stretch &w, int n)
{
    const int lane = (int)threadIdx.x & 31;
    int begun = 0;
#pragma unroll 1
    for (int k = a.levels; k > 1; k--) {
        const int log2 = runs_log2<FIRST, DEEP>(k), times = runs_at_once<FIRST, DEEP>(k);
        const bool has_next = n + (1 << log2) < w.runs;
#pragma unroll 1
        for (int i = 0; i < times && is_multiple(n, log2); i++) {
            const int number = times * (n >> log2) + i;
            float x[2 * DEEP];
            take_inverse<STAGES, FEWER, DEEP>(
                a, k, begin_of_level(a, w.last, k) + 32ll * DEEP * number, has_next ? 32 * DEEP * times : 0,
                w.buffers + buffer_before<FIRST, DEEP>(k) + 32 * DEEP * (number & 1),
                k == a.levels ? w.low + 32 * DEEP * i : nullptr, w.highs + highs_before<FIRST, DEEP>(k) + 32 * DEEP * i,
                w.kept, 1 + begun, x);
            begun += has_next;
            put_floats(w.buffers + buffer_before<FIRST, DEEP>(k - 1), 64 * DEEP * i + 2 * DEEP * lane, x);
            __syncwarp();
        }
    }
    return begun;
}

/* Shared memory: wvl_lattice_carry_inverse_floats() a warp. */
template <int FIRST, int DEEP, int STAGES = 0, bool FEWER = false>
static __device__ __forceinline__ void inverse_carry(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(shared_floats);
    const int lane = (int)threadIdx.x & 31, parts = 1 << runs_log2<FIRST, DEEP>(2);
    const long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const long long begin = (warp * a.tile) << a.levels, end = min(begin + ((long long)a.tile << a.levels), a.length);
    const long long last = warp * a.tile - wvl_lattice_carry_inverse_reach(&a);
    const long long first = begin_of_level(a, last, 0), whole = 64ll * FIRST << runs_log2<FIRST, DEEP>(a.levels);
    const int runs = (int)((end - first + whole - 1) / whole) << runs_log2<FIRST, DEEP>(a.levels);
    float *results = shared_floats + (int)(threadIdx.x >> 5) * wvl_lattice_carry_inverse_floats(&a, FIRST, DEEP);
    float *low = results + 64 * FIRST, *highs = low + 32 * (FIRST > DEEP ? FIRST : DEEP); /* of all levels */
    float *buffers = highs + highs_before<FIRST, DEEP>(a.levels + 1);
    const inverse_stretch w = {
        last, runs, results, low, highs, buffers, buffers + buffer_before<FIRST, DEEP>(a.levels)};
    if (begin >= a.length) {
        return;
    }
    for (int i = lane; i < 16 * a.levels; i += 32) {
        w.kept[i] = 0.0f;
    }
    __syncwarp();
    begin_inverse<FIRST, DEEP>(a, w);
#pragma unroll 1
    for (int n = 0; n < runs; n++) {
        const int begun = turn_inverse<FIRST, DEEP, STAGES, FEWER>(a, w, n);
        const long long start = begin_of_level(a, last, 1) + 32ll * FIRST * n, at = 2 * start + a.first;
        float x[2 * FIRST];
        take_inverse<STAGES, FEWER, FIRST>(a, 1, start, n + 1 < runs ? 32 * FIRST : 0,
                                           buffers + 32 * FIRST * (n % parts), a.levels == 1 ? low : nullptr, highs,
                                           w.kept, begun, x);
        put_floats(results, 2 * FIRST * lane, x);
        __syncwarp();
        give_results(a.signal + at, results, (int)max(begin - at, 0ll), (int)min(end - at, 64ll * FIRST), lane);
        __syncwarp();
    }
}

} // namespace wvl_lattice

#endif
