/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inputs that are added by one thread and by several: codes, weights, findings, progress, and failures. */
#include "inputs/inputs_add.h"

#include <stdio.h>
#include <string.h>

#include "helpers/shared/number_merge.h"
#include "helpers/shared/unit.h"

#define INPUTS 700u /* more than are read ahead */

static struct apf_error error;

/* What the callbacks of a merge have seen. */
struct seen {
    uint64_t findings; /* depends on their order */
    unsigned n;
    struct apf_diag last;
    struct apf_error detail;
    struct apf_progress progress;
    int answer;
};

static int collect_finding(void *user, const struct apf_diag *d)
{
    struct seen *s = (struct seen *)user;
    s->findings = s->findings * 31 + d->input * 1000 + (uint64_t)d->code;
    s->n++;
    s->last = *d;
    s->detail = *d->error;
    return s->answer;
}

static int collect_progress(void *user, const struct apf_progress *p)
{
    struct seen *s = (struct seen *)user;
    if (s->progress.n_done < s->progress.n_inputs) /* of one call */
        assert_true(p->n_done >= s->progress.n_done && p->bytes >= s->progress.bytes);
    s->progress = *p;
    return 0;
}

static struct number_options options_for(struct seen *s, uint32_t threads, uint32_t flags)
{
    struct number_options o = {.common = {.size = sizeof(struct apf_options),
                                          .threads = threads,
                                          .flags = flags,
                                          .diag = collect_finding,
                                          .user = s,
                                          .progress = collect_progress,
                                          .progress_user = s}};
    return o;
}

/* Inputs of every kind: input i is a number, a number of another letter, empty, damaged, or no number. */
static void make_inputs(struct apf_input *inputs, char (*texts)[16])
{
    static const char *const forms[] = {"a %u\n", "b %u\n", "", "a %u", "?"};
    for (unsigned i = 0; i < INPUTS; i++) {
        unsigned form = i % 7 < 5 ? i % 7 : 0;
        snprintf(texts[i], sizeof texts[i], forms[form], i);
        inputs[i] = apf_input_memory(texts[i], strlen(texts[i]), NULL);
        inputs[i].weight = i % 3;
    }
}

static void expect_all(const struct number_merge *m, bool salvaged)
{
    static const int codes[] = {APF_OK, APF_LEVEL_CONFLICT, APF_EMPTY_PROFILE, APF_TRUNCATED, APF_MALFORMED};
    uint64_t sum = 0;
    assert_int_equal(m->inputs.list.n, INPUTS);
    assert_int_equal(m->kept.n, INPUTS);
    for (unsigned i = 0; i < INPUTS; i++) {
        const struct kept_input *k = &m->inputs.list.data[i];
        unsigned form = i % 7 < 5 ? i % 7 : 0;
        uint64_t weight = i % 3 ? i % 3 : 1;
        bool whole = form == 0, part = salvaged && form == 3;
        assert_int_equal(k->code, part ? APF_OK : codes[form]);
        assert_int_equal(m->kept.data[i].code, k->code);
        assert_int_equal(k->weight, weight);
        assert_true((k->error != NULL) == (k->code != APF_OK));
        assert_true((k->damage != NULL) == part);
        if (k->error || k->damage)
            assert_int_equal((k->error ? k->error : k->damage)->input, i);
        sum += whole || part ? i * weight : 0;
    }
    assert_int_equal(m->sums[0], sum);
}

static void test_threads(void **state)
{
    (void)state;
    static struct apf_input inputs[INPUTS];
    static char texts[INPUTS][16];
    uint64_t findings = 0;
    make_inputs(inputs, texts);
    for (unsigned salvaged = 0; salvaged < 2; salvaged++)
        for (unsigned threads = 1; threads <= 8; threads += 7) {
            struct seen s = {0};
            struct number_merge m;
            struct number_options o = options_for(&s, threads, salvaged ? APF_FLAG_SALVAGE : 0);
            assert_int_equal(number_merge_open(&m, &o, &error), APF_OK);
            assert_int_equal(number_merge_add(&m, inputs, INPUTS, &error), APF_OK);
            expect_all(&m, salvaged);
            struct input_counts c = m.counts;
            assert_int_equal(c.n_inputs, INPUTS);
            assert_int_equal(c.n_merged, 300);
            assert_int_equal(c.n_empty, 100);
            assert_int_equal(c.n_salvaged, salvaged ? 100 : 0);
            assert_int_equal(c.n_rejected, salvaged ? 200 : 300);
            assert_int_equal(s.progress.n_done, INPUTS);
            assert_int_equal(s.progress.n_inputs, INPUTS);
            assert_int_equal(s.progress.n_bad, salvaged ? 100 : 200);
            assert_int_equal(s.n, salvaged ? 300 : 400);
            if (threads == 1)
                findings = s.findings;
            assert_int_equal(s.findings, findings);
            assert_int_equal(m.n_begun, threads);
            assert_int_equal(m.n_ended, threads);
            number_merge_close(&m);
        }
}

static void test_findings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int code;
        uint32_t severity;
    } rows[] = {{"", APF_EMPTY_PROFILE, APF_SEVERITY_NOTE},
                {"?", APF_MALFORMED, APF_SEVERITY_ERROR},
                {"b 1\n", APF_LEVEL_CONFLICT, APF_SEVERITY_ERROR}};
    struct seen s = {0};
    struct number_merge m;
    struct number_options o = options_for(&s, 1, 0);
    assert_int_equal(number_merge_open(&m, &o, &error), APF_OK);
    struct apf_input first = apf_input_memory("a 1\n", 4, NULL);
    assert_int_equal(number_merge_add(&m, &first, 1, &error), APF_OK);
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct apf_input input = apf_input_memory(rows[i].text, strlen(rows[i].text), "its name");
        s.n = 0;
        assert_int_equal(number_merge_add(&m, &input, 1, &error), APF_OK);
        assert_int_equal(s.n, 1); /* those before are not reported again */
        assert_int_equal(s.last.code, rows[i].code);
        assert_int_equal(s.last.severity, rows[i].severity);
        assert_int_equal(s.last.input, i + 1);
        assert_int_equal(s.detail.input, i + 1);
    }
    /* More of the letter that was rejected: it is the result now, and the others are rejected. */
    struct apf_input more = apf_input_memory("b 1\n", 4, NULL);
    s.n = 0;
    assert_int_equal(number_merge_add(&m, &more, 1, &error), APF_OK);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.last.input, 0);
    assert_string_equal(s.detail.where, "merge.kind");
    assert_int_equal(m.inputs.list.data[3].code, APF_OK);
    assert_null(m.inputs.list.data[3].error);
    assert_int_equal(m.kept.data[0].code, APF_LEVEL_CONFLICT);
    assert_int_equal(m.counts.n_merged, 2);
    assert_int_equal(m.counts.n_rejected, 2);
    number_merge_close(&m);
}

/* Failures that are not about one input: the first in order is reported, and the merge is of no use then. */
static void test_failures(void **state)
{
    (void)state;
    static struct apf_input inputs[INPUTS];
    static char texts[INPUTS][16];
    static const struct {
        enum number_fault fault;
        unsigned faulty;
        int code;
        size_t kept;
    } rows[] = {{NUMBER_NO_THREAD, 3, APF_NO_MEMORY, 0},
                {NUMBER_UNDECIDED, 500, APF_LIMIT, 500},
                {NUMBER_NO_COMMIT, 300, APF_NO_MEMORY, 300}};
    make_inputs(inputs, texts);
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct seen s = {0};
        struct number_merge m;
        struct number_options o = options_for(&s, 4, 0);
        assert_int_equal(number_merge_open(&m, &o, &error), APF_OK);
        m.fault = rows[i].fault;
        m.faulty = rows[i].faulty;
        assert_int_equal(number_merge_add(&m, inputs, INPUTS, &error), rows[i].code);
        if (rows[i].fault == NUMBER_UNDECIDED)
            assert_non_null(strstr(error.message, "input 500"));
        assert_int_equal(m.inputs.list.n, rows[i].kept);
        assert_int_equal(m.n_ended, m.n_begun);
        assert_int_equal(number_merge_add(&m, inputs, 1, &error), APF_ARGUMENT);
        assert_string_equal(error.where, "merge");
        number_merge_close(&m);
    }
}

static void test_stopped(void **state)
{
    (void)state;
    struct seen s = {.answer = 1};
    struct number_merge m;
    struct number_options o = options_for(&s, 1, 0);
    struct apf_input input = apf_input_memory("?", 1, NULL);
    assert_int_equal(number_merge_open(&m, &o, &error), APF_OK);
    assert_int_equal(number_merge_add(&m, &input, 1, &error), APF_STOPPED);
    assert_true(m.inputs.broken);
    number_merge_close(&m);
}

TEST_FILE(inputs_add)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_findings),
                                       cmocka_unit_test(test_failures), cmocka_unit_test(test_stopped)};
    return RUN_TESTS(tests);
}
