/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes views as text. Columns of fixed width come first, and names, which have any width, last. */
#include "probe/probe_print.h"

#define GUID_WIDTH 20u

void probe_text_function(struct probe_printer *pr, struct apf_str name, uint64_t guid)
{
    if (name.n)
        name_budget_write(&pr->names, pr->out, name, guid);
    else
        text_decimal(pr->out, guid, 0);
}

static void write_node(struct probe_printer *pr, uint32_t node)
{
    probe_text_function(pr, probe_node_name(pr, node), pr->probes->nodes.data[node].guid);
}

/* ---- desc ---- */

bool probe_text_desc(struct probe_printer *pr)
{
    const struct apf_probes *p = pr->probes;
    text_append(pr->out, "                GUID                 Hash  Calls  Edges       CRC  Function\n");
    for (size_t i = 0; i < p->descs.n; i++) {
        const struct apf_probe_desc *desc = &p->descs.data[i];
        if (!probe_wants_guid(pr, desc->guid))
            continue;
        struct apf_probe_hash parts = apf_probe_hash_parts(desc->hash);
        text_decimal(pr->out, desc->guid, GUID_WIDTH);
        text_decimal(pr->out, desc->hash, GUID_WIDTH + 1);
        text_decimal(pr->out, parts.calls, 7);
        text_decimal(pr->out, parts.edges, 7);
        text_hex(pr->out, parts.crc, 10);
        text_append(pr->out, "  ");
        text_function(pr->out, desc->name);
        text_append(pr->out, "\n");
    }
    return true;
}

/* ---- list ---- */

#define INDEX_WIDTH 7u
#define TYPE_WIDTH 12u
#define DISCRIMINATOR_WIDTH 15u

static void write_context(struct probe_printer *pr, uint32_t node)
{
    const struct apf_probe_node *nodes = pr->probes->nodes.data;
    uint32_t frames[PROBE_MOST_FRAMES], n = 0;
    for (; n < PROBE_MOST_FRAMES && nodes[node].parent != APF_PROBE_NONE; node = nodes[node].parent)
        frames[n++] = node;
    if (nodes[node].depth) {
        text_append(pr->out, "  @ ... ");
        text_decimal(pr->out, nodes[node].depth, 0);
        text_append(pr->out, " more");
    } else if (n) {
        text_append(pr->out, " ");
    }
    while (n-- > 0) {
        text_append(pr->out, " @ ");
        write_node(pr, nodes[frames[n]].parent);
        text_append(pr->out, ":");
        text_decimal(pr->out, nodes[frames[n]].call_probe, 0);
    }
}

void probe_text_node(struct probe_printer *pr, uint32_t node)
{
    write_node(pr, node);
    write_context(pr, node);
}

static void write_address(struct probe_printer *pr, const struct apf_probe *probe, unsigned width)
{
    if (!(probe->flags & APF_PROBE_FLAG_UNPLACED)) {
        text_hex(pr->out, probe->address, width);
        return;
    }
    /* In sections alone, an address counts from the unknown start of the function. */
    unsigned n = pr->probes->elf ? 1 : 1 + hex_digits(probe->address);
    text_blanks(pr->out, width > n ? width - n : 0);
    text_append(pr->out, pr->probes->elf ? "?" : "+");
    if (!pr->probes->elf)
        text_hex(pr->out, probe->address, 0);
}

static void write_type(struct probe_printer *pr, const struct apf_probe *probe)
{
    const char *name = probe_type_name(probe->type);
    text_append(pr->out, name ? name : "type ");
    if (!name)
        text_decimal(pr->out, probe->type, 0);
    size_t n = name ? strlen(name) : 5 + decimal_digits(probe->type);
    text_blanks(pr->out, TYPE_WIDTH - n);
}

/* The columns of a list. */
struct columns {
    unsigned address;
    bool discriminators, attributes;
};

static void write_probe(struct probe_printer *pr, const struct columns *columns,
                        const struct apf_probe *probe)
{
    write_address(pr, probe, columns->address);
    text_decimal(pr->out, probe->id, INDEX_WIDTH);
    text_append(pr->out, "  ");
    write_type(pr, probe);
    if (columns->attributes)
        text_append(pr->out, probe->attributes & APF_PROBE_ATTRIBUTE_RESERVED ? "       yes" : "          ");
    if (columns->discriminators && probe->attributes & APF_PROBE_ATTRIBUTE_DISCRIMINATOR)
        text_decimal(pr->out, probe->discriminator, DISCRIMINATOR_WIDTH);
    else if (columns->discriminators)
        text_blanks(pr->out, DISCRIMINATOR_WIDTH);
    text_append(pr->out, "  ");
    probe_text_node(pr, probe->node);
    text_append(pr->out, "\n");
}

static struct columns find_columns(const struct probe_printer *pr)
{
    struct columns columns = {sizeof "Address" - 1, false, false};
    for (size_t i = 0; i < pr->n_order; i++) {
        const struct apf_probe *probe = &pr->probes->probes.data[pr->order[i]];
        unsigned n = hex_digits(probe->address) + (probe->flags & APF_PROBE_FLAG_UNPLACED ? 1 : 0);
        columns.address = n > columns.address ? n : columns.address;
        columns.discriminators |= (probe->attributes & APF_PROBE_ATTRIBUTE_DISCRIMINATOR) != 0;
        columns.attributes |= (probe->attributes & APF_PROBE_ATTRIBUTE_RESERVED) != 0;
    }
    return columns;
}

static void write_list_head(struct probe_printer *pr, const struct columns *columns)
{
    text_blanks(pr->out, columns->address - (sizeof "Address" - 1));
    text_append(pr->out, "Address  Index  Type        ");
    text_append(pr->out, columns->attributes ? "  Reserved" : "");
    text_append(pr->out, columns->discriminators ? "  Discriminator" : "");
    text_append(pr->out, "  Function\n");
}

/* Writes the section of a probe in an object, where addresses are offsets in a section. */
static void write_section(struct probe_printer *pr, uint32_t index)
{
    struct elf_section section;
    bool known = index && elf_file_section(pr->probes->elf, index, &section);
    struct apf_str name = {known ? section.name : "", known ? strlen(section.name) : 0};
    text_append(pr->out, "\nIn section ");
    text_decimal(pr->out, index, 0);
    text_append(pr->out, " ");
    text_name(pr->out, name);
    text_append(pr->out, "\n");
}

bool probe_text_list(struct probe_printer *pr)
{
    const struct apf_probes *p = pr->probes;
    if (!probe_select(pr) || !probe_name_nodes(pr))
        return false;
    struct columns columns = find_columns(pr);
    write_list_head(pr, &columns);
    uint32_t text = 0;
    for (size_t i = 0; i < pr->n_order; i++) {
        const struct apf_probe *probe = &p->probes.data[pr->order[i]];
        uint32_t now = p->nodes.data[probe->node].text;
        if (now != text) {
            write_section(pr, now);
            text = now;
        }
        write_probe(pr, &columns, probe);
    }
    return true;
}

/* ---- tree ---- */

#define MOST_INDENT 40u /* levels; deeper ones stand below each other, with their depth */

/* Writes a function's own bytes, those of the functions inlined into it, its probes likewise, and its name. */
static void write_tree_row(struct probe_printer *pr, uint32_t number, bool with_context)
{
    const struct apf_probe_node *node = &pr->probes->nodes.data[number];
    text_decimal(pr->out, node->size, 9);
    text_decimal(pr->out, probe_tree_probes(pr->probes, number), 9);
    text_decimal(pr->out, node->n_probes, 7);
    text_append(pr->out, "  ");
    text_blanks(pr->out, 2 * (size_t)(node->depth < MOST_INDENT ? node->depth : MOST_INDENT));
    if (node->depth > MOST_INDENT) {
        text_append(pr->out, "[depth ");
        text_decimal(pr->out, node->depth, 0);
        text_append(pr->out, "] ");
    }
    if (node->parent != APF_PROBE_NONE) {
        text_decimal(pr->out, node->call_probe, 0);
        text_append(pr->out, ": ");
    }
    write_node(pr, number);
    if (node->symbol) {
        text_append(pr->out, "  in ");
        probe_text_function(pr, apf_probes_name(pr->probes, node->symbol), node->symbol);
    }
    if (with_context)
        write_context(pr, number);
    text_append(pr->out, "\n");
}

bool probe_text_tree(struct probe_printer *pr)
{
    const uint8_t *wanted = probe_mark_tree(pr);
    if (!wanted || !probe_name_nodes(pr))
        return false;
    text_append(pr->out, "    Bytes   Probes    Own  Function\n");
    for (size_t i = 0; i < pr->probes->nodes.n; i++) {
        uint32_t parent = pr->probes->nodes.data[i].parent;
        if (wanted[i])
            write_tree_row(pr, (uint32_t)i, parent != APF_PROBE_NONE && !wanted[parent]);
    }
    return true;
}
