/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_words.h"

void sample_context_text_free(struct sample_context_text *t)
{
    VEC_FREE(&t->path);
    VEC_FREE(&t->text);
}

/* Lists the contexts on the way to one, which is the last. */
static bool find_path(struct sample_context_text *t, const struct sample_contexts *contexts, uint32_t context)
{
    size_t n = (size_t)contexts->list.data[context].depth + 1;
    t->path.n = 0;
    if (!VEC_RESERVE(&t->path, n))
        return false;
    t->path.n = n;
    for (uint32_t at = context; at != SAMPLE_NONE; at = contexts->list.data[at].caller)
        t->path.data[--n] = at;
    return true;
}

static void append_bytes(struct sample_context_text *t, const void *p, size_t n)
{
    if (n)
        memcpy(t->text.data + t->text.n, p, n);
    t->text.n += n;
}

/* Appends a frame: the place where the one before calls it, and its name. */
static bool append_frame(struct sample_context_text *t, const struct sample_name *name, uint64_t at,
                         bool first)
{
    uint8_t digits[SAMPLE_PLACE_MAX];
    if (!VEC_RESERVE(&t->text, 2 * SAMPLE_PLACE_MAX + name->n))
        return false;
    if (!first) {
        append_bytes(t, ":", 1);
        append_bytes(t, digits, sample_store_place(digits, at));
        append_bytes(t, " @ ", 3);
    }
    if (name->p)
        append_bytes(t, name->p, name->n);
    else
        append_bytes(t, digits, decimal_store(digits, name->hash));
    return true;
}

struct apf_str sample_context_text(struct sample_context_text *t, const struct sample_contexts *contexts,
                                   const struct sample_names *names, uint32_t context)
{
    struct apf_str text = {NULL, 0};
    t->text.n = 0;
    if (!find_path(t, contexts, context))
        return text;
    for (size_t i = 0; i < t->path.n; i++) {
        const struct sample_context *c = &contexts->list.data[t->path.data[i]];
        if (!append_frame(t, &names->list.data[c->name], c->at, i == 0))
            return text;
    }
    text.p = t->text.data;
    text.n = t->text.n;
    return text;
}

/* The length of the first frame of a context, without " @ ". */
static size_t frame_length(struct apf_str context)
{
    for (size_t i = 0; i + 3 <= context.n; i++)
        if (memcmp(context.p + i, " @ ", 3) == 0)
            return i;
    return context.n;
}

void sample_write_shown(struct file_out *out, struct apf_str context)
{
    while (out->show_name && context.n) {
        const size_t frame = frame_length(context);
        const bool last = frame == context.n;
        size_t name = frame; /* without ":LINE.DISCRIMINATOR", which the last frame lacks */
        while (!last && name && context.p[name] != ':')
            name--;
        const size_t end = last ? frame : frame + 3;
        (void)file_out_function(out, (struct apf_str){context.p, name});
        (void)file_out_write(out, context.p + name, end - name);
        context.p += end;
        context.n -= end;
    }
    (void)file_out_write(out, context.p, context.n);
}
