/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof lookup */
#include <signal.h>
#include <string.h>

#include <anyprof/lookup.h>

#include "advice.h"
#include "command.h"
#include "correlation.h"
#include "nearest_function.h"
#include "places.h"
#include "profile_file.h"
#include "profile_kind.h"
#include "sample_file.h"
#include "streams.h"

struct lookup_request {
    struct request base;
    const char *path;
    struct apf_str name;
    uint64_t hash;
    bool has_hash; /* false: records of every hash */
    struct correlation_request programs;
};

/* 0, or an exit code after a report. */
static int parse_request(struct lookup_request *r, const struct session *session,
                         const struct arguments *args)
{
    if (args->n_files < 2)
        return report_wrong(session, args, "a FILE and a NAME are required");
    r->base = request_of(session, args);
    r->path = args->files[0];
    r->name = (struct apf_str){args->files[1], strlen(args->files[1])};
    r->hash = option_number(args, OPT_HASH, 0);
    r->has_hash = args->values[OPT_HASH].place != 0;
    if (place_is_read(session, args, 1))
        return session->persona->usage_exit;
    return correlation_parse(&r->programs, session, args);
}

/* 0, or an exit code after a report. */
static int open_lookup(struct apf_lookup **lookup, const struct lookup_request *r)
{
    const struct session *session = r->base.session;
    struct apf_input input = stream_input(session, r->path);
    struct apf_options options = profile_options(&r->base);
    struct correlation correlation;
    struct apf_error error;
    int code = correlation_open(&correlation, &options, &r->programs, &r->base);
    if (code)
        return code;
    code = exit_code(session, r->path, apf_lookup_open(lookup, &input, &options, &error), &error);
    if (code)
        advise(session, r->path, &error);
    else if (!correlation_warn(&correlation))
        code = EXIT_DATA;
    correlation_close(&correlation);
    return code;
}

static int print_function(struct apf_lookup *lookup, const struct lookup_request *r)
{
    struct apf_output output = apf_output_file(r->base.output);
    struct apf_error error;
    int code = apf_lookup_print(lookup, r->name, r->has_hash ? &r->hash : NULL,
                                APF_LOOKUP_LOCAL | (r->base.json ? APF_LOOKUP_JSON : 0), &output, &error);
    int result = exit_code_of_call(r->base.session, r->path, output.path, code, &error);
    if (code == APF_UNKNOWN_FUNCTION)
        nearest_function_report(r->base.session, r->path, lookup, r->name);
    return result;
}

int cmd_lookup(const struct session *session, const struct arguments *args)
{
    struct lookup_request r = {0};
    struct apf_lookup *lookup = NULL;
    uint64_t kind;
    int code = parse_request(&r, session, args);
    if (code == 0)
        code = profile_kind_of_files(session, args, 1, &kind);
    if (code)
        return code;
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported */
    if (kind == KIND_SAMPLE)
        return lookup_samples(session, args);
    code = open_lookup(&lookup, &r);
    if (code == 0)
        code = print_function(lookup, &r);
    apf_lookup_close(lookup);
    return code;
}
