/* SPDX-License-Identifier: BSD-2-Clause */
/* Which frames there are, and their files. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sequence.h"
#include "stream.h"
#include "tools/sequence/grow.h"

/* ---- A list ---------------------------------------------------------------------------------- */

static int add_name(wvl_cli_directory *d, const char *name, size_t length)
{
    wvl_cli_entry *entry = wvl_cli_add_entry(d);
    if (entry) {
        entry->input = strndup(name, length);
    }
    return entry && entry->input;
}

/* A name a line; empty lines do not count. */
static int read_list(const char *path, wvl_cli_directory *d)
{
    uint8_t *data = NULL;
    size_t bytes = 0;
    int code = wvl_cli_read_whole(path, WVL_CLI_BOX_BYTES, WVL_CLI_ANYTHING, &data, &bytes), room = 1;
    const char *at = (const char *)data;
    for (size_t left = bytes; !code && room && left;) {
        const char *end = memchr(at, '\n', left);
        size_t whole = end ? (size_t)(end - at) + 1 : left, length = whole - (end != NULL);
        length -= length && at[length - 1] == '\r';
        room = !length || add_name(d, at, length);
        at += whole;
        left -= whole;
    }
    free(data);
    if (!code && !room) {
        code = wvl_cli_lack_memory(path);
    }
    if (!code && !d->count) {
        code = wvl_cli_fail(WVL_EXIT_INPUT, "%s: the list is empty; write the name of a picture on each line", path);
    }
    return code;
}

/* Less, equal or greater, where numbers within names count as such: "f2" before "f10". */
static int by_number(const char *a, const char *b)
{
    while (*a && *b) {
        if (!isdigit((unsigned char)*a) || !isdigit((unsigned char)*b)) {
            if (*a != *b) {
                break;
            }
            a++, b++;
            continue;
        }
        a += strspn(a, "0");
        b += strspn(b, "0");
        size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
        if (n != m) {
            return n < m ? -1 : 1;
        }
        int order = memcmp(a, b, n);
        if (order) {
            return order;
        }
        a += n, b += m;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

/* Programs that wrap frames go by the bytes of their names too: nobody would see what is wrong before the film. */
static void warn_of_order(const wvl_cli_source *s)
{
    for (size_t i = 1; i < s->directory.count; i++) {
        const wvl_cli_entry *e = s->directory.entries + i;
        if (by_number(e[-1].input, e->input) > 0) {
            wvl_cli_warn("%s: frames are ordered by name, which puts %s before %s; pad the numbers to equal length, or "
                         "give a pattern",
                         s->name, strrchr(e[-1].input, '/') + 1, strrchr(e->input, '/') + 1);
            return;
        }
    }
}

static int list_folder(const wvl_cli_sequence_options *o, wvl_cli_source *s)
{
    const wvl_cli_folder folder = {.path = s->name, .recursive = o->args.recursive};
    int code = wvl_cli_list_directory(&folder, &s->directory);
    if (!code && !s->directory.count) {
        code = wvl_cli_fail(WVL_EXIT_INPUT, "%s: no picture in this folder", s->name);
    }
    if (!code) {
        warn_of_order(s);
    }
    return code;
}

/* ---- A file ---------------------------------------------------------------------------------- */

static int begins_as_y4m(int fd)
{
    char head[9];
    return pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head && !memcmp(head, "YUV4MPEG2", sizeof head);
}

void wvl_cli_choose_frame_page(const wvl_cli_source *s, uint64_t number, wvl_cli_args *args)
{
    if (s->kind == WVL_CLI_FROM_PAGES) {
        args->io.page = s->pages[number].page;
        args->io.sub_page = s->pages[number].sub;
        args->io.page_given = 1;
        args->page_of_many = 1;
    }
}

static int open_stream(const wvl_cli_sequence_options *o, wvl_cli_source *s, int fd, const char *name)
{
    s->kind = WVL_CLI_FROM_STREAM;
    if (o->args.io.max_input_bytes) {
        wvl_cli_error("sequence: --max-input-bytes does not apply to streams, which may have any length; --max-pixels "
                      "limits a frame");
        (void)close(fd);
        return WVL_EXIT_USAGE;
    }
    return wvl_cli_open_stream(fd, name, o, &s->stream);
}

/* A regular file is a stream by its first bytes or by -F; anything else but a folder is one by its kind. */
static int open_file(const wvl_cli_sequence_options *o, wvl_cli_source *s)
{
    struct stat st;
    int is_pipe = !stat(s->name, &st) && !S_ISREG(st.st_mode);
    int fd = open(s->name, O_RDONLY | O_CLOEXEC | (is_pipe ? O_NONBLOCK : 0));
    if (fd < 0) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: %s", s->name, strerror(errno));
    }
    if (is_pipe || o->args.io.raw_format || begins_as_y4m(fd)) {
        return open_stream(o, s, fd, s->name);
    }
    (void)close(fd);
    size_t count;
    int code = wvl_cli_list_full_pages(s->name, &o->args.io, &s->pages, &count);
    s->kind = WVL_CLI_FROM_PAGES;
    s->total = count;
    return code;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static int select_known(const wvl_cli_sequence_options *o, wvl_cli_source *s)
{
    uint64_t items = s->total;
    s->range = o->has_range ? o->range : (wvl_sequence_range){0, items - 1, 1};
    if (s->range.first >= items) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "%s: --frames begins at %" PRIu64 ", but the frames have numbers 0 to %" PRIu64, s->name,
                            s->range.first, items - 1);
    }
    s->range.last = s->range.last < items ? s->range.last : items - 1;
    s->total = wvl_sequence_range_count(&s->range);
    return WVL_EXIT_OK;
}

static int select_frames(const wvl_cli_sequence_options *o, wvl_cli_source *s)
{
    if (s->kind == WVL_CLI_FROM_PATTERN || s->kind == WVL_CLI_FROM_STREAM) {
        s->range = o->has_range ? o->range : (wvl_sequence_range){0, UINT64_MAX - 1, 1};
        int is_known = s->kind == WVL_CLI_FROM_PATTERN;
        s->total = is_known ? wvl_sequence_range_count(&s->range) : WVL_CLI_UNKNOWN_COUNT;
        return WVL_EXIT_OK;
    }
    return select_known(o, s);
}

static int cut_shard(const wvl_cli_sequence_options *o, wvl_cli_source *s)
{
    uint64_t end = s->total;
    if (o->shard_count && s->total == WVL_CLI_UNKNOWN_COUNT) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "--shard needs frames whose number is known; a stream is read once, from its beginning");
    }
    if (o->shard_count) {
        wvl_sequence_cut_shard(s->total, o->shard, o->shard_count, &s->begin, &end);
    }
    s->count = end == WVL_CLI_UNKNOWN_COUNT ? end : end - s->begin;
    return WVL_EXIT_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int open_kind(const wvl_cli_sequence_options *o, wvl_cli_source *s)
{
    struct stat st;
    unsigned digits;
    const char *rest;
    if (!strcmp(s->name, "-")) {
        int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
        if (fd < 0) {
            return wvl_cli_fail(WVL_EXIT_INPUT, "standard input: %s", strerror(errno));
        }
        return open_stream(o, s, fd, "standard input");
    }
    s->kind = WVL_CLI_FROM_LIST;
    if (s->name[0] == '@') {
        int code = read_list(s->name + 1, &s->directory);
        s->total = s->directory.count;
        return code;
    }
    if (!stat(s->name, &st)) {
        int code = S_ISDIR(st.st_mode) ? list_folder(o, s) : open_file(o, s);
        s->total = S_ISDIR(st.st_mode) ? s->directory.count : s->total;
        return code;
    }
    if (!wvl_sequence_find_number(s->name, &digits, &rest)) {
        return wvl_cli_fail(WVL_EXIT_INPUT,
                            "%s: %s; IN is a folder, a file, -, @LIST, or a name with %%d or %%06d in it", s->name,
                            strerror(errno));
    }
    s->kind = WVL_CLI_FROM_PATTERN;
    if (!o->has_range) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s: give the numbers of the frames with --frames FIRST-LAST", s->name);
    }
    return WVL_EXIT_OK;
}

int wvl_cli_open_source(const wvl_cli_sequence_options *options, wvl_cli_source *source)
{
    memset(source, 0, sizeof *source);
    source->name = options->words[0];
    int code = open_kind(options, source);
    if (!code && options->args.recursive && !source->directory.folders) {
        wvl_cli_warn("%s: --recursive had no effect; the folder has no subfolders", source->name);
    }
    TRY(code, select_frames(options, source));
    return code ? code : cut_shard(options, source);
}

void wvl_cli_close_source(wvl_cli_source *source)
{
    wvl_cli_close_stream(source->stream);
    wvl_cli_release_inputs(source);
    wvl_cli_release_directory(&source->directory);
    free(source->pages);
}

char *wvl_cli_name_input(const wvl_cli_source *source, uint64_t number)
{
    switch (source->kind) {
    case WVL_CLI_FROM_PATTERN: return wvl_sequence_name_frame(source->name, number);
    case WVL_CLI_FROM_LIST: return strdup(source->directory.entries[number].input);
    case WVL_CLI_FROM_PAGES: return strdup(source->name);
    default: return NULL;
    }
}

/* ---- Files that a run reads, in whose places it writes none ---------------------------------- */

#define MOST_LOOKS (UINT64_C(1) << 24) /* frames of a pattern that are looked for */

typedef struct file_id {
    dev_t device;
    ino_t inode;
} file_id;

struct wvl_cli_inputs {
    size_t count, capacity;
    int lacks_memory;
    file_id *files; /* sorted */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list of the source while it is made */

static int by_file(const void *a, const void *b)
{
    const file_id *x = a, *y = b;
    int order = (x->device > y->device) - (x->device < y->device);
    return order ? order : (x->inode > y->inode) - (x->inode < y->inode);
}

static void add_file(wvl_cli_inputs *list, const struct stat *st)
{
    file_id *files =
        S_ISREG(st->st_mode) ? wvl_sequence_grow(list->files, list->count, &list->capacity, sizeof *files) : NULL;
    if (files) {
        list->files = files;
        files[list->count++] = (file_id){st->st_dev, st->st_ino};
    }
    list->lacks_memory |= S_ISREG(st->st_mode) && !files;
}

static void add_path(wvl_cli_inputs *list, const char *path)
{
    struct stat st;
    if (path && !stat(path, &st)) {
        add_file(list, &st);
    }
}

static void add_all(wvl_cli_inputs *list, const wvl_cli_sequence_options *o, const wvl_cli_source *s)
{
    struct stat st;
    if (!strcmp(s->name, "-") && !fstat(STDIN_FILENO, &st)) {
        add_file(list, &st);
    }
    add_path(list, s->name);
    add_path(list, s->name[0] == '@' ? s->name + 1 : NULL);
    char *statistics = o->statistics ? wvl_cli_find_journal(o->statistics) : NULL;
    add_path(list, statistics);
    free(statistics);
    for (size_t i = 0; i < o->args.box_count; i++) {
        add_path(list, o->args.boxes[i].path);
    }
    for (size_t i = 0; i < s->directory.count; i++) {
        add_path(list, s->directory.entries[i].input);
    }
    if (s->kind == WVL_CLI_FROM_PATTERN) {
        /* The frames of a pattern, those of other shards too. */
        for (uint64_t n = 0; n < s->total && n < MOST_LOOKS && !list->lacks_memory; n++) {
            char *path = wvl_cli_name_input(s, s->range.first + n * s->range.step);
            list->lacks_memory |= !path;
            add_path(list, path);
            free(path);
        }
    }
}

static wvl_cli_inputs *make_list(const wvl_cli_sequence_options *o, const wvl_cli_source *s)
{
    wvl_cli_inputs *list = calloc(1, sizeof *list);
    if (!list) {
        return NULL;
    }
    add_all(list, o, s);
    if (list->lacks_memory) {
        free(list->files);
        free(list);
        return NULL;
    }
    if (list->count) {
        qsort(list->files, list->count, sizeof list->files[0], by_file);
    }
    return list;
}

int wvl_cli_spare_inputs(const wvl_cli_sequence_options *options, wvl_cli_source *source, const char *output)
{
    struct stat st;
    if (stat(output, &st) || !S_ISREG(st.st_mode)) {
        return WVL_EXIT_OK;
    }
    pthread_mutex_lock(&lock);
    source->inputs = source->inputs ? source->inputs : make_list(options, source);
    const wvl_cli_inputs *list = source->inputs;
    pthread_mutex_unlock(&lock);
    if (!list) {
        return wvl_cli_lack_memory(output);
    }
    const file_id key = {st.st_dev, st.st_ino};
    if (list->count && bsearch(&key, list->files, list->count, sizeof list->files[0], by_file)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: is an input; choose another name", output);
    }
    return WVL_EXIT_OK;
}

void wvl_cli_release_inputs(wvl_cli_source *source)
{
    if (source->inputs) {
        free(source->inputs->files);
    }
    free(source->inputs);
    source->inputs = NULL;
}
