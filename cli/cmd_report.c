/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof report */
#include <stdlib.h>
#include <string.h>

#include <anyprof/report.h>

#include "advice.h"
#include "command.h"
#include "demangle.h"
#include "file_list.h"
#include "memory.h"
#include "merge_summary.h"
#include "places.h"
#include "progress.h"
#include "report_output.h"
#include "streams.h"

struct report_request {
    struct request base;
    struct file_list files;
    struct apf_input *against, *programs;
    size_t n_against, n_programs;
    struct report_format format;
    uint32_t threads;
};

static int parse_request(struct report_request *r, const struct session *session,
                         const struct arguments *args)
{
    const struct option_value *against = &args->values[OPT_AGAINST], *programs = &args->values[OPT_BINARY];
    r->base = request_of(session, args);
    r->threads = (uint32_t)option_number(args, OPT_THREADS, 0);
    r->format = report_format_of(args);
    if (args->n_files == 0)
        return report_wrong(session, args, "a PROFILE is required");
    if (!r->format.markdown && place_is_terminal(r->base.output))
        return report_wrong(session, args,
                            "a page is for a browser: give -o report.html, or --markdown for the terminal");
    if (stdin_is_repeated(session, args, SIZE_MAX) || place_is_read(session, args, SIZE_MAX))
        return session->persona->usage_exit;
    r->n_against = against->n_list;
    r->against = inputs_of(against);
    r->n_programs = programs->n_list;
    r->programs = inputs_of(programs);
    return file_list_parse(&r->files, session, args);
}

static int make_report(struct apf_report **report, const struct report_request *r,
                       struct demangler *demangler)
{
    const struct session *session = r->base.session;
    struct findings findings = {session, {0}, r->base.quiet};
    struct apf_options common = r->base.limits;
    struct apf_report_options options = {.size = sizeof options,
                                         .options = &common,
                                         .profiles = r->files.data,
                                         .n_profiles = r->files.n,
                                         .base = r->against,
                                         .n_base = r->n_against,
                                         .programs = r->programs,
                                         .n_programs = r->n_programs};
    struct apf_error error = {0};
    common.threads = r->threads;
    common.diag = findings_print;
    common.user = &findings;
    report_format_set(&r->format, &options, demangler, session);
    progress_begin(&r->base, &common);
    int code = apf_report_new(report, &options, &error);
    progress_end(session);
    if (code == APF_OK) {
        findings_rest(&findings);
        const size_t lost = apf_report_losses(*report);
        if (lost)
            report_warning(session, NULL,
                           "%zu of %zu profiles could not be used as a whole: the report says why", lost,
                           r->files.n);
        return 0;
    }
    report_failed_call(session, NULL, r->base.output, &error);
    if (r->files.n == 1)
        advise(session, stream_path(&r->files.data[0]), &error);
    return EXIT_DATA;
}

int cmd_report(const struct session *session, const struct arguments *args)
{
    struct report_request r = {0};
    struct demangler demangler = {0};
    struct apf_report *report = NULL;
    int code = parse_request(&r, session, args);
    const uint64_t most = r.base.limits.max_bytes; /* a report looks at its inputs twice */
    if (code == 0 && (!streams_keep(session, r.files.data, r.files.n, most) ||
                      !streams_keep(session, r.against, r.n_against, most)))
        code = EXIT_DATA;
    if (code == 0)
        code = make_report(&report, &r, &demangler);
    if (code == 0)
        code = report_format_write(&r.format, session, report, r.base.output);
    apf_report_free(report);
    demangler_free(&demangler);
    free(r.against);
    free(r.programs);
    file_list_free(&r.files);
    return code;
}
