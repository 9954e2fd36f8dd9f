#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs the Debian or Ubuntu packages that a build with tests needs, where they are missing. Names after the list are added to it.
#
#   tools/install_packages.sh [PACKAGE ...]
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

set -- build-essential cmake ninja-build pkg-config \
    libtiff-dev libexpat1-dev libpng-dev libdeflate-dev libjpeg-dev libopenexr-dev libopenjp2-7-dev liblcms2-dev zlib1g-dev nettle-dev check libsubunit-dev \
    python3 python3-dev python3-cffi python3-numpy python3-pytest "$@"

if ! command -v apt-get >/dev/null; then
    echo "install_packages: no apt-get here; needed are: $*" >&2
    exit 0
fi

missing=
for package in "$@"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    if [ "$state" != installed ]; then
        missing="$missing $package"
    fi
done
if [ -z "$missing" ]; then
    exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install_packages: missing:$missing; run this as root" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "install_packages: installing$missing" >&2
$as_root apt-get -q update >&2
# shellcheck disable=SC2086 # the list is words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $missing >&2
