/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof overlap */
#include <string.h>

#include <anyprof/compare.h>

#include "command.h"
#include "pair.h"
#include "profile_kind.h"
#include "sample_file.h"

struct overlap_request {
    struct request base;
    struct apf_overlap_options options;
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
    o->names[0] = args->files[0];
    o->names[1] = args->files[1];
}

int cmd_overlap(const struct session *session, const struct arguments *args)
{
    struct overlap_request r = {0};
    struct apf_instr *pair[2];
    struct apf_overlap overlap = {.size = sizeof overlap};
    struct apf_error error;
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
    if (!pair_open(pair, &r.base, r.options.names, NULL, "error in getting profile count sums"))
        return EXIT_DATA;
    struct apf_output output = apf_output_file(r.base.output);
    code = apf_overlap_print(pair[0], pair[1], &r.options, &output, &overlap, &error);
    code = exit_code(session, output.path, code, &error);
    if (code == 0) {
        pair_warn(session, r.options.names[0], overlap.left_out, overlap.saturated);
        profile_warn_function(session, pair, 2, r.options.function);
    }
    pair_close(pair);
    return code;
}
