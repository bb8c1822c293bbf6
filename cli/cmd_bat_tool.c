/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What llvm-bat-dump does, under that name. */
#include <stdio.h>
#include <stdlib.h>

#include "bat.h"

/* The words of that tool for what is wrong with a file. */
static int fail(const struct session *session, const char *path, const struct apf_error *error)
{
    if (error->code == APF_BAD_BAT)
        fputs("BOLT-ERROR: failed to parse BOLT address translation table. Malformed BAT section\n", stderr);
    else if (error->code == APF_NO_BAT)
        fputs("error: no BAT table found.\n", stderr);
    else
        report_failure(session, path, error);
    return EXIT_DATA;
}

/* False: reported. */
static bool take_addresses(uint64_t **addresses, const struct session *session,
                           const struct option_value *given)
{
    bool good = true;
    *addresses = checked_realloc(NULL, given->n_list + 1, sizeof **addresses);
    for (size_t i = 0; good && i < given->n_list; i++) {
        good = parse_number(given->list[i], &(*addresses)[i]);
        if (!good)
            report_usage(session, "for the --translate option: '%s' value invalid for ulong argument!",
                         given->list[i]);
    }
    return good;
}

int cmd_bat_tool(const struct session *session, const struct arguments *args)
{
    const struct option_value *given = &args->values[OPT_TRANSLATE];
    struct apf_output output = {"-", NULL, NULL, 0};
    struct apf_error error;
    struct apf_bat *bat;
    uint64_t *addresses;
    if (!args->n_files) {
        report_usage(session, "Not enough positional command line arguments specified!");
        fprintf(stderr, "Must specify at least 1 positional argument: See: %s --help\n",
                session->persona->invoked);
        return EXIT_DATA;
    }
    struct apf_input input = {args->files[0], NULL, 0, NULL, 0};
    if (!take_addresses(&addresses, session, given)) {
        free(addresses);
        return EXIT_DATA;
    }
    int code = 0;
    if (apf_bat_open(&bat, &input, NULL, &error) != APF_OK) {
        code = fail(session, input.path, &error);
    } else if (apf_bat_print_as_tool(bat, addresses, given->n_list,
                                     option_flag(args, OPT_DUMP_ALL) ? APF_BAT_DUMP_ALL : 0, &output,
                                     &error) != APF_OK) {
        report_failure(session, "-", &error);
        code = EXIT_DATA;
    }
    apf_bat_close(bat);
    free(addresses);
    return code;
}
