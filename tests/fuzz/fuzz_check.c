/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target of the walker. The input is a file as it is, but for its first byte: 0xFF and 0x00 leave it alone, so that files and
 * codestreams are seeds; anything else picks a profile and small limits and is then put back as what such inputs begin with.
 * With libFuzzer: -fsanitize=fuzzer and LLVMFuzzerTestOneInput alone. With WVL_FUZZ_MAIN: a program that walks the files named on its
 * command line: whole, cut short at many places, and with every byte of the first 600 and many of the others spoilt.
 */
#include "wavelane_check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count);

typedef struct counts {
    uint64_t errors, warnings, packet_bytes;
    size_t byte_count;
} counts;

/* What the interface promises of each report. */
static void check_issue(void *user, const wvl_check_issue *issue)
{
    counts *n = user;
    if (!issue->rule[0] || !issue->clause[0] || !issue->text[0] || strchr(issue->text, '\n') || issue->offset > n->byte_count) {
        abort();
    }
    *(issue->severity == WVL_CHECK_ERROR ? &n->errors : &n->warnings) += 1;
}

static void check_packet(void *user, const wvl_check_packet *packet)
{
    counts *n = user;
    n->packet_bytes += packet->header_bytes + packet->body_bytes;
    if (packet->offset > n->byte_count || packet->bytes > n->byte_count - packet->offset) {
        abort();
    }
}

static void walk(const uint8_t *bytes, size_t byte_count, const char *profile, uint64_t memory_limit)
{
    counts n = {0, 0, 0, byte_count};
    wvl_check_options options = {.struct_size = sizeof options, .profile = profile, .memory_limit = memory_limit, .work_limit = 1 << 24,
                                 .issue_limit = UINT32_MAX, .packet = check_packet};
    wvl_check_summary summary = {.struct_size = sizeof summary};
    int verdict = wvl_check_file(bytes, byte_count, &options, check_issue, &n, &summary);
    if (verdict < 0 || (verdict == WVL_CHECK_ILLEGAL) != (n.errors != 0) || n.errors != summary.errors || n.warnings != summary.warnings ||
        n.packet_bytes != summary.header_bytes + summary.body_bytes) {
        abort();
    }
    wvl_check_release_summary(&summary);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count)
{
    size_t profile_count;
    const wvl_check_profile *profiles = wvl_check_profiles(&profile_count);
    if (!byte_count || bytes[0] == 0xFF || bytes[0] == 0) {
        walk(bytes, byte_count, NULL, 1 << 26);
        return 0;
    }
    uint8_t *copy = malloc(byte_count);
    if (copy) {
        memcpy(copy, bytes, byte_count);
        copy[0] = byte_count > 1 && bytes[1] == 0x4F ? 0xFF : 0;
        walk(copy, byte_count, profiles[bytes[0] % profile_count].name, bytes[0] & 0x80 ? 1 << 16 : 1 << 26);
    }
    free(copy);
    return 0;
}

#ifdef WVL_FUZZ_MAIN
static uint8_t *load_file(const char *path, size_t *byte_count)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long size = -1;
    if (file && !fseek(file, 0, SEEK_END)) {
        size = ftell(file);
    }
    if (size >= 0 && !fseek(file, 0, SEEK_SET)) {
        bytes = malloc(size ? (size_t)size : 1);
    }
    if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    if (file) {
        (void)fclose(file);
    }
    *byte_count = bytes ? (size_t)size : 0;
    return bytes;
}

/* A copy of the exact size, so that a sanitizer sees the first byte read beyond it. */
static void walk_cut(const uint8_t *bytes, size_t byte_count)
{
    uint8_t *copy = malloc(byte_count ? byte_count : 1);
    if (copy) {
        memcpy(copy, bytes, byte_count);
        (void)LLVMFuzzerTestOneInput(copy, byte_count);
    }
    free(copy);
}

static void spoil(uint8_t *bytes, size_t byte_count)
{
    static const uint8_t flips[] = {0x01, 0x80, 0xFF, 0x7F, 0x55};
    for (size_t at = 1; at < byte_count; at += at < 600 ? 1 : 1 + byte_count / 97) {
        for (size_t i = 0; i < sizeof flips; i++) {
            bytes[at] ^= flips[i];
            (void)LLVMFuzzerTestOneInput(bytes, byte_count);
            bytes[at] ^= flips[i];
        }
    }
}

int main(int argument_count, char **arguments)
{
    int failed = 0;
    for (int i = 1; i < argument_count; i++) {
        size_t byte_count;
        uint8_t *bytes = load_file(arguments[i], &byte_count);
        if (!bytes) {
            (void)fprintf(stderr, "%s: cannot be read\n", arguments[i]);
            failed = 1;
            continue;
        }
        for (size_t cut = 0; cut < byte_count; cut += cut < 300 ? 1 : 1 + byte_count / 211) {
            walk_cut(bytes, cut);
        }
        spoil(bytes, byte_count);
        (void)LLVMFuzzerTestOneInput(bytes, byte_count); /* an input that the fuzzer saved */
        free(bytes);
    }
    return failed;
}
#endif
