/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Printing a profile with the words of llvm-profdata-22 show --sample: sample_show.c prints what is asked for,
 * sample_show_text.c and sample_show_json.c its functions. */
#ifndef SAMPLE_SHOW_H
#define SAMPLE_SHOW_H

#include <anyprof/sample_views.h>

#include "sample/model/sample_order.h"
#include "sample/model/sample_tree.h"
#include "sample/model/sample_words.h"

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
