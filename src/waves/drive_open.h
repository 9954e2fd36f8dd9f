/* SPDX-License-Identifier: BSD-2-Clause */
/* What drive.c, which runs the jobs, asks of drive_open.c. */
#ifndef WVL_DRIVE_OPEN_H
#define WVL_DRIVE_OPEN_H

#include "waves/drive.h"

void wvl_drive_close_station(wvl_drive *drive, uint32_t index);
/* Devices that have not failed with the picture. The reason is in drive->reason. */
wvl_status wvl_drive_open_device(wvl_drive *drive);
wvl_status wvl_drive_open_host(wvl_drive *drive);
/* The CPU takes over, for drive->reason. */
void wvl_drive_tell_fallback(wvl_drive *drive);

#endif
