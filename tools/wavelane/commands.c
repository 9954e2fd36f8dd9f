/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands beside encode, and what each takes: for their help and for the completions. */
#include "cli.h"

#define MAX_INPUT_BYTES                                                                                                \
    {                                                                                                                  \
        "max-input-bytes", "N", "Most bytes that are read from a pipe or device, as for encode.", NULL                 \
    }

#define SEVERAL_FILES                                                                                                  \
    {"json", NULL, "Print one JSON object; of several files one on each line.", NULL},                                 \
        {"csv", NULL, "Print a table of comma-separated values, one row for each file.", NULL},                        \
    {                                                                                                                  \
        "recursive", NULL, "Folders: look into the folders below them too. -R is the same.", NULL                      \
    }

static const wvl_cli_command_option info_options[] = {MAX_INPUT_BYTES, SEVERAL_FILES};

static const wvl_cli_command_option list_options[] = {
    {"json", NULL, "Print one JSON object.", NULL},
};

static const wvl_cli_command_option verify_options[] = {
    {"profile", "NAME|PRESET",
     "Judge by this profile too. --profiles lists the names; the name of a preset with its words works as well.", NULL},
    {"preset", "NAME",
     "Judge by the profile of this preset, with its frame rate. -cinema2K, -cinema4K and -IMF work as for encode.",
     NULL},
    {"fps", "N[/D]", "Frame rate for the byte limits of profiles; 24 unless given.", NULL},
    {"stereo", NULL, "The file is one eye of a stereoscopic pair: half the bytes.", NULL},
    {"hfr", NULL, "High frame rate in digital cinema: twice the bytes.", NULL},
    {"original", "PICTURE",
     "Decode with OpenJPEG and compare with this picture. Give it again for each file that was an -i of the encoding.",
     NULL},
    {"raw-format", "W,H,N,BITS,{s|u}[@DXxDY:...]", "How a raw original is read, as for encode; -F is the same.", NULL},
    {"raw-layout", "planar|interleaved", "Order of a raw original's samples, as for encode.", "planar interleaved"},
    {"input-format", "EXTENSION",
     "Read the original as a file with this extension, whatever its name and first bytes are.", NULL},
    {"page", "N[.M]", "Page of a TIFF original, from 0, or SubIFD M of it.", NULL},
    {"palette", "expand|indices", "How a palette original was encoded.", "expand indices"},
    {"jpeg-ycc", "rgb|keep", "How a JPEG original was read, as for encode.", "rgb keep"},
    {"channels", "N,...", "Channels of the original that were encoded.", NULL},
    {"drop-alpha", NULL, "Leave the alpha channel of the original out.", NULL},
    {"ycc-to-rgb", NULL, "Convert a YCbCr original to RGB, as for encode.", NULL},
    {"float-transfer", "linear|log|pq", "How a floating-point original became integers.", "linear log pq"},
    {"float-range", "LO,HI|auto", "Its range, as for encode.", NULL},
    {"orient", "auto|keep", "Whether the original was turned by its orientation, as for encode.", "auto keep"},
    {"component-steps", "DXxDY:...", "Subsampling of several originals that made one picture.", NULL},
    {"TargetBitDepth", "BITS", "Scale the original to this depth, as for encode.", NULL},
    {"input-color", "auto|none|xyz|SPACE", "Convert the original to X'Y'Z', as for encode.", NULL},
    {"input-transfer", "CURVE", "Transfer of the original, as for encode.", NULL},
    {"input-range", "full|video", "Range of the original, as for encode.", "full video"},
    {"icc", "keep|fit|drop", "The ICC profile of the original, as for encode: drop leaves it out of the conversion.",
     "keep fit drop"},
    {"no-icc", NULL, "The same as --icc drop.", NULL},
    {"max-pixels", "N", "Largest original that is read, in samples, as for encode.", NULL},
    MAX_INPUT_BYTES,
    {"skip-blocks", NULL, "Do not decode HT blocks; faster.", NULL},
    SEVERAL_FILES,
    {"rules", NULL, "List the rules, and end.", NULL},
    {"profiles", NULL, "List the profiles, and end.", NULL},
};

static const wvl_cli_command_option sequence_options[] = {
    {"frames", "FIRST-LAST[xSTEP]",
     "Numbers of the frames; needed where IN is a name with %d or %06d. Frames of a folder, list, file or stream count "
     "from 0.",
     NULL},
    {"shard", "I/N", "Divide the frames into N parts, and encode part I, from 1 to N. Needs a file for each frame.",
     NULL},
    {"on-error", "stop|skip|black",
     "A frame that cannot be read or encoded ends the run (stop, the default), is left out (skip), or becomes a black "
     "frame of the same format as the frame beside it (black).",
     "stop skip black"},
    {"timeout", "SECONDS",
     "Longest wait for a frame that comes from a pipe or device; 0: no limit. Unless given: 300, and no limit for "
     "standard input.",
     NULL},
    {"sizes-only", NULL, "When a run resumes, compare the sizes of frames with the journal, not their checksums.",
     NULL},
    {"journal", "FILE", "Name of the journal; beside OUT unless given.", NULL},
    {"report", "FILE", "Write one JSON object on a line for each frame, and one for all; - is standard output.", NULL},
    {"log", NULL, "Print one line for each frame.", NULL},
    {"progress", "auto|plain|off",
     "Progress on standard error: on a terminal (auto, the default), a line every 10 seconds (plain), or none (off).",
     "auto plain off"},
    {"fps", "N[/D]", "Frame rate for rate control; 24, or what YUV4MPEG2 says, unless given.", NULL},
    {"bits-per-second", "N",
     "Most bits a second, on average from the first frame to any other one; never exceeded. Bits that easy frames do "
     "not use go to later ones.",
     NULL},
    {"bucket-bits", "N",
     "Size of a leaky bucket: each frame must fit into the room that is left in it. The bits of a frame fill it, and "
     "--bucket-bits-per-second leave it each second.",
     NULL},
    {"bucket-bits-per-second", "N", "Bits that leave the bucket each second; as --bits-per-second unless given.", NULL},
    {"lag", "FRAMES",
     "How far rate control looks back: the limit of frame n follows from the bytes of the frames up to n minus this "
     "number; 64 unless given. At most as many frames are encoded at a time.",
     NULL},
    {"statistics", "JOURNAL",
     "Second pass: JOURNAL is that of a first pass. Frames that took more bytes there get more bits.", NULL},
};

static const wvl_cli_command_option no_options[] = {{NULL, NULL, NULL, NULL}};

#define OPTIONS(table) table, sizeof table / sizeof table[0]

static const wvl_cli_command commands[] = {
    {"encode", "wavelane [encode] -i PICTURE -o FILE [options]",
     "Encode a picture, or with -ImgDir all pictures of a folder. The word encode may be left out.", no_options, 0, 1},
    {"sequence", "wavelane sequence IN OUT [options]",
     "Encode the frames of a film or of an archive. IN is a name with %06d, a folder, @LIST, a TIFF file of many "
     "pages, a YUV4MPEG2 file, a file of raw frames with -F, or - for standard input. OUT is a name with %06d, a "
     "folder, a codestream file for all frames, or - for standard output. A journal beside OUT says which frames are "
     "complete: "
     "the same command again does the rest. Options of encode that concern the coding of a picture work too.",
     OPTIONS(sequence_options), 1},
    {"info", "wavelane info [--json|--csv] [--recursive] [--max-input-bytes N] FILE|FOLDER...",
     "Print what codestreams, JP2 and JPH files contain, and check that their lengths agree.", OPTIONS(info_options),
     1},
    {"verify", "wavelane verify [options] FILE|FOLDER...",
     "Judge whether codestreams, JP2 and JPH files are legal, and which profiles they meet.", OPTIONS(verify_options),
     1},
    {"options", "wavelane options [--json]", "Print the table of encoding options.", OPTIONS(list_options), 0},
    {"devices", "wavelane devices [--json]", "List the devices for --device cuda:N.", OPTIONS(list_options), 0},
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

static void print_command(FILE *file, const wvl_cli_command *command)
{
    fprintf(file, "%s\n\n", command->usage);
    wvl_cli_print_wrapped(file, command->doc);
    for (size_t i = 0; i < command->option_count; i++) {
        const wvl_cli_command_option *o = &command->options[i];
        fprintf(file, "\n  %s%s%s%s\n", wvl_cli_dashes(o->name), o->name, o->argument ? " " : "",
                o->argument ? o->argument : "");
        wvl_cli_print_wrapped(file, o->doc);
    }
}

void wvl_cli_print_help_of(FILE *file, const char *command)
{
    const wvl_cli_command *found = find_command(command);
    if (!found || !found->option_count) {
        wvl_cli_print_help(file);
    } else {
        print_command(file, found);
    }
}
