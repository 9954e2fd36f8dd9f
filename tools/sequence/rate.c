/* SPDX-License-Identifier: BSD-2-Clause */
#include "rate.h"

#include <stdlib.h>

#define SPENDING 16u /* a frame may take this part of what the frames before it left */
#define SCALE_BITS 16u
#define MOST_SCALE (UINT64_C(1) << 40) /* of the bytes of the first pass, with SCALE_BITS behind the point */
#define MOST_FRAME_BYTES (UINT64_C(1) << 56)

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- What a second brings, in whole bytes a frame --------------------------------------------- */

/* The sum over frames 0 to n is the exact value, rounded down. */
typedef struct flow {
    uint64_t whole, rest, divisor; /* bytes a frame = whole + rest / divisor */
    uint64_t carried;              /* of rest, below divisor */
} flow;

static flow make_flow(uint64_t bits_per_second, const wvl_sequence_rate_options *o)
{
    uint64_t bits = bits_per_second * o->seconds, divisor = UINT64_C(8) * o->frames; /* below 2^61 */
    return (flow){bits / divisor, bits % divisor, divisor, 0};
}

static uint64_t next_bytes(flow *f)
{
    f->carried += f->rest;
    uint64_t more = f->carried >= f->divisor;
    f->carried -= more ? f->divisor : 0;
    return f->whole + more;
}

static uint64_t most_bytes(const flow *f) { return f->whole + (f->rest != 0); }

static flow make_leak(const wvl_sequence_rate_options *o)
{
    return make_flow(o->bucket_bits_per_second ? o->bucket_bits_per_second : o->bits_per_second, o);
}

/* Returns what the bucket may hold: one byte less than it could, for what flows out is whole bytes, at times one too
 * many. */
static uint64_t bucket_bytes(const wvl_sequence_rate_options *o) { return o->bucket_bits / 8 - 1; }

/* ---- Options --------------------------------------------------------------------------------- */

static int is_in_range(const wvl_sequence_rate_options *o)
{
    int bits = o->bits_per_second <= WVL_SEQUENCE_MOST_BITS && o->bucket_bits <= WVL_SEQUENCE_MOST_BITS &&
               o->bucket_bits_per_second <= WVL_SEQUENCE_MOST_BITS;
    int rate = o->frames && o->frames <= WVL_SEQUENCE_MOST_RATE && o->seconds && o->seconds <= WVL_SEQUENCE_MOST_RATE;
    return bits && rate && o->lag && o->lag <= WVL_SEQUENCE_MOST_LAG && o->frame_bytes <= MOST_FRAME_BYTES;
}

wvl_sequence_rate_status wvl_sequence_check_rate(const wvl_sequence_rate_options *o)
{
    if (!is_in_range(o)) {
        return WVL_SEQUENCE_RATE_RANGE;
    }
    if (!o->bits_per_second && !o->bucket_bits) {
        return o->bucket_bits_per_second ? WVL_SEQUENCE_RATE_NO_ROOM : WVL_SEQUENCE_RATE_NO_LIMIT;
    }
    flow share = make_flow(o->bits_per_second, o), leak = make_leak(o);
    if (o->bits_per_second && !share.whole) {
        return WVL_SEQUENCE_RATE_TOO_SMALL;
    }
    if (o->bucket_bits && !leak.whole) {
        return o->bits_per_second || o->bucket_bits_per_second ? WVL_SEQUENCE_RATE_TOO_SMALL
                                                               : WVL_SEQUENCE_RATE_NO_FLOW;
    }
    int has_flow = o->bucket_bits_per_second != 0;
    if ((o->bucket_bits && o->bucket_bits / 8 <= most_bytes(&leak)) || (!o->bucket_bits && has_flow)) {
        return WVL_SEQUENCE_RATE_NO_ROOM;
    }
    return WVL_SEQUENCE_RATE_OK;
}

/* ---- One pass -------------------------------------------------------------------------------- */

/* A frame whose limit is known and whose bytes are not. */
typedef struct pending {
    uint64_t limit, share, leak;
} pending;

struct wvl_sequence_rate {
    wvl_sequence_rate_options options;
    flow share, leak;
    uint64_t put_count, limit_count; /* frames; at most lag apart */
    uint64_t left_bytes;             /* of the average, by frames that have put their bytes */
    uint64_t held_bytes;             /* in the bucket, by the same frames */
    pending ring[];                  /* [lag]: frame n at n modulo lag */
};

/* Returns what the bucket holds after a frame, and after one frame's time. */
static uint64_t pour(uint64_t held, uint64_t bytes, uint64_t leak)
{
    held += bytes;
    return held > leak ? held - leak : 0;
}

/* Frames that are not known count with their limits: they may come out smaller, which leaves more and fills less. */
static uint64_t decide_limit(const wvl_sequence_rate *r, uint64_t share)
{
    const wvl_sequence_rate_options *o = &r->options;
    uint64_t left = r->left_bytes, held = r->held_bytes;
    uint64_t limit = o->frame_bytes ? o->frame_bytes : MOST_FRAME_BYTES;
    for (uint64_t n = r->put_count; n < r->limit_count; n++) {
        const pending *p = &r->ring[n % o->lag];
        left = o->bits_per_second ? left + p->share - p->limit : 0;
        held = o->bucket_bits ? pour(held, p->limit, p->leak) : 0;
    }
    limit = o->bits_per_second ? least(limit, share + left / SPENDING) : limit;
    return o->bucket_bits ? least(limit, bucket_bytes(o) - held) : limit;
}

static void add_limit(wvl_sequence_rate *r)
{
    pending *p = &r->ring[r->limit_count % r->options.lag];
    uint64_t share = next_bytes(&r->share), leak = next_bytes(&r->leak);
    uint64_t limit = decide_limit(r, share);
    *p = (pending){limit, share, leak};
    r->limit_count++;
}

wvl_sequence_rate_status wvl_sequence_open_rate(const wvl_sequence_rate_options *options, wvl_sequence_rate **rate)
{
    *rate = NULL;
    wvl_sequence_rate_status status = wvl_sequence_check_rate(options);
    if (status) {
        return status;
    }
    wvl_sequence_rate *r = calloc(1, sizeof *r + options->lag * sizeof r->ring[0]);
    if (!r) {
        return WVL_SEQUENCE_RATE_MEMORY;
    }
    r->options = *options;
    r->share = make_flow(options->bits_per_second, options);
    r->leak = make_leak(options);
    while (r->limit_count < options->lag) {
        add_limit(r);
    }
    *rate = r;
    return WVL_SEQUENCE_RATE_OK;
}

void wvl_sequence_close_rate(wvl_sequence_rate *rate) { free(rate); }

wvl_sequence_rate_status wvl_sequence_put_bytes(wvl_sequence_rate *r, uint64_t bytes)
{
    const pending p = r->ring[r->put_count % r->options.lag];
    if (bytes > p.limit || r->put_count >= WVL_SEQUENCE_MOST_FRAMES) {
        return WVL_SEQUENCE_RATE_DEFECT;
    }
    r->left_bytes = r->options.bits_per_second ? r->left_bytes + p.share - bytes : 0;
    r->held_bytes = r->options.bucket_bits ? pour(r->held_bytes, bytes, p.leak) : 0;
    r->put_count++;
    add_limit(r);
    return WVL_SEQUENCE_RATE_OK;
}

uint64_t wvl_sequence_limit_count(const wvl_sequence_rate *rate) { return rate->limit_count; }

uint64_t wvl_sequence_limit_bytes(const wvl_sequence_rate *rate, uint64_t frame)
{
    return rate->ring[frame % rate->options.lag].limit;
}

/* ---- Two passes ------------------------------------------------------------------------------ */

/* Limits at one scale, and their sum. */
static uint64_t share_at(const wvl_sequence_rate_options *o, const uint64_t *bytes, size_t count, uint64_t scale,
                         uint64_t *limits)
{
    flow leak = make_leak(o);
    uint64_t held = 0, sum = 0, most = o->frame_bytes ? o->frame_bytes : UINT64_C(1) << 40;
    for (size_t i = 0; i < count; i++) {
        uint64_t known = least(bytes[i], UINT64_C(1) << 40), whole = known >> SCALE_BITS;
        /* known * scale / 2^SCALE_BITS without a product of more than 64 bits, cut where no frame goes */
        uint64_t wanted = whole && scale > (UINT64_C(1) << 40) / whole
                              ? UINT64_C(1) << 40
                              : whole * scale + ((known & ((1u << SCALE_BITS) - 1)) * scale >> SCALE_BITS);
        uint64_t limit = least(wanted, most);
        uint64_t flows = next_bytes(&leak);
        limit = o->bucket_bits ? least(limit, bucket_bytes(o) - held) : limit;
        limit += !limit;
        held = o->bucket_bits ? pour(held, limit, flows) : 0;
        sum += limit;
        if (limits) {
            limits[i] = limit;
        }
    }
    return sum;
}

static uint64_t budget_of(const wvl_sequence_rate_options *o, size_t count)
{
    flow share = make_flow(o->bits_per_second, o);
    uint64_t budget = 0;
    for (size_t i = 0; i < count; i++) {
        budget += next_bytes(&share);
    }
    return budget;
}

wvl_sequence_rate_status wvl_sequence_share_bytes(const wvl_sequence_rate_options *options, const uint64_t *bytes,
                                                  size_t count, uint64_t *limits)
{
    wvl_sequence_rate_status status = wvl_sequence_check_rate(options);
    if (status || count > WVL_SEQUENCE_MOST_FRAMES) {
        return status ? status : WVL_SEQUENCE_RATE_RANGE;
    }
    uint64_t low = UINT64_C(1) << SCALE_BITS, high = MOST_SCALE;
    if (options->bits_per_second) {
        uint64_t budget = budget_of(options, count);
        /* low always keeps the budget: one byte a frame does. high may not. */
        for (low = 0; high - low > 1;) {
            uint64_t middle = low + (high - low) / 2;
            int fits = share_at(options, bytes, count, middle, NULL) <= budget;
            low = fits ? middle : low;
            high = fits ? high : middle;
        }
    }
    (void)share_at(options, bytes, count, low, limits);
    return WVL_SEQUENCE_RATE_OK;
}
