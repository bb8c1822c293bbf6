/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In place of `programs`: refuses to read programs and samples. */
#include <anyprof/correlate.h>

#include "base/error.h"
#include "base/file.h"
#include "jobs/file_detect.h"
#include "jobs/info.h"

static int refuse(struct apf_error *error)
{
    return error_plain(
        error, APF_UNSUPPORTED, "build",
        "this anyprof was built for instrumentation profiles alone, without programs, probes and "
        "BOLT: build it with -DANYPROF_ELF=ON");
}

/* ---- kinds of files ---- */

int file_detect_elf(struct apf_file_info *info, const struct file_bytes *f, struct apf_error *error)
{
    (void)info;
    (void)f;
    (void)error;
    return APF_OK;
}

const char *file_elf_hint(const struct apf_file_info *info)
{
    (void)info;
    return "if it is an instrumented program, run it and give the .profraw files that it writes";
}

bool file_begins_fdata(const uint8_t *data, size_t n)
{
    (void)data;
    (void)n;
    return false;
}

bool file_begins_bolt_samples(const uint8_t *data, size_t n)
{
    (void)data;
    (void)n;
    return false;
}

/* ---- facts of files ---- */

int info_read_elf(struct info_reader *r, struct apf_error *error)
{
    (void)r;
    return refuse(error);
}

int info_read_bat(struct info_reader *r, struct apf_error *error)
{
    (void)r;
    return refuse(error);
}

int info_read_perf(struct info_reader *r, struct apf_error *error)
{
    (void)r;
    return refuse(error);
}

int info_read_bolt_yaml(struct info_reader *r, struct apf_error *error)
{
    (void)r;
    return refuse(error);
}

int info_read_fdata(struct info_reader *r, struct apf_error *error)
{
    (void)r;
    return refuse(error);
}

int info_read_bolt_samples(struct info_reader *r, struct apf_error *error)
{
    (void)r;
    return refuse(error);
}

int info_read_script(struct info_reader *r, struct apf_error *error)
{
    (void)r;
    return refuse(error);
}

int info_read_other_text(struct info_reader *r, struct apf_error *error)
{
    (void)r;
    (void)error;
    return APF_UNRECOGNIZED_FORMAT;
}

/* ---- instrumented programs ---- */

int apf_binary_functions_open(struct apf_binary_functions **functions, const struct apf_input *program,
                              enum apf_metadata_kind kind, const struct apf_options *options,
                              struct apf_error *error)
{
    (void)kind;
    (void)options;
    *functions = NULL;
    return file_error(error, refuse(error), program, 0);
}

void apf_binary_functions_close(struct apf_binary_functions *functions)
{
    (void)functions;
}

const struct apf_binary_functions_info *
apf_binary_functions_info(const struct apf_binary_functions *functions)
{
    (void)functions;
    return NULL;
}

const struct apf_function *apf_binary_functions_function(const struct apf_binary_functions *functions,
                                                         size_t i)
{
    (void)functions;
    (void)i;
    return NULL;
}

int apf_correlator_open(struct apf_correlator **correlator, const struct apf_correlator_options *options,
                        struct apf_error *error)
{
    (void)options;
    *correlator = NULL;
    return refuse(error);
}

void apf_correlator_close(struct apf_correlator *correlator)
{
    (void)correlator;
}

int apf_correlator_report(struct apf_correlator *correlator, struct apf_error *error)
{
    (void)correlator;
    (void)error;
    return APF_OK;
}

const struct apf_correlation_source *apf_correlator_source(const struct apf_correlator *correlator)
{
    (void)correlator;
    return NULL;
}

int apf_correlate_print(const struct apf_input *program, const struct apf_correlate_print_options *options,
                        const struct apf_output *output, struct apf_error *error)
{
    (void)options;
    (void)output;
    return file_error(error, refuse(error), program, 0);
}
