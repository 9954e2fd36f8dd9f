/* SPDX-License-Identifier: BSD-2-Clause */
/* Rank 0: leases frames to workers, keeps the journal, and accounts for frames in their order. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "protocol.h"
#include "tools/sequence/lease.h"

#define SHORT_NAP 50000      /* ns between two looks for messages, while some came lately */
#define LONG_NAP 1000000     /* the same otherwise */
#define LEASE_SECONDS 0.2    /* leases are looked at so often even if no message comes */
#define GOODBYE_SECONDS 10.0 /* for workers that have nothing to do any more */

/* What rank 0 knows while it runs. Worker N of the leases is rank N + 1. */
typedef struct dispatch {
    wvl_cli_sequence *q;
    wvl_mpi_dispatcher *d;
    wvl_sequence_leases *leases;
    wvl_mpi_done **results; /* [window]: of place n at n modulo window; NULL: not there */
    size_t window;
    uint64_t turn;    /* place that is accounted for next */
    int hellos, able; /* workers that have said HELLO; those of them that work */
    int byes;         /* workers that have ended */
    uint64_t parameters;
    int has_stopped; /* a failure or a signal: what is in work is finished */
    double looked;   /* when leases were given last */
    unsigned idle;   /* looks for messages in vain */
} dispatch;

static int worker_count(const dispatch *r) { return r->d->place->count - 1; }

static void end_run(dispatch *r, int code)
{
    r->q->code = r->q->code ? r->q->code : code;
    r->q->stopped = 1;
    r->has_stopped = 1;
    wvl_sequence_stop_leases(r->leases);
}

/* ---- Frames in their order ------------------------------------------------------------------- */

/* Makes what came from a worker, as the frame that it would be here. */
static wvl_cli_frame make_frame(const dispatch *r, const wvl_mpi_done *done)
{
    wvl_cli_frame f;
    memset(&f, 0, sizeof f);
    f.place = done->place;
    f.record = done->record;
    f.record.frame = wvl_cli_frame_number(&r->q->source, done->place);
    f.state = (wvl_cli_frame_state)done->state;
    f.code = done->code;
    f.is_late = done->is_late;
    f.facts = done->facts;
    f.input = wvl_cli_name_input(&r->q->source, f.record.frame);
    f.output = wvl_cli_name_output(r->q->store, f.input, f.record.frame);
    f.name = f.input ? f.input : r->q->source.name;
    return f;
}

static void take_turns(dispatch *r, uint64_t end)
{
    for (; r->turn < end; r->turn++) {
        wvl_mpi_done **at = &r->results[r->turn % r->window];
        if (*at) {
            const wvl_mpi_done *done = *at;
            wvl_cli_frame f = make_frame(r, done);
            if (done->code && done->code != WVL_EXIT_INTERRUPTED && done->text[0]) {
                wvl_cli_error("%s", done->text);
            } else if (!done->code) {
                char text[WVL_MPI_TEXT];
                memcpy(text, done->text, sizeof text);
                wvl_cli_warn_again(f.name, text);
            }
            if (!wvl_cli_account_frame(r->q, &f) && !r->has_stopped) {
                end_run(r, WVL_EXIT_OK);
            }
            wvl_cli_clear_warnings();
            wvl_cli_release_frame(r->q, &f);
        }
        free(*at);
        *at = NULL;
    }
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void take_done(dispatch *r, int rank, const wvl_mpi_done *message)
{
    wvl_sequence_answer answer =
        wvl_sequence_take_answer(r->leases, (uint32_t)rank - 1, message->place, !message->code, wvl_cli_seconds());
    if (answer == WVL_SEQUENCE_ANSWER_AGAIN) {
        wvl_cli_inform("frame %" PRIu64 " failed at rank %d and is tried again: %s",
                       wvl_cli_frame_number(&r->q->source, message->place), rank, message->text);
    }
    if (answer != WVL_SEQUENCE_ANSWER_DONE && answer != WVL_SEQUENCE_ANSWER_FAILED) {
        return;
    }
    wvl_mpi_done *kept = malloc(sizeof *kept);
    if (!kept) {
        wvl_cli_error("out of memory");
        end_run(r, WVL_EXIT_DEVICE);
        return;
    }
    *kept = *message;
    /* A new frame is in its file: the journal gets it at once, whatever the frames before it do. */
    int is_new = kept->state == WVL_CLI_FRAME_ENCODED || kept->state == WVL_CLI_FRAME_BLACK;
    if (is_new) {
        kept->code = wvl_cli_note_frame(r->q->store, &kept->record);
        kept->state = kept->code ? WVL_CLI_FRAME_FAILED : kept->state;
    }
    r->results[kept->place % r->window] = kept;
    take_turns(r, wvl_sequence_first_open(r->leases));
}

static void take_hello(dispatch *r, int rank, const wvl_mpi_hello *hello)
{
    r->hellos++;
    if (!hello->code && hello->parameters != r->parameters) {
        wvl_cli_error("rank %d on %s has another version of wavelane-mpi or other options; start the same program with "
                      "the same options everywhere",
                      rank, hello->host);
        end_run(r, WVL_EXIT_USAGE);
        return;
    }
    if (hello->code) {
        wvl_cli_warn("rank %d on %s cannot work and printed the reason; the others encode its frames", rank,
                     hello->host);
    } else {
        wvl_sequence_add_worker(r->leases, (uint32_t)rank - 1, hello->seats);
        r->able++;
        wvl_cli_inform("rank %d on %s: %" PRIu32 " frames at a time, device %s", rank, hello->host, hello->seats,
                       hello->device);
    }
    if (r->hellos == worker_count(r) && !r->able) {
        wvl_cli_error("no rank can work; each printed its reason above");
        end_run(r, hello->code ? hello->code : WVL_EXIT_DEVICE);
    }
}

/* 1: a message came. */
static int receive(dispatch *r)
{
    union {
        wvl_mpi_done done;
        wvl_mpi_hello hello;
    } message;
    MPI_Status status;
    int is_there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there) {
        return 0;
    }
    MPI_Recv(&message, (int)sizeof message, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    switch (status.MPI_TAG) {
    case WVL_MPI_HELLO: take_hello(r, status.MPI_SOURCE, &message.hello); break;
    case WVL_MPI_DONE: take_done(r, status.MPI_SOURCE, &message.done); break;
    default: r->byes++; break;
    }
    return 1;
}

/* ---- Leases ---------------------------------------------------------------------------------- */

static wvl_mpi_lease make_lease(const dispatch *r, const wvl_sequence_lease *lease)
{
    const wvl_cli_sequence *q = r->q;
    uint64_t number = wvl_cli_frame_number(&q->source, lease->place);
    uint64_t limit = q->limits ? q->limits[lease->place] : 0;
    limit = q->rate ? wvl_sequence_limit_bytes(q->rate, lease->place) : limit;
    const wvl_sequence_record *r0 = wvl_cli_find_record(q->store, number, limit);
    wvl_mpi_lease made = {.place = lease->place, .copy = lease->copy, .is_last = (uint8_t)lease->is_last};
    made.is_told = r0 != NULL;
    made.may_replace = (uint8_t)wvl_cli_may_replace(q->store, number);
    made.record = r0 ? *r0 : (wvl_sequence_record){.frame = number, .limit_bytes = limit};
    return made;
}

static void lease_to(dispatch *r, int rank)
{
    wvl_sequence_lease leases[WVL_MPI_LEASES];
    wvl_mpi_lease message[WVL_MPI_LEASES];
    size_t count = wvl_sequence_take_leases(r->leases, (uint32_t)rank - 1, wvl_cli_seconds(), leases, WVL_MPI_LEASES);
    for (size_t i = 0; i < count; i++) {
        message[i] = make_lease(r, &leases[i]);
        if (leases[i].copy) {
            wvl_cli_inform("frame %" PRIu64 " is slow; rank %d encodes it too", message[i].record.frame, rank);
        }
    }
    if (count) {
        wvl_mpi_send(message, count * sizeof message[0], rank, WVL_MPI_LEASE);
    }
}

/* ---- The run --------------------------------------------------------------------------------- */

static void nap(dispatch *r)
{
    const struct timespec time = {0, r->idle < 100 ? SHORT_NAP : LONG_NAP};
    r->idle++;
    (void)nanosleep(&time, NULL);
}

static void run(dispatch *r)
{
    while (!r->has_stopped && r->turn < r->q->source.count) {
        int came = 0;
        while (!r->has_stopped && receive(r)) {
            came++;
        }
        r->idle = came ? 0 : r->idle;
        if (wvl_cli_was_interrupted()) {
            end_run(r, WVL_EXIT_INTERRUPTED);
        }
        if (came || wvl_cli_seconds() - r->looked > LEASE_SECONDS) {
            r->looked = wvl_cli_seconds();
            if (r->q->rate) {
                wvl_sequence_allow_places(r->leases, wvl_sequence_limit_count(r->q->rate));
            }
            for (int rank = 1; rank <= worker_count(r); rank++) {
                lease_to(r, rank);
            }
        }
        if (!came) {
            nap(r);
        }
    }
}

static int open_dispatch(dispatch *r)
{
    const wvl_sequence_lease_options options = {
        .frames = r->q->source.count, .workers = (uint32_t)worker_count(r), .slow_seconds = r->d->slow_seconds};
    r->window = options.frames < WVL_SEQUENCE_LEASE_WINDOW ? (size_t)options.frames + 1 : WVL_SEQUENCE_LEASE_WINDOW;
    r->leases = wvl_sequence_open_leases(&options);
    r->results = calloc(r->window, sizeof(wvl_mpi_done *));
    r->parameters = wvl_mpi_sum_parameters(r->q);
    return r->leases && r->results;
}

void wvl_mpi_dispatch(wvl_cli_sequence *q, void *dispatcher)
{
    dispatch r = {.q = q, .d = dispatcher};
    if (!open_dispatch(&r)) {
        q->code = wvl_cli_fail(WVL_EXIT_DEVICE, "out of memory");
    } else {
        wvl_mpi_start start = {.goes_on = 1};
        r.d->has_started = 1;
        wvl_cli_arm_signals(q->run.cancel);
        (void)wvl_mpi_share_source(&q->source, &start, 0);
        run(&r);
        int code = wvl_cli_sync_frames(q->store);
        q->code = q->code ? q->code : code;
        /* Until all workers have ended. What they finish still counts. A worker that is stuck is left behind. */
        int is_failure = r.has_stopped && r.q->code != WVL_EXIT_INTERRUPTED;
        const wvl_mpi_stop message = {.cancels = !is_failure};
        double longest = is_failure ? wvl_sequence_slow_seconds(r.leases) : GOODBYE_SECONDS;
        double until = wvl_cli_seconds() + longest;
        for (int rank = 1; rank <= worker_count(&r); rank++) {
            wvl_mpi_send(&message, sizeof message, rank, WVL_MPI_STOP);
        }
        while (r.byes < worker_count(&r) && wvl_cli_seconds() < until) {
            if (!receive(&r)) {
                nap(&r);
            }
        }
        r.d->missing = worker_count(&r) - r.byes;
        if (r.d->missing) {
            wvl_cli_warn("%d ranks do not answer; the job ends without them", r.d->missing);
        }
        take_turns(&r, r.turn + r.window);
        wvl_cli_arm_signals(NULL);
    }
    free(r.results);
    wvl_sequence_close_leases(r.leases);
}
