/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof order */
#include <inttypes.h>

#include <anyprof/compare.h>

#include "places.h"
#include "profile_file.h"

static int print_order(const struct session *session, const struct arguments *args, struct apf_instr *instr)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_order_options options = {.size = sizeof options};
    struct apf_order *order = NULL;
    struct apf_error error;
    uint64_t tests = option_number(args, OPT_NUM_TEST_TRACES, 0);
    size_t traces = apf_instr_info(instr)->n_traces;
    if (tests && tests >= traces) {
        report_error(
            session, NULL,
            "--num-test-traces must be smaller than the total number of traces: expected: < %zu, actual: "
            "%" PRIu64,
            traces, tests);
        return EXIT_DATA;
    }
    options.n_test_traces = (uint32_t)tests;
    int code = apf_order_make(&order, instr, &options, &error);
    if (code == APF_OK)
        code = apf_order_print(order, &output, &error);
    if (code != APF_OK)
        report_failure(session, output.path, &error);
    apf_order_free(order);
    return code == APF_OK ? 0 : EXIT_DATA;
}

int cmd_order(const struct session *session, const struct arguments *args)
{
    if (args->n_files == 0 && !session->persona->tool)
        return report_wrong(session, args, "a profile is needed");
    if (args->n_files == 0 || !*args->files[0]) {
        report_error(session, NULL, "No such file or directory (no profile is named)");
        return session->persona->usage_exit;
    }
    if (place_is_read(session, args, 1))
        return session->persona->usage_exit;
    struct apf_instr *instr = profile_open(session, args, args->files[0], NULL);
    int code = instr ? print_order(session, args, instr) : EXIT_DATA;
    apf_instr_close(instr);
    return code;
}
