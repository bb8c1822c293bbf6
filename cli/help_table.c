/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "option_table.h"

#define LAST_INDEXED 99u /* above every version of the indexed format */

/* Prints a member of an object. Help has no characters that JSON escapes but those handled here. */
static void print_string(const char *name, const char *text)
{
    printf("\"%s\": ", name);
    if (!text) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if (*text == '\n')
            fputs("\\n", stdout);
        else
            putchar(*text);
    }
    putchar('"');
}

static void print_flag(const char *name, bool is)
{
    printf(", \"%s\": %s", name, is ? "true" : "false");
}

static void print_member(const char *name, const char *text)
{
    fputs(", ", stdout);
    print_string(name, text);
}

static void print_choices(const struct choice *choices)
{
    fputs(", \"choices\": [", stdout);
    for (const struct choice *c = choices; c && c->name; c++) {
        fputs(c == choices ? "{" : ", {", stdout);
        print_string("name", c->name);
        print_member("help", c->help);
        putchar('}');
    }
    putchar(']');
}

static void print_option(const struct option *o)
{
    static const char *const kinds[] = {
        [OPTION_FLAG] = "flag",       [OPTION_UINT] = "uint",        [OPTION_DEPTH] = "int",
        [OPTION_U64] = "u64",         [OPTION_ULL] = "u64",          [OPTION_SIZE] = "size",
        [OPTION_PERCENT] = "percent", [OPTION_STRING] = "string",    [OPTION_ENUM] = "enum",
        [OPTION_CHOICE] = "choice",   [OPTION_LIST] = "list",        [OPTION_NUMBERS] = "numbers",
        [OPTION_REAL] = "real",       [OPTION_DURATION] = "duration"};
    _Static_assert(sizeof kinds / sizeof *kinds == OPTION_KINDS, "a kind of options has no name");
    putchar('{');
    print_string("name", o->name);
    print_member("alias", o->alias);
    print_member("kind", kinds[o->kind]);
    print_member("heading", o->group);
    print_member("operand", o->operand);
    print_flag("hidden", (o->flags & OPTION_HIDDEN) != 0);
    print_flag("ours", (o->flags & OPTION_OURS) != 0);
    print_flag("later", (o->flags & OPTION_LATER) != 0);
    print_flag("no_effect", (o->flags & OPTION_NO_EFFECT) != 0);
    print_flag("elf", (o->flags & OPTION_ELF) != 0);
    print_choices(o->choices);
    print_member("help", o->help);
    putchar('}');
}

static void print_command(const struct command *c)
{
    putchar('{');
    print_string("name", c->name);
    print_flag("hidden", c->hidden);
    print_flag("elf", c->elf);
    print_member("usage", c->usage);
    print_member("summary", c->summary);
    print_member("details", c->details);
    print_flag("files", c->max_files != 0);
    fputs(",\n   \"options\": [", stdout);
    bool first = true;
    for (const struct option *o = option_table; o->name; o++) {
        if (!(o->commands & c->bit))
            continue;
        printf("%s%zu", first ? "" : ", ", (size_t)(o - option_table));
        first = false;
    }
    fputs("]}", stdout);
}

/* Prints the GCCs of a list of values of --for. */
static void print_gccs(void)
{
    const char *name;
    for (uint32_t i = 0; (name = apf_sample_release_name(APF_SAMPLE_FOR_GCC, i)) != NULL; i++)
        printf(", \"gcc-%s\"", name);
}

/* Prints all values of --for, and those for sample profiles alone. */
static void print_targets(void)
{
    struct apf_target target;
    const char *name;
    char text[40];
    fputs(" \"targets\": [\"auto\"", stdout);
    for (unsigned i = 0; (name = apf_release_name(i)) != NULL; i++)
        printf(", \"llvm-%s\"", name);
    print_gccs();
    for (unsigned i = 1; i <= LAST_INDEXED; i++) {
        snprintf(text, sizeof text, "indexed-%u", i);
        if (apf_target_parse(text, &target, NULL) == APF_OK)
            printf(", \"%s\"", text);
    }
    fputs("],\n \"sample_targets\": [\"auto\"", stdout);
    for (uint32_t i = 0; (name = apf_sample_release_name(APF_SAMPLE_FOR_LLVM, i)) != NULL; i++)
        printf(", \"llvm-%s\"", name);
    print_gccs();
    fputs("],\n", stdout);
}

void help_print_table(void)
{
    printf("{\"version\": \"%s\",\n", apf_version());
    print_targets();
    fputs(" \"groups\": [", stdout);
    for (const struct command_group *g = group_table; g->name; g++) {
        fputs(g == group_table ? "\n  {" : ",\n  {", stdout);
        print_string("name", g->name);
        print_member("summary", g->summary);
        putchar('}');
    }
    fputs("],\n \"commands\": [", stdout);
    for (const struct command *c = command_table; c->name; c++) {
        fputs(c == command_table ? "\n  " : ",\n  ", stdout);
        print_command(c);
    }
    fputs("],\n \"options\": [", stdout);
    for (const struct option *o = option_table; o->name; o++) {
        fputs(o == option_table ? "\n  " : ",\n  ", stdout);
        print_option(o);
    }
    fputs("]}\n", stdout);
}
