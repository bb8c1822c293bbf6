/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes the section .pseudo_probe: a forest of functions and the functions inlined into them.
 *
 * Addresses are distances from one probe to the next, in the order of the section; they start at the function's symbol.
 * The file decides the depth of the trees, so they are walked without recursion. */
#include <stdlib.h>

#include "base/cursor.h"
#include "base/error.h"
#include "probe/probe_number.h"
#include "probe/probe_walk.h"

/* A node with inlined functions that are not read yet. */
struct open_node {
    uint32_t node, left;
};

/* An address from a relocation. */
struct literal {
    uint64_t offset, address;
    uint32_t text;
    uint8_t bytes;
};

struct decoder {
    struct probe_reader *reader;
    struct apf_probes *probes;
    struct probe_section *section;
    struct cursor c;
    VEC(struct open_node) open;
    VEC(struct literal) literals; /* by offset */
    size_t next_literal;
    unsigned literal_bytes; /* size of an address without a relocation */
    uint64_t address;       /* of the probe before */
    uint32_t text;          /* section of the code */
    bool placed;            /* the address is known */
    bool lost;              /* the rest of the section is lost */
};

/* ---- errors ---- */

static int report_bad(struct decoder *d, const char *where, uint64_t offset, uint64_t found,
                      uint64_t expected, const char *detail)
{
    struct error_at at = {where, offset, found, expected};
    struct apf_error damage;
    d->lost = true;
    error_set_at(&damage, APF_BAD_PROBES, at, "%s", detail);
    return probe_damage_in(d->reader, d->section, &damage);
}

static int bad_number(struct decoder *d, const char *where, uint64_t offset, enum number_fault fault,
                      unsigned bits)
{
    struct error_at at = {where, offset, d->section->n - offset, d->section->n - offset + 1};
    struct apf_error damage;
    if (fault == NUMBER_NO_MEMORY)
        return error_memory(d->reader->error);
    d->lost = true;
    number_fault_set(&damage, fault, APF_BAD_PROBES, at, bits);
    return probe_damage_in(d->reader, d->section, &damage);
}

/* Counts the bytes since `offset` as this kind. */
static void count_bytes(struct decoder *d, enum apf_probe_bytes kind, uint64_t offset)
{
    d->probes->info.bytes[kind] += cursor_offset(&d->c) - offset;
}

/* Reads a number; after a failure the rest of the section is lost. */
static int read_number(struct decoder *d, const char *where, uint32_t *number)
{
    uint64_t at = cursor_offset(&d->c);
    enum number_fault fault = probe_read_number(d->probes, d->section, &d->c, number);
    return fault == NUMBER_FINE ? APF_OK : bad_number(d, where, at, fault, 32);
}

/* ---- probes ---- */

/* The relocation at an offset; NULL: none. Offsets must ascend from call to call. */
static const struct literal *literal_at(struct decoder *d, uint64_t offset)
{
    while (d->next_literal < d->literals.n && d->literals.data[d->next_literal].offset < offset)
        d->next_literal++;
    bool here = d->next_literal < d->literals.n && d->literals.data[d->next_literal].offset == offset;
    return here ? &d->literals.data[d->next_literal] : NULL;
}

/* Reads a literal address of LLVM 13 to 15. Every LLVM reads 8 bytes, but those writers wrote the size of a pointer. */
static int read_literal(struct decoder *d)
{
    uint64_t at = cursor_offset(&d->c), left = cursor_left(&d->c);
    const struct literal *l = literal_at(d, at);
    unsigned bytes = l ? l->bytes : d->literal_bytes;
    uint64_t value = bytes == 8 ? cursor_u64(&d->c) : cursor_u32(&d->c);
    if (d->c.failed)
        return report_bad(d, "pseudo_probe.probe.address", at, left, bytes,
                          "the section ends within an address");
    d->address = l ? l->address : value;
    d->text = l ? l->text : d->text;
    d->placed = true;
    if (!d->probes->info.old_encoding)
        d->probes->chained_from = (uint32_t)d->probes->nodes.n;
    d->probes->info.old_encoding = 1;
    d->probes->info.literal_bytes = bytes;
    return APF_OK;
}

static int read_distance(struct decoder *d)
{
    uint64_t at = cursor_offset(&d->c);
    int64_t distance = 0;
    enum number_fault fault = probe_read_distance(d->probes, d->section, &d->c, &distance);
    if (fault != NUMBER_FINE)
        return bad_number(d, "pseudo_probe.probe.distance", at, fault, 64);
    d->address += (uint64_t)distance; /* wraps, as LLVM's does */
    return APF_OK;
}

/* Reads a sentinel: the GUID of the symbol of the code. It is no probe, but the section counts it as one. */
static int read_sentinel(struct decoder *d, struct probe_sentinel *sentinel)
{
    uint64_t at = cursor_offset(&d->c), left = cursor_left(&d->c), before = d->address;
    d->probes->info.n_sentinels++;
    if (sentinel->packed & PROBE_IS_DISTANCE) { /* LLVM never writes this; the distance moves the address */
        int code = read_distance(d);
        sentinel->guid = d->address - before;
        return code;
    }
    sentinel->guid = cursor_u64(&d->c);
    if (d->c.failed)
        return report_bad(d, "pseudo_probe.sentinel.guid", at, left, 8, "the section ends within a GUID");
    const struct probe_symbol *symbol = probe_find_symbol(d->probes, sentinel->guid, d->section->text);
    d->probes->nodes.data[sentinel->node].symbol = sentinel->guid;
    d->address = symbol ? symbol->address : sentinel->guid;
    d->placed = symbol != NULL;
    if (symbol)
        d->text = symbol->section;
    return APF_OK;
}

static int read_discriminator(struct decoder *d, uint8_t attributes, uint32_t *discriminator)
{
    if (d->lost || !(attributes & APF_PROBE_ATTRIBUTE_DISCRIMINATOR))
        return APF_OK;
    return read_number(d, "pseudo_probe.probe.discriminator", discriminator);
}

static int add_sentinel(struct decoder *d, const struct apf_probe *probe, uint8_t packed)
{
    struct probe_sentinel sentinel = {.offset = probe->offset,
                                      .next = (uint32_t)d->probes->probes.n,
                                      .node = probe->node,
                                      .id = probe->id,
                                      .packed = packed};
    int code = probe_check_limit(d->reader, "pseudo_probe.sentinels", d->probes->sentinels.n,
                                 d->reader->max_records);
    if (code == APF_OK)
        code = read_sentinel(d, &sentinel);
    if (code == APF_OK)
        code = read_discriminator(d, probe->attributes, &sentinel.discriminator);
    if (code != APF_OK || d->lost)
        return code;
    return VEC_PUSH(&d->probes->sentinels, sentinel) ? APF_OK : error_memory(d->reader->error);
}

static int add_probe(struct decoder *d, struct apf_probe *probe, bool is_distance)
{
    uint64_t at = cursor_offset(&d->c);
    int code = is_distance ? read_distance(d) : read_literal(d);
    count_bytes(d, is_distance ? APF_PROBE_BYTES_DISTANCES : APF_PROBE_BYTES_ADDRESSES, at);
    at = cursor_offset(&d->c);
    if (code == APF_OK)
        code = read_discriminator(d, probe->attributes, &probe->discriminator);
    count_bytes(d, APF_PROBE_BYTES_DISCRIMINATORS, at);
    if (code != APF_OK || d->lost)
        return code;
    probe->address = d->address;
    probe->flags =
        (uint8_t)((is_distance ? 0 : APF_PROBE_FLAG_LITERAL) | (d->placed ? 0 : APF_PROBE_FLAG_UNPLACED));
    code = probe_check_limit(d->reader, "pseudo_probe.probes", d->probes->probes.n, d->reader->max_records);
    if (code != APF_OK)
        return code;
    return VEC_PUSH(&d->probes->probes, *probe) ? APF_OK : error_memory(d->reader->error);
}

static int read_probe(struct decoder *d, uint32_t node)
{
    struct apf_probe probe = {.offset = cursor_offset(&d->c), .node = node};
    int code = read_number(d, "pseudo_probe.probe.index", &probe.id);
    if (code != APF_OK || d->lost)
        return code;
    uint64_t at = cursor_offset(&d->c);
    uint8_t packed = cursor_u8(&d->c);
    if (d->c.failed)
        return report_bad(d, "pseudo_probe.probe.type", at, 0, 1, "the section ends within a probe");
    probe.type = packed & PROBE_TYPE_BITS;
    probe.attributes = (uint8_t)((packed & PROBE_ATTRIBUTE_BITS) >> PROBE_ATTRIBUTE_SHIFT);
    if (probe.attributes & APF_PROBE_ATTRIBUTE_SENTINEL) {
        code = add_sentinel(d, &probe, packed);
        count_bytes(d, APF_PROBE_BYTES_SENTINELS, probe.offset);
        return code;
    }
    d->probes->info.bytes[APF_PROBE_BYTES_INDEXES] += at - probe.offset;
    d->probes->info.bytes[APF_PROBE_BYTES_TYPES]++;
    return add_probe(d, &probe, (packed & PROBE_IS_DISTANCE) != 0);
}

/* ---- functions ---- */

#define LEAST_PROBE 3u /* bytes: index, type, distance */
#define LEAST_NODE 11u /* call probe, GUID, both counts */

static int read_count(struct decoder *d, const char *where, uint64_t least, uint32_t *count)
{
    uint64_t at = cursor_offset(&d->c);
    int code = read_number(d, where, count);
    if (code == APF_OK && !d->lost && *count > cursor_left(&d->c) / least)
        return report_bad(d, where, at, *count, cursor_left(&d->c) / least,
                          "more items than fit in the section");
    return code;
}

/* Sets the start of the code of a top-level record. In the old encoding all addresses follow from a stored one. */
static void place_record(struct decoder *d, uint32_t node, uint64_t guid)
{
    if (probe_is_chained(d->probes, node))
        return;
    const struct probe_symbol *symbol = probe_find_symbol(d->probes, guid, d->section->text);
    d->placed = symbol != NULL;
    d->text = symbol ? symbol->section : d->section->text;
    d->address = probe_start(d->probes, symbol, d->address);
}

/* Reads a node up to its probes; n_children is its number of inlined functions for now. */
static int read_head(struct decoder *d, struct apf_probe_node *node)
{
    int code = node->parent == APF_PROBE_NONE
                   ? APF_OK
                   : read_number(d, "pseudo_probe.function.call_probe", &node->call_probe);
    if (code != APF_OK || d->lost)
        return code;
    count_bytes(d, APF_PROBE_BYTES_CALL_SITES, node->offset);
    uint64_t at = cursor_offset(&d->c), left = cursor_left(&d->c);
    node->guid = cursor_u64(&d->c);
    count_bytes(d, APF_PROBE_BYTES_GUIDS, at);
    if (d->c.failed)
        return report_bad(d, "pseudo_probe.function.guid", at, left, 8, "the section ends within a function");
    at = cursor_offset(&d->c);
    code = read_count(d, "pseudo_probe.function.num_probes", LEAST_PROBE, &node->n_probes);
    if (code == APF_OK &&
        !d->lost) /* the probes stand before the inlined functions, whose number is the second count */
        code = read_count(d, "pseudo_probe.function.num_inlined", LEAST_NODE, &node->n_children);
    count_bytes(d, APF_PROBE_BYTES_COUNTS, at);
    return code;
}

static int read_node(struct decoder *d, uint32_t parent)
{
    struct apf_probes *p = d->probes;
    struct apf_probe_node node = {.parent = parent, .section = d->section->index};
    uint32_t number = (uint32_t)p->nodes.n;
    node.offset = cursor_offset(&d->c);
    node.first_probe = (uint32_t)p->probes.n;
    node.depth = (uint32_t)d->open.n;
    int code = read_head(d, &node);
    if (code != APF_OK || d->lost)
        return code;
    code = probe_check_limit(d->reader, "pseudo_probe.functions", p->nodes.n, d->reader->max_records);
    if (code == APF_OK)
        code = probe_check_limit(d->reader, "pseudo_probe.depth", d->open.n, d->reader->max_depth);
    if (code != APF_OK)
        return code;
    uint32_t n_probes = node.n_probes;
    struct open_node open = {number, node.n_children};
    node.n_probes = node.n_children = 0;
    if (!VEC_PUSH(&p->nodes, node) || !VEC_PUSH(&d->open, open))
        return error_memory(d->reader->error);
    if (parent == APF_PROBE_NONE) {
        p->info.n_records++;
        place_record(d, number, node.guid);
    } else {
        p->nodes.data[parent].n_children++;
    }
    for (uint32_t i = 0; code == APF_OK && !d->lost && i < n_probes; i++)
        code = read_probe(d, number);
    p->nodes.data[number].n_probes = (uint32_t)(p->probes.n - node.first_probe);
    p->nodes.data[number].text = p->info.relocatable ? d->text : 0;
    return code;
}

/* Closes nodes that are complete. */
static void close_nodes(struct decoder *d, bool all)
{
    while (d->open.n && (all || d->open.data[d->open.n - 1].left == 0)) {
        struct apf_probe_node *node = &d->probes->nodes.data[d->open.data[--d->open.n].node];
        node->size = cursor_offset(&d->c) - node->offset;
        node->n_nodes = (uint32_t)(d->probes->nodes.n - (size_t)(node - d->probes->nodes.data));
    }
}

static int read_record(struct decoder *d)
{
    int code = read_node(d, APF_PROBE_NONE);
    close_nodes(d, false);
    while (code == APF_OK && !d->lost && d->open.n) {
        struct open_node *last = &d->open.data[d->open.n - 1];
        last->left--;
        code = read_node(d, last->node);
        close_nodes(d, false);
    }
    close_nodes(d, true); /* nodes that damage has cut */
    return code;
}

/* ---- relocations ---- */

static int record_relocation(void *user, const struct elf_relocation *r)
{
    struct decoder *d = user;
    struct literal l = {r->offset, r->value + (uint64_t)r->addend, r->section,
                        d->probes->info.elf_bits == 64 ? 8 : 4};
    if (r->in_place && r->offset <= d->section->n && d->section->n - r->offset >= l.bytes) {
        const uint8_t *p = d->section->data + r->offset;
        l.address += l.bytes == 8 ? load64(p, d->probes->swap) : load32(p, d->probes->swap);
    }
    return VEC_PUSH(&d->literals, l) ? 0 : APF_NO_MEMORY;
}

static bool offset_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct literal *)a)->offset < ((const struct literal *)b)->offset;
}

static int read_relocations(struct decoder *d)
{
    if (!d->section->relocations)
        return APF_OK;
    struct apf_error failure;
    int code = elf_file_relocations(d->probes->elf, d->section->relocations, record_relocation, d, &failure);
    if (code != APF_OK)
        code = probe_damage_of_file(d->reader, &failure);
    size_t n = d->literals.n;
    if (code != APF_OK)
        return code;
    if (!VEC_RESERVE(&d->literals, n))
        return error_memory(d->reader->error);
    if (n)
        sort_merge(d->literals.data, d->literals.data + n, n, sizeof *d->literals.data, offset_before, NULL);
    return APF_OK;
}

/* ---- the section ---- */

/* The entries that a section adds to the model; removed before it is decoded again. */
struct extent {
    size_t nodes, probes, sentinels, paddings;
    struct apf_probes_info info;
};

static struct extent extent_of(const struct apf_probes *p)
{
    struct extent e = {p->nodes.n, p->probes.n, p->sentinels.n, p->paddings.n, p->info};
    return e;
}

static void give_back(struct apf_probes *p, const struct extent *e)
{
    p->nodes.n = e->nodes;
    p->probes.n = e->probes;
    p->sentinels.n = e->sentinels;
    p->paddings.n = e->paddings;
    p->info = e->info;
}

static int read_once(struct probe_reader *r, struct probe_section *section, unsigned literal_bytes)
{
    struct decoder d = {.reader = r, .probes = r->probes, .section = section, .literal_bytes = literal_bytes};
    d.text = section->text;
    d.c = cursor_make(section->data, section->n, r->probes->swap);
    section->first = r->probes->nodes.n;
    int code = read_relocations(&d);
    while (code == APF_OK && !d.lost && cursor_left(&d.c))
        code = read_record(&d);
    section->count = r->probes->nodes.n - section->first;
    VEC_FREE(&d.open);
    VEC_FREE(&d.literals);
    return code;
}

/* Decodes a section on trial. Damage is not reported; error->offset is its offset. */
static int try_read(const struct probe_reader *r, struct probe_section *section, unsigned literal_bytes,
                    struct apf_error *error)
{
    struct probe_reader quiet = *r;
    quiet.keep_going = false;
    quiet.error = error;
    return read_once(&quiet, section, literal_bytes);
}

/* LLVM 13 to 15 wrote literal addresses of 4 bytes for 32-bit targets, and their own readers read 8. In an executable,
 * without relocations, a section that can be decoded only with 4 bytes has such addresses. If neither size works, the
 * one that gets further is right: the other one fails at the first literal address. */
static int read_guessing(struct probe_reader *r, struct probe_section *section)
{
    struct extent before = extent_of(r->probes);
    struct apf_error narrow, wide;
    int code = try_read(r, section, 4, &narrow);
    if (code == APF_OK)
        return code;
    give_back(r->probes, &before);
    if (code != APF_NO_MEMORY)
        code = try_read(r, section, 8, &wide);
    if (code == APF_OK)
        return code;
    give_back(r->probes, &before);
    if (code == APF_NO_MEMORY)
        return error_memory(r->error);
    return read_once(r, section, narrow.offset >= wide.offset ? 4 : 8);
}

int probe_read_section(struct probe_reader *r, struct probe_section *section)
{
    bool known = r->probes->info.elf_bits != 32 || r->probes->info.relocatable;
    return known ? read_once(r, section, 8) : read_guessing(r, section);
}
