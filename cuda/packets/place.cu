/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where everything goes. First lengths of packets, tile-parts and the picture (a thread block a picture); then the
 * list of pieces, and what depends on lengths: SOT, PLT, TLM, the header of the codestream's box (a thread a block,
 * packet or tile-part).
 */
#include "cuda/packets/source.cuh"

namespace wvl_packets
{

constexpr uint32_t PLT_DATA = 65532, PLT_HEAD = 5,
                   PLT_MOST = 256; /* A.7.3: bytes of a marker segment, marker segments */
constexpr uint32_t SOD_BYTES = 2, EOC_BYTES = 2, PSOT_AT = 6;

__device__ __forceinline__ void put_field(uint8_t *to, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
    }
}

/* ---- Errors ---------------------------------------------------------------------------------- */

struct error_sums {
    double energy, left;
};

__device__ __forceinline__ double fetch_from(double v, uint32_t lane)
{
    union {
        double number;
        uint32_t word[2];
    } u = {v};
    u.word[0] = __shfl_sync(~0u, u.word[0], lane);
    u.word[1] = __shfl_sync(~0u, u.word[1], lane);
    return u.number;
}

__device__ __forceinline__ double sum_warp(double v)
{
#pragma unroll
    for (uint32_t d = 16; d; d >>= 1) {
        v += fetch_from(v, wvl_ht::lane_id() ^ d);
    }
    return v;
}

/* Over the thread block, for thread 0. sums: a number a warp. */
__device__ __forceinline__ double sum_threads(double own, double *sums)
{
    uint32_t lane = wvl_ht::lane_id(), warps = blockDim.x >> 5;
    double sum = sum_warp(own);
    __syncthreads();
    if (!lane) {
        sums[threadIdx.x >> 5] = sum;
    }
    __syncthreads();
    return threadIdx.x < 32 ? sum_warp(lane < warps ? sums[lane] : 0.0) : 0.0;
}

/* Adds the errors of all blocks of the picture, in the same order on every machine. */
__device__ __forceinline__ error_sums sum_errors(const job_type &job, uint32_t picture, uint32_t *shared)
{
    const wvl_cuda_block_error *errors = (const wvl_cuda_block_error *)job.errors + (uint64_t)picture * job.block_count;
    error_sums own = {0.0, 0.0};
    if (!job.errors) {
        return own;
    }
    for (uint32_t i = threadIdx.x; i < job.block_count; i += blockDim.x) {
        own.energy += errors[i].energy;
        own.left += errors[i].left;
    }
    own.energy = sum_threads(own.energy, (double *)shared);
    own.left = sum_threads(own.left, (double *)shared);
    return own;
}

/* ---- Lengths --------------------------------------------------------------------------------- */

/* Sums of the lengths of packets and of their PLT codes. Returns flags, for the thread that saw them. */
__device__ __forceinline__ uint32_t sum_packets(const job_type &job, uint32_t picture, uint32_t *shared)
{
    const wvl_cuda_packets_length *lengths = work_at<wvl_cuda_packets_length>(job, picture, job.work.lengths);
    uint64_t *sums = work_at<uint64_t>(job, picture, job.work.sums), all = 0, base = 0, plt_base = 0, own, end;
    uint32_t *plt_sums = work_at<uint32_t>(job, picture, job.work.plt_sums), flags = 0;
    for (uint32_t first = 0; first < job.packet_count; first += blockDim.x) {
        uint32_t i = first + threadIdx.x, plt = 0;
        own = 0;
        if (i < job.packet_count) {
            own = (uint64_t)lengths[i].head_bytes + lengths[i].body_bytes;
            plt = job.has_plt ? count_plt((uint32_t)own) : 0;
            flags |= lengths[i].flags;
        }
        end = base + scan_block(own, shared, &all);
        base += all;
        uint64_t plt_end = plt_base + scan_block(plt, shared, &all);
        plt_base += all;
        if (i < job.packet_count) {
            sums[i] = end - own;
            plt_sums[i] = (uint32_t)plt_end - plt;
        }
    }
    if (!threadIdx.x) {
        sums[job.packet_count] = base;
        plt_sums[job.packet_count] = (uint32_t)plt_base;
    }
    __syncthreads();
    return flags;
}

/* Lists the PLT marker segments of a part: as many whole lengths as each holds. Returns how many there are. */
__device__ __forceinline__ uint32_t list_segments(const uint32_t *plt_sums, const wvl_assembly_part &part,
                                                  uint32_t *segments)
{
    uint32_t packet = part.first_packet, end = packet + part.packet_count, count = 0;
    while (packet < end && count < PLT_MOST) {
        uint32_t least = packet + 1, most = end; /* of the next marker segment's first packet */
        segments[count++] = packet;
        while (least < most) {
            uint32_t middle = least + (most - least + 1) / 2;
            bool fits = plt_sums[middle] - plt_sums[packet] <= PLT_DATA;
            least = fits ? middle : least;
            most = fits ? most : middle - 1;
        }
        packet = least;
    }
    return packet < end ? PLT_MOST + 1 : count;
}

__device__ __forceinline__ uint32_t measure_part(const job_type &job, uint32_t picture, uint32_t index,
                                                 wvl_cuda_packets_span &span)
{
    const uint64_t *sums = work_at<uint64_t>(job, picture, job.work.sums);
    const uint32_t *plt_sums = work_at<uint32_t>(job, picture, job.work.plt_sums);
    const wvl_assembly_part &part = part_of(job, index);
    uint32_t end = part.first_packet + part.packet_count,
             segments = job.has_plt
                            ? list_segments(plt_sums, part,
                                            work_at<uint32_t>(job, picture, job.work.segments) + part.first_segment)
                            : 0;
    span.first = sums[part.first_packet];
    span.first_plt = plt_sums[part.first_packet];
    span.segments = segments;
    span.header_bytes = part.template_bytes + PLT_HEAD * segments + plt_sums[end] - span.first_plt + SOD_BYTES;
    uint64_t psot = span.header_bytes + sums[end] - span.first;
    span.psot = (uint32_t)psot;
    return psot > 0xFFFFFFFF || segments > PLT_MOST ? (uint32_t)WVL_CUDA_PACKETS_LARGE : 0;
}

/* Returns the end of the last part in the output; all threads. */
__device__ __forceinline__ uint64_t place_parts(const job_type &job, uint32_t picture, uint64_t at, uint32_t *shared,
                                                uint32_t *flags)
{
    wvl_cuda_packets_span *spans = work_at<wvl_cuda_packets_span>(job, picture, job.work.spans);
    for (uint32_t first = 0; first < job.part_count; first += blockDim.x) {
        uint32_t i = first + threadIdx.x;
        wvl_cuda_packets_span span = {0, 0, 0, 0, 0, 0};
        uint64_t all;
        if (i < job.part_count) {
            *flags |= measure_part(job, picture, i, span);
        }
        span.at = at + scan_block(span.psot, shared, &all) - span.psot;
        at += all;
        if (i < job.part_count) {
            spans[i] = span;
        }
    }
    return at;
}

/* Bytes of the header of the codestream's box (I.4). */
__device__ __forceinline__ uint32_t count_box(const job_type &job, uint64_t codestream)
{
    return job.has_long_box || codestream > 0xFFFFFFFF - 8 ? 16 : 8;
}

/* Collects what the kernels in front have noted. */
__device__ __forceinline__ uint32_t collect_notes(const job_type &job, uint32_t *outside)
{
    bool unbounded = job.unbounded && *(const uint32_t *)job.unbounded, left = job.left && *(const uint32_t *)job.left;
    *outside = job.outside ? *(const uint32_t *)job.outside : 0;
    uint32_t notes = job.notes ? *(const uint32_t *)job.notes : 0;
    return notes | (unbounded ? (uint32_t)WVL_CUDA_PACKETS_UNBOUNDED : 0) |
           (left ? (uint32_t)WVL_CUDA_PACKETS_LEFT : 0) | (*outside ? (uint32_t)WVL_CUDA_PACKETS_OUTSIDE : 0);
}

/* One thread. codestream: bytes; box: of the header of its box. */
__device__ __forceinline__ void report(const job_type &job, uint32_t picture, uint64_t codestream, uint32_t box,
                                       uint32_t flags, const error_sums &errors)
{
    const wvl_cuda_packets_picture p = picture_of(job, picture);
    uint64_t *totals = work_at<uint64_t>(job, picture, job.work.totals), before = job.boxes_bytes + box;
    uint32_t outside;
    flags |= collect_notes(job, &outside);
    flags |= before + codestream > p.output_bytes ? (uint32_t)WVL_CUDA_PACKETS_SHORT : 0;
    wvl_cuda_packets_outcome outcome = {0, 0};
    if (job.outcome) {
        outcome = *(const wvl_cuda_packets_outcome *)job.outcome;
    }
    *(wvl_cuda_packets_result *)p.result = {before + codestream, before,      flags,  outside,
                                            errors.energy,       errors.left, outcome};
    for (uint32_t i = 0; p.layers && i < job.layer_count; i++) {
        ((wvl_assembly_layer *)p.layers)[i] = ((const wvl_assembly_layer *)job.layers)[i];
    }
    totals[WVL_CUDA_PACKETS_END] = flags ? 0 : before + codestream;
    totals[WVL_CUDA_PACKETS_BEGIN] = before;
    totals[WVL_CUDA_PACKETS_OUTPUT] = p.output;
    totals[WVL_CUDA_PACKETS_REPORT] = p.lengths;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Numbers of pieces: main ones; then for each part its header, and for each packet its head and its blocks; EOC. */
__device__ __forceinline__ uint32_t piece_of_packet(const job_type &job, const wvl_assembly_packet &p, uint32_t packet)
{
    return WVL_CUDA_PACKETS_MAIN_PIECES + p.part + 1 + packet + job.pieces * p.first_place;
}

__device__ __forceinline__ void put_piece(const job_type &job, uint32_t picture, uint32_t piece, uint64_t start,
                                          uint64_t source)
{
    work_at<uint64_t>(job, picture, job.work.starts)[piece] = start;
    work_at<uint64_t>(job, picture, job.work.sources)[piece] = source;
}

__device__ __forceinline__ uint64_t begin_codestream(const job_type &job, uint32_t picture)
{
    return work_at<uint64_t>(job, picture, job.work.totals)[WVL_CUDA_PACKETS_BEGIN];
}

/* Returns where a packet begins in the output. */
__device__ __forceinline__ uint64_t place_of_packet(const job_type &job, uint32_t picture, uint32_t part,
                                                    uint32_t packet)
{
    const wvl_cuda_packets_span &span = work_at<wvl_cuda_packets_span>(job, picture, job.work.spans)[part];
    return begin_codestream(job, picture) + span.at + span.header_bytes +
           work_at<uint64_t>(job, picture, job.work.sums)[packet] - span.first;
}

/* Lengths for the host: of packets, then of tile-parts. */
__device__ __forceinline__ void report_length(const job_type &job, uint32_t picture, uint32_t at, uint32_t bytes)
{
    uint64_t report = work_at<uint64_t>(job, picture, job.work.totals)[WVL_CUDA_PACKETS_REPORT];
    if (report) {
        ((uint32_t *)report)[at] = bytes;
    }
}

__device__ __forceinline__ void list_block(const job_type &job, uint32_t picture, uint32_t index)
{
    const wvl_assembly_place &place = ((const wvl_assembly_place *)job.places)[index];
    const wvl_assembly_packet &p = packet_of(job, place.packet);
    uint32_t piece = piece_of_packet(job, p, place.packet) + 1 + job.pieces * (index - p.first_place);
    const wvl_cuda_packets_length &length =
        work_at<wvl_cuda_packets_length>(job, picture, job.work.lengths)[place.packet];
    uint64_t at = place_of_packet(job, picture, p.part, place.packet) + length.head_bytes;
    at += length.body_bytes ? work_at<uint32_t>(job, picture, job.work.body_at)[index] : 0; /* else it is not written */
    block_pieces own = find_pieces(job, record_at(job, picture, p.layer, place.block));
#pragma unroll
    for (uint32_t k = 0; k < WVL_CUDA_PACKETS_HT_PIECES; k++) {
        if (k < job.pieces) {
            put_piece(job, picture, piece + k, at, own.source[k]);
            at += own.bytes[k];
        }
    }
}

/* The length of a packet in PLT (A.7.3). */
__device__ __forceinline__ void put_plt(const job_type &job, uint32_t picture, uint32_t part, uint32_t packet)
{
    const uint32_t *plt_sums = work_at<uint32_t>(job, picture, job.work.plt_sums);
    const uint64_t *sums = work_at<uint64_t>(job, picture, job.work.sums);
    const wvl_cuda_packets_span &span = work_at<wvl_cuda_packets_span>(job, picture, job.work.spans)[part];
    const wvl_assembly_part &p = part_of(job, part);
    const uint32_t *segments = work_at<uint32_t>(job, picture, job.work.segments) + p.first_segment;
    uint32_t segment = 0, length = (uint32_t)(sums[packet + 1] - sums[packet]), count = count_plt(length);
    while (segment + 1 < span.segments && segments[segment + 1] <= packet) {
        segment++;
    }
    uint8_t *to = work_at<uint8_t>(job, picture, job.work.headers) + p.header_at + p.template_bytes +
                  PLT_HEAD * (segment + 1) + (plt_sums[packet] - span.first_plt);
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (uint8_t)((i + 1 < count ? 0x80 : 0) | (length >> 7 * (count - 1 - i) & 0x7F));
    }
}

__device__ __forceinline__ void list_packet(const job_type &job, uint32_t picture, uint32_t packet)
{
    const wvl_assembly_packet &p = packet_of(job, packet);
    put_piece(job, picture, piece_of_packet(job, p, packet), place_of_packet(job, picture, p.part, packet),
              job.memory + picture * job.work.all_bytes + job.work.heads + p.head_at);
    const uint64_t *sums = work_at<uint64_t>(job, picture, job.work.sums) + packet;
    report_length(job, picture, packet, (uint32_t)(sums[1] - sums[0]));
    if (job.has_plt) {
        put_plt(job, picture, p.part, packet);
    }
}

/* The main header and what may follow it, where steps follow the target. */
__device__ __forceinline__ uint64_t find_variant(const job_type &job)
{
    return job.mains + *(const uint32_t *)job.variant * job.variant_bytes;
}

__device__ __forceinline__ const uint8_t *find_template(const job_type &job, const wvl_assembly_part &part)
{
    if (!job.variant || job.variant_bytes == job.main_bytes) {
        return (const uint8_t *)job.bytes + part.template_at;
    }
    uint32_t first = job.boxes_bytes + job.main_bytes + job.tlm_bytes;
    return (const uint8_t *)(find_variant(job) + job.main_bytes) + (part.template_at - first);
}

/* SOT, heads of PLT marker segments, SOD, and the entry in TLM (A.4.2, A.7.1, A.7.3). */
__device__ __forceinline__ void list_part(const job_type &job, uint32_t picture, uint32_t part)
{
    const wvl_assembly_part &p = part_of(job, part);
    const wvl_cuda_packets_span &span = work_at<wvl_cuda_packets_span>(job, picture, job.work.spans)[part];
    const uint32_t *plt_sums = work_at<uint32_t>(job, picture, job.work.plt_sums),
                   *segments = work_at<uint32_t>(job, picture, job.work.segments) + p.first_segment;
    const uint8_t *bytes = (const uint8_t *)job.bytes, *from = find_template(job, p);
    uint8_t *header = work_at<uint8_t>(job, picture, job.work.headers) + p.header_at, *to = header + p.template_bytes,
            *tlm = work_at<uint8_t>(job, picture, job.work.main) - (job.boxes_bytes + job.main_bytes);
    for (uint32_t i = 0; i < p.template_bytes; i++) {
        header[i] = from[i];
    }
    put_field(header + PSOT_AT, span.psot, 4);
    report_length(job, picture, job.packet_count + part, span.psot);
    for (uint32_t s = 0; s < span.segments; s++) {
        uint32_t end = s + 1 < span.segments ? segments[s + 1] : p.first_packet + p.packet_count,
                 data = plt_sums[end] - plt_sums[segments[s]];
        put_field(to, 0xFF58ull << 24 | (uint64_t)(data + 3) << 8 | s, PLT_HEAD);
        to += PLT_HEAD + data;
    }
    put_field(to, 0xFF93, SOD_BYTES);
    uint32_t place = p.first_packet < job.packet_count ? packet_of(job, p.first_packet).first_place : job.place_count;
    put_piece(job, picture, WVL_CUDA_PACKETS_MAIN_PIECES + part + p.first_packet + job.pieces * place,
              begin_codestream(job, picture) + span.at, (uint64_t)(uintptr_t)header);
    for (uint32_t i = p.length_from; job.tlm_bytes && i < p.length_at; i++) {
        tlm[i] = bytes[i];
    }
    if (job.tlm_bytes) {
        put_field(tlm + p.length_at, span.psot, 4);
    }
}

/* Boxes, main header, EOC. One thread. */
__device__ __forceinline__ void list_main(const job_type &job, uint32_t picture)
{
    const uint64_t *totals = work_at<uint64_t>(job, picture, job.work.totals);
    uint64_t begin = totals[WVL_CUDA_PACKETS_BEGIN], end = totals[WVL_CUDA_PACKETS_END], codestream = end - begin;
    uint8_t *tlm = work_at<uint8_t>(job, picture, job.work.main), *box = tlm + job.tlm_bytes;
    uint32_t last = job.piece_count - 1;
    bool is_long = count_box(job, codestream) == 16;
    put_field(box, is_long ? 1 : codestream + 8, 4);
    put_field(box + 4, 0x6A703263, 4); /* jp2c (I.5.4) */
    put_field(box + 8, codestream + 16, 8);
    put_field(box + 16, 0xFFD9, EOC_BYTES);
    put_piece(job, picture, 0, 0, job.bytes);
    put_piece(job, picture, 1, job.boxes_bytes, (uint64_t)(uintptr_t)box);
    put_piece(job, picture, 2, begin, job.variant ? find_variant(job) : job.bytes + job.boxes_bytes);
    put_piece(job, picture, 3, begin + job.main_bytes, (uint64_t)(uintptr_t)tlm);
    put_piece(job, picture, last, end - EOC_BYTES, (uint64_t)(uintptr_t)(box + 16));
    work_at<uint64_t>(job, picture, job.work.starts)[job.piece_count] = end;
}

} // namespace wvl_packets

extern "C" __global__ void __launch_bounds__(WVL_CUDA_PACKETS_PLACE_THREADS)
    wvl_packets_place(const wvl_cuda_packets_job job)
{
    WVL_HT_SHARED(shared); /* sums, then flags */
    uint32_t *shared_flags = shared + 64, picture = blockIdx.x;
    if (!threadIdx.x) {
        *shared_flags = 0;
    }
    uint32_t flags = wvl_packets::sum_packets(job, picture, shared);
    uint64_t header = job.main_bytes + job.tlm_bytes,
             parts = wvl_packets::place_parts(job, picture, header, shared, &flags);
    wvl_packets::error_sums errors = wvl_packets::sum_errors(job, picture, shared);
    if (flags) {
        atomicOr(shared_flags, flags);
    }
    __syncthreads();
    if (!threadIdx.x) {
        uint64_t codestream = parts + wvl_packets::EOC_BYTES;
        wvl_packets::report(job, picture, codestream, job.has_boxes ? wvl_packets::count_box(job, codestream) : 0,
                            *shared_flags, errors);
    }
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_PACKETS_PIECE_THREADS)
    wvl_packets_list(const wvl_cuda_packets_job job)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, picture = blockIdx.y;
    if (!wvl_packets::work_at<uint64_t>(job, picture, job.work.totals)[WVL_CUDA_PACKETS_END]) {
        return;
    }
    if (i < job.place_count) {
        wvl_packets::list_block(job, picture, i);
        return;
    }
    i -= job.place_count;
    if (i < job.packet_count) {
        wvl_packets::list_packet(job, picture, i);
        return;
    }
    i -= job.packet_count;
    if (i < job.part_count) {
        wvl_packets::list_part(job, picture, i);
    } else if (i == job.part_count) {
        wvl_packets::list_main(job, picture);
    }
}
