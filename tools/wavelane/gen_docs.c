/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the manual page and the shell completions from the tables of options:
 *   gen_docs man TEMPLATE   the template with @OPTIONS@, @PRESETS@ and @VERSION@ on lines of their own replaced
 *   gen_docs bash | zsh
 */
#include <string.h>

#include "cli.h"

/* ---- roff ------------------------------------------------------------------------------------------------------------ */

/* A dash must stay a dash, a backslash a backslash, and a leading point or quote must not become a request. */
static void put_roff(const char *text)
{
    for (int first = 1; *text; text++, first = 0) {
        if (first && (*text == '.' || *text == '\'')) {
            (void)fputs("\\&", stdout);
        }
        if (*text == '-') {
            (void)fputs("\\-", stdout);
        } else if (*text == '\\') {
            (void)fputs("\\e", stdout);
        } else {
            (void)fputc(*text, stdout);
        }
    }
}

static void put_entry(const char *term, const char *doc)
{
    (void)fputs(".TP\n.B ", stdout);
    put_roff(term);
    (void)fputs("\n", stdout);
    put_roff(doc);
    (void)fputs("\n", stdout);
}

static void put_section(const char **section, const char *now)
{
    if (!*section || strcmp(*section, now) != 0) {
        *section = now;
        (void)printf(".SS ");
        put_roff(now);
        (void)fputs("\n", stdout);
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
        (void)snprintf(term, sizeof term, wvl_cli_is_switch(&keys[i]) ? "--%s [%s]" : "--%s %s", keys[i].key, keys[i].range);
        put_entry(term, keys[i].doc);
        if (keys[i].initial[0]) {
            (void)fputs("Default: ", stdout);
            put_roff(keys[i].initial);
            (void)fputs(".\n", stdout);
        }
    }
}

static void put_man_presets(void)
{
    size_t count;
    const wvl_preset *presets = wvl_presets(&count);
    for (size_t i = 0; i < count; i++) {
        put_entry(presets[i].name, presets[i].doc);
        (void)fputs(".br\n", stdout);
        put_roff(presets[i].settings);
        (void)fputs("\n", stdout);
    }
}

static int write_man(const char *path)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    if (!file) {
        (void)fprintf(stderr, "gen_docs: cannot open %s\n", path);
        return 1;
    }
    while (fgets(line, sizeof line, file)) {
        if (!strcmp(line, "@OPTIONS@\n")) {
            put_man_options();
        } else if (!strcmp(line, "@PRESETS@\n")) {
            put_man_presets();
        } else if (!strcmp(line, "@VERSION@\n")) {
            (void)printf("wavelane %d.%d.%d\n", WVL_VERSION_MAJOR, WVL_VERSION_MINOR, WVL_VERSION_PATCH);
        } else {
            (void)fputs(line, stdout);
        }
    }
    int failed = ferror(file);
    (void)fclose(file);
    return failed;
}

/* ---- Completion ------------------------------------------------------------------------------------------------------ */

static int takes_file(wvl_cli_action action)
{
    return action == WVL_ACTION_INPUT || action == WVL_ACTION_OUTPUT || action == WVL_ACTION_XML || action == WVL_ACTION_UUID;
}

static int is_refused(const wvl_cli_option *option) { return option->action == WVL_ACTION_NEVER; }

static void put_names(void)
{
    size_t count;
    const wvl_cli_option *options = wvl_cli_options(&count);
    for (size_t i = 0; i < count; i++) {
        if (is_refused(&options[i])) {
            continue;
        }
        if (options[i].letter) {
            (void)printf(" -%c", options[i].letter);
        }
        if (options[i].name) {
            (void)printf(" %s%s", wvl_cli_dashes(options[i].name), options[i].name);
        }
    }
    const wvl_option *keys = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        if (!wvl_cli_is_option(keys[i].key)) {
            (void)printf(" --%s", keys[i].key);
        }
    }
}

static void put_words(const char *words)
{
    for (; *words; words++) {
        (void)fputc(*words == '|' ? ' ' : *words, stdout);
    }
}

static int has_words(const wvl_option *key)
{
    return key->type == WVL_OPTION_CHOICE || key->type == WVL_OPTION_BOOL;
}

static void put_preset_names(void)
{
    size_t count;
    const wvl_preset *presets = wvl_presets(&count);
    for (size_t i = 0; i < count; i++) {
        (void)printf("%s%s", i ? " " : "", presets[i].name);
    }
}

static void write_bash(void)
{
    size_t count;
    const wvl_option *keys = wvl_options(&count);
    (void)fputs("# bash completion for wavelane, made from its table of options\n"
                "_wavelane()\n{\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                "    case $before in\n"
                "        -ImgDir|--image-dir) mapfile -t COMPREPLY < <(compgen -d -- \"$word\"); return ;;\n"
                "        -i|--input|-o|--output|--xml|info|verify) mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;\n"
                "        -OutFor|--out-format) mapfile -t COMPREPLY < <(compgen -W 'JP2 J2K J2C JPC' -- \"$word\"); return ;;\n"
                "        --palette) mapfile -t COMPREPLY < <(compgen -W 'expand indices' -- \"$word\"); return ;;\n"
                "        --color) mapfile -t COMPREPLY < <(compgen -W 'srgb grey sycc' -- \"$word\"); return ;;\n"
                "        --preset) mapfile -t COMPREPLY < <(compgen -W '",
                stdout);
    put_preset_names();
    (void)fputs("' -- \"$word\"); return ;;\n", stdout);
    for (size_t i = 0; i < count; i++) {
        if (has_words(&keys[i])) {
            (void)printf("        --%s%s) mapfile -t COMPREPLY < <(compgen -W '", keys[i].key, !strcmp(keys[i].key, "progression") ? "|-p" : "");
            put_words(keys[i].range);
            (void)fputs("' -- \"$word\"); return ;;\n", stdout);
        }
    }
    (void)fputs("    esac\n    local words='", stdout);
    put_names();
    (void)fputs("'\n"
                "    [ \"$COMP_CWORD\" -eq 1 ] && words=\"encode info verify options help $words\"\n"
                "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                "}\n"
                "complete -o filenames -F _wavelane wavelane\n",
                stdout);
}

/* Inside '...' of an _arguments specification: no quote, and [ ] : escaped. */
static void put_zsh(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            (void)fputs("'\\''", stdout);
        } else {
            (void)printf(strchr("[]:\\", *text) ? "\\%c" : "%c", *text);
        }
    }
}

static void put_zsh_option(const char *prefix, const char *name, const char *doc, const char *argument, const char *action)
{
    (void)printf("    '*%s%s[", prefix, name);
    put_zsh(doc);
    (void)fputs("]", stdout);
    if (argument) {
        (void)fputs(":", stdout);
        put_zsh(argument);
        (void)printf(":%s", action);
    }
    (void)fputs("' \\\n", stdout);
}

static const char *zsh_action(const wvl_cli_option *option)
{
    switch (option->action) {
    case WVL_ACTION_IMAGE_DIR: return "_files -/";
    case WVL_ACTION_PALETTE: return "(expand indices)";
    case WVL_ACTION_COLOR: return "(srgb grey sycc)";
    case WVL_ACTION_OUT_FORMAT: return "(JP2 J2K J2C JPC)";
    default: return takes_file(option->action) ? "_files" : " ";
    }
}

static void write_zsh(void)
{
    size_t count;
    (void)fputs("#compdef wavelane\n# zsh completion for wavelane, made from its table of options\n"
                "_arguments \\\n    '1:command or option:(encode info verify options help)' \\\n",
                stdout);
    const wvl_cli_option *options = wvl_cli_options(&count);
    for (size_t i = 0; i < count; i++) {
        char letter[2] = {options[i].letter, '\0'};
        if (is_refused(&options[i])) {
            continue;
        }
        if (letter[0]) {
            put_zsh_option("-", letter, options[i].doc, options[i].argument, zsh_action(&options[i]));
        }
        if (options[i].name) {
            put_zsh_option(wvl_cli_dashes(options[i].name), options[i].name, options[i].doc, options[i].argument, zsh_action(&options[i]));
        }
    }
    const wvl_option *keys = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        char words[128] = " ";
        if (wvl_cli_is_option(keys[i].key)) {
            continue;
        }
        if (has_words(&keys[i])) {
            (void)snprintf(words, sizeof words, "(%s)", keys[i].range);
            for (char *p = words; *p; p++) {
                *p = *p == '|' ? ' ' : *p;
            }
        }
        put_zsh_option("--", keys[i].key, keys[i].doc, keys[i].range, words);
    }
    (void)fputs("    '*:file:_files'\n", stdout);
}

int main(int argc, char **argv)
{
    int code = 2;
    if (argc == 3 && !strcmp(argv[1], "man")) {
        code = write_man(argv[2]);
    } else if (argc == 2 && !strcmp(argv[1], "bash")) {
        write_bash();
        code = 0;
    } else if (argc == 2 && !strcmp(argv[1], "zsh")) {
        write_zsh();
        code = 0;
    } else {
        (void)fputs("usage: gen_docs man TEMPLATE | bash | zsh\n", stderr);
    }
    return fflush(stdout) || ferror(stdout) ? 1 : code;
}
