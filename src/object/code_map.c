/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/code_map.h"

#include <elf.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/vec.h"
#include "object/code_reader.h"
#include "object/x86_length.h"

/* Bits for the bytes of a section. */
enum marks {
    MARK_START,  /* an instruction begins here */
    MARK_STOP,   /* it is a call, a return or an unconditional direct jump */
    MARK_CALL,   /* it is a call */
    MARK_RETURN, /* it is a return */
    MARK_BRANCH, /* it is any other branch */
    MARKS
};

struct code_part {
    uint64_t address, size;
    const uint8_t *bytes;
    uint64_t *marks[MARKS];
    uint64_t *any[MARKS]; /* a bit for each word of marks that is not 0 */
    size_t first, n;      /* its symbols, in code_map.starts */
    bool whole;           /* all code from its first symbol on is decoded */
};

struct code_start {
    uint64_t address;
    bool decoded; /* the code from here to the next start */
};

struct code_map {
    const struct elf_file *elf;
    struct code_reader *reader;
    VEC(struct code_part) parts; /* by address */
    VEC(struct code_start) starts;
    struct arena arena;
    size_t last; /* the part that was found last */
    bool failed;
};

/* ---- opening ---- */

static int add_part(void *user, const struct elf_section *section)
{
    struct code_map *m = user;
    struct code_part part = {.address = section->address, .size = section->size};
    if (part.size > UINT64_MAX - part.address) /* the last address is not code: it stands for none */
        part.size = UINT64_MAX - part.address;
    if (!elf_has_code(section) || part.size == 0 || strcmp(section->name, ".plt") == 0)
        return 0;
    return VEC_PUSH(&m->parts, part) ? 0 : APF_NO_MEMORY;
}

static bool part_before(const void *context, const void *a, const void *b)
{
    const struct code_part *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

/* The place of the part that contains an address; m->parts.n: none. */
static size_t find_part(const struct code_map *m, uint64_t address)
{
    size_t low;
    SEARCH(low, 0, m->parts.n, m->parts.data[low].address <= address);
    bool inside = low && address - m->parts.data[low - 1].address < m->parts.data[low - 1].size;
    return inside ? low - 1 : m->parts.n;
}

static int add_symbol(void *user, const struct elf_symbol *symbol)
{
    struct code_map *m = user;
    struct code_start start = {symbol->value, false};
    if (symbol->section == ELF_UNDEFINED || symbol->section == ELF_NO_SECTION ||
        find_part(m, symbol->value) == m->parts.n)
        return 0;
    return VEC_PUSH(&m->starts, start) ? 0 : APF_NO_MEMORY;
}

static bool start_before(const void *context, const void *a, const void *b)
{
    const struct code_start *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

/* Sorts the starts, each once, and gives each part its own. Parts that overlap, as in a damaged file, are cut. */
static bool settle(struct code_map *m)
{
    size_t kept = 0, at = 0;
    if (!SORT_VEC(&m->starts, start_before, NULL))
        return false;
    for (size_t i = 0; i < m->starts.n; i++)
        if (kept == 0 || m->starts.data[kept - 1].address != m->starts.data[i].address)
            m->starts.data[kept++] = m->starts.data[i];
    m->starts.n = kept;
    for (size_t i = 0; i < m->parts.n; i++) {
        struct code_part *part = &m->parts.data[i];
        if (i + 1 < m->parts.n && part[1].address - part->address < part->size)
            part->size = part[1].address - part->address;
        while (at < m->starts.n && m->starts.data[at].address < part->address)
            at++;
        part->first = at;
        while (at < m->starts.n && m->starts.data[at].address - part->address < part->size)
            at++;
        part->n = at - part->first;
    }
    return true;
}

int code_map_open(struct code_map **result, const struct elf_file *elf, const struct elf_file *symbols,
                  struct apf_error *error)
{
    struct code_map *m = calloc(1, sizeof *m);
    *result = NULL;
    if (!m)
        return error_memory(error);
    m->elf = elf;
    int code = code_reader_open(&m->reader, elf, error);
    if (code == APF_OK &&
        (elf_file_sections(elf, add_part, m) != 0 || !SORT_VEC(&m->parts, part_before, NULL)))
        code = error_memory(error);
    if (code == APF_OK)
        code = elf_file_symbols(symbols, add_symbol, m, error);
    if (code == APF_OK && !settle(m))
        code = error_memory(error);
    if (code == APF_OK)
        *result = m;
    else
        code_map_close(m);
    return code;
}

void code_map_close(struct code_map *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->parts.n; i++)
        free(m->parts.data[i].marks[0]);
    VEC_FREE(&m->parts);
    VEC_FREE(&m->starts);
    code_reader_close(m->reader);
    arena_free(&m->arena);
    free(m);
}

/* ---- bits ---- */

#define WORD_BITS 64u

static bool has_mark(const struct code_part *part, enum marks mark, uint64_t offset)
{
    return part->marks[mark][offset / WORD_BITS] >> (offset % WORD_BITS) & 1;
}

static void set_bit(uint64_t *bits, uint64_t at)
{
    bits[at / WORD_BITS] |= (uint64_t)1 << (at % WORD_BITS);
}

static void set_mark(struct code_part *part, enum marks mark, uint64_t offset)
{
    set_bit(part->marks[mark], offset);
    set_bit(part->any[mark], offset / WORD_BITS);
}

/* The first bit in [from, end), or `end`. */
static uint64_t next_bit(const uint64_t *bits, uint64_t from, uint64_t end)
{
    while (from < end) {
        uint64_t word = bits[from / WORD_BITS] >> (from % WORD_BITS);
        if (word) {
            from += (uint64_t)__builtin_ctzll(word);
            return from < end ? from : end;
        }
        from = (from / WORD_BITS + 1) * WORD_BITS;
    }
    return end;
}

/* The last bit in [begin, end), or UINT64_MAX. */
static uint64_t last_bit(const uint64_t *bits, uint64_t begin, uint64_t end)
{
    while (end > begin) {
        uint64_t base = (end - 1) / WORD_BITS * WORD_BITS, word = bits[base / WORD_BITS];
        uint64_t unused = base + WORD_BITS - end;
        word = word << unused >> unused;
        if (word) {
            uint64_t found = base + WORD_BITS - 1 - (uint64_t)__builtin_clzll(word);
            return found >= begin ? found : UINT64_MAX;
        }
        end = base;
    }
    return UINT64_MAX;
}

/* The first mark in [from, end), or `end`. */
static uint64_t next_mark(const struct code_part *part, enum marks mark, uint64_t from, uint64_t end)
{
    const uint64_t word_end = (from / WORD_BITS + 1) * WORD_BITS, n_words = end / WORD_BITS + 1;
    uint64_t found = next_bit(part->marks[mark], from, end < word_end ? end : word_end);
    if (end <= word_end || found != word_end)
        return found;
    uint64_t word = next_bit(part->any[mark], from / WORD_BITS + 1, n_words);
    return word == n_words ? end : next_bit(part->marks[mark], word * WORD_BITS, end);
}

/* The last mark in [begin, end), or UINT64_MAX. */
static uint64_t last_mark(const struct code_part *part, enum marks mark, uint64_t begin, uint64_t end)
{
    if (begin >= end)
        return UINT64_MAX;
    uint64_t word = (end - 1) / WORD_BITS, word_begin = word * WORD_BITS;
    uint64_t found = last_bit(part->marks[mark], begin > word_begin ? begin : word_begin, end);
    if (found != UINT64_MAX || begin >= word_begin)
        return found;
    word = last_bit(part->any[mark], begin / WORD_BITS, word);
    return word == UINT64_MAX ? word : last_bit(part->marks[mark], begin, (word + 1) * WORD_BITS);
}

/* ---- decoding ---- */

static void mark_instruction(struct code_part *part, uint64_t offset, const struct instruction *instruction,
                             const struct code_map *m)
{
    set_mark(part, MARK_START, offset);
    if (instruction->kind == INSTRUCTION_PLAIN)
        return;
    struct instruction_flow flow = code_reader_flow(m->reader);
    bool jump = instruction->kind == INSTRUCTION_BRANCH && flow.direct && !flow.conditional;
    set_mark(part,
             instruction->kind == INSTRUCTION_CALL     ? MARK_CALL
             : instruction->kind == INSTRUCTION_RETURN ? MARK_RETURN
                                                       : MARK_BRANCH,
             offset);
    if (jump || instruction->kind != INSTRUCTION_BRANCH)
        set_mark(part, MARK_STOP, offset);
}

/* Decodes the code from an offset to another one; the last instruction may reach beyond it. */
static void decode(struct code_map *m, struct code_part *part, uint64_t from, uint64_t end)
{
    const uint32_t machine = elf_file_facts(m->elf)->machine;
    const uint64_t unit = machine == EM_AARCH64 ? 4 : 1;
    while (from < end) {
        size_t common = machine == EM_X86_64 ? x86_common_length(part->bytes + from, part->size - from) : 0;
        if (common) {
            set_mark(part, MARK_START, from);
            from += common;
            continue;
        }
        struct instruction instruction =
            code_reader_decode(m->reader, part->bytes + from, part->size - from, part->address + from);
        if (instruction.size)
            mark_instruction(part, from, &instruction, m);
        from += instruction.size ? instruction.size : unit;
    }
}

/* Makes the marks of a part. False: there is no memory. */
static bool open_part(struct code_map *m, struct code_part *part)
{
    const size_t words = (size_t)(part->size / WORD_BITS + 1), more = words / WORD_BITS + 1;
    uint64_t n = part->size;
    if (part->marks[0])
        return true;
    part->bytes = code_reader_bytes(m->reader, part->address, &n);
    part->size = part->bytes ? n : 0; /* code_reader_open has read all sections */
    uint64_t *marks = calloc(words + more, MARKS * sizeof *marks);
    for (size_t i = 0; marks && i < MARKS; i++) {
        part->marks[i] = marks + i * words;
        part->any[i] = marks + MARKS * words + i * more;
    }
    return marks != NULL;
}

/* Where the code from the i-th start of a part on ends: at the next start, or at the end of the part. */
static uint64_t end_of(const struct code_map *m, const struct code_part *part, size_t i)
{
    const bool last = i + 1 == part->first + part->n;
    const uint64_t next = last ? part->size : m->starts.data[i + 1].address - part->address;
    return next < part->size ? next : part->size;
}

/* Decodes the code from a start on, unless that was done before. */
static void decode_from(struct code_map *m, struct code_part *part, size_t i)
{
    struct code_start *start = &m->starts.data[i];
    if (!start->decoded)
        decode(m, part, start->address - part->address, end_of(m, part, i));
    start->decoded = true;
}

/* The part that contains an address, whose code there is decoded; NULL: none. */
static struct code_part *look_at(struct code_map *m, uint64_t address)
{
    const struct code_part *last = ENTRY_AT(m->parts.data, m->last);
    size_t number = m->last, start;
    if (m->last >= m->parts.n || address - last->address >= last->size)
        number = find_part(m, address);
    if (number == m->parts.n)
        return NULL;
    struct code_part *part = &m->parts.data[number];
    m->last = number;
    if (!open_part(m, part)) {
        m->failed = true;
        return NULL;
    }
    if (address - part->address >= part->size)
        return NULL; /* the file does not have it */
    SEARCH(start, part->first, part->first + part->n, m->starts.data[start].address <= address);
    if (start > part->first)
        decode_from(m, part, start - 1);
    return part;
}

/* Code of a part that is decoded, from `begin` to `end`. */
struct code_region {
    uint64_t begin, end;
};

/* After so many regions, all of a part is decoded: searches that go on, and later ones, look at it once. */
#define MOST_REGIONS 32u

/* The region that contains an offset, which was looked at; before the first start it is empty. A search counts its
 * regions. */
static struct code_region region_at(struct code_map *m, struct code_part *part, uint64_t offset, unsigned *n)
{
    const uint64_t begin = part->n ? m->starts.data[part->first].address - part->address : part->size;
    size_t start;
    if (++*n > MOST_REGIONS && !part->whole) {
        for (size_t i = part->first; i < part->first + part->n; i++)
            decode_from(m, part, i);
        part->whole = true;
    }
    if (offset < begin)
        return (struct code_region){offset, begin};
    if (part->whole)
        return (struct code_region){begin, part->size};
    SEARCH(start, part->first, part->first + part->n,
           m->starts.data[start].address - part->address <= offset);
    return (struct code_region){m->starts.data[start - 1].address - part->address,
                                end_of(m, part, start - 1)};
}

/* ---- looking up ---- */

bool code_map_failed(const struct code_map *m)
{
    return m->failed;
}

/* Whether the part that was found last is known to have an instruction at an address: nearly all questions are about
 * code that was asked about before. */
static bool is_known(const struct code_map *m, uint64_t address)
{
    const struct code_part *part = ENTRY_AT(m->parts.data, m->last);
    return m->last < m->parts.n && address - part->address < part->size && part->marks[0] &&
           has_mark(part, MARK_START, address - part->address);
}

bool code_map_has(struct code_map *m, uint64_t address)
{
    if (is_known(m, address))
        return true;
    const struct code_part *part = look_at(m, address);
    return part && has_mark(part, MARK_START, address - part->address);
}

bool code_map_covers(const struct code_map *m, uint64_t address)
{
    const size_t number = find_part(m, address);
    return number < m->parts.n && m->parts.data[number].n &&
           address >= m->starts.data[m->parts.data[number].first].address;
}

/* Loads what is_known needs. */
static void fetch_known(const struct code_map *m, uint64_t address)
{
    const struct code_part *part = ENTRY_AT(m->parts.data, m->last);
    if (m->last < m->parts.n && address - part->address < part->size && part->marks[0])
        PREFETCH(&part->marks[MARK_START][(address - part->address) / WORD_BITS]);
}

void code_map_has_pairs(struct code_map *m, const struct address_pair *pairs, size_t n, uint8_t *found)
{
    for (size_t i = 0; i < n; i++) {
        fetch_known(m, pairs[i].a);
        fetch_known(m, pairs[i].b);
    }
    for (size_t i = 0; i < n; i++) {
        bool a = code_map_has(m, pairs[i].a);
        bool b = code_map_has(m, pairs[i].b);
        found[i] = (uint8_t)((a ? CODE_MAP_A : 0) | (b ? CODE_MAP_B : 0));
    }
}

enum instruction_kind code_map_kind(struct code_map *m, uint64_t address)
{
    const struct code_part *part = is_known(m, address) ? &m->parts.data[m->last] : look_at(m, address);
    uint64_t offset = part ? address - part->address : 0;
    if (!part)
        return INSTRUCTION_PLAIN;
    return has_mark(part, MARK_CALL, offset)     ? INSTRUCTION_CALL
           : has_mark(part, MARK_RETURN, offset) ? INSTRUCTION_RETURN
           : has_mark(part, MARK_BRANCH, offset) ? INSTRUCTION_BRANCH
                                                 : INSTRUCTION_PLAIN;
}

bool code_map_jump(struct code_map *m, uint64_t address, struct instruction_flow *flow)
{
    const struct code_part *part = look_at(m, address);
    uint64_t offset = part ? address - part->address : 0;
    if (!part || !has_mark(part, MARK_BRANCH, offset))
        return false;
    code_reader_decode(m->reader, part->bytes + offset, part->size - offset, address);
    *flow = code_reader_flow(m->reader);
    return true;
}

bool code_map_call(struct code_map *m, uint64_t address, uint64_t *target)
{
    const struct code_part *part = look_at(m, address);
    uint64_t offset = part ? address - part->address : 0;
    if (!part || !has_mark(part, MARK_CALL, offset))
        return false;
    code_reader_decode(m->reader, part->bytes + offset, part->size - offset, address);
    struct instruction_flow flow = code_reader_flow(m->reader);
    *target = flow.target;
    return flow.direct;
}

uint64_t code_map_size(struct code_map *m, uint64_t address)
{
    const struct code_part *part = look_at(m, address);
    uint64_t offset = part ? address - part->address : 0;
    if (!part || !has_mark(part, MARK_START, offset))
        return 0;
    return code_reader_decode(m->reader, part->bytes + offset, part->size - offset, address).size;
}

bool code_map_runs(struct code_map *m, uint64_t start, uint64_t end)
{
    unsigned n = 0;
    if (start > end)
        return false;
    while (start < end) {
        struct code_part *part = look_at(m, start);
        size_t next;
        if (!part) { /* a gap, or .plt: nothing there stops */
            SEARCH(next, 0, m->parts.n, m->parts.data[next].address <= start);
            start = next < m->parts.n ? m->parts.data[next].address : end;
            continue;
        }
        const uint64_t from = start - part->address, rest = end - part->address;
        const uint64_t region_end = region_at(m, part, from, &n).end;
        const uint64_t until = region_end < rest ? region_end : rest;
        if (next_mark(part, MARK_STOP, from, until) != until)
            return false;
        start = part->address + until;
    }
    return true;
}

uint64_t code_map_before(struct code_map *m, uint64_t address)
{
    unsigned n = 0;
    while (address) {
        struct code_part *part = look_at(m, address - 1);
        if (!part || part->n == 0 || address <= m->starts.data[part->first].address)
            return 0;
        const uint64_t offset = address - part->address, begin = region_at(m, part, offset - 1, &n).begin;
        const uint64_t found = last_mark(part, MARK_START, begin, offset);
        if (found != UINT64_MAX)
            return part->address + found;
        address = part->address + begin;
    }
    return 0;
}

uint64_t code_map_from(struct code_map *m, uint64_t address)
{
    unsigned n = 0;
    for (;;) {
        struct code_part *part = look_at(m, address);
        if (!part)
            return UINT64_MAX;
        const uint64_t offset = address - part->address, end = region_at(m, part, offset, &n).end;
        const uint64_t found = next_mark(part, MARK_START, offset, end);
        if (found != end)
            return part->address + found;
        if (end == part->size)
            return UINT64_MAX;
        address = part->address + end;
    }
}
