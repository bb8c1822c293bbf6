/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof order */
#include <inttypes.h>

#include <anyprof/compare.h>

#include "command.h"
#include "places.h"
#include "profile_file.h"
#include "shown_names.h"

struct order_request {
    struct request base;
    const char *path;
    uint32_t test_traces;
    struct shown_names names;
};

/* 0, or an exit code after a report. */
static int parse_request(struct order_request *r, const struct session *session, const struct arguments *args)
{
    if (args->n_files == 0 && !session->persona->tool)
        return report_wrong(session, args, "a FILE is required");
    if (args->n_files == 0 || !*args->files[0]) {
        report_error(session, NULL, "No such file or directory (no profile is named)");
        return session->persona->usage_exit;
    }
    r->base = request_of(session, args);
    r->path = args->files[0];
    r->test_traces = (uint32_t)option_number(args, OPT_NUM_TEST_TRACES, 0);
    shown_names_begin(&r->names, session, args);
    return place_is_read(session, args, 1) ? session->persona->usage_exit : 0;
}

static int print_order(const struct session *session, struct order_request *r, struct apf_instr *instr)
{
    struct apf_output output = shown_names_output(&r->names, r->base.output);
    struct apf_order_options options = {
        .size = sizeof options, .n_test_traces = r->test_traces, .flags = r->base.json ? APF_ORDER_JSON : 0};
    struct apf_order *order = NULL;
    struct apf_error error;
    size_t traces = apf_instr_info(instr)->n_traces;
    if (r->test_traces && r->test_traces >= traces) {
        report_error(session, NULL,
                     "--num-test-traces must be smaller than the total number of traces: expected: < %zu, "
                     "actual: %" PRIu32,
                     traces, r->test_traces);
        return EXIT_DATA;
    }
    int code = apf_order_new(&order, instr, &options, &error);
    if (code == APF_OK)
        code = apf_order_print(order, &output, &error);
    code = exit_code(session, output.path, code, &error);
    if (code == 0 && traces == 0 && !session->persona->tool)
        report_warning(
            session, r->path,
            "it has no temporal traces, so the order is empty; compile with -fprofile-generate -mllvm "
            "-pgo-temporal-instrumentation");
    apf_order_free(order);
    return code;
}

int cmd_order(const struct session *session, const struct arguments *args)
{
    struct order_request r = {0};
    int code = parse_request(&r, session, args);
    struct apf_instr *instr = code == 0 ? profile_open(&r.base, r.path, NULL, APF_FLAG_DROP_MEMPROF) : NULL;
    if (code == 0)
        code = instr ? print_order(session, &r, instr) : EXIT_DATA;
    apf_instr_close(instr);
    shown_names_free(&r.names);
    return code;
}
