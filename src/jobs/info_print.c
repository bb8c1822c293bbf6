/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the facts of files as text. */
#include <string.h>

#include <anyprof/correlate.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text_append.h"
#include "instr/model/profile_words.h"
#include "jobs/file_kinds.h"
#include "jobs/info_print.h"

#define LABEL_WIDTH 18u

static const char *const value_kinds[APF_VALUE_KINDS] = {"indirect calls", "memory operations", "vtables"};

/* ---- words ---- */

/* Writes a label; _ in the names of numbers becomes a blank. */
static void write_label(struct file_out *out, const char *label)
{
    size_t n = strlen(label);
    text_append(out, "  ");
    for (size_t i = 0; i < n; i++)
        (void)file_out_write(out, label[i] == '_' ? " " : label + i, 1);
    text_append(out, ":");
    text_blanks(out, n < LABEL_WIDTH ? LABEL_WIDTH - n : 1);
}

static void write_number(struct file_out *out, const char *label, uint64_t n)
{
    write_label(out, label);
    text_decimal(out, n, 0);
    text_append(out, "\n");
}

/* ---- one file ---- */

static void write_size(struct file_out *out, const struct apf_file_facts *f)
{
    write_label(out, "size");
    info_write_count(out, f->file->file_size, "byte", "bytes");
    if (f->file->compression) {
        text_append(out, ", ");
        text_append(out, file_kind_row(f->file->compression)->word);
        text_append(out, ": ");
        info_write_count(out, f->unpacked_size, "byte unpacked", "bytes unpacked");
    }
    text_append(out, "\n");
}

static void write_machine(struct file_out *out, const struct apf_file_facts *f)
{
    if (!info_is_ordered(f))
        return;
    write_label(out, "byte order");
    text_append(out, f->big_endian ? "big-endian\n" : "little-endian\n");
    if (f->pointer_bits) {
        write_label(out, "pointers");
        info_write_count(out, f->pointer_bits, "bit\n", "bits\n");
    }
}

/* Writes a number that is not 0. */
static void write_some(struct file_out *out, const char *label, uint64_t n)
{
    if (n)
        write_number(out, label, n);
}

static void write_functions(struct file_out *out, const struct apf_file_facts *f)
{
    const struct {
        uint64_t n;
        const char *words;
    } rows[] = {{f->n_unexecuted, " never ran"},
                {f->n_contextual, " context-sensitive"},
                {f->n_pseudo, " only marked hot or warm"},
                {f->n_nameless, " without a name"}};
    const char *before = " (";
    if (f->n_bare && f->n_functions == 0)
        return;
    write_label(out, "functions");
    text_decimal(out, f->n_functions, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].n == 0)
            continue;
        text_append(out, before);
        text_decimal(out, rows[i].n, 0);
        text_append(out, rows[i].words);
        before = ", ";
    }
    text_append(out, *before == ',' ? ")\n" : "\n");
}

/* For profiles without metadata: writes where the program has it. */
static void write_bare(struct file_out *out, const struct apf_file_facts *f)
{
    if (f->n_bare == 0)
        return;
    write_label(out, "functions");
    if (f->n_bare < f->n_profiles) {
        text_append(out, "of ");
        info_write_count(out, f->n_bare, "profile ", "profiles ");
    }
    text_append(out, f->metadata == APF_METADATA_DEBUG_INFO ? "in the debug information of "
                     : f->metadata == APF_METADATA_BINARY   ? "in sections of "
                                                            : "in ");
    if (f->n_binary_ids == 1) {
        text_append(out, "the program with build id ");
        info_write_digits(out, f->binary_ids[0]);
        text_append(out, "\n");
    } else {
        text_append(out,
                    f->n_binary_ids ? "the programs with these build ids\n" : "the program that wrote it\n");
    }
}

static void write_values(struct file_out *out, const struct apf_file_facts *f)
{
    for (unsigned kind = 0; kind < APF_VALUE_KINDS; kind++) {
        if (!f->n_sites[kind])
            continue;
        write_label(out, value_kinds[kind]);
        info_write_count(out, f->n_sites[kind], "site", "sites");
        if (f->file->kind != APF_KIND_ELF) { /* programs have no values yet */
            text_append(out, ", ");
            info_write_count(out, f->n_values[kind], "value", "values");
        }
        text_append(out, "\n");
    }
}

static void write_bitmaps(struct file_out *out, const struct apf_file_facts *f)
{
    if (!f->n_bitmaps)
        return;
    write_label(out, "bitmaps");
    info_write_count(out, f->n_bitmap_bytes, "byte of ", "bytes of ");
    info_write_count(out, f->n_bitmaps, "function\n", "functions\n");
}

static void write_releases(struct file_out *out, const char *label, uint64_t set, const char *none,
                           const char *why)
{
    write_label(out, label);
    if (set)
        release_words_print(out, set);
    else
        text_append(out, why ? "none: " : none);
    text_append(out, why ? why : "");
    text_append(out, "\n");
}

/* Indexed profiles do not tell LLVM's tool from anyprof. */
static void write_writers(struct file_out *out, const struct apf_file_facts *f)
{
    bool indexed = f->file->kind == APF_KIND_INSTR_INDEXED;
    write_releases(out, indexed ? "format of" : "written by", f->producers, "unknown", NULL);
}

static void write_findings(struct file_out *out, const struct apf_file_facts *f)
{
    for (size_t i = 0; i < f->n_findings; i++) {
        write_label(out, f->findings[i].severity == APF_SEVERITY_NOTE ? "note" : "warning");
        text_append(out, f->findings[i].text);
        text_append(out, " (");
        text_decimal(out, f->findings[i].n, 0);
        text_append(out, ")\n");
    }
}

static void write_content(struct file_out *out, const struct apf_file_facts *f)
{
    write_some(out, "profiles", f->n_profiles > 1 ? f->n_profiles : 0);
    write_functions(out, f);
    write_bare(out, f);
    write_number(out, "counters", f->n_counters);
    write_values(out, f);
    write_bitmaps(out, f);
    if (f->n_traces_seen) {
        write_label(out, "traces");
        text_decimal(out, f->n_traces, 0);
        text_append(out, " of ");
        text_decimal(out, f->n_traces_seen, 0);
        text_append(out, " seen\n");
    }
    write_some(out, "vtable names", f->n_vtable_names);
    if (f->memprof_version != APF_MEMPROF_NO_VERSION)
        write_number(out, "memprof version", f->memprof_version);
    bool all = file_kind_has(f->file->kind, KIND_ALL_RELEASES);
    if (!all)
        write_writers(out, f);
    write_releases(out, "read by", f->readers, all ? "all" : "none", f->refusal);
    write_findings(out, f);
}

static void write_elf(struct file_out *out, const struct apf_file_facts *f)
{
    static const struct {
        uint32_t bit;
        const char *words;
    } rows[] = {{APF_ELF_INSTRUMENTED, "instrumented"},   {APF_ELF_COVERAGE_MAP, "coverage map"},
                {APF_ELF_PROBES, "pseudo probes"},        {APF_ELF_BAT, "BOLT address translation"},
                {APF_ELF_MEMPROF, "memory profiling"},    {APF_ELF_GCOV, "instrumented for gcov"},
                {APF_ELF_BOLTED, "code of BOLT"},         {APF_ELF_BOLT_INSTRUMENTED, "instrumented by BOLT"},
                {APF_ELF_DEBUG_INFO, "debug information"}};
    const char *before = "";
    write_label(out, "contents");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (f->file->contents & rows[i].bit) {
            text_append(out, before);
            text_append(out, rows[i].words);
            before = ", ";
        }
    text_append(out, *before ? "\n" : "nothing about profiling\n");
    if (f->file->contents & APF_ELF_STRIPPED) {
        write_label(out, "symbols");
        text_append(out, "stripped\n");
    }
    if (f->version) {
        write_label(out, "writes");
        text_append(out, "raw profiles of version ");
        text_decimal(out, f->version, 0);
        text_append(out, "\n");
    }
    write_some(out, "functions", f->n_functions);
    write_some(out, "counters", f->n_counters);
    write_values(out, f);
    write_bitmaps(out, f);
    if (f->version)
        write_releases(out, "made by", f->producers, "unknown", NULL);
}

static void write_parts(struct file_out *out, const struct apf_file_facts *f)
{
    uint64_t profile = UINT64_MAX;
    for (size_t i = 0; i < f->n_parts; i++) {
        const struct apf_file_part *p = &f->parts[i];
        if (i == 0 || (f->n_profiles > 1 && p->profile != profile)) {
            text_append(out, "\n      offset        bytes   share  part");
            if (f->n_profiles > 1) {
                text_append(out, " of profile ");
                text_decimal(out, p->profile + 1, 0);
            }
            text_append(out, "\n");
        }
        profile = p->profile;
        text_decimal(out, p->offset, 12);
        text_append(out, " ");
        text_decimal(out, p->size, 12);
        text_append(out, " ");
        text_share(out, p->size, f->unpacked_size, 3);
        text_append(out, " %  ");
        struct apf_str name = {p->name, strlen(p->name)};
        text_name(out, name);
        text_append(out, "\n");
    }
}

static void write_digests(struct file_out *out, const struct apf_file_facts *f)
{
    for (size_t i = 0; i < f->n_binary_ids; i++) {
        write_label(out, "binary id");
        info_write_digits(out, f->binary_ids[i]);
        text_append(out, "\n");
    }
    if (f->build_digest) {
        write_label(out, "build digest");
        text_hex_digits(out, f->build_digest, HEX_MAX);
        text_append(out, "\n");
    }
}

static void write_announced(struct file_out *out, const char *label, uint64_t n)
{
    if (n == 0)
        return;
    write_label(out, label);
    text_decimal(out, n, 0);
    text_append(out, ", by its header\n");
}

/* Writes the facts of a damaged file, from its header. */
static void write_damaged(struct file_out *out, const struct apf_file_facts *f)
{
    write_announced(out, "functions", f->n_functions);
    write_announced(out, "counters", f->n_counters);
    if (f->producers)
        write_writers(out, f);
    write_digests(out, f);
    write_label(out, "unreadable");
    text_message(out, f->error->message);
    text_append(out, "\n");
}

static void write_whole(struct file_out *out, const struct apf_file_facts *f)
{
    if (info_is_profile(f))
        write_content(out, f);
    else if (f->file->kind == APF_KIND_ELF)
        write_elf(out, f);
    else
        write_some(out, "functions", f->n_functions);
    for (size_t i = 0; i < f->n_numbers; i++)
        write_number(out, f->numbers[i].name, f->numbers[i].n);
    for (size_t i = 0; i < f->n_words; i++) {
        write_label(out, f->words[i].name);
        text_name(out, f->words[i].text);
        text_append(out, "\n");
    }
    if (file_kind_has(f->file->kind, KIND_SAMPLES))
        write_findings(out, f);
    write_digests(out, f);
    write_parts(out, f);
}

static void write_file(struct file_out *out, const struct apf_file_facts *f)
{
    text_name(out, f->path);
    text_append(out, "\n");
    if (!f->error || f->file->kind != APF_KIND_UNKNOWN) {
        write_label(out, "kind");
        info_write_kind(out, f);
        text_append(out, "\n");
    }
    if (info_has_variant(f)) {
        write_label(out, "variant");
        info_write_variant(out, f);
        text_append(out, "\n");
    }
    write_machine(out, f);
    if (!f->error || f->file->file_size)
        write_size(out, f);
    if (f->error)
        write_damaged(out, f);
    else
        write_whole(out, f);
}

int apf_info_print(const struct apf_info *info, uint32_t flags, const struct apf_output *output,
                   struct apf_error *error)
{
    struct file_out *out;
    int code = flags_check(flags, APF_INFO_JSON, "apf_info_print.flags", error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    if (flags & APF_INFO_JSON)
        code = info_write_json(info, out, error);
    else if (info->files.n == 1)
        write_file(out, &info->files.data[0]);
    else
        info_write_groups(out, info);
    return file_out_finish(out, code, error);
}
