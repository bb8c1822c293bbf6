/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the targets of profgen: makes profiles of samples of a program, and checks what belongs together. */
#ifndef FUZZ_PROFGEN_H
#define FUZZ_PROFGEN_H

#include <anyprof/profgen.h>
#include <anyprof/sample_write.h>

#include "fuzz_profile.h"
#include "profgen_programs.h"

/* What is made of samples. */
struct made {
    int code; /* of reading, or of making the profile */
    bool read;
    struct apf_error error;
    struct apf_profgen_funnel funnel;
    struct apf_buffer raw, profile; /* texts; `profile` is empty unless code is APF_OK */
    bool decimal;                   /* names in `profile` are numbers, which are read as hashes */
    double density;
};

static inline void made_free(struct made *m)
{
    apf_buffer_free(&m->raw);
    apf_buffer_free(&m->profile);
}

static inline bool adds_up(uint64_t sum, uint64_t a, uint64_t b, uint64_t c)
{
    return sum == UINT64_MAX || (a <= sum && b <= sum - a && c <= sum - a - b);
}

/* Requires that parts are not more than what they are of. */
static inline void check_funnel(const struct apf_profgen_funnel *f)
{
    REQUIRE(adds_up(f->samples, f->samples_unwanted, f->samples_no_stack, 0));
    REQUIRE(adds_up(f->stacks, f->stacks_elsewhere, 0, 0));
    REQUIRE(adds_up(f->branches, f->branches_elsewhere, f->branches_in, f->branches_out));
    REQUIRE(adds_up(f->ranges, f->ranges_elsewhere, f->ranges_broken, 0) &&
            (f->ranges <= f->branches || !f->stacks));
    REQUIRE(adds_up(f->calls_stacks, f->calls_none, f->calls_unready, f->calls_elsewhere));
    REQUIRE(f->calls_cut <= f->calls_stacks && f->calls_long <= f->calls_stacks);
    REQUIRE(f->calls_broken <= f->calls_stacks && f->calls_mismatched <= f->branches);
    REQUIRE(f->calls_unplaced <= f->calls && f->counts_unplaced <= f->counts);
    REQUIRE((f->first_bad_line != 0) == (f->bad_lines != 0));
}

/* Leaves the text empty if it cannot hold the profile: names, as unsymbolized profiles may have them, or probes without
 * checksums. Whether names are numbers. */
static inline bool write_profile(const struct apf_sample *s, struct apf_buffer *text)
{
    struct apf_sample_write_options o = {.size = sizeof o, .format = APF_SAMPLE_TEXT};
    struct apf_sample_write_result result = {.size = sizeof result};
    struct apf_output output = apf_output_buffer(text);
    struct apf_error error;
    int code = apf_sample_write(s, &o, &output, &result, &error);
    if (code != APF_OK)
        fprintf(stderr, "%s\n", error.message);
    REQUIRE(code == APF_OK || code == APF_NOT_REPRESENTABLE || code == APF_UNSUPPORTED ||
            code == APF_SAMPLE_UNWRITABLE);
    REQUIRE(code == APF_OK || text->n == 0);
    return result.numbers_as_hashes != 0;
}

/* A profile of text is read as one with the same text, in another order if it is by number for some names. */
static inline void check_profile(const struct apf_buffer *text, bool decimal)
{
    struct apf_sample_read_options o = {.size = sizeof o};
    struct apf_input input = fuzz_input(text->data, text->n);
    struct apf_buffer second = {NULL, 0, 0};
    struct apf_sample *s;
    struct apf_error error;
    if (text->n == 0 || fuzz_is_packed(text->data, text->n)) /* "[*M\x18": also how frames of zstd begin */
        return;
    int code = apf_sample_open(&s, &input, &o, &error);
    if (code != APF_OK)
        fprintf(stderr, "%s\n", error.message);
    REQUIRE(code == APF_OK);
    REQUIRE(!write_profile(s, &second));
    REQUIRE(text->n == second.n);
    if (decimal)
        check_profile(&second, false);
    else
        fuzz_same(text, &second);
    apf_buffer_free(&second);
    apf_sample_close(s);
}

static inline void make_profile(struct apf_profgen *g, struct made *m)
{
    struct apf_output raw = apf_output_buffer(&m->raw);
    struct apf_sample *s;
    m->code = apf_profgen_write_raw(g, &raw, &m->error);
    if (m->code == APF_NOT_RECORDED) { /* nothing of the program is in the samples */
        m->read = false;
        return;
    }
    REQUIRE(m->code == APF_OK);
    m->code = apf_profgen_make(g, &s, &m->error);
    REQUIRE((m->code == APF_OK) == (s != NULL));
    if (m->code != APF_OK)
        return;
    REQUIRE(apf_profgen_density(s, 990000, &m->density, NULL) == APF_OK && m->density >= 0);
    m->decimal = write_profile(s, &m->profile);
    apf_sample_close(s);
}

/* Makes a profile of samples, which made_free frees. */
static inline struct made make(const struct apf_input *program, enum apf_profgen_input kind,
                               const struct apf_input *samples, struct apf_profgen_options options)
{
    struct made m = {.code = APF_OK};
    struct apf_options common = fuzz_options(NULL);
    struct apf_profgen *g;
    options.size = sizeof options;
    options.options = &common;
    m.code = apf_profgen_open(&g, program, &options, &m.error);
    REQUIRE((m.code == APF_OK) == (g != NULL));
    if (m.code == APF_OK) {
        m.code = apf_profgen_read(g, kind, samples, 1, &m.error);
        m.read = m.code == APF_OK;
        check_funnel(apf_profgen_funnel(g));
        if (m.read)
            make_profile(g, &m);
        m.funnel = *apf_profgen_funnel(g);
        check_funnel(&m.funnel);
    }
    REQUIRE(m.code == APF_OK || m.error.code == m.code);
    apf_profgen_close(g);
    return m;
}

/* Requires that counts that were written give the same counts and the same profile. Nothing is written of call stacks
 * without counts, which are read as no call stacks. */
static inline void check_again(const struct apf_input *program, const struct made *m,
                               struct apf_profgen_options options)
{
    struct apf_input raw = apf_input_memory(m->raw.n ? m->raw.data : (const void *)"", m->raw.n, "raw");
    if (m->raw.n && fuzz_is_packed(m->raw.data, m->raw.n)) /* a name like the beginning of a frame of zstd */
        return;
    struct made again = make(program, APF_PROFGEN_RAW, &raw, options);
    if (again.code != m->code)
        fprintf(stderr, "%s\n", again.error.message);
    REQUIRE(again.code == m->code);
    if (m->raw.n)
        fuzz_same(&m->raw, &again.raw);
    fuzz_same(&m->profile, &again.profile);
    made_free(&again);
}

/* One of the two programs, and options of profgen, as a byte says. */
static inline struct apf_input choose_program(uint8_t choice)
{
    return choice & 1 ? apf_input_memory(lined_program, sizeof lined_program, "program")
                      : apf_input_memory(probed_program, sizeof probed_program, "program");
}

static inline struct apf_profgen_options choose_options(uint8_t choice)
{
    static const uint32_t flags[] = {0,
                                     APF_PROFGEN_NO_PREINLINER,
                                     APF_PROFGEN_NO_PREINLINER | APF_PROFGEN_NO_NESTING,
                                     APF_PROFGEN_MERGE_COLD | APF_PROFGEN_TRIM_COLD,
                                     APF_PROFGEN_LINE_COST | APF_PROFGEN_NO_INFERENCE,
                                     APF_PROFGEN_REPLAY | APF_PROFGEN_MERGED_BASE,
                                     APF_PROFGEN_USE_LINES | APF_PROFGEN_ABSOLUTE,
                                     APF_PROFGEN_FIRST_SEGMENT | APF_PROFGEN_NO_SYMBOLS};
    struct apf_profgen_options o = {.flags = flags[choice >> 1 & 7]};
    if (choice & 16) {
        o.recursion = 2;
        o.context_depth = 3;
        o.chain_depth = 4;
        o.cold_depth = 2;
    }
    o.hot_count = choice & 32 ? 3 : 0;
    o.cold_count = choice & 32 ? 2 : 0;
    return o;
}

#endif
