/* SPDX-License-Identifier: BSD-2-Clause */
#include "t1_blocks.h"

#include "tests/prop/t1_reference.h"

/* ---- Lists ----------------------------------------------------------------------------------- */

void t1_list_clear(t1_list *list)
{
    ht_list_clear(&list->samples);
    free(list->blocks);
    memset(list, 0, sizeof *list);
}

wvl_cuda_t1_block *t1_list_add(t1_list *list, uint32_t width, uint32_t height, uint32_t stride, unsigned coef_bytes,
                               unsigned offset_samples, wvl_cuda_ht_block **samples)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->blocks = realloc(list->blocks, list->room * sizeof *list->blocks);
    }
    *samples = ht_list_add(&list->samples, width, height, stride, coef_bytes, offset_samples);
    wvl_cuda_t1_block *b = &list->blocks[list->count++];
    *b = (wvl_cuda_t1_block){.coefs = (*samples)->coefs,
                             .bound = (*samples)->bound,
                             .stride = stride,
                             .width = (uint16_t)width,
                             .height = (uint16_t)height,
                             .coef_bytes = (uint8_t)coef_bytes,
                             .max_passes = 255};
    return b;
}

void t1_list_seal(t1_list *list, wvl_cuda_t1_block *b, uint32_t more)
{
    list->samples.bounds[b->bound] |= more;
    b->planes = (uint8_t)wvl_bit_length(list->samples.bounds[b->bound] >> b->frac_bits);
}

wvl_cuda_t1_block *t1_list_draw(t1_list *list, t1_rng *rng, uint32_t width, uint32_t height, unsigned coef_bytes,
                                unsigned bits)
{
    uint32_t temper = t1_random(rng) % T1_TEMPERS, stride = width + t1_random(rng) % 3;
    wvl_cuda_ht_block *samples;
    wvl_cuda_t1_block *b =
        t1_list_add(list, width, height, stride, coef_bytes, t1_random(rng) % 2 ? 0 : t1_random(rng) % 5, &samples);
    for (uint32_t k = 0; k < width * height; k++) {
        uint32_t x = k % width, y = k / width;
        ht_list_put(&list->samples, samples, x, y, t1_draw_magnitude(rng, temper, bits, x, y), t1_random(rng) % 2);
    }
    return b;
}

wvl_block_input t1_list_describe(const t1_list *list, const wvl_cuda_t1_block *b)
{
    return describe_t1_block(b, list->samples.samples + b->coefs, list->samples.bounds[b->bound]);
}

wvl_block_output t1_code_symbols(const wvl_block_input *in, const uint8_t *symbols, const uint32_t *ends,
                                 uint8_t *bytes, wvl_pass *passes)
{
    wvl_t1_coder coder;
    wvl_block_output out = {.bytes = bytes, .passes = passes};
    uint32_t count = wvl_t1_init_coder(&coder, in, &out), at = 0;
    for (uint32_t p = 0; p < count && ends[p] >= at; at = ends[p++]) {
        wvl_t1_init_pass(&coder, p);
        if (wvl_t1_pass_is_raw(p, in->style)) {
            wvl_raw_encode_symbols(&coder.raw, symbols + at, ends[p] - at);
        } else {
            for (uint32_t i = at; i < ends[p]; i++) {
                wvl_mq_encode_bit(&coder.mq, symbols[i] >> 1, symbols[i] & 1);
            }
        }
        wvl_t1_put_pass(&coder, &out, 0);
    }
    wvl_t1_fini_coder(&coder, &out);
    return out;
}

void t1_find_hull(wvl_hull *hull, const wvl_block_output *out, uint32_t samples, unsigned frac_bits,
                  wvl_cuda_t1_weight weight, int32_t gain_exponent, uint16_t *slopes, int64_t *gains)
{
    wvl_band_coding band = {
        .frac_bits = (uint8_t)frac_bits, .weight_mantissa = weight.mantissa, .weight_exponent = weight.exponent};
    int64_t energy = wvl_rate_weigh_energy(&band, gain_exponent, out->energy, out->energy_shift);
    wvl_hull_init(hull, &band, gain_exponent, out->planes, energy, samples);
    for (uint32_t i = 0; i < out->pass_count; i++) {
        wvl_hull_put_pass(hull, out->passes);
    }
    wvl_hull_fetch(hull, slopes, gains);
}

/* ---- Device memory --------------------------------------------------------------------------- */

static void take_tables(t1_model_load *load, const ht_device *d, const t1_list *list, t1_wish wish)
{
    uint32_t count = list->count, *lists = malloc(count * sizeof *lists + 1);
    uint64_t scratch = 0;
    load->blocks = malloc(count * sizeof *load->blocks + 1);
    for (uint32_t i = 0; i < count; i++) {
        load->blocks[i] = list->blocks[i];
        load->blocks[i].coefs += load->samples;
        load->blocks[i].bound = load->bounds + 4 * load->blocks[i].bound;
        scratch += wvl_cuda_t1_measure_scratch(&list->blocks[i]);
        scratch += wish.gains ? wvl_cuda_t1_measure_values(&list->blocks[i]) : 0;
    }
    wvl_cuda_t1_sort(load->blocks, count, lists, &load->job);
    load->job.scratch_units = (uint32_t)(scratch / 16 * wish.scratch_share / 1000);
    load->job.blocks = ht_take(&load->taken, d, count * sizeof *load->blocks, load->blocks, 0);
    load->job.lists = ht_take(&load->taken, d, count * sizeof *lists, lists, 0);
    free(lists);
}

int t1_model_load_open(t1_model_load *load, const ht_device *d, const t1_list *list, t1_wish wish)
{
    uint32_t count = list->count;
    wvl_cuda_t1_job *job = &load->job;
    ht_memory *m = &load->taken;
    memset(load, 0, sizeof *load);
    m->status = wvl_cuda_t1_open(&load->t1, d->runtime, d->module);
    load->samples = ht_take(m, d, list->samples.sample_bytes, list->samples.samples, 0);
    load->bounds = ht_take(m, d, 4ull * list->samples.count, list->samples.bounds, 0);
    take_tables(load, d, list, wish);
    job->items = ht_take(m, d, 4ull * wvl_cuda_t1_count_items(job), NULL, 0);
    job->scratch = ht_take(m, d, 16ull * job->scratch_units, NULL, 1);
    job->gains = wish.gains ? ht_take(m, d, count * sizeof(wvl_cuda_t1_gains), NULL, 1) : 0;
    job->states = ht_take(m, d, count * sizeof(wvl_cuda_t1_state), NULL, 1);
    job->records = ht_take(m, d, count * sizeof(wvl_cuda_t1_record), NULL, 1);
    job->order = ht_take(m, d, 4ull * count, NULL, 0);
    job->counters = ht_take(m, d, 4ull * WVL_CUDA_T1_COUNTERS, NULL, 1);
    return !m->status;
}

void t1_model_load_close(t1_model_load *load, const ht_device *d)
{
    ht_give(&load->taken, d);
    free(load->blocks);
}

/* ---- Comparison ------------------------------------------------------------------------------ */

typedef struct truth {
    void *scratch;
    uint8_t *bytes, *got_bytes, *symbols;
    wvl_pass passes[WVL_CUDA_T1_MOST_PASSES], got[WVL_CUDA_T1_MOST_PASSES];
} truth;

/* What came back. */
typedef struct results {
    wvl_cuda_t1_state *states;
    wvl_cuda_t1_gains *gains; /* NULL: not wanted */
    uint8_t *scratch;
    uint32_t units; /* of scratch */
    uint32_t counters[WVL_CUDA_T1_COUNTERS];
} results;

/* The symbols of a list, from its chunks. 0: it leads out of the scratch memory. */
static int fetch_symbols(const uint8_t *scratch, uint32_t units, const wvl_cuda_t1_state *s, uint8_t *symbols)
{
    uint32_t chunk = s->list;
    for (uint32_t i = 0; i < s->symbols; i += WVL_CUDA_T1_CHUNK_SYMBOLS) {
        uint32_t left = s->symbols - i;
        if (chunk + WVL_CUDA_T1_CHUNK_UNITS > units) {
            return 0;
        }
        memcpy(symbols + i, scratch + 16ull * chunk, wvl_min_u32(left, WVL_CUDA_T1_CHUNK_SYMBOLS));
        memcpy(&chunk, scratch + 16ull * (chunk + WVL_CUDA_T1_CHUNK_UNITS - 1), 4);
    }
    return 1;
}

/* Energy and gains of the device to what became of its symbols. 0: they lead out of the scratch memory. */
static int take_gains(const results *r, uint32_t i, wvl_block_output *got)
{
    const wvl_cuda_t1_gains *e = &r->gains[i];
    if (got->pass_count && 16ull * e->values + (uint64_t)WVL_CUDA_T1_VALUE_BYTES * got->pass_count > 16ull * r->units) {
        return 0;
    }
    wvl_cuda_t1_describe_gains(e, (const int64_t *)(const void *)(r->scratch + 16ull * e->values), got);
    return 1;
}

static int is_wrong(truth *t, const t1_list *list, uint32_t i, const results *r)
{
    const wvl_cuda_t1_block *b = &list->blocks[i];
    const wvl_cuda_t1_state *s = &r->states[i];
    wvl_block_input in = t1_list_describe(list, b);
    in.want_gains = r->gains != NULL;
    wvl_block_output want = {.bytes = t->bytes, .passes = t->passes}, got = {0};
    memset(t->got, 0, sizeof t->got);
    wvl_t1_encode_block_ref(t->scratch, &in, &want);
    int is_read = s->planes == want.planes && s->passes == want.pass_count && s->symbols < 1 << 18;
    uint32_t ends[WVL_CUDA_T1_MOST_PASSES] = {0}, k = 0;
    if (is_read && want.pass_count) {
        memcpy(ends, r->scratch + 16ull * s->ends, want.pass_count * sizeof *ends);
        is_read = ends[want.pass_count - 1] == s->symbols && fetch_symbols(r->scratch, r->units, s, t->symbols);
    }
    if (is_read) {
        got = t1_code_symbols(&in, t->symbols, ends, t->got_bytes, t->got);
        is_read = !r->gains || take_gains(r, i, &got);
        int is_same = is_read && got.energy == want.energy && got.energy_shift == want.energy_shift &&
                      got.length == want.length && got.pass_count == want.pass_count &&
                      !memcmp(got.bytes, want.bytes, want.length) &&
                      !memcmp(t->got, t->passes, want.pass_count * sizeof *t->got);
        if (is_same) {
            return 0;
        }
        while (k < want.pass_count && !memcmp(&t->got[k], &t->passes[k], sizeof *t->got)) {
            k++;
        }
    }
    printf("block %u, %ux%u of %u bytes, fraction %u, orientation %u, style %u, passes %u: %u planes, want %u; %u "
           "symbols; pass %u of %u differs; gain %lld, want %lld; energy %llu, want %llu\n",
           i, b->width, b->height, b->coef_bytes, b->frac_bits, b->orient, b->style, b->max_passes, s->planes,
           want.planes, s->symbols, k, want.pass_count, (long long)t->got[k].gain_quarters,
           (long long)t->passes[k].gain_quarters, (unsigned long long)got.energy, (unsigned long long)want.energy);
    return 1;
}

static uint32_t compare(const t1_list *list, const results *r, uint32_t *left)
{
    uint32_t wrong = 0;
    truth t = {.scratch = aligned_alloc(64, (wvl_t1_scratch_bytes() + 63) / 64 * 64),
               .bytes = malloc(1 << 18),
               .got_bytes = malloc(1 << 18),
               .symbols = malloc((1 << 18) + WVL_CUDA_T1_CHUNK_SYMBOLS)};
    for (uint32_t i = 0; i < list->count && wrong < 10; i++) {
        if (r->states[i].flags & WVL_CUDA_T1_LEFT) {
            ++*left;
        } else {
            wrong += (uint32_t)is_wrong(&t, list, i, r);
        }
    }
    free(t.scratch);
    free(t.bytes);
    free(t.got_bytes);
    free(t.symbols);
    return wrong;
}

static uint32_t count_unbounded(const t1_list *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const wvl_cuda_t1_block *b = &list->blocks[i];
        count += wvl_bit_length(list->samples.bounds[b->bound] >> b->frac_bits) > b->planes;
    }
    return count;
}

uint32_t t1_check_lists(const ht_device *d, const t1_list *list, t1_wish wish, uint32_t *left)
{
    t1_model_load load;
    uint32_t wrong = UINT32_MAX, count = list->count;
    *left = 0;
    int is_open = t1_model_load_open(&load, d, list, wish);
    uint64_t bytes = 16ull * load.job.scratch_units;
    results r = {.states = malloc(count * sizeof *r.states + 1),
                 .gains = wish.gains ? malloc(count * sizeof *r.gains + 1) : NULL,
                 .scratch = malloc(bytes + 64),
                 .units = load.job.scratch_units};
    if (is_open && !wvl_cuda_t1_launch_model(&load.t1, &load.job, wvl_cuda_to_stream(d->stream)) &&
        ht_fetch(d, r.states, load.job.states, count * sizeof *r.states) &&
        (!r.gains || ht_fetch(d, r.gains, load.job.gains, count * sizeof *r.gains)) &&
        ht_fetch(d, r.scratch, load.job.scratch, bytes + 64) &&
        ht_fetch(d, r.counters, load.job.counters, sizeof r.counters)) {
        wrong = compare(list, &r, left);
        wrong += r.counters[WVL_CUDA_T1_LEFT_BLOCKS] + r.counters[WVL_CUDA_T1_UNBOUNDED] != *left ||
                 r.counters[WVL_CUDA_T1_UNBOUNDED] != count_unbounded(list);
        for (unsigned i = 0; i < ht_count_guard(); i++) {
            wrong += r.scratch[bytes + i] != HT_POISON;
        }
    }
    free(r.states);
    free(r.gains);
    free(r.scratch);
    t1_model_load_close(&load, d);
    return wrong;
}
