/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial sample profiles, as fuzz_partial.h makes them. A file that is accepted is written again, as a profile and as
 * a partial profile; that one must be accepted, too, and is the same when it is written once more; its slices, which
 * are read record by record, too. */
#include <anyprof/sample_merge.h>

#include "fuzz_partial.h"
#include "fuzz_sample_file.h"

/* Whether the only input was refused as a file, and not as an input of it. */
static bool is_refused(const struct apf_sample_merge *m)
{
    const struct apf_sample_input_result *r = apf_sample_merge_input(m, 0);
    return r->error && r->error->where && strncmp(r->error->where, "partial.", 8) == 0 &&
           (r->code == APF_BAD_PARTIAL || r->code == APF_LIMIT || r->code == APF_UNSUPPORTED);
}

/* Reads a partial profile, and writes it again. False: it was refused. */
static bool write_again(const struct apf_buffer *file, struct apf_buffer *again)
{
    struct apf_options common = fuzz_options(NULL);
    struct apf_sample_merge_options options = {
        .size = sizeof options, .options = &common, .tolerance = &any_loss};
    struct apf_input input = fuzz_input(file->data, file->n);
    struct apf_output output = apf_output_buffer(again);
    struct apf_buffer profile = {NULL, 0, 0}, report = {NULL, 0, 0};
    struct apf_output to_profile = apf_output_buffer(&profile), to_report = apf_output_buffer(&report);
    struct apf_sample_write_options text = {.size = sizeof text, .format = APF_SAMPLE_TEXT};
    struct apf_sample_merge *m;
    struct apf_error error;
    options.flags = APF_SAMPLE_MERGE_PARTIAL | APF_SAMPLE_MERGE_FIND_LOSSES;
    REQUIRE(apf_sample_merge_new(&m, &options, NULL) == APF_OK);
    REQUIRE(apf_sample_merge_add(m, &input, 1, NULL) == APF_OK);
    const bool refused = is_refused(m);
    if (!refused) {
        REQUIRE(apf_sample_merge_write_partial(m, &output, NULL) == APF_OK);
        const int code = apf_sample_merge_write(m, &text, &to_profile, NULL, &error);
        REQUIRE(code == APF_OK || error.where);
        REQUIRE(apf_sample_merge_write_report(m, &any_loss, &to_report, NULL) == APF_OK);
    }
    apf_buffer_free(&profile);
    apf_buffer_free(&report);
    apf_sample_merge_free(m);
    return !refused;
}

static struct apf_sample_merge *merge_of(const struct apf_buffer *file, struct apf_slice slice)
{
    const struct apf_options common = fuzz_options(NULL);
    const struct apf_sample_merge_options options = {.size = sizeof options,
                                                     .options = &common,
                                                     .flags = APF_SAMPLE_MERGE_PARTIAL,
                                                     .tolerance = &any_loss,
                                                     .slice = slice};
    const struct apf_input input = fuzz_input(file->data, file->n);
    struct apf_sample_merge *m;
    REQUIRE(apf_sample_merge_new(&m, &options, NULL) == APF_OK);
    REQUIRE(apf_sample_merge_add(m, &input, 1, NULL) == APF_OK);
    return m;
}

/* Slices are read record by record, and are the same when they are written again. */
static void stream_again(const struct apf_buffer *file)
{
    struct apf_buffer slices[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    const struct apf_output outputs[2] = {apf_output_buffer(&slices[0]), apf_output_buffer(&slices[1])};
    struct apf_sample_merge *m = merge_of(file, (struct apf_slice){0, 0});
    REQUIRE(apf_sample_merge_write_slices(m, outputs, 2, NULL) == APF_OK);
    apf_sample_merge_free(m);
    for (uint32_t i = 0; i < 2; i++) {
        struct apf_buffer got = {NULL, 0, 0};
        const struct apf_output output = apf_output_buffer(&got);
        m = merge_of(&slices[i], (struct apf_slice){i, 2});
        REQUIRE(apf_sample_merge_write_partial(m, &output, NULL) == APF_OK);
        fuzz_same(&got, &slices[i]);
        apf_sample_merge_free(m);
        apf_buffer_free(&got);
        apf_buffer_free(&slices[i]);
    }
}

/* Opens a partial profile as a profile, which it is if any of its inputs is. */
static void open_profile(const struct apf_buffer *file)
{
    struct apf_buffer json = {NULL, 0, 0};
    struct apf_input input = fuzz_input(file->data, file->n);
    struct apf_options common = fuzz_options(NULL);
    struct apf_sample_read_options options = {.size = sizeof options, .options = &common};
    struct apf_sample *sample;
    struct apf_error error = {0};
    const int code = apf_sample_open(&sample, &input, &options, &error);
    REQUIRE((code == APF_OK) == (sample != NULL) && (code == APF_OK || error.code == code));
    if (sample)
        fuzz_sample_write_json(sample, &json);
    apf_buffer_free(&json);
    apf_sample_close(sample);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_buffer file = partial_make_file(data, size, 2), again = {NULL, 0, 0}, once_more = {NULL, 0, 0};
    const bool read = write_again(&file, &again);
    if (read) {
        REQUIRE(write_again(&again, &once_more));
        fuzz_same(&again, &once_more);
        stream_again(&again);
        open_profile(&again);
    }
    apf_buffer_free(&file);
    apf_buffer_free(&again);
    apf_buffer_free(&once_more);
    return read ? 0 : -1;
}
