/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/write/sample_contents.h"

#include <stdlib.h>

#include "base/error.h"
#include "sample/layout/sample_layout.h"

/* The features that a place needs. */
static uint32_t place_features(uint64_t at)
{
    uint32_t line = sample_place_line(at), discriminator = sample_place_discriminator(at);
    return (discriminator ? SAMPLE_HAS_DISCRIMINATORS : 0) |
           (line > SAMPLE_MAX_LINE || discriminator > SAMPLE_MAX_LINE ? SAMPLE_HAS_WIDE_PLACES : 0);
}

static int count_names(const struct apf_sample *s, struct sample_contents *contents, struct apf_error *error)
{
    uint8_t *used = calloc(s->names.list.n + 1, 1);
    int code = used ? sample_mark_all_names(s, used, error) : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < s->names.list.n; i++) {
        const struct sample_name *name = &s->names.list.data[i];
        contents->n_hashes += used[i] && name->p == NULL;
        contents->n_files += used[i] && name->file != SAMPLE_NONE;
    }
    free(used);
    return code;
}

/* Adds the features that the places of calls in contexts need. */
static int count_contexts(const struct apf_sample *s, struct sample_contents *contents,
                          struct apf_error *error)
{
    uint8_t *used = calloc(s->contexts.list.n + 1, 1);
    if (!used)
        return error_memory(error);
    sample_mark_contexts(s, used);
    for (size_t i = 0; i < s->contexts.list.n; i++)
        if (used[i] && s->contexts.list.data[i].caller != SAMPLE_NONE)
            contents->features |= place_features(s->contexts.list.data[i].at);
    free(used);
    return APF_OK;
}

static void count_lines(const struct sample_node *f, struct sample_contents *contents)
{
    /* SAMPLE_MAX_LINE is below a power of 2: all places together need what one of them needs. */
    uint64_t all = 0;
    for (uint32_t i = 0; i < f->lines.n; i++)
        all |= f->lines.data[i].at;
    contents->features |= place_features(all);
}

static void count_node(const struct apf_sample *s, const struct sample_node *f,
                       struct sample_contents *contents)
{
    bool top = f->caller == SAMPLE_NONE;
    contents->n_inlined += !top;
    contents->n_contexts += top && s->contexts.list.data[f->context].depth;
    *(top ? &contents->top_checksums : &contents->inner_checksums) += f->checksum != 0;
    *(top ? &contents->top_attributes : &contents->inner_attributes) += f->attributes != 0;
    contents->n_vtables += sample_vtables(f)->n;
    contents->n_times += sample_first_time(f) != 0;
    contents->features |= top ? 0 : place_features(f->at);
}

static void add_features(const struct apf_sample *s, struct sample_contents *c)
{
    uint32_t flags = s->info.flags;
    const struct {
        uint64_t has;
        uint32_t feature;
    } rows[] = {
        {c->n_inlined, SAMPLE_HAS_INLINED},
        {flags & APF_SAMPLE_PROBES, SAMPLE_HAS_CHECKSUMS},
        {c->inner_checksums | c->inner_attributes, SAMPLE_HAS_INNER_METADATA},
        {c->top_attributes, SAMPLE_HAS_ATTRIBUTES},
        {flags & APF_SAMPLE_CONTEXTS, SAMPLE_HAS_CONTEXTS},
        {c->n_hashes, SAMPLE_HAS_HASHES},
        {c->n_vtables, SAMPLE_HAS_VTABLES},
        {c->n_symbols, SAMPLE_HAS_SYMBOLS},
        {flags & APF_SAMPLE_FS, SAMPLE_HAS_FS},
        {flags & APF_SAMPLE_PARTIAL, SAMPLE_HAS_PARTIAL},
        {c->n_times, SAMPLE_HAS_TIMES},
        {c->n_files, SAMPLE_HAS_FILES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        c->features |= rows[i].has ? rows[i].feature : 0;
    if (c->n_hashes && c->n_inlined)
        c->features |= SAMPLE_HAS_INNER_HASHES;
}

int sample_contents_count(const struct apf_sample *s, struct sample_contents *contents,
                          struct apf_error *error)
{
    static const struct sample_contents nothing;
    *contents = nothing;
    contents->n_symbols = s->symbols.n;
    for (size_t i = 0; i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        if (f->state & SAMPLE_GONE)
            continue;
        count_node(s, f, contents);
        count_lines(f, contents);
    }
    int code = count_contexts(s, contents, error);
    if (code == APF_OK)
        code = count_names(s, contents, error);
    add_features(s, contents);
    return code;
}
