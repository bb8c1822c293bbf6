/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that describe their functions, and profiles without metadata. The input: 4 bytes for the size of the
 * program, a fifth for the way to read it; then program and profile. Every resulting count is in the profile, and no
 * more often. */
#include "fuzz_profile.h"

#include <anyprof/correlate.h>
#include <anyprof/jobs.h>

#define HEAD 5u

static void check_functions(const struct apf_input *program, uint32_t kind, const struct apf_options *options)
{
    struct apf_binary_functions *functions;
    struct apf_error error;
    size_t bytes = 0;
    int code = apf_binary_functions_open(&functions, program, kind, options, &error);
    REQUIRE((code == APF_OK) == (functions != NULL));
    if (code != APF_OK)
        return;
    size_t n = apf_binary_functions_info(functions)->n_functions;
    const struct apf_binary_functions_info *info = apf_binary_functions_info(functions);
    REQUIRE(n > 0 && info->kind != APF_METADATA_ANY && (kind == APF_METADATA_ANY || info->kind == kind));
    for (size_t i = 0; i < n; i++) {
        const struct apf_function *f = apf_binary_functions_function(functions, i);
        for (size_t k = 0; k < f->name.n; k++)
            bytes += (unsigned char)f->name.p[k]; /* the bytes of the name are readable */
        REQUIRE(f->name.n == 0 || info->kind != APF_METADATA_LOADED || f->id != 0 || bytes);
    }
    REQUIRE(!apf_binary_functions_function(functions, n));
    apf_binary_functions_close(functions);
}

static void check_print(const struct apf_input *program, const struct apf_options *options)
{
    struct apf_correlate_print_options o = {.size = sizeof o, .options = options, .max_warnings = 3};
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    o.flags = APF_CORRELATE_PRINT_NAMES | APF_CORRELATE_PRINT_COUNTERS;
    int text = apf_correlate_print(program, &o, &output, NULL);
    o.flags = APF_CORRELATE_PRINT_YAML;
    int yaml = apf_correlate_print(program, &o, &output, NULL);
    /* YAML also has lines of functions, in sections that the text form does not unpack. */
    REQUIRE(yaml != APF_OK || text == APF_OK || text == APF_LIMIT);
    REQUIRE(text != APF_OK || yaml == APF_OK || yaml == APF_LIMIT || yaml == APF_UNCOMPRESS_FAILED ||
            yaml == APF_DECOMPRESS_FAILED);
    apf_buffer_free(&out);
}

/* No record has counters that the profile lacks; each counter occurs at most as often as records may share it. */
static void check_profile(struct apf_instr *instr, size_t n_bytes)
{
    struct apf_record record = {.size = sizeof record};
    uint64_t counters = 0;
    for (size_t i = 0; apf_instr_record(instr, i, &record, NULL) == APF_OK; i++) {
        REQUIRE(record.n_counts > 0 && record.n_counts <= n_bytes && record.n_bitmap <= n_bytes);
        counters += record.n_counts;
    }
    REQUIRE(counters <= 8 * (uint64_t)n_bytes + 8 && counters == apf_instr_info(instr)->n_counters);
}

static void check_correlation(const struct apf_input *program, const struct apf_input *profile, uint32_t kind,
                              const struct apf_options *options)
{
    struct apf_correlator_options o = {.size = sizeof o, .options = options, .programs = program};
    struct apf_options with = *options;
    struct apf_correlator *correlator;
    struct apf_instr *instr;
    struct apf_error error;
    o.kind = kind;
    o.n_programs = 1;
    if (apf_correlator_open(&correlator, &o, NULL) != APF_OK)
        return;
    with.correlation = apf_correlator_source(correlator);
    int code = apf_instr_open(&instr, profile, &with, &error);
    if (code == APF_OK) {
        check_profile(instr, profile->n);
        apf_instr_close(instr);
    }
    REQUIRE(apf_correlator_report(correlator, NULL) == APF_OK);
    apf_correlator_close(correlator);
}

/* Merges the profile with salvaging and the names of the program's functions, which may remove none; *found is set to
 * the number of records whose name they gave. */
static void salvage(const struct apf_input *profile, const struct apf_str *names, size_t n, uint64_t *found)
{
    struct apf_merge_options options = {.size = sizeof options, .tolerance = &any_loss};
    struct apf_write_options w = {.size = sizeof w, .format = APF_FORMAT_TEXT};
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_merge *m;
    struct apf_options common = fuzz_options(NULL);
    options.options = &common;
    common.flags |= APF_FLAG_SALVAGE;
    REQUIRE(apf_merge_new(&m, &options, NULL) == APF_OK && apf_merge_add(m, profile, 1, NULL) == APF_OK);
    if (n)
        REQUIRE(apf_merge_add_names(m, names, n, NULL) == APF_OK);
    int code = apf_merge_write(m, &w, &output, NULL);
    REQUIRE(code == APF_OK || code == APF_NOT_REPRESENTABLE);
    const struct apf_input_result *result = apf_merge_input(m, 0);
    const struct apf_salvage *s = result->salvage;
    *found = 0;
    if (s && result->code == APF_OK) {
        REQUIRE(s->names_known && s->found_names + s->lost_names == s->nameless);
        *found = s->found_names;
    }
    apf_merge_free(m);
    apf_buffer_free(&out);
}

/* Covers merge --salvage --binary-file. */
static void check_names(const struct apf_input *program, const struct apf_input *profile,
                        const struct apf_options *options)
{
    struct apf_binary_functions *functions;
    uint64_t without, with;
    if (profile->n == 0 ||
        apf_binary_functions_open(&functions, program, APF_METADATA_ANY, options, NULL) != APF_OK)
        return;
    size_t n = apf_binary_functions_info(functions)->n_functions;
    struct apf_str *names = malloc(n * sizeof *names);
    REQUIRE(names);
    for (size_t i = 0; i < n; i++)
        names[i] = apf_binary_functions_function(functions, i)->name;
    salvage(profile, NULL, 0, &without);
    salvage(profile, names, n, &with);
    REQUIRE(with >= without);
    free(names);
    apf_binary_functions_close(functions);
}

/* Covers check --against: each function of a readable program is found, found with another hash, or missing. */
static void check_against(const struct apf_input *program, const struct apf_input *profile,
                          const struct apf_options *options)
{
    struct apf_check_programs *programs;
    struct apf_binary_functions *functions;
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    if (apf_check_programs_open(&programs, program, 1, options, NULL) != APF_OK)
        return;
    REQUIRE(apf_binary_functions_open(&functions, program, APF_METADATA_ANY, options, NULL) == APF_OK);
    REQUIRE(apf_check(profile, programs, options, &verdict, NULL) == APF_OK);
    REQUIRE(verdict.n_program_functions <= apf_binary_functions_info(functions)->n_functions);
    REQUIRE(verdict.n_found + verdict.n_mismatched + verdict.n_missing == verdict.n_program_functions);
    REQUIRE(verdict.n_unknown <= verdict.n_records && verdict.n_other_path <= verdict.n_missing);
    apf_binary_functions_close(functions);
    apf_check_programs_close(programs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t findings = 0;
    struct apf_options options = fuzz_options(&findings);
    uint32_t n;
    if (size < HEAD)
        return 0;
    memcpy(&n, data, sizeof n);
    uint32_t kind = data[4] % 4;
    if (n > size - HEAD)
        n = (uint32_t)(size - HEAD);
    struct apf_input program = fuzz_input(data + HEAD, n),
                     profile = fuzz_input(data + HEAD + n, size - HEAD - n);
    if (fuzz_is_packed(program.data, program.n) || fuzz_is_packed(profile.data, profile.n))
        return 0;
    check_functions(&program, kind, &options);
    if (kind == APF_METADATA_DEBUG_INFO)
        check_print(&program, &options);
    check_correlation(&program, &profile, kind == APF_METADATA_DEBUG_INFO ? kind : APF_METADATA_BINARY,
                      &options);
    check_names(&program, &profile, &options);
    check_against(&program, &profile, &options);
    return 0;
}
