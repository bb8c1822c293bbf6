/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Correlation of bare profiles, whose records and names stayed in the program. */
#include "base/error.h"
#include "base/options.h"
#include "instr/raw/raw_profile.h"

/* An error, since a profile without functions would lose its counts. */
static int report_missing(const struct raw_profile *raw, struct apf_error *error)
{
    struct error_at at = {raw_header_field_path(RAW_NUM_DATA), raw_header_at(raw, RAW_NUM_DATA), 0, 1};
    return error_at(error, APF_MISSING_CORRELATION, at, "%llu counters without function data",
                    (unsigned long long)raw->field[RAW_NUM_COUNTERS]);
}

/* LLVM decides by these words alone, which are all 0 in a bare profile; but bare front-end profiles of LLVM 14 to 16
 * have a CountersDelta. */
static bool has_metadata(const struct raw_profile *raw)
{
    return !raw_profile_is_bare(raw) && (raw->field[RAW_NUM_DATA] || raw->field[RAW_NAMES_SIZE] ||
                                         raw->field[RAW_COUNTERS_DELTA] || raw->field[RAW_NAMES_DELTA]);
}

/* A section of another size is of another build: its counters would be counted for the wrong functions. */
static int check_size(const char *where, const char *what, uint64_t found, uint64_t expected,
                      struct apf_error *error)
{
    struct error_at at = {where, NO_OFFSET, found, expected};
    if (found == expected)
        return APF_OK;
    return error_at(error, APF_UNABLE_TO_CORRELATE, at, "the program has other %s: it is of another build",
                    what);
}

/* Asks the source, and copies its answer. */
static int ask_source(struct apf_correlation *copy, const struct apf_correlation_source *source,
                      const struct apf_bare_profile *profile, struct apf_error *error)
{
    const struct apf_correlation *found = NULL;
    int code = source->find(source->user, profile, &found, error);
    if (code == APF_OK)
        code = OPTIONS_READ(apf_correlation, copy, found, error);
    if (code == APF_OK && copy->n && copy->function_size < sizeof *copy->functions)
        code = error_plain(error, APF_ARGUMENT, "correlation.function_size", "it is %zu, and at least %zu",
                           copy->function_size, sizeof *copy->functions);
    return code;
}

int raw_profile_correlate(struct raw_profile *raw, const struct apf_correlation_source *from,
                          const struct apf_str *ids, size_t n_ids, struct apf_error *error)
{
    struct apf_correlation_source source;
    struct apf_correlation found;
    int code = OPTIONS_READ(apf_correlation_source, &source, from, error);
    if (code == APF_OK)
        code = flags_check(source.flags, APF_CORRELATION_ONLY_BARE, "apf_correlation_source.flags", error);
    if (code != APF_OK)
        return code;
    if (source.flags & APF_CORRELATION_ONLY_BARE && has_metadata(raw)) {
        struct error_at at = {raw_header_field_path(RAW_NUM_DATA), raw_header_at(raw, RAW_NUM_DATA),
                              raw->field[RAW_NUM_DATA], 0};
        return error_at(error, APF_UNEXPECTED_CORRELATION, at, NULL);
    }
    if (!raw_profile_is_bare(raw))
        return APF_OK;
    if (!from)
        return report_missing(raw, error);
    struct apf_bare_profile profile = {.version_word = raw->version_word,
                                       .ids = ids,
                                       .n_ids = n_ids,
                                       .counter_bytes = raw->counters.size,
                                       .bitmap_bytes = raw->bitmap.size,
                                       .pointer_bits = 8 * raw->pointer_bytes,
                                       .big_endian = (bool)HOST_BIG_ENDIAN != raw->swap};
    code = ask_source(&found, &source, &profile, error);
    if (code == APF_OK)
        code =
            check_size("raw.header.num_counters", "counters", raw->counters.size, found.counter_bytes, error);
    if (code == APF_OK && raw->bitmap.size)
        code =
            check_size("raw.header.num_bitmap_bytes", "bitmaps", raw->bitmap.size, found.bitmap_bytes, error);
    if (code == APF_OK) {
        raw->correlation = found;
        raw->correlated = true;
        raw->n_records = found.n;
    }
    return code;
}
