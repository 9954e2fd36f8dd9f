#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds OpenEXRCore from the source archive of PyPI, where the system has none of 3.4 or later.
#
#   plugins/openexr/tests/build_openexr.sh PREFIX
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac
[ $# = 1 ] || { echo "build_openexr.sh: one folder, to install into" >&2; exit 2; }
mkdir -p "$1/include/OpenEXR" "$1/lib"
prefix=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q scikit-build-core pybind11
venv/bin/pip download -q --no-deps --no-build-isolation --no-binary OpenEXR OpenEXR
tar xf openexr-*.tar.gz
cmake -S openexr-*/ -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DBUILD_TESTING=OFF -DOPENEXR_BUILD_TOOLS=OFF -DOPENEXR_BUILD_EXAMPLES=OFF \
    -DOPENEXR_BUILD_PYTHON=OFF
cmake --build build -j "$(nproc)" --target OpenEXRCore
cp openexr-*/src/lib/OpenEXRCore/openexr*.h "$prefix/include/OpenEXR/"
find build -name 'OpenEXRConfig*.h' -exec cp {} "$prefix/include/OpenEXR/" \; -o -name IlmThreadConfig.h -exec cp {} "$prefix/include/OpenEXR/" \;
cp -P build/src/lib/OpenEXRCore/libOpenEXRCore* "$prefix/lib/"
