/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/disassembly_text.h"

#include <string.h>

/* ---- bytes ---- */

static void put(struct listing_text *t, const char *p, size_t n)
{
    t->failed |= !file_out_write(t->out, p, n);
}

#define PUT(t, literal) put(t, literal, sizeof literal - 1)

static void put_text(struct listing_text *t, const char *text)
{
    put(t, text, strlen(text));
}

#define MOST_DIGITS 20u

static void put_number(struct listing_text *t, uint64_t number)
{
    char digits[MOST_DIGITS];
    unsigned at = MOST_DIGITS;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    put(t, digits + at, MOST_DIGITS - at);
}

#define MOST_HEX 16u

/* At least `width` characters, filled up with blanks in front. */
static void put_hex(struct listing_text *t, uint64_t number, unsigned width)
{
    char digits[MOST_HEX];
    unsigned at = MOST_HEX;
    do
        digits[--at] = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    while (MOST_HEX - at < width)
        digits[--at] = ' ';
    put(t, digits + at, MOST_HEX - at);
}

/* A function whose name nothing tells is its GUID. */
static void put_function(struct listing_text *t, uint64_t guid)
{
    struct apf_str name = apf_probes_name(t->probes, guid);
    if (name.n)
        put(t, name.p, name.n);
    else
        put_number(t, guid);
}

/* ---- headings ---- */

void listing_descs(struct listing_text *t)
{
    PUT(t, "Pseudo Probe Desc:\n");
    for (size_t i = 0; i < t->probes->descs.n && !t->failed; i++) {
        const struct apf_probe_desc *desc = &t->probes->descs.data[i];
        PUT(t, "GUID: ");
        put_number(t, desc->guid);
        PUT(t, " Name: ");
        put(t, desc->name.p, desc->name.n);
        PUT(t, "\nHash: ");
        put_number(t, desc->hash);
        PUT(t, "\n");
    }
}

void listing_file(struct listing_text *t, const char *name)
{
    PUT(t, "\nDisassembly of ");
    put_text(t, name);
    PUT(t, ":\n");
}

void listing_section(struct listing_text *t, const struct elf_section *section)
{
    PUT(t, "\nDisassembly of section ");
    put_text(t, section->name);
    PUT(t, " [0x");
    put_hex(t, section->address, 0);
    PUT(t, ", 0x");
    put_hex(t, section->address + section->size, 0);
    PUT(t, "]:\n\n");
}

void listing_label(struct listing_text *t, const char *name)
{
    PUT(t, "<");
    put_text(t, name);
    PUT(t, ">:\n");
}

void listing_end_label(struct listing_text *t)
{
    PUT(t, "\n");
}

/* ---- probes ---- */

static bool find_path(struct listing_text *t, uint32_t node)
{
    if (t->path_node == node)
        return true;
    t->path.n = 0;
    t->path_node = APF_PROBE_NONE;
    for (uint32_t n = node; t->probes->nodes.data[n].parent != APF_PROBE_NONE;
         n = t->probes->nodes.data[n].parent)
        if (!VEC_PUSH(&t->path, n))
            return false;
    t->path_node = node;
    return true;
}

static void put_type(struct listing_text *t, uint8_t type)
{
    static const char *const names[] = {"Block", "IndirectCall", "DirectCall"};
    if (type < sizeof names / sizeof *names)
        put_text(t, names[type]);
    else
        put_number(t, type);
}

bool listing_probe(struct listing_text *t, const struct apf_probe *probe)
{
    if (!find_path(t, probe->node))
        return false;
    PUT(t, " [Probe]:\tFUNC: ");
    put_function(t, t->probes->nodes.data[probe->node].guid);
    PUT(t, " Index: ");
    put_number(t, probe->id);
    if (probe->discriminator) {
        PUT(t, "  Discriminator: ");
        put_number(t, probe->discriminator);
    }
    PUT(t, "  Type: ");
    put_type(t, probe->type);
    PUT(t, "  ");
    if (t->path.n)
        PUT(t, "Inlined:");
    for (size_t i = t->path.n; i-- > 0;) { /* outermost first */
        const struct apf_probe_node *node = &t->probes->nodes.data[t->path.data[i]];
        PUT(t, " @ ");
        put_function(t, t->probes->nodes.data[node->parent].guid);
        PUT(t, ":");
        put_number(t, node->call_probe);
    }
    PUT(t, "\n");
    return true;
}

/* ---- instructions ---- */

void listing_instruction(struct listing_text *t, uint64_t address, const struct instruction *instruction,
                         size_t *columns)
{
    static const char unknown[] = "\t<unknown>";
    put_hex(t, address, 8);
    PUT(t, ":");
    if (!instruction->mnemonic) {
        PUT(t, unknown);
        *columns = sizeof unknown - 1;
        return;
    }
    size_t mnemonic = strlen(instruction->mnemonic), operands = strlen(instruction->operands);
    PUT(t, "\t");
    put(t, instruction->mnemonic, mnemonic);
    if (operands)
        PUT(t, "\t");
    put(t, instruction->operands, operands);
    *columns = 1 + mnemonic + (operands != 0) + operands;
}

void listing_end_instruction(struct listing_text *t)
{
    PUT(t, "\n");
}

/* The number of the call's probe that clang puts into the discriminator; see docs/formats/pseudo-probe.md. */
static uint32_t probe_of(uint32_t discriminator)
{
    const uint32_t with_base = (uint32_t)1 << 28;
    return discriminator >> 3 & (discriminator & with_base ? 0x1fff : 0xffff);
}

static void put_location(struct listing_text *t, const struct source_frame *frame)
{
    put_text(t, frame->function);
    PUT(t, ":");
    if (t->with_probes) {
        put_number(t, probe_of(frame->discriminator));
        return;
    }
    put_number(t, (frame->line - frame->first_line) & 0xffff);
    if (frame->discriminator) {
        PUT(t, ".");
        put_number(t, frame->discriminator);
    }
}

#define LOCATION_COLUMN 40u

void listing_locations(struct listing_text *t, const struct source_frame *frames, size_t n, size_t columns)
{
    static const char blanks[LOCATION_COLUMN + 1] = "                                        ";
    size_t first = n; /* what is inlined into a function without a name is left out with it */
    while (first && frames[first - 1].function && frames[first - 1].function[0])
        first--;
    if (columns < LOCATION_COLUMN)
        put(t, blanks, LOCATION_COLUMN - columns);
    for (size_t i = first; i < n; i++) {
        if (i > first)
            PUT(t, " @ ");
        put_location(t, &frames[i]);
    }
}
