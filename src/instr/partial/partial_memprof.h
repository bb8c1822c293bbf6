/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory profiles in partial profiles: sums, for each class, and of inputs that have nothing else. */
#ifndef INSTR_PARTIAL_MEMPROF_H
#define INSTR_PARTIAL_MEMPROF_H

#include "instr/model/memprof_model.h"
#include "partial/partial_read.h"
#include "partial/partial_write.h"

#define PARTIAL_MEMPROF 80u
/* The class of inputs that go with all others. */
#define PARTIAL_HOLLOW UINT32_MAX

/* Writes a sum of memprof_add. */
int partial_write_memprof(struct partial_writer *file, uint32_t class, const struct apf_memprof *m,
                          struct apf_error *error);
/* Reads the next one, if *more, for memprof_add. memprof_free must follow, also after a failure. APF_BAD_PARTIAL,
 * APF_NO_MEMORY, APF_LIMIT. */
int partial_read_memprof(struct partial_reader *file, uint32_t *class, struct apf_memprof **m, bool *more,
                         struct apf_error *error);

#endif
