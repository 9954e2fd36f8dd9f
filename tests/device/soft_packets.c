/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels that put pictures together: by a C reference of blocks that soft_blocks.c or soft_t1.c has coded, or by
 * their own source, compiled for the CPU (tests/twin/ht_emulated.h), where SOFT_EMULATE is in the environment and the
 * build has a C++ compiler; sets of HT passes that rate control has cut always by the latter.
 */
#include <stdlib.h>

#include "codec/core/t1_pass.h"
#include "codec/t2/tag_tree.h"
#include "soft.h"
#ifdef WVL_HAVE_EMULATION
#include "tests/twin/ht_emulated.h"
#endif

#define PLT_DATA 65532u /* A.7.3: bytes of a segment, */
#define PLT_HEAD 5u     /* and of its marker, length and index */
#define PLT_MOST 256u

static void *at(uint64_t address) { return (void *)(uintptr_t)address; }
static void *work(const wvl_cuda_packets_job *job, uint64_t offset) { return at(job->memory + offset); }

/* Returns what a block sends. planes: Mb of its band. HT blocks have a cleanup pass alone, which is what backends ask
 * for. */
static wvl_cuda_packets_block sent_of(const wvl_cuda_packets_job *job, uint32_t block, uint32_t planes)
{
    if (job->blocks) {
        uint32_t place = job->block_places ? ((const uint32_t *)at(job->block_places))[block] : block;
        return ((const wvl_cuda_packets_block *)at(job->blocks))[place];
    }
    const wvl_cuda_ht_record *r = (const wvl_cuda_ht_record *)at(job->ht_records) + block;
    const wvl_cuda_ht_part *part = (const wvl_cuda_ht_part *)at(job->ht_parts) + block;
    return (wvl_cuda_packets_block){.bytes = job->ht_scratch + 16ull * part->piece,
                                    .segment[0] = 1u << 24 | r->cleanup_bytes,
                                    .byte_count = r->bytes,
                                    .segment_count = r->cleanup_bytes != 0,
                                    .passes = r->cleanup_bytes != 0,
                                    .zero_planes = (uint8_t)(planes - (r->cleanup_bytes ? r->planes : 0)),
                                    .flags = r->flags & WVL_CUDA_HT_LEFT ? WVL_CUDA_PACKETS_LEFT : 0};
}

/* ---- EBCOT blocks ---------------------------------------------------------------------------- */

/* Segments follow the ends of passes (Table D.9); they take the place of the list of ends. */
static void send_t1_block(const wvl_cuda_packets_job *job, uint32_t block)
{
    const wvl_cuda_t1_block *b = (const wvl_cuda_t1_block *)at(job->t1_blocks) + block;
    const wvl_cuda_t1_record *r = (const wvl_cuda_t1_record *)at(job->t1_records) + block;
    wvl_cuda_packets_block *to = (wvl_cuda_packets_block *)at(job->blocks) + block;
    uint32_t *ends = at(job->t1_scratch + 16ull * r->ends), segments[WVL_CUDA_T1_MOST_PASSES], count = 0;
    uint32_t passes = 0, bytes = 0;
    *to = (wvl_cuda_packets_block){.zero_planes = b->planes,
                                   .flags = r->flags & WVL_CUDA_T1_LEFT ? WVL_CUDA_PACKETS_LEFT : 0};
    if (to->flags || !r->passes) {
        return;
    }
    for (uint32_t i = 0; i < r->passes; i++) {
        passes++;
        if (i + 1 == r->passes || wvl_t1_pass_is_end(i, b->style)) {
            uint32_t end = i + 1 == r->passes ? r->bytes : ends[i];
            segments[count++] = passes << 24 | (end - bytes);
            bytes = end;
            passes = 0;
        }
    }
    memcpy(ends, segments, count * sizeof *ends);
    to->bytes = job->t1_scratch + 16ull * r->codeword + 1;
    to->more = (uint64_t)(uintptr_t)(ends + 2);
    memcpy(to->segment, segments, (count < 2 ? count : 2) * sizeof *segments);
    to->byte_count = r->bytes;
    to->segment_count = (uint8_t)count;
    to->passes = r->passes;
    to->zero_planes = (uint8_t)(b->planes - r->planes);
}

static int send_t1_blocks(const wvl_cuda_packets_job *job)
{
    for (uint32_t i = 0; i < job->block_count; i++) {
        send_t1_block(job, i);
    }
    return 0;
}

/* ---- Heads ----------------------------------------------------------------------------------- */

typedef struct band_trees {
    wvl_tag_node *inclusion, *planes;
} band_trees;

static uint32_t block_of(const wvl_assembly_band *band, uint32_t i)
{
    return band->first_block + i / band->cols * band->stride + i % band->cols;
}

static band_trees build_trees(const wvl_cuda_packets_job *job, const wvl_assembly_band *band)
{
    uint64_t nodes = wvl_tag_tree_nodes(band->cols, band->rows);
    band_trees t = {calloc(nodes + 1, sizeof *t.inclusion), calloc(nodes + 1, sizeof *t.planes)};
    for (uint32_t i = 0; i < band->cols * band->rows; i++) {
        wvl_cuda_packets_block sent = sent_of(job, block_of(band, i), band->planes);
        t.inclusion[i].value = !sent.segment_count;
        t.planes[i].value = sent.zero_planes;
    }
    wvl_tag_tree_build(t.inclusion, band->cols, band->rows, NULL);
    wvl_tag_tree_build(t.planes, band->cols, band->rows, NULL);
    return t;
}

static uint32_t segment_of(const wvl_cuda_packets_block *b, unsigned i)
{
    return i < 2 ? b->segment[i] : ((const uint32_t *)at(b->more))[i - 2];
}

static void put_block(const wvl_cuda_packets_block *b, wvl_bit_writer *bits)
{
    unsigned lblock = WVL_PACKET_FIRST_LBLOCK;
    for (unsigned i = 0; i < b->segment_count; i++) {
        uint32_t segment = segment_of(b, i);
        lblock = wvl_packet_raise_lblock(lblock, segment >> 24, segment & 0xFFFFFF);
    }
    wvl_bits_put_pass_count(bits, b->passes);
    wvl_bits_put_lblock(bits, WVL_PACKET_FIRST_LBLOCK, lblock);
    for (unsigned i = 0; i < b->segment_count; i++) {
        uint32_t segment = segment_of(b, i);
        wvl_bits_put(bits, segment & 0xFFFFFF, lblock + wvl_packet_extra_bits(segment >> 24));
    }
}

static uint32_t put_band(const wvl_cuda_packets_job *job, const wvl_assembly_band *band, wvl_bit_writer *bits)
{
    band_trees t = build_trees(job, band);
    uint32_t body = 0;
    for (uint32_t i = 0; i < band->cols * band->rows; i++) {
        wvl_cuda_packets_block sent = sent_of(job, block_of(band, i), band->planes);
        uint32_t x = i % band->cols, y = i / band->cols;
        wvl_tag_tree_put(t.inclusion, band->cols, band->rows, x, y, 1, bits);
        if (sent.segment_count) {
            wvl_tag_tree_put(t.planes, band->cols, band->rows, x, y, t.planes[i].value + 1u, bits);
            put_block(&sent, bits);
            body += sent.byte_count;
        }
    }
    free(t.inclusion);
    free(t.planes);
    return body;
}

/* Finds what the blocks of a packet say together: whether any is sent, and whether one is left. */
static uint32_t ask_blocks(const wvl_cuda_packets_job *job, const wvl_assembly_packet *p, int *sends)
{
    uint32_t flags = 0;
    *sends = 0;
    for (unsigned b = 0; b < p->band_count; b++) {
        for (uint32_t i = 0; i < p->band[b].cols * p->band[b].rows; i++) {
            wvl_cuda_packets_block sent = sent_of(job, block_of(&p->band[b], i), p->band[b].planes);
            *sends |= sent.segment_count != 0;
            flags |= sent.flags;
        }
    }
    return flags;
}

static void code_head(const wvl_cuda_packets_job *job, uint32_t index)
{
    const wvl_assembly_packet *p = (const wvl_assembly_packet *)at(job->packets) + index;
    uint8_t *head = (uint8_t *)work(job, job->work.heads) + p->head_at;
    const uint8_t sop[6] = {0xFF, 0x91, 0, 4, (uint8_t)(p->number >> 8), (uint8_t)p->number};
    uint32_t body = 0;
    wvl_bit_writer bits;
    int sends;
    uint32_t flags = ask_blocks(job, p, &sends);
    memcpy(head, sop, p->sop ? sizeof sop : 0);
    wvl_bits_open(&bits, head + (p->sop ? sizeof sop : 0));
    wvl_bits_put(&bits, (uint32_t)sends, 1);
    for (unsigned b = 0; b < p->band_count && sends; b++) {
        body += p->band[b].cols && p->band[b].rows ? put_band(job, &p->band[b], &bits) : 0;
    }
    uint64_t count = wvl_bits_close(&bits) + (p->sop ? sizeof sop : 0);
    if (p->eph) {
        head[count++] = 0xFF;
        head[count++] = 0x92;
    }
    ((wvl_cuda_packets_length *)work(job, job->work.lengths))[index] =
        (wvl_cuda_packets_length){(uint32_t)count, body, flags};
}

static int code_heads(const wvl_cuda_packets_job *job, const soft_shape *shape)
{
    const uint32_t *order = at(job->order);
    for (uint32_t i = 0; i < shape->grid_x; i++) {
        code_head(job, order[job->first_packet + i]);
    }
    return 0;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* NULL: they are counted alone. */
typedef struct byte_sink {
    uint8_t *to;
    uint64_t count;
} byte_sink;

static void put(byte_sink *s, const void *bytes, uint64_t count)
{
    if (s->to && count) { /* blocks that send nothing have no bytes */
        memcpy(s->to + s->count, bytes, count);
    }
    s->count += count;
}

static void put_number(byte_sink *s, uint64_t value, unsigned bytes)
{
    while (bytes--) {
        uint8_t byte = (uint8_t)(value >> 8 * bytes);
        put(s, &byte, 1);
    }
}

static uint32_t packet_bytes(const wvl_cuda_packets_job *job, uint32_t packet)
{
    const wvl_cuda_packets_length *l = (const wvl_cuda_packets_length *)work(job, job->work.lengths) + packet;
    return l->head_bytes + l->body_bytes;
}

static unsigned count_plt(uint32_t length) { return length ? (wvl_bit_length(length) + 6u) / 7u : 1; }

/* Whole lengths, as many as a segment holds. Returns the segments. */
static uint32_t put_plt(const wvl_cuda_packets_job *job, const wvl_assembly_part *part, byte_sink *s)
{
    uint32_t packet = part->first_packet, end = packet + part->packet_count, count = 0;
    for (; packet < end && job->has_plt; count++) {
        uint32_t data = 0, last = packet;
        while (last < end && data + count_plt(packet_bytes(job, last)) <= PLT_DATA) {
            data += count_plt(packet_bytes(job, last++));
        }
        put_number(s, 0xFF580000u | (data + 3), 4);
        put_number(s, count, 1);
        for (; packet < last; packet++) {
            uint32_t length = packet_bytes(job, packet);
            for (unsigned i = count_plt(length); i-- > 0;) {
                put_number(s, (i ? 0x80u : 0) | (length >> 7 * i & 0x7F), 1);
            }
        }
    }
    return count;
}

static void put_packet(const wvl_cuda_packets_job *job, uint32_t packet, byte_sink *s)
{
    const wvl_assembly_packet *p = (const wvl_assembly_packet *)at(job->packets) + packet;
    const wvl_cuda_packets_length *l = (const wvl_cuda_packets_length *)work(job, job->work.lengths) + packet;
    put(s, (const uint8_t *)work(job, job->work.heads) + p->head_at, l->head_bytes);
    for (unsigned b = 0; b < p->band_count; b++) {
        for (uint32_t i = 0; i < p->band[b].cols * p->band[b].rows; i++) {
            uint32_t block = block_of(&p->band[b], i);
            wvl_cuda_packets_block sent = sent_of(job, block, p->band[b].planes);
            put(s, at(sent.bytes), sent.segment_count ? sent.byte_count : 0);
        }
    }
}

/* Returns Psot. */
static uint64_t put_part(const wvl_cuda_packets_job *job, const wvl_assembly_part *part, uint64_t psot, byte_sink *s,
                         uint32_t *flags)
{
    const uint8_t *from = (const uint8_t *)at(job->bytes) + part->template_at;
    uint64_t begin = s->count;
    put(s, from, 6);
    put_number(s, psot, 4);
    put(s, from + 10, part->template_bytes - 10);
    *flags |= put_plt(job, part, s) > PLT_MOST ? (uint32_t)WVL_CUDA_PACKETS_LARGE : 0;
    put_number(s, 0xFF93, 2);
    for (uint32_t i = 0; i < part->packet_count; i++) {
        put_packet(job, part->first_packet + i, s);
    }
    return s->count - begin;
}

static const wvl_assembly_part *part_of(const wvl_cuda_packets_job *job, uint32_t index)
{
    return (const wvl_assembly_part *)at(job->parts) + index;
}

static uint32_t psot_of(const wvl_cuda_packets_job *job, uint32_t index)
{
    byte_sink count = {NULL, 0};
    uint32_t flags = 0;
    return (uint32_t)put_part(job, part_of(job, index), 0, &count, &flags);
}

static void put_codestream(const wvl_cuda_packets_job *job, byte_sink *s)
{
    const uint8_t *bytes = at(job->bytes);
    uint64_t begin = s->count;
    uint32_t flags = 0;
    put(s, bytes + job->boxes_bytes, job->main_bytes + job->tlm_bytes);
    for (uint32_t i = 0; i < job->part_count; i++) {
        uint32_t psot = psot_of(job, i);
        if (s->to && job->tlm_bytes) {
            byte_sink tlm = {s->to + begin + part_of(job, i)->length_at - job->boxes_bytes, 0};
            put_number(&tlm, psot, 4);
        }
        (void)put_part(job, part_of(job, i), psot, s, &flags);
    }
    put_number(s, 0xFFD9, 2);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Bytes of the header of the codestream's box (I.4). */
static uint64_t box_bytes(const wvl_cuda_packets_job *job, uint64_t codestream)
{
    uint64_t bytes = job->has_long_box || codestream > UINT32_MAX - 8 ? 16 : 8;
    return job->has_boxes ? bytes : 0;
}

static uint32_t collect_flags(const wvl_cuda_packets_job *job)
{
    const wvl_cuda_packets_length *lengths = work(job, job->work.lengths);
    uint32_t flags = 0;
    for (uint32_t i = 0; i < job->packet_count; i++) {
        flags |= lengths[i].flags;
    }
    for (uint32_t i = 0; i < job->part_count && !flags; i++) {
        byte_sink count = {NULL, 0};
        flags |= put_part(job, part_of(job, i), 0, &count, &flags) > UINT32_MAX ? (uint32_t)WVL_CUDA_PACKETS_LARGE : 0;
    }
    flags |= job->notes ? *(const uint32_t *)at(job->notes) : 0;
    flags |= job->left && *(const uint32_t *)at(job->left) ? (uint32_t)WVL_CUDA_PACKETS_LEFT : 0;
    flags |= *(const uint32_t *)at(job->unbounded) ? (uint32_t)WVL_CUDA_PACKETS_UNBOUNDED : 0;
    return flags | (*(const uint32_t *)at(job->outside) ? (uint32_t)WVL_CUDA_PACKETS_OUTSIDE : 0);
}

static int place(const wvl_cuda_packets_job *job)
{
    const wvl_cuda_packets_picture *p = at(job->pictures);
    const wvl_cuda_block_error *errors = at(job->errors);
    wvl_cuda_packets_result *r = at(p->result);
    byte_sink count = {NULL, 0};
    memset(r, 0, sizeof *r);
    r->flags = collect_flags(job);
    r->outside = *(const uint32_t *)at(job->outside);
    if (job->outcome) {
        r->outcome = *(const wvl_cuda_packets_outcome *)at(job->outcome);
    }
    put_codestream(job, &count);
    r->codestream = job->boxes_bytes + box_bytes(job, count.count);
    r->bytes = r->codestream + count.count;
    r->flags |= r->bytes > p->output_bytes ? (uint32_t)WVL_CUDA_PACKETS_SHORT : 0;
    for (uint32_t i = 0; errors && i < job->block_count; i++) {
        r->energy += errors[i].energy;
        r->left += errors[i].left;
    }
    return 0;
}

static int report(const wvl_cuda_packets_job *job)
{
    const wvl_cuda_packets_picture *p = at(job->pictures);
    uint32_t *lengths = at(p->lengths);
    for (uint32_t i = 0; i < job->packet_count && lengths; i++) {
        lengths[i] = packet_bytes(job, i);
    }
    for (uint32_t i = 0; i < job->part_count && lengths; i++) {
        lengths[job->packet_count + i] = psot_of(job, i);
    }
    return 0;
}

static int write_picture(const wvl_cuda_packets_job *job)
{
    const wvl_cuda_packets_picture *p = at(job->pictures);
    const wvl_cuda_packets_result *r = at(p->result);
    byte_sink s = {at(p->output), 0};
    if (r->flags) {
        return 0;
    }
    put(&s, at(job->bytes), job->boxes_bytes);
    uint64_t codestream = r->bytes - r->codestream, box = r->codestream - job->boxes_bytes;
    if (box) {
        put_number(&s, box == 8 ? codestream + 8 : 1, 4);
        put_number(&s, 0x6A703263, 4); /* jp2c */
        put_number(&s, codestream + 16, box == 8 ? 0 : 8);
    }
    put_codestream(job, &s);
    return 0;
}

/* ---- Launches -------------------------------------------------------------------------------- */

#ifdef WVL_HAVE_EMULATION
static int emulate(const char *name, const wvl_cuda_packets_job *job, const soft_shape *shape)
{
    wvl_cuda_function function;
    wvl_cuda_packets_job copy = *job;
    void *arguments[] = {&copy};
    return wvl_emulate_find(&function, NULL, name) ||
           wvl_emulate_launch(function, shape->grid_x, shape->grid_y, 1, shape->threads, 1, 1, shape->shared, NULL,
                              arguments, NULL);
}
#endif

int soft_run_packets(const char *name, const wvl_cuda_packets_job *job, const soft_shape *shape)
{
#ifdef WVL_HAVE_EMULATION
    int has_sets = job->blocks && job->pieces > 1;
    if (getenv("SOFT_EMULATE") || has_sets || job->layer_count > 1) { /* the reference has one layer */
        return emulate(name, job, shape);
    }
#endif
    if (!strcmp(name, "wvl_packets_t1_blocks")) {
        return send_t1_blocks(job);
    }
    if (!strcmp(name, "wvl_packets_heads")) {
        return code_heads(job, shape);
    }
    if (!strcmp(name, "wvl_packets_place")) {
        return place(job);
    }
    return !strcmp(name, "wvl_packets_list") ? report(job) : write_picture(job);
}
