/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the fuzz targets of instrumentation profiles share. A broken property ends the process. */
#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/error.h>
#include <anyprof/instr.h>

#define FUZZ_MAX_BYTES                                                                                       \
    ((uint64_t)64 << 20) /* of inflated names, so that the fuzzer's memory limit is not reached */

#define REQUIRE(property)                                                                                    \
    do {                                                                                                     \
        if (!(property)) {                                                                                   \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #property);                           \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

static inline struct apf_options fuzz_options(void)
{
    struct apf_options o = {0};
    o.size = sizeof o;
    o.flags = APF_FLAG_DROP_MEMPROF;
    o.max_bytes = FUZZ_MAX_BYTES;
    o.threads = 1;
    return o;
}

/* An error says enough, and is about the file. */
static inline void fuzz_check_error(int code, const struct apf_error *e, size_t n)
{
    REQUIRE(code >= 10 && code == e->code);
    REQUIRE(e->where && e->message[0] && memchr(e->message, 0, sizeof e->message));
    REQUIRE(e->offset == UINT64_MAX || e->offset <= n);
}

/* Reads every byte that a record shows. */
static inline uint64_t fuzz_touch(const struct apf_record *r)
{
    uint64_t sum = r->hash ^ r->id ^ r->timestamp;
    for (size_t i = 0; i < r->name.n; i++)
        sum += (unsigned char)r->name.p[i];
    for (size_t i = 0; i < r->n_counts; i++)
        sum += r->counts[i];
    for (size_t i = 0; i < r->n_bitmap; i++)
        sum += r->bitmap[i];
    for (size_t i = 0; i < r->n_uniform; i++)
        sum += r->uniform[i];
    for (size_t i = 0; i < r->n_uniformity; i++)
        sum += r->uniformity[i];
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        for (size_t s = 0; s < r->n_sites[k]; s++)
            for (size_t v = 0; v < r->sites[k][s].n; v++)
                sum += r->sites[k][s].values[v].value + r->sites[k][s].values[v].count;
    return sum;
}

static inline uint64_t fuzz_sum(const struct apf_str *strings, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < strings[i].n; k++)
            sum += (unsigned char)strings[i].p[k];
    return sum;
}

/* Prints a profile in every style, into memory. */
static inline void fuzz_show(struct apf_instr *p)
{
    static const uint32_t styles[] = {0, APF_WRITE_SHOW_STYLE, APF_WRITE_SHOW_STYLE | APF_WRITE_SHOW_CS,
                                      APF_WRITE_SPARSE | APF_WRITE_VTABLE_NAMES};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        struct apf_write_options o = {0};
        struct apf_buffer buffer = {NULL, 0, 0};
        struct apf_output output = {NULL, apf_buffer_write, &buffer};
        o.size = sizeof o;
        o.format = APF_FORMAT_TEXT;
        o.flags = styles[i];
        REQUIRE(apf_instr_write_text(p, &o, &output, NULL) == APF_OK);
        apf_buffer_free(&buffer);
    }
}

/* Opens a profile and looks at all of it. */
static inline void fuzz_read(const void *data, size_t n)
{
    struct apf_options o = fuzz_options();
    struct apf_input input = {NULL, data, n, "fuzz", 0};
    struct apf_error error;
    struct apf_instr *p;
    struct apf_instr_iter *iter;
    const struct apf_record *r;
    volatile uint64_t sum = 0;
    int code = apf_instr_open(&p, &input, &o, &error);
    if (code != APF_OK) {
        REQUIRE(!p);
        fuzz_check_error(code, &error, n);
        return;
    }
    const struct apf_instr_info *info = apf_instr_info(p);
    uint64_t records = 0, counters = 0;
    REQUIRE(apf_instr_iter_new(&iter, p, &error) == APF_OK);
    while ((code = apf_instr_iter_next(iter, &r, &error)) == APF_OK) {
        sum += fuzz_touch(r);
        records++;
        counters += r->n_counts;
        REQUIRE(r->n_counts > 0);
        if (r->name.n)
            REQUIRE(apf_instr_find(p, r->name, r->hash, &r, &error) == APF_OK);
    }
    REQUIRE(code == APF_END && records == info->n_records && counters == info->n_counters);
    for (size_t t = 0; t < info->n_traces; t++)
        for (size_t i = 0; i < info->traces[t].n; i++)
            sum += apf_instr_name(p, info->traces[t].ids[i]).n;
    apf_instr_iter_free(iter);
    sum +=
        fuzz_sum(info->binary_ids, info->n_binary_ids) + fuzz_sum(info->vtable_names, info->n_vtable_names);
    for (int cs = -1; cs <= 1; cs++) {
        const struct apf_summary *summary = NULL;
        REQUIRE(apf_instr_summary(p, cs, &summary, &error) == APF_OK && summary);
    }
    fuzz_show(p);
    apf_instr_close(p);
}

/* Merges inputs and writes the result into memory; false when no input was good. */
static inline int fuzz_merge(const struct apf_input *inputs, size_t n, uint32_t flags, uint32_t threads,
                             const struct apf_write_options *write, struct apf_buffer *out)
{
    struct apf_merge_options o = {0};
    struct apf_output output = {NULL, apf_buffer_write, out};
    struct apf_error error;
    struct apf_merge *m;
    o.size = sizeof o;
    o.options = fuzz_options();
    o.options.threads = threads;
    o.flags = flags;
    REQUIRE(apf_merge_new(&m, &o, &error) == APF_OK);
    REQUIRE(apf_merge_add(m, inputs, n, &error) == APF_OK);
    uint64_t merged = apf_merge_stats(m)->n_merged;
    for (size_t i = 0; i < n; i++) {
        const struct apf_input_result *r = apf_merge_input(m, i);
        if (r->code != APF_OK)
            fuzz_check_error(r->code, r->error, inputs[i].n);
    }
    int code = apf_merge_write(m, write, &output, &error);
    if (code != APF_OK)
        REQUIRE(code == APF_NOT_REPRESENTABLE);
    apf_merge_free(m);
    return code == APF_OK && merged > 0;
}

static inline void fuzz_same(const struct apf_buffer *a, const struct apf_buffer *b)
{
    REQUIRE(a->n == b->n);
    REQUIRE(a->n == 0 || memcmp(a->data, b->data, a->n) == 0);
}

#endif
