/* SPDX-License-Identifier: BSD-2-Clause */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const semaphore_names[4] = {"Global\\client_sent", "Global\\grok_receive_ready", "Global\\grok_sent",
                                               "Global\\client_receive_ready"};
static const char *const memory_names[4] = {"Global\\client_to_grok_message", "Global\\grok_to_client_message",
                                            "Global\\grok_uncompressed_buf", "Global\\grok_compressed_buf"};

void client_clean(void)
{
    for (int i = 0; i < 4; i++) {
        (void)sem_unlink(semaphore_names[i]);
        (void)shm_unlink(memory_names[i]);
    }
}

/* Waits for an object that the program makes. */
static void *open_memory(const char *name, size_t bytes, int makes)
{
    int file = -1;
    struct stat found = {0};
    for (int i = 0; i < 500; i++) {
        file = file < 0 ? shm_open(name, makes ? O_RDWR | O_CREAT : O_RDWR, 0600) : file;
        if (file >= 0 && makes && ftruncate(file, (off_t)bytes)) {
            abort();
        }
        if (file >= 0 && fstat(file, &found) == 0 && (size_t)found.st_size >= bytes) {
            break;
        }
        (void)usleep(10000);
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        abort();
    }
    (void)close(file);
    return memory;
}

static void open_texts(client *c, int makes)
{
    c->to = open_memory(memory_names[0], CLIENT_TEXT, makes);
    c->from = open_memory(memory_names[1], CLIENT_TEXT, makes);
    for (unsigned i = 0; i < 4; i++) {
        sem_t *s = SEM_FAILED;
        for (int waits = 0; waits < 500 && s == SEM_FAILED; waits++) {
            s = makes ? sem_open(semaphore_names[i], O_CREAT, 0600, i % 2) : sem_open(semaphore_names[i], 0);
            (void)usleep(s == SEM_FAILED ? 10000 : 0);
        }
        c->semaphores[i] = s;
    }
}

void client_make(client *c) { open_texts(c, 1); }

void client_start(client *c, const char *program, const char *size, const char *cinema, const char *rate, int shell)
{
    int ends[2];
    char line[2000], source[100];
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    snprintf(source, sizeof source, "GRK_MSGR_BATCH_IMAGE,%s,3,12", size);
    snprintf(line, sizeof line, "%s -batch_src %s -out_fmt j2k -k 1 -G -1 %s %s -j a -J b; exit $?", program, source,
             cinema, rate);
    if (pipe(ends) || (c->server = fork()) < 0) {
        abort();
    }
    if (!c->server) {
        (void)dup2(ends[1], 2);
        (void)close(ends[0]);
        (void)close(ends[1]);
        if (shell) {
            execl("/bin/sh", "sh", "-c", line, NULL);
        }
        execl(program, "grk_compress", "-batch_src", source, "-out_fmt", "j2k", "-k", "1", "-G", "-1", cinema, rate,
              "-j", "a", "-J", "b", NULL);
        _exit(99);
    }
    (void)close(ends[1]);
    c->error_file = ends[0];
}

static int is_gone(const client *c)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)c->server, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

static int wait_for(const client *c, sem_t *s)
{
    for (int waited = 0; waited < CLIENT_LONGEST_MS; waited += 50) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (sem_timedwait(s, &until) == 0) {
            return 1;
        }
        if (is_gone(c)) {
            return sem_trywait(s) == 0; /* a last text may be there */
        }
    }
    abort(); /* it hangs */
}

int client_say(client *c, const char *text)
{
    if (!wait_for(c, c->semaphores[1])) {
        return 0;
    }
    strcpy(c->to, text);
    return sem_post(c->semaphores[0]) == 0;
}

int client_hear(client *c, char *text)
{
    if (!wait_for(c, c->semaphores[2])) {
        return 0;
    }
    strcpy(text, c->from);
    return sem_post(c->semaphores[3]) == 0;
}

int client_begin(client *c)
{
    char text[CLIENT_TEXT];
    unsigned stride;
    if (!c->to) {
        open_texts(c, 0);
    }
    if (!client_hear(c, text)) {
        return 0;
    }
    if (sscanf(text, "GRK_MSGR_BATCH_COMPRESS_INIT,%u,%u,%u,3,12,%zu,%u", &c->width, &stride, &c->height,
               &c->slot_bytes, &c->slots) != 5) {
        abort();
    }
    c->frame_bytes = (size_t)c->width * c->height * 6;
    c->pixels = open_memory(memory_names[2], c->frame_bytes * c->slots, 0);
    c->results = open_memory(memory_names[3], c->slot_bytes * c->slots, 0);
    c->free_slots = c->slots >= 32 ? ~0U : (1U << c->slots) - 1;
    return 1;
}

int client_empty(client *c, unsigned slot)
{
    char text[CLIENT_TEXT];
    snprintf(text, sizeof text, "GRK_MSGR_BATCH_PROCESSSED_COMPRESSED,%u", slot);
    return client_say(c, text);
}

int client_take(client *c, result *r)
{
    char text[CLIENT_TEXT];
    unsigned slot;
    while (client_hear(c, text)) {
        if (sscanf(text, "GRK_MSGR_BATCH_PROCESSED_UNCOMPRESSED,%u", &slot) == 1) {
            c->free_slots |= 1U << slot;
        } else if (sscanf(text, "GRK_MSGR_BATCH_SUBMIT_COMPRESSED,%llu,%u,%zu", &r->id, &r->slot, &r->bytes) == 3) {
            return 1;
        } else {
            abort();
        }
    }
    return 0;
}

int client_submit(client *c, unsigned long long id, const uint16_t *samples)
{
    char text[CLIENT_TEXT];
    unsigned slot = (unsigned)__builtin_ctz(c->free_slots);
    c->free_slots &= ~(1U << slot);
    memcpy((char *)c->pixels + slot * c->frame_bytes, samples, c->frame_bytes);
    snprintf(text, sizeof text, "GRK_MSGR_BATCH_SUBMIT_UNCOMPRESSED,%llu,%u", id, slot);
    return client_say(c, text);
}

int client_wait(client *c, char *printed, size_t room)
{
    int status = 0;
    size_t used = 0;
    for (int waited = 0; !is_gone(c); waited += 10) {
        if (waited >= CLIENT_LONGEST_MS) {
            abort();
        }
        (void)usleep(10000);
    }
    (void)waitpid(c->server, &status, 0);
    for (ssize_t n = 1; n > 0 && used < room - 1; used += (size_t)n) {
        n = read(c->error_file, printed + used, room - 1 - used);
        n = n < 0 ? 0 : n;
    }
    printed[used] = '\0';
    (void)close(c->error_file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
