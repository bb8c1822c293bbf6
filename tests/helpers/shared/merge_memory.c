/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/merge_memory.h"

#include <stdio.h>
#include <string.h>

static void write_output(struct apf_merge *merge, struct merged *m, unsigned i)
{
    static const char *const targets[MERGE_OUTPUTS] = {"indexed-14", "auto", "auto", "indexed-7"};
    struct apf_error error;
    struct apf_write_options options = {.size = sizeof options};
    struct apf_output output = apf_output_buffer(&m->outputs[i]);
    options.format = i == 2 ? APF_FORMAT_TEXT : APF_FORMAT_INDEXED;
    options.flags = APF_WRITE_VTABLE_NAMES;
    assert_int_equal(apf_target_parse(targets[i], &options.target, &error), APF_OK);
    assert_int_equal(apf_merge_write(merge, &options, &output, &error), APF_OK);
    m->stats[i] = *apf_merge_stats(merge);
}

static void record_lists(struct merge_fate *f, const struct apf_input_result *r)
{
    f->n_ids = r->n_binary_ids;
    f->n_findings = r->n_findings;
    assert_true(f->n_ids <= MOST_FATE_IDS && f->n_findings <= MOST_FATE_FINDINGS);
    for (size_t i = 0; i < r->n_binary_ids; i++) {
        size_t n = r->binary_ids[i].n;
        f->ids[i].n = n;
        memcpy(f->ids[i].first, r->binary_ids[i].p, n < sizeof f->ids->first ? n : sizeof f->ids->first);
    }
    for (size_t i = 0; i < r->n_findings; i++)
        f->findings[i] = r->findings[i];
}

static void record_inputs(const struct apf_merge *merge, struct merged *m)
{
    const struct apf_input_result *r;
    for (m->n = 0; (r = apf_merge_input(merge, m->n)) != NULL; m->n++) {
        assert_true(m->n < MOST_INPUTS);
        struct merge_fate *f = &m->fates[m->n];
        f->code = r->code;
        f->format = (int32_t)r->format;
        f->weight = r->weight;
        f->producers = r->producers;
        f->version = r->version;
        f->variant = r->variant;
        f->pointer_bits = r->pointer_bits;
        f->big_endian = (uint64_t)r->big_endian;
        f->n_profiles = r->n_profiles;
        f->n_records = r->n_records;
        f->n_counters = r->n_counters;
        f->sum_of_counts = r->sum_of_counts;
        record_lists(f, r);
        assert_true((r->error != NULL) == (r->code != APF_OK));
        if (!r->error)
            continue;
        f->offset = r->error->offset;
        snprintf(f->where, sizeof f->where, "%s", r->error->where);
        assert_int_equal(r->error->input, m->n);
    }
}

void merge_memory(struct merged *m, const struct apf_input *inputs, size_t n, struct merge_way way)
{
    struct apf_merge *merge = NULL;
    struct apf_error error;
    struct apf_merge_options options = {.size = sizeof options, .tolerance = &any_loss};
    options.flags = way.flags;
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.threads = way.threads ? way.threads : 1;
    memset(m, 0, sizeof *m);
    assert_int_equal(apf_merge_new(&merge, &options, &error), APF_OK);
    for (size_t at = 0; at < n;) {
        size_t batch = way.batch && way.batch < n - at ? way.batch : n - at;
        assert_int_equal(apf_merge_add(merge, inputs + at, batch, &error), APF_OK);
        at += batch;
    }
    for (unsigned i = 0; i < MERGE_OUTPUTS; i++)
        write_output(merge, m, i);
    record_inputs(merge, m);
    apf_merge_free(merge);
}

void merged_free(struct merged *m)
{
    for (unsigned i = 0; i < MERGE_OUTPUTS; i++)
        apf_buffer_free(&m->outputs[i]);
}

static void expect_same_fates(const struct merged *a, const struct merged *b, const char *file, int line)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n && !a->reordered && !b->reordered; i++) {
        const struct merge_fate *x = &a->fates[i], *y = &b->fates[i];
        if (memcmp(x, y, sizeof *x) == 0)
            continue;
        print_error(
            "%s:%d: input %zu: code %d and %d, %s and %s, variant %llx and %llx, records %llu and %llu\n",
            file, line, i, x->code, y->code, x->where, y->where, (unsigned long long)x->variant,
            (unsigned long long)y->variant, (unsigned long long)x->n_records,
            (unsigned long long)y->n_records);
        print_error("counters %llu and %llu, sum %llu and %llu, %llu and %llu findings\n",
                    (unsigned long long)x->n_counters, (unsigned long long)y->n_counters,
                    (unsigned long long)x->sum_of_counts, (unsigned long long)y->sum_of_counts,
                    (unsigned long long)x->n_findings, (unsigned long long)y->n_findings);
        for (size_t k = 0; k < MOST_FATE_FINDINGS; k++)
            if (x->findings[k].n || y->findings[k].n)
                print_error("%s (%llu) and %s (%llu)\n", x->findings[k].where ? x->findings[k].where : "",
                            (unsigned long long)x->findings[k].n,
                            y->findings[k].where ? y->findings[k].where : "",
                            (unsigned long long)y->findings[k].n);
        fail();
    }
}

void expect_same_merge(const struct merged *a, const struct merged *b, const char *file, int line)
{
    static const char *const names[MERGE_OUTPUTS] = {"version 14", "the automatic version", "text",
                                                     "version 7"};
    for (unsigned i = 0; i < MERGE_OUTPUTS; i++) {
        const struct apf_buffer *x = &a->outputs[i], *y = &b->outputs[i];
        struct apf_merge_stats s = a->stats[i], t = b->stats[i];
        if (x->n != y->n || (x->n && memcmp(x->data, y->data, x->n) != 0)) {
            print_error("%s:%d: other bytes of %s (%zu and %zu, versions %u and %u)\n", file, line, names[i],
                        x->n, y->n, s.version, t.version);
            if (i == 2)
                print_error("%.*s\n---- and\n%.*s\n", (int)x->n, (char *)x->data, (int)y->n, (char *)y->data);
            fail();
        }
        s.n_fast = t.n_fast = 0;
        const unsigned char *p = (const unsigned char *)&s, *q = (const unsigned char *)&t;
        for (size_t k = 0; k < sizeof s; k++)
            if (p[k] != q[k]) {
                print_error("%s:%d: other statistics of %s, byte %zu\n", file, line, names[i], k);
                fail();
            }
    }
    expect_same_fates(a, b, file, line);
}
