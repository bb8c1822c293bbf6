/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Extbinary: a table of sections, which are read in the order of the table. */
#include "sample/binary/sample_binary_read.h"

#include "base/deflate.h"
#include "base/error.h"
#include "sample/binary/sample_ext.h"
#include "sample/binary/sample_start.h"
#include "sample/layout/sample_layout.h"

bool sample_ext_begins(const uint8_t *data, size_t n)
{
    return sample_start_is(data, n, SAMPLE_MAGIC_EXTBINARY);
}

/* ---- what the table of sections says ---- */

enum sample_context_form sample_ext_context_form(const struct sample_sections *sections)
{
    const struct sample_section *summary = sample_sections_find(sections, SAMPLE_SECTION_SUMMARY);
    if (!summary || !(summary->flags & SAMPLE_SUMMARY_CONTEXTS))
        return SAMPLE_NO_CONTEXTS;
    if (sample_sections_find(sections, SAMPLE_SECTION_CONTEXTS))
        return SAMPLE_CONTEXT_SECTION;
    for (size_t i = 0; i < sections->list.n; i++)
        if (sections->list.data[i].flags & SAMPLE_FLAG_FLAT)
            return SAMPLE_CONTEXTS_MISSING; /* LLVM 13 cannot split */
    return SAMPLE_CONTEXT_NAMES;
}

/* A flag of a section that is not empty, and that of the profile. */
struct flag_row {
    uint64_t type, bit;
    uint32_t flag;
};

static const struct flag_row flag_rows[] = {
    {SAMPLE_SECTION_SUMMARY, SAMPLE_SUMMARY_PARTIAL, APF_SAMPLE_PARTIAL},
    {SAMPLE_SECTION_SUMMARY, SAMPLE_SUMMARY_CONTEXTS, APF_SAMPLE_CONTEXTS},
    {SAMPLE_SECTION_SUMMARY, SAMPLE_SUMMARY_FS, APF_SAMPLE_FS},
    {SAMPLE_SECTION_SUMMARY, SAMPLE_SUMMARY_PREINLINED, APF_SAMPLE_PREINLINED},
    {SAMPLE_SECTION_NAMES, SAMPLE_NAMES_MD5, APF_SAMPLE_MD5},
    {SAMPLE_SECTION_NAMES, SAMPLE_NAMES_FIXED, APF_SAMPLE_MD5},
    {SAMPLE_SECTION_NAMES, SAMPLE_NAMES_UNIQUE, APF_SAMPLE_UNIQUE},
    {SAMPLE_SECTION_METADATA, SAMPLE_METADATA_PROBES, APF_SAMPLE_PROBES},
};

uint32_t sample_ext_flags(const struct sample_sections *sections)
{
    uint32_t flags = 0;
    for (size_t i = 0; i < sizeof flag_rows / sizeof *flag_rows; i++) {
        const struct sample_section *section = sample_sections_find(sections, flag_rows[i].type);
        if (section && section->flags & flag_rows[i].bit)
            flags |= flag_rows[i].flag;
    }
    return flags;
}

void sample_ext_prepare(struct sample_decoder *d, const struct sample_sections *sections)
{
    const struct sample_section *summary = sample_sections_find(sections, SAMPLE_SECTION_SUMMARY);
    uint32_t flags = sample_ext_flags(sections);
    d->s->info.format = APF_SAMPLE_EXTBINARY;
    d->s->info.version = sections->version->version;
    d->s->info.flags |= flags;
    d->mask = flags & APF_SAMPLE_FS && d->options->discriminator ? d->options->discriminator : UINT32_MAX;
    d->has_vtables = summary && summary->flags & SAMPLE_SUMMARY_VTABLES;
    d->has_contexts = sample_ext_context_form(sections) != SAMPLE_NO_CONTEXTS;
}

int sample_ext_names(struct sample_decoder *d, const struct sample_section *section, struct apf_error *error)
{
    if (section->flags & SAMPLE_NAMES_FIXED)
        return sample_decode_hashes(d, true, error);
    return section->flags & SAMPLE_NAMES_MD5 ? sample_decode_hashes(d, false, error)
                                             : sample_decode_names(d, error);
}

/* ---- sections ---- */

struct ext_reader {
    struct sample_decoder d;
    struct sample_sections sections;
    struct sample_inflated inflated;
    const uint8_t *data; /* the file */
    size_t n;
    enum sample_context_form form;
    bool sealed; /* since the last functions */
    unsigned n_sealed;
    bool salvage; /* functions before the damage matter, even if their section is not whole */
};

typedef int section_fn(struct ext_reader *x, const struct sample_section *section, struct apf_error *error);

static int read_summary(struct ext_reader *x, const struct sample_section *section, struct apf_error *error)
{
    (void)section;
    return sample_decode_summary(&x->d, error);
}

static int read_names(struct ext_reader *x, const struct sample_section *section, struct apf_error *error)
{
    struct sample_decoder *d = &x->d;
    int code = sample_ext_names(d, section, error);
    if (code == APF_OK)
        code = sample_decode_adopt(d, error);
    if (code != APF_OK || x->form != SAMPLE_CONTEXT_NAMES)
        return code == APF_OK ? sample_decode_intern(d, error) : code;
    /* Some of these names are contexts, so names are interned when functions refer to them. */
    d->contexts.n = 0;
    if (!VEC_RESERVE(&d->contexts, d->table.n))
        return error_memory(error);
    while (d->contexts.n < d->table.n)
        d->contexts.data[d->contexts.n++] = SAMPLE_NONE;
    d->intern_context = sample_ext_context_text;
    return APF_OK;
}

static int read_contexts(struct ext_reader *x, const struct sample_section *section, struct apf_error *error)
{
    (void)section;
    int code = sample_ext_contexts(&x->d, error);
    if (code == APF_OK && x->form == SAMPLE_CONTEXT_SECTION)
        x->d.progress.known = x->d.contexts.n;
    return code;
}

static int read_symbols(struct ext_reader *x, const struct sample_section *section, struct apf_error *error)
{
    struct sample_decoder *d = &x->d;
    int code = APF_OK;
    (void)section;
    while (code == APF_OK && cursor_left(&d->c)) {
        struct apf_str name;
        code = sample_decode_text(d, &name, error);
        if (code == APF_OK)
            code = sample_append_symbol(d->s, name, error);
    }
    return code;
}

static int skip_offsets(struct ext_reader *x, const struct sample_section *section, struct apf_error *error)
{
    (void)section;
    (void)error;
    x->d.c.p = x->d.c.end;
    return APF_OK;
}

static int read_functions(struct ext_reader *x, const struct sample_section *section, struct apf_error *error)
{
    struct sample_decoder *d = &x->d;
    (void)section;
    if (x->form == SAMPLE_CONTEXTS_MISSING)
        return sample_decode_wrong(d, APF_SAMPLE_NAME_TABLE,
                                   "the contexts of the functions are not in the file: llvm-profdata merge "
                                   "--split-layout leaves them out; make the file again without that option",
                                   error);
    x->sealed = false;
    if (!d->progress.n_functions)
        d->progress.end = d->stored_at == NO_OFFSET ? cursor_offset(&d->c) : d->stored_at;
    return sample_decode_functions(d, sample_decode_function, error);
}

/* How often metadata may come after functions. All that was read is sorted again each time; tools write metadata once,
 * at the end. */
#define MOST_SEALS 16u

static int read_metadata(struct ext_reader *x, const struct sample_section *section, struct apf_error *error)
{
    if (!x->sealed && ++x->n_sealed > MOST_SEALS)
        return sample_decode_bound(&x->d, APF_SAMPLE_MALFORMED, x->n_sealed, MOST_SEALS,
                                   "sections of metadata with functions between them", error);
    int code = x->sealed ? APF_OK : sample_seal(x->d.s, error);
    x->sealed = code == APF_OK;
    return code == APF_OK ? sample_ext_metadata(&x->d, &x->sections, section, error) : code;
}

/* How a type of section is read. */
struct section_reader {
    uint64_t type;
    section_fn *read;
    bool needed; /* functions cannot be read without it */
};

static const struct section_reader readers[] = {
    {SAMPLE_SECTION_SUMMARY, read_summary, false},  {SAMPLE_SECTION_NAMES, read_names, true},
    {SAMPLE_SECTION_CONTEXTS, read_contexts, true}, {SAMPLE_SECTION_FUNCTIONS, read_functions, true},
    {SAMPLE_SECTION_OFFSETS, skip_offsets, false},  {SAMPLE_SECTION_METADATA, read_metadata, false},
    {SAMPLE_SECTION_SYMBOLS, read_symbols, false},
};

static const struct section_reader *reader_of(const struct sample_section *section)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].type == section->type)
            return &readers[i];
    return NULL;
}

/* ---- the file ---- */

/* Reads a section. If functions before the damage matter, they are read from a part of a section, too. */
static int read_section(struct ext_reader *x, const struct sample_section *section, section_fn *read,
                        struct apf_error *error)
{
    bool whole = true, in_part = x->salvage && section->type == SAMPLE_SECTION_FUNCTIONS;
    int code = sample_section_check(section, x->n, error);
    if (code != APF_OK && (!in_part || section->offset >= x->n))
        return code;
    size_t left = x->n - (size_t)section->offset;
    code = sample_section_known(section, x->sections.version, error);
    if (code == APF_OK)
        code = sample_part_open(&x->d, section, x->data + section->offset,
                                section->size < left ? (size_t)section->size : left, &x->inflated,
                                in_part ? &whole : NULL, error);
    if (code == APF_OK)
        code = read(x, section, error);
    if (x->d.stopped || code == APF_NO_MEMORY || code == APF_LIMIT)
        return code;
    if (section->size > left)
        return sample_section_check(section, x->n, error);
    if (!whole)
        return sample_decode_wrong(&x->d, APF_SAMPLE_UNCOMPRESS, "damaged stream", error);
    return code == APF_OK ? sample_part_end(&x->d, error) : code;
}

/* Reads the sections in the order of the table. With `salvage`, reading goes on after damage that functions do not
 * need; the error is the first one all the same. */
static int read_sections(struct ext_reader *x, struct apf_error *error)
{
    int first = APF_OK;
    struct apf_error damage;
    for (size_t i = 0; i < x->sections.list.n && !x->d.stopped; i++) {
        const struct sample_section *section = &x->sections.list.data[i];
        const struct section_reader *reader = reader_of(section);
        struct apf_error failure;
        if (!section->size)
            continue;
        x->d.s->findings[SAMPLE_FINDING_UNKNOWN_SECTION] += !reader;
        int code = reader ? read_section(x, section, reader->read, &failure) : APF_OK;
        if (code == APF_OK)
            continue;
        bool end = !x->salvage || reader->needed || code == APF_NO_MEMORY || code == APF_LIMIT;
        if (first == APF_OK || code == APF_NO_MEMORY) {
            first = code;
            damage = failure;
        }
        if (end)
            break;
    }
    if (first == APF_OK || x->d.stopped)
        return APF_OK;
    if (error)
        *error = damage;
    return first;
}

/* Counts the bytes after all sections. */
static void find_end(struct ext_reader *x)
{
    uint64_t end = x->sections.end;
    for (size_t i = 0; i < x->sections.list.n; i++) {
        const struct sample_section *section = &x->sections.list.data[i];
        if (!section->size)
            continue;
        if (section->offset > x->n || section->size > x->n - section->offset)
            return; /* of an unknown type, whose place nothing checks */
        end = end < section->offset + section->size ? section->offset + section->size : end;
    }
    x->d.s->findings[SAMPLE_FINDING_UNREAD_END] = x->n - end;
}

int sample_ext_read(struct apf_sample *s, const uint8_t *data, size_t n, const struct sample_read_options *o,
                    struct apf_error *error)
{
    struct ext_reader x = {.d = sample_start(s, data, n, o), .data = data, .n = n};
    int code = sample_sections_read(&x.sections, data, n, n, error);
    if (code == APF_OK) {
        sample_ext_prepare(&x.d, &x.sections);
        x.form = sample_ext_context_form(&x.sections);
        x.salvage = o->progress || o->max_functions;
        x.inflated.budget = deflate_budget(n, o->max_bytes);
        code = read_sections(&x, error);
        if (code == APF_OK && !x.d.stopped)
            find_end(&x);
    }
    sample_sections_free(&x.sections);
    VEC_FREE(&x.inflated.bytes);
    return sample_start_end(&x.d, code, error);
}
