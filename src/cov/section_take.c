/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which sections are those of coverage, by their names. */
#include "base/error.h"
#include "base/text_bytes.h"
#include "cov/section_readers.h"

/* The bytes of a section of names that the linker of Windows makes of no names at all. */
#define EMPTY_COFF_NAMES 2u

enum section_kind { SECTION_OTHER, SECTION_COVMAP, SECTION_COVFUN, SECTION_NAMES, SECTION_FALLBACK };

static enum section_kind kind_of(struct apf_str name)
{
    static const struct {
        const char *names[3]; /* in ELF and Mach-O, in COFF; in Mach-O a name is cut after 16 bytes */
        enum section_kind kind;
    } rows[] = {{{"__llvm_covmap", ".lcovmap", NULL}, SECTION_COVMAP},
                {{"__llvm_covfun", ".lcovfun", NULL}, SECTION_COVFUN},
                {{"__llvm_prf_names", ".lprfn", NULL}, SECTION_NAMES},
                {{"__llvm_covnames", ".lcovn", NULL}, SECTION_FALLBACK}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; rows[i].names[k]; k++)
            if (text_is(name, rows[i].names[k]))
                return rows[i].kind;
    return SECTION_OTHER;
}

static int twice(const struct section_reader *r, const char *where)
{
    return error_plain(r->error, APF_BAD_COVERAGE, where, "the object has two such sections");
}

static int take_names(struct section_reader *r, struct section_bytes bytes, uint64_t address)
{
    struct cov_sections *s = r->sections;
    if (!bytes.p)
        bytes.n = 0;
    if (s->names_are_linked) {
        if (bytes.n <= EMPTY_COFF_NAMES && s->names.n)
            return APF_OK;
        if (s->names.n <= EMPTY_COFF_NAMES)
            s->names.n = 0;
    }
    if (s->names.n)
        return bytes.n ? twice(r, "covmap.names") : APF_OK;
    s->names = bytes;
    s->names_address = address;
    return APF_OK;
}

int section_take(struct section_reader *r, struct apf_str name, struct section_bytes bytes, uint64_t address)
{
    struct cov_sections *s = r->sections;
    switch (kind_of(name)) {
    case SECTION_COVMAP:
        if (s->covmap.p)
            return twice(r, "covmap");
        if (!bytes.p && bytes.n)
            return error_plain(r->error, APF_BAD_COVERAGE, "covmap", "the section is not in the file");
        s->covmap = bytes;
        return APF_OK;
    case SECTION_COVFUN:
        if (!bytes.p || !bytes.n)
            return APF_OK;
        if (r->most_functions && bytes.n > r->most_functions - 1)
            return error_plain(r->error, APF_BAD_COVERAGE, "covfun", "sections of functions overlap");
        r->most_functions -= r->most_functions ? bytes.n : 0;
        return VEC_PUSH(&s->covfun, bytes) ? APF_OK : error_memory(r->error);
    case SECTION_NAMES:
        return take_names(r, bytes, address);
    case SECTION_FALLBACK:
        r->fallback = (struct section_bytes){bytes.p, bytes.p ? bytes.n : 0};
        r->fallback_address = address;
        return APF_OK;
    default:
        return APF_OK;
    }
}

bool section_is_taken(struct apf_str name)
{
    return kind_of(name) != SECTION_OTHER;
}

void sections_finish(struct section_reader *r)
{
    struct cov_sections *s = r->sections;
    if (s->names_are_linked && s->names.n <= EMPTY_COFF_NAMES)
        s->names.n = 0;
    if (s->names.n) {
        const size_t marker = s->names_are_linked; /* which the runtime has put there */
        s->names.p += marker;
        s->names.n -= marker;
    } else {
        s->names = r->fallback;
        s->names_address = r->fallback_address;
    }
}
