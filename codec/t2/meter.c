/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/t2/meter.h"

#define LEAST_BLOCKS 4096u /* in a precinct: headers of fewer are measured soon enough */
#define CHUNK 1024u        /* blocks; the last chunk of a band has the rest too */
#define NONE UINT32_MAX
#define NEVER 65535u /* as in precinct.c */
#define MAX_LEVELS 33

static uint64_t chunks_of(const wvl_precinct_band *pb)
{
    uint64_t blocks = wvl_precinct_blocks(pb);
    return blocks ? wvl_max_u64(1, blocks / CHUNK) : 0;
}

uint64_t wvl_meter_chunks(const wvl_precinct *precinct)
{
    uint64_t blocks = 0, chunks = 0;
    for (unsigned b = 0; b < precinct->band_count; b++) {
        blocks += wvl_precinct_blocks(&precinct->band[b]);
        chunks += chunks_of(&precinct->band[b]);
    }
    return blocks < LEAST_BLOCKS || blocks >= NONE ? 0 : chunks;
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* Both trees of a band, and for each node the first block below it, in raster order, that has not been sent, and the
 * first one that joins now: these say what the node has to say. */
typedef struct band_trees {
    const wvl_meter *meter;
    const wvl_precinct_band *pb;
    wvl_tag_node *inclusion, *planes;
    uint32_t *unsent, *joining;
    wvl_meter_chunk *chunks;
    uint64_t chunk_count;
    uint64_t at[MAX_LEVELS]; /* first node of each level, leaves first */
    uint32_t cols[MAX_LEVELS], rows[MAX_LEVELS];
    unsigned levels;
} band_trees;

static void view_band(const wvl_meter *m, unsigned band, band_trees *t)
{
    const wvl_precinct_band *pb = &m->precinct->band[band];
    uint64_t count = wvl_tag_tree_nodes(pb->cols, pb->rows), at = 0, before = 0;
    uint32_t cols = pb->cols, rows = pb->rows;
    for (unsigned b = 0; b < band; b++) {
        before += chunks_of(&m->precinct->band[b]);
    }
    *t = (band_trees){.meter = m,
                      .pb = pb,
                      .inclusion = m->tile->nodes + pb->nodes_at,
                      .planes = m->tile->nodes + pb->nodes_at + count,
                      .unsent = m->firsts + pb->nodes_at,
                      .joining = m->firsts + pb->nodes_at + count,
                      .chunks = m->chunks + before,
                      .chunk_count = chunks_of(pb)};
    for (int more = cols && rows; more; cols = (cols + 1) / 2, rows = (rows + 1) / 2) {
        t->at[t->levels] = at;
        t->cols[t->levels] = cols;
        t->rows[t->levels++] = rows;
        at += (uint64_t)cols * rows;
        more = (uint64_t)cols * rows > 1;
    }
}

static uint64_t node_over(const band_trees *t, unsigned level, uint32_t leaf)
{
    uint32_t col = leaf % t->pb->cols, row = leaf / t->pb->cols;
    return t->at[level] + (uint64_t)(row >> level) * t->cols[level] + (col >> level);
}

static uint64_t block_of(const band_trees *t, uint32_t leaf) { return wvl_precinct_block(t->pb, leaf); }

static int joins(const wvl_block_state *state) { return state->next_passes > state->sent_passes; }

static void set_leaf(const band_trees *t, uint32_t leaf)
{
    uint64_t b = block_of(t, leaf);
    const wvl_block_state *state = &t->meter->tile->states[b];
    int is_new = joins(state) && !state->sent_passes;
    t->unsent[leaf] = state->sent_passes ? NONE : leaf;
    t->joining[leaf] = is_new ? leaf : NONE;
    if (!state->sent_passes) {
        t->inclusion[leaf].value = (uint16_t)(is_new ? t->meter->layer : NEVER);
    }
    if (t->pb->has_sets) {
        t->planes[leaf].value = (uint16_t)wvl_t2_zero_planes(t->meter->tile, t->pb, b);
    }
}

/* Numbers of a node's children: at most four. */
static unsigned list_children(const band_trees *t, unsigned level, uint32_t col, uint32_t row, uint64_t *children)
{
    unsigned count = 0;
    for (uint32_t y = 2 * row; y < 2 * row + 2 && y < t->rows[level - 1]; y++) {
        for (uint32_t x = 2 * col; x < 2 * col + 2 && x < t->cols[level - 1]; x++) {
            children[count++] = t->at[level - 1] + (uint64_t)y * t->cols[level - 1] + x;
        }
    }
    return count;
}

/* A node from its children. */
static void gather(const band_trees *t, unsigned level, uint32_t col, uint32_t row)
{
    uint64_t children[4], n = t->at[level] + (uint64_t)row * t->cols[level] + col;
    unsigned count = list_children(t, level, col, row, children);
    uint32_t unsent = NONE, joining = NONE;
    uint16_t inclusion = UINT16_MAX, planes = UINT16_MAX;
    for (unsigned i = 0; i < count; i++) {
        unsent = wvl_min_u32(unsent, t->unsent[children[i]]);
        joining = wvl_min_u32(joining, t->joining[children[i]]);
        inclusion = (uint16_t)wvl_min_u32(inclusion, t->inclusion[children[i]].value);
        planes = (uint16_t)wvl_min_u32(planes, t->planes[children[i]].value);
    }
    t->unsent[n] = unsent;
    t->joining[n] = joining;
    t->inclusion[n].value = inclusion;
    t->planes[n].value = planes;
}

static void open_band(const band_trees *t)
{
    memset(t->chunks, 0, t->chunk_count * sizeof *t->chunks);
    for (unsigned level = 0; level < t->levels; level++) {
        for (uint32_t row = 0; row < t->rows[level]; row++) {
            for (uint32_t col = 0; col < t->cols[level]; col++) {
                if (level) {
                    gather(t, level, col, row);
                } else {
                    set_leaf(t, row * t->cols[0] + col);
                }
            }
            if (wvl_look_after(t->meter->tile->look, WVL_LOOK_LIST, t->cols[level])) {
                return;
            }
        }
    }
}

void wvl_meter_open(const wvl_meter *m)
{
    for (unsigned b = 0; b < m->precinct->band_count; b++) {
        band_trees t;
        view_band(m, b, &t);
        open_band(&t);
    }
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* The bits that this leaf gives are not known any more. */
static void forget(const band_trees *t, uint32_t leaf)
{
    if (leaf != NONE) {
        memset(&t->chunks[wvl_min_u64(leaf / CHUNK, t->chunk_count - 1)], 0, sizeof *t->chunks);
    }
}

static void change_leaf(const band_trees *t, uint32_t leaf)
{
    uint32_t col = leaf % t->pb->cols, row = leaf / t->pb->cols;
    for (unsigned level = 0; level < t->levels; level++, col /= 2, row /= 2) {
        uint64_t n = t->at[level] + (uint64_t)row * t->cols[level] + col;
        uint32_t joining = t->joining[n];
        uint16_t inclusion = t->inclusion[n].value, planes = t->planes[n].value;
        if (level) {
            /* What speaks for a node speaks for one of its children too; these begin where the node ends. */
            uint64_t children[4];
            unsigned count = list_children(t, level, col, row, children);
            for (unsigned i = 0; i < count; i++) {
                forget(t, t->unsent[children[i]]);
                forget(t, t->joining[children[i]]);
            }
            gather(t, level, col, row);
        } else {
            set_leaf(t, leaf);
        }
        if (joining == t->joining[n] && inclusion == t->inclusion[n].value && planes == t->planes[n].value) {
            return; /* and so is everything above */
        }
    }
}

/* The band and the number in it of a block. */
static unsigned find_block(const wvl_precinct *p, uint64_t block, uint32_t *leaf)
{
    for (unsigned b = 0; b < p->band_count; b++) {
        const wvl_precinct_band *pb = &p->band[b];
        uint64_t past = block - pb->first_block, row = pb->stride ? past / pb->stride : 0;
        if (block >= pb->first_block && row < pb->rows && past - row * pb->stride < pb->cols) {
            *leaf = (uint32_t)(row * pb->cols + (past - row * pb->stride));
            return b;
        }
    }
    *leaf = 0;
    return 0;
}

void wvl_meter_change(const wvl_meter *m, uint64_t block, const wvl_block_state *before)
{
    const wvl_block_state *state = &m->tile->states[block];
    uint32_t leaf;
    band_trees t;
    view_band(m, find_block(m->precinct, block, &leaf), &t);
    forget(&t, leaf);
    if (!state->sent_passes && (t.pb->has_sets || joins(before) != joins(state))) {
        change_leaf(&t, leaf);
    }
}

/* ---- Bits ------------------------------------------------------------------------------------ */

static void put_leaf(const band_trees *t, uint32_t leaf, wvl_bit_writer *w)
{
    uint64_t b = block_of(t, leaf);
    const wvl_block_state *state = &t->meter->tile->states[b];
    if (state->sent_passes) {
        wvl_bits_put(w, (uint32_t)joins(state), 1);
    } else {
        /* A node is coded with the first leaf that asks for it; what its parent has told is then known. */
        uint32_t low = 0, threshold = t->meter->layer + 1;
        for (unsigned level = t->levels; level-- > 0 && low < threshold;) {
            uint64_t n = node_over(t, level, leaf);
            if (t->unsent[n] == leaf) {
                wvl_tag_node node = t->inclusion[n];
                (void)wvl_bits_put_tag(w, &node, low, threshold);
            }
            low = t->inclusion[n].value;
        }
    }
    if (joins(state) && !state->sent_passes) {
        uint32_t low = 0, threshold = t->planes[leaf].value + 1u;
        for (unsigned level = t->levels; level-- > 0;) {
            uint64_t n = node_over(t, level, leaf);
            if (t->joining[n] == leaf) {
                wvl_tag_node node = t->planes[n];
                (void)wvl_bits_put_tag(w, &node, low, threshold);
            }
            low = t->planes[n].value;
        }
    }
    if (joins(state)) {
        (void)wvl_t2_put_contribution(t->meter->tile, t->pb, b, w);
    }
}

/* ---- Phases ---------------------------------------------------------------------------------- */

#define SHORT_BYTE 16u /* phases of a byte of 7 bits, which follows 0xFF, by bits filled */

static uint32_t phase_of(const wvl_bit_writer *w, uint32_t began)
{
    int is_short = w->count ? w->bytes[w->count - 1] == 0xFF : began >= SHORT_BYTE;
    uint32_t filled = (is_short ? 7 : 8) - w->free;
    return is_short ? SHORT_BYTE + filled : 2 * filled + (w->byte == (1u << filled) - 1);
}

/* Bytes of a chunk from a phase on, times 32, and the phase behind it; plus one. */
static uint32_t measure_chunk(const band_trees *t, uint64_t chunk, uint32_t phase)
{
    uint64_t first = chunk * CHUNK, end = chunk + 1 == t->chunk_count ? wvl_precinct_blocks(t->pb) : first + CHUNK;
    wvl_bit_writer w;
    /* Of a byte with bits that are not all ones, it is no matter which. */
    uint32_t filled = phase < SHORT_BYTE ? phase / 2 : phase - SHORT_BYTE;
    wvl_bits_open(&w, t->meter->bytes);
    w.free = (phase < SHORT_BYTE ? 8 : 7) - filled;
    w.byte = phase < SHORT_BYTE && phase & 1 ? (1u << filled) - 1 : 0;
    for (uint64_t leaf = first; leaf < end; leaf++) {
        put_leaf(t, (uint32_t)leaf, &w);
    }
    (void)wvl_look_after(t->meter->tile->look, WVL_LOOK_LIST, end - first);
    return (uint32_t)(w.count * 32 + phase_of(&w, phase) + 1);
}

uint32_t wvl_meter_header(const wvl_meter *m)
{
    uint64_t bytes = 0;
    uint32_t phase = 3; /* behind the bit that says that something follows: one bit, a one */
    for (unsigned b = 0; b < m->precinct->band_count; b++) {
        band_trees t;
        view_band(m, b, &t);
        /* Trees that are not complete must not be read. */
        for (uint64_t chunk = 0; chunk < t.chunk_count && !wvl_look_is_over(m->tile->look); chunk++) {
            uint32_t *known = &t.chunks[chunk].known[phase];
            *known = *known ? *known : measure_chunk(&t, chunk, phase);
            bytes += (*known - 1) / 32;
            phase = (*known - 1) % 32;
        }
    }
    return (uint32_t)bytes + (phase >= SHORT_BYTE || phase / 2); /* padding, or the byte behind 0xFF */
}
