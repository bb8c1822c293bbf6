/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/share_text.h"

#include "base/text_append.h"

#define PERCENT 100u /* of SHARE_ONE */

unsigned share_parts(const struct apf_cov_share *s)
{
    if (s->covered >= s->n)
        return SHARE_ONE;
    uint64_t covered = s->covered, n = s->n;
    while (n > UINT64_MAX / (2 * SHARE_ONE)) { /* of which no digit is seen */
        covered /= 2;
        n /= 2;
    }
    const unsigned parts = (unsigned)((covered * SHARE_ONE + n / 2) / n);
    return parts < SHARE_ONE ? parts : SHARE_ONE - 1;
}

void share_write(struct file_out *out, const struct apf_cov_share *s)
{
    const unsigned parts = share_parts(s);
    if (!s->n) {
        text_append(out, "-");
        return;
    }
    text_decimal(out, parts / PERCENT, 0);
    text_append(out, parts % PERCENT < 10 ? ".0" : ".");
    text_decimal(out, parts % PERCENT, 0);
    text_append(out, "%");
}
