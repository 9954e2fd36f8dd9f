#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The decisions: every number that a file names has an entry in docs/decisions.md, no number has two, and every entry says why in at most 120 words.
# Every page that a file names exists. README and the page of results keep their length, all pages together 50,000 words, those of the laboratory 8,000
# and those of a plugin 600.
#   test_decisions.sh SOURCE
set -eu
. "$(dirname "$0")/../support/shell.sh"

source=$1
rooms='include src codec cuda conformance tools python tests cmake .ci docs examples packaging lab plugins README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md'

# check ROOT: prints "FILE:LINE: what is wrong" and returns 1, or prints nothing.
check() (
    cd "$1"
    wrong=$work/wrong
    : >"$wrong"
    present=
    for room in $rooms; do [ ! -e "$room" ] || present="$present $room"; done

    # A heading has one number or more, with commas between, and then its title.
    grep -E '^### ' docs/decisions.md | grep -oE '^### (D-[a-z0-9]+-[0-9]{2}, )*D-[a-z0-9]+-[0-9]{2} ' | grep -oE 'D-[a-z0-9]+-[0-9]{2}' >"$work/numbers"
    sort "$work/numbers" | uniq -d | sed 's|^|docs/decisions.md:1: two entries have the number |' >>"$wrong"
    awk '
        function flush() {
            if (heading == "") return
            if (heading !~ /^(D-[a-z0-9]+-[0-9][0-9], )*D-[a-z0-9]+-[0-9][0-9] [A-Z0-9`]/) print "docs/decisions.md:" at ": the heading is no list of numbers and a title"
            if (!why) print "docs/decisions.md:" at ": the entry does not say why"
            if (words > 120) print "docs/decisions.md:" at ": the entry has " words " words, more than 120"
        }
        /^##/ { flush(); heading = "" }
        /^### / { heading = substr($0, 5); at = FNR; words = 0; why = 0; next }
        /^\*\*Why:\*\* / { why = 1 }
        { words += NF }
        END { flush() }' docs/decisions.md >>"$wrong"

    # shellcheck disable=SC2086 # rooms are words
    grep -rnoE '\bD-[a-z][a-z0-9]*-[0-9]{2}\b' $present | grep -v '^docs/decisions.md:' >"$work/named" || true
    # References within the entries count too; the list of numbers that went does not.
    sed '/^## Numbers that went/,$d' docs/decisions.md | grep -noE '\bD-[a-z][a-z0-9]*-[0-9]{2}\b' | sed 's|^|docs/decisions.md:|' >>"$work/named"
    while IFS=: read -r file line number; do
        grep -qx "$number" "$work/numbers" || echo "$file:$line: docs/decisions.md has no $number"
    done <"$work/named" >>"$wrong"

    # The library names decisions by numbers, not by the page.
    grep -rnE 'docs/(decisions|results)\.md' include src codec cuda lab/include lab/dwt2 lab/lattice lab/cuda 2>/dev/null | cut -d: -f1,2 | sed 's|$|: name the entry (D-...), not the page|' >>"$wrong" || true

    # shellcheck disable=SC2086
    grep -rnoE '\bdocs/[A-Za-z0-9_./-]+\.(md|svg|c|1\.in)\b' $present >"$work/pages" || true
    while IFS=: read -r file line page; do
        [ -e "$page" ] || echo "$file:$line: $page does not exist"
    done <"$work/pages" >>"$wrong"

    keep() { [ "$(wc -l <"$1")" -le "$2" ] || echo "$1:$2: has more than $2 lines"; }
    # keep_words WHAT MOST PAGE...
    keep_words() {
        what=$1 most=$2
        shift 2
        words=$(cat "$@" | wc -w)
        [ "$words" -le "$most" ] || echo "$1:1: $what has $words words, more than $most"
    }
    {
        keep README.md 120
        keep docs/results.md 200
        awk '/^\|/ && length > 320 { print FILENAME ":" FNR ": a row of " length " characters: give its figures columns of their own" }
            length > 500 { print FILENAME ":" FNR ": a line of " length " characters: divide it" }' docs/results.md
        # shellcheck disable=SC2046
        keep_words 'all Markdown outside lab and plugins' 50000 $(find $present -name '*.md' ! -path 'lab/*' ! -path 'plugins/*' | sort)
        [ ! -d lab ] || keep_words 'the laboratory' 8000 $(find lab -name '*.md')
        for page in plugins/*/README.md; do
            [ ! -e "$page" ] || keep_words 'the page of a plugin' 600 "$page"
        done
    } >>"$wrong"

    cat "$wrong"
    [ ! -s "$wrong" ]
)

check "$source" || exit 1
[ -s "$work/named" ] || {
    echo "no file names a decision"
    exit 1
}

# What must be found, is: an entry that is too long or says no reason, two entries of a number, a citation without entry, also of a number that went.
d=D-a # not written out: this file is searched too
mkdir -p "$work/tree/docs" "$work/tree/src"
cd "$work/tree"
: >README.md
: >docs/results.md
echo "/* $d-01, $d-03, $d-04 */" >src/a.c
{
    printf '# Decisions\n\n### %s, %s A title\nWhat.\n\n**Why:** It is so (%s).\n\n### %s Another\nNo reason.\n\n### %s Long\n**Why:** ' $d-01 $d-02 $d-05 $d-02 $d-03
    awk 'BEGIN { for (i = 0; i < 121; i++) printf "word " }'
    printf '\n\n## Numbers that went\n\n%s.\n' $d-04
} >docs/decisions.md
check "$work/tree" >"$work/said" && {
    echo "a tree of mistakes passes"
    exit 1
}
for text in "two entries have the number $d-02" 'does not say why' 'more than 120' "a.c:1: docs/decisions.md has no $d-04" "decisions.md:6: docs/decisions.md has no $d-05"; do
    grep -q "$text" "$work/said" || {
        echo "not found: $text"
        exit 1
    }
done
[ "$(wc -l <"$work/said")" -eq 5 ] || {
    echo "found too much:"
    cat "$work/said"
    exit 1
}
