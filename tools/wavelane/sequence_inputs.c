/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that a run reads, so that no file which it writes takes the place of one. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sequence.h"

#define MOST_LOOKS (UINT64_C(1) << 24) /* frames of a pattern that are looked for */

typedef struct file_id {
    dev_t device;
    ino_t inode;
} file_id;

struct wvl_cli_inputs {
    size_t count, capacity;
    int lacks_memory;
    file_id files[]; /* sorted */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list of the source while it is made */

static int by_file(const void *a, const void *b)
{
    const file_id *x = a, *y = b;
    int order = (x->device > y->device) - (x->device < y->device);
    return order ? order : (x->inode > y->inode) - (x->inode < y->inode);
}

static void add_file(wvl_cli_inputs **list, const struct stat *st)
{
    wvl_cli_inputs *l = *list;
    if (!S_ISREG(st->st_mode) || l->lacks_memory) {
        return;
    }
    if (l->count == l->capacity) {
        size_t capacity = 2 * l->capacity;
        wvl_cli_inputs *larger = realloc(l, sizeof *l + capacity * sizeof l->files[0]);
        if (!larger) {
            l->lacks_memory = 1;
            return;
        }
        *list = l = larger;
        l->capacity = capacity;
    }
    l->files[l->count++] = (file_id){st->st_dev, st->st_ino};
}

static void add_path(wvl_cli_inputs **list, const char *path)
{
    struct stat st;
    if (path && !stat(path, &st)) {
        add_file(list, &st);
    }
}

/* The frames of a pattern, those of other shards too. */
static void add_pattern(wvl_cli_inputs **list, const wvl_cli_source *s)
{
    for (uint64_t n = 0; n < s->total && n < MOST_LOOKS && !(*list)->lacks_memory; n++) {
        char *path = wvl_cli_name_input(s, s->range.first + n * s->range.step);
        (*list)->lacks_memory |= !path;
        add_path(list, path);
        free(path);
    }
}

static void add_all(wvl_cli_inputs **list, const wvl_cli_sequence_options *o, const wvl_cli_source *s)
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
        add_pattern(list, s);
    }
}

static wvl_cli_inputs *make_list(const wvl_cli_sequence_options *o, const wvl_cli_source *s)
{
    wvl_cli_inputs *list = malloc(sizeof *list + 64 * sizeof list->files[0]);
    if (!list) {
        return NULL;
    }
    list->count = 0;
    list->capacity = 64;
    list->lacks_memory = 0;
    add_all(&list, o, s);
    if (list->lacks_memory) {
        free(list);
        return NULL;
    }
    qsort(list->files, list->count, sizeof list->files[0], by_file);
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
    if (bsearch(&key, list->files, list->count, sizeof list->files[0], by_file)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: is an input; choose another name", output);
    }
    return WVL_EXIT_OK;
}

void wvl_cli_release_inputs(wvl_cli_source *source)
{
    free(source->inputs);
    source->inputs = NULL;
}
