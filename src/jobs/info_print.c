/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of files, as text for people. */
#include <string.h>

#include <anyprof/correlate.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text_append.h"
#include "instr/model/profile_words.h"
#include "jobs/info_print.h"

#define LABEL_WIDTH 18u

static const char *const value_kinds[APF_VALUE_KINDS] = {"indirect calls", "memory operations", "vtables"};

/* ---- words ---- */

/* The names of numbers are words with _ between them. */
static void put_label(struct file_out *out, const char *label)
{
    size_t n = strlen(label);
    text_append(out, "  ");
    for (size_t i = 0; i < n; i++)
        (void)file_out_write(out, label[i] == '_' ? " " : label + i, 1);
    text_append(out, ":");
    text_blanks(out, n < LABEL_WIDTH ? LABEL_WIDTH - n : 1);
}

static void put_number(struct file_out *out, const char *label, uint64_t n)
{
    put_label(out, label);
    text_decimal(out, n, 0);
    text_append(out, "\n");
}

/* ---- one file ---- */

static void put_size(struct file_out *out, const struct apf_file_facts *f)
{
    put_label(out, "size");
    info_put_count(out, f->file.size, "byte", "bytes");
    if (f->file.compression) {
        text_append(out, f->file.compression == APF_KIND_GZIP ? ", gzip: " : ", zstd: ");
        info_put_count(out, f->unpacked_size, "byte unpacked", "bytes unpacked");
    }
    text_append(out, "\n");
}

static void put_machine(struct file_out *out, const struct apf_file_facts *f)
{
    if (!info_is_ordered(f))
        return;
    put_label(out, "byte order");
    text_append(out, f->big_endian ? "big-endian\n" : "little-endian\n");
    if (f->pointer_bits) {
        put_label(out, "pointers");
        info_put_count(out, f->pointer_bits, "bit\n", "bits\n");
    }
}

/* Writes a number that is not 0. */
static void put_some(struct file_out *out, const char *label, uint64_t n)
{
    if (n)
        put_number(out, label, n);
}

static void put_functions(struct file_out *out, const struct apf_file_facts *f)
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
    put_label(out, "functions");
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

/* Writes where the functions are of profiles whose functions are in their program. */
static void put_bare(struct file_out *out, const struct apf_file_facts *f)
{
    if (f->n_bare == 0)
        return;
    put_label(out, "functions");
    if (f->n_bare < f->n_profiles) {
        text_append(out, "of ");
        info_put_count(out, f->n_bare, "profile ", "profiles ");
    }
    text_append(out, f->metadata == APF_METADATA_DEBUG_INFO ? "in the debug information of "
                     : f->metadata == APF_METADATA_BINARY   ? "in sections of "
                                                            : "in ");
    if (f->n_binary_ids == 1) {
        text_append(out, "the program with build id ");
        info_put_digits(out, f->binary_ids[0]);
        text_append(out, "\n");
    } else {
        text_append(out,
                    f->n_binary_ids ? "the programs with these build ids\n" : "the program that wrote it\n");
    }
}

static void put_values(struct file_out *out, const struct apf_file_facts *f)
{
    for (unsigned kind = 0; kind < APF_VALUE_KINDS; kind++) {
        if (!f->n_sites[kind])
            continue;
        put_label(out, value_kinds[kind]);
        info_put_count(out, f->n_sites[kind], "site", "sites");
        if (f->file.kind != APF_KIND_ELF) { /* programs have none before they run */
            text_append(out, ", ");
            info_put_count(out, f->n_values[kind], "value", "values");
        }
        text_append(out, "\n");
    }
}

static void put_bitmaps(struct file_out *out, const struct apf_file_facts *f)
{
    if (!f->n_bitmaps)
        return;
    put_label(out, "bitmaps");
    info_put_count(out, f->n_bitmap_bytes, "byte of ", "bytes of ");
    info_put_count(out, f->n_bitmaps, "function\n", "functions\n");
}

static void put_releases(struct file_out *out, const char *label, uint64_t set, const char *none,
                         const char *why)
{
    put_label(out, label);
    if (set)
        release_words_print(out, set);
    else
        text_append(out, why ? "none: " : none);
    text_append(out, why ? why : "");
    text_append(out, "\n");
}

static void put_content(struct file_out *out, const struct apf_file_facts *f)
{
    put_some(out, "profiles", f->n_profiles > 1 ? f->n_profiles : 0);
    put_functions(out, f);
    put_bare(out, f);
    put_number(out, "counters", f->n_counters);
    put_values(out, f);
    put_bitmaps(out, f);
    if (f->n_traces_seen) {
        put_label(out, "traces");
        text_decimal(out, f->n_traces, 0);
        text_append(out, " of ");
        text_decimal(out, f->n_traces_seen, 0);
        text_append(out, " seen\n");
    }
    put_some(out, "vtable names", f->n_vtable_names);
    if (f->memprof_version != UINT64_MAX)
        put_number(out, "memprof version", f->memprof_version);
    if (f->file.kind != APF_KIND_INSTR_TEXT)
        put_releases(out, "written by", f->writers, "unknown", NULL);
    put_releases(out, "read by", f->readers, f->file.kind == APF_KIND_INSTR_TEXT ? "all" : "none",
                 f->refusal);
    for (size_t i = 0; i < f->n_findings; i++) {
        put_label(out, f->findings[i].severity == APF_SEVERITY_NOTE ? "note" : "warning");
        text_append(out, f->findings[i].text);
        text_append(out, " (");
        text_decimal(out, f->findings[i].n, 0);
        text_append(out, ")\n");
    }
}

static void put_elf(struct file_out *out, const struct apf_file_facts *f)
{
    static const struct {
        uint32_t bit;
        const char *words;
    } rows[] = {{APF_ELF_INSTRUMENTED, "instrumented"}, {APF_ELF_COVERAGE_MAP, "coverage map"},
                {APF_ELF_PROBES, "pseudo probes"},      {APF_ELF_BAT, "BOLT address translation"},
                {APF_ELF_MEMPROF, "memory profiling"},  {APF_ELF_DEBUG_INFO, "debug information"}};
    const char *before = "";
    put_label(out, "contents");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (f->file.contents & rows[i].bit) {
            text_append(out, before);
            text_append(out, rows[i].words);
            before = ", ";
        }
    text_append(out, *before ? "\n" : "nothing about profiling\n");
    if (f->version) {
        put_label(out, "writes");
        text_append(out, "raw profiles of version ");
        text_decimal(out, f->version, 0);
        text_append(out, "\n");
    }
    put_some(out, "functions", f->n_functions);
    put_some(out, "counters", f->n_counters);
    put_values(out, f);
    put_bitmaps(out, f);
    if (f->version)
        put_releases(out, "made by", f->writers, "unknown", NULL);
}

static void put_parts(struct file_out *out, const struct apf_file_facts *f)
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

static void put_digests(struct file_out *out, const struct apf_file_facts *f)
{
    for (size_t i = 0; i < f->n_binary_ids; i++) {
        put_label(out, "binary id");
        info_put_digits(out, f->binary_ids[i]);
        text_append(out, "\n");
    }
    if (f->shape) {
        put_label(out, "shape");
        text_hex(out, f->shape, 0);
        text_append(out, "\n");
    }
}

static void put_announced(struct file_out *out, const char *label, uint64_t n)
{
    if (n == 0)
        return;
    put_label(out, label);
    text_decimal(out, n, 0);
    text_append(out, ", by its header\n");
}

/* What its first bytes say. */
static void put_damaged(struct file_out *out, const struct apf_file_facts *f)
{
    put_announced(out, "functions", f->n_functions);
    put_announced(out, "counters", f->n_counters);
    if (f->writers)
        put_releases(out, "written by", f->writers, "unknown", NULL);
    put_digests(out, f);
    put_label(out, "unreadable");
    text_append(out, f->error->message);
    text_append(out, "\n");
}

static void put_whole(struct file_out *out, const struct apf_file_facts *f)
{
    if (info_is_profile(f))
        put_content(out, f);
    else if (f->file.kind == APF_KIND_ELF)
        put_elf(out, f);
    else
        put_some(out, "functions", f->n_functions);
    for (size_t i = 0; i < f->n_numbers; i++)
        put_number(out, f->numbers[i].name, f->numbers[i].n);
    put_digests(out, f);
    put_parts(out, f);
}

static void put_file(struct file_out *out, const struct apf_file_facts *f)
{
    text_name(out, f->path);
    text_append(out, "\n");
    if (!f->error || f->file.kind != APF_KIND_UNKNOWN) {
        put_label(out, "kind");
        info_put_kind(out, f);
        text_append(out, "\n");
    }
    if (info_has_variant(f)) {
        put_label(out, "variant");
        info_put_variant(out, f);
        text_append(out, "\n");
    }
    put_machine(out, f);
    if (!f->error || f->file.size)
        put_size(out, f);
    if (f->error)
        put_damaged(out, f);
    else
        put_whole(out, f);
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
        code = info_put_json(info, out, error);
    else if (info->files.n == 1)
        put_file(out, &info->files.data[0]);
    else
        info_put_groups(out, info);
    return file_out_finish(out, code, error);
}
