/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the model from documents. */
#include <stdlib.h>

#include "base/error.h"
#include "probe/probe_json_builder.h"

/* ---- descriptors ---- */

#define DESC_KEYS(KEY)                                                                                       \
    KEY(descriptors, guid)                                                                                   \
    KEY(descriptors, hash) KEY(descriptors, function) KEY(descriptors, section) KEY(descriptors, offset)
JSON_KEYS(desc_keys, DESC_KEYS);

static bool desc_before(const void *context, const void *a, const void *b)
{
    const struct apf_probe_desc *x = a, *y = b;
    (void)context;
    return x->section != y->section ? x->section < y->section : x->offset < y->offset;
}

/* Places descriptors, which stay in the order of the sections: a model that is only written needs no search by GUID. */
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

static int read_descs(struct json_builder *b)
{
    struct json_reader *j = &b->r->descs.json;
    if (!json_fields_list(&b->r->descs.fields, DOCUMENT_DESCRIPTORS))
        return j->code;
    while (json_read_more(j)) {
        struct json_fields f;
        json_fields_read(&f, j, desc_keys);
        struct apf_probe_desc desc = {.guid = json_fields_u64(&f, descriptors_guid, UINT64_MAX)};
        desc.hash = json_fields_u64(&f, descriptors_hash, UINT64_MAX);
        desc.name = json_fields_text(&f, descriptors_function, &b->p->arena);
        desc.section = probe_json_find_section(b, &f, descriptors_section, true);
        desc.offset = json_fields_u64_or(&f, descriptors_offset, UINT64_MAX, b->p->descs.n);
        if (desc.name.n > UINT32_MAX)
            json_fields_wrong(&f, descriptors_function, "the name is too long");
        if (!VEC_PUSH(&b->p->descs, desc))
            json_read_memory(j);
    }
    return json_read_failed(j) ? j->code : place_descs(b);
}

/* ---- numbers with more bytes than they need ---- */

#define MOST_PADDED 64u /* bytes of a number */

#define PADDING_KEYS(KEY) KEY(padded, section) KEY(padded, offset) KEY(padded, bytes)
JSON_KEYS(padding_keys, PADDING_KEYS);

static bool padding_before(const void *context, const void *a, const void *b)
{
    const struct probe_padding *x = a, *y = b;
    (void)context;
    if (x->in_descs != y->in_descs)
        return x->in_descs;
    return x->section != y->section ? x->section < y->section : x->offset < y->offset;
}

static void read_padding_list(struct json_builder *b, struct probe_document *doc, bool in_descs)
{
    struct json_reader *j = &doc->json;
    if (!json_fields_list(&doc->fields, DOCUMENT_PADDED))
        return;
    while (json_read_more(j)) {
        struct json_fields f;
        struct probe_padding padding = {.in_descs = in_descs};
        json_fields_read(&f, j, padding_keys);
        padding.section = probe_json_find_section(b, &f, padded_section, in_descs);
        padding.offset = json_fields_u64(&f, padded_offset, UINT64_MAX);
        padding.bytes = (uint32_t)json_fields_u64(&f, padded_bytes, UINT32_MAX);
        if (padding.bytes > MOST_PADDED)
            json_fields_wrong(&f, padded_bytes, "no number is that long");
        if (!VEC_PUSH(&b->p->paddings, padding))
            json_read_memory(j);
    }
}

static int read_paddings(struct json_builder *b)
{
    struct apf_probes *p = b->p;
    read_padding_list(b, &b->r->descs, true);
    if (!json_read_failed(&b->r->descs.json))
        read_padding_list(b, &b->r->list, false);
    size_t n = p->paddings.n;
    if (!VEC_RESERVE(&p->paddings, n))
        return error_memory(b->r->error);
    if (n)
        sort_merge(p->paddings.data, p->paddings.data + n, n, sizeof *p->paddings.data, padding_before, NULL);
    return json_read_failed(&b->r->descs.json) ? b->r->descs.json.code : b->r->list.json.code;
}

/* ---- the whole model ---- */

static int read_targets(struct json_builder *b)
{
    bool has_descs = probe_document_given(&b->r->descs);
    int code = has_descs ? probe_json_target(b->r, &b->r->descs, false) : APF_OK;
    if (code == APF_OK && probe_document_given(&b->r->list))
        code = probe_json_target(b->r, &b->r->list, has_descs);
    return code;
}

/* Reads the lists in the order in which they refer to each other. */
static int build_probes(struct json_builder *b)
{
    static int (*const steps[])(struct json_builder *b) = {
        read_targets, probe_json_sections, probe_json_nodes, read_descs, read_paddings,
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        int code = steps[i](b);
        if (code != APF_OK)
            return code;
    }
    struct probe_document *doc = probe_document_given(&b->r->list) ? &b->r->list : &b->r->descs;
    if (b->p->sections.n == 0)
        json_fields_wrong(&doc->fields, DOCUMENT_SECTIONS, "there is no section");
    probe_json_place(b);
    return doc->json.code;
}

int probe_json_finish(struct probe_json *r)
{
    struct json_builder b = {.r = r};
    r->probes = b.p = calloc(1, sizeof *r->probes);
    if (!r->probes)
        return error_memory(r->error);
    int code = build_probes(&b);
    if (code != APF_OK && r->error)
        r->error->input = json_read_failed(&r->list.json)    ? r->list.input
                          : json_read_failed(&r->descs.json) ? r->descs.input
                                                             : 0;
    VEC_FREE(&b.sections);
    VEC_FREE(&b.node_numbers);
    VEC_FREE(&b.probes);
    VEC_FREE(&b.path);
    hash_index_free(&b.section_index);
    return code;
}
