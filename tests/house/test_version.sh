#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The version is the same wherever it is written: CMakeLists.txt, wavelane.h, the newest heading of CHANGELOG.md, CITATION.cff; and the nodes and versions of
# the list of symbols are not newer.
#   test_version.sh SOURCE
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

cd "$1"
wrong=0
version=$(sed -n 's/^project(wavelane VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
# is WHERE VALUE
is() {
    [ "$2" = "$version" ] || {
        echo "$1 says version $2, CMakeLists.txt says $version"
        wrong=1
    }
}
is include/wavelane.h "$(sed -n 's/^#define WVL_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)$/\2/p' include/wavelane.h | paste -sd.)"
is CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"
is CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
for list in packaging/libwavelane0.symbols lab/packaging/libwavelane-dwt0.symbols; do
    is "$list" "$({ sed -n 's/^ .* \([0-9.]*\)$/\1/p' "$list"; echo "$version"; } | sort -V | tail -n 1)"
done
exit $wrong
