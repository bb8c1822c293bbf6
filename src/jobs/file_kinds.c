/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kinds of files: how they begin, what they are called, what reads their facts. */
#include "jobs/file_kinds.h"

#include <string.h>

#include "base/decompress.h"
#include "base/file_magic.h"
#include "base/text_bytes.h"
#include "instr/memprof/memprof_raw.h"
#include "instr/memprof/memprof_yaml.h"
#include "instr/read/formats.h"
#include "jobs/file_detect.h"
#include "jobs/info.h"
#include "jobs/perf_script_begins.h"
#include "partial/partial_read.h"
#include "sample/read/sample_formats.h"

static bool empty_begins(const uint8_t *p, size_t n)
{
    (void)p;
    return n == 0;
}

static bool always_begins(const uint8_t *p, size_t n)
{
    (void)p;
    (void)n;
    return true;
}

static bool any_text_begins(const uint8_t *p, size_t n)
{
    return text_file(p, n);
}

/* ---- compressed files and archives ---- */

static bool gzip_begins(const uint8_t *p, size_t n)
{
    return compression_of(p, n) == COMPRESSION_GZIP;
}

static bool zstd_begins(const uint8_t *p, size_t n)
{
    return compression_of(p, n) == COMPRESSION_ZSTD;
}

static bool xz_begins(const uint8_t *p, size_t n)
{
    return n >= 6 && memcmp(p, "\xfd\x37zXZ\0", 6) == 0;
}

static bool archive_begins(const uint8_t *p, size_t n)
{
    return n >= 8 && memcmp(p, "!<arch>\n", 8) == 0;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool zip_begins(const uint8_t *p, size_t n)
{
    return n >= 4 && (memcmp(p, "PK\3\4", 4) == 0 || memcmp(p, "PK\5\6", 4) == 0); /* the latter is empty */
}

#define USTAR_AT 257u

static bool tar_begins(const uint8_t *p, size_t n)
{
    return n >= USTAR_AT + 5 && memcmp(p + USTAR_AT, "ustar", 5) == 0;
}

/* Matches "BZh", the size of blocks, and the magic of a block or of the end of an empty file. */
static bool bzip2_begins(const uint8_t *p, size_t n)
{
    return n >= 10 && memcmp(p, "BZh", 3) == 0 && is_digit(p[3]) &&
           (memcmp(p + 4, "1AY&SY", 6) == 0 || memcmp(p + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/* ---- profiles and recordings ---- */

static bool instr_begins(const uint8_t *p, size_t n, uint32_t wanted)
{
    const struct instr_format *format = instr_format_of(p, n);
    return format && format->format == wanted;
}

static bool instr_raw_begins(const uint8_t *p, size_t n)
{
    return instr_begins(p, n, APF_FORMAT_RAW);
}

static bool instr_indexed_begins(const uint8_t *p, size_t n)
{
    return instr_begins(p, n, APF_FORMAT_INDEXED);
}

static bool instr_json_begins(const uint8_t *p, size_t n)
{
    return instr_begins(p, n, APF_FORMAT_JSON);
}

static bool memprof_begins(const uint8_t *p, size_t n)
{
    return memprof_yaml_is(p, n) && text_file(p, n);
}

static bool script_begins(const uint8_t *p, size_t n)
{
    return perf_script_begins(p, n) && text_file(p, n);
}

/* Matches a note of BOLT with a table, in either byte order. */
static bool bat_note_begins(const uint8_t *p, size_t n)
{
    return n >= 20 && memcmp(p + 12, "BOLT", 5) == 0 &&
           (memcmp(p + 8, "\1\0\0", 4) == 0 || memcmp(p + 8, "\0\0\0\1", 4) == 0);
}

static bool samples_begin(const uint8_t *p, size_t n, uint32_t wanted)
{
    const struct sample_format *format = sample_format_find(p, n);
    return format && format->format == wanted;
}

static bool samples_of_gcc_begin(const uint8_t *p, size_t n)
{
    return samples_begin(p, n, APF_SAMPLE_GCC);
}

static bool samples_in_json_begin(const uint8_t *p, size_t n)
{
    return samples_begin(p, n, APF_SAMPLE_JSON);
}

static bool samples_in_binary_begin(const uint8_t *p, size_t n)
{
    return samples_begin(p, n, APF_SAMPLE_BINARY) || samples_begin(p, n, APF_SAMPLE_EXTBINARY) ||
           samples_begin(p, n, APF_SAMPLE_COMPACT);
}

/* LLVM also reads a header without a name, and one that is a number alone: any text may begin so. */
static bool samples_in_text_begin(const uint8_t *p, size_t n)
{
    const uint8_t *end = p + n, *line = p;
    while (line < end && (*line == '#' || *line == '\n' || *line == '\r')) {
        const uint8_t *feed = memchr(line, '\n', (size_t)(end - line));
        line = feed ? feed + 1 : end;
    }
    const uint8_t *feed = memchr(line, '\n', (size_t)(end - line));
    size_t length = feed ? (size_t)(feed - line) : (size_t)(end - line);
    return length && *line != ':' && memchr(line, ':', length) && samples_begin(p, n, APF_SAMPLE_TEXT);
}

static bool partial_samples_begin(const uint8_t *p, size_t n)
{
    return partial_is_of(p, n, PARTIAL_SAMPLE);
}

/* The magic of GCC's files is a number, so it is the other way round on little-endian machines. */
static bool gcov_begins(const uint8_t *p, size_t n, const char *magic, const char *swapped)
{
    return n >= 12 && (memcmp(p, magic, 4) == 0 || memcmp(p, swapped, 4) == 0);
}

static bool gcda_begins(const uint8_t *p, size_t n)
{
    return gcov_begins(p, n, "gcda", "adcg");
}

static bool gcno_begins(const uint8_t *p, size_t n)
{
    return gcov_begins(p, n, "gcno", "oncg");
}

/* ---- other files ---- */

static bool core_begins(const uint8_t *p, size_t n)
{
    const uint8_t big_endian = 2, core = 4;
    return n >= 18 && elf_begins(p, n) && p[p[5] == big_endian ? 17 : 16] == core;
}

static bool git_lfs_begins(const uint8_t *p, size_t n)
{
    static const char begin[] = "version https://git-lfs.github.com/spec/";
    return n >= sizeof begin - 1 && memcmp(p, begin, sizeof begin - 1) == 0;
}

/* Whether a text begins with a word in lower case, or the same in other letters. */
static bool begins_like(const uint8_t *p, size_t n, const char *word)
{
    size_t i = 0;
    while (word[i] && i < n && (p[i] == (uint8_t)word[i] || (p[i] | 0x20) == (uint8_t)word[i]))
        i++;
    return !word[i];
}

/* White space may stand before a page. */
static bool html_begins(const uint8_t *p, size_t n)
{
    for (; n && memchr(" \t\r\n", *p, 4); p++)
        n--;
    return begins_like(p, n, "<!doctype html") || begins_like(p, n, "<html");
}

/* ---- the table ---- */

#define HINT_SAMPLE "give --sample"
#define HINT_PERF "'anyprof profgen' makes a profile of it, 'anyprof bolt convert' one for BOLT"
#define HINT_GCC "gcov and gcov-tool read it"
#define HINT_BOLT "'anyprof bolt merge' merges such profiles"
#define HINT_FILES "extract the files in it, and give those"
#define HINT_PACKED "unpack it first; only gzip and zstd files are read directly"

/* In the order of recognition. */
static const struct file_kind file_kinds[] = {
    {.kind = APF_KIND_EMPTY, .phrase = "an empty file", .word = "empty", .begins = empty_begins},
    {.kind = APF_KIND_GZIP,
     .phrase = "a gzip file",
     .word = "gzip",
     .begins = gzip_begins,
     .read_facts = info_read_packed},
    {.kind = APF_KIND_ZSTD,
     .phrase = "a zstd file",
     .word = "zstd",
     .begins = zstd_begins,
     .read_facts = info_read_packed},
    {.kind = APF_KIND_INSTR_RAW,
     .traits = KIND_PROFILE | KIND_CHECKED | KIND_OF_BUILD | KIND_POINTERS | KIND_VARIANT,
     .phrase = "a raw instrumentation profile",
     .brief = "raw ",
     .word = "raw",
     .begins = instr_raw_begins,
     .read_facts = info_read_profile},
    {.kind = APF_KIND_INSTR_INDEXED,
     .traits = KIND_PROFILE | KIND_CHECKED | KIND_OF_BUILD | KIND_VARIANT,
     .phrase = "an indexed instrumentation profile",
     .brief = "indexed ",
     .word = "indexed",
     .begins = instr_indexed_begins,
     .read_facts = info_read_profile},
    {.kind = APF_KIND_PARTIAL_SAMPLE,
     .traits = KIND_SAMPLES | KIND_CHECKED,
     .phrase = "a partial sample profile",
     .word = "partial_sample",
     .hint = HINT_SAMPLE,
     .begins = partial_samples_begin,
     .read_facts = info_read_partial_sample},
    {.kind = APF_KIND_PARTIAL,
     .traits = KIND_PROFILE | KIND_CHECKED | KIND_OF_BUILD,
     .phrase = "a partial instrumentation profile",
     .brief = "partial ",
     .word = "partial",
     .begins = partial_is,
     .read_facts = info_read_partial},
    {.kind = APF_KIND_SAMPLE_JSON,
     .traits = KIND_SAMPLES | KIND_CHECKED,
     .phrase = "a sample profile in JSON",
     .word = "sample_json",
     .hint = HINT_SAMPLE,
     .begins = samples_in_json_begin,
     .read_facts = info_read_sample},
    {.kind = APF_KIND_INSTR_JSON,
     .traits = KIND_PROFILE | KIND_CHECKED | KIND_OF_BUILD | KIND_OF_ORIGIN,
     .phrase = "a JSON file",
     .title = "a JSON instrumentation profile",
     .brief = "JSON",
     .word = "json",
     .begins = instr_json_begins,
     .read_facts = info_read_json},
    {.kind = APF_KIND_MEMPROF_RAW,
     .traits = KIND_BYTE_ORDER,
     .phrase = "a raw memory profile",
     .word = "memprof_raw",
     .hint = "it cannot be read: convert it by 'llvm-profdata merge --profiled-binary=PROGRAM' of the LLVM "
             "that built the program, and use the result",
     .begins = memprof_raw_begins,
     .read_facts = info_read_memprof},
    {.kind = APF_KIND_ARCHIVE, .phrase = "an ar archive", .word = "archive", .begins = archive_begins},
    {.kind = APF_KIND_SAMPLE_GCOV,
     .phrase = "a sample profile of GCC's AutoFDO",
     .word = "sample_gcov",
     .traits = KIND_SAMPLES | KIND_CHECKED,
     .hint = HINT_SAMPLE,
     .begins = samples_of_gcc_begin,
     .read_facts = info_read_sample},
    {.kind = APF_KIND_GCDA,
     .phrase = "a file of GCC's coverage or profiling (.gcda)",
     .word = "gcda",
     .hint = HINT_GCC,
     .begins = gcda_begins},
    {.kind = APF_KIND_GCNO,
     .phrase = "a file of GCC's coverage (.gcno)",
     .word = "gcno",
     .hint = HINT_GCC,
     .begins = gcno_begins},
    {.kind = APF_KIND_ZIP,
     .phrase = "a zip archive",
     .word = "zip",
     .hint = HINT_FILES,
     .begins = zip_begins},
    {.kind = APF_KIND_TAR,
     .phrase = "a tar archive",
     .word = "tar",
     .hint = HINT_FILES,
     .begins = tar_begins},
    {.kind = APF_KIND_XZ, .phrase = "an xz file", .word = "xz", .hint = HINT_PACKED, .begins = xz_begins},
    {.kind = APF_KIND_CORE,
     .phrase = "a core dump",
     .word = "core",
     .hint = "a program crashed, and has written its memory there",
     .begins = core_begins},
    {.kind = APF_KIND_ELF,
     .traits = KIND_OF_BUILD | KIND_POINTERS,
     .phrase = "an ELF file",
     .word = "elf",
     .begins = elf_begins,
     .read_facts = info_read_elf},
    {.kind = APF_KIND_PERF_DATA,
     .traits = KIND_BYTE_ORDER,
     .phrase = "a perf.data file",
     .word = "perf_data",
     .hint = HINT_PERF,
     .begins = perf_data_begins,
     .read_facts = info_read_perf},
    {.kind = APF_KIND_BZIP2,
     .phrase = "a bzip2 file",
     .word = "bzip2",
     .hint = HINT_PACKED,
     .begins = bzip2_begins},
    {.kind = APF_KIND_SAMPLE_BINARY,
     .phrase = "a binary sample profile",
     .word = "sample_binary",
     .traits = KIND_SAMPLES | KIND_CHECKED,
     .hint = HINT_SAMPLE,
     .begins = samples_in_binary_begin,
     .read_facts = info_read_sample},
    {.kind = APF_KIND_BAT_SECTION,
     .phrase = "a .note.bolt_bat section",
     .word = "bat_section",
     .begins = bat_note_begins,
     .read_facts = info_read_bat},
    {.kind = APF_KIND_HTML,
     .phrase = "a web page",
     .word = "html",
     .hint = "it is for browsers; servers send one instead of a file to ask for a password or to report "
             "an error",
     .begins = html_begins},
    {.kind = APF_KIND_GIT_LFS,
     .phrase = "a pointer of Git LFS",
     .word = "git_lfs",
     .hint = "the file itself is on a server: 'git lfs pull' fetches it",
     .begins = git_lfs_begins},
    {.kind = APF_KIND_BOLT_YAML,
     .phrase = "a YAML profile of BOLT",
     .word = "bolt_yaml",
     .hint = HINT_BOLT,
     .begins = bolt_yaml_begins,
     .read_facts = info_read_bolt_yaml},
    {.kind = APF_KIND_MEMPROF_YAML,
     .traits = KIND_CHECKED | KIND_OF_BUILD,
     .phrase = "a memory profile in YAML",
     .word = "memprof_yaml",
     .begins = memprof_begins,
     .read_facts = info_read_profile},
    {.kind = APF_KIND_PERF_SCRIPT,
     .phrase = "text of perf script",
     .word = "perf_script",
     .hint = HINT_PERF,
     .begins = script_begins,
     .read_facts = info_read_script},
    {.kind = APF_KIND_SAMPLE_TEXT,
     .phrase = "a text sample profile",
     .word = "sample_text",
     .traits = KIND_SAMPLES | KIND_CHECKED,
     .hint = HINT_SAMPLE,
     .begins = samples_in_text_begin,
     .read_facts = info_read_sample},
    {.kind = APF_KIND_BOLT_FDATA,
     .phrase = "an fdata profile of BOLT",
     .word = "bolt_fdata",
     .hint = HINT_BOLT,
     .begins = file_begins_fdata,
     .read_facts = info_read_fdata},
    {.kind = APF_KIND_BOLT_SAMPLES,
     .phrase = "a file of pre-aggregated samples for BOLT",
     .title = "pre-aggregated samples for BOLT",
     .word = "bolt_samples",
     .hint = "'anyprof bolt convert' makes a profile of it",
     .begins = file_begins_bolt_samples,
     .read_facts = info_read_bolt_samples},
    {.kind = APF_KIND_INSTR_TEXT,
     .traits = KIND_PROFILE | KIND_CHECKED | KIND_OF_BUILD | KIND_ALL_RELEASES,
     .phrase = "a text file",
     .title = "a text instrumentation profile",
     .brief = "text",
     .word = "text",
     .begins = any_text_begins,
     .read_facts = info_read_text},
    {.kind = APF_KIND_OTHER_JSON, .phrase = "a JSON document of anyprof", .word = "other_json"},
    {.kind = APF_KIND_UNKNOWN,
     .phrase = "an unknown file",
     .begins = always_begins,
     .read_facts = info_read_unknown},
};

const struct file_kind *file_kind_row(uint32_t kind)
{
    const struct file_kind *row = file_kinds;
    while (row->kind != kind && row->kind != APF_KIND_UNKNOWN)
        row++;
    return row;
}

const struct file_kind *file_kind_of(const uint8_t *data, size_t n)
{
    const struct file_kind *row = file_kinds;
    while (!row->begins || !row->begins(data, n))
        row++;
    return row;
}

const char *apf_file_kind_name(enum apf_file_kind kind)
{
    return file_kind_row(kind)->phrase;
}

const char *apf_file_hint(const struct apf_file_info *info)
{
    return info->kind == APF_KIND_ELF ? file_elf_hint(info) : file_kind_row(info->kind)->hint;
}
