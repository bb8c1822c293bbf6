/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the sections of documents. */
#include <string.h>

#include "base/error.h"
#include "probe/probe_json_builder.h"

#define SECTION_KEYS(KEY) KEY(sections, section) KEY(sections, group) KEY(sections, comdat)
JSON_KEYS(section_keys, SECTION_KEYS);

static void read_section(struct json_builder *b, struct json_reader *j, bool has_descs)
{
    struct json_fields f;
    struct numbered_section s = {.section.has_descs = has_descs};
    json_fields_read(&f, j, section_keys);
    s.number = (uint32_t)json_fields_u64(&f, sections_section, UINT32_MAX);
    s.section.comdat = json_fields_flag(&f, sections_comdat);
    struct apf_str group = json_fields_text(&f, sections_group, NULL);
    if (group.n && memchr(group.p, '\0', group.n))
        json_fields_wrong(&f, sections_group, "a zero in a name");
    if (group.n)
        s.section.group = arena_text(&b->p->arena, group.p, group.n);
    if ((group.n && !s.section.group) || !VEC_PUSH(&b->sections, s))
        json_read_memory(j);
}

/* Reads the sections of a document; one without the key has one section, in no group. */
static int read_section_list(struct json_builder *b, struct probe_document *doc, bool has_descs)
{
    struct numbered_section only = {.section.has_descs = has_descs};
    if (probe_document_given(doc) && !json_fields_has(&doc->fields, DOCUMENT_SECTIONS) &&
        !VEC_PUSH(&b->sections, only))
        return error_memory(b->r->error);
    if (json_fields_list(&doc->fields, DOCUMENT_SECTIONS))
        while (json_read_more(&doc->json))
            read_section(b, &doc->json, has_descs);
    return doc->json.code;
}

static bool section_before(const void *context, const void *a, const void *b)
{
    const struct numbered_section *x = a, *y = b;
    (void)context;
    return x->number < y->number;
}

/* Sorts the sections into the order of their file, and numbers them anew: two documents may use one number twice. */
static int place_sections(struct json_builder *b)
{
    size_t n = b->sections.n;
    b->first[0] = b->first[1] = APF_PROBE_NONE;
    if (!VEC_RESERVE(&b->sections, n) || !VEC_RESERVE(&b->p->sections, n) ||
        !hash_index_reserve(&b->section_index, n))
        return hash_index_error(&b->section_index, b->r->error);
    if (n)
        sort_merge(b->sections.data, b->sections.data + n, n, sizeof *b->sections.data, section_before, NULL);
    for (size_t i = 0; i < n; i++) {
        struct numbered_section *s = &b->sections.data[i];
        bool has_descs = s->section.has_descs;
        struct probe_document *doc = has_descs ? &b->r->descs : &b->r->list;
        s->section.index = (uint32_t)i;
        if (b->first[has_descs] == APF_PROBE_NONE)
            b->first[has_descs] = (uint32_t)i;
        else if (s[-1].number == s->number && s[-1].section.has_descs == has_descs)
            json_fields_wrong(&doc->fields, DOCUMENT_SECTIONS, "two sections have the same number");
        if (json_read_failed(&doc->json))
            return doc->json.code;
        b->p->sections.data[b->p->sections.n++] = s->section;
        hash_index_add(&b->section_index, hash_index_mix(&b->section_index, s->number, has_descs),
                       (uint32_t)i);
    }
    return APF_OK;
}

int probe_json_sections(struct json_builder *b)
{
    int code = read_section_list(b, &b->r->list, false);
    if (code == APF_OK)
        code = read_section_list(b, &b->r->descs, true);
    return code == APF_OK ? place_sections(b) : code;
}

uint32_t probe_json_find_section(struct json_builder *b, struct json_fields *f, unsigned key, bool has_descs)
{
    if (!json_fields_has(f, key)) {
        if (b->first[has_descs] != APF_PROBE_NONE)
            return b->first[has_descs];
        json_fields_wrong(f, key, "there is no section");
        return 0;
    }
    uint32_t number = (uint32_t)json_fields_u64(f, key, UINT32_MAX), e;
    uint64_t hash = hash_index_mix(&b->section_index, number, has_descs);
    HASH_INDEX_FIND(e, &b->section_index, hash,
                    b->sections.data[e].number == number &&
                        b->sections.data[e].section.has_descs == has_descs);
    if (e != HASH_INDEX_NONE)
        return e;
    json_fields_wrong(f, key, "there is no section with that number");
    return 0;
}
