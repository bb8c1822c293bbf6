/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of commands, and searches in it. The lists in command_list.h and option_table.c are the only places
 * that know a command or an option: the parser, help, suggestions, man pages and completions read them. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdint.h>

#include "session.h"

/* Whether this build has the commands and options that need libanyprof-elf: -DANYPROF_ELF. */
#ifdef ANYPROF_WITHOUT_ELF
#define HAS_ELF false
#else
#define HAS_ELF true
#endif

enum command_id {
#define COMMAND(id, ...) COMMAND_##id,
#include "command_list.h"
    COMMAND_COUNT
};

/* A bit for each command, for the sets of commands in the table of options. */
#define COMMAND_BIT(id) ((uint64_t)1 << COMMAND_##id)
#define COMMAND_ALL UINT64_MAX
_Static_assert(COMMAND_COUNT <= 64, "a set of commands has 64 bits");

struct arguments;

struct command {
    uint64_t bit;
    bool hidden;
    bool elf;            /* only builds with ELF have the command; in others it is hidden, too */
    const char *name;    /* one word, or the name of a group and the command's own word */
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *details; /* more lines for the command's own help; may be NULL */
    size_t max_files;    /* most positional arguments */
};

/* Commands of two words that begin with the same word. */
struct command_group {
    const char *name;
    const char *summary; /* one line */
    bool elf;            /* only builds with ELF have its commands */
};

/* The rows of commands are in the order of enum command_id. Each table ends with a row without a name. */
extern const struct command command_table[];
extern const struct command_group group_table[];

/* The command whose name the n words begin with; *n_name is the number of words of the name. NULL: there is none. */
const struct command *command_find(const char *const *words, size_t n, size_t *n_name);
/* Whether this build lacks a command, or the commands of a group. */
bool command_absent(const struct command *command);
bool group_absent(const struct command_group *group);
/* The group of that name, or NULL. */
const struct command_group *group_find(const char *name);
bool command_is_in(const struct command *command, const struct command_group *group);
/* The last word of a command's name. */
const char *command_own_word(const struct command *command);

/* The commands (cmd_*.c), which main.c calls. Each parses the arguments into a request of its own, works on the
 * request, and returns the exit code. */
#define COMMAND(id, hidden, name, usage, summary, details, most, run)                                        \
    int run(const struct session *session, const struct arguments *args);
#include "command_list.h"

#endif
