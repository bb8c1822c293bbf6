/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/disassembly_text.h"

#include "object/canonical_name.h"
#include "probe/probe_print.h"

static void write_name(struct listing_text *t, const char *name)
{
    struct apf_str s = {name, strlen(name)};
    text_name(t->out, s);
}

struct apf_str listing_name(const struct listing_text *t, struct apf_str name)
{
    return t->canonical ? canonical_name(name) : name;
}

/* Writes the name of a function, or its GUID if the name is unknown. */
static void write_function(struct listing_text *t, uint64_t guid)
{
    struct apf_str name = apf_probes_name(t->probes, guid);
    if (name.n)
        name_budget_write(&t->names, t->out, name, guid);
    else
        text_decimal(t->out, guid, 0);
}

/* ---- headings ---- */

void listing_descs(struct listing_text *t)
{
    text_append(t->out, "Pseudo Probe Desc:\n");
    for (size_t i = 0; i < t->probes->descs.n; i++) {
        const struct apf_probe_desc *desc = &t->probes->descs.data[i];
        text_append(t->out, "GUID: ");
        text_decimal(t->out, desc->guid, 0);
        text_append(t->out, " Name: ");
        text_function(t->out, desc->name);
        text_append(t->out, "\nHash: ");
        text_decimal(t->out, desc->hash, 0);
        text_append(t->out, "\n");
    }
}

void listing_file(struct listing_text *t, const char *name)
{
    text_append(t->out, "\nDisassembly of ");
    write_name(t, name);
    text_append(t->out, ":\n");
}

void listing_section(struct listing_text *t, const struct elf_section *section)
{
    text_append(t->out, "\nDisassembly of section ");
    write_name(t, section->name);
    text_append(t->out, " [0x");
    text_hex(t->out, section->address, 0);
    text_append(t->out, ", 0x");
    text_hex(t->out, section->address + section->size, 0);
    text_append(t->out, "]:\n\n");
}

void listing_label(struct listing_text *t, const char *name)
{
    struct apf_str whole = {name, strlen(name)};
    text_append(t->out, "<");
    text_function(t->out, listing_name(t, whole));
    text_append(t->out, ">:\n");
}

void listing_end_label(struct listing_text *t)
{
    text_append(t->out, "\n");
}

/* ---- probes ---- */

#define MOST_FRAMES 256u /* of a context; outer frames are left out */

static void write_context(struct listing_text *t, uint32_t node)
{
    const struct apf_probe_node *nodes = t->probes->nodes.data;
    uint32_t frames[MOST_FRAMES], n = 0;
    if (nodes[node].depth)
        text_append(t->out, "Inlined:");
    for (; n < MOST_FRAMES && nodes[node].parent != APF_PROBE_NONE; node = nodes[node].parent)
        frames[n++] = node;
    if (nodes[node].depth) {
        text_append(t->out, " @ ... ");
        text_decimal(t->out, nodes[node].depth, 0);
        text_append(t->out, " more");
    }
    while (n-- > 0) {
        text_append(t->out, " @ ");
        write_function(t, nodes[nodes[frames[n]].parent].guid);
        text_append(t->out, ":");
        text_decimal(t->out, nodes[frames[n]].call_probe, 0);
    }
}

void listing_probe(struct listing_text *t, const struct apf_probe *probe)
{
    const char *type = probe_type_name(probe->type);
    text_append(t->out, " [Probe]:\tFUNC: ");
    write_function(t, t->probes->nodes.data[probe->node].guid);
    text_append(t->out, " Index: ");
    text_decimal(t->out, probe->id, 0);
    if (probe->discriminator) {
        text_append(t->out, "  Discriminator: ");
        text_decimal(t->out, probe->discriminator, 0);
    }
    text_append(t->out, "  Type: ");
    if (type)
        text_append(t->out, type);
    else
        text_decimal(t->out, probe->type, 0);
    text_append(t->out, "  ");
    write_context(t, probe->node);
    text_append(t->out, "\n");
}

/* ---- instructions ---- */

void listing_instruction(struct listing_text *t, uint64_t address, const struct instruction *instruction,
                         size_t *columns)
{
    static const char unknown[] = "\t<unknown>";
    text_hex(t->out, address, 8);
    text_append(t->out, ":");
    if (!instruction->mnemonic) {
        text_append(t->out, unknown);
        *columns = sizeof unknown - 1;
        return;
    }
    size_t mnemonic = strlen(instruction->mnemonic), operands = strlen(instruction->operands);
    text_append(t->out, "\t");
    (void)file_out_write(t->out, instruction->mnemonic, mnemonic);
    if (operands)
        text_append(t->out, "\t");
    (void)file_out_write(t->out, instruction->operands, operands);
    *columns = 1 + mnemonic + (operands != 0) + operands;
}

void listing_end_instruction(struct listing_text *t)
{
    t->failed |= !file_out_write(t->out, "\n", 1);
}

/* The number of the call's probe, which clang stores in the discriminator. */
static uint32_t probe_of(uint32_t discriminator)
{
    const uint32_t with_base = (uint32_t)1 << 28; /* a DWARF discriminator has the upper bits */
    return discriminator >> 3 & (discriminator & with_base ? 0x1fff : 0xffff);
}

static void write_location(struct listing_text *t, const struct source_frame *frame)
{
    struct apf_str name = name_budget_text(&t->names, frame->function);
    name_budget_write(&t->names, t->out, listing_name(t, name), 0);
    text_append(t->out, ":");
    if (t->with_probes) {
        text_decimal(t->out, probe_of(frame->discriminator), 0);
        return;
    }
    text_decimal(t->out, (frame->line - frame->first_line) & 0xffff, 0);
    if (frame->discriminator) {
        text_append(t->out, ".");
        text_decimal(t->out, frame->discriminator, 0);
    }
}

#define LOCATION_COLUMN 40u

void listing_locations(struct listing_text *t, const struct source_frame *frames, size_t n, size_t columns)
{
    size_t first = n; /* frames inlined into a function without a name are left out with it */
    while (first && frames[first - 1].function && frames[first - 1].function[0])
        first--;
    if (columns < LOCATION_COLUMN)
        text_blanks(t->out, LOCATION_COLUMN - columns);
    for (size_t i = first; i < n; i++) {
        if (i > first)
            text_append(t->out, " @ ");
        write_location(t, &frames[i]);
    }
}
