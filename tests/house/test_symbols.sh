#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the library exports and what it calls.
#   test_symbols.sh SHARED OTHER STATIC DEVICE-CODE SYMBOLS HEADER...
# OTHER: another shared library that SYMBOLS lists, or SHARED again. DEVICE-CODE: ON, or OFF for a build without. SYMBOLS: what the libraries exported when they were last released,
# in Debian's format. HEADER...: those of the library.
set -eu
. "$(dirname "$0")/../support/shell.sh"

shared=$1 other=$2 static=$3 device_code=$4 symbols=$5
shift 5
status=0

fail() {
    echo "$1"
    status=1
}

# names_of SHARED: what it exports, as NAME@VERSION; the versions themselves are names too.
names_of() { nm -D --defined-only "$1" | awk '{ sub(/@@/, "@", $3); print $3 ($3 ~ /@/ ? "" : "@" $3) }' | LC_ALL=C sort; }

# only_in A B TEXT: the lines of file A that B lacks.
only_in() { LC_ALL=C comm -23 "$1" "$2" | sed "s|\$|  <- $3|"; }

# compare_symbols SHARED SYMBOLS: what was exported is exported still, by the same version, and nothing is unlisted.
compare_symbols() {
    names_of "$1" >"$work/now"
    awk -v library="$(readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')" '
        !/^ / { on = $1 == library }
        /^ / && on { print $1 }' "$2" | LC_ALL=C sort >"$work/then"
    [ -s "$work/then" ] || echo "$2 lists nothing of $1"
    only_in "$work/then" "$work/now" "gone; a name never leaves its version"
    only_in "$work/now" "$work/then" "new: list it in $2"
}

for library in "$shared" "$other"; do
    differ=$(compare_symbols "$library" "$symbols")
    [ -z "$differ" ] || fail "$library and $symbols differ:
$differ"
done
# Both kinds of difference are noticed.
awk '/^ wvl_/ && ++n == 1 { next } n == 2 { sub(/@[A-Z_]*/, "&9") } { print }' "$symbols" >"$work/changed"
[ "$(compare_symbols "$shared" "$work/changed" | wc -l)" -eq 3 ] || fail 'a changed list of symbols was not noticed'

exported=$(names_of "$shared" | grep -v '^WAVELANE_' | sed 's/@.*//')
# A declaration may have its name on the line after its type.
declared=$(cat "$@" | grep -v '^ *#' | tr '\n' ' ' | grep -o 'WVL_API [^(;]*(' | sed 's/($//; s/.*[ *]//' | LC_ALL=C sort)
[ "$(echo "$declared" | wc -l)" -gt 10 ] || fail "$*: few functions found, the test reads it wrongly"
[ "$exported" = "$declared" ] || fail "exports and headers differ :
$(echo "$exported" | while read -r name; do echo "$declared" | grep -qx "$name" || echo "  only exported: $name"; done
    echo "$declared" | while read -r name; do echo "$exported" | grep -qx "$name" || echo "  only declared: $name"; done)"

foreign=$(nm -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^wvl_/ { print $3 }')
[ -z "$foreign" ] || fail "the archive defines names without the prefix: $foreign"

# The library never prints, exits, aborts, asserts, signals, reads the environment or changes the process's locale, and no byte may
# depend on libm beyond what is exact (log10 serves reports only).
forbidden='exit _exit _Exit quick_exit abort __assert_fail raise kill signal sigaction
printf fprintf vprintf vfprintf puts fputs putchar putc fputc perror stdout stderr stdin __printf_chk __fprintf_chk __vfprintf_chk
getenv secure_getenv setenv putenv setlocale atexit system popen fork rand srand random
pow powf exp expf exp2 log logf log2 log2f sin cos tan sincos'
called=$(nm -D --undefined-only "$shared" | awk '{ sub(/@.*/, "", $2); print $2 }')
for name in $forbidden; do
    if echo "$called" | grep -qx "$name"; then
        fail "the library calls $name"
    fi
done

# The driver is found at run time, and only by a build that has code for it.
[ "$device_code" = ON ] || for name in dlopen dlsym dlclose; do
    if echo "$called" | grep -qx "$name"; then
        fail "a build without device code calls $name"
    fi
    if nm -g --undefined-only "$static" | awk '{ print $2 }' | grep -qx "$name"; then
        fail "the archive of a build without device code calls $name"
    fi
done

for needed in $(readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $needed in
    libc.so.* | libm.so.* | libpthread.so.* | ld-linux*) ;;
    *) fail "the library needs $needed" ;;
    esac
done
[ "$status" -ne 0 ] || echo "$(echo "$exported" | wc -l) exports, all declared; $(echo "$called" | wc -l) names taken from outside, none forbidden"
exit "$status"
