/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory, semaphores and texts. No wait is without end: each looks at the client again and again. */
#include "seam.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The other side may have made the object a moment ago, and give it its size now. */
static size_t wait_for_size(int file, size_t bytes)
{
    const struct timespec pause = {0, 20000000};
    struct stat found = {0};
    for (int waited = 0; fstat(file, &found) == 0 && (size_t)found.st_size < bytes && waited < SEAM_OPENING_MS;
         waited += 20) {
        (void)nanosleep(&pause, NULL);
    }
    return (size_t)found.st_size;
}

/* Takes all pages now: memory that is short would else end the process at its first use. */
static int give_size(int file, size_t bytes)
{
    int failed = posix_fallocate(file, 0, (off_t)bytes);
    errno = failed;
    return failed;
}

int seam_open_memory(seam_memory *m, const char *name, size_t bytes, int makes, char *error)
{
    int file = shm_open(name, O_RDWR, 0600);
    *m = (seam_memory){.name = name};
    if (file < 0 && errno == ENOENT && makes) {
        file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        m->is_made_here = file >= 0;
        file = file < 0 && errno == EEXIST ? shm_open(name, O_RDWR, 0600) : file;
    }
    if (file < 0 || (m->is_made_here && give_size(file, bytes))) {
        snprintf(error, SEAM_ERROR_BYTES, "shared memory \"%s\" of %zu bytes: %s", name, bytes, strerror(errno));
    } else if ((m->bytes = wait_for_size(file, bytes)) < bytes) {
        snprintf(error, SEAM_ERROR_BYTES, "shared memory \"%s\" has %zu bytes; %zu are needed", name, m->bytes, bytes);
    } else {
        m->data = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (m->data == MAP_FAILED) {
            m->data = NULL;
            snprintf(error, SEAM_ERROR_BYTES, "shared memory \"%s\": %s", name, strerror(errno));
        }
    }
    if (file >= 0) {
        (void)close(file);
    }
    if (!m->data) {
        seam_close_memory(m);
    }
    return m->data ? 0 : -1;
}

void seam_close_memory(seam_memory *m)
{
    if (m->data) {
        (void)munmap(m->data, m->bytes);
    }
    if (m->is_made_here) {
        (void)shm_unlink(m->name);
    }
    *m = (seam_memory){0};
}

/* ---- Boxes for texts ------------------------------------------------------------------------- */

static sem_t *open_semaphore(const char *name, unsigned value, int *is_made_here, char *error)
{
    sem_t *semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, value);
    *is_made_here = semaphore != SEM_FAILED;
    if (semaphore == SEM_FAILED && errno == EEXIST) {
        semaphore = sem_open(name, 0);
    }
    if (semaphore == SEM_FAILED) {
        snprintf(error, SEAM_ERROR_BYTES, "semaphore \"%s\": %s", name, strerror(errno));
        return NULL;
    }
    return semaphore;
}

static int open_box(seam_box *box, const char *text, const char *sent, const char *ready, char *error)
{
    if (seam_open_memory(&box->text, text, SEAM_TEXT_BYTES, 1, error)) {
        return -1;
    }
    box->sent_name = sent;
    box->ready_name = ready;
    box->sent = open_semaphore(sent, 0, &box->is_sent_made_here, error);
    box->ready = box->sent ? open_semaphore(ready, 1, &box->is_ready_made_here, error) : NULL;
    return box->ready ? 0 : -1;
}

static void close_semaphore(sem_t *semaphore, const char *name, int is_made_here)
{
    if (semaphore) {
        (void)sem_close(semaphore);
    }
    if (is_made_here) {
        (void)sem_unlink(name);
    }
}

static void close_box(seam_box *box)
{
    close_semaphore(box->sent, box->sent_name, box->is_sent_made_here);
    close_semaphore(box->ready, box->ready_name, box->is_ready_made_here);
    seam_close_memory(&box->text);
    *box = (seam_box){0};
}

/* The parent of a process; name gets what it runs. 0: not known. */
static pid_t read_parent(pid_t process, char name[32])
{
    char path[64], line[256];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    const char *text = file ? fgets(line, sizeof line, file) : NULL;
    const char *end = text ? strrchr(text, ')') : NULL;
    if (!end || sscanf(text, "%*d (%31[^)]", name) != 1 || sscanf(end, ") %*c %d", &parent) != 1) {
        name[0] = '\0';
        parent = 0;
    }
    if (file) {
        (void)fclose(file);
    }
    return parent;
}

int seam_open(seam *s, char *error)
{
    char name[32];
    s->parent = getppid();
    s->client = read_parent(s->parent, name);
    /* system() and popen() put a shell between, which lives on without the client. */
    if (strcmp(name, "sh") != 0 && strcmp(name, "dash") != 0) {
        s->client = 0;
    }
    return open_box(&s->in, SEAM_PREFIX "client_to_grok_message", SEAM_PREFIX "client_sent",
                    SEAM_PREFIX "grok_receive_ready", error) ||
                   open_box(&s->out, SEAM_PREFIX "grok_to_client_message", SEAM_PREFIX "grok_sent",
                            SEAM_PREFIX "client_receive_ready", error)
               ? -1
               : 0;
}

void seam_close(seam *s)
{
    close_box(&s->in);
    close_box(&s->out);
}

int seam_client_lives(const seam *s)
{
    char name[32];
    return getppid() == s->parent && (!s->client || read_parent(s->parent, name) == s->client);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static int wait_for(seam *s, sem_t *semaphore, int ends)
{
    for (int waited = 0; !s->stop; waited += SEAM_POLL_MS) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += SEAM_POLL_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        if (sem_timedwait(semaphore, &until) == 0) {
            return 0;
        }
        if (!seam_client_lives(s) || (ends && s->goodbye && waited >= SEAM_GOODBYE_MS)) {
            return -1;
        }
    }
    return -1;
}

int seam_send(seam *s, const char *text)
{
    if (wait_for(s, s->out.ready, 1)) {
        return -1;
    }
    snprintf(s->out.text.data, SEAM_TEXT_BYTES, "%s", text);
    return sem_post(s->out.sent);
}

int seam_receive(seam *s, char *text)
{
    if (wait_for(s, s->in.sent, 0)) {
        return -1;
    }
    snprintf(text, SEAM_TEXT_BYTES, "%.*s", SEAM_TEXT_BYTES - 1, (const char *)s->in.text.data);
    return sem_post(s->in.ready);
}
