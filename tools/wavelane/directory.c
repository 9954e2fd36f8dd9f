/* SPDX-License-Identifier: BSD-2-Clause */
#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>

#include "tools/sequence/grow.h"

static int is_picture_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && dot != name && wvl_io_extension(i); i++) {
        if (!strcasecmp(dot + 1, wvl_io_extension(i))) {
            return 1;
        }
    }
    return 0;
}

/* path/name, its last extension replaced where `extension` is given. */
static char *join(const char *path, const char *name, const char *extension)
{
    size_t stem = extension ? (size_t)(strrchr(name, '.') - name) : strlen(name);
    return wvl_cli_compose("%s%s%.*s%s%s", path, wvl_cli_slash_behind(path), (int)stem, name, extension ? "." : "",
                           extension ? extension : "");
}

wvl_cli_entry *wvl_cli_add_entry(wvl_cli_directory *d)
{
    wvl_cli_entry *entries = wvl_sequence_grow(d->entries, d->count, &d->capacity, sizeof *entries);
    if (!entries) {
        return NULL;
    }
    d->entries = entries;
    entries[d->count] = (wvl_cli_entry){.input = NULL};
    return &entries[d->count++];
}

static int add_entry(wvl_cli_directory *directory, const wvl_cli_folder *folder, const char *name,
                     const struct stat *st)
{
    wvl_cli_entry *entry = wvl_cli_add_entry(directory);
    if (!entry) {
        return 0;
    }
    entry->input = join(folder->path, name, NULL);
    entry->output = join(folder->out_path ? folder->out_path : folder->path, name, folder->out_format);
    entry->device = st->st_dev;
    entry->inode = st->st_ino;
    entry->bytes = st->st_size > 0 ? (uint64_t)st->st_size : 0;
    return entry->input && entry->output;
}

static int by_output_then_input(const void *a, const void *b)
{
    const wvl_cli_entry *x = a, *y = b;
    int order = strcmp(x->output, y->output);
    return order ? order : strcmp(x->input, y->input);
}

/* Says whether a name stands for a picture: 1 with *st, 0 where it is skipped. A FIFO or device would be read for ever,
 * and hidden files are made by other programs for themselves. */
static int is_picture(const char *path, int folder, const char *name, struct stat *st, size_t *hidden)
{
    if (!strcmp(name, ".") || !strcmp(name, "..")) {
        return 0;
    }
    if (!is_picture_name(name)) {
        wvl_cli_inform("%s/%s: skipped; its extension is not that of a picture", path, name);
        return 0;
    }
    if (name[0] == '.') {
        ++*hidden;
        wvl_cli_inform("%s/%s: skipped; its name begins with a dot", path, name);
        return 0;
    }
    if (fstatat(folder, name, st, 0)) {
        wvl_cli_warn("%s/%s: skipped: %s", path, name, strerror(errno));
        return 0;
    }
    if (!S_ISREG(st->st_mode)) {
        wvl_cli_warn("%s/%s: skipped: not a regular file", path, name);
        return 0;
    }
    return 1;
}

static int list_folder(const wvl_cli_folder *folder, wvl_cli_directory *directory);

/* Links to folders are not followed: they may lead in a circle. */
static int is_folder_below(int dir, const char *name)
{
    struct stat st;
    return name[0] != '.' && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

static int list_below(const wvl_cli_folder *folder, const char *name, wvl_cli_directory *directory)
{
    wvl_cli_folder below = *folder;
    char *path = join(folder->path, name, NULL);
    char *out_path = folder->out_path ? join(folder->out_path, name, NULL) : NULL;
    below.path = path;
    below.out_path = out_path;
    directory->folders++;
    int code = path && (out_path || !folder->out_path) ? list_folder(&below, directory) : WVL_EXIT_DEVICE;
    if (!path) {
        wvl_cli_error("%s: out of memory", folder->path);
    }
    free(path);
    free(out_path);
    return code;
}

static int add_pictures(const wvl_cli_folder *folder, DIR *dir, wvl_cli_directory *directory)
{
    struct stat st;
    size_t hidden = 0;
    int code = WVL_EXIT_OK;
    for (const struct dirent *d; !code && (d = readdir(dir));) {
        if (folder->recursive && is_folder_below(dirfd(dir), d->d_name)) {
            code = list_below(folder, d->d_name, directory);
        } else if (is_picture(folder->path, dirfd(dir), d->d_name, &st, &hidden) &&
                   !add_entry(directory, folder, d->d_name, &st)) {
            code = wvl_cli_lack_memory(folder->path);
        }
    }
    if (hidden) {
        wvl_cli_warn("%s: %zu file%s skipped: the name begins with a dot", folder->path, hidden,
                     hidden == 1 ? "" : "s");
    }
    return code;
}

static int list_folder(const wvl_cli_folder *folder, wvl_cli_directory *directory)
{
    DIR *dir = opendir(folder->path);
    if (!dir) {
        int code = errno == ENOMEM ? WVL_EXIT_DEVICE : WVL_EXIT_INPUT;
        wvl_cli_error("%s: %s", folder->path, strerror(errno));
        return code;
    }
    int code = add_pictures(folder, dir, directory);
    (void)closedir(dir);
    return code;
}

int wvl_cli_make_folder_of(const char *file)
{
    char *path = strdup(file);
    if (!path) {
        return wvl_cli_lack_memory(file);
    }
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) && errno != EEXIST) {
            wvl_cli_error("%s: the folder cannot be made: %s", path, strerror(errno));
            free(path);
            return WVL_EXIT_OUTPUT;
        }
        *slash = '/';
    }
    free(path);
    return WVL_EXIT_OK;
}

int wvl_cli_list_directory(const wvl_cli_folder *folder, wvl_cli_directory *directory)
{
    memset(directory, 0, sizeof *directory);
    int code = list_folder(folder, directory);
    if (code) {
        return code;
    }
    if (directory->count) {
        qsort(directory->entries, directory->count, sizeof *directory->entries, by_output_then_input);
    }
    for (size_t i = 1; i < directory->count; i++) {
        wvl_cli_entry *entry = &directory->entries[i], *before = entry - 1;
        if (!strcmp(entry->output, before->output)) {
            entry->clash = before->clash ? before->clash : before->input;
        }
    }
    return WVL_EXIT_OK;
}

int wvl_cli_check_trace(const char *trace, const wvl_cli_directory *directory)
{
    for (size_t i = 0; i < directory->count; i++) {
        const wvl_cli_entry *entry = &directory->entries[i];
        if (wvl_cli_is_same_file(trace, entry->input) || wvl_cli_is_same_file(trace, entry->output)) {
            return wvl_cli_fail(WVL_EXIT_OUTPUT, "--trace %s: is the picture %s or its output; name another file",
                                trace, entry->input);
        }
    }
    return WVL_EXIT_OK;
}

int wvl_cli_check_entry(const wvl_cli_directory *directory, size_t index)
{
    struct stat out;
    const wvl_cli_entry *entry = &directory->entries[index];
    if (stat(entry->output, &out)) {
        return WVL_EXIT_OK;
    }
    for (size_t i = 0; i < directory->count; i++) {
        const wvl_cli_entry *other = &directory->entries[i];
        if (other->device == out.st_dev && other->inode == out.st_ino) {
            return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: is the input %s itself; rename it", entry->output, other->input);
        }
    }
    return WVL_EXIT_OK;
}

void wvl_cli_release_directory(wvl_cli_directory *directory)
{
    for (size_t i = 0; i < directory->count; i++) {
        free(directory->entries[i].input);
        free(directory->entries[i].output);
    }
    free(directory->entries);
    memset(directory, 0, sizeof *directory);
}
