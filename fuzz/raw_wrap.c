/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes a small valid raw profile of any version around the sections under test. */
#include "fuzz_profile.h"

#include <md5.h>

/* Words of the header in file order, a letter each: i size of binary ids, d number of data records, c of counters, n
 * size of names, t of vtable names, v number of vtables, C N distances (addresses) of counters and names, k last kind
 * of values, s size of value data, "-" always 0. Fields of the data record: R id, H hash, C F V pointers to counters,
 * the function and values, P to the name, L its length, U B pointers that are 0, n number of counters, s numbers of
 * sites, w and m numbers that are 0. Lower case letters are 32 bits wide, s and w 16. */
static const struct {
    const char *header, *record;
} layouts[] = {
    {NULL, NULL},
    {"dcnCN", "LnHPC"},
    {"dcnCNks-", "LnHPCFVs"},
    {"dcnCNks-", "RHCFVnss"},
    {"dcnCNk", "RHCFVnss"},
    {"d-c-nCNk", "RHCFVnss"},
    {"d-c-nCNki", "RHCFVnss"},
    {"id-c-nCNk", "RHCFVnss"},
    {"id-c-nCNk", "RHCFVnss"},
    {"id-c---nC-Nk", "RHCBFVnssm"},
    {"id-c---nC-Nvtk", "RHCBFVnsssm"},
    {"id-c------nC-Nvtk", "RHCUBFVnssswm"},
};

#define FIRST_RELATIVE 8u /* counter pointers count from the record */
#define COUNTERS_ADDRESS 0x10000u
#define NAMES_ADDRESS 0x20000u
#define VALUES_ADDRESS 0x30000u
#define COUNTERS 2u /* per function */

uint64_t fuzz_id(const void *name, size_t n)
{
    MD5_CTX context;
    uint8_t digest[MD5_DIGEST_LENGTH];
    uint64_t id = 0;
    MD5Init(&context);
    MD5Update(&context, (const uint8_t *)name, n);
    MD5Final(digest, &context);
    for (unsigned i = 8; i-- > 0;)
        id = id << 8 | digest[i];
    return id;
}

static void add_bytes(struct apf_buffer *file, const void *p, size_t n)
{
    if (n)
        REQUIRE(apf_buffer_write(file, p, n) == 0);
}

static void add(struct apf_buffer *file, const struct fuzz_raw *raw, unsigned bytes, uint64_t v)
{
    uint8_t out[8];
    for (unsigned i = 0; i < bytes; i++)
        out[raw->big ? bytes - 1 - i : i] = (uint8_t)(v >> 8 * i);
    add_bytes(file, out, bytes);
}

/* Zeros up to a multiple, counted from `start`. */
static void align(struct apf_buffer *file, size_t start, size_t multiple)
{
    static const uint8_t zeros[8];
    size_t beyond = (file->n - start) % multiple;
    add_bytes(file, zeros, beyond ? multiple - beyond : 0);
}

static unsigned pointer_bytes(const struct fuzz_raw *raw)
{
    return raw->narrow ? 4 : 8;
}

static unsigned kinds_of(const struct fuzz_raw *raw)
{
    unsigned n = 0;
    for (const char *p = layouts[raw->version].record; *p; p++)
        n += *p == 's';
    return n;
}

static bool has_vtables(const struct fuzz_raw *raw)
{
    return strchr(layouts[raw->version].header, 'v') != NULL && raw->vtable_names;
}

static uint64_t word(const struct fuzz_raw *raw, char what)
{
    switch (what) {
    case 'd':
        return raw->n_functions;
    case 'c':
        return COUNTERS * raw->n_functions;
    case 'n':
        return raw->n_names;
    case 'v':
        return has_vtables(raw);
    case 't':
        return has_vtables(raw) ? raw->n_vtable_names : 0;
    case 'C':
        return COUNTERS_ADDRESS;
    case 'N':
        return NAMES_ADDRESS;
    case 'k':
        return kinds_of(raw) - 1;
    case 's':
        return raw->n_values;
    default:
        return 0;
    }
}

static unsigned field_bytes(const struct fuzz_raw *raw, char what)
{
    if (what == 's' || what == 'w')
        return 2;
    if (what == 'L' || what == 'n' || what == 'm')
        return 4;
    return what == 'R' || what == 'H' ? 8 : pointer_bytes(raw);
}

/* `record` is where the record begins, counted from the first one. */
static uint64_t field(const struct fuzz_raw *raw, size_t i, char what, size_t record)
{
    const struct fuzz_function *f = &raw->functions[i];
    bool relative = raw->version >= FIRST_RELATIVE;
    switch (what) {
    case 'R':
        return f->id;
    case 'H':
        return i + 1;
    case 'C':
        return COUNTERS_ADDRESS + 8 * COUNTERS * i - (relative ? record : 0);
    case 'F':
        return FUZZ_FUNCTION_ADDRESS(i);
    case 'V':
        return VALUES_ADDRESS;
    case 'P':
        return NAMES_ADDRESS + f->name_at;
    case 'L':
        return f->name_size;
    case 'n':
        return COUNTERS;
    default:
        return 0;
    }
}

static void add_records(struct apf_buffer *file, const struct fuzz_raw *raw)
{
    size_t first = file->n;
    for (size_t i = 0; i < raw->n_functions; i++) {
        size_t start = file->n;
        unsigned kind = 0;
        for (const char *p = layouts[raw->version].record; *p; p++) {
            unsigned bytes = field_bytes(raw, *p);
            align(file, start, bytes);
            add(file, raw, bytes,
                *p == 's' ? raw->functions[i].n_sites[kind++] : field(raw, i, *p, start - first));
        }
        align(file, start, 8);
    }
}

static void add_vtable(struct apf_buffer *file, const struct fuzz_raw *raw)
{
    size_t start = file->n;
    add(file, raw, 8, raw->vtable);
    add(file, raw, pointer_bytes(raw), FUZZ_VTABLE_ADDRESS);
    add(file, raw, 4, FUZZ_VTABLE_SIZE);
    align(file, start, 8);
    add_bytes(file, raw->vtable_names, raw->n_vtable_names);
    align(file, start, 8);
}

void fuzz_make_raw(struct apf_buffer *file, const struct fuzz_raw *raw)
{
    add(file, raw, 8, raw->narrow ? 0xff6c70726f665281u : 0xff6c70726f667281u);
    add(file, raw, 8, raw->version | raw->variant);
    for (const char *p = layouts[raw->version].header; *p; p++)
        add(file, raw, 8, word(raw, *p));
    add_records(file, raw);
    for (size_t i = 0; i < raw->n_functions; i++)
        for (unsigned k = 0; k < COUNTERS; k++)
            add(file, raw, 8, 10 * i + k);
    size_t names = file->n;
    add_bytes(file, raw->names, raw->n_names);
    align(file, names, 8);
    if (has_vtables(raw))
        add_vtable(file, raw);
    if (raw->version >= 2)
        add_bytes(file, raw->values, raw->n_values);
}
