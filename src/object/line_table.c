/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/line_table.h"

#include <dwarf.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/search.h"
#include "base/sort.h"

struct program {
    struct line_table *table;
    struct cursor c;
    const uint8_t *lengths; /* number of operands of each standard opcode, from 1 on */
    uint8_t least_instruction, line_range, opcode_base;
    int8_t line_base;
    struct line_row row; /* the current state of the line program */
    bool statements;     /* what row.statement is at the start of a sequence */
    size_t first;        /* first row of the current sequence */
    bool no_memory;
};

/* ---- the header ---- */

struct version {
    uint16_t number;
    uint8_t sizes;    /* bytes with the sizes of addresses and segments */
    uint8_t per_word; /* bytes with the number of instructions in a word */
};

static const struct version versions[] = {{2, 0, 0}, {3, 0, 0}, {4, 0, 1}, {5, 2, 1}};

static const struct version *find_version(uint16_t number)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].number == number)
            return &versions[i];
    return NULL;
}

static bool read_header(struct program *p)
{
    uint64_t length = cursor_u32(&p->c);
    bool is_64_bit = length == UINT32_MAX;
    if (is_64_bit)
        length = cursor_u64(&p->c);
    p->c = cursor_sub(&p->c, length);
    const struct version *version = find_version(cursor_u16(&p->c));
    if (!version)
        return false;
    cursor_skip(&p->c, version->sizes);
    uint64_t header = is_64_bit ? cursor_u64(&p->c) : cursor_u32(&p->c);
    struct cursor rest = p->c;
    cursor_skip(&rest, header);
    p->least_instruction = cursor_u8(&p->c);
    cursor_skip(&p->c, version->per_word);
    p->statements = cursor_u8(&p->c) != 0;
    p->line_base = (int8_t)cursor_u8(&p->c);
    p->line_range = cursor_u8(&p->c);
    p->opcode_base = cursor_u8(&p->c);
    p->lengths = cursor_bytes(&p->c, p->opcode_base ? p->opcode_base - 1u : 0);
    bool good = !p->c.failed && !rest.failed;
    p->c = rest; /* names of files are not needed */
    return good;
}

/* ---- the program ---- */

static void start_sequence(struct program *p)
{
    p->first = p->table->rows.n;
    p->row = (struct line_row){.line = 1, .file = 1, .statement = p->statements};
}

static void add_row(struct program *p)
{
    struct line_row row = p->row;
    const struct line_row *last = ENTRY_AT(p->table->rows.data, p->table->rows.n);
    if (p->table->rows.n > p->first && last[-1].address == row.address && last[-1].line == row.line)
        row.statement |= last[-1].statement;
    p->no_memory |= !VEC_PUSH(&p->table->rows, row);
    p->row.discriminator = 0;
}

static void end_sequence(struct program *p)
{
    size_t n = p->table->rows.n - p->first;
    struct line_sequence s = {n ? p->table->rows.data[p->first].address : 0, p->row.address, p->first, n};
    if (n && s.low < s.high && s.low != UINT64_MAX &&
        s.low != UINT32_MAX) /* other sequences are of code that the linker dropped */
        p->no_memory |= !VEC_PUSH(&p->table->sequences, s);
    else
        p->table->rows.n = p->first;
    start_sequence(p);
}

static void run_extended(struct program *p)
{
    struct cursor c = cursor_sub(&p->c, cursor_uleb128(&p->c));
    switch (cursor_u8(&c)) {
    case DW_LNE_end_sequence:
        end_sequence(p);
        break;
    case DW_LNE_set_address:
        p->row.address = cursor_left(&c) == 8 ? cursor_u64(&c) : cursor_u32(&c);
        break;
    case DW_LNE_set_discriminator:
        p->row.discriminator = (uint32_t)cursor_uleb128(&c);
        break;
    default:
        break;
    }
}

/* The address advance of a special opcode. */
static uint64_t advance(const struct program *p, uint8_t opcode)
{
    unsigned steps = p->line_range ? (unsigned)(opcode - p->opcode_base) / p->line_range : 0;
    return (uint64_t)steps * p->least_instruction;
}

static void run_special(struct program *p, uint8_t opcode)
{
    int more = p->line_range ? (opcode - p->opcode_base) % p->line_range : 0;
    p->row.address += advance(p, opcode);
    p->row.line += (uint32_t)(p->line_base + more);
    add_row(p);
}

static void run_standard(struct program *p, uint8_t opcode)
{
    switch (opcode) {
    case DW_LNS_copy:
        add_row(p);
        break;
    case DW_LNS_advance_pc:
        p->row.address += cursor_uleb128(&p->c) * p->least_instruction;
        break;
    case DW_LNS_advance_line:
        p->row.line += (uint32_t)cursor_sleb128(&p->c);
        break;
    case DW_LNS_set_file:
        p->row.file = (uint32_t)cursor_uleb128(&p->c);
        break;
    case DW_LNS_negate_stmt:
        p->row.statement = !p->row.statement;
        break;
    case DW_LNS_const_add_pc:
        p->row.address += advance(p, 255);
        break;
    case DW_LNS_fixed_advance_pc:
        p->row.address += cursor_u16(&p->c);
        break;
    default: /* an unknown opcode: its operands are skipped */
        for (unsigned i = 0; i < p->lengths[opcode - 1u] && !p->c.failed; i++)
            (void)cursor_uleb128(&p->c);
        break;
    }
}

static bool sort_sequences(struct line_table *t)
{
    size_t n = t->sequences.n;
    struct arena scratch = {0};
    struct sort_key *keys = arena_array(&scratch, 2 * n, sizeof *keys);
    struct line_sequence *copy = arena_array(&scratch, n, sizeof *copy);
    bool fits = keys && copy;
    for (size_t i = 0; fits && i < n; i++) {
        keys[i].key = t->sequences.data[i].high;
        keys[i].value = i;
        copy[i] = t->sequences.data[i];
    }
    if (fits)
        sort_keys(keys, keys + n, n);
    for (size_t i = 0; fits && i < n; i++)
        t->sequences.data[i] = copy[keys[i].value];
    arena_free(&scratch);
    return fits;
}

uint64_t line_table_size(const uint8_t *data, size_t n, bool swap, uint64_t offset)
{
    struct program p = {.c = cursor_make(data, n, swap)};
    cursor_skip(&p.c, offset);
    return read_header(&p) ? (uint64_t)(p.c.end - data) - offset : 0;
}

bool line_table_read(struct line_table *t, const uint8_t *data, size_t n, bool swap, uint64_t offset)
{
    struct program p = {.table = t, .c = cursor_make(data, n, swap)};
    cursor_skip(&p.c, offset);
    t->damaged = !read_header(&p);
    if (t->damaged)
        return true;
    start_sequence(&p);
    while (cursor_left(&p.c) && !p.c.failed && !p.no_memory) {
        uint8_t opcode = cursor_u8(&p.c);
        if (opcode >= p.opcode_base)
            run_special(&p, opcode);
        else if (opcode)
            run_standard(&p, opcode);
        else
            run_extended(&p);
    }
    t->damaged = p.c.failed || t->rows.n != p.first;
    t->rows.n = p.first; /* a sequence without an end is dropped */
    return !p.no_memory && sort_sequences(t);
}

const struct line_row *line_table_find(const struct line_table *t, uint64_t address)
{
    size_t low; /* the first sequence that ends above the address */
    SEARCH(low, 0, t->sequences.n, t->sequences.data[low].high <= address);
    if (low == t->sequences.n || address < t->sequences.data[low].low)
        return NULL;
    const struct line_row *rows = t->rows.data + t->sequences.data[low].first;
    size_t n = t->sequences.data[low].n, above;
    SEARCH(above, 1, n, rows[above].address <= address); /* row 0 is not above the address */
    return &rows[above - 1];
}

void line_table_free(struct line_table *t)
{
    VEC_FREE(&t->rows);
    VEC_FREE(&t->sequences);
}
