/* SPDX-License-Identifier: BSD-2-Clause */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "tools/sequence/grow.h"

/* ---- Files ----------------------------------------------------------------------------------- */

int wvl_cli_init_files(int argc, wvl_cli_files *files)
{
    memset(files, 0, sizeof *files);
    files->words = calloc((size_t)argc + 1, sizeof *files->words);
    if (!files->words) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "out of memory");
    }
    return WVL_EXIT_OK;
}

void wvl_cli_release_files(wvl_cli_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->names[i]);
    }
    free(files->names);
    free(files->words);
    memset(files, 0, sizeof *files);
}

/* Takes `name`, which may be NULL for no memory. */
static int add_name(wvl_cli_files *files, char *name)
{
    char **names = name ? wvl_sequence_grow(files->names, files->count, &files->capacity, sizeof *files->names) : NULL;
    if (!names) {
        free(name);
        return wvl_cli_fail(WVL_EXIT_DEVICE, "out of memory");
    }
    files->names = names;
    files->names[files->count++] = name;
    return WVL_EXIT_OK;
}

static int list_folder(wvl_cli_files *files, const char *path);

/* One name of a folder. Links to folders are not followed: they may lead in a circle. */
static int list_entry(wvl_cli_files *files, const char *folder, const char *name)
{
    struct stat own, target;
    int code = WVL_EXIT_OK;
    if (name[0] == '.') {
        return code;
    }
    char *path = wvl_cli_compose("%s%s%s", folder, wvl_cli_slash_behind(folder), name);
    if (!path) {
        return add_name(files, NULL);
    }
    if (lstat(path, &own) || stat(path, &target)) {
        wvl_cli_warn("%s: skipped: %s", path, strerror(errno));
    } else if (S_ISDIR(own.st_mode) && files->recursive) {
        code = list_folder(files, path);
    } else if (S_ISREG(target.st_mode) && wvl_cli_container_of(path) >= 0) {
        return add_name(files, path);
    } else if (wvl_cli_container_of(path) >= 0) { /* a pipe or device would be read for ever */
        wvl_cli_warn("%s: skipped: not a regular file", path);
    }
    free(path);
    return code;
}

static int list_folder(wvl_cli_files *files, const char *path)
{
    int code = WVL_EXIT_OK;
    DIR *folder = opendir(path);
    if (!folder) {
        code = errno == ENOMEM ? WVL_EXIT_DEVICE : WVL_EXIT_INPUT;
        wvl_cli_error("%s: %s", path, strerror(errno));
        return code;
    }
    for (const struct dirent *d; !code && (d = readdir(folder));) {
        code = list_entry(files, path, d->d_name);
    }
    (void)closedir(folder);
    return code;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int list_word(wvl_cli_files *files, const char *word)
{
    struct stat st;
    size_t before = files->count;
    if (!strcmp(word, "-") || stat(word, &st) || !S_ISDIR(st.st_mode)) {
        return add_name(files, strdup(word));
    }
    files->is_many = 1;
    int code = list_folder(files, word);
    if (!code && files->count == before) {
        code = wvl_cli_fail(WVL_EXIT_INPUT,
                            "%s: no file with the extension jp2, jph, j2k, j2c, jpc or jhc in this folder%s", word,
                            files->recursive ? " or its subfolders" : "; --recursive includes its subfolders");
    }
    if (files->count > before) {
        qsort(files->names + before, files->count - before, sizeof *files->names, by_name);
    }
    return code;
}

int wvl_cli_list_files(wvl_cli_files *files)
{
    int code = WVL_EXIT_OK;
    int has_folder = 0;
    files->is_many = files->word_count > 1;
    for (size_t i = 0; i < files->word_count && code != WVL_EXIT_DEVICE; i++) {
        struct stat st;
        has_folder |= !stat(files->words[i], &st) && S_ISDIR(st.st_mode);
        code = wvl_cli_worse_code(code, list_word(files, files->words[i]));
    }
    if (files->recursive && !has_folder && !code) {
        wvl_cli_warn("--recursive had no effect; no folder was given");
    }
    return code;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void begin_value(wvl_cli_row *row)
{
    if (row->has_value) {
        fputc(',', row->file);
    }
    row->has_value = 1;
}

void wvl_cli_row_text(wvl_cli_row *row, const char *value)
{
    begin_value(row);
    if (!strpbrk(value, ",\"\r\n")) {
        fputs(value, row->file);
        return;
    }
    fputc('"', row->file);
    for (const char *p = value; *p; p++) {
        fputs(*p == '"' ? "\"" : "", row->file);
        fputc(*p, row->file);
    }
    fputc('"', row->file);
}

void wvl_cli_row_number(wvl_cli_row *row, uint64_t value)
{
    begin_value(row);
    fprintf(row->file, "%" PRIu64, value);
}

void wvl_cli_row_numbers(wvl_cli_row *row, int are_known, const uint64_t *values, unsigned count)
{
    for (unsigned i = 0; are_known && i < count; i++) {
        wvl_cli_row_number(row, values[i]);
    }
    wvl_cli_row_skip(row, are_known ? 0 : count);
}

void wvl_cli_row_skip(wvl_cli_row *row, unsigned count)
{
    while (count--) {
        begin_value(row);
    }
}

void wvl_cli_row_end(wvl_cli_row *row)
{
    fputc('\n', row->file);
    row->has_value = 0;
}
