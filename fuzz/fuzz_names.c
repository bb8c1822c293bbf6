/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions and vtables, in a raw profile whose records refer to them. The input: a byte that chooses the
 * version; one for byte order (1), pointer width (2), vtable names instead (4) and the packing (8, 16); then the
 * section, or the names that are packed into one. */
#include "fuzz_profile.h"

#include <zlib.h>

#define HEAD 2u
#define RAW_VERSIONS 11u
#define FIRST_BLOB 3u /* in earlier versions each record points to its name */
#define FIRST_VTABLES 10u
#define MOST 4u /* functions */
#define SEPARATOR 1

enum { AS_IT_IS, PLAIN, PACKED, HALVES };

struct names {
    struct apf_str list[MOST]; /* the first names */
    size_t n;
    bool empty; /* an empty name is among them, which is an error */
};

static void split(struct names *names, const uint8_t *text, size_t n)
{
    const uint8_t *end = text + n;
    for (;;) {
        const uint8_t *stop = n ? (const uint8_t *)memchr(text, SEPARATOR, (size_t)(end - text)) : NULL;
        struct apf_str name = {(const char *)text, (size_t)((stop ? stop : end) - text)};
        names->empty |= name.n == 0;
        if (names->n < MOST)
            names->list[names->n++] = name;
        if (!stop)
            return;
        text = stop + 1;
    }
}

static void add(struct apf_buffer *section, const void *p, size_t n)
{
    REQUIRE(n == 0 || apf_buffer_write(section, p, n) == 0);
}

static void add_number(struct apf_buffer *section, size_t v)
{
    do {
        uint8_t byte = (uint8_t)((v & 127) | (v > 127 ? 128 : 0));
        add(section, &byte, 1);
        v >>= 7;
    } while (v);
}

static void add_chunk(struct apf_buffer *section, const uint8_t *text, size_t n, bool packed)
{
    uLongf size = compressBound(n);
    uint8_t *stream = malloc(size);
    REQUIRE(stream && compress2(stream, &size, text, n, 6) == Z_OK);
    add_number(section, n);
    add_number(section, packed ? size : 0);
    add(section, packed ? stream : text, packed ? size : n);
    free(stream);
}

/* Makes the section; sets *names to its names as far as they are known. */
static void make_section(struct apf_buffer *section, struct names *names, unsigned packing,
                         const uint8_t *text, size_t n)
{
    size_t half = packing == HALVES ? n - n / 2 : n;
    if (packing == AS_IT_IS) {
        add(section, text, n);
        split(names, n < 2 ? text : text + 2, n < 2 ? n : n - 2); /* valid for one short plain chunk */
        return;
    }
    split(names, text, half);
    add_chunk(section, text, half, packing == PACKED);
    if (half < n) {
        static const uint8_t zeros[3];
        add(section, zeros, n % 4); /* padding between chunks */
        split(names, text + half, n - half);
        add_chunk(section, text + half, n - half, true);
    }
}

/* Makes the functions of the profile: one for each name, or in versions 1 and 2 for pieces of the section. */
static size_t make_functions(struct fuzz_function *functions, const struct names *names, size_t section)
{
    for (size_t i = 0; i < names->n; i++) {
        struct fuzz_function f = {fuzz_id(names->list[i].p, names->list[i].n), 0, 0, {0}};
        f.name_at = (uint32_t)(i * section / MOST);
        f.name_size = (uint32_t)((i + 1) * section / MOST) - f.name_at;
        functions[i] = f;
    }
    return names->n;
}

/* Requires that every function is found under its name. */
static void check_names(const struct apf_buffer *file, const struct names *names)
{
    struct apf_options o = fuzz_options(NULL);
    struct apf_input input = apf_input_memory(file->data, file->n, "fuzz");
    struct apf_instr *p = NULL;
    REQUIRE(apf_instr_open(&p, &input, &o, NULL) == APF_OK);
    REQUIRE(apf_instr_info(p)->n_records == names->n && apf_instr_info(p)->nameless == 0);
    for (size_t i = 0; i < names->n; i++) {
        struct apf_record r = {.size = sizeof r};
        REQUIRE(apf_instr_find(p, names->list[i], i + 1, &r, NULL) == APF_OK);
        REQUIRE(r.name.n == names->list[i].n && memcmp(r.name.p, names->list[i].p, r.name.n) == 0);
        REQUIRE(r.counts[0] == 10 * i);
    }
    apf_instr_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct names names = {0};
    struct apf_buffer section = {NULL, 0, 0}, file = {NULL, 0, 0};
    struct fuzz_function functions[MOST] = {{0}};
    struct fuzz_raw raw = {0};
    if (size < HEAD)
        return -1;
    raw.version = 1 + data[0] % RAW_VERSIONS;
    raw.big = data[1] & 1;
    raw.narrow = data[1] & 2;
    bool vtables = data[1] & 4 && raw.version >= FIRST_VTABLES;
    unsigned packing = raw.version < FIRST_BLOB ? AS_IT_IS : data[1] >> 3 & 3;
    make_section(&section, &names, packing, data + HEAD, size - HEAD);
    raw.n_functions = make_functions(functions, &names, section.n);
    raw.functions = functions;
    if (vtables) {
        raw.vtable_names = section.data ? section.data : "";
        raw.n_vtable_names = section.n;
        raw.vtable = functions[0].id;
    } else {
        raw.names = section.data;
        raw.n_names = section.n;
    }
    fuzz_make_raw(&file, &raw);
    int code = fuzz_file(file.data, file.n);
    if (packing != AS_IT_IS) {
        REQUIRE(code == (names.empty ? APF_MALFORMED : APF_OK));
        if (code == APF_OK && !vtables)
            check_names(&file, &names);
    }
    apf_buffer_free(&section);
    apf_buffer_free(&file);
    return 0;
}
