/* SPDX-License-Identifier: BSD-2-Clause */
/* Grok writes one PGX file a component. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decoder.h"
#include "folder.h"
#include "patience.h"

extern char **environ;

static int save(const char *path, const uint8_t *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    size_t written = file ? fwrite(data, 1, bytes, file) : 0;
    return file && !fclose(file) && written == bytes;
}

/* The exit status; -1: there is no such program; FUZZ_TOO_SLOW. */
static int run_quietly(char *const arguments[], uint32_t seconds)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions)) {
        return -1;
    }
    (void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int spawned = !posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (spawned && !fuzz_patience_wait(child, seconds, &status)) {
        return FUZZ_TOO_SLOW;
    }
    return spawned && WIFEXITED(status) ? WEXITSTATUS(status) : spawned ? 1 : -1;
}

static int take_files(const char *folder, uint32_t count, fuzz_picture *p, char *text, size_t text_bytes)
{
    char path[512], error[512];
    memset(p, 0, sizeof *p);
    p->planes = calloc(count, sizeof *p->planes);
    for (uint32_t c = 0; p->planes && c < count; c++) {
        wvl_io_picture io;
        snprintf(path, sizeof path, "%s/o_%u.pgx", folder, c);
        if (wvl_io_read_picture(path, NULL, &io, error, sizeof error) < 0) {
            snprintf(text, text_bytes, "Grok: component %u was not written", c);
            fuzz_picture_free(p);
            return 0;
        }
        fuzz_picture_take(&io.components[0], UINT32_MAX, &p->planes[p->count++]);
        wvl_io_release_picture(&io);
    }
    return p->planes != NULL;
}

static void remove_files(const char *folder, uint32_t count)
{
    char path[512];
    for (uint32_t c = 0; c < count; c++) {
        snprintf(path, sizeof path, "%s/o_%u.pgx", folder, c);
        (void)unlink(path);
    }
}

int fuzz_grok_decode(const uint8_t *data, size_t bytes, uint32_t component_count, uint32_t seconds, fuzz_picture *p,
                     char *text, size_t text_bytes)
{
    const char *temporary = getenv("TMPDIR");
    char folder[256], from[300], to[300];
    snprintf(folder, sizeof folder, "%s/wvl_fuzz_XXXXXX", temporary && temporary[0] ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(from, sizeof from, "%s/i.%s", folder, bytes > 1 && data[0] == 0xFF ? "j2k" : "jp2");
    snprintf(to, sizeof to, "%s/o.pgx", folder);
    char *arguments[] = {"grk_decompress", "-H", "1", "-i", from, "-o", to, NULL};
    int status = save(from, data, bytes) ? run_quietly(arguments, seconds) : -1;
    int done = status == 127 ? -1 : status;
    if (done >= 0) {
        done = take_files(folder, component_count, p, text, text_bytes);
    }
    remove_files(folder, component_count);
    (void)unlink(from);
    (void)rmdir(folder);
    return done;
}
