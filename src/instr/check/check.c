/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/check/check.h"

#include "instr/check/check_formats.h"
#include "instr/read/formats.h"

static void check_format(struct check *c, uint32_t format, struct check_profile *p, const uint8_t *data,
                         size_t n)
{
    struct apf_error error;
    if (format == APF_FORMAT_INDEXED)
        indexed_check(c, p, data, n);
    else if (format == APF_FORMAT_RAW)
        raw_check(c, p, data, n);
    else if (format == APF_FORMAT_TEXT)
        text_check(c, p, data, n);
    check_no_function(c);
    /* The reader refuses a file with two names of one id. */
    if (!p->whole && profile_complete(p->instr, p->options, &error) == APF_NO_MEMORY)
        check_memory(c);
    profile_check(c, p);
}

void instr_check_text(struct check *c, uint32_t format, const uint8_t *data, size_t n)
{
    if (format == APF_FORMAT_TEXT || format == APF_FORMAT_JSON || format == APF_FORMAT_MEMPROF)
        check_text(c, data, n, format != APF_FORMAT_TEXT);
    else
        check_text_end(c);
}

int instr_check(struct check *c, const struct read_options *limits, const uint8_t *data, size_t n)
{
    struct check_profile p = {.options = limits, .traces_at = NO_OFFSET, .kind_at = NO_OFFSET};
    struct apf_instr_info glance = {0};
    struct apf_error refused;
    struct read_options options = *limits;
    profile_glance(&glance, data, n);
    if (glance.format == APF_FORMAT_INDEXED)
        options.flags |= APF_FLAG_DROP_MEMPROF; /* indexed_check reads the section itself */
    int code = profile_read(&p.instr, data, n, &options, &refused);
    p.whole = code == APF_OK;
    if (!p.whole)
        p.instr = profile_new();
    if (code == APF_NO_MEMORY || !p.instr) {
        profile_free(p.instr);
        check_memory(c);
        return c->code;
    }
    c->refused = p.whole ? NULL : &refused;
    instr_check_text(c, glance.format, data, n);
    check_format(c, glance.format, &p, data, n);
    if (!p.whole && !c->refusal_reported)
        check_failure(c, &refused);
    profile_free(p.instr);
    check_text_end(c);
    c->refused = NULL;
    return c->code;
}
