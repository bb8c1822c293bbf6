/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "newest.h"
#include "numbers.h"
#include "option_table.h"

#define WIDTH 100u
#define INDENT 4u  /* of options */
#define COLUMN 30u /* of the help of options */
#define DEEPER 2u  /* further indent of the values of options */

/* Prints the text word by word and ends the line. The cursor is in `column`, to which further lines are indented. */
static void print_wrapped(const char *text, size_t column)
{
    size_t at = column;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (at > column && at + 1 + n > WIDTH) {
            printf("\n%*s", (int)column, "");
            at = column;
        } else if (at > column) {
            putchar(' ');
            at++;
        }
        printf("%.*s", (int)n, text);
        at += n;
        text += n + (text[n] == ' ');
    }
    putchar('\n');
}

static void print_item(const char *left, size_t indent, const char *help)
{
    size_t n = strlen(left);
    printf("%*s%s", (int)indent, "", left);
    if (indent + n + 2 > COLUMN)
        printf("\n%*s", (int)COLUMN, "");
    else
        printf("%*s", (int)(COLUMN - indent - n), "");
    print_wrapped(help, COLUMN);
}

static void print_option(const struct option *o)
{
    char left[160];
    size_t n = 0;
    if (o->alias)
        n += (size_t)snprintf(left, sizeof left, "-%s, ", o->alias);
    n += (size_t)snprintf(left + n, sizeof left - n, "--%s", o->name);
    if (o->operand)
        snprintf(left + n, sizeof left - n, "=%s", o->operand);
    print_item(left, INDENT, o->help);
    for (const struct choice *c = o->choices; c && c->name; c++) {
        snprintf(left, sizeof left, "=%s", c->name);
        print_item(left, INDENT + DEEPER, c->help);
    }
}

static bool is_shown(const struct option *o, const struct command *command, bool hidden)
{
    return (o->commands & command->bit) && !(o->flags & (OPTION_LATER | OPTION_NO_EFFECT)) &&
           (hidden || !(o->flags & OPTION_HIDDEN)) && !option_absent(o);
}

/* Whether the option is the first one shown under its heading. */
static bool begins_group(const struct option *o, const struct command *command, bool hidden)
{
    for (const struct option *before = option_table; before != o; before++) {
        if (is_shown(before, command, hidden) && before->group == o->group)
            return false;
    }
    return true;
}

static void print_groups(const struct command *command, bool hidden)
{
    for (const struct option *o = option_table; o->name; o++) {
        if (!is_shown(o, command, hidden) || !begins_group(o, command, hidden))
            continue;
        printf("\n%s%s\n", o->group, o->group[strlen(o->group) - 1] == ':' ? "" : ":");
        for (const struct option *of = o; of->name; of++) {
            if (is_shown(of, command, hidden) && of->group == o->group)
                print_option(of);
        }
    }
}

/* Lists the options with this flag: those of LLVM's that do nothing here. */
static void print_others(const struct command *command, uint32_t flag, const char *heading)
{
    bool first = true;
    for (const struct option *o = option_table; o->name; o++) {
        if (!(o->commands & command->bit) || !(o->flags & flag))
            continue;
        if (first)
            printf("\n%s:\n", heading);
        first = false;
        printf("%*s--%s\n", (int)INDENT, "", o->name);
    }
}

/* Whether the command is explained on the page of the program, or is the command of another tool. */
static bool is_overview(const struct command *command)
{
    return command->hidden || (command->bit & COMMAND_BIT(HELP));
}

/* Whether the program works as a tool of LLVM's that has commands. */
static bool is_tool(const struct session *session)
{
    return session->persona->tool && !session->persona->tool->command && !session->persona->tool->group;
}

/* Prints the first lines of the tool's help, which scripts search for the tool's name. */
static void print_overview(const struct session *session)
{
    printf(
        "OVERVIEW: LLVM profile data\nanyprof %s, working as %s of LLVM 22: it reads the profiles of every "
        "version.\n\n",
        apf_version(), session->persona->tool->name);
}

static void print_usage(const struct session *session, const struct command *command)
{
    const char *program = session->persona->program;
    bool alone = session->persona->tool && session->persona->tool->command;
    const bool in_group = session->persona->tool && session->persona->tool->group;
    const char *space = alone ? "" : " ", *name = alone      ? ""
                                                  : in_group ? command_own_word(command)
                                                             : command->name;
    if (is_tool(session)) {
        print_overview(session);
        printf("SUBCOMMAND '%s': %s\n\nUSAGE: %s %s %s\n", name, command->summary, program, name,
               command->usage);
    } else {
        printf("%s%s%s: %s\n\nUsage: %s%s%s %s\n", program, space, name, command->summary, program, space,
               name, command->usage);
    }
}

static void print_command(const struct session *session, const struct command *command, bool hidden)
{
    print_usage(session, command);
    if (command->details)
        printf("\n%s\n", command->details);
    if (is_tool(session))
        printf("\nOPTIONS:\n");
    print_groups(command, hidden);
    if (hidden) {
        print_others(command, OPTION_LATER, "Options of LLVM's tool that are not supported");
        print_others(command, OPTION_NO_EFFECT, "Options of LLVM's tool without effect on these profiles");
    }
    printf("\nOptions begin with one or two dashes; a value follows after '=' or as the next argument.\n"
           "'@FILE' stands for the arguments in FILE, '--' ends the options.\n"
           "More: man %s%.*s\n",
           is_overview(command) ? "anyprof" : "anyprof-",
           is_overview(command) ? 0 : (int)strcspn(command->name, " "), command->name);
}

/* Whether llvm-profdata has a command of this name. */
static bool is_in_llvm_profdata(const struct command *command)
{
    static const char *const names[] = {"merge", "order", "overlap", "show"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found |= strcmp(command->name, names[i]) == 0;
    return found;
}

static void print_commands(bool of_llvm)
{
    for (const struct command *c = command_table; c->name; c++) {
        if (!c->hidden && !strchr(c->name, ' ') && is_in_llvm_profdata(c) == of_llvm)
            printf("  %-8s- %s\n", c->name, c->summary);
    }
}

static void print_tool(const struct session *session)
{
    const char *program = session->persona->program;
    print_overview(session);
    printf("USAGE: %s [subcommand] [options]\n\nSUBCOMMANDS:\n\n", program);
    print_commands(true);
    printf("\n  Type \"%s <subcommand> --help\" to get more help on a specific subcommand\n\n"
           "SUBCOMMANDS that only anyprof has:\n\n",
           program);
    print_commands(false);
    for (const struct command_group *g = group_table; g->name; g++)
        if (!group_absent(g))
            printf("  %-8s- %s\n", g->name, g->summary);
    printf("\nOPTIONS:\n\n    --help                    This text\n"
           "    --version                 Version of the program\n");
}

static void print_program(const struct session *session)
{
    const char *program = session->persona->program;
    printf("anyprof: read, merge, check and convert LLVM profiles of every version\n\n"
           "Usage: %s COMMAND [options] FILE...\n\nCommands:\n",
           program);
    for (const struct command *c = command_table; c->name; c++) {
        if (!c->hidden && !strchr(c->name, ' '))
            printf("%*s%-12s%s\n", (int)INDENT, "", c->name, c->summary);
    }
    for (const struct command_group *g = group_table; g->name; g++)
        if (!group_absent(g))
            printf("%*s%-12s%s\n", (int)INDENT, "", g->name, g->summary);
    printf("\nMore on a command: %s help COMMAND\nVersion: %s --version\n\n"
           "Exit code: 0 done, 1 an input or output is bad, %d wrong usage, 3 diff --fail-above, bolt "
           "convert --max-lost.\n"
           "More: man anyprof\n",
           program, program, session->persona->usage_exit);
}

void help_print(const struct session *session, const struct command *command, bool hidden)
{
    if (command)
        print_command(session, command, hidden);
    else if (is_tool(session))
        print_tool(session);
    else
        print_program(session);
}

#define FIRST_WITH_MINOR_1 18 /* releases of LLVM begin with N.1.0 since this one, with N.0.0 before */

/* Prints the release as LLVM's tools do, in front of everything else, because build scripts parse the number. */
static void print_release(const char *release)
{
    uint64_t major = 0;
    const char *minor = parse_decimal(release, strlen(release), &major) && major >= FIRST_WITH_MINOR_1
                            ? ".1.0"
                        : strchr(release, '.') ? ".0"
                                               : ".0.0";
    printf("LLVM version %s%s\n  ", release, minor);
}

/* Prints what a report of a bug should have. */
static void print_build(void)
{
    char libraries[200];
    unsigned raw = apf_format_newest(APF_FORMAT_RAW), indexed = apf_format_newest(APF_FORMAT_INDEXED);
    struct apf_sample_target gcc = newest_sample_target(APF_SAMPLE_FOR_GCC);
#ifdef ANYPROF_REVISION
    printf("  revision: %s\n", ANYPROF_REVISION);
#endif
    printf("  reads: raw profiles 1 to %u, indexed profiles 1 to %u, text, JSON\n"
           "  writes: indexed profiles 1 to %u, text, JSON, for LLVM up to %s\n"
           "  reads and writes sample profiles: of LLVM up to %s, of GCC up to %s, JSON\n",
           raw, indexed, indexed, newest_release(), newest_release(),
           apf_sample_release_name(gcc.kind, gcc.release));
    (void)apf_libraries(libraries, sizeof libraries);
    printf("  libraries: %s", libraries);
#ifndef ANYPROF_WITHOUT_ELF
    (void)apf_elf_libraries(libraries, sizeof libraries);
    printf(", %s", libraries);
#endif
    putchar('\n');
}

void version_print(const struct session *session)
{
    const struct tool *tool = session->persona->tool;
    const char *dash = strchr(session->persona->target, '-'); /* "auto" has none */
    const char *release = dash ? dash + 1 : "22";             /* the release whose tool this is like */
    if (tool && tool->has_target)
        print_release(release);
    printf("anyprof %s\n", apf_version());
    if (!tool) {
        print_build();
        return;
    }
    printf("  works as %s of %s", tool->name, tool->is_llvm ? "LLVM 22" : "AutoFDO");
    if (tool->has_target && !dash)
        printf("; merge writes what the compilers of the inputs read");
    else if (tool->has_target && strcmp(release, "22") != 0)
        printf("; merge writes what LLVM %s reads", release);
    putchar('\n');
    print_build();
}

void help_list_group(FILE *to, const struct command_group *group)
{
    for (const struct command *c = command_table; c->name; c++) {
        if (!c->hidden && command_is_in(c, group))
            fprintf(to, "%*s%-20s%s\n", (int)INDENT, "", c->name, c->summary);
    }
}

void help_print_group(const struct session *session, const struct command_group *group)
{
    const char *program = session->persona->program;
    printf("%s %s: %s\n\nUsage: %s %s COMMAND [options] FILE...\n\nCommands:\n", program, group->name,
           group->summary, program, group->name);
    help_list_group(stdout, group);
    printf("\nMore on a command: %s help %s COMMAND\nMore: man anyprof-%s\n", program, group->name,
           group->name);
}
