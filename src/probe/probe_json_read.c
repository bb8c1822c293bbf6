/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the model from documents. */
#include "probe/probe_json_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/text_bytes.h"
#include "probe/probe_walk.h"

/* A section of a document. */
struct numbered_section {
    struct probe_section section;
    uint32_t number; /* in the document */
};

/* A probe of a document. */
struct numbered_probe {
    struct apf_probe probe;
    int64_t distance;
    uint64_t number; /* its place among the probes of its node */
};

struct json_builder {
    struct probe_json *r;
    struct apf_probes *p;
    VEC(struct numbered_section) sections;
    struct hash_index section_index;
    uint32_t first[2];          /* first section of probes, and of descriptors; APF_PROBE_NONE: none */
    VEC(uint32_t) node_numbers; /* number of each node in the document, ascending */
    VEC(struct numbered_probe) probes;
    VEC(uint32_t) path; /* the node before and the nodes it is inlined into */
};

/* ---- sections ---- */

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

static int read_sections(struct json_builder *b)
{
    int code = read_section_list(b, &b->r->list, false);
    if (code == APF_OK)
        code = read_section_list(b, &b->r->descs, true);
    return code == APF_OK ? place_sections(b) : code;
}

/* Finds the section of an entry; without a number, the first section. */
static uint32_t find_section(struct json_builder *b, struct json_fields *f, unsigned key, bool has_descs)
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

/* ---- nodes ---- */

/* Finds the node with a number in the document, or APF_PROBE_NONE. */
static uint32_t node_with_number(const struct json_builder *b, uint64_t number)
{
    size_t low;
    SEARCH(low, 0, b->node_numbers.n, b->node_numbers.data[low] < number);
    return low < b->node_numbers.n && b->node_numbers.data[low] == number ? (uint32_t)low : APF_PROBE_NONE;
}

static uint32_t find_node(const struct json_builder *b, struct json_fields *f, unsigned key)
{
    uint32_t node = node_with_number(b, json_fields_u64(f, key, UINT32_MAX));
    if (node == APF_PROBE_NONE)
        json_fields_wrong(f, key, "there is no node with that number");
    return node;
}

#define NODE_KEYS(KEY)                                                                                       \
    KEY(nodes, node)                                                                                         \
    KEY(nodes, parent) KEY(nodes, call_probe) KEY(nodes, guid) KEY(nodes, section) KEY(nodes, symbol)
JSON_KEYS(node_keys, NODE_KEYS);

/* Places a node, which must follow its parent or a node inlined into that. */
static void place_node(struct json_builder *b, struct json_fields *f, struct apf_probe_node *node,
                       uint32_t number)
{
    struct apf_probes *p = b->p;
    bool top = !json_fields_has(f, nodes_parent);
    node->parent = top ? APF_PROBE_NONE : find_node(b, f, nodes_parent);
    while (b->path.n && (top || b->path.data[b->path.n - 1] != node->parent))
        b->path.n--;
    node->section = top ? find_section(b, f, nodes_section, false) : 0;
    if (!top && b->path.n == 0) {
        json_fields_wrong(f, nodes_parent, "the node does not follow what it is inlined into");
    } else if (!top && !json_read_failed(f->json)) {
        node->section = p->nodes.data[node->parent].section;
        p->nodes.data[node->parent].n_children++;
    }
    if (json_read_failed(f->json))
        return;
    struct probe_section *s = &p->sections.data[node->section];
    if (s->count == 0)
        s->first = number;
    else if (s->first + s->count != number)
        json_fields_wrong(f, nodes_section, "the nodes of a section do not stand together");
    s->count++;
}

static int read_nodes(struct json_builder *b)
{
    struct json_reader *j = &b->r->list.json;
    if (!json_fields_list(&b->r->list.fields, DOCUMENT_NODES))
        return j->code;
    for (uint32_t i = 0; json_read_more(j); i++) {
        struct json_fields f;
        json_fields_read(&f, j, node_keys);
        struct apf_probe_node node = {.guid = json_fields_u64(&f, nodes_guid, UINT64_MAX)};
        uint32_t number = (uint32_t)json_fields_u64_or(&f, nodes_node, UINT32_MAX, i);
        node.call_probe = (uint32_t)json_fields_u64_or(&f, nodes_call_probe, UINT32_MAX, 0);
        node.symbol = json_fields_u64_or(&f, nodes_symbol, UINT64_MAX, 0);
        if (b->node_numbers.n && b->node_numbers.data[b->node_numbers.n - 1] >= number)
            json_fields_wrong(&f, nodes_node, "the numbers of nodes do not ascend");
        place_node(b, &f, &node, i);
        if (!json_read_failed(j) &&
            (!VEC_PUSH(&b->node_numbers, number) || !VEC_PUSH(&b->path, i) || !VEC_PUSH(&b->p->nodes, node)))
            json_read_memory(j);
    }
    return j->code;
}

/* ---- probes ---- */

/* Reads a type, which is a word or a number. */
static uint8_t read_type(struct json_fields *f, unsigned key)
{
    static const char *const names[] = {"block", "indirect_call", "direct_call"};
    if (json_fields_has(f, key) && *f->values[key] == '"') {
        struct apf_str name = json_fields_text(f, key, NULL);
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
            if (text_is(name, names[i]))
                return (uint8_t)i;
    }
    return (uint8_t)json_fields_u64_or(f, key, PROBE_TYPE_BITS, 0);
}

#define MOST_ATTRIBUTES (PROBE_ATTRIBUTE_BITS >> PROBE_ATTRIBUTE_SHIFT)

#define PROBE_KEYS(KEY)                                                                                      \
    KEY(probes, node)                                                                                        \
    KEY(probes, id)                                                                                          \
    KEY(probes, type)                                                                                        \
    KEY(probes, attributes)                                                                                  \
    KEY(probes, discriminator) KEY(probes, probe) KEY(probes, distance) KEY(probes, address)
JSON_KEYS(probe_keys, PROBE_KEYS);

/* Reads a probe; one with a literal address has no distance. */
static void read_probe(struct json_builder *b, struct json_fields *f, struct numbered_probe *out, size_t i)
{
    struct apf_probe *probe = &out->probe;
    probe->node = find_node(b, f, probes_node);
    probe->id = (uint32_t)json_fields_u64(f, probes_id, UINT32_MAX);
    probe->type = read_type(f, probes_type);
    probe->attributes = (uint8_t)json_fields_u64_or(f, probes_attributes, MOST_ATTRIBUTES, 0);
    probe->discriminator = (uint32_t)json_fields_u64_or(f, probes_discriminator, UINT32_MAX, 0);
    if (probe->discriminator)
        probe->attributes |= APF_PROBE_ATTRIBUTE_DISCRIMINATOR;
    if (probe->attributes & APF_PROBE_ATTRIBUTE_SENTINEL)
        json_fields_wrong(f, probes_attributes, "this is a sentinel");
    out->number = json_fields_u64_or(f, probes_probe, UINT32_MAX, i);
    if (b->p->info.old_encoding && !json_fields_has(f, probes_distance)) {
        probe->flags = APF_PROBE_FLAG_LITERAL;
        probe->address = json_fields_u64(f, probes_address, UINT64_MAX);
    } else {
        out->distance = json_fields_i64(f, probes_distance);
    }
}

static int read_probes(struct json_builder *b)
{
    struct json_reader *j = &b->r->list.json;
    if (!json_fields_list(&b->r->list.fields, DOCUMENT_PROBES))
        return j->code;
    while (json_read_more(j)) {
        struct json_fields f;
        struct numbered_probe probe = {.number = 0};
        json_fields_read(&f, j, probe_keys);
        read_probe(b, &f, &probe, b->probes.n);
        if (b->probes.n >= APF_PROBE_NONE)
            json_read_wrong(j, APF_LIMIT, "more than 2^32-1 probes");
        else if (!VEC_PUSH(&b->probes, probe))
            json_read_memory(j);
    }
    return j->code;
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
    if (!VEC_RESERVE(&b->probes, n) || !VEC_RESERVE(&b->p->probes, n))
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

/* The probe of a node that follows a sentinel: the first one with at least its number. */
static uint32_t probe_after(const struct json_builder *b, const struct apf_probe_node *node, uint64_t number)
{
    uint32_t low;
    SEARCH(low, node->first_probe, node->first_probe + node->n_probes, b->probes.data[low].number < number);
    return low;
}

#define SENTINEL_KEYS(KEY)                                                                                   \
    KEY(sentinels, node)                                                                                     \
    KEY(sentinels, before_probe)                                                                             \
    KEY(sentinels, id)                                                                                       \
    KEY(sentinels, type)                                                                                     \
    KEY(sentinels, attributes) KEY(sentinels, discriminator) KEY(sentinels, guid) KEY(sentinels, distance)
JSON_KEYS(sentinel_keys, SENTINEL_KEYS);

static struct probe_sentinel read_sentinel(struct json_builder *b, struct json_fields *f)
{
    struct probe_sentinel s = {.node = find_node(b, f, sentinels_node)};
    bool is_distance = !json_fields_has(f, sentinels_guid);
    uint64_t before = json_fields_u64_or(f, sentinels_before_probe, UINT32_MAX, 0);
    uint8_t attributes = (uint8_t)json_fields_u64_or(f, sentinels_attributes, MOST_ATTRIBUTES, 0);
    s.id = (uint32_t)json_fields_u64_or(f, sentinels_id, UINT32_MAX, 0);
    s.discriminator = (uint32_t)json_fields_u64_or(f, sentinels_discriminator, UINT32_MAX, 0);
    s.guid = is_distance ? (uint64_t)json_fields_i64(f, sentinels_distance)
                         : json_fields_u64(f, sentinels_guid, UINT64_MAX);
    uint32_t packed = read_type(f, sentinels_type) | (uint32_t)(attributes | APF_PROBE_ATTRIBUTE_SENTINEL)
                                                         << PROBE_ATTRIBUTE_SHIFT;
    s.packed = (uint8_t)(packed | (is_distance ? PROBE_IS_DISTANCE : 0));
    if (!json_read_failed(f->json))
        s.next = probe_after(b, &b->p->nodes.data[s.node], before);
    return s;
}

static bool sentinel_before(const void *context, const void *a, const void *b)
{
    const struct probe_sentinel *x = a, *y = b;
    (void)context;
    return x->node != y->node ? x->node < y->node : x->next < y->next;
}

static void read_sentinel_list(struct json_builder *b, struct json_reader *j)
{
    while (json_read_more(j)) {
        struct json_fields f;
        json_fields_read(&f, j, sentinel_keys);
        struct probe_sentinel s = read_sentinel(b, &f);
        if (!VEC_PUSH(&b->p->sentinels, s))
            json_read_memory(j);
    }
}

/* Makes sentinels from the symbols of nodes, for a document without sentinels. */
static bool make_sentinels(struct apf_probes *p)
{
    for (size_t i = 0; i < p->nodes.n; i++) {
        struct probe_sentinel s = {.guid = p->nodes.data[i].symbol,
                                   .next = p->nodes.data[i].first_probe,
                                   .node = (uint32_t)i,
                                   .packed = APF_PROBE_ATTRIBUTE_SENTINEL << PROBE_ATTRIBUTE_SHIFT};
        if (p->nodes.data[i].symbol && !VEC_PUSH(&p->sentinels, s))
            return false;
    }
    return true;
}

static int read_sentinels(struct json_builder *b)
{
    struct probe_document *doc = &b->r->list;
    struct apf_probes *p = b->p;
    if (json_fields_list(&doc->fields, DOCUMENT_SENTINELS))
        read_sentinel_list(b, &doc->json);
    else if (!make_sentinels(p))
        return error_memory(b->r->error);
    size_t n = p->sentinels.n;
    if (!VEC_RESERVE(&p->sentinels, n))
        return error_memory(b->r->error);
    if (n)
        sort_merge(p->sentinels.data, p->sentinels.data + n, n, sizeof *p->sentinels.data, sentinel_before,
                   NULL);
    return doc->json.code;
}

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
        desc.section = find_section(b, &f, descriptors_section, true);
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
        padding.section = find_section(b, &f, padded_section, in_descs);
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

/* ---- the rest ---- */

/* Computes addresses that give the distances of the document when they are written. */
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
            if (!(probe->flags & APF_PROBE_FLAG_LITERAL))
                probe->address = walk.address + (uint64_t)b->probes.data[at].distance;
            probe_walk_probe(&walk, probe);
        }
    }
}

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
        read_targets, read_sections,  read_nodes, read_probes,
        place_probes, read_sentinels, read_descs, read_paddings,
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        int code = steps[i](b);
        if (code != APF_OK)
            return code;
    }
    struct probe_document *doc = probe_document_given(&b->r->list) ? &b->r->list : &b->r->descs;
    if (b->p->sections.n == 0)
        json_fields_wrong(&doc->fields, DOCUMENT_SECTIONS, "there is no section");
    place_all(b);
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
