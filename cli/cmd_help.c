/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof help, version */
#include "help.h"
#include "options.h"
#include "report.h"
#include "suggest.h"

int cmd_help(const struct session *session, const struct arguments *args)
{
    size_t n_name;
    if (option_flag(args, OPT_TABLE)) {
        help_print_table();
        return 0;
    }
    const struct command_group *group = args->n_files ? group_find(args->files[0]) : NULL;
    const struct command *command = command_find(args->files, args->n_files, &n_name);
    if (command && args->n_files > n_name) {
        report_usage(session, "Unknown command after '%s', which has none of its own.  Try: '%s help %s'",
                     command->name, session->persona->invoked, command->name);
        return session->persona->usage_exit;
    }
    if (args->n_files && !command && (!group || args->n_files > 1)) {
        command_unknown(session, args->files, args->n_files);
        return session->persona->usage_exit;
    }
    if ((group && group_absent(group)) || (command && command_absent(command))) {
        char words[80];
        snprintf(words, sizeof words, "'%s'", command ? command->name : group->name);
        return report_absent(session, words);
    }
    if (group && !command)
        help_print_group(session, group);
    else
        help_print(session, command, false);
    return 0;
}

int cmd_version(const struct session *session, const struct arguments *args)
{
    (void)args;
    version_print(session);
    return 0;
}
