/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames that come one behind the other: YUV4MPEG2, raw frames. And pipes that take their time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sequence.h"

#define BUFFER_BYTES 65536u
#define LINE_CHARS 512u
#define SLICE_MS 100 /* how long an interruption may go unseen */
#define MOST_LATE_MS UINT64_C(1000000000)
#define Y4M_MAGIC "YUV4MPEG2"

struct wvl_cli_stream {
    int fd;
    const char *name;
    uint32_t timeout_s;
    int is_y4m, has_video_range;
    char geometry[64]; /* of YUV4MPEG2, as -F takes it */
    const char *raw_geometry;
    uint32_t frames, seconds; /* 0: not said */
    uint64_t frame_bytes;
    size_t at, held; /* in buffer */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t next_place, next_number; /* guarded by the lock, as all that is read */
    wvl_cli_arrival state;
    uint8_t buffer[BUFFER_BYTES];
};

/* ---- Descriptors that may be silent ---------------------------------------------------------- */

/* Some bytes, as read() does; 0 at the end, -1 with errno; ETIMEDOUT and EINTR are ours. */
static ssize_t read_some(int fd, void *data, size_t bytes, double deadline)
{
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        double left = deadline > 0 ? (deadline - wvl_cli_seconds()) * 1000.0 : (double)MOST_LATE_MS;
        if (wvl_cli_was_interrupted() || left <= 0) {
            errno = left <= 0 ? ETIMEDOUT : EINTR;
            return -1;
        }
        int count = poll(&ready, 1, left < SLICE_MS ? (int)left + 1 : SLICE_MS);
        ssize_t got = count > 0 ? read(fd, data, bytes) : -1;
        if (got >= 0 || (count > 0 && errno != EINTR && errno != EAGAIN)) {
            return got;
        }
    }
}

static double deadline_of(uint32_t timeout_s) { return timeout_s ? wvl_cli_seconds() + timeout_s : 0; }

/* ---- Streams --------------------------------------------------------------------------------- */

static int fill(wvl_cli_stream *s, double deadline)
{
    ssize_t got = read_some(s->fd, s->buffer, sizeof s->buffer, deadline);
    s->at = 0;
    s->held = got > 0 ? (size_t)got : 0;
    return got > 0 ? 1 : (int)got;
}

/* How many of the bytes there were; fewer at the end or, with *failed, after an error (errno). */
static size_t read_bytes(wvl_cli_stream *s, uint8_t *data, size_t bytes, double deadline, int *failed)
{
    size_t done = 0;
    *failed = 0;
    while (done < bytes) {
        size_t part = s->held - s->at < bytes - done ? s->held - s->at : bytes - done;
        if (part) {
            memcpy(data + done, s->buffer + s->at, part);
            s->at += part;
            done += part;
            continue;
        }
        int is_direct = bytes - done >= BUFFER_BYTES;
        ssize_t got = is_direct ? read_some(s->fd, data + done, bytes - done, deadline) : fill(s, deadline);
        if (got <= 0) {
            *failed = got < 0;
            break;
        }
        done += is_direct ? (size_t)got : 0;
    }
    return done;
}

/* A line without its end: 1; 0 at the end of the stream; -1: none, or too long a line, or an error. */
static int read_line(wvl_cli_stream *s, char *line, double deadline)
{
    int failed;
    for (size_t n = 0; n < LINE_CHARS; n++) {
        uint8_t byte;
        if (read_bytes(s, &byte, 1, deadline, &failed) != 1) {
            errno = failed ? errno : 0;
            return failed || n ? -1 : 0;
        }
        line[n] = (char)byte;
        if (byte == '\n') {
            line[n] = '\0';
            return 1;
        }
    }
    errno = 0;
    return -1;
}

/* ---- YUV4MPEG2 ------------------------------------------------------------------------------- */

/* Samples of a colour space: its name begins with `name`, and behind it may stand p10, p12 and the like. */
static const struct {
    const char *name, *steps;
    unsigned components;
} spaces[] = {
    {"mono", "1x1", 1},        {"420", "1x1:2x2:2x2", 3}, {"422", "1x1:2x1:2x1", 3}, {"444alpha", "1x1:1x1:1x1:1x1", 4},
    {"444", "1x1:1x1:1x1", 3}, {"440", "1x1:1x2:1x2", 3}, {"411", "1x1:4x1:4x1", 3}, {"410", "1x1:4x4:4x4", 3}};

/* Bits of a sample that the rest of a colour space's name says; 0: it is not known. */
static unsigned depth_of(const char *rest)
{
    if (!rest[0] || wvl_cli_is_among(rest, "jpeg mpeg2 paldv")) {
        return 8;
    }
    uint64_t bits;
    return wvl_cli_parse_number(rest + (rest[0] == 'p'), 9, 16, &bits) ? (unsigned)bits : 0;
}

static int describe_space(wvl_cli_stream *s, const char *space, unsigned width, unsigned height)
{
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        size_t n = strlen(spaces[i].name);
        unsigned depth = !strncmp(space, spaces[i].name, n) ? depth_of(space + n) : 0;
        if (depth) {
            snprintf(s->geometry, sizeof s->geometry, "%u,%u,%u,%u,u@%s", width, height, spaces[i].components, depth,
                     spaces[i].steps);
            return WVL_EXIT_OK;
        }
    }
    return wvl_cli_fail(WVL_EXIT_INPUT, "%s: colour space C%.40s of YUV4MPEG2 is not known", s->name, space);
}

static void take_rate(wvl_cli_stream *s, const char *word)
{
    unsigned long frames, seconds;
    char *end;
    frames = strtoul(word, &end, 10);
    seconds = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
    if (!*end && frames && seconds && frames <= WVL_SEQUENCE_MOST_RATE && seconds <= WVL_SEQUENCE_MOST_RATE) {
        s->frames = (uint32_t)frames;
        s->seconds = (uint32_t)seconds;
    }
}

static int parse_header(wvl_cli_stream *s, char *line)
{
    uint64_t width = 0, height = 0;
    const char *space = "420";
    char *save = NULL;
    for (char *word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        switch (word[0]) {
        case 'W': (void)wvl_cli_parse_number(word + 1, 1, UINT32_MAX, &width); break;
        case 'H': (void)wvl_cli_parse_number(word + 1, 1, UINT32_MAX, &height); break;
        case 'C': space = word + 1; break;
        case 'F': take_rate(s, word + 1); break;
        case 'X': s->has_video_range |= !strcmp(word, "XCOLORRANGE=LIMITED"); break;
        case 'I':
            if (word[1] == 't' || word[1] == 'b' || word[1] == 'm') {
                wvl_cli_warn("%s: the frames are interlaced; each is encoded as one picture", s->name);
            }
            break;
        default: break;
        }
    }
    if (!width || !height) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: the header of YUV4MPEG2 has no width (W) or height (H)", s->name);
    }
    return describe_space(s, space, (unsigned)width, (unsigned)height);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static int refuse_header(const wvl_cli_stream *s, int failed)
{
    int is_late = failed && errno == ETIMEDOUT;
    const char *reason = failed ? strerror(errno) : "the header of YUV4MPEG2 is cut short or too long";
    return wvl_cli_fail(WVL_EXIT_INPUT, "%s: %s", s->name,
                        is_late ? "no header of YUV4MPEG2 arrived within the time of --timeout" : reason);
}

/* The first bytes say what it is. */
static int read_header(wvl_cli_stream *s)
{
    char line[LINE_CHARS];
    size_t n = strlen(Y4M_MAGIC);
    double deadline = deadline_of(s->timeout_s);
    if (s->raw_geometry) {
        return WVL_EXIT_OK;
    }
    int failed = 0;
    size_t got = read_bytes(s, (uint8_t *)line, n, deadline, &failed);
    if (failed) {
        return refuse_header(s, 1);
    }
    if (got < n || memcmp(line, Y4M_MAGIC, n) != 0) {
        return wvl_cli_fail(WVL_EXIT_INPUT,
                            "%s: neither YUV4MPEG2 nor raw frames; give the geometry of raw frames with -F", s->name);
    }
    errno = 0;
    if (read_line(s, line, deadline) != 1) {
        return refuse_header(s, errno != 0);
    }
    s->is_y4m = 1;
    return parse_header(s, line);
}

static int measure_frame(wvl_cli_stream *s, const wvl_cli_args *args)
{
    char error[256] = "";
    wvl_io_options io = args->io;
    wvl_cli_describe_stream(s, &io);
    int result = wvl_io_measure_raw(&io, &s->frame_bytes, error, sizeof error);
    if (result) {
        return wvl_cli_fail(result == WVL_IO_ERROR_MEMORY ? WVL_EXIT_DEVICE : WVL_EXIT_INPUT, "%s: %s", s->name, error);
    }
    return WVL_EXIT_OK;
}

int wvl_cli_open_stream(int fd, const char *name, const wvl_cli_sequence_options *options, wvl_cli_stream **stream)
{
    wvl_cli_stream *s = calloc(1, sizeof *s);
    *stream = s;
    if (!s) {
        wvl_cli_error("%s: out of memory", name);
        (void)close(fd);
        return WVL_EXIT_DEVICE;
    }
    s->fd = fd;
    s->name = name;
    s->timeout_s = options->timeout_s;
    s->raw_geometry = options->args.io.raw_format;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    int code = read_header(s);
    return code ? code : measure_frame(s, &options->args);
}

void wvl_cli_close_stream(wvl_cli_stream *s)
{
    if (s) {
        (void)close(s->fd);
        pthread_cond_destroy(&s->changed);
        pthread_mutex_destroy(&s->lock);
        free(s);
    }
}

void wvl_cli_describe_stream(const wvl_cli_stream *s, wvl_io_options *io)
{
    io->raw_format = s->is_y4m ? s->geometry : s->raw_geometry;
    io->raw_interleaved = s->is_y4m ? 0 : io->raw_interleaved;
    if (s->is_y4m) {
        io->format = "yuv"; /* planes, little-endian above 8 bits */
        io->raw_video_range = s->has_video_range;
    } else if (!io->format) {
        io->format = "raw";
    }
}

int wvl_cli_stream_rate(const wvl_cli_stream *s, uint32_t *frames, uint32_t *seconds)
{
    if (s->frames) {
        *frames = s->frames;
        *seconds = s->seconds;
    }
    return s->frames != 0;
}

uint64_t wvl_cli_stream_frame_bytes(const wvl_cli_stream *s) { return s->frame_bytes; }

int wvl_cli_stream_waits(const wvl_cli_stream *s)
{
    struct stat st;
    return fstat(s->fd, &st) || !S_ISREG(st.st_mode);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static wvl_cli_arrival fail_frame(const wvl_cli_stream *s, uint64_t number, int failed, uint64_t got)
{
    if (failed && errno == ETIMEDOUT) {
        wvl_cli_error("%s: frame %" PRIu64 " did not arrive within %" PRIu32 " s (--timeout): %" PRIu64 " of %" PRIu64
                      " bytes were received",
                      s->name, number, s->timeout_s, got, s->frame_bytes);
        return WVL_CLI_LATE;
    }
    if (failed) {
        wvl_cli_error("%s: frame %" PRIu64 ": %s", s->name, number, strerror(errno));
    } else {
        wvl_cli_error("%s: frame %" PRIu64 " is cut short: %" PRIu64 " of %" PRIu64 " bytes", s->name, number, got,
                      s->frame_bytes);
    }
    return WVL_CLI_BROKEN;
}

/* The line before a frame of YUV4MPEG2. */
static wvl_cli_arrival read_mark(wvl_cli_stream *s, uint64_t number, double deadline)
{
    char line[LINE_CHARS];
    errno = 0;
    int got = read_line(s, line, deadline);
    if (got == 0) {
        return WVL_CLI_ENDED;
    }
    if (got == 1 && strncmp(line, "FRAME", 5) != 0) {
        wvl_cli_error("%s: frame %" PRIu64 " does not begin with the word FRAME", s->name, number);
        return WVL_CLI_BROKEN;
    }
    return got == 1 ? WVL_CLI_ARRIVED : fail_frame(s, number, errno != 0, 0);
}

static wvl_cli_arrival read_next(wvl_cli_stream *s, uint64_t number, wvl_cli_bytes *bytes)
{
    int failed;
    double deadline = deadline_of(s->timeout_s);
    wvl_cli_arrival state = s->is_y4m ? read_mark(s, number, deadline) : WVL_CLI_ARRIVED;
    if (state != WVL_CLI_ARRIVED) {
        return state;
    }
    if (!bytes || !wvl_cli_enlarge_buffer(bytes, (size_t)s->frame_bytes)) {
        wvl_cli_error("%s: frame %" PRIu64 ": not enough memory for %" PRIu64 " bytes", s->name, number,
                      s->frame_bytes);
        return WVL_CLI_NO_ROOM;
    }
    bytes->used = read_bytes(s, bytes->data, (size_t)s->frame_bytes, deadline, &failed);
    if (bytes->used == s->frame_bytes) {
        return WVL_CLI_ARRIVED;
    }
    return !failed && !bytes->used && !s->is_y4m ? WVL_CLI_ENDED : fail_frame(s, number, failed, bytes->used);
}

wvl_cli_arrival wvl_cli_read_frame(wvl_cli_stream *s, uint64_t place, uint64_t number, wvl_cli_bytes *bytes)
{
    pthread_mutex_lock(&s->lock);
    while (s->next_place != place) {
        pthread_cond_wait(&s->changed, &s->lock);
    }
    wvl_cli_arrival state = s->state;
    while (state == WVL_CLI_ARRIVED && s->next_number <= number) { /* those between are not asked for */
        state = read_next(s, s->next_number, bytes);
        s->next_number++;
    }
    s->state = state == WVL_CLI_ARRIVED ? state : WVL_CLI_ENDED;
    s->next_place++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return state;
}

/* ---- Pipes and devices ----------------------------------------------------------------------- */

static int fail_pipe(const char *path, uint32_t timeout_s)
{
    if (errno == ETIMEDOUT) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: did not end within %" PRIu32 " s (--timeout)", path, timeout_s);
    }
    return wvl_cli_fail(wvl_cli_was_interrupted() ? WVL_EXIT_INTERRUPTED : WVL_EXIT_INPUT, "%s: %s", path,
                        strerror(errno));
}

/* The first bytes of something that goes on behind them. */
static int check_beginning(const char *path, const wvl_io_options *io, const wvl_cli_bytes *bytes)
{
    char error[512] = "";
    int result = wvl_io_recognise(bytes->data, bytes->used, path, io, error, sizeof error);
    if (result) {
        wvl_cli_error("%s; the rest is not read", error);
    }
    return result ? WVL_EXIT_INPUT : WVL_EXIT_OK;
}

static int read_pipe(int fd, const char *path, uint32_t timeout_s, const wvl_io_options *io, wvl_cli_bytes *bytes)
{
    double deadline = deadline_of(timeout_s);
    uint64_t most = io->max_input_bytes ? io->max_input_bytes : WVL_IO_MAX_INPUT_BYTES;
    int is_checked = 0;
    for (ssize_t got = 1; got; bytes->used += (size_t)got) {
        if (bytes->used >= BUFFER_BYTES && !is_checked++ && check_beginning(path, io, bytes)) {
            return WVL_EXIT_INPUT;
        }
        if (bytes->used > most) {
            return wvl_cli_fail(WVL_EXIT_INPUT,
                                "%s: more than the limit of %" PRIu64
                                " bytes for a pipe or device; --max-input-bytes sets another",
                                path, most);
        }
        if (!wvl_cli_enlarge_buffer(bytes, bytes->used + BUFFER_BYTES)) {
            return wvl_cli_lack_memory(path);
        }
        got = read_some(fd, bytes->data + bytes->used, BUFFER_BYTES, deadline);
        if (got < 0) {
            return fail_pipe(path, timeout_s);
        }
    }
    return WVL_EXIT_OK;
}

/* Without O_NONBLOCK, open() would wait for a writer. */
int wvl_cli_read_in_time(const char *path, const wvl_cli_sequence_options *options, const wvl_io_options *io,
                         wvl_cli_bytes *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bytes->used = 0;
    if (fd < 0) {
        return fail_pipe(path, options->timeout_s);
    }
    int code = read_pipe(fd, path, options->timeout_s, io, bytes);
    (void)close(fd);
    return code;
}
