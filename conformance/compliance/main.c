/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints docs/compliance.md, or proves every row of it: encodes its cases, reads the field back, has the walker and
 * OpenJPEG judge the streams. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/fuzz/judge.h"
#include "conformance/fuzz/run.h"
#include "table.h"
#include "wavelane.h"

/* ---- Fields ---------------------------------------------------------------------------------- */

static uint64_t fetch(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    while (bytes--) {
        v = v << 8 | *p++;
    }
    return v;
}

/* First marker segment with the marker, before the first packet; 0: there is none. Psot and the like need no look:
 * headers follow each other until SOD. */
static const uint8_t *find_segment(const uint8_t *p, size_t bytes, unsigned marker)
{
    for (size_t at = 2; at + 4 <= bytes;) {
        unsigned code = (unsigned)fetch(p + at, 2);
        if (code == marker) {
            return p + at + 2;
        }
        if (code == 0xFF93) {
            return NULL;
        }
        at += 2 + (size_t)fetch(p + at + 2, 2);
    }
    return NULL;
}

static int read_field(const compliance_field *f, const uint8_t *data, size_t bytes, uint64_t *value)
{
    const uint8_t *siz = find_segment(data, bytes, 0xFF51), *p = find_segment(data, bytes, f->marker);
    if (!siz || !p) {
        return 0;
    }
    unsigned wide = fetch(siz + 36, 2) > 256;
    p += f->offset >= 0 ? (int64_t)f->offset + (wide ? f->wide_indices : 0) : (int64_t)fetch(p, 2) + f->offset;
    *value = fetch(p, f->bytes ? f->bytes : 1 + wide) >> f->shift;
    *value &= f->mask ? f->mask : UINT64_MAX;
    return 1;
}

/* ---- Proofs ---------------------------------------------------------------------------------- */

static fuzz_case one;

static int complain(const compliance_field *f, const char *text, const char *what)
{
    fprintf(stderr, "%s %s: %s\n  %s\n", f->segment, f->name, what, text);
    return 0;
}

static int has_value(const compliance_row *row, const compliance_proof *proof)
{
    fuzz_picture p;
    fuzz_run run;
    fuzz_folder none = {0};
    char text[600] = "";
    uint64_t value = 0;
    if (!fuzz_picture_build(&one, &none, &p, text, sizeof text)) {
        return complain(&row->field, proof->text, text);
    }
    fuzz_run_encode(&one, &p, 0, &run);
    int is_read = run.status == WVL_OK &&
                  read_field(&row->field, run.data + run.codestream.offset, (size_t)run.codestream.bytes, &value);
    snprintf(text, sizeof text, "is %" PRIu64 " and not %" PRIu64, value, proof->value);
    int good = is_read && value == proof->value;
    fuzz_run_free(&run);
    fuzz_picture_free(&p);
    return good ? 1 : complain(&row->field, proof->text, is_read ? text : "is not there");
}

static int is_proved(fuzz_judge *judge, const compliance_row *row, const compliance_proof *proof)
{
    fuzz_verdict v;
    if (!fuzz_case_parse(&one, proof->text)) {
        return complain(&row->field, proof->text, "is no case");
    }
    fuzz_judge_case(judge, &one, &v);
    if (v.outcome != FUZZ_PASSED) {
        return complain(&row->field, proof->text, v.text);
    }
    return has_value(row, proof);
}

static int is_refused(const compliance_row *row)
{
    fuzz_picture p;
    fuzz_run run;
    char text[600] = "";
    if (!row->refused) {
        return 1;
    }
    if (!fuzz_case_parse(&one, row->refused) || !fuzz_picture_shape(&one, &p, text, sizeof text)) {
        return complain(&row->field, row->refused, "is no case");
    }
    fuzz_run_plan(&one, &p, &run);
    int good = run.status == WVL_ERROR_PARAMETER && strstr(run.error, row->reason);
    good = good ? 1 : complain(&row->field, row->refused, run.status == WVL_OK ? "is not refused" : run.error);
    fuzz_run_free(&run);
    fuzz_picture_free(&p);
    return good;
}

static int prove(void)
{
    size_t count, failed = 0, proofs = 0;
    const compliance_row *rows = compliance_rows(&count);
    fuzz_judge judge = {0};
    fuzz_folder_open(&judge.folder, NULL);
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < COMPLIANCE_MOST_PROOFS && rows[i].proofs[k].text; k++, proofs++) {
            failed += !is_proved(&judge, &rows[i], &rows[i].proofs[k]);
        }
        failed += !is_refused(&rows[i]);
    }
    fuzz_folder_close(&judge.folder);
    printf("%zu fields, %zu proofs, %zu failed\n", count, proofs, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- Document -------------------------------------------------------------------------------- */

static const wvl_option *find_option(const char *key)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    for (size_t i = 0; key && i < count; i++) {
        if (!strcmp(options[i].key, key)) {
            return &options[i];
        }
    }
    return NULL;
}

/* In a cell of a table | divides. */
static void put_cell(const char *text)
{
    for (; *text; text++) {
        printf("%s%c", *text == '|' ? "\\" : "", *text);
    }
}

static void put_row(const compliance_row *row)
{
    const compliance_field *f = &row->field;
    const wvl_option *option = find_option(f->option);
    int is_bits = !strcmp(f->name, "Rsiz") || !strcmp(f->name, "Pcap");
    printf("| %s | %s | ", f->name, f->clause);
    for (unsigned k = 0; k < COMPLIANCE_MOST_PROOFS && row->proofs[k].text; k++) {
        printf(is_bits ? "%s0x%04" PRIX64 : "%s%" PRIu64, k ? ", " : "", row->proofs[k].value);
    }
    printf(" | ");
    put_cell(f->meaning);
    printf(" | ");
    if (option) {
        printf("`%s`: ", option->key);
        put_cell(option->range);
    }
    printf(" | ");
    for (unsigned k = 0; k < COMPLIANCE_MOST_PROOFS && row->proofs[k].text; k++) {
        int length = (int)strlen(row->proofs[k].text);
        length -= row->proofs[k].text[length - 1] == ' ';
        printf("%s`%.*s`", k ? "<br>" : "", length, row->proofs[k].text);
    }
    printf(" | ");
    if (row->refused) {
        printf("`%s`", row->refused);
    }
    printf(" |\n");
}

static void put_document(void)
{
    size_t count;
    const compliance_row *rows = compliance_rows(&count);
    const char *segment = "";
    printf("# Implementation compliance statement\n\n"
           "This page is for those who must know which values the encoder writes into the fields of SIZ, CAP, "
           "COD, COC, QCD, QCC, RGN and POC\n"
           "(ISO/IEC 15444-1 Annex A, 15444-15 Annex A). `wavelane-compliance` makes it from "
           "`conformance/compliance/table.c` and the table of options.\n"
           "One suite compares this file with the program's output. Another suite proves each row: it encodes "
           "the case of every value, reads the field\n"
           "back, walks the stream with libwavelane-check, decodes it with OpenJPEG, and encodes it a second "
           "time to the same bytes. If OpenJPEG is known\n"
           "to be wrong, `wavelane-fuzz --faults` says so with its evidence. The encoder refuses the values "
           "of the last column and names the clause.\n"
           "`wavelane-fuzz --replay \"CASE\"` repeats a case.\n\n"
           "Values are the ends of the range, or all values if they stand for kinds. Depths above 28 bits are "
           "refused, because a high-pass band of\n"
           "a deeper component needs more than the 31 magnitude bits that decoders support. COD, COC, QCD, "
           "QCC, RGN and POC of tiles have the same ranges.\n");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(segment, rows[i].field.segment) != 0) {
            segment = rows[i].field.segment;
            printf("\n## %s\n\n| field | clause | values | | option | proved by | refused "
                   "|\n|---|---|---|---|---|---|---|\n",
                   segment);
        }
        put_row(&rows[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--prove")) {
        return prove();
    }
    if (argc > 1) {
        int wants_help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
        fprintf(wants_help ? stdout : stderr, "wavelane-compliance: prints the statement; with --prove, proves it\n");
        return wants_help ? 0 : 2;
    }
    put_document();
    return EXIT_SUCCESS;
}
