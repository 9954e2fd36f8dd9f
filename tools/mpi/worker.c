/* SPDX-License-Identifier: BSD-2-Clause */
/* A worker: threads that encode what is leased, and one that speaks with the dispatcher. */
#include <stdlib.h>
#include <time.h>

#include "protocol.h"
#include "tools/sequence/lease.h"

#define NAP_NANOSECONDS 1000000 /* between two looks for messages while threads are at work */

/* An item of a list: leases that came, or answers that wait. */
typedef struct item {
    struct item *next;
    union {
        wvl_mpi_lease lease;
        wvl_mpi_done done;
    } is;
} item;

typedef struct item_list {
    item *first, **end;
} item_list;

typedef struct worker {
    wvl_cli_sequence q;
    size_t seats;
    pthread_mutex_t lock;      /* guards what follows */
    pthread_cond_t came, went; /* a lease or a stop; an answer or the end of the threads */
    item_list leases, answers;
    int is_stopped, has_ended;
} worker;

/* ---- Lists ----------------------------------------------------------------------------------- */

static void open_list(item_list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static void put_item(item_list *list, item *added)
{
    added->next = NULL;
    *list->end = added;
    list->end = &added->next;
}

static item *take_item(item_list *list)
{
    item *taken = list->first;
    if (taken) {
        list->first = taken->next;
        list->end = list->first ? list->end : &list->first;
    }
    return taken;
}

static void end_all(void)
{
    wvl_cli_error("out of memory; all ranks end");
    (void)MPI_Abort(MPI_COMM_WORLD, WVL_EXIT_DEVICE);
    abort();
}

static item *make_item(void)
{
    item *made = calloc(1, sizeof *made);
    if (!made) {
        end_all();
    }
    return made;
}

/* ---- Frames, in threads ---------------------------------------------------------------------- */

static item *await_lease(worker *w)
{
    pthread_mutex_lock(&w->lock);
    while (!w->leases.first && !w->is_stopped) {
        pthread_cond_wait(&w->came, &w->lock);
    }
    item *taken = w->is_stopped ? NULL : take_item(&w->leases);
    pthread_mutex_unlock(&w->lock);
    return taken;
}

static void do_lease(worker *w, const wvl_mpi_lease *lease, wvl_cli_turns *turns)
{
    wvl_cli_frame f;
    item *answer = make_item();
    wvl_cli_hold_errors();
    size_t mark = wvl_cli_mark_messages();
    memset(&f, 0, sizeof f);
    f.place = lease->place;
    f.record.limit_bytes = lease->record.limit_bytes;
    f.told = lease->is_told ? &lease->record : NULL;
    f.may_replace = lease->may_replace;
    f.copy = lease->copy;
    f.comes_again = !lease->is_last;
    wvl_cli_do_frame(&w->q, &f, turns);
    /* Messages of a failure are the dispatcher's: another try may succeed. */
    answer->is.done.place = f.place;
    answer->is.done.state = (int32_t)f.state;
    answer->is.done.code = f.code;
    answer->is.done.is_late = f.is_late;
    answer->is.done.record = f.record;
    answer->is.done.facts = f.facts;
    if (f.code) {
        snprintf(answer->is.done.text, sizeof answer->is.done.text, "%s", wvl_cli_last_error());
        wvl_cli_forget_messages(mark);
    } else {
        wvl_cli_copy_warnings(answer->is.done.text, sizeof answer->is.done.text);
    }
    wvl_cli_release_frame(&w->q, &f);
    wvl_cli_tell_messages();
    wvl_cli_clear_warnings();
    pthread_mutex_lock(&w->lock);
    put_item(&w->answers, answer);
    pthread_cond_signal(&w->went);
    pthread_mutex_unlock(&w->lock);
}

/* One seat: frames until the stop. */
static void run_seat(void *user, wvl_cli_turns *turns, size_t index, void *piece)
{
    worker *w = user;
    item *lease;
    (void)index;
    (void)piece;
    while ((lease = await_lease(w))) {
        do_lease(w, &lease->is.lease, turns);
        free(lease);
    }
}

static void *run_seats(void *arg)
{
    worker *w = arg;
    const wvl_cli_pieces seats = {.count = w->seats, .work = run_seat, .user = w};
    if (!wvl_cli_run_seats(&w->q, &seats)) {
        end_all();
    }
    pthread_mutex_lock(&w->lock);
    w->has_ended = 1;
    pthread_cond_signal(&w->went);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void stop(worker *w, const wvl_mpi_stop *message)
{
    pthread_mutex_lock(&w->lock);
    w->is_stopped = 1;
    pthread_cond_broadcast(&w->came);
    pthread_mutex_unlock(&w->lock);
    if (message->cancels && w->q.run.cancel) {
        wvl_cancel_raise(w->q.run.cancel);
    }
}

/* 1: a message came. */
static int receive(worker *w)
{
    union {
        wvl_mpi_lease leases[WVL_MPI_LEASES];
        wvl_mpi_stop stop;
    } message;
    MPI_Status status;
    int is_there, bytes;
    MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there) {
        return 0;
    }
    MPI_Recv(&message, (int)sizeof message, MPI_BYTE, 0, status.MPI_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (status.MPI_TAG == WVL_MPI_LEASE) {
        pthread_mutex_lock(&w->lock);
        for (size_t i = 0; i < (size_t)bytes / sizeof message.leases[0] && !w->is_stopped; i++) {
            item *added = make_item();
            added->is.lease = message.leases[i];
            put_item(&w->leases, added);
        }
        pthread_cond_broadcast(&w->came);
        pthread_mutex_unlock(&w->lock);
    } else {
        stop(w, &message.stop);
    }
    return 1;
}

/* An answer, or NULL after a short while. *ended: none will come any more. */
static item *await_answer(worker *w, int *ended)
{
    struct timespec until;
    pthread_mutex_lock(&w->lock);
    if (!w->answers.first && !w->has_ended) {
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += NAP_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&w->went, &w->lock, &until);
    }
    item *answer = take_item(&w->answers);
    *ended = !answer && w->has_ended;
    pthread_mutex_unlock(&w->lock);
    return answer;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int open_worker(worker *w, const wvl_mpi_place *place, wvl_mpi_hello *hello)
{
    const wvl_cli_sequence_options *o = w->q.options;
    const wvl_cli_store_request request = {.options = o, .source = &w->q.source, .syncs_each = !place->is_beside};
    int code = wvl_cli_open_run(&w->q.run);
    if (code) {
        return code;
    }
    wvl_mpi_share_device(place, &w->q, hello->device, sizeof hello->device);
    hello->parameters = wvl_mpi_sum_parameters(&w->q);
    w->seats = wvl_cli_count_seats(&w->q);
    w->seats = w->seats < WVL_SEQUENCE_LEASE_SEATS ? w->seats : WVL_SEQUENCE_LEASE_SEATS;
    hello->seats = (uint32_t)w->seats;
    return wvl_cli_open_store(&request, &w->q.store);
}

static void work(worker *w)
{
    pthread_t threads;
    if (pthread_create(&threads, NULL, run_seats, w)) {
        wvl_cli_error("no thread can be started; all ranks end");
        (void)MPI_Abort(MPI_COMM_WORLD, WVL_EXIT_DEVICE);
        abort();
    }
    for (int ended = 0; !ended;) {
        while (receive(w)) {
        }
        item *answer = await_answer(w, &ended);
        if (answer) {
            wvl_mpi_send(&answer->is.done, sizeof answer->is.done, 0, WVL_MPI_DONE);
            free(answer);
        }
    }
    (void)pthread_join(threads, NULL);
}

void wvl_mpi_run_worker(const wvl_mpi_place *place, wvl_cli_sequence_options *options, int parse_code)
{
    static worker w;
    wvl_mpi_start start = {0};
    wvl_mpi_hello hello = {.code = parse_code};
    options->words[0] = options->words[0] ? options->words[0] : "";
    if (!options->args.threads) {
        options->args.threads = wvl_mpi_share_threads(place);
    }
    wvl_cli_init_sequence(&w.q, options);
    w.q.source.name = options->words[0];
    pthread_condattr_t monotonic;
    open_list(&w.leases);
    open_list(&w.answers);
    (void)pthread_mutex_init(&w.lock, NULL);
    (void)pthread_cond_init(&w.came, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&w.went, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    if (wvl_mpi_share_source(&w.q.source, &start, place->rank)) {
        snprintf(hello.host, sizeof hello.host, "%s", place->host);
        hello.code = hello.code ? hello.code : open_worker(&w, place, &hello);
        wvl_mpi_send(&hello, sizeof hello, 0, WVL_MPI_HELLO);
        if (hello.code) {
            /* It could not be opened: the dispatcher knows that, and has its STOP to send. */
            const struct timespec nap = {0, NAP_NANOSECONDS};
            while (!w.is_stopped) {
                if (!receive(&w)) {
                    (void)nanosleep(&nap, NULL);
                }
            }
        } else {
            work(&w);
        }
        wvl_mpi_send(&hello, sizeof hello, 0, WVL_MPI_BYE);
    }
    for (item *left; (left = take_item(&w.leases)) != NULL;) {
        free(left);
    }
    pthread_cond_destroy(&w.went);
    pthread_cond_destroy(&w.came);
    pthread_mutex_destroy(&w.lock);
    wvl_cli_close_sequence(&w.q);
}
