#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every link of a page in Markdown leads to a file that exists, and to a heading that it has; what leads nowhere is found.
#   test_links.sh SOURCE
set -eu
. "$(dirname "$0")/../support/shell.sh"

source=$(absolute "$1")
"$source/tools/lint_links" "$source"

mkdir -p "$work/tree/examples"
cat >"$work/tree/README.md" <<'END'
# A page

[good](examples/page.md#two-words-1) [`code`](examples) [up](#a-page) [other site](https://example.org/none.md)
[no file](examples/none.md) and [no heading](examples/page.md#two-words-2)
`[in code](none)`

    [in code](none)

![no picture](none.svg)
<img src="none.png">
[outside](../page.md)
END
cat >"$work/tree/examples/page.md" <<'END'
## Two words
## Two `words`
```
## Not a heading
[in code](none)
```
[no heading](#not-a-heading)
END
! "$source/tools/lint_links" "$work/tree" >"$work/said" || {
    echo 'links that lead nowhere pass'
    exit 1
}
cat >"$work/expected" <<'END'
README.md:4: examples/none.md does not exist
README.md:4: examples/page.md#two-words-2 is no heading of that page
README.md:9: none.svg does not exist
README.md:10: none.png does not exist
README.md:11: ../page.md does not exist
examples/page.md:7: #not-a-heading is no heading of that page
END
cmp "$work/expected" "$work/said" || {
    diff "$work/expected" "$work/said"
    exit 1
}
