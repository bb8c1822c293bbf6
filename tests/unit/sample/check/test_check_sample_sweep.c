/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every prefix of small sample profiles, and each of their bytes changed: nothing crashes, findings are repeatable, a
 * file that the reader refuses has an error, and only such a file cannot be described. Failing allocations. */
#include "helpers/shared/check_memory.h"
#include "helpers/shared/fault.h"
#include "helpers/shared/gcc_build.h"
#include "helpers/shared/sample_goldens.h"

#include <stdlib.h>
#include <string.h>

#include <anyprof/sample.h>

struct found {
    uint64_t digest, n_errors;
};

static int collect_finding(void *user, const struct apf_diag *d)
{
    struct found *f = user;
    f->digest =
        f->digest * 31 + d->error->offset * 7 + (uint64_t)d->code + d->error->found * 3 + d->error->expected;
    for (size_t i = 0; i < d->function.n; i++)
        f->digest = f->digest * 31 + (uint8_t)d->function.p[i];
    f->n_errors += d->severity == APF_SEVERITY_ERROR;
    return 0;
}

static struct found check(const struct apf_input *input)
{
    struct found f = {0, 0};
    struct apf_options options = {.size = sizeof options, .diag = collect_finding, .user = &f};
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    options.max_bytes = (uint64_t)1 << 24;
    assert_int_equal(apf_check(input, NULL, &options, &verdict, NULL), APF_OK);
    assert_int_equal(verdict.n_errors, f.n_errors);
    return f;
}

static uint64_t n_refused, n_accepted;

static void look(const uint8_t *p, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1); /* of this size: the sanitizer sees a read after it */
    struct apf_input input = apf_input_memory(copy, n, "sweep");
    struct apf_options common = {.size = sizeof common};
    struct apf_sample_read_options options = {.size = sizeof options, .options = &common};
    struct apf_sample *s;
    struct apf_info *info;
    assert_non_null(copy);
    if (n)
        memcpy(copy, p, n);
    common.max_bytes = (uint64_t)1 << 24;
    struct found first = check(&input), second = check(&input);
    int code = apf_sample_open(&s, &input, &options, NULL);
    apf_sample_close(s);
    assert_true(first.digest == second.digest && first.n_errors == second.n_errors);
    bool sample = apf_file_family(&input) == APF_FAMILY_SAMPLE;
    assert_true(!sample || code == APF_OK || first.n_errors > 0);
    *(code == APF_OK ? &n_accepted : &n_refused) += 1;
    assert_int_equal(apf_info_open(&info, &input, 1, &common, NULL), APF_OK);
    if (sample)
        assert_true((apf_info_file(info, 0)->error != NULL) == (code != APF_OK));
    apf_info_close(info);
    free(copy);
}

static void sweep(const void *data, size_t n)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff};
    const uint8_t *p = data;
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

static const char text[] =
    "[main:3.1 @ f]:9:1\n 1: 5 a:3 b:2\n 2: g:4\n  1: 4\n 3: vtables v:2 \n !CFGChecksum: 7\n"
    "[main]:1:1\n 1: 1\n !Attributes: 2\n\ng:1:1\n 2: 1\n !Flat\n";

static void goldens(void **state)
{
    static const struct golden *const all[] = {
        &golden_raw,        &golden_compact,        &golden_md5,    &golden_z,     &golden_contexts,
        &golden_contexts13, &golden_contexts13_md5, &golden_probes, &golden_split, &golden_probes13};
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++)
        sweep(all[i]->data, all[i]->n);
}

static void texts(void **state)
{
    (void)state;
    sweep(text, sizeof text - 1);
}

static void gcc_files(void **state)
{
    static const char *const names[] = {"", "f", "g.cold"}, *const files[] = {"a.c"};
    static const uint32_t name_files[] = {UINT32_MAX, 0, UINT32_MAX};
    static const struct gb_target targets[] = {{1, 3}};
    static const struct gb_line lines[] = {{1, 0, 10, targets, 1}, {1, 2, 3, NULL, 0}};
    static const struct gb_node g = {2, lines, 1, NULL, 0};
    static const struct gb_call calls[] = {{2, 1, &g}};
    static const struct gb_node f = {1, lines, 2, calls, 1};
    static const struct gb_function functions[] = {{3, &f, 5}, {1, &g, 0}};
    static const struct gb_row rows[] = {{500000, 10, 1}};
    (void)state;
    for (unsigned i = 0; i < GB_LAYOUTS; i++) {
        struct gb_profile p = {.layout = gb_layouts[i], .files = files, .n_files = 1, .names = names};
        struct apf_buffer b = {0};
        p.name_files = name_files;
        p.n_names = COUNT(names);
        p.functions = functions;
        p.n_functions = COUNT(functions);
        p.tail = GB_MODULES;
        p.summary = (struct gb_summary){33, 10, 3, 4, 2, rows, 1};
        gb_append(&b, &p);
        sweep(b.data, b.n);
        apf_buffer_free(&b);
    }
}

/* The numbers of good and bad files show that the sweep tried something. */
static void both_kinds(void **state)
{
    (void)state;
    assert_true(n_refused > 5000);
    assert_true(n_accepted > 5000);
}

/* ---- failing allocations ---- */

static int ignore_finding(void *user, const struct apf_diag *d)
{
    (void)user;
    (void)d;
    return 0;
}

static void check_with_faults(const void *p, size_t n)
{
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA, FAULT_ZLIB};
    struct apf_options options = {.size = sizeof options, .diag = ignore_finding};
    struct apf_input input = apf_input_memory(p, n, "faults");
    for (size_t i = 0; i < COUNT(calls); i++)
        for (uint64_t k = 1;; k++) {
            struct apf_check_verdict verdict = {.size = sizeof verdict};
            fault_fail(calls[i], k, 12); /* ENOMEM */
            int code = apf_check(&input, NULL, &options, &verdict, NULL);
            bool hit = fault_hit();
            fault_reset();
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            if (!hit)
                break;
        }
}

static void faults(void **state)
{
    static const struct golden *const all[] = {&golden_raw,      &golden_compact,    &golden_z,
                                               &golden_contexts, &golden_contexts13, &golden_probes};
    static const char
        damaged[] = "f:9:1\n 1: 5 a:3\n x\ng:1:1\n 2: 1\n 2: 1\n",
        json[] = "{\"schema\": "
                 "\"anyprof-sample/1\", \"functions\": [{\"name\": \"f\", \"total\": 4, \"head\": 1}]}\n";
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++)
        check_with_faults(all[i]->data, all[i]->n);
    check_with_faults(golden_probes.data, golden_probes.n - 7);
    check_with_faults(text, sizeof text - 1);
    check_with_faults(damaged, sizeof damaged - 1);
    check_with_faults(json, sizeof json - 1);
}

TEST_FILE(check_sample_sweep)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goldens),    cmocka_unit_test(texts),  cmocka_unit_test(gcc_files),
        cmocka_unit_test(both_kinds), cmocka_unit_test(faults),
    };
    return RUN_TESTS(tests);
}
