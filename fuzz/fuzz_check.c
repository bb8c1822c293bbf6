/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks and describes any file. If the reader refuses a file, the check reports an error; a file without errors is
 * read or needs its program; findings are inside the file; the same bytes have the same findings; the parts of a
 * profile cover each byte once or, where a warning says so, more often. */
#include "fuzz_profile.h"

#include <anyprof/jobs.h>
#include <anyprof/sample.h>

struct taken {
    uint64_t n[APF_SEVERITY_ERROR + 1];
    uint64_t digest; /* of findings in their order */
    size_t size;
    bool packed;
};

static int add_finding(void *user, const struct apf_diag *d)
{
    struct taken *t = user;
    const struct apf_error *e = d->error;
    REQUIRE(d->severity <= APF_SEVERITY_ERROR);
    REQUIRE(d->code == e->code && *e->where && *e->message && strlen(e->message) < sizeof e->message);
    REQUIRE(t->packed || e->offset == UINT64_MAX || e->offset <= t->size);
    t->n[d->severity]++;
    t->digest =
        t->digest * 0x9E3779B97F4A7C15u + e->offset * 31 + (uint64_t)e->code * 7 + e->found * 3 + e->expected;
    return 0;
}

static void check(const struct apf_input *input, struct taken *t)
{
    struct apf_options options = fuzz_options(NULL);
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    struct apf_error error;
    memset(t, 0, sizeof *t);
    t->size = input->n;
    t->packed = fuzz_is_packed(input->data, input->n);
    options.diag = add_finding;
    options.user = t;
    REQUIRE(apf_check(input, NULL, &options, &verdict, &error) == APF_OK);
    REQUIRE(verdict.n_errors == t->n[APF_SEVERITY_ERROR] &&
            verdict.n_warnings == t->n[APF_SEVERITY_WARNING] && verdict.n_notes == t->n[APF_SEVERITY_NOTE] &&
            verdict.n_files == 1);
}

static void check_parts(const struct apf_file_facts *f)
{
    uint64_t end = 0;
    for (size_t i = 0; i < f->n_parts; i++) {
        const struct apf_file_part *p = &f->parts[i];
        REQUIRE(p->size && p->offset <= f->unpacked_size && p->size <= f->unpacked_size - p->offset);
        REQUIRE(p->offset <= end);
        end = p->offset + p->size > end ? p->offset + p->size : end;
    }
    REQUIRE(f->n_parts == 0 || end == f->unpacked_size);
}

/* Returns the code of opening the file. */
static int open_with(const struct apf_input *input, uint32_t flags)
{
    struct apf_options options = fuzz_options(NULL);
    struct apf_instr *instr;
    options.flags = flags;
    int code = apf_instr_open(&instr, input, &options, NULL);
    apf_instr_close(instr);
    return code;
}

static void describe(const struct apf_input *input, int opened)
{
    struct apf_options options = fuzz_options(NULL);
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_info *info;
    const struct apf_input twice[] = {*input, *input};
    REQUIRE(apf_info_open(&info, twice, 2, &options, NULL) == APF_OK);
    const struct apf_file_facts *f = apf_info_file(info, 0);
    bool profile = f->file->kind == APF_KIND_INSTR_RAW || f->file->kind == APF_KIND_INSTR_INDEXED ||
                   f->file->kind == APF_KIND_INSTR_TEXT || f->file->kind == APF_KIND_INSTR_JSON;
    REQUIRE(f && apf_info_file(info, 1) && !apf_info_file(info, 2));
    bool known = f->n_binary_ids || f->build_digest || !(profile || f->file->kind == APF_KIND_MEMPROF_YAML);
    REQUIRE(f->error || f->file->kind == APF_KIND_ELF ||
            (apf_info_group(info, 0) == apf_info_group(info, 1)) == known);
    /* An indexed profile's counts are described even if its memory profile is damaged. */
    if (f->file->kind == APF_KIND_INSTR_INDEXED)
        opened = open_with(input, APF_FLAG_DROP_MEMPROF);
    REQUIRE(!profile || (f->error != NULL) == (opened != APF_OK) || opened == APF_MISSING_CORRELATION);
    if (profile && !f->error)
        check_parts(f);
    for (uint32_t flags = 0; flags <= APF_INFO_JSON; flags++)
        REQUIRE(apf_info_print(info, flags, &output, NULL) == APF_OK);
    apf_info_close(info);
    apf_buffer_free(&out);
}

static void print(const struct apf_input *input)
{
    struct apf_options options = fuzz_options(NULL);
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    for (uint32_t flags = 0; flags <= (APF_CHECK_JSON | APF_CHECK_ALL); flags++)
        REQUIRE(apf_check_print(input, 1, NULL, &options, flags, &output, &verdict, NULL) == APF_OK);
    apf_buffer_free(&out);
}

/* Opens a file as what the check takes it for. */
static int open_any(const struct apf_input *input)
{
    struct apf_options options = fuzz_options(NULL);
    struct apf_sample_read_options read = {.size = sizeof read, .options = &options};
    struct apf_file_info info = {.size = sizeof info};
    struct apf_sample *sample;
    if (apf_file_detect(input, &options, &info, NULL) != APF_OK ||
        !apf_file_kind_is_sample((enum apf_file_kind)info.kind))
        return open_with(input, 0);
    int code = apf_sample_open(&sample, input, &read, NULL);
    apf_sample_close(sample);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1); /* an exact copy: sanitizers report a read past its end */
    REQUIRE(copy);
    if (size)
        memcpy(copy, data, size);
    struct apf_input input = apf_input_memory(copy, size, "fuzz");
    struct taken first, second;
    int opened = open_any(&input);
    check(&input, &first);
    check(&input, &second);
    REQUIRE(first.digest == second.digest && memcmp(first.n, second.n, sizeof first.n) == 0);
    REQUIRE(opened == APF_OK || opened == APF_MISSING_CORRELATION || first.n[APF_SEVERITY_ERROR] > 0);
    REQUIRE(opened != APF_MISSING_CORRELATION ||
            first.n[APF_SEVERITY_NOTE] + first.n[APF_SEVERITY_ERROR] > 0);
    describe(&input, opened);
    print(&input);
    free(copy);
    return 0;
}
