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

/* 32 pieces from one on, a piece a lane, as a row of the output sees them. Offsets count from the row. */
struct piece_row {
    uint64_t base;  /* address of the byte that offset 0 would have */
    int start, end; /* offsets, clipped where they are far off */
};

constexpr int FAR = 4096;

__device__ __forceinline__ piece_row load_pieces(const piece_list &list, uint32_t first, uint64_t at)
{
    uint32_t piece = first + wvl_ht::lane_id();
    piece_row row = {0, FAR, FAR};
    if (piece < list.count) {
        int64_t start = (int64_t)(list.starts[piece] - at), end = (int64_t)(list.starts[piece + 1] - at);
        row.base = list.sources[piece] - (uint64_t)start;
        row.start = (int)max(min(start, (int64_t)FAR), (int64_t)-FAR);
        row.end = (int)min(end, (int64_t)FAR);
    }
    return row;
}

/* Which of the 32 pieces an offset lies in; 32: in none of them. */
__device__ __forceinline__ uint32_t find_in_row(const piece_row &row, int offset)
{
    uint32_t n = 0;
#pragma unroll
    for (uint32_t d = 16; d; d /= 2) {
        n += (int)__shfl_sync(~0u, (uint32_t)row.end, n + d - 1) <= offset ? d : 0;
    }
    return n + ((int)__shfl_sync(~0u, (uint32_t)row.end, n) <= offset);
}

__device__ __forceinline__ uint64_t base_of(const piece_row &row, uint32_t piece)
{
    uint32_t low = __shfl_sync(~0u, (uint32_t)row.base, piece),
             high = __shfl_sync(~0u, (uint32_t)(row.base >> 32), piece);
    return (uint64_t)high << 32 | low;
}

/* Bytes of lanes in `edges`, two lanes at a time, to shared memory. */
__device__ __forceinline__ void collect_edges(const piece_row &row, uint32_t edges, int limit, uint8_t *bytes)
{
    uint32_t lane = wvl_ht::lane_id();
    while (edges) {
        uint32_t first = (uint32_t)__ffs((int)edges) - 1;
        edges &= edges - 1;
        uint32_t second = edges ? (uint32_t)__ffs((int)edges) - 1 : first, from = lane < 16 ? first : second;
        edges &= edges - 1;
        int offset = (int)(16 * from + (lane & 15));
        uint64_t base = base_of(row, find_in_row(row, offset) & 31);
        if (offset < limit) {
            bytes[offset] = *(const uint8_t *)(base + (uint64_t)offset);
        }
    }
}

/* A row of more than 32 pieces: byte by byte. */
__device__ __forceinline__ void collect_row(const piece_list list, uint32_t first, uint64_t at, int limit,
                                            uint8_t *bytes)
{
    uint32_t piece = first;
    for (int offset = (int)wvl_ht::lane_id(); offset < limit; offset += 32) {
        piece = advance_piece(list, piece, at + (uint64_t)offset);
        bytes[offset] = *(const uint8_t *)(list.sources[piece] + (at + (uint64_t)offset - list.starts[piece]));
    }
}

/* The piece of the first byte behind a row. */
__device__ __forceinline__ uint32_t follow_row(const piece_list &list, const piece_row &row, uint32_t first,
                                               uint64_t at)
{
    uint32_t n = find_in_row(row, (int)WVL_CUDA_PACKETS_WRITE_ROW);
    uint64_t next = at + WVL_CUDA_PACKETS_WRITE_ROW;
    if (n < 32 || next >= list.end) {
        return min(first + n, list.count - 1);
    }
    return advance_piece(list, first, next);
}

/* The next 512 bytes. Returns the piece of the byte behind them. */
__device__ __forceinline__ uint32_t write_row(const piece_list &list, uint8_t *output, uint32_t first, uint64_t at,
                                              uint4 *shared)
{
    const piece_row row = load_pieces(list, first, at);
    int offset = 16 * (int)wvl_ht::lane_id(), limit = (int)min(list.end - at, (uint64_t)WVL_CUDA_PACKETS_WRITE_ROW);
    uint32_t n = find_in_row(row, offset), last = find_in_row(row, limit - 1);
    int start = (int)__shfl_sync(~0u, (uint32_t)row.start, n & 31),
        end = (int)__shfl_sync(~0u, (uint32_t)row.end, n & 31);
    uint64_t from = base_of(row, n & 31) + (uint64_t)offset;
    int before = (int)(from & 15), after = (int)(((from + 31) & ~UINT64_C(15)) - from);
    bool is_deep = last == 32, is_there = offset < limit,
         is_whole = is_there && !is_deep && before <= offset - start && after <= end - offset && offset + 16 <= limit;
    uint4 v = is_whole ? load_bytes(from) : make_uint4(0, 0, 0, 0);
    uint32_t edges = __ballot_sync(~0u, is_there && !is_whole);
    if (is_deep) {
        collect_row(list, first, at, limit, (uint8_t *)shared);
    } else {
        collect_edges(row, edges, limit, (uint8_t *)shared);
    }
    __syncwarp();
    v = is_whole ? v : shared[offset / 16];
    if (offset + 16 <= limit) {
        *(uint4 *)(output + at + (uint64_t)offset) = v;
    } else {
        for (int i = offset; i < limit; i++) {
            output[at + (uint64_t)i] = ((const uint8_t *)shared)[i];
        }
    }
    __syncwarp();
    return follow_row(list, row, first, at);
}

} // namespace wvl_packets

extern "C" __global__ void __launch_bounds__(WVL_CUDA_PACKETS_WRITE_THREADS)
    wvl_packets_write(const wvl_cuda_packets_job job)
{
    WVL_HT_SHARED(shared);
    uint32_t picture = blockIdx.y, warps = gridDim.x * (blockDim.x / 32),
             warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const uint64_t *totals = wvl_packets::work_at<uint64_t>(job, picture, job.work.totals);
    wvl_packets::piece_list list = {wvl_packets::work_at<uint64_t>(job, picture, job.work.starts),
                                    wvl_packets::work_at<uint64_t>(job, picture, job.work.sources), job.piece_count,
                                    totals[WVL_CUDA_PACKETS_END]};
    uint8_t *output = (uint8_t *)totals[WVL_CUDA_PACKETS_OUTPUT];
    uint4 *own = (uint4 *)shared + threadIdx.x / 32 * 32;
    uint32_t rows = (uint32_t)((list.end + WVL_CUDA_PACKETS_WRITE_ROW - 1) / WVL_CUDA_PACKETS_WRITE_ROW);
    uint64_t run = (uint64_t)min((rows + warps - 1) / warps, WVL_CUDA_PACKETS_WRITE_ROWS) * WVL_CUDA_PACKETS_WRITE_ROW;
    for (uint64_t begin = warp * run; begin < list.end; begin += warps * run) {
        uint32_t piece = wvl_packets::find_piece(list, begin);
        for (uint64_t i = 0; i < run && begin + i < list.end; i += WVL_CUDA_PACKETS_WRITE_ROW) {
            piece = wvl_packets::write_row(list, output, piece, begin + i, own);
        }
    }
}
