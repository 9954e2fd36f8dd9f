/* SPDX-License-Identifier: BSD-2-Clause */
/* The program as its host starts it. Bytes are those of the command; each end of either side is seen by the other one.
   test_seam PROGRAM COMMAND [TEST] */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

enum { FRAMES = 6, PRINTED = 4000 };

static const char *program, *command;
static char folder[] = "/tmp/dcpomatic_XXXXXX";

/* Other kinds are waves with noise. Frames of cinema's sizes are ramps, which take little time. */
enum { BLACK, RAMP = 9 };

/* Ends the case, which is a process. */
#define REQUIRE_THAT(condition, ...)                                                                                   \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s: ", __LINE__, #condition);                                                             \
            printf(__VA_ARGS__);                                                                                       \
            printf("\n");                                                                                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define REQUIRE(condition) REQUIRE_THAT(condition, "not true")

/* A text of printf, which stays until eight more are made. */
static const char *print_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *print_text(const char *format, ...)
{
    static char texts[8][1000];
    static unsigned next;
    char *text = texts[next++ % 8];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof *texts, format, arguments);
    va_end(arguments);
    return text;
}

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static uint16_t draw_sample(size_t x, size_t y, unsigned kind, uint32_t *state)
{
    if (kind == BLACK || kind == RAMP) {
        return (uint16_t)(kind == BLACK ? 0 : x / 2 + y / 2);
    }
    return (uint16_t)(700 + (x * (kind + 3) + y * 5) % 2900 + draw(state) % 90);
}

static uint16_t *draw_frame(unsigned width, unsigned height, unsigned kind)
{
    uint16_t *samples = malloc((size_t)width * height * 6);
    uint32_t state = 7 + kind;
    for (size_t i = 0; i < (size_t)width * height * 3; i++) {
        samples[i] = draw_sample(i / 3 % width, i / 3 / width, kind, &state);
    }
    return samples;
}

/* What the command makes of the frame; the caller frees it. */
static unsigned char *encode(const uint16_t *samples, unsigned width, unsigned height, const char *options,
                             size_t *bytes)
{
    const char *ppm = print_text("%s/frame.ppm", folder), *j2c = print_text("%s/frame.j2c", folder);
    FILE *file = fopen(ppm, "wb");
    REQUIRE(file);
    fprintf(file, "P6\n%u %u\n4095\n", width, height);
    for (size_t i = 0; i < (size_t)width * height * 3; i++) {
        (void)fputc(samples[i] >> 8, file);
        (void)fputc(samples[i] & 255, file);
    }
    REQUIRE(fclose(file) == 0);
    REQUIRE(system(print_text("%s -i %s -o %s %s --force >/dev/null 2>&1", command, ppm, j2c, options)) == 0);
    file = fopen(j2c, "rb");
    REQUIRE(file && fseek(file, 0, SEEK_END) == 0);
    *bytes = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*bytes);
    REQUIRE(fread(data, 1, *bytes, file) == *bytes);
    (void)fclose(file);
    return data;
}

/* A program that is ready for frames. */
static client begin(const char *size, const char *cinema, const char *rate)
{
    client c = {0};
    client_make(&c);
    client_start(&c, program, size, cinema, rate, 0);
    REQUIRE(client_begin(&c));
    return c;
}

static void expect_end(client *c, int status, const char *text)
{
    char printed[PRINTED];
    int found = client_wait(c, printed, sizeof printed);
    REQUIRE_THAT(found == status && strstr(printed, text), "ended with %d, and printed: %s", found, printed);
    REQUIRE_THAT(status == 0 || (strchr(printed, '\n') && !strchr(printed, '\n')[1]), "not one line: %s", printed);
}

/* Submits frames as slots allow, and compares each result with that of the command. */
static void pass_frames(client *c, uint16_t *const *frames, unsigned count, unsigned char *const *expected,
                        const size_t *bytes)
{
    unsigned sent = 0, seen = 0, got = 0;
    while (got < count) {
        while (sent < count && c->free_slots) {
            REQUIRE(client_submit(c, 100 + sent, frames[sent]));
            sent++;
        }
        result r;
        REQUIRE(client_take(c, &r));
        unsigned i = (unsigned)(r.id - 100);
        REQUIRE(i < count && !(seen & 1U << i) && r.slot < c->slots && r.bytes <= c->slot_bytes);
        seen |= 1U << i;
        REQUIRE_THAT(r.bytes == bytes[i] && !memcmp(c->results + r.slot * c->slot_bytes, expected[i], r.bytes),
                     "frame %u has other bytes (%zu) than the command's (%zu)", i, r.bytes, bytes[i]);
        REQUIRE(client_empty(c, r.slot));
        got++;
    }
}

typedef struct setting {
    const char *size, *cinema, *rate, *variable, *options;
    unsigned width, height, count;
    size_t cap;
} setting;

static void run_setting(const setting *s)
{
    uint16_t *frames[FRAMES];
    unsigned char *expected[FRAMES];
    size_t bytes[FRAMES];
    if (s->variable) {
        (void)setenv("WAVELANE_OPTIONS", s->variable, 1);
    }
    client c = begin(s->size, s->cinema, s->rate);
    REQUIRE_THAT(c.slot_bytes == s->cap, "a frame has at most %zu bytes, not %zu", c.slot_bytes, s->cap);
    for (unsigned i = 0; i < s->count; i++) {
        frames[i] = draw_frame(s->width, s->height, s->count > 1 ? i : RAMP);
        expected[i] = encode(frames[i], s->width, s->height, s->options, &bytes[i]);
        REQUIRE(bytes[i] <= s->cap);
    }
    pass_frames(&c, frames, s->count, expected, bytes);
    REQUIRE(client_say(&c, print_text("GRK_MSGR_BATCH_FLUSH,%u", s->count)));
    REQUIRE(client_say(&c, "GRK_MSGR_BATCH_SHUTDOWN"));
    expect_end(&c, 0, "");
    for (unsigned i = 0; i < s->count; i++) {
        free(frames[i]);
        free(expected[i]);
    }
}

static const setting settings[] = {
    {"320,320,180", "-cinema2K", "24,3840000", NULL, "--preset dci-2k-24 --max-bytes 20000", 320, 180, FRAMES, 20000},
    {"320,960,180", "-cinema2K", "25,250000000", NULL, "--preset dci-2k-25", 320, 180, 2, 1250000},
    {"320,1920,180", "-cinema2K", "15,2400000", NULL, "--preset dci-2k-24 --max-bytes 20000", 320, 180, 2, 20000},
    {"320,320,180", "-cinema2K", "24,7680000", "stereo=yes", "--preset dci-2k-24-3d --max-bytes 20000", 320, 180, 2,
     20000},
    {"320,320,180", "-cinema4K", "30,6000000", NULL, "--preset dci-4k-30 --max-bytes 25000", 320, 180, 2, 25000},
    {"320,320,180", "-cinema2K", "48,500000000", NULL, "--preset dci-2k-48-hfr", 320, 180, 2, 1302083},
    {"320,320,180", "-cinema2K", "15,250000000", NULL, "--preset dci-2k-24", 320, 180, 2, 1302083},
    {"2048,2048,1080", "-cinema2K", "24,100000000", NULL, "--preset dci-2k-24 --max-bytes 520833", 2048, 1080, 1,
     520833},
    {"4096,4096,2160", "-cinema4K", "24,100000000", NULL, "--preset dci-4k-24 --max-bytes 520833", 4096, 2160, 1,
     520833},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void test_same_bytes(int index) { run_setting(&settings[index]); }

/* The program was started first; it makes everything, and takes it away. */
static void test_server_makes(int index)
{
    (void)index;
    client c = {0};
    client_start(&c, program, "64,64,64", "-cinema2K", "24,100000000", 0);
    REQUIRE(client_begin(&c));
    REQUIRE(client_say(&c, "GRK_MSGR_BATCH_SHUTDOWN"));
    expect_end(&c, 0, "");
    REQUIRE(shm_open("Global\\grok_compressed_buf", O_RDWR, 0) < 0);
    REQUIRE(shm_open("Global\\client_to_grok_message", O_RDWR, 0) < 0);
}

/* FLUSH and SHUTDOWN at once: all results come, also if the client empties its slots late. SHUTDOWN alone: none. */
static void test_goodbye(int index)
{
    client c = begin("320,320,180", "-cinema2K", "24,3840000");
    uint16_t *frame = draw_frame(320, 180, 2);
    result r;
    for (unsigned i = 0; i < c.slots; i++) {
        REQUIRE(client_submit(&c, i, frame));
    }
    REQUIRE(index || client_say(&c, "GRK_MSGR_BATCH_FLUSH,3"));
    REQUIRE(client_say(&c, "GRK_MSGR_BATCH_SHUTDOWN"));
    unsigned got = 0;
    while (client_take(&c, &r)) {
        got++;
    }
    REQUIRE(index ? got <= c.slots : got == c.slots);
    expect_end(&c, 0, "");
    free(frame);
}

/* A sample above 12 bits: the client encodes this frame, and the others come. An unknown text is passed over. */
static void test_wrong_frame(int index)
{
    (void)index;
    client c = begin("320,320,180", "-cinema2K", "24,3840000");
    uint16_t *frame = draw_frame(320, 180, 2);
    result r;
    REQUIRE(client_say(&c, "GRK_MSGR_BATCH_SOMETHING,1"));
    for (unsigned i = 0; i < 2; i++) {
        frame[1000] = i ? 5 : 4096;
        REQUIRE(client_submit(&c, i, frame) && client_take(&c, &r) && r.id == i);
        REQUIRE(i ? r.bytes > 1000 : r.bytes == 0);
        REQUIRE(client_empty(&c, r.slot));
    }
    REQUIRE(client_say(&c, "GRK_MSGR_BATCH_SHUTDOWN"));
    expect_end(&c, 0, "frame 0 is left to the client");
    free(frame);
}

static const char *const wrong_texts[][2] = {
    {"GRK_MSGR_BATCH_SUBMIT_UNCOMPRESSED,7,1000", "frame 7: slot 1000 is not free"},
    {"GRK_MSGR_BATCH_PROCESSSED_COMPRESSED,1000", "slot that does not exist"},
};
static void test_wrong_slot(int index)
{
    client c = begin("64,64,64", "-cinema2K", "24,3840000");
    REQUIRE(client_say(&c, wrong_texts[index][0]));
    expect_end(&c, 1, wrong_texts[index][1]);
}

static const char *const small_memory[] = {"Global\\client_to_grok_message", "Global\\grok_uncompressed_buf",
                                           "Global\\grok_compressed_buf"};
static void test_small(int index)
{
    client c = {0};
    int file = shm_open(small_memory[index], O_RDWR | O_CREAT, 0600);
    REQUIRE(file >= 0 && ftruncate(file, 100) == 0);
    client_start(&c, program, "64,64,64", "-cinema2K", "24,100000000", 0);
    expect_end(&c, 1, print_text("shared memory \"%s\" has 100 bytes; ", small_memory[index]));
    (void)close(file);
}

/* The client took the frames' memory away before the first frame. */
static void test_missing(int index)
{
    (void)index;
    client c = begin("64,64,64", "-cinema2K", "24,100000000");
    uint16_t *frame = draw_frame(64, 64, 1);
    REQUIRE(shm_unlink("Global\\grok_uncompressed_buf") == 0);
    REQUIRE(client_submit(&c, 0, frame));
    expect_end(&c, 1, "No such file");
    free(frame);
}

static const char *const refused[][4] = {
    {"64,64,64", "-cinema8K", "24,100000000", "-cinema8K"},
    {"64,64,64", "-cinema2K", "0,100000000", "cinema rate"},
    {"64,64,64", "-cinema2K", "24", "cinema rate"},
    {"64,70,64", "-cinema2K", "24,100000000", "rows must be packed"},
    {"64,64", "-cinema2K", "24,100000000", "-batch_src"},
    {"64,64,64", "-cinema2K", "24,100", "bytes"},
};
static void test_wrong_arguments(int index)
{
    client c = {0};
    client_start(&c, program, refused[index][0], refused[index][1], refused[index][2], 0);
    expect_end(&c, 1, refused[index][3]);
}

/* Begins, submits frames, and ends at once, in a child. The program is then a child of this process. */
static client start_dying(int shell, const char *size, int how)
{
    int ends[2];
    client c = {0};
    REQUIRE(pipe(ends) == 0);
    client_make(&c);
    pid_t child = fork();
    if (!child) {
        uint16_t *frame = draw_frame(320, 180, 2);
        client_start(&c, program, size, "-cinema2K", "24,3840000", shell);
        (void)client_begin(&c);
        while (how && c.free_slots) {
            (void)client_submit(&c, 1, frame);
        }
        _exit(write(ends[1], &c, sizeof c) != sizeof c);
    }
    int status = 1;
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    REQUIRE(read(ends[0], &c, sizeof c) == sizeof c);
    return c;
}

/* How 0: while the program waits for frames; 1: while it has results that nobody takes. In both cases with a shell
   between and without. */
static void test_client_dies(int index)
{
    int status = 0, lost = 0;
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    client c = start_dying(index & 1, "320,320,180", index >> 1);
    for (int waited = 0; lost != -1; waited++) {
        REQUIRE_THAT(waited < 2000, "the program lives on");
        lost = waitpid(-1, &status, WNOHANG);
        REQUIRE(lost <= 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 1));
        (void)usleep(lost > 0 ? 0 : 10000);
    }
    REQUIRE(c.slots > 0);
}

/* The client sees the end by waitid(), cleans up and starts another one. */
static void test_server_dies(int index)
{
    (void)index;
    client c = begin("320,320,180", "-cinema2K", "24,3840000");
    uint16_t *frame = draw_frame(320, 180, 2);
    result r;
    char printed[PRINTED];
    REQUIRE(client_submit(&c, 1, frame));
    REQUIRE(kill(c.server, SIGKILL) == 0);
    while (client_take(&c, &r)) {
    }
    REQUIRE(client_wait(&c, printed, sizeof printed) == 128 + SIGKILL);
    client_clean();
    run_setting(&settings[2]);
    free(frame);
}

/* The host stops it by a signal: it ends, and takes away what it made. */
static void test_signal_ends(int index)
{
    (void)index;
    client c = {0};
    client_start(&c, program, "64,64,64", "-cinema2K", "24,100000000", 0);
    REQUIRE(client_begin(&c));
    REQUIRE(kill(c.server, SIGTERM) == 0);
    expect_end(&c, 0, "");
    REQUIRE(shm_open("Global\\grok_uncompressed_buf", O_RDWR, 0) < 0);
}

static const struct {
    const char *name;
    void (*run)(int index);
    int count;
} tests[] = {
    {"same_bytes", test_same_bytes, SETTINGS},
    {"server_makes", test_server_makes, 1},
    {"goodbye", test_goodbye, 2},
    {"wrong_frame", test_wrong_frame, 1},
    {"wrong_slot", test_wrong_slot, 2},
    {"small", test_small, 3},
    {"missing", test_missing, 1},
    {"wrong_arguments", test_wrong_arguments, sizeof refused / sizeof *refused},
    {"client_dies", test_client_dies, 4},
    {"server_dies", test_server_dies, 1},
    {"signal_ends", test_signal_ends, 1},
};

/* Each case is a process that begins without names; one that hangs is ended. */
static int run_case(size_t test, int index)
{
    int status = 1;
    client_clean();
    (void)fflush(stdout);
    pid_t child = fork();
    if (!child) {
        (void)alarm(120);
        tests[test].run(index);
        exit(0);
    }
    (void)waitpid(child, &status, 0);
    if (status) {
        printf("%s %d: wrong\n", tests[test].name, index);
    }
    return status != 0;
}

int main(int argc, char **argv)
{
    int wrong = 0, lock = open("/tmp/wavelane_dcpomatic.lock", O_RDWR | O_CREAT, 0666);
    if (argc < 3 || lock < 0 || flock(lock, LOCK_EX) || !mkdtemp(folder)) {
        printf("test_seam PROGRAM COMMAND; the names are the same for all runs on this machine\n");
        return 77;
    }
    program = argv[1];
    command = argv[2];
    for (size_t test = 0; test < sizeof tests / sizeof *tests; test++) {
        for (int index = 0; index < tests[test].count && (argc == 3 || !strcmp(argv[3], tests[test].name)); index++) {
            wrong += run_case(test, index);
        }
    }
    client_clean();
    (void)unlink(print_text("%s/frame.ppm", folder));
    (void)unlink(print_text("%s/frame.j2c", folder));
    (void)rmdir(folder);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
