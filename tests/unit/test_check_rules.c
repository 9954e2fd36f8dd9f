/* SPDX-License-Identifier: BSD-2-Clause */
/* Each rule of the walker has a stream that breaks it, and that one alone. */

#include "tests/support/support.h"
#include "tests/unit/check_bench.h"

static int is_among(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += n) {
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' ')) {
            return 1;
        }
    }
    return 0;
}

static const wvl_check_rule *find_rule(const char *id)
{
    size_t count;
    const wvl_check_rule *rules = wvl_check_rules(&count);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(rules[i].id, id)) {
            return &rules[i];
        }
    }
    return NULL;
}

static int complain(const check_row *row, const char *what, const check_result *r)
{
    char list[1024];
    printf("%s, \"%s\": %s: %s; %s\n", row->rule, row->damage, what, check_list(r, list, sizeof list), r->first_text);
    return 1;
}

/* The stream before the damage breaks nothing; rows without damage have streams that do. */
static int is_unsound(const check_row *row)
{
    int is_limit = !strncmp(row->rule, "limit.", 6);
    owned_bytes b = check_make(row->stream);
    check_result r = check_walk(&b, is_limit ? NULL : row->options);
    return row->damage[0] && r.verdict != WVL_CHECK_LEGAL && complain(row, "the stream itself breaks", &r);
}

static int is_wrong(const check_row *row)
{
    const wvl_check_rule *rule = find_rule(row->rule);
    owned_bytes b = check_make(row->stream);
    check_damage(&b, row->damage);
    check_result r = check_walk(&b, row->options);
    if (!rule || !check_has(&r, row->rule)) {
        return complain(row, rule ? "was not found, but" : "is no rule", &r);
    }
    for (size_t i = 0; i < r.count; i++) {
        if (strcmp(r.rules[i], row->rule) != 0 && !is_among(r.rules[i], row->also)) {
            return complain(row, "more was found", &r);
        }
    }
    int is_error = rule->severity == WVL_CHECK_ERROR || row->also;
    return is_error != (r.verdict == WVL_CHECK_ILLEGAL) && complain(row, "the verdict is wrong", &r);
}

static void check_rows(const check_row *rows, size_t count)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += (unsigned)(is_unsound(&rows[i]) || is_wrong(&rows[i]));
    }
    (void)fflush(stdout);
    ck_assert_uint_eq(wrong, 0);
}

TEST(streams) { check_rows(check_rows_stream, check_rows_stream_count); }
TEST(coding) { check_rows(check_rows_coding, check_rows_coding_count); }
TEST(packets) { check_rows(check_rows_packet, check_rows_packet_count); }
TEST(ht) { check_rows(check_rows_ht, check_rows_ht_count); }
TEST(boxes) { check_rows(check_rows_boxes, check_rows_boxes_count); }
TEST(profiles) { check_rows(check_rows_profiles, check_rows_profiles_count); }

/* "shall" for the file, though readers go on: docs/conformance.md says by which clause. */
TEST(what_the_clauses_forbid_is_an_error)
{
    static const char *const forbidden[] = {"ftyp.version",       "colr.missing",   "colr.precedence",
                                            "colr.approximation", "cdef.colorless", "ht.outside"};
    for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++) {
        const wvl_check_rule *rule = find_rule(forbidden[i]);
        ck_assert_ptr_nonnull(rule);
        ck_assert_msg(rule->severity == WVL_CHECK_ERROR, "%s is only a warning", forbidden[i]);
    }
}

/* 15444-15 Annex D: only a JPH file whose colour space is not known may do without. */
TEST(an_unknown_space_needs_no_colour_box_in_jph)
{
    static const struct {
        const char *stream;
        int verdict;
    } files[] = {{"jph 40x30x3x8 style=HT levels=2", WVL_CHECK_LEGAL}, {"jp2 40x30x3x8 levels=2", WVL_CHECK_ILLEGAL}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        owned_bytes b = check_make(files[i].stream);
        check_damage(&b, "ihdr @20=01;colr -");
        check_result r = check_walk(&b, NULL);
        ck_assert_int_eq(r.verdict, files[i].verdict);
    }
}

TEST(every_rule_has_a_row)
{
    static const struct {
        const check_row *rows;
        const size_t *count;
    } tables[] = {{check_rows_stream, &check_rows_stream_count}, {check_rows_coding, &check_rows_coding_count},
                  {check_rows_packet, &check_rows_packet_count}, {check_rows_ht, &check_rows_ht_count},
                  {check_rows_boxes, &check_rows_boxes_count},   {check_rows_profiles, &check_rows_profiles_count}};
    size_t count, rows = 0;
    const wvl_check_rule *rules = wvl_check_rules(&count);
    ck_assert_uint_gt(count, 150);
    for (size_t i = 0; i < count; i++) {
        int found = 0;
        for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
            for (size_t k = 0; k < *tables[t].count; k++) {
                found += !strcmp(tables[t].rows[k].rule, rules[i].id);
            }
        }
        ck_assert_msg(found > 0, "no row breaks %s", rules[i].id);
        ck_assert_ptr_eq(find_rule(rules[i].id), &rules[i]); /* no name twice */
        rows += (size_t)found;
    }
    printf("%zu rules, %zu rows\n", count, rows);
}

TEST_MAIN("check_rules")
