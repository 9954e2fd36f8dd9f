/* SPDX-License-Identifier: BSD-2-Clause */
/* Picture readers at their limits: memory that fails, pipes that do not end, and what follows the picture. */
#define _GNU_SOURCE
#include "imageio_bench.h"
#include "tiff_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <png.h>
#include <signal.h>
#include <sys/wait.h>

/* Sanitizers bring an allocator of their own. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__GLIBC__) && !defined(HAS_SANITIZER) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_FAIL 1
#else
#define CAN_FAIL 0
#endif

/* ---- Memory that fails ----------------------------------------------------------------------- */

static long calls, fail_at;    /* the call that fails; 0: none */
static size_t greatest;        /* bytes that one call asked for */
static size_t left = SIZE_MAX; /* more than that is not given; calls of less than 1 MiB take from it */

#if CAN_FAIL
static int fails(size_t n)
{
    greatest = n > greatest ? n : greatest;
    if (n > left) {
        errno = ENOMEM;
        return 1;
    }
    left -= left < SIZE_MAX && n < 1u << 20 ? n : 0;
    if (fail_at && ++calls == fail_at) {
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t n);
void *__libc_realloc(void *block, size_t n);

/* Visible, so that libtiff gets these too. */
#define SHOWN __attribute__((visibility("default")))
SHOWN void *malloc(size_t n) { return fails(n) ? NULL : __libc_malloc(n); }
SHOWN void *calloc(size_t count, size_t n) { return fails(n) ? NULL : __libc_calloc(count, n); }
SHOWN void *realloc(void *block, size_t n) { return fails(n) ? NULL : __libc_realloc(block, n); }
#endif

/* ---- Files ----------------------------------------------------------------------------------- */

static void make_png(bytes *b)
{
    uint8_t row[16 * 3] = {1, 2, 3};
    make_file();
    FILE *file = fopen(file_path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    ck_assert_int_eq(setjmp(png_jmpbuf(png)), 0);
    png_init_io(png, file);
    png_set_IHDR(png, info, 16, 4, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_ADAM7, PNG_COMPRESSION_TYPE_BASE,
                 PNG_FILTER_TYPE_BASE);
    png_write_info(png, info);
    int passes = png_set_interlace_handling(png);
    for (int y = 0; y < 4 * passes; y++) {
        png_write_row(png, row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    (void)fclose(file);
    load_file(b);
    (void)unlink(file_path);
}

static void make_tiff(bytes *b, int compression)
{
    const layout l = {"w", 8, 1, 0, PLANARCONFIG_CONTIG, 0, PHOTOMETRIC_MINISBLACK, (unsigned)compression};
    uint8_t row[64] = {1, 2, 3};

    make_file();
    TIFF *tiff = open_layout(file_path, &l, 64, 4);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 2);
    for (uint32_t y = 0; y < 4; y++) {
        ck_assert_int_eq(TIFFWriteScanline(tiff, row, y, 0), 1);
    }
    TIFFClose(tiff);
    load_file(b);
    (void)unlink(file_path);
}

static void make_bmp(bytes *b)
{
    start_bmp(b, 2, 1, 24, 0, 0);
    put(b, "abcdef\0\0", 8);
}

static void make_dpx(bytes *b)
{
    start_dpx(b, 1, 4, 1, 50, 8, 0);
    put(b, "abcdefghijkl", 12);
}

static void make_text(bytes *b, const char *text)
{
    b->count = 0;
    put(b, text, strlen(text));
}

enum { PNG, LZW, DEFLATE, PLAIN, BMP, DPX, PNM, PAM, PGX, KINDS };

static const char *make_picture(bytes *b, int kind)
{
    static const char *const names[KINDS] = {"a.png", "a.tif", "a.tif", "a.tif", "a.bmp",
                                             "a.dpx", "a.ppm", "a.pam", "a.pgx"};
    switch (kind) {
    case PNG: make_png(b); break;
    case LZW: make_tiff(b, COMPRESSION_LZW); break;
    case DEFLATE: make_tiff(b, COMPRESSION_ADOBE_DEFLATE); break;
    case PLAIN: make_tiff(b, COMPRESSION_NONE); break;
    case BMP: make_bmp(b); break;
    case DPX: make_dpx(b); break;
    case PNM: make_text(b, "P6\n2 1\n255\nabcdef"); break;
    case PAM: make_text(b, "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\nabcdef"); break;
    default: make_text(b, "PG ML 8 2 1\nab"); break;
    }
    return names[kind];
}

/* ---- Tests ----------------------------------------------------------------------------------- */

enum { DONE, SHORT_OF_MEMORY, WRONG, CRASHED };

/* Reads the file with one allocation that fails, or with so much memory, in a process of its own. */
static int read_with_failure(const bytes *b, const char *name, long at, size_t memory)
{
    int status;
    (void)fflush(stdout);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        wvl_io_picture p;
        char error[256] = "";
        fail_at = at;
        left = memory;
        int result = wvl_io_read_memory(b->at, b->count, name, NULL, &p, error, sizeof error);
        fail_at = 0;
        left = SIZE_MAX;
        if (result == WVL_IO_OK) {
            _exit(DONE);
        }
        if (result != WVL_IO_ERROR_MEMORY || !error[0]) {
            fprintf(stderr, "allocation %ld of %s: %d, \"%s\"\n", at, name, result, error);
        }
        _exit(result == WVL_IO_ERROR_MEMORY && error[0] ? SHORT_OF_MEMORY : WRONG);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : CRASHED;
}

/* Whichever allocation fails, the reason is memory and not the file. libtiff 4.5 does not survive a few of them. */
TEST_EACH(failed_allocations_are_memory_errors, CAN_FAIL ? KINDS : 0)
{
    wvl_io_picture p;
    char error[256];
    bytes b = {.count = 0};
    const char *name = make_picture(&b, _i);
    int counts[4] = {0}, is_tiff = _i == LZW || _i == DEFLATE || _i == PLAIN;
    calls = 0;
    fail_at = LONG_MAX;
    ck_assert_int_eq(wvl_io_read_memory(b.at, b.count, name, NULL, &p, error, sizeof error), WVL_IO_OK);
    fail_at = 0;
    wvl_io_release_picture(&p);
    long total = calls;
    calls = 0;
    for (long at = 1; at <= total; at++) {
        counts[read_with_failure(&b, name, at, SIZE_MAX)]++;
    }
    ck_assert_int_eq(counts[WRONG], 0);
    ck_assert_int_le(counts[CRASHED], is_tiff ? (int)total / 3 : 0);
    ck_assert_msg(counts[SHORT_OF_MEMORY] > (is_tiff ? 5 : 1), "%d of %ld", counts[SHORT_OF_MEMORY], total);
}

/* Where memory as a whole is short, libtiff is not begun with what it does not survive. */
TEST_RANGE(little_memory, LZW, CAN_FAIL ? PLAIN + 1 : LZW)
{
    bytes b = {.count = 0};
    const char *name = make_picture(&b, _i);
    int counts[4] = {0};
    for (size_t memory = 0; memory < 200000; memory += 251) {
        counts[read_with_failure(&b, name, 0, memory)]++;
    }
    ck_assert_int_eq(counts[CRASHED], 0);
    ck_assert_int_eq(counts[WRONG], 0);
    ck_assert_int_gt(counts[SHORT_OF_MEMORY], 0);
}

/* More than the machine has is not even asked for. */
TEST(impossible_memory)
{
    static const char head[] = "P5 67108864 134217728 65535\n";
    wvl_io_options o = {.max_samples = UINT64_MAX, .max_input_bytes = UINT64_MAX};
    wvl_io_picture p;
    char error[256] = "";
    feed(head, sizeof head - 1);
    ck_assert_int_eq(wvl_io_read_picture("-", &o, &p, error, sizeof error), WVL_IO_ERROR_MEMORY);
    ck_assert_ptr_nonnull(strstr(error, "not enough memory for 18014398509481984 bytes"));
}

/* A second picture would be lost without a word; other bytes mean nothing. */
TEST_EACH(what_follows, KINDS)
{
    static const int is_refused[KINDS] = {1, 0, 0, 0, 1, 1, 1, 1, 1}, is_noted[KINDS] = {0, 0, 0, 0, 0, 0, 1, 1, 1};
    wvl_io_options all = {.ignore_rest = 1};
    wvl_io_picture p;
    bytes b = {.count = 0}, one;
    const char *name = make_picture(&b, _i);
    read_bytes(&p, b.at, b.count, name, NULL);
    ck_assert_str_eq(p.note, "");
    wvl_io_release_picture(&p);
    one = b;
    put(&b, one.at, one.count);
    if (is_refused[_i]) {
        refuse_bytes(b.at, b.count, name, NULL, "only one picture per input is read");
        read_bytes(&p, b.at, b.count, name, &all);
    } else {
        read_bytes(&p, b.at, b.count, name, NULL);
    }
    wvl_io_release_picture(&p);
    b = one;
    put(&b, "BMtrailing bytes", 16);
    read_bytes(&p, b.at, b.count, name, NULL);
    ck_assert_msg(!strstr(p.note, "after the picture") == !is_noted[_i], "%s: \"%s\"", name, p.note);
    wvl_io_release_picture(&p);
}

/* The last line of a DPX file may be padded to whole words, or not. */
TEST(padding_before_what_follows)
{
    bytes b, one;
    start_dpx(&one, 1, 2, 1, 50, 8, 0);
    put(&one, "abcdef\0\0", 8);
    b.count = 0;
    put(&b, one.at, one.count);
    put(&b, one.at, one.count);
    refuse_bytes(b.at, b.count, "a.dpx", NULL, "only one picture per input is read");
}

/* No more is taken from a pipe than the limit, and the limit itself suffices. */
TEST_EACH(limited_pipes, KINDS)
{
    wvl_io_options o = {0};
    wvl_io_picture p;
    char error[256];
    bytes b = {.count = 0};
    (void)make_picture(&b, _i);
    for (int short_by = 0; short_by < 2; short_by++) {
        int is_enough = !short_by;
        error[0] = '\0';
        feed(b.at, b.count);
        o.max_input_bytes = b.count - (size_t)short_by;
        int result = wvl_io_read_picture("-", &o, &p, error, sizeof error);
        ck_assert_msg(result == (is_enough ? WVL_IO_OK : WVL_IO_ERROR_INPUT), "%d: %s", result, error);
        ck_assert_msg(is_enough || strstr(error, "--max-input-bytes"), "%s", error);
        wvl_io_release_picture(&p);
    }
}

/* A pipe that begins like a picture and never ends: reading stops where the directory says that the picture does. */
TEST_RANGE(endless_tiff, LZW, PLAIN + 1)
{
    wvl_io_options o = {.max_input_bytes = 300000};
    wvl_io_picture p;
    char error[256] = "";
    bytes b = {.count = 0};
    uint8_t rest[4096] = {0};
    int ends[2];
    (void)make_picture(&b, _i);
    ck_assert_int_eq(pipe(ends), 0);
    pid_t writer = fork();
    ck_assert_int_ge(writer, 0);
    if (!writer) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)close(ends[0]);
        for (ssize_t n = write(ends[1], b.at, b.count); n > 0;) {
            n = write(ends[1], rest, sizeof rest);
        }
        _exit(0);
    }
    (void)close(ends[1]);
    ck_assert_int_ge(dup2(ends[0], STDIN_FILENO), 0);
    (void)close(ends[0]);
    int result = wvl_io_read_picture("-", &o, &p, error, sizeof error);
    (void)kill(writer, SIGKILL);
    ck_assert_msg(result == WVL_IO_OK, "%s", error);
    ck_assert_uint_eq(p.width, 64);
    wvl_io_release_picture(&p);
}

/* A chunk that says to have 1.75 GiB, before the pixels and behind them: that memory is not asked for. */
TEST_EACH(endless_chunk, 2)
{
    static const uint8_t head[] = {0x70, 0, 0, 0, 'i', 'T', 'X', 't', 'a', 0, 0, 0};
    wvl_io_picture p;
    char error[256] = "";
    bytes whole = {.count = 0}, b = {.count = 0};
    make_png(&whole);
    size_t at = _i ? whole.count - 12 : 33; /* IEND; behind IHDR */
    put(&b, whole.at, at);
    put(&b, head, sizeof head);
    put(&b, whole.at + at, whole.count - at);
    greatest = 0;
    refuse_bytes(b.at, b.count, "a.png", NULL, "truncated");
    feed(b.at, b.count);
    ck_assert_int_eq(wvl_io_read_picture("-", NULL, &p, error, sizeof error), WVL_IO_ERROR_INPUT);
    ck_assert_msg(strstr(error, "more than 64 MiB") != NULL, "%s", error);
    ck_assert_uint_lt(greatest, 16u << 20);
}

TEST_MAIN("imageio_limits")
