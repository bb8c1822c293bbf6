/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial sample profiles: random profiles of all kinds, merged in random trees, give the profile, the findings and the
 * report of one merge, and equal sums are equal bytes. No damage goes unnoticed, and no failed allocation. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_merge.h>

#include "helpers/shared/fault_each.h"
#include "helpers/shared/sample_random.h"
#include "helpers/shared/unit.h"
#include "sample/merge/sample_merge.h"

#define MOST 10u

/* Findings as text, one a line. */
struct found {
    char text[1 << 16];
};

static int collect(void *user, const struct apf_diag *d)
{
    struct found *f = (struct found *)user;
    size_t n = strlen(f->text);
    snprintf(f->text + n, sizeof f->text - n, "%u %d %.*s: %s\n", d->severity, (int)d->input,
             (int)d->source.n, d->source.p ? d->source.p : "", d->error->message);
    return 0;
}

/* An input, or the part that some of them became. */
struct node {
    struct apf_buffer bytes;
    char name[16];
    uint64_t weight;
    char path[sizeof temp_dir + 16]; /* not empty: a file has the bytes, too, and is the input */
};

static struct apf_input input_of(const struct node *node)
{
    struct apf_input input = node->path[0] ? apf_input_file(node->path)
                                           : apf_input_memory(node->bytes.data, node->bytes.n, node->name);
    input.weight = node->weight;
    return input;
}

static struct apf_sample_merge *merge(const struct node *nodes, size_t n, uint32_t flags, struct found *found)
{
    const struct apf_options common = {
        .size = sizeof common, .threads = 1 + n % 2, .diag = found ? collect : NULL, .user = found};
    const struct apf_sample_merge_options options = {
        .size = sizeof options, .options = &common, .flags = flags, .tolerance = &any_loss};
    struct apf_input inputs[MOST];
    struct apf_sample_merge *m;
    for (size_t i = 0; i < n; i++)
        inputs[i] = input_of(&nodes[i]);
    assert_int_equal(apf_sample_merge_new(&m, &options, NULL), APF_OK);
    assert_int_equal(apf_sample_merge_add(m, inputs, n, NULL), APF_OK);
    return m;
}

static struct apf_buffer part_of(const struct node *nodes, size_t n)
{
    struct apf_buffer part = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&part);
    struct apf_sample_merge *m = merge(nodes, n, APF_SAMPLE_MERGE_PARTIAL, NULL);
    assert_int_equal(apf_sample_merge_write_partial(m, &output, NULL), APF_OK);
    apf_sample_merge_free(m);
    return part;
}

/* All that a merge says of its inputs: the profile, and the report. */
struct result {
    struct apf_buffer profile, report;
    struct found *found;
};

static struct result result_of(const struct node *nodes, size_t n)
{
    struct result r = {.found = calloc(1, sizeof *r.found)};
    const struct apf_sample *view;
    const struct apf_output report = apf_output_buffer(&r.report);
    /* Inputs in memory cannot be read again to find what they lost: rosters say it. */
    const uint32_t flags = APF_SAMPLE_MERGE_FIND_LOSSES | APF_SAMPLE_MERGE_PARTIAL;
    struct apf_sample_merge *m = merge(nodes, n, flags, r.found);
    assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
    r.profile = sample_to_json(view);
    assert_int_equal(apf_sample_merge_write_report(m, &any_loss, &report, NULL), APF_OK);
    apf_sample_merge_free(m);
    return r;
}

static void free_result(struct result *r)
{
    apf_buffer_free(&r->profile);
    apf_buffer_free(&r->report);
    free(r->found);
}

static void check_same(const struct apf_buffer *a, const struct apf_buffer *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->data, b->data, a->n);
}

/* A profile of a kind, or of any, as JSON; one of eight is damaged. */
static struct apf_buffer random_profile(unsigned kind, uint64_t *chance)
{
    const unsigned n = next_random(chance) % 4 ? kind : (unsigned)(next_random(chance) % 4);
    const struct sample_wish wish = {
        .contexts = n & 1, .probes = n & 2, .all = next_random(chance) % 2, .most = next_random(chance) % 12};
    struct apf_sample *s = sample_random(&wish, chance);
    struct apf_buffer json = sample_to_json(s);
    sample_free(s);
    if (next_random(chance) % 8 == 0)
        json.n /= 2;
    return json;
}

/* Replaces some neighbours by their part, and returns how many nodes there are then. */
static size_t group(struct node *nodes, size_t n, uint64_t *chance)
{
    const size_t first = next_random(chance) % n, most = n - first < 4 ? n - first : 4,
                 count = 1 + next_random(chance) % most;
    const struct apf_buffer part = part_of(nodes + first, count);
    for (size_t i = first; i < first + count; i++)
        apf_buffer_free(&nodes[i].bytes);
    nodes[first] = (struct node){part, "part", 1, ""};
    if (next_random(chance) % 4) { /* whose sums wait in it */
        static unsigned n_files;
        char name[32];
        snprintf(name, sizeof name, "part%u", n_files++ % 64);
        snprintf(nodes[first].path, sizeof nodes[first].path, "%s", temp_path(name));
        file_make(nodes[first].path, part.data, part.n);
    }
    memmove(nodes + first + 1, nodes + first + count, (n - first - count) * sizeof *nodes);
    return n - count + 1;
}

/* ---- slices ---- */

#define SLICES 3u

static void write_slices(struct apf_sample_merge *m, struct node *slices, uint32_t n)
{
    struct apf_output outputs[SLICES];
    for (uint32_t i = 0; i < n; i++) {
        slices[i] = (struct node){.name = "slice", .weight = 1};
        outputs[i] = apf_output_buffer(&slices[i].bytes);
    }
    assert_int_equal(apf_sample_merge_write_slices(m, outputs, n, NULL), APF_OK);
    apf_sample_merge_free(m);
}

/* Merges nodes in groups, each written as slices, and then slice by slice. */
static void merge_slices(const struct node *nodes, size_t n, struct node slices[SLICES], uint64_t *chance)
{
    struct node groups[SLICES][MOST];
    unsigned n_groups = 0;
    for (size_t at = 0; at < n; n_groups++) {
        const size_t count = 1 + next_random(chance) % (n - at);
        struct node made[SLICES];
        write_slices(merge(nodes + at, count, APF_SAMPLE_MERGE_PARTIAL, NULL), made, SLICES);
        for (unsigned i = 0; i < SLICES; i++)
            groups[i][n_groups] = made[i];
        at += count;
    }
    for (unsigned i = 0; i < SLICES; i++) {
        const struct apf_sample_merge_options options = {.size = sizeof options,
                                                         .flags = APF_SAMPLE_MERGE_PARTIAL,
                                                         .tolerance = &any_loss,
                                                         .slice = {i, SLICES}};
        struct apf_sample_merge *m;
        assert_int_equal(apf_sample_merge_new(&m, &options, NULL), APF_OK);
        for (unsigned g = 0; g < n_groups; g++) {
            const struct apf_input input = input_of(&groups[i][g]);
            assert_int_equal(apf_sample_merge_add(m, &input, 1, NULL), APF_OK);
        }
        write_slices(m, &slices[i], 1);
        for (unsigned g = 0; g < n_groups; g++)
            apf_buffer_free(&groups[i][g].bytes);
    }
}

static void check_slices(const struct node *nodes, size_t n, const struct result *one,
                         const struct apf_buffer *all, uint64_t *chance)
{
    struct node slices[SLICES];
    merge_slices(nodes, n, slices, chance);
    struct result sliced = result_of(slices, SLICES);
    struct apf_buffer part = part_of(slices, SLICES);
    check_same(&one->profile, &sliced.profile);
    check_same(&one->report, &sliced.report);
    assert_string_equal(one->found->text, sliced.found->text);
    check_same(all, &part);
    free_result(&sliced);
    apf_buffer_free(&part);
    for (unsigned i = 0; i < SLICES; i++)
        apf_buffer_free(&slices[i].bytes);
}

/* ---- trees ---- */

static void check_round(uint64_t chance)
{
    struct node nodes[MOST];
    size_t n = 1 + next_random(&chance) % MOST;
    const unsigned kind = (unsigned)(next_random(&chance) % 4);
    for (size_t i = 0; i < n; i++) {
        const bool again = i && next_random(&chance) % 4 == 0;
        nodes[i] =
            (struct node){.weight = next_random(&chance) % 8 ? 1 + next_random(&chance) % 3 : UINT64_MAX / 2};
        snprintf(nodes[i].name, sizeof nodes[i].name, "input %u", (unsigned)i);
        nodes[i].bytes = random_profile(kind, &chance);
        if (again) { /* records that are the same */
            apf_buffer_free(&nodes[i].bytes);
            nodes[i].bytes = (struct apf_buffer){NULL, 0, 0};
            assert_int_equal(apf_buffer_write(&nodes[i].bytes, nodes[0].bytes.data, nodes[0].bytes.n), 0);
        }
    }
    struct result one = result_of(nodes, n);
    struct apf_buffer all = part_of(nodes, n);
    check_slices(nodes, n, &one, &all, &chance);
    for (unsigned i = 0; i < 4; i++)
        n = group(nodes, n, &chance);
    struct result grouped = result_of(nodes, n);
    struct apf_buffer parts = part_of(nodes, n);
    check_same(&one.profile, &grouped.profile);
    check_same(&one.report, &grouped.report);
    assert_string_equal(one.found->text, grouped.found->text);
    check_same(&all, &parts);
    free_result(&one);
    free_result(&grouped);
    apf_buffer_free(&all);
    apf_buffer_free(&parts);
    for (size_t i = 0; i < n; i++)
        apf_buffer_free(&nodes[i].bytes);
}

static void test_trees(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 100; round++)
        check_round(1000 * round);
}

/* ---- damage ---- */

static struct node example(void)
{
    static const char first[] =
        "foo:10:1\n 1: 5 bar:3\n 2: bar:4\n  1: 4\n  !CFGChecksum: 77\n !CFGChecksum: 5\n",
                      second[] = "foo:9:1\n 1: 9\n !CFGChecksum: 6\n !Attributes: 1\n",
                      third[] = "line:3:1\n 1: 3\n";
    static const char *const texts[] = {first, second, third};
    struct node nodes[COUNT(texts)];
    for (size_t i = 0; i < COUNT(texts); i++) {
        nodes[i] = (struct node){.name = "text", .weight = 1};
        nodes[i].bytes = (struct apf_buffer){.data = (uint8_t *)(uintptr_t)texts[i], .n = strlen(texts[i])};
    }
    return (struct node){part_of(nodes, COUNT(texts)), "part", 1, ""};
}

static int code_of(const struct node *node)
{
    struct apf_sample_merge *m = merge(node, 1, 0, NULL);
    const int code = apf_sample_merge_input(m, 0)->code;
    apf_sample_merge_free(m);
    return code;
}

static void test_damage(void **state)
{
    struct node damaged = example();
    const size_t n = damaged.bytes.n;
    uint8_t *const bytes = damaged.bytes.data;
    (void)state;
    assert_int_equal(code_of(&damaged), APF_OK);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(code_of(&damaged), APF_OK);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (damaged.bytes.n = 1; damaged.bytes.n < n; damaged.bytes.n++)
        assert_int_not_equal(code_of(&damaged), APF_OK);
    apf_buffer_free(&damaged.bytes);
}

static void test_weight(void **state)
{
    struct node heavy = example();
    (void)state;
    heavy.weight = 2;
    assert_int_equal(code_of(&heavy), APF_UNSUPPORTED);
    apf_buffer_free(&heavy.bytes);
}

/* ---- memory ---- */

/* What the attempts read. */
static struct node part;

static int add_and_write(const char *path, struct apf_error *error)
{
    static const char text[] = "foo:9:1\n 1: 9\n";
    const struct apf_input inputs[] = {input_of(&part), apf_input_memory(text, sizeof text - 1, "text")};
    const struct apf_sample_merge_options options = {
        .size = sizeof options, .flags = APF_SAMPLE_MERGE_PARTIAL, .tolerance = &any_loss};
    const struct apf_output output = apf_output_file(path);
    struct apf_sample_merge *m;
    int code = apf_sample_merge_new(&m, &options, error);
    if (code == APF_OK)
        code = apf_sample_merge_add(m, inputs, 2, error);
    if (code == APF_OK)
        code = apf_sample_merge_write_partial(m, &output, error);
    apf_sample_merge_free(m);
    return code;
}

static int open_it(const char *path, struct apf_error *error)
{
    const struct apf_input input = input_of(&part);
    struct apf_sample *s;
    int code = apf_sample_open(&s, &input, NULL, error);
    apf_sample_close(s);
    if (code == APF_OK)
        file_make(path, "", 0);
    return code;
}

static void test_memory(void **state)
{
    (void)state;
    part = example();
    assert_true(fault_each(add_and_write, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 20);
    assert_true(fault_each(open_it, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 20);
    /* Its sums wait in a file. */
    snprintf(part.path, sizeof part.path, "%s.part", temp_dir);
    file_make(part.path, part.bytes.data, part.bytes.n);
    assert_true(fault_each(add_and_write, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 20);
    remove(part.path);
    apf_buffer_free(&part.bytes);
}

/* ---- files ---- */

/* Sums wait in files as long as nothing needs them, unless their order depends on others. */
static void test_files(void **state)
{
    (void)state;
    struct node node = example();
    const struct apf_sample *view;
    struct apf_buffer written = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&written);
    struct apf_error e;
    snprintf(node.path, sizeof node.path, "%s", temp_path("part"));
    file_make(node.path, node.bytes.data, node.bytes.n);
    struct apf_sample_merge *m = merge(&node, 1, APF_SAMPLE_MERGE_PARTIAL, NULL);
    assert_int_equal(m->sources.list.n, 1);
    assert_int_equal(m->sums.names.list.n, 0);
    assert_int_equal(apf_sample_merge_write_partial(m, &output, NULL), APF_OK);
    check_same(&written, &node.bytes);
    written.n = 0;
    assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
    assert_int_equal(m->sources.list.n, 0);
    assert_int_equal(apf_sample_merge_write_partial(m, &output, NULL), APF_OK);
    check_same(&written, &node.bytes);
    apf_sample_merge_free(m);
    written.n = 0;

    m = merge(&node, 1, APF_SAMPLE_MERGE_PARTIAL, NULL);
    file_make(node.path, node.bytes.data, node.bytes.n - 1);
    assert_int_equal(apf_sample_merge_write_partial(m, &output, &e), APF_IO);
    assert_string_equal(e.file, node.path);
    apf_sample_merge_free(m);
    apf_buffer_free(&node.bytes);
    apf_buffer_free(&written);
}

TEST_FILE(sample_partial)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_trees), cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_weight), TEST_WITH_DIR(test_memory),
                                       TEST_WITH_DIR(test_files)};
    return RUN_TESTS(tests);
}
