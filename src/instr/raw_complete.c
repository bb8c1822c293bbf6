/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles whose metadata stayed in the program. */
#include "base/error.h"
#include "instr/raw_part.h"

/* To read it as a profile without functions would lose its counts. */
static int missing(const struct raw_part *part, struct apf_error *error)
{
    struct error_at at = {raw_header_field_path(RAW_NUM_DATA), raw_header_at(part, RAW_NUM_DATA), 0, 1};
    return error_at(error, APF_MISSING_CORRELATION, at, "%llu counters without function data",
                    (unsigned long long)part->field[RAW_NUM_COUNTERS]);
}

/* LLVM goes by these words alone: in a profile without metadata all are 0. But front-end profiles of LLVM 14 to 16 have
 * a CountersDelta. */
static bool has_metadata(const struct raw_part *part)
{
    return !raw_part_is_bare(part) && (part->field[RAW_NUM_DATA] || part->field[RAW_NAMES_SIZE] ||
                                       part->field[RAW_COUNTERS_DELTA] || part->field[RAW_NAMES_DELTA]);
}

/* Of one build the sizes are the same, so that functions cannot get the counters of others. */
static int check_size(const char *where, const char *what, uint64_t found, uint64_t expected,
                      struct apf_error *error)
{
    struct error_at at = {where, NO_OFFSET, found, expected};
    if (found == expected)
        return APF_OK;
    return error_at(error, APF_UNABLE_TO_CORRELATE, at, "the program has other %s: it is of another build",
                    what);
}

int raw_part_complete(struct raw_part *part, const struct apf_correlation_source *source,
                      const struct apf_str *ids, size_t n_ids, struct apf_error *error)
{
    const struct apf_correlation *found = NULL;
    if (source && source->flags & APF_CORRELATE_ONLY_BARE && has_metadata(part)) {
        struct error_at at = {raw_header_field_path(RAW_NUM_DATA), raw_header_at(part, RAW_NUM_DATA),
                              part->field[RAW_NUM_DATA], 0};
        return error_at(error, APF_UNEXPECTED_CORRELATION, at, NULL);
    }
    if (!raw_part_is_bare(part))
        return APF_OK;
    if (!source)
        return missing(part, error);
    struct apf_bare_profile profile = {.version_word = part->version_word,
                                       .ids = ids,
                                       .n_ids = n_ids,
                                       .counter_bytes = part->counters.size,
                                       .bitmap_bytes = part->bitmap.size,
                                       .pointer_bits = 8 * part->pointer_bytes,
                                       .big_endian = (bool)HOST_BIG_ENDIAN != part->swap};
    int code = source->find(source->user, &profile, &found, error);
    if (code == APF_OK)
        code = check_size("raw.header.num_counters", "counters", part->counters.size, found->counter_bytes,
                          error);
    if (code == APF_OK && part->bitmap.size)
        code = check_size("raw.header.num_bitmap_bytes", "bitmaps", part->bitmap.size, found->bitmap_bytes,
                          error);
    if (code == APF_OK) {
        part->correlation = found;
        part->n_records = found->n;
    }
    return code;
}
