/* SPDX-License-Identifier: BSD-2-Clause */
/* 5/3 of the C reference, included once per sample type: SAMPLE, HIGH, LOW and NAME() are defined by the includer. */

static void NAME(vlift53)(const wvl_vlift_rows *rows, uint32_t n)
{
    const SAMPLE *x0 = rows->x0, *x1 = rows->x1, *x2 = rows->x2, *dp = rows->dp;
    SAMPLE *d = rows->d, *s = rows->s;
    for (uint32_t i = 0; i < n; i++) {
        SAMPLE before = dp[i], even = x0[i], high = HIGH(x1[i], even, x2[i]);
        d[i] = high;
        s[i] = LOW(even, before, high);
    }
}

/* The neighbours of high sample i are low samples i - parity and i - parity + 1; beyond the ends the mirrored neighbour
 * is the other one. */
static void NAME(hlift53)(void *line, uint32_t n, unsigned parity, void *low_line, void *high_line)
{
    const SAMPLE *x = line;
    SAMPLE *low = low_line, *high = high_line;
    uint32_t low_count = (n + 1 - parity) / 2, high_count = n - low_count;
    for (uint32_t i = 0; i < high_count; i++) {
        uint32_t at = 2 * i + 1 - parity;
        SAMPLE left = x[at ? at - 1 : at + 1], right = x[at + 1 < n ? at + 1 : at - 1];
        high[i] = HIGH(x[at], left, right);
    }
    for (uint32_t i = 0; i < low_count; i++) {
        uint32_t last = high_count - 1, left = i + parity ? i + parity - 1 : 0, right = i + parity;
        low[i] = LOW(x[2 * i + parity], high[left < last ? left : last], high[right < last ? right : last]);
    }
}

#undef SAMPLE
#undef HIGH
#undef LOW
#undef NAME
