/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* apf_rt_write returns CODE and writes nothing. SAYS: the version word of the objects. */
#include "bare_counted.h"

#include <anyprof/rt.h>

#ifdef SAYS
extern const uint64_t __llvm_profile_raw_version;
const uint64_t __llvm_profile_raw_version = SAYS;
#endif

static int send(void *calls, const void *bytes, size_t n)
{
    (void)bytes;
    (void)n;
    ++*(int *)calls;
    return 0;
}

int main(void)
{
    int calls = 0;
    if (counted() != 20)
        return 10;
    if (apf_rt_size() != 0)
        return 11;
    if (apf_rt_write(send, &calls) != CODE)
        return 12;
    return calls ? 13 : 0;
}
