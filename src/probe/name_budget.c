/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/name_budget.h"

#define SHORT_NAME 256u
/* Bytes of long names for each byte of the file, and for any file. */
#define MOST_SHARING 16u
#define SHARING_ANYWAY ((uint64_t)1 << 20)

struct name_budget name_budget_start(const struct apf_probes *p)
{
    uint64_t size = p->elf ? elf_file_size(p->elf) : (uint64_t)p->files[0].n + p->files[1].n;
    bool fits = size < (UINT64_MAX - SHARING_ANYWAY) / MOST_SHARING;
    return (struct name_budget){fits ? SHARING_ANYWAY + MOST_SHARING * size : UINT64_MAX};
}

bool name_budget_spend(struct name_budget *budget, size_t n)
{
    if (n <= SHORT_NAME)
        return true;
    bool fits = n <= budget->left;
    budget->left = fits ? budget->left - n : 0; /* after a name that was too long, all long ones are */
    return fits;
}

struct apf_str name_budget_text(const struct name_budget *budget, const char *text)
{
    uint64_t most = budget->left > SHORT_NAME ? budget->left : SHORT_NAME;
    size_t limit = most < SIZE_MAX ? (size_t)most + 1 : SIZE_MAX;
    return (struct apf_str){text, strnlen(text, limit)};
}

void name_budget_write(struct name_budget *budget, struct file_out *out, struct apf_str name, uint64_t guid)
{
    struct apf_str start = file_out_shown(out, name);
    const struct apf_str shown = start;
    bool whole = name_budget_spend(budget, shown.n);
    for (start.n = whole ? shown.n : SHORT_NAME; !whole && start.n && (shown.p[start.n] & 0xC0) == 0x80;)
        start.n--; /* to the beginning of a character */
    text_name(out, start);
    if (whole)
        return;
    text_append(out, guid ? "...[" : "...");
    if (!guid)
        return;
    text_decimal(out, shown.n, 0);
    text_append(out, " bytes, GUID ");
    text_decimal(out, guid, 0);
    text_append(out, "]");
}
