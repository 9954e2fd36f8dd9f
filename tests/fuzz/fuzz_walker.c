/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target of the walker. First byte: which profile, second: options; the rest is a file or a codestream. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz_main.h"
#include "wavelane_check.h"

typedef struct counts {
    uint64_t errors, warnings, packets, bytes;
    uint64_t body_at, body_end; /* of the last packet: what its blocks have not taken */
} counts;

static void need(int holds)
{
    if (!holds) {
        abort();
    }
}

static void count_issue(void *user, const wvl_check_issue *issue)
{
    counts *k = user;
    need(issue->rule && issue->clause && issue->text && issue->text[0] && issue->offset <= k->bytes);
    need(issue->severity == WVL_CHECK_ERROR || issue->severity == WVL_CHECK_WARNING);
    k->errors += issue->severity == WVL_CHECK_ERROR;
    k->warnings += issue->severity == WVL_CHECK_WARNING;
}

static void count_packet(void *user, const wvl_check_packet *packet)
{
    counts *k = user;
    k->packets++;
    need(packet->offset + packet->bytes <= k->bytes && packet->header_offset + packet->header_bytes <= k->bytes);
    need(k->body_at == k->body_end && packet->body_bytes <= packet->bytes);
    k->body_end = packet->offset + packet->bytes;
    k->body_at = k->body_end - packet->body_bytes;
}

static void count_block(void *user, const wvl_check_block *block)
{
    counts *k = user;
    need(block->offset == k->body_at && block->bytes <= k->body_end - k->body_at);
    need(block->passes && block->width && block->height && block->band < 4 && (block->band || !block->resolution));
    k->body_at += block->bytes;
}

typedef struct listing {
    const uint8_t *data;
    uint64_t bytes, digest;
    unsigned depth;
} listing;

static void fold(listing *l, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        l->digest = (l->digest ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001B3);
    }
}

static void hear_item(void *user, const wvl_check_item *item)
{
    listing *l = user;
    const uint64_t numbers[] = {item->kind, item->ended, item->number, item->offset, item->bytes};
    int opens = item->kind >= WVL_CHECK_ITEM_LIST && item->kind <= WVL_CHECK_ITEM_SEGMENT;
    need(item->kind != WVL_CHECK_ITEM_END || l->depth > 0);
    l->depth += (unsigned)opens - (item->kind == WVL_CHECK_ITEM_END);
    fold(l, numbers, sizeof numbers);
    fold(l, item->name, item->name ? strlen(item->name) : 0);
    fold(l, item->text, item->text ? strlen(item->text) : 0);
    fold(l, item->data, item->data ? (size_t)item->bytes : 0);
}

static int read_part(void *user, uint64_t offset, void *buffer, size_t bytes)
{
    listing *l = user;
    need(offset <= l->bytes && bytes <= l->bytes - offset);
    memcpy(buffer, l->data + offset, bytes);
    return 1;
}

/* From memory and through a function the items are the same, and what they open is closed. */
static void list(const uint8_t *data, size_t bytes)
{
    listing held = {data, bytes, 0, 0}, read = held;
    wvl_check_source source = {.struct_size = sizeof source, .data = data, .bytes = bytes};
    int verdict = wvl_check_list(&source, hear_item, &held);
    source.data = NULL;
    source.read = read_part;
    need(wvl_check_list(&source, hear_item, &read) == verdict && held.digest == read.digest);
    need((verdict == WVL_CHECK_LEGAL || verdict == WVL_CHECK_ILLEGAL) && !held.depth && !read.depth);
}

static void judge(const uint8_t *data, size_t bytes, const wvl_check_options *options, int is_bare)
{
    counts k = {.bytes = bytes};
    wvl_check_summary m = {.struct_size = sizeof m};
    int verdict = (is_bare ? wvl_check_codestream : wvl_check_file)(data, bytes, options, count_issue, &k, &m);
    need(verdict == WVL_CHECK_LEGAL || verdict == WVL_CHECK_ILLEGAL || verdict == WVL_CHECK_UNDECIDED);
    need((verdict == WVL_CHECK_ILLEGAL) == (m.errors > 0));
    need(k.errors + k.warnings <= options->issue_limit && k.errors <= m.errors && k.warnings <= m.warnings);
    need(k.body_at == k.body_end && k.packets == m.packet_count && m.codestream_offset + m.codestream_bytes <= bytes);
    need(verdict != WVL_CHECK_LEGAL || (m.complete && m.component_count && m.components));
    wvl_check_release_summary(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    size_t count;
    const wvl_check_profile *profiles = wvl_check_profiles(&count);
    wvl_check_options options = {.struct_size = sizeof options,
                                 .packet = count_packet,
                                 .block = count_block,
                                 .memory_limit = 32u << 20,
                                 .work_limit = 1u << 18,
                                 .issue_limit = 50};
    if (bytes < 2) {
        return 0;
    }
    options.profile = data[0] < count ? profiles[data[0]].name : NULL;
    options.frames = data[1] & 1 ? 48 : 0;
    options.seconds = options.frames ? 1 : 0;
    options.stereo = data[1] >> 1 & 1;
    options.hfr = data[1] >> 2 & 1;
    /* exactly as long as it is, so that a sanitizer sees every byte beyond */
    uint8_t *copy = malloc(bytes - 2 ? bytes - 2 : 1);
    need(copy != NULL);
    memcpy(copy, data + 2, bytes - 2);
    judge(copy, bytes - 2, &options, data[1] >> 3 & 1);
    list(copy, bytes - 2);
    free(copy);
    return 0;
}
