/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes segments of overlapping regions: from each segment to the next one, the source has one count. */
#ifndef COV_SEGMENTS_H
#define COV_SEGMENTS_H

#include <anyprof/cov.h>

#include "base/hash_index.h"
#include "cov/line_ranges.h"
#include "cov/mapping.h"

struct span {
    uint32_t line, column, end_line, end_column;
    uint64_t count;
    uint8_t kind; /* REGION_CODE to REGION_GAP */
};

struct segment {
    uint32_t line, column; /* where it begins */
    bool has_count;        /* else it is skipped, or outside of all regions */
    bool is_entry;         /* a region begins here */
    bool is_gap;
    uint64_t count;
};

/* Spans that were added together. */
struct span_run {
    size_t first, n;
};

/* All zero = empty; the arrays are reused. */
struct segments {
    VEC(struct span) spans; /* the input, which is sorted and combined in place */
    VEC(struct segment) list;
    VEC(uint32_t) active;
    VEC(struct span_run) runs; /* of the input */
    struct hash_index by_run;
    bool one_byte;  /* counts of equal regions are not added: one of them, or none, ran */
    bool saturates; /* sums of counts are at most the largest number; else they are modulo 2^64, as in LLVM */
};

/* Adds a region, which is a span, to the input. False: an allocation failed. */
static inline bool segments_add(struct segments *s, const struct region *r)
{
    const struct span span = {r->line, r->column, r->end_line, r->end_column, r->count, r->kind};
    return VEC_PUSH(&s->spans, span);
}
/* Ends the run of spans that begins with number `first` of the input: those of one function in one file. If a run
 * before has the same places, as other instantiations of a template have, its counts become the sums of both, and this
 * run is dropped; the list becomes the same, without sorting all of them. False: an allocation failed. */
bool segments_end_run(struct segments *s, size_t first);
/* Makes the list, as LLVM's SegmentBuilder does, and empties the input. False: an allocation failed. */
bool segments_make(struct segments *s);
/* Takes the counts away from these lines of the list. False: an allocation failed. */
bool segments_exclude(struct segments *s, const struct line_ranges *ranges);
void segments_free(struct segments *s);

/* ---- lines ---- */

/* Lines that have the same count: those from `line` to `last`. */
struct line_run {
    uint64_t line, last;
    bool mapped; /* it has a count */
    uint64_t count;
    const struct segment *segments; /* that begin in it; then it is one line */
    size_t n_segments;
};

struct line_walk {
    const struct segment *at, *end, *wrapped;
    uint64_t line; /* the next one */
};

/* Walks the lines from `first`, or from that of the first segment if it is 0, to that of the last segment. */
struct line_walk line_walk_from(const struct segments *s, uint64_t first);
/* Goes to the next run; false: there is none. */
bool line_walk_next(struct line_walk *w, struct line_run *run);
/* Adds the lines that have a count, from `first` on as above. */
void segments_count_lines(const struct segments *s, uint64_t first, struct apf_cov_share *lines);

#endif
