/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Extbinary: a table of sections, and the sections. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"
#include "base/endian.h"
#include "base/error.h"
#include "sample/binary/sample_plan_write.h"
#include "sample/layout/sample_layout.h"

/* ---- layouts ---- */

#define MOST_SECTIONS 8u

struct ext_layout {
    unsigned n;
    struct {
        uint8_t type;
        bool flat; /* of the functions in which nothing is inlined */
    } table[MOST_SECTIONS];
    uint8_t order[MOST_SECTIONS]; /* the places in the table of the sections in the order of the file */
    bool split;
};

#define SUMMARY {SAMPLE_SECTION_SUMMARY, false}
#define NAMES {SAMPLE_SECTION_NAMES, false}
#define CONTEXTS {SAMPLE_SECTION_CONTEXTS, false}
#define OFFSETS(flat) {SAMPLE_SECTION_OFFSETS, flat}
#define FUNCTIONS(flat) {SAMPLE_SECTION_FUNCTIONS, flat}
#define SYMBOLS {SAMPLE_SECTION_SYMBOLS, false}
#define METADATA {SAMPLE_SECTION_METADATA, false}

static const struct ext_layout usual = {
    7,
    {SUMMARY, NAMES, CONTEXTS, OFFSETS(false), FUNCTIONS(false), SYMBOLS, METADATA},
    {0, 1, 2, 4, 5, 3, 6},
    false,
};
static const struct ext_layout old = {
    6,
    {SUMMARY, NAMES, OFFSETS(false), FUNCTIONS(false), SYMBOLS, METADATA},
    {0, 1, 3, 4, 2, 5},
    false,
};
static const struct ext_layout split = {
    8,
    {SUMMARY, NAMES, OFFSETS(false), FUNCTIONS(false), OFFSETS(true), FUNCTIONS(true), SYMBOLS, METADATA},
    {0, 1, 3, 2, 5, 4, 6, 7},
    true,
};

static const struct ext_layout *layout_of(enum sample_form form)
{
    return form == SAMPLE_FORM_EXT_SPLIT                                  ? &split
           : form == SAMPLE_FORM_EXT_OLD || form == SAMPLE_FORM_EXT_NAMED ? &old
                                                                          : &usual;
}

struct section {
    uint8_t type;
    bool flat;
    uint64_t flags, offset;
    struct apf_buffer bytes; /* as they are stored */
};

struct ext_writer {
    struct sample_plan *plan;
    const struct ext_layout *layout;
    struct section sections[MOST_SECTIONS];
};

/* ---- sections ---- */

static void write_u64(struct file_out *out, uint64_t v)
{
    store64le(file_out_room(out, sizeof v), v);
    out->p += sizeof v;
}

static void write_hashes(struct sample_plan *plan)
{
    sample_write_number(plan->out, plan->n_names);
    for (size_t i = 0; i < plan->n_names; i++)
        write_u64(plan->out, sample_names_hash(&plan->s->names, plan->names[i]));
}

static void write_frame(struct sample_plan *plan, uint32_t name, uint64_t at)
{
    uint8_t *p = file_out_room(plan->out, (size_t)3 * SAMPLE_NUMBER_MAX);
    p = sample_store(p, plan->order.names[name]);
    p = sample_store(p, sample_place_line(at));
    plan->out->p = sample_store(p, sample_place_discriminator(at));
}

/* Writes the frames of a context, the outermost one first. */
static void write_context(struct sample_plan *plan, uint32_t context)
{
    const struct sample_context *list = plan->s->contexts.list.data;
    sample_write_number(plan->out, (uint64_t)list[context].depth + 1);
    plan->stack.n = 0;
    for (uint32_t c = context; c != SAMPLE_NONE; c = list[c].caller)
        if (!VEC_PUSH(&plan->stack, c)) {
            plan->failed = true;
            return;
        }
    for (size_t i = plan->stack.n; i-- > 0;)
        write_frame(plan, list[plan->stack.data[i]].name, i ? list[plan->stack.data[i - 1]].at : 0);
}

static void write_contexts(struct sample_plan *plan)
{
    sample_write_number(plan->out, plan->n_contexts);
    for (size_t i = 0; i < plan->n_contexts && !plan->failed; i++)
        write_context(plan, plan->contexts_used[i]);
}

/* Whether a function belongs to this one of the sections for functions. */
static bool is_in(const struct ext_writer *w, const struct section *section, size_t top)
{
    return !w->layout->split || (w->plan->s->nodes.data[w->plan->tops[top]].callees.n == 0) == section->flat;
}

static void write_functions(struct ext_writer *w, const struct section *section)
{
    uint64_t base = file_out_position(w->plan->out);
    for (size_t i = 0; i < w->plan->n_tops && !w->plan->failed; i++)
        if (is_in(w, section, i))
            sample_write_function(w->plan, i, base);
}

/* Whether the offsets are in the order of contexts, as LLVM 14 and later read them. */
static bool ordered_offsets(const struct sample_plan *plan)
{
    return plan->contexts && !plan->named_contexts;
}

static void write_offsets(struct ext_writer *w, const struct section *section)
{
    struct sample_plan *plan = w->plan;
    uint64_t n = 0;
    for (size_t i = 0; i < plan->n_tops; i++)
        n += is_in(w, section, i);
    sample_write_number(plan->out, n);
    for (size_t i = 0; i < plan->n_tops; i++) {
        size_t top = ordered_offsets(plan) ? plan->by_key[i] : i;
        if (!is_in(w, section, top))
            continue;
        sample_write_number(plan->out, sample_key(plan, plan->tops[top]));
        sample_write_number(plan->out, plan->offsets[top]);
    }
}

static void write_symbols(struct sample_plan *plan)
{
    for (size_t i = 0; i < plan->s->symbols.n && !plan->options->no_symbols; i++) {
        file_out_write(plan->out, plan->s->symbols.data[i].p, plan->s->symbols.data[i].n);
        file_out_write(plan->out, "", 1);
    }
}

static void write_metadata(struct sample_plan *plan)
{
    for (size_t i = 0; i < plan->n_tops && (plan->probes || plan->attributes) && !plan->failed; i++)
        sample_write_metadata(plan, i);
}

static void write_section(struct ext_writer *w, const struct section *section)
{
    struct sample_plan *plan = w->plan;
    switch (section->type) {
    case SAMPLE_SECTION_SUMMARY:
        sample_write_summary(plan);
        break;
    case SAMPLE_SECTION_NAMES:
        if (plan->md5)
            write_hashes(plan);
        else
            sample_write_names(plan);
        break;
    case SAMPLE_SECTION_CONTEXTS:
        write_contexts(plan);
        break;
    case SAMPLE_SECTION_OFFSETS:
        write_offsets(w, section);
        break;
    case SAMPLE_SECTION_FUNCTIONS:
        write_functions(w, section);
        break;
    case SAMPLE_SECTION_SYMBOLS:
        write_symbols(plan);
        break;
    default:
        write_metadata(plan);
    }
}

/* ---- flags ---- */

static uint64_t summary_flags(const struct sample_plan *plan)
{
    uint32_t have = plan->s->info.flags;
    uint64_t flags = plan->options->partial || have & APF_SAMPLE_PARTIAL ? SAMPLE_SUMMARY_PARTIAL : 0;
    flags |= plan->contexts ? SAMPLE_SUMMARY_CONTEXTS : 0;
    flags |= have & APF_SAMPLE_FS ? SAMPLE_SUMMARY_FS : 0;
    /* LLVM 13, which has contexts as names, has no such flag. */
    bool preinlined = have & APF_SAMPLE_PREINLINED && plan->attributes && !plan->named_contexts;
    flags |= preinlined ? SAMPLE_SUMMARY_PREINLINED : 0;
    return flags | (plan->vtables ? SAMPLE_SUMMARY_VTABLES : 0);
}

static uint64_t section_flags(const struct sample_plan *plan, const struct section *section)
{
    uint64_t flags =
        (plan->options->compress ? SAMPLE_FLAG_COMPRESSED : 0) | (section->flat ? SAMPLE_FLAG_FLAT : 0);
    switch (section->type) {
    case SAMPLE_SECTION_SUMMARY:
        return flags | summary_flags(plan);
    case SAMPLE_SECTION_NAMES:
        return flags | (plan->md5 ? SAMPLE_NAMES_MD5 | SAMPLE_NAMES_FIXED : 0) |
               (plan->unique ? SAMPLE_NAMES_UNIQUE : 0);
    case SAMPLE_SECTION_OFFSETS:
        return flags | (ordered_offsets(plan) ? SAMPLE_OFFSETS_ORDERED : 0);
    case SAMPLE_SECTION_METADATA:
        return flags | (plan->probes ? SAMPLE_METADATA_PROBES : 0) |
               (plan->attributes ? SAMPLE_METADATA_ATTRIBUTES : 0);
    default:
        return flags;
    }
}

/* ---- contents ---- */

/* Writes a section to memory: its size is in the table, which comes first in the file. Writing it twice, first to count
 * its bytes, cost 5 % of the instructions of a merge of 8 profiles; all sections together have a tenth of the bytes of
 * the profile in memory. */
static int write_buffer(struct ext_writer *w, const struct section *section, struct apf_buffer *buffer,
                        struct apf_error *error)
{
    const struct apf_output to = apf_output_buffer(buffer);
    int code = file_out_open(&w->plan->out, &to, error);
    if (code != APF_OK)
        return code;
    write_section(w, section);
    code = file_out_close(w->plan->out, true, error);
    return code == APF_OK && !w->plan->failed ? APF_OK : error_memory(error);
}

/* Compresses the bytes of a section: their size, their compressed size, and a zlib stream. An empty section stays
 * empty. */
static int pack_section(struct section *section, struct apf_error *error)
{
    struct apf_buffer whole = section->bytes;
    if (whole.n == 0)
        return APF_OK;
    size_t room = deflate_bound(whole.n), head = (size_t)2 * SAMPLE_NUMBER_MAX;
    uint8_t *data = malloc(head + room);
    if (!data || !deflate_compress(whole.data, whole.n, data + head, &room)) {
        free(data);
        return error_memory(error);
    }
    uint8_t *end = sample_store(sample_store(data, whole.n), room);
    memmove(end, data + head, room);
    section->bytes.data = data;
    section->bytes.n = (size_t)(end - data) + room;
    apf_buffer_free(&whole);
    return APF_OK;
}

/* Writes the sections to memory in the order of the file: offsets follow the functions that they belong to. */
static int fill_sections(struct ext_writer *w, struct apf_error *error)
{
    uint64_t at = SAMPLE_MAGIC_BYTES + 1 + sizeof at + (uint64_t)w->layout->n * SAMPLE_SECTION_ENTRY;
    int code = APF_OK;
    for (unsigned i = 0; code == APF_OK && i < w->layout->n; i++) {
        struct section *section = &w->sections[w->layout->order[i]];
        code = write_buffer(w, section, &section->bytes, error);
        if (code == APF_OK && w->plan->options->compress)
            code = pack_section(section, error);
        section->offset = at;
        at += section->bytes.n;
    }
    return code;
}

/* ---- the file ---- */

static void write_table(const struct ext_writer *w)
{
    struct file_out *out = w->plan->out;
    sample_write_magic(w->plan, SAMPLE_MAGIC_EXTBINARY);
    write_u64(out, w->layout->n);
    for (unsigned i = 0; i < w->layout->n; i++) {
        const struct section *section = &w->sections[i];
        write_u64(out, section->type);
        write_u64(out, section->flags);
        write_u64(out, section->offset);
        write_u64(out, section->bytes.n);
    }
}

static void write_file(struct ext_writer *w)
{
    write_table(w);
    for (unsigned i = 0; i < w->layout->n; i++) {
        const struct apf_buffer *bytes = &w->sections[w->layout->order[i]].bytes;
        file_out_write(w->plan->out, bytes->data, bytes->n);
    }
}

int sample_ext_write(struct sample_plan *plan, struct file_out *out, struct apf_error *error)
{
    struct ext_writer w = {.plan = plan, .layout = layout_of(plan->options->form)};
    for (unsigned i = 0; i < w.layout->n; i++) {
        w.sections[i].type = w.layout->table[i].type;
        w.sections[i].flat = w.layout->table[i].flat;
        w.sections[i].flags = section_flags(plan, &w.sections[i]);
    }
    int code = fill_sections(&w, error);
    plan->out = out;
    if (code == APF_OK)
        write_file(&w);
    for (unsigned i = 0; i < w.layout->n; i++)
        apf_buffer_free(&w.sections[i].bytes);
    return code;
}
