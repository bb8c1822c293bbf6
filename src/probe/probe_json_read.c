/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From documents to the model. */
#include "probe/probe_json_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "probe/probe_walk.h"

/* ---- sections ---- */

static bool add_section(struct json_builder *b, struct json_fields *f, uint32_t number, bool has_descs)
{
    struct numbered_section s = {.number = number};
    struct apf_str group = json_fields_text(f, "group");
    s.section.has_descs = has_descs;
    s.section.group = group.n ? group.p : NULL;
    s.section.comdat = json_fields_flag(f, "comdat");
    if (group.n && memchr(group.p, '\0', group.n))
        json_fields_wrong(f, "group", "a zero in a name");
    return VEC_PUSH(&b->sections, s);
}

/* A document that does not say has one. */
static int read_sections(struct json_builder *b, struct json_fields *doc, bool has_descs)
{
    const json_t *list = json_fields_list(doc, "sections");
    size_t n = json_array_size(list);
    struct json_fields none = {.error = doc->error};
    if (doc->code == APF_OK && doc->object && !list && !add_section(b, &none, 0, has_descs))
        return error_memory(doc->error);
    for (size_t i = 0; i < n && doc->code == APF_OK; i++) {
        struct json_fields f = json_fields_entry(doc, list, "sections", i);
        if (!add_section(b, &f, (uint32_t)json_fields_u64(&f, "section", UINT32_MAX), has_descs))
            return error_memory(doc->error);
        doc->code = f.code;
    }
    return doc->code;
}

static bool section_before(const void *context, const void *a, const void *b)
{
    const struct numbered_section *x = a, *y = b;
    (void)context;
    return x->number < y->number;
}

/* In the order they had in their file. Their numbers are new: two documents may have used one for two. */
static int place_sections(struct json_builder *b)
{
    size_t n = b->sections.n;
    b->first[0] = b->first[1] = APF_PROBE_NONE;
    if (!VEC_RESERVE(&b->sections, n) || !VEC_RESERVE(&b->p->sections, n) ||
        !hash_index_reserve(&b->section_index, n))
        return error_memory(b->r->error);
    if (n)
        sort_merge(b->sections.data, b->sections.data + n, n, sizeof *b->sections.data, section_before, NULL);
    for (size_t i = 0; i < n; i++) {
        struct numbered_section *s = &b->sections.data[i];
        bool has_descs = s->section.has_descs;
        struct json_fields *doc = has_descs ? &b->descs : &b->list;
        s->section.index = (uint32_t)i;
        if (b->first[has_descs] == APF_PROBE_NONE)
            b->first[has_descs] = (uint32_t)i;
        else if (s[-1].number == s->number && s[-1].section.has_descs == has_descs)
            json_fields_wrong(doc, "sections", "two have the same number");
        if (doc->code != APF_OK)
            return doc->code;
        b->p->sections.data[b->p->sections.n++] = s->section;
        hash_index_add(&b->section_index, hash_index_mix(&b->section_index, s->number, has_descs),
                       (uint32_t)i);
    }
    return APF_OK;
}

uint32_t json_find_section(struct json_builder *b, struct json_fields *f, bool has_descs)
{
    bool any = !json_fields_has(f, "section");
    uint32_t number = (uint32_t)json_fields_u64_or_0(f, "section", UINT32_MAX), e;
    if (any) {
        if (b->first[has_descs] != APF_PROBE_NONE)
            return b->first[has_descs];
        json_fields_wrong(f, "section", "there is none");
        return 0;
    }
    uint64_t hash = hash_index_mix(&b->section_index, number, has_descs);
    size_t pos = hash_index_first(&b->section_index, hash);
    while ((e = hash_index_next(&b->section_index, hash, &pos)) != HASH_INDEX_NONE)
        if (b->sections.data[e].number == number && b->sections.data[e].section.has_descs == has_descs)
            return e;
    json_fields_wrong(f, "section", "there is no section with that number");
    return 0;
}

/* ---- nodes ---- */

/* Which node has that number in the document; APF_PROBE_NONE. */
static uint32_t node_with_number(const struct json_builder *b, uint64_t number)
{
    size_t low;
    SEARCH(low, 0, b->node_numbers.n, b->node_numbers.data[low] < number);
    return low < b->node_numbers.n && b->node_numbers.data[low] == number ? (uint32_t)low : APF_PROBE_NONE;
}

static uint32_t find_node(const struct json_builder *b, struct json_fields *f, const char *key)
{
    uint32_t node = node_with_number(b, json_fields_u64(f, key, UINT32_MAX));
    if (node == APF_PROBE_NONE)
        json_fields_wrong(f, key, "there is no node with that number");
    return node;
}

/* A node has to follow its parent, or what is inlined into that. */
static void place_node(struct json_builder *b, struct json_fields *f, struct apf_probe_node *node,
                       uint32_t number)
{
    struct apf_probes *p = b->p;
    bool top = !json_fields_has(f, "parent");
    node->parent = top ? APF_PROBE_NONE : find_node(b, f, "parent");
    while (b->path.n && (top || b->path.data[b->path.n - 1] != node->parent))
        b->path.n--;
    node->section = top ? json_find_section(b, f, false) : 0;
    if (!top && b->path.n == 0) {
        json_fields_wrong(f, "parent", "the node does not follow what it is inlined into");
    } else if (!top) {
        node->section = p->nodes.data[node->parent].section;
        p->nodes.data[node->parent].n_children++;
    }
    if (f->code != APF_OK)
        return;
    struct probe_section *s = &p->sections.data[node->section];
    if (s->count == 0)
        s->first = number;
    else if (s->first + s->count != number)
        json_fields_wrong(f, "section", "the nodes of a section do not stand together");
    s->count++;
}

static int read_nodes(struct json_builder *b, struct json_fields *doc)
{
    const json_t *list = json_fields_list(doc, "nodes");
    for (size_t i = 0; i < json_array_size(list) && doc->code == APF_OK; i++) {
        struct json_fields f = json_fields_entry(doc, list, "nodes", i);
        struct apf_probe_node node = {.guid = json_fields_u64(&f, "guid", UINT64_MAX)};
        uint32_t number =
            json_fields_has(&f, "node") ? (uint32_t)json_fields_u64(&f, "node", UINT32_MAX) : (uint32_t)i;
        node.call_probe = (uint32_t)json_fields_u64_or_0(&f, "call_probe", UINT32_MAX);
        node.symbol = json_fields_u64_or_0(&f, "symbol", UINT64_MAX);
        if (i && b->node_numbers.data[i - 1] >= number)
            json_fields_wrong(&f, "node", "the numbers of nodes do not ascend");
        place_node(b, &f, &node, (uint32_t)i);
        doc->code = f.code;
        if (f.code == APF_OK && (!VEC_PUSH(&b->node_numbers, number) || !VEC_PUSH(&b->path, (uint32_t)i) ||
                                 !VEC_PUSH(&b->p->nodes, node)))
            return error_memory(doc->error);
    }
    return doc->code;
}

/* ---- probes ---- */

static uint8_t read_type(struct json_fields *f)
{
    static const char *const names[] = {"block", "indirect_call", "direct_call"};
    const json_t *value = json_object_get(f->object, "type");
    for (uint8_t i = 0; json_is_string(value) && i < sizeof names / sizeof *names; i++)
        if (strcmp(json_string_value(value), names[i]) == 0)
            return i;
    return (uint8_t)json_fields_u64_or_0(f, "type", PROBE_TYPE_BITS);
}

#define MOST_ATTRIBUTES (PROBE_ATTRIBUTE_BITS >> PROBE_ATTRIBUTE_SHIFT)

/* A probe whose address is stored as it is has no distance. */
static void read_probe(struct json_builder *b, struct json_fields *f, struct numbered_probe *out,
                       bool literals)
{
    struct apf_probe *probe = &out->probe;
    probe->node = find_node(b, f, "node");
    probe->id = (uint32_t)json_fields_u64(f, "id", UINT32_MAX);
    probe->type = read_type(f);
    probe->attributes = (uint8_t)json_fields_u64_or_0(f, "attributes", MOST_ATTRIBUTES);
    probe->discriminator = (uint32_t)json_fields_u64_or_0(f, "discriminator", UINT32_MAX);
    if (probe->discriminator)
        probe->attributes |= APF_PROBE_HAS_DISCRIMINATOR;
    if (probe->attributes & APF_PROBE_SENTINEL)
        json_fields_wrong(f, "attributes", "this is a sentinel");
    out->number = json_fields_has(f, "probe") ? json_fields_u64(f, "probe", UINT32_MAX) : f->entry;
    if (literals && !json_fields_has(f, "distance")) {
        probe->flags = APF_PROBE_LITERAL;
        probe->address = json_fields_u64(f, "address", UINT64_MAX);
    } else {
        out->distance = json_fields_i64(f, "distance");
    }
}

static int read_probes(struct json_builder *b, struct json_fields *doc, bool literals)
{
    const json_t *list = json_fields_list(doc, "probes");
    size_t n = json_array_size(list);
    if (n >= APF_PROBE_NONE || !VEC_RESERVE(&b->probes, n) || !VEC_RESERVE(&b->p->probes, n))
        return error_memory(doc->error);
    for (size_t i = 0; i < n && doc->code == APF_OK; i++) {
        struct json_fields f = json_fields_entry(doc, list, "probes", i);
        struct numbered_probe probe = {.number = 0};
        read_probe(b, &f, &probe, literals);
        b->probes.data[b->probes.n++] = probe;
        doc->code = f.code;
    }
    return doc->code;
}

static bool probe_before(const void *context, const void *a, const void *b)
{
    const struct numbered_probe *x = a, *y = b;
    (void)context;
    return x->probe.node != y->probe.node ? x->probe.node < y->probe.node : x->number < y->number;
}

static int place_probes(struct json_builder *b)
{
    size_t n = b->probes.n, at = 0;
    if (!VEC_RESERVE(&b->probes, n))
        return error_memory(b->r->error);
    if (n)
        sort_merge(b->probes.data, b->probes.data + n, n, sizeof *b->probes.data, probe_before, NULL);
    for (size_t i = 0; i < b->p->nodes.n; i++) {
        struct apf_probe_node *node = &b->p->nodes.data[i];
        node->first_probe = (uint32_t)at;
        while (at < n && b->probes.data[at].probe.node == i)
            at++;
        node->n_probes = (uint32_t)(at - node->first_probe);
    }
    for (size_t i = 0; i < n; i++)
        b->p->probes.data[b->p->probes.n++] = b->probes.data[i].probe;
    return APF_OK;
}

/* ---- sentinels ---- */

/* The probe of a node that a sentinel stands before: the first one with that number or a higher one. */
static uint32_t probe_after(const struct json_builder *b, const struct apf_probe_node *node, uint64_t number)
{
    uint32_t low;
    SEARCH(low, node->first_probe, node->first_probe + node->n_probes, b->probes.data[low].number < number);
    return low;
}

static struct probe_sentinel read_sentinel(struct json_builder *b, struct json_fields *f)
{
    struct probe_sentinel s = {.node = find_node(b, f, "node")};
    bool is_distance = !json_fields_has(f, "guid");
    uint64_t before = json_fields_u64_or_0(f, "before_probe", UINT32_MAX);
    uint8_t attributes = (uint8_t)json_fields_u64_or_0(f, "attributes", MOST_ATTRIBUTES) | APF_PROBE_SENTINEL;
    s.id = (uint32_t)json_fields_u64_or_0(f, "id", UINT32_MAX);
    s.discriminator = (uint32_t)json_fields_u64_or_0(f, "discriminator", UINT32_MAX);
    s.guid = is_distance ? (uint64_t)json_fields_i64(f, "distance") : json_fields_u64(f, "guid", UINT64_MAX);
    uint32_t packed = read_type(f) | (uint32_t)attributes << PROBE_ATTRIBUTE_SHIFT;
    s.packed = (uint8_t)(packed | (is_distance ? PROBE_IS_DISTANCE : 0));
    if (f->code == APF_OK)
        s.next = probe_after(b, &b->p->nodes.data[s.node], before);
    return s;
}

static bool sentinel_before(const void *context, const void *a, const void *b)
{
    const struct probe_sentinel *x = a, *y = b;
    (void)context;
    return x->node != y->node ? x->node < y->node : x->next < y->next;
}

/* A document without sentinels says by the symbols of nodes where they belong. */
static int read_sentinels(struct json_builder *b, struct json_fields *doc)
{
    const json_t *list = json_fields_list(doc, "sentinels");
    struct apf_probes *p = b->p;
    for (size_t i = 0; i < json_array_size(list) && doc->code == APF_OK; i++) {
        struct json_fields f = json_fields_entry(doc, list, "sentinels", i);
        struct probe_sentinel s = read_sentinel(b, &f);
        if (!VEC_PUSH(&p->sentinels, s))
            return error_memory(doc->error);
        doc->code = f.code;
    }
    for (size_t i = 0; !list && i < p->nodes.n; i++) {
        struct probe_sentinel s = {.guid = p->nodes.data[i].symbol,
                                   .next = p->nodes.data[i].first_probe,
                                   .node = (uint32_t)i,
                                   .packed = APF_PROBE_SENTINEL << PROBE_ATTRIBUTE_SHIFT};
        if (p->nodes.data[i].symbol && !VEC_PUSH(&p->sentinels, s))
            return error_memory(doc->error);
    }
    size_t n = p->sentinels.n;
    if (!VEC_RESERVE(&p->sentinels, n))
        return error_memory(doc->error);
    if (n)
        sort_merge(p->sentinels.data, p->sentinels.data + n, n, sizeof *p->sentinels.data, sentinel_before,
                   NULL);
    return doc->code;
}

/* ---- the rest ---- */

/* From distances to addresses that give the same distances when they are written. */
static void place_all(struct json_builder *b)
{
    struct apf_probes *p = b->p;
    struct probe_walk walk = {.probes = p};
    size_t sentinel = 0;
    for (size_t i = 0; i < p->nodes.n; i++) {
        const struct apf_probe_node *node = &p->nodes.data[i];
        walk.section = &p->sections.data[node->section];
        if (walk.section->first == i)
            walk.address = 0;
        if (node->parent == APF_PROBE_NONE)
            probe_walk_record(&walk, (uint32_t)i);
        for (uint32_t at = node->first_probe; at <= node->first_probe + node->n_probes; at++) {
            while (sentinel < p->sentinels.n && p->sentinels.data[sentinel].node == i &&
                   p->sentinels.data[sentinel].next <= at)
                probe_walk_sentinel(&walk, &p->sentinels.data[sentinel++]);
            if (at == node->first_probe + node->n_probes)
                break;
            struct apf_probe *probe = &p->probes.data[at];
            if (!(probe->flags & APF_PROBE_LITERAL))
                probe->address = walk.address + (uint64_t)b->probes.data[at].distance;
            probe_walk_probe(&walk, probe);
        }
    }
}

static int build(struct json_builder *b)
{
    int code = APF_OK;
    if (b->descs.object)
        code = probe_json_target(b->r, &b->descs, false);
    if (code == APF_OK && b->list.object)
        code = probe_json_target(b->r, &b->list, b->descs.object != NULL);
    bool literals = b->p->info.old_encoding != 0;
    if (code == APF_OK)
        code = read_sections(b, &b->list, false);
    if (code == APF_OK)
        code = read_sections(b, &b->descs, true);
    if (code == APF_OK)
        code = place_sections(b);
    if (code == APF_OK)
        code = read_nodes(b, &b->list);
    if (code == APF_OK)
        code = read_probes(b, &b->list, literals);
    if (code == APF_OK)
        code = place_probes(b);
    if (code == APF_OK)
        code = read_sentinels(b, &b->list);
    if (code == APF_OK)
        code = json_read_descs(b, &b->descs);
    if (code == APF_OK)
        code = json_read_paddings(b, &b->descs, true);
    if (code == APF_OK)
        code = json_read_paddings(b, &b->list, false);
    if (code != APF_OK)
        return code;
    struct json_fields *some = b->list.object ? &b->list : &b->descs;
    if (b->p->sections.n == 0)
        json_fields_wrong(some, "sections", "there is none to make");
    place_all(b);
    return some->code;
}

static struct json_fields open_document(struct probe_json *r, struct probe_document *doc)
{
    struct json_fields f = {doc->json, NULL, 0, &doc->escapes, r->error, APF_OK};
    return f;
}

int probe_json_finish(struct probe_json *r)
{
    struct json_builder b = {.r = r};
    r->probes = b.p = calloc(1, sizeof *r->probes);
    if (!r->probes)
        return error_memory(r->error);
    b.list = open_document(r, &r->list);
    b.descs = open_document(r, &r->descs);
    int code = build(&b);
    if (code != APF_OK && r->error)
        r->error->input = b.list.code != APF_OK ? r->list.input : b.descs.code != APF_OK ? r->descs.input : 0;
    VEC_FREE(&b.sections);
    VEC_FREE(&b.node_numbers);
    VEC_FREE(&b.probes);
    VEC_FREE(&b.path);
    hash_index_free(&b.section_index);
    return code;
}
