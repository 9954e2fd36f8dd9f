/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane run: a program of others with the plugins of this installation, by the environment of that program alone. */
#define _GNU_SOURCE /* readlink of /proc */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

#define PRELOADED "libwavelane-openjp2.so" /* takes over the encoder of the libopenjp2 that is loaded */
#define IN_ITS_PLACE "openjp2"             /* folder of a libopenjp2.so.7, for programs that open it by name */

/* The folder of plugins: WAVELANE_PLUGINS, else that of the installation, else that of the build. */
static int find_plugins(char *folder, size_t bytes)
{
    static const char *const places[] = {WVL_PLUGINS_FROM_BIN, "../plugins/lib"};
    char program[PATH_MAX], file[PATH_MAX * 2];
    const char *set = getenv("WAVELANE_PLUGINS"), *given = set && *set ? set : NULL;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) {
        *slash = '\0';
    }
    for (size_t i = 0; i < (given ? 1 : sizeof places / sizeof places[0]); i++) {
        int n = given ? snprintf(folder, bytes, "%s", given) : snprintf(folder, bytes, "%s/%s", program, places[i]);
        snprintf(file, sizeof file, "%s/" PRELOADED, folder);
        char resolved[PATH_MAX];
        if (n > 0 && (size_t)n < bytes && !access(file, R_OK) && realpath(folder, resolved)) {
            snprintf(folder, bytes, "%s", resolved);
            return 1;
        }
    }
    return 0;
}

/* Puts a path before those that the variable has. */
static int prepend(const char *variable, const char *path)
{
    const char *rest = getenv(variable);
    size_t bytes = strlen(path) + (rest ? strlen(rest) : 0) + 2;
    char *value = malloc(bytes);
    if (!value) {
        return 1;
    }
    snprintf(value, bytes, "%s%s%s", path, rest && *rest ? ":" : "", rest ? rest : "");
    int failed = setenv(variable, value, 1);
    free(value);
    return failed;
}

int wvl_cli_run_program(int argc, char **argv)
{
    char folder[PATH_MAX], path[PATH_MAX + sizeof "/" PRELOADED];
    int first = argc > 1 && !strcmp(argv[1], "--") ? 2 : 1;
    if (first >= argc || argv[first][0] == '-') {
        return wvl_cli_fail(WVL_EXIT_USAGE, "run: which program? wavelane run -- PROGRAM ARGUMENTS");
    }
    if (!find_plugins(folder, sizeof folder)) {
        return wvl_cli_fail(WVL_EXIT_INPUT,
                            "run: " PRELOADED " is not installed; install the plugin (wavelane-openjp2), or name "
                            "its folder in WAVELANE_PLUGINS");
    }
    if (strpbrk(folder, ": ")) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "run: %s: the loader takes no folder with a blank or a colon; move it",
                            folder);
    }
    snprintf(path, sizeof path, "%s/" PRELOADED, folder);
    int failed = prepend("LD_PRELOAD", path);
    snprintf(path, sizeof path, "%s/" IN_ITS_PLACE, folder);
    if (failed || prepend("LD_LIBRARY_PATH", path)) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "run: memory is short");
    }
    execvp(argv[first], argv + first);
    return wvl_cli_fail(WVL_EXIT_INPUT, "run: %s: %s", argv[first], strerror(errno));
}
