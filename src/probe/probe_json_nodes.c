/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the nodes of a document, their probes and their sentinels. */
#include "base/error.h"
#include "base/search.h"
#include "base/text_bytes.h"
#include "probe/probe_json_builder.h"
#include "probe/probe_walk.h"

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
    node->section = top ? probe_json_find_section(b, f, nodes_section, false) : 0;
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

int probe_json_nodes(struct json_builder *b)
{
    int code = read_nodes(b);
    if (code == APF_OK)
        code = read_probes(b);
    if (code == APF_OK)
        code = place_probes(b);
    return code == APF_OK ? read_sentinels(b) : code;
}

/* ---- addresses ---- */

static void place_probe(void *user, struct probe_walk *walk, uint32_t number)
{
    struct json_builder *b = user;
    struct apf_probe *probe = &b->p->probes.data[number];
    if (!(probe->flags & APF_PROBE_FLAG_LITERAL))
        probe->address = walk->address + (uint64_t)b->probes.data[number].distance;
    (void)probe_walk_probe(walk, probe);
}

void probe_json_place(struct json_builder *b)
{
    probe_walk_all(b->p, place_probe, b);
}
