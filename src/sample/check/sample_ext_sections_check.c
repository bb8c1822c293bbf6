/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of sections of extbinary profiles. */
#include "base/byte_map.h"
#include "sample/binary/sample_map.h"
#include "sample/check/sample_ext_check.h"
#include "sample/layout/sample_layout.h"

#define WHERE_TABLE "sample.ext.sections"
#define FLAGS_AT 8u

/* ---- flags ---- */

static uint64_t known_flags(uint64_t type)
{
    const struct sample_section_flag *flag;
    uint64_t bits = 0;
    for (unsigned i = 0; (flag = sample_section_flag(type, i)) != NULL; i++)
        bits |= flag->bit;
    return bits;
}

static void check_flags(struct sample_ext_checker *x, const struct sample_section *section)
{
    struct check *c = x->k->c;
    uint64_t known = section->flags & known_flags(section->type);
    struct error_at at = {WHERE_TABLE ".flags", section->entry + FLAGS_AT, section->flags, known};
    if (known != section->flags)
        check_at(c, APF_SEVERITY_NOTE, APF_NOTE, at, "flags of a section that mean nothing");
    at.where = "sample.ext.section.names";
    at.expected = section->flags | SAMPLE_NAMES_MD5;
    if (section->type == SAMPLE_SECTION_NAMES && section->flags & SAMPLE_NAMES_FIXED &&
        !(section->flags & SAMPLE_NAMES_MD5))
        check_at(c, APF_SEVERITY_WARNING, APF_INCONSISTENT, at,
                 "names of a fixed length, but not flagged as hashes");
}

/* ---- order and number ---- */

/* Sections that must come before another one, since readers go through them in the order of the table. */
static const struct {
    uint64_t first, second;
    const char *detail;
} orders[] = {
    {SAMPLE_SECTION_NAMES, SAMPLE_SECTION_FUNCTIONS, "the functions come before the names"},
    {SAMPLE_SECTION_NAMES, SAMPLE_SECTION_CONTEXTS, "the contexts come before the names"},
    {SAMPLE_SECTION_NAMES, SAMPLE_SECTION_METADATA, "the metadata comes before the names"},
    {SAMPLE_SECTION_CONTEXTS, SAMPLE_SECTION_FUNCTIONS, "the functions come before the contexts"},
    {SAMPLE_SECTION_OFFSETS, SAMPLE_SECTION_FUNCTIONS, "the functions come before their offsets"},
    {SAMPLE_SECTION_FUNCTIONS, SAMPLE_SECTION_METADATA, "the metadata comes before the functions"},
};

static void check_order(struct sample_ext_checker *x)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const struct sample_section *first = sample_sections_find(&x->sections, orders[i].first),
                                    *second = sample_sections_find(&x->sections, orders[i].second);
        if (first && second && first > second)
            check_place(x->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, WHERE_TABLE ".order", second->entry,
                        orders[i].detail);
    }
}

/* What readers make of a second section of a type: lists grow, and tables count for the sections after them. */
static const char *repeated_detail(uint64_t type)
{
    return type == SAMPLE_SECTION_SYMBOLS || type == SAMPLE_SECTION_METADATA
               ? "a second section of a type, which is read in addition to the first one"
               : "a second section of a type, which replaces the first one";
}

/* A split file has two pairs of offsets and functions. */
static bool may_repeat(uint64_t type)
{
    return type == SAMPLE_SECTION_OFFSETS || type == SAMPLE_SECTION_FUNCTIONS;
}

static void check_repeated(struct sample_ext_checker *x)
{
    uint64_t seen = 0; /* a bit for each type that is known, all of which are below SAMPLE_SECTION_TYPES */
    for (size_t i = 0; i < x->sections.list.n; i++) {
        const struct sample_section *section = &x->sections.list.data[i];
        if (!section->size || section->type >= SAMPLE_SECTION_TYPES || section->kind->type != section->type ||
            may_repeat(section->type))
            continue;
        bool repeated = seen >> section->type & 1;
        seen |= (uint64_t)1 << section->type;
        if (repeated)
            check_place(x->k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, WHERE_TABLE ".repeated",
                        section->entry, repeated_detail(section->type));
    }
}

static void check_missing(struct sample_ext_checker *x)
{
    const struct sample_section *summary = sample_sections_find(&x->sections, SAMPLE_SECTION_SUMMARY);
    struct apf_sample *s = x->k->s;
    if (!summary)
        check_place(x->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, WHERE_TABLE ".missing", NO_OFFSET,
                    "there is no summary, which compilers need");
    if (!summary || !x->k->whole)
        return;
    struct error_at at = {"sample.ext.section.summary", summary->entry + FLAGS_AT, summary->flags,
                          summary->flags ^ SAMPLE_SUMMARY_PREINLINED};
    bool flagged = summary->flags & SAMPLE_SUMMARY_PREINLINED, found = false, known = false;
    for (size_t i = 0; i < x->sections.list.n; i++) /* LLVM 13 does not know the flag */
        known = known || x->sections.list.data[i].type == SAMPLE_SECTION_CONTEXTS ||
                x->sections.list.data[i].flags & SAMPLE_FLAG_FLAT;
    for (size_t i = 0; i < s->nodes.n && !found; i++)
        found = s->nodes.data[i].attributes & APF_SAMPLE_SHOULD_BE_INLINED;
    if (found && !flagged && known)
        check_at(x->k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, at,
                 "functions are marked for inlining, but the profile is not flagged as preinlined");
    else if (flagged && !found && s->nodes.n)
        check_at(x->k->c, APF_SEVERITY_NOTE, APF_NOTE, at,
                 "flagged as preinlined, but no function is marked for inlining");
}

/* ---- bytes ---- */

static void check_bytes(struct sample_ext_checker *x)
{
    struct sample_checker *k = x->k;
    struct byte_map map = {{NULL, 0, 0}};
    bool inside = true;
    for (size_t i = 0; i < x->sections.list.n; i++)
        inside = inside && sample_section_check(&x->sections.list.data[i], k->n, NULL) == APF_OK;
    if (!inside)
        return; /* the bytes may belong to a section whose place is wrong */
    if (!sample_ext_map(&map, k->data, k->n))
        check_memory(k->c);
    else
        sample_check_map(k, &map, "sample.ext.unclaimed", "sample.ext.sections.overlap");
    byte_map_free(&map);
}

void sample_ext_check_sections(struct sample_ext_checker *x)
{
    for (size_t i = 0; i < x->sections.list.n && x->k->c->code == APF_OK; i++) {
        const struct sample_section *section = &x->sections.list.data[i];
        check_flags(x, section);
        if (section->kind->type == SAMPLE_SECTION_ANY || section->type == 0)
            check_with_numbers(x->k->c, APF_SEVERITY_WARNING, APF_UNSUPPORTED,
                               check_spot(WHERE_TABLE ".type", section->entry, section->type, 0),
                               "a section of an unknown type, which LLVM 13 refuses and others skip");
    }
    check_order(x);
    check_repeated(x);
    check_missing(x);
    check_bytes(x);
}
