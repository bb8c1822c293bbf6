/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The model of sample profiles, which every reader fills and every printer and writer reads: struct apf_sample. It
 * knows no format.
 *
 * A profile is a forest of nodes. A node is a function at the top level, with its context, or a function that was
 * inlined, with its caller's node and the place of the call. It has four sorted lists: counts of lines by place, counts
 * of call targets by place and name, counts of vtables likewise, and inlined functions by place and name.
 *
 * A reader appends nodes and counts in any order (sample_top and what follows); sample_seal sorts the lists and adds up
 * what is there repeatedly. Only sealed profiles are passed on. */
#ifndef SAMPLE_PROFILE_H
#define SAMPLE_PROFILE_H

#include "sample/layout/sample_layout.h"
#include "sample/model/sample_contexts.h"
#include "sample/model/sample_findings.h"
#include "sample/model/sample_names.h"

/* The deepest inlining, and the longest context, that is read (APF_LIMIT); real files have less than 100. Text indents
 * by the depth, so a file of n bytes may become a text of n times this number. */
#define SAMPLE_MAX_DEPTH 1000u

/* A place as one number, in which order is that of places. */
static inline uint64_t sample_place(uint32_t line, uint32_t discriminator)
{
    return (uint64_t)line << 32 | discriminator;
}
static inline uint32_t sample_place_line(uint64_t at)
{
    return (uint32_t)(at >> 32);
}
static inline uint32_t sample_place_discriminator(uint64_t at)
{
    return (uint32_t)at;
}

/* Whether a line is so far from its function that readers of binary formats refuse it. */
static inline bool sample_place_is_far(uint64_t at)
{
    return sample_place_line(at) > SAMPLE_MAX_LINE;
}

/* The count of a line. */
struct sample_line {
    uint64_t at, count;
};

/* The count of a call target or vtable. Every place with targets also has a line. */
struct sample_target {
    uint64_t at, count;
    uint32_t name;
};

/* Lists; their memory is in the profile's blocks. */
struct sample_lines {
    struct sample_line *data;
    uint32_t n, room;
};
struct sample_targets {
    struct sample_target *data;
    uint32_t n, room;
};
struct sample_callees {
    uint32_t *data; /* numbers of nodes, sorted by place, name and checksum */
    uint32_t n, room;
};

/* In place of the number of an input: there is none. */
#define SAMPLE_NO_INPUT UINT64_MAX

/* Members that only few nodes have. */
struct sample_extra {
    struct sample_targets vtables; /* by place and name */
    uint64_t first_time;           /* 0: unknown; sums have the smallest that is known */
};

/* sample_node.state */
#define SAMPLE_UNSORTED_LINES 1u   /* lines are not in strictly ascending order */
#define SAMPLE_UNSORTED_TARGETS 2u /* ... targets */
#define SAMPLE_UNSORTED_CALLEES 4u /* ... callees */
#define SAMPLE_UNSORTED_VTABLES 8u /* ... vtables */
#define SAMPLE_UNSORTED                                                                                      \
    (SAMPLE_UNSORTED_LINES | SAMPLE_UNSORTED_TARGETS | SAMPLE_UNSORTED_CALLEES | SAMPLE_UNSORTED_VTABLES)
#define SAMPLE_GONE 16u      /* became part of another node, or is left out: no list has it any more */
#define SAMPLE_SATURATED 32u /* a count was cut at 2^64-1 */
/* What sealing has joined. */
#define SAMPLE_JOINED 64u          /* the node was there repeatedly, with one place and name */
#define SAMPLE_JOINED_LINES 128u   /* a place had several counts */
#define SAMPLE_JOINED_TARGETS 256u /* a target of a place had several counts */
#define SAMPLE_PART 512u /* with SAMPLE_GONE: the node became part of the one that is now its caller */

struct sample_node {
    uint64_t total, head;
    uint64_t checksum; /* 0: unknown */
    uint64_t at;       /* inlined: the place of the call in the caller */
    uint64_t votes;    /* in sums: weight of the inputs that have this node */
    uint64_t input;    /* in sums: the smallest number of an input that has this node; see apf_sample.input */
    uint32_t name;
    uint32_t context; /* at the top level: of the profile's contexts; else SAMPLE_NONE */
    uint32_t caller;  /* the node it is inlined in; SAMPLE_NONE: at the top level */
    uint32_t attributes;
    uint16_t state; /* SAMPLE_UNSORTED_LINES, ... */
    struct sample_lines lines;
    struct sample_targets targets;
    struct sample_callees callees;
    struct sample_extra *extra; /* NULL: none; in the arena */
};

/* Memory for lists: blocks of some sizes, which are reused when a list has outgrown one. */
#define SAMPLE_BLOCK_CLASSES 96u
struct sample_blocks {
    struct arena arena;
    void *free[SAMPLE_BLOCK_CLASSES];
};

struct sample_summary_row {
    uint64_t cutoff, min_count, n_counts;
};

/* LLVM's summary of a profile. */
struct sample_summary {
    uint64_t total, max_count, max_head, n_counts, n_functions;
    struct sample_summary_row *rows;
    size_t n_rows;
};

/* A function at the top level that is in a file once more. */
struct sample_repeat {
    uint64_t offset;
    uint32_t node;
};

/* Where the nodes of a profile are in its file. */
struct sample_origins {
    VEC(uint64_t) offsets;           /* of each node, in the file as it was unpacked; NO_OFFSET: not known */
    VEC(struct sample_repeat) again; /* in the order of the file */
};
void sample_origins_free(struct sample_origins *origins);

struct apf_sample {
    struct apf_sample_info info; /* `flags` is kept up to date; the numbers are made by sample_complete */
    struct sample_names names;
    struct sample_contexts contexts;
    VEC(struct sample_node) nodes;
    /* nodes at the top level, in the order in which they were appended; none of them is SAMPLE_GONE when sealed */
    VEC(uint32_t) top;
    /* first_top[context] is the node at the top level that has this context, in sums the first one that was appended;
     * SAMPLE_NONE: none. Contexts from first_top.n on have none */
    VEC(uint32_t) first_top;
    /* in sums: nodes at the top level that are not in first_top, by context and checksum */
    struct hash_index top_index;
    struct sample_blocks blocks;
    struct arena arena; /* extras, the stored summary */
    VEC(struct apf_str)
    symbols; /* the list of all functions of the program: sorted by bytes and unique when sealed */
    struct arena symbol_text;
    bool has_symbols;               /* there is a list, which may be empty */
    bool is_view;                   /* the view of a merge, which owns it */
    struct apf_sample_merge *owner; /* of a view: NULL, or the merge, which apf_sample_close frees */
    bool is_sum; /* functions of one context may differ by their checksums: see sample_add */
    /* added to sample_node.input by sample_add: the number of the input that this profile is. Any numbers will do whose
     * order is that of the inputs. */
    uint64_t input;
    struct sample_summary *stored; /* the summary in the file; NULL: it has none */
    uint64_t n_saturated;          /* additions that were cut at 2^64-1 */
    uint64_t sum_of_counts;        /* of all lines, saturating; made by sample_complete */
    uint64_t findings[SAMPLE_FINDING_COUNT];
    struct apf_sample_salvage *salvage; /* NULL: the file is intact; in the arena */
    struct sample_origins *origins;     /* NULL, or filled in by the reader; it belongs to the caller */
};

/* How far a reader came: what is whole before the damage. */
struct sample_progress {
    uint64_t n_functions; /* functions at the top level that were read whole, in the order of the file */
    uint64_t end;         /* offset of the first byte after them */
    uint64_t known;       /* functions that the file announces; 0: it does not say */
};

/* The limits and flags of one read. */
struct sample_read_options {
    uint64_t max_bytes, max_records;
    struct pulse *pulse;              /* NULL, or what may end the reading */
    uint32_t flags;                   /* APF_FLAG_* */
    struct sample_progress *progress; /* NULL, or filled in by a reader that fails */
    /* 0, or the reader stops without an error after so many functions at the top level, whatever follows */
    uint64_t max_functions;
    uint32_t max_depth;     /* SAMPLE_MAX_DEPTH, or less */
    bool fs;                /* --profile-isfs: the discriminators of text and raw binary are flow-sensitive */
    uint32_t discriminator; /* mask for the discriminators of flow-sensitive profiles; 0 means all bits */
};

/* NULL: allocation failed. */
struct apf_sample *sample_new(void);
void sample_free(struct apf_sample *s);
/* Empties a profile for the next file and keeps its memory. */
void sample_reset(struct apf_sample *s);

/* ---- appending: for readers ---- */

/* The node at the top level for a context, appended unless it is there: reading goes on in it. */
int sample_top(struct apf_sample *s, uint32_t context, uint32_t *node, struct apf_error *error);
/* The node at the top level for a context, or SAMPLE_NONE; not for sums, which may have several. */
uint32_t sample_find_top(const struct apf_sample *s, uint32_t context);
/* The node that is inlined in `caller`, which is sealed, or SAMPLE_NONE; not for sums. */
uint32_t sample_find_inlined(const struct apf_sample *s, uint32_t caller, uint64_t at, uint32_t name);
/* Appends a node that is inlined in `caller`. Without a search: sample_seal joins equal ones. */
int sample_inlined(struct apf_sample *s, uint32_t caller, uint64_t at, uint32_t name, uint32_t *node,
                   struct apf_error *error);
int sample_record_origin(struct apf_sample *s, uint32_t node, uint64_t offset, struct apf_error *error);
/* Records where the node is that sample_top or sample_inlined has given, if that is wanted. */
static inline int sample_origin(struct apf_sample *s, uint32_t node, uint64_t offset, struct apf_error *error)
{
    return LIKELY(!s->origins) ? APF_OK : sample_record_origin(s, node, offset, error);
}
/* Makes room for n more entries, so that a reader that knows their number needs no check for each. */
int sample_reserve_lines(struct apf_sample *s, uint32_t node, uint64_t n, struct apf_error *error);
int sample_reserve_targets(struct apf_sample *s, uint32_t node, uint64_t n, struct apf_error *error);
int sample_line_slow(struct apf_sample *s, uint32_t node, uint64_t at, uint64_t count,
                     struct apf_error *error);
int sample_target_slow(struct apf_sample *s, uint32_t node, uint64_t at, uint32_t name, uint64_t count,
                       struct apf_error *error);
/* Appends a count of a line to a list with room for it. */
static inline void sample_store_line(struct sample_node *f, uint64_t at, uint64_t count)
{
    struct sample_line line = {at, count};
    if (f->lines.n && f->lines.data[f->lines.n - 1].at >= at)
        f->state |= SAMPLE_UNSORTED_LINES;
    f->lines.data[f->lines.n++] = line;
}
/* Appends a count of a line; equal places are added up by sample_seal. */
static inline int sample_append_line(struct apf_sample *s, uint32_t node, uint64_t at, uint64_t count,
                                     struct apf_error *error)
{
    struct sample_node *f = &s->nodes.data[node];
    if (UNLIKELY(f->lines.n == f->lines.room))
        return sample_line_slow(s, node, at, count, error);
    sample_store_line(f, at, count);
    return APF_OK;
}
/* Appends a count of a call target to a list with room for it. */
static inline void sample_store_target(struct sample_node *f, uint64_t at, uint32_t name, uint64_t count)
{
    struct sample_target target = {at, count, name};
    if (f->targets.n) {
        const struct sample_target *last = &f->targets.data[f->targets.n - 1];
        if (last->at > at || (last->at == at && last->name >= name))
            f->state |= SAMPLE_UNSORTED_TARGETS;
    }
    f->targets.data[f->targets.n++] = target;
}
/* Appends a count of a call target. The caller also appends the line, if only with the count 0. */
static inline int sample_append_target(struct apf_sample *s, uint32_t node, uint64_t at, uint32_t name,
                                       uint64_t count, struct apf_error *error)
{
    struct sample_node *f = &s->nodes.data[node];
    if (UNLIKELY(f->targets.n == f->targets.room))
        return sample_target_slow(s, node, at, name, count, error);
    sample_store_target(f, at, name, count);
    return APF_OK;
}
/* Appends a count of a vtable; the place needs no line. */
int sample_append_vtable(struct apf_sample *s, uint32_t node, uint64_t at, uint32_t name, uint64_t count,
                         struct apf_error *error);
/* The extra members of a node, made if there are none; NULL: allocation failed. */
struct sample_extra *sample_node_extra(struct apf_sample *s, uint32_t node);
/* The time of a function's first sample; 0: unknown. */
static inline uint64_t sample_first_time(const struct sample_node *f)
{
    return f->extra ? f->extra->first_time : 0;
}
/* Of two times, the earlier one that is known stays. */
static inline void sample_join_times(struct sample_extra *extra, uint64_t time)
{
    if (time && (!extra->first_time || time < extra->first_time))
        extra->first_time = time;
}
/* sample_join_times for a node, which gets extra members only if the time is known. */
int sample_add_time(struct apf_sample *s, uint32_t node, uint64_t time, struct apf_error *error);
/* Append copies of the lists of a node, of another profile, to those of a node. names[number] replaces the numbers of
 * names; NULL: both profiles have the same numbers. */
int sample_copy_lines(struct apf_sample *s, uint32_t node, const struct sample_lines *lines,
                      struct apf_error *error);
int sample_copy_targets(struct apf_sample *s, uint32_t node, const struct sample_targets *targets,
                        const uint32_t *names, struct apf_error *error);
int sample_copy_vtables(struct apf_sample *s, uint32_t node, const struct sample_targets *vtables,
                        const uint32_t *names, struct apf_error *error);
/* All of these for a node of another profile, `vtables` or not, and the time of its first sample. */
int sample_copy_lists(struct apf_sample *s, uint32_t node, const struct sample_node *from,
                      const uint32_t *names, bool vtables, struct apf_error *error);
/* Appends a copy of a name to the list of all functions of the program. */
int sample_append_symbol(struct apf_sample *s, struct apf_str name, struct apf_error *error);
/* Sorts the symbols, each once, of a profile that was sealed before they were appended; sample_seal does it, too. */
int sample_seal_symbols(struct apf_sample *s, struct apf_error *error);

/* Sorts all lists and adds up equal entries: counts, totals and heads saturate at 2^64-1, of checksums the last one
 * that is not 0 stays, attributes are those of the last one that has any. In sums, callees of different checksums stay
 * apart, votes are added, and attributes or-ed. */
int sample_seal(struct apf_sample *s, struct apf_error *error);

/* Memory for sorting lists, reused from node to node. All zero: none. */
struct sample_scratch {
    VEC(uint8_t) bytes;
};
/* sample_seal for the lists of one node, whose callees may become unsorted by that: their turn must come later. */
int sample_seal_node(struct apf_sample *s, uint32_t node, struct sample_scratch *scratch,
                     struct apf_error *error);
/* If all functions at the top level have decimal numbers as names, as LLVM prints hashes, these and all other names
 * that are such numbers become hashes, and APF_SAMPLE_MD5 is set. The profile is sealed again. */
int sample_adopt_decimals(struct apf_sample *s, struct apf_error *error);
/* Replaces the numbers of names in nodes, targets and vtables by map[number], and seals again. Contexts keep theirs:
 * what follows must be sample_add. */
int sample_renumber(struct apf_sample *s, const uint32_t *map, struct apf_error *error);
/* Replaces the table of names by another one, which becomes empty, and all numbers, also in contexts, by map[number],
 * and seals again: functions that become equal are added up. */
int sample_rename(struct apf_sample *s, struct sample_names *names, const uint32_t *map,
                  struct apf_error *error);
/* sample_rename with numbers of the same table. In sums, functions stay apart by their checksums. */
int sample_change_names(struct apf_sample *s, const uint32_t *map, struct apf_error *error);
/* Makes the index of functions at the top level again, after the list, contexts or checksums have changed. */
int sample_index_tops(struct apf_sample *s, struct apf_error *error);
/* Makes `from`, a node of the same profile, a part of `to`, which has a smaller number, if neither is gone: lists are
 * joined, unsorted, and counts added; the rest is as in sample_seal. sample_seal must follow. */
int sample_join(struct apf_sample *s, uint32_t to, uint32_t from, struct apf_error *error);
/* The last step of reading a sealed profile: derives the numbers and most flags of `info` from the contents. */
int sample_complete(struct apf_sample *s, struct apf_error *error);
/* Leaves only the n functions at the top level in `tops`, which has numbers of nodes, in the order of s->top; the
 * others, and what is inlined in them, are gone. */
int sample_keep_tops(struct apf_sample *s, const uint32_t *tops, size_t n, struct apf_error *error);
/* After sample_complete: gives hashes the names that the profile's list of all functions has for them. */
int sample_identify(struct apf_sample *s, struct apf_error *error);

/* Mark what the functions of a sealed profile use: used[number] = 1. The tables of names and contexts may have more.
 * sample_mark_names: names of functions, targets and, with `vtables`, vtables, but not of callers in contexts. */
void sample_mark_names(const struct apf_sample *s, bool vtables, uint8_t *used);
/* The contexts of functions, and those of their callers. */
void sample_mark_contexts(const struct apf_sample *s, uint8_t *used);
/* All names: of functions, targets, vtables and callers. */
int sample_mark_all_names(const struct apf_sample *s, uint8_t *used, struct apf_error *error);

/* ---- sums ---- */

/* Adds a sealed profile, whose nodes have names of the sum's table (sample_renumber) and whose contexts have numbers
 * n that names[n] replaces, with all counts multiplied by `weight`. In a sum, functions of one context, and callees
 * of one place and name, are different nodes if their checksums differ; `votes`, and those of the nodes of `in`, are
 * added to sample_node.votes of the nodes that `in` has. Attributes are or-ed. */
int sample_add(struct apf_sample *sum, const struct apf_sample *in, const uint32_t *names, uint64_t weight,
               uint64_t votes, struct apf_error *error);
/* sample_add with the weight 1 for the first profile of a sum, which is empty: it takes over all memory of `in` but
 * that of the names, whose numbers are those of the sum's table. `in` can only be reset then. */
void sample_become_sum(struct apf_sample *sum, struct apf_sample *in, uint64_t votes);

/* The node at the top level with a context and, in sums, a checksum; SAMPLE_NONE: none. */
uint32_t sample_top_find(const struct apf_sample *s, uint32_t context, uint64_t checksum);
/* The node of a sum for a context and a checksum, appended unless it is there. */
int sample_sum_top(struct apf_sample *sum, uint32_t context, uint64_t checksum, uint32_t *node,
                   struct apf_error *error);
/* Appends a node of a sealed profile, with what is inlined in it, to a node of a sum: numbers are added, and entries of
 * lists appended, so that many nodes can be added to one in a time that grows with their size. sample_seal or
 * sample_resolve must follow. Both profiles have the same names; the votes are those of the nodes. */
int sample_add_node(struct apf_sample *sum, uint32_t to, const struct apf_sample *in, uint32_t from,
                    struct apf_error *error);
/* Adds all functions of a sealed profile, without their contexts, to a sum with the same names, which is sealed then.
 * `counts`: for summaries, only their lines, whatever their checksums. Lists of symbols are not added. */
int sample_add_plain(struct apf_sample *sum, const struct apf_sample *in, bool counts,
                     struct apf_error *error);

/* ---- reading a sealed profile ---- */

struct sample_walk_frame {
    uint32_t node, next; /* the next callee of the node */
};

/* Visits the nodes of a forest in depth-first order, callees by place; see sample_walk_next. All zero but for the
 * profile. */
struct sample_walk {
    const struct apf_sample *s;
    uint32_t node;  /* the current one */
    uint32_t depth; /* 0: at the top level */
    VEC(struct sample_walk_frame) stack;
};
/* Begins with a node, whose depth is 0. */
void sample_walk_begin(struct sample_walk *w, const struct apf_sample *s, uint32_t node);
/* Moves to the next node; *more is false after the last one. Fails with APF_NO_MEMORY only. */
int sample_walk_next(struct sample_walk *w, bool *more, struct apf_error *error);
void sample_walk_free(struct sample_walk *w);

static inline const struct sample_targets *sample_vtables(const struct sample_node *f)
{
    static const struct sample_targets none;
    return f->extra ? &f->extra->vtables : &none;
}

/* Finds nodes that do not count in summaries and flat profiles: those that are gone, inlined functions with
 * APF_SAMPLE_DUPLICATED, which their own profiles have already, and what is inlined in these. One byte for each node,
 * which the caller frees; NULL: allocation failed. */
uint8_t *sample_find_duplicates(const struct apf_sample *s);
/* LLVM's estimate of how often each function was entered, where its head says nothing: that of its first line or, if a
 * call that was inlined comes first (or at the same place), of the callees there; at least 1 if it has samples.
 * *estimates has one for each node, and the caller frees it. A node has a larger number than its caller. */
int sample_entry_estimates(const struct apf_sample *s, uint64_t **estimates, struct apf_error *error);

/* a + b * weight, at most 2^64-1; *cut is increased if that cuts. */
static inline uint64_t sample_sum(uint64_t a, uint64_t b, uint64_t weight, uint64_t *cut)
{
    uint64_t sum;
    if (LIKELY(weight == 1 && !ADD_OVERFLOWS(a, b, &sum)))
        return sum;
    if (!MUL_OVERFLOWS(b, weight, &sum) && !ADD_OVERFLOWS(a, sum, &sum))
        return sum;
    (*cut)++;
    return UINT64_MAX;
}

#endif
