/* SPDX-License-Identifier: BSD-2-Clause */
/* What a codestream must keep before OpenJPEG may decode it: OpenJPEG decodes some HT blocks that are not legal, and
 * ends its process at others. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "wavelane_check.h"

typedef struct inspection {
    char *reason;
    size_t reason_bytes;
    int is_damaged;
} inspection;

/* Other warnings are of streams that decoders read. */
static void take_issue(void *user, const wvl_check_issue *issue)
{
    inspection *i = user;
    int is_of_blocks = !strncmp(issue->rule, "ht.", 3) && issue->severity == WVL_CHECK_ERROR;
    if (!i->is_damaged && (is_of_blocks || !strcmp(issue->rule, "ht.skipped-bit"))) {
        i->is_damaged = 1;
        snprintf(i->reason, i->reason_bytes, "damaged HT blocks: %s (%s)", issue->text, issue->clause);
    }
}

int wvl_cli_inspect_codestream(const uint8_t *codestream, size_t bytes, char *reason, size_t reason_bytes)
{
    const wvl_check_options options = {.struct_size = sizeof options, .issue_limit = UINT32_MAX};
    inspection i = {reason, reason_bytes, 0};
    (void)wvl_check_codestream(codestream, bytes, &options, take_issue, &i, NULL);
    return i.is_damaged;
}
