/* SPDX-License-Identifier: BSD-2-Clause */
#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int is_picture_name(const char *name)
{
    static const char *const known[] = {"tif", "tiff", "png", "pbm", "pgm", "ppm", "pnm", "pam", "pgx", "dpx", "bmp", "tga", "raw", "rawl", "yuv"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && dot != name && i < sizeof known / sizeof known[0]; i++) {
        if (!strcasecmp(dot + 1, known[i])) {
            return 1;
        }
    }
    return 0;
}

/* path/name, its last extension replaced where `extension` is given. */
static char *join(const char *path, const char *name, const char *extension)
{
    size_t bytes = strlen(path) + strlen(name) + (extension ? strlen(extension) : 0) + 3;
    size_t stem = extension ? (size_t)(strrchr(name, '.') - name) : strlen(name);
    char *joined = malloc(bytes);
    if (joined) {
        size_t end = strlen(path);
        (void)snprintf(joined, bytes, "%s%s%.*s%s%s", path, end && path[end - 1] == '/' ? "" : "/", (int)stem, name, extension ? "." : "",
                       extension ? extension : "");
    }
    return joined;
}

static int add_entry(wvl_cli_directory *directory, const char *path, const char *name, const char *extension)
{
    if (directory->count == directory->capacity) {
        size_t capacity = directory->capacity ? directory->capacity * 2 : 64;
        wvl_cli_entry *larger = capacity < SIZE_MAX / sizeof *larger ? realloc(directory->entries, capacity * sizeof *larger) : NULL;
        if (!larger) {
            return 0;
        }
        directory->entries = larger;
        directory->capacity = capacity;
    }
    wvl_cli_entry *entry = &directory->entries[directory->count++];
    entry->input = join(path, name, NULL);
    entry->output = join(path, name, extension);
    entry->clash = NULL;
    return entry->input && entry->output;
}

static int by_output_then_input(const void *a, const void *b)
{
    const wvl_cli_entry *x = a, *y = b;
    int order = strcmp(x->output, y->output);
    return order ? order : strcmp(x->input, y->input);
}

int wvl_cli_list_directory(const char *path, const char *out_format, wvl_cli_directory *directory)
{
    memset(directory, 0, sizeof *directory);
    DIR *dir = opendir(path);
    if (!dir) {
        wvl_cli_error("%s: %s", path, strerror(errno));
        return WVL_EXIT_INPUT;
    }
    int room = 1;
    for (const struct dirent *d; room && (d = readdir(dir));) {
        if (d->d_name[0] == '.') {
            wvl_cli_inform("%s/%s: skipped; its name begins with a point", path, d->d_name);
        } else if (is_picture_name(d->d_name)) {
            room = add_entry(directory, path, d->d_name, out_format);
        } else {
            wvl_cli_inform("%s/%s: skipped; its extension is not one of a picture", path, d->d_name);
        }
    }
    (void)closedir(dir);
    if (!room) {
        wvl_cli_error("%s: out of memory", path);
        return WVL_EXIT_DEVICE;
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

void wvl_cli_release_directory(wvl_cli_directory *directory)
{
    for (size_t i = 0; i < directory->count; i++) {
        free(directory->entries[i].input);
        free(directory->entries[i].output);
    }
    free(directory->entries);
    memset(directory, 0, sizeof *directory);
}
