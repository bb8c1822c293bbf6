/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/read/salvage.h"

#include "base/error.h"
#include "instr/read/formats.h"

bool salvage_may(int code)
{
    /* The first profile of a raw file may be intact where a later one is none, or one that cannot be read. */
    bool later = code == APF_BAD_MAGIC || code == APF_UNSUPPORTED_VERSION || code == APF_MISSING_CORRELATION;
    return later || apf_code_is_damage(code);
}

/* Counts again what readers count for each record, without the records that were dropped. */
static void count_again(struct apf_instr *instr)
{
    bool raw = instr->info.format == APF_FORMAT_RAW;
    instr->info.n_counters = 0;
    instr->max_kinds = raw ? instr->max_kinds : 0; /* for raw files it follows from the version */
    for (size_t i = 0; i < instr->records.n; i++) {
        const struct record *r = &instr->records.data[i];
        instr->info.n_counters += r->n_counts;
        for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
            if (!raw && r->n_sites[k] && instr->max_kinds < k + 1)
                instr->max_kinds = k + 1;
    }
}

static int salvage_bytes(struct apf_instr *instr, const uint8_t *data, size_t n,
                         const struct read_options *options, const struct apf_error *why,
                         struct apf_error *error)
{
    struct read_options o = *options;
    struct apf_salvage s = {.error = *why};
    o.to_merge = o.lean = false; /* names are proven by their ids, and each count is read */
    const struct instr_format *format = instr_format_of(data, n);
    int code = format && format->salvage ? format->salvage(instr, data, n, &o, &s, error) : APF_OK;
    if (code == APF_OK && instr->records.n == 0) {
        code = why->code;
        if (error)
            *error = *why;
    }
    if (code != APF_OK)
        return code;
    count_again(instr);
    code = profile_complete(instr, &o, error);
    s.functions = instr->records.n;
    s.nameless = instr->info.nameless;
    for (size_t i = 0; i < instr->records.n; i++)
        s.values += record_site_count(&instr->records.data[i]) != 0;
    s.values -= s.lost_values;
    if (code == APF_OK && !(instr->salvage = arena_alloc(&instr->arena, sizeof s)))
        code = error_memory(error);
    if (code == APF_OK)
        *instr->salvage = s;
    return code;
}

int profile_salvage_file(struct apf_instr *instr, const struct file_bytes *f,
                         const struct read_options *options, const struct apf_error *why,
                         struct apf_error *error)
{
    bool unpacked = f->n == 0 && f->proven;
    const uint8_t *data = unpacked ? (const uint8_t *)f->unpacked.data : f->data;
    return salvage_bytes(instr, data, unpacked ? f->proven : f->n, options, why, error);
}
