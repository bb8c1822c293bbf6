/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Suggestions for commands, options and values that do not exist. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include "command.h"
#include "option_table.h"

/* Reports that the words begin with no command, with the nearest names. */
void command_unknown(const struct session *session, const char *const *words, size_t n);
/* Suggests the value of the command's option that is nearest to `value`, or another command that has it. */
void value_unknown(const struct session *session, const struct command *command, const struct option *option,
                   const char *value);
/* Suggests the target for --for that only lacks its dash, or has capitals: "gcc12". */
void target_unknown(const struct session *session, const char *target);
/* The option whose letter `word` begins with, such as -j of "-j4", if the rest of the word can only be its value: the
 * word is no option of the command and like none. NULL: there is none. */
const struct option *option_joined(const struct command *command, const char *word);
/* Suggests an option for `word`, which begins with a dash and is no option of the command. `name` is the word without
 * dashes and value, not terminated; `value` follows the '=', or is NULL. */
void option_unknown(const struct session *session, const struct command *command, const char *word,
                    const char *name, size_t n_name, const char *value);

#endif
