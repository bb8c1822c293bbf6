/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line of llvm-bat-dump, under that name. */
#include <stdio.h>
#include <stdlib.h>

#include "bat.h"
#include "command.h"
#include "memory.h"
#include "numbers.h"

/* Reports an error in the tool's words. */
static int report_unread(const struct session *session, const char *path, const struct apf_error *error)
{
    if (error->code == APF_BAD_BAT)
        fputs("BOLT-ERROR: failed to parse BOLT address translation table. Malformed BAT section\n", stderr);
    else if (error->code == APF_NO_BAT)
        fputs("error: no BAT table found.\n", stderr);
    else
        report_failure(session, path, error);
    return EXIT_DATA;
}

struct tool_request {
    const struct session *session;
    const char *path;
    uint64_t *addresses; /* of --translate */
    size_t n_addresses;
    uint32_t flags; /* APF_BAT_* */
};

/* 0, or an exit code after a report. r->addresses is for free() either way. */
static int parse_request(struct tool_request *r, const struct session *session, const struct arguments *args)
{
    const struct option_value *given = &args->values[OPT_TRANSLATE];
    *r = (struct tool_request){.session = session, .n_addresses = given->n_list};
    if (!args->n_files) {
        report_too_few(session, "at least 1 positional argument");
        return EXIT_DATA;
    }
    r->path = args->files[0];
    r->flags = option_flag(args, OPT_DUMP_ALL) ? APF_BAT_PRINT_DUMP_ALL : 0;
    r->addresses = checked_realloc(NULL, given->n_list + 1, sizeof *r->addresses);
    for (size_t i = 0; i < given->n_list; i++) {
        if (parse_number(given->list[i], &r->addresses[i]))
            continue;
        report_usage(session, "for the --translate option: '%s' value invalid for ulong argument!",
                     given->list[i]);
        return EXIT_DATA;
    }
    return 0;
}

static int print_table(const struct tool_request *r)
{
    struct apf_input input = apf_input_file(r->path);
    struct apf_output output = apf_output_file("-");
    struct apf_error error;
    struct apf_bat *bat;
    if (apf_bat_open(&bat, &input, NULL, &error) != APF_OK)
        return report_unread(r->session, r->path, &error);
    int code = apf_bat_print_as_tool(bat, r->addresses, r->n_addresses, r->flags, &output, &error);
    apf_bat_close(bat);
    return exit_code(r->session, output.path, code, &error);
}

int cmd_bat_tool(const struct session *session, const struct arguments *args)
{
    struct tool_request r = {0};
    int code = parse_request(&r, session, args);
    if (code == 0)
        code = print_table(&r);
    free(r.addresses);
    return code;
}
