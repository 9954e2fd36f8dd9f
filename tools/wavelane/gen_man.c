/* SPDX-License-Identifier: BSD-2-Clause */
/* The manual page from its template and the tables of options. */
#include "gen_man.h"

#include <string.h>

#include "cli.h"

/* ---- roff ------------------------------------------------------------------------------------ */

/* Long lists of words and numbers have no blanks: a line may end behind a comma or bar, without a hyphen. */
static int may_break(const char *text)
{
    return (*text == ',' || *text == '|') && text[1] && text[1] != ' ' && text[1] != ']';
}

/* A dash must stay a dash, a backslash a backslash, and a leading point or quote must not become a request. */
static void put_roff(const char *text)
{
    for (int first = 1; *text; text++, first = 0) {
        if (first && (*text == '.' || *text == '\'')) {
            fputs("\\&", stdout);
        }
        if (*text == '-') {
            fputs("\\-", stdout);
        } else if (*text == '\\') {
            fputs("\\e", stdout);
        } else {
            fputc(*text, stdout);
        }
        if (may_break(text)) {
            fputs("\\:", stdout);
        }
    }
}

static void put_entry(const char *term, const char *doc)
{
    fputs(".TP\n.B ", stdout);
    put_roff(term);
    fputs("\n", stdout);
    put_roff(doc);
    fputs("\n", stdout);
}

static void put_section(const char **section, const char *now)
{
    if (!*section || strcmp(*section, now) != 0) {
        *section = now;
        printf(".SS ");
        put_roff(now);
        fputs("\n", stdout);
    }
}

static void put_man_options(void)
{
    size_t count;
    const char *section = NULL;
    char term[512];
    const wvl_cli_option *options = wvl_cli_options(&count);
    for (size_t i = 0; i < count; i++) {
        put_section(&section, options[i].section);
        wvl_cli_format_option(term, sizeof term, &options[i]);
        put_entry(term, options[i].doc);
    }
    const wvl_option *keys = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        if (wvl_cli_is_option(keys[i].key)) {
            continue;
        }
        put_section(&section, keys[i].section);
        snprintf(term, sizeof term, wvl_cli_is_switch(&keys[i]) ? "--%s [%s]" : "--%s %s", keys[i].key, keys[i].range);
        put_entry(term, keys[i].doc);
        if (keys[i].initial[0]) {
            fputs("Default: ", stdout);
            put_roff(keys[i].initial);
            fputs(".\n", stdout);
        }
    }
}

static void put_man_command(const char *name)
{
    size_t count;
    const wvl_cli_command *commands = wvl_cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        for (const wvl_cli_option *o = commands[i].options; o && o->doc && !strcmp(commands[i].name, name); o++) {
            char term[128];
            snprintf(term, sizeof term, "%s%s%s%s", wvl_cli_dashes(o->name), o->name, o->argument ? " " : "",
                     o->argument ? o->argument : "");
            put_entry(term, o->doc);
        }
    }
}

static void put_man_presets(void)
{
    size_t count;
    const wvl_preset *presets = wvl_presets(&count);
    for (size_t i = 0; i < count; i++) {
        put_entry(presets[i].name, presets[i].doc);
        fputs(".br\n", stdout);
        put_roff(presets[i].settings);
        fputs("\n", stdout);
    }
}

int wvl_gen_write_man(const char *path)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "gen_docs: cannot open %s\n", path);
        return 1;
    }
    while (fgets(line, sizeof line, file)) {
        if (!strcmp(line, "@OPTIONS@\n")) {
            put_man_options();
        } else if (!strcmp(line, "@SEQUENCE@\n")) {
            put_man_command("sequence");
        } else if (!strcmp(line, "@PRESETS@\n")) {
            put_man_presets();
        } else if (!strcmp(line, "@VERSION@\n")) {
            printf("wavelane %d.%d.%d\n", WVL_VERSION_MAJOR, WVL_VERSION_MINOR, WVL_VERSION_PATCH);
        } else {
            fputs(line, stdout);
        }
    }
    int failed = ferror(file);
    (void)fclose(file);
    return failed;
}
