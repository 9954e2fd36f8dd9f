/* SPDX-License-Identifier: BSD-2-Clause */
/* What parent and child say to each other. Both are one program, or of one build. */
#pragma once

#include "guard.h"

#define WVL_GUARD_NAME "wavelane-guard" /* argv[0] of a child */

/* AddressSanitizer and ThreadSanitizer reserve terabytes of addresses, and what they say is for the developer. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WVL_GUARD_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define WVL_GUARD_IS_SANITIZED 1
#endif
#endif
#ifndef WVL_GUARD_IS_SANITIZED
#define WVL_GUARD_IS_SANITIZED 0
#endif

/* Descriptors of a child. */
enum { WVL_GUARD_SOCKET = 3, WVL_GUARD_INPUT, WVL_GUARD_OUTPUT, WVL_GUARD_FIRST_FREE };

/* One message of a socket that keeps their boundaries. */
typedef struct wvl_guard_request {
    char service[16];
    uint64_t input_bytes, parameter_bytes;
    uint8_t parameters[WVL_GUARD_PARAMETER_BYTES];
} wvl_guard_request;

typedef struct wvl_guard_message {
    int kind; /* 0: the call is over, and from a child that has begun: it is ready */
    int status, error;
    int is_bounded; /* by wvl_guard_limit(), not by what the parent itself may take */
    uint64_t output_bytes;
    char text[WVL_GUARD_MESSAGE_BYTES];
} wvl_guard_message;

/* guard.c: writes all bytes at this offset. *done: how many there are. 0, or -1 with errno. */
int wvl_guard_put(int fd, const void *bytes, size_t byte_count, uint64_t at, size_t *done);
/* child.c: serves until the parent is gone; does not return. */
void wvl_guard_serve(const wvl_guard_service *services, size_t count);
