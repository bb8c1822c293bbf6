/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the section, in the encoding of BOLT 19 and later. */
#include <string.h>

#include "base/error.h"
#include "base/leb128.h"
#include "base/options.h"
#include "bolt/bat_model.h"

struct encoder {
    const struct apf_bat *bat;
    struct apf_buffer out;
    bool failed; /* allocation failed */
    uint64_t output, function;
    uint64_t bytes[BAT_FIELDS];
};

static void append_bytes(struct encoder *e, enum bat_field field, const void *p, size_t n)
{
    e->bytes[field] += n;
    e->failed = e->failed || apf_buffer_write(&e->out, p, n) != 0;
}

static void append_number(struct encoder *e, enum bat_field field, uint64_t v)
{
    uint8_t bytes[ULEB128_MAX];
    append_bytes(e, field, bytes, uleb128_store(bytes, v));
}

static void append_u64(struct encoder *e, enum bat_field field, uint64_t v)
{
    uint8_t bytes[sizeof v];
    store64le(bytes, v);
    append_bytes(e, field, bytes, sizeof bytes);
}

/* The input offset as stored, with a bit for branches. */
static uint64_t input_value(const struct apf_bat_entry *e)
{
    return (uint64_t)e->input << 1 | ((e->flags & APF_BAT_ENTRY_BRANCH) != 0);
}

/* The number of first entries whose output offset equals the input offset minus `skew`. */
static uint32_t equal_prefix(const struct apf_bat_entry *entries, uint32_t n, uint32_t skew)
{
    uint32_t i = 0;
    while (i < n && entries[i].output == (uint32_t)(entries[i].input - skew))
        i++;
    return i;
}

static void append_prefix(struct encoder *e, const struct apf_bat_entry *entries, uint32_t n)
{
    append_number(e, BAT_FIELD_EQUAL, n);
    for (uint32_t i = 0; i < n;) {
        uint8_t bits = 0;
        do {
            bits |= (uint8_t)((entries[i].flags & APF_BAT_ENTRY_BRANCH) << i % 8);
        } while (++i < n && i % 8);
        append_bytes(e, BAT_FIELD_EQUAL, &bits, 1);
    }
}

static void append_entries(struct encoder *e, const struct apf_bat_fragment *f, uint32_t skew)
{
    const struct apf_bat_entry *entries = ENTRY_AT(e->bat->entries.data, f->first_entry);
    uint32_t n_equal = equal_prefix(entries, f->n_entries, skew);
    uint64_t input = 0, block = 0;
    append_prefix(e, entries, n_equal);
    for (uint32_t i = 0; i < f->n_entries; i++) {
        uint64_t output = f->address + entries[i].output, value = input_value(&entries[i]);
        append_number(e, BAT_FIELD_OUTPUT, output - e->output);
        e->output = output;
        if (i >= n_equal) {
            uint8_t bytes[SLEB128_MAX];
            append_bytes(e, BAT_FIELD_INPUT, bytes, sleb128_store(bytes, (int64_t)(value - input)));
        }
        input = value;
        if (entries[i].flags & APF_BAT_ENTRY_BRANCH)
            continue;
        append_u64(e, BAT_FIELD_BLOCK_HASH, entries[i].hash);
        append_number(e, BAT_FIELD_BLOCK, entries[i].block - block);
        block = entries[i].block;
    }
}

static void append_fragment(struct encoder *e, const struct apf_bat_fragment *f)
{
    /* Older encodings store no skew; it is the input offset of the first entry. */
    uint32_t skew = f->skew;
    if (f->is_cold && e->bat->info.encoding != APF_BAT_ENCODING_CURRENT && f->n_entries)
        skew = e->bat->entries.data[f->first_entry].input;
    append_number(e, BAT_FIELD_ADDRESS, f->address - e->output);
    e->output = f->address;
    if (f->is_cold) {
        append_number(e, BAT_FIELD_PARENT, f->function - e->function);
        e->function = f->function;
        append_number(e, BAT_FIELD_PARENT, skew);
    } else {
        append_u64(e, BAT_FIELD_FUNCTION_HASH, f->hash);
        append_number(e, BAT_FIELD_COUNT, f->n_blocks);
        append_number(e, BAT_FIELD_SECONDARY, f->n_secondary);
    }
    append_number(e, BAT_FIELD_COUNT, f->n_entries);
    append_entries(e, f, skew);
    uint32_t offset = 0;
    for (uint32_t i = 0; i < f->n_secondary; i++) {
        uint32_t next = e->bat->secondary.data[f->first_secondary + i];
        append_number(e, BAT_FIELD_SECONDARY, (uint32_t)(next - offset));
        offset = next;
    }
}

static int encode(struct encoder *e, struct apf_error *error)
{
    const struct apf_bat *bat = e->bat;
    append_number(e, BAT_FIELD_COUNT, bat->info.n_hot);
    for (size_t i = 0; i < bat->fragments.n; i++) {
        const struct apf_bat_fragment *f = &bat->fragments.data[i];
        if (f->function == APF_BAT_NONE)
            return error_plain(error, APF_NOT_REPRESENTABLE, "bat.hot_index",
                               "the function of a cold fragment is not known");
        if (i == bat->info.n_hot)
            append_number(e, BAT_FIELD_COUNT, bat->info.n_cold);
        append_fragment(e, f);
    }
    if (bat->info.n_cold == 0)
        append_number(e, BAT_FIELD_COUNT, 0);
    return e->failed ? error_memory(error) : APF_OK;
}

int bat_count_bytes(const struct apf_bat *bat, uint64_t bytes[BAT_FIELDS], struct apf_error *error)
{
    struct encoder e = {.bat = bat};
    int code = encode(&e, error);
    memcpy(bytes, e.bytes, sizeof e.bytes);
    apf_buffer_free(&e.out);
    return code;
}

/* Writes the section, or header, payload and padding. */
static int write_out(const struct apf_str *parts, size_t n, const struct apf_output *output,
                     struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < n; i++)
        file_out_write(out, parts[i].p, parts[i].n);
    return file_out_close(out, true, error);
}

static int write_note(const struct encoder *e, const struct apf_output *output, struct apf_error *error)
{
    char head[BAT_NOTE_HEADER] = {0};
    struct error_at at = {"bat.note.descsz", NO_OFFSET, e->out.n, UINT32_MAX};
    if (e->out.n > UINT32_MAX)
        return error_at(error, APF_LIMIT, at, "the table is too large for a note");
    store32le(head, sizeof BAT_NOTE_NAME);
    store32le(head + 4, (uint32_t)e->out.n);
    store32le(head + 8, BAT_NOTE_TYPE);
    memcpy(head + 12, BAT_NOTE_NAME, sizeof BAT_NOTE_NAME);
    struct apf_str parts[] = {{head, sizeof head}, {e->out.data, e->out.n}, {"\0\0\0", -e->out.n % 4}};
    return write_out(parts, 3, output, error);
}

int apf_bat_write(const struct apf_bat *bat, uint32_t flags, const struct apf_output *output,
                  struct apf_error *error)
{
    struct apf_str stored = {(const char *)bat->section, (size_t)bat->info.section_bytes};
    int code = flags_check(flags, APF_BAT_WRITE_AS_STORED, "apf_bat_write.flags", error);
    if (code != APF_OK)
        return code;
    if (flags & APF_BAT_WRITE_AS_STORED)
        return write_out(&stored, 1, output, error);
    struct encoder e = {.bat = bat};
    code = encode(&e, error);
    if (code == APF_OK)
        code = write_note(&e, output, error);
    apf_buffer_free(&e.out);
    return code;
}
