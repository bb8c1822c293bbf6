/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Extbinary profiles: section by section, whatever the reader says about the others. */
#include "sample/check/sample_ext_check.h"

#include "base/deflate.h"
#include "base/error.h"
#include "base/sort.h"
#include "sample/binary/sample_start.h"
#include "sample/layout/sample_layout.h"

/* ---- opening ---- */

/* Bytes after a compressed stream, which readers skip. */
static void check_stream_end(struct sample_ext_checker *x, const struct sample_section *section)
{
    struct cursor c = cursor_make_at(x->k->data + section->offset, section->size, section->offset, false);
    (void)cursor_uleb128(&c);
    cursor_skip(&c, cursor_uleb128(&c));
    if (!c.failed && cursor_left(&c))
        check_at(x->k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("sample.ext.section.compressed", cursor_offset(&c), cursor_left(&c), 0),
                 "bytes of a section after its compressed contents");
}

bool sample_ext_check_open(struct sample_ext_checker *x, const struct sample_section *section)
{
    struct apf_error error;
    struct sample_checker *k = x->k;
    int code = sample_section_check(section, k->n, &error);
    if (code == APF_OK)
        code = sample_section_known(section, x->sections.version, &error);
    if (code == APF_OK)
        code = sample_part_open(&x->d, section, k->data + section->offset, section->size, &x->inflated, NULL,
                                &error);
    if (!sample_check_result(x->k, code, &error))
        return false;
    if (section->flags & SAMPLE_FLAG_COMPRESSED)
        check_stream_end(x, section);
    return true;
}

/* ---- names ---- */

/* Compilers keep the part of a name from ".__uniq." on only if the profile is flagged, so that without the flag they
 * look for other names. */
static void check_unique(struct sample_ext_checker *x, const struct sample_section *section)
{
    const struct sample_name_table *t = &x->d.table;
    bool flagged = section->flags & SAMPLE_NAMES_UNIQUE, found = false;
    struct error_at at = {"sample.ext.section.names.unique", section->entry + 8, section->flags,
                          section->flags ^ SAMPLE_NAMES_UNIQUE};
    for (size_t i = 0; i < t->names.n && !found; i++)
        found = sample_name_is_unique(t->names.data[i]);
    if (found && !flagged)
        check_at(x->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, at,
                 "unique names of local functions, which compilers do not find without the flag");
    else if (flagged && !found && t->names.n)
        check_at(x->k->c, APF_SEVERITY_NOTE, APF_NOTE, at,
                 "flagged as having unique names, but there is none");
}

static void check_names(struct sample_ext_checker *x, const struct sample_section *section)
{
    struct apf_error error;
    struct sample_decoder *d = &x->d;
    int code = sample_ext_names(d, section, &error);
    if (code == APF_OK) {
        sample_check_name_table(x->k, d, section->offset,
                                x->form == SAMPLE_NO_CONTEXTS || x->form == SAMPLE_CONTEXT_SECTION);
        check_unique(x, section);
        code = sample_part_end(d, &error);
        sample_check_result(x->k, code, &error);
        code = sample_decode_adopt(d, &error);
        if (code == APF_OK && x->form != SAMPLE_CONTEXT_NAMES)
            code = sample_decode_intern(d, &error);
        x->has_names = code == APF_OK;
    }
    sample_check_result(x->k, code, &error);
}

/* ---- the list of all functions ---- */

static void check_symbols(struct sample_ext_checker *x, const struct sample_section *section)
{
    struct sample_decoder *d = &x->d;
    struct apf_error error;
    struct apf_str last = {NULL, 0}, name;
    uint64_t n_unsorted = 0, n_repeated = 0;
    while (x->k->c->code == APF_OK && cursor_left(&d->c)) {
        int code = sample_decode_text(d, &name, &error);
        if (!sample_check_result(x->k, code, &error))
            break;
        int order = last.p ? sort_compare_bytes(last.p, last.n, name.p, name.n) : -1;
        n_unsorted += order > 0;
        n_repeated += order == 0;
        last = name;
    }
    if (n_unsorted)
        check_at(x->k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("sample.ext.symbols.order", section->offset, n_unsorted, 0),
                 "the list of all functions is not sorted");
    if (n_repeated)
        check_at(x->k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("sample.ext.symbols.repeated", section->offset, n_repeated, 0),
                 "functions that the list of all functions has twice");
}

/* ---- sections ---- */

static void check_section(struct sample_ext_checker *x, const struct sample_section *section)
{
    struct apf_error error;
    if (section->kind->type != section->type) { /* of an unknown type */
        sample_check_result(x->k, sample_section_check(section, x->k->n, &error), &error);
        return;
    }
    if (!sample_ext_check_open(x, section))
        return;
    switch (section->type) {
    case SAMPLE_SECTION_SUMMARY:
        x->k->summary_at = section->offset;
        x->k->summary_packed = section->flags & SAMPLE_FLAG_COMPRESSED;
        sample_check_result(x->k, sample_decode_summary(&x->d, &error), &error);
        break;
    case SAMPLE_SECTION_NAMES:
        check_names(x, section);
        break;
    case SAMPLE_SECTION_CONTEXTS:
        sample_ext_check_contexts(x, section);
        break;
    case SAMPLE_SECTION_OFFSETS:
        sample_ext_check_offsets(x, section);
        break;
    case SAMPLE_SECTION_FUNCTIONS:
        sample_ext_check_functions(x, section);
        break;
    case SAMPLE_SECTION_SYMBOLS:
        check_symbols(x, section);
        break;
    default:
        break;
    }
}

void sample_ext_check(struct sample_checker *k)
{
    struct sample_ext_checker x = {.k = k};
    struct apf_sample *scratch = sample_new();
    x.d = sample_start(scratch, k->data, k->n, k->options);
    int code = scratch ? sample_sections_read(&x.sections, k->data, k->n, k->n, k->c->error) : APF_NO_MEMORY;
    if (code == APF_NO_MEMORY) {
        check_memory(k->c);
    } else if (code == APF_OK) {
        x.form = sample_ext_context_form(&x.sections);
        x.n_unread = k->s->top.n + k->origins.again.n;
        x.inflated.budget = deflate_budget(k->n, k->options->max_bytes);
        sample_ext_prepare(&x.d, &x.sections);
        sample_ext_check_sections(&x);
        for (size_t i = 0; i < x.sections.list.n && k->c->code == APF_OK; i++)
            if (x.sections.list.data[i].size)
                check_section(&x, &x.sections.list.data[i]);
    }
    sample_listing_free(&x.listing);
    VEC_FREE(&x.entries);
    VEC_FREE(&x.inflated.bytes);
    sample_sections_free(&x.sections);
    sample_decoder_free(&x.d);
    sample_free(scratch);
}
