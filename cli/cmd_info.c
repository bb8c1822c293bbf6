/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof info */
#include <anyprof/jobs.h>

#include "file_list.h"
#include "limits.h"
#include "progress.h"

/* The long part of it. */
static int read_files(struct apf_info **info, const struct session *session, const struct arguments *args,
                      const struct file_list *list, struct apf_error *error)
{
    struct apf_options options = limits_of(args);
    options.threads = (uint32_t)option_number(args, OPT_THREADS, 0);
    options.progress = progress_take;
    options.progress_user = session->progress;
    progress_begin(session, args);
    int code = apf_info_read(info, list->data, list->n, &options, error);
    progress_end(session);
    return code;
}

int cmd_info(const struct session *session, const struct arguments *args)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct file_list list = {0};
    struct apf_info *info = NULL;
    struct apf_error error;
    int code = file_list_take(&list, session, args);
    if (!code && read_files(&info, session, args, &list, &error) != APF_OK) {
        report_failure(session, NULL, &error);
        code = EXIT_DATA;
    } else if (!code && apf_info_print(info, option_flag(args, OPT_JSON) ? APF_INFO_JSON : 0, &output,
                                       &error) != APF_OK) {
        report_failure(session, output.path, &error);
        code = EXIT_DATA;
    } else if (!code && apf_info_unreadable(info)) {
        code = EXIT_DATA;
    }
    apf_info_free(info);
    file_list_free(&list);
    return code;
}
