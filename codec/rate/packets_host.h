/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets on the host: coded by the workers of the pool from the blocks that a keeper has. The reference for every
 * other source of packets. */
#pragma once

#include "codec/rate/layers.h"

/* The job must stay where it is. */
wvl_packet_source wvl_packets_of_job(wvl_layer_job *job);
/* Sets up the headers of the precincts at work. */
void wvl_packets_open(wvl_layer_job *job);
/* What the committed layers hold of the portion is added to the sums. WVL_CANCELLED: not all of it. */
wvl_status wvl_packets_add_sent(const wvl_layer_job *job, wvl_sent_sums *sums);
