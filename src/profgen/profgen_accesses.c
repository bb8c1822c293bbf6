/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_accesses.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_lines.h"
#include "base/file_magic.h"
#include "base/options.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "perf/perf_recording.h"
#include "perf/perf_script.h"
#include "perf/perf_spaces.h"

struct access_reader {
    struct profgen_accesses *accesses;
    const struct profgen_program *program;
    const struct profgen_access_options *options;
    struct file_lines lines;
    struct perf_spaces spaces; /* of texts: where the program's file is in processes */
    struct apf_perf *perf;
    bool mapped;                      /* the program was */
    struct perf_build_id other_build; /* n == 0: no other build of the program was mapped */
};

void profgen_accesses_free(struct profgen_accesses *a)
{
    pair_counts_free(&a->counts);
    VEC_FREE(&a->vtables);
    VEC_FREE(&a->segments);
    arena_free(&a->arena);
}

/* ---- the program ---- */

static int add_vtable(void *user, const struct elf_symbol *symbol)
{
    struct profgen_accesses *a = user;
    static const char prefix[] = "_ZTV";
    if (symbol->n < sizeof prefix || memcmp(symbol->name, prefix, sizeof prefix - 1) != 0 ||
        symbol->size == 0 || symbol->section == ELF_UNDEFINED || symbol->value > UINT64_MAX - symbol->size)
        return 0;
    const char *copy = arena_text(&a->arena, symbol->name, symbol->n);
    struct profgen_vtable vtable = {symbol->value, symbol->value + symbol->size, {copy, symbol->n}};
    return copy && VEC_PUSH(&a->vtables, vtable) ? 0 : APF_NO_MEMORY;
}

static int add_segment(void *user, const struct elf_segment *segment)
{
    struct profgen_accesses *a = user;
    return VEC_PUSH(&a->segments, *segment) ? 0 : APF_NO_MEMORY;
}

static bool vtable_before(const void *context, const void *a, const void *b)
{
    const struct profgen_vtable *x = a, *y = b;
    (void)context;
    return x->start < y->start;
}

static bool segment_before(const void *context, const void *a, const void *b)
{
    const struct elf_segment *x = a, *y = b;
    (void)context;
    return x->offset < y->offset;
}

static int open_accesses(struct profgen_accesses *a, const struct profgen_program *p, struct apf_error *error)
{
    if (a->opened)
        return APF_OK;
    a->opened = true;
    int code = elf_file_symbols(p->symbols, add_vtable, a, error);
    if (code == APF_OK)
        code = elf_file_segments(p->image.elf, add_segment, a, error);
    if (code == APF_OK &&
        (!SORT_VEC(&a->vtables, vtable_before, NULL) || !SORT_VEC(&a->segments, segment_before, NULL)))
        code = error_memory(error);
    return code;
}

/* The address in the program of the byte at an offset of its file. Segments may share pages, but no bytes. */
static void find_address(const struct profgen_accesses *a, uint64_t offset, uint64_t *address)
{
    size_t i;
    SEARCH(i, 0, a->segments.n, a->segments.data[i].offset <= offset);
    const struct elf_segment *s = i ? &a->segments.data[i - 1] : NULL;
    if (s && offset - s->offset < s->size)
        *address = s->address + offset - s->offset;
}

/* Of vtables that begin at one address, the first one by symbols is found. */
static const struct profgen_vtable *find_vtable(const struct profgen_accesses *a, uint64_t address)
{
    size_t i;
    SEARCH(i, 0, a->vtables.n, a->vtables.data[i].start <= address);
    return i && address < a->vtables.data[i - 1].end ? &a->vtables.data[i - 1] : NULL;
}

static int add_access(struct profgen_accesses *a, uint64_t instruction, uint64_t data,
                      struct apf_error *error)
{
    const struct profgen_vtable *vtable = find_vtable(a, data);
    a->n++;
    if (!vtable) {
        a->elsewhere++;
        return APF_OK;
    }
    const struct pair_count counted = {{instruction, (uint64_t)(vtable - a->vtables.data), 0}, 1};
    return pair_counts_add(&a->counts, &counted, 1, error);
}

/* Whether a file that was mapped is the program. */
static bool is_program(struct access_reader *r, struct apf_str path, const struct perf_build_id *id)
{
    const enum perf_match match = perf_program_match(&r->program->image.program, path, id);
    if (match == PERF_OTHER_BUILD)
        r->other_build = *id;
    const bool program = perf_match_is_program(match, r->options->ignore_build_id);
    r->mapped = r->mapped || program;
    return program;
}

/* ---- the text of perf report -D ---- */

static int read_mapping(struct access_reader *r, struct text_scan *at, struct apf_error *error)
{
    struct perf_record m = {.pid = 0};
    if (!perf_script_parse_mapping(at, &m) || !is_program(r, m.path, &m.build_id))
        return APF_OK;
    if (m.size == 0 || m.start > UINT64_MAX - m.size)
        return APF_OK;
    const struct perf_mapping mapping = {.start = m.start, .end = m.start + m.size, .offset = m.offset};
    return perf_spaces_map(&r->spaces, m.pid, &mapping, error);
}

static uint64_t translate(struct access_reader *r, uint32_t pid, uint64_t address)
{
    uint32_t space = perf_spaces_find(&r->spaces, pid);
    const struct perf_mapping *m = space == UINT32_MAX ? NULL : perf_spaces_at(&r->spaces, space, address);
    if (m)
        find_address(r->accesses, address - m->start + m->offset, &address);
    return address;
}

/* "(IP, 0x4002): PID/TID: 0xIP period: N addr: 0xDATA" */
static int read_access(struct access_reader *r, struct text_scan *at, struct apf_error *error)
{
    uint64_t pid, tid, instruction, data;
    bool good = scan_after(at, "): ") && scan_decimal(at, UINT32_MAX, &pid) && scan_text(at, "/") &&
                scan_decimal(at, UINT32_MAX, &tid) && scan_text(at, ": 0x") && scan_hex(at, &instruction) &&
                scan_after(at, " addr: 0x") && scan_hex(at, &data);
    if (!good || (r->options->pid && pid != r->options->pid))
        return APF_OK;
    return add_access(r->accesses, translate(r, (uint32_t)pid, instruction),
                      translate(r, (uint32_t)pid, data), error);
}

static int read_line(struct access_reader *r, struct apf_error *error)
{
    struct text_scan at = {r->lines.line, r->lines.line + r->lines.n};
    scan_trim(&at);
    if (!scan_after(&at, "PERF_RECORD_"))
        return APF_OK;
    if (scan_text(&at, "MMAP2 ") || scan_text(&at, "MMAP "))
        return read_mapping(r, &at, error);
    return scan_text(&at, "SAMPLE(") ? read_access(r, &at, error) : APF_OK;
}

static int read_text(struct access_reader *r, const struct apf_input *input, struct apf_error *error)
{
    int code = file_lines_open(&r->lines, input, r->options->max_bytes, error);
    while (code == APF_OK && (code = file_lines_next(&r->lines, error)) == APF_OK)
        code = read_line(r, error);
    file_lines_close(&r->lines);
    return code == APF_END ? APF_OK : code;
}

/* ---- recordings ---- */

static uint64_t look_up(struct access_reader *r, uint64_t address)
{
    const struct perf_mapping *m = perf_recording_at(r->perf, address);
    const struct apf_perf_file *file = m ? apf_perf_file(r->perf, m->file) : NULL;
    const struct apf_str id = file ? file->build_id : (struct apf_str){NULL, 0};
    const struct perf_build_id build_id = perf_build_id_make(id.p, id.n);
    if (file && is_program(r, file->path, &build_id))
        find_address(r->accesses, address - m->start + m->offset, &address);
    return address;
}

static int add_sample(void *user, const struct apf_perf_sample *sample, struct apf_error *error)
{
    struct access_reader *r = user;
    if (!(sample->fields & APF_PERF_HAS_DATA) || (r->options->pid && sample->pid != r->options->pid))
        return APF_OK;
    return add_access(r->accesses, look_up(r, sample->address), look_up(r, sample->data), error);
}

static int read_recording(struct access_reader *r, const struct apf_input *input, struct apf_error *error)
{
    struct apf_options common = {.size = sizeof common};
    common.max_bytes = r->options->max_bytes;
    common.max_records = r->options->max_records;
    int code = apf_perf_open(&r->perf, input, &common, error);
    if (code == APF_OK)
        code = apf_perf_read(r->perf, add_sample, r, error);
    apf_perf_close(r->perf);
    return code;
}

/* Finds out whether an input is a text, by its first bytes; *from is what to read then. What can be read only once,
 * standard input and pipes, is read into `kept`; a directory is a recording. */
static int look_at_input(const struct apf_input *input, uint64_t max_bytes, struct file_bytes *kept,
                         struct apf_input *from, bool *text, struct apf_error *error)
{
    uint8_t head[8];
    size_t got;
    struct apf_error found;
    *from = input_copy(input);
    *text = false;
    if (file_read_head(input, head, sizeof head, &got)) {
        *text = !perf_data_begins(head, got);
        return APF_OK;
    }
    int code = file_read(kept, input, max_bytes, &found);
    if (code == APF_OK) {
        *from = apf_input_memory(kept->data, kept->n, NULL);
        *text = !perf_data_begins(kept->data, kept->n);
    } else if (found.sys_errno == EISDIR) {
        code = APF_OK;
    } else if (error) {
        *error = found;
    }
    return code;
}

int profgen_accesses_read(struct profgen_accesses *a, const struct profgen_program *p,
                          const struct apf_input *input, const struct profgen_access_options *options,
                          struct apf_error *error)
{
    struct access_reader r = {.accesses = a, .program = p, .options = options};
    const uint64_t before = a->n;
    struct file_bytes kept = {.n = 0};
    struct apf_input from;
    bool text;
    r.spaces.most_mappings = perf_spaces_most(options->max_records);
    int code = open_accesses(a, p, error);
    if (code == APF_OK)
        code = look_at_input(input, options->max_bytes, &kept, &from, &text, error);
    if (code == APF_OK)
        code = text ? read_text(&r, &from, error) : read_recording(&r, &from, error);
    if (code == APF_OK && !r.mapped && r.other_build.n)
        code = perf_program_refuse(&p->image.program, &r.other_build, PERF_ANY_BUILD, error);
    if (code == APF_OK && a->n == before)
        code = error_plain(error, APF_NOT_RECORDED, "profgen.accesses",
                           "there are no accesses to data: 'perf mem record' records them");
    if (code == APF_OK)
        code = pair_counts_sort(&a->counts, error);
    perf_spaces_free(&r.spaces);
    file_bytes_free(&kept);
    return code;
}
