/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The output of a command that writes a sample profile: for whom, in which format, and what it cannot hold. */
#ifndef CLI_WRITE_SAMPLES_H
#define CLI_WRITE_SAMPLES_H

#include <anyprof/sample_write.h>

#include "request.h"

struct sample_output {
    bool named_by_path;    /* the name of the output chose the format */
    const char *extbinary; /* the option that chooses this format */
    const struct request *request;
    struct apf_options common; /* what `write` points to: losses become messages */
    struct apf_sample_write_options write;
};

/* Parses --for and the options about the format. `format`: enum apf_sample_format, 0 for what suits the target. 0,
 * or an exit code after a report. */
int sample_output_parse(struct sample_output *out, const struct request *request,
                        const struct arguments *args, uint32_t format);
/* Warns of options that the format which was chosen for the target ignores. */
void sample_output_report(const struct sample_output *out, const struct apf_sample_write_result *result);
/* Writes a profile, and says what it cannot hold, unless there is --quiet. Returns the exit code. */
int sample_output_write(const struct sample_output *out, const struct apf_sample *sample, const char *path);

#endif
