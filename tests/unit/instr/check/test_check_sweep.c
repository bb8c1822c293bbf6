/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every prefix of small profiles, and each of their bytes changed: nothing crashes, findings are repeatable, a file
 * that the reader refuses has an error, and only such a file cannot be described. */
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/unit.h"

#include <stdlib.h>
#include <string.h>

#include <anyprof/jobs.h>

static const uint64_t counts[] = {7, 8, 9};
static const uint8_t bits[] = {1, 2, 3}, uniformity[] = {5};
static const struct rb_pair pairs[] = {{0x1000, 9, false}, {2, 3, false}};
static const struct rb_site sites[] = {{pairs, 2}, {pairs, 1}};
static const struct rb_bytes ids[] = {{"twenty bytes of hash", 20}};

struct found {
    uint64_t digest, n_errors;
};

static int collect_finding(void *user, const struct apf_diag *d)
{
    struct found *f = user;
    f->digest =
        f->digest * 31 + d->error->offset * 7 + (uint64_t)d->code + d->error->found * 3 + d->error->expected;
    f->n_errors += d->severity == APF_SEVERITY_ERROR;
    return 0;
}

static struct found check(const struct apf_input *input)
{
    struct found f = {0, 0};
    struct apf_options options = {.size = sizeof options, .diag = collect_finding, .user = &f};
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    assert_int_equal(apf_check(input, NULL, &options, &verdict, NULL), APF_OK);
    assert_int_equal(verdict.n_errors, f.n_errors);
    return f;
}

static uint64_t n_refused, n_accepted;

static void look(const uint8_t *p, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1); /* of this size: the sanitizer sees a read after it */
    struct apf_input input = apf_input_memory(copy, n, "sweep");
    struct apf_options options = {.size = sizeof options, .flags = APF_FLAG_DROP_MEMPROF};
    struct apf_instr *instr;
    struct apf_info *info;
    assert_non_null(copy);
    if (n)
        memcpy(copy, p, n);
    struct found first = check(&input), second = check(&input);
    int code = apf_instr_open(&instr, &input, &options, NULL);
    apf_instr_close(instr);
    assert_true(first.digest == second.digest && first.n_errors == second.n_errors);
    assert_true(code == APF_OK || first.n_errors > 0);
    *(code == APF_OK ? &n_accepted : &n_refused) += 1;
    assert_int_equal(apf_info_open(&info, &input, 1, &options, NULL), APF_OK);
    const struct apf_file_facts *f = apf_info_file(info, 0);
    if (f->file->kind == APF_KIND_INSTR_RAW || f->file->kind == APF_KIND_INSTR_INDEXED)
        assert_true((f->error != NULL) == (code != APF_OK) || code == APF_MISSING_CORRELATION);
    apf_info_close(info);
    free(copy);
}

static void sweep(const uint8_t *p, size_t n)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff};
    uint8_t *copy = malloc(n);
    assert_non_null(copy);
    for (size_t i = 0; i <= n; i++)
        look(p, i);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < COUNT(changes); k++) {
            memcpy(copy, p, n);
            copy[i] ^= changes[k];
            look(copy, n);
        }
    free(copy);
}

static void indexed_files(void **state)
{
    (void)state;
    static const unsigned versions[] = {1, 3, 7, 10, 13, 14};
    static const struct ib_record records[] = {{.hash = 1,
                                                .counts = counts,
                                                .n_counts = 3,
                                                .bitmap = bits,
                                                .n_bitmap = 3,
                                                .uniformity = uniformity,
                                                .n_uniformity = 1,
                                                .sites = {sites, sites},
                                                .n_sites = {2, 1}}};
    static const struct ib_key keys[] = {{"name", records, 1}, {"other", records, 1}};
    uint64_t trace_ids[] = {rb_id("other")};
    struct ib_trace traces[] = {{3, trace_ids, 1}};
    for (size_t i = 0; i < COUNT(versions); i++) {
        struct ib_profile p = {.version = versions[i],
                               .variant = versions[i] >= 10 ? RB_IR | RB_TEMPORAL : 0,
                               .keys = keys,
                               .n_keys = 2,
                               .n_buckets = 2,
                               .ids = ids,
                               .n_ids = 1,
                               .vtable_names = {"\x06\0_ZTV1A", 8},
                               .traces = traces,
                               .n_traces = 1,
                               .stream_size = 1};
        struct rb_file file = {0};
        struct ib_places at;
        ib_append(&file, &p, &at);
        sweep(file.data, file.n);
        rb_free(&file);
    }
}

static void raw_files(void **state)
{
    (void)state;
    static const unsigned versions[] = {1, 2, 4, 7, 8, 10, 11};
    static const struct rb_function functions[] = {
        {.name = "name",
         .hash = 1,
         .counts = counts,
         .n_counts = 3,
         .address = 0x1000,
         .bitmap = bits,
         .n_bitmap = 3,
         .sites = {sites, sites},
         .n_sites = {2, 1}},
        {.name = "other", .hash = 2, .counts = counts, .n_counts = 1}};
    for (size_t i = 0; i < COUNT(versions); i++) {
        struct rb_profile p = {.version = versions[i],
                               .bytes = i % 2 ? 4 : 8,
                               .big = i % 3 == 0,
                               .functions = functions,
                               .n_functions = 2,
                               .ids = ids,
                               .n_ids = versions[i] >= 6};
        struct rb_file file = {0};
        rb_append(&file, &p, NULL);
        if (versions[i] == 10)
            rb_append(&file, &p, NULL);
        sweep(file.data, file.n);
        rb_free(&file);
    }
}

static void texts(void **state)
{
    (void)state;
    static const char text[] = ":ir\n:temporal_prof_traces\n1\n1\n5\nf,g\n"
                               "f\n1\n2\n3\n4\n1\n0\n1\n2\nf:5\ng:6\n\n"
                               "g\n7\n1\n8\n$2\n0x1\n0x2\n\n";
    sweep((const uint8_t *)text, sizeof text - 1);
}

/* The numbers of good and bad files show that the sweep tried something. */
static void both_kinds(void **state)
{
    (void)state;
    assert_true(n_refused > 10000);
    assert_true(n_accepted > 8000);
}

TEST_FILE(check_sweep)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexed_files),
        cmocka_unit_test(raw_files),
        cmocka_unit_test(texts),
        cmocka_unit_test(both_kinds),
    };
    return RUN_TESTS(tests);
}
