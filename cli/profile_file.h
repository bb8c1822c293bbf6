/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instrumentation profiles that a command reads, and the text it prints of them. */
#ifndef CLI_PROFILE_FILE_H
#define CLI_PROFILE_FILE_H

#include <stdio.h>

#include <anyprof/instr.h>

#include "report.h"

/* The limits of the command line; findings of readers become warnings. */
struct apf_options profile_options(const struct session *session, const struct arguments *args);
/* Opens a profile; MemProf data in it is left out in silence. NULL: reported. */
struct apf_instr *profile_open(const struct session *session, const struct arguments *args, const char *path);

/* The same, for those who want its MemProf data. */
struct apf_instr *profile_open_memory(const struct session *session, const struct arguments *args,
                                      const char *path);

/* Text that a command prints, to -o when all of it is there, so that a file is complete or untouched. */
struct printout {
    const struct session *session;
    FILE *stream; /* to print to */
    const char *path;
    char *text; /* NULL: it goes to standard output */
    size_t n;
};

/* False: reported. */
bool printout_open(struct printout *printout, const struct session *session, const struct arguments *args);
/* Writes it, unless `code` is an exit code for a failure. The exit code. */
int printout_close(struct printout *printout, int code);

#endif
