/* SPDX-License-Identifier: BSD-2-Clause */
/* Locals that are released at the end of their block. A type owned_X is X with that property: of objects of the
 * interface here, of others beside their type. Never return one, and never let one run out of its scope unset. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "wavelane.h"

#define OWNED_BY(release) __attribute__((cleanup(release), unused))

/* Before a pointer to memory of malloc(). */
#define OWNED OWNED_BY(test_release_memory)
static inline void test_release_memory(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

static inline void test_release_context(wvl_context **context) { wvl_context_release(*context); }
static inline void test_release_params(wvl_params **params) { wvl_params_release(*params); }
static inline void test_release_plan(wvl_plan **plan) { wvl_plan_release(*plan); }
static inline void test_release_result(wvl_result **result) { wvl_result_release(*result); }
#define owned_context OWNED_BY(test_release_context) wvl_context
#define owned_params OWNED_BY(test_release_params) wvl_params
#define owned_plan OWNED_BY(test_release_plan) wvl_plan
#define owned_result OWNED_BY(test_release_result) wvl_result
