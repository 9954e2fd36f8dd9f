/* SPDX-License-Identifier: BSD-2-Clause */
#include "t1_lists.h"

#include "t1_blocks.h"
#include "tests/prop/t1_reference.h"

#define CHUNK_UNITS WVL_CUDA_T1_CHUNK_UNITS

/* ---- Blocks ---------------------------------------------------------------------------------- */

static t1_block *add_block(t1_set *set)
{
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 64;
        set->blocks = realloc(set->blocks, set->room * sizeof *set->blocks);
    }
    t1_block *b = &set->blocks[set->count++];
    memset(b, 0, sizeof *b);
    return b;
}

void t1_set_clear(t1_set *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        free(set->blocks[i].symbols);
        free(set->blocks[i].bytes);
    }
    free(set->blocks);
    memset(set, 0, sizeof *set);
}

static void take_output(t1_block *b, const wvl_block_output *out)
{
    b->planes = (uint8_t)out->planes;
    b->passes = (uint8_t)out->pass_count;
    b->length = out->length;
    b->bytes = malloc(out->length + 1);
    memcpy(b->bytes, out->bytes, out->length);
}

static void append_symbols(t1_block *b, const uint8_t *symbols, size_t count)
{
    b->symbols = realloc(b->symbols, b->symbol_count + count + 1);
    memcpy(b->symbols + b->symbol_count, symbols, count);
    b->symbol_count += (uint32_t)count;
}

/* The lists of all passes that are coded. The contexts of raw symbols are rubbish. */
static void list_samples(t1_block *b, const wvl_block_input *in, uint64_t *seed)
{
    static const uint8_t segmentation[] = {37, 36, 37, 36};
    wvl_t1_fast fast;
    size_t bytes = sizeof(wvl_t1_fast_state) + (size_t)b->planes * WVL_T1_MAX_UNITS * sizeof(uint64_t);
    wvl_t1_fast_state *state = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    wvl_t1_init_block(&fast, in, state);
    wvl_t1_load_block(&fast, &wvl_t1_kernels_c, b->planes);
    for (uint32_t pass = 0; pass < b->passes; pass++) {
        int kind = wvl_t1_pass_kind(pass), raw = wvl_t1_pass_is_raw(pass, in->style);
        size_t count = wvl_t1_kernels_c.list_pass(&fast, kind, raw, wvl_t1_pass_plane(b->planes, pass));
        for (size_t i = 0; raw && i < count; i++) {
            state->symbols[i] = (uint8_t)((state->symbols[i] & 1) | (test_draw32(seed) << 1));
        }
        append_symbols(b, state->symbols, count);
        if (kind == WVL_T1_CLEANUP && (in->style & WVL_STYLE_SEGSYM)) {
            append_symbols(b, segmentation, sizeof segmentation);
        }
        b->ends[pass] = b->symbol_count;
    }
    free(state);
}

void t1_set_add_samples(t1_set *set, const wvl_block_input *in, uint64_t *seed)
{
    t1_block *b = add_block(set);
    unsigned bits = wvl_bit_length(in->bound), planes = bits > in->frac_bits ? bits - in->frac_bits : 0;
    wvl_t1_scratch *scratch = aligned_alloc(64, (wvl_t1_scratch_bytes() + 63) & ~(size_t)63);
    wvl_block_output out = {.bytes = malloc(wvl_t1_bound_bytes(in->width, in->height, planes, in->style)),
                            .passes = b->records};
    wvl_t1_encode_block_ref(scratch, in, &out);
    b->style = in->style;
    b->max_passes = in->max_passes;
    take_output(b, &out);
    if (b->passes) {
        list_samples(b, in, seed);
    }
    free(out.bytes);
    free(scratch);
}

/* Bytes of its codeword and the one before, at most. */
static uint32_t bound_of(const t1_block *b)
{
    return (uint32_t)wvl_t1_bound_symbols(b->symbol_count, b->passes, b->style);
}

/* Codes the lists that a block has. */
static void code_lists(t1_block *b)
{
    const wvl_block_input in = {
        .style = b->style, .max_passes = b->max_passes, .bound = b->planes ? (uint32_t)1 << (b->planes - 1) : 0};
    uint8_t *bytes = malloc(bound_of(b));
    wvl_block_output out = t1_code_symbols(&in, b->symbols, b->ends, bytes, b->records);
    take_output(b, &out);
    free(bytes);
}

static uint8_t count_passes(unsigned planes, unsigned max_passes)
{
    unsigned all = planes ? 3 * planes - 2 : 0;
    return (uint8_t)(all < max_passes ? all : max_passes);
}

void t1_set_add_listed(t1_set *set, const wvl_block_input *in, uint64_t *seed)
{
    t1_block *b = add_block(set);
    unsigned bits = wvl_bit_length(in->bound);
    b->style = in->style;
    b->planes = (uint8_t)(bits > in->frac_bits ? bits - in->frac_bits : 0);
    b->max_passes = in->max_passes;
    b->passes = count_passes(b->planes, b->max_passes);
    if (b->passes) {
        list_samples(b, in, seed);
    }
    code_lists(b);
}

void t1_set_add_list(t1_set *set, unsigned style, unsigned planes, unsigned max_passes, const uint32_t *ends,
                     const uint8_t *symbols)
{
    t1_block *b = add_block(set);
    b->style = (uint8_t)style;
    b->planes = (uint8_t)planes;
    b->max_passes = (uint8_t)max_passes;
    b->passes = count_passes(planes, max_passes);
    append_symbols(b, symbols, b->passes ? ends[b->passes - 1] : 0);
    memcpy(b->ends, ends, b->passes * sizeof *ends);
    code_lists(b);
}

void t1_set_add_left(t1_set *set)
{
    t1_block *b = add_block(set);
    b->planes = b->passes = 1;
    b->is_left = 1;
}

/* ---- Scratch memory -------------------------------------------------------------------------- */

/* What takes units of scratch memory: chunks of blocks, their ends, their codewords. */
enum { PIECE_CHUNK, PIECE_ENDS, PIECE_CODEWORD };
typedef struct piece {
    uint32_t block, kind, index, units, place;
} piece;

typedef struct piece_list {
    piece *pieces;
    uint32_t count;
} piece_list;

static void add_piece(piece_list *list, uint32_t block, uint32_t kind, uint32_t index, uint32_t units)
{
    if (list->count % 1024 == 0) {
        list->pieces = realloc(list->pieces, (list->count + 1024) * sizeof *list->pieces);
    }
    list->pieces[list->count++] = (piece){block, kind, index, units, 0};
}

static uint32_t chunk_count(const t1_block *b)
{
    return (b->symbol_count + WVL_CUDA_T1_CHUNK_SYMBOLS - 1) / WVL_CUDA_T1_CHUNK_SYMBOLS;
}

/* Pieces of all blocks in the order of blocks; places are drawn, with gaps. Returns all units. */
static uint32_t place_pieces(piece_list *list, const t1_set *set, uint32_t repeats, uint64_t *seed)
{
    uint32_t units = 1;
    for (uint32_t i = 0; i < set->count * repeats; i++) {
        const t1_block *b = &set->blocks[i % set->count];
        for (uint32_t k = 0; k < chunk_count(b); k++) {
            add_piece(list, i, PIECE_CHUNK, k, CHUNK_UNITS);
        }
        if (b->symbol_count) {
            add_piece(list, i, PIECE_ENDS, 0, (3u * b->planes - 2 + 3) / 4);
            add_piece(list, i, PIECE_CODEWORD, 0, (bound_of(b) + 15) / 16);
        }
    }
    uint32_t *order = malloc(list->count * sizeof *order + 1);
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t k = test_draw32(seed) % (i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        list->pieces[order[i]].place = units;
        units += list->pieces[order[i]].units + test_draw32(seed) % 3;
    }
    free(order);
    return units;
}

static void fill_chunk(t1_load *load, const t1_block *b, const piece *p, const piece *next)
{
    uint32_t first = p->index * WVL_CUDA_T1_CHUNK_SYMBOLS, count = b->symbol_count - first;
    uint8_t *at = load->scratch + 16ull * p->place;
    count = count < WVL_CUDA_T1_CHUNK_SYMBOLS ? count : WVL_CUDA_T1_CHUNK_SYMBOLS;
    memcpy(at, b->symbols + first, count);
    memcpy(at + 16 * (CHUNK_UNITS - 1), &next->place, sizeof next->place);
}

static void fill_piece(t1_load *load, const t1_set *set, const piece *p)
{
    const t1_block *b = &set->blocks[p->block % set->count];
    wvl_cuda_t1_state *s = &load->states[p->block];
    if (p->kind == PIECE_CHUNK) {
        s->list = p->index ? s->list : p->place;
        fill_chunk(load, b, p, p->index + 1 < chunk_count(b) ? p + 1 : p);
    } else if (p->kind == PIECE_ENDS) {
        s->ends = p->place;
        memcpy(load->scratch + 16ull * p->place, b->ends, b->passes * sizeof *b->ends);
    } else {
        s->codeword = p->place;
    }
}

static void fill_tables(t1_load *load, const t1_set *set)
{
    for (uint32_t i = 0; i < load->job.block_count; i++) {
        const t1_block *b = &set->blocks[i % set->count];
        load->blocks[i] = (wvl_cuda_t1_block){.style = b->style, .planes = b->planes, .max_passes = b->max_passes};
        load->states[i] = (wvl_cuda_t1_state){.symbols = b->symbol_count,
                                              .planes = b->planes,
                                              .passes = b->passes,
                                              .flags = b->is_left ? WVL_CUDA_T1_LEFT : 0};
    }
}

static void lay_out(t1_load *load, const t1_set *set, uint32_t repeats, uint64_t *seed)
{
    piece_list list = {0};
    load->job.block_count = set->count * repeats;
    load->job.scratch_units = place_pieces(&list, set, repeats, seed);
    load->scratch_bytes = 16ull * load->job.scratch_units;
    load->scratch = malloc(load->scratch_bytes);
    load->blocks = malloc(load->job.block_count * sizeof *load->blocks + 1);
    load->states = malloc(load->job.block_count * sizeof *load->states + 1);
    memset(load->scratch, HT_POISON, load->scratch_bytes);
    fill_tables(load, set);
    for (uint32_t i = 0; i < list.count; i++) {
        fill_piece(load, set, &list.pieces[i]);
    }
    free(list.pieces);
}

/* ---- Device memory --------------------------------------------------------------------------- */

int t1_load_open(t1_load *load, const ht_device *d, const t1_set *set, uint32_t repeats, t1_way way, uint64_t *seed)
{
    memset(load, 0, sizeof *load);
    lay_out(load, set, repeats, seed);
    wvl_cuda_t1_job *job = &load->job;
    uint64_t n = job->block_count;
    job->is_styled = way.is_styled;
    job->mq = way.mq;
    job->spread = way.spread;
    job->lanes = way.lanes;
    job->thin = way.thin;
    ht_memory *m = &load->taken;
    m->status = wvl_cuda_t1_open(&load->t1, d->runtime, d->module);
    job->blocks = ht_take(m, d, n * sizeof *load->blocks, load->blocks, 0);
    job->states = ht_take(m, d, n * sizeof *load->states, load->states, 0);
    job->scratch = ht_take(m, d, load->scratch_bytes, load->scratch, 1);
    job->records = ht_take(m, d, n * sizeof(wvl_cuda_t1_record), NULL, 1);
    job->order = ht_take(m, d, n * sizeof(uint32_t), NULL, 1);
    job->counters = ht_take(m, d, WVL_CUDA_T1_COUNTERS * sizeof(uint32_t), NULL, 1);
    if (way.wants_passes) {
        job->passes = ht_take(m, d, n * WVL_CUDA_T1_MOST_PASSES * sizeof(wvl_cuda_t1_pass), NULL, 1);
    }
    return !m->status;
}

void t1_load_close(t1_load *load, const ht_device *d)
{
    ht_give(&load->taken, d);
    free(load->blocks);
    free(load->states);
    free(load->scratch);
}

/* ---- Comparison ------------------------------------------------------------------------------ */

/* What came back. */
typedef struct results {
    wvl_cuda_t1_record *records;
    uint32_t *order, *counters;
    wvl_cuda_t1_pass *passes; /* NULL: not wanted */
    uint8_t *scratch;
} results;

static void *fetch(const ht_device *d, wvl_cuda_address from, uint64_t bytes, int *is_good)
{
    unsigned guard = ht_count_guard();
    uint8_t *to = malloc(bytes + 64);
    *is_good &= ht_fetch(d, to, from, bytes + guard);
    for (unsigned i = 0; i < guard && *is_good; i++) {
        *is_good = to[bytes + i] == HT_POISON;
    }
    return to;
}

static int fetch_results(const t1_load *load, const ht_device *d, results *r)
{
    uint64_t n = load->job.block_count;
    int is_good = 1;
    r->records = fetch(d, load->job.records, n * sizeof *r->records, &is_good);
    r->order = fetch(d, load->job.order, n * sizeof *r->order, &is_good);
    r->counters = fetch(d, load->job.counters, WVL_CUDA_T1_COUNTERS * sizeof *r->counters, &is_good);
    r->scratch = fetch(d, load->job.scratch, load->scratch_bytes, &is_good);
    r->passes = NULL;
    if (load->job.passes) {
        r->passes = fetch(d, load->job.passes, n * WVL_CUDA_T1_MOST_PASSES * sizeof *r->passes, &is_good);
    }
    return is_good;
}

static void free_results(results *r)
{
    free(r->records);
    free(r->order);
    free(r->counters);
    free(r->scratch);
    free(r->passes);
}

/* Without records of passes: the ends of segments are right, and no pass is too short. */
static int describes_wrong(const t1_block *b, const wvl_pass *got)
{
    for (uint32_t p = 0; p < b->passes; p++) {
        int is_end = p + 1 == b->passes || (b->records[p].flags & WVL_PASS_TERM);
        if (got[p].flags != b->records[p].flags || got[p].tail_count ||
            got[p].final_bytes < b->records[p].final_bytes || got[p].final_bytes > b->length ||
            (is_end && got[p].final_bytes != b->records[p].final_bytes) || got[p].safe_bytes != got[p].final_bytes) {
            return 1;
        }
    }
    return 0;
}

/* Returns the first record that differs, or the number of passes. */
static uint32_t first_difference(const t1_block *b, const wvl_pass *got)
{
    uint32_t p = 0;
    while (p < b->passes) {
        wvl_pass want = b->records[p];
        want.gain_quarters = 0;
        if (memcmp(&want, &got[p], sizeof want) != 0) {
            break;
        }
        p++;
    }
    return p;
}

/* Compares a block, and puts what may have changed in scratch memory back as it was. */
static int is_wrong(const t1_load *load, const results *r, const t1_block *b, uint32_t i)
{
    const wvl_cuda_t1_record *record = &r->records[i];
    const wvl_cuda_t1_state *s = &load->states[i];
    wvl_pass got[WVL_CUDA_T1_MOST_PASSES];
    wvl_block_output out = {.passes = got};
    if (b->is_left || record->flags) {
        return !b->is_left || record->flags != WVL_CUDA_T1_LEFT;
    }
    if (record->planes != b->planes || record->passes != b->passes || record->codeword != s->codeword ||
        record->ends != s->ends || record->bytes != b->length) {
        printf("block %u: %u planes, %u passes, %u bytes; want %u, %u, %u\n", i, record->planes, record->passes,
               record->bytes, b->planes, b->passes, b->length);
        return 1;
    }
    uint8_t *bytes = r->scratch + 16ull * s->codeword, *ends = r->scratch + 16ull * s->ends;
    const wvl_cuda_t1_pass *passes = r->passes ? r->passes + (size_t)i * WVL_CUDA_T1_MOST_PASSES : NULL;
    wvl_cuda_t1_describe(&load->blocks[i], record, (const uint32_t *)(void *)ends, passes, &out);
    int is_bad = memcmp(bytes + 1, b->bytes, b->length) != 0 || out.length != b->length || out.planes != b->planes ||
                 out.pass_count != b->passes;
    uint32_t p = passes ? first_difference(b, got) : b->passes;
    if (is_bad || p < b->passes || (!passes && describes_wrong(b, got))) {
        printf("block %u, style %u, %u planes, %u passes, %u symbols: bytes %s, pass %u differs: %u %u %u %u, want %u "
               "%u %u %u\n",
               i, b->style, b->planes, b->passes, b->symbol_count, is_bad ? "differ" : "are right", p,
               got[p].safe_bytes, got[p].final_bytes, got[p].tail_count, got[p].flags, b->records[p].safe_bytes,
               b->records[p].final_bytes, b->records[p].tail_count, b->records[p].flags);
        return 1;
    }
    if (b->symbol_count) {
        memcpy(bytes, load->scratch + 16ull * s->codeword, bound_of(b));
    }
    for (uint32_t k = 0; k < b->passes; k++) {
        if (wvl_t1_pass_is_end(k, b->style)) {
            memcpy(ends + 4 * k, load->scratch + 16ull * s->ends + 4 * k, 4);
        }
    }
    return 0;
}

/* All blocks with symbols, each once, and none much longer than the one before. */
static uint32_t check_order(const t1_load *load, const results *r)
{
    uint32_t count = 0, wrong = 0, before = UINT32_MAX;
    uint8_t *seen = calloc(load->job.block_count + 1u, 1);
    for (uint32_t i = 0; i < load->job.block_count; i++) {
        count += load->states[i].symbols && !(load->states[i].flags & WVL_CUDA_T1_LEFT);
    }
    wrong += r->counters[WVL_CUDA_T1_ORDERED] != count;
    for (uint32_t i = 0; i < count && !wrong; i++) {
        uint32_t id = r->order[i];
        wrong += id >= load->job.block_count || seen[id]++ || load->states[id].symbols / 16 > before;
        before = load->states[id].symbols / 16;
    }
    free(seen);
    if (wrong) {
        printf("the order of blocks is wrong\n");
    }
    return wrong;
}

uint32_t t1_compare(const t1_load *load, const ht_device *d, const t1_set *set)
{
    results r;
    uint32_t wrong = UINT32_MAX;
    if (fetch_results(load, d, &r)) {
        wrong = check_order(load, &r);
        for (uint32_t i = 0; i < load->job.block_count && wrong < 10; i++) {
            wrong += (uint32_t)is_wrong(load, &r, &set->blocks[i % set->count], i);
        }
        if (!wrong && memcmp(r.scratch, load->scratch, load->scratch_bytes) != 0) {
            printf("something was written outside of codewords\n");
            wrong++;
        }
    }
    free_results(&r);
    return wrong;
}

uint32_t t1_check(const ht_device *d, const t1_set *set, t1_way way, uint64_t *seed)
{
    t1_load load;
    uint32_t wrong = UINT32_MAX;
    if (t1_load_open(&load, d, set, 1, way, seed) &&
        !wvl_cuda_t1_launch_mq(&load.t1, &load.job, wvl_cuda_to_stream(d->stream))) {
        wrong = t1_compare(&load, d, set);
    }
    t1_load_close(&load, d);
    return wrong;
}
