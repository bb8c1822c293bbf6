/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes indexed profiles of any version. */
#ifndef INSTR_INDEXED_WRITE_H
#define INSTR_INDEXED_WRITE_H

#include "base/file.h"
#include "instr/layout/releases.h"
#include "instr/memprof/memprof_write.h"
#include "instr/model/profile.h"
#include "instr/model/write_losses.h"

struct indexed_write_options {
    struct target_choice choice;
    bool sparse, vtable_names;
    struct memprof_choice memprof;
};

/* Writes a profile whose records are sorted by name and hash and know where they were first seen. Adds what is left out
 * to `losses`. file_out_close reports a failed write. `scratch` is rewound before return. */
int indexed_write(const struct apf_instr *view, const struct indexed_write_options *options,
                  struct file_out *out, struct write_losses *losses, struct arena *scratch,
                  struct apf_error *error);

#endif
