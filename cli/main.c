/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

#include <anyprof/instr.h>

#include "help.h"
#include "kept_messages.h"
#include "newest.h"
#include "numbers.h"
#include "options.h"
#include "program.h"
#include "progress.h"
#include "report.h"
#include "streams.h"
#include "suggest.h"
#include "words.h"

/* Ends with a tool without a name. */
static const struct tool tools[] = {{"llvm-profdata", NULL, NULL, true, true, false, false},
                                    {"llvm-cov", NULL, "cov", true, false, false, false},
                                    {"llvm-profgen", "profgen", NULL, true, true, false, true},
                                    {"merge-fdata", "bolt merge", NULL, true, false, true, false},
                                    {"llvm-bat-dump", "llvm-bat-dump", NULL, true, false, true, false},
                                    {"profile_merger", "profile_merger", NULL, false, false, false, false},
                                    {"dump_gcov", "dump_gcov", NULL, false, false, false, false},
                                    {NULL, NULL, NULL, false, false, false, false}};

/* The length of the release at the beginning of `tail`, which follows a tool's name: 2 in "-16", "16", "-16.0.6",
 * "-16.exe" and "-16-wrapped", 3 in "-3.9". 0: there is none, as in llvm-profdata-wrapper. *text is the release. */
static size_t find_release(const char *tail, const char **text)
{
    static const char digits[] = "0123456789";
    *text = tail + (*tail == '-');
    size_t n = strspn(*text, digits);
    if (n == 0 || ((*text)[n] && !strchr(".-", (*text)[n])))
        return 0;
    /* Releases of LLVM 3 have a number after the dot. */
    if (n == 1 && (*text)[0] == '3' && (*text)[1] == '.')
        n += 1 + strspn(*text + 2, digits);
    return n;
}

static void parse_release(struct persona *p, const char *tail)
{
    struct apf_target target;
    char wish[sizeof p->target];
    uint64_t release = 0, newest = 0;
    const char *text, *last = newest_release();
    size_t n = find_release(tail, &text);
    if (n == 0 || n + sizeof "llvm-" > sizeof wish)
        return;
    snprintf(wish, sizeof wish, "llvm-%.*s", (int)n, text);
    p->too_new =
        parse_decimal(text, n, &release) && parse_decimal(last, strlen(last), &newest) && release > newest;
    if (p->too_new)
        snprintf(p->target, sizeof p->target, "llvm-%s", last);
    else if (apf_target_parse(wish, &target, NULL) == APF_OK)
        memcpy(p->target, wish, sizeof wish);
}

/* Finds a tool's name in the name of a program, at the beginning or after a prefix such as that of a target
 * ("x86_64-pc-linux-gnu-llvm-profdata") or of a wrapper (".llvm-profdata-16-wrapped"). NULL: the name is not there. */
static const char *find_tool(const char *program, const char *name)
{
    const char *at = program;
    while ((at = strstr(at, name)) != NULL && at != program && at[-1] != '-' && at[-1] != '.')
        at++;
    return at;
}

static void set_persona(struct persona *p, const char *invoked)
{
    const char *slash = strrchr(invoked, '/'), *at = NULL;
    p->invoked = invoked;
    p->program = slash ? slash + 1 : invoked;
    p->tool = NULL;
    for (const struct tool *tool = tools; tool->name && !p->tool; tool++)
        if ((at = find_tool(p->program, tool->name)) != NULL)
            p->tool = tool;
    bool release = p->tool && p->tool->has_target;
    p->usage_exit = p->tool ? EXIT_DATA : EXIT_USAGE;
    snprintf(p->target, sizeof p->target, "auto");
    p->too_new = false;
    if (release)
        parse_release(p, at + strlen(p->tool->name));
}

typedef int command_function(const struct session *session, const struct arguments *args);

/* The function of each row of command_table; NULL: this build lacks the command. The table itself has none, so that
 * commands may use it. */
static command_function *const functions[] = {
#define COMMAND(id, hidden, name, usage, summary, details, most, run) [COMMAND_##id] = run,
#define ELF_COMMAND(id, hidden, name, usage, summary, details, most, run)                                    \
    [COMMAND_##id] = HAS_ELF ? run : NULL,
#include "command_list.h"
};

static int refuse_absent(const struct session *session, const char *name)
{
    char words[80];
    snprintf(words, sizeof words, "'%s'", name);
    return report_absent(session, words);
}

/* Runs a command with the n words that follow its name. */
static int run_command(struct session *session, const struct command *command, const char *const *words,
                       size_t n)
{
    struct arguments args = {0};
    int code = 0;
    if (command_absent(command))
        return refuse_absent(session, command->name);
    enum parse_result result = options_parse(&args, session, command, words, n);
    session->command = command;
    session->completes = option_find(command, "debug-info", strlen("debug-info")) != NULL;
    session->has_kinds = option_find(command, "sample", strlen("sample")) != NULL;
    session->kind = option_number(&args, OPT_KIND, KIND_DETECTED);
    session->color = option_number(&args, OPT_COLOR, session->color) != 0;
    switch (result) {
    case PARSE_OK:
        code = functions[command - command_table](session, &args);
        break;
    case PARSE_WRONG:
        code = session->persona->usage_exit;
        break;
    case PARSE_HELP:
    case PARSE_HELP_HIDDEN:
        help_print(session, command, result == PARSE_HELP_HIDDEN);
        break;
    case PARSE_VERSION:
        version_print(session);
        break;
    }
    options_free(&args);
    return code;
}

static bool is_option(const char *word, const char *name)
{
    return word[0] == '-' && strcmp(word + 1 + (word[1] == '-'), name) == 0;
}

static bool is_help(const char *word)
{
    return is_option(word, "help") || is_option(word, "h") || is_option(word, "help-hidden") ||
           is_option(word, "help-list") || is_option(word, "help-list-hidden");
}

/* Runs the command of a tool that has only one: all words are its arguments. */
static int run_tool(struct session *session, const struct words *words)
{
    const char *name = session->persona->tool->command;
    const struct command *command = command_table;
    while (strcmp(command->name, name) != 0)
        command++;
    return run_command(session, command, words->data, words->n);
}

/* Runs a command of a tool whose commands are those of a group; messages name both, as in LLVM. */
static int run_command_of(struct session *session, const struct command *command, const struct words *words)
{
    const struct persona *tool = session->persona;
    struct persona both = *tool;
    char program[256], invoked[1024];
    snprintf(program, sizeof program, "%s %s", tool->program, words->data[0]);
    snprintf(invoked, sizeof invoked, "%s %s", tool->invoked, words->data[0]);
    both.program = program;
    both.invoked = invoked;
    session->persona = &both;
    const int code = run_command(session, command, words->data + 1, words->n - 1);
    session->persona = tool;
    return code;
}

/* Runs a command of a tool, or explains which there are. */
static int run_group(struct session *session, const struct words *words)
{
    const struct command_group *group = group_find(session->persona->tool->group);
    const char *first = words->n ? words->data[0] : "";
    const char *const name[] = {group->name, first};
    size_t n_name;
    const struct command *command = command_find(name, 2, &n_name);
    if (command)
        return run_command_of(session, command, words);
    if (group_absent(group))
        return refuse_absent(session, group->name);
    if (is_option(first, "version")) {
        version_print(session);
        return 0;
    }
    if (is_help(first)) {
        help_print_group(session, group);
        return 0;
    }
    if (*first)
        fprintf(stderr, "Unrecognized command: %s.\n\n", first);
    fprintf(stderr, "Usage: %s COMMAND [OPTION]...\n\nCommands:\n", session->persona->program);
    help_list_group(stderr, group);
    return session->persona->usage_exit;
}

static int run(struct session *session, const struct words *words)
{
    if (session->persona->tool && session->persona->tool->command)
        return run_tool(session, words);
    if (session->persona->tool && session->persona->tool->group)
        return run_group(session, words);
    if (words->n == 0) {
        const struct persona *persona = session->persona;
        if (persona->tool)
            report_usage(session, "No subcommand specified! Run %s --help for usage.", persona->tool->name);
        else
            help_print(session, NULL, false);
        return persona->usage_exit;
    }
    const char *first = words->data[0];
    if (is_help(first)) {
        help_print(session, NULL, false);
        return 0;
    }
    if (is_option(first, "version")) {
        version_print(session);
        return 0;
    }
    size_t n_name;
    const struct command *command = command_find(words->data, words->n, &n_name);
    if (command)
        return run_command(session, command, words->data + n_name, words->n - n_name);
    const struct command_group *group = group_find(first);
    if (group && group_absent(group))
        return refuse_absent(session, group->name);
    if (group && words->n > 1 && is_help(words->data[1])) {
        help_print_group(session, group);
        return 0;
    }
    command_unknown(session, words->data, words->n);
    return session->persona->usage_exit;
}

int main(int argc, char **argv)
{
    if (!program_begin())
        return EXIT_DATA;
    struct persona persona;
    struct words words = {0};
    struct progress progress = {0};
    set_persona(&persona, argc > 0 && argv[0] ? argv[0] : "anyprof");
    struct streams streams = {0};
    struct kept_messages kept = {0};
    struct session session = {.persona = &persona,
                              .color = program_color(),
                              .words = &words,
                              .progress = &progress,
                              .streams = &streams,
                              .kept = &kept};
    int code = persona.usage_exit;
    if (words_expand(&words, &session, argc, argv))
        code = run(&session, &words);
    words_free(&words);
    streams_free(&streams);
    messages_free(&kept);
    return program_end(&session, code);
}
