/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detection of the kinds of files. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/jobs.h>

#include "helpers/shared/unit.h"
#include "jobs/file_kinds.h"

static struct apf_file_info detect(const void *data, size_t n)
{
    struct apf_input input = apf_input_file(NULL);
    struct apf_file_info info = {.size = sizeof info};
    struct apf_error error;
    input.data = data;
    input.n = n;
    assert_int_equal(apf_file_detect(&input, NULL, &info, &error), APF_OK);
    assert_int_equal(info.file_size, n);
    if (n <= 1024 && !info.compression) /* the first bytes are all */
        assert_int_equal(apf_file_glance(&input), info.kind);
    return info;
}

static void test_kinds(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        uint32_t kind;
    } rows[] = {
        {"", 0, APF_KIND_EMPTY},
        {"\xff"
         "lprofi\x81 and so on",
         17, APF_KIND_INSTR_INDEXED},
        {"\x81"
         "rforpl\xff",
         8, APF_KIND_INSTR_RAW},
        {"\x81"
         "Rforpl\xff",
         8, APF_KIND_INSTR_RAW},
        {"\xff"
         "lprofr\x81",
         8, APF_KIND_INSTR_RAW},
        {"\xff"
         "lprofR\x81",
         8, APF_KIND_INSTR_RAW},
        {"\x81"
         "rforpm\xff",
         8, APF_KIND_MEMPROF_RAW},
        {"main\n1\n1\n1\n", 11, APF_KIND_INSTR_TEXT},
        {"---\nHeapProfileRecords:\n", 24, APF_KIND_MEMPROF_YAML},
        {"---\nDataAccessProfiles:\n", 24, APF_KIND_MEMPROF_YAML},
        {"---\n# MemProfSummary:\n", 22, APF_KIND_MEMPROF_YAML},
        {"---\nheader:\n", 12, APF_KIND_BOLT_YAML},
        {"---\nhaeder:\n  profile-version: 1\nfunctions:\n", 44, APF_KIND_BOLT_YAML},
        {"---\r\n# a comment\r\nheader:\r\n", 28, APF_KIND_BOLT_YAML},
        {"---\n header:\n", 13, APF_KIND_INSTR_TEXT}, /* not a key of the document */
        {"---\nheader", 10, APF_KIND_INSTR_TEXT},
        {"header:\nfunctions:\n", 19, APF_KIND_INSTR_TEXT},
        {"-- \nHeapProfileRecords:\n", 24, APF_KIND_INSTR_TEXT},
        {":ir\nmain\n", 9, APF_KIND_INSTR_TEXT},
        {"{\"schema\": \"anyprof-profile/1\"}", 31, APF_KIND_INSTR_JSON},
        {" \n{}", 4, APF_KIND_INSTR_JSON},
        {"{main\n1\n1\n1\n", 12, APF_KIND_INSTR_TEXT}, /* a name may begin in any way */
        {"main:184019:0\n 4: 534\n", 22, APF_KIND_SAMPLE_TEXT},
        {"f.c:local:7:0\n", 14, APF_KIND_SAMPLE_TEXT},
        {"f.c:7\n1\n1\n1\n", 12, APF_KIND_INSTR_TEXT}, /* a local function called 7 */
        {":1:2\n", 5, APF_KIND_INSTR_TEXT},            /* no name */
        {"adcg*704\0\0\0\0\0\0\0\xaa", 16, APF_KIND_SAMPLE_GCOV},
        {"adcg*704", 8, APF_KIND_INSTR_TEXT},
        {"PERFILE2", 8, APF_KIND_PERF_DATA},
        {"!<arch>\n", 8, APF_KIND_ARCHIVE},
        {"PK\3\4....", 8, APF_KIND_ZIP},
        {"PK\5\6....", 8, APF_KIND_ZIP},
        {"PK\1\2....", 8, APF_KIND_UNKNOWN},
        {"adcg*32B\0\0\0\0", 12, APF_KIND_GCDA},
        {"gcdaB23*\0\0\0\0", 12, APF_KIND_GCDA},
        {"oncg*32B\0\0\0\0", 12, APF_KIND_GCNO},
        {"<!DOCTYPE html>\n<html>", 22, APF_KIND_HTML},
        {"\r\n <HTML lang='en'>", 19, APF_KIND_HTML},
        {"<htm\n1\n1\n1\n", 11, APF_KIND_INSTR_TEXT},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", 56, APF_KIND_GIT_LFS},
        {"\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0", 18, APF_KIND_CORE},
        {"\177ELF\1\2\1\0\0\0\0\0\0\0\0\0\0\4", 18, APF_KIND_CORE},
        {"\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\4", 18, APF_KIND_ELF},
        {"\x1f\x8b\x08", 3, APF_KIND_GZIP},
        {"\x28\xb5\x2f\xfd", 4, APF_KIND_ZSTD},
        {"\x01\x02\x03\x04", 4, APF_KIND_UNKNOWN},
        {"\xff"
         "lprofi",
         7, APF_KIND_UNKNOWN},
        {"\xfd"
         "7zXZ\0\0\4",
         8, APF_KIND_XZ},
        {"\xfd"
         "7zXZ\1",
         6, APF_KIND_UNKNOWN},
        {"BZh91AY&SY", 10, APF_KIND_BZIP2},
        {"BZh11AY&SY", 10, APF_KIND_BZIP2},
        {"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0", 14, APF_KIND_BZIP2}, /* of nothing */
        {"BZh91AY&S", 9, APF_KIND_INSTR_TEXT},
        {"BZha1AY&SY", 10, APF_KIND_INSTR_TEXT},
        {"BZhello world", 13, APF_KIND_INSTR_TEXT},
        /* "SPROF42" and 0xff as ULEB128 */
        {"\xff\xe5\xd0\xb1\xf4\xc9\x94\xa8\x53", 9, APF_KIND_SAMPLE_BINARY},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (detect(rows[i].bytes, rows[i].n).kind != rows[i].kind)
            fail_msg("row %zu: kind %d, not %d", i, detect(rows[i].bytes, rows[i].n).kind, rows[i].kind);
}

/* A compressed file is what is in it; one that cannot be unpacked is a compressed file. */
static void test_compressed(void **state)
{
    static const char empty[] = "\x1f\x8b\x08\0\0\0\0\0\0\xff\x03\0\0\0\0\0\0\0\0\0";
    static const char skip[] = "\x50\x2a\x4d\x18\0\0\0\0";
    static const char text[] = "\x28\xb5\x2f\xfd\x20\x05\x29\0\0main\n";
    static const char elf[] = "\x28\xb5\x2f\xfd\x20\x04\x21\0\0\177ELF";
    static const char twice[] = "\x28\xb5\x2f\xfd\x20\x03\x19\0\0\x1f\x8b\x08";
    static const struct {
        const char *bytes;
        size_t n;
        uint32_t kind, compression;
    } rows[] = {
        {empty, sizeof empty - 1, APF_KIND_EMPTY, APF_KIND_GZIP},
        {empty, sizeof empty - 2, APF_KIND_GZIP, APF_KIND_GZIP},
        {"\x1f\x8b", 2, APF_KIND_GZIP, APF_KIND_GZIP},
        {skip, sizeof skip - 1, APF_KIND_EMPTY, APF_KIND_ZSTD},
        {text, sizeof text - 1, APF_KIND_INSTR_TEXT, APF_KIND_ZSTD},
        {text, sizeof text - 2, APF_KIND_ZSTD, APF_KIND_ZSTD},
        {elf, sizeof elf - 1, APF_KIND_ELF, APF_KIND_ZSTD},
        {twice, sizeof twice - 1, APF_KIND_ZSTD, APF_KIND_ZSTD},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct apf_file_info info = detect(rows[i].bytes, rows[i].n);
        if (info.kind != rows[i].kind || info.compression != rows[i].compression)
            fail_msg("row %zu: kind %d, compression %d", i, info.kind, info.compression);
    }
    assert_int_equal(detect("main\n", 5).compression, 0);
}

static void test_tar(void **state)
{
    (void)state;
    uint8_t bytes[512] = "runs/a.profraw";
    memcpy(bytes + 257, "ustar", 5);
    assert_int_equal(detect((const char *)bytes, sizeof bytes).kind, APF_KIND_TAR);
    assert_int_not_equal(detect((const char *)bytes, 261).kind,
                         APF_KIND_TAR); /* cut off before the magic's end */
    assert_string_equal(apf_file_hint(&(struct apf_file_info){.kind = APF_KIND_TAR}),
                        "extract the files in it, and give those");
}

static void test_names(void **state)
{
    static const struct {
        uint32_t kind;
        const char *name;
    } rows[] = {
        {APF_KIND_EMPTY, "an empty file"},
        {APF_KIND_INSTR_RAW, "a raw instrumentation profile"},
        {APF_KIND_INSTR_INDEXED, "an indexed instrumentation profile"},
        {APF_KIND_INSTR_TEXT, "a text file"},
        {APF_KIND_SAMPLE_BINARY, "a binary sample profile"},
        {APF_KIND_SAMPLE_TEXT, "a text sample profile"},
        {APF_KIND_SAMPLE_GCOV, "a sample profile of GCC's AutoFDO"},
        {APF_KIND_MEMPROF_RAW, "a raw memory profile"},
        {APF_KIND_MEMPROF_YAML, "a memory profile in YAML"},
        {APF_KIND_INSTR_JSON, "a JSON file"},
        {APF_KIND_PERF_DATA, "a perf.data file"},
        {APF_KIND_ELF, "an ELF file"},
        {APF_KIND_ARCHIVE, "an ar archive"},
        {APF_KIND_GZIP, "a gzip file"},
        {APF_KIND_ZSTD, "a zstd file"},
        {APF_KIND_BZIP2, "a bzip2 file"},
        {APF_KIND_XZ, "an xz file"},
        {APF_KIND_TAR, "a tar archive"},
        {APF_KIND_CORE, "a core dump"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(apf_file_kind_name(rows[i].kind), rows[i].name);
    assert_string_equal(apf_file_kind_name(-1), "an unknown file");
    assert_string_equal(apf_file_kind_name(1000), "an unknown file");
}

static void test_missing_file(void **state)
{
    struct apf_input input = apf_input_file(NULL);
    struct apf_file_info info = {.size = sizeof info};
    struct apf_error error;
    (void)state;
    input.path = "/nowhere/at/all";
    assert_int_equal(apf_file_detect(&input, NULL, &info, &error), APF_IO);
    assert_int_equal(error.sys_errno, 2);
}

/* Each kind has a row, with a phrase and a word of its own. */
static void test_rows(void **state)
{
    (void)state;
    for (int32_t kind = 0; kind <= APF_KIND_PARTIAL_SAMPLE; kind++) {
        const struct file_kind *row = file_kind_row(kind);
        assert_int_equal(row->kind, kind);
        assert_true((row->brief != NULL) == file_kind_has(kind, KIND_PROFILE));
        for (int32_t other = 1; other < kind; other++) {
            assert_string_not_equal(row->phrase, file_kind_row(other)->phrase);
            assert_string_not_equal(row->word, file_kind_row(other)->word);
        }
    }
    assert_int_equal(file_kind_row(-1)->kind, APF_KIND_UNKNOWN);
    assert_int_equal(file_kind_row(APF_KIND_PARTIAL_SAMPLE + 1)->kind, APF_KIND_UNKNOWN);
}

TEST_FILE(file_detect)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_tar),        cmocka_unit_test(test_names),
        cmocka_unit_test(test_missing_file), cmocka_unit_test(test_compressed), cmocka_unit_test(test_rows),
    };
    return RUN_TESTS(tests);
}
