/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof overlap */
#include <string.h>

#include <anyprof/compare.h>

#include "command.h"
#include "pair.h"
#include "profile_kind.h"
#include "sample_file.h"
#include "shown_names.h"

struct overlap_request {
    struct request base;
    struct apf_overlap_options options;
    struct shown_names names;
};

static void parse_request(struct overlap_request *r, const struct session *session,
                          const struct arguments *args)
{
    struct apf_overlap_options *o = &r->options;
    r->base = request_of(session, args);
    o->size = sizeof *o;
    o->flags = (option_flag(args, OPT_CS) ? APF_OVERLAP_CS : 0) | (r->base.json ? APF_OVERLAP_JSON : 0);
    o->value_cutoff = option_number(args, OPT_VALUE_CUTOFF, UINT64_MAX);
    o->function.p = option_text(args, OPT_FUNCTION, "");
    o->function.n = strlen(o->function.p);
    shown_names_begin(&r->names, session, args);
    o->also = shown_names_part(&r->names);
    o->user = &r->names;
    o->names[0] = args->files[0];
    o->names[1] = args->files[1];
}

/* Warns if two IR profiles have no counts of the kind that is compared in common. */
static void warn_about_contexts(const struct overlap_request *r, const struct apf_overlap *overlap)
{
    const struct session *session = r->base.session;
    const unsigned lacking = overlap->base.n != 0; /* the profile that has none */
    if (overlap->kinds != APF_OVERLAP_CONTEXT_SENSITIVE)
        return;
    report_warning(
        session, shown_name(session, r->options.names[lacking], false),
        r->options.flags & APF_OVERLAP_CS
            ? "it has no context-sensitive counts, and the other profile has: their counts cannot be "
              "compared; give two context-sensitive profiles, or leave out --cs"
            : "it has context-sensitive counts only, and the other profile has other ones: their counts "
              "cannot be compared; --cs compares two context-sensitive profiles");
}

static int overlap_profiles(struct overlap_request *r)
{
    const struct session *session = r->base.session;
    struct apf_instr *pair[2];
    struct apf_overlap overlap = {.size = sizeof overlap};
    struct apf_error error;
    if (!pair_open(pair, &r->base, r->options.names, NULL, "error in getting profile count sums"))
        return EXIT_DATA;
    struct apf_output output = shown_names_output(&r->names, r->base.output);
    int code = apf_overlap_print(pair[0], pair[1], &r->options, &output, &overlap, &error);
    code = exit_code(session, output.path, code, &error);
    if (code == 0) {
        pair_warn(session, r->options.names[0], overlap.left_out, overlap.saturated);
        pair_warn_kinds(session, pair, r->options.names);
        warn_about_contexts(r, &overlap);
        if (!r->names.found)
            profile_warn_function(session, pair, 2, r->options.function);
    }
    pair_close(pair);
    return code;
}

int cmd_overlap(const struct session *session, const struct arguments *args)
{
    struct overlap_request r = {0};
    uint64_t kind;
    int code = pair_check(session, args);
    if (code == 0)
        code = profile_kind_of_files(session, args, 2, &kind);
    if (code)
        return code;
    if (kind == KIND_SAMPLE)
        return overlap_samples(session, args);
    options_warn(session, args, OPTION_SAMPLES);
    parse_request(&r, session, args);
    code = overlap_profiles(&r);
    shown_names_free(&r.names);
    return code;
}
