/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile_file.h"

#include <string.h>

#include "advice.h"
#include "streams.h"

/* An apf_diag_fn; `user` is the session. */
static int warn_of_finding(void *user, const struct apf_diag *diag)
{
    char file[4096];
    if (diag->severity == APF_SEVERITY_WARNING)
        report_warning((const struct session *)user, printable(file, sizeof file, diag->source), "%s",
                       diag->error->message);
    return 0;
}

struct apf_options profile_options(const struct request *request)
{
    struct apf_options options = request->limits;
    options.diag = warn_of_finding;
    options.user = (void *)(uintptr_t)request->session; /* warn_of_finding does not change the session */
    return options;
}

struct apf_instr *profile_try(const struct request *request, const char *path,
                              const struct apf_correlation_source *source, uint32_t flags,
                              struct apf_error *error)
{
    struct apf_input input = stream_input(request->session, path);
    struct apf_options options = profile_options(request);
    struct apf_instr *instr;
    options.flags = flags;
    options.correlation = source;
    (void)apf_instr_open(&instr, &input, &options, error); /* NULL, if that fails */
    return instr;
}

void profile_advise(const struct session *session, const char *path, const struct apf_error *error)
{
    /* LLVM's hint first, for scripts that look for it. */
    if (error->code == APF_UNRECOGNIZED_FORMAT && session->persona->tool)
        report_note(session, "Perhaps you forgot to use the --sample or --memory option?");
    advise(session, path, error);
}

struct apf_instr *profile_open(const struct request *request, const char *path,
                               const struct apf_correlation_source *source, uint32_t flags)
{
    struct apf_error error;
    struct apf_instr *instr = profile_try(request, path, source, flags, &error);
    if (!instr) {
        report_failure(request->session, path, &error);
        profile_advise(request->session, path, &error);
    }
    return instr;
}

bool name_contains(struct apf_str name, const char *part, size_t n)
{
    for (size_t i = 0; n && i + n <= name.n; i++) {
        const char *first = (const char *)memchr(name.p + i, part[0], name.n - n - i + 1);
        if (!first)
            return false;
        i = (size_t)(first - name.p);
        if (memcmp(first, part, n) == 0)
            return true;
    }
    return false;
}

static bool has_function(const struct apf_instr *instr, struct apf_str part)
{
    struct apf_record record = {.size = sizeof record};
    for (size_t i = 0; apf_instr_record(instr, i, &record, NULL) == APF_OK; i++)
        if (name_contains(record.name, part.p, part.n))
            return true;
    return false;
}

void profile_warn_function(const struct session *session, struct apf_instr *const *profiles, size_t n,
                           struct apf_str part)
{
    if (part.n == 0 || session->persona->tool)
        return;
    for (size_t i = 0; i < n; i++)
        if (has_function(profiles[i], part))
            return;
    report_warning(session, NULL, "--function='%.*s' matches no name", (int)part.n, part.p);
}
