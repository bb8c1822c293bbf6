/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups the entries of a memory profile by function, and sorts them. */
#ifndef INSTR_MEMPROF_GROUP_H
#define INSTR_MEMPROF_GROUP_H

#include "instr/model/memprof_model.h"

/* Makes the allocation contexts and call sites of a function neighbours, the callees of a call site and the locations
 * of a data access profile too, and completes m->info. Neighbours keep their order; `sorted` sorts everything by
 * content. The last step of every reader, and of a merge. */
int memprof_group(struct apf_memprof *m, bool sorted, struct apf_error *error);

#endif
