/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample_file.h"

#include "advice.h"
#include "profile_file.h"
#include "streams.h"

struct apf_sample_read_options sample_read_options(const struct request *request,
                                                   const struct arguments *args, struct apf_options *common)
{
    struct apf_sample_read_options options = {.size = sizeof options, .options = common};
    *common = profile_options(request);
    options.flags = option_flag(args, OPT_FS) ? APF_SAMPLE_READ_FS : 0;
    options.pass = (uint32_t)option_number(args, OPT_FS_PASS, APF_SAMPLE_PASS_LAST);
    return options;
}

struct apf_sample *sample_file_open(const struct session *session, const char *path,
                                    const struct apf_sample_read_options *options)
{
    struct apf_input input = stream_input(session, path);
    struct apf_error error;
    struct apf_sample *sample;
    (void)apf_sample_open(&sample, &input, options, &error); /* NULL, if that fails */
    if (!sample) {
        report_failure(session, path, &error);
        advise(session, path, &error);
    }
    return sample;
}
