/* SPDX-License-Identifier: BSD-2-Clause */
#include "soft.h"

const soft_others soft_other_kernels = {NULL, NULL, NULL};
