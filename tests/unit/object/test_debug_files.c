/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Links to files with debug information, and the search for these. What tools make of programs is tested by
 * tests/oracle/debug_files.py, messages by tests/cli/profgen_debug.sh. */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"
#include "object/debug_files.h"

/* The bytes of a program with a section. */
static struct eb_bytes with_section(const char *name, const void *data, size_t n, bool big_endian)
{
    struct eb_section section = {name, SHT_PROGBITS, 0, 0, 0, 0, 0, data, n};
    struct eb_file file = {64, big_endian, ET_EXEC, EM_X86_64, &section, 1, NULL, 0};
    return eb_build(&file);
}

static struct elf_file *open_bytes(const struct eb_bytes *b)
{
    struct elf_file *elf;
    struct apf_error error;
    assert_int_equal(elf_file_open(&elf, b->data, b->n, &error), APF_OK);
    return elf;
}

/* ---- links ---- */

static void check_link(const char *bytes, size_t n, bool big_endian, const char *name, uint32_t crc)
{
    struct eb_bytes b = with_section(".gnu_debuglink", bytes, n, big_endian);
    struct elf_file *elf = open_bytes(&b);
    struct debug_link link = debug_link_of(elf);
    assert_int_equal(link.unsafe, !name);
    assert_int_equal(link.name.n, name ? strlen(name) : 0);
    if (name) {
        assert_string_equal(link.name.p, name);
        assert_int_equal(link.crc, crc);
    }
    elf_file_close(elf);
    free(b.data);
}
#define CHECK_LINK(bytes, big, name, crc) check_link(bytes, sizeof bytes - 1, big, name, crc)

static void test_links(void **state)
{
    char longest[260] = {0};
    (void)state;
    CHECK_LINK("abc\0\1\2\3\4", false, "abc", 0x04030201);
    CHECK_LINK("abc\0\1\2\3\4", true, "abc", 0x01020304);
    CHECK_LINK("abcd\0\0\0\0\1\0\0\0rest", false, "abcd", 1);
    CHECK_LINK("...\0\1\0\0\0", false, "...", 1);
    memset(longest, 'a', 255);
    check_link(longest, 260, false, longest, 0);
    CHECK_LINK("abc\0\1\2\3", false, NULL, 0);
    CHECK_LINK("abc", false, NULL, 0);
    CHECK_LINK("\0\0\0\0\1\2\3\4", false, NULL, 0);
    CHECK_LINK(".\0\0\0\1\2\3\4", false, NULL, 0);
    CHECK_LINK("..\0\0\1\2\3\4", false, NULL, 0);
    CHECK_LINK("../a\0\0\0\0\1\2\3\4", false, NULL, 0);
    CHECK_LINK("/ab\0\1\2\3\4", false, NULL, 0);
    CHECK_LINK("a/b\0\1\2\3\4", false, NULL, 0);
    check_link(memset(longest, 'a', 256), 256, false, NULL, 0);
    struct eb_bytes b = with_section(".other", "abc\0\1\2\3\4", 8, false);
    struct elf_file *elf = open_bytes(&b);
    struct debug_link link = debug_link_of(elf);
    assert_false(link.unsafe || link.name.n);
    elf_file_close(elf);
    free(b.data);
}

static void check_alternate(const char *section, const char *bytes, size_t n, const char *path,
                            const char *id)
{
    struct eb_bytes b = with_section(section, bytes, n, false);
    struct elf_file *elf = open_bytes(&b);
    struct debug_alternate_link link = debug_alternate_link_of(elf);
    assert_int_equal(link.path.n, path ? strlen(path) : 0);
    if (path) {
        assert_string_equal(link.path.p, path);
        assert_int_equal(link.id.n, strlen(id));
        assert_memory_equal(link.id.p, id, link.id.n);
    }
    elf_file_close(elf);
    free(b.data);
}
#define CHECK_ALTERNATE(section, bytes, path, id) check_alternate(section, bytes, sizeof bytes - 1, path, id)

static void test_alternates(void **state)
{
    static char longest[5000];
    (void)state;
    CHECK_ALTERNATE(".gnu_debugaltlink", "../x/y\0abc", "../x/y", "abc");
    CHECK_ALTERNATE(".gnu_debugaltlink", "/x\0abc", "/x", "abc");
    CHECK_ALTERNATE(".gnu_debugaltlink", "/x\0", NULL, NULL);
    CHECK_ALTERNATE(".gnu_debugaltlink", "/x", NULL, NULL);
    CHECK_ALTERNATE(".gnu_debugaltlink", "\0abc", NULL, NULL);
    CHECK_ALTERNATE(".debug_sup", "\5\0\0/x\0\3abc", "/x", "abc");
    CHECK_ALTERNATE(".debug_sup", "\5\0\0/x\0\3ab", NULL, NULL);
    CHECK_ALTERNATE(".debug_sup", "\5\0\0/x\0\0", NULL, NULL);
    CHECK_ALTERNATE(".debug_sup", "\5\0\1/x\0\3abc", NULL, NULL);
    CHECK_ALTERNATE(".debug_sup", "\6\0\0/x\0\3abc", NULL, NULL);
    CHECK_ALTERNATE(".debug_sup", "\5\0", NULL, NULL);
    memset(longest, 'a', 4500);
    check_alternate(".gnu_debugaltlink", longest, sizeof longest, NULL, NULL);
    memset(longest + 1, 0, 1);
    check_alternate(".gnu_debugaltlink", longest, 2 + 64, "a",
                    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    check_alternate(".gnu_debugaltlink", longest, 2 + 65, NULL, NULL);
    struct eb_bytes b = with_section(".debug_sup", "\5\0\1\0\3abc", 8, false);
    struct elf_file *elf = open_bytes(&b);
    assert_int_equal(debug_id_of(elf).n, 3);
    assert_memory_equal(debug_id_of(elf).p, "abc", 3);
    elf_file_close(elf);
    free(b.data);
}

static void test_contents(void **state)
{
    static const struct eb_section sections[] = {{".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, "a", 1},
                                                 {".pseudo_probe_desc", SHT_PROGBITS, 0, 0, 0, 0, 0, "a", 1},
                                                 {".zdebug_info", SHT_PROGBITS, 0, 0, 0, 0, 0, "a", 1},
                                                 {".debug_info", SHT_NOBITS, 0, 0, 0, 0, 0, NULL, 0},
                                                 {".debug_info", SHT_PROGBITS, 0, 0, 0, 0, 0, "a", 1}};
    static const struct eb_symbol symbol = {"f", 1, 1, 0, 1};
    static const unsigned first[] = {0, 0, 0, 1, 2, 3, 4}, n[] = {0, 1, 2, 1, 1, 1, 1};
    (void)state;
    for (size_t i = 0; i < COUNT(n); i++)
        for (unsigned symbols = 0; symbols < 2; symbols++) {
            struct eb_file file = {64,   false,   ET_EXEC, EM_X86_64, sections + first[i],
                                   n[i], &symbol, symbols};
            struct eb_bytes b = eb_build(&file);
            struct elf_file *elf = open_bytes(&b);
            struct debug_contents contents = debug_contents_of(elf);
            assert_int_equal(contents.probes, i == 2);
            assert_int_equal(contents.dwarf, i == 4 || i == 6);
            assert_int_equal(contents.symbols, symbols);
            elf_file_close(elf);
            free(b.data);
        }
}

/* ---- the search ---- */

static const char note[] = "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0abcd"; /* the build id is 61626364 */

/* Makes a file with the build id, or another one, and a link if `crc` is not NULL. Returns its checksum. */
static uint32_t make_file(const char *path, char first, const uint32_t *crc)
{
    char id[sizeof note], link[] = "debug\0\0\0....";
    struct eb_section sections[] = {{".note", SHT_NOTE, 0, 0, 0, 0, 0, id, sizeof note - 1},
                                    {".gnu_debuglink", SHT_PROGBITS, 0, 0, 0, 0, 0, link, sizeof link - 1}};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, crc ? 2 : 1, NULL, 0};
    memcpy(id, note, sizeof note);
    id[16] = first;
    eb_store((uint8_t *)link + 8, crc ? *crc : 0, 4, false);
    struct eb_bytes b = eb_build(&file);
    file_make(path, b.data, b.n);
    uLong sum = crc32(0, b.data, (uInt)b.n);
    free(b.data);
    return (uint32_t)sum;
}

struct attempt {
    int code;
    char used[512]; /* the path of the debug file; "": none was found */
    size_t notes;
    struct apf_error error, note; /* the first note */
};

static struct attempt search_for(const struct debug_search *search)
{
    struct attempt a = {.used = ""};
    struct apf_input input = apf_input_file(temp_path("program"));
    struct debug_files files = {.file = NULL};
    struct elf_file *elf = NULL;
    a.code = elf_file_open_input(&elf, &input, UINT64_MAX, &a.error);
    if (a.code == APF_OK)
        a.code = debug_files_open(&files, elf, search, &a.error);
    a.notes = files.notes.n;
    if (a.notes)
        a.note = files.notes.data[0].error;
    if (a.code == APF_OK && files.file)
        snprintf(a.used, sizeof a.used, "%s", files.path);
    debug_files_close(&files);
    elf_file_close(elf);
    return a;
}

/* Makes DIRECTORY/.build-id/61/626364.debug. */
static const char *make_ids(const char *directory, char first)
{
    char path[600];
    snprintf(path, sizeof path, "%s/.build-id", directory);
    (void)mkdir(directory, 0700);
    (void)mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/.build-id/61", directory);
    (void)mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/.build-id/61/626364.debug", directory);
    (void)make_file(path, first, NULL);
    return directory;
}

static void test_search(void **state)
{
    char real[PATH_MAX];
    const char *directories[] = {make_ids(temp_path("wrong"), 'b'), make_ids(temp_path("ids"), 'a')};
    struct debug_search search = {
        .program = temp_path("program"), .directories = directories, .max_bytes = UINT64_MAX};
    (void)state;
    if (!realpath(temp_dir, real)) {
        fail();
        return;
    }
    uint32_t crc = make_file(temp_path("debug"), 'a', NULL);
    (void)make_file(temp_path("program"), 'a', &crc);
    struct attempt a = search_for(&search);
    assert_int_equal(a.code, APF_OK);
    assert_int_equal(strncmp(a.used, real, strlen(real)), 0);
    assert_string_equal(a.used + strlen(real), "/debug");
    assert_int_equal(a.notes, 0);

    search.max_bytes = 100; /* all but the program, which is opened here, is too large */
    a = search_for(&search);
    assert_string_equal(a.used, "");
    assert_int_equal(a.note.code, APF_LIMIT);
    search.max_bytes = UINT64_MAX;

    (void)make_file(temp_path("debug"), 'b', NULL);
    search.n_directories = 2;
    a = search_for(&search);
    assert_true(strstr(a.used, "ids/.build-id/61/626364.debug") != NULL);
    assert_int_equal(a.notes, 2);
    assert_int_equal(a.note.code, APF_WRONG_DEBUG_FILE);
    assert_string_equal(a.note.where, "elf.build_id");

    crc++;
    (void)make_file(temp_path("debug"), 'a', NULL);
    (void)make_file(temp_path("program"), 'a', &crc);
    a = search_for(&search);
    assert_true(strstr(a.used, "ids/.build-id") != NULL);
    assert_string_equal(a.note.where, "elf.gnu_debuglink");

    search.program = NULL; /* of a program in memory nothing is known but its build id */
    a = search_for(&search);
    assert_true(strstr(a.used, "ids/.build-id") != NULL);
    assert_int_equal(a.notes, 1);
}

static void test_given(void **state)
{
    struct debug_search search = {
        .program = temp_path("program"), .file = temp_path("debug"), .max_bytes = UINT64_MAX};
    (void)state;
    (void)make_file(temp_path("program"), 'a', NULL);
    struct attempt a = search_for(&search);
    assert_int_equal(a.code, APF_IO);
    assert_int_equal(a.error.sys_errno, ENOENT);
    assert_string_equal(a.error.file, search.file);
    (void)make_file(temp_path("debug"), 'b', NULL);
    a = search_for(&search);
    assert_int_equal(a.code, APF_WRONG_DEBUG_FILE);
    assert_string_equal(a.error.file, search.file);
    search.any_build = true;
    a = search_for(&search);
    assert_int_equal(a.code, APF_OK);
    assert_string_equal(a.used, search.file);
    assert_int_equal(a.notes, 1);
    search.file = search.program;
    a = search_for(&search);
    assert_int_equal(a.code, APF_OK);
    assert_string_equal(a.used, "");
}

/* A call that fails is an error, or one about a file that is then not used. */
static void test_faults(void **state)
{
    char paths[3][600];
    const char *directories[] = {paths[0], paths[1]};
    const struct debug_search search = {
        .program = paths[2], .directories = directories, .n_directories = 2, .max_bytes = UINT64_MAX};
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA, FAULT_OPEN, FAULT_READ};
    uint32_t crc = 1;
    (void)state;
    snprintf(paths[0], sizeof paths[0], "%s/wrong", temp_dir); /* what temp_path returns is used again soon */
    snprintf(paths[1], sizeof paths[1], "%s/ids", temp_dir);
    snprintf(paths[2], sizeof paths[2], "%s/program", temp_dir);
    (void)make_ids(paths[0], 'b');
    (void)make_ids(paths[1], 'a');
    (void)make_file(temp_path("debug"), 'a', NULL);
    (void)make_file(temp_path("program"), 'a', &crc);
    for (size_t i = 0; i < COUNT(calls); i++) {
        bool hit = true, memory = calls[i] == FAULT_MEMORY || calls[i] == FAULT_ARENA;
        size_t before = open_files();
        for (uint64_t at = 1; hit; at++) {
            fault_fail(calls[i], at, memory ? ENOMEM : EIO);
            struct attempt a = search_for(&search);
            hit = fault_hit();
            fault_reset();
            assert_int_equal(a.code == APF_OK || a.code == (memory ? APF_NO_MEMORY : APF_IO), true);
            if (memory)
                assert_int_equal(a.code, hit ? APF_NO_MEMORY : APF_OK);
            if (!hit)
                assert_true(strstr(a.used, "ids/.build-id") != NULL);
            assert_true(at < 1000);
        }
        assert_int_equal(open_files(), before);
    }
}

TEST_FILE(debug_files)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_links),    cmocka_unit_test(test_alternates),
                                       cmocka_unit_test(test_contents), TEST_WITH_DIR(test_search),
                                       TEST_WITH_DIR(test_given),       TEST_WITH_DIR(test_faults)};
    return RUN_TESTS(tests);
}
