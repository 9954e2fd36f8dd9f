/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of the picture. A warp writes a run of the output, 16 bytes a lane, so that all stores are whole and lie
 * side by side, wherever pieces begin. A lane whose bytes come from one piece, with room around them, takes whole 16
 * bytes of memory and shifts them; bytes at the ends of pieces are taken one by one, by all lanes together.
 */
#include "cuda/packets/source.cuh"

namespace wvl_packets
{

/* The pieces of a picture. All members are the same for all threads. */
struct piece_list {
    const uint64_t *starts, *sources;
    uint32_t count;
    uint64_t end; /* starts[count] */
};

/* The last piece that begins at or before a byte, by a warp. */
__device__ __forceinline__ uint32_t find_piece(const piece_list &list, uint64_t at)
{
    uint32_t low = 0, high = list.count;
    while (high - low > 1) {
        uint32_t step = (high - low + 31) / 32, probe = low + wvl_ht::lane_id() * step;
        uint32_t before = __ballot_sync(~0u, probe < high && list.starts[probe] <= at);
        low += (uint32_t)(__popc(before) - 1) * step;
        high = min(high, low + step);
    }
    return low;
}

/* The same by a lane, from a piece on that begins at or before the byte. */
__device__ __forceinline__ uint32_t advance_piece(const piece_list &list, uint32_t piece, uint64_t at)
{
    uint32_t step = 1, high = piece + 1;
    while (list.starts[high] <= at) {
        piece = high;
        step *= 2;
        high = min(piece + step, list.count);
    }
    while (high - piece > 1) {
        uint32_t middle = piece + (high - piece) / 2;
        bool before = list.starts[middle] <= at;
        piece = before ? middle : piece;
        high = before ? high : middle;
    }
    return piece;
}

/* The piece of each lane's first byte. first: of the warp's; at: the warp's first byte. */
__device__ __forceinline__ uint32_t spread_pieces(const piece_list &list, uint32_t first, uint64_t at)
{
    uint32_t lane = wvl_ht::lane_id(), next = first + 1 + lane, n = 0;
    uint64_t start = next <= list.count ? list.starts[next] - at : ~UINT64_C(0);
    uint32_t ahead = start < 0xFFFF ? (uint32_t)start : 0xFFFF;
#pragma unroll
    for (uint32_t d = 16; d; d /= 2) {
        n += __shfl_sync(~0u, ahead, n + d - 1) <= 16 * lane ? d : 0;
    }
    n += __shfl_sync(~0u, ahead, n) <= 16 * lane;
    uint32_t piece = min(first + n, list.count);
    return n == 32 && at + 16 * lane < list.end ? advance_piece(list, piece, at + 16 * lane) : piece;
}

/* 16 bytes from any address. */
__device__ __forceinline__ uint4 load_bytes(uint64_t from)
{
    const uint4 *at = (const uint4 *)(from & ~UINT64_C(15));
    uint32_t offset = (uint32_t)from & 15, bits = 8 * (offset & 3);
    uint4 a = at[0], b = offset ? at[1] : a;
    uint32_t w0 = offset & 8 ? a.z : a.x, w1 = offset & 8 ? a.w : a.y, w2 = offset & 8 ? b.x : a.z,
             w3 = offset & 8 ? b.y : a.w, w4 = offset & 8 ? b.z : b.x, w5 = offset & 8 ? b.w : b.y;
    if (offset & 4) {
        w0 = w1;
        w1 = w2;
        w2 = w3;
        w3 = w4;
        w4 = w5;
    }
    return make_uint4(__funnelshift_r(w0, w1, bits), __funnelshift_r(w1, w2, bits), __funnelshift_r(w2, w3, bits),
                      __funnelshift_r(w3, w4, bits));
}

/* Bytes of lanes in `edges`, two lanes at a time, to shared memory. */
__device__ __forceinline__ void collect_edges(const piece_list &list, uint32_t edges, uint32_t piece, uint64_t at,
                                              uint8_t *bytes)
{
    uint32_t lane = wvl_ht::lane_id();
    while (edges) {
        uint32_t first = (uint32_t)__ffs((int)edges) - 1;
        edges &= edges - 1;
        uint32_t second = edges ? (uint32_t)__ffs((int)edges) - 1 : first, from = lane < 16 ? first : second;
        edges &= edges - 1;
        uint32_t byte = 16 * from + (lane & 15), own = __shfl_sync(~0u, piece, from);
        if (at + byte < list.end) {
            own = advance_piece(list, own, at + byte);
            bytes[byte] = *(const uint8_t *)(list.sources[own] + (at + byte - list.starts[own]));
        }
    }
}

/* The next 512 bytes. Returns the piece of the last lane. */
__device__ __forceinline__ uint32_t write_row(const piece_list &list, uint8_t *output, uint32_t first, uint64_t at,
                                              uint4 *shared)
{
    uint32_t lane = wvl_ht::lane_id(), piece = spread_pieces(list, first, at);
    uint64_t own = at + 16 * lane;
    bool is_there = own < list.end, is_whole = false;
    uint4 v = make_uint4(0, 0, 0, 0);
    if (is_there) {
        uint64_t start = list.starts[piece], end = list.starts[piece + 1], source = list.sources[piece],
                 from = source + (own - start), low = from & ~UINT64_C(15), high = (from + 31) & ~UINT64_C(15);
        is_whole = own + 16 <= end && low >= source && high <= source + (end - start);
        v = is_whole ? load_bytes(from) : v;
    }
    uint32_t edges = __ballot_sync(~0u, is_there && !is_whole);
    collect_edges(list, edges, piece, at, (uint8_t *)shared);
    __syncwarp();
    v = is_whole ? v : shared[lane];
    if (own + 16 <= list.end) {
        *(uint4 *)(output + own) = v;
    } else if (is_there) {
        for (uint32_t i = 0; own + i < list.end; i++) {
            output[own + i] = ((const uint8_t *)&shared[lane])[i];
        }
    }
    __syncwarp();
    return __shfl_sync(~0u, piece, 31);
}

} // namespace wvl_packets

extern "C" __global__ void __launch_bounds__(WVL_CUDA_PACKETS_WRITE_THREADS)
    wvl_packets_write(const wvl_cuda_packets_job job)
{
    WVL_HT_SHARED(shared);
    uint32_t picture = blockIdx.y, warps = gridDim.x * (blockDim.x / 32),
             warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    wvl_packets::piece_list list = {wvl_packets::work_at<uint64_t>(job, picture, job.work.starts),
                                    wvl_packets::work_at<uint64_t>(job, picture, job.work.sources), job.piece_count,
                                    wvl_packets::work_at<uint64_t>(job, picture, job.work.totals)[0]};
    uint8_t *output = (uint8_t *)wvl_packets::picture_of(job, picture).output;
    uint4 *own = (uint4 *)shared + threadIdx.x / 32 * 32;
    for (uint64_t begin = (uint64_t)warp * WVL_CUDA_PACKETS_WRITE_BYTES; begin < list.end;
         begin += (uint64_t)warps * WVL_CUDA_PACKETS_WRITE_BYTES) {
        uint32_t piece = wvl_packets::find_piece(list, begin);
        for (uint32_t i = 0; i < WVL_CUDA_PACKETS_WRITE_BYTES && begin + i < list.end; i += 512) {
            piece = wvl_packets::write_row(list, output, piece, begin + i, own);
        }
    }
}
