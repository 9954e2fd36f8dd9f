#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The list of messages can be made: every room has some. Each message has its form: no full stop, no two blanks, nothing that was not filled in; and plain words.
#   test_messages.sh SOURCE
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

cd "$1"
made=$(mktemp)
trap 'rm -f "$made"' EXIT
tools/list_messages . >"$made"
count=$(grep -c '^- ' "$made")
[ "$count" -gt 1000 ] || {
    echo "only $count messages found: tools/list_messages reads the sources wrongly"
    exit 1
}
awk '/^## / { if (room != "" && !found) print room ": no message found"; room = $0; found = 0 }
    /^- / { found = 1 }
    END { if (!found) print room ": no message found" }' "$made" | grep . && exit 1
if grep '^- ' "$made" | grep -nE '[^.]\.`$|  |^- ` | `$|%[a-ce-z]'; then
    echo 'these messages do not have their form: one blank between words, none at the ends, no full stop, every value filled in'
    exit 1
fi
if grep -n -i -E "can not|\\b(is|are|be) told\\b|\\btells?\\b|once more|whoever|so many|where that|of the caller's" "$made"; then
    echo 'these messages are not in plain words (see the words above)'
    exit 1
fi
if grep -n -E "\"[^\"]*(can not|once more|whoever|so many|where that|of the caller's)[^\"]*\"" src/params/table.c src/params/preset.c tools/wavelane/options.c tools/wavelane/commands.c \
    tools/wavelane/help.c docs/wavelane.1.in; then
    echo 'these texts of options and of the manual page are not in plain words'
    exit 1
fi
echo "$count messages"
