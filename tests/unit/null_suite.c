/* SPDX-License-Identifier: BSD-2-Clause */
#include "null_suite.h"

#include <ctype.h>
#include <dirent.h>

#include "tests/support/support.h"
#include "wavelane.h"

static const null_suite *suite;

START_TEST(null_is_an_error_or_nothing)
{
    const null_row *r = &suite->rows[_i];
    for (int null = 0; null < r->pointers; null++) {
        void *bench = calloc(1, suite->bench_bytes);
        ck_assert_ptr_nonnull(bench);
        suite->open(bench);
        int status = r->call(bench, null);
        ck_assert_msg((status == WVL_ERROR_ARGUMENT) == (r->needed >> null & 1), "%s: pointer %d is NULL: %d", r->name,
                      null, status);
        suite->close(bench);
        free(bench);
    }
}

/* ---- What headers declare -------------------------------------------------------------------- */

static char *read_header(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", suite->folder, name);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s cannot be read", path);
    char *text = calloc(1, 1 << 20);
    ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, f), 0);
    (void)fclose(f);
    for (char *at; (at = strstr(text, "/*")) != NULL;) { /* comments become blanks */
        char *end = strstr(at, "*/");
        memset(at, ' ', (size_t)(end + 2 - at));
    }
    return text;
}

static const null_row *find_row(const char *name, size_t length)
{
    for (int i = 0; i < (int)suite->row_count; i++) {
        if (strlen(suite->rows[i].name) == length && !strncmp(suite->rows[i].name, name, length)) {
            return &suite->rows[i];
        }
    }
    return NULL;
}

/* Counts in a list of parameters those with a star, and functions by the names of their types. */
static int count_pointers(const char *at, const char *end)
{
    int count = 0, is_pointer = 0;
    for (; at <= end; at++) {
        if (at == end || *at == ',') {
            count += is_pointer;
            is_pointer = 0;
        } else {
            is_pointer |= *at == '*' || (end - at > 4 && !strncmp(at, "_fn ", 4));
        }
    }
    return count;
}

/* at: behind the mark of a declaration. Returns 1 if it declares a function. */
static int check_declaration(const char *header, const char *at)
{
    const char *open = at + strcspn(at, "(;#"), *name = open;
    if (*open != '(') {
        return 0;
    }
    while (isalnum((unsigned char)name[-1]) || name[-1] == '_') {
        name--;
    }
    const null_row *r = find_row(name, (size_t)(open - name));
    ck_assert_msg(r != NULL, "%s: %.*s has no row in this suite", header, (int)(open - name), name);
    int pointers = count_pointers(open + 1, open + strcspn(open, ";"));
    ck_assert_msg(r->pointers == pointers, "%s has %d pointers, and its row %d", r->name, pointers, r->pointers);
    return 1;
}

static int check_header(const char *header)
{
    static const char *const marks[2] = {"\nWVL_API ", "\nWVL_CHECK_API "};
    char *text = read_header(header);
    int count = 0;
    for (int m = 0; m < 2; m++) {
        for (const char *at = text; (at = strstr(at, marks[m])) != NULL; at++) {
            count += check_declaration(header, at + strlen(marks[m]));
        }
    }
    free(text);
    return count;
}

TEST(every_function_has_a_row)
{
    DIR *folder = opendir(suite->folder);
    ck_assert_ptr_nonnull(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *end = strrchr(entry->d_name, '.');
        count += end && !strcmp(end, ".h") ? check_header(entry->d_name) : 0;
    }
    (void)closedir(folder);
    ck_assert_int_eq(count, suite->row_count);
}

int null_suite_run(const null_suite *s)
{
    suite = s;
    test_register(null_is_an_error_or_nothing, "null", 0, (int)s->row_count);
    return test_run_suite(s->name);
}
