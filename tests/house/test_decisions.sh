#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The docs as tools: every anchor of a decision that a file names is in docs/decisions.md, every entry has its date, what, why and what would
# change it and stands in the table of rooms, every page that a file or a link names exists, and README and the page of results keep their
# length and have no overlong rows.
#   test_decisions.sh SOURCE
set -eu
. "$(dirname "$0")/../support/shell.sh"

source=$1
rooms='include src codec cuda conformance tools python tests cmake .ci docs examples packaging lab plugins README.md CHANGELOG.md CONTRIBUTING.md'

# check ROOT: prints "FILE:LINE: what is wrong" and returns 1, or prints nothing.
check() (
    cd "$1"
    wrong=$work/wrong
    : >"$wrong"
    present=
    for room in $rooms; do [ ! -e "$room" ] || present="$present $room"; done

    # One line for each entry: its anchor. The entry itself has four parts.
    grep -oE '^### D-[a-z0-9]+-[0-9]{2} ' docs/decisions.md | cut -d' ' -f2 >"$work/anchors"
    sort "$work/anchors" | uniq -d | sed 's|^|docs/decisions.md:1: two entries have the anchor |' >>"$wrong"
    sed 's/-[0-9]*$//' "$work/anchors" | sort -u | while read -r kind; do
        grep -qF "[$kind](#" docs/decisions.md || echo "docs/decisions.md:1: the table of rooms has no $kind"
    done >>"$wrong"
    awk '
        function flush() {
            if (anchor == "") return
            if (text !~ /[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]\. /) print "docs/decisions.md:" at ": " anchor " has no date"
            if (index(text, "**What.**") == 0) print "docs/decisions.md:" at ": " anchor " does not say what"
            if (index(text, "**Why.**") == 0) print "docs/decisions.md:" at ": " anchor " does not say why"
            if (index(text, "**What would change it.**") == 0) print "docs/decisions.md:" at ": " anchor " does not say what would change it"
        }
        /^## / { flush(); anchor = "" }
        /^### / { flush(); anchor = $2; at = FNR; text = ""; if (anchor !~ /^D-[a-z0-9]+-[0-9][0-9]$/) print "docs/decisions.md:" FNR ": " $2 " is no anchor" }
        { text = text " " $0 }
        END { flush() }' docs/decisions.md >>"$wrong"

    # shellcheck disable=SC2086 # rooms are words
    grep -rnoE '\bD-[a-z][a-z0-9]*-[0-9]{2}\b' $present >"$work/named" || true
    while IFS=: read -r file line anchor; do
        grep -qx "$anchor" "$work/anchors" || echo "$file:$line: docs/decisions.md has no $anchor"
    done <"$work/named" >>"$wrong"

    # The library names decisions by anchors, not by the page.
    grep -rnE 'docs/(decisions|results)\.md' include src codec cuda lab/include lab/dwt2 lab/lattice lab/cuda 2>/dev/null | cut -d: -f1,2 | sed 's|$|: name the entry (D-...), not the page|' >>"$wrong" || true

    # shellcheck disable=SC2086
    grep -rnoE '\bdocs/[A-Za-z0-9_./-]+\.(md|svg|c|1\.in)\b' $present >"$work/pages" || true
    while IFS=: read -r file line page; do
        [ -e "$page" ] || echo "$file:$line: $page does not exist"
    done <"$work/pages" >>"$wrong"

    # Links of the docs, from the folder of the page that has them.
    for page in README.md CONTRIBUTING.md CHANGELOG.md $(find docs cuda packaging examples lab plugins -name '*.md'); do
        grep -noE '\]\([^)#:]+' "$page" 2>/dev/null | sed 's/\](//' | while IFS=: read -r line target; do
            [ -e "$(dirname "$page")/$target" ] || echo "$page:$line: $target does not exist"
        done
    done >>"$wrong"

    keep() { [ "$(wc -l <"$1")" -le "$2" ] || echo "$1:$2: has more than $2 lines"; }
    {
        keep README.md 120
        keep docs/results.md 200
        awk '/^\|/ && length > 320 { print FILENAME ":" FNR ": a row of " length " characters: give its figures columns of their own" }
            length > 500 { print FILENAME ":" FNR ": a line of " length " characters: divide it" }' docs/results.md
    } >>"$wrong"

    cat "$wrong"
    [ ! -s "$wrong" ]
)

check "$source" || exit 1
[ -s "$work/named" ] || {
    echo "no file names a decision"
    exit 1
}
