/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof check */
#include <anyprof/jobs.h>

#include "file_list.h"

int cmd_check(const struct session *session, const struct arguments *args)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_options options = file_list_options(args);
    struct apf_check_verdict verdict = {0};
    struct file_list list = {0};
    struct apf_error error;
    uint32_t flags = (option_flag(args, OPT_JSON) ? APF_CHECK_JSON : 0) |
                     (option_flag(args, OPT_ALL_FINDINGS) ? APF_CHECK_ALL : 0);
    int code = file_list_take(&list, session, args);
    if (!code && apf_check_print(list.data, list.n, &options, flags, &output, &verdict, &error) != APF_OK) {
        report_failure(session, error.code == APF_IO ? output.path : NULL, &error);
        code = EXIT_DATA;
    }
    if (!code && verdict.n_bad_files)
        code = EXIT_DATA;
    file_list_free(&list);
    return code;
}
