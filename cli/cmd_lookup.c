/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof lookup */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <anyprof/lookup.h>

#include "advice.h"
#include "command.h"
#include "correlation.h"
#include "name_candidates.h"
#include "nearest_function.h"
#include "places.h"
#include "profile_file.h"
#include "profile_kind.h"
#include "sample_file.h"
#include "shown_names.h"
#include "streams.h"

struct lookup_request {
    struct request base;
    const char *path;
    struct apf_str name;
    uint64_t hash;
    bool has_hash; /* false: records of every hash */
    struct correlation_request programs;
    struct shown_names names;
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
    shown_names_begin(&r->names, session, args);
    if (place_is_read(session, args, 1))
        return session->persona->usage_exit;
    return correlation_parse(&r->programs, session, args);
}

/* Follows a report that the FILE cannot be opened: the arguments may be in the wrong order. */
static void advise_order(const struct session *session, const struct arguments *args)
{
    if (args->n_files == 2 && !stream_is(args->files[0]) && access(args->files[0], F_OK) != 0 &&
        access(args->files[1], F_OK) == 0)
        report_note(session, "the profile comes first: %s lookup %s %s", session->persona->invoked,
                    args->files[1], args->files[0]);
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

static int print_function(struct apf_lookup *lookup, struct lookup_request *r, uint32_t flags,
                          struct apf_error *error)
{
    struct apf_output output = shown_names_output(&r->names, r->base.output);
    return apf_lookup_print(lookup, r->name, r->has_hash ? &r->hash : NULL,
                            flags | (r->base.json ? APF_LOOKUP_JSON : 0), &output, error);
}

/* An apf_lookup_name_fn. */
static int consider_name(void *user, struct apf_str name, struct apf_str plain)
{
    (void)plain;
    name_candidates_consider((struct name_candidates *)user, name, 0);
    return 0;
}

/* An apf_name_filter_fn. */
static int is_meant(void *user, struct apf_str name)
{
    return name_candidates_mean((struct name_candidates *)user, name);
}

/* Prints the function that the name is in the source code. Returns what apf_lookup_print returns; APF_STOPPED: there
 * are several, which was reported. */
static int print_by_source(struct apf_lookup *lookup, struct lookup_request *r, struct apf_error *error)
{
    struct name_candidates c;
    size_t n;
    name_candidates_begin(&c, r->base.session, r->name.p);
    int code =
        apf_lookup_names(lookup, consider_name, &c, NULL) == APF_OK && c.n ? APF_OK : APF_UNKNOWN_FUNCTION;
    if (code == APF_OK && c.differ) {
        name_candidates_report(&c, r->base.session, r->path);
        code = APF_STOPPED;
    }
    if (code == APF_OK)
        code = apf_lookup_find_wanted(lookup, is_meant, &c, &n, error);
    if (code == APF_OK)
        code = print_function(lookup, r, APF_LOOKUP_FOUND, error);
    name_candidates_free(&c);
    return code;
}

static int look_up(struct apf_lookup *lookup, struct lookup_request *r)
{
    const struct session *session = r->base.session;
    struct apf_error error, failure;
    int code = print_function(lookup, r, APF_LOOKUP_LOCAL, &error);
    if (code == APF_UNKNOWN_FUNCTION && (r->names.demangles || source_name_is(r->name.p))) {
        const int found = print_by_source(lookup, r, &failure);
        if (found == APF_STOPPED)
            return EXIT_DATA;
        if (found != APF_UNKNOWN_FUNCTION) {
            code = found;
            error = failure;
        }
    }
    const int result = exit_code_of_call(session, r->path, r->base.output, code, &error);
    if (code == APF_UNKNOWN_FUNCTION)
        nearest_function_report(session, r->path, lookup, r->name);
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
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported */
    const bool samples = code == 0 && kind == KIND_SAMPLE;
    if (samples)
        code = lookup_samples(session, args);
    if (code == 0 && !samples)
        code = open_lookup(&lookup, &r);
    if (code == 0 && !samples)
        code = look_up(lookup, &r);
    if (code == EXIT_DATA && !lookup)
        advise_order(session, args);
    apf_lookup_close(lookup);
    shown_names_free(&r.names);
    return code;
}
