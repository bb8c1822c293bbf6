/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial instrumentation profiles, as fuzz_partial.h makes them. A file that is accepted is written again, as a
 * profile and as a partial profile; that one must be accepted, too, and is the same when it is written once more. */
#define _GNU_SOURCE /* for memfd_create */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_partial.h"

/* Reads a partial profile, and writes it again. False: it was refused. */
static bool write_again(const struct apf_buffer *file, struct apf_buffer *again)
{
    struct apf_options common = fuzz_options(NULL);
    struct apf_merge_options options = {.size = sizeof options, .options = &common, .tolerance = &any_loss};
    struct apf_input input = fuzz_input(file->data, file->n);
    struct apf_output output = apf_output_buffer(again);
    struct apf_buffer profile = {NULL, 0, 0}, report = {NULL, 0, 0};
    struct apf_output to_profile = apf_output_buffer(&profile), to_report = apf_output_buffer(&report);
    struct apf_write_options text = {.size = sizeof text, .format = APF_FORMAT_TEXT};
    struct apf_merge *m;
    struct apf_error error;
    options.flags = APF_MERGE_PARTIAL | APF_MERGE_FIND_LOSSES;
    REQUIRE(apf_merge_new(&m, &options, NULL) == APF_OK);
    REQUIRE(apf_merge_add(m, &input, 1, NULL) == APF_OK);
    const struct apf_input_result *r = apf_merge_input(m, 0);
    const bool refused = r->error && r->error->where && strncmp(r->error->where, "partial.", 8) == 0 &&
                         (r->code == APF_BAD_PARTIAL || r->code == APF_LIMIT || r->code == APF_UNSUPPORTED);
    if (!refused) {
        REQUIRE(apf_merge_write_partial(m, &output, NULL) == APF_OK);
        const int code = apf_merge_write(m, &text, &to_profile, &error);
        REQUIRE(code == APF_OK || error.where);
        REQUIRE(apf_merge_write_report(m, &any_loss, &to_report, NULL) == APF_OK);
    }
    apf_buffer_free(&profile);
    apf_buffer_free(&report);
    apf_merge_free(m);
    return !refused;
}

/* Likewise of a file, whose names and sums are read again when they are written. */
static void stream_again(const struct apf_buffer *file, struct apf_buffer *again)
{
    struct apf_options common = fuzz_options(NULL);
    const struct apf_merge_options options = {
        .size = sizeof options, .options = &common, .flags = APF_MERGE_PARTIAL, .tolerance = &any_loss};
    const struct apf_output output = apf_output_buffer(again);
    char path[40];
    struct apf_merge *m;
    const int fd = memfd_create("part", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && write(fd, file->data, file->n) == (ssize_t)file->n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const struct apf_input input = apf_input_file(path);
    REQUIRE(apf_merge_new(&m, &options, NULL) == APF_OK);
    REQUIRE(apf_merge_add(m, &input, 1, NULL) == APF_OK);
    REQUIRE(apf_merge_write_partial(m, &output, NULL) == APF_OK);
    apf_merge_free(m);
    close(fd);
}

/* Opens a partial profile as a profile, which it is if any of its inputs is. */
static void open_profile(const struct apf_buffer *file)
{
    struct apf_options options = fuzz_options(NULL);
    struct apf_input input = fuzz_input(file->data, file->n);
    struct apf_record record = {.size = sizeof record};
    struct apf_instr *instr;
    struct apf_error error = {0};
    const int code = apf_instr_open(&instr, &input, &options, &error);
    REQUIRE((code == APF_OK) == (instr != NULL) && (code == APF_OK || error.code == code));
    for (size_t i = 0; instr && apf_instr_record(instr, i, &record, NULL) == APF_OK; i++)
        REQUIRE(record.name.n);
    apf_instr_close(instr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_buffer file = partial_make_file(data, size, 1), again = {NULL, 0, 0}, once_more = {NULL, 0, 0},
                      streamed = {NULL, 0, 0};
    const bool read = write_again(&file, &again);
    if (read) {
        REQUIRE(write_again(&again, &once_more));
        fuzz_same(&again, &once_more);
        stream_again(&file, &streamed);
        fuzz_same(&again, &streamed);
        open_profile(&again);
    }
    apf_buffer_free(&file);
    apf_buffer_free(&again);
    apf_buffer_free(&once_more);
    apf_buffer_free(&streamed);
    return read ? 0 : -1;
}
