/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes sections unchanged from the model. */
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/leb128.h"
#include "base/search.h"
#include "probe/probe_walk.h"

/* The section that is written. */
struct section_writer {
    const struct apf_probes *probes;
    const struct probe_section *section;
    struct probe_walk walk;
    struct apf_buffer out;
    size_t padding, paddings_end, sentinel; /* the next of each */
    bool no_memory;
};

static void write_bytes(struct section_writer *w, const void *p, size_t n)
{
    w->no_memory |= apf_buffer_write(&w->out, p, n) != 0;
}

static void write_u64(struct section_writer *w, uint64_t v)
{
    uint8_t bytes[8];
    store64(bytes, v, w->probes->swap);
    write_bytes(w, bytes, sizeof bytes);
}

static void write_literal(struct section_writer *w, uint64_t v)
{
    uint8_t bytes[4];
    if (w->probes->info.literal_bytes == 8) {
        write_u64(w, v);
        return;
    }
    store32(bytes, (uint32_t)v, w->probes->swap);
    write_bytes(w, bytes, sizeof bytes);
}

/* Writes a number with its original padding; `fill` is the byte of the padding. */
static void write_padded(struct section_writer *w, uint8_t *bytes, size_t n, uint8_t fill)
{
    const struct apf_probes *p = w->probes;
    while (w->padding < w->paddings_end && p->paddings.data[w->padding].offset < w->out.n)
        w->padding++;
    size_t want = n;
    if (w->padding < w->paddings_end && p->paddings.data[w->padding].offset == w->out.n)
        want = p->paddings.data[w->padding].bytes;
    for (; n < want; n++) {
        bytes[n - 1] |= 0x80;
        bytes[n] = fill;
        if (n + 1 == ULEB128_MAX + 1) { /* longer than any number: written in pieces */
            write_bytes(w, bytes, n);
            bytes[0] = fill;
            want -= n;
            n = 0;
        }
    }
    write_bytes(w, bytes, n);
}

static void write_number(struct section_writer *w, uint32_t v)
{
    uint8_t bytes[ULEB128_MAX + 2];
    write_padded(w, bytes, uleb128_store(bytes, v), 0);
}

static void write_distance(struct section_writer *w, int64_t v)
{
    uint8_t bytes[SLEB128_MAX + 2];
    write_padded(w, bytes, sleb128_store(bytes, v), v < 0 ? 0x7f : 0);
}

static void write_sentinel(struct section_writer *w, const struct probe_sentinel *s)
{
    write_number(w, s->id);
    write_bytes(w, &s->packed, 1);
    if (s->packed & PROBE_IS_DISTANCE)
        write_distance(w, (int64_t)s->guid);
    else
        write_u64(w, s->guid);
    probe_walk_sentinel(&w->walk, s);
    if (s->packed >> PROBE_ATTRIBUTE_SHIFT & APF_PROBE_ATTRIBUTE_DISCRIMINATOR)
        write_number(w, s->discriminator);
}

static void write_probe(struct section_writer *w, const struct apf_probe *probe)
{
    bool literal = (probe->flags & APF_PROBE_FLAG_LITERAL) != 0;
    uint8_t packed = (uint8_t)(probe->type | (uint32_t)probe->attributes << PROBE_ATTRIBUTE_SHIFT |
                               (literal ? 0 : PROBE_IS_DISTANCE));
    int64_t distance = probe_walk_probe(&w->walk, probe);
    write_number(w, probe->id);
    write_bytes(w, &packed, 1);
    if (literal)
        write_literal(w, probe->address);
    else
        write_distance(w, distance);
    if (probe->attributes & APF_PROBE_ATTRIBUTE_DISCRIMINATOR)
        write_number(w, probe->discriminator);
}

/* The number of sentinels of the next node. */
static uint32_t count_sentinels(const struct section_writer *w, uint32_t node)
{
    const struct apf_probes *p = w->probes;
    size_t i = w->sentinel;
    while (i < p->sentinels.n && p->sentinels.data[i].node == node)
        i++;
    return (uint32_t)(i - w->sentinel);
}

static void write_sentinels(struct section_writer *w, uint32_t node, uint32_t before)
{
    const struct apf_probes *p = w->probes;
    for (; w->sentinel < p->sentinels.n; w->sentinel++) {
        const struct probe_sentinel *s = &p->sentinels.data[w->sentinel];
        if (s->node != node || s->next > before)
            return;
        write_sentinel(w, s);
    }
}

static void write_node(struct section_writer *w, uint32_t number)
{
    const struct apf_probes *p = w->probes;
    const struct apf_probe_node *node = &p->nodes.data[number];
    if (node->parent != APF_PROBE_NONE)
        write_number(w, node->call_probe);
    else
        probe_walk_record(&w->walk, number);
    write_u64(w, node->guid);
    write_number(w, node->n_probes + count_sentinels(w, number));
    write_number(w, node->n_children);
    uint32_t end = node->first_probe + node->n_probes;
    for (uint32_t i = node->first_probe; i < end; i++) {
        write_sentinels(w, number, i);
        write_probe(w, &p->probes.data[i]);
    }
    write_sentinels(w, number, end);
}

static void write_descs(struct section_writer *w)
{
    const struct apf_probes *p = w->probes;
    for (size_t i = w->section->first; i < w->section->first + w->section->count; i++) {
        const struct apf_probe_desc *desc = &p->descs.data[p->desc_places ? p->desc_places[i] : i];
        write_u64(w, desc->guid);
        write_u64(w, desc->hash);
        write_number(w, (uint32_t)desc->name.n);
        write_bytes(w, desc->name.p, desc->name.n);
    }
}

/* ---- where a section's things begin ---- */

/* The first padding of a section or a later one. */
static size_t first_padding(const struct apf_probes *p, bool in_descs, uint64_t section)
{
    const struct probe_padding *list = p->paddings.data;
    size_t at;
    SEARCH(at, 0, p->paddings.n,
           list[at].in_descs != in_descs ? list[at].in_descs : list[at].section < section);
    return at;
}

/* The first sentinel of a node or a later one. */
static size_t first_sentinel(const struct apf_probes *p, size_t node)
{
    size_t low;
    SEARCH(low, 0, p->sentinels.n, p->sentinels.data[low].node < node);
    return low;
}

/* ---- the public functions ---- */

int apf_probes_write_section(const struct apf_probes *p, uint32_t section, const struct apf_output *output,
                             struct apf_error *error)
{
    struct section_writer w = {.probes = p, .section = probe_section_with(p, section)};
    if (!w.section)
        return error_plain(error, APF_ARGUMENT, "probes.section", "no probe section has that number");
    if (!w.section->has_descs && p->info.old_encoding && p->info.relocatable)
        return error_plain(error, APF_UNSUPPORTED, "probes.section",
                           "its addresses are relocations, as LLVM 13 to 15 wrote them");
    w.walk.probes = p;
    w.walk.section = w.section;
    w.padding = first_padding(p, w.section->has_descs, section);
    w.paddings_end = first_padding(p, w.section->has_descs, (uint64_t)section + 1);
    if (w.section->has_descs)
        write_descs(&w);
    else
        w.sentinel = first_sentinel(p, w.section->first);
    for (size_t i = 0; !w.section->has_descs && i < w.section->count; i++)
        write_node(&w, (uint32_t)(w.section->first + i));
    int code = w.no_memory ? error_memory(error) : apf_output_write(output, w.out.data, w.out.n, error);
    apf_buffer_free(&w.out);
    return code;
}

uint32_t apf_probes_section(const struct apf_probes *p, size_t i)
{
    return i < p->sections.n ? p->sections.data[p->section_order[i]].index : APF_PROBE_NONE;
}
