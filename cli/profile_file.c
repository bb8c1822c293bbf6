/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile_file.h"

#include "advice.h"
#include "limits.h"

/* An apf_diag_fn; `user` is the session. */
static int take_finding(void *user, const struct apf_diag *diag)
{
    char file[4096];
    if (diag->severity == APF_SEVERITY_WARNING)
        report_warning((const struct session *)user, printable(file, sizeof file, diag->source), "%s",
                       diag->error->message);
    return 0;
}

struct apf_options profile_options(const struct session *session, const struct arguments *args)
{
    struct apf_options options = limits_of(args);
    options.diag = take_finding;
    options.user = (void *)(uintptr_t)session; /* findings are only printed: the session stays as it is */
    return options;
}

struct apf_instr *profile_try(const struct session *session, const struct arguments *args, const char *path,
                              const struct apf_correlation_source *source, uint32_t flags,
                              struct apf_error *error)
{
    struct apf_input input = {path, NULL, 0, NULL, 0};
    struct apf_options options = profile_options(session, args);
    struct apf_instr *instr;
    options.flags = flags;
    options.correlation = source;
    (void)apf_instr_open(&instr, &input, &options, error); /* NULL, if that fails */
    return instr;
}

void profile_advise(const struct session *session, const char *path, const struct apf_error *error)
{
    /* LLVM's hint, for who looks for it; ours behind it says what the file is. */
    if (error->code == APF_UNRECOGNIZED_FORMAT && session->persona->tool)
        report_note(session, "Perhaps you forgot to use the --sample or --memory option?");
    advise(session, path, error);
}

static struct apf_instr *open_profile(const struct session *session, const struct arguments *args,
                                      const char *path, const struct apf_correlation_source *source,
                                      uint32_t flags)
{
    struct apf_error error;
    struct apf_instr *instr = profile_try(session, args, path, source, flags, &error);
    if (!instr) {
        report_failure(session, path, &error);
        profile_advise(session, path, &error);
    }
    return instr;
}

struct apf_instr *profile_open(const struct session *session, const struct arguments *args, const char *path,
                               const struct apf_correlation_source *source)
{
    return open_profile(session, args, path, source, APF_FLAG_DROP_MEMPROF);
}

struct apf_instr *profile_open_memory(const struct session *session, const struct arguments *args,
                                      const char *path)
{
    return open_profile(session, args, path, NULL, 0);
}
