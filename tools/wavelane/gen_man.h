/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_GEN_MAN_H
#define WVL_TOOLS_GEN_MAN_H

/* Writes the template to standard output, with lists of options in place of @OPTIONS@ and the like. 0, or 1 after a
 * message. */
int wvl_gen_write_man(const char *path);

#endif
