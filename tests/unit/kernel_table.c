/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_table.h"
#include "tests/support/support.h"

#define RESERVED_BYTES 1024u /* of shared memory, by the driver, on 9.0 */
#define SHARED_MAX 49152u    /* of a thread block, static */
#define SHARED_UNIT 16u      /* dynamic shared memory begins at a multiple, in every kernel of an image that has some */

typedef const wvl_cuda_kernel_row *row_pointer;

static const kernel_table *table;

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *spell_coef(row_pointer row)
{
    static const char *const names[] = {"16or32", "16", "32"};
    return names[row->coef_bits / 16];
}

static void spell_march(const kernel_table *t, row_pointer row, char *name, size_t size)
{
    static const char *const ends[] = {"", "plane", "gray", "interleaved", "planar"};
    const char *wavelet = row->reversible ? "53" : "97", *end = ends[row->end];
    char columns[16] = "";
    if (row->columns != 8) {
        snprintf(columns, sizeof columns, "_%ucolumns", row->columns);
    }
    if (t->is_inverse) {
        snprintf(name, size, "wvl_inverse_march_%s_%u_to_%s%u%s", wavelet, row->coef_bits, end, row->container_bits,
                 columns);
        return;
    }
    snprintf(name, size, "wvl_march_%s_%s%u_to%s%s%s%s", wavelet, end, row->container_bits, spell_coef(row),
             row->depth == WVL_CUDA_DEPTH_DEEP ? "_deep" : "", columns,
             row->share == WVL_CUDA_SHARE_PACK ? "_packed" : "");
}

static void spell_name(const kernel_table *t, row_pointer row, char *name, size_t size)
{
    const char *wavelet = row->reversible ? "53" : "97", *direction = t->is_inverse ? "inverse_" : "";
    const char *deep = row->depth == WVL_CUDA_DEPTH_DEEP ? "_deep" : "";
    switch (row->family) {
    case WVL_CUDA_FAMILY_ANY: snprintf(name, size, "wvl_%sany_%s", direction, wavelet); break;
    case WVL_CUDA_FAMILY_PIXELS: snprintf(name, size, "wvl_%spixels_%s", direction, wavelet); break;
    case WVL_CUDA_FAMILY_MARCH: spell_march(t, row, name, size); break;
    default:
        snprintf(name, size, "wvl_%s_%s_plane%u_to%s%s", row->family == WVL_CUDA_FAMILY_LAST ? "last" : "cascade",
                 wavelet, row->container_bits, spell_coef(row), deep);
    }
}

TEST(spelling)
{
    const kernel_table *t = table;
    for (uint32_t k = 0; k < t->count; k++) {
        char name[80];
        spell_name(t, &t->rows[k], name, sizeof name);
        ck_assert_str_eq(t->rows[k].name, name);
    }
}

/* ---- Rows and rows --------------------------------------------------------------------------- */

TEST(wishes)
{
    const kernel_table *t = table;
    for (uint32_t k = 0; k < t->count; k++) {
        row_pointer row = &t->rows[k];
        wvl_cuda_kernel_wish wish = {.family = row->family,
                                     .reversible = row->reversible,
                                     .end = row->end,
                                     .container_bits = row->container_bits,
                                     .columns = row->columns,
                                     .coef_bits = row->coef_bits,
                                     .packed = row->share == WVL_CUDA_SHARE_PACK,
                                     .deep = row->depth == WVL_CUDA_DEPTH_DEEP};
        row_pointer found = t->find(&wish);
        ck_assert_msg(found == row, "%s: found %s", row->name, found ? found->name : "none");
    }
}

TEST(limits)
{
    const kernel_table *t = table;
    for (uint32_t k = 0; k < t->count; k++) {
        row_pointer row = &t->rows[k];
        int colors = row->end == WVL_CUDA_END_INTERLEAVED || row->end == WVL_CUDA_END_PLANAR;
        int shared = row->share == WVL_CUDA_SHARE_EACH || row->share == WVL_CUDA_SHARE_MIX;
        ck_assert_msg(row->threads && row->threads % 32 == 0 && row->shared_bytes <= SHARED_MAX, "%s", row->name);
        ck_assert_msg(colors == shared, "%s: who shares three components", row->name);
        ck_assert_msg((row->counted != 0) == (row->family == WVL_CUDA_FAMILY_MARCH), "%s: warps that count", row->name);
    }
}

/* ---- Rows and machine code ------------------------------------------------------------------- */

typedef struct section {
    char name[96];
    const uint8_t *data;
    uint64_t bytes;
} section;

typedef struct image {
    section sections[1000];
    uint32_t count;
} image;

static uint64_t read_number(const uint8_t *at, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = bytes; i--;) {
        v = v << 8 | at[i];
    }
    return v;
}

/* The machine code in a fat binary: an ELF file of 64 bits. */
static const uint8_t *find_elf(const uint8_t *fat)
{
    const uint8_t *end = fat + 16 + read_number(fat + 8, 8);
    for (const uint8_t *at = fat + 16; at + 64 < end; at += 8) {
        if (!memcmp(at, "\177ELF\2", 5)) {
            return at;
        }
    }
    return NULL;
}

static void open_image(const uint8_t *fat, image *m)
{
    memset(m, 0, sizeof *m);
    const uint8_t *elf = fat && read_number(fat, 4) == 0xBA55ED50u ? find_elf(fat) : NULL;
    if (!elf) {
        return;
    }
    const uint8_t *headers = elf + read_number(elf + 0x28, 8);
    uint32_t names_at = (uint32_t)read_number(elf + 0x3e, 2);
    const uint8_t *names = elf + read_number(headers + 64 * names_at + 24, 8);
    m->count = (uint32_t)read_number(elf + 0x3c, 2);
    ck_assert_uint_le(m->count, sizeof m->sections / sizeof *m->sections);
    for (uint32_t i = 0; i < m->count; i++) {
        const uint8_t *h = headers + 64 * i;
        section *s = &m->sections[i];
        snprintf(s->name, sizeof s->name, "%s", (const char *)names + read_number(h, 4));
        s->data = elf + read_number(h + 24, 8);
        s->bytes = read_number(h + 32, 8);
    }
}

static const section *find_section(const image *m, const char *prefix, const char *kernel)
{
    char name[96];
    snprintf(name, sizeof name, "%s%s", prefix, kernel);
    for (uint32_t i = 0; i < m->count; i++) {
        if (!strcmp(m->sections[i].name, name)) {
            return &m->sections[i];
        }
    }
    return NULL;
}

/* Attribute 5 of a kernel's notes: the most threads of a block, as launch bounds promise. */
static uint32_t read_threads(const section *info)
{
    uint64_t at = 0;
    while (info && at + 4 <= info->bytes) {
        uint32_t bytes = info->data[at] == 4 ? (uint32_t)read_number(info->data + at + 2, 2) : 0;
        if (info->data[at] == 4 && info->data[at + 1] == 5) {
            return (uint32_t)read_number(info->data + at + 4, 4);
        }
        at += 4 + bytes;
    }
    return 0;
}

static void check_kernel(const image *m, row_pointer row)
{
    const section *shared = find_section(m, ".nv.shared.", row->name);
    uint64_t bytes = shared ? shared->bytes - RESERVED_BYTES : 0;
    ck_assert_msg(find_section(m, ".text.", row->name) != NULL, "%s is not in the image", row->name);
    ck_assert_msg(read_threads(find_section(m, ".nv.info.", row->name)) == row->threads, "%s: threads", row->name);
    uint64_t rounded = (row->shared_bytes + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
    ck_assert_msg(bytes == row->shared_bytes || bytes == rounded, "%s: %llu bytes of shared memory, its row says %u",
                  row->name, (unsigned long long)bytes, row->shared_bytes);
}

static int is_known(const kernel_table *t, const char *name)
{
    for (uint32_t k = 0; k < t->count; k++) {
        if (!strcmp(t->rows[k].name, name)) {
            return 1;
        }
    }
    for (const char *const *other = t->others; *other; other++) {
        if (!strncmp(*other, name, strlen(*other))) {
            return 1;
        }
    }
    return 0;
}

TEST(machine_code)
{
    static image m;
    const kernel_table *t = table;
    open_image(t->fetch_image(), &m);
    if (!m.count) {
        printf("no device code in this build: rows are compared with one another alone\n");
        return;
    }
    for (uint32_t k = 0; k < t->count; k++) {
        check_kernel(&m, &t->rows[k]);
    }
    for (uint32_t i = 0; i < m.count; i++) {
        const char *name = m.sections[i].name;
        ck_assert_msg(strncmp(name, ".text.", 6) != 0 || is_known(t, name + 6), "%s has no row", name + 6);
    }
}

int kernel_table_run(const char *name, const kernel_table *t)
{
    table = t;
    return test_run_suite(name);
}
