/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* More files of llvm-profdata merge --sample, and the texts that were its input. */
#ifndef HELPERS_SHARED_SAMPLE_GOLDENS_WRITE_H
#define HELPERS_SHARED_SAMPLE_GOLDENS_WRITE_H

#include "helpers/shared/sample_goldens.h"

#define GOLDEN_INLINED_METADATA                                                                              \
    "main:700:3\n 1: 100\n 2: foo:600\n  1: 400\n  2: bar:200\n   1: 200\n   !CFGChecksum: 333\n"            \
    "   !Attributes: 1\n  !CFGChecksum: 222\n  !Attributes: 3\n !CFGChecksum: 111\n !Attributes: 2\n"
#define GOLDEN_VTABLES                                                                                       \
    "foo:20:9\n 1: 20 zz:3 aa:3 bb:17\n 1: vtables _ZTV1A:3 _ZTV1B:17 \n 2: 1\n"                             \
    " 2: vtables _ZTV1C:4 \n 3: bar:5\n  1: 5\n"
#define GOLDEN_SYMBOLS "f.__uniq.7:6:1\n 1: 6\n"
#define GOLDEN_OLD "b:5:1\n 1: 5\na:5:2\n 1: 2\n 2: c:3\n  3.9: 3\nd:9:0\n"

extern const struct golden golden_inlined_metadata; /* LLVM 22 merge --extbinary */
extern const struct golden golden_vtables;          /* ... --extbinary-write-vtable-type-prof */
extern const struct golden
    golden_symbols;                    /* ... --gen-partial-profile, and a list of the symbols a, b and z */
extern const struct golden golden_old; /* LLVM 13 merge --extbinary, with that list */

#endif
