/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/share_text.h"

#include "base/text_append.h"

#define PERCENT 100u /* of SHARE_ONE */

unsigned share_parts(const struct apf_cov_share *s)
{
    if (s->covered >= s->n)
        return SHARE_ONE;
    const double exact = (double)s->covered / (double)s->n * SHARE_ONE;
    return exact < SHARE_ONE ? (unsigned)exact : SHARE_ONE - 1;
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
