/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Translates addresses one by one as llvm-bat-dump --translate does, which accepts them on its command line only:
 * the counterpart of `anyprof bat translate` in the benchmark.
 *
 *     bat_rule PROGRAM <ADDRESSES >PLACES
 *
 * It finds the nearest function symbol at or below the address, the table of the fragment that begins there, and the
 * last entry at or below the offset. It searches sorted arrays where that tool has trees, which are slower. It reads
 * 64-bit programs of BOLT 19 and later in this machine's byte order, and checks nothing that it reads. */
#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/stat.h>

#define MAKER "bat_rule"
#include "maker.h"

struct symbol {
    uint64_t address;
    const char *name;
    size_t order;
};

struct entry {
    uint32_t output, input;
};

struct fragment {
    uint64_t address;
    size_t first, n;
};

static struct symbol *symbols;
static struct fragment *fragments;
static struct entry *entries;
static size_t n_symbols, n_fragments, n_entries;

/* ---- the table ---- */

static const uint8_t *at; /* the next byte of the table */

static uint64_t uleb(void)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        v |= (uint64_t)(*at & 127) << shift;
        if (!(*at++ & 128))
            return v;
    }
}

static uint64_t sleb(void)
{
    uint64_t v = 0;
    for (unsigned shift = 0;;) {
        v |= (uint64_t)(*at & 127) << shift;
        shift += 7;
        if (!(*at++ & 128))
            return shift < 64 && at[-1] & 64 ? v | UINT64_MAX << shift : v;
    }
}

static uint64_t fixed(void)
{
    uint64_t v;
    memcpy(&v, at, sizeof v);
    at += sizeof v;
    return v;
}

static void read_entries(struct fragment *f, uint64_t *base, uint64_t skew)
{
    uint64_t n_equal = uleb(), input = 0;
    const uint8_t *bits = at;
    at += (n_equal + 7) / 8;
    entries = need(realloc(entries, (n_entries + f->n) * sizeof *entries + 1));
    for (size_t i = 0; i < f->n; i++) {
        uint32_t output = (uint32_t)((*base += uleb()) - f->address);
        if (i < n_equal)
            input = (uint64_t)(uint32_t)(output + skew) << 1 | (bits[i / 8] >> i % 8 & 1);
        else
            input += sleb();
        if (!(input & 1)) {
            fixed(); /* the hash of the block, and its number */
            uleb();
        }
        entries[n_entries++] = (struct entry){output, (uint32_t)(input >> 1)};
    }
}

static void read_fragments(bool cold, uint64_t *base)
{
    size_t n = uleb();
    fragments = need(realloc(fragments, (n_fragments + n) * sizeof *fragments + 1));
    for (size_t i = 0; i < n; i++) {
        struct fragment *f = &fragments[n_fragments++];
        uint64_t skew = 0, n_secondary = 0;
        f->address = *base += uleb();
        f->first = n_entries;
        if (cold) {
            uleb(); /* its function */
            skew = uleb();
        } else {
            fixed(); /* the hash of the function, and its blocks */
            uleb();
            n_secondary = uleb();
        }
        f->n = uleb();
        read_entries(f, base, skew);
        while (n_secondary--)
            uleb();
    }
}

static int by_fragment(const void *a, const void *b)
{
    uint64_t x = ((const struct fragment *)a)->address, y = ((const struct fragment *)b)->address;
    return (x > y) - (x < y);
}

static void read_table(const uint8_t *section)
{
    uint32_t name_bytes;
    uint64_t base = 0;
    memcpy(&name_bytes, section, sizeof name_bytes);
    at = section + 12 + (name_bytes + 3) / 4 * 4;
    read_fragments(false, &base);
    read_fragments(true, &base);
    qsort(fragments, n_fragments, sizeof *fragments, by_fragment);
}

/* ---- the program ---- */

static int by_symbol(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address > y->address ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

static void read_symbols(const uint8_t *file, const Elf64_Shdr *table, const Elf64_Shdr *strings)
{
    symbols = need(calloc(table->sh_size / sizeof(Elf64_Sym) + 1, sizeof *symbols));
    for (size_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, file + table->sh_offset + i * sizeof symbol, sizeof symbol);
        const char *name = (const char *)file + strings->sh_offset + symbol.st_name;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
            symbols[n_symbols++] = (struct symbol){symbol.st_value, name, i};
    }
    qsort(symbols, n_symbols, sizeof *symbols, by_symbol);
}

static uint8_t *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) != 0)
        die(path);
    size_t n = (size_t)st.st_size;
    uint8_t *file = need(malloc(n | 1));
    if (fread(file, 1, n, f) != n)
        die(path);
    fclose(f);
    return file;
}

static void read_program(const uint8_t *file)
{
    Elf64_Ehdr header;
    memcpy(&header, file, sizeof header);
    Elf64_Shdr *sections = need(calloc(header.e_shnum, sizeof *sections));
    memcpy(sections, file + header.e_shoff, header.e_shnum * sizeof *sections);
    const char *names = (const char *)file + sections[header.e_shstrndx].sh_offset;
    for (size_t i = 0; i < header.e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (strcmp(names + s->sh_name, ".note.bolt_bat") == 0)
            read_table(file + s->sh_offset);
        else if (s->sh_type == SHT_SYMTAB)
            read_symbols(file, s, &sections[s->sh_link]);
    }
    free(sections);
}

/* ---- the loop ---- */

static const struct symbol *nearest_symbol(uint64_t address)
{
    size_t low = 0, high = n_symbols;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &symbols[low - 1] : NULL;
}

static uint32_t translate(uint64_t start, uint32_t offset)
{
    struct fragment key = {start, 0, 0};
    const struct fragment *f = bsearch(&key, fragments, n_fragments, sizeof *fragments, by_fragment);
    size_t low = 0, high = f ? f->n : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (entries[f->first + middle].output <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return offset;
    const struct entry *e = &entries[f->first + low - 1];
    return offset - e->output + e->input;
}

int main(int argc, char **argv)
{
    char line[64];
    if (argc != 2) {
        fprintf(stderr, "usage: bat_rule PROGRAM <ADDRESSES >PLACES\n");
        return 2;
    }
    uint8_t *file = read_file(argv[1]);
    read_program(file);
    if (!n_fragments || !n_symbols) {
        fprintf(stderr, MAKER ": %s: no table, or no symbols\n", argv[1]);
        exit(1);
    }
    while (fgets(line, sizeof line, stdin)) {
        uint64_t address = strtoull(line, NULL, 0);
        const struct symbol *s = nearest_symbol(address);
        if (s)
            printf("0x%" PRIx64 "  %s+0x%" PRIx32 "\n", address, s->name,
                   translate(s->address, (uint32_t)(address - s->address)));
    }
    if (fflush(stdout) != 0)
        die("write");
    free(symbols);
    free(fragments);
    free(entries);
    free(file);
    return 0;
}
