/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes views as JSON, described in docs/json.md. The sections can be rebuilt from the descriptors and the list. */
#include "object/elf_write.h"
#include "probe/probe_print.h"
#include "probe/probe_walk.h"

/* ---- what every document has ---- */

static void write_index(struct json_writer *w, const char *key, uint32_t v, uint32_t none)
{
    json_key(w, key);
    if (v != none)
        json_u64(w, v);
    else
        json_none(w);
}

static void write_file(struct json_writer *w, const struct apf_probes *p)
{
    const struct apf_probes_info *info = &p->info;
    json_key(w, "file");
    json_object_begin(w);
    write_index(w, "elf_bits", info->elf_bits, 0);
    write_index(w, "elf_machine", info->elf_machine, 0);
    json_key(w, "elf_flags");
    if (p->elf)
        json_hex(w, elf_header_flags(p->elf));
    else
        json_none(w);
    json_key(w, "big_endian");
    json_bool(w, info->big_endian);
    json_key(w, "relocatable");
    json_bool(w, info->relocatable);
    json_key(w, "old_encoding");
    json_bool(w, info->old_encoding);
    write_index(w, "literal_bytes", info->literal_bytes, 0);
    json_object_end(w);
}

static void write_group(struct json_writer *w, const struct probe_section *s)
{
    struct apf_str name = {s->group, s->group ? strlen(s->group) : 0};
    json_entry_name(w, "group", name);
    json_key(w, "comdat");
    json_bool(w, s->comdat);
}

static void write_sections(struct json_writer *w, const struct apf_probes *p, bool descs)
{
    json_key(w, "sections");
    json_array_begin(w);
    for (size_t i = 0; i < p->sections.n; i++) {
        const struct probe_section *s = &p->sections.data[i];
        if (s->has_descs != descs)
            continue;
        json_line_object(w);
        json_entry_u64(w, "section", s->index);
        json_entry_u64(w, "bytes", s->n);
        write_index(w, "text", s->text, 0);
        write_group(w, s);
        json_object_end(w);
    }
    json_array_end(w);
}

void probe_json_begin(struct probe_printer *pr, const char *schema)
{
    json_object_begin(pr->json);
    json_head(pr->json, schema);
    write_file(pr->json, pr->probes);
}

void probe_json_function(struct probe_printer *pr, struct apf_str name)
{
    struct apf_str none = {NULL, 0};
    bool fits = name_budget_spend(&pr->names, name.n);
    json_entry_name(pr->json, "function", fits ? name : none);
    if (pr->out->show_name)
        json_entry_demangled(
            pr->json, fits && name_budget_spend(&pr->names, file_out_shown(pr->out, name).n) ? name : none);
}

/* Writes whether the document lacks a part of the sections, because of filters or skipped damage. */
static void write_partial(struct probe_printer *pr)
{
    bool filtered = (pr->options.flags & (APF_PROBES_PRINT_ONE_FUNCTION | APF_PROBES_PRINT_RANGE)) != 0;
    json_key(pr->json, "partial");
    json_bool(pr->json, filtered || pr->probes->damages.n > 0);
}

/* Writes the list of padded numbers. */
static void write_paddings(struct json_writer *w, const struct apf_probes *p, bool descs)
{
    json_key(w, "padded");
    json_array_begin(w);
    for (size_t i = 0; i < p->paddings.n; i++) {
        const struct probe_padding *padding = &p->paddings.data[i];
        if (padding->in_descs != descs)
            continue;
        json_line_object(w);
        json_entry_u64(w, "section", padding->section);
        json_entry_u64(w, "offset", padding->offset);
        json_entry_u64(w, "bytes", padding->bytes);
        json_object_end(w);
    }
    json_array_end(w);
}

/* ---- desc ---- */

bool probe_json_desc(struct probe_printer *pr)
{
    const struct apf_probes *p = pr->probes;
    struct json_writer *w = pr->json;
    probe_json_begin(pr, "anyprof-probe-descriptors/1");
    write_partial(pr);
    write_sections(w, p, true);
    json_key(w, "descriptors");
    json_array_begin(w);
    for (size_t i = 0; i < p->descs.n; i++) {
        const struct apf_probe_desc *desc = &p->descs.data[i];
        if (!probe_wants_guid(pr, desc->guid))
            continue;
        struct apf_probe_hash parts = apf_probe_hash_parts(desc->hash);
        json_line_object(w);
        json_entry_hash(w, "guid", desc->guid);
        json_entry_hash(w, "hash", desc->hash);
        json_entry_u64(w, "calls", parts.calls);
        json_entry_u64(w, "edges", parts.edges);
        json_entry_hex(w, "crc", parts.crc);
        json_key(w, "function");
        json_bytes(w, desc->name.p, desc->name.n);
        json_entry_demangled(w, desc->name);
        json_entry_u64(w, "section", desc->section);
        json_entry_u64(w, "offset", desc->offset);
        json_object_end(w);
    }
    json_array_end(w);
    write_paddings(w, p, true);
    json_object_end(w);
    return true;
}

/* ---- nodes ---- */

/* Writes the sections of code of the nodes. */
static bool write_texts(struct probe_printer *pr)
{
    const struct apf_probes *p = pr->probes;
    struct json_writer *w = pr->json;
    size_t n = 0;
    uint64_t *texts = arena_array(&pr->arena, 2 * p->nodes.n, sizeof *texts);
    if (!texts)
        return false;
    for (size_t i = 0; i < p->nodes.n; i++) {
        if (p->nodes.data[i].text)
            texts[n++] = p->nodes.data[i].text;
    }
    sort_numbers(texts, texts + n, n);
    json_key(w, "texts");
    json_array_begin(w);
    for (size_t i = 0; i < n; i++) {
        struct elf_section section;
        if ((i && texts[i] == texts[i - 1]) || !elf_file_section(p->elf, (uint32_t)texts[i], &section))
            continue;
        struct apf_str name = {section.name, strlen(section.name)};
        json_line_object(w);
        json_entry_u64(w, "section", texts[i]);
        json_entry_name(w, "name", name);
        json_object_end(w);
    }
    json_array_end(w);
    return true;
}

static void write_node(struct probe_printer *pr, uint32_t number)
{
    const struct apf_probe_node *node = &pr->probes->nodes.data[number];
    struct json_writer *w = pr->json;
    json_line_object(w);
    json_entry_u64(w, "node", number);
    write_index(w, "parent", node->parent, APF_PROBE_NONE);
    json_entry_u64(w, "call_probe", node->call_probe);
    json_entry_hash(w, "guid", node->guid);
    probe_json_function(pr, probe_node_name(pr, number));
    json_key(w, "symbol");
    if (node->symbol)
        json_hash(w, node->symbol);
    else
        json_none(w);
    write_index(w, "text", node->text, 0);
    json_entry_u64(w, "section", node->section);
    json_entry_u64(w, "offset", node->offset);
    json_entry_u64(w, "bytes", node->size);
    json_entry_u64(w, "depth", node->depth);
    json_entry_u64(w, "children", node->n_children);
    json_entry_u64(w, "probes", node->n_probes);
    json_entry_u64(w, "tree_probes", probe_tree_probes(pr->probes, number));
    json_object_end(w);
}

static void write_nodes(struct probe_printer *pr, const uint8_t *wanted)
{
    json_key(pr->json, "nodes");
    json_array_begin(pr->json);
    for (size_t i = 0; i < pr->probes->nodes.n; i++) {
        if (wanted[i])
            write_node(pr, (uint32_t)i);
    }
    json_array_end(pr->json);
}

/* ---- tree ---- */

bool probe_json_tree(struct probe_printer *pr)
{
    const uint8_t *wanted = probe_mark_tree(pr);
    if (!wanted || !probe_name_nodes(pr))
        return false;
    probe_json_begin(pr, "anyprof-probe-tree/1");
    write_sections(pr->json, pr->probes, false);
    if (!write_texts(pr))
        return false;
    write_nodes(pr, wanted);
    json_object_end(pr->json);
    return true;
}

/* ---- list ---- */

static void set_distance(void *user, struct probe_walk *walk, uint32_t probe)
{
    int64_t *distances = user;
    distances[probe] = probe_walk_probe(walk, &walk->probes->probes.data[probe]);
}

/* Computes the distance of each probe from the one before in its section. */
static const int64_t *find_distances(struct probe_printer *pr)
{
    int64_t *distances = arena_array(&pr->arena, pr->probes->probes.n, sizeof *distances);
    if (distances)
        probe_walk_all(pr->probes, set_distance, distances);
    return distances;
}

void probe_json_type(struct json_writer *w, uint8_t type)
{
    static const char *const names[] = {"block", "indirect_call", "direct_call"};
    json_key(w, "type");
    if (type < sizeof names / sizeof *names)
        json_cstring(w, names[type]);
    else
        json_u64(w, type);
}

static void write_probe(struct probe_printer *pr, uint32_t number, int64_t distance)
{
    const struct apf_probe *probe = &pr->probes->probes.data[number];
    struct json_writer *w = pr->json;
    json_line_object(w);
    json_key(w, "address");
    if (probe->flags & APF_PROBE_FLAG_UNPLACED)
        json_none(w);
    else
        json_hex(w, probe->address);
    probe_json_function(pr, probe_node_name(pr, probe->node));
    json_entry_u64(w, "id", probe->id);
    probe_json_type(w, probe->type);
    json_entry_u64(w, "attributes", probe->attributes);
    json_entry_u64(w, "discriminator", probe->discriminator);
    json_entry_u64(w, "node", probe->node);
    json_entry_u64(w, "probe", number);
    json_key(w, "distance");
    if (probe->flags & APF_PROBE_FLAG_LITERAL)
        json_none(w);
    else
        json_i64(w, distance);
    json_object_end(w);
}

static void write_sentinel(struct probe_printer *pr, const struct probe_sentinel *s)
{
    struct json_writer *w = pr->json;
    bool is_distance = (s->packed & PROBE_IS_DISTANCE) != 0;
    json_line_object(w);
    json_entry_u64(w, "node", s->node);
    json_entry_u64(w, "before_probe", s->next);
    json_entry_u64(w, "id", s->id);
    probe_json_type(w, s->packed & PROBE_TYPE_BITS);
    json_entry_u64(w, "attributes", (s->packed & PROBE_ATTRIBUTE_BITS) >> PROBE_ATTRIBUTE_SHIFT);
    json_entry_u64(w, "discriminator", s->discriminator);
    json_key(w, "guid");
    if (is_distance)
        json_none(w);
    else
        json_hash(w, s->guid);
    json_key(w, "distance");
    if (is_distance)
        json_i64(w, (int64_t)s->guid);
    else
        json_none(w);
    json_object_end(w);
}

static void write_sentinels(struct probe_printer *pr, const uint8_t *wanted)
{
    json_key(pr->json, "sentinels");
    json_array_begin(pr->json);
    for (size_t i = 0; i < pr->probes->sentinels.n; i++) {
        if (wanted[pr->probes->sentinels.data[i].node])
            write_sentinel(pr, &pr->probes->sentinels.data[i]);
    }
    json_array_end(pr->json);
}

bool probe_json_list(struct probe_printer *pr)
{
    const struct apf_probes *p = pr->probes;
    struct json_writer *w = pr->json;
    const int64_t *distances = find_distances(pr);
    const uint8_t *wanted = probe_select(pr) ? probe_mark_list(pr) : NULL;
    if (!wanted || !distances || !probe_name_nodes(pr))
        return false;
    probe_json_begin(pr, "anyprof-probe-list/1");
    write_partial(pr);
    write_sections(w, p, false);
    if (!write_texts(pr))
        return false;
    write_nodes(pr, wanted);
    json_key(w, "probes");
    json_array_begin(w);
    for (size_t i = 0; i < pr->n_order; i++)
        write_probe(pr, pr->order[i], distances[pr->order[i]]);
    json_array_end(w);
    write_sentinels(pr, wanted);
    write_paddings(w, p, false);
    json_object_end(w);
    return true;
}
