/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Suggestions for commands, options and values that do not exist. */
#include "suggest.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <anyprof/sample_write.h>

#include "edit_distance.h"
#include "help.h"
#include "report.h"

#define NAMED 3u              /* names that a list has before "others" */
#define SHORTEST_BEGINNING 3u /* letters of an option that suggest the option */

/* ---- commands ---- */

struct nearest {
    const char *name, *best;
    size_t least;
};

/* Words of other tools, and what they are called here. */
struct synonym {
    const char *word, *name;
};

static const struct synonym commands[] = {{"compare", "diff"}, {"validate", "check"}, {"coverage", "cov"},
                                          {"llvm-cov", "cov"}, {"summary", "report"}, {"annotate", "show"},
                                          {NULL, NULL}};
static const struct synonym options[] = {{"threads", "num-threads"}, {"output-file", "output"}, {NULL, NULL}};
static const struct synonym values[] = {{"xml", "cobertura"}, {"info", "lcov"}, {NULL, NULL}};

static const char *find_synonym(const struct synonym *list, const char *word, size_t n)
{
    for (; list->word; list++)
        if (strlen(list->word) == n && memcmp(list->word, word, n) == 0)
            return list->name;
    return NULL;
}

static void consider_name(struct nearest *near, const char *name)
{
    size_t n = strlen(near->name), length = strlen(name);
    size_t distance =
        strcasecmp(near->name, name) == 0 ? 0 : edit_distance(near->name, n, name, length, SIZE_MAX);
    const bool begins = n >= 2 && strncasecmp(near->name, name, n) == 0;
    const size_t most = begins ? length / 2 : (n < length ? n : length) / 2;
    if (distance < near->least && distance <= most) {
        near->least = distance;
        near->best = name;
    }
}

/* Finds the command in the group, or, where `group` is NULL, the command or group, that is nearest to near->name. */
static void find_nearest(struct nearest *near, const struct command_group *group)
{
    for (const struct command *c = command_table; c->name; c++) {
        if (!c->hidden && (group ? command_is_in(c, group) : command_own_word(c) == c->name))
            consider_name(near, command_own_word(c));
    }
    for (const struct command_group *g = group_table; !group && g->name; g++)
        if (!group_absent(g))
            consider_name(near, g->name);
}

/* The name nearest to `name` of a command in the group, or, where `group` is NULL, of a command or group. NULL: none is
 * near enough to be meant. */
static const char *nearest_command(const char *name, const struct command_group *group)
{
    const char *synonym = find_synonym(commands, name, strlen(name));
    struct nearest near = {synonym ? synonym : name, NULL, SIZE_MAX};
    find_nearest(&near, group);
    if (synonym && near.least != 0) { /* it is for another group */
        near = (struct nearest){name, NULL, SIZE_MAX};
        find_nearest(&near, group);
    }
    return near.best;
}

/* A list of names in a line: "'a'", "'a' or 'b'", "'a', 'b' or others". */
struct names {
    const char *name[NAMED];
    size_t n;
};

static void add_name(struct names *names, const char *name)
{
    if (names->n < NAMED)
        names->name[names->n] = name;
    names->n++;
}

static void write_names(char *text, size_t size, const struct names *names, const char *joint,
                        const char *dashes)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < names->n && i < NAMED && at < size; i++) {
        bool last = i + 1 == names->n;
        const char *before = i == 0 ? "" : last ? joint : ", ";
        at += (size_t)snprintf(text + at, size - at, "%s'%s%s'", before, dashes, names->name[i]);
    }
    if (names->n > NAMED && at < size)
        snprintf(text + at, size - at, "%sothers", joint);
}

/* ---- values ---- */

static bool is_offered(const struct option *o)
{
    return !(o->flags & (OPTION_LATER | OPTION_NO_EFFECT | OPTION_HIDDEN)) && !option_absent(o);
}

/* The option of the command, and its value, that `word` is the value of, or another word for it; NULL: none. */
static const struct option *find_value(const struct command *command, const char *word, size_t n,
                                       const char **value)
{
    const char *synonym = find_synonym(values, word, n);
    for (const struct option *o = option_table; o->name; o++) {
        if (!(o->commands & command->bit) || o->kind != OPTION_ENUM || !is_offered(o))
            continue;
        for (const struct choice *c = o->choices; c->name; c++) {
            *value = c->name;
            if ((strlen(c->name) == n && memcmp(c->name, word, n) == 0) ||
                (synonym && strcmp(c->name, synonym) == 0))
                return o;
        }
    }
    return NULL;
}

/* Suggests the option that has the word as a value: of the command, or else of others in the group. False: none has. */
static bool suggest_value(const struct session *session, const struct command *command,
                          const struct command_group *group, const char *word, size_t n)
{
    const char *value;
    const struct option *o = command ? find_value(command, word, n, &value) : NULL;
    if (o) {
        report_usage(session, "Did you mean '--%s=%s'?", o->name, value);
        return true;
    }
    for (const struct command *c = command_table; c->name && group; c++) {
        o = c->hidden || !command_is_in(c, group) ? NULL : find_value(c, word, n, &value);
        if (o) {
            report_usage(session, "Did you mean '%s --%s=%s'?", c->name, o->name, value);
            return true;
        }
    }
    return false;
}

/* The group of a command; NULL: it is in none. */
static const struct command_group *group_of(const struct command *command)
{
    for (const struct command_group *g = group_table; g->name; g++)
        if (command_is_in(command, g))
            return g;
    return NULL;
}

/* Whether a word is the name of a command as pages of the manual have it: "cov-report". */
static bool is_page_name(const char *word, const char *name)
{
    for (; *word && *name; word++, name++)
        if (*word != (*name == ' ' ? '-' : *name))
            return false;
    return *word == *name;
}

/* Suggests commands of groups for their own word or the name of their page: "probes list" for "list" and "probes-list".
 * False: there are none. */
static bool suggest_group_commands(const struct session *session, const char *name)
{
    struct names names = {{NULL}, 0};
    char text[200];
    for (const struct command *c = command_table; c->name; c++) {
        if (!c->hidden && command_own_word(c) != c->name &&
            (strcmp(command_own_word(c), name) == 0 || is_page_name(name, c->name)))
            add_name(&names, c->name);
    }
    write_names(text, sizeof text, &names, " or ", "");
    if (names.n)
        report_usage(session, "Did you mean %s?", text);
    return names.n != 0;
}

/* ---- options ---- */

/* Reports which other command does what an option of exactly this name does in commands that are for other inputs.
 * False: there is no such option. */
static bool report_instead(const struct session *session, const struct command *command, const char *name,
                           size_t n)
{
    static const char html[] = "html";
    const uint64_t compares = COMMAND_BIT(DIFF) | COMMAND_BIT(OVERLAP);
    if (!HAS_ELF || session->persona->tool || n != strlen(html) || memcmp(name, html, n) != 0 ||
        group_of(command) == group_find("cov"))
        return false;
    if (command->bit & compares)
        report_usage(session,
                     "'report PROFILE --against=OTHER -o FILE' makes a page that compares two profiles");
    else
        report_usage(session, "'report PROFILE -o FILE' makes a page about a profile");
    return true;
}

/* Reports which commands have an option of exactly this name, followed by `more`. False: none has one. */
static bool report_owners(const struct session *session, const char *name, size_t n_name, const char *more)
{
    struct names names = {{NULL}, 0};
    char text[200];
    for (const struct command *c = command_table; c->name; c++) {
        const struct option *o = c->hidden || n_name < 2 ? NULL : option_find(c, name, n_name);
        if (o && is_offered(o))
            add_name(&names, c->name);
    }
    write_names(text, sizeof text, &names, " and ", "");
    if (names.n)
        report_usage(session, "--%.*s is an option of %s%s", (int)n_name, name, text, more);
    return names.n != 0;
}

/* The option whose name is near enough to `name`, or the only option that begins with `name`. NULL: none. */
static const struct option *nearest_option(const struct command *command, const char *name, size_t n)
{
    const struct option *best = NULL, *longer = NULL;
    size_t least = SIZE_MAX, n_longer = 0;
    const char *synonym = find_synonym(options, name, n);
    if (synonym && option_find(command, synonym, strlen(synonym)))
        return option_find(command, synonym, strlen(synonym));
    for (const struct option *o = option_table; o->name; o++) {
        size_t length = strlen(o->name);
        if (!(o->commands & command->bit) || o->flags & OPTION_LATER || option_absent(o))
            continue;
        size_t distance = edit_distance(name, n, o->name, length, SIZE_MAX);
        if (distance < least && distance <= (n > length ? n : length) / 3) {
            least = distance;
            best = o;
        }
        if (is_offered(o) && n >= SHORTEST_BEGINNING && strncmp(o->name, name, n) == 0) {
            longer = o;
            n_longer++;
        }
    }
    return best ? best : n_longer == 1 ? longer : NULL;
}

/* The option with a value whose letter `word` begins with, -o of "-ofile". NULL: there is none. */
static const struct option *find_letter(const struct command *command, const char *word)
{
    bool joined = word[1] != '-' && strcspn(word + 1, "=") > 1;
    const struct option *letter = joined ? option_find(command, word + 1, 1) : NULL;
    return letter && letter->alias && letter->kind != OPTION_FLAG ? letter : NULL;
}

const struct option *option_joined(const struct command *command, const char *word)
{
    const char *name = word + 1;
    return nearest_option(command, name, strcspn(name, "=")) ? NULL : find_letter(command, word);
}

void value_unknown(const struct session *session, const struct command *command, const struct option *option,
                   const char *value)
{
    const char *synonym = find_synonym(values, value, strlen(value));
    struct nearest near = {synonym ? synonym : value, NULL, SIZE_MAX};
    for (const struct choice *c = option->choices; c->name; c++)
        consider_name(&near, c->name);
    if (near.best)
        report_usage(session, "Did you mean '--%s=%s'?", option->name, near.best);
    else
        (void)suggest_value(session, NULL, group_of(command), value, strlen(value));
}

/* Suggests how to turn off the flag that "no-" comes before. False: there is none. */
static bool suggest_off(const struct session *session, const struct command *command, const char *name,
                        size_t n)
{
    static const char no[] = "no-";
    const size_t skipped = strlen(no);
    const struct option *o = NULL;
    if (n > skipped && memcmp(name, no, skipped) == 0)
        o = option_find(command, name + skipped, n - skipped);
    if (!o || o->kind != OPTION_FLAG || o->flags & OPTION_LATER || option_absent(o))
        return false;
    report_usage(session, "Did you mean '--%s=0'?", o->name);
    return true;
}

/* Suggests the options that begin with `name`, of which there are several. */
static void suggest_longer(const struct session *session, const struct command *command, const char *name,
                           size_t n)
{
    struct names names = {{NULL}, 0};
    char text[200];
    if (n < SHORTEST_BEGINNING)
        return;
    for (const struct option *o = option_table; o->name; o++)
        if (o->commands & command->bit && is_offered(o) && strncmp(o->name, name, n) == 0)
            add_name(&names, o->name);
    write_names(text, sizeof text, &names, " or ", "--");
    if (names.n)
        report_usage(session, "Did you mean %s?", text);
}

void target_unknown(const struct session *session, const char *target)
{
    struct apf_sample_target found;
    char text[40] = "";
    size_t n = 0;
    for (; *target && (*target < '0' || *target > '9') && *target != '-' && n < sizeof text / 2; n++)
        text[n] = (char)(*target >= 'A' && *target <= 'Z' ? *target++ - 'A' + 'a' : *target++);
    snprintf(text + n, sizeof text - n, "-%s", target + (*target == '-'));
    if (n && apf_sample_target_parse(text, &found, NULL) == APF_OK)
        report_usage(session, "Did you mean '--for=%s'?", text);
}

void option_unknown(const struct session *session, const struct command *command, const char *word,
                    const char *name, size_t n_name, const char *value)
{
    const struct option *o = nearest_option(command, name, n_name);
    /* A word such as "-outptu" may be meant as "-o utptu", but hardly is. */
    const struct option *letter = find_letter(command, word);
    bool begins = o && n_name >= SHORTEST_BEGINNING && strncmp(o->name, name, n_name) == 0;
    if (suggest_off(session, command, name, n_name) ||
        (!o && suggest_value(session, command, group_of(command), name, n_name)))
        return;
    if (report_instead(session, command, name, n_name) ||
        (!(o && (letter || begins)) && report_owners(session, name, n_name, "")))
        return;
    if (o)
        report_usage(session, "Did you mean '--%s%s%s'?", o->name, value ? "=" : "", value ? value : "");
    else if (letter) /* under the name of an LLVM tool, which does not accept it */
        report_usage(session, "Did you mean '-%c %s'?", name[0], name + 1);
    else
        suggest_longer(session, command, name, n_name);
}

/* ---- the first word, or the word after a group ---- */

/* Reports a word that begins with a dash where a command is expected: "--merge", or an option before its command. */
static void report_dash(const struct session *session, const char *word, const struct command_group *group)
{
    const struct persona *p = session->persona;
    const char *space = group ? " " : "", *first = group ? group->name : "";
    const char *name = word + 1 + (word[1] == '-');
    report_usage(session, "Unknown command line argument '%s'.  Try: '%s%s%s --help'", word, p->invoked,
                 space, first);
    if (report_owners(session, name, strcspn(name, "="), "; put it after the command"))
        return;
    const char *near = nearest_command(name, group);
    if (near)
        report_usage(session, "Did you mean '%s%s%s'?", first, space, near);
}

void command_unknown(const struct session *session, const char *const *words, size_t n)
{
    const struct persona *p = session->persona;
    const struct command_group *group = group_find(words[0]);
    if (group && n < 2) {
        if (p->tool)
            report_usage(session, "No subcommand of '%s' specified.  Try: '%s %s --help'", group->name,
                         p->invoked, group->name);
        else
            report_usage(session, "%s: a COMMAND is required.  Try: '%s %s --help'", group->name, p->invoked,
                         group->name);
        help_list_group(stderr, group);
        return;
    }
    const char *name = group ? words[1] : words[0];
    const char *space = group ? " " : "", *first = group ? group->name : "";
    if (name[0] == '-') {
        report_dash(session, name, group);
        return;
    }
    report_usage(session, "Unknown %s '%s%s%s'.  Try: '%s%s%s --help'", p->tool ? "subcommand" : "command",
                 first, space, name, p->invoked, space, first);
    if (!group && suggest_group_commands(session, name))
        return;
    const char *near = nearest_command(name, group);
    if (near)
        report_usage(session, "Did you mean '%s%s%s'?", first, space, near);
    else if (!(group && suggest_value(session, NULL, group, name, strlen(name))) && access(name, F_OK) == 0)
        report_usage(session, "'%s' is a file: a command comes before it", name);
}
