/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detection of what is in ELF files. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/jobs.h>

#include "helpers/shared/unit.h"

#define HEADER 64u
#define SECTION 64u

static struct apf_file_info detect(const void *data, size_t n)
{
    struct apf_input input = apf_input_file(NULL);
    struct apf_file_info info = {.size = sizeof info};
    struct apf_error error;
    input.data = data;
    input.n = n;
    assert_int_equal(apf_file_detect(&input, NULL, &info, &error), APF_OK);
    assert_int_equal(info.file_size, n);
    return info;
}

static void store_number(uint8_t *p, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static void store_section(uint8_t *p, uint32_t name, uint32_t type, uint64_t offset, uint64_t size)
{
    store_number(p, name, 4);
    store_number(p + 4, type, 4);
    store_number(p + 24, offset, 8);
    store_number(p + 32, size, 8);
    store_number(p + 48, 1, 8);
}

/* A 64-bit little-endian object: names, a build id, probes, and counters without bytes. Returns its size. */
static size_t make_elf(uint8_t *elf)
{
    static const char names[] = "\0.shstrtab\0.note.gnu.build-id\0.pseudo_probe\0__llvm_prf_cnts";
    static const uint8_t note[] = {4,   0,   0,   0, 5, 0, 0, 0, 3, 0, 0, 0,
                                   'G', 'N', 'U', 0, 1, 2, 3, 4, 5, 0, 0, 0};
    size_t at_names = HEADER, at_note = at_names + 64, at_sections = at_note + 32;
    memset(elf, 0, at_sections + 5 * SECTION);
    memcpy(elf, "\177ELF\2\1\1", 7);
    store_number(elf + 16, 1, 2);   /* ET_REL */
    store_number(elf + 18, 183, 2); /* EM_AARCH64 */
    store_number(elf + 20, 1, 4);
    store_number(elf + 40, at_sections, 8);
    store_number(elf + 52, HEADER, 2);
    store_number(elf + 58, SECTION, 2);
    store_number(elf + 60, 5, 2);
    store_number(elf + 62, 1, 2);
    memcpy(elf + at_names, names, sizeof names);
    memcpy(elf + at_note, note, sizeof note);
    uint8_t *s = elf + at_sections;
    store_section(s + SECTION, 1, 3, at_names, sizeof names);    /* SHT_STRTAB */
    store_section(s + 2 * SECTION, 11, 7, at_note, sizeof note); /* SHT_NOTE */
    store_section(s + 3 * SECTION, 30, 1, at_note, 8);           /* SHT_PROGBITS */
    store_section(s + 4 * SECTION, 44, 8, at_note,
                  (uint64_t)1 << 40); /* SHT_NOBITS: its size is not in the file */
    return at_sections + 5 * SECTION;
}

static void test_elf(void **state)
{
    static const uint8_t id[] = {1, 2, 3, 4, 5};
    uint8_t elf[1024];
    size_t n = make_elf(elf);
    (void)state;
    struct apf_file_info info = detect(elf, n);
    assert_int_equal(info.kind, APF_KIND_ELF);
    assert_int_equal(info.contents, APF_ELF_PROBES | APF_ELF_INSTRUMENTED);
    assert_int_equal(info.elf_bits, 64);
    assert_int_equal(info.elf_machine, 183);
    assert_int_equal(info.big_endian, 0);
    assert_int_equal(info.n_build_id, sizeof id);
    assert_memory_equal(info.build_id, id, sizeof id);
}

/* Cut anywhere it is still an ELF file, or unknown while the magic is not whole; and every byte may be anything. */
static void test_damaged_elf(void **state)
{
    uint8_t elf[1024], *copy;
    size_t n = make_elf(elf);
    (void)state;
    for (size_t cut = 1; cut < n; cut++) {
        copy = malloc(cut);
        assert_non_null(copy);
        memcpy(copy, elf, cut);
        assert_int_equal(detect(copy, cut).kind, cut < 4 ? APF_KIND_UNKNOWN : APF_KIND_ELF);
        free(copy);
    }
    for (size_t i = 4; i < n; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            elf[i] ^= (uint8_t)(1u << bit);
            assert_int_equal(detect(elf, n).kind, APF_KIND_ELF);
            elf[i] ^= (uint8_t)(1u << bit);
        }
}

TEST_FILE(detect_elf)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elf), cmocka_unit_test(test_damaged_elf)};
    return RUN_TESTS(tests);
}
