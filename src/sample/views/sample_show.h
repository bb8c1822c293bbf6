/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Printing a profile with the words of llvm-profdata-22 show --sample: sample_show.c prints what is asked for,
 * sample_show_text.c and sample_show_json.c its functions. */
#ifndef SAMPLE_SHOW_H
#define SAMPLE_SHOW_H

#include <anyprof/sample_views.h>

#include "sample/model/sample_order.h"
#include "sample/model/sample_summary.h"
#include "sample/model/sample_tree.h"
#include "sample/model/sample_words.h"
#include "sample/views/sample_stats.h"

/* A function whose inlined functions are being printed. */
struct sample_show_frame {
    uint32_t node, next; /* the next callee, as a place in tree.callees */
    uint32_t vtables;    /* the next vtable of the node, in text */
};

struct sample_show {
    const struct apf_sample *sample;
    struct apf_sample_print_options options;
    struct sample_order order;
    struct sample_tree tree;
    struct file_out *out;
    VEC(struct sample_show_frame) stack;
    struct sample_context_text context;
};

/* What the option `function` asks for. */
struct sample_wanted {
    struct apf_str text, context; /* the latter without brackets */
    uint64_t hash, decimal;       /* of the text, and its number if it is one */
};
struct sample_wanted sample_show_wanted(struct apf_str text);
/* Whether that is a function. *ok is false if an allocation failed. */
bool sample_show_wants(struct sample_show *s, const struct sample_wanted *wanted, uint32_t node, bool *ok);

/* The summary with the cutoffs that the options have. */
int sample_show_summary(const struct sample_show *s, struct arena *arena, struct sample_summary *summary,
                        struct apf_error *error);

/* The hot functions: those with a line of at least `threshold` samples, what is inlined included. */
struct sample_hot {
    uint64_t threshold;
    struct sample_stats *stats; /* of each node */
    uint64_t *estimates;        /* of each node: how often it was entered */
    uint64_t n_hot, hot_samples, samples;
};
/* s->order is made. sample_hot_free must follow either way. */
int sample_hot_find(struct sample_hot *hot, const struct sample_show *s, struct arena *arena,
                    struct apf_error *error);
/* How often a function was entered, by the profile or else by estimate. */
uint64_t sample_hot_entries(const struct sample_hot *hot, const struct apf_sample *sample, uint32_t node);
void sample_hot_free(struct sample_hot *hot);

/* Prints what the options ask for, in the words of that tool. */
int sample_show_all(struct sample_show *s, struct apf_error *error);
/* Print a function at the top level with everything that is inlined in it. False: an allocation failed. */
bool sample_show_text(struct sample_show *s, uint32_t node);
bool sample_show_json(struct sample_show *s, uint32_t node);

/* Begins a line with blanks. Returns room for n more bytes; the caller moves out->p after what it stores there. */
static inline uint8_t *sample_show_begin(struct file_out *out, size_t blanks, size_t n)
{
    const size_t few = 64; /* most are fewer */
    if (UNLIKELY(blanks > few)) {
        text_blanks(out, blanks);
        return file_out_room(out, n);
    }
    uint8_t *p = file_out_room(out, few + n);
    memset(p, ' ', few);
    return p + blanks;
}

static inline void sample_show_indent(struct file_out *out, size_t blanks)
{
    out->p = sample_show_begin(out, blanks, 0);
}

#endif
