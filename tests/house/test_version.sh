#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The version is the same wherever it is written: CMakeLists.txt, wavelane.h, the newest heading of CHANGELOG.md, CITATION.cff; and the nodes and versions of
# the list of symbols are not newer.
#   test_version.sh SOURCE
set -eu
. "$(dirname "$0")/../support/shell.sh"

# check ROOT: prints what differs and returns 1, or prints nothing.
check() (
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
    return $wrong
)

check "$1"
for file in CMakeLists.txt include/wavelane.h CHANGELOG.md CITATION.cff packaging/libwavelane0.symbols lab/packaging/libwavelane-dwt0.symbols; do
    mkdir -p "$work/tree/$(dirname $file)"
    cp "$1/$file" "$work/tree/$file"
done
for file in include/wavelane.h CHANGELOG.md CITATION.cff packaging/libwavelane0.symbols lab/packaging/libwavelane-dwt0.symbols; do
    sed -i 's/^\(#define WVL_VERSION_PATCH \|## 0\.\|version: 0\.\| wvl_encode@[A-Z_0-9.]* \| wvl_dwt1_create@[A-Z_0-9.]* \)[0-9]*/\199/' "$work/tree/$file"
    expect_fault "$file says version" check "$work/tree"
    cp "$1/$file" "$work/tree/$file"
done
