#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs into an empty folder, and builds and runs the program of README.md against it: with pkg-config (shared and static), with the
# CMake package, and as far as the header goes with a C++ compiler.
#   test_package.sh BUILD SOURCE C-COMPILER
set -eu
. "$(dirname "$0")/../support/shell.sh"

build=$1 source=$2 cc=$3
prefix=$work/prefix

quietly cmake --install "$build" --prefix "$prefix"
# The .pc files find their prefix from where they lie: no path of the configuration, and no --define-prefix.
pc=$(find "$prefix" -name wavelane.pc)
libdir=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH

if grep -q '^prefix=/' "$pc"; then
    echo "$pc keeps the prefix of the configuration: $(grep '^prefix=' "$pc")"
    exit 1
fi
mv "$prefix" "$work/moved" # an installed tree may be moved
prefix=$work/moved
pc=$(find "$prefix" -name wavelane.pc)
libdir=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")
[ -f "$PKG_CONFIG_PATH/wavelane-check.pc" ] || {
    echo 'the header of the walker is installed, but no wavelane-check.pc'
    exit 1
}

mkdir "$work/program"
cd "$work/program"
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/README.md" >example.c
[ -s example.c ] || {
    echo "README.md has no C program"
    exit 1
}

# An encode that succeeded leaves a JP2 signature box and the end-of-codestream marker.
check() {
    [ "$(head -c 12 example.jp2 | od -An -tx1 | tr -d ' \n')" = 0000000c6a5020200d0a870a ] || {
        echo "$1: example.jp2 does not begin like a JP2 file"
        exit 1
    }
    [ "$(tail -c 2 example.jp2 | od -An -tx1 | tr -d ' \n')" = ffd9 ] || {
        echo "$1: example.jp2 does not end like a codestream"
        exit 1
    }
    mv example.jp2 "$1.jp2"
}

flags="-std=c11 -Wall -Wextra -Wpedantic -Werror"
# shellcheck disable=SC2046,SC2086 # compiler flags are words
quietly "$cc" $flags -o shared example.c $(pkg-config --dont-define-prefix --cflags --libs wavelane)
LD_LIBRARY_PATH=$libdir ./shared
check shared
# shellcheck disable=SC2046,SC2086
quietly "$cc" $flags -o static example.c $(pkg-config --dont-define-prefix --cflags wavelane) "$libdir/libwavelane.a" "$libdir/libwavelane-check.a" -lm -pthread
./static
check static

cat >judge.c <<'C'
#include <stdio.h>
#include <wavelane_check.h>
int main(void)
{
    static const unsigned char nothing[4] = {0};
    wvl_check_options options = {.struct_size = sizeof options};
    printf("%d\n", wvl_check_file(nothing, sizeof nothing, &options, NULL, NULL, NULL));
    return 0;
}
C
# shellcheck disable=SC2046,SC2086
quietly "$cc" $flags -o judge judge.c $(pkg-config --dont-define-prefix --cflags --libs wavelane-check)
LD_LIBRARY_PATH=$libdir ./judge >/dev/null

cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES C)
find_package(wavelane 0.2 REQUIRED)
add_executable(by_package example.c)
target_link_libraries(by_package PRIVATE wavelane::wavelane)
add_executable(by_static_package example.c)
target_link_libraries(by_static_package PRIVATE wavelane::static)
CMAKE
quietly cmake -S . -B b -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build b
./b/by_package
check by_package
./b/by_static_package
check by_static_package

# Older than the interface that is kept, and newer than this one.
for version in 0.1 0.99 1.0; do
    mkdir "refused_$version"
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(refused LANGUAGES C)\nfind_package(wavelane %s REQUIRED)\n' $version >"refused_$version/CMakeLists.txt"
    if cmake -S "refused_$version" -B "refused_$version/b" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1; then
        echo "find_package(wavelane $version) is taken"
        exit 1
    fi
done

for other in static by_package by_static_package; do
    cmp shared.jp2 "$other.jp2"
done

printf '#include <wavelane.h>\n#include <wavelane_simple.h>\n#include <wavelane_rows.h>\n#include <wavelane_frames.h>\n#include <wavelane_check.h>\n' >header.c
quietly "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only header.c
if part c++; then
    quietly c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only -x c++ header.c
fi

for file in bin/wavelane share/man/man1/wavelane.1 share/bash-completion/completions/wavelane share/zsh/site-functions/_wavelane; do
    [ ! -x "$prefix/bin/wavelane" ] || [ -s "$prefix/$file" ] || {
        echo "not installed: $file"
        exit 1
    }
done
if [ -x "$prefix/bin/wavelane" ]; then
    "$prefix/bin/wavelane" --version
    "$prefix/bin/wavelane" info shared.jp2 >/dev/null
fi

# What was installed can be taken away again.
quietly cmake --install "$build" --prefix "$work/again"
quietly cmake -DMANIFEST="$build/install_manifest.txt" -P "$source/cmake/uninstall.cmake"
left=$(find "$work/again" ! -type d)
[ -z "$left" ] || {
    echo "uninstall leaves: $left"
    exit 1
}
end_suite 0
