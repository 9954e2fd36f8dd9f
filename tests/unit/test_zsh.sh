#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# zsh takes the completion that is made for it.
#   test_zsh.sh GEN_DOCS
set -eu
. "$(dirname "$0")/../support/shell.sh"
"$1" zsh >"$work/_wavelane"
if part zsh; then
    zsh -n "$work/_wavelane"
fi
end_suite 0
