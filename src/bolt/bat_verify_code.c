/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares entries with the code in the output and in the input. */
#include "base/error.h"
#include "bolt/bat_verify.h"
#include "object/code_reader.h"

/* For each byte of a function: 0, or 1 + the kind of the instruction that begins there. */
struct starts {
    uint8_t *data; /* a vector */
    size_t n, capacity;
};

/* Finds the beginnings of the instructions of a function; false: allocation failed. After unknown bytes, an instruction
 * may begin anywhere. */
static bool find_starts(struct code_reader *c, uint64_t address, uint64_t n, struct starts *starts)
{
    const uint8_t *bytes = c ? code_reader_bytes(c, address, &n) : NULL;
    starts->n = 0;
    if (!bytes || n == 0)
        return true;
    if (!VEC_RESERVE(starts, (size_t)n))
        return false;
    starts->n = (size_t)n;
    memset(starts->data, 0, starts->n);
    for (size_t at = 0; at < n;) {
        struct instruction i = code_reader_decode(c, bytes + at, n - at, address + at);
        if (!i.size) {
            memset(starts->data + at, UINT8_MAX, starts->n - at);
            break;
        }
        starts->data[at] = i.mnemonic || i.is_newer ? (uint8_t)(1 + i.kind) : UINT8_MAX;
        at += i.size;
    }
    return true;
}

/* The entry of `starts` for an offset; 0: no instruction begins there; UINT8_MAX: unknown. */
static uint8_t start_at(const struct starts *starts, uint64_t offset)
{
    return offset < starts->n ? starts->data[offset] : UINT8_MAX;
}

static bool check_entry(struct bat_verification *v, size_t i, uint32_t k, const struct starts *output,
                        const struct starts *input, uint64_t input_size)
{
    const struct apf_bat_entry *e = &v->bat->entries.data[k];
    uint8_t here = e->flags & APF_BAT_ENTRY_DELETED ? UINT8_MAX : start_at(output, e->output),
            there = start_at(input, e->input);
    bool done = here || bat_add_finding(v, BAT_NOT_CODE, i, k);
    if (done && input_size && e->input >= input_size)
        return bat_add_finding(v, BAT_INPUT_BEYOND, i, k);
    if (done && !there)
        return bat_add_finding(v, BAT_INPUT_NOT_CODE, i, k);
    bool known = here && here != UINT8_MAX && there != UINT8_MAX;
    if (done && e->flags & APF_BAT_ENTRY_BRANCH && known && here != there)
        done = bat_add_finding(v, BAT_OTHER_KIND, i, k);
    return done;
}

/* Finds the code of a function in the input, and its size; 0: unknown. */
static bool find_input(struct bat_verification *v, uint32_t function, struct code_reader *code,
                       struct starts *starts, uint64_t *size)
{
    const struct apf_bat *bat = v->bat;
    uint64_t address = function != APF_BAT_NONE ? bat->fragments.data[function].input : 0;
    starts->n = 0;
    *size = address ? bat->original.sizes[function] : 0;
    if (*size && !find_starts(code, address, *size, starts))
        return false;
    v->verdict.n_originals += starts->n != 0;
    return true;
}

/* The size of a fragment's code: the size of its symbol, but at most up to the next fragment. */
static uint64_t code_size(const struct apf_bat *bat, size_t place)
{
    const struct apf_bat_fragment *f = &bat->fragments.data[bat->by_address[place]];
    uint64_t room = place + 1 < bat->fragments.n ? bat->starts[place + 1] - f->address : UINT64_MAX;
    return f->size < room ? f->size : room;
}

/* Checks the fragments function by function, so that each function is decoded once. */
static bool check_fragments(struct bat_verification *v, struct code_reader *const codes[2],
                            struct starts starts[2], struct sort_key *order)
{
    const struct apf_bat *bat = v->bat;
    size_t n = bat->fragments.n;
    uint64_t size = 0;
    bool done = true;
    for (size_t i = 0; i < n; i++)
        order[i] = (struct sort_key){bat->fragments.data[bat->by_address[i]].function, i};
    sort_keys(order, order + n, n);
    for (size_t i = 0; done && i < n; i++) {
        size_t place = (size_t)order[i].value, number = bat->by_address[place];
        const struct apf_bat_fragment *f = &bat->fragments.data[number];
        if (i == 0 || order[i].key != order[i - 1].key)
            done = find_input(v, f->function, codes[1], &starts[1], &size);
        done = done && find_starts(codes[0], f->address, code_size(bat, place), &starts[0]);
        v->verdict.n_decoded += done && starts[0].n != 0;
        for (uint32_t k = f->first_entry; done && k < f->first_entry + f->n_entries; k++)
            done = check_entry(v, number, k, &starts[0], &starts[1], size);
    }
    return done;
}

bool bat_verify_code(struct bat_verification *v)
{
    struct code_reader *codes[2] = {NULL, NULL};
    struct starts starts[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    const struct apf_bat *bat = v->bat;
    if (!bat->elf)
        return error_plain(&v->not_decoded, APF_UNSUPPORTED, "bat.code",
                           "a section alone has no code; give the program") != APF_NO_MEMORY;
    int code = code_reader_open(&codes[0], bat->elf, &v->not_decoded);
    if (code == APF_OK && bat->original.elf)
        code = code_reader_open(&codes[1], bat->original.elf, &v->not_decoded);
    struct arena arena = {0};
    struct sort_key *order = arena_array(&arena, 2 * bat->fragments.n, sizeof *order);
    bool done =
        code != APF_NO_MEMORY && order && (code != APF_OK || check_fragments(v, codes, starts, order));
    for (size_t i = 0; i < 2; i++) {
        code_reader_close(codes[i]);
        VEC_FREE(&starts[i]);
    }
    arena_free(&arena);
    return done;
}
