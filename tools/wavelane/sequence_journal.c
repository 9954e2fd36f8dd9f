/* SPDX-License-Identifier: BSD-2-Clause */
/* The journal of a run on the disk. Frames are on the disk before a line says so. */
#define _GNU_SOURCE /* syncfs */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sequence_store.h"
#include "stream.h"

#define SYNC_SECONDS 5.0 /* longest that finished frames wait for their lines, unless frames take longer */

int wvl_cli_write_all(int fd, const void *data, size_t bytes, const char *name)
{
    const uint8_t *p = data;
    while (bytes) {
        ssize_t done = write(fd, p, bytes);
        if (done < 0 && errno == EINTR && !wvl_cli_was_interrupted()) {
            continue;
        }
        if (done <= 0) {
            return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: cannot write: %s", name,
                                done ? strerror(errno) : "no more bytes are accepted");
        }
        p += done;
        bytes -= (size_t)done;
    }
    return WVL_EXIT_OK;
}

int wvl_cli_sync_file(int fd, const char *name)
{
    int failed = fdatasync(fd) && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP && errno != EROFS;
    return failed ? wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: cannot write: %s", name, strerror(errno)) : WVL_EXIT_OK;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* How much of OUT names what stands beside it. */
static size_t stem_of(const wvl_cli_store *s)
{
    unsigned digits;
    const char *end, *name = s->output, *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    if (s->kind == WVL_CLI_TO_FILE) {
        return strlen(name);
    }
    const char *at = s->kind == WVL_CLI_TO_PATTERN ? wvl_sequence_find_number(name, &digits, &end) : NULL;
    if (!at) {
        return strlen(name);
    }
    while (at > base && strchr("._-", at[-1])) {
        at--;
    }
    return (size_t)(at - name);
}

/* is_hidden: with a leading dot. */
static char *name_beside(const wvl_cli_store *s, const char *text, int is_hidden)
{
    size_t stem = stem_of(s), bytes = stem + strlen(text) + 80;
    int needs_slash = s->kind == WVL_CLI_TO_FOLDER && stem && s->output[stem - 1] != '/';
    int needs_name = s->kind == WVL_CLI_TO_FOLDER || !stem || s->output[stem - 1] == '/';
    char *name = malloc(bytes), shard[48] = "";
    if (s->options->shard_count) {
        snprintf(shard, sizeof shard, ".%" PRIu32 "-of-%" PRIu32, s->options->shard, s->options->shard_count);
    }
    if (name) {
        size_t folder = stem;
        while (folder && s->kind == WVL_CLI_TO_PATTERN && s->output[folder - 1] != '/') {
            folder--;
        }
        snprintf(name, bytes, "%.*s%s%s%.*s%s%s%s", (int)folder, s->output, needs_slash ? "/" : "",
                 is_hidden ? "." : "", (int)(stem - folder), s->output + folder, needs_name ? "wavelane" : "", shard,
                 text);
    }
    return name;
}

char *wvl_cli_name_index(const wvl_cli_store *s) { return name_beside(s, ".index", 0); }

int wvl_cli_begins_with(const char *path, const char *text)
{
    char head[64] = "";
    struct stat st;
    FILE *file = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "rbe") : NULL;
    size_t wanted = strlen(text), got = file ? fread(head, 1, wanted, file) : 0;
    if (file) {
        (void)fclose(file);
    }
    return got == wanted && !memcmp(head, text, wanted);
}

/* Among frames it begins with a dot: programs that take all files of a folder leave such files out. Earlier versions
 * gave it no dot: a journal of that name is this sequence's, and gets its new name. A link gets it too: from the same
 * folder it leads to the same journal. */
static char *name_journal(const wvl_cli_store *s)
{
    int is_hidden = wvl_cli_has_files(s);
    char *name = name_beside(s, ".journal", is_hidden), *old = is_hidden ? name_beside(s, ".journal", 0) : NULL;
    int stays = name && old && access(name, F_OK) && wvl_cli_begins_with(old, WVL_SEQUENCE_TITLE);
    stays = stays && (s->options->args.dry_run || rename(old, name));
    free(stays ? name : old);
    return stays ? old : name;
}

char *wvl_cli_find_journal(const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    char *hidden = wvl_cli_compose("%.*s.%s", (int)(base - name), name, base);
    if (hidden && (!access(name, F_OK) || access(hidden, F_OK))) {
        (void)strcpy(hidden, name);
    }
    return hidden;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static int refuse_journal(const wvl_cli_store *s, const char *reason, int code)
{
    wvl_cli_error("%s: %s", s->journal_path, reason);
    return code;
}

/* Whatever was in it. */
int wvl_cli_begin_journal(wvl_cli_store *s, const char *parameters)
{
    size_t bytes;
    char *head = wvl_sequence_make_head(&s->sums, parameters, &bytes);
    if (!head) {
        return refuse_journal(s, "out of memory", WVL_EXIT_DEVICE);
    }
    int code = ftruncate(s->journal_fd, 0) || lseek(s->journal_fd, 0, SEEK_SET) < 0
                   ? refuse_journal(s, strerror(errno), WVL_EXIT_OUTPUT)
                   : wvl_cli_write_all(s->journal_fd, head, bytes, s->journal_path);
    TRY(code, wvl_cli_sync_file(s->journal_fd, s->journal_path));
    free(head);
    return code;
}

/* The first line of either text that the other one lacks there. */
static void name_difference(const wvl_cli_store *s, const char *old, size_t old_bytes, const char *now)
{
    const char *end = old + old_bytes;
    while (old < end && *now && *old == *now) {
        const char *line = memchr(old, '\n', (size_t)(end - old));
        size_t length = line ? (size_t)(line - old) + 1 : (size_t)(end - old);
        if (strncmp(old, now, length) != 0) {
            break;
        }
        old += length;
        now += length;
    }
    const char *skip = "parameter ";
    size_t n = strlen(skip), old_length = 0;
    old += (size_t)(end - old) > n ? n : 0;
    now += strlen(now) > n ? n : 0;
    while (old + old_length < end && old[old_length] != '\n') {
        old_length++;
    }
    const char *nothing = "(nothing)";
    int now_length = (int)strcspn(now, "\n");
    wvl_cli_error("%s: was begun with other parameters (there \"%.*s\", now \"%.*s\"); give the same ones, or --force "
                  "to encode all frames again",
                  s->journal_path, old_length ? (int)old_length : 9, old_length ? old : nothing,
                  now_length ? now_length : 9, now_length ? now : nothing);
}

static int take_old(wvl_cli_store *s, const wvl_cli_source *source, const char *parameters, const char *text,
                    size_t bytes)
{
    wvl_sequence_journal_status status = wvl_sequence_read_journal(&s->sums, text, bytes, &s->old);
    if (status == WVL_SEQUENCE_JOURNAL_CUT) {
        return WVL_EXIT_OK;
    }
    if (status) {
        return status == WVL_SEQUENCE_JOURNAL_MEMORY
                   ? refuse_journal(s, "out of memory", WVL_EXIT_DEVICE)
                   : refuse_journal(s,
                                    "is damaged, or not the journal of a sequence; remove it, or give --force to "
                                    "encode all frames again",
                                    WVL_EXIT_OUTPUT);
    }
    if (s->old.parameter_bytes != strlen(parameters) ||
        memcmp(s->old.parameters, parameters, s->old.parameter_bytes) != 0) {
        name_difference(s, s->old.parameters, s->old.parameter_bytes, parameters);
        return WVL_EXIT_USAGE;
    }
    s->is_resumed = 1;
    if (!s->options->has_range) { /* else somebody has chosen some of the frames */
        wvl_cli_count_left(s, source, &s->old, parameters);
    }
    if (ftruncate(s->journal_fd, (off_t)s->old.good_bytes) || lseek(s->journal_fd, 0, SEEK_END) < 0) {
        return refuse_journal(s, strerror(errno), WVL_EXIT_OUTPUT);
    }
    return WVL_EXIT_OK;
}

/* It is no other file of this run. */
static int check_name(const wvl_cli_store *s)
{
    const char *report = s->options->report, *name = s->journal_path;
    if (s->kind == WVL_CLI_TO_FILE && wvl_cli_is_same_file(name, s->output)) {
        return refuse_journal(s, "is the output too; choose another name for the journal", WVL_EXIT_OUTPUT);
    }
    if (report && strcmp(report, "-") != 0 && wvl_cli_is_same_file(name, report)) {
        return refuse_journal(s, "is the report too; choose another name for one of them", WVL_EXIT_OUTPUT);
    }
    return s->options->journal ? wvl_cli_refuse_picture_name("--journal", name) : WVL_EXIT_OK;
}

/* One process at a time writes it. Nothing is changed with --dry-run. O_NONBLOCK: a pipe is not waited for. */
static int lock_journal(wvl_cli_store *s)
{
    struct stat st;
    int flags = s->options->args.dry_run ? O_RDONLY : O_RDWR | O_CREAT;
    s->journal_fd = open(s->journal_path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
    if (s->journal_fd < 0) {
        int is_new = s->options->args.dry_run && errno == ENOENT;
        return is_new ? WVL_EXIT_OK : refuse_journal(s, strerror(errno), WVL_EXIT_OUTPUT);
    }
    if (fstat(s->journal_fd, &st) || !S_ISREG(st.st_mode)) {
        return refuse_journal(s, "is not a regular file, as a journal must be", WVL_EXIT_OUTPUT);
    }
    if (flock(s->journal_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        return refuse_journal(s, "another wavelane process is encoding this sequence", WVL_EXIT_OUTPUT);
    }
    return WVL_EXIT_OK;
}

/* --force begins it again. What is no journal may be an input then. */
static int take_text(wvl_cli_store *s, wvl_cli_source *source, const char *parameters, const char *text, size_t bytes)
{
    if (s->options->args.dry_run) {
        s->is_resumed = wvl_sequence_read_journal(&s->sums, text, bytes, &s->old) == WVL_SEQUENCE_JOURNAL_OK;
        return WVL_EXIT_OK;
    }
    if (!bytes || s->options->args.force) {
        /* What is no journal says nothing. */
        wvl_sequence_journal before = {0};
        if (wvl_sequence_read_journal(&s->sums, text, bytes, &before) == WVL_SEQUENCE_JOURNAL_OK) {
            wvl_cli_count_left(s, source, &before, parameters);
        }
        wvl_sequence_release_journal(&before);
        return bytes ? wvl_cli_spare_inputs(s->options, source, s->journal_path) : WVL_EXIT_OK;
    }
    return take_old(s, source, parameters, text, bytes);
}

int wvl_cli_open_journal(wvl_cli_store *s, wvl_cli_source *source, const char *parameters)
{
    uint8_t *text = NULL;
    size_t bytes = 0;
    s->journal_path = s->options->journal ? strdup(s->options->journal) : name_journal(s);
    if (!s->journal_path) {
        return wvl_cli_lack_memory(s->output);
    }
    int code = check_name(s);
    TRY(code, lock_journal(s));
    if (code || s->journal_fd < 0) {
        return code;
    }
    code = wvl_cli_read_descriptor(s->journal_fd, s->journal_path, UINT64_MAX - 1, WVL_CLI_ANYTHING, &text, &bytes);
    TRY(code, take_text(s, source, parameters, (char *)text, bytes));
    s->old.parameters = NULL; /* the text goes */
    free(text);
    return code;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* One sync for all frames that wait; of their names alone where each file was synced. A file system that cannot sync is
 * not a failure. */
static int sync_output(const wvl_cli_store *s)
{
    if (s->kind == WVL_CLI_TO_FILE) {
        return wvl_cli_sync_file(s->file_fd, s->output);
    }
    int failed = (s->syncs_each ? fsync(s->folder_fd) : syncfs(s->folder_fd)) && errno != EINVAL && errno != ENOSYS &&
                 errno != EOPNOTSUPP;
    return failed ? wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: cannot write: %s", s->output, strerror(errno)) : WVL_EXIT_OK;
}

int wvl_cli_put_index(wvl_cli_store *s, const wvl_sequence_record *r)
{
    char text[96];
    int n = snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r->frame, s->noted, r->bytes);
    s->noted += r->bytes;
    return wvl_cli_write_all(s->index_fd, text, (size_t)n, "the index");
}

static int write_group(wvl_cli_store *s, const wvl_sequence_record *group, unsigned count)
{
    char text[WVL_CLI_FRAMES_A_SYNC * WVL_SEQUENCE_RECORD_CHARS];
    size_t used = 0;
    for (unsigned i = 0; i < count; i++) {
        used += wvl_sequence_put_record(text + used, &group[i]);
    }
    int code = sync_output(s);
    pthread_mutex_lock(&s->lock);
    TRY(code, wvl_cli_write_all(s->journal_fd, text, used, s->journal_path));
    pthread_mutex_unlock(&s->lock);
    if (!code && s->options->durable) {
        code = wvl_cli_sync_file(s->journal_fd, s->journal_path);
    }
    for (unsigned i = 0; !code && s->index_fd >= 0 && i < count; i++) {
        code = wvl_cli_put_index(s, &group[i]);
    }
    return code;
}

/* Under the lock, which is given up meanwhile. After a failure nothing is noted any more. */
static void note_group(wvl_cli_store *s)
{
    wvl_sequence_record group[WVL_CLI_FRAMES_A_SYNC];
    unsigned count = s->waiting_count < WVL_CLI_FRAMES_A_SYNC ? s->waiting_count : WVL_CLI_FRAMES_A_SYNC;
    memcpy(group, s->waiting, count * sizeof group[0]);
    int code = s->note_code;
    if (!code) {
        pthread_mutex_unlock(&s->group_lock);
        code = write_group(s, group, count);
        pthread_mutex_lock(&s->group_lock);
    }
    if (code && !s->note_code) {
        s->note_code = code;
        snprintf(s->note_error, sizeof s->note_error, "%s", wvl_cli_last_error());
    }
    s->waiting_count -= count;
    memmove(s->waiting, s->waiting + count, s->waiting_count * sizeof s->waiting[0]);
    s->last_sync = wvl_cli_seconds();
}

/* The frames go on while the disk syncs those before them. */
static void *run_scribe(void *user)
{
    wvl_cli_store *s = user;
    wvl_cli_messages held = {0};
    wvl_cli_hold_messages(); /* the thread that notes the next frame prints them */
    pthread_mutex_lock(&s->group_lock);
    while (!s->is_closed || s->waiting_count) {
        if (s->waiting_count && (s->is_due || s->is_flushed || s->is_closed)) {
            note_group(s);
            s->is_due = s->options->durable || s->waiting_count >= WVL_CLI_FRAMES_A_SYNC;
            pthread_cond_broadcast(&s->group_changed);
        } else {
            pthread_cond_wait(&s->group_changed, &s->group_lock);
        }
    }
    pthread_mutex_unlock(&s->group_lock);
    wvl_cli_swap_messages(&held);
    wvl_cli_clear_messages(&held);
    return NULL;
}

/* Under the lock. The reason is said once. */
static int tell_note(wvl_cli_store *s)
{
    if (s->note_code && !s->is_told) {
        s->is_told = 1;
        wvl_cli_error("%s", s->note_error);
    }
    return s->note_code;
}

/* Under the lock. Where no thread starts, the caller does its work. */
static void wake_scribe(wvl_cli_store *s)
{
    s->has_scribe = s->has_scribe || pthread_create(&s->scribe, NULL, run_scribe, s) == 0;
    while (!s->has_scribe && s->waiting_count) {
        note_group(s);
    }
    pthread_cond_broadcast(&s->group_changed);
}

int wvl_cli_note_frame(wvl_cli_store *s, const wvl_sequence_record *record)
{
    if (s->journal_fd < 0) {
        return WVL_EXIT_OK;
    }
    pthread_mutex_lock(&s->group_lock);
    while (s->waiting_count == 2 * WVL_CLI_FRAMES_A_SYNC) {
        pthread_cond_wait(&s->group_changed, &s->group_lock);
    }
    s->waiting[s->waiting_count++] = *record;
    if (s->options->durable || s->waiting_count >= WVL_CLI_FRAMES_A_SYNC ||
        wvl_cli_seconds() - s->last_sync >= SYNC_SECONDS) {
        s->is_due = 1;
        wake_scribe(s);
    }
    int code = tell_note(s);
    pthread_mutex_unlock(&s->group_lock);
    return code;
}

int wvl_cli_sync_frames(wvl_cli_store *s)
{
    pthread_mutex_lock(&s->group_lock);
    s->is_flushed = 1;
    if (s->waiting_count) {
        wake_scribe(s);
    }
    while (s->waiting_count) {
        pthread_cond_wait(&s->group_changed, &s->group_lock);
    }
    s->is_flushed = 0;
    int code = tell_note(s);
    pthread_mutex_unlock(&s->group_lock);
    return code;
}

/* When all is noted. */
static void end_scribe(wvl_cli_store *s)
{
    pthread_mutex_lock(&s->group_lock);
    s->is_closed = 1;
    pthread_cond_broadcast(&s->group_changed);
    pthread_mutex_unlock(&s->group_lock);
    if (s->has_scribe) {
        pthread_join(s->scribe, NULL);
    }
    s->has_scribe = 0;
}

void wvl_cli_close_journal(wvl_cli_store *s)
{
    end_scribe(s);
    if (s->journal_fd >= 0) {
        (void)close(s->journal_fd);
    }
    wvl_sequence_release_journal(&s->old);
    free(s->journal_path);
}
