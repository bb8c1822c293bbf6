/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Help and version, made from the tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "command.h"

/* The commands of a group, a line each. */
void help_list_group(FILE *to, const struct command_group *group);
/* The functions below print to standard output. `command` NULL: help on the program. */
void help_print(const struct session *session, const struct command *command, bool hidden);
void help_print_group(const struct session *session, const struct command_group *group);
/* The tables of commands and options as JSON, for docs/generate.py (help_table.c). */
void help_print_table(void);
void version_print(const struct session *session);

#endif
