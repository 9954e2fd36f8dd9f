/* SPDX-License-Identifier: BSD-2-Clause */
/* DCP-o-matic's part: frames in, results out. It has names and texts of its own, from the same facts as the program,
 * and shares no line with it. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

enum { CLIENT_LONGEST_MS = 60000, CLIENT_TEXT = 256 };

typedef struct client {
    pid_t server;
    char *to, *from; /* texts */
    void *semaphores[4];
    uint16_t *pixels;
    unsigned char *results;
    size_t frame_bytes, slot_bytes;
    unsigned width, height, slots;
    unsigned free_slots; /* a bit for each slot of pixels */
    int error_file;      /* what the program prints */
} client;

typedef struct result {
    unsigned long long id;
    unsigned slot;
    size_t bytes;
} result;

/* Removes all names of former runs. */
void client_clean(void);
/* Makes the objects; without it the program makes them. */
void client_make(client *c);
/* Starts the program, with the size and rate of these arguments; through a shell as popen() does, if `shell` is 1. */
void client_start(client *c, const char *program, const char *size, const char *cinema, const char *rate, int shell);
/* Takes the text that says slots, and opens the buffers. 0: the program ended instead. */
int client_begin(client *c);
/* 0: the program ended. */
int client_say(client *c, const char *text);
int client_hear(client *c, char *text);
/* Gives a frame to a free slot; there must be one. */
int client_submit(client *c, unsigned long long id, const uint16_t *samples);
/* The next result; the caller empties its slot by client_empty(). 0: the program ended. */
int client_take(client *c, result *r);
int client_empty(client *c, unsigned slot);
/* Waits for the end of the program; its status, and what it printed. */
int client_wait(client *c, char *printed, size_t room);
