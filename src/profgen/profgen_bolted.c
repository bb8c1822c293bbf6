/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_bolted.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/search.h"

/* ---- opening ---- */

static int match_section(void *user, const struct elf_section *section)
{
    (void)user;
    return strcmp(section->name, ".note.bolt_bat") == 0;
}

bool profgen_has_table(const struct profgen_image *image)
{
    return elf_file_sections(image->elf, match_section, NULL) != 0;
}

/* BOLT gives what it writes the build id of the original with the last bit changed. */
static int check_original(const struct profgen_bolted *b, struct apf_error *error)
{
    struct apf_str bolted = elf_file_build_id(b->image.elf),
                   original = elf_file_build_id(b->original->image.elf);
    if (!bolted.n && !original.n)
        return APF_OK;
    bool alike = bolted.n && bolted.n == original.n && memcmp(bolted.p, original.p, bolted.n - 1) == 0 &&
                 ((unsigned char)bolted.p[bolted.n - 1] ^ (unsigned char)original.p[bolted.n - 1]) <= 1;
    return alike ? APF_OK
                 : error_plain(error, APF_WRONG_DEBUG_FILE, "profgen.original",
                               "by its build id BOLT did not make %s of it; --ignore-build-id takes it "
                               "nevertheless",
                               b->image.path);
}

int profgen_bolted_open(struct profgen_bolted *b, const struct apf_input *program,
                        const struct profgen_program *original, bool any_build, struct apf_error *error)
{
    size_t found;
    *b = (struct profgen_bolted){.original = original};
    if (program->path && strcmp(program->path, "-") == 0)
        return error_plain(error, APF_ARGUMENT, "profgen.program",
                           "a program that BOLT wrote cannot be read from standard input");
    int code = profgen_image_open(&b->image, program, options_max_bytes(original->options), error);
    b->image.program.kernel = original->image.program.kernel;
    if (code == APF_OK)
        code = apf_bat_open(&b->bat, program, original->options, error);
    if (code == APF_OK)
        code = code_map_open(&b->code, b->image.elf, b->image.elf, error);
    if (code != APF_OK)
        return file_error(error, code, program, 0);
    if (profgen_has_table(&original->image))
        code = error_plain(error, APF_WRONG_DEBUG_FILE, "profgen.original",
                           "BOLT wrote it, too: give the program that BOLT was given");
    else if (!any_build)
        code = check_original(b, error);
    if (code == APF_OK)
        code = apf_bat_read_original(b->bat, original->input, original->options, &found, error);
    if (code == APF_OK && found == 0 && apf_bat_info(b->bat)->n_hot)
        code = error_plain(error, APF_WRONG_DEBUG_FILE, "profgen.original",
                           "its symbol table and that of %s have no function in common; a debug file cannot "
                           "take the place of a symbol table that was stripped",
                           b->image.path);
    return file_error(error, code, original->input, 0);
}

void profgen_bolted_close(struct profgen_bolted *b)
{
    code_map_close(b->code);
    apf_bat_close(b->bat);
    profgen_image_close(&b->image);
}

/* ---- places ---- */

struct bolted_place profgen_bolted_find(const struct profgen_bolted *b, uint64_t address)
{
    struct bolted_place place = {address, BOLTED_OUTSIDE, 0, 0, 0};
    struct apf_bat_place found;
    if (!code_map_has(b->code, address))
        return place;
    apf_bat_translate(b->bat, &address, 1, 0, &found);
    place.kind = BOLTED_NEW;
    if (found.flags & APF_BAT_PLACE_OUTSIDE) {
        struct code_map *original = b->original->code;
        if (code_map_has(original, address) &&
            code_map_kind(original, address) == code_map_kind(b->code, address))
            place.kind = BOLTED_KEPT;
        return place;
    }
    const struct apf_bat_fragment *fragment = apf_bat_fragment(b->bat, found.fragment);
    const struct apf_bat_fragment *function = apf_bat_fragment(b->bat, fragment->function);
    if (function && function->input)
        place = (struct bolted_place){address, BOLTED_MOVED, function->input, found.fragment,
                                      (uint32_t)(address - fragment->address)};
    return place;
}

struct bolted_entries profgen_bolted_entries(const struct profgen_bolted *b, uint32_t fragment)
{
    const struct apf_bat_fragment *f = apf_bat_fragment(b->bat, fragment);
    return (struct bolted_entries){apf_bat_entry(b->bat, f->first_entry), f->n_entries};
}

uint32_t profgen_entries_up_to(const struct bolted_entries *entries, uint32_t offset)
{
    uint32_t at;
    SEARCH(at, 0, entries->n, entries->list[at].output <= offset);
    return at;
}

/* The entry of an instruction at an offset; NULL: there is none. */
static const struct apf_bat_entry *find_instruction(const struct bolted_entries *entries, uint32_t offset)
{
    uint32_t i = profgen_entries_up_to(entries, offset);
    while (i-- > 0 && entries->list[i].output == offset)
        if (!(entries->list[i].flags & APF_BAT_ENTRY_DELETED))
            return &entries->list[i];
    return NULL;
}

/* A block may begin with the call: then it is the block that has the entry. */
uint64_t profgen_bolted_after_call(const struct profgen_bolted *b, const struct bolted_place *place)
{
    struct code_map *original = b->original->code;
    uint64_t call = place->kind == BOLTED_NEW || place->kind == BOLTED_OUTSIDE
                        ? 0
                        : code_map_before(b->code, place->address);
    if (!call || code_map_kind(b->code, call) != INSTRUCTION_CALL)
        return 0;
    if (place->kind == BOLTED_MOVED) {
        const struct bolted_entries entries = profgen_bolted_entries(b, place->fragment);
        uint64_t before = place->address - call;
        const struct apf_bat_entry *e =
            before <= place->offset ? find_instruction(&entries, place->offset - (uint32_t)before) : NULL;
        call = e ? place->function + e->input : 0;
    }
    return call && code_map_kind(original, call) == INSTRUCTION_CALL ? call + code_map_size(original, call)
                                                                     : 0;
}

uint64_t profgen_bolted_near(const struct profgen_bolted *b, const struct bolted_place *place)
{
    const struct bolted_entries entries = profgen_bolted_entries(b, place->fragment);
    uint32_t n = profgen_entries_up_to(&entries, place->offset);
    if (n == 0)
        return 0;
    const struct apf_bat_entry *e = &entries.list[n - 1];
    uint64_t address = place->function + e->input + (place->offset - e->output);
    return code_map_has(b->original->code, address) ? address : 0;
}

bool profgen_bolted_has_block(const struct profgen_bolted *b, uint64_t address)
{
    uint32_t offset, function = apf_bat_find_function(b->bat, address, &offset);
    const struct apf_bat_entry *e =
        function == APF_BAT_NONE ? NULL : apf_bat_find_block(b->bat, function, offset);
    bool hashed = apf_bat_info(b->bat)->encoding == APF_BAT_ENCODING_CURRENT;
    return e && profgen_begins_block(e) && (!hashed || e->hash || e->input == 0);
}
