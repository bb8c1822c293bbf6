/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Quirks: deviations from the format that readers accept and report as findings. */
#ifndef INSTR_QUIRKS_H
#define INSTR_QUIRKS_H

#include <anyprof/instr.h>

#include "base/finding_table.h"

/* Every quirk with the severity, code and text of its finding. Readers count how often a file has it. Partial profiles
 * have their numbers: new ones are appended. */
#define QUIRKS(X)                                                                                            \
    X(MISSING_VALUE_DATA, WARNING, TRUNCATED,                                                                \
      "profile announces value data but holds none (written through the buffer API or in continuous mode)")  \
    X(NAMELESS, WARNING, UNKNOWN_FUNCTION, "records whose name is not in the file")                          \
    X(LARGE_COUNTER, WARNING, COUNTER_TOO_LARGE, "counters above 2^56")                                      \
    X(NO_TIMESTAMP, WARNING, MALFORMED, "temporal profile without timestamps: no trace")                     \
    X(ZERO_RECORD, NOTE, NOTE, "data records that are all zero were skipped (padding between objects)")      \
    X(RELATIVE_V7, NOTE, NOTE,                                                                               \
      "version 7 with relative counter pointers (a development version of LLVM 14)")                         \
    X(TRUNCATED_DELTA, NOTE, NOTE, "counter distances cut to 32 bits (Windows)")                             \
    X(UNPADDED_IDS, NOTE, NOTE, "binary ids without padding (LLVM 13)")                                      \
    X(UNALIGNED, NOTE, NOTE, "profile whose length is not a multiple of 8 (LLVM 14 to 16, byte coverage)")   \
    X(MEMPROF_DROPPED, NOTE, NOTE, "MemProf data was left out")                                              \
    X(MIXED_VERSIONS, NOTE, NOTE, "profiles of several raw versions in one file")                            \
    X(BITMAP_UNKNOWN, WARNING, MISSING_CORRELATION,                                                          \
      "MC/DC bitmaps were left out: the program does not show which functions they belong to")

enum quirk {
#define QUIRK_ENUM(name, severity, code, text) QUIRK_##name,
    QUIRKS(QUIRK_ENUM)
#undef QUIRK_ENUM
        QUIRK_COUNT
};

/* The name of a quirk in JSON: "NAMELESS". */
const char *quirk_name(enum quirk quirk);
/* Their rows, in the order of the enumeration. */
extern const struct finding_table quirk_table;

#endif
