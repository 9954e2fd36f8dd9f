/* SPDX-License-Identifier: BSD-2-Clause */
/* The name that somebody may have meant. */
#include "cli.h"

#define NAME_CHARS 32u

static unsigned distance(const char *a, const char *b)
{
    unsigned row[NAME_CHARS + 1];
    size_t m = strlen(a), n = strlen(b);
    if (m > NAME_CHARS || n > NAME_CHARS) {
        return 2 * NAME_CHARS;
    }
    for (unsigned j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (unsigned i = 1; i <= m; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = best < diagonal + 1 ? best : diagonal + 1;
            row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
        }
    }
    return row[n];
}

/* The nearest so far. */
typedef struct nearest {
    const char *wanted, *best;
    unsigned least;
} nearest;

static void try_name(nearest *n, const char *name)
{
    unsigned d = distance(n->wanted, name);
    if (d < n->least) {
        n->least = d;
        n->best = name;
    }
}

/* Of a command that takes options of its own. */
static void try_command(nearest *n, const char *command)
{
    size_t count;
    const wvl_cli_command *commands = wvl_cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        for (const wvl_cli_option *o = commands[i].options; o && o->doc && !strcmp(commands[i].name, command); o++) {
            try_name(n, o->name);
        }
    }
}

const char *wvl_cli_nearest_option(const char *name, const char *command)
{
    size_t count;
    nearest n = {name, "help", UINT32_MAX};
    if (command) {
        try_command(&n, command);
    }
    if (command && !strcmp(command, "verify")) {
        return n.best; /* it takes no others */
    }
    const wvl_option *keys = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        try_name(&n, keys[i].key);
    }
    const wvl_cli_option *options = wvl_cli_options(&count);
    for (size_t i = 0; i < count; i++) {
        if (options[i].name && options[i].how.effect != WVL_CLI_NEVER) {
            try_name(&n, options[i].name);
        }
    }
    return n.best;
}
