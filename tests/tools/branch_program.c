/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of the program that branch_trace runs: its code, instruction by instruction, and its functions. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "object/disassembler.h"
#include "tools/branch_trace.h"

static void read_file(struct tracer *t, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        trace_fail(FAILED, "%s: %s", path, strerror(errno));
    size_t room = 0;
    for (;;) {
        t->file = trace_grown(t->file, t->file_size, &room, 1);
        size_t n = fread(t->file + t->file_size, 1, room - t->file_size, f);
        if (n == 0)
            break;
        t->file_size += n;
    }
    fclose(f);
}

static int add_symbol(void *user, const struct elf_symbol *symbol)
{
    struct tracer *t = user;
    if (symbol->type == STT_FUNC && symbol->section != ELF_UNDEFINED) {
        t->symbols = trace_grown(t->symbols, t->n_symbols, &t->symbols_room, sizeof *t->symbols);
        t->symbols[t->n_symbols++] = (struct symbol){symbol->value, symbol->name};
    }
    return 0;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    COMPARE(a->address, b->address);
    return strcmp(a->name, b->name);
}

static void add_segment(struct tracer *t, const Elf64_Phdr *p)
{
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
        return;
    if (t->n_segments == sizeof t->segments / sizeof *t->segments || p->p_offset > t->file_size ||
        p->p_filesz > t->file_size - p->p_offset)
        trace_fail(FAILED, "unusual segments");
    uint64_t start = p->p_vaddr & ~(uint64_t)4095, end = (p->p_vaddr + p->p_memsz + 4095) & ~(uint64_t)4095;
    struct segment *s = &t->segments[t->n_segments++];
    *s = (struct segment){.start = start,
                          .size = end - start,
                          .file_start = p->p_vaddr,
                          .file_size = p->p_filesz,
                          .offset = p->p_offset,
                          .protection =
                              (p->p_flags & PF_R ? PROT_READ : 0) | (p->p_flags & PF_W ? PROT_WRITE : 0),
                          .code = calloc(p->p_filesz + 1, sizeof *s->code)};
    if (!s->code)
        trace_fail(FAILED, "out of memory");
}

void program_open(struct tracer *t, const char *path)
{
    struct apf_error error;
    Elf64_Ehdr header;
    read_file(t, path);
    if (elf_file_open(&t->elf, t->file, t->file_size, &error) != APF_OK ||
        disassembler_open(&t->disassembler, elf_file_facts(t->elf), DISASSEMBLER_KINDS, &error) != APF_OK)
        trace_fail(FAILED, "%s: %s", path, error.message);
    memcpy(&header, t->file, sizeof header);
    if (elf_file_facts(t->elf)->machine != EM_X86_64 || header.e_phoff > t->file_size ||
        t->file_size - header.e_phoff < (size_t)header.e_phnum * sizeof(Elf64_Phdr))
        trace_fail(FAILED, "%s is no program for x86-64", path);
    t->entry = header.e_entry;
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, t->file + header.e_phoff + i * sizeof p, sizeof p);
        add_segment(t, &p);
    }
    if (elf_file_symbols(t->elf, add_symbol, t, &error) != APF_OK)
        trace_fail(FAILED, "%s: %s", path, error.message);
    if (t->n_symbols)
        qsort(t->symbols, t->n_symbols, sizeof *t->symbols, compare_symbols);
}

struct segment *program_segment(struct tracer *t, uint64_t address)
{
    for (size_t i = 0; i < t->n_segments; i++)
        if (address - t->segments[i].start < t->segments[i].size)
            return &t->segments[i];
    return NULL;
}

/* The condition and target come from the text: in AT&T's syntax * marks an indirect target. */
static void decode(struct tracer *t, struct code *c, const uint8_t *p, size_t n, uint64_t address)
{
    struct instruction i = disassembler_next(t->disassembler, p, n < 16 ? n : 16, address);
    if (i.size == 0)
        trace_fail(FAILED, "unknown instruction at 0x%llx", (unsigned long long)address);
    c->size = (uint8_t)i.size;
    c->kind = (uint8_t)i.kind;
    if (i.kind == INSTRUCTION_PLAIN || !i.mnemonic)
        return;
    const char *word = strrchr(i.mnemonic, ' '); /* after prefixes */
    word = word ? word + 1 : i.mnemonic;
    c->indirect = i.kind != INSTRUCTION_RETURN && strchr(i.operands, '*');
    c->conditional = i.kind == INSTRUCTION_BRANCH && strncmp(word, "jmp", 3) != 0;
}

struct code *program_code(struct tracer *t, uint64_t address)
{
    struct segment *s = program_segment(t, address);
    if (!s || address - s->file_start >= s->file_size)
        trace_fail(FAILED, "no code at 0x%llx", (unsigned long long)address);
    uint64_t at = address - s->file_start;
    if (s->code[at].size == 0)
        decode(t, &s->code[at], t->file + s->offset + at, s->file_size - at, address);
    return &s->code[at];
}

/* The name of the function that contains an address, without the suffix of a part. */
static size_t function_at(const struct tracer *t, uint64_t address, const char **name)
{
    size_t low = 0, high = t->n_symbols;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    *name = low ? t->symbols[low - 1].name : "";
    const char *cold = strstr(*name, ".cold"), *warm = strstr(*name, ".warm");
    const char *end = cold ? cold : warm ? warm : *name + strlen(*name);
    return (size_t)(end - *name);
}

bool program_same_function(const struct tracer *t, uint64_t a, uint64_t b)
{
    const char *left, *right;
    size_t n = function_at(t, a, &left);
    return function_at(t, b, &right) == n && memcmp(left, right, n) == 0;
}

void program_close(struct tracer *t)
{
    free(t->symbols);
    for (size_t i = 0; i < t->n_segments; i++)
        free(t->segments[i].code);
    disassembler_close(t->disassembler);
    elf_file_close(t->elf);
    free(t->file);
}
