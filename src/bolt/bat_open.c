/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens a program or a section, and gives access to fragments and entries. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file_magic.h"
#include "base/options.h"
#include "base/search.h"
#include "bolt/bat_model.h"

/* ---- encodings ---- */

static void drop_tables(struct apf_bat *bat)
{
    bat->fragments.n = bat->entries.n = bat->secondary.n = 0;
    bat->info.n_hot = bat->info.n_cold = 0;
}

static int decode_as(struct apf_bat *bat, uint32_t encoding, const struct cursor *payload, uint64_t *rest,
                     struct apf_error *error)
{
    struct cursor c = *payload;
    drop_tables(bat);
    bat->info.encoding = encoding;
    int code = encoding == APF_BAT_ENCODING_FIXED ? bat_decode_fixed(bat, &c, error)
                                                  : bat_decode_tables(bat, &c, error);
    *rest = cursor_left(&c);
    return code;
}

/* The encoding of a table is the one that leaves no rest. If none does, the table counts as current, damaged or with a
 * rest, as in BOLT. */
static int decode(struct apf_bat *bat, const struct cursor *payload, struct apf_error *error)
{
    static const uint32_t encodings[] = {APF_BAT_ENCODING_CURRENT, APF_BAT_ENCODING_FIXED,
                                         APF_BAT_ENCODING_LEB};
    uint64_t rest;
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        int code = decode_as(bat, encodings[i], payload, &rest, error);
        if ((code == APF_OK && rest == 0) || code == APF_NO_MEMORY || code == APF_LIMIT)
            return code;
    }
    int code = decode_as(bat, APF_BAT_ENCODING_CURRENT, payload, &rest, error);
    bat->info.rest_bytes = rest;
    return code;
}

/* ---- indexes ---- */

static int index_addresses(struct apf_bat *bat, struct arena *scratch, struct apf_error *error)
{
    size_t n = bat->fragments.n;
    struct sort_key *keys = arena_array(scratch, 2 * n, sizeof *keys);
    bat->by_address = arena_array(&bat->arena, n, sizeof *bat->by_address);
    bat->starts = arena_array(&bat->arena, n, sizeof *bat->starts);
    if (!keys || !bat->by_address || !bat->starts)
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        keys[i].key = bat->fragments.data[i].address;
        keys[i].value = i;
    }
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++) {
        bat->by_address[i] = (uint32_t)keys[i].value;
        bat->starts[i] = keys[i].key;
    }
    return APF_OK;
}

static int index_blocks(struct apf_bat *bat, struct apf_error *error)
{
    size_t n = 0;
    for (size_t i = 0; i < bat->entries.n; i++)
        n += !(bat->entries.data[i].flags & APF_BAT_ENTRY_BRANCH);
    bat->blocks = arena_array(&bat->arena, 2 * n, sizeof *bat->blocks);
    if (!bat->blocks)
        return error_memory(error);
    for (size_t i = 0; i < bat->fragments.n; i++) {
        const struct apf_bat_fragment *f = &bat->fragments.data[i];
        for (uint32_t k = f->first_entry; f->function != APF_BAT_NONE && k < f->first_entry + f->n_entries;
             k++)
            if (!(bat->entries.data[k].flags & APF_BAT_ENTRY_BRANCH))
                bat->blocks[bat->n_blocks++] =
                    (struct sort_key){bat_block_key(f->function, bat->entries.data[k].input), k};
    }
    sort_keys(bat->blocks, bat->blocks + n, bat->n_blocks);
    return APF_OK;
}

/* ---- opening ---- */

struct section_search {
    struct elf_section found;
    bool any;
    bool bolted; /* BOLT wrote the program: it has sections that only BOLT makes */
};

static int match_section(void *user, const struct elf_section *section)
{
    struct section_search *search = user;
    search->bolted = search->bolted || strncmp(section->name, ".bolt.", 6) == 0 ||
                     strcmp(section->name, ".note.bolt_info") == 0;
    if (search->any || strcmp(section->name, BAT_SECTION) != 0)
        return 0;
    search->found = *section;
    search->any = true;
    return 0;
}

/* Where the section may be missing, it must not be in a program that BOLT wrote: addresses of code that was moved mean
 * nothing. */
static int find_section(struct apf_bat *bat, bool may_lack, struct apf_error *error)
{
    struct section_search search = {.any = false};
    size_t n;
    elf_file_sections(bat->elf, match_section, &search);
    bat->info.elf_machine = elf_file_facts(bat->elf)->machine;
    bat->info.file_bytes = elf_file_size(bat->elf);
    bat->has_table = search.any;
    if (!search.any && may_lack && !search.bolted)
        return APF_OK;
    if (!search.any)
        return error_plain(
            error, APF_NO_BAT, "elf.sections",
            may_lack ? "BOLT wrote the program without --enable-bat; write it with that option, or "
                       "sample the program as it was before BOLT"
                     : "the program was not written by BOLT with --enable-bat, or was stripped of it");
    bat->info.section_offset = search.found.offset;
    int code = elf_file_bytes(bat->elf, search.found.index, &bat->section, &n, error);
    bat->info.section_bytes = code == APF_OK ? n : 0;
    return code;
}

/* Copies the input: the caller's memory need not stay valid. */
static int copy_memory(struct apf_bat *bat, struct apf_input *input, struct apf_error *error)
{
    if (input->path || !input->n)
        return APF_OK;
    void *copy = arena_bytes(&bat->arena, input->n);
    if (!copy)
        return error_memory(error);
    memcpy(copy, input->data, input->n);
    input->data = copy;
    return APF_OK;
}

/* Of a regular file that is a program, only the needed sections are read. Other inputs are read once and told apart by
 * their beginning. */
static int open_file(struct apf_bat *bat, struct apf_input *input, uint64_t max_bytes,
                     struct apf_error *error)
{
    int fd, code = file_open_regular(input, &fd, error);
    if (code == APF_OK && fd >= 0) {
        file_close_regular(fd);
        code = elf_file_open_input(&bat->elf, input, max_bytes, error);
        if (code != APF_BAD_ELF)
            return code;
        code = APF_OK;
    }
    if (code == APF_OK)
        code = copy_memory(bat, input, error);
    if (code == APF_OK)
        code = file_read(&bat->file, input, max_bytes, error);
    if (code == APF_OK && elf_begins(bat->file.data, bat->file.n))
        code = elf_file_open(&bat->elf, bat->file.data, bat->file.n, error);
    return code;
}

static int find_payload(struct apf_bat *bat, bool may_lack, struct cursor *payload, struct apf_error *error)
{
    if (bat->elf) {
        int code = find_section(bat, may_lack, error);
        return code == APF_OK && bat->has_table
                   ? bat_note_open(bat->section, (size_t)bat->info.section_bytes, payload, error)
                   : code;
    }
    bat->has_table = true;
    bat->section = bat->file.data;
    bat->info.section_bytes = bat->info.file_bytes = bat->file.n;
    int code = bat_note_open(bat->section, bat->file.n, payload, error);
    size_t name = BAT_NOTE_HEADER - 8;
    if (code != APF_OK &&
        (bat->file.n < BAT_NOTE_HEADER || memcmp(bat->section + name, BAT_NOTE_NAME, 4) != 0))
        return may_lack ? error_plain(error, APF_BAD_ELF, "file", NULL)
                        : error_plain(error, APF_NO_BAT, "file", "neither an ELF file nor the section alone");
    return code;
}

static int read_table(struct apf_bat *bat, bool may_lack, struct apf_error *error)
{
    struct cursor payload;
    int code = find_payload(bat, may_lack, &payload, error);
    if (code != APF_OK || !bat->has_table)
        return code;
    bat->info.payload_bytes = cursor_left(&payload);
    code = decode(bat, &payload, error);
    bat->info.payload_bytes -= bat->info.rest_bytes;
    return code;
}

static int read_all(struct apf_bat *bat, const struct apf_input *input, const struct apf_options *options,
                    bool may_lack, struct apf_error *error)
{
    struct apf_input copy = input_copy(input);
    struct arena scratch = {0};
    int code = open_file(bat, &copy, options_max_bytes(options), error);
    if (code == APF_OK)
        code = read_table(bat, may_lack, error);
    bat->info.n_entries = bat->entries.n;
    bat->info.n_secondary = bat->secondary.n;
    if (code == APF_OK)
        code = index_addresses(bat, &scratch, error);
    if (code == APF_OK)
        code = bat_read_symbols(bat, error);
    if (code == APF_OK)
        code = index_blocks(bat, error);
    arena_free(&scratch);
    return code;
}

static int open_any(struct apf_bat **bat, const struct apf_input *input, const struct apf_options *options,
                    bool may_lack, struct apf_error *error)
{
    struct apf_options o;
    *bat = NULL;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    struct apf_bat *b = calloc(1, sizeof *b);
    code = b ? read_all(b, input, &o, may_lack, error) : error_memory(error);
    if (code == APF_OK)
        *bat = b;
    else
        apf_bat_close(b);
    return file_error(error, code, input, 0);
}

int apf_bat_open(struct apf_bat **bat, const struct apf_input *input, const struct apf_options *options,
                 struct apf_error *error)
{
    return open_any(bat, input, options, false, error);
}

int bat_open_program(struct apf_bat **bat, const struct apf_input *input, const struct apf_options *options,
                     struct apf_error *error)
{
    return open_any(bat, input, options, true, error);
}

void bat_original_free(struct bat_original *o)
{
    elf_file_close(o->elf);
    VEC_FREE(&o->symbols);
    *o = (struct bat_original){.n = 0};
}

void apf_bat_close(struct apf_bat *bat)
{
    if (!bat)
        return;
    elf_file_close(bat->elf);
    bat_original_free(&bat->original);
    file_bytes_free(&bat->file);
    arena_free(&bat->arena);
    VEC_FREE(&bat->fragments);
    VEC_FREE(&bat->entries);
    VEC_FREE(&bat->secondary);
    VEC_FREE(&bat->symbols);
    free(bat);
}

/* ---- views ---- */

const struct apf_bat_info *apf_bat_info(const struct apf_bat *bat)
{
    return &bat->info;
}

const struct apf_bat_fragment *apf_bat_fragment(const struct apf_bat *bat, size_t i)
{
    return i < bat->fragments.n ? &bat->fragments.data[i] : NULL;
}

const struct apf_bat_entry *apf_bat_entry(const struct apf_bat *bat, size_t i)
{
    return i < bat->entries.n ? &bat->entries.data[i] : NULL;
}

uint32_t apf_bat_secondary(const struct apf_bat *bat, size_t i)
{
    return i < bat->secondary.n ? bat->secondary.data[i] : 0;
}

uint32_t apf_bat_fragment_by_address(const struct apf_bat *bat, size_t i)
{
    return i < bat->fragments.n ? bat->by_address[i] : APF_BAT_NONE;
}

const struct apf_bat_entry *apf_bat_find_block(const struct apf_bat *bat, size_t function, uint32_t input)
{
    if (function >= bat->info.n_hot)
        return NULL;
    uint64_t key = bat_block_key((uint32_t)function, input);
    size_t low;
    SEARCH(low, 0, bat->n_blocks, bat->blocks[low].key < key);
    bool found = low < bat->n_blocks && bat->blocks[low].key == key;
    return found ? &bat->entries.data[bat->blocks[low].value] : NULL;
}
