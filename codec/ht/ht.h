/* SPDX-License-Identifier: BSD-2-Clause */
/* HT code block encoder (15444-15). Pure functions. */
#pragma once

#include "codec/core/block.h"
#include "geom/plan.h"

#define WVL_HT_SET_PASSES 3u

/*
 * Passes of a block: none where no magnitude reaches plane cleanup_plane; otherwise sets of a cleanup pass and, as far
 * as max_passes and the plane allow, SigProp and MagRef (geom/handover_pass.h). The cleanup pass is a segment (TERM),
 * the other two are one together. A layer boundary inside a set is not written.
 */
extern const wvl_block_coder wvl_ht_block_coder;
