/* SPDX-License-Identifier: BSD-2-Clause */
/* The laboratory's rooms with slots. */
#include "lab/slots/slots.h"

const wvl_slot_list *const wvl_slots_rooms[] = {&wvl_slots_dwt2, &wvl_slots_lattice, NULL};
