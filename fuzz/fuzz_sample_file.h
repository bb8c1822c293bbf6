/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the fuzz targets that read sample profiles of any format. */
#ifndef FUZZ_SAMPLE_FILE_H
#define FUZZ_SAMPLE_FILE_H

#include <anyprof/sample_functions.h>
#include <anyprof/sample_views.h>

#include "fuzz_export.h"

/* Opens an input; an error must be about it. The rest of the common options are those of fuzz_options. */
static inline int fuzz_sample_open_input(struct apf_sample **sample, const struct apf_input *input,
                                         uint32_t common_flags, struct apf_sample_read_options options,
                                         struct apf_error *error)
{
    struct apf_options common = fuzz_options(NULL);
    common.flags = common_flags;
    options.size = sizeof options;
    options.options = &common;
    *sample = NULL;
    int code = apf_sample_open(sample, input, &options, error);
    REQUIRE((code == APF_OK) == (*sample != NULL));
    if (code != APF_OK)
        fuzz_check_error(code, error, input);
    return code;
}

/* Opens bytes with the default options. */
static inline int fuzz_sample_open(struct apf_sample **sample, const void *data, size_t n,
                                   struct apf_error *error)
{
    struct apf_sample_read_options options = {0};
    struct apf_input input = fuzz_input(data, n);
    return fuzz_sample_open_input(sample, &input, 0, options, error);
}

static inline void fuzz_sample_write_json(const struct apf_sample *sample, struct apf_buffer *buffer)
{
    struct apf_output output = apf_output_buffer(buffer);
    REQUIRE(apf_sample_write_json(sample, &output, NULL) == APF_OK);
}

/* The JSON of a profile is read as a profile with the same numbers and the same JSON. */
static inline void fuzz_sample_check_json(const struct apf_sample *sample)
{
    struct apf_buffer first = {NULL, 0, 0}, second = {NULL, 0, 0};
    struct apf_sample *again;
    struct apf_error error;
    fuzz_sample_write_json(sample, &first);
    int code = fuzz_sample_open(&again, first.data, first.n, &error);
    if (code != APF_OK)
        fprintf(stderr, "%s\n", error.message);
    REQUIRE(code == APF_OK);
    const struct apf_sample_info *a = apf_sample_info(sample), *b = apf_sample_info(again);
    REQUIRE(b->format == APF_SAMPLE_JSON && a->origin == b->origin && a->flags == b->flags);
    REQUIRE(a->n_functions == b->n_functions && a->n_inlined == b->n_inlined && a->n_lines == b->n_lines);
    REQUIRE(a->n_targets == b->n_targets && a->n_vtables == b->n_vtables && a->n_symbols == b->n_symbols);
    fuzz_sample_write_json(again, &second);
    fuzz_same(&first, &second);
    apf_buffer_free(&first);
    apf_buffer_free(&second);
    apf_sample_close(again);
}

/* The list of functions has what the profile has. */
static inline void fuzz_sample_check_list(const struct apf_sample *sample)
{
    const struct apf_sample_info *info = apf_sample_info(sample);
    struct apf_sample_functions *functions;
    struct apf_sample_function f = {.size = sizeof f};
    struct apf_sample_count count;
    struct apf_sample_frame frame;
    uint64_t n = 0, lines = 0, targets = 0, vtables = 0, found = 0;
    REQUIRE(apf_sample_functions_new(&functions, sample, NULL) == APF_OK);
    for (; apf_sample_function(functions, n, &f, NULL) == APF_OK; n++) {
        uint64_t frames = 0, first = lines;
        while (apf_sample_line(functions, n, lines - first, &count) == APF_OK)
            lines++;
        for (first = targets; apf_sample_target(functions, n, targets - first, &count) == APF_OK;)
            targets++;
        for (first = vtables; apf_sample_vtable(functions, n, vtables - first, &count) == APF_OK;)
            vtables++;
        while (frames < 4 && apf_sample_frame(functions, n, frames, &frame) == APF_OK)
            frames++;
        REQUIRE(frames == (f.n_frames < 4 ? f.n_frames : 4) && (frames > 0) == (f.depth == 0));
        found += f.depth == 0 && apf_sample_function_find(functions, f.name, 0) != UINT64_MAX;
    }
    REQUIRE(n == info->n_functions + info->n_inlined && found == info->n_functions);
    REQUIRE(lines == info->n_lines && targets == info->n_targets && vtables == info->n_vtables);
    apf_sample_functions_free(functions);
    fuzz_check_exports(fuzz_export_sample, (void *)(uintptr_t)sample); /* which it does not change */
}

#endif
