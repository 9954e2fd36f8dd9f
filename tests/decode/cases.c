/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/decode/cases.h"

#include "tests/support/api.h"

int case_long(void)
{
    const char *value = getenv("WVL_LONG");
    return value && value[0] && value[0] != '0';
}

int case_emulated(void)
{
    const char *image = getenv("WVL_CUDA_IMAGE");
    return getenv("WVL_TEST_DEVICE") && image && !strcmp(image, "soft");
}

wvl_context *case_context(void)
{
    static wvl_context *context;
    const char *threads = getenv("WVL_TEST_THREADS");
    context = context ? context : test_open_context(threads ? (uint32_t)atoi(threads) : 2);
    return context;
}

/* ---- Settings -------------------------------------------------------------------------------- */

wvl_status case_set(wvl_params *params, const char *settings, char *error, size_t error_bytes)
{
    wvl_status status = test_try_settings(params, settings);
    if (status != WVL_OK) {
        snprintf(error, error_bytes, "%s", wvl_params_error(params));
    }
    return status;
}

static wvl_status make_plan(outcome *o, const wvl_image_format *format, const char *settings, const wvl_jp2_info *jp2)
{
    wvl_params *params;
    wvl_status status = wvl_params_create(o->context, &params);
    ck_assert_int_eq(status, WVL_OK);
    status = case_set(params, settings, o->error, sizeof o->error);
    if (status == WVL_OK) {
        status = wvl_plan_create(o->context, params, format, jp2, &o->plan);
        if (status != WVL_OK) {
            snprintf(o->error, sizeof o->error, "%s", wvl_context_error(o->context));
        }
    }
    wvl_params_release(params);
    return status;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static wvl_status run(outcome *o, const picture_input *input)
{
    wvl_sink sink;
    void *data = NULL;
    ck_assert_int_eq(wvl_sink_open_memory(o->context, &sink), WVL_OK);
    wvl_status status = wvl_encode(o->plan, &input->image, &sink, NULL, &o->result, o->error, sizeof o->error);
    if (status == WVL_OK) {
        ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &o->bytes), WVL_OK);
        o->data = data;
    } else {
        wvl_sink_discard(&sink);
    }
    return status;
}

/* The picture on `device`, which must do as much as `reach` says. */
static outcome run_on(const outcome *o, const picture_input *input, const char *settings, const wvl_jp2_info *jp2,
                      const char *device, const char *reach)
{
    outcome d;
    size_t room = strlen(settings) + strlen(device) + strlen(reach) + 24;
    OWNED char *text = malloc(room);
    ck_assert_ptr_nonnull(text);
    memset(&d, 0, sizeof d);
    d.context = o->context;
    snprintf(text, room, "%s%sdevice=%s reach=%s", settings, *settings ? " " : "", device, reach);
    d.status = make_plan(&d, &input->format, text, jp2);
    d.status = d.status == WVL_OK ? run(&d, input) : d.status;
    return d;
}

static void drop(outcome *d)
{
    wvl_memory_release(d->context, d->data, d->bytes);
    wvl_result_release(d->result);
    wvl_plan_release(d->plan);
}

/* WVL_TEST_DEVICE in the environment: a second encode on that device, whose bytes must be the same. It has to finish
 * the picture; where it says that it cannot, to do what it can. What only the CPU takes is printed. Settings that name
 * a device are not encoded on another. */
static void check_device(const outcome *o, const picture_input *input, const char *settings, const wvl_jp2_info *jp2)
{
    const char *device = getenv("WVL_TEST_DEVICE");
    if (!device || strstr(settings, "device=")) {
        return;
    }
    outcome d = run_on(o, input, settings, jp2, device, "packets");
    int is_finished = d.status == WVL_OK;
    if (d.status == WVL_ERROR_UNSUPPORTED) {
        drop(&d);
        d = run_on(o, input, settings, jp2, device, "coefs");
    }
    if (d.status == WVL_ERROR_UNSUPPORTED && o->status == WVL_OK) {
        printf("only the CPU: %u components of %u bits, \"%s\": %s\n", input->format.component_count,
               input->components[0].depth, settings, d.error);
    } else {
        ck_assert_msg(d.status == o->status, "\"%s\": on %s status %d, on the CPU %d: %s", settings, device, d.status,
                      o->status, d.error);
        ck_assert_msg(d.bytes == o->bytes && (!d.bytes || !memcmp(d.data, o->data, d.bytes)),
                      "\"%s\": on %s %zu bytes, from the CPU %zu, or other ones", settings, device, d.bytes, o->bytes);
        const char *backend = d.result ? wvl_result_backend(d.result) : "";
        ck_assert_msg(!d.result || (strstr(backend, "cuda:") && (!is_finished || strstr(backend, " packets"))),
                      "\"%s\": made by %s", settings, backend);
        printf("on a device: %s, \"%s\"\n", d.result ? backend : "refused", settings);
    }
    drop(&d);
}

outcome case_try(const picture *p, const char *settings, const wvl_jp2_info *jp2)
{
    outcome o;
    memset(&o, 0, sizeof o);
    o.context = case_context();
    owned_input input = picture_open_input(p, 0);
    o.status = make_plan(&o, &input.format, settings, jp2);
    if (o.status == WVL_OK) {
        o.memory.struct_size = sizeof o.memory;
        ck_assert_int_eq(wvl_plan_measure(o.plan, &o.memory), WVL_OK);
        o.status = run(&o, &input);
        check_device(&o, &input, settings, jp2);
    }
    return o;
}

/* The result object against the parsed codestream. */
static void check_result(const char *what, const outcome *o)
{
    wvl_span codestream = wvl_result_codestream(o->result), header = wvl_result_main_header(o->result);
    ck_assert_msg(wvl_result_bytes(o->result) == o->bytes, "%s: result says %llu bytes of %zu", what,
                  (unsigned long long)wvl_result_bytes(o->result), o->bytes);
    ck_assert_msg(header.offset == codestream.offset && header.bytes == o->stream.main_header_bytes,
                  "%s: main header span", what);
    ck_assert_msg(wvl_result_tile_part_count(o->result) == o->stream.part_count, "%s: tile-part count", what);
    for (uint32_t i = 0; i < o->stream.part_count; i++) {
        wvl_tile_part_info info;
        const cs_tile_part *part = &o->stream.parts[i];
        ck_assert_int_eq(wvl_result_tile_part(o->result, i, &info), WVL_OK);
        ck_assert_msg(info.offset == codestream.offset + part->offset && info.bytes == part->bytes &&
                          info.tile == part->tile && info.part == part->index,
                      "%s: tile-part %u", what, i);
        ck_assert_msg(!part->count || info.part_count == part->count, "%s: part count of tile-part %u", what, i);
    }
    ck_assert_uint_eq(wvl_result_layer_count(o->result), o->stream.layers);
}

/* Packet bytes by component, resolution and layer. */
static void check_packet_bytes(const char *what, const outcome *o)
{
    unsigned layers = o->stream.layers, components = o->stream.component_count;
    size_t cells = (size_t)components * 33 * layers;
    uint64_t *sums = cells < 1u << 22 ? calloc(cells, sizeof *sums) : NULL, all = 0;
    for (size_t i = 0; i < o->packets.count; i++) {
        const wvl_check_packet *p = &o->packets.items[i];
        all += p->bytes;
        if (sums) {
            sums[((size_t)p->component * 33 + p->resolution) * layers + p->layer] += p->bytes;
        }
    }
    ck_assert_msg(wvl_result_packet_bytes(o->result, UINT32_MAX, UINT32_MAX, UINT32_MAX) == all, "%s: all packet bytes",
                  what);
    for (size_t i = 0; sums && cells < 4096 && i < cells; i++) { /* each query sums the whole table */
        uint32_t c = (uint32_t)(i / layers / 33), r = (uint32_t)(i / layers % 33), l = (uint32_t)(i % layers);
        uint64_t told = wvl_result_packet_bytes(o->result, c, r, l);
        ck_assert_msg(told == sums[i], "%s: component %u resolution %u layer %u: %llu bytes told, %llu found", what, c,
                      r, l, (unsigned long long)told, (unsigned long long)sums[i]);
    }
    free(sums);
}

/* What the walker found. */
typedef struct judgement {
    char text[512]; /* the first error */
    packet_list packets;
} judgement;

static void keep_first(void *user, const wvl_check_issue *issue)
{
    judgement *j = user;
    if (!j->text[0] && issue->severity == WVL_CHECK_ERROR) {
        snprintf(j->text, sizeof j->text, "%s (%s): %s", issue->rule, issue->clause, issue->text);
    }
}

/* Headers that PPM or PPT holds, before the packets, count as bytes of the packet too. */
static void keep_packet(void *user, const wvl_check_packet *packet)
{
    packet_list *list = &((judgement *)user)->packets;
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        list->items = realloc(list->items, list->capacity * sizeof *list->items);
        ck_assert_ptr_nonnull(list->items);
    }
    list->items[list->count] = *packet;
    list->items[list->count++].bytes += packet->header_offset < packet->offset ? packet->header_bytes : 0;
}

static void count_passes(void *user, const wvl_check_block *block)
{
    packet_list *list = &((judgement *)user)->packets;
    list->inclusions++;
    list->passes += block->passes;
}

static judgement judge(const char *what, const outcome *o, const wvl_check_options *options)
{
    judgement j;
    memset(&j, 0, sizeof j);
    int verdict = wvl_check_file(o->data, o->bytes, options, keep_first, &j, NULL);
    ck_assert_msg(verdict == WVL_CHECK_LEGAL, "%s: %d: %s", what, verdict, j.text);
    return j;
}

void case_judge(const char *what, const outcome *o, const wvl_check_options *options) { (void)judge(what, o, options); }

static void check_structure(const char *what, outcome *o)
{
    static const wvl_check_options everything = {.struct_size = sizeof everything,
                                                 .memory_limit = UINT64_C(1) << 32,
                                                 .work_limit = UINT64_C(1) << 40,
                                                 .packet = keep_packet,
                                                 .block = count_passes};
    char text[512] = "";
    wvl_span codestream = wvl_result_codestream(o->result);
    ck_assert_msg(codestream.offset + codestream.bytes == o->bytes, "%s: the codestream does not end the output", what);
    const uint8_t *data = o->data + codestream.offset;
    ck_assert_msg(cs_parse(data, (size_t)codestream.bytes, &o->stream, text, sizeof text), "%s: %s", what, text);
    o->packets = judge(what, o, &everything).packets;
    check_result(what, o);
    check_packet_bytes(what, o);
    ck_assert_msg(o->bytes <= o->memory.output_bytes_bound, "%s: %zu bytes exceed the promised %llu", what, o->bytes,
                  (unsigned long long)o->memory.output_bytes_bound);
}

outcome case_encode(const char *what, const picture *p, const char *settings, const wvl_jp2_info *jp2)
{
    outcome o = case_try(p, settings, jp2);
    ck_assert_msg(o.status == WVL_OK, "%s: \"%s\": %s: %s", what, settings, wvl_status_text(o.status), o.error);
    check_structure(what, &o);
    return o;
}

void case_free(outcome *o)
{
    free(o->packets.items);
    cs_free(&o->stream);
    wvl_result_release(o->result);
    wvl_plan_release(o->plan);
    wvl_memory_release(o->context, o->data, o->bytes);
    memset(o, 0, sizeof *o);
}

/* ---- Judging --------------------------------------------------------------------------------- */

picture case_decode(const char *what, const outcome *o, const decode_options *options)
{
    char text[1024];
    picture back;
    int done = decode_picture(o->data, o->bytes, options, &back, NULL, text, sizeof text);
    ck_assert_msg(done, "%s: the decoder says: %s", what, text);
    return back;
}

quality case_measure(const char *what, const outcome *o, const picture *p, unsigned layers)
{
    unsigned last = (layers ? layers : wvl_result_layer_count(o->result)) - 1;
    owned_picture back = case_decode(what, o, &(decode_options){.layers = layers});
    return (quality){wvl_result_layer_psnr(o->result, last), fuzz_picture_psnr(p, &back), picture_psnr(p, &back)};
}

static outcome encode_exactly(const char *what, const picture *p, const char *settings, const wvl_jp2_info *jp2)
{
    char text[512] = "";
    outcome o = case_encode(what, p, settings, jp2);
    owned_picture back = case_decode(what, &o, &(decode_options){.keep_indices = 1});
    ck_assert_msg(fuzz_picture_equal(p, &back, text, sizeof text), "%s: \"%s\": %s", what, settings, text);
    return o;
}

void case_lossless(const char *what, const picture *p, const char *settings, const wvl_jp2_info *jp2)
{
    owned_outcome o = encode_exactly(what, p, settings, jp2);
}

outcome case_exact(const picture *p, const char *settings) { return encode_exactly(settings, p, settings, NULL); }

void case_near(const char *what, const picture *p, const char *settings, uint32_t limit)
{
    owned_outcome o = case_encode(what, p, settings, NULL);
    owned_picture back = case_decode(what, &o, NULL);
    uint32_t error = picture_greatest_error(p, &back);
    ck_assert_msg(error <= limit, "%s: \"%s\": an error of %u, at most %u is allowed", what, settings, error, limit);
}

void case_cap(const picture *p, const char *settings, unsigned cap, unsigned share)
{
    owned_outcome o = case_encode("cap", p, test_print("%s max-bytes=%u", settings, cap), NULL);
    ck_assert_msg(o.bytes <= cap && o.bytes + cap / share >= cap, "\"%s\": %zu bytes of %u", settings, o.bytes, cap);
}

void case_layers(const char *what, const picture *p, const char *settings, unsigned layers)
{
    char text[256];
    owned_outcome o = case_encode(what, p, settings, NULL);
    double before = -1.0;
    ck_assert_uint_eq(o.stream.layers, layers);
    for (unsigned layer = 1; layer <= layers; layer++) {
        owned_picture back = case_decode(what, &o, &(decode_options){.layers = layer});
        double psnr = picture_psnr(p, &back);
        ck_assert_msg(psnr >= before, "\"%s\": layer %u: %.3f dB after %.3f dB", settings, layer, psnr, before);
        before = psnr;
        ck_assert_msg(layer < layers || fuzz_picture_equal(p, &back, text, sizeof text), "\"%s\": %s", settings, text);
    }
    ck_assert_uint_eq(wvl_result_layer_bytes(o.result, layers - 1), wvl_result_codestream(o.result).bytes);
}

void case_structure(const char *what, const picture *p, const char *settings)
{
    owned_outcome o = case_encode(what, p, settings, NULL);
}

void case_refused(const char *what, const wvl_image_format *format, const char *settings, const char *reason)
{
    outcome o;
    memset(&o, 0, sizeof o);
    o.context = case_context();
    o.status = make_plan(&o, format, settings, NULL);
    ck_assert_msg(o.status == WVL_ERROR_PARAMETER || o.status == WVL_ERROR_UNSUPPORTED, "%s: \"%s\" gave \"%s\"", what,
                  settings, wvl_status_text(o.status));
    ck_assert_ptr_null(o.plan);
    ck_assert_msg(strstr(o.error, reason) != NULL, "%s: \"%s\" was refused with \"%s\", not with \"%s\"", what,
                  settings, o.error, reason);
}

void case_refuse(const refusal *r)
{
    OWNED wvl_component_format *components = calloc(r->count + 1, sizeof *components);
    ck_assert_ptr_nonnull(components);
    for (uint32_t c = 0; c < r->count; c++) {
        components[c] = r->component;
    }
    wvl_image_format format = {sizeof format, r->x0, r->y0, r->x1, r->y1, r->count, components};
    case_refused(r->settings, &format, r->settings, r->reason);
}
