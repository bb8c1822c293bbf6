/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detects the kind of a file, for commands that accept several kinds, and for messages with advice. */
#include <string.h>

#include <anyprof/jobs.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/text_bytes.h"
#include "bolt/bat_model.h"
#include "instr/memprof/memprof_yaml.h"
#include "instr/read/formats.h"
#include "jobs/file_detect.h"
#include "object/elf_file.h"
#include "perf/perf_data_head.h"
#include "perf/perf_script.h"

#define SNIFFED_LINE 4096u

/* Formats that no room reads. */
static const struct {
    const char *bytes; /* the first bytes of the file */
    size_t n;
    int kind;
} magics[] = {
    {"\x81"
     "rforpm\xff",
     8, APF_KIND_MEMPROF_RAW},
    {"\xff"
     "mprofr\x81",
     8, APF_KIND_MEMPROF_RAW},
    {"!<arch>\n", 8, APF_KIND_ARCHIVE},
    {"adcg*704", 8, APF_KIND_SAMPLE_GCOV},
    {"\xfd"
     "7zXZ\0",
     6, APF_KIND_XZ},
};

const char *apf_file_kind_name(int kind)
{
    switch (kind) {
    case APF_KIND_EMPTY:
        return "an empty file";
    case APF_KIND_INSTR_RAW:
        return "a raw instrumentation profile";
    case APF_KIND_INSTR_INDEXED:
        return "an indexed instrumentation profile";
    case APF_KIND_INSTR_TEXT:
        return "a text file";
    case APF_KIND_SAMPLE_BINARY:
        return "a binary sample profile";
    case APF_KIND_SAMPLE_TEXT:
        return "a text sample profile";
    case APF_KIND_SAMPLE_GCOV:
        return "a sample profile of GCC's AutoFDO";
    case APF_KIND_MEMPROF_RAW:
        return "a raw memory profile";
    case APF_KIND_INSTR_JSON:
        return "a JSON file";
    case APF_KIND_MEMPROF_YAML:
        return "a memory profile in YAML";
    case APF_KIND_PERF_DATA:
        return "a perf.data file";
    case APF_KIND_ELF:
        return "an ELF file";
    case APF_KIND_ARCHIVE:
        return "an ar archive";
    case APF_KIND_GZIP:
        return "a gzip file";
    case APF_KIND_ZSTD:
        return "a zstd file";
    case APF_KIND_BZIP2:
        return "a bzip2 file";
    case APF_KIND_XZ:
        return "an xz file";
    case APF_KIND_BOLT_FDATA:
        return "an fdata profile of BOLT";
    case APF_KIND_BOLT_YAML:
        return "a YAML profile of BOLT";
    case APF_KIND_BOLT_SAMPLES:
        return "pre-aggregated samples for BOLT";
    case APF_KIND_OTHER_JSON:
        return "a JSON document of anyprof";
    case APF_KIND_PERF_SCRIPT:
        return "text of perf script";
    case APF_KIND_BAT_SECTION:
        return "a .note.bolt_bat section";
    default:
        return "an unknown file";
    }
}

/* "SPROF42" and a format byte as one number, written as ULEB128. */
static bool sample_binary_begins(const uint8_t *p, size_t n)
{
    static const uint64_t magic = (uint64_t)'S' << 48 | (uint64_t)'P' << 40 | (uint64_t)'R' << 32 |
                                  (uint64_t)'O' << 24 | (uint64_t)'F' << 16 | (uint64_t)'4' << 8 | '2';
    struct cursor c = cursor_make(p, n, false);
    uint64_t number = cursor_uleb128(&c);
    return !c.failed && number >> 8 == magic;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Matches "BZh", the size of blocks, and the magic of a block or of the end of an empty file. */
static bool bzip2_begins(const uint8_t *p, size_t n)
{
    return n >= 10 && memcmp(p, "BZh", 3) == 0 && is_digit(p[3]) &&
           (memcmp(p + 4, "1AY&SY", 6) == 0 || memcmp(p + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/* The first line of a text sample profile: name, total, head count: "main:184019:0". */
static bool sample_text_begins(const uint8_t *p, size_t n)
{
    const uint8_t *end = memchr(p, '\n', n < SNIFFED_LINE ? n : SNIFFED_LINE);
    if (!end)
        return false;
    unsigned numbers = 0;
    while (numbers < 2) {
        const uint8_t *digits = end;
        while (digits > p && is_digit(digits[-1]))
            digits--;
        if (digits == end || digits == p || digits[-1] != ':')
            return false;
        end = digits - 1;
        numbers++;
    }
    return end > p && text_file(p, n);
}

static int kind_of_compression(enum compression compression)
{
    return compression == COMPRESSION_GZIP   ? APF_KIND_GZIP
           : compression == COMPRESSION_ZSTD ? APF_KIND_ZSTD
                                             : APF_KIND_UNKNOWN;
}

static bool memprof_begins(const uint8_t *p, size_t n)
{
    return memprof_yaml_is(p, n) && text_file(p, n);
}

static bool script_begins(const uint8_t *p, size_t n)
{
    return perf_script_begins(p, n) && text_file(p, n);
}

/* Tried in this order, after the binary formats of instrumentation profiles and JSON. */
static const struct {
    int kind;
    bool (*begins)(const uint8_t *data, size_t n);
} formats[] = {
    {APF_KIND_ELF, elf_file_begins},         {APF_KIND_PERF_DATA, perf_data_begins},
    {APF_KIND_BZIP2, bzip2_begins},          {APF_KIND_SAMPLE_BINARY, sample_binary_begins},
    {APF_KIND_BAT_SECTION, bat_note_begins}, {APF_KIND_MEMPROF_YAML, memprof_begins},
    {APF_KIND_PERF_SCRIPT, script_begins},   {APF_KIND_SAMPLE_TEXT, sample_text_begins},
};

static int kind_of(const uint8_t *p, size_t n)
{
    if (n == 0)
        return APF_KIND_EMPTY;
    enum compression compression = compression_of(p, n);
    if (compression != COMPRESSION_NONE)
        return kind_of_compression(compression);
    const struct instr_format *instr = instr_format_of(p, n);
    if (instr && instr->format == APF_FORMAT_RAW)
        return APF_KIND_INSTR_RAW;
    if (instr && instr->format == APF_FORMAT_INDEXED)
        return APF_KIND_INSTR_INDEXED;
    if (instr && instr->format == APF_FORMAT_JSON)
        return APF_KIND_INSTR_JSON;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (n >= magics[i].n && memcmp(p, magics[i].bytes, magics[i].n) == 0)
            return magics[i].kind;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].begins(p, n))
            return formats[i].kind;
    return text_file(p, n) ? APF_KIND_INSTR_TEXT : APF_KIND_UNKNOWN;
}

static int match_section(void *user, const struct elf_section *section)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } rows[] = {
        {"__llvm_prf_cnts", APF_ELF_INSTRUMENTED}, {"__llvm_covmap", APF_ELF_COVERAGE_MAP},
        {".pseudo_probe", APF_ELF_PROBES},         {".note.bolt_bat", APF_ELF_BAT},
        {".debug_info", APF_ELF_DEBUG_INFO},
    };
    struct apf_file_info *info = user;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(section->name, rows[i].name) == 0)
            info->contents |= rows[i].bit;
    return 0;
}

int file_detect_elf(struct apf_file_info *info, const struct file_bytes *f, struct apf_error *error)
{
    struct elf_file *elf;
    if (info->kind != APF_KIND_ELF)
        return APF_OK;
    int code = elf_file_open(&elf, f->data, f->n, NULL);
    if (code != APF_OK)
        return code == APF_NO_MEMORY ? error_memory(error) : APF_OK;
    const struct elf_facts *facts = elf_file_facts(elf);
    struct apf_str id = elf_file_build_id(elf);
    info->elf_bits = facts->bits;
    info->elf_machine = facts->machine;
    info->big_endian = facts->big_endian;
    info->n_build_id = (uint32_t)id.n;
    if (id.n)
        memcpy(info->build_id, id.p, id.n < sizeof info->build_id ? id.n : sizeof info->build_id);
    elf_file_sections(elf, match_section, info);
    elf_file_close(elf);
    return APF_OK;
}

int file_detect_kind(struct apf_file_info *info, struct file_bytes *f, const struct apf_input *input,
                     uint64_t max_bytes, struct apf_error *error)
{
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    int code = file_read_packed(f, input, max_bytes, error);
    if (code != APF_OK)
        return code;
    info->file_size = f->n;
    info->compression = kind_of_compression(f->compression);
    /* After any other failure the kind stays that of the compression. */
    if (file_unpack(f, max_bytes, NULL) == APF_NO_MEMORY)
        return error_memory(error);
    info->kind = kind_of(f->data, f->n);
    return APF_OK;
}

int file_detect(struct apf_file_info *info, struct file_bytes *f, const struct apf_input *input,
                uint64_t max_bytes, struct apf_error *error)
{
    int code = file_detect_kind(info, f, input, max_bytes, error);
    return code == APF_OK ? file_detect_elf(info, f, error) : code;
}

int apf_file_detect(struct apf_file_info *info, const struct apf_input *input,
                    const struct apf_options *options, struct apf_error *error)
{
    struct file_bytes f = {0};
    struct apf_options o;
    struct apf_file_info found;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_file_info, info, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    code = file_detect(&found, &f, input, options_max_bytes(&o), error);
    result_fill(info, sizeof found, &found);
    file_bytes_free(&f);
    return file_error(error, code, input, 0);
}
