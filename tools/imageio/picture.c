/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE /* madvise */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#include <unistd.h>

#define LARGE_PAGE ((size_t)2 << 20)

/* AddressSanitizer ends the process where memory fails, and marks every byte of what it gives: asking for much and
 * giving it back took most of the time of reading TIFF. */
#if defined(__has_feature)
#define HAS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

/* The libraries' words may come with line ends; ours is one line. */
static void keep_to_one_line(char *text)
{
    size_t n = strlen(text);

    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < ' ') {
            text[i] = ' ';
        }
    }
    while (n != 0 && text[n - 1] == ' ') {
        text[--n] = '\0';
    }
}

int wvl_io_fail(wvl_io_context *context, const char *reason, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, reason);
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    keep_to_one_line(text);
    if (context->error && context->error_bytes != 0) {
        snprintf(context->error, context->error_bytes, "%s: %s%s%s",
                 strcmp(context->name, "-") == 0 ? "standard input" : context->name,
                 context->format ? context->format : "", context->format ? ": " : "", text);
    }
    return -1;
}

int wvl_io_fail_memory(wvl_io_context *context, const char *what, uint64_t byte_count)
{
    context->no_memory = 1;
    return wvl_io_fail(context, "%s: not enough memory for %llu bytes", what, (unsigned long long)byte_count);
}

/* 1: the item, which is not empty, stands in the list with these separators. */
static int is_listed(const char *list, const char *separator, const char *item)
{
    size_t bytes = strlen(item), step = strlen(separator);

    for (const char *at = list; (at = strstr(at, item)) != NULL; at++) {
        int begins = at == list || (at >= list + step && memcmp(at - step, separator, step) == 0);
        if (begins && (at[bytes] == '\0' || strncmp(at + bytes, separator, step) == 0)) {
            return 1;
        }
    }
    return 0;
}

void wvl_io_note(wvl_io_context *context, const char *remark, ...)
{
    char *note = context->picture->note, text[sizeof context->picture->note];
    size_t used = strlen(note), room = sizeof context->picture->note;
    va_list arguments;

    va_start(arguments, remark);
    vsnprintf(text, sizeof text, remark, arguments);
    va_end(arguments);
    keep_to_one_line(text);
    if (text[0] == '\0' || used + 6 >= room || is_listed(note, "; ", text)) {
        return;
    }
    if ((size_t)snprintf(note + used, room - used, "%s%s", used != 0 ? "; " : "", text) >= room - used) {
        memcpy(note + room - 4, "...", 4);
    }
}

void wvl_io_add_name(char *list, size_t bytes, const char *name)
{
    static const char others[] = " and others";
    size_t used = strlen(list), end = sizeof others - 1;
    int is_full = used >= end && strcmp(list + used - end, others) == 0;

    if (name[0] == '\0' || is_full || is_listed(list, ", ", name)) {
        return;
    }
    if (used + 2 + strlen(name) + sizeof others <= bytes) {
        snprintf(list + used, bytes - used, "%s%s", used != 0 ? ", " : "", name);
    } else if (used + sizeof others <= bytes) {
        memcpy(list + used, others, sizeof others);
    }
}

void wvl_io_lose(wvl_io_context *context, const char *name)
{
    char *lost = context->picture->lost;

    wvl_io_add_name(lost, sizeof context->picture->lost, name);
    keep_to_one_line(lost);
}

void wvl_io_clear_picture(wvl_io_picture *picture)
{
    memset(picture, 0, sizeof *picture);
    picture->color = WVL_IO_UNKNOWN;
    picture->alpha_component = -1;
    picture->orientation = 1;
}

void wvl_io_release_samples(wvl_io_picture *picture)
{
    for (uint32_t c = 0; picture->components && c < picture->component_count; c++) {
        free(picture->components[c].owned);
        picture->components[c].owned = NULL;
        picture->components[c].data = NULL;
    }
}

void wvl_io_release_picture(wvl_io_picture *picture)
{
    wvl_io_release_samples(picture);
    free(picture->components);
    free(picture->palette);
    free(picture->icc);
    free(picture->exr_header);
    wvl_io_release_metadata(&picture->metadata);
    wvl_io_clear_picture(picture);
}

uint64_t wvl_io_machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
}

/* Memory of samples comes anew with each picture of a folder: pages of 4 KiB, touched one by one, were a fifth of the
 * time that a lossless HT encode of a DPX file of 2048x1080 took (D-imageio-02). Only whole large pages are asked for,
 * so such blocks begin with one: in memory of threads malloc has none that does. */
void *wvl_io_take_large(size_t byte_count)
{
    void *block = NULL;
    if (posix_memalign(&block, LARGE_PAGE, byte_count) != 0) {
        return NULL;
    }
#if defined(MADV_HUGEPAGE)
    (void)madvise(block, byte_count / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
    return block;
}

static void *allocate_block(uint64_t byte_count)
{
    if (byte_count > SIZE_MAX / 2 || byte_count > wvl_io_machine_memory()) {
        return NULL;
    }
    return byte_count >= 2 * LARGE_PAGE ? wvl_io_take_large((size_t)byte_count)
                                        : malloc(byte_count != 0 ? (size_t)byte_count : 1);
}

void *wvl_io_allocate(wvl_io_context *context, uint64_t byte_count, const char *what)
{
    void *block = allocate_block(byte_count);

    if (!block) {
        wvl_io_fail_memory(context, what, byte_count);
    }
    return block;
}

int wvl_io_reserve(wvl_io_context *context, uint64_t byte_count, const char *what)
{
    void *block = byte_count < SIZE_MAX / 2 ? malloc(HAS_SANITIZER ? 1 : (size_t)byte_count) : NULL;
    volatile void *seen = block; /* compilers leave out a pair of malloc and free */

    free((void *)seen);
    return seen ? 0 : wvl_io_fail_memory(context, what, byte_count);
}

int wvl_io_describe(wvl_io_context *context, uint64_t width, uint64_t height, uint64_t component_count, unsigned depth,
                    int is_signed)
{
    wvl_io_picture *picture = context->picture;

    unsigned long long w = width, h = height, n = component_count, limit = context->max_samples;

    if (width == 0 || height == 0 || width > UINT32_MAX || height > UINT32_MAX) {
        return wvl_io_fail(context, "size %llu x %llu: width and height must be 1 to 4294967295", w, h);
    }
    if (component_count == 0 || component_count > WVL_IO_MAX_COMPONENTS) {
        return wvl_io_fail(context, "%llu components: must be 1 to %u", n, WVL_IO_MAX_COMPONENTS);
    }
    if (width > limit / height / component_count) {
        return wvl_io_fail(context,
                           "size %llu x %llu, %llu components: more than the limit of %llu samples "
                           "(--max-pixels)",
                           w, h, n, limit);
    }
    if (depth == 0 || depth > 32) {
        return wvl_io_fail(context, "%u bits per sample: must be 1 to 32", depth);
    }
    picture->components = calloc((size_t)component_count, sizeof *picture->components);
    if (!picture->components) {
        return wvl_io_fail_memory(context, "components", component_count * sizeof *picture->components);
    }
    picture->width = (uint32_t)width;
    picture->height = (uint32_t)height;
    picture->component_count = (uint32_t)component_count;
    for (uint32_t c = 0; c < picture->component_count; c++) {
        wvl_io_component *component = &picture->components[c];

        component->depth = (uint8_t)depth;
        component->is_signed = is_signed != 0;
        component->sample_bytes = wvl_io_container_bytes(depth);
        wvl_io_subsample(picture, c, 1, 1);
    }
    return 0;
}

void wvl_io_subsample(wvl_io_picture *picture, uint32_t component, uint8_t dx, uint8_t dy)
{
    wvl_io_component *c = &picture->components[component];

    c->dx = dx;
    c->dy = dy;
    c->width = (uint32_t)(((uint64_t)picture->width + dx - 1) / dx);
    c->height = (uint32_t)(((uint64_t)picture->height + dy - 1) / dy);
}

uint64_t wvl_io_sample_count(const wvl_io_picture *picture)
{
    uint64_t sum = 0;

    for (uint32_t c = 0; c < picture->component_count; c++) {
        sum += (uint64_t)picture->components[c].width * picture->components[c].height;
    }
    return sum;
}

void wvl_io_lay_out(wvl_io_context *context, int is_interleaved)
{
    wvl_io_picture *picture = context->picture;

    context->is_interleaved = is_interleaved;
    for (uint32_t c = 0; c < picture->component_count; c++) {
        wvl_io_component *k = &picture->components[c];
        k->sample_stride_bytes = (size_t)(is_interleaved ? picture->component_count : 1) * k->sample_bytes;
        k->stride_bytes = wvl_io_row_bytes(k);
    }
}

void wvl_io_announce_samples(wvl_io_context *context, uint64_t bytes)
{
    if (context->options.before_samples) {
        context->options.before_samples(context->options.before_samples_user, bytes);
    }
}

#define MOST_SAMPLE_BYTES 4u

/* NULL: none is lent. */
static uint8_t *borrow_samples(wvl_io_context *context, uint64_t bytes)
{
    const wvl_io_options *o = &context->options;
    uint64_t gaps = (uint64_t)context->picture->component_count * MOST_SAMPLE_BYTES;
    return o->lend_samples ? o->lend_samples(o->before_samples_user, bytes + gaps) : NULL;
}

int wvl_io_allocate_blocks(wvl_io_context *context)
{
    wvl_io_picture *picture = context->picture;
    wvl_io_component *first = &picture->components[0];
    uint64_t bytes = 0;

    for (uint32_t c = 0; c < picture->component_count; c++) {
        const wvl_io_component *k = &picture->components[c];
        bytes += (uint64_t)k->width * k->height * k->sample_bytes;
    }

    wvl_io_announce_samples(context, bytes);
    uint8_t *lent = borrow_samples(context, bytes);
    for (uint32_t c = 0; c < (context->is_interleaved ? 1 : picture->component_count); c++) {
        wvl_io_component *k = &picture->components[c];
        uint64_t samples = (uint64_t)k->width * k->height * (context->is_interleaved ? picture->component_count : 1);
        /* Where a component begins behind others. Those with samples of one size have no gaps, as in files without
         * headers. */
        lent = lent ? lent + (k->sample_bytes - (uintptr_t)lent % k->sample_bytes) % k->sample_bytes : NULL;
        k->owned = lent ? NULL : wvl_io_allocate(context, samples * k->sample_bytes, "samples");
        k->data = lent ? lent : k->owned;
        if (!k->data) {
            return -1;
        }
        lent = lent ? lent + samples * k->sample_bytes : NULL;
    }
    for (uint32_t c = 1; context->is_interleaved && c < picture->component_count; c++) {
        picture->components[c].data = (uint8_t *)first->data + (size_t)c * first->sample_bytes;
    }
    return 0;
}

int wvl_io_allocate_interleaved(wvl_io_context *context)
{
    wvl_io_lay_out(context, 1);
    return wvl_io_allocate_blocks(context);
}

int wvl_io_allocate_planar(wvl_io_context *context)
{
    wvl_io_lay_out(context, 0);
    return wvl_io_allocate_blocks(context);
}

void wvl_io_aim(wvl_io_context *context, const wvl_io_row_buffer *buffers, uint32_t first)
{
    wvl_io_picture *picture = context->picture;

    context->buffers = buffers;
    context->window_first = first;
    for (uint32_t c = 0; c < picture->component_count; c++) {
        wvl_io_component *k = &picture->components[c];
        const wvl_io_row_buffer *buffer = &buffers[context->is_interleaved ? 0 : c];
        size_t place = context->order ? context->order[c] : c;
        k->data = (uint8_t *)buffer->data + (context->is_interleaved ? place * k->sample_bytes : 0);
        k->stride_bytes = buffer->pitch_bytes;
    }
}

int wvl_io_read_stored_rows(wvl_io_context *context, uint32_t component, uint32_t first, uint32_t end, int big_endian,
                            const char *what)
{
    const wvl_io_component *c = &context->picture->components[component];
    size_t row_bytes = wvl_io_row_bytes(c);
    uint32_t at_once = c->stride_bytes == row_bytes ? end - first : 1; /* rows without a gap between them */

    for (uint32_t y = first; y < end; y += at_once) {
        uint8_t *row = wvl_io_row(context, component, y);
        if (wvl_io_read_bytes(context, row, row_bytes * at_once, what) != 0) {
            return -1;
        }
        wvl_io_to_host_order(row, row_bytes / c->sample_bytes * at_once, c->sample_bytes, big_endian);
    }
    return 0;
}

/* `bytes` is a constant of each call, so that compilers make vectors of the loop. */
static inline uint32_t highest_of(const uint8_t *row, size_t count, unsigned bytes)
{
    uint32_t highest = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t v = (uint32_t)wvl_io_load(row + i * bytes, bytes, 0);
        highest = v > highest ? v : highest;
    }
    return highest;
}

uint32_t wvl_io_highest(const uint8_t *row, size_t count, unsigned bytes)
{
    return bytes == 1 ? highest_of(row, count, 1) : highest_of(row, count, 2);
}

/* A sample is in range when no bit is set at or above `bits` in it (unsigned) or in it xor its sign. */
static int64_t gather_row(const wvl_io_component *c, const uint8_t *row)
{
    int64_t found = 0;

    for (uint32_t x = 0; x < c->width; x++, row += c->sample_stride_bytes) {
        int64_t v = wvl_io_load(row, c->sample_bytes, c->is_signed);

        found |= v ^ (v < 0 ? -1 : 0);
    }
    return found;
}

int wvl_io_check_range(wvl_io_context *context, uint32_t component, uint32_t first, uint32_t end)
{
    const wvl_io_component *c = &context->picture->components[component];
    int64_t limit = INT64_C(1) << (c->depth - c->is_signed);

    if (c->depth == 8 * c->sample_bytes) {
        return 0;
    }
    for (uint32_t y = first; y < end; y++) {
        if (gather_row(c, wvl_io_row(context, component, y)) >= limit) {
            return wvl_io_fail(context, "component %u, row %u: a sample lies outside %s %u bits", component, y,
                               c->is_signed ? "signed" : "unsigned", c->depth);
        }
    }
    return 0;
}

void wvl_io_set_color(wvl_io_picture *picture, wvl_io_color color, int declared, int alpha_component)
{
    picture->color = color;
    picture->color_declared = declared;
    picture->alpha_component = alpha_component;
}

static uint8_t *copy_bytes(wvl_io_context *context, const void *bytes, size_t n, const char *what)
{
    uint8_t *copy = wvl_io_allocate(context, n, what);

    if (copy && n != 0) {
        memcpy(copy, bytes, n);
    }
    return copy;
}

int wvl_io_take_icc(wvl_io_context *context, const void *bytes, size_t n)
{
    wvl_io_picture *picture = context->picture;

    /* Writers pad the profile; jpylyzer and readers of colr want its own size. */
    if (n >= 132 && wvl_io_be32(bytes) >= 132 && wvl_io_be32(bytes) < n) {
        n = wvl_io_be32(bytes);
    }
    picture->icc = copy_bytes(context, bytes, n, "ICC profile");
    if (!picture->icc) {
        return -1;
    }
    picture->icc_bytes = n;
    picture->color_declared = 1;
    return 0;
}

static inline uint32_t load_word(const uint8_t *p, unsigned bytes)
{
    switch (bytes) {
    case 1: return p[0];
    case 2: return wvl_io_le16(p);
    case 3: return wvl_io_le16(p) | (uint32_t)p[2] << 16;
    default: return wvl_io_le32(p);
    }
}

/* sample_bytes is a constant of each call. */
static inline void unpack_field(const wvl_io_component *k, uint8_t *out, const uint8_t *line, unsigned pixel_bytes,
                                uint32_t mask, unsigned shift, unsigned sample_bytes)
{
    for (uint32_t x = 0; x < k->width; x++, out += k->sample_stride_bytes, line += pixel_bytes) {
        wvl_io_store(out, sample_bytes, (load_word(line, pixel_bytes) & mask) >> shift);
    }
}

void wvl_io_unpack_fields(wvl_io_context *context, uint32_t row, const uint8_t *line, unsigned pixel_bytes,
                          const uint32_t *masks, const unsigned *shifts)
{
    for (uint32_t c = 0; c < context->picture->component_count; c++) {
        const wvl_io_component *k = &context->picture->components[c];
        uint8_t *out = wvl_io_row(context, c, row);
        if (k->sample_bytes == 1) {
            unpack_field(k, out, line, pixel_bytes, masks[c], shifts[c], 1);
        } else {
            unpack_field(k, out, line, pixel_bytes, masks[c], shifts[c], 2);
        }
    }
}

const char *wvl_io_parse_number(const char *p, uint32_t *value)
{
    char *end;
    unsigned long long number = strtoull(p, &end, 10);
    *value = (uint32_t)number;
    return *p >= '0' && *p <= '9' && number <= UINT32_MAX ? end : NULL;
}

void wvl_io_to_host_order(void *samples, size_t count, unsigned sample_bytes, int big_endian)
{
    uint8_t *p = samples;

    if (wvl_io_is_little_endian() != (big_endian != 0) || sample_bytes == 1) {
        return;
    }
    for (; sample_bytes == 2 && count != 0; count--, p += 2) {
        wvl_io_store(p, 2, __builtin_bswap16((uint16_t)wvl_io_load(p, 2, 0)));
    }
    for (; sample_bytes == 4 && count != 0; count--, p += 4) {
        wvl_io_store(p, 4, __builtin_bswap32((uint32_t)wvl_io_load(p, 4, 0)));
    }
}
