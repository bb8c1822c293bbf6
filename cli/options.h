/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The values that a command line gives to options. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdint.h>

#include "option_table.h"
#include "session.h"

struct option_value {
    uint64_t number;   /* flags, numbers, enums and choices */
    const char *text;  /* the last value as it was given; NULL: none was given */
    const char **list; /* OPTION_LIST: all values, in order */
    size_t n_list;
    uint32_t *numbers; /* OPTION_NUMBERS: all values, in order */
    size_t n_numbers;
    size_t place; /* position of the last one on the command line, from 1; 0: the option was not given */
};

struct arguments {
    const struct command *command;
    struct option_value values[OPT_COUNT];
    const char **files; /* positional arguments */
    size_t n_files;
};

enum parse_result { PARSE_OK, PARSE_WRONG, PARSE_HELP, PARSE_HELP_HIDDEN, PARSE_VERSION };

/* Parses the n words after the command's name. Each wrong word is reported. options_free must follow. */
enum parse_result options_parse(struct arguments *args, const struct session *session,
                                const struct command *command, const char *const *words, size_t n);
void options_free(struct arguments *args);
/* The number of an option, or `otherwise` if it was not given. */
uint64_t option_number(const struct arguments *args, enum option_id id, uint64_t otherwise);
bool option_flag(const struct arguments *args, enum option_id id);
const char *option_text(const struct arguments *args, enum option_id id, const char *otherwise);
/* The value of an OPTION_REAL. */
double option_real(const struct arguments *args, enum option_id id, double otherwise);

/* Sets the number of an option, as if it had been given at the end of the command line. */
void option_set(struct arguments *args, enum option_id id, uint64_t number);

/* Warns of options that were given although `flag`, OPTION_SAMPLES or OPTION_INSTR, says that they have no effect on
 * the profiles at hand. */
void options_warn(const struct session *session, const struct arguments *args, uint32_t flag);

#endif
