/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the operands of .pseudoprobe. */
#ifndef PROBE_ASM_DIRECTIVE_H
#define PROBE_ASM_DIRECTIVE_H

#include <anyprof/probe.h>

#include "base/vec.h"
#include "probe/asm_text.h"

struct asm_probe {
    struct apf_probe_entry entry;     /* without address; `inlined` is in `sites` */
    struct apf_str function;          /* the spelling of its symbol; n == 0: none, as LLVM 13 to 15 write */
    VEC(struct apf_probe_site) sites; /* reused for every probe */
};

/* An error in a statement and its position. */
struct asm_fault {
    const char *p;
    const char *where, *detail;
};

enum asm_result { ASM_FINE, ASM_WRONG, ASM_NO_MEMORY };

/* Reads
 *   GUID INDEX TYPE ATTRIBUTES [DISCRIMINATOR] { @ GUID:CALL-PROBE } [FUNCTION]
 * LLVM reads a discriminator only where attribute 4 announces it, and writes it without that. */
enum asm_result asm_read_probe(struct asm_span *operands, struct asm_probe *probe, struct asm_fault *fault);

#endif
