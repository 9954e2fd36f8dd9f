/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of frames, or one file of all with an index, or standard output. */
#define _GNU_SOURCE /* fallocate */
#include "sequence_store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define TEMPORARY ".wvltmp" /* ends a temporary name as wvl_cli_remove_temporaries knows it */
#define CHECK_BYTES 65536u
#define TMPFS_TYPE 0x01021994 /* f_type of a file system that has its files in memory */

/* ---- Names ----------------------------------------------------------------------------------- */

static int classify_name(const wvl_cli_sequence_options *o, wvl_cli_store_kind *kind)
{
    const char *name = o->words[1], *slash = strrchr(name, '/'), *end;
    unsigned digits;
    struct stat st;
    size_t length = strlen(name);
    const char *number = wvl_sequence_find_number(slash ? slash + 1 : name, &digits, &end);
    int is_folder = (length && name[length - 1] == '/') || (!stat(name, &st) && S_ISDIR(st.st_mode));
    *kind = number ? WVL_CLI_TO_PATTERN : WVL_CLI_TO_FILE;
    *kind = is_folder ? WVL_CLI_TO_FOLDER : *kind;
    if (*kind == WVL_CLI_TO_PATTERN && memchr(name, '%', (size_t)((slash ? slash + 1 : name) - name))) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s: only the name of the file may contain a %%, not its folder", name);
    }
    int container = is_folder ? 0 : wvl_cli_container_of(name);
    if (container < 0 || (*kind == WVL_CLI_TO_FILE && container)) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "%s: OUT is a folder (it exists, or ends with /), a name with %%06d and an extension such "
                            "as .j2c, .jp2 or .jph, a file .j2c, .j2k, .jpc or .jhc for all codestreams, or -",
                            name);
    }
    return WVL_EXIT_OK;
}

int wvl_cli_classify_output(const wvl_cli_sequence_options *o, wvl_cli_store_kind *kind)
{
    int code = WVL_EXIT_OK;
    *kind = WVL_CLI_TO_STREAM;
    if (strcmp(o->words[1], "-") != 0) {
        code = classify_name(o, kind);
    }
    if (!code && o->args.out_format && *kind != WVL_CLI_TO_FOLDER) {
        code = wvl_cli_fail(WVL_EXIT_USAGE, "-OutFor needs a folder as OUT; the name %s gives the format", o->words[1]);
    }
    int has_files = *kind == WVL_CLI_TO_PATTERN || *kind == WVL_CLI_TO_FOLDER;
    if (!code && o->args.skip_existing && !has_files) {
        code = wvl_cli_fail(WVL_EXIT_USAGE, "--skip-existing needs a file for each frame");
    }
    if (!code && o->sizes_only && !has_files) {
        code = wvl_cli_fail(WVL_EXIT_USAGE,
                            "--sizes-only needs a file for each frame; the bytes of one file are always compared");
    }
    if (!code && o->shard_count && !has_files) {
        code = wvl_cli_fail(WVL_EXIT_USAGE, "--shard needs a file for each frame");
    }
    return code;
}

int wvl_cli_is_resumed(const wvl_cli_store *s) { return s->is_resumed; }

int wvl_cli_has_files(const wvl_cli_store *s) { return s->kind == WVL_CLI_TO_PATTERN || s->kind == WVL_CLI_TO_FOLDER; }

/* In a folder: the input's name with another extension; frames without a name of their own go by number. */
static char *name_in_folder(const wvl_cli_store *s, const char *input, uint64_t number)
{
    const char *between = wvl_cli_slash_behind(s->output);
    if (!input) {
        return wvl_cli_compose("%s%s%06" PRIu64 ".%s", s->output, between, number, s->extension);
    }
    const char *slash = strrchr(input, '/'), *base = slash ? slash + 1 : input, *dot = strrchr(base, '.');
    size_t stem = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    return wvl_cli_compose("%s%s%.*s.%s", s->output, between, (int)stem, base, s->extension);
}

char *wvl_cli_name_output(const wvl_cli_store *s, const char *input, uint64_t number)
{
    switch (s->kind) {
    case WVL_CLI_TO_PATTERN: return wvl_sequence_name_frame(s->output, number);
    case WVL_CLI_TO_FOLDER: return name_in_folder(s, input, number);
    default: return strdup(s->output);
    }
}

/* ---- Two frames with one file ---------------------------------------------------------------- */

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int check_names(const wvl_cli_store *s, const wvl_cli_source *source, char **names)
{
    size_t count = source->directory.count, made = 0;
    for (size_t i = 0; i < count; i++) {
        names[made] = name_in_folder(s, source->directory.entries[i].input, i);
        made += names[made] != NULL;
    }
    qsort(names, made, sizeof *names, by_text);
    int code = made < count ? WVL_EXIT_DEVICE : WVL_EXIT_OK;
    for (size_t i = 1; !code && i < made; i++) {
        if (!strcmp(names[i - 1], names[i])) {
            code = wvl_cli_fail(WVL_EXIT_OUTPUT,
                                "%s: two inputs have this output; rename one of them, or give OUT as a name with %%06d",
                                names[i]);
        }
    }
    for (size_t i = 0; i < made; i++) {
        free(names[i]);
    }
    return code;
}

static int check_clashes(const wvl_cli_store *s, const wvl_cli_source *source)
{
    if (s->kind != WVL_CLI_TO_FOLDER || source->kind != WVL_CLI_FROM_LIST) {
        return WVL_EXIT_OK;
    }
    char **names = calloc(source->directory.count + 1, sizeof *names);
    int code = names ? check_names(s, source, names) : WVL_EXIT_DEVICE;
    free(names);
    if (code == WVL_EXIT_DEVICE) {
        wvl_cli_error("%s: out of memory", s->output);
    }
    return code;
}

/* ---- What is complete ------------------------------------------------------------------------ */

/* Says whether the next bytes of fd are those of the record. */
static int is_same(const wvl_cli_store *s, int fd, const wvl_sequence_record *r)
{
    uint8_t data[CHECK_BYTES];
    uint64_t left = r->bytes, sum = 0;
    while (left) {
        ssize_t got = read(fd, data, left < sizeof data ? (size_t)left : sizeof data);
        if (got <= 0) {
            return 0;
        }
        sum = wvl_sequence_sum_bytes(&s->sums, sum, data, (size_t)got);
        left -= (uint64_t)got;
    }
    return sum == r->checksum;
}

static int is_complete_file(const wvl_cli_store *s, const char *path, const wvl_sequence_record *r, int sizes_only)
{
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != r->bytes) {
        return 0;
    }
    if (sizes_only) {
        return 1;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC), same = fd >= 0 && is_same(s, fd, r);
    if (fd >= 0) {
        (void)close(fd);
    }
    return same;
}

const wvl_sequence_record *wvl_cli_find_record(const wvl_cli_store *s, uint64_t number, uint64_t limit)
{
    const wvl_sequence_record *r = wvl_sequence_find_record(&s->old, number);
    return r && r->limit_bytes == limit && s->kind != WVL_CLI_TO_STREAM ? r : NULL;
}

int wvl_cli_is_complete(const wvl_cli_store *s, uint64_t place, const char *output, const wvl_sequence_record *record)
{
    return s->kind == WVL_CLI_TO_FILE ? place < s->old_places
                                      : is_complete_file(s, output, record, s->options->sizes_only);
}

/* ---- One file of all ------------------------------------------------------------------------- */

/* Limit of a frame as this run will have it; 0: none. */
static uint64_t limit_of(const wvl_cli_store_request *q, const wvl_sequence_rate *rate, uint64_t place)
{
    uint64_t limit = q->limits ? q->limits[place] : 0;
    return rate ? wvl_sequence_limit_bytes(rate, place) : limit;
}

/* Counts frames of the journal whose bytes are there, from the first one on without a gap. */
static int count_old(wvl_cli_store *s, const wvl_cli_store_request *q)
{
    wvl_sequence_rate *rate = NULL;
    if (q->rate && wvl_sequence_open_rate(q->rate, &rate)) {
        return wvl_cli_lack_memory(s->output);
    }
    for (; s->old_places < q->source->count; s->old_places++) {
        const wvl_sequence_record *r =
            wvl_sequence_find_record(&s->old, wvl_cli_frame_number(q->source, s->old_places));
        if (!r || r->limit_bytes != limit_of(q, rate, s->old_places) || !is_same(s, s->file_fd, r) ||
            (rate && wvl_sequence_put_bytes(rate, r->coded_bytes))) {
            break;
        }
        s->offset += r->bytes;
    }
    wvl_sequence_close_rate(rate);
    return WVL_EXIT_OK;
}

/* What follows the frames that stay goes; the index begins again, and gets their lines. */
static int cut_file(wvl_cli_store *s, const wvl_cli_source *source)
{
    char *name = wvl_cli_name_index(s);
    if (!name) {
        return wvl_cli_lack_memory(s->output);
    }
    if (ftruncate(s->file_fd, (off_t)s->offset) || lseek(s->file_fd, (off_t)s->offset, SEEK_SET) < 0) {
        wvl_cli_error("%s: %s", s->output, strerror(errno));
        free(name);
        return WVL_EXIT_OUTPUT;
    }
    s->index_fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int code = WVL_EXIT_OK;
    if (s->index_fd < 0) {
        code = wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: %s", name, strerror(errno));
    }
    for (uint64_t place = 0; !code && place < s->old_places; place++) {
        code = wvl_cli_put_index(s, wvl_sequence_find_record(&s->old, wvl_cli_frame_number(source, place)));
    }
    free(name);
    return code;
}

/* Says whether a file of this run may be written where `name` is. */
static int check_place(const wvl_cli_store *s, const wvl_cli_store_request *q, const char *name)
{
    struct stat st;
    if (stat(name, &st)) {
        return WVL_EXIT_OK;
    }
    if (!S_ISREG(st.st_mode)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: is not a regular file", name);
    }
    if (!s->is_resumed && !s->options->args.force && st.st_size) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: exists; --force replaces it", name);
    }
    return wvl_cli_spare_inputs(q->options, q->source, name);
}

/* Frames behind those that stay are cut off: none may be one that this run does not encode again. */
static int refuse_to_drop(const wvl_cli_store *s, const wvl_cli_source *source)
{
    uint64_t count = 0, first = UINT64_MAX;
    for (size_t i = 0; s->is_resumed && i < s->old.count; i++) {
        uint64_t number = s->old.records[i].frame;
        if (!wvl_cli_is_of_run(source, number)) {
            count++;
            first = number < first ? number : first;
        }
    }
    if (count) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT,
                            "%s: holds %" PRIu64 " frames that do not belong to this run (the first: %" PRIu64
                            "); include them in --frames, or give --force to rewrite the file without them",
                            s->output, count, first);
    }
    return WVL_EXIT_OK;
}

/* Before the journal begins: a journal would say that the files which are there were made by this sequence. */
static int check_one_file(const wvl_cli_store *s, const wvl_cli_store_request *q)
{
    const char *report = q->options->report;
    char *index = wvl_cli_name_index(s);
    int code = index ? check_place(s, q, s->output) : WVL_EXIT_DEVICE;
    TRY(code, check_place(s, q, index));
    TRY(code, refuse_to_drop(s, q->source));
    if (!index) {
        wvl_cli_error("%s: out of memory", s->output);
    } else if (!code && wvl_cli_is_same_file(index, s->journal_path)) {
        code = wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: is the index of %s; choose another name for the journal", index,
                            s->output);
    } else if (!code && report && strcmp(report, "-") != 0 && wvl_cli_is_same_file(index, report)) {
        code = wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: is the index of %s; choose another name for the report", index,
                            s->output);
    }
    free(index);
    return code;
}

static int open_one_file(wvl_cli_store *s, const wvl_cli_store_request *q)
{
    s->file_fd = open(s->output, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->file_fd < 0) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: %s", s->output, strerror(errno));
    }
    struct statfs fs;
    s->is_in_memory = !fstatfs(s->file_fd, &fs) && fs.f_type == TMPFS_TYPE;
    int code = s->is_resumed ? count_old(s, q) : WVL_EXIT_OK;
    TRY(code, cut_file(s, q->source));
    s->next_offset = s->offset;
    return code;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static int open_folder(wvl_cli_store *s)
{
    const char *slash = strrchr(s->output, '/');
    size_t length = slash ? (size_t)(slash - s->output) + 1 : 0;
    char *folder = s->kind == WVL_CLI_TO_FOLDER ? strdup(s->output) : strndup(s->output, length);
    if (!folder) {
        return wvl_cli_lack_memory(s->output);
    }
    int is_new = s->kind == WVL_CLI_TO_FOLDER && !s->options->args.dry_run;
    if (is_new) {
        s->is_new_folder = !mkdir(folder, 0777);
    }
    if (is_new && !s->is_new_folder && errno != EEXIST) {
        wvl_cli_error("%s: %s", folder, strerror(errno));
        free(folder);
        return WVL_EXIT_OUTPUT;
    }
    s->folder_fd = open(folder[0] ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int code = s->folder_fd < 0 && !s->options->args.dry_run ? WVL_EXIT_OUTPUT : WVL_EXIT_OK;
    if (code) {
        wvl_cli_error("%s: %s", folder, strerror(errno));
    }
    free(folder);
    return code;
}

static int open_standard(wvl_cli_store *s)
{
    if (isatty(STDOUT_FILENO)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "standard output: is a terminal; redirect it to a file or a pipe");
    }
    s->file_fd = STDOUT_FILENO;
    return WVL_EXIT_OK;
}

/* All names are known, and the journal is open. */
static int begin(wvl_cli_store *s, const wvl_cli_store_request *q)
{
    int is_file = s->kind == WVL_CLI_TO_FILE, code = is_file ? check_one_file(s, q) : WVL_EXIT_OK;
    if (!code && !s->is_resumed) {
        code = wvl_cli_begin_journal(s, q->parameters);
    }
    if (code) {
        return code;
    }
    return is_file ? open_one_file(s, q) : wvl_cli_claim_frames(s, q->source);
}

int wvl_cli_open_store(const wvl_cli_store_request *q, wvl_cli_store **store)
{
    wvl_cli_store *s = calloc(1, sizeof *s);
    *store = s;
    if (!s) {
        return wvl_cli_lack_memory(q->options->words[1]);
    }
    s->options = q->options;
    s->output = q->options->words[1];
    s->extension = q->options->args.out_format ? q->options->args.out_format : "j2c";
    s->folder_fd = s->journal_fd = s->file_fd = s->index_fd = -1;
    s->last_sync = wvl_cli_seconds();
    s->syncs_each = q->options->durable;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->group_lock, NULL);
    pthread_cond_init(&s->group_changed, NULL);
    pthread_mutex_init(&s->place_lock, NULL);
    pthread_mutex_init(&s->write_lock, NULL);
    pthread_cond_init(&s->placed, NULL);
    wvl_sequence_init_checksum(&s->sums);
    int code = wvl_cli_classify_output(q->options, &s->kind);
    if (!code && s->kind == WVL_CLI_TO_STREAM) {
        return q->options->args.dry_run ? WVL_EXIT_OK : open_standard(s);
    }
    if (!code && !q->parameters) {
        s->syncs_each |= q->syncs_each;
        return WVL_EXIT_OK;
    }
    TRY(code, open_folder(s));
    TRY(code, check_clashes(s, q->source));
    TRY(code, wvl_cli_open_journal(s, q->source, q->parameters));
    return code || q->options->args.dry_run ? code : begin(s, q);
}

/* What was written behind the last frame that counts. */
static int cut_untold(const wvl_cli_store *s)
{
    if (s->next_offset > s->offset && ftruncate(s->file_fd, (off_t)s->offset)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: %s", s->output, strerror(errno));
    }
    return WVL_EXIT_OK;
}

int wvl_cli_close_store(wvl_cli_store *s)
{
    if (!s) {
        return WVL_EXIT_OK;
    }
    int code = cut_untold(s), noted = wvl_cli_sync_frames(s);
    code = code ? code : noted;
    const int fds[] = {s->folder_fd, s->kind == WVL_CLI_TO_FILE ? s->file_fd : -1, s->index_fd};
    wvl_cli_close_journal(s);
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0 && close(fds[i]) && !code) {
            code = wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: %s", s->output, strerror(errno));
        }
    }
    pthread_cond_destroy(&s->placed);
    pthread_mutex_destroy(&s->write_lock);
    pthread_mutex_destroy(&s->place_lock);
    pthread_cond_destroy(&s->group_changed);
    pthread_mutex_destroy(&s->group_lock);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return code;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

void wvl_cli_describe_bytes(const wvl_cli_store *s, const wvl_cli_bytes *bytes, wvl_sequence_record *record)
{
    record->bytes = bytes->used;
    record->checksum = wvl_sequence_sum_bytes(&s->sums, 0, bytes->data, bytes->used);
}

/* The name is always the same one, so that what a killed run left is written again. */
static char *name_temporary(const char *output, unsigned copy)
{
    const char *slash = strrchr(output, '/'), *base = slash ? slash + 1 : output;
    int folder = (int)(base - output);
    return copy ? wvl_cli_compose("%.*s.%s.%u" TEMPORARY, folder, output, base, copy)
                : wvl_cli_compose("%.*s.%s" TEMPORARY, folder, output, base);
}

static int write_file(const wvl_cli_store *s, const char *temporary, const char *output, const wvl_cli_bytes *bytes)
{
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: cannot create: %s", output, strerror(errno));
    }
    int code = wvl_cli_write_all(fd, bytes->data, bytes->used, output);
    TRY(code, s->syncs_each ? wvl_cli_sync_file(fd, output) : WVL_EXIT_OK);
    if (close(fd) && !code) {
        code = wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: cannot write: %s", output, strerror(errno));
    }
    if (!code && rename(temporary, output)) {
        code = wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: cannot create: %s", output, strerror(errno));
    }
    if (code) {
        (void)unlink(temporary);
    }
    return code;
}

int wvl_cli_store_file(const wvl_cli_store *s, const char *output, const wvl_cli_bytes *bytes, unsigned copy)
{
    char *temporary = name_temporary(output, copy);
    if (!temporary) {
        return wvl_cli_lack_memory(output);
    }
    int code = write_file(s, temporary, output, bytes);
    free(temporary);
    return code;
}

int wvl_cli_agrees_with_file(const wvl_cli_store *s, const char *output, const wvl_sequence_record *record)
{
    return is_complete_file(s, output, record, 0);
}

int wvl_cli_writes_in_turn(const wvl_cli_store *s) { return s->kind == WVL_CLI_TO_STREAM; }

/* Linux lets one thread at a time write to a file, and copies in it; pages that are mapped are filled by all. They are
 * taken before, so that a full file system says so here and kills nobody. 0: not done. */
static int write_mapped(int fd, uint64_t offset, const wvl_cli_bytes *bytes)
{
    uint64_t before = offset % (uint64_t)sysconf(_SC_PAGESIZE), begin = offset - before;
    if (fallocate(fd, 0, (off_t)offset, (off_t)bytes->used)) {
        return 0;
    }
    uint8_t *at = mmap(NULL, (size_t)before + bytes->used, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)begin);
    if (at == MAP_FAILED) {
        return 0;
    }
    memcpy(at + before, bytes->data, bytes->used);
    (void)munmap(at, (size_t)before + bytes->used);
    return 1;
}

/* One thread at a time: the others would spin in the kernel until it is done. */
static int write_at(wvl_cli_store *s, uint64_t offset, const wvl_cli_bytes *bytes)
{
    size_t done = 0;
    ssize_t n = 1;
    pthread_mutex_lock(&s->write_lock);
    while (done < bytes->used && n > 0) {
        n = pwrite(s->file_fd, bytes->data + done, bytes->used - done, (off_t)(offset + done));
        done += n > 0 ? (size_t)n : 0;
        n = n < 0 && errno == EINTR ? 1 : n;
    }
    int reason = n < 0 ? errno : EIO;
    pthread_mutex_unlock(&s->write_lock);
    return done < bytes->used ? wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: cannot write: %s", s->output, strerror(reason))
                              : WVL_EXIT_OK;
}

int wvl_cli_place_frame(wvl_cli_store *s, uint64_t place, const wvl_cli_bytes *bytes)
{
    if (s->kind != WVL_CLI_TO_FILE) {
        return WVL_EXIT_OK;
    }
    pthread_mutex_lock(&s->place_lock);
    while (s->next_place != place) {
        pthread_cond_wait(&s->placed, &s->place_lock);
    }
    uint64_t offset = s->next_offset;
    s->next_offset += bytes ? bytes->used : 0;
    s->next_place++;
    pthread_cond_broadcast(&s->placed);
    pthread_mutex_unlock(&s->place_lock);
    int is_written = !bytes || (s->is_in_memory && write_mapped(s->file_fd, offset, bytes));
    return is_written ? WVL_EXIT_OK : write_at(s, offset, bytes);
}

int wvl_cli_append_frame(wvl_cli_store *s, const wvl_cli_bytes *bytes, uint64_t byte_count)
{
    int code = WVL_EXIT_OK;
    if (s->kind == WVL_CLI_TO_STREAM) {
        code = wvl_cli_write_all(s->file_fd, bytes->data, bytes->used, "standard output");
    }
    s->offset += code ? 0 : byte_count;
    return code;
}
