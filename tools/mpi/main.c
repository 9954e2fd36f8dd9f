/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane-mpi: wavelane sequence on the ranks of an MPI job. */
#include <stdlib.h>

#include "protocol.h"

#define USAGE "wavelane-mpi IN OUT [options]"
#define SLOW_SECONDS 30u
#define MOST_SECONDS 1000000u

static const char help[] =
    "usage: mpirun [options of mpirun] " USAGE "\n"
    "\n"
    "Encodes the frames of a sequence on the ranks of an MPI job. Rank 0 gives out frames and keeps the journal, the\n"
    "others encode. With one rank it does the same as wavelane sequence. Inputs and outputs are files that all "
    "machines\n"
    "see under the same names. The bytes do not depend on the number of ranks.\n"
    "\n"
    "  --lease-seconds N   a frame that takes longer than N seconds, and 20 times the median, is encoded by\n"
    "                      a second rank too (30)\n"
    "\n"
    "The other options are those of wavelane sequence:\n"
    "\n";

/* Takes the options of this program out of argv, which then ends earlier. An exit code. */
static int take_own_options(int *argc, char **argv, double *slow_seconds)
{
    static const char name[] = "--lease-seconds";
    int kept = 1;
    uint64_t seconds = SLOW_SECONDS;
    for (int i = 1; i < *argc; i++) {
        size_t length = strlen(name);
        int is_own = !strncmp(argv[i], name, length) && (!argv[i][length] || argv[i][length] == '=');
        if (!is_own) {
            argv[kept++] = argv[i];
            continue;
        }
        const char *value = argv[i][length] ? argv[i] + length + 1 : argv[i + 1 < *argc ? ++i : i];
        if (!wvl_cli_parse_number(value, 1, MOST_SECONDS, &seconds)) {
            return wvl_cli_fail(WVL_EXIT_USAGE, "%s: expected a whole number of seconds from 1 to 1000000", name);
        }
    }
    *argc = kept;
    *slow_seconds = (double)seconds;
    return WVL_EXIT_OK;
}

static int asks_for(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], name)) {
            return 1;
        }
    }
    return 0;
}

static int run_dispatcher(const wvl_mpi_place *place, wvl_cli_sequence_options *options, int code, double slow_seconds)
{
    wvl_mpi_dispatcher d = {.place = place, .slow_seconds = slow_seconds};
    wvl_mpi_start end = {.goes_on = 0};
    wvl_cli_crew crew = {wvl_mpi_dispatch, &d};
    if (!code) {
        options->args.threads = 1; /* rank 0 encodes nothing */
        code = wvl_cli_conduct_sequence(options, &crew);
    }
    if (!d.has_started) {
        (void)wvl_mpi_share_source(NULL, &end, 0);
    }
    if (d.missing) {
        (void)fflush(NULL);
        (void)MPI_Abort(MPI_COMM_WORLD, code);
    }
    return code;
}

/* Rank 0 says what is wrong with the options; the others are silent. Only rank 0 ends with a code. */
static int run(int argc, char **argv, const wvl_mpi_place *place)
{
    static wvl_cli_sequence_options options;
    double slow_seconds = SLOW_SECONDS;
    if (place->rank) {
        wvl_cli_hold_messages();
    }
    int code = take_own_options(&argc, argv, &slow_seconds);
    TRY(code, wvl_cli_parse_sequence(argc, argv, &options));
    wvl_cli_set_verbosity(options.args.quiet ? -1 : options.args.verbose);
    if (place->rank) {
        wvl_cli_forget_messages(0);
        wvl_cli_tell_messages();
        wvl_mpi_run_worker(place, &options, code);
        code = WVL_EXIT_OK;
    } else if (place->count > 1) {
        code = run_dispatcher(place, &options, code, slow_seconds);
    } else {
        TRY(code, wvl_cli_conduct_sequence(&options, NULL));
    }
    wvl_cli_release_sequence_options(&options);
    return code;
}

int main(int argc, char **argv)
{
    wvl_mpi_place place;
    int level, code = WVL_EXIT_OK;
    wvl_cli_enter_guard(argv);
    wvl_cli_catch_signals(); /* before MPI has threads */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    wvl_mpi_find_place(&place);
    int wants_help = asks_for("--help", argc, argv) || asks_for("-h", argc, argv);
    int wants_version = asks_for("--version", argc, argv);
    if (!wants_help && !wants_version) {
        code = run(argc, argv, &place);
    } else if (!place.rank && wants_help) {
        fputs(help, stdout);
        wvl_cli_print_help_of(stdout, "sequence");
    } else if (!place.rank) {
        wvl_cli_print_version(stdout);
    }
    wvl_mpi_finish_sending();
    MPI_Finalize();
    return code;
}
