/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "files.h"
#include "stream.h"

#define MOST_PROBLEMS 64u

/* What a table of several files says of each: of the first codestream, from its main header. */
typedef struct info_facts {
    uint64_t x0, y0, x1, y1, tile_width, tile_height, components, least_depth,
        most_depth; /* components: 0 before SIZ */
    uint64_t layers, levels, xcb, ycb, style, cod_count;
    uint64_t part_count, codestream_bytes;
    char format[24], order[12], transform[12]; /* "": unknown */
} info_facts;

typedef struct info_state {
    const char *name;
    int fd;
    uint64_t size;
    uint8_t *memory; /* the content of a pipe, or of what is wanted whole; else NULL */
    wvl_cli_report report;
    char *problems[MOST_PROBLEMS];
    size_t problem_count;  /* of all, those beyond the list included */
    int lacks_memory;      /* one of them is no fault of the file */
    char entry[8];         /* box or marker segment at hand */
    int is_of_lengths;     /* the list at hand is shown in part */
    uint64_t length_count; /* of it */
    info_facts facts;
} info_state;

/* ---- The file -------------------------------------------------------------------------------- */

/* most: bytes of a pipe or device. is_whole: all bytes are needed, not the headers alone. 0 or an exit code after a
 * message. */
static int open_info(info_state *info, const char *name, uint64_t most, int is_whole)
{
    struct stat st;
    int is_standard = !strcmp(name, "-");
    info->name = is_standard ? "standard input" : name;
    info->fd = is_standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (info->fd < 0 || fstat(info->fd, &st)) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: %s", info->name, strerror(errno));
    }
    if (S_ISDIR(st.st_mode)) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: is a directory", info->name);
    }
    if (is_whole || !S_ISREG(st.st_mode)) { /* a pipe cannot be read twice */
        size_t bytes = 0;
        int code = wvl_cli_read_descriptor(info->fd, info->name, most, WVL_CLI_JPEG2000, &info->memory, &bytes);
        info->size = bytes;
        return code;
    }
    info->size = (uint64_t)st.st_size;
    return WVL_EXIT_OK;
}

/* ---- Problems -------------------------------------------------------------------------------- */

static void note_problem(info_state *info, uint64_t offset, const char *problem)
{
    char text[352];
    snprintf(text, sizeof text, "at byte %" PRIu64 ": %s", offset, problem);
    if (info->problem_count < MOST_PROBLEMS) {
        info->problems[info->problem_count] = strdup(text);
    }
    info->problem_count++;
}

static void report_problems(info_state *info)
{
    size_t listed = info->problem_count < MOST_PROBLEMS ? info->problem_count : MOST_PROBLEMS;
    if (info->report.json) {
        wvl_cli_report_open_list(&info->report, "problems");
        for (size_t i = 0; i < listed; i++) {
            wvl_cli_report_text(&info->report, NULL, info->problems[i] ? info->problems[i] : "out of memory");
        }
        wvl_cli_report_close(&info->report);
    }
    (void)fflush(info->report.file);
    for (size_t i = 0; i < listed; i++) {
        wvl_cli_error("%s: %s", info->name, info->problems[i] ? info->problems[i] : "out of memory");
    }
    if (info->problem_count > listed) {
        wvl_cli_error("%s: %zu more problems", info->name, info->problem_count - listed);
    }
}

static int read_file(void *user, uint64_t offset, void *buffer, size_t bytes)
{
    info_state *info = user;
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(info->fd, (uint8_t *)buffer + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            char problem[256];
            snprintf(problem, sizeof problem, "cannot be read: %s",
                     got < 0 ? strerror(errno) : "the file became shorter");
            note_problem(info, offset + done, problem);
            return 0;
        }
        done += (size_t)got;
    }
    return 1;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static const struct {
    const char *entry, *name; /* entry NULL: any */
    size_t place;
} kept_numbers[] = {
    {"SIZ", "Xsiz", offsetof(info_facts, x1)},
    {"SIZ", "Ysiz", offsetof(info_facts, y1)},
    {"SIZ", "XOsiz", offsetof(info_facts, x0)},
    {"SIZ", "YOsiz", offsetof(info_facts, y0)},
    {"SIZ", "XTsiz", offsetof(info_facts, tile_width)},
    {"SIZ", "YTsiz", offsetof(info_facts, tile_height)},
    {"SIZ", "Csiz", offsetof(info_facts, components)},
    {"COD", "layers", offsetof(info_facts, layers)},
    {"COD", "levels", offsetof(info_facts, levels)},
    {"COD", "xcb", offsetof(info_facts, xcb)},
    {"COD", "ycb", offsetof(info_facts, ycb)},
    {"COD", "style", offsetof(info_facts, style)},
    {NULL, "codestream_bytes", offsetof(info_facts, codestream_bytes)},
};

static void keep_number(info_state *info, const char *name, uint64_t number)
{
    info_facts *f = &info->facts;
    for (size_t i = 0; i < sizeof kept_numbers / sizeof kept_numbers[0]; i++) {
        const char *entry = kept_numbers[i].entry;
        if ((!entry || !strcmp(entry, info->entry)) && !strcmp(kept_numbers[i].name, name)) {
            *(uint64_t *)((char *)f + kept_numbers[i].place) = number;
        }
    }
    if (!strcmp(info->entry, "SIZ") && !strcmp(name, "depth")) {
        f->most_depth = number > f->most_depth ? number : f->most_depth;
        f->least_depth = !f->least_depth || number < f->least_depth ? number : f->least_depth;
    }
}

/* ---- Items ----------------------------------------------------------------------------------- */

#define SHOWN_BYTES 256u
#define SHOWN_LENGTHS 16u /* in text; JSON has all */

/* An entry is a line of text, or an object whose first member is `kind`. */
static void open_entry(info_state *info, const char *kind, const wvl_check_item *item)
{
    wvl_cli_report *r = &info->report;
    int is_superbox = item->kind == WVL_CHECK_ITEM_SUPERBOX;
    snprintf(info->entry, sizeof info->entry, "%s", item->name);
    if (!strcmp(info->entry, "COD") && info->facts.cod_count++) {
        info->entry[0] = '\0'; /* of a tile: no fact */
    }
    info->facts.part_count += !strcmp(info->entry, "SOT");
    if (r->json && is_superbox) {
        wvl_cli_report_open_object(r, NULL);
    } else {
        wvl_cli_report_open_line(r, r->json ? NULL : item->name);
    }
    if (r->json) {
        wvl_cli_report_text(r, kind, item->name);
    }
    WVL_CLI_REPORT_NUMBERS(r, {"offset", item->offset}, {"bytes", item->bytes});
    if (is_superbox && !r->json) {
        wvl_cli_report_close(r);
    }
    if (is_superbox) {
        wvl_cli_report_open_list(r, r->json ? "boxes" : NULL);
    }
}

static void print_number(info_state *info, const wvl_check_item *item)
{
    wvl_cli_report *r = &info->report;
    int is_shown = item->name || !info->is_of_lengths || r->json || info->length_count < SHOWN_LENGTHS;
    if (item->name) {
        keep_number(info, item->name, item->number);
    }
    if (item->kind == WVL_CHECK_ITEM_RAW) {
        return;
    }
    if (is_shown) {
        wvl_cli_report_number(r, item->name, item->number);
    } else if (info->length_count == SHOWN_LENGTHS) {
        wvl_cli_report_text(r, NULL, "...");
    }
    info->length_count++;
}

static void print_bytes(wvl_cli_report *r, const wvl_check_item *item)
{
    static const char *const kinds[] = {"restricted grey", "restricted RGB", "not restricted", "broken"};
    if (!strcmp(item->name, "icc")) {
        wvl_cli_report_text(r, item->name, kinds[wvl_io_icc_kind(item->data, (size_t)item->bytes)]);
        return;
    }
    wvl_cli_report_bytes(r, item->name, item->data,
                         r->json || item->bytes < SHOWN_BYTES ? (size_t)item->bytes : SHOWN_BYTES);
}

static void print_item(void *user, const wvl_check_item *item)
{
    info_state *info = user;
    wvl_cli_report *r = &info->report;
    switch (item->kind) {
    case WVL_CHECK_ITEM_NUMBER:
    case WVL_CHECK_ITEM_RAW: print_number(info, item); break;
    case WVL_CHECK_ITEM_FLAG: wvl_cli_report_flag(r, item->name, item->number != 0); break;
    case WVL_CHECK_ITEM_REAL: wvl_cli_report_real(r, item->name, item->real); break;
    case WVL_CHECK_ITEM_TEXT:
        if (item->name) {
            info_facts *f = &info->facts;
            if (!strcmp(item->name, "format")) {
                snprintf(f->format, sizeof f->format, "%s", item->text);
            } else if (!strcmp(info->entry, "COD") && !strcmp(item->name, "progression")) {
                snprintf(f->order, sizeof f->order, "%s", item->text);
            } else if (!strcmp(info->entry, "COD") && !strcmp(item->name, "transform")) {
                snprintf(f->transform, sizeof f->transform, "%s", item->text);
            }
        }
        wvl_cli_report_text(r, item->name, item->text);
        break;
    case WVL_CHECK_ITEM_BYTES: print_bytes(r, item); break;
    case WVL_CHECK_ITEM_LIST:
        info->is_of_lengths = !strcmp(item->name, "lengths");
        info->length_count = 0;
        wvl_cli_report_open_list(r, item->name);
        break;
    case WVL_CHECK_ITEM_ROW: wvl_cli_report_open_line(r, NULL); break;
    case WVL_CHECK_ITEM_BOX:
    case WVL_CHECK_ITEM_SUPERBOX: open_entry(info, "box", item); break;
    case WVL_CHECK_ITEM_SEGMENT: open_entry(info, "marker", item); break;
    case WVL_CHECK_ITEM_END:
        wvl_cli_report_close(r);
        if (item->ended == WVL_CHECK_ITEM_SUPERBOX && r->json) {
            wvl_cli_report_close(r);
        }
        break;
    case WVL_CHECK_ITEM_PROBLEM: note_problem(info, item->offset, item->text); break;
    }
}

/* ---- Packets, and in JSON what each holds of which code block ------------------------------------- */

typedef struct walk {
    info_state *info;
    wvl_check_packet packet; /* its blocks are still to come */
    int has_packet;
    uint64_t blocks, passes; /* of it */
    char problem[256];       /* the first that keeps packets from being found */
    uint64_t problem_offset;
} walk;

static const char *const block_fields[] = {"band", "level", "x", "y", "width", "height", "passes", "offset", "bytes"};

/* ---- One packet ------------------------------------------------------------------------------ */

static void close_packet(walk *w)
{
    wvl_cli_report *r = &w->info->report;
    const wvl_check_packet *p = &w->packet;
    if (w->has_packet && r->json) {
        wvl_cli_report_close(r);
        wvl_cli_report_close(r);
    } else if (w->has_packet) {
        fprintf(r->file,
                "  %5" PRIu32 " %5" PRIu32 " %9" PRIu32 " %10" PRIu32 " %5" PRIu32 " %8" PRIu64 " %10" PRIu64
                " %9" PRIu64 " %7" PRIu64 " %9" PRIu64 " %6" PRIu64 " %6" PRIu64 "\n",
                p->tile, p->part, p->component, p->resolution, p->layer, p->precinct, p->offset, p->bytes,
                p->header_bytes, p->body_bytes, w->blocks, w->passes);
    }
    w->has_packet = 0;
}

static void take_packet(void *user, const wvl_check_packet *packet)
{
    walk *w = user;
    wvl_cli_report *r = &w->info->report;
    close_packet(w);
    w->packet = *packet;
    w->has_packet = 1;
    w->blocks = w->passes = 0;
    if (r->json) {
        wvl_cli_report_open_line(r, NULL);
        WVL_CLI_REPORT_NUMBERS(r, {"tile", packet->tile}, {"part", packet->part}, {"component", packet->component},
                               {"resolution", packet->resolution}, {"layer", packet->layer},
                               {"precinct", packet->precinct}, {"offset", packet->offset}, {"bytes", packet->bytes},
                               {"header_offset", packet->header_offset}, {"header_bytes", packet->header_bytes},
                               {"body_bytes", packet->body_bytes});
        wvl_cli_report_open_list(r, "blocks");
    }
}

static void take_block(void *user, const wvl_check_block *b)
{
    walk *w = user;
    wvl_cli_report *r = &w->info->report;
    w->blocks++;
    w->passes += b->passes;
    if (r->json) {
        wvl_cli_report_raw(r, NULL);
        fprintf(r->file,
                "[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64
                ",%" PRIu64 "]",
                b->band, b->level, b->x, b->y, b->width, b->height, b->passes, b->offset, b->bytes);
    }
}

static void take_issue(void *user, const wvl_check_issue *issue)
{
    walk *w = user;
    if (issue->severity == WVL_CHECK_ERROR && !w->problem[0]) {
        snprintf(w->problem, sizeof w->problem, "%s", issue->text);
        w->problem_offset = issue->offset;
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* What is not legal but leaves every packet in its place is for verify to say. */
static void print_packets(info_state *info)
{
    walk w = {.info = info};
    wvl_cli_report *r = &info->report;
    wvl_check_options options = {
        .struct_size = sizeof options, .packet = take_packet, .block = take_block, .skip_blocks = 1};
    wvl_check_summary summary = {.struct_size = sizeof summary};
    if (r->json) {
        wvl_cli_report_open_list(r, "block_fields");
        for (size_t i = 0; i < sizeof block_fields / sizeof block_fields[0]; i++) {
            wvl_cli_report_text(r, NULL, block_fields[i]);
        }
        wvl_cli_report_close(r);
    }
    wvl_cli_report_open_list(r, "packets");
    if (!r->json) {
        fprintf(r->file, "  %5s %5s %9s %10s %5s %8s %10s %9s %7s %9s %6s %6s\n", "tile", "part", "component",
                "resolution", "layer", "precinct", "offset", "bytes", "header", "body", "blocks", "passes");
    }
    int verdict = wvl_check_file(info->memory, info->size, &options, take_issue, &w, &summary);
    close_packet(&w);
    wvl_cli_report_close(r);
    if (verdict == WVL_CHECK_NO_MEMORY) {
        info->lacks_memory = 1;
        note_problem(info, summary.codestream_offset, "no memory for the list of packets");
    } else if (!summary.complete && !info->problem_count) {
        note_problem(info, w.problem_offset,
                     w.problem[0] ? w.problem : "not every packet that the headers promise is there");
    }
    wvl_check_release_summary(&summary);
}

/* ---- The command ---------------------------------------------------------------------------------- */

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

static void print_row(const info_state *info)
{
    const info_facts *f = &info->facts;
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
    wvl_cli_row_numbers(&row, f->components != 0, sizes, 8);
    wvl_cli_row_numbers(&row, f->cod_count != 0, coding, 5);
    wvl_cli_row_text(&row, f->order);
    wvl_cli_row_text(&row, f->transform);
    wvl_cli_row_numbers(&row, f->components != 0, &f->codestream_bytes, 1);
    wvl_cli_row_number(&row, info->problem_count);
    wvl_cli_row_text(&row, info->problem_count && info->problems[0] ? info->problems[0] : "");
    wvl_cli_row_end(&row);
}

/* ---- The command ----------------------------------------------------------------------------- */

static int print_one(const request *q, const char *name)
{
    info_state info;
    memset(&info, 0, sizeof info);
    int code = open_info(&info, name, q->most, q->packets);
    if (code) {
        /* A file that cannot be read has a row or an object all the same; a single one has the message alone. */
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
    } else {
        int json = q->json && q->files.is_many ? WVL_REPORT_JSON_LINE : q->json;
        wvl_cli_report_start(&info.report, q->csv ? q->unseen : stdout, json);
        /* All of the file into the open report, and what is wrong with it at the end of the report and as messages. */
        wvl_check_source source = {.struct_size = sizeof source, .data = info.memory, .bytes = info.size};
        source.read = info.memory ? NULL : read_file;
        wvl_cli_report_text(&info.report, "file", info.name);
        wvl_cli_report_number(&info.report, "bytes", info.size);
        info.lacks_memory = wvl_check_list(&source, print_item, &info) == WVL_CHECK_NO_MEMORY;
        while (info.report.depth) { /* what a problem left open */
            wvl_cli_report_close(&info.report);
        }
        if (q->packets) {
            print_packets(&info);
        }
        report_problems(&info);
        wvl_cli_report_finish(&info.report);
        if (q->csv) {
            print_row(&info);
        }
        code = info.problem_count ? WVL_EXIT_INPUT : WVL_EXIT_OK;
        code = info.lacks_memory ? WVL_EXIT_DEVICE : code;
    }
    if (info.fd > STDIN_FILENO) {
        (void)close(info.fd);
    }
    for (size_t i = 0; i < MOST_PROBLEMS; i++) {
        free(info.problems[i]);
    }
    free(info.memory);
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
