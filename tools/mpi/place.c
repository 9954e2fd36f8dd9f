/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a rank stands, and what all ranks must know before the first frame. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "protocol.h"
#include "tools/sequence/lease.h"

#define CHUNK_BYTES (UINT64_C(1) << 26) /* of names in one broadcast: its count is an int */

static _Noreturn void end_without_memory(void)
{
    wvl_cli_error("out of memory; all ranks end");
    (void)MPI_Abort(MPI_COMM_WORLD, WVL_EXIT_DEVICE);
    abort();
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* A message on its way. MPI_Send may wait for a rank that hangs, so none is used. */
typedef struct sending {
    struct sending *next;
    MPI_Request request;
    uint8_t bytes[];
} sending;

static sending *sendings; /* of the one thread that speaks */

static void drop_sent(void)
{
    for (sending **at = &sendings; *at;) {
        sending *s = *at;
        int is_sent = 0;
        MPI_Test(&s->request, &is_sent, MPI_STATUS_IGNORE);
        if (is_sent) {
            *at = s->next;
            free(s);
        } else {
            at = &s->next;
        }
    }
}

void wvl_mpi_send(const void *message, size_t bytes, int rank, wvl_mpi_tag tag)
{
    sending *s = malloc(sizeof *s + bytes);
    if (!s) {
        end_without_memory();
    }
    drop_sent();
    memcpy(s->bytes, message, bytes);
    MPI_Isend(s->bytes, (int)bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &s->request);
    s->next = sendings;
    sendings = s;
}

void wvl_mpi_finish_sending(void)
{
    while (sendings) {
        drop_sent();
    }
}

/* ---- The place ------------------------------------------------------------------------------- */

void wvl_mpi_find_place(wvl_mpi_place *place)
{
    MPI_Comm node;
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0, rank, count, lowest;
    memset(place, 0, sizeof *place);
    MPI_Comm_rank(MPI_COMM_WORLD, &place->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &place->count);
    MPI_Get_processor_name(name, &length);
    snprintf(place->host, sizeof place->host, "%.63s", name);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place->rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &count);
    lowest = place->rank;
    MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    place->is_beside = lowest == 0;
    place->worker = place->rank ? rank - place->is_beside : 0;
    place->workers = place->rank ? count - place->is_beside : 0;
}

/* ---- The source ------------------------------------------------------------------------------ */

static char *join_names(const wvl_cli_directory *d, uint64_t bytes)
{
    char *names = malloc((size_t)bytes + 1), *at = names;
    for (size_t i = 0; names && i < d->count; i++) {
        size_t length = strlen(d->entries[i].input) + 1;
        memcpy(at, d->entries[i].input, length);
        at += length;
    }
    return names;
}

static int split_names(wvl_cli_directory *d, const char *names, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        d->capacity += !names[i];
    }
    d->entries = calloc(d->capacity + 1, sizeof *d->entries);
    for (const char *at = names; d->entries && at < names + bytes; at += strlen(at) + 1) {
        d->entries[d->count].input = strdup(at);
        if (!d->entries[d->count++].input) {
            return 0;
        }
    }
    return d->entries != NULL;
}

int wvl_mpi_share_source(wvl_cli_source *source, wvl_mpi_start *start, int rank)
{
    if (!rank && start->goes_on) {
        start->kind = (int32_t)source->kind;
        start->total = source->total;
        start->begin = source->begin;
        start->count = source->count;
        start->range = source->range;
        for (size_t i = 0; i < source->directory.count; i++) {
            start->name_bytes += strlen(source->directory.entries[i].input) + 1;
        }
    }
    MPI_Bcast(start, (int)sizeof *start, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!start->goes_on) {
        return 0;
    }
    char *names = rank ? malloc((size_t)start->name_bytes + 1) : join_names(&source->directory, start->name_bytes);
    if (!names) {
        end_without_memory();
    }
    for (uint64_t at = 0; at < start->name_bytes; at += CHUNK_BYTES) {
        uint64_t left = start->name_bytes - at;
        MPI_Bcast(names + at, (int)(left < CHUNK_BYTES ? left : CHUNK_BYTES), MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    if (rank) {
        source->kind = (wvl_cli_source_kind)start->kind;
        source->total = start->total;
        source->begin = start->begin;
        source->count = start->count;
        source->range = start->range;
        if (!split_names(&source->directory, names, start->name_bytes)) {
            end_without_memory();
        }
    }
    free(names);
    return 1;
}

uint64_t wvl_mpi_sum_parameters(const wvl_cli_sequence *q)
{
    static wvl_sequence_checksum sums;
    char *text = wvl_cli_describe_parameters(q, &q->options->rate);
    if (!text) {
        end_without_memory();
    }
    wvl_sequence_init_checksum(&sums);
    uint64_t sum = wvl_sequence_sum_bytes(&sums, 0, text, strlen(text));
    free(text);
    return sum;
}

/* ---- The machine ----------------------------------------------------------------------------- */

uint32_t wvl_mpi_share_threads(const wvl_mpi_place *place)
{
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    long bound = sched_getaffinity(0, sizeof set, &set) ? online : CPU_COUNT(&set);
    return wvl_sequence_share_threads((uint32_t)place->workers, online, bound);
}

static uint32_t count_devices(void)
{
    wvl_device_info info = {.struct_size = sizeof info};
    uint32_t count = 0;
    while (wvl_device_describe(count, &info) == WVL_OK && info.usable) {
        count++;
    }
    return count;
}

void wvl_mpi_share_device(const wvl_mpi_place *place, wvl_cli_sequence *q, char *text, size_t room)
{
    const char *device = wvl_params_get(q->run.params, "device");
    device = device ? device : "auto";
    uint32_t count = strcmp(device, "cpu") != 0 ? count_devices() : 0;
    if (wvl_sequence_choose_device(device, (uint32_t)place->worker, count, text, room)) {
        (void)wvl_params_set(q->run.params, "device", text);
    }
}
