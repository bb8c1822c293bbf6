/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-mpi: `anyprof merge` on several machines, with Open MPI. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "demangle.h"
#include "help.h"
#include "merge_ranks.h"
#include "program.h"
#include "progress.h"
#include "report.h"
#include "streams.h"

static const char help[] =
    "Usage: mpirun [MPIRUN OPTIONS] anyprof-mpi merge --work-dir=DIR [OPTIONS] -o FILE INPUTS...\n"
    "\n"
    "Does what `anyprof merge` with the same options and inputs does, on many machines: the same output, "
    "messages,\n"
    "report and exit code. Run the same command again after a failure: it goes on from what is finished.\n"
    "\n"
    "  --work-dir=DIR        where finished work is kept until the merge is complete; a few parts for each "
    "rank. All\n"
    "                        ranks see it or, with --local-inputs, those of each machine\n"
    "  --local-inputs        the inputs are files of each machine: its ranks see them, and those of others "
    "do not.\n"
    "                        Messages and the report call them MACHINE:PATH\n"
    "  --machine=NAME        with --local-inputs, the name of this machine; the default is its host name\n"
    "  --checkpoint=TIME     how long a rank works before it keeps what it has (60): what a failure costs at "
    "most\n"
    "  --piece-size=BYTES    how many bytes of inputs are dealt at once; K, M, G multiply it. The default "
    "makes at most\n"
    "                        4096 pieces, of at least 32M\n"
    "  --message-size=BYTES  the longest message between ranks (64M)\n"
    "\n"
    "`anyprof merge --help` has the other options. --delete-inputs is not supported, nor are inputs that are "
    "no files.\n";

/* The words after the command's name, or NULL after a report. */
static const char *const *command_words(const struct session *session, const struct words *words,
                                        bool reports)
{
    if (words->n && strcmp(words->data[0], "merge") == 0)
        return words->data + 1;
    if (reports && words->n)
        report_usage(session, "'%s' is no command of anyprof-mpi: it has merge", words->data[0]);
    else if (reports)
        report_usage(session, "a command is missing: anyprof-mpi merge");
    return NULL;
}

static enum parse_result parse(struct arguments *args, const struct session *session,
                               const struct words *words, bool reports)
{
    const struct command *merge = command_table;
    while (strcmp(merge->name, "merge") != 0)
        merge++;
    const char *const *after = command_words(session, words, reports);
    return after ? options_parse(args, session, merge, after, words->n - 1) : PARSE_WRONG;
}

#define NO_WORK_DIR                                                                                          \
    "--work-dir=DIR is required: finished work is kept there, so that the same command goes on after a "     \
    "failure"

/* What a rank makes of its command line. */
enum state { GOES_ON, IS_DONE, IS_WRONG };

static int of_all(int number, MPI_Op op)
{
    int result;
    MPI_Allreduce(&number, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
    return result;
}

/* Whether all ranks have this number. */
static bool is_same(uint64_t number)
{
    uint64_t least, most;
    MPI_Allreduce(&number, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&number, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return least == most;
}

/* Whether all ranks go on, so that they call the same functions of Open MPI from here on. What is wrong with our own
 * options is reported once, by the first rank that has found it. *code is then the exit code. */
static bool agree(const struct session *session, const struct own_options *own, enum state state, int *code)
{
    int rank, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    const int worst = of_all((int)state, MPI_MAX),
              first_wrong = of_all(state == IS_WRONG ? rank : n, MPI_MIN);
    const bool same_state = is_same((uint64_t)state), same_local = is_same(own->machine != NULL),
               same_sizes = is_same(own->piece_size) & is_same(own->message_size) & is_same(own->checkpoint);
    const bool mixed = !same_state || !same_local || !same_sizes;
    if (first_wrong == rank && own->wrong)
        report_error(session, own->word, "%s", own->wrong);
    else if (worst != IS_WRONG && mixed && rank == 0)
        report_error(session, NULL, "all ranks need the same options of anyprof-mpi, but for --machine");
    *code = worst == IS_WRONG || mixed ? EXIT_USAGE : 0;
    return worst == GOES_ON && !mixed;
}

/* Whether the ranks of each group have the same words: only those of the leader count. */
static bool have_same_words(struct ranks *r, const struct words *words, const char *work_dir)
{
    struct apf_buffer mine = {NULL, 0, 0}, shared = {NULL, 0, 0};
    int differ = apf_buffer_write(&mine, work_dir, strlen(work_dir) + 1);
    for (size_t i = 0; i < words->n; i++)
        differ |= apf_buffer_write(&mine, words->data[i], strlen(words->data[i]) + 1);
    if (ranks_is_leader(r))
        shared = mine;
    ranks_share(r, &shared);
    if (!ranks_is_leader(r)) {
        differ |= mine.n != shared.n || (mine.n && memcmp(mine.data, shared.data, mine.n) != 0);
        apf_buffer_free(&mine);
    }
    apf_buffer_free(&shared);
    return ranks_worst(r, differ != 0) == 0;
}

/* Merges on all ranks. Of a wrong command only the root writes messages. */
static int run_merge(struct session *session, const struct words *words, const struct own_options *own,
                     struct ranks *ranks)
{
    struct arguments args = {0};
    enum parse_result result = PARSE_OK;
    if (own->machine == own->host && (!*own->host || !ranks->is_one_machine)) {
        if (ranks_is_root(ranks))
            report_error(session, NULL, "machines have no names, or the same: give --machine=NAME to each");
        return EXIT_USAGE;
    }
    if (!have_same_words(ranks, words, own->work_dir ? own->work_dir : "")) {
        if (ranks_is_root(ranks))
            report_error(session, NULL, "all ranks%s need the same arguments",
                         own->machine ? " of a machine" : "");
        return EXIT_USAGE;
    }
    if (ranks_is_root(ranks))
        result = parse(&args, session, words, true);
    result = (enum parse_result)ranks_broadcast(ranks, (int)result);
    if (result == PARSE_OK && !ranks_is_root(ranks))
        result = parse(&args, session, words, false);
    int code = result == PARSE_WRONG ? EXIT_USAGE : 0;
    if (ranks_is_root(ranks) && result == PARSE_VERSION)
        version_print(session);
    else if (ranks_is_root(ranks) && (result == PARSE_HELP || result == PARSE_HELP_HIDDEN))
        help_print(session, args.command, result == PARSE_HELP_HIDDEN);
    if (result == PARSE_OK && !(own->work_dir && *own->work_dir)) {
        code = EXIT_USAGE;
        if (ranks_is_root(ranks))
            report_error(session, NULL, NO_WORK_DIR);
    }
    session->command = args.command;
    session->kind = option_number(&args, OPT_KIND, KIND_DETECTED);
    session->color = option_number(&args, OPT_COLOR, session->color) != 0;
    code = ranks_worst(ranks, code);
    if (code == 0 && result == PARSE_OK)
        code = merge_on_ranks(ranks, session, &args, own);
    options_free(&args);
    return code;
}

/* `words_right`: the words were expanded. */
static int run(struct session *session, struct words *words, bool words_right, bool root)
{
    struct own_options own = {.wrong = NULL};
    struct ranks ranks;
    int code;
    enum state state = words_right ? GOES_ON : IS_WRONG;
    const bool version = words->n && strcmp(words->data[0], "--version") == 0;
    if (state == GOES_ON && !version)
        own_options_take(&own, words);
    if (own.wrong)
        state = IS_WRONG;
    else if (version || own.help)
        state = IS_DONE;
    const bool goes_on = agree(session, &own, state, &code);
    if (state == IS_DONE && code == 0 && root) {
        if (version)
            version_print(session);
        else
            fputs(help, stdout);
    }
    if (!goes_on)
        return code;
    ranks_open(&ranks, own.machine, (size_t)own.message_size);
    code = run_merge(session, words, &own, &ranks);
    ranks_close(&ranks);
    return code;
}

int main(int argc, char **argv)
{
    int provided, rank;
    if (!program_begin())
        return EXIT_DATA;
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported; a merge into a file goes on if messages fail */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct persona persona = {
        .invoked = "anyprof-mpi", .program = "anyprof-mpi", .usage_exit = EXIT_USAGE, .target = "auto"};
    struct words words = {0};
    struct progress progress = {0};
    struct streams streams = {0};
    struct names_given_up names = {0};
    struct session session = {.persona = &persona,
                              .color = program_color(),
                              .has_kinds = true,
                              .completes = true,
                              .words = &words,
                              .progress = &progress,
                              .streams = &streams,
                              .names_given_up = &names};
    int code = EXIT_DATA;
    if (provided >= MPI_THREAD_SERIALIZED)
        code = run(&session, &words, words_expand(&words, &session, argc, argv), rank == 0);
    else if (rank == 0)
        report_error(&session, NULL, "this Open MPI was built without threads");
    words_free(&words);
    streams_free(&streams);
    code = program_end(&session, code);
    MPI_Finalize();
    return code;
}
