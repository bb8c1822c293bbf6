/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_script.h"

#include <string.h>

#include "base/error.h"
#include "base/file_lines.h"
#include "base/text_bytes.h"
#include "base/text_scan.h"

struct script_reader {
    struct file_lines lines;
    struct text_scan at; /* of the present line */
    struct profgen_traces *traces;
    struct profgen_script_counts *counts;
    const struct profgen_program *program;
    const struct profgen_script_options *options;
    uint64_t base; /* where the first segment of code is mapped */
    bool mapped;
    uint64_t repeat; /* of the next sample */
    VEC(struct address_pair) stack;
    struct apf_error *error;
};

/* "0xNUMBER", or "0". */
static bool read_address(struct script_reader *r, uint64_t *number)
{
    if (scan_text(&r->at, "0x"))
        return scan_hex(&r->at, number);
    *number = 0;
    return scan_text(&r->at, "0");
}

/* ---- mappings ---- */

struct mapping {
    uint64_t pid, start, size, offset;
    struct apf_str path;
};

/* "PERF_RECORD_MMAP2 PID/TID: [0xSTART(0xSIZE) @ OFFSET ...]: FLAGS PATH", anywhere in the line. */
static bool parse_mapping(struct script_reader *r, struct mapping *m)
{
    uint64_t tid;
    const char *bracket = NULL;
    scan_text(&r->at, "2");
    bool good = scan_text(&r->at, " ");
    scan_text(&r->at, "-");
    good = good && scan_decimal(&r->at, UINT64_MAX, &m->pid) && scan_text(&r->at, "/");
    good = good && scan_decimal(&r->at, UINT64_MAX, &tid) && scan_text(&r->at, ": [") &&
           read_address(r, &m->start) && scan_text(&r->at, "(") && read_address(r, &m->size) &&
           scan_text(&r->at, ") @ ") && read_address(r, &m->offset);
    for (const char *p = r->at.p; good && p + 2 < r->at.end; p++)
        if (memcmp(p, "]: ", 3) == 0)
            bracket = p;
    if (!bracket)
        return false;
    r->at.p = bracket + 3;
    while (r->at.p < r->at.end && !text_is_blank(*r->at.p))
        r->at.p++;
    m->path = (struct apf_str){r->at.p + 1, (size_t)(r->at.end - r->at.p) - 1};
    return r->at.p + 1 < r->at.end;
}

static int wrong_mapping(struct script_reader *r, const char *message)
{
    return file_lines_wrong(&r->lines, r->lines.line, APF_BAD_SAMPLES, "profgen.mapping", message, r->error);
}

static uint64_t page_of(uint64_t address)
{
    return address & ~(PROFGEN_PAGE - 1);
}

/* Whether another mapping is where it has to be beside the one of the first segment of code. */
static int check_mapping(struct script_reader *r, const struct mapping *m)
{
    const struct profgen_program *p = r->program;
    size_t below = 0;
    for (size_t i = 0; i < p->text.n && page_of(p->text.data[i].offset) <= m->offset; i++)
        below = i + 1;
    if (below == 0)
        return wrong_mapping(r, "File offset not found");
    const struct elf_segment *s = &p->text.data[below - 1];
    if (page_of(s->offset) == m->offset)
        return page_of(s->address) - p->base == m->start - r->base
                   ? APF_OK
                   : wrong_mapping(r, "Executable segments not loaded consecutively");
    return m->offset - page_of(s->offset) == m->start - r->base
               ? APF_OK
               : wrong_mapping(r, "Segment not loaded by consecutive mmaps");
}

static int read_mapping(struct script_reader *r)
{
    struct mapping m;
    if (!parse_mapping(r, &m)) {
        r->counts->bad_mappings++;
        return APF_OK;
    }
    if (!text_equal(text_last_part(m.path), r->program->name) ||
        (r->options->pid && m.pid != r->options->pid))
        return APF_OK;
    r->counts->mappings++;
    if (m.start != r->base && m.offset != page_of(r->program->text.data[0].offset))
        return check_mapping(r, &m);
    r->base = m.start;
    r->mapped = true;
    return APF_OK;
}

/* ---- samples ---- */

/* "0xFROM/0xTO/..." up to a blank. */
static bool read_branch(struct script_reader *r, struct address_pair *pair)
{
    bool good = scan_text(&r->at, "0x") && scan_hex(&r->at, &pair->a) && scan_text(&r->at, "/") &&
                scan_text(&r->at, "0x") && scan_hex(&r->at, &pair->b) &&
                (scan_at_end(&r->at) || *r->at.p == '/' || *r->at.p == ' ');
    while (r->at.p < r->at.end && *r->at.p != ' ')
        r->at.p++;
    return good;
}

static void note_bad(struct script_reader *r)
{
    r->counts->bad_samples++;
    if (!r->counts->first_bad)
        r->counts->first_bad = r->lines.number;
}

/* The branches of a line, up to the first one that cannot be read. */
static int read_stack(struct script_reader *r)
{
    const uint64_t to_linked = r->program->base - r->base;
    r->stack.n = 0;
    for (;;) {
        struct address_pair pair;
        scan_blanks(&r->at);
        if (scan_at_end(&r->at))
            break;
        if (!read_branch(r, &pair)) {
            note_bad(r);
            break;
        }
        pair.a += to_linked;
        pair.b += to_linked;
        if (!VEC_PUSH(&r->stack, pair))
            return error_memory(r->error);
    }
    r->counts->samples += r->repeat;
    r->counts->unmapped = r->counts->unmapped || !r->mapped;
    return profgen_traces_add(r->traces, r->program, r->stack.data, r->stack.n, r->repeat, r->error);
}

/* ---- lines ---- */

/* Whether a line is a number and nothing else; blanks may stand before it with `blanks`. */
static bool is_number(const struct script_reader *r, bool decimal, bool blanks)
{
    const char *p = r->at.p;
    while (blanks && p < r->at.end && text_is_blank(*p))
        p++;
    const char *start = p;
    while (p < r->at.end && (decimal ? number_is_digit(*p) : number_digits[(uint8_t)*p] != 0))
        p++;
    return p > start && p == r->at.end;
}

/* Finds the event in a line that does not begin with a digit. */
static bool find_mapping(struct script_reader *r)
{
    static const char event[] = "PERF_RECORD_MMAP";
    const size_t n = sizeof event - 1, shortest = 50;
    if (r->lines.n < shortest || number_is_digit(*r->at.p))
        return false;
    for (const char *p = r->at.p; (size_t)(r->at.end - p) >= n; p++) {
        p = memchr(p, 'P', (size_t)(r->at.end - p) - n + 1);
        if (!p)
            return false;
        if (memcmp(p, event, n) == 0) {
            r->at.p = p + n;
            return true;
        }
    }
    return false;
}

/* The instruction pointer, if a line has one before its branches. */
static void pass_address(struct script_reader *r)
{
    const char *start = r->at.p, *word;
    uint64_t address;
    scan_blanks(&r->at);
    word = scan_word_end(&r->at);
    bool branch = memchr(r->at.p, '/', (size_t)(word - r->at.p)) != NULL;
    if (branch || !scan_hex(&r->at, &address) || r->at.p != word)
        r->at.p = start;
}

static int read_line(struct script_reader *r)
{
    r->at = (struct text_scan){r->lines.line, r->lines.line + r->lines.n};
    while (r->at.end > r->at.p && (text_is_blank(r->at.end[-1]) || r->at.end[-1] == '\r'))
        r->at.end--;
    if (scan_at_end(&r->at))
        return APF_OK;
    if (find_mapping(r))
        return read_mapping(r);
    if (is_number(r, true, false)) {
        bool good = scan_decimal(&r->at, UINT64_MAX, &r->repeat);
        r->repeat = good ? r->repeat : UINT64_MAX;
        return APF_OK;
    }
    if (is_number(r, false, true)) {
        r->counts->frames++;
        return APF_OK;
    }
    pass_address(r);
    int code = read_stack(r);
    r->repeat = 1;
    return code;
}

int profgen_script_read(struct profgen_traces *t, struct profgen_script_counts *counts,
                        const struct profgen_program *p, const struct apf_input *input,
                        const struct profgen_script_options *options, struct apf_error *error)
{
    struct script_reader r = {.traces = t,
                              .counts = counts,
                              .program = p,
                              .options = options,
                              .base = p->base,
                              .repeat = 1,
                              .error = error};
    int code = file_lines_open(&r.lines, input, options->max_bytes, error);
    while (code == APF_OK && (code = file_lines_next(&r.lines, error)) == APF_OK)
        code = read_line(&r);
    file_lines_close(&r.lines);
    VEC_FREE(&r.stack);
    if (code == APF_END)
        code = APF_OK;
    if (code == APF_OK && counts->samples == 0)
        return error_plain(error, APF_BAD_SAMPLES, "profgen.script", "Invalid perf script input!");
    return code;
}
