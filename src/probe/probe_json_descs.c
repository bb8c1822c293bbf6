/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From documents to the model: descriptors, and what both documents have. */
#include "probe/probe_json_build.h"

#define MOST_PADDED 64u /* bytes of a number */

static bool padding_before(const void *context, const void *a, const void *b)
{
    const struct probe_padding *x = a, *y = b;
    (void)context;
    return x->section != y->section ? x->section < y->section : x->offset < y->offset;
}

int json_read_paddings(struct json_builder *b, struct json_fields *doc, bool in_descs)
{
    const json_t *list = json_fields_list(doc, "padded");
    size_t n = json_array_size(list), first = b->p->paddings.n;
    if (!n)
        return doc->code;
    if (!VEC_RESERVE(&b->p->paddings, 2 * n))
        return error_memory(doc->error);
    struct probe_padding *paddings = b->p->paddings.data + first;
    for (size_t i = 0; i < n && doc->code == APF_OK; i++) {
        struct json_fields f = json_fields_entry(doc, list, "padded", i);
        struct probe_padding padding = {.in_descs = in_descs};
        padding.section = json_find_section(b, &f, in_descs);
        padding.offset = json_fields_u64(&f, "offset", UINT64_MAX);
        padding.bytes = (uint32_t)json_fields_u64(&f, "bytes", UINT32_MAX);
        if (padding.bytes > MOST_PADDED)
            json_fields_wrong(&f, "bytes", "no number is that long");
        paddings[i] = padding;
        doc->code = f.code;
    }
    if (doc->code == APF_OK)
        sort_merge(paddings, paddings + n, n, sizeof *paddings, padding_before, NULL);
    b->p->paddings.n += n;
    return doc->code;
}

static bool desc_before(const void *context, const void *a, const void *b)
{
    const struct apf_probe_desc *x = a, *y = b;
    (void)context;
    return x->section != y->section ? x->section < y->section : x->offset < y->offset;
}

/* They stay in the order of the sections: nobody looks for them by GUID. */
static int place_descs(struct json_builder *b)
{
    struct apf_probes *p = b->p;
    size_t n = p->descs.n;
    if (!VEC_RESERVE(&p->descs, n))
        return error_memory(b->r->error);
    if (n)
        sort_merge(p->descs.data, p->descs.data + n, n, sizeof *p->descs.data, desc_before, NULL);
    for (size_t i = 0; i < n; i++) {
        struct probe_section *s = &p->sections.data[p->descs.data[i].section];
        if (s->count++ == 0)
            s->first = i;
    }
    return APF_OK;
}

int json_read_descs(struct json_builder *b, struct json_fields *doc)
{
    const json_t *list = json_fields_list(doc, "descriptors");
    for (size_t i = 0; i < json_array_size(list) && doc->code == APF_OK; i++) {
        struct json_fields f = json_fields_entry(doc, list, "descriptors", i);
        struct apf_probe_desc desc = {.guid = json_fields_u64(&f, "guid", UINT64_MAX)};
        desc.hash = json_fields_u64(&f, "hash", UINT64_MAX);
        desc.name = json_fields_text(&f, "function");
        desc.section = json_find_section(b, &f, true);
        desc.offset = json_fields_has(&f, "offset") ? json_fields_u64(&f, "offset", UINT64_MAX) : i;
        if (f.code == APF_OK && desc.name.n > UINT32_MAX)
            json_fields_wrong(&f, "function", "the name is too long");
        if (!VEC_PUSH(&b->p->descs, desc))
            return error_memory(doc->error);
        doc->code = f.code;
    }
    return doc->code == APF_OK ? place_descs(b) : doc->code;
}
