/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The listing of passes with AVX2 and the bit instructions of BMI2. Units wait until their contexts are found together
 * (fast_codes.h). Then the bits of each unit's symbols are brought together and spread into bytes, sixteen at a time.
 */
#include "codec/t1/fast_codes.h"

enum { UNITS = LANES / 2 };

#define ROWS(six) (WVL_T1_WINDOW_COLUMNS(six) & WVL_T1_INNER)

/* Units that wait. `first`: where runs break; `whole`: the tops of whole runs. */
typedef struct tools {
    uint64_t before[UNITS], after[UNITS], negative[UNITS], coded[UNITS], fresh[UNITS], first[UNITS], whole[UNITS];
    unsigned count, orient;
} tools;

static WVL_ALWAYS_INLINE tools open_tools(const wvl_t1_fast *b) { return (tools){.orient = b->in->orient & 3}; }

/* Bits as the bytes 0 and 255. */
static WVL_ALWAYS_INLINE __m256i spread_bits(uint64_t bits32)
{
    const __m256i words = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303),
                  each = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    __m256i v = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits32), words);
    return _mm256_cmpeq_epi8(_mm256_and_si256(v, each), each);
}

/* The symbols whose codes and decisions these bits are, by the name of each code. */
static WVL_ALWAYS_INLINE uint8_t *put_symbols(const uint64_t *code, unsigned code_bits, uint64_t decisions,
                                              unsigned count, __m256i names, uint8_t *out)
{
    for (unsigned i = 0; i < count; i += 32) {
        __m256i v = _mm256_setzero_si256();
        for (unsigned k = code_bits; k-- > 0;) {
            v = _mm256_sub_epi8(_mm256_add_epi8(v, v), spread_bits(code[k] >> i));
        }
        v = _mm256_sub_epi8(_mm256_shuffle_epi8(names, v), spread_bits(decisions >> i));
        _mm256_storeu_si256((__m256i *)(void *)(out + i), v);
    }
    return out + count;
}

/* What is left of a unit's work: bits of samples that are coded, and of signs. */
typedef struct unit_bits {
    uint64_t zero[4], decisions, sign[3], signs;
    uint64_t fresh;
    unsigned count;
} unit_bits;

/* Symbols of the samples from i on by their places: of zero coding, of signs, of the start of broken runs. `rows`: the
 * upper bits of the rows where these break. */
static WVL_ALWAYS_INLINE uint8_t *put_places(const unit_bits *u, unsigned i, uint64_t zeros, uint64_t signs,
                                             uint64_t runs, uint64_t rows, __m256i names, uint8_t *out)
{
    uint64_t places = runs << 1, code[4] = {places, runs | places, runs | places, runs | places | signs};
    for (unsigned k = 0; k < 4; k++) {
        code[k] |= _pdep_u64(u->zero[k] >> i, zeros);
    }
    for (unsigned k = 0; k < 3; k++) {
        code[k] |= _pdep_u64(u->sign[k], signs);
    }
    uint64_t decisions =
        _pdep_u64(u->decisions >> i, zeros) | _pdep_u64(u->signs, signs) | runs | (runs ? _pdep_u64(rows, places) : 0);
    return put_symbols(code, 4, decisions, (unsigned)_mm_popcnt_u64(zeros | signs | runs | places), names, out);
}

/* Sixteen samples at a time, four places for each: two for the start of a broken run, its zero coding, its sign. */
static WVL_ALWAYS_INLINE uint8_t *put_broken(unit_bits *u, uint64_t first, uint64_t rows, __m256i names, uint8_t *out)
{
    const uint64_t each = UINT64_C(0x1111111111111111);
    for (unsigned i = 0; i < u->count; i += 16) {
        uint64_t starts = _pdep_u64(first >> i, each), fresh = _pdep_u64(u->fresh >> i, each);
        uint64_t used = _bzhi_u64(each << 2, 4 * (u->count - i)) | fresh << 3 | starts * 3;
        out = put_places(u, i, _pext_u64(each << 2, used), _pext_u64(each << 3, used), _pext_u64(each, used), rows,
                         names, out);
        for (unsigned k = 0; k < 3; k++) {
            u->sign[k] >>= _mm_popcnt_u64(fresh);
        }
        u->signs >>= _mm_popcnt_u64(fresh);
        rows >>= _mm_popcnt_u64(starts);
    }
    return out;
}

static WVL_ALWAYS_INLINE pairs take_units(const uint64_t *from) { return (pairs)take(from); }

/* Bits of the units' codes, with those of runs; decisions of zero coding and of signs. */
typedef struct waiting {
    uint64_t zero[4][UNITS], sign[3][UNITS], decisions[UNITS], signs[UNITS];
} waiting;

static WVL_ALWAYS_INLINE void find_codes(const tools *t, int raw, waiting *to)
{
    windows w = {take_units(t->before), take_units(t->after), take_units(t->negative)};
    pairs fresh = take_units(t->fresh), first = take_units(t->first), whole = take_units(t->whole);
    unit_codes c;
    find_zero_codes(&w, t->orient, c.zero);
    find_sign_codes(&w, c.sign, &c.flip);
    for (unsigned k = 0; k < 4; k++) {
        put(to->zero[k], (lanes)(first | (k ? c.zero[k] | whole : c.zero[k] & ~whole)));
    }
    for (unsigned k = 0; k < 3; k++) {
        put(to->sign[k], (lanes)c.sign[k]);
    }
    put(to->decisions, (lanes)((fresh & ~first) | (first & ROWS(0x14))));
    put(to->signs, (lanes)(raw ? w.negative : w.negative ^ c.flip));
}

static uint8_t *put_unit(const tools *t, const waiting *from, unsigned i, __m256i names, uint8_t *out)
{
    uint64_t coded = t->coded[i], fresh = t->fresh[i];
    unit_bits u = {.count = (unsigned)_mm_popcnt_u64(coded)};
    for (unsigned k = 0; k < 4; k++) {
        u.zero[k] = _pext_u64(from->zero[k][i], coded);
    }
    if (!fresh) {
        return put_symbols(u.zero, 4, 0, u.count, names, out);
    }
    for (unsigned k = 0; k < 3; k++) {
        u.sign[k] = _pext_u64(from->sign[k][i], fresh);
    }
    u.decisions = _pext_u64(from->decisions[i], coded);
    u.signs = _pext_u64(from->signs[i], fresh);
    u.fresh = _pext_u64(fresh, coded);
    if (!t->first[i]) {
        /* Two places for each sample. */
        const uint64_t each = UINT64_C(0x5555555555555555);
        uint64_t used = _bzhi_u64(each, 2 * u.count) | _pdep_u64(u.fresh, each << 1), zeros = _pext_u64(each, used);
        return put_places(&u, 0, zeros, _bzhi_u64(~zeros, (unsigned)_mm_popcnt_u64(used)), 0, 0, names, out);
    }
    return put_broken(&u, _pext_u64(t->first[i], coded), _pext_u64(ROWS(0x18), t->first[i]), names, out);
}

/* Lists the units that wait. Not inline, for its size. */
static __attribute__((noinline)) uint8_t *finish_units(tools *t, uint8_t *out, int flags)
{
    const __m256i named = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 2 * WVL_T1_CTX_RUN, 2 * WVL_T1_CTX_UNIFORM));
    __m256i names = flags & RAW ? _mm256_setzero_si256() : named;
    waiting codes;
    if (!t->count) {
        return out;
    }
    find_codes(t, flags & RAW, &codes);
    for (unsigned i = 0; i < t->count; i++) {
        out = put_unit(t, &codes, i, names, out);
    }
    t->count = 0;
    return out;
}

static WVL_ALWAYS_INLINE void add_unit(tools *t, const unit *u, uint64_t after, uint64_t coded, uint64_t first,
                                       uint64_t whole)
{
    unsigned i = t->count++;
    t->before[i] = u->window;
    t->after[i] = after;
    t->negative[i] = u->negative;
    t->coded[i] = coded;
    t->fresh[i] = coded & u->bits;
    t->first[i] = first;
    t->whole[i] = whole;
}

static WVL_ALWAYS_INLINE uint64_t propagate_unit(tools *t, unit *u, uint8_t **symbols, int flags)
{
    uint64_t visited = find_visited(u);
    if (!visited) {
        return 0;
    }
    uint64_t after = u->window | (visited & u->bits);
    add_unit(t, u, after, visited, 0, 0);
    if (t->count == UNITS) {
        *symbols = finish_units(t, *symbols, flags);
    }
    u->window = after;
    return visited;
}

static WVL_ALWAYS_INLINE void clean_unit(tools *t, unit *u, uint64_t visited, uint8_t **symbols, int flags,
                                         int full_stripe)
{
    uint64_t coded = ~(u->window | visited) & u->valid, after = u->window | (coded & u->bits);
    uint64_t run = full_stripe ? find_runs(u->window, after, u->valid) : 0, breaks = run & fold_columns(u->bits);
    if (!coded) {
        return;
    }
    if (!t->count && !breaks && coded == run * 15) {
        memset(*symbols, 2 * WVL_T1_CTX_RUN, 8);
        *symbols += count_tops(run);
        return;
    }
    /* Of a broken run's column, the samples up to the first that becomes significant. */
    uint64_t broken = u->bits & (breaks * 15), upto = broken ^ (broken - breaks), first = broken & upto,
             whole = run ^ breaks;
    add_unit(t, u, after, coded & ~(whole * 14 | (upto ^ first)), first, whole);
    if (t->count == UNITS) {
        *symbols = finish_units(t, *symbols, flags);
    }
    u->window = after;
}

/* Base of the symbols of a refinement: context 14 + lit + 2 * again. */
static WVL_ALWAYS_INLINE uint8_t *refine_members(uint64_t members, uint64_t bits, uint64_t lit, uint64_t again,
                                                 uint8_t *out)
{
    const int base = 2 * WVL_T1_CTX_REFINE;
    if (!members) {
        return out;
    }
    uint64_t code[2] = {_pext_u64(lit, members), _pext_u64(again, members)};
    return put_symbols(code, 2, _pext_u64(bits, members), (unsigned)_mm_popcnt_u64(members),
                       _mm256_set1_epi32(base | (base + 2) << 8 | (base + 4) << 16 | (base + 6) << 24), out);
}
/* Eight samples of 16 bits, those of the mask. */
static WVL_ALWAYS_INLINE __m128i fetch_chosen(const uint16_t *row, unsigned mask)
{
    const __m128i bits = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    __m128i chosen = _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16((short)mask), bits), bits);
    return _mm_and_si128(_mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)row), _mm_set1_epi16(0x7FFF)),
                         chosen);
}

/* Whole units of 16-bit samples row by row. */
static WVL_ALWAYS_INLINE void add_gain(wvl_t1_fast *b, const stripe *s, uint32_t k, uint64_t fresh, int flags)
{
    if (flags & WIDE || 8 * k + 8 > b->width || s->y + 4 > b->height) {
        add_each_gain(b, s, k, fresh, flags);
        return;
    }
    if (!fresh) {
        return;
    }
    const uint16_t *row = (const uint16_t *)b->in->coefs + (size_t)s->y * b->in->stride + 8 * k;
    __m128i sum = _mm_setzero_si128();
    for (unsigned r = 0; r < 4; r++, row += b->in->stride) {
        unsigned mask = (unsigned)_pext_u64(fresh, WVL_T1_TOP_ROW << r);
        sum = _mm_add_epi32(sum, _mm_madd_epi16(fetch_chosen(row, mask), _mm_set1_epi16(1)));
    }
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
    b->gain_sum += (uint32_t)_mm_cvtsi128_si32(sum);
    b->gain_count += (uint64_t)_mm_popcnt_u64(fresh);
}

#include "codec/t1/fast_pass.h"

size_t wvl_t1_list_pass_avx2(wvl_t1_fast *block, int kind, int raw, unsigned plane)
{
    return list_pass(block, kind, raw, plane);
}
