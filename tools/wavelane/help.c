/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli.h"

#define INDENT 8
#define COLUMNS 100

void wvl_cli_print_wrapped(FILE *file, const char *text)
{
    int column = 0;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column && column + 1 + (int)word > COLUMNS) {
            fputc('\n', file);
            column = 0;
        }
        column += fprintf(file, "%*s%.*s", column ? 1 : INDENT, "", (int)word, text);
        text += word + (text[word] == ' ');
    }
    fputc('\n', file);
}

static void print_all_options(FILE *file)
{
    size_t count;
    const char *section = "";
    const wvl_cli_option *options = wvl_cli_options(&count);
    for (size_t i = 0; i < count; i++) {
        char text[512];
        if (strcmp(section, options[i].section) != 0) {
            section = options[i].section;
            fprintf(file, "\n%s\n", section);
        }
        wvl_cli_format_option(text, sizeof text, &options[i]);
        fprintf(file, "  %s\n", text);
        wvl_cli_print_wrapped(file, options[i].doc);
        if (options[i].how.library && options[i].how.library->initial[0]) {
            fprintf(file, "%*sDefault: %s\n", INDENT, "", options[i].how.library->initial);
        }
    }
}

void wvl_cli_print_help(FILE *file)
{
    fputs("wavelane: JPEG 2000 encoder\n"
          "\n"
          "  wavelane [encode] -i PICTURE -o FILE.jp2 [options]\n"
          "  wavelane [encode] -ImgDir DIR -OutFor JP2 [options]\n"
          "  wavelane sequence IN OUT       encode the frames of a film, with a journal\n"
          "  wavelane info [--json] FILE... print what codestreams, JP2 and JPH files contain\n"
          "  wavelane verify FILE...        judge whether they are legal, and which profiles they meet\n"
          "  wavelane run -- PROGRAM ...    run a program that writes by libopenjp2, with Wavelane as its encoder\n"
          "  wavelane options [--json]      print the table of encoding options\n"
          "  wavelane devices [--json]      list the devices for --device cuda:N\n"
          "  wavelane COMMAND --help        print the options of a command\n"
          "\n"
          "Reads TIFF, PNG, JPEG, OpenEXR, JPEG 2000, PNM, PAM, PFM, PGX, DPX, BMP, TGA, raw and YUV.\n"
          "Without options the encoding is lossless.\n"
          "Names work with one dash or two. -NAME VALUE and --NAME=VALUE are the same; [yes|no] alone is yes.\n",
          file);
    print_all_options(file);
    size_t count;
    const wvl_preset *presets = wvl_presets(&count);
    fputs("\nPresets\n", file);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "  %s\n", presets[i].name);
        wvl_cli_print_wrapped(file, presets[i].doc);
    }
    fputs("\nExit codes: 0 done, 1 some picture of several failed, 2 usage or parameters, 3 input, 4 output,\n"
          "5 memory, threads or device, 6 check failed, 7 a report cannot be written, 130 interrupted.\n",
          file);
}

void wvl_cli_print_options(FILE *file, int json)
{
    static const char *const types[] = {"bool", "integer", "real", "text", "choice", "pair", "pairs", "reals"};
    size_t count;
    wvl_cli_report r;
    const wvl_option *keys = wvl_options(&count);
    wvl_cli_report_start(&r, file, json);
    wvl_cli_report_open_list(&r, "options");
    for (size_t i = 0; i < count; i++) {
        if (json) {
            wvl_cli_report_open_line(&r, NULL);
            wvl_cli_report_text(&r, "key", keys[i].key);
        } else {
            wvl_cli_report_open_object(&r, keys[i].key);
        }
        wvl_cli_report_text(&r, "type", types[keys[i].type]);
        wvl_cli_report_text(&r, "range", keys[i].range);
        wvl_cli_report_text(&r, "default", keys[i].initial);
        wvl_cli_report_text(&r, "section", keys[i].section);
        wvl_cli_report_text(&r, "doc", keys[i].doc);
        wvl_cli_report_close(&r);
    }
    wvl_cli_report_finish(&r);
}

int wvl_cli_flush_output(int code)
{
    int failed = fflush(stdout) || ferror(stdout);
    return failed && !code ? wvl_cli_fail(WVL_EXIT_OUTPUT, "standard output: cannot be written") : code;
}

void wvl_cli_print_version(FILE *file)
{
    const char *missing = wvl_io_missing_formats();
    fprintf(file, "%s%s%s%s\n", wvl_build_text(),
            wvl_cli_can_verify() ? ", --verify through OpenJPEG" : ", no --verify", missing[0] ? ", cannot read:" : "",
            missing);
}
