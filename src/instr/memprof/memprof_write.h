/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the MemProf section of an indexed profile. */
#ifndef INSTR_MEMPROF_WRITE_H
#define INSTR_MEMPROF_WRITE_H

#include "instr/model/memprof_model.h"

struct memprof_choice {
    unsigned version;
    uint32_t fields; /* bits of the fields that are written */
};

/* A vector, see base/vec.h. */
struct memprof_section {
    uint8_t *data;
    size_t n, capacity;
};

/* Makes a section for the offset `start` of a file. The caller frees it (VEC_FREE), also after a failure. */
int memprof_write(struct memprof_section *section, const struct apf_memprof *m,
                  const struct memprof_choice *choice, uint64_t start, struct apf_error *error);

#endif
