/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli.h"

#define WVL_CLI_BOX_BYTES                                                                                              \
    (UINT64_C(1) << 26) /* of a pipe or device that becomes a box; --max-input-bytes replaces it */

typedef enum wvl_cli_content {
    WVL_CLI_ANYTHING,
    WVL_CLI_JPEG2000 /* a pipe or device that does not begin like a codestream or JP2 file is not read to its end */
} wvl_cli_content;

/* All bytes of path ("-": standard input), or of an open descriptor; the caller frees *data. `most` is the limit for
 * what is not a regular file. 0 or an exit code after a message. */
int wvl_cli_read_whole(const char *path, uint64_t most, wvl_cli_content content, uint8_t **data, size_t *bytes);
int wvl_cli_read_descriptor(int fd, const char *name, uint64_t most, wvl_cli_content content, uint8_t **data,
                            size_t *bytes);

/* Says whether the machine has so much memory at all: promises of malloc that it cannot keep are not asked for. */
int wvl_cli_could_hold(uint64_t bytes);

/* The limit that the person set, or else the usual one. */
static inline uint64_t wvl_cli_most_bytes(const wvl_cli_args *args, uint64_t usual)
{
    return args->io.max_input_bytes ? args->io.max_input_bytes : usual;
}
