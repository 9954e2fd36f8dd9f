#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the library exports and what it calls.
#   test_symbols.sh SHARED STATIC HEADER DEVICE-CODE     DEVICE-CODE: ON, or OFF for a build without
set -eu

shared=$1 static=$2 header=$3 device_code=$4
status=0

fail() {
    echo "$1"
    status=1
}

exported=$(nm -D --defined-only "$shared" | awk '{ print $3 }' | LC_ALL=C sort)
# A declaration may have its name on the line after its type.
declared=$(grep -v '^ *#' "$header" | tr '\n' ' ' | grep -o 'WVL_API [^(;]*(' | sed 's/($//; s/.*[ *]//' | LC_ALL=C sort)
[ "$(echo "$declared" | wc -l)" -gt 20 ] || fail "$header: few functions found, the test reads it wrongly"
[ "$exported" = "$declared" ] || fail "exports and header differ :
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
