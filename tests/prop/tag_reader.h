/* SPDX-License-Identifier: BSD-2-Clause */
/* A decoder of tag trees (B.10.2) that shares no code with the library. */
#ifndef TEST_TAG_READER_H
#define TEST_TAG_READER_H

#include <stddef.h>
#include <stdint.h>

typedef struct tag_reader tag_reader;
tag_reader *tag_reader_create(uint32_t cols, uint32_t rows);
void tag_reader_free(tag_reader *tree);
/* Says whether the leaf's value is below threshold; takes bits as needed. */
int tag_reader_below(tag_reader *tree, uint32_t col, uint32_t row, uint32_t threshold, unsigned (*bit)(void *),
                     void *user);

#endif
