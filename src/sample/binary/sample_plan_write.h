/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the writers of LLVM's binary formats decide before they write: which names and contexts are written in which
 * order, and which functions. */
#ifndef SAMPLE_PLAN_WRITE_H
#define SAMPLE_PLAN_WRITE_H

#include "base/leb128.h"
#include "sample/binary/sample_binary_write.h"
#include "sample/model/sample_order.h"
#include "sample/model/sample_summary.h"

struct sample_plan {
    const struct apf_sample *s;
    const struct sample_binary_options *options;
    struct file_out *out; /* where bytes go: first to a counter, then to the output */
    bool contexts;        /* functions are known by their context */
    bool named_contexts;  /* ... which is a name in the table of names */
    bool md5, vtables, probes, attributes;
    bool inner_metadata; /* inlined functions have checksums and attributes */
    bool unique;         /* some name contains ".__uniq." */
    /* order.names[i] is the index of name i in the table of names, order.contexts[i] that of context i in the table of
     * contexts, or of names if contexts are names; SAMPLE_NONE: not in it. Indices ascend in LLVM's order. */
    struct sample_order order;
    uint32_t *names;         /* numbers of names in the order of the table */
    struct apf_str *table;   /* the table of names, if contexts are in it, instead of `names`; else NULL */
    size_t n_names;          /* in the table */
    uint32_t *contexts_used; /* likewise of contexts; none if !contexts */
    size_t n_contexts;
    uint32_t *tops; /* nodes in the order of output */
    size_t n_tops;
    uint64_t *offsets; /* of these nodes, set when they are written */
    uint32_t *by_key;  /* positions in tops in the order of keys */
    uint8_t *dead;     /* for each node: 1, it is not written */
    struct sample_summary summary;
    struct arena arena;  /* what was allocated here */
    VEC(uint64_t) stack; /* nodes that are still to be written; see sample_body_write.c */
    bool failed;         /* an allocation failed */
};

/* Makes a plan; sample_plan_free must follow, also after a failure. */
int sample_plan_make(struct sample_plan *plan, const struct apf_sample *s,
                     const struct sample_binary_options *options, struct sample_binary_losses *losses,
                     struct apf_error *error);
void sample_plan_free(struct sample_plan *plan);

/* ---- what the formats share ---- */

#define SAMPLE_NUMBER_MAX ULEB128_MAX

/* Stores a number and returns the address after it. Most numbers have one byte. */
static inline uint8_t *sample_store(uint8_t *p, uint64_t v)
{
    if (LIKELY(v < 0x80)) {
        *p = (uint8_t)v;
        return p + 1;
    }
    return p + uleb128_store(p, v);
}

static inline void sample_write_number(struct file_out *out, uint64_t v)
{
    out->p = sample_store(file_out_room(out, SAMPLE_NUMBER_MAX), v);
}

/* An output that only counts: see file_out_position. It is closed without keeping it. */
int sample_counter_open(struct file_out **counter, struct apf_error *error);
/* The magic and the version. */
void sample_write_magic(struct sample_plan *plan, uint64_t magic);
void sample_write_summary(struct sample_plan *plan);
/* Names with their NUL; those of which only the hash is known are decimal numbers. */
void sample_write_names(struct sample_plan *plan);

/* A name of the table of names; p == NULL: it is known by its hash only. */
struct apf_str sample_table_name(const struct sample_plan *plan, size_t i);

/* Whether the name of a function cannot stand in the text of a context, but, if the function has no caller, without
 * brackets in the table of names. */
bool sample_context_bare(struct apf_str name);
/* Makes plan->table of the names and contexts that are written, and sorts the functions by the texts of their contexts.
 * False: an allocation failed. */
bool sample_contexts_to_names(struct sample_plan *plan);

/* The number of entries at the beginning of a list that readers accept: the others are too far from the function. */
static inline uint32_t sample_near_lines(const struct sample_lines *list)
{
    uint32_t n = list->n;
    while (n && sample_place_is_far(list->data[n - 1].at))
        n--;
    return n;
}
static inline uint32_t sample_near_targets(const struct sample_targets *list)
{
    uint32_t n = list->n;
    while (n && sample_place_is_far(list->data[n - 1].at))
        n--;
    return n;
}

/* The index by which a function at the top level is known. */
static inline uint32_t sample_key(const struct sample_plan *plan, uint32_t node)
{
    const struct sample_node *f = &plan->s->nodes.data[node];
    return plan->contexts ? plan->order.contexts[f->context] : plan->order.names[f->name];
}

/* Writes the i-th function, and sets its offset, which is counted from `base`. */
void sample_write_function(struct sample_plan *plan, size_t i, uint64_t base);
/* Writes the checksum and attributes of the i-th function by keys, as far as the plan has them, and of what is inlined
 * in it. */
void sample_write_metadata(struct sample_plan *plan, size_t i);

/* Writes the sections of an extbinary file. */
int sample_ext_write(struct sample_plan *plan, struct file_out *out, struct apf_error *error);

#endif
