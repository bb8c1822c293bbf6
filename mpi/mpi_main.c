/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-mpi: `anyprof merge` on several machines, with Open MPI. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
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
    "  --checkpoint=SECONDS  how long a rank works before it keeps what it has (60): what a failure costs at "
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

static int parse(struct arguments *args, const struct session *session, const struct words *words,
                 bool reports)
{
    const struct command *merge = command_table;
    while (strcmp(merge->name, "merge") != 0)
        merge++;
    const char *const *after = command_words(session, words, reports);
    if (!after)
        return EXIT_USAGE;
    return options_parse(args, session, merge, after, words->n - 1) == PARSE_OK ? 0 : EXIT_USAGE;
}

/* Runs the command on all ranks. Only the root writes messages before it is known that the command is right. */
static int run(struct session *session, struct words *words, int rank)
{
    struct own_options own;
    struct arguments args = {0};
    struct ranks ranks;
    const bool root = rank == 0;
    if (words->n && strcmp(words->data[0], "--version") == 0) {
        if (root)
            version_print(session);
        return 0;
    }
    int code = own_options_take(&own, words, session, root);
    if (code == 0 && own.help) {
        if (root)
            fputs(help, stdout);
        return 0;
    }
    if (code)
        return code;
    ranks_open(&ranks, own.machine, (size_t)own.message_size);
    if (root)
        code = parse(&args, session, words, true);
    code = ranks_worst(&ranks, code);
    if (code == 0 && !root)
        code = parse(&args, session, words, false);
    session->color = option_number(&args, OPT_COLOR, session->color) != 0;
    if (code == 0)
        code = merge_on_ranks(&ranks, session, &args, &own);
    options_free(&args);
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
    struct session session = {.persona = &persona,
                              .color = program_color(),
                              .has_kinds = true,
                              .completes = true,
                              .words = &words,
                              .progress = &progress,
                              .streams = &streams};
    int code = EXIT_USAGE;
    if (words_expand(&words, &session, argc, argv))
        code = run(&session, &words, rank);
    words_free(&words);
    streams_free(&streams);
    code = program_end(&session, code);
    MPI_Finalize();
    return code;
}
