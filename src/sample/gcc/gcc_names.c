/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/gcc/gcc_names.h"

#include <string.h>

#include "base/number.h"

static bool ends_with(struct apf_str name, const char *end)
{
    size_t n = strlen(end);
    return name.n > n && memcmp(name.p + name.n - n, end, n) == 0;
}

/* The name without the suffix of a clone; the name itself if it has none. */
static struct apf_str cut_clone(struct apf_str name)
{
    static const char *const numbered[] = {".isra.", ".constprop.", ".lto_priv.", ".part.", ".cold."};
    struct apf_str cut = name;
    while (cut.n && number_is_digit(cut.p[cut.n - 1]))
        cut.n--;
    for (size_t i = 0; cut.n < name.n && i < sizeof numbered / sizeof *numbered; i++)
        if (ends_with(cut, numbered[i])) {
            cut.n -= strlen(numbered[i]);
            return cut;
        }
    if (ends_with(name, ".cold"))
        name.n -= strlen(".cold");
    return name;
}

struct apf_str gcc_name_stem(struct apf_str name, enum gcc_suffixes suffixes)
{
    const char *dot = suffixes == GCC_SUFFIXES_ALL && name.n ? memchr(name.p, '.', name.n) : NULL;
    if (dot && dot != name.p)
        name.n = (size_t)(dot - name.p);
    for (size_t before = name.n + 1; suffixes == GCC_SUFFIXES_CLONES && name.n < before;) {
        before = name.n;
        name = cut_clone(name);
    }
    return name;
}

size_t gcc_name_constructor(struct apf_str name)
{
    static const char *const ends[] = {"D4Ev", "C4Ev", "C4EPKc", "C4EPKcRKS2_"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (name.n > strlen(ends[i]) + 1 && ends_with(name, ends[i]))
            return name.n - strlen(ends[i]) + 1;
    return 0;
}
