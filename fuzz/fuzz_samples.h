/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the targets of samples: the records that a reader reports, and the conversion of a text of samples with a
 * small program. */
#ifndef FUZZ_SAMPLES_H
#define FUZZ_SAMPLES_H

#include <string.h>

#include <anyprof/bolt.h>

#include "bolted_program.h"
#include "fuzz_profile.h"

/* ---- records ---- */

/* Records of a text, in their order. */
struct record_list {
    int code; /* the reader's result */
    struct apf_error error;
    uint64_t n, digest;
};

/* FNV-1a. */
static inline uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++)
        digest = (digest ^ p[i]) * 0x100000001b3;
    return digest;
}

static inline void record_number(struct record_list *l, uint64_t number)
{
    l->digest = (l->digest ^ number) * 0x9e3779b97f4a7c15;
    l->digest ^= l->digest >> 32;
}

static inline void record_text(struct record_list *l, struct apf_str text)
{
    l->digest = digest_bytes(l->digest, text.p, text.n);
}

/* Requires that a text of `size` bytes and its parts have the same records; an error is inside the text. */
static inline void check_records(const struct record_list *whole, const struct record_list *parts,
                                 size_t size)
{
    const struct apf_error *e = &whole->error;
    REQUIRE(parts->code == whole->code && parts->n == whole->n && parts->digest == whole->digest);
    if (whole->code == APF_OK)
        return;
    REQUIRE(e->code == whole->code);
    REQUIRE(whole->code == APF_LIMIT || (whole->code == APF_BAD_SAMPLES && e->offset <= size && e->line > 0 &&
                                         e->column > 0 && e->column <= e->offset + 1));
}

/* Whether to convert the text in this way. Opening the program takes ten times as long as reading a text; so
 * libFuzzer converts each accepted text in one way, and one in 16 of those that the reader refuses; a replay (no
 * ANYPROF_LIBFUZZER) converts all. */
static inline bool is_way(const uint8_t *data, size_t size, uint32_t way, uint32_t n_ways)
{
#ifdef ANYPROF_LIBFUZZER
    return (digest_bytes(0, data, size) >> 32) % n_ways == way;
#else
    (void)data, (void)size;
    return way < n_ways;
#endif
}

static inline bool is_converted_anyway(const uint8_t *data, size_t size)
{
    return is_way(data, size, 0, 16);
}

/* ---- profiles ---- */

struct converted {
    int code;
    struct apf_error error;
    struct apf_bolt_funnel funnel;
    struct apf_buffer profile; /* the profile's text; empty unless code is APF_OK */
};

static inline void converted_free(struct converted *c)
{
    apf_buffer_free(&c->profile);
}

/* Requires that every branch, range and instruction was counted in one outcome. */
static inline void check_funnel(const struct apf_bolt_funnel *f)
{
    REQUIRE(f->branches == UINT64_MAX ||
            f->branches == f->branches_mapped + f->returns + f->branches_outside);
    REQUIRE(f->falls == UINT64_MAX ||
            f->falls == f->falls_mapped + f->falls_outside + f->falls_inconsistent + f->falls_without_table);
    REQUIRE(f->basic == UINT64_MAX || f->basic == f->basic_mapped + f->basic_outside);
}

/* Converts n texts of one recording, each no longer than `size`. */
static inline struct converted convert(const struct apf_input *texts, size_t n, bool movable, size_t size,
                                       struct apf_bolt_convert_options options)
{
    static uint8_t bytes[sizeof bolted_program];
    struct converted c = {.funnel = {.size = sizeof c.funnel}};
    struct apf_input program = apf_input_memory(bytes, sizeof bytes, "program");
    struct apf_fdata *fdata;
    memcpy(bytes, bolted_program, sizeof bytes);
    bytes[BOLTED_TYPE] = movable ? 3 : 2;
    options.size = sizeof options;
    REQUIRE(apf_fdata_new(&fdata, NULL, NULL) == APF_OK);
    c.code = apf_bolt_convert(fdata, NULL, &program, texts, n, &options, &c.funnel, &c.error);
    if (c.code == APF_OK) {
        struct apf_output output = apf_output_buffer(&c.profile);
        check_funnel(&c.funnel);
        REQUIRE(apf_fdata_info(fdata)->n_branches + apf_fdata_info(fdata)->n_samples <= c.funnel.edges);
        int code = apf_fdata_write(fdata, &output, &c.error);
        REQUIRE(code == APF_OK);
    } else {
        REQUIRE(c.error.code == c.code);
        if (c.code == APF_BAD_SAMPLES)
            REQUIRE((c.error.offset <= size || c.error.input == n + 1) && c.error.line > 0 &&
                    c.error.column > 0 && c.error.column <= c.error.offset + 1 &&
                    (c.error.input < n || c.error.input == n + 1));
        else if (c.code == APF_BAD_RECORDING || c.code == APF_UNSUPPORTED)
            REQUIRE(options.flags & APF_BOLT_CONVERT_PERF_DATA);
        else
            REQUIRE(c.code == APF_NOT_RECORDED || c.code == APF_LIMIT || c.code == APF_NOT_REPRESENTABLE);
    }
    apf_fdata_free(fdata);
    return c;
}

static inline bool same_profile(const struct converted *a, const struct converted *b)
{
    return a->profile.n == b->profile.n &&
           (a->profile.n == 0 || memcmp(a->profile.data, b->profile.data, a->profile.n) == 0);
}

/* Returns the offset after the last line feed in the first half of a text, where it is divided in two; 0: none. */
static inline size_t find_parting(const uint8_t *p, size_t n)
{
    size_t at = n / 2;
    while (at > 0 && p[at - 1] != '\n')
        at--;
    return at;
}

#endif
