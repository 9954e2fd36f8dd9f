#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs what is missing, builds with optimisation, and runs every test.
#
#   tools/test.sh [CMAKE-OPTION ...]
set -eu

cd "$(dirname "$0")/.."
tools/install_packages.sh
cmake --preset test "$@"
cmake --build --preset test -j "$(nproc)"
ctest --preset test -j "$(nproc)" --output-junit "$PWD/build/test/junit.xml"
