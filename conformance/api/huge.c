/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output beyond 4 GiB without a file of that size: the sink keeps the boxes' heads and follows the chain of tile-parts
 * as the bytes go by. The picture is noise whose rows overlap in memory, so that it needs none either.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

#define HEAD_BYTES 4096u
#define DEPTH 24u

typedef struct counter {
    uint64_t bytes, next_part; /* next_part: where an SOT or EOC must stand; 0: not known yet */
    uint8_t head[HEAD_BYTES], part[12], tail[2];
    uint64_t parts, part_bytes;
    int broken, complete;
} counter;

static uint64_t read_number(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++) {
        v = v << 8 | p[i];
    }
    return v;
}

/* First byte of the codestream and, when the box says it, the length of jp2c's content; 0 as long as the head is not
 * complete. */
static uint64_t find_codestream(const counter *k, uint64_t *length)
{
    uint64_t at = 0, have = k->bytes < HEAD_BYTES ? k->bytes : HEAD_BYTES;
    while (at + 16 <= have) {
        uint64_t size = read_number(k->head + at, 4), header = 8;
        if (size == 1) {
            size = read_number(k->head + at + 8, 8);
            header = 16;
        }
        if (!memcmp(k->head + at + 4, "jp2c", 4)) {
            *length = size ? size - header : 0;
            return at + header;
        }
        if (size < header) {
            return 0;
        }
        at += size;
    }
    return 0;
}

/* Position of the first SOT, by the lengths of the main header's marker segments. */
static uint64_t find_first_part(const counter *k)
{
    uint64_t length, at = find_codestream(k, &length) + 2, have = k->bytes < HEAD_BYTES ? k->bytes : HEAD_BYTES;
    while (at > 2 && at + 4 <= have) {
        if (read_number(k->head + at, 2) == 0xFF90) {
            return at;
        }
        at += 2 + read_number(k->head + at + 2, 2);
    }
    return 0;
}

static void follow_part(counter *k)
{
    uint64_t size = read_number(k->part + 6, 4);
    k->broken |= read_number(k->part, 2) != 0xFF90 || read_number(k->part + 2, 2) != 10 || size < 14;
    k->parts++;
    k->part_bytes += size;
    k->next_part += size;
}

static int count(void *user, const void *data, size_t bytes)
{
    counter *k = user;
    const uint8_t *p = data;
    if (k->bytes < HEAD_BYTES) {
        size_t room = HEAD_BYTES - (size_t)k->bytes;
        memcpy(k->head + k->bytes, p, bytes < room ? bytes : room);
    }
    uint64_t first = k->bytes;
    k->bytes += bytes;
    if (!k->next_part) {
        k->next_part = find_first_part(k);
    }
    for (size_t i = 0; i < bytes && !k->broken; i++) {
        uint64_t at = first + i;
        if (k->next_part && at < k->next_part) { /* nothing to look at until the next tile-part */
            uint64_t skip = k->next_part - at;
            i += (size_t)(skip < bytes - i ? skip : bytes - i) - 1;
        } else if (k->next_part && at < k->next_part + 12) {
            k->part[at - k->next_part] = p[i];
            if (at - k->next_part == 1 && read_number(k->part, 2) == 0xFFD9) {
                k->tail[0] = 0xFF;
                k->tail[1] = 0xD9;
                k->broken |= i + 1 != bytes;
            } else if (at - k->next_part == 11) {
                follow_part(k);
            }
        }
    }
    return 0;
}

static int end(void *user, int complete)
{
    ((counter *)user)->complete = complete;
    return 0;
}

static int ignore_patch(void *user, uint64_t offset, const void *data, size_t bytes)
{
    counter *k = user;
    if (offset + bytes <= HEAD_BYTES) {
        memcpy(k->head + offset, data, bytes);
    }
    return 0;
}

static int judge(const counter *k, uint64_t least, int with_patch)
{
    uint64_t length = 0, start = find_codestream(k, &length), parts = find_first_part(k);
    int long_box = start >= 16 && read_number(k->head + start - 16, 4) == 1;
    printf("%" PRIu64 " bytes, jp2c at %" PRIu64 " with %s length %" PRIu64 ", %" PRIu64 " tile-parts of %" PRIu64
           " bytes, %s\n",
           k->bytes, start ? start - (long_box ? 16 : 8) : 0, long_box ? "XLBox, content" : "LBox, content", length,
           k->parts, k->part_bytes, k->tail[1] == 0xD9 ? "EOC at the end" : "NO EOC where the last tile-part ends");
    /* The long form also where the length might have needed it. */
    int good =
        k->complete && start && parts && length == k->bytes - start && (long_box || k->bytes - start + 8 <= UINT32_MAX);
    good = good && (with_patch || (!k->broken && k->tail[1] == 0xD9 && parts + k->part_bytes + 2 == k->bytes));
    if (k->bytes < least) {
        return wvl_api_fail(WVL_API_WRONG, "%" PRIu64 " bytes were asked for", least);
    }
    return good ? WVL_API_DONE : wvl_api_fail(WVL_API_WRONG, "the lengths do not agree");
}

int wvl_api_run_huge(uint64_t bytes, int with_patch)
{
    static const char *const settings[] = {"container=jp2", "tile=2048,2048", "levels=1", "style=BYPASS"};
    uint64_t tiles = (bytes / (2048u * 2048u * DEPTH / 8u)) + 1;
    uint32_t width = 2048u * 16u, height = (uint32_t)(2048u * ((tiles + 15) / 16)),
             step = 8209; /* samples from row to row */
    size_t samples = width + (size_t)step * height;
    int32_t *noise = wvl_api_need_memory(samples * sizeof *noise);
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < samples; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        noise[i] = (int32_t)(state >> 40 & ((1u << DEPTH) - 1));
    }
    char error[512] = "";
    wvl_component_format component = {DEPTH, 0, 1, 1};
    wvl_image_format format = {sizeof format, 0, 0, width, height, 1, &component};
    wvl_plane plane = {noise, (ptrdiff_t)step * 4, 1, 0, WVL_SAMPLE_32};
    wvl_image image = {.struct_size = sizeof image, .planes = &plane, .plane_count = 1};
    counter *k = wvl_api_need_memory(sizeof *k);
    wvl_sink sink = {
        .struct_size = sizeof sink, .write = count, .patch = with_patch ? ignore_patch : NULL, .close = end, .user = k};
    wvl_context *context = NULL;
    wvl_plan *plan = NULL;
    (void)wvl_context_create(NULL, &context);
    wvl_status status = wvl_api_create_plan(context, &format, settings, 4, &plan, error, sizeof error);
    if (status == WVL_OK) {
        status = wvl_encode(plan, &image, &sink, NULL, NULL, error, sizeof error);
    }
    wvl_plan_release(plan);
    wvl_context_release(context);
    free(noise);
    int code = status == WVL_OK ? judge(k, bytes, with_patch)
                                : wvl_api_fail(WVL_API_WRONG, "%s: %s", wvl_status_text(status), error);
    free(k);
    return code;
}
