/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that are meant by a part of their names. */
#ifndef BASE_NAME_MEANT_H
#define BASE_NAME_MEANT_H

#include <anyprof/io.h>

#include "base/text_bytes.h"

/* Whether a name contains a part, which is not empty, or else `also`, if there is one, says that the part means it. */
static inline bool name_is_meant(struct apf_str name, struct apf_str part, apf_name_filter_fn *also,
                                 void *user)
{
    return part.n && (text_contains(name.p, name.n, part) || (also && name.n && also(user, name) > 0));
}

#endif
