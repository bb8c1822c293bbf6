/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof lookup */
#include <signal.h>
#include <string.h>

#include <anyprof/lookup.h>

#include "advice.h"
#include "correlation.h"
#include "places.h"
#include "profile_file.h"

int cmd_lookup(const struct session *session, const struct arguments *args)
{
    struct apf_lookup *lookup = NULL;
    struct apf_error error;
    if (args->n_files < 2)
        return report_wrong(session, args, "a profile and the name of a function are needed");
    const char *path = args->files[0];
    struct apf_input input = {path, NULL, 0, NULL, 0};
    struct apf_str name = {args->files[1], strlen(args->files[1])};
    struct apf_options options = profile_options(session, args);
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    uint64_t hash = option_number(args, OPT_HASH, 0);
    const uint64_t *at = args->values[OPT_HASH].place ? &hash : NULL;
    struct correlation correlation;
    if (place_is_read(session, args, 1))
        return session->persona->usage_exit;
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error that is reported */
    int code = correlation_open(&correlation, &options, session, args);
    if (code)
        return code;
    code = apf_lookup_open(&lookup, &input, &options, &error);
    bool told = code != APF_OK || correlation_tell(&correlation);
    if (code != APF_OK) {
        report_failure(session, path, &error);
        advise(session, path, &error);
    }
    correlation_close(&correlation);
    if (code != APF_OK || !told) {
        apf_lookup_close(lookup);
        return EXIT_DATA;
    }
    code = apf_lookup_print(lookup, name, at, option_flag(args, OPT_JSON) ? APF_LOOKUP_JSON : 0, &output,
                            &error);
    apf_lookup_close(lookup);
    if (code == APF_OK)
        return 0;
    report_failed_call(session, path, output.path, &error);
    return EXIT_DATA;
}
