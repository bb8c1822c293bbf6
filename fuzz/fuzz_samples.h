/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the targets of samples share: a text of samples of a small program becomes a profile. */
#ifndef FUZZ_SAMPLES_H
#define FUZZ_SAMPLES_H

#include <string.h>

#include <anyprof/bolt.h>

#include "bolted_program.h"
#include "fuzz_profile.h"

struct converted {
    int code;
    struct apf_error error;
    struct apf_bolt_funnel funnel;
    struct apf_buffer profile; /* as it is written */
};

static inline void converted_free(struct converted *c)
{
    apf_buffer_free(&c->profile);
}

/* All that was seen is somewhere. */
static inline void check_funnel(const struct apf_bolt_funnel *f)
{
    REQUIRE(f->branches == UINT64_MAX ||
            f->branches == f->branches_mapped + f->returns + f->branches_outside);
    REQUIRE(f->falls == UINT64_MAX ||
            f->falls == f->falls_mapped + f->falls_outside + f->falls_torn + f->falls_without_table);
    REQUIRE(f->basic == UINT64_MAX || f->basic == f->basic_mapped + f->basic_outside);
}

/* Texts of one recording, n of them, each no longer than `size`. */
static inline struct converted convert(const struct apf_input *texts, size_t n, bool movable, size_t size,
                                       struct apf_bolt_convert_options options)
{
    static uint8_t bytes[sizeof bolted_program];
    struct converted c = {.funnel = {.size = sizeof c.funnel}};
    struct apf_input program = {NULL, bytes, sizeof bytes, "program", 0};
    struct apf_fdata *fdata;
    memcpy(bytes, bolted_program, sizeof bytes);
    bytes[BOLTED_TYPE] = movable ? 3 : 2;
    options.size = sizeof options;
    REQUIRE(apf_fdata_new(&fdata, NULL, NULL) == APF_OK);
    c.code = apf_bolt_convert(&program, texts, n, &options, fdata, NULL, &c.funnel, &c.error);
    if (c.code == APF_OK) {
        struct apf_output output = {NULL, apf_buffer_write, &c.profile, 0};
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

/* What is compressed is of fuzz_packed: places in it are not those in the input. */
static inline bool is_packed(const uint8_t *p, size_t n)
{
    return n >= 2 && ((p[0] == 0x1f && p[1] == 0x8b) || (p[0] == 0x28 && p[1] == 0xb5) || p[1] == 0x2a);
}

/* Behind which line feed a text is parted: the last one in its first half; 0: nowhere. */
static inline size_t find_parting(const uint8_t *p, size_t n)
{
    size_t at = n / 2;
    while (at > 0 && p[at - 1] != '\n')
        at--;
    return at;
}

#endif
