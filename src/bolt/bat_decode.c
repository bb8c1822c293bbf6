/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of LEB128 numbers: BOLT 19 and later, and 18. */
#include "base/error.h"
#include "bolt/bat_model.h"

/* Minimal bytes of a record of a hot fragment, of a cold one, and of an entry. */
#define LEAST_HOT 13u
#define LEAST_COLD 5u
#define LEAST_RECORD_18 2u
#define LEAST_ENTRY 1u

#define BRANCH_BIT 1u

struct tables {
    struct apf_bat *bat;
    struct cursor *c;
    uint64_t output; /* the previous address */
    bool current;    /* else BOLT 18 */
    struct apf_error *error;
};

static int report_malformed(const struct tables *t, const char *where, uint64_t offset, const char *detail)
{
    return error_place(t->error, APF_BAD_BAT, where, offset, detail);
}

/* A failed cursor stays at the beginning of the number that could not be read. */
static int report_truncated(const struct tables *t, const char *where)
{
    return report_malformed(t, where, cursor_offset(t->c),
                            "the table ends within it, or a number has more than 64 bits");
}

/* Reads the number of items that follow, each of at least `least` bytes. */
static int read_count(struct tables *t, const char *where, size_t least, uint32_t *count)
{
    uint64_t offset = cursor_offset(t->c), n = cursor_uleb128(t->c), most = cursor_left(t->c) / least;
    struct error_at at = {where, offset, n, most};
    if (t->c->failed)
        return report_truncated(t, where);
    if (n > most || n >= APF_BAT_NONE)
        return error_bound(t->error, APF_BAD_BAT, at, "more items than fit in the section");
    *count = (uint32_t)n;
    return APF_OK;
}

/* Reads a number of at most 32 bits. */
static int read_u32(struct tables *t, const char *where, uint32_t *number)
{
    uint64_t offset = cursor_offset(t->c), n = cursor_uleb128(t->c);
    struct error_at at = {where, offset, n, UINT32_MAX};
    if (t->c->failed)
        return report_truncated(t, where);
    if (n > UINT32_MAX)
        return error_bound(t->error, APF_BAD_BAT, at, "the number has more than 32 bits");
    *number = (uint32_t)n;
    return APF_OK;
}

/* ---- entries ---- */

/* The prefix of entries whose offsets in the input follow from those in the output. */
struct prefix {
    const uint8_t *bits;
    uint32_t n;
};

static int read_prefix(struct tables *t, uint32_t n_entries, struct prefix *prefix)
{
    uint64_t offset = cursor_offset(t->c);
    int code = read_u32(t, "bat.equal", &prefix->n);
    struct error_at at = {"bat.equal", offset, prefix->n, n_entries};
    if (code != APF_OK)
        return code;
    if (prefix->n > n_entries)
        return error_bound(t->error, APF_BAD_BAT, at, "more than the number of entries");
    prefix->bits = cursor_bytes(t->c, (prefix->n + (uint64_t)7) / 8);
    return prefix->bits ? APF_OK : report_truncated(t, "bat.branch_bits");
}

/* Running sums of differences in a record. */
struct sums {
    uint64_t input; /* with the bit for branches */
    uint64_t block;
};

static int read_entry(struct tables *t, const struct apf_bat_fragment *f, const struct prefix *prefix,
                      uint32_t i, struct sums *sums)
{
    struct apf_bat_entry e = {.offset = (uint32_t)cursor_offset(t->c)};
    t->output += cursor_uleb128(t->c);
    e.output = (uint32_t)(t->output - f->address);
    if (i < prefix->n)
        sums->input =
            (uint64_t)(uint32_t)(e.output + f->skew) << 1 | ((uint32_t)prefix->bits[i / 8] >> i % 8 & 1u);
    else
        sums->input += (uint64_t)cursor_sleb128(t->c);
    e.flags = sums->input & BRANCH_BIT ? APF_BAT_ENTRY_BRANCH : 0;
    e.input = (uint32_t)(sums->input >> 1);
    if (t->current && !e.flags) {
        e.hash = cursor_u64(t->c);
        sums->block += cursor_uleb128(t->c);
        e.block = (uint32_t)sums->block;
    }
    if (t->c->failed)
        return report_truncated(t, "bat.entry");
    if (sums->input > UINT32_MAX)
        return report_malformed(t, "bat.entry.input", e.offset,
                                "the offset in the input has more than 31 bits");
    if (sums->block > UINT32_MAX)
        return report_malformed(t, "bat.entry.block", e.offset,
                                "the number of the block has more than 32 bits");
    e.bytes = (uint32_t)cursor_offset(t->c) - e.offset;
    return VEC_PUSH(&t->bat->entries, e) ? APF_OK : error_memory(t->error);
}

static int read_entries(struct tables *t, struct apf_bat_fragment *f)
{
    struct prefix prefix = {NULL, 0};
    struct sums sums = {0, 0};
    int code = t->current ? read_prefix(t, f->n_entries, &prefix) : APF_OK;
    f->first_entry = (uint32_t)t->bat->entries.n;
    f->n_equal = prefix.n;
    if (code == APF_OK && t->bat->entries.n + f->n_entries >= APF_BAT_NONE)
        return error_plain(t->error, APF_LIMIT, "bat.entries", "too many entries");
    for (uint32_t i = 0; code == APF_OK && i < f->n_entries; i++)
        code = read_entry(t, f, &prefix, i, &sums);
    return code;
}

static int read_secondary(struct tables *t, struct apf_bat_fragment *f)
{
    uint32_t offset = 0;
    f->first_secondary = (uint32_t)t->bat->secondary.n;
    for (uint32_t i = 0; i < f->n_secondary; i++) {
        offset += (uint32_t)cursor_uleb128(t->c);
        if (t->c->failed)
            return report_truncated(t, "bat.secondary");
        if (!VEC_PUSH(&t->bat->secondary, offset))
            return error_memory(t->error);
    }
    return APF_OK;
}

/* ---- records ---- */

/* Reads the fields between the address and the entries. `function` is the running number of the hot fragment. */
static int read_head(struct tables *t, struct apf_bat_fragment *f, uint64_t *function)
{
    uint64_t offset = cursor_offset(t->c);
    struct error_at at = {"bat.hot_index", offset, 0, t->bat->info.n_hot};
    int code = APF_OK;
    if (f->is_cold) {
        at.found = *function += cursor_uleb128(t->c);
        if (t->c->failed)
            return report_truncated(t, "bat.hot_index");
        if (t->current && *function >= t->bat->info.n_hot)
            return error_at(t->error, APF_BAD_BAT, at, "there are fewer hot fragments");
        f->function = t->current ? (uint32_t)*function : APF_BAT_NONE;
    }
    if (!t->current)
        return read_count(t, "bat.entries", 2 * LEAST_ENTRY, &f->n_entries);
    if (f->is_cold) {
        code = read_u32(t, "bat.skew", &f->skew);
    } else {
        f->hash = cursor_u64(t->c);
        code = read_u32(t, "bat.blocks", &f->n_blocks);
        if (code == APF_OK)
            code = read_count(t, "bat.secondary", 1, &f->n_secondary);
    }
    return code == APF_OK ? read_count(t, "bat.entries", LEAST_ENTRY, &f->n_entries) : code;
}

static int read_record(struct tables *t, bool cold, uint64_t *function)
{
    struct apf_bat_fragment f = {.offset = cursor_offset(t->c), .is_cold = cold};
    t->output += cursor_uleb128(t->c);
    if (t->c->failed)
        return report_truncated(t, "bat.address");
    f.address = t->output;
    f.function = (uint32_t)t->bat->fragments.n; /* for a cold fragment it is read */
    int code = read_head(t, &f, function);
    if (code == APF_OK)
        code = read_entries(t, &f);
    if (code == APF_OK)
        code = read_secondary(t, &f);
    f.bytes = cursor_offset(t->c) - f.offset;
    if (code == APF_OK && !VEC_PUSH(&t->bat->fragments, f))
        code = error_memory(t->error);
    return code;
}

static int read_table(struct tables *t, bool cold, uint32_t *n)
{
    size_t least = !t->current ? LEAST_RECORD_18 + cold : cold ? LEAST_COLD : LEAST_HOT;
    uint64_t function = 0;
    int code = read_count(t, cold ? "bat.cold_functions" : "bat.functions", least, n);
    for (uint32_t i = 0; code == APF_OK && i < *n; i++)
        code = read_record(t, cold, &function);
    return code;
}

int bat_decode_tables(struct apf_bat *bat, struct cursor *c, struct apf_error *error)
{
    struct tables t = {bat, c, 0, bat->info.encoding == APF_BAT_ENCODING_CURRENT, error};
    int code = read_table(&t, false, &bat->info.n_hot);
    return code == APF_OK ? read_table(&t, true, &bat->info.n_cold) : code;
}
