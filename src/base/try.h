/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Makes the call unless one before it failed. 0 is success in every enum of statuses. */
#define TRY(status, call) ((status) = (status) ? (status) : (call))
