/* SPDX-License-Identifier: BSD-2-Clause */
#include "device_timer.h"

#include "tests/support/planned.h"

static const struct {
    const char *name, *text;
    void (*run)(const timer *t);
} subjects[] = {
    {"ht", "kernels of the HT block coder: samples of a lossless 5/3 transform to bytes", timer_run_ht},
    {"mq", "kernels of the MQ coder: lists of symbols to bytes", timer_run_mq},
    {"t1", "kernels of EBCOT blocks: samples to bytes and slopes of passes", timer_run_t1},
    {"packets", "kernels of packets, and copies of as many bytes", timer_run_packets},
    {"pictures", "whole pictures in flight through the backend; with clock=1 each launch of one picture",
     timer_run_pictures},
    {"strips", "a picture larger than the memory a device may take: copies, the device, both, whole encodes",
     timer_run_strips},
};
#define SUBJECTS (sizeof subjects / sizeof *subjects)

/* Options with a number. */
static const struct {
    const char *name, *text;
    size_t at;
    uint32_t most;
} numbers[] = {
    {"--runs", "timed runs, medians are printed (ht 15, mq and t1 9, packets 21; strips: the best of 3)",
     offsetof(timer, runs), TIMER_MOST_RUNS},
    {"--frames", "most pictures in one launch (ht and packets 8, mq and t1 32)", offsetof(timer, frames), 1024},
    {"--lanes", "mq: blocks of a warp (as the library chooses)", offsetof(timer, lanes), 32},
    {"--seconds", "pictures: of each configuration (1)", offsetof(timer, seconds), 3600},
};
#define NUMBERS (sizeof numbers / sizeof *numbers)

static const char *const details[] = {
    "  --set KEY=VALUE   parameter of packets, pictures and strips; may be repeated; preset=NAME stands for its list\n"
    "  --code FILE       device code to be measured instead of the build's (ht, mq, t1, packets, pictures)\n"
    "\n"
    "PICTURE: a path that begins with / or ., a file of the folder WVL_TEST_PICTURES, FILE@BITS (its highest bits),\n"
    "FILE@BITSx2 (four of these side by side) or noise:WIDTHxHEIGHTxDEPTH. ht, mq, t1: three components; t1: 8 bits.\n"
    "pictures: also ones:WIDTHxHEIGHTxDEPTHxPLANE, whose coefficients are all -2^PLANE: MagSgn of HT is all ones\n"
    "(with reversible=yes, mct=no). strips: WIDTHxHEIGHTxCOMPONENTS, drawn.\n",
    "\n"
    "CONFIGURATION of pictures: NAME=NUMBER,... of workspaces (8), ring (8), memory (0 host, 1 pinned, 2 device: 2),\n"
    "writers, graphs (0, 1: 1), warps (of the HT kernel), output (1: device memory), direct (1: kernels write to\n"
    "pinned memory), streams, copies (streams of either kind that workspaces share), full (1: all passes of EBCOT "
    "blocks\n"
    "are coded), clock (1: one picture at a time, without graphs, with times of its launches), rounds (of rate\n"
    "control, at most), carve (per cent of shared memory that kernels prefer), lanes (of a warp of the MQ coder that\n"
    "have a block), thin (warps in front that have so few; 0: all), pace (of EBCOT blocks, 1: many in flight, 2: "
    "some,\n"
    "3: few; 0: by how many there are), deeper (thresholds that the first round of a target goes deeper), integers\n"
    "(1: the MQ coder of devices with slow doubles), multiprocessors (that streams have, at least; without graphs).\n"
    "\n"
    "Each result is compared with the CPU's first. pictures and strips also run on the software device of the suites.\n"
    "Exit status: 0, 1 (no device, or a failure), 2 (usage).\n",
    NULL};

static int print_help(FILE *out)
{
    fprintf(out, "usage: device_timer SUBJECT PICTURE [options] [CONFIGURATION...]\n\nTimes of kernels and jobs on the "
                 "first CUDA device, by events.\n\n");
    for (unsigned i = 0; i < SUBJECTS; i++) {
        fprintf(out, "  %-9s %s\n", subjects[i].name, subjects[i].text);
    }
    fprintf(out, "\n");
    for (unsigned i = 0; i < NUMBERS; i++) {
        fprintf(out, "  %-9s N       %s\n", numbers[i].name, numbers[i].text);
    }
    for (unsigned i = 0; details[i]; i++) {
        fputs(details[i], out);
    }
    return out == stdout ? 0 : 2;
}

void timer_fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    exit(1);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Samples keep their highest `depth` bits. */
static void drop_bits(picture_plane *plane, unsigned depth)
{
    size_t count = (size_t)plane->width * plane->height;
    unsigned less = depth && depth < plane->depth ? plane->depth - depth : 0;
    for (size_t i = 0; i < count; i++) {
        plane->samples[i] >>= less;
    }
    plane->depth -= less;
}

/* Four times the plane, two by two. */
static void repeat_plane(picture_plane *p)
{
    uint32_t width = 2 * p->width, height = 2 * p->height;
    int32_t *samples = malloc((size_t)width * height * sizeof *samples);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            samples[(size_t)y * width + x] = p->samples[(size_t)(y % p->height) * p->width + x % p->width];
        }
    }
    free(p->samples);
    p->samples = samples;
    p->width = width;
    p->height = height;
}

picture timer_load(const char *name)
{
    picture p;
    char file[1024];
    unsigned width, height, depth;
    const char *at = strrchr(name, '@');
    if (sscanf(name, "noise:%ux%ux%u", &width, &height, &depth) == 3) {
        return picture_draw(PICTURE_NOISE, width, height, 3, depth, 1);
    }
    snprintf(file, sizeof file, "%.*s", at ? (int)(at - name) : (int)strlen(name), name);
    if (!picture_load(file, NULL, &p)) {
        timer_fail("%s: no such picture. Give a path that begins with / or ., or a file of the folder "
                   "WVL_TEST_PICTURES",
                   file);
    }
    int is_doubled = at && strchr(at, 'x');
    for (uint32_t c = 0; at && c < p.count; c++) {
        drop_bits(&p.planes[c], (unsigned)atoi(at + 1));
        if (is_doubled) {
            repeat_plane(&p.planes[c]);
        }
    }
    if (is_doubled) { /* the origin is 0 */
        p.x1 *= 2;
        p.y1 *= 2;
    }
    return p;
}

/* ---- Options --------------------------------------------------------------------------------- */

static const char *find_preset(const char *name)
{
    size_t count;
    const wvl_preset *all = wvl_presets(&count);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(all[i].name, name)) {
            return all[i].settings;
        }
    }
    timer_fail("%s: no such preset", name);
}

static void add_setting(timer *t, const char *text)
{
    static char all[2048];
    size_t used = strlen(all);
    int is_preset = !strncmp(text, "preset=", 7);
    snprintf(all + used, sizeof all - used, "%s%s", used ? " " : "", is_preset ? find_preset(text + 7) : text);
    t->settings = all;
}

/* 0: not an option with a value. */
static int take_option(timer *t, const char *name, const char *value)
{
    char *end;
    for (unsigned i = 0; i < NUMBERS; i++) {
        unsigned long number = strtoul(value, &end, 10);
        if (!strcmp(name, numbers[i].name)) {
            if (*end || !number || number > numbers[i].most) {
                timer_fail("%s %s: not a number from 1 to %u", name, value, numbers[i].most);
            }
            *(uint32_t *)(void *)((char *)t + numbers[i].at) = (uint32_t)number;
            return 1;
        }
    }
    if (!strcmp(name, "--set")) {
        add_setting(t, value);
        return 1;
    }
    return !strcmp(name, "--code") && !setenv("WVL_CUDA_TWIN_IMAGE", value, 1);
}

int main(int argc, char **argv)
{
    timer t = {.settings = "", .configurations = argv};
    void (*run)(const timer *) = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            return print_help(stdout);
        }
    }
    for (unsigned i = 0; argc > 1 && i < SUBJECTS; i++) {
        run = !strcmp(argv[1], subjects[i].name) ? subjects[i].run : run;
    }
    for (int i = 2; i < argc; i++) {
        if (argv[i][0] == '-') {
            if (i + 1 == argc || !take_option(&t, argv[i], argv[i + 1])) {
                fprintf(stderr, "device_timer: %s: no such option, or no value after it\n", argv[i]);
                return print_help(stderr);
            }
            i++;
        } else if (!t.picture) {
            t.picture = argv[i];
        } else {
            t.configurations[t.configuration_count++] = argv[i];
        }
    }
    if (!run || !t.picture) {
        return print_help(stderr);
    }
    run(&t);
    return 0;
}
