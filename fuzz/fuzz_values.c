/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Value data, after the fixed records of a raw profile. The input: a byte that chooses the version; one for byte
 * order (1), pointer width (2) and IR (4); then the value data. */
#include "fuzz_profile.h"

#define HEAD 2u
#define FIRST_WITH_VALUES 2u
#define VERSIONS 10u /* 2 to 11 */
#define IR ((uint64_t)1 << 56)

#define NAMES "\x14\0main\1a.c;f\1none\1copy" /* one plain chunk: 0x14 bytes */
#define VTABLE_NAMES "\3\0_ZV"

static void make_file(struct apf_buffer *file, const struct fuzz_raw *head, const uint8_t *values, size_t n)
{
    static struct {
        const char *name;
        struct fuzz_function f;
    } rows[] = {
        {"main", {0, 2, 4, {2, 1, 1}}},
        {"a.c;f", {0, 7, 5, {1, 0, 0}}},
        {"none", {0, 13, 4, {0, 0, 0}}},
        {"copy", {0, 18, 4, {0, 2, 3}}},
    };
    struct fuzz_function functions[sizeof rows / sizeof *rows];
    struct fuzz_raw raw = *head;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        functions[i] = rows[i].f;
        functions[i].id = fuzz_id(rows[i].name, strlen(rows[i].name));
    }
    raw.functions = functions;
    raw.n_functions = sizeof rows / sizeof *rows;
    raw.names = NAMES;
    raw.n_names = sizeof NAMES - 1;
    raw.vtable_names = VTABLE_NAMES;
    raw.n_vtable_names = sizeof VTABLE_NAMES - 1;
    raw.vtable = fuzz_id("_ZV", 3);
    raw.values = values;
    raw.n_values = n;
    fuzz_make_raw(file, &raw);
}

/* Value data does not depend on the width of pointers, so neither may the result of reading it. */
static void compare_widths(const struct fuzz_raw *raw, int code, const uint8_t *values, size_t n)
{
    struct apf_buffer texts[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    for (unsigned narrow = 0; narrow < 2; narrow++) {
        struct fuzz_raw one = *raw;
        struct apf_buffer file = {NULL, 0, 0};
        one.narrow = narrow;
        make_file(&file, &one, values, n);
        struct apf_input input = apf_input_memory(file.data, file.n, "fuzz");
        REQUIRE(fuzz_merge(&input, 1, 0, 1, 0, &texts[narrow]) == code);
        apf_buffer_free(&file);
    }
    fuzz_same(&texts[0], &texts[1]);
    apf_buffer_free(&texts[0]);
    apf_buffer_free(&texts[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_raw raw = {0};
    struct apf_buffer file = {NULL, 0, 0};
    if (size < HEAD)
        return -1;
    raw.version = FIRST_WITH_VALUES + data[0] % VERSIONS;
    raw.big = data[1] & 1;
    raw.narrow = data[1] & 2;
    raw.variant = data[1] & 4 ? IR : 0;
    make_file(&file, &raw, data + HEAD, size - HEAD);
    int code = fuzz_file(file.data, file.n);
    apf_buffer_free(&file);
    if (code == APF_OK)
        compare_widths(&raw, code, data + HEAD, size - HEAD);
    return 0;
}
