/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane info: its arguments, and reports, objects or rows about one file or several. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "files.h"
#include "info.h"

#define INFO_USAGE "wavelane info [--json|--csv] [--packets] [--recursive] [--max-input-bytes N] FILE|FOLDER..."

typedef struct request {
    wvl_cli_files files;
    int json, csv, packets;
    uint64_t most; /* bytes of a pipe or device */
    FILE *unseen;  /* with --csv: gets the reports that nobody reads */
} request;

/* ---- Arguments ------------------------------------------------------------------------------- */

#define FLAG(member) WVL_CLI_MEMBER(FLAG, request, member)

const wvl_cli_option wvl_cli_info_own[] = {
    {"packets", 0, NULL, FLAG(packets),
     "Also list every packet: its place and bytes, and how many code blocks and coding passes it holds; with --json "
     "what it holds of each code block.",
     NULL},
    WVL_CLI_MAX_INPUT_BYTES(WVL_CLI_BETWEEN(request, most, 1, UINT64_MAX / 4)),
    WVL_CLI_SEVERAL_FILES(FLAG),
    {.name = NULL},
};

static int parse_words(request *q, int argc, char **argv)
{
    int code = WVL_EXIT_OK;
    for (int i = 1; !code && i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1]) {
            q->files.words[q->files.word_count++] = argv[i];
        } else if ((code = wvl_cli_parse_own(wvl_cli_info_own, q, argc, argv, &i)) < 0) {
            code = wvl_cli_fail(WVL_EXIT_USAGE, "info: \"%s\" is unexpected; usage: " INFO_USAGE, argv[i]);
        }
    }
    const wvl_cli_condition conditions[] = {
        {!q->files.word_count, "info: no file; usage: " INFO_USAGE},
        {q->json && q->csv, "info: --json and --csv cannot be used together; give one of them"},
        {q->packets && q->csv, "info: --packets and --csv cannot be used together; give --json for a program to read"},
    };
    return code ? code : WVL_CLI_CHECK(conditions);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void put_numbers(wvl_cli_row *row, int is_known, const uint64_t *numbers, unsigned count)
{
    for (unsigned i = 0; is_known && i < count; i++) {
        wvl_cli_row_number(row, numbers[i]);
    }
    if (!is_known) {
        wvl_cli_row_skip(row, count);
    }
}

static void print_row(const wvl_info *info)
{
    const wvl_info_facts *f = &info->facts;
    const uint64_t sizes[] = {f->x1 > f->x0 ? f->x1 - f->x0 : 0, /* a picture that ends before it begins has no size */
                              f->y1 > f->y0 ? f->y1 - f->y0 : 0,
                              f->components,
                              f->least_depth,
                              f->most_depth,
                              f->tile_width,
                              f->tile_height,
                              f->part_count};
    const uint64_t coding[] = {f->layers, f->levels, f->xcb < 9 ? UINT64_C(4) << f->xcb : 0,
                               f->ycb < 9 ? UINT64_C(4) << f->ycb : 0, f->style};
    wvl_cli_row row = {stdout, 0};
    wvl_cli_row_text(&row, info->name);
    wvl_cli_row_number(&row, info->size);
    wvl_cli_row_text(&row, f->format);
    put_numbers(&row, f->components != 0, sizes, 8);
    put_numbers(&row, f->cod_count != 0, coding, 5);
    wvl_cli_row_text(&row, f->order);
    wvl_cli_row_text(&row, f->transform);
    put_numbers(&row, f->components != 0, &f->codestream_bytes, 1);
    wvl_cli_row_number(&row, info->problem_count);
    wvl_cli_row_text(&row, info->problem_count && info->problems[0] ? info->problems[0] : "");
    wvl_cli_row_end(&row);
}

/* A file that cannot be read has a row or an object all the same; a single one has the message alone. */
static void print_unread(const request *q, const char *name)
{
    if (q->csv) {
        wvl_cli_row row = {stdout, 0};
        wvl_cli_row_text(&row, name);
        wvl_cli_row_skip(&row, 19);
        wvl_cli_row_text(&row, wvl_cli_last_error());
        wvl_cli_row_end(&row);
    } else if (q->json && q->files.is_many) {
        wvl_cli_report r;
        wvl_cli_report_start(&r, stdout, WVL_REPORT_JSON_LINE);
        wvl_cli_report_text(&r, "file", name);
        wvl_cli_report_text(&r, "error", wvl_cli_last_error());
        wvl_cli_report_finish(&r);
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

static int print_one(const request *q, const char *name)
{
    wvl_info info;
    memset(&info, 0, sizeof info);
    int code = wvl_info_open(&info, name, q->most, q->packets);
    if (code) {
        print_unread(q, name);
    } else {
        int json = q->json && q->files.is_many ? WVL_REPORT_JSON_LINE : q->json;
        wvl_cli_report_start(&info.report, q->csv ? q->unseen : stdout, json);
        wvl_info_print_file(&info);
        while (info.report.depth) { /* what a problem left open */
            wvl_cli_report_close(&info.report);
        }
        if (q->packets) {
            wvl_info_print_packets(&info);
        }
        wvl_info_report_problems(&info);
        wvl_cli_report_finish(&info.report);
        if (q->csv) {
            print_row(&info);
        }
        code = info.problem_count ? WVL_EXIT_INPUT : WVL_EXIT_OK;
        code = info.lacks_memory ? WVL_EXIT_DEVICE : code;
    }
    wvl_info_close(&info);
    return code;
}

static int print_all(request *q)
{
    if (q->csv) {
        q->unseen = fopen("/dev/null", "w");
        if (!q->unseen) {
            return wvl_cli_fail(WVL_EXIT_DEVICE, "/dev/null: cannot be opened; --csv needs it");
        }
        puts("file,bytes,format,width,height,components,least_depth,most_depth,tile_width,tile_height,tile_parts,"
             "layers,levels,block_width,block_height,style,progression,transform,codestream_bytes,problems,error");
    }
    int code = wvl_cli_list_files(&q->files);
    for (size_t i = 0; i < q->files.count && !ferror(stdout); i++) {
        if (i && !q->csv && !q->json) {
            putchar('\n');
        }
        code = wvl_cli_worse_code(code, print_one(q, q->files.names[i]));
    }
    if (q->unseen) {
        (void)fclose(q->unseen);
    }
    return code;
}

int wvl_cli_run_info(int argc, char **argv)
{
    request q = {.most = WVL_IO_MAX_INPUT_BYTES};
    int code = wvl_cli_init_files(argc, &q.files);
    TRY(code, parse_words(&q, argc, argv));
    TRY(code, print_all(&q));
    wvl_cli_release_files(&q.files);
    return wvl_cli_flush_output(code);
}
