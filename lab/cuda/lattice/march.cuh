/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several levels of the 1-D transform in one launch, a warp by itself (D-lattice-06).
 *
 * A warp goes along its stretch of the signal. A run is 32 x COUNT neighbouring pairs of one level, COUNT of them in a
 * lane, so that a stage takes one shuffle. What a level leaves for the next one lies in a ring in shared memory. A
 * level runs as soon as its ring holds a run, so all levels advance together, and the samples of the next run are on
 * their way meanwhile. Nothing waits for another warp. Memory is read and written once, but for what stretches have in
 * common.
 *
 * Lane k keeps the state of level k, from 1.
 */
#ifndef WVL_CUDA_LATTICE_MARCH_CUH
#define WVL_CUDA_LATTICE_MARCH_CUH

#include "lab/cuda/lattice/lattice.cuh"

namespace wvl_lattice
{

/* ---- Copies to shared memory that a thread does not wait for --------------------------------- */

#ifndef WVL_LATTICE_COPIES
#define WVL_LATTICE_COPIES
template <int FLOATS> static __device__ __forceinline__ void copy_begin(float *to, const float *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
                 "n"(4 * FLOATS)
                 : "memory");
#else
    for (int i = 0; i < FLOATS; i++) {
        to[i] = from[i];
    }
#endif
}

static __device__ __forceinline__ void copy_close()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Until all groups of copies but the `left` latest are there. */
static __device__ __forceinline__ void copy_wait(int left)
{
#if __CUDA_ARCH__ >= 800
    if (left >= 3) {
        asm volatile("cp.async.wait_group 3;" ::: "memory");
    } else if (left == 2) {
        asm volatile("cp.async.wait_group 2;" ::: "memory");
    } else if (left == 1) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
#else
    (void)left;
#endif
}
#endif

/* ---- Shared memory --------------------------------------------------------------------------- */

struct alignas(16) four_floats {
    float at[4];
};

/* Lanes read and write runs of 4, 8 or 16 floats, or neighbouring floats: in this order they meet different banks. */
static __device__ __forceinline__ int swizzle(int i) { return i ^ (i >> 3 & 12); }

/* COUNT floats from place `at`, a multiple of COUNT. */
template <int COUNT> static __device__ __forceinline__ void take_floats(const float *from, int at, float (&x)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
        const four_floats four = *(const four_floats *)(from + swizzle(at + i));
#pragma unroll
        for (int j = 0; j < 4; j++) {
            x[i + j] = four.at[j];
        }
    }
}

template <int COUNT> static __device__ __forceinline__ void put_floats(float *to, int at, const float (&x)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
        *(four_floats *)(to + swizzle(at + i)) = {{x[i], x[i + 1], x[i + 2], x[i + 3]}};
    }
}

static __device__ __forceinline__ int turn_in_ring(int at, int floats) { return at >= floats ? at - floats : at; }

static __device__ __forceinline__ int of_lane(int v, int lane)
{
    return (int)__shfl_sync(0xFFFFFFFFu, (unsigned)v, (unsigned)lane);
}

static __device__ __forceinline__ long long of_lane(long long v, int lane)
{
    const unsigned low = __shfl_sync(0xFFFFFFFFu, (unsigned)v, (unsigned)lane);
    const unsigned high = __shfl_sync(0xFFFFFFFFu, (unsigned)(v >> 32), (unsigned)lane);
    return (long long)((unsigned long long)high << 32 | low);
}

/* Of the lane before; lane 0 gets its own. */
static __device__ __forceinline__ int of_lane_before(int v)
{
    return (int)__shfl_up_sync(0xFFFFFFFFu, (unsigned)v, 1u);
}
static __device__ __forceinline__ int of_lane_after(int v)
{
    return (int)__shfl_down_sync(0xFFFFFFFFu, (unsigned)v, 1u);
}

static __device__ __forceinline__ bool is_aligned(const float *at, int bytes)
{
    return ((size_t)at & (bytes - 1)) == 0;
}

/* `count` floats, a multiple of 32, without gaps in memory. */
template <int FLOATS>
static __device__ __forceinline__ void copy_floats(float *to, const float *from, int count, int lane)
{
    for (int i = FLOATS * lane; i < count; i += 32 * FLOATS) {
        copy_begin<FLOATS>(to + swizzle(i), from + i);
    }
}

static __device__ __forceinline__ void copy_aligned(float *to, const float *from, int count, int lane)
{
    if (is_aligned(from, 16)) {
        copy_floats<4>(to, from, count, lane);
    } else if (is_aligned(from, 8)) {
        copy_floats<2>(to, from, count, lane);
    } else {
        copy_floats<1>(to, from, count, lane);
    }
}

/* Floats [from, end) of `count` in shared memory go to memory. */
template <int FLOATS>
static __device__ __forceinline__ void give_floats(float *to, const float *results, int from, int end, int lane)
{
    for (int i = FLOATS * lane; i < end; i += 32 * FLOATS) {
        if (i >= from && i + FLOATS <= end) {
            if (FLOATS == 4) {
                *(four_floats *)(to + i) = *(const four_floats *)(results + swizzle(i));
            } else {
                to[i] = results[swizzle(i)];
            }
        }
    }
}

static __device__ __forceinline__ void give_results(float *to, const float *results, int from, int end, int lane)
{
    if (from % 4 == 0 && end % 4 == 0 && is_aligned(to, 16)) {
        give_floats<4>(to, results, from, end, lane);
    } else {
        give_floats<1>(to, results, from, end, lane);
    }
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* Of level k, in lane k. Pairs and samples are counted from the first that the warp needs of that level. */
struct forward_state {
    int done, count;       /* pairs: of all runs so far, and that are needed */
    int own, own_end;      /* pairs whose high coefficients this warp gives */
    int take, put;         /* places in the ring that it reads, and in the one that it writes */
    int ring, ring_before; /* floats of these rings */
    int room, room_before; /* and where they begin */
    long long at;          /* of the high coefficient of pair 0 in coefs */
};

template <int FIRST, int DEEP>
static __device__ __forceinline__ forward_state open_forward(const wvl_lattice_args &a, long long tile, int lane)
{
    forward_state s = {};
    const long long left = wvl_lattice_half(&a, a.levels) - tile;
    const int tile_count = left < a.tile ? (int)left : a.tile, k = min(max(lane, 1), a.levels);
    long long start = tile;
    s.count = tile_count;
    for (int i = a.levels; i > k; i--) {
        start = 2 * start + a.first;
        s.count = 2 * (s.count + (int)a.steps.stage_count);
    }
    s.own = (int)((tile << (a.levels - k)) - start);
    s.own_end = s.own + (tile_count << (a.levels - k));
    s.at = wvl_lattice_half(&a, k) + start;
    s.room = 64 * FIRST + 32 * (FIRST > DEEP ? FIRST : DEEP);
    for (int i = 1; i < k; i++) {
        s.room_before = s.room;
        s.ring_before = wvl_lattice_march_forward_ring(&a, FIRST, DEEP, i);
        s.room += s.ring_before;
    }
    s.ring = k < a.levels ? wvl_lattice_march_forward_ring(&a, FIRST, DEEP, k) : 0;
    s.count = lane == k ? s.count : 0;
    return s;
}

/* The samples of a run of level 1, on their way. from: the first one's number. */
template <int COUNT>
static __device__ __forceinline__ void fetch_samples(const wvl_lattice_args &a, long long from, float *to, int lane)
{
    if (from >= 0 && from + 64 * COUNT <= a.length) {
        copy_aligned(to, a.signal + from, 64 * COUNT, lane);
    } else {
        for (int i = lane; i < 64 * COUNT; i += 32) {
            to[swizzle(i)] = a.signal[sample_at(a, from + i)];
        }
    }
    copy_close();
}

/* Stages of a kernel that knows their number when it is compiled; 0: it asks. */
template <int STAGES> static __device__ __forceinline__ int stages_of(const wvl_lattice_args &a)
{
    return STAGES ? STAGES : (int)a.steps.stage_count;
}

/* x: the samples of a run. */
template <int STAGES, int COUNT>
static __device__ __forceinline__ void run_forward(const wvl_lattice_args &a, const float (&x)[2 * COUNT],
                                                   float (&u)[COUNT], float (&v)[COUNT])
{
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        u[r] = x[2 * r];
        v[r] = x[2 * r + 1];
    }
#pragma unroll(STAGES ? STAGES : 3)
    for (int i = 0; i < stages_of<STAGES>(a); i++) {
        const float first = forward_stage(a.steps.t[i], a.steps.s[i], u, v);
        v[COUNT - 1] = __shfl_down_sync(0xFFFFFFFFu, first, 1);
    }
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        apply(a.steps.b, u[r], v[r]);
    }
}

/* High coefficients of a run go to memory; low ones too, or to the ring. */
template <int COUNT>
static __device__ __forceinline__ void put_forward(const wvl_lattice_args &a, const forward_state &s, int k,
                                                   float *shared, float *results, const float (&low)[COUNT],
                                                   const float (&high)[COUNT])
{
    const int lane = (int)threadIdx.x & 31, gives = wvl_lattice_march_gives(&a, COUNT), done = of_lane(s.done, k);
    const int from = max(of_lane(s.own, k) - done, 0), end = min(of_lane(s.own_end, k) - done, gives);
    float *to = a.coefs + of_lane(s.at, k) + done;
    const int put = of_lane(s.put, k), ring = of_lane(s.ring, k), room = of_lane(s.room, k);
    put_floats(results, COUNT * lane, high);
    if (k < a.levels && COUNT * lane < gives) {
        put_floats(shared + room, turn_in_ring(put + COUNT * lane, ring), low);
    }
    __syncwarp();
    give_results(to, results, from, end, lane);
    __syncwarp();
    if (k == a.levels) {
        put_floats(results, COUNT * lane, low);
        __syncwarp();
        give_results(a.low + (to - a.coefs - wvl_lattice_half(&a, k)), results, from, end, lane);
        __syncwarp();
    }
}

template <int COUNT>
static __device__ __forceinline__ void advance_forward(const wvl_lattice_args &a, forward_state &s, int k)
{
    const int gives = wvl_lattice_march_gives(&a, COUNT);
    if (((int)threadIdx.x & 31) == k) {
        s.done += gives;
        s.put = turn_in_ring(s.put + gives, s.ring);
        s.take = turn_in_ring(s.take + 2 * gives, s.ring_before);
    }
}

/* The deepest level that has a run's samples, or all that there will be; 0: all is done. */
template <int DEEP> static __device__ __forceinline__ int find_forward(const forward_state &s)
{
    const int lane = (int)threadIdx.x & 31, there = of_lane_before(s.done), all = of_lane_before(s.count);
    const bool is_ready = s.done < s.count && (lane == 1 || there - 2 * s.done >= 64 * DEEP || there >= all);
    const unsigned ready = __ballot_sync(0xFFFFFFFFu, is_ready);
    return ready ? 31 - __clz((int)ready) : 0;
}

/* tile: low coefficients of the last level that a warp gives. Shared memory: wvl_lattice_march_forward_floats() a warp.
 */
template <int FIRST, int DEEP, int STAGES = 0>
static __device__ __forceinline__ void forward_march(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(shared_floats);
    const int lane = (int)threadIdx.x & 31;
    const long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5, tile = warp * a.tile;
    float *shared = shared_floats + (int)(threadIdx.x >> 5) * wvl_lattice_march_forward_floats(&a, FIRST, DEEP);
    float *results = shared + 64 * FIRST;
    if (tile >= wvl_lattice_half(&a, a.levels)) {
        return;
    }
    forward_state s = open_forward<FIRST, DEEP>(a, tile, lane);
    const long long begin = 2 * of_lane(s.at - wvl_lattice_half(&a, 1), 1) + a.first;
    const int count = of_lane(s.count, 1);
    fetch_samples<FIRST>(a, begin, shared, lane);
    for (int k; (k = find_forward<DEEP>(s)) != 0;) {
        if (k == 1) {
            float x[2 * FIRST], u[FIRST], v[FIRST];
            const int next = of_lane(s.done, 1) + wvl_lattice_march_gives(&a, FIRST);
            copy_wait(0);
            __syncwarp();
            take_floats(shared, 2 * FIRST * lane, x);
            __syncwarp();
            if (next < count) {
                fetch_samples<FIRST>(a, begin + 2 * next, shared, lane);
            }
            run_forward<STAGES>(a, x, u, v);
            put_forward(a, s, 1, shared, results, u, v);
            advance_forward<FIRST>(a, s, 1);
        } else {
            float x[2 * DEEP], u[DEEP], v[DEEP];
            const int take = of_lane(s.take, k) + 2 * DEEP * lane;
            take_floats(shared + of_lane(s.room_before, k), turn_in_ring(take, of_lane(s.ring_before, k)), x);
            run_forward<STAGES>(a, x, u, v);
            put_forward(a, s, k, shared, results, u, v);
            advance_forward<DEEP>(a, s, k);
        }
    }
}

/* ---- The inverse ----------------------------------------------------------------------------- */

/* Of level k, in lane k. A run reads low and high coefficients and gives samples of level k - 1. */
struct inverse_state {
    int done, count;       /* pairs of samples: of all runs so far, and that are needed */
    int take, put;         /* places in the ring that it reads, and in the one that it writes */
    int ring, ring_before; /* floats of these rings: k to its level, k - 1 to the level below */
    int room, room_before; /* and where they begin */
    int fetched;           /* groups of copies that were begun when its own was, that one too */
    long long from;        /* the first pair of coefficients that the warp reads */
};

template <int FIRST, int DEEP> static __device__ __forceinline__ int lost_pairs(const wvl_lattice_args &a, int k)
{
    return k == 1 ? 32 * FIRST - wvl_lattice_march_gives(&a, FIRST) : 32 * DEEP - wvl_lattice_march_gives(&a, DEEP);
}

/* Floats in front of the rings: samples of a run, low coefficients of the last level, high ones of all levels. */
template <int FIRST, int DEEP> static __device__ __forceinline__ int high_room(const wvl_lattice_args &a, int k)
{
    return 64 * FIRST + 32 * (a.levels == 1 ? FIRST : DEEP) + (k > 1 ? 32 * FIRST + 32 * DEEP * (k - 2) : 0);
}

/* `begin`: the first sample that the warp gives, `end`: the one after its last. *first: that of its first run. */
template <int FIRST, int DEEP>
static __device__ __forceinline__ inverse_state open_inverse(const wvl_lattice_args &a, long long begin, long long end,
                                                             int lane, long long *first)
{
    inverse_state s = {};
    const int k = min(max(lane, 1), a.levels);
    long long reach = 0; /* of the last level's first pair, in samples */
    for (int i = a.levels; i > 0; i--) {
        reach = 2 * (reach + lost_pairs<FIRST, DEEP>(a, i)) + a.first;
    }
    long long from = (begin - reach) >> a.levels; /* rounds down */
    for (int i = a.levels; i > 0; i--) {
        s.from = i == k ? from : s.from;
        from = 2 * (from + lost_pairs<FIRST, DEEP>(a, i)) + a.first;
    }
    *first = from;
    s.count = (int)((end - from + 1) >> 1);
    for (int i = 1; i < k; i++) {
        s.count = (s.count + lost_pairs<FIRST, DEEP>(a, i) + 1) >> 1;
    }
    s.room = high_room<FIRST, DEEP>(a, a.levels + 1);
    for (int i = 1; i <= k; i++) {
        s.room_before = i > 1 ? s.room : 0;
        s.room += s.ring;
        s.ring_before = s.ring;
        s.ring = i < a.levels ? wvl_lattice_march_inverse_ring(&a, FIRST, DEEP, i) : 0;
    }
    s.room_before = k > 1 ? s.room - s.ring_before : 0;
    s.count = lane == k ? s.count : 0;
    return s;
}

/* Pairs [n, n + 32 COUNT) of level k, on their way: high ones, and low ones if `low` says where. */
template <int COUNT>
static __device__ __forceinline__ void fetch_coefs(const wvl_lattice_args &a, int k, long long n, float *low,
                                                   float *high, int lane)
{
    const long long half = wvl_lattice_half(&a, k);
    if (n >= 0 && n + 32 * COUNT <= half) {
        copy_aligned(high, a.coefs + half + n, 32 * COUNT, lane);
        if (low) {
            copy_aligned(low, a.low + n, 32 * COUNT, lane);
        }
    } else {
        for (int i = lane; i < 32 * COUNT; i += 32) {
            const long long at = wrap(n + i, half);
            high[swizzle(i)] = a.coefs[half + at];
            if (low) {
                low[swizzle(i)] = a.low[at];
            }
        }
    }
    copy_close();
}

/* x: samples of the pairs of a run; those of the first lanes miss their neighbours. */
template <int STAGES, int COUNT>
static __device__ __forceinline__ void run_inverse(const wvl_lattice_args &a, float (&u)[COUNT], float (&v)[COUNT],
                                                   float (&x)[2 * COUNT])
{
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        apply(a.steps.inverse_b, u[r], v[r]);
    }
#pragma unroll(STAGES ? STAGES : 3)
    for (int i = stages_of<STAGES>(a); i-- > 0;) {
        inverse_stage(a.steps.t[i], a.steps.s[i], __shfl_up_sync(0xFFFFFFFFu, v[COUNT - 1], 1), u, v);
    }
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        x[2 * r] = u[r];
        x[2 * r + 1] = v[r];
    }
}

/* A run of level k: takes coefficients, begins to fetch the next ones, gives samples. groups: of copies, so
 * far. */
template <int FIRST, int DEEP, int STAGES, int COUNT>
static __device__ __forceinline__ void step_inverse(const wvl_lattice_args &a, inverse_state &s, int k, float *shared,
                                                    int &groups, float (&x)[2 * COUNT])
{
    const int lane = (int)threadIdx.x & 31, gives = wvl_lattice_march_gives(&a, COUNT);
    const int next = of_lane(s.done, k) + gives;
    float u[COUNT], v[COUNT], *high = shared + high_room<FIRST, DEEP>(a, k);
    float *low = k == a.levels ? shared + 64 * FIRST : nullptr;
    copy_wait(groups - of_lane(s.fetched, k));
    __syncwarp();
    take_floats(high, COUNT * lane, v);
    const int take = of_lane(s.take, k), ring = of_lane(s.ring, k), room = of_lane(s.room, k);
    take_floats(low ? low : shared + room, low ? COUNT * lane : turn_in_ring(take + COUNT * lane, ring), u);
    __syncwarp();
    const long long from = of_lane(s.from, k);
    if (next < of_lane(s.count, k)) {
        fetch_coefs<COUNT>(a, k, from + next, low, high, lane);
        groups++;
    }
    run_inverse<STAGES>(a, u, v, x);
    if (lane == k) {
        s.done = next;
        s.fetched = groups;
        s.take = turn_in_ring(s.take + gives, s.ring);
        s.put = turn_in_ring(s.put + 2 * gives, s.ring_before);
    }
}

/* The lowest level that has a run's coefficients, or all that there will be; 0: level 1 is done. */
template <int FIRST, int DEEP>
static __device__ __forceinline__ int find_inverse(const wvl_lattice_args &a, const inverse_state &s)
{
    const int lane = (int)threadIdx.x & 31, there = 2 * of_lane_after(s.done), all = 2 * of_lane_after(s.count);
    const bool has = lane == a.levels || there - s.done >= 32 * (lane == 1 ? FIRST : DEEP) || there >= all;
    const unsigned ready = __ballot_sync(0xFFFFFFFFu, s.done < s.count && has);
    const unsigned left = __ballot_sync(0xFFFFFFFFu, lane == 1 && s.done < s.count);
    return left ? __ffs((int)ready) - 1 : 0;
}

/* Samples of a run of level 1. at: the number of the first one that it gives. */
template <int COUNT>
static __device__ __forceinline__ void give_samples(const wvl_lattice_args &a, float *results, long long at,
                                                    long long begin, long long end, const float (&x)[2 * COUNT])
{
    const int lane = (int)threadIdx.x & 31, lost = 32 * COUNT - wvl_lattice_march_gives(&a, COUNT);
    const long long first = at - 2 * lost;
    put_floats(results, 2 * COUNT * lane, x);
    __syncwarp();
    give_results(a.signal + first, results, (int)max(begin - first, (long long)(2 * lost)),
                 (int)min(end - first, (long long)(64 * COUNT)), lane);
    __syncwarp();
}

template <int FIRST, int DEEP, int STAGES = 0>
static __device__ __forceinline__ void inverse_march(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(shared_floats);
    const int lane = (int)threadIdx.x & 31;
    const long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const long long begin = (warp * a.tile) << a.levels, after = begin + ((long long)a.tile << a.levels);
    const long long end = after < a.length ? after : a.length;
    float *shared = shared_floats + (int)(threadIdx.x >> 5) * wvl_lattice_march_inverse_floats(&a, FIRST, DEEP);
    long long first;
    int groups = 0;
    if (begin >= a.length) {
        return;
    }
    inverse_state s = open_inverse<FIRST, DEEP>(a, begin, end, lane, &first);
    for (int k = a.levels; k > 0; k--) {
        float *low = k == a.levels ? shared + 64 * FIRST : nullptr, *high = shared + high_room<FIRST, DEEP>(a, k);
        const long long from = of_lane(s.from, k);
        if (k == 1) {
            fetch_coefs<FIRST>(a, k, from, low, high, lane);
        } else {
            fetch_coefs<DEEP>(a, k, from, low, high, lane);
        }
        groups++;
        s.fetched = lane == k ? groups : s.fetched;
    }
    for (int k; (k = find_inverse<FIRST, DEEP>(a, s)) != 0;) {
        if (k == 1) {
            float x[2 * FIRST];
            const long long at = first + 2 * of_lane(s.done, 1);
            step_inverse<FIRST, DEEP, STAGES, FIRST>(a, s, 1, shared, groups, x);
            give_samples<FIRST>(a, shared, at, begin, end, x);
        } else {
            float x[2 * DEEP];
            const int lost = 32 * DEEP - wvl_lattice_march_gives(&a, DEEP), ring = of_lane(s.ring_before, k);
            const int put = of_lane(s.put, k) + 2 * (DEEP * lane - lost), room = of_lane(s.room_before, k);
            step_inverse<FIRST, DEEP, STAGES, DEEP>(a, s, k, shared, groups, x);
            if (DEEP * lane >= lost) {
                put_floats(shared + room, turn_in_ring(put, ring), x);
            }
            __syncwarp();
        }
    }
}

} // namespace wvl_lattice

#endif
