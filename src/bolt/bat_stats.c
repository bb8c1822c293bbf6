/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of the parts of a table, and the bytes of each field. */
#include "base/error.h"
#include "base/json_entry.h"
#include "base/options.h"
#include "base/text_append.h"
#include "bolt/bat_model.h"

#define NUMBER_WIDTH 12u
#define MOST_FUNCTIONS ((size_t)10)

static const struct {
    const char *text, *json;
} fields[BAT_FIELDS] = {
    [BAT_FIELD_ADDRESS] = {"addresses of fragments", "addresses"},
    [BAT_FIELD_PARENT] = {"functions of cold fragments, and skews", "parents"},
    [BAT_FIELD_FUNCTION_HASH] = {"hashes of functions", "function_hashes"},
    [BAT_FIELD_COUNT] = {"counts", "counts"},
    [BAT_FIELD_SECONDARY] = {"secondary entry points", "secondary"},
    [BAT_FIELD_EQUAL] = {"equal prefixes", "equal_prefixes"},
    [BAT_FIELD_OUTPUT] = {"offsets in the output", "outputs"},
    [BAT_FIELD_INPUT] = {"offsets in the input", "inputs"},
    [BAT_FIELD_BLOCK_HASH] = {"hashes of blocks", "block_hashes"},
    [BAT_FIELD_BLOCK] = {"numbers of blocks", "blocks"},
};

struct stats {
    const struct apf_bat *bat;
    bool with_fields; /* the table fits the current encoding */
    uint64_t bytes[BAT_FIELDS];
    uint64_t branches, equal, deleted, split; /* entries; functions with cold fragments */
    uint64_t *function_bytes;                 /* bytes of all fragments of each function */
    struct sort_key *largest;                 /* functions, the largest first */
};

/* ---- counting ---- */

static void count(struct stats *s)
{
    const struct apf_bat *bat = s->bat;
    for (size_t i = 0; i < bat->entries.n; i++) {
        s->branches += bat->entries.data[i].flags & APF_BAT_ENTRY_BRANCH;
        s->deleted += (bat->entries.data[i].flags & APF_BAT_ENTRY_DELETED) != 0;
    }
    for (size_t i = 0; i < bat->fragments.n; i++) {
        const struct apf_bat_fragment *f = &bat->fragments.data[i];
        s->equal += f->n_equal;
        if (f->function == APF_BAT_NONE)
            continue;
        s->split += f->is_cold && s->function_bytes[f->function] == s->largest[f->function].value;
        s->function_bytes[f->function] += f->bytes;
        if (!f->is_cold)
            s->largest[f->function].value = f->bytes; /* the hot fragment alone, until the loop below */
    }
    for (size_t i = 0; i < bat->info.n_hot; i++)
        s->largest[i] = (struct sort_key){UINT64_MAX - s->function_bytes[i], i};
    sort_keys(s->largest, s->largest + bat->info.n_hot, bat->info.n_hot);
}

/* ---- text ---- */

static void write_count(struct file_out *out, uint64_t n, const char *what)
{
    text_decimal(out, n, NUMBER_WIDTH);
    text_append(out, "  ");
    text_append(out, what);
    text_append(out, "\n");
}

static void write_fields(const struct stats *s, struct file_out *out)
{
    const struct apf_bat_info *info = &s->bat->info;
    text_append(out, s->bat->info.encoding == APF_BAT_ENCODING_CURRENT
                         ? "\n       Bytes  of table  Part\n"
                         : "\n       Bytes  of table  Part, if BOLT 22 had written it\n");
    for (size_t i = 0; i < BAT_FIELDS; i++) {
        text_decimal(out, s->bytes[i], NUMBER_WIDTH);
        text_share(out, s->bytes[i], info->payload_bytes, 7);
        text_append(out, " %  ");
        text_append(out, fields[i].text);
        text_append(out, "\n");
    }
}

static void write_largest(const struct stats *s, struct file_out *out)
{
    text_append(out, "\n       Bytes  Function\n");
    for (size_t i = 0; i < s->bat->info.n_hot && i < MOST_FUNCTIONS; i++) {
        const struct apf_bat_fragment *f = &s->bat->fragments.data[s->largest[i].value];
        text_decimal(out, UINT64_MAX - s->largest[i].key, NUMBER_WIDTH);
        text_append(out, "  ");
        if (f->name.n)
            text_name(out, f->name);
        else
            text_hex(out, f->address, 0);
        text_append(out, "\n");
    }
}

static void write_text(const struct stats *s, struct file_out *out)
{
    const struct apf_bat_info *info = &s->bat->info;
    text_append(out, "       Count  What\n");
    write_count(out, info->section_bytes, "bytes of the section");
    if (s->bat->elf) {
        text_share(out, info->section_bytes, info->file_bytes, NUMBER_WIDTH - 2);
        text_append(out, "  per cent of the file\n");
    }
    write_count(out, info->n_hot, "functions");
    write_count(out, s->split, "of these in several fragments");
    write_count(out, info->n_cold, "cold fragments");
    write_count(out, info->n_entries - s->branches, "entries for blocks");
    write_count(out, s->deleted, "of these for blocks without code in the output");
    write_count(out, s->branches, "entries for branches and other instructions");
    write_count(out, s->equal, "entries in equal prefixes: the code is as before");
    write_count(out, info->n_secondary, "secondary entry points");
    write_count(out, info->n_hot ? info->payload_bytes / info->n_hot : 0, "bytes for each function");
    if (s->with_fields)
        write_fields(s, out);
    write_largest(s, out);
}

/* ---- JSON ---- */

static void write_json(const struct stats *s, struct json_writer *w)
{
    const struct apf_bat_info *info = &s->bat->info;
    json_object_begin(w);
    json_head(w, "anyprof-bat-stats/1");
    json_entry_u64(w, "section_bytes", info->section_bytes);
    json_entry_u64(w, "file_bytes", info->file_bytes);
    json_entry_u64(w, "functions", info->n_hot);
    json_entry_u64(w, "split_functions", s->split);
    json_entry_u64(w, "cold_fragments", info->n_cold);
    json_entry_u64(w, "block_entries", info->n_entries - s->branches);
    json_entry_u64(w, "deleted_blocks", s->deleted);
    json_entry_u64(w, "branch_entries", s->branches);
    json_entry_u64(w, "equal_entries", s->equal);
    json_entry_u64(w, "secondary_entry_points", info->n_secondary);
    json_key(w, "bytes");
    if (s->with_fields)
        json_object_begin(w);
    else
        json_none(w);
    for (size_t i = 0; s->with_fields && i < BAT_FIELDS; i++)
        json_entry_u64(w, fields[i].json, s->bytes[i]);
    if (s->with_fields)
        json_object_end(w);
    json_key(w, "largest");
    json_array_begin(w);
    for (size_t i = 0; i < info->n_hot && !json_failed(w); i++) {
        json_line_object(w);
        json_entry_u64(w, "function", s->largest[i].value);
        json_entry_name(w, "name", s->bat->fragments.data[s->largest[i].value].name);
        json_entry_u64(w, "bytes", UINT64_MAX - s->largest[i].key);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

/* ---- the call ---- */

static int print_stats(const struct stats *s, uint32_t flags, const struct apf_output *output,
                       struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    if (flags & APF_BAT_PRINT_JSON) {
        struct json_writer w;
        json_start(&w, file_out_callback, out, 2);
        write_json(s, &w);
        code = json_finish(&w, error);
    } else {
        write_text(s, out);
    }
    return file_out_finish(out, code, error);
}

int apf_bat_print_stats(const struct apf_bat *bat, uint32_t flags, const struct apf_output *output,
                        struct apf_error *error)
{
    struct stats s = {.bat = bat};
    struct arena arena = {0};
    int code = flags_check(flags, APF_BAT_PRINT_JSON, "apf_bat_print_stats.flags", error);
    if (code != APF_OK)
        return code;
    s.function_bytes = arena_zeros(&arena, bat->info.n_hot, sizeof *s.function_bytes);
    s.largest = arena_zeros(&arena, 2 * (size_t)bat->info.n_hot, sizeof *s.largest);
    code = s.function_bytes && s.largest ? bat_count_bytes(bat, s.bytes, NULL) : APF_NO_MEMORY;
    s.with_fields = code == APF_OK;
    if (code == APF_NO_MEMORY) {
        arena_free(&arena);
        return error_memory(error);
    }
    count(&s);
    code = print_stats(&s, flags, output, error);
    arena_free(&arena);
    return code;
}
