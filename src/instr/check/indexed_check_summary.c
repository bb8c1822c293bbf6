/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares the summaries of an indexed profile, by which compilers decide what is hot, with its counts. */
#include "instr/check/indexed_check.h"
#include "instr/model/summary.h"

#include <string.h>

#define MOST_CUTOFFS 1000u

/* Rules of a summary: which records count, and the meaning of pseudo counts. */
struct rules {
    int cs;
    uint32_t flags;
};

/* Names of the fields, in their order. */
static const char *const fields[INDEXED_SUMMARY_FIELDS] = {
    "indexed.summary.num_functions",      "indexed.summary.num_counters",
    "indexed.summary.max_function_count", "indexed.summary.max_count",
    "indexed.summary.max_internal_count", "indexed.summary.total_count"};

static uint64_t word_at(const struct indexed_checker *k, uint64_t at)
{
    return load64le(k->data + at);
}

static void fill_words(uint64_t words[INDEXED_SUMMARY_FIELDS], const struct apf_summary *made)
{
    const uint64_t all[INDEXED_SUMMARY_FIELDS] = {made->n_functions,        made->n_counters,
                                                  made->max_function_count, made->max_count,
                                                  made->max_internal_count, made->total_count};
    memcpy(words, all, sizeof all);
}

/* Compares a summary; *at is the first difference in the order of the file. */
static bool field_agrees(const struct indexed_checker *k, const struct stored_summary *s,
                         const struct apf_summary *made, struct error_at *at)
{
    uint64_t words[INDEXED_SUMMARY_FIELDS];
    fill_words(words, made);
    uint64_t offset = s->at + 16;
    for (unsigned i = 0; i < INDEXED_SUMMARY_FIELDS; i++, offset += 8) {
        *at = check_spot(fields[i], offset, word_at(k, offset), words[i]);
        if (at->found != at->expected)
            return false;
    }
    offset = s->at + 16 + 8 * s->n_fields;
    for (size_t i = 0; i < made->n_rows; i++, offset += 24) {
        *at = check_spot("indexed.summary.min_count", offset + 8, word_at(k, offset + 8),
                         made->rows[i].min_count);
        if (at->found == at->expected)
            *at = check_spot("indexed.summary.num_blocks", offset + 16, word_at(k, offset + 16),
                             made->rows[i].n_blocks);
        if (at->found != at->expected)
            return false;
    }
    return true;
}

/* The cutoffs in the file. NULL: they do not ascend, or an allocation failed. */
static uint32_t *stored_cutoffs(struct indexed_checker *k, const struct stored_summary *s,
                                struct arena *arena)
{
    uint32_t *cutoffs = arena_array(arena, s->n_cutoffs, sizeof *cutoffs);
    uint64_t at = s->at + 16 + 8 * s->n_fields, before = 0;
    if (!cutoffs)
        check_memory(k->c);
    for (uint64_t i = 0; cutoffs && i < s->n_cutoffs; i++, at += 24) {
        uint64_t cutoff = word_at(k, at);
        if (cutoff < before || cutoff > UINT32_MAX) {
            check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                        check_spot("indexed.summary.cutoff", at, cutoff, before), "cutoffs do not ascend");
            return NULL;
        }
        cutoffs[i] = (uint32_t)(before = cutoff);
    }
    return cutoffs;
}

/* Compares a summary by the rules of the version, then by those of other releases that write it: releases before 9 knew
 * no context, and pseudo counts came with 16; several releases write versions 9 to 14, and anyprof writes them for
 * each. */
static void compare_field(struct indexed_checker *k, const struct stored_summary *s, int cs,
                          struct arena *arena)
{
    uint16_t caps = k->places.version->caps;
    int own = caps & INDEXED_CAP_CS ? cs : -1;
    uint32_t flags = caps & INDEXED_CAP_NO_PSEUDO ? SUMMARY_NO_PSEUDO : 0;
    struct rules rules[] = {
        {own, flags}, {-1, flags}, {own, flags ^ SUMMARY_NO_PSEUDO}, {-1, flags ^ SUMMARY_NO_PSEUDO}};
    uint32_t *cutoffs = stored_cutoffs(k, s, arena);
    struct error_at first = {0}, at;
    for (size_t i = 0; cutoffs && i < (cs ? 1u : sizeof rules / sizeof *rules); i++) {
        const struct apf_instr *instr = k->profile->instr;
        struct summary_input in = {instr->records.data, NULL,    instr->records.n, rules[i].cs,
                                   rules[i].flags,      cutoffs, s->n_cutoffs};
        struct apf_summary *made = summary_make(&in, arena, arena);
        if (!made) {
            check_memory(k->c);
            return;
        }
        if (field_agrees(k, s, made, &at))
            return;
        if (i == 0)
            first = at;
    }
    if (cutoffs)
        check_at(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, first,
                 cs ? "the context-sensitive summary is not that of the records"
                    : "the summary is not that of the records");
}

/* Compares the summary of a file with damaged records: it must have at least the counts of the intact ones. */
static void compare_least(struct indexed_checker *k, const struct stored_summary *s, int cs,
                          struct arena *arena)
{
    const struct apf_instr *instr = k->profile->instr; /* by the rules under which the fewest records count */
    struct summary_input in = {.records = instr->records.data, .n = instr->records.n, .cs = cs};
    struct apf_summary *made = summary_make(&in, arena, arena);
    if (!made) {
        check_memory(k->c);
        return;
    }
    uint64_t words[INDEXED_SUMMARY_FIELDS];
    fill_words(words, made);
    for (unsigned i = 0; i < INDEXED_SUMMARY_FIELDS; i++) {
        uint64_t at = s->at + 16 + 8 * i;
        bool wraps = i + 1 == INDEXED_SUMMARY_FIELDS && made->max_count > COUNT_SUSPECT;
        if (word_at(k, at) >= words[i] || wraps)
            continue;
        check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                    check_spot(fields[i], at, word_at(k, at), words[i]),
                    "less than the sum of the intact records");
        return;
    }
}

static void check_summary(struct indexed_checker *k, const struct stored_summary *s, int cs)
{
    struct arena arena = {0};
    uint64_t left = k->n - s->at;
    if (s->size == 0) {
        uint64_t n = left < 8 ? 0 : word_at(k, s->at);
        bool in_fields = left >= 16 && n > (left - 16) / 8;
        struct error_at at = check_spot("indexed.summary", s->at, left, 16);
        if (in_fields)
            at = check_spot("indexed.summary.num_fields", s->at, n, (left - 16) / 8);
        else if (left >= 16)
            at = check_spot("indexed.summary.num_cutoffs", s->at + 8, word_at(k, s->at + 8),
                            (left - 16 - 8 * n) / 24);
        check_bound(k->c, APF_SEVERITY_ERROR, APF_TRUNCATED, at, "the summary runs past the end of the file");
    } else if (s->n_fields < INDEXED_SUMMARY_FIELDS) {
        check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                    check_spot("indexed.summary.num_fields", s->at, s->n_fields, INDEXED_SUMMARY_FIELDS),
                    "fields are missing");
    } else if (s->n_cutoffs > MOST_CUTOFFS) {
        check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                    check_spot("indexed.summary.num_cutoffs", s->at + 8, s->n_cutoffs, MOST_CUTOFFS),
                    "more cutoffs than any release writes");
    } else if (k->profile->records_lost) {
        compare_least(k, s, cs, &arena);
    } else {
        compare_field(k, s, cs, &arena);
    }
    arena_free(&arena);
}

void indexed_check_summaries(struct indexed_checker *k)
{
    const struct indexed_places *p = &k->places;
    if (!(p->version->caps & INDEXED_CAP_SUMMARY))
        return;
    check_summary(k, &p->summary, 0);
    if (p->summary.size && p->variant & APF_VARIANT_CS)
        check_summary(k, &p->cs_summary, 1);
}
