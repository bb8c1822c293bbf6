/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an output has no place for: one list for findings, their ids and the report of a merge. */
#ifndef SAMPLE_LOSSES_H
#define SAMPLE_LOSSES_H

/* Field of struct apf_sample_write_result, enum apf_sample_loss, severity, key in a report, and text of the finding.
 * lost_flags, which is no number, is not among them. */
#define SAMPLE_LOSSES(X)                                                                                     \
    X(lost_contexts, CONTEXTS, WARNING, "contexts", "functions were added up without their contexts")        \
    X(lost_variants, VARIANTS, WARNING, "variants",                                                          \
      "functions left out: the checksums of their other contexts differ")                                    \
    X(lost_functions, FUNCTIONS, WARNING, "functions",                                                       \
      "functions left out: their names or contexts cannot be written")                                       \
    X(lost_inlined, INLINED, WARNING, "inlined",                                                             \
      "inlined functions left out: their names or places cannot be written")                                 \
    X(lost_targets, TARGETS, WARNING, "targets",                                                             \
      "call targets left out: their names or places cannot be written")                                      \
    X(lost_lines, LINES, WARNING, "lines", "lines left out: their offsets are more than readers accept")     \
    X(lost_discriminators, DISCRIMINATORS, NOTE, "discriminators",                                           \
      "discriminators left out: the compiler ignores them")                                                  \
    X(misread_targets, MISREAD_TARGETS, NOTE, "misread_targets",                                             \
      "call targets left out: the compiler misreads them")                                                   \
    X(lost_checksums, CHECKSUMS, WARNING, "checksums", "checksums of functions left out")                    \
    X(lost_attributes, ATTRIBUTES, WARNING, "attributes", "attributes of functions left out")                \
    X(lost_times, TIMES, WARNING, "times", "times of first samples left out")                                \
    X(lost_files, FILES, WARNING, "files",                                                                   \
      "source files of names left out, which tell functions of one name apart")                              \
    X(lost_vtables, VTABLES, WARNING, "vtables", "types of objects (vtables) left out")                      \
    X(lost_symbols, SYMBOLS, WARNING, "symbols", "names in the list of all functions left out")              \
    X(lost_totals, TOTALS, NOTE, "totals",                                                                   \
      "totals of functions are not stored, and will be the sums of their counts")                            \
    X(changed_names, CHANGED_NAMES, NOTE, "changed_names", "names lost suffixes that the compiler ignores")  \
    X(decimal_names, DECIMAL_NAMES, WARNING, "decimal_names",                                                \
      "names of which only the hash is known became numbers: no compiler matches them")                      \
    X(numbers_as_hashes, NUMBERS_AS_HASHES, WARNING, "numbers_as_hashes",                                    \
      "names are numbers, which readers take for hashes of other names")                                     \
    X(numbered, NUMBERED, WARNING, "numbered",                                                               \
      "inlined functions have numbers as names: no LLVM reads the file")                                     \
    X(unmatched_hashes, UNMATCHED_HASHES, WARNING, "unmatched_hashes",                                       \
      "inlined functions known by hash: the release loses their counts where it does not inline them again") \
    X(not_split, NOT_SPLIT, WARNING, "not_split", "not in the split layout, which would lose all contexts")

#endif
