/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>

#include "walk.h"

static const wvl_check_rule rules[] = {
#define RULE(symbol, id, clause, severity, doc) {id, clause, WVL_CHECK_##severity, doc},
    WVL_CHECK_RULES(RULE) WVL_CHECK_PROFILE_RULES(RULE)
#undef RULE
};

const wvl_check_rule *wvl_check_rule_of(wvl_check_rule_id rule) { return &rules[rule]; }

const wvl_check_rule *wvl_check_rules(size_t *count)
{
    if (count) {
        *count = WVL_RULE_COUNT;
    }
    return rules;
}

static void deliver(wvl_walk *w, const wvl_check_issue *issue)
{
    uint64_t limit = w->options->issue_limit ? w->options->issue_limit : 1000;
    if (issue->severity == WVL_CHECK_ERROR) {
        w->summary->errors++;
    } else {
        w->summary->warnings++;
    }
    if (w->report && w->reported < limit) {
        w->reported++;
        w->report(w->user, issue);
    }
}

static void say(wvl_walk *w, wvl_check_rule_id id, uint64_t offset, const char *format, va_list args)
{
    char text[512];
    const wvl_check_rule *rule = &rules[id];
    vsnprintf(text, sizeof text, format, args);
    wvl_check_issue issue = {w->base + offset, rule->severity, rule->id, rule->clause, NULL, text};
    deliver(w, &issue);
}

int wvl_check_fail(wvl_walk *w, wvl_check_rule_id rule, uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(w, rule, offset, format, args);
    va_end(args);
    return 0;
}

int wvl_check_fail_once(wvl_walk *w, wvl_check_rule_id rule, uint64_t offset, const char *format, ...)
{
    va_list args;
    uint64_t bit = UINT64_C(1) << (rule & 63);
    if (w->tile_reports[rule / 64] & bit) {
        return 0;
    }
    w->tile_reports[rule / 64] |= bit;
    va_start(args, format);
    say(w, rule, offset, format, args);
    va_end(args);
    return 0;
}

void wvl_check_report_profile(wvl_walk *w, const wvl_check_rule *rule, const char *profile, const char *text)
{
    wvl_check_issue issue = {w->base, rule->severity, rule->id, rule->clause, profile, text};
    deliver(w, &issue);
}
