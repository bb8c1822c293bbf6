/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "write_options.h"

#include <string.h>

int write_options_parse(struct apf_write_options *w, const struct session *session,
                        const struct arguments *args, const char *target, bool text)
{
    const struct persona *persona = session->persona;
    struct apf_error error;
    memset(w, 0, sizeof *w);
    w->size = sizeof *w;
    w->format = text ? APF_FORMAT_TEXT : APF_FORMAT_INDEXED;
    w->flags = (option_flag(args, OPT_SPARSE) ? APF_WRITE_SPARSE : 0) |
               (option_flag(args, OPT_KEEP_VTABLE_SYMBOLS) ? APF_WRITE_VTABLE_NAMES : 0) |
               (option_flag(args, OPT_MEMPROF_FULL_SCHEMA) ? APF_WRITE_MEMPROF_FULL : 0);
    if (args->values[OPT_MEMPROF_VERSION].place) {
        w->flags |= APF_WRITE_MEMPROF_VERSION;
        w->memprof_version = (uint32_t)option_number(args, OPT_MEMPROF_VERSION, 0);
    }
    if (apf_target_parse(target ? target : text ? "auto" : persona->target, &w->target, &error) != APF_OK) {
        report_failure(session, NULL, &error);
        return persona->usage_exit;
    }
    if (persona->too_new && !target && !option_flag(args, OPT_QUIET))
        report_warning(session, persona->program, "this release is not known yet: writing what LLVM %s reads",
                       strchr(persona->target, '-') + 1);
    return 0;
}

int write_failed(const struct session *session, const char *output, const struct apf_error *error)
{
    if (error->subject != APF_SUBJECT_OPTION)
        return exit_code(session, output, error->code, error);
    report_failure(session, NULL, error);
    report_note(
        session,
        "name the LLVM that is to read it by --for=llvm-N: 15 to 19 read version 0, 19 and 20 version 1");
    return session->persona->usage_exit;
}
