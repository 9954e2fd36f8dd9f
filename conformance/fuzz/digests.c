/* SPDX-License-Identifier: BSD-2-Clause */
#include "digests.h"

#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "tally.h"

#define LINE_BYTES 72u

typedef struct gathered {
    uint64_t seed, count, digests, failed;
    fuzz_tally tally;
    char (*lines)[LINE_BYTES];
} gathered;

static void print_digest(const fuzz_run *run, char *text)
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, run->bytes, run->data);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
}

/* Every trial has a context of its own. One that stays keeps the driver's, which takes longer to come than a trial. */
static void keep_device(const fuzz_case *c)
{
    static wvl_context *kept;
    const char *device = fuzz_case_get(c, "device");
    static const wvl_component_format component = {8, 0, 1, 1};
    static const uint8_t pixels[64 * 64];
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = 64, .y1 = 64, .component_count = 1, .components = &component};
    const wvl_plane plane = {.data = pixels, .pitch_bytes = 64, .container = WVL_SAMPLE_8};
    wvl_image image = {.struct_size = sizeof image, .planes = &plane, .plane_count = 1};
    wvl_params *params = NULL;
    wvl_plan *plan = NULL;
    wvl_sink sink = {.struct_size = sizeof sink};
    if (kept || !device || strncmp(device, "cuda", 4) != 0 || wvl_context_create(NULL, &kept) != WVL_OK) {
        return;
    }
    if (wvl_params_create(kept, &params) == WVL_OK && wvl_params_set(params, "device", device) == WVL_OK &&
        wvl_plan_create(kept, params, &format, NULL, &plan) == WVL_OK && wvl_sink_open_memory(kept, &sink) == WVL_OK) {
        (void)wvl_encode(plan, &image, &sink, NULL, NULL, NULL, 0); /* whatever comes of it, the trials say */
        wvl_sink_discard(&sink);
    }
    wvl_plan_release(plan);
    wvl_params_release(params);
}

void fuzz_digests_judge(fuzz_judge *judge, const fuzz_case *c, fuzz_verdict *v)
{
    fuzz_picture p;
    fuzz_run run;
    memset(v, 0, sizeof *v);
    if (fuzz_case_get(c, "illegal") || !fuzz_picture_build(c, &judge->folder, &p, v->text, sizeof v->text)) {
        snprintf(v->text, sizeof v->text, "not encoded");
        return;
    }
    keep_device(c);
    fuzz_run_encode(c, &p, 0, &run);
    if (run.status == WVL_OK) {
        print_digest(&run, v->text);
        v->found = fuzz_run_reach(run.backend);
    } else {
        snprintf(v->text, sizeof v->text, "%s", wvl_status_text(run.status));
    }
    fuzz_run_free(&run);
    fuzz_picture_free(&p);
}

static void gather(void *user, uint64_t seed, const fuzz_verdict *v)
{
    gathered *g = user;
    snprintf(g->lines[seed - g->seed], LINE_BYTES, "%.*s", (int)LINE_BYTES - 1, v->text);
    g->digests += strlen(v->text) == 2 * SHA256_DIGEST_SIZE;
    g->failed += v->outcome == FUZZ_FAILED;
    fuzz_tally_count(&g->tally, v);
}

static int write_lines(const gathered *g, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "%s: cannot be opened for writing\n", path);
        return 0;
    }
    int good = 1;
    for (uint64_t i = 0; i < g->count; i++) {
        good &= fprintf(file, "%" PRIu64 " %s\n", g->seed + i, g->lines[i]) > 0;
    }
    return fclose(file) == 0 && good;
}

int fuzz_digests_write(const fuzz_plan *plan, const char *path)
{
    gathered g = {.seed = plan->seed, .count = plan->count, .lines = calloc(plan->count, LINE_BYTES)};
    if (!g.lines) {
        fprintf(stderr, "no memory for %" PRIu64 " digests\n", plan->count);
        return 1;
    }
    int good = fuzz_pool_run(plan, gather, &g) && write_lines(&g, path);
    printf("%" PRIu64 " configurations, seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " digests, %" PRIu64
           " processes ended early\n",
           g.count, g.seed, g.seed + g.count - 1, g.digests, g.failed);
    fuzz_tally_print_reach(&g.tally);
    free(g.lines);
    return !good || g.failed || (plan->only_packets && fuzz_tally_lacks(&g.tally, fuzz_pool_wants(plan)));
}
