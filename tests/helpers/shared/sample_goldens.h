/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of llvm-profdata merge --sample for three small profiles, and the texts that were its input. */
#ifndef HELPERS_SHARED_SAMPLE_GOLDENS_H
#define HELPERS_SHARED_SAMPLE_GOLDENS_H

#include <stddef.h>
#include <stdint.h>

/* Lines, a call target and an inlined function: raw, compact, md5, z (compressed). */
#define GOLDEN_PLAIN "ab:9:1\n 1: 4 c:3\n 2.1: c:5\n  1: 5\n"
/* Two contexts of LLVM 22 and 13, also of LLVM 13 with hashes of the texts of contexts. */
#define GOLDEN_CONTEXTS                                                                                      \
    "[m]:7:1\n 1: 7\n !Attributes: 2\n"                                                                      \
    "[m:2 @ c]:5:3\n 1: 5\n !Attributes: 1\n"
/* Checksums, also of an inlined function: probes, split. */
#define GOLDEN_PROBES                                                                                        \
    "ab:9:1\n 1: 4 c:3\n 2.1: c:5\n  1: 5\n  !CFGChecksum: 7\n !CFGChecksum: 1152921504606846975\n"          \
    "c:1:1\n 1: 1\n !CFGChecksum: 7\n"
/* Checksums as LLVM 12 and 13 write them. */
#define GOLDEN_PROBES13                                                                                      \
    "ab:9:1\n 1: 4 c:3\n !CFGChecksum: 1152921504606846975\n"                                                \
    "c:1:1\n 1: 1\n !CFGChecksum: 7\n"

struct golden {
    const uint8_t *data;
    size_t n;
};

extern const struct golden golden_raw;            /* LLVM 22 merge --binary */
extern const struct golden golden_compact;        /* LLVM 16 merge --compbinary */
extern const struct golden golden_md5;            /* LLVM 22 merge --extbinary --use-md5 */
extern const struct golden golden_z;              /* LLVM 22 merge --extbinary --compress-all-sections */
extern const struct golden golden_contexts;       /* LLVM 22 merge --extbinary */
extern const struct golden golden_contexts13;     /* LLVM 13 merge --extbinary */
extern const struct golden golden_contexts13_md5; /* LLVM 13 merge --extbinary --use-md5 */
extern const struct golden golden_probes;         /* LLVM 22 merge --extbinary */
extern const struct golden golden_split;          /* LLVM 22 merge --extbinary --split-layout */
extern const struct golden golden_probes13;       /* LLVM 13 merge --extbinary */

#endif
