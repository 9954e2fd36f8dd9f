/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheme_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 1024 };
extern char **environ;

/* Multiplications and additions may be fused, as the kernels do it; sums keep their order. Values are also moved as
 * words. */
static const char *const flags[] = {
    "-std=c11", "-O3", "-march=native", "-ffp-contract=fast", "-fno-strict-aliasing", "-fPIC", "-shared", "-x",
    "c",        NULL};

static int fail(char *error, const char *what, const char *why)
{
    snprintf(error, WVL_SCHEME_ERROR_BYTES, "%s: %s", what, why);
    return -1;
}

/* ---- Programs ---- */

/* Standard output goes to the file `out`, -1: to standard error. */
static int run_program(const char *const *words, int out, char *error)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out < 0 ? STDERR_FILENO : out, STDOUT_FILENO);
    const int spawned = posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (spawned != 0) {
        return fail(error, words[0], strerror(spawned));
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return fail(error, words[0], strerror(errno));
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : fail(error, words[0], "it failed, see its message");
}

/* ---- The cache ---- */

static int make_folder(const char *path, char *error)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : fail(error, path, strerror(errno));
}

static int find_cache(const wvl_scheme_request *request, char *path, char *error)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (request->cache) {
        snprintf(path, PATH_BYTES, "%s", request->cache);
        return make_folder(path, error);
    }
    if (base && base[0] == '/') {
        snprintf(path, PATH_BYTES, "%s", base);
    } else if (home && home[0] == '/') {
        snprintf(path, PATH_BYTES, "%s/.cache", home);
    } else {
        return fail(error, "no cache folder", "set HOME, or give --cache DIR");
    }
    if (make_folder(path, error) != 0 || strlen(path) > PATH_BYTES / 2) {
        return -1;
    }
    strcat(path, "/wavelane");
    return make_folder(path, error);
}

/* FNV-1a */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

static int hash_file(int file, uint64_t *hash)
{
    char buffer[4096];
    ssize_t got = lseek(file, 0, SEEK_SET) < 0 ? -1 : 1;
    while (got > 0 && (got = read(file, buffer, sizeof buffer)) > 0) {
        *hash = hash_bytes(*hash, buffer, (size_t)got);
    }
    return got < 0 ? -1 : 0;
}

/* The processor counts too: machine code is made for it. */
static int hash_machine(uint64_t *hash)
{
    const int file = open("/proc/cpuinfo", O_RDONLY);
    char line[2048];
    FILE *text = file < 0 ? NULL : fdopen(file, "r");
    while (text && fgets(line, sizeof line, text)) {
        if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0) {
            *hash = hash_bytes(*hash, line, strlen(line));
            break;
        }
    }
    return !text ? 0 : fclose(text);
}

/* ---- Making ---- */

static int generate(const wvl_scheme_request *r, int out, char *error)
{
    const char *words[] = {"python3",  "-B",       r->generator,  "c",          "--wavelet", r->wavelets,
                           "--scheme", r->schemes, "--direction", r->direction, NULL};
    return run_program(words, out, error);
}

static int compile(const wvl_scheme_request *r, const char *source, const char *made, char *error)
{
    const char *words[16] = {r->compiler};
    size_t count = 1;
    for (size_t i = 0; flags[i]; i++) {
        words[count++] = flags[i];
    }
    words[count++] = "-o";
    words[count++] = made;
    words[count++] = source;
    return run_program(words, -1, error);
}

/* Two runs may do this at once: each compiles a file of its own, and the last one gives it its name. */
static int compile_into(const wvl_scheme_request *r, const char *source, const char *path, char *error)
{
    char made[PATH_BYTES + 32];
    snprintf(made, sizeof made, "%s.%ld", path, (long)getpid());
    if (compile(r, source, made, error) != 0) {
        unlink(made);
        return -1;
    }
    return rename(made, path) == 0 ? 0 : fail(error, path, strerror(errno));
}

static int find_library(const wvl_scheme_request *r, const char *folder, const char *source, int file, char *path,
                        char *error)
{
    uint64_t hash = hash_bytes(UINT64_C(0xCBF29CE484222325), r->compiler, strlen(r->compiler) + 1);
    for (size_t i = 0; flags[i]; i++) {
        hash = hash_bytes(hash, flags[i], strlen(flags[i]) + 1);
    }
    if (generate(r, file, error) != 0) {
        return -1;
    }
    if (hash_file(file, &hash) != 0 || hash_machine(&hash) != 0) {
        return fail(error, source, strerror(errno));
    }
    snprintf(path, PATH_BYTES, "%s/schemes-%016" PRIx64 ".so", folder, hash);
    return access(path, R_OK) == 0 ? 0 : compile_into(r, source, path, error);
}

static int make_library(const wvl_scheme_request *r, char *path, char *error)
{
    char folder[PATH_BYTES], source[PATH_BYTES + 32];
    if (find_cache(r, folder, error) != 0) {
        return -1;
    }
    snprintf(source, sizeof source, "%s/schemes-XXXXXX", folder);
    const int file = mkstemp(source);
    if (file < 0) {
        return fail(error, source, strerror(errno));
    }
    const int made = find_library(r, folder, source, file, path, error);
    close(file);
    unlink(source);
    return made;
}

int wvl_scheme_library_open(const wvl_scheme_request *request, wvl_scheme_library *library, char *error)
{
    char path[PATH_BYTES];
    *library = (wvl_scheme_library){0};
    if (make_library(request, path, error) != 0) {
        return -1;
    }
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library->handle) {
        return fail(error, path, dlerror());
    }
    const unsigned *count = dlsym(library->handle, "lab_scheme_count");
    library->schemes = dlsym(library->handle, "lab_schemes");
    *(void **)&library->scratch_bytes = dlsym(library->handle, "lab_scratch_bytes");
    *(void **)&library->run = dlsym(library->handle, "lab_run");
    if (!count || !library->schemes || !library->scratch_bytes || !library->run) {
        wvl_scheme_library_close(library);
        return fail(error, path, "it lacks a function; remove it");
    }
    library->count = *count;
    return 0;
}

void wvl_scheme_library_close(wvl_scheme_library *library)
{
    if (library->handle) {
        dlclose(library->handle);
    }
    *library = (wvl_scheme_library){0};
}
