/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Multiplies a program with coverage and its profile.
 *
 *     make_coverage PROGRAM PROFILE COPIES DIR      DIR/program and DIR/program.proftext
 *
 * PROGRAM is a little-endian ELF file of 64 bits with coverage of version 4 or later, PROFILE its profile as text. Copy
 * number K of a function has ".K" after its name, and its counts times 1 + K % 7. Copy K of a source file is below
 * DIR/K, which is a symbolic link to the root directory: the sources can be shown, too. DIR/program has the coverage
 * sections only. DIR must be an absolute name. The same arguments make the same bytes. */
#include <elf.h>
#include <inttypes.h>
#include <unistd.h>

#include <zlib.h>

#define MAKER "make_coverage"
#include "maker_bytes.h"

#define NAMES 0
#define UNITS 1
#define FUNCTIONS 2
#define N_SECTIONS 3

static const char *const section_names[N_SECTIONS] = {"__llvm_prf_names", "__llvm_covmap", "__llvm_covfun"};

struct name {
    uint64_t id;
    const char *text;
    size_t chunk; /* names of one unit are compressed together */
};

struct unit {
    uint64_t id, copy_id; /* of the list of files: of the program, and of the copy that is being made */
    uint32_t version;
    size_t n_files;
    struct bytes files; /* each with a NUL at its end */
};

struct program {
    struct bytes section[N_SECTIONS];
    struct name *names, *by_id; /* in the order of the program, and of their ids */
    struct unit *units;
    size_t n_names, n_units;
};

static void need_true(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, MAKER ": %s\n", what);
        exit(1);
    }
}

static struct bytes read_whole(const char *path)
{
    struct bytes b = {0};
    char part[1 << 16];
    size_t n;
    FILE *f = fopen(path, "rb");
    if (!f)
        die(path);
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        put_bytes(&b, part, n);
    if (ferror(f))
        die(path);
    fclose(f);
    put_bytes(&b, "", 1); /* The NUL ends the text for next_line(). */
    b.n--;
    return b;
}

static void find_sections(struct program *p, const struct bytes *elf)
{
    Elf64_Ehdr e;
    Elf64_Shdr s, names;
    need_true(elf->n >= sizeof e, "too small for an ELF file");
    memcpy(&e, elf->p, sizeof e);
    need_true(memcmp(e.e_ident, ELFMAG, SELFMAG) == 0 && e.e_ident[EI_CLASS] == ELFCLASS64,
              "no ELF file of 64 bits");
    memcpy(&names, elf->p + e.e_shoff + (size_t)e.e_shstrndx * sizeof names, sizeof names);
    for (size_t i = 0; i < e.e_shnum; i++) {
        memcpy(&s, elf->p + e.e_shoff + i * sizeof s, sizeof s);
        for (int k = 0; k < N_SECTIONS; k++)
            if (strcmp((const char *)elf->p + names.sh_offset + s.sh_name, section_names[k]) == 0) {
                need_true(!p->section[k].p, "not linked: several sections of one name");
                p->section[k] = (struct bytes){elf->p + s.sh_offset, s.sh_size, s.sh_size};
            }
    }
    for (int k = 0; k < N_SECTIONS; k++)
        need_true(p->section[k].n > 0, "no coverage");
}

static uint64_t number_at(const uint8_t *p, size_t size)
{
    uint64_t v = 0;
    for (size_t i = size; i > 0; i--)
        v = v << 8 | p[i - 1];
    return v;
}

static uint64_t read_uleb(const uint8_t **p)
{
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
        v |= (uint64_t)(**p & 0x7f) << shift;
        if (!(*(*p)++ & 0x80))
            return v;
    }
}

/* The unpacked bytes of a pair of sizes and what follows them. *p moves to their end. */
static struct bytes read_packed(const uint8_t **p)
{
    struct bytes b = {0};
    uint64_t size = read_uleb(p), packed = read_uleb(p);
    uLongf unpacked = size;
    b.n = size;
    b.p = need(malloc(size + 1));
    if (packed == 0)
        memcpy(b.p, *p, size);
    else
        need_true(uncompress(b.p, &unpacked, *p, packed) == Z_OK && unpacked == size, "damaged");
    b.p[size] = 0;
    *p += packed ? packed : size;
    return b;
}

static void write_packed(struct bytes *b, const struct bytes *text)
{
    uLongf packed = compressBound(text->n);
    uint8_t *out = need(malloc(packed));
    need_true(compress2(out, &packed, text->p, text->n, 9) == Z_OK, "compress2");
    write_uleb(b, text->n);
    write_uleb(b, packed);
    put_bytes(b, out, packed);
    free(out);
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const struct name *)a)->id, y = ((const struct name *)b)->id;
    return (x > y) - (x < y);
}

static void read_names(struct program *p)
{
    const uint8_t *at = p->section[NAMES].p, *end = at + p->section[NAMES].n;
    size_t capacity = 0;
    for (size_t chunk = 0; at < end; chunk++) {
        if (*at == 0) { /* padding between chunks */
            at++;
            continue;
        }
        struct bytes text = read_packed(&at); /* stays allocated: names point into it */
        for (char *s = strtok((char *)text.p, "\1"); s; s = strtok(NULL, "\1")) {
            if (p->n_names == capacity) {
                capacity = 2 * capacity + 1024;
                p->names = need(realloc(p->names, capacity * sizeof *p->names));
            }
            p->names[p->n_names++] = (struct name){md5_id(s, strlen(s)), s, chunk};
        }
    }
    p->by_id = need(malloc((p->n_names + 1) * sizeof *p->by_id));
    memcpy(p->by_id, p->names, p->n_names * sizeof *p->names);
    qsort(p->by_id, p->n_names, sizeof *p->by_id, by_id);
}

static void read_units(struct program *p)
{
    const uint8_t *start = p->section[UNITS].p, *end = start + p->section[UNITS].n;
    for (const uint8_t *at = start; at < end;) {
        size_t size = number_at(at + 4, 4);
        p->units = need(realloc(p->units, (p->n_units + 1) * sizeof *p->units));
        struct unit *u = &p->units[p->n_units++];
        *u = (struct unit){.id = md5_id(at + 16, size), .version = (uint32_t)number_at(at + 12, 4)};
        need_true(u->version >= 3, "too old: made by LLVM 10 or earlier");
        const uint8_t *list = at + 16;
        u->n_files = read_uleb(&list);
        struct bytes text = read_packed(&list);
        const uint8_t *file = text.p;
        for (size_t i = 0; i < u->n_files; i++) {
            size_t length = read_uleb(&file);
            put_bytes(&u->files, file, length);
            put_bytes(&u->files, "", 1);
            file += length;
        }
        free(text.p);
        at += (16 + size + 7) / 8 * 8;
    }
}

/* Puts `copy` before absolute names of files. The first name, the directory of relative names, is absolute. */
static void copy_units(struct program *p, const char *copy, struct bytes *out)
{
    for (size_t i = 0; i < p->n_units; i++) {
        struct unit *u = &p->units[i];
        struct bytes text = {0}, list = {0};
        const char *file = (const char *)u->files.p;
        for (size_t k = 0; k < u->n_files; k++, file += strlen(file) + 1) {
            size_t moved = *file == '/' ? strlen(copy) : 0;
            write_uleb(&text, moved + strlen(file));
            put_bytes(&text, copy, moved);
            put_bytes(&text, file, strlen(file));
        }
        write_uleb(&list, u->n_files);
        write_packed(&list, &text);
        u->copy_id = md5_id(list.p, list.n);
        write_number(out, 0, 4);
        write_number(out, list.n, 4);
        write_number(out, 0, 4);
        write_number(out, u->version, 4);
        put_bytes(out, list.p, list.n);
        pad(out);
        free(text.p);
        free(list.p);
    }
}

static void copy_names(const struct program *p, const char *suffix, struct bytes *out)
{
    for (size_t i = 0; i < p->n_names;) {
        struct bytes text = {0};
        for (size_t first = i; i < p->n_names && p->names[i].chunk == p->names[first].chunk; i++) {
            put_bytes(&text, "\1", i > first);
            put_bytes(&text, p->names[i].text, strlen(p->names[i].text));
            put_bytes(&text, suffix, strlen(suffix));
        }
        write_packed(out, &text);
        free(text.p);
    }
}

static uint64_t id_of_copy(const struct program *p, uint64_t id, const char *suffix)
{
    char text[1 << 16];
    const struct name *name =
        bsearch(&(struct name){.id = id}, p->by_id, p->n_names, sizeof *p->by_id, by_id);
    need_true(name && strlen(name->text) + strlen(suffix) < sizeof text, "a function without a name");
    return md5_id(text, (size_t)snprintf(text, sizeof text, "%s%s", name->text, suffix));
}

static void copy_functions(const struct program *p, const char *suffix, struct bytes *out)
{
    const uint8_t *at = p->section[FUNCTIONS].p, *end = at + p->section[FUNCTIONS].n;
    for (size_t u = 0; at + 28 <= end;) {
        size_t size = number_at(at + 8, 4);
        uint64_t list = number_at(at + 20, 8);
        for (size_t tries = 0; p->units[u].id != list; tries++) { /* mostly that of the last function */
            need_true(tries < p->n_units, "a function without a list of files");
            u = (u + 1) % p->n_units;
        }
        write_number(out, id_of_copy(p, number_at(at, 8), suffix), 8);
        put_bytes(out, at + 8, 12); /* the size of the mapping, and the hash */
        write_number(out, p->units[u].copy_id, 8);
        put_bytes(out, at + 28, size);
        pad(out);
        at += (28 + size + 7) / 8 * 8;
    }
}

static void write_program(const char *path, const struct bytes sections[N_SECTIONS])
{
    Elf64_Shdr headers[N_SECTIONS + 2] = {{0}};
    struct bytes names = {0}, b = {0};
    Elf64_Ehdr e = {.e_type = ET_DYN,
                    .e_machine = EM_X86_64,
                    .e_version = EV_CURRENT,
                    .e_ehsize = sizeof e,
                    .e_shentsize = sizeof *headers,
                    .e_shnum = N_SECTIONS + 2,
                    .e_shstrndx = N_SECTIONS + 1};
    memcpy(e.e_ident, ELFMAG "\2\1\1", SELFMAG + 3);
    put_bytes(&names, "", 1);
    put_bytes(&b, &e, sizeof e);
    for (int i = 1; i < N_SECTIONS + 2; i++) {
        int last = i == N_SECTIONS + 1;
        const char *name = last ? ".shstrtab" : section_names[i - 1];
        headers[i].sh_name = (Elf64_Word)names.n;
        put_bytes(&names, name, strlen(name) + 1);
        const struct bytes *content = last ? &names : &sections[i - 1];
        headers[i].sh_type = last ? SHT_STRTAB : SHT_PROGBITS;
        headers[i].sh_addralign = 8;
        headers[i].sh_offset = b.n;
        headers[i].sh_size = content->n;
        put_bytes(&b, content->p, content->n);
        pad(&b);
    }
    e.e_shoff = b.n;
    memcpy(b.p, &e, sizeof e);
    put_bytes(&b, headers, sizeof headers);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(b.p, 1, b.n, f) != b.n || fclose(f) != 0)
        die(path);
}

/* The next line at *at, without its end, or NULL. Lines that are comments are passed over. */
static const char *next_line(const char **at, size_t *length)
{
    while (**at == '#')
        *at += strcspn(*at, "\n") + (strchr(*at, '\n') ? 1 : 0);
    const char *line = *at;
    *length = strcspn(line, "\n");
    *at += *length + (line[*length] == '\n');
    return *line ? line : NULL;
}

static void copy_profile(FILE *f, const char *text, const char *suffix, uint64_t copy)
{
    size_t length, number = 0, n_counters = 0; /* number: of the line in its function */
    for (const char *line; (line = next_line(&text, &length));) {
        if (*line == ':') { /* of the whole profile */
            if (copy == 0)
                fprintf(f, "%.*s\n", (int)length, line);
            continue;
        }
        if (number == 2)
            n_counters = strtoul(line, NULL, 10);
        if (length > 0 && number > 2 && number < 3 + n_counters)
            fprintf(f, "%" PRIu64 "\n", strtoul(line, NULL, 10) * (1 + copy % 7));
        else
            fprintf(f, "%.*s%s\n", (int)length, line, length > 0 && number == 0 ? suffix : "");
        number = length > 0 ? number + 1 : 0;
    }
}

int main(int argc, char **argv)
{
    unsigned long copies = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
    struct bytes out[N_SECTIONS] = {{0}};
    struct program p = {0};
    char path[4096], copy[4096], suffix[32];
    if (copies == 0 || *argv[4] != '/') {
        fprintf(stderr, "usage: make_coverage PROGRAM PROFILE COPIES DIR\n");
        return 2;
    }
    struct bytes elf = read_whole(argv[1]), text = read_whole(argv[2]);
    find_sections(&p, &elf);
    read_names(&p);
    read_units(&p);
    snprintf(path, sizeof path, "%s/program.proftext", argv[4]);
    FILE *profile = fopen(path, "w");
    if (!profile)
        die(path);
    for (unsigned long i = 0; i < copies; i++) {
        snprintf(copy, sizeof copy, "%s/%lu", argv[4], i);
        snprintf(suffix, sizeof suffix, ".%lu", i);
        if (symlink("/", copy) != 0 && errno != EEXIST)
            die(copy);
        copy_units(&p, copy, &out[UNITS]);
        copy_names(&p, suffix, &out[NAMES]);
        copy_functions(&p, suffix, &out[FUNCTIONS]);
        copy_profile(profile, (const char *)text.p, suffix, i);
    }
    if (fclose(profile) != 0)
        die(path);
    snprintf(path, sizeof path, "%s/program", argv[4]);
    write_program(path, out);
    return 0;
}
