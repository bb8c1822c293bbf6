/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges two files, each of them twice: the fast path for files of one binary and the general path must agree in all
 * that they write, count and report; another order of the inputs and another number of threads, in all that they
 * write and count. The input: two bytes, most significant first, of which four bits choose the weights and twelve are
 * the length of the first file; then the two files. Their last byte chooses whether names change, and the threads. */
#include "fuzz_profile.h"

#define HEAD 2u
#define LENGTH_BITS 12u
#define N_INPUTS 4u
#define N_OUTPUTS 5u

struct outcome {
    struct apf_buffer outputs[N_OUTPUTS];
    int codes[N_OUTPUTS];
    struct apf_merge_stats stats[N_OUTPUTS];
    int32_t results[N_INPUTS];
    struct apf_buffer report; /* the report of the last output */
};

/* Writes text, indexed versions, and the version chosen for the compilers of the inputs. */
static void write_all(struct apf_merge *m, struct outcome *o)
{
    static const struct apf_target targets[N_OUTPUTS] = {
        {0, 0, 0}, {2, 0, 14}, {2, 0, 13}, {2, 0, 3}, {0, 0, 0}};
    for (size_t i = 0; i < N_OUTPUTS; i++) {
        struct apf_buffer buffer = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&buffer);
        struct apf_write_options w = {0};
        struct apf_error error;
        w.size = sizeof w;
        w.format = i == 0 ? APF_FORMAT_TEXT : APF_FORMAT_INDEXED;
        w.flags = i == 2 ? APF_WRITE_SPARSE | APF_WRITE_VTABLE_NAMES : 0;
        w.target = targets[i];
        o->codes[i] = apf_merge_write(m, &w, &output, &error);
        if (o->codes[i] != APF_OK)
            REQUIRE(o->codes[i] == APF_NOT_REPRESENTABLE && error.code == o->codes[i] && error.where);
        o->outputs[i] = buffer;
        o->stats[i] = *apf_merge_stats(m);
        o->stats[i].n_fast = 0; /* the only permitted difference */
    }
}

/* An apf_name_filter_fn. */
static int keep(void *user, struct apf_str name)
{
    (void)user;
    return name.n % 4 != 3;
}

static void ask(struct apf_merge_options *o)
{
    static const struct apf_name_change remaps[] = {{{"main", 4}, {"foo", 3}}, {{"foo", 3}, {"a;main", 6}}};
    static const struct apf_name_change maps[] = {
        {{"", 0}, {"a", 1}}, {{"a", 1}, {"", 0}}, {{"/", 1}, {"a.c", 3}}, {{"dir", 3}, {"main", 4}}};
    o->remaps = remaps;
    o->n_remaps = sizeof remaps / sizeof *remaps;
    o->prefix_maps = maps;
    o->n_prefix_maps = sizeof maps / sizeof *maps;
    o->filter = keep;
}

/* One way to merge. */
struct way {
    uint32_t flags, threads;
    bool names; /* whether names are changed */
};

static void run(struct outcome *o, const struct apf_input *inputs, struct way way)
{
    struct apf_merge_options options = {.tolerance = &any_loss};
    struct apf_merge *m = NULL;
    options.size = sizeof options;
    struct apf_options common = fuzz_options(NULL);
    options.options = &common;
    common.threads = way.threads;
    options.flags = way.flags;
    if (way.names)
        ask(&options);
    memset(o, 0, sizeof *o);
    REQUIRE(apf_merge_new(&m, &options, NULL) == APF_OK);
    REQUIRE(apf_merge_add(m, inputs, N_INPUTS, NULL) == APF_OK);
    for (size_t i = 0; i < N_INPUTS; i++) {
        const struct apf_input_result *r = apf_merge_input(m, i);
        o->results[i] = r->code;
        if (r->code != APF_OK)
            fuzz_check_error(r->code, r->error, &inputs[i]);
    }
    write_all(m, o);
    struct apf_output output = apf_output_buffer(&o->report);
    REQUIRE(apf_merge_write_report(m, NULL, &output, NULL) == APF_OK);
    apf_merge_free(m);
}

static void compare(const struct outcome *a, const struct outcome *b)
{
    for (size_t i = 0; i < N_OUTPUTS; i++) {
        REQUIRE(a->codes[i] == b->codes[i]);
        fuzz_same(&a->outputs[i], &b->outputs[i]);
        REQUIRE(memcmp(&a->stats[i], &b->stats[i], sizeof a->stats[i]) == 0);
    }
}

static void release(struct outcome *o)
{
    for (size_t i = 0; i < N_OUTPUTS; i++)
        apf_buffer_free(&o->outputs[i]);
    apf_buffer_free(&o->report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t weights[16] = {
        1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 7, 1000, 65536, (uint64_t)1 << 40, (uint64_t)1 << 63, UINT64_MAX};
    struct outcome fast, other;
    if (size < HEAD)
        return -1;
    unsigned head = (unsigned)data[0] << 8 | data[1];
    size_t n = head & ((1u << LENGTH_BITS) - 1), left = size - HEAD;
    const uint8_t *first = data + HEAD;
    if (n > left)
        n = left;
    struct apf_input a = {.size = sizeof(struct apf_input),
                          .data = first,
                          .n = n,
                          .name = "a",
                          .weight = weights[head >> LENGTH_BITS]};
    struct apf_input b = {.size = sizeof(struct apf_input),
                          .data = first + n,
                          .n = left - n,
                          .name = "b",
                          .weight = weights[15 - (head >> LENGTH_BITS)]};
    struct apf_input inputs[N_INPUTS] = {a, b, a, b}, turned[N_INPUTS] = {b, a, a, b};
    bool names = data[size - 1] >> 2 & 1;
    run(&fast, inputs, (struct way){0, 1, names});
    run(&other, inputs, (struct way){APF_MERGE_GENERAL, 1, names});
    compare(&fast, &other);
    REQUIRE(memcmp(fast.results, other.results, sizeof fast.results) == 0);
    fuzz_same(&fast.report, &other.report);
    release(&other);
    run(&other, turned, (struct way){0, 1, names});
    compare(&fast, &other);
    REQUIRE(other.results[0] == fast.results[1] && other.results[1] == fast.results[0]);
    release(&other);
    if (data[size - 1] % 4 == 0) { /* rarely, since threads are slow to start */
        run(&other, inputs, (struct way){0, 2, names});
        compare(&fast, &other);
        REQUIRE(memcmp(fast.results, other.results, sizeof fast.results) == 0);
        release(&other);
    }
    release(&fast);
    return 0;
}
