/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's rooms with slots. */
#include "tools/slots/slots.h"

const wvl_slot_list *const wvl_slots_rooms[] = {&wvl_slots_dwt, &wvl_slots_front, &wvl_slots_t1,
                                                &wvl_slots_ht,  &wvl_slots_rdoq,  NULL};
