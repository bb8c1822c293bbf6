/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Predicates and words that the text and the JSON of info share. */
#include <string.h>

#include <anyprof/correlate.h>

#include "base/text_append.h"
#include "jobs/file_kinds.h"
#include "jobs/info_print.h"

bool info_is_profile(const struct apf_file_facts *f)
{
    return !f->error && file_kind_has(f->file->kind, KIND_PROFILE);
}

bool info_is_ordered(const struct apf_file_facts *f)
{
    if (file_kind_has(f->file->kind, KIND_POINTERS))
        return f->pointer_bits != 0; /* for a damaged file from its header */
    return !f->error && (file_kind_has(f->file->kind, KIND_BYTE_ORDER) || f->origin == APF_FORMAT_RAW);
}

bool info_has_variant(const struct apf_file_facts *f)
{
    if (file_kind_has(f->file->kind, KIND_VARIANT))
        return !f->error || f->version;
    return info_is_profile(f) || (f->file->kind == APF_KIND_ELF && f->version);
}

/* Writes "12 functions" or "1 function". */
void info_write_count(struct file_out *out, uint64_t n, const char *one, const char *many)
{
    text_decimal(out, n, 0);
    text_append(out, " ");
    text_append(out, n == 1 ? one : many);
}

void info_write_digits(struct file_out *out, struct apf_str bytes)
{
    for (size_t i = 0; i < bytes.n; i++)
        text_hex_digits(out, (uint8_t)bytes.p[i], 2);
}

/* Writes the variant, such as "IR, context-sensitive". */
void info_write_variant(struct file_out *out, const struct apf_file_facts *f)
{
    static const struct {
        uint64_t bit;
        const char *words;
    } rows[] = {
        {APF_VARIANT_CS, "context-sensitive"},
        {APF_VARIANT_ENTRY_FIRST, "entry counts"},
        {APF_VARIANT_LOOP_ENTRIES, "loop entry counts"},
        {APF_VARIANT_BYTE_COVERAGE, "coverage (one byte each)"},
        {APF_VARIANT_ENTRY_ONLY, "function entries only"},
        {APF_VARIANT_TEMPORAL, "temporal"},
        {APF_VARIANT_MEMPROF, "memory profile"},
        {APF_VARIANT_DEBUG_CORRELATE, "correlated by debug information"},
    };
    text_append(out, f->variant & APF_VARIANT_IR ? "IR" : "front-end");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (f->variant & rows[i].bit) {
            text_append(out, ", ");
            text_append(out, rows[i].words);
        }
    if (f->metadata == APF_METADATA_BINARY)
        text_append(out, ", correlated by the program's sections");
    if (f->metadata == APF_METADATA_DEBUG_INFO && !(f->variant & APF_VARIANT_DEBUG_CORRELATE))
        text_append(out, ", correlated by debug information");
}

/* Writes ", of a raw profile, version 10". */
void info_write_origin(struct file_out *out, const struct apf_file_facts *f)
{
    static const char *const words[] = {[APF_FORMAT_RAW] = ", of a raw profile",
                                        [APF_FORMAT_INDEXED] = ", of an indexed profile",
                                        [APF_FORMAT_TEXT] = ", of a text profile",
                                        [APF_FORMAT_MERGED] = ", of a merge",
                                        [APF_FORMAT_MEMPROF] = ", of a memory profile in YAML"};
    const char *word = (size_t)f->origin < sizeof words / sizeof *words ? words[f->origin] : NULL;
    if (word)
        text_append(out, word);
    if (f->version) {
        text_append(out, ", version ");
        text_decimal(out, f->version, 0);
    }
}

/* Writes the kind without its article: "raw instrumentation profile". */
void info_write_kind(struct file_out *out, const struct apf_file_facts *f)
{
    const struct file_kind *kind = file_kind_row(f->file->kind);
    const char *name = kind->title ? kind->title : kind->phrase;
    const char *space = strchr(name, ' ');
    bool article = strncmp(name, "a ", 2) == 0 || strncmp(name, "an ", 3) == 0;
    text_append(out, article && space ? space + 1 : name);
    if (kind->traits & KIND_OF_ORIGIN)
        info_write_origin(out, f);
    else if (f->version && f->file->kind != APF_KIND_ELF) {
        text_append(out, ", version ");
        text_decimal(out, f->version, 0);
    }
    if (f->schema) {
        text_append(out, ", ");
        text_append(out, f->schema);
    }
}
