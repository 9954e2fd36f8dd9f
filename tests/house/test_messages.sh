#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs/messages.md is what tools/list_messages finds in the sources, and the texts keep to plain words.
#   test_messages.sh SOURCE
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

cd "$1"
made=$(mktemp)
trap 'rm -f "$made"' EXIT
tools/list_messages . >"$made"
if ! cmp -s "$made" docs/messages.md; then
    echo 'docs/messages.md is not up to date; run: tools/list_messages > docs/messages.md'
    diff docs/messages.md "$made" | head -n 20
    exit 1
fi
count=$(grep -c '^- ' "$made")
[ "$count" -gt 300 ] || {
    echo "only $count messages found: tools/list_messages reads the sources wrongly"
    exit 1
}
if grep -n -i -E "can not|\\b(is|are|be) told\\b|\\btells?\\b|once more|whoever|so many|where that|of the caller's" "$made"; then
    echo 'these messages are not in plain words (see the words above)'
    exit 1
fi
if grep -n -E "\"[^\"]*(can not|once more|whoever|so many|where that|of the caller's)[^\"]*\"" src/params/table.c src/params/preset.c tools/wavelane/options.c tools/wavelane/commands.c \
    tools/wavelane/help.c docs/wavelane.1.in; then
    echo 'these texts of options and of the manual page are not in plain words'
    exit 1
fi
echo "$count messages, as listed"
