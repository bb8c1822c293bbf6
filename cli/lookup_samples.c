/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof lookup, of sample profiles */
#include <string.h>

#include <anyprof/sample_lookup.h>
#include <anyprof/sample_views.h>

#include "advice.h"
#include "command.h"
#include "name_candidates.h"
#include "nearest_function.h"
#include "sample_file.h"
#include "shown_names.h"
#include "streams.h"

struct lookup_request {
    struct request base;
    const char *path;
    struct apf_str name;
    struct apf_sample_lookup *lookup;
    struct shown_names names;
};

static int print_functions(struct lookup_request *r, const struct apf_sample *found,
                           const struct apf_output *output, struct apf_error *error)
{
    struct apf_sample_print_options options = {.size = sizeof options};
    return r->base.json ? apf_sample_write_json(found, output, error)
                        : apf_sample_print(found, &options, output, error);
}

/* Follows the report that there is no such function. Reads the whole profile, if it can be read once more. */
static void report_near_names(const struct session *session, const char *path, struct apf_str name,
                              const struct apf_sample_read_options *read)
{
    struct apf_input input = stream_input(session, path);
    struct apf_sample_read_options options = *read;
    struct apf_options common = *read->options;
    struct apf_sample *sample;
    common.diag = NULL; /* the lookup has printed what there is to say */
    options.options = &common;
    if (apf_sample_open(&sample, &input, &options, NULL) == APF_OK)
        nearest_sample_report(session, path, sample, name);
    apf_sample_close(sample);
}

/* ---- names of the source code ---- */

/* An apf_sample_lookup_name_fn. */
static int consider_name(void *user, struct apf_sample_name name)
{
    if (name.text.p)
        name_candidates_consider((struct name_candidates *)user, name.text, 0);
    return 0;
}

/* Prints the copies of a function, one after the other. */
static int print_copies(struct lookup_request *r, const struct name_candidates *c, struct apf_error *error)
{
    struct apf_buffer text = {0};
    struct apf_output buffer = apf_output_buffer(&text);
    const struct apf_output output = shown_names_output(&r->names, r->base.output);
    const struct apf_sample *found;
    int code = APF_OK;
    buffer.show_name = output.show_name;
    buffer.names = output.names;
    for (size_t i = 0; code == APF_OK && i < c->n; i++) {
        const struct apf_str name = {c->list[i].name, strlen(c->list[i].name)};
        code = apf_sample_lookup_find(r->lookup, name, &found, error);
        if (code == APF_OK)
            code = print_functions(r, found, &buffer, error);
    }
    if (code == APF_OK)
        code = apf_output_write(&output, text.data, text.n, error);
    apf_buffer_free(&text);
    return code;
}

/* Prints the function that the name is in the source code. APF_UNKNOWN_FUNCTION: there is none; APF_STOPPED: there are
 * several, or copies of which JSON can have one, which was reported. */
static int print_by_source(struct lookup_request *r, struct apf_error *error)
{
    struct name_candidates c;
    name_candidates_begin(&c, r->base.session, r->name.p);
    int code = apf_sample_lookup_names(r->lookup, consider_name, &c, NULL) == APF_OK && c.n
                   ? APF_OK
                   : APF_UNKNOWN_FUNCTION;
    if (code == APF_OK && (c.differ || c.more || (r->base.json && c.n > 1))) {
        name_candidates_report(&c, r->base.session, r->path);
        code = APF_STOPPED;
    }
    if (code == APF_OK)
        code = print_copies(r, &c, error);
    name_candidates_free(&c);
    return code;
}

/* ---- the command ---- */

static int look_up(struct lookup_request *r, struct apf_error *error)
{
    const struct apf_sample *found;
    struct apf_error failure;
    const struct apf_output output = shown_names_output(&r->names, r->base.output);
    int code = apf_sample_lookup_find(r->lookup, r->name, &found, error);
    if (code == APF_OK)
        return print_functions(r, found, &output, error);
    if (code != APF_UNKNOWN_FUNCTION || !(r->names.demangles || source_name_is(r->name.p)))
        return code;
    const int by_source = print_by_source(r, &failure);
    if (by_source == APF_UNKNOWN_FUNCTION)
        return code;
    *error = failure;
    return by_source;
}

int lookup_samples(const struct session *session, const struct arguments *args)
{
    struct lookup_request r = {.base = request_of(session, args), .path = args->files[0]};
    struct apf_options common;
    struct apf_sample_read_options read = sample_read_options(&r.base, args, &common);
    struct apf_input input = stream_input(session, r.path);
    struct apf_error error;
    r.name = (struct apf_str){args->files[1], strlen(args->files[1])};
    options_warn(session, args, OPTION_INSTR);
    shown_names_begin(&r.names, session, args);
    int code = apf_sample_lookup_open(&r.lookup, &input, &read, &error);
    if (code == APF_OK)
        code = look_up(&r, &error);
    if (code != APF_OK && code != APF_STOPPED)
        report_failed_call(session, r.path, r.base.output, &error);
    if (code != APF_OK && !r.lookup)
        advise(session, r.path, &error);
    else if (code == APF_UNKNOWN_FUNCTION)
        report_near_names(session, r.path, r.name, &read);
    apf_sample_lookup_close(r.lookup);
    shown_names_free(&r.names);
    return code == APF_OK ? 0 : EXIT_DATA;
}
