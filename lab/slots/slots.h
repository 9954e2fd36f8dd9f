/* SPDX-License-Identifier: BSD-2-Clause */
/* The laboratory's SIMD slots: a table like the encoder's (tools/slots), for twin.dwt_slots and wavelane-dwt-bench. */
#pragma once

#include "tools/slots/slots.h"

extern const wvl_slot_list wvl_slots_dwt2, wvl_slots_lattice;
