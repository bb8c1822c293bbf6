/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of commands, and searches in it. */
#include "command.h"

#include <string.h>

#define ROW(id, is_hidden, of_elf, words, use, line, lines, most)                                            \
    {.bit = COMMAND_BIT(id),                                                                                 \
     .hidden = (is_hidden) || ((of_elf) && !HAS_ELF),                                                        \
     .elf = of_elf,                                                                                          \
     .name = words,                                                                                          \
     .usage = use,                                                                                           \
     .summary = line,                                                                                        \
     .details = lines,                                                                                       \
     .max_files = most},

const struct command command_table[] = {
#define COMMAND(id, is_hidden, words, use, line, lines, most, run)                                           \
    ROW(id, is_hidden, false, words, use, line, lines, most)
#define ELF_COMMAND(id, is_hidden, words, use, line, lines, most, run)                                       \
    ROW(id, is_hidden, true, words, use, line, lines, most)
#include "command_list.h"
    {.name = NULL}};

const struct command_group group_table[] = {
    {"probes", "Inspect and write the pseudo probes of CSSPGO programs", true},
    {"bat", "Inspect and use BOLT's address translation tables", true},
    {"bolt", "Convert and merge profiles of BOLT", true},
    {"perf", "Inspect recordings of Linux' perf", true},
    {"cov", "Coverage of source code by instrumented programs", true},
    {NULL, NULL, false}};

bool command_absent(const struct command *command)
{
    return command->elf && !HAS_ELF;
}

bool group_absent(const struct command_group *group)
{
    return group->elf && !HAS_ELF;
}

const struct command_group *group_find(const char *name)
{
    for (const struct command_group *g = group_table; g->name; g++) {
        if (strcmp(g->name, name) == 0)
            return g;
    }
    return NULL;
}

bool command_is_in(const struct command *command, const struct command_group *group)
{
    size_t n = strlen(group->name);
    return strncmp(command->name, group->name, n) == 0 && command->name[n] == ' ';
}

const char *command_own_word(const struct command *command)
{
    const char *space = strchr(command->name, ' ');
    return space ? space + 1 : command->name;
}

const struct command *command_find(const char *const *words, size_t n, size_t *n_name)
{
    const struct command_group *group = n ? group_find(words[0]) : NULL;
    *n_name = group ? 2 : 1;
    for (const struct command *c = command_table; c->name && n >= *n_name; c++) {
        if (group ? command_is_in(c, group) && strcmp(command_own_word(c), words[1]) == 0
                  : strcmp(c->name, words[0]) == 0)
            return c;
    }
    return NULL;
}
