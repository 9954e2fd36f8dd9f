/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TRY_H
#define WVL_TRY_H

/* Makes the call unless one before it failed. 0 is success in every enum of statuses. */
#define TRY(status, call) ((status) = (status) ? (status) : (call))

#endif
