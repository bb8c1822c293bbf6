/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the whole table: as text, as llvm-bat-dump does, and as JSON, described in docs/json.md. */
#include "base/error.h"
#include "base/json_entry.h"
#include "base/options.h"
#include "base/search.h"
#include "base/text_append.h"
#include "bolt/bat_model.h"

/* ---- text ---- */

static void write_hex(struct file_out *out, uint64_t v)
{
    text_append(out, "0x");
    text_hex(out, v, 0);
}

/* Prints the hash of the block that BOLT finds at the input offset: entries of one offset have one hash. */
static void write_entry(const struct apf_bat *bat, struct file_out *out, const struct apf_bat_fragment *f,
                        const struct apf_bat_entry *e)
{
    write_hex(out, e->output);
    text_append(out, " -> ");
    write_hex(out, e->input);
    if (e->flags & APF_BAT_ENTRY_BRANCH) {
        text_append(out, " (branch)");
    } else if (bat->info.encoding == APF_BAT_ENCODING_CURRENT) {
        text_append(out, " hash: ");
        write_hex(out, apf_bat_find_block(bat, f->function, e->input)->hash);
    }
    text_append(out, "\n");
}

static void write_fragment(const struct apf_bat *bat, struct file_out *out, const struct apf_bat_fragment *f)
{
    bool has_more = !f->is_cold && bat->info.encoding == APF_BAT_ENCODING_CURRENT;
    text_append(out, "Function Address: ");
    write_hex(out, f->address);
    if (has_more) {
        text_append(out, ", hash: ");
        write_hex(out, f->hash);
    }
    text_append(out, "\nBB mappings:\n");
    for (uint32_t i = 0; i < f->n_entries; i++)
        write_entry(bat, out, f, &bat->entries.data[f->first_entry + i]);
    if (has_more) {
        text_append(out, "NumBlocks: ");
        text_decimal(out, f->n_blocks, 0);
        text_append(out, "\n");
    }
    if (f->n_secondary) {
        text_decimal(out, f->n_secondary, 0);
        text_append(out, " secondary entry points:\n");
    }
    for (uint32_t i = 0; i < f->n_secondary; i++) {
        write_hex(out, bat->secondary.data[f->first_secondary + i]);
        text_append(out, "\n");
    }
    text_append(out, "\n");
}

/* As in llvm-bat-dump, the right side has no "0x". */
static void write_cold(const struct apf_bat *bat, struct file_out *out, const struct apf_bat_fragment *f)
{
    write_hex(out, f->address);
    text_append(out, " -> ");
    if (f->function != APF_BAT_NONE)
        text_hex(out, bat->fragments.data[f->function].address, 0);
    else
        text_append(out, "?");
    text_append(out, "\n");
}

static void write_parsed(const struct apf_bat *bat, struct file_out *out)
{
    text_append(out, "BOLT-INFO: Parsed ");
    text_decimal(out, bat->fragments.n, 0);
    text_append(out, " BAT entries\n");
    if (bat->info.encoding == APF_BAT_ENCODING_FIXED) { /* the releases with this encoding printed it so */
        text_append(out, "BOLT-INFO: Parsed ");
        text_decimal(out, bat->info.n_cold, 0);
        text_append(out, " BAT cold-to-hot entries\n");
    }
}

static void write_table(const struct apf_bat *bat, struct file_out *out)
{
    text_append(out, "BAT tables for ");
    text_decimal(out, bat->fragments.n, 0);
    text_append(out, " functions:\n");
    for (size_t i = 0; i < bat->fragments.n; i++)
        write_fragment(bat, out, &bat->fragments.data[bat->by_address[i]]);
    if (bat->info.n_cold == 0)
        return;
    text_decimal(out, bat->info.n_cold, 0);
    text_append(out, " cold mappings:\n");
    for (size_t i = 0; i < bat->fragments.n; i++)
        if (bat->fragments.data[bat->by_address[i]].is_cold)
            write_cold(bat, out, &bat->fragments.data[bat->by_address[i]]);
    text_append(out, "\n");
}

static void write_whole(const struct apf_bat *bat, struct file_out *out)
{
    write_parsed(bat, out);
    write_table(bat, out);
}

/* ---- as llvm-bat-dump ---- */

/* The fragment that begins at an address; NULL: none does. */
static const struct apf_bat_fragment *fragment_at(const struct apf_bat *bat, uint64_t address)
{
    size_t low;
    SEARCH(low, 0, bat->fragments.n, bat->starts[low] < address);
    bool found = low < bat->fragments.n && bat->starts[low] == address;
    return found ? &bat->fragments.data[bat->by_address[low]] : NULL;
}

/* As in llvm-bat-dump, deleted blocks count as code. */
static uint64_t tool_offset(const struct apf_bat *bat, uint64_t start, uint64_t offset)
{
    const struct apf_bat_fragment *f = fragment_at(bat, start);
    uint32_t i = f ? f->n_entries : 0;
    while (i && bat->entries.data[f->first_entry + i - 1].output > (uint32_t)offset)
        i--;
    if (!i)
        return offset;
    const struct apf_bat_entry *e = &bat->entries.data[f->first_entry + i - 1];
    return (uint32_t)offset - e->output + (uint64_t)e->input;
}

static void write_tool_place(const struct apf_bat *bat, struct file_out *out, uint64_t address)
{
    const struct bat_symbol *symbol = bat_find_symbol(bat, address);
    if (!symbol) {
        text_append(out, "No function symbol found for ");
        write_hex(out, address);
        text_append(out, "\n");
        return;
    }
    write_hex(out, address);
    text_append(out, " -> ");
    text_append(out, symbol->name);
    text_append(out, " + ");
    write_hex(out, tool_offset(bat, symbol->address, address - symbol->address));
    text_append(out, "\n");
}

int apf_bat_print_as_tool(const struct apf_bat *bat, const uint64_t *addresses, size_t n, uint32_t flags,
                          const struct apf_output *output, struct apf_error *error)
{
    struct file_out *out;
    int code = flags_check(flags, APF_BAT_PRINT_DUMP_ALL, "apf_bat_print_as_tool.flags", error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    write_parsed(bat, out);
    if (flags & APF_BAT_PRINT_DUMP_ALL)
        write_table(bat, out);
    if (n)
        text_append(out, "Translating addresses according to parsed BAT tables:\n");
    for (size_t i = 0; i < n; i++)
        write_tool_place(bat, out, addresses[i]);
    return file_out_close(out, true, error);
}

/* ---- JSON ---- */

static const char *encoding_name(uint32_t encoding)
{
    return encoding == APF_BAT_ENCODING_CURRENT ? "current"
           : encoding == APF_BAT_ENCODING_LEB   ? "bolt-18"
                                                : "bolt-15-to-17";
}

static void known_u64(struct json_writer *w, const char *key, bool known, uint64_t v)
{
    json_key(w, key);
    if (known)
        json_u64(w, v);
    else
        json_none(w);
}

static void known_address(struct json_writer *w, const char *key, bool known, uint64_t v)
{
    json_key(w, key);
    if (known)
        json_hex(w, v);
    else
        json_none(w);
}

static void known_hash(struct json_writer *w, const char *key, bool known, uint64_t v)
{
    json_key(w, key);
    if (known)
        json_hash(w, v);
    else
        json_none(w);
}

static void fragment_json(struct json_writer *w, const struct apf_bat *bat, size_t i)
{
    const struct apf_bat_fragment *f = &bat->fragments.data[i];
    bool current = bat->info.encoding == APF_BAT_ENCODING_CURRENT;
    json_line_object(w);
    json_entry_u64(w, "fragment", i);
    json_entry_hex(w, "address", f->address);
    known_u64(w, "size", f->size != 0, f->size);
    json_entry_name(w, "name", f->name);
    json_entry_bool(w, "cold", f->is_cold);
    known_u64(w, "function", f->function != APF_BAT_NONE, f->function);
    known_hash(w, "hash", current && !f->is_cold, f->hash);
    known_u64(w, "blocks", current && !f->is_cold, f->n_blocks);
    known_u64(w, "skew", current && f->is_cold, f->skew);
    known_u64(w, "equal", current, f->n_equal);
    json_entry_u64(w, "entries", f->n_entries);
    json_key(w, "secondary");
    json_array_begin(w);
    for (uint32_t k = 0; k < f->n_secondary; k++)
        json_u64(w, bat->secondary.data[f->first_secondary + k]);
    json_array_end(w);
    json_entry_u64(w, "offset", f->offset);
    json_entry_u64(w, "bytes", f->bytes);
    json_object_end(w);
}

static void entry_json(struct json_writer *w, const struct apf_bat *bat, size_t fragment, size_t i)
{
    const struct apf_bat_entry *e = &bat->entries.data[i];
    bool hashed = bat->info.encoding == APF_BAT_ENCODING_CURRENT && !(e->flags & APF_BAT_ENTRY_BRANCH);
    json_line_object(w);
    json_entry_u64(w, "fragment", fragment);
    json_entry_u64(w, "output", e->output);
    json_entry_u64(w, "input", e->input);
    json_entry_bool(w, "branch", e->flags & APF_BAT_ENTRY_BRANCH);
    json_entry_bool(w, "deleted", e->flags & APF_BAT_ENTRY_DELETED);
    known_u64(w, "block", hashed, e->block);
    known_hash(w, "hash", hashed, e->hash);
    json_entry_u64(w, "offset", e->offset);
    json_entry_u64(w, "bytes", e->bytes);
    json_object_end(w);
}

static void print_json(const struct apf_bat *bat, struct json_writer *w)
{
    const struct apf_bat_info *info = &bat->info;
    json_object_begin(w);
    json_head(w, "anyprof-bat/1");
    json_entry_string(w, "encoding", encoding_name(info->encoding));
    json_key(w, "section");
    json_object_begin(w);
    known_u64(w, "file_offset", bat->elf != NULL, info->section_offset);
    json_entry_u64(w, "bytes", info->section_bytes);
    json_entry_u64(w, "payload_bytes", info->payload_bytes);
    json_entry_u64(w, "rest_bytes", info->rest_bytes);
    json_object_end(w);
    json_key(w, "fragments");
    json_array_begin(w);
    for (size_t i = 0; i < bat->fragments.n && !json_failed(w); i++)
        fragment_json(w, bat, i);
    json_array_end(w);
    json_key(w, "entries");
    json_array_begin(w);
    for (size_t i = 0; i < bat->fragments.n && !json_failed(w); i++) {
        const struct apf_bat_fragment *f = &bat->fragments.data[i];
        for (uint32_t k = 0; k < f->n_entries; k++)
            entry_json(w, bat, i, f->first_entry + k);
    }
    json_array_end(w);
    json_object_end(w);
}

/* ---- places ---- */

static void write_function(const struct apf_bat *bat, struct file_out *out, uint32_t function)
{
    const struct apf_bat_fragment *f = &bat->fragments.data[function];
    if (f->name.n)
        text_name(out, f->name);
    else
        write_hex(out, f->address);
}

static void write_input(const struct apf_bat *bat, struct file_out *out, const struct apf_bat_place *place)
{
    if (place->function == APF_BAT_NONE) {
        text_append(out, "?");
        return;
    }
    write_function(bat, out, place->function);
    text_append(out, "+");
    write_hex(out, place->offset);
    uint64_t start = bat->fragments.data[place->function].input;
    if (start) {
        text_append(out, "  ");
        write_hex(out, start + place->offset);
    }
}

static const char *place_note(const struct apf_bat_place *place)
{
    if (place->flags & APF_BAT_PLACE_OUTSIDE)
        return "no fragment has it";
    if (place->flags & APF_BAT_PLACE_NO_ENTRY)
        return "before the first entry";
    if (place->flags & APF_BAT_PLACE_REMOVED)
        return "removed";
    if (place->flags & APF_BAT_PLACE_ESTIMATED)
        return "estimated";
    return place->function == APF_BAT_NONE ? "a cold fragment whose function is unknown" : NULL;
}

static void write_place(const struct apf_bat *bat, struct file_out *out, const struct apf_bat_place *place,
                        bool reversed)
{
    const char *note = place_note(place);
    bool placed = place->fragment != APF_BAT_NONE && !(place->flags & APF_BAT_PLACE_REMOVED);
    if (reversed) {
        write_input(bat, out, place);
        text_append(out, "  ");
        text_append(out, placed ? "" : "-");
    }
    if (!reversed || placed)
        write_hex(out, place->address);
    if (!reversed) {
        text_append(out, "  ");
        write_input(bat, out, place);
    } else if (placed) {
        text_append(out, "  in ");
        write_function(bat, out, place->fragment);
    }
    if (note) {
        text_append(out, "  (");
        text_append(out, note);
        text_append(out, ")");
    }
    text_append(out, "\n");
}

static void place_json(struct json_writer *w, const struct apf_bat *bat, const struct apf_bat_place *place)
{
    struct apf_str none = {NULL, 0};
    bool known = place->function != APF_BAT_NONE, inside = place->fragment != APF_BAT_NONE;
    const struct apf_bat_fragment *f = known ? &bat->fragments.data[place->function] : NULL;
    json_line_object(w);
    known_address(w, "output", !(place->flags & APF_BAT_PLACE_REMOVED) && place->address != UINT64_MAX,
                  place->address);
    known_u64(w, "fragment", inside, place->fragment);
    known_u64(w, "function", known, place->function);
    json_entry_name(w, "name", f ? f->name : none);
    known_u64(w, "offset", known, place->offset);
    known_address(w, "input", f && f->input, f ? f->input + place->offset : 0);
    json_entry_string(w, "note", place_note(place));
    json_object_end(w);
}

/* ---- the calls ---- */

/* The arguments of a print. */
struct printing {
    const struct apf_bat *bat;
    const struct apf_bat_place *places; /* NULL: the table */
    size_t n;
    uint32_t flags;
};

static int write_json(const struct printing *p, struct file_out *out, struct apf_error *error)
{
    struct json_writer w;
    json_start(&w, file_out_callback, out, 2);
    if (!p->places) {
        print_json(p->bat, &w);
        return json_finish(&w, error);
    }
    json_object_begin(&w);
    json_head(&w, "anyprof-bat-places/1");
    json_key(&w, "places");
    json_array_begin(&w);
    for (size_t i = 0; i < p->n && !json_failed(&w); i++)
        place_json(&w, p->bat, &p->places[i]);
    json_array_end(&w);
    json_object_end(&w);
    return json_finish(&w, error);
}

static int print_table(const struct printing *p, const struct apf_output *output, struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    if (p->flags & APF_BAT_PRINT_JSON)
        code = write_json(p, out, error);
    else if (!p->places)
        write_whole(p->bat, out);
    for (size_t i = 0; p->places && !(p->flags & APF_BAT_PRINT_JSON) && i < p->n; i++)
        write_place(p->bat, out, &p->places[i], p->flags & APF_BAT_PRINT_REVERSED);
    return file_out_finish(out, code, error);
}

int apf_bat_print(const struct apf_bat *bat, uint32_t flags, const struct apf_output *output,
                  struct apf_error *error)
{
    struct printing p = {bat, NULL, 0, flags};
    int code = flags_check(flags, APF_BAT_PRINT_JSON, "apf_bat_print.flags", error);
    return code == APF_OK ? print_table(&p, output, error) : code;
}

int apf_bat_print_places(const struct apf_bat *bat, const struct apf_bat_place *places, size_t n,
                         uint32_t flags, const struct apf_output *output, struct apf_error *error)
{
    static const struct apf_bat_place none;
    struct printing p = {bat, n ? places : &none, n, flags};
    int code =
        flags_check(flags, APF_BAT_PRINT_JSON | APF_BAT_PRINT_REVERSED, "apf_bat_print_places.flags", error);
    return code == APF_OK ? print_table(&p, output, error) : code;
}
