/* SPDX-License-Identifier: BSD-2-Clause */
/* Refusals of legal options: they follow from packets and bytes, which the generator does not know. */
#pragma once

#include "case.h"
#include "wavelane.h"

/* Finds what explains that a case was refused, as a number below fuzz_refusal_count(); -1: nothing does. */
int fuzz_refusal_find(const fuzz_case *c, wvl_status status, const char *error);
size_t fuzz_refusal_count(void);
/* For summaries. */
const char *fuzz_refusal_name(size_t index);
