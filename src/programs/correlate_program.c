/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "programs/correlate_program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/deflate.h"
#include "base/endian.h"
#include "base/error.h"
#include "instr/model/profile.h"
#include "programs/program_version.h"

/* Sections of each kind of metadata. */
static const struct {
    const char *data, *names;
} section_names[] = {
    [APF_METADATA_LOADED] = {CORRELATE_DATA, "__llvm_prf_names"},
    [APF_METADATA_BINARY] = {CORRELATE_COVDATA, "__llvm_covnames"},
};

/* ---- warnings ---- */

bool correlate_warn(struct correlate_program *p, const char *format, ...)
{
    char text[sizeof((struct apf_error *)NULL)->message];
    va_list args;
    if (p->warnings.max && p->warnings.n++ >= p->warnings.max)
        return true;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *copy = arena_text(&p->arena, text, strlen(text));
    return copy && VEC_PUSH(&p->warnings.list, copy);
}

static int report_warning(struct apf_str source, uint64_t input, const char *text, apf_diag_fn *diag,
                          void *user, struct apf_error *error)
{
    struct apf_error detail;
    error_set_words(&detail, APF_METADATA_SKIPPED, "correlation.function", text);
    struct apf_diag d = {APF_SEVERITY_WARNING, APF_METADATA_SKIPPED, input, source, {NULL, 0}, 0, &detail};
    return error_report_diag(diag, user, &d, error);
}

int correlate_warnings_report(const struct correlate_program *p, struct apf_str source, uint64_t input,
                              apf_diag_fn *diag, void *user, struct apf_error *error)
{
    const struct correlate_warnings *w = &p->warnings;
    char more[64];
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < w->list.n; i++)
        code = report_warning(source, input, w->list.data[i], diag, user, error);
    if (code != APF_OK || !w->max || w->n <= w->max)
        return code;
    snprintf(more, sizeof more, "Suppressed %llu additional warnings", (unsigned long long)(w->n - w->max));
    return report_warning(source, input, more, diag, user, error);
}

/* ---- sections ---- */

struct search {
    const char *name;
    struct correlate_section *out;
};

static int is_named(void *user, const struct elf_section *section)
{
    struct search *s = user;
    if (strcmp(section->name, s->name) != 0)
        return 0;
    s->out->header = *section;
    s->out->found = true;
    return 1;
}

struct correlate_section correlate_section_find(const struct elf_file *elf, const char *name)
{
    struct correlate_section section = {.found = false};
    struct search s = {name, &section};
    elf_file_sections(elf, is_named, &s);
    return section;
}

int correlate_section_require(const struct correlate_program *p, const char *name,
                              struct correlate_section *section, struct apf_error *error)
{
    char what[64];
    *section = correlate_section_find(p->elf, name);
    const char *why =
        strcmp(name, "__llvm_prf_cnts") == 0
            ? "it is not instrumented; give the build that wrote the profile, which is compiled with "
              "-fprofile-generate or -fprofile-instr-generate"
            : "";
    snprintf(what, sizeof what, "could not find section (%s)", name);
    return section->found ? APF_OK : correlate_nothing(p, what, why, error);
}

/* ---- the version of the program's profiles ---- */

static int find_version(struct correlate_program *p, struct raw_sections *in, struct apf_error *error)
{
    int code = program_version_word(p->elf, &in->version_word, &in->version_known, error);
    if (code != APF_OK || !in->version_known)
        return code;
    p->info.variant = in->version_word & VARIANT_BITS;
    p->info.variant_known = 1;
    return APF_OK;
}

/* ---- functions ---- */

static bool is_new(struct correlate_program *p, struct hash_index *seen, uint64_t offset)
{
    uint64_t mixed = hash_index_mix(seen, offset, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, seen, mixed, p->functions.data[e].counters == offset);
    if (e != HASH_INDEX_NONE)
        return false;
    hash_index_add(seen, mixed, (uint32_t)p->functions.n);
    return true;
}

/* Computes the offset of a bitmap; one outside its section is dropped. */
static void place_bitmap(const struct correlate_program *p, struct apf_function *f)
{
    uint64_t size = p->bits.header.size;
    f->bitmap -= p->bits.header.address;
    if (!f->n_bitmap || !p->bits.found || f->bitmap > size || f->n_bitmap > size - f->bitmap)
        f->bitmap = f->n_bitmap = 0;
}

int correlate_add(struct correlate_program *p, struct hash_index *seen, const struct apf_function *function,
                  struct apf_error *error)
{
    struct apf_function f = *function;
    if (p->functions.n >= p->max_records || p->functions.n >= UINT32_MAX - 1) {
        struct error_at at = {"program.functions", NO_OFFSET, p->functions.n + 1, p->max_records};
        return error_at(error, APF_LIMIT, at, "more functions than the limit allows");
    }
    if (!hash_index_reserve(seen, 1) || !VEC_RESERVE(&p->functions, 1))
        return hash_index_error(seen, error);
    f.counters -= p->counters.header.address;
    place_bitmap(p, &f);
    if (is_new(p, seen, f.counters))
        (void)VEC_PUSH(&p->functions, f);
    return APF_OK;
}

int correlate_nothing(const struct correlate_program *p, const char *what, const char *why,
                      struct apf_error *error)
{
    bool loaded = correlate_section_find(p->elf, CORRELATE_DATA).found;
    bool binary = correlate_section_find(p->elf, CORRELATE_COVDATA).found;
    error_set_plain(error, APF_UNABLE_TO_CORRELATE, "program.functions", "%s", what);
    if (loaded && p->info.kind != APF_METADATA_LOADED)
        error_add(error, " (its profiles hold their metadata: merge them without a program)");
    else if (binary && p->info.kind != APF_METADATA_BINARY)
        error_add(error, " (the program was built for binary correlation)");
    else if (*why)
        error_add(error, " (%s)", why);
    return APF_UNABLE_TO_CORRELATE;
}

/* ---- from sections ---- */

/* Computes the offsets of counters and bitmaps. Functions that the linker dropped are outside the section; LLVM warns,
 * and then cannot read any profile. */
static int place_functions(struct correlate_program *p, const struct raw_section_functions *from,
                           struct apf_error *error)
{
    struct hash_index seen = {0};
    uint64_t start = p->counters.header.address, end = start + p->counters.header.size;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < from->list.n; i++) {
        const struct apf_function *f = &from->list.data[i];
        if (f->counters >= start && f->counters < end)
            code = correlate_add(p, &seen, f, error);
        else if (!correlate_warn(p,
                                 "CounterPtr out of range for function: Actual=0x%llx Expected=[0x%llx, "
                                 "0x%llx) at data offset=0x%llx",
                                 (unsigned long long)f->counters, (unsigned long long)start,
                                 (unsigned long long)end, (unsigned long long)i * from->record_bytes))
            code = error_memory(error);
    }
    hash_index_free(&seen);
    return code;
}

static int adopt_functions(struct correlate_program *p, struct raw_section_functions *from,
                           struct apf_error *error)
{
    p->names = from->names;
    memset(&from->names, 0, sizeof from->names);
    p->info.first_version = from->first_version;
    p->info.last_version = from->last_version;
    memcpy(p->n_sites, from->n_sites, sizeof p->n_sites);
    if (p->info.kind == APF_METADATA_BINARY)
        return place_functions(p, from, error);
    p->functions.data = from->list.data;
    p->functions.n = from->list.n;
    p->functions.capacity = from->list.capacity;
    memset(&from->list, 0, sizeof from->list);
    return APF_OK;
}

int correlate_sections_read(struct correlate_program *p, struct apf_error *error)
{
    struct correlate_section data, names;
    struct raw_section_functions found = {0};
    struct raw_sections in = {.pointer_bytes = elf_file_facts(p->elf)->bits / 8,
                              .swap = elf_file_facts(p->elf)->big_endian != (bool)HOST_BIG_ENDIAN,
                              .has_pointers = p->info.kind == APF_METADATA_BINARY,
                              .max_records = p->max_records};
    in.name_budget = deflate_budget(elf_file_size(p->elf), p->max_bytes);
    int code = correlate_section_require(p, section_names[p->info.kind].data, &data, error);
    if (code == APF_OK)
        code = correlate_section_require(p, section_names[p->info.kind].names, &names, error);
    if (code == APF_OK)
        code = elf_file_contents(p->elf, data.header.index, p->max_bytes, &p->arena, &in.data, &in.n_data,
                                 error);
    if (code == APF_OK)
        code = elf_file_contents(p->elf, names.header.index, p->max_bytes, &p->arena, &in.names, &in.n_names,
                                 error);
    if (code == APF_OK)
        code = find_version(p, &in, error);
    if (code == APF_OK)
        code = raw_sections_read(&found, &in, error);
    if (code == APF_OK)
        code = adopt_functions(p, &found, error);
    raw_sections_free(&found);
    return code;
}
