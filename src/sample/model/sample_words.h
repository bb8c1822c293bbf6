/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names, places and contexts in LLVM's texts. */
#ifndef SAMPLE_WORDS_H
#define SAMPLE_WORDS_H

#include "base/text_append.h"
#include "sample/model/sample_profile.h"

/* A name; of one that is only a hash, the hash as a decimal number. */
static inline void sample_write_name(struct file_out *out, const struct sample_names *names, uint32_t number)
{
    const struct sample_name *name = &names->list.data[number];
    if (LIKELY(name->p != NULL))
        (void)file_out_function(out, (struct apf_str){name->p, name->n});
    else
        text_decimal(out, name->hash, 0);
}

/* The most bytes of a place; decimal_store may change all of its room. */
#define SAMPLE_PLACE_MAX ((size_t)11 + DECIMAL_MAX)

/* Stores "LINE" or "LINE.DISCRIMINATOR" and returns its length; `out` has room for SAMPLE_PLACE_MAX bytes. */
static inline unsigned sample_store_place(uint8_t *out, uint64_t at)
{
    unsigned n = decimal_store(out, sample_place_line(at));
    if (sample_place_discriminator(at)) {
        out[n++] = '.';
        n += decimal_store(out + n, sample_place_discriminator(at));
    }
    return n;
}

/* A context without its brackets, or the text itself. */
static inline struct apf_str sample_context_plain(struct apf_str text)
{
    size_t cut = text.n > 2 && text.p[0] == '[' && text.p[text.n - 1] == ']';
    struct apf_str plain = {cut ? text.p + 1 : text.p, text.n - 2 * cut};
    return plain;
}

/* Memory for the text of a context, reused. All zero: empty. */
struct sample_context_text {
    VEC(uint32_t) path; /* the contexts from the outermost caller on */
    VEC(char) text;
};
void sample_context_text_free(struct sample_context_text *t);
/* Makes the text of a context without brackets: "main:1 @ foo:2.3 @ bar", or the name of a function without a known
 * caller. It is valid until the next one is made; p == NULL: an allocation failed. */
struct apf_str sample_context_text(struct sample_context_text *t, const struct sample_contexts *contexts,
                                   const struct sample_names *names, uint32_t context);

/* Appends such a text, with names as they are to be shown. */
void sample_write_shown(struct file_out *out, struct apf_str context);

/* Appends the text of a context, likewise. False: an allocation failed. */
static inline bool sample_write_context(struct file_out *out, const struct apf_sample *s, uint32_t context,
                                        struct sample_context_text *t)
{
    const struct sample_context *c = &s->contexts.list.data[context];
    if (LIKELY(c->caller == SAMPLE_NONE)) {
        sample_write_name(out, &s->names, c->name);
        return true;
    }
    struct apf_str text = sample_context_text(t, &s->contexts, &s->names, context);
    if (text.p)
        sample_write_shown(out, text);
    return text.p != NULL;
}

#endif
