/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Oddities that readers of sample profiles accept and report as findings. */
#ifndef SAMPLE_FINDINGS_H
#define SAMPLE_FINDINGS_H

#include "base/finding_table.h"

/* Every oddity with the severity, code and text of its finding. Readers count in apf_sample.findings how often a
 * profile has it. */
#define SAMPLE_FINDINGS(X)                                                                                   \
    X(HASHED_CONTEXTS, WARNING, SAMPLE_NAME_TABLE,                                                           \
      "contexts that only a hash of their text identifies (LLVM 13 --use-md5)")                              \
    X(DECIMAL_NAMES, NOTE, NOTE, "names that are decimal numbers were read as hashes")                       \
    X(METADATA_WITHOUT_FUNCTION, NOTE, NOTE, "metadata of functions that the profile does not have")         \
    X(UNKNOWN_SECTION, WARNING, UNSUPPORTED, "sections of unknown types were skipped")                       \
    X(REPEATED_FUNCTION, NOTE, NOTE, "functions that are in the file more than once were added up")          \
    X(FLAT_MARKERS, NOTE, NOTE, "!Flat lines")                                                               \
    X(MIXED_CONTEXTS, WARNING, SAMPLE_CONTEXT_CONFLICT,                                                      \
      "functions without a context among those that have one")                                               \
    X(MIXED_PROBES, WARNING, SAMPLE_PROBE_CONFLICT,                                                          \
      "functions without a checksum among those that have one")                                              \
    X(MISLABELLED, WARNING, SAMPLE_VERSION, "GCC profile with another layout than its version says")         \
    X(NAMELESS_TARGET, NOTE, NOTE, "call targets without a name")                                            \
    X(REPEATED_VTABLES, NOTE, NOTE, "lists of vtables that LLVM 22 printed twice were counted once")         \
    X(REPLACED_TARGETS, WARNING, SAMPLE_MALFORMED,                                                           \
      "call targets that one line has twice: the last count was read, as LLVM does")                         \
    X(CUT_OFF, WARNING, SAMPLE_TRUNCATED, "the last line has no line feed: the text may have been cut off")  \
    X(REPEATED_ENTRIES, NOTE, NOTE,                                                                          \
      "GCC profile with functions that it has more than once: only their entries were added, as LLVM does")  \
    X(NAME_AT_0, WARNING, BAD_SAMPLE_GCC,                                                                    \
      "uses of the name at index 0, which must be empty (GCC does not read the profile)")                    \
    X(NO_MODULES, NOTE, NOTE,                                                                                \
      "GCC profile that ends after its functions (GCC 5 to 8 and 16 do not read it)")                        \
    X(TRAILING, WARNING, BAD_SAMPLE_GCC,                                                                     \
      "other bytes after the functions than the sections that belong there")                                 \
    X(UNREAD_END, WARNING, SAMPLE_MALFORMED,                                                                 \
      "bytes after the end of the profile, which were not read: another one may be there")

enum sample_finding {
#define SAMPLE_FINDING_ENUM(name, severity, code, text) SAMPLE_FINDING_##name,
    SAMPLE_FINDINGS(SAMPLE_FINDING_ENUM)
#undef SAMPLE_FINDING_ENUM
        SAMPLE_FINDING_COUNT
};

/* Their rows, in the order of the enumeration. */
extern const struct finding_table sample_finding_table;

#endif
