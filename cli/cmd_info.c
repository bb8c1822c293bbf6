/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof info */
#include <string.h>

#include <anyprof/jobs.h>

#include "command.h"
#include "file_list.h"
#include "progress.h"

struct info_request {
    struct request base;
    struct file_list files;
    uint32_t threads;
    uint32_t flags; /* APF_INFO_* */
};

static int parse_request(struct info_request *r, const struct session *session, const struct arguments *args)
{
    r->base = request_of(session, args);
    r->threads = (uint32_t)option_number(args, OPT_THREADS, 0);
    r->flags = r->base.json ? APF_INFO_JSON : 0;
    r->files.find = apf_paths_expand; /* info says what a file is */
    r->files.any_recording = true;
    return file_list_parse(&r->files, session, args);
}

/* 0, or an exit code after a report. */
static int read_files(struct apf_info **info, const struct info_request *r)
{
    struct apf_options options = r->base.limits;
    struct apf_error error;
    options.threads = r->threads;
    progress_begin(&r->base, &options);
    int code = apf_info_open(info, r->files.data, r->files.n, &options, &error);
    progress_end(r->base.session);
    return exit_code(r->base.session, NULL, code, &error);
}

static int print_info(const struct apf_info *info, const struct info_request *r)
{
    struct apf_output output = apf_output_file(r->base.output);
    struct apf_error error;
    int code = apf_info_print(info, r->flags, &output, &error);
    code = exit_code(r->base.session, output.path, code, &error);
    return code == 0 && apf_info_unreadable(info) ? EXIT_DATA : code;
}

int cmd_info(const struct session *session, const struct arguments *args)
{
    struct info_request r = {0};
    struct apf_info *info = NULL;
    int code = parse_request(&r, session, args);
    if (code == 0)
        code = read_files(&info, &r);
    if (code == 0)
        code = print_info(info, &r);
    apf_info_close(info);
    file_list_free(&r.files);
    return code;
}
