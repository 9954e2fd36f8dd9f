/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the manual page and the shell completions from the tables of options:
 *   gen_docs man TEMPLATE   the template with @OPTIONS@, @SEQUENCE@, @PRESETS@ and @VERSION@ on lines of their own
 * replaced gen_docs bash | zsh
 */

#include "cli.h"
#include "wavelane_check.h"

/* ---- Manual page ----------------------------------------------------------------------------- */

/* ---- roff ------------------------------------------------------------------------------------ */

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
        /* Long lists of words and numbers have no blanks: a line may end behind a comma or bar, without a hyphen. */

        if ((*text == ',' || *text == '|') && text[1] && text[1] != ' ' && text[1] != ']') {
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
        if (options[i].how.library && options[i].how.library->initial[0]) {
            fputs("Default: ", stdout);
            put_roff(options[i].how.library->initial);
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

static int write_man(const char *path)
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
            size_t count;
            const wvl_preset *presets = wvl_presets(&count);
            for (size_t i = 0; i < count; i++) {
                put_entry(presets[i].name, presets[i].doc);
                fputs(".br\n", stdout);
                put_roff(presets[i].settings);
                fputs("\n", stdout);
            }
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

/* ---- Completion: values ---------------------------------------------------------------------- */

static int is_refused(const wvl_cli_option *option) { return option->how.effect == WVL_CLI_NEVER; }

/* Says what the completions of a shell know of a value by its placeholder. */
static int names_file(const wvl_cli_option *o)
{
    return !strcmp(o->argument, "FILE") || !strcmp(o->argument, "JOURNAL") || !strcmp(o->argument, "PICTURE");
}

static int names_folder(const wvl_cli_option *o) { return !strcmp(o->argument, "DIR"); }

static const wvl_option *find_key(const char *name)
{
    size_t count;
    const wvl_option *keys = wvl_options(&count);
    for (size_t i = 0; name && i < count; i++) {
        if (!strcmp(keys[i].key, name)) {
            return &keys[i];
        }
    }
    return NULL;
}

static void put_preset_names(void)
{
    size_t count;
    const wvl_preset *presets = wvl_presets(&count);
    for (size_t i = 0; i < count; i++) {
        printf("%s%s", i ? " " : "", presets[i].name);
    }
}

/* Says whether an argument is a list of words, as "auto|keep". */
static int are_words(const char *argument)
{
    return strchr(argument, '|') && argument[strspn(argument, "abcdefghijklmnopqrstuvwxyz|")] == '\0';
}

/* Words of a list like "a|b|c", with blanks between them. */
static void put_words(const char *words)
{
    for (; *words; words++) {
        fputc(*words == '|' ? ' ' : *words, stdout);
    }
}

/* Values of options and keys whose range is a text or a list: those that can be written out. NULL: none. */
static const char *words_of(const char *name)
{
    static const char *const known[][2] = {
        {"device", "auto cpu cuda cuda-only cuda:0 cuda-only:0"},
        {"style", "BYPASS RESET TERMALL VSC PTERM SEGSYM HT BYPASS+TERMALL HT+VSC"},
        {"tile-parts", "none R L C RL RC LC RLC"},
        {"levels", "auto 0 1 2 3 4 5 6"},
        {"frame-rate", "24 23.976 25 29.97 30 48 50 59.94 60 96 100 120"},
        {"OutFor", "J2K J2C JPC JHC JP2 JPH"},
        {"out-format", "J2K J2C JPC JHC JP2 JPH"},
        {"keep", "exif iptc xmp geo text icc resolution boxes all none"},
        {"mct", "0 1 off on auto"},
        {"threads", "ALL_CPUS 1 2 4 8 16"},
        {"memory", "128M 256M 512M 1G 2G"},
        {"pictures", "1 2 4 8 16"},
        {"input-format", "tif png pnm pam pgx dpx bmp tga raw rawl yuv"},
        {"input-color", "auto none xyz rec709 srgb rec601-525 rec601-625 rec2020 p3-dci p3-d60 p3-d65 display-p3"},
    };
    for (size_t i = 0; name && i < sizeof known / sizeof known[0]; i++) {
        if (!strcmp(name, known[i][0])) {
            return known[i][1];
        }
    }
    return NULL;
}

/* Words of -cinema2K and its kin, and of --preset with rates behind the names of moving pictures. */
static void put_preset_words(const wvl_cli_option *option)
{
    static const char *const rates[] = {"24", "25", "30", "48", "50", "60"};
    size_t count;
    const wvl_preset *presets = wvl_presets(&count);
    if (option->how.fixed && !strcmp(option->how.fixed, "imf")) {
        fputs("2K 4K 8K 2K_R 4K_R 8K_R", stdout);
        return;
    }
    if (option->how.fixed) {
        fputs("24 25 30 48 50 60 96 100 120", stdout);
        return;
    }
    put_preset_names();
    for (size_t i = 0; i < count; i++) {
        for (size_t r = 0; strstr(presets[i].settings, "frame-rate=") && r < sizeof rates / sizeof rates[0]; r++) {
            printf(" %s-%s %s-%s-3d", presets[i].name, rates[r], presets[i].name, rates[r]);
        }
    }
}

static int has_key_words(const wvl_option *key)
{
    return key && (key->type == WVL_OPTION_CHOICE || key->type == WVL_OPTION_BOOL || words_of(key->key));
}

static int has_words(const wvl_cli_option *option)
{
    int is_setting = option->how.effect == WVL_CLI_SETTING;
    return is_setting ? has_key_words(find_key(option->how.key))
                      : option->how.effect == WVL_CLI_PRESET || are_words(option->argument) || words_of(option->name);
}

static void put_option_words(const wvl_cli_option *option)
{
    if (option->how.effect == WVL_CLI_PRESET) {
        put_preset_words(option);
    } else if (option->how.effect == WVL_CLI_SETTING) {
        const wvl_option *key = find_key(option->how.key);
        const char *words = words_of(key->key);
        if (key->type == WVL_OPTION_CHOICE || key->type == WVL_OPTION_BOOL) {
            put_words(key->range);
        } else if (words) {
            fputs(words, stdout);
        }
    } else if (are_words(option->argument)) {
        put_words(option->argument);
    } else {
        fputs(words_of(option->name), stdout);
    }
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void put_names(void)
{
    size_t count;
    const wvl_cli_option *options = wvl_cli_options(&count);
    for (size_t i = 0; i < count; i++) {
        if (is_refused(&options[i])) {
            continue;
        }
        if (options[i].letter) {
            printf(" -%c", options[i].letter);
        }
        if (options[i].name) {
            printf(" %s%s", wvl_cli_dashes(options[i].name), options[i].name);
        }
    }
}

static void write_bash_values(void)
{
    size_t count;
    const wvl_cli_option *options = wvl_cli_options(&count);
    fputs("# Words that option $1 takes; FILES, FOLDERS, or VALUE where they cannot be listed, nothing where it "
          "takes none.\n"
          "_wavelane_values()\n{\n    case $1 in\n",
          stdout);
    for (size_t i = 0; i < count; i++) {
        const wvl_cli_option *o = &options[i];
        if (is_refused(o) || !o->argument) {
            continue;
        }
        fputs("        ", stdout);
        /* Spellings of an option, `between` them: its letter, and its name with one dash and with two. */
        const char *between = "|";
        if (o->letter) {
            printf("-%c%s", o->letter, o->name ? between : "");
        }
        if (o->name) {
            printf("-%s%s--%s", o->name, between, o->name);
        }
        fputs(") echo '", stdout);
        if (has_words(o)) {
            put_option_words(o);
        } else {
            fputs(names_folder(o) ? "FOLDERS" : names_file(o) ? "FILES" : "VALUE", stdout);
        }
        fputs("' ;;\n", stdout);
    }
    fputs("    esac\n}\n\n", stdout);
}

static void put_command_words(const wvl_cli_option *o)
{
    size_t count;
    if (names_file(o)) {
        fputs("FILES", stdout);
    } else if (!strcmp(o->name, "profile")) {
        const wvl_check_profile *profiles = wvl_check_profiles(&count);
        for (size_t i = 0; i < count; i++) {
            printf("%s ", profiles[i].name);
        }
        put_preset_names();
    } else if (!strcmp(o->name, "fps")) {
        fputs("24 25 30 48 50 60", stdout);
    } else {
        fputs("$(_wavelane_values --", stdout);
        printf("%s)", o->name);
    }
}

/* Options of the commands beside encode, and their values where these are not those of encode. */
static void write_bash_commands(void)
{
    size_t count;
    const wvl_cli_command *commands = wvl_cli_commands(&count);
    fputs("# Options of command $1.\n_wavelane_options()\n{\n    case $1 in\n", stdout);
    for (size_t i = 0; i < count; i++) {
        printf("        %s) echo '", commands[i].name);
        for (const wvl_cli_option *o = commands[i].options; o && o->doc; o++) {
            printf("%s%s ", wvl_cli_dashes(o->name), o->name);
        }
        if (!strcmp(commands[i].name, "encode") || !strcmp(commands[i].name, "sequence")) {
            put_names();
        } else {
            fputs(!strcmp(commands[i].name, "verify") ? "-R -F -X -cinema2K -cinema4K -IMF --help" : "--help", stdout);
        }
        fputs("' ;;\n", stdout);
    }
    fputs(
        "    esac\n}\n\n# Words that option $2 of command $1 takes.\n_wavelane_command_values()\n{\n    case $1$2 in\n",
        stdout);
    for (size_t i = 0; i < count; i++) {
        for (const wvl_cli_option *o = commands[i].options; o && o->doc; o++) {
            printf("        %s-%s|%s--%s) echo \"", commands[i].name, o->name, commands[i].name, o->name);
            if (o->argument) {
                put_command_words(o);
            }
            fputs("\" ;;\n", stdout);
        }
    }
    fputs("        verify*|encode*|sequence*) _wavelane_values \"$2\" ;;\n    esac\n}\n\n", stdout);
}

static void write_bash_value_completer(void)
{
    fputs("# Completes $1 with a value of option $3 of command $2, which stands behind $4 on the line.\n"
          "_wavelane_complete_value()\n{\n"
          "    local values\n"
          "    values=$(_wavelane_command_values \"$2\" \"$3\")\n"
          "    case $values in\n"
          "        '') return 1 ;;\n"
          "        FILES) mapfile -t COMPREPLY < <(compgen -f -- \"$1\") ;;\n"
          "        FOLDERS) mapfile -t COMPREPLY < <(compgen -d -- \"$1\") ;;\n"
          "        VALUE) COMPREPLY=() ;;\n"
          "        *) mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$1\") ;;\n"
          "    esac\n"
          "}\n\n",
          stdout);
}

static void write_bash(void)
{
    size_t count;
    const wvl_cli_command *commands = wvl_cli_commands(&count);
    fputs("# bash completion for wavelane, made from its tables of options\n", stdout);
    write_bash_values();
    write_bash_commands();
    write_bash_value_completer();
    fputs("_wavelane()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=encode first=''\n"
          "    COMPREPLY=()\n"
          "    case ${COMP_WORDS[1]} in\n        ",
          stdout);
    for (size_t i = 0; i < count; i++) {
        printf("%s%s", i ? "|" : "", commands[i].name);
    }
    fputs(") [ \"$COMP_CWORD\" -gt 1 ] && command=${COMP_WORDS[1]} ;;\n"
          "        help) [ \"$COMP_CWORD\" -eq 2 ] && mapfile -t COMPREPLY < <(compgen -W '",
          stdout);
    for (size_t i = 0; i < count; i++) {
        printf("%s%s", i ? " " : "", commands[i].name);
    }
    fputs("' -- \"$word\"); [ \"$COMP_CWORD\" -gt 1 ] && return ;;\n"
          "    esac\n"
          "    # --name=value: bash makes three words of it where = breaks words, else one\n"
          "    if [ \"$word\" = '=' ]; then\n"
          "        _wavelane_complete_value '' \"$command\" \"$before\"\n        return\n"
          "    fi\n"
          "    if [ \"$before\" = '=' ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
          "        _wavelane_complete_value \"$word\" \"$command\" \"${COMP_WORDS[COMP_CWORD-2]}\"\n        return\n"
          "    fi\n"
          "    case $word in\n"
          "        -*=*)\n"
          "            _wavelane_complete_value \"${word#*=}\" \"$command\" \"${word%%=*}\"\n"
          "            COMPREPLY=(\"${COMPREPLY[@]/#/${word%%=*}=}\")\n"
          "            return ;;\n"
          "    esac\n"
          "    case $before in\n"
          "        -*) _wavelane_complete_value \"$word\" \"$command\" \"$before\" && return ;;\n"
          "    esac\n"
          "    case $word in\n"
          "        -*) ;;\n"
          "        *) case $command in info|verify|sequence|run) mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); "
          "return ;; esac "
          ";;\n"
          "    esac\n"
          "    [ \"$COMP_CWORD\" -eq 1 ] && first='",
          stdout);
    for (size_t i = 0; i < count; i++) {
        printf("%s ", commands[i].name);
    }
    fputs("help'\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$first $(_wavelane_options \"$command\")\" -- \"$word\")\n"
          "}\n"
          "complete -o filenames -F _wavelane wavelane\n",
          stdout);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Inside '...' of an _arguments specification: no quote, and [ ] : escaped. */
static void put_zsh(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else {
            printf(strchr("[]:\\", *text) ? "\\%c" : "%c", *text);
        }
    }
}

/* Writes what an _arguments specification begins with: '*--name[doc], and :argument: where it takes one. */
static void open_zsh(const char *dashes, const char *name, const char *doc, const char *argument)
{
    printf("    '*%s%s[", dashes, name);
    put_zsh(doc);
    fputs("]", stdout);
    if (argument) {
        fputs(":", stdout);
        put_zsh(argument);
        fputs(":", stdout);
    }
}

static void close_zsh(void) { fputs("' \\\n", stdout); }

static void put_zsh_option(const wvl_cli_option *option, const char *dashes, const char *name)
{
    open_zsh(dashes, name, option->doc, option->argument);
    if (option->argument) {
        if (has_words(option)) {
            fputs("(", stdout);
            put_option_words(option);
            fputs(")", stdout);
        } else if (names_folder(option)) {
            fputs("_files -/", stdout);
        } else {
            fputs(names_file(option) ? "_files" : " ", stdout);
        }
    }
    close_zsh();
}

/* The commands beside encode have few options of their own. */
static void put_zsh_commands(void)
{
    size_t count;
    const wvl_cli_command *commands = wvl_cli_commands(&count);
    fputs("case $words[2] in\n", stdout);
    for (size_t i = 0; i < count; i++) {
        if (!commands[i].options) {
            continue;
        }
        printf("%s) shift words; (( CURRENT-- )); _arguments \\\n", commands[i].name);
        for (const wvl_cli_option *o = commands[i].options; o && o->doc; o++) {
            open_zsh(wvl_cli_dashes(o->name), o->name, o->doc, o->argument);
            if (o->argument) {
                if (are_words(o->argument)) {
                    fputs("(", stdout);
                    put_words(o->argument);
                    fputs(")", stdout);
                } else {
                    fputs(names_file(o) ? "_files" : " ", stdout);
                }
            }
            close_zsh();
        }
        printf("    '%s'; return ;;\n", commands[i].takes_file ? "*:file:_files" : "--help[Print what it takes]");
    }
    fputs("esac\n", stdout);
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
        size_t count;
        fputs("#compdef wavelane\n# zsh completion for wavelane, made from its tables of options\n", stdout);
        put_zsh_commands();
        fputs("_arguments \\\n    '1:command or option:(encode sequence info verify run options devices help)' \\\n",
              stdout);
        const wvl_cli_option *options = wvl_cli_options(&count);
        for (size_t i = 0; i < count; i++) {
            char letter[2] = {options[i].letter, '\0'};
            if (is_refused(&options[i])) {
                continue;
            }
            if (letter[0]) {
                put_zsh_option(&options[i], "-", letter);
            }
            if (options[i].name) {
                put_zsh_option(&options[i], wvl_cli_dashes(options[i].name), options[i].name);
            }
        }
        fputs("    '*:file:_files'\n", stdout);
        code = 0;
    } else {
        int wants_help = argc > 1 && !strcmp(argv[1], "--help");
        fputs("usage: gen_docs man TEMPLATE | bash | zsh\n", wants_help ? stdout : stderr);
        code = wants_help ? 0 : code;
    }
    return fflush(stdout) || ferror(stdout) ? 1 : code;
}
