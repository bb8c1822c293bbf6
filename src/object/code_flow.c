/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/code_flow.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "object/code_referrers.h"
#include "object/flow_model.h"
#include "object/program_functions.h"

/* ---- symbols ---- */

static int collect_symbol(void *user, const struct elf_symbol *symbol)
{
    struct code_flow *c = user;
    struct flow_symbol s = {symbol->value, symbol->size, symbol->type, symbol->binding, false};
    s.is_private = strncmp(symbol->name, ".L", 2) == 0;
    if (symbol->section == ELF_UNDEFINED || symbol->section == ELF_NO_SECTION || symbol->type == STT_FILE ||
        symbol->type == STT_TLS || symbol->type == STT_SECTION ||
        is_mapping_symbol(elf_file_facts(c->functions->elf)->machine, symbol))
        return 0;
    return VEC_PUSH(&c->symbols, s) ? 0 : APF_NO_MEMORY;
}

static bool symbol_before(const void *context, const void *a, const void *b)
{
    const struct flow_symbol *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

static int collect_symbols(struct code_flow *c, struct apf_error *error)
{
    int code = elf_file_symbols(c->functions->elf, collect_symbol, c, error);
    if (code == APF_OK && !VEC_RESERVE(&c->symbols, c->symbols.n))
        code = error_memory(error);
    if (code == APF_OK && c->symbols.n)
        sort_merge(c->symbols.data, c->symbols.data + c->symbols.n, c->symbols.n, sizeof *c->symbols.data,
                   symbol_before, NULL);
    return code;
}

static size_t first_symbol(const struct code_flow *c, uint64_t address)
{
    size_t at;
    SEARCH(at, 0, c->symbols.n, c->symbols.data[at].address < address);
    return at;
}

/* Such symbols may stand inside a function: labels that are not global, and symbols without a size. */
static bool is_tolerated(const struct flow_symbol *s, uint64_t end)
{
    return (s->size == 0 && s->address < end) || (s->type == STT_NOTYPE && s->binding == STB_LOCAL);
}

/* Symbols inside of a function are other places where it may be entered. */
static void mark_symbols(struct code_flow *c, struct flow_function *f)
{
    uint64_t end = f->address + f->size;
    bool others = true;
    for (size_t i = first_symbol(c, f->address + 1); i < c->symbols.n && c->symbols.data[i].address < end;
         i++) {
        const struct flow_symbol *s = &c->symbols.data[i];
        bool is_function = s->type == STT_FUNC;
        others = others && (is_function || is_tolerated(s, end));
        if (is_function || (others && !s->is_private))
            flow_label(c, f, s->address - f->address, true);
    }
}

/* A function that refers into the middle of an instruction cannot be followed, nor can the function that it refers
 * to. */
static void mark_references(struct code_flow *c)
{
    for (size_t i = 0; i < c->references.n; i++) {
        const struct flow_reference *r = &c->references.data[i];
        struct flow_function *f = flow_find(c, r->to), *from = &c->list.data[r->from];
        if (!f || f->state != FLOW_IS_KNOWN)
            continue;
        flow_label(c, f, r->to - f->address, true);
        if (!(c->marks.data[f->marks + (r->to - f->address)] & MARK_STEP))
            from->state = FLOW_IS_BROKEN;
    }
}

/* ---- blocks ---- */

#define NO_SUCCESSOR_JOINS (MARK_JUMP | MARK_INDIRECT | MARK_RETURN | MARK_LEAVES)

/* A jump right after the end of a block belongs to the block: two branches can serve one condition. */
static bool joins_block(uint16_t before, uint16_t mark)
{
    return mark & MARK_JUMP && !(before & NO_SUCCESSOR_JOINS);
}

static bool add_block(struct code_flow *c, const struct flow_function *f, uint32_t at)
{
    uint16_t mark = c->marks.data[f->marks + at];
    struct flow_block block = {.start = at, .last = at, .flags = mark & MARK_ENTRY ? FLOW_ENTRY : 0};
    return VEC_PUSH(&c->blocks, block);
}

/* When a label is inside an instruction, the code of the function cannot be followed. */
static bool split_function(struct code_flow *c, struct flow_function *f)
{
    const uint16_t *marks = c->marks.data + f->marks;
    uint16_t before = MARK_RETURN;
    bool open = false;
    f->first_block = c->blocks.n;
    for (uint32_t at = 0; at < f->size && f->state == FLOW_IS_KNOWN; at++) {
        if (marks[at] & MARK_LABEL && !(marks[at] & MARK_STEP))
            f->state = FLOW_IS_BROKEN;
        if (!(marks[at] & MARK_STEP))
            continue;
        bool begins = marks[at] & MARK_LABEL || (!open && !joins_block(before, marks[at]));
        if (begins && !add_block(c, f, at))
            return false;
        c->blocks.data[c->blocks.n - 1].last = at;
        open = !(marks[at] & MARK_END);
        before = marks[at];
    }
    f->n_blocks = c->blocks.n - f->first_block;
    return true;
}

/* Whether the next block is a successor: control falls into it, or a branch goes there. */
static bool has_successor(const struct code_flow *c, const struct flow_function *f,
                          const struct flow_block *block, uint32_t next, size_t *branch)
{
    uint16_t last = c->marks.data[f->marks + block->last];
    size_t n = 0, end = f->first_branch + f->n_branches;
    bool goes_there = false;
    for (; *branch < end && c->branches.data[*branch].from <= block->last; ++*branch, n++)
        goes_there |= c->branches.data[*branch].to == next;
    if (goes_there)
        return true;
    return n == 0 ? !(last & MARK_END) || last & MARK_LEAVES : n == 1 && last & MARK_CONDITIONAL;
}

/* Whether an unknown jump at the end of a block may go to a place, as in BOLT: data refers to it, and relocations
 * of the program say where data does. A jump after a pop leaves the function. */
static bool may_jump(const struct code_flow *c, const struct flow_function *f, const struct flow_block *block,
                     uint32_t next)
{
    const uint16_t *marks = c->marks.data + f->marks;
    bool pops = false;
    for (uint32_t at = block->start; at <= block->last && !pops; at++)
        pops = marks[at] & MARK_EPILOGUE;
    return c->is_strict && !pops && marks[next] & MARK_DATA;
}

/* Whether the indirect jump at the end of a block may go to the next one. BOLT forgets the table if what computes the
 * target is not in the block. */
static bool jumps_on(const struct code_flow *c, const struct flow_function *f, const struct flow_block *block,
                     const struct flow_site *site, uint32_t next)
{
    if (!site)
        return c->marks.data[f->marks + block->last] & MARK_OPEN && may_jump(c, f, block, next);
    bool is_known = !c->is_strict || site->from >= block->start || (site->table && !site->is_relative);
    return is_known ? site->table && flow_table_has(c, site->table, f->address + next)
                    : c->marks.data[f->marks + next] & MARK_DATA;
}

/* The site of an indirect jump; NULL: it has none. */
static const struct flow_site *find_site(const struct code_flow *c, uint32_t function, uint32_t offset,
                                         size_t *site)
{
    const struct flow_site *all = c->sites.data;
    while (*site < c->sites.n && (all[*site].function < function ||
                                  (all[*site].function == function && all[*site].offset < offset)))
        ++*site;
    bool found = *site < c->sites.n && all[*site].function == function && all[*site].offset == offset;
    return found ? &all[*site] : NULL;
}

static void connect(struct code_flow *c, const struct flow_function *f, size_t *site)
{
    struct flow_block *blocks = ENTRY_AT(c->blocks.data, f->first_block);
    size_t branch = f->first_branch;
    uint32_t index = (uint32_t)(f - c->list.data);
    for (size_t i = 0; i < f->n_blocks; i++) {
        struct flow_block *b = &blocks[i];
        uint16_t last = c->marks.data[f->marks + b->last];
        bool is_last = i + 1 == f->n_blocks;
        uint32_t next = is_last ? UINT32_MAX : b[1].start;
        bool follows = has_successor(c, f, b, next, &branch);
        if (last & MARK_INDIRECT && !is_last)
            follows = follows || jumps_on(c, f, b, find_site(c, index, b->last, site), next);
        b->flags |= !is_last && follows ? FLOW_FALLS : 0;
        b->flags |= (last & (MARK_CALL | MARK_LEAVES) ? FLOW_CALLS : 0) | (last & MARK_OPEN ? FLOW_OPEN : 0);
    }
    for (size_t i = f->n_blocks; i-- > 0;)
        blocks[i].runs_to = blocks[i].flags & FLOW_FALLS ? blocks[i + 1].runs_to : (uint32_t)i;
}

/* ---- all of it ---- */

static bool add_function(struct code_flow *c, uint32_t number, bool is_wanted)
{
    const struct code_function *b = &c->functions->list[number];
    struct flow_function f = {.address = b->address,
                              .size = b->size,
                              .function = number,
                              .is_wanted = is_wanted,
                              .state = FLOW_IS_KNOWN};
    const struct flow_section *section = flow_find_section(c, b->address);
    if (section && section->is_stubs)
        f.state = FLOW_IS_STUB;
    return VEC_PUSH(&c->list, f);
}

static bool make_blocks(struct code_flow *c)
{
    size_t site = 0;
    for (size_t i = 0; i < c->list.n; i++) {
        struct flow_function *f = &c->list.data[i];
        if (f->state != FLOW_IS_KNOWN)
            continue;
        if (!split_function(c, f))
            return false;
        if (c->functions->list[f->function].is_skipped)
            f->state = FLOW_IS_BROKEN;
        if (f->state == FLOW_IS_KNOWN)
            connect(c, f, &site);
    }
    return true;
}

static bool add_functions(struct code_flow *c, const uint32_t *hit, size_t n)
{
    struct arena scratch = {0};
    uint8_t *marks = arena_zeros(&scratch, c->functions->n, sizeof *marks);
    bool done = marks != NULL;
    for (size_t i = 0; done && i < n; i++)
        marks[hit[i]] = CODE_IS_WANTED;
    if (done)
        code_mark_referrers(c->functions, c->reader, marks);
    for (size_t i = 0; done && i < c->functions->n; i++)
        done = !marks[i] || add_function(c, (uint32_t)i, marks[i] == CODE_IS_WANTED);
    arena_free(&scratch);
    return done;
}

static bool look_at_all(struct code_flow *c, const uint32_t *hit, size_t n)
{
    struct flow_steps steps = {.budget = 0};
    bool done = flow_read_relocations(c) && add_functions(c, hit, n);
    for (size_t i = 0; done && i < c->list.n; i++)
        done = flow_decode(c, &c->list.data[i], &steps);
    VEC_FREE(&steps.list);
    if (!done || !flow_read_tables(c))
        return false;
    for (size_t i = 0; i < c->list.n; i++)
        mark_symbols(c, &c->list.data[i]);
    mark_references(c);
    flow_mark_pointers(c);
    flow_mark_landing_pads(c);
    return make_blocks(c);
}

int code_flow_open(struct code_flow **result, const struct code_functions *functions,
                   struct code_reader *reader, const uint32_t *hit, size_t n, struct apf_error *error)
{
    struct code_flow *c = calloc(1, sizeof *c);
    *result = NULL;
    if (!c)
        return error_memory(error);
    c->functions = functions;
    c->reader = reader;
    int code = collect_symbols(c, error);
    if (code == APF_OK)
        code = flow_read_sections(c, error);
    if (code == APF_OK && !look_at_all(c, hit, n))
        code = error_memory(error);
    VEC_FREE(&c->symbols);
    VEC_FREE(&c->sections);
    VEC_FREE(&c->branches);
    VEC_FREE(&c->sites);
    VEC_FREE(&c->tables);
    VEC_FREE(&c->targets);
    VEC_FREE(&c->references);
    VEC_FREE(&c->pointers);
    VEC_FREE(&c->addresses);
    VEC_FREE(&c->distances);
    VEC_FREE(&c->marks);
    if (code == APF_OK)
        *result = c;
    else
        code_flow_close(c);
    return code;
}

void code_flow_close(struct code_flow *c)
{
    if (!c)
        return;
    VEC_FREE(&c->list);
    VEC_FREE(&c->blocks);
    free(c);
}

/* ---- runs ---- */

static const struct flow_function *find_function(const struct code_flow *c, uint32_t function)
{
    size_t at;
    SEARCH(at, 0, c->list.n, c->list.data[at].function < function);
    return at < c->list.n && c->list.data[at].function == function ? &c->list.data[at] : NULL;
}

/* 1 + the number of the block that contains the offset; 0: there is none. */
static size_t find_block(const struct code_flow *c, const struct flow_function *f, uint64_t offset)
{
    const struct flow_block *blocks = ENTRY_AT(c->blocks.data, f->first_block);
    size_t at;
    SEARCH(at, 0, f->n_blocks, blocks[at].start <= offset);
    return offset < f->size ? at : 0;
}

/* A run that begins right after a call belongs to the block of the call where it began with the return of that call. */
static bool continues_call(const struct flow_block *block, const struct flow_run *run)
{
    if (!run->may_continue || run->from != block->start || run->from == 0)
        return false;
    bool may = run->is_return || !(block->flags & FLOW_ENTRY);
    return may && block[-1].flags & FLOW_FALLS && block[-1].flags & FLOW_CALLS;
}

enum flow_result code_flow_run(const struct code_flow *c, uint32_t function, const struct flow_run *run,
                               const struct flow_block **result, size_t *n)
{
    const struct flow_function *f = find_function(c, function);
    *n = 0;
    if (run->from > run->to)
        return FLOW_TORN;
    if (f && f->state == FLOW_IS_STUB)
        return FLOW_IN_STUB;
    if (!f || f->state == FLOW_IS_BROKEN)
        return FLOW_NOT_KNOWN;
    size_t first = find_block(c, f, run->from), last = find_block(c, f, run->to);
    const struct flow_block *blocks = ENTRY_AT(c->blocks.data, f->first_block);
    if (!first || !last)
        return FLOW_TORN;
    first -= 1 + continues_call(&blocks[first - 1], run);
    last--;
    if (first < last && blocks[first].runs_to < last)
        return blocks[blocks[first].runs_to].flags & FLOW_OPEN ? FLOW_JUMPED : FLOW_TORN;
    *result = &blocks[first];
    *n = first < last ? last - first + 1 : 0;
    return FLOW_RAN;
}

size_t code_flow_n_blocks(const struct code_flow *c)
{
    return c->blocks.n;
}

size_t code_flow_number(const struct code_flow *c, const struct flow_block *block)
{
    return (size_t)(block - c->blocks.data);
}

const struct flow_block *code_flow_blocks(const struct code_flow *c, uint32_t function, size_t *n)
{
    const struct flow_function *f = find_function(c, function);
    *n = f && f->state == FLOW_IS_KNOWN ? f->n_blocks : 0;
    return *n ? c->blocks.data + f->first_block : NULL;
}

uint64_t code_flow_size(const struct code_flow *c, uint32_t function)
{
    const struct flow_function *f = find_function(c, function);
    return f ? f->size : 0;
}

uint64_t code_flow_open_jumps(const struct code_flow *c)
{
    return c->open_jumps;
}
