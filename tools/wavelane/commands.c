/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands beside encode, and what each takes: for their help and for the completions. */

#include "cli.h"

static const wvl_cli_option list_options[] = {{"json", 0, NULL, WVL_CLI_TAKE(NULL), "Print one JSON object.", NULL},
                                              {.name = NULL}};

static const wvl_cli_option no_options[] = {{.name = NULL}};

static const wvl_cli_command commands[] = {
    {"encode", "wavelane [encode] -i PICTURE -o FILE [options]",
     "Encode a picture, or with -ImgDir all pictures of a folder. The word encode may be left out.", NULL, 1},
    {"sequence", "wavelane sequence IN OUT [options]",
     "Encode the frames of a film or of an archive. IN is a name with %06d, a folder, @LIST, a TIFF file of many "
     "pages, a YUV4MPEG2 file, a file of raw frames with -F, or - for standard input. OUT is a name with %06d, a "
     "folder, a codestream file for all frames, or - for standard output. A journal beside OUT lists the complete "
     "frames: the same command again encodes the rest. Options of encode that concern the coding of a picture work "
     "too.",
     wvl_cli_sequence_own, 1},
    {"info", "wavelane info [--json|--csv] [--packets] [--recursive] [--max-input-bytes N] FILE|FOLDER...",
     "Print what codestreams, JP2 and JPH files contain, and check that their lengths agree.", wvl_cli_info_own, 1},
    {"verify", "wavelane verify [options] FILE|FOLDER...",
     "Judge whether codestreams, JP2 and JPH files are legal, and which profiles they meet.", wvl_cli_verify_own, 1},
    {"run", "wavelane run [--] PROGRAM [ARGUMENTS]",
     "Run a program that writes JPEG 2000 by libopenjp2, with Wavelane as its encoder. The program is not changed, and "
     "what Wavelane cannot do is left to libopenjp2. In its environment, WAVELANE_OPTIONS=\"key=value, ...\" and "
     "WAVELANE_PRESET change the coding, WAVELANE_DEVICE and WAVELANE_THREADS say where it runs, WAVELANE_LOG=1 tells "
     "who encoded.",
     no_options, 1},
    {"options", "wavelane options [--json]", "Print the table of encoding options.", list_options, 0},
    {"devices", "wavelane devices [--json]", "List the devices for --device cuda:N.", list_options, 0},
};

const wvl_cli_command *wvl_cli_commands(size_t *count)
{
    *count = sizeof commands / sizeof commands[0];
    return commands;
}

static const wvl_cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (!strcmp(commands[i].name, name)) {
            return &commands[i];
        }
    }
    return NULL;
}

int wvl_cli_is_command(const char *name) { return find_command(name) != NULL; }

void wvl_cli_print_help_of(FILE *file, const char *command)
{
    const wvl_cli_command *found = find_command(command);
    if (!found || !found->options) {
        wvl_cli_print_help(file);
    } else {
        fprintf(file, "%s\n\n", found->usage);
        wvl_cli_print_wrapped(file, found->doc);
        for (const wvl_cli_option *o = found->options; o->doc; o++) {
            fprintf(file, "\n  %s%s%s%s\n", wvl_cli_dashes(o->name), o->name, o->argument ? " " : "",
                    o->argument ? o->argument : "");
            wvl_cli_print_wrapped(file, o->doc);
        }
    }
}
