#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs what is missing, builds with optimisation, and runs the tests. Ends with the names of those that it left out.
#
#   tools/test.sh [--all] [CMAKE-OPTION ...]
#
# It leaves out the slow suites that tests/slow_suites names, and on a machine without a GPU the device code. --all: all suites and device code, as .ci/run does.
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

cd "$(dirname "$0")/.."
all=no
[ "${1:-}" != --all ] || { all=yes && shift; }
slow=$(sed '/^#/d; s/ .*//' tests/slow_suites)
tools/install_packages.sh
[ $all = yes ] || [ -e /dev/nvidiactl ] || set -- -DWVL_CUDA=OFF "$@"
cmake --preset test "$@"
cmake --build --preset test -j "$(nproc)"
[ $all = yes ] && set -- || set -- -E "^($(echo "$slow" | paste -s -d '|'))\$"
# One more than there are cores: some suites wait for processes.
status=0
ctest --preset test -j "$(($(nproc) + 1))" --output-junit "$PWD/build/test/junit.xml" "$@" || status=$?
[ $all = yes ] || echo "Left to tools/test.sh --all:" $slow
exit $status
