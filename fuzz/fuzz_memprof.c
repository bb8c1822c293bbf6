/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory profiles: YAML if the input begins like YAML, else an indexed profile, whose magic is corrected. A profile
 * that is read is walked, shown, merged in two orders, and written as every version and as JSON, which are read
 * again. */
#include "fuzz_profile.h"

#include <anyprof/memprof.h>

#define MAX_BYTES ((uint64_t)16 << 20)
#define MAX_STACK 64u

static struct apf_options options_of(uint32_t threads)
{
    struct apf_options o = {0};
    o.size = sizeof o;
    o.max_bytes = MAX_BYTES;
    o.threads = threads;
    return o;
}

/* Reads every field of the profile. */
static void walk(const struct apf_memprof *m)
{
    const struct apf_memprof_info *info = apf_memprof_info(m);
    struct apf_memprof_function f = {.size = sizeof f};
    struct apf_memprof_alloc a = {.size = sizeof a};
    struct apf_memprof_call_site s = {.size = sizeof s};
    uint64_t n_functions = 0, n_allocs = 0, n_sites = 0;
    uint32_t frames[MAX_STACK];
    for (; apf_memprof_function(m, n_functions, &f, NULL) == APF_OK; n_functions++) {
        uint64_t i = 0, k = 0;
        for (; apf_memprof_alloc(m, n_functions, i, &a, NULL) == APF_OK; i++) {
            uint64_t n = apf_memprof_stack(m, a.stack, frames, MAX_STACK);
            for (uint64_t e = 0; e < n && e < MAX_STACK; e++)
                REQUIRE(frames[e] < info->n_frames && info->frames[frames[e]].is_inline < 2);
            REQUIRE((a.fields & ~info->fields) == 0);
        }
        for (; apf_memprof_call_site(m, n_functions, k, &s, NULL) == APF_OK; k++)
            REQUIRE(s.n_callees == 0 || s.callees[s.n_callees - 1] + 1);
        REQUIRE(i == f.n_allocs && k == f.n_call_sites);
        n_allocs += i;
        n_sites += k;
    }
    REQUIRE(n_functions == info->n_functions && n_allocs == info->n_allocs && n_sites == info->n_call_sites);
}

/* Merges the inputs; returns the sizes of the result, and its text. */
static struct apf_memprof_info sum(const struct apf_input *inputs, size_t n, uint32_t threads,
                                   struct apf_buffer *text, struct apf_merge **merge)
{
    struct apf_merge_options options = {.tolerance = &any_loss};
    struct apf_memprof_info info = {0};
    struct apf_output output = apf_output_buffer(text);
    struct apf_instr *view;
    options.size = sizeof options;
    struct apf_options common = options_of(threads);
    options.options = &common;
    REQUIRE(apf_merge_new(merge, &options, NULL) == APF_OK);
    REQUIRE(apf_merge_add(*merge, inputs, n, NULL) == APF_OK);
    REQUIRE(apf_merge_view(*merge, &view, NULL) == APF_OK);
    const struct apf_memprof *m = apf_instr_memprof(view);
    if (m) {
        walk(m);
        info = *apf_memprof_info(m);
        REQUIRE(apf_memprof_print(m, &output, NULL) == APF_OK);
    }
    return info;
}

/* Writes a version and reads it: everything is preserved but what only version 4 holds. */
static void check_version(struct apf_merge *merge, const struct apf_memprof_info *info, uint32_t version)
{
    struct apf_write_options options = {0};
    struct apf_buffer file = {0};
    struct apf_output output = apf_output_buffer(&file);
    struct apf_options limits = options_of(1);
    struct apf_instr *instr;
    options.size = sizeof options;
    options.flags = APF_WRITE_MEMPROF_FULL | APF_WRITE_MEMPROF_VERSION;
    options.memprof_version = version;
    REQUIRE(apf_target_parse(version < 2 ? "llvm-19" : "llvm-22", &options.target, NULL) == APF_OK);
    REQUIRE(apf_merge_write(merge, &options, &output, NULL) == APF_OK);
    struct apf_input input = apf_input_memory(file.data, file.n, NULL);
    REQUIRE(apf_instr_open(&instr, &input, &limits, NULL) == APF_OK);
    const struct apf_memprof *m = apf_instr_memprof(instr);
    REQUIRE(m);
    const struct apf_memprof_info *got = apf_memprof_info(m);
    REQUIRE(got->version == version);
    REQUIRE(got->n_functions == info->n_functions && got->n_allocs == info->n_allocs);
    REQUIRE(got->n_call_sites == info->n_call_sites);
    REQUIRE(got->n_data == (version == 4 ? info->n_data : 0));
    REQUIRE(got->n_cold_symbols == (version == 4 ? info->n_cold_symbols : 0));
    REQUIRE(got->summary.contexts == info->summary.contexts);
    REQUIRE(got->summary.cold_contexts <= got->summary.contexts);
    apf_instr_close(instr);
    apf_buffer_free(&file);
}

/* Requires that JSON preserves everything: `text` is the profile as it is shown. */
static void check_json(struct apf_instr *instr, const struct apf_buffer *text)
{
    struct apf_buffer first = {0}, second = {0}, shown = {0};
    struct apf_output to_first = apf_output_buffer(&first), to_second = apf_output_buffer(&second),
                      to_shown = apf_output_buffer(&shown);
    struct apf_options options = options_of(1);
    struct apf_instr *again;
    options.max_bytes = 0; /* JSON is longer */
    REQUIRE(apf_instr_write_json(instr, &to_first, NULL) == APF_OK);
    struct apf_input input = apf_input_memory(first.data, first.n, NULL);
    REQUIRE(apf_instr_open(&again, &input, &options, NULL) == APF_OK);
    REQUIRE(apf_instr_write_json(again, &to_second, NULL) == APF_OK);
    REQUIRE(apf_memprof_print(apf_instr_memprof(again), &to_shown, NULL) == APF_OK);
    fuzz_same(&first, &second);
    fuzz_same(text, &shown);
    apf_instr_close(again);
    apf_buffer_free(&first);
    apf_buffer_free(&second);
    apf_buffer_free(&shown);
}

static void check_merges(const struct apf_input *input)
{
    struct apf_input twice[2] = {*input, *input}, turned[2] = {*input, *input};
    struct apf_buffer one = {0}, first = {0}, second = {0};
    struct apf_merge *merge;
    twice[1].weight = turned[0].weight = 3;
    struct apf_memprof_info info = sum(input, 1, 1, &one, &merge);
    bool any = one.n != 0;
    for (uint32_t version = 0; any && version <= 4; version++)
        check_version(merge, &info, version);
    apf_merge_free(merge);
    sum(twice, 2, 1, &first, &merge);
    apf_merge_free(merge);
    sum(turned, 2, input->n % 8 == 0 ? 2 : 1, &second, &merge); /* rarely, since threads are slow to start */
    apf_merge_free(merge);
    fuzz_same(&first, &second);
    apf_buffer_free(&one);
    apf_buffer_free(&first);
    apf_buffer_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t magic[8] = {0xff, 'l', 'p', 'r', 'o', 'f', 'i', 0x81};
    if (size < sizeof magic)
        return -1;
    uint8_t *copy = malloc(size); /* an exact copy: sanitizers report a read past its end */
    REQUIRE(copy);
    memcpy(copy, data, size);
    if (memcmp(data, "---", 3) != 0)
        memcpy(copy, magic, sizeof magic);
    struct apf_input input = apf_input_memory(copy, size, NULL);
    struct apf_options options = options_of(1);
    struct apf_buffer text = {0};
    struct apf_output output = apf_output_buffer(&text);
    struct apf_instr *instr;
    struct apf_error error;
    int code = apf_instr_open(&instr, &input, &options, &error);
    if (code != APF_OK) {
        fuzz_check_error(code, &error, &input);
    } else if (apf_instr_memprof(instr)) {
        walk(apf_instr_memprof(instr));
        REQUIRE(apf_memprof_print(apf_instr_memprof(instr), &output, NULL) == APF_OK);
        check_json(instr, &text);
        check_merges(&input);
    }
    if (code == APF_OK)
        apf_instr_close(instr);
    apf_buffer_free(&text);
    free(copy);
    return 0;
}
