#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs what is missing, builds with optimisation, and runs every test.
#
#   tools/test.sh [CMAKE-OPTION ...]
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

cd "$(dirname "$0")/.."
tools/install_packages.sh
cmake --preset test "$@"
cmake --build --preset test -j "$(nproc)"
# One more than there are cores: some suites wait for processes.
ctest --preset test -j "$(($(nproc) + 1))" --output-junit "$PWD/build/test/junit.xml"
