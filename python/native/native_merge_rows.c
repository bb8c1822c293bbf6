/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of a merge and its inputs, as rows. */
#include <anyprof/merge.h>
#include <anyprof/sample_merge.h>

#include "calls.h"
#include "rows.h"

static const struct row_field instr_totals_fields[] = {
    FIELD(U64, apf_merge_stats, n_inputs, "all inputs"),
    FIELD(U64, apf_merge_stats, n_merged, "inputs that were added whole"),
    FIELD(U64, apf_merge_stats, n_empty, "files of 0 bytes"),
    FIELD(U64, apf_merge_stats, n_rejected, "inputs of which nothing was added"),
    FIELD(U64, apf_merge_stats, n_salvaged, "inputs of which only the intact part was added"),
    FIELD(U64, apf_merge_stats, salvaged_functions, "records of salvaged inputs that were added"),
    FIELD(U64, apf_merge_stats, salvage_lost_functions,
          "records of salvaged inputs that are known to be lost"),
    FIELD(U64, apf_merge_stats, salvage_lost_values, "records of salvaged inputs whose values are lost"),
    FIELD(U64, apf_merge_stats, salvage_found_names, "salvaged records whose name comes from another input"),
    FIELD(U64, apf_merge_stats, salvage_lost_names, "salvaged records without a name, which are left out"),
    FIELD(U64, apf_merge_stats, n_held, "inputs that the output held already"),
    FIELD(U64, apf_merge_stats, n_removed, "inputs that were removed"),
    FIELD(U64, apf_merge_stats, removed_bytes, "their size on the disk"),
    FIELD(U64, apf_merge_stats, n_not_removed, "inputs that should have been removed, but were not"),
    FIELD(U64, apf_merge_stats, n_undeletable, "those of them that the system refused to remove"),
    FIELD(U64, apf_merge_stats, n_fast, "profiles added by the fast path; may vary with threads"),
    FIELD(U64, apf_merge_stats, n_functions, "records of the result"),
    FIELD(U64, apf_merge_stats, count_mismatches,
          "functions left out: same name and hash, other number of counters"),
    FIELD(U64, apf_merge_stats, bitmap_mismatches, "records whose bitmap was left out: other size"),
    FIELD(U64, apf_merge_stats, numbering_mismatches,
          "records whose bitmap was left out: other numbering of test vectors"),
    FIELD(U64, apf_merge_stats, site_mismatches,
          "records whose values of one kind were left out: other number of sites"),
    FIELD(U64, apf_merge_stats, saturated, "functions with a count cut at its maximum"),
    FIELD(U64, apf_merge_stats, truncated_sites, "value sites cut to 255 values"),
    FIELD(U64, apf_merge_stats, truncated_values, "how many values that dropped"),
    FIELD(U64, apf_merge_stats, unknown_targets, "values whose name is unknown: written as 0"),
    FIELD(U64, apf_merge_stats, nameless, "records lost because no input had their name"),
    FIELD(U64, apf_merge_stats, missing_value_data,
          "raw profiles whose announced value data is not in the file"),
    FIELD(U64, apf_merge_stats, large_counters, "raw counters above 2**56, which suggest damage"),
    FIELD(U64, apf_merge_stats, renamed, "local functions renamed for the target's separator"),
    FIELD(U64, apf_merge_stats, renamed_merged, "of these, records that were added to another one"),
    FIELD(U64, apf_merge_stats, remapped, "records renamed as was asked for"),
    FIELD(U64, apf_merge_stats, remapped_merged, "of these, records that were added to another one"),
    FIELD(U64, apf_merge_stats, names, "functions before the filter"),
    FIELD(U64, apf_merge_stats, filtered, "of these, those it left out"),
    FIELD(U64, apf_merge_stats, front_end_in_ir, "front-end profiles merged with IR profiles"),
    FIELD(U64, apf_merge_stats, memprof_dropped, "inputs whose memory profile was left out"),
    FIELD(U64, apf_merge_stats, dropped_values, "value sites that the version cannot hold"),
    FIELD(U64, apf_merge_stats, dropped_bitmaps, "records whose bitmap the version cannot hold"),
    FIELD(U64, apf_merge_stats, dropped_traces, "traces that the version cannot hold"),
    FIELD(U64, apf_merge_stats, dropped_ids, "binary ids that the version cannot hold"),
    FIELD(U64, apf_merge_stats, dropped_vtable_names, "vtable names that were left out"),
    FIELD(U64, apf_merge_stats, dropped_uniformity, "records whose uniformity bits the version cannot hold"),
    FIELD(U64, apf_merge_stats, dropped_records, "records that the version cannot hold"),
    FIELD(U64, apf_merge_stats, dropped_variants, "variant bits that the target does not know"),
    FIELD(U64, apf_merge_stats, sparse_dropped, "functions left out by sparse output"),
    FIELD(U64, apf_merge_stats, other_hash_scheme,
          "front-end inputs whose hashes readers compute in another way"),
    FIELD(U64, apf_merge_stats, bitmap_numbering, "records whose bitmap readers number in another way"),
    FIELD(U64, apf_merge_stats, cannot_read,
          "auto: possible producers that cannot read the version, a bit each"),
    FIELD(U64, apf_merge_stats, keep_ids,
          "auto: possible producers that would read a version without binary ids, a bit each"),
    FIELD(U64, apf_merge_stats, version_guessed, "1: no input says which compiler made it"),
    FIELD(U64, apf_merge_stats, variant, "Variant bits that were written"),
    FIELD(U64, apf_merge_stats, memprof_functions, "functions of the memory profile"),
    FIELD(U64, apf_merge_stats, memprof_contexts, "its allocation contexts"),
    FIELD(U64, apf_merge_stats, memprof_saturated, "memory profiles: sums that are the largest there can be"),
    FIELD(U64, apf_merge_stats, dropped_memprof, "functions whose memory profile the version cannot hold"),
    FIELD(U64, apf_merge_stats, dropped_fields, "fields of allocation contexts that are not written"),
    FIELD(U64, apf_merge_stats, dropped_callees, "callees that only MemProf version 4 can hold"),
    FIELD(U64, apf_merge_stats, dropped_data, "data access profiles that only MemProf version 4 can hold"),
    FIELD(U32, apf_merge_stats, version, "indexed version that was written"),
    FIELD(INDEX, apf_merge_stats, memprof_version, "version of the MemProf data, or None"),
};
SHAPE(shape_instr_totals, "anyprof.InstrTotals", instr_totals_fields,
      "What a merge of instrumentation profiles has added, lost and changed.");

static const struct row_field sample_totals_fields[] = {
    FIELD(U64, apf_sample_merge_stats, n_inputs, "all inputs"),
    FIELD(U64, apf_sample_merge_stats, n_merged, "inputs that were added whole"),
    FIELD(U64, apf_sample_merge_stats, n_empty, "files of 0 bytes"),
    FIELD(U64, apf_sample_merge_stats, n_rejected, "inputs of which nothing was added"),
    FIELD(U64, apf_sample_merge_stats, n_salvaged, "inputs of which only the intact part was added"),
    FIELD(U64, apf_sample_merge_stats, salvaged_functions, "functions of salvaged inputs that were added"),
    FIELD(U64, apf_sample_merge_stats, salvage_lost_functions,
          "functions of salvaged inputs that are known to be lost"),
    FIELD(U64, apf_sample_merge_stats, n_held, "inputs that the output held already"),
    FIELD(U64, apf_sample_merge_stats, n_removed, "inputs that were removed"),
    FIELD(U64, apf_sample_merge_stats, removed_bytes, "their size on the disk"),
    FIELD(U64, apf_sample_merge_stats, n_not_removed, "inputs that should have been removed, but were not"),
    FIELD(U64, apf_sample_merge_stats, n_undeletable, "those of them that the system refused to remove"),
    FIELD(U64, apf_sample_merge_stats, n_functions, "functions of the result, at the top level"),
    FIELD(U64, apf_sample_merge_stats, n_inlined, "functions inlined in these"),
    FIELD(U64, apf_sample_merge_stats, checksum_mismatches,
          "functions left out because their checksum contradicts others"),
    FIELD(U64, apf_sample_merge_stats, inlined_mismatches, "inlined functions left out for the same reason"),
    FIELD(U64, apf_sample_merge_stats, mismatch_samples, "the samples of both"),
    FIELD(U64, apf_sample_merge_stats, saturated, "functions with a count cut at its maximum"),
    FIELD(U64, apf_sample_merge_stats, remapped, "functions renamed as was asked for"),
    FIELD(U64, apf_sample_merge_stats, remapped_merged, "of these, those that were added to another one"),
    FIELD(U64, apf_sample_merge_stats, cold_count,
          "the count below which functions are cold; 0: not asked for"),
    FIELD(U64, apf_sample_merge_stats, cold_merged, "cold functions that lost frames of their context"),
    FIELD(U64, apf_sample_merge_stats, cold_trimmed, "cold functions that were left out"),
    FIELD(U64, apf_sample_merge_stats, cold_samples, "their samples"),
    FIELD(U64, apf_sample_merge_stats, names, "functions before the filter"),
    FIELD(U64, apf_sample_merge_stats, filtered, "of these, those it left out"),
    FIELD(U64, apf_sample_merge_stats, over_limit, "functions left out because of a size limit"),
};
SHAPE(shape_sample_totals, "anyprof.SampleTotals", sample_totals_fields,
      "What a merge of sample profiles has added, lost and changed.");

static const struct row_field sample_written_fields[] = {
    FIELD(U32, apf_sample_write_result, format, "SampleFormat"),
    FIELD(U32, apf_sample_write_result, version, "version of the format"),
    FIELD(U32, apf_sample_write_result, layout, "layout of the format: enum apf_sample_layout"),
    FIELD(U32, apf_sample_write_result, flags, "SampleFlag bits of the output"),
    FIELD(U64, apf_sample_write_result, llvm_readers, "releases of LLVM that read it: see releases()"),
    FIELD(U64, apf_sample_write_result, gcc_readers, "releases of GCC that read it"),
    FIELD(U64, apf_sample_write_result, lost_contexts,
          "functions that were added to those of their name, without callers"),
    FIELD(U64, apf_sample_write_result, lost_variants, "functions left out then: other checksums"),
    FIELD(U64, apf_sample_write_result, lost_functions, "functions that the format cannot hold"),
    FIELD(U64, apf_sample_write_result, lost_inlined, "inlined functions that it cannot hold"),
    FIELD(U64, apf_sample_write_result, lost_targets, "call targets that it cannot hold"),
    FIELD(U64, apf_sample_write_result, lost_lines, "lines that readers refuse"),
    FIELD(U64, apf_sample_write_result, lost_discriminators,
          "lines and inlined functions without their discriminator"),
    FIELD(U64, apf_sample_write_result, misread_targets, "call targets that GCC 10 and 11 would misread"),
    FIELD(U64, apf_sample_write_result, lost_checksums, "functions without their checksum"),
    FIELD(U64, apf_sample_write_result, lost_attributes, "functions without their attributes"),
    FIELD(U64, apf_sample_write_result, lost_times, "functions without the time of their first sample"),
    FIELD(U64, apf_sample_write_result, lost_files, "names without their source file"),
    FIELD(U64, apf_sample_write_result, lost_vtables, "types of objects"),
    FIELD(U64, apf_sample_write_result, lost_symbols, "names in the list of all functions"),
    FIELD(U64, apf_sample_write_result, lost_totals, "functions whose total readers compute otherwise"),
    FIELD(U64, apf_sample_write_result, changed_names, "names without suffixes that compilers ignore"),
    FIELD(U64, apf_sample_write_result, decimal_names, "names known by hash that became decimal numbers"),
    FIELD(U64, apf_sample_write_result, numbers_as_hashes, "names that readers take for hashes"),
    FIELD(U64, apf_sample_write_result, numbered, "inlined functions with such a name"),
    FIELD(U64, apf_sample_write_result, hashed_names, "names written as hashes; nothing is lost"),
    FIELD(U64, apf_sample_write_result, unmatched_hashes,
          "inlined functions in a file of hashes that may lose counts"),
    FIELD(U64, apf_sample_write_result, not_split,
          "1: the split layout was asked for, and the profile has contexts"),
    FIELD(U32, apf_sample_write_result, lost_flags, "SampleFlag bits that the format has no word for"),
};
SHAPE(shape_sample_written, "anyprof.SampleWritten", sample_written_fields,
      "What was written of a sample profile, and what the output has no place for.");

/* ---- inputs ---- */

/* A list of strings: "warning: text (3 times)". */
static PyObject *findings_list(const struct apf_finding *findings, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++) {
        const char *severity = findings[i].severity == APF_SEVERITY_NOTE ? "note" : "warning";
        const unsigned long long times = findings[i].n;
        PyObject *text = times == 1
                             ? PyUnicode_FromFormat("%s: %s", severity, findings[i].text)
                             : PyUnicode_FromFormat("%s: %s (%llu times)", severity, findings[i].text, times);
        if (list_take(list, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *instr_findings(const struct native *native, const void *from)
{
    const struct apf_input_result *r = (const struct apf_input_result *)from;
    (void)native;
    return findings_list(r->findings, r->n_findings);
}

static PyObject *instr_ids(const struct native *native, const void *from)
{
    const struct apf_input_result *r = (const struct apf_input_result *)from;
    (void)native;
    return list_of_bytes(r->binary_ids, r->n_binary_ids);
}

static PyObject *instr_salvaged(const struct native *native, const void *from)
{
    const struct apf_salvage *salvage = ((const struct apf_input_result *)from)->salvage;
    return salvage ? row_new(native, ROW_SALVAGE, salvage) : Py_NewRef(Py_None);
}

static const struct row_field instr_input_fields[] = {
    FIELD(TEXT, apf_input_result, name, "name of the input"),
    FIELD(CODE, apf_input_result, code, "Code.OK, or why it was rejected"),
    FIELD(ERROR, apf_input_result, error, "the details: an Error, or None"),
    FIELD(U64, apf_input_result, weight, "the weight that it was added with"),
    FIELD(U32, apf_input_result, format, "InstrFormat; 0: unknown"),
    FIELD(U32, apf_input_result, version, "version of the format"),
    FIELD(U64, apf_input_result, variant, "Variant bits"),
    FIELD(U64, apf_input_result, producers, "LLVM releases that may have written it: see releases()"),
    FIELD(U64, apf_input_result, n_profiles, "raw profiles: profiles in the file; else 1"),
    FIELD(U64, apf_input_result, n_records, "number of records"),
    FIELD(U64, apf_input_result, n_counters, "number of counters"),
    FIELD(U64, apf_input_result, sum_of_counts, "sum of all counts; 2**64 - 1: that or more"),
    FIELD_BY("binary_ids", instr_ids, "build ids of the programs, list of bytes"),
    FIELD_BY("findings", instr_findings, "what is odd about it, list of str"),
    FIELD_BY("salvage", instr_salvaged, "what was kept of a damaged input, or None"),
    FIELD(BOOL, apf_input_result, losses_known, "whether the following numbers are known"),
    FIELD(U64, apf_input_result, lost_functions, "records that the result leaves out"),
    FIELD(U64, apf_input_result, lost_bitmaps, "records whose bitmap it leaves out"),
    FIELD(U64, apf_input_result, lost_values, "kinds of values of records that it leaves out"),
    FIELD(U64, apf_input_result, n_inputs, "1, or how many inputs of a partial profile this is about"),
};
SHAPE(shape_instr_input, "anyprof.InstrInput", instr_input_fields,
      "What became of one input of a merge of instrumentation profiles.");

static PyObject *sample_findings(const struct native *native, const void *from)
{
    const struct apf_sample_input_result *r = (const struct apf_sample_input_result *)from;
    (void)native;
    return findings_list(r->findings, r->n_findings);
}

static PyObject *sample_input_info(const struct native *native, const void *from)
{
    return row_new(native, ROW_SAMPLE_INFO, ((const struct apf_sample_input_result *)from)->info);
}

static PyObject *sample_salvaged(const struct native *native, const void *from)
{
    const struct apf_sample_salvage *salvage = ((const struct apf_sample_input_result *)from)->salvage;
    return salvage ? row_new(native, ROW_SAMPLE_SALVAGE, salvage) : Py_NewRef(Py_None);
}

static const struct row_field sample_input_fields[] = {
    FIELD(TEXT, apf_sample_input_result, name, "name of the input"),
    FIELD(CODE, apf_sample_input_result, code, "Code.OK, or why it was rejected"),
    FIELD(ERROR, apf_sample_input_result, error, "the details: an Error, or None"),
    FIELD(U64, apf_sample_input_result, weight, "the weight that it was added with"),
    FIELD(U64, apf_sample_input_result, sum_of_counts, "sum of all lines; 2**64 - 1: that or more"),
    FIELD_BY("info", sample_input_info, "facts about it: a SampleInfo"),
    FIELD_BY("findings", sample_findings, "what is odd about it, list of str"),
    FIELD_BY("salvage", sample_salvaged, "what was kept of a damaged input, or None"),
    FIELD(BOOL, apf_sample_input_result, losses_known, "whether lost_functions is known"),
    FIELD(U64, apf_sample_input_result, lost_functions, "functions that the result leaves out"),
    FIELD(U64, apf_sample_input_result, n_inputs, "1, or how many inputs of a partial profile this is about"),
};
SHAPE(shape_sample_input, "anyprof.SampleInput", sample_input_fields,
      "What became of one input of a merge of sample profiles.");
