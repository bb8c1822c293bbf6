/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What commands know beside their arguments: exit codes, the name of the program, and the command line. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EXIT_DATA = 1,  /* an input or output is bad */
    EXIT_USAGE = 2, /* the command line is wrong; 1 under the name of another tool */
    /* diff --fail-above, bolt convert --max-lost: it is more; cov --fail-under-*: it is less; the output is complete */
    EXIT_ABOVE = 3
};

/* Another tool that the program works as when its own name begins with the tool's name. */
struct tool {
    const char *name;
    const char *command; /* the only command of the tool; NULL: it has several */
    const char *group;   /* whose commands it has; NULL: those of the table */
    bool is_llvm;        /* it is one of LLVM's, in whose words errors are; else one of AutoFDO's */
    bool has_target;     /* a release after the name, such as "-16", is the default of --for */
    bool plain_errors;   /* errors are "NAME: 'FILE': text." */
    bool named_errors;   /* errors are "NAME: error: FILE: text" */
};

/* The name that the program was called by, and what follows from the name. */
struct persona {
    const char *invoked;     /* argv[0], for "Try: '... --help'" */
    const char *program;     /* the last part of argv[0], in front of usage errors */
    const struct tool *tool; /* NULL: the program is anyprof */
    int usage_exit;          /* exit code for wrong usage */
    char target[32];         /* default of --for: "llvm-16" for llvm-profdata-16, else "auto" */
    bool too_new;            /* the name has a release that is not known: target is the newest known one */
};

struct command;
struct words;
struct progress;
struct streams;
struct kept_messages;
struct names_given_up;

struct session {
    const struct persona *persona;
    bool color; /* of messages */
    /* Of the command, set by run_command, and by anyprof-mpi: */
    const struct command *command;
    bool completes; /* it has --debug-info and --binary-file */
    bool has_kinds; /* it has --instr and --sample */
    /* KIND_INSTR, ...: which of these was given, or, to `show`, --memory; KIND_DETECTED: none */
    uint64_t kind;
    const struct words *words; /* the command line with its response files */
    struct progress *progress;
    struct streams *streams;               /* what was read of standard input and pipes */
    struct kept_messages *kept;            /* NULL, or what has the messages that a page repeats */
    struct names_given_up *names_given_up; /* by demanglers */
};

/* Whether the program works as a tool of LLVM's, and so has LLVM's words for what is wrong. */
static inline bool session_is_llvm(const struct session *session)
{
    return session->persona->tool && session->persona->tool->is_llvm;
}

#endif
