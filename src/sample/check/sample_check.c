/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/check/sample_check.h"

#include "sample/check/sample_checker.h"
#include "sample/read/sample_formats.h"

/* The check of each format, which goes on after damage. */
static const struct {
    uint32_t format;
    void (*check)(struct sample_checker *k);
    bool lines, columns; /* findings have lines, and columns */
} formats[] = {
    {APF_SAMPLE_TEXT, sample_text_check, true, false},
    {APF_SAMPLE_BINARY, sample_binary_check, false, false},
    {APF_SAMPLE_COMPACT, sample_compact_check, false, false},
    {APF_SAMPLE_EXTBINARY, sample_ext_check, false, false},
    {APF_SAMPLE_GCC, sample_gcc_check, false, false},
    {APF_SAMPLE_JSON, NULL, true, true},
};
#define N_FORMATS (sizeof formats / sizeof *formats)

/* Reads the profile. If the reader refuses it, reads the functions before the damage, and returns the error. */
static int read_profile(struct sample_checker *k, struct apf_error *refused)
{
    struct sample_progress progress = {0};
    struct sample_read_options options = *k->options;
    struct apf_error ignored;
    options.progress = &progress;
    int code = sample_read_any(k->s, k->data, k->n, &options, refused);
    if (code == APF_OK || code == APF_NO_MEMORY)
        return code;
    options.progress = NULL;
    options.max_functions = progress.n_functions;
    sample_reset(k->s);
    int again = progress.n_functions ? sample_read_any(k->s, k->data, k->n, &options, &ignored) : APF_OK;
    if (again != APF_OK)
        sample_reset(k->s);
    return again == APF_NO_MEMORY ? again : code;
}

/* Findings of the reader that are reported with their places instead. */
static bool is_found_otherwise(unsigned finding)
{
    switch (finding) {
    case SAMPLE_FINDING_REPEATED_FUNCTION:
    case SAMPLE_FINDING_REPEATED_ENTRIES:
    case SAMPLE_FINDING_MIXED_PROBES:
    case SAMPLE_FINDING_UNKNOWN_SECTION:
    case SAMPLE_FINDING_FLAT_MARKERS:
    case SAMPLE_FINDING_MIXED_CONTEXTS:
    case SAMPLE_FINDING_REPLACED_TARGETS:
    case SAMPLE_FINDING_CUT_OFF:
    case SAMPLE_FINDING_MISLABELLED:
    case SAMPLE_FINDING_NAME_AT_0:
    case SAMPLE_FINDING_NO_MODULES:
    case SAMPLE_FINDING_TRAILING:
    case SAMPLE_FINDING_UNREAD_END:
        return true;
    default:
        return false;
    }
}

static void report_findings(struct sample_checker *k)
{
    for (unsigned i = 0; i < SAMPLE_FINDING_COUNT; i++) {
        const struct apf_finding *row = &sample_finding_table.rows[i];
        struct error_at at = {row->where, NO_OFFSET, k->s->findings[i], 0};
        if (at.found && !is_found_otherwise(i))
            check_with_numbers(k->c, row->severity, row->code, at, row->text);
    }
}

static void check_format(struct sample_checker *k, unsigned row)
{
    struct apf_error refused;
    bool text = formats[row].format == APF_SAMPLE_TEXT; /* which is read as one part after the other */
    int code = text ? APF_OK : read_profile(k, &refused);
    if (code == APF_NO_MEMORY) {
        check_memory(k->c);
        return;
    }
    k->whole = code == APF_OK;
    k->c->refused = k->whole ? NULL : &refused;
    k->s->info.format = formats[row].format;
    if (formats[row].check)
        formats[row].check(k);
    if (!k->whole && k->c->refused && !k->c->refusal_reported)
        check_failure(k->c, &refused);
    k->c->refused = NULL;
    check_no_function(k->c);
    sample_profile_check(k);
    report_findings(k);
}

int sample_check(struct check *c, const struct sample_read_options *options, const uint8_t *data, size_t n)
{
    struct sample_checker k = {
        .c = c, .options = options, .data = data, .n = n, .summary_at = NO_OFFSET, .s = sample_new()};
    const struct sample_format *format = sample_format_find(data, n);
    unsigned row = 0;
    while (row < N_FORMATS && (!format || formats[row].format != format->format))
        row++;
    if (!k.s) {
        check_memory(c);
    } else if (row < N_FORMATS) {
        k.s->origins = &k.origins;
        if (formats[row].lines)
            check_text(c, data, n, formats[row].columns);
        check_format(&k, row);
        check_text_end(c);
    } else {
        struct apf_error refused;
        (void)sample_read_any(k.s, data, n, options, &refused);
        check_failure(c, &refused);
    }
    sample_free(k.s);
    sample_origins_free(&k.origins);
    return c->code;
}
