/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contexts in extbinary files: as a table of frames, or, of LLVM 13, as text. */
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "sample/binary/sample_ext.h"
#include "sample/layout/sample_layout.h"

#define FRAME_BYTES 3u
#define CONTEXT_BYTES (1 + FRAME_BYTES)

/* ---- tables ---- */

/* Reads name and place of a frame. */
static int read_frame(struct sample_decoder *d, struct sample_ext_frame *frame, struct apf_error *error)
{
    int code = sample_decode_name(d, &frame->name, error);
    if (code != APF_OK)
        return code;
    const uint8_t *start = d->c.p;
    uint64_t line = sample_decode_number(d), discriminator = sample_decode_number(d);
    if (d->c.failed)
        return sample_decode_cut(d, "place of a call", error);
    if (line > SAMPLE_MAX_LINE) {
        d->c.p = start;
        return sample_decode_bound(d, APF_SAMPLE_LINE_OFFSET, line, SAMPLE_MAX_LINE, "line offset", error);
    }
    frame->at = sample_place((uint32_t)line, (uint32_t)discriminator);
    return APF_OK;
}

/* Finds the context that a frame ends; `last` is the frame before it, or NULL. */
static int add_frame(struct sample_decoder *d, const struct sample_ext_frame *last,
                     struct sample_ext_frame *frame, struct apf_error *error)
{
    return sample_contexts_add(&d->s->contexts, last ? last->context : SAMPLE_NONE, last ? last->at : 0,
                               frame->name, &frame->context, error);
}

int sample_ext_context(struct sample_decoder *d, struct sample_ext_frames *frames, uint32_t *context,
                       struct apf_error *error)
{
    uint64_t n;
    const uint8_t *start = d->c.p;
    int code = sample_decode_count(d, &n, FRAME_BYTES, "number of frames", error);
    if (code != APF_OK)
        return code;
    d->c.p = n == 0 || n > d->options->max_depth ? start : d->c.p;
    if (n == 0)
        return sample_decode_bound(d, APF_SAMPLE_MALFORMED, 0, 1, "a context without a frame", error);
    if (n > d->options->max_depth)
        return sample_decode_bound(d, APF_LIMIT, n, d->options->max_depth, "frames of a context", error);
    if (n > frames->list.n && !VEC_RESERVE(&frames->list, n - frames->list.n))
        return error_memory(error);
    bool same = true; /* as in the context before: its frames so far have their contexts */
    for (uint64_t i = 0; i < n; i++) {
        struct sample_ext_frame *known = &frames->list.data[i], new;
        code = read_frame(d, &new, error);
        if (code != APF_OK)
            return code;
        same = same && i < frames->list.n && known->name == new.name;
        if (same)
            new.context = known->context;
        else
            code = add_frame(d, i ? known - 1 : NULL, &new, error);
        if (code != APF_OK)
            return code;
        same = same && known->at == new.at;
        *known = new;
    }
    frames->list.n = n;
    *context = frames->list.data[n - 1].context;
    return APF_OK;
}

int sample_ext_contexts(struct sample_decoder *d, struct apf_error *error)
{
    struct sample_ext_frames frames = {{NULL, 0, 0}};
    uint64_t n;
    d->contexts.n = 0;
    int code = sample_decode_count(d, &n, CONTEXT_BYTES, "number of contexts", error);
    if (code == APF_OK && !VEC_RESERVE(&d->contexts, n))
        code = error_memory(error);
    for (uint64_t i = 0; code == APF_OK && i < n; i++) {
        code = sample_ext_context(d, &frames, &d->contexts.data[i], error);
        d->contexts.n += code == APF_OK;
    }
    VEC_FREE(&frames.list);
    return code;
}

/* ---- text ---- */

/* Parses "LINE" or "LINE.DISCRIMINATOR". False: it is something else. */
static bool parse_place(struct apf_str text, uint64_t *at)
{
    uint64_t line, discriminator = 0;
    const char *dot = text.n ? memchr(text.p, '.', text.n) : NULL;
    size_t n = dot ? (size_t)(dot - text.p) : text.n;
    if (!number_decimal(text.p, n, &line) || line > UINT32_MAX)
        return false;
    if (dot && (!number_decimal(dot + 1, text.n - n - 1, &discriminator) || discriminator > UINT32_MAX))
        return false;
    *at = sample_place((uint32_t)line, (uint32_t)discriminator);
    return true;
}

/* Splits a frame "NAME:PLACE"; a frame without a place has the place 0. */
static struct apf_str split_frame(struct apf_str frame, uint64_t *at)
{
    size_t n = frame.n;
    *at = 0;
    while (n && frame.p[n - 1] != ':')
        n--;
    struct apf_str place = {frame.p + n, frame.n - n};
    if (n && parse_place(place, at))
        frame.n = n - 1;
    return frame;
}

/* The frame at the start of a text, which moves to the next one; *last: there is none. */
static struct apf_str next_frame(struct apf_str *text, bool *last)
{
    static const char separator[] = " @ ";
    const size_t n_separator = sizeof separator - 1;
    struct apf_str frame = *text;
    size_t n = 0;
    while (n + n_separator <= text->n && memcmp(text->p + n, separator, n_separator) != 0)
        n++;
    *last = n + n_separator > text->n;
    if (!*last) {
        frame.n = n;
        text->p += n + n_separator;
        text->n -= n + n_separator;
    }
    return frame;
}

/* Interns the context with this text between the brackets. */
static int intern_text(struct sample_decoder *d, struct apf_str text, uint32_t *context,
                       struct apf_error *error)
{
    uint64_t at = 0, here, n = 0;
    uint32_t name, caller = SAMPLE_NONE;
    for (bool last = false; !last; at = here, caller = *context) {
        struct apf_str frame = next_frame(&text, &last);
        here = 0;
        if (!last)
            frame = split_frame(frame, &here);
        if (++n > d->options->max_depth)
            return sample_decode_bound(d, APF_LIMIT, n, d->options->max_depth, "frames of a context", error);
        int code = sample_names_add(&d->s->names, frame, SAMPLE_NONE, false, &name, error);
        if (code == APF_OK)
            code = sample_contexts_add(&d->s->contexts, caller, at, name, context, error);
        if (code != APF_OK)
            return code;
    }
    return APF_OK;
}

int sample_ext_context_text(struct sample_decoder *d, size_t i, uint32_t *context, struct apf_error *error)
{
    struct apf_str text = {NULL, 0};
    uint32_t name;
    if (d->table.names.n)
        text = d->table.names.data[i];
    else
        d->s->findings[SAMPLE_FINDING_HASHED_CONTEXTS]++;
    if (text.n > 2 && text.p[0] == '[' && text.p[text.n - 1] == ']') {
        text.p++;
        text.n -= 2;
        return intern_text(d, text, context, error);
    }
    int code = sample_decode_name_of(d, i, &name, error);
    return code == APF_OK ? sample_contexts_base(&d->s->contexts, name, context, error) : code;
}
