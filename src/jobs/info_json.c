/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the facts of files as JSON; docs/json.md describes it. */
#include <anyprof/correlate.h>

#include "base/json_entry.h"
#include "instr/model/profile_words.h"
#include "jobs/file_kinds.h"
#include "jobs/info_print.h"

static const char *kind_word(uint32_t kind)
{
    return file_kind_row(kind)->word;
}

static void write_values(struct json_writer *w, const struct apf_file_facts *f)
{
    static const char *const kinds[APF_VALUE_KINDS] = {"indirect_calls", "memory_operations", "vtables"};
    json_key(w, "values");
    json_object_begin(w);
    for (unsigned kind = 0; kind < APF_VALUE_KINDS; kind++) {
        json_key(w, kinds[kind]);
        json_line_object(w);
        json_entry_u64(w, "sites", f->n_sites[kind]);
        json_entry_u64(w, "values", f->n_values[kind]);
        json_object_end(w);
    }
    json_object_end(w);
}

static void write_profile(struct json_writer *w, const struct apf_file_facts *f)
{
    json_key(w, "profile");
    if (!info_is_profile(f)) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_u64(w, "profiles", f->n_profiles);
    json_entry_u64(w, "bare", f->n_bare);
    json_entry_u64(w, "functions", f->n_functions);
    json_entry_u64(w, "unexecuted", f->n_unexecuted);
    json_entry_u64(w, "contextual", f->n_contextual);
    json_entry_u64(w, "pseudo", f->n_pseudo);
    json_entry_u64(w, "nameless", f->n_nameless);
    json_entry_u64(w, "counters", f->n_counters);
    write_values(w, f);
    json_entry_u64(w, "bitmaps", f->n_bitmaps);
    json_entry_u64(w, "bitmap_bytes", f->n_bitmap_bytes);
    json_entry_u64(w, "traces", f->n_traces);
    json_entry_u64(w, "traces_seen", f->n_traces_seen);
    json_entry_u64(w, "vtable_names", f->n_vtable_names);
    json_entry_known(w, "memprof_version", f->memprof_version != APF_MEMPROF_NO_VERSION, f->memprof_version);
    json_entry_findings(w, f->findings, f->n_findings);
    json_object_end(w);
}

static void write_some(struct json_writer *w, const char *key, uint64_t n)
{
    if (n)
        json_entry_u64(w, key, n);
}

static void write_sample(struct json_writer *w, const struct apf_file_facts *f)
{
    json_key(w, "sample");
    if (f->error || !file_kind_has(f->file->kind, KIND_SAMPLES)) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_u64(w, "functions", f->n_functions);
    json_entry_findings(w, f->findings, f->n_findings);
    json_object_end(w);
}

static void write_build_digest(struct json_writer *w, const struct apf_file_facts *f)
{
    json_key(w, "build_digest");
    if (f->build_digest)
        json_hash(w, f->build_digest);
    else
        json_none(w);
}

/* The place of a raw profile's metadata, if it is not in the profile. */
static const char *correlation_word(const struct apf_file_facts *f)
{
    return f->metadata == APF_METADATA_DEBUG_INFO ? "debug_info"
           : f->metadata == APF_METADATA_BINARY   ? "binary"
                                                  : NULL;
}

/* Writes the numbers of a program, or those in the header of a damaged profile. */
static void write_numbers(struct json_writer *w, const struct apf_file_facts *f)
{
    static const char *const sites[APF_VALUE_KINDS] = {"indirect_call_sites", "memory_operation_sites",
                                                       "vtable_sites"};
    json_key(w, "numbers");
    json_object_begin(w);
    if (!info_is_profile(f)) {
        write_some(w, "functions", f->n_functions);
        write_some(w, "counters", f->n_counters);
        write_some(w, "bitmaps", f->n_bitmaps);
        write_some(w, "bitmap_bytes", f->n_bitmap_bytes);
        for (unsigned kind = 0; kind < APF_VALUE_KINDS; kind++)
            write_some(w, sites[kind], f->n_sites[kind]);
    }
    for (size_t i = 0; i < f->n_numbers; i++)
        json_entry_u64(w, f->numbers[i].name, f->numbers[i].n);
    json_object_end(w);
}

static void write_words(struct json_writer *w, const struct apf_file_facts *f)
{
    json_key(w, "words");
    json_object_begin(w);
    for (size_t i = 0; i < f->n_words; i++)
        json_entry_name(w, f->words[i].name, f->words[i].text);
    json_object_end(w);
}

static void write_contents(struct json_writer *w, const struct apf_file_facts *f)
{
    static const struct {
        uint32_t bit;
        const char *word;
    } rows[] = {{APF_ELF_INSTRUMENTED, "instrumented"},
                {APF_ELF_COVERAGE_MAP, "coverage_map"},
                {APF_ELF_PROBES, "pseudo_probes"},
                {APF_ELF_BAT, "bat"},
                {APF_ELF_DEBUG_INFO, "debug_info"},
                {APF_ELF_MEMPROF, "memprof"},
                {APF_ELF_BOLTED, "bolted"},
                {APF_ELF_BOLT_INSTRUMENTED, "bolt_instrumented"},
                {APF_ELF_GCOV, "gcov"},
                {APF_ELF_STRIPPED, "stripped"}};
    json_key(w, "contents");
    json_array_begin(w);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (f->file->contents & rows[i].bit)
            json_cstring(w, rows[i].word);
    json_array_end(w);
}

static void write_parts(struct json_writer *w, const struct apf_file_facts *f)
{
    json_key(w, "parts");
    json_array_begin(w);
    for (size_t i = 0; i < f->n_parts && !json_failed(w); i++) {
        struct apf_str name = {f->parts[i].name, 0};
        while (name.p[name.n])
            name.n++;
        json_line_object(w);
        json_entry_name(w, "part", name);
        json_entry_u64(w, "profile", f->parts[i].profile);
        json_entry_u64(w, "offset", f->parts[i].offset);
        json_entry_u64(w, "bytes", f->parts[i].size);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_file(struct json_writer *w, const struct apf_info *info, size_t i)
{
    const struct apf_file_facts *f = &info->files.data[i];
    json_object_begin(w);
    json_entry_path(w, f->path);
    json_entry_error(w, "error", f->error);
    json_entry_string(w, "kind", kind_word(f->file->kind));
    json_entry_string(w, "compression", f->file->compression ? kind_word(f->file->compression) : NULL);
    json_entry_u64(w, "bytes", f->file->file_size);
    json_entry_u64(w, "unpacked_bytes", f->unpacked_size);
    json_entry_known(w, "group", info->group_of.data[i] != SIZE_MAX, info->group_of.data[i]);
    json_entry_string(w, "origin", format_word(f->origin));
    json_entry_string(w, "schema", f->schema);
    json_entry_known(w, "version", f->version != 0, f->version);
    variant_words_write(w, "variant", f->variant);
    json_entry_string(w, "correlation", correlation_word(f));
    json_entry_string(w, "byte_order", info_is_ordered(f) ? f->big_endian ? "big" : "little" : NULL);
    json_entry_known(w, "pointer_bits", f->pointer_bits != 0, f->pointer_bits);
    release_words_write(w, "written_by", f->producers);
    release_words_write(w, "read_by", f->readers);
    json_entry_string(w, "refusal", f->refusal);
    json_entry_digits(w, "binary_ids", f->binary_ids, f->n_binary_ids);
    write_build_digest(w, f);
    write_profile(w, f);
    write_sample(w, f);
    write_contents(w, f);
    write_numbers(w, f);
    write_words(w, f);
    write_parts(w, f);
    json_object_end(w);
}

/* Words for the ways to identify a build. */
static const char *const build_words[] = {[INFO_BUILD_UNKNOWN] = NULL,
                                          [INFO_BUILD_IDS] = "binary_ids",
                                          [INFO_BUILD_DIGEST] = "build_digest",
                                          [INFO_BUILD_NONE] = NULL};

static void write_group(struct json_writer *w, const struct apf_info *info, const struct info_group *group)
{
    const struct apf_file_facts *f = &info->files.data[group->first];
    json_object_begin(w);
    json_entry_u64(w, "files", group->n_files);
    json_entry_u64(w, "bytes", group->n_bytes);
    json_entry_known(w, "functions", file_kind_has(f->file->kind, KIND_SAMPLES), group->n_functions);
    json_entry_u64(w, "first", group->first);
    json_entry_string(w, "kind", kind_word(f->file->kind));
    json_entry_string(w, "origin", format_word(f->origin));
    json_entry_known(w, "version", f->version != 0, f->version);
    variant_words_write(w, "variant", f->variant);
    json_entry_digits(w, "binary_ids", f->binary_ids, f->n_binary_ids);
    write_build_digest(w, f);
    json_entry_string(w, "build_by", build_words[info_build_of(f)]);
    json_key(w, "programs");
    json_array_begin(w);
    for (size_t i = 0; i < group->n_programs; i++)
        json_u64(w, info->programs.data[group->programs + i]);
    json_array_end(w);
    json_entry_string(w, "programs_by",
                      group->n_programs == 0   ? NULL
                      : group->by_build_digest ? "build_digest"
                                               : "binary_ids");
    json_object_end(w);
}

int info_write_json(const struct apf_info *info, struct file_out *out, struct apf_error *error)
{
    struct json_writer w;
    json_start(&w, file_out_callback, out, 2);
    json_object_begin(&w);
    json_head(&w, "anyprof-info/1");
    json_key(&w, "totals");
    json_object_begin(&w);
    json_entry_u64(&w, "files", info->files.n);
    json_entry_u64(&w, "bytes", info->n_bytes);
    json_entry_u64(&w, "groups", info->groups.n);
    json_entry_u64(&w, "unreadable", info->n_unreadable);
    json_object_end(&w);
    json_key(&w, "groups");
    json_array_begin(&w);
    for (size_t i = 0; i < info->groups.n && !json_failed(&w); i++)
        write_group(&w, info, &info->groups.data[i]);
    json_array_end(&w);
    json_key(&w, "files");
    json_array_begin(&w);
    for (size_t i = 0; i < info->files.n && !json_failed(&w); i++)
        write_file(&w, info, i);
    json_array_end(&w);
    json_object_end(&w);
    return json_finish(&w, error);
}
