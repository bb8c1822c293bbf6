/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of commands, and searches in it. The tables in commands.c and option_table.c are the only places that
 * know a command or an option: the parser, help, suggestions, man pages and completions read them. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdint.h>

#include "session.h"

/* A bit for each command, for the sets of commands in the table of options. */
#define COMMAND_MERGE ((uint32_t)1 << 0)
#define COMMAND_SHOW ((uint32_t)1 << 1)
#define COMMAND_HELP ((uint32_t)1 << 2)
#define COMMAND_VERSION ((uint32_t)1 << 3)
#define COMMAND_PROBES_DESC ((uint32_t)1 << 4)
#define COMMAND_PROBES_LIST ((uint32_t)1 << 5)
#define COMMAND_PROBES_TREE ((uint32_t)1 << 6)
#define COMMAND_PROBES_STATS ((uint32_t)1 << 7)
#define COMMAND_PROBES_VERIFY ((uint32_t)1 << 8)
#define COMMAND_PROBES_DIFF ((uint32_t)1 << 9)
#define COMMAND_PROBES_DISASM ((uint32_t)1 << 10)
#define COMMAND_PROBES_ASM ((uint32_t)1 << 11)
#define COMMAND_PROBES_EMIT ((uint32_t)1 << 12)
#define COMMAND_BAT_DUMP ((uint32_t)1 << 13)
#define COMMAND_BAT_EXTRACT ((uint32_t)1 << 14)
#define COMMAND_BAT_TRANSLATE ((uint32_t)1 << 15)
#define COMMAND_BAT_INJECT ((uint32_t)1 << 16)
#define COMMAND_BAT_STRIP ((uint32_t)1 << 17)
#define COMMAND_BAT_STATS ((uint32_t)1 << 18)
#define COMMAND_BAT_VERIFY ((uint32_t)1 << 19)
#define COMMAND_BOLT_MERGE ((uint32_t)1 << 20)
#define COMMAND_BAT_TOOL ((uint32_t)1 << 21)
#define COMMAND_BOLT_CONVERT ((uint32_t)1 << 22)
#define COMMAND_OVERLAP ((uint32_t)1 << 23)
#define COMMAND_ORDER ((uint32_t)1 << 24)
#define COMMAND_DIFF ((uint32_t)1 << 25)
#define COMMAND_INFO ((uint32_t)1 << 26)
#define COMMAND_CHECK ((uint32_t)1 << 27)
#define COMMAND_LOOKUP ((uint32_t)1 << 28)
#define COMMAND_CONVERT ((uint32_t)1 << 29)
#define COMMAND_ALL UINT32_MAX

struct arguments;

struct command {
    uint32_t bit;
    bool hidden;
    const char *name;    /* one word, or the name of a group and the command's own word */
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *details; /* more lines for the command's own help; may be NULL */
    size_t max_files;    /* most positional arguments */
    int (*run)(const struct session *session, const struct arguments *args);
};

/* Commands of two words that begin with the same word. */
struct command_group {
    const char *name;
    const char *summary; /* one line */
};

/* Each table ends with a row without a name. */
extern const struct command command_table[];
extern const struct command_group group_table[];

/* The command whose name the n words begin with; *n_name is the number of words of the name. NULL: there is none. */
const struct command *command_find(const char *const *words, size_t n, size_t *n_name);
/* The group of that name, or NULL. */
const struct command_group *group_find(const char *name);
bool command_is_in(const struct command *command, const struct command_group *group);
/* The last word of a command's name. */
const char *command_own_word(const struct command *command);

/* The commands (cmd_*.c). Each parses the arguments into a request of its own, works on the request, and returns the
 * exit code. */
int cmd_merge(const struct session *session, const struct arguments *args);
int cmd_show(const struct session *session, const struct arguments *args);
int cmd_overlap(const struct session *session, const struct arguments *args);
int cmd_order(const struct session *session, const struct arguments *args);
int cmd_diff(const struct session *session, const struct arguments *args);
int cmd_info(const struct session *session, const struct arguments *args);
int cmd_check(const struct session *session, const struct arguments *args);
int cmd_probes(const struct session *session, const struct arguments *args);
int cmd_probes_verify(const struct session *session, const struct arguments *args);
int cmd_probes_diff(const struct session *session, const struct arguments *args);
int cmd_probes_disasm(const struct session *session, const struct arguments *args);
int cmd_probes_asm(const struct session *session, const struct arguments *args);
int cmd_probes_emit(const struct session *session, const struct arguments *args);
int cmd_bat_dump(const struct session *session, const struct arguments *args);
int cmd_bat_translate(const struct session *session, const struct arguments *args);
int cmd_bat_inject(const struct session *session, const struct arguments *args);
int cmd_bat_strip(const struct session *session, const struct arguments *args);
int cmd_bat_verify(const struct session *session, const struct arguments *args);
int cmd_bat_tool(const struct session *session, const struct arguments *args);
int cmd_bat_extract(const struct session *session, const struct arguments *args);
int cmd_bolt_convert(const struct session *session, const struct arguments *args);
int cmd_bolt_merge(const struct session *session, const struct arguments *args);
int cmd_convert(const struct session *session, const struct arguments *args);
int cmd_lookup(const struct session *session, const struct arguments *args);
int cmd_help(const struct session *session, const struct arguments *args);
int cmd_version(const struct session *session, const struct arguments *args);

#endif
