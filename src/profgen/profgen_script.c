/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_script.h"

#include <string.h>

#include "base/error.h"
#include "base/file_lines.h"
#include "base/text_bytes.h"
#include "base/text_scan.h"
#include "profgen/profgen_finish.h"

struct script_reader {
    struct file_lines lines;
    struct text_scan at; /* of the present line */
    struct profgen_traces *traces;
    struct profgen_script_counts *counts;
    struct profgen_program *program;
    const struct profgen_script_options *options;
    uint64_t base; /* where the first segment of code is mapped */
    bool mapped;
    uint64_t repeat; /* of the next sample */
    VEC(struct address_pair) stack;
    VEC(uint64_t) frames; /* the lines of a call stack so far */
    bool decided, called; /* whether samples have call stacks */
    bool spoiled;         /* the call stack that is being read cannot be used */
    struct apf_error *error;
};

/* "0xNUMBER", or "0". */
static bool read_address(struct text_scan *at, uint64_t *number)
{
    if (scan_text(at, "0x"))
        return scan_hex(at, number);
    *number = 0;
    return scan_text(at, "0");
}

/* ---- mappings ---- */

bool profgen_mapping_parse(struct text_scan *at, struct profgen_mapping *m)
{
    uint64_t tid;
    const char *bracket = NULL;
    scan_text(at, "2");
    bool good = scan_text(at, " ");
    scan_text(at, "-");
    good = good && scan_decimal(at, UINT64_MAX, &m->pid) && scan_text(at, "/") &&
           scan_decimal(at, UINT64_MAX, &tid) && scan_text(at, ": [") && read_address(at, &m->start) &&
           scan_text(at, "(") && read_address(at, &m->size) && scan_text(at, ") @ ") &&
           read_address(at, &m->offset);
    for (const char *p = at->p; good && p + 2 < at->end; p++)
        if (memcmp(p, "]: ", 3) == 0)
            bracket = p;
    if (!bracket)
        return false;
    at->p = bracket + 3;
    while (at->p < at->end && !text_is_blank(*at->p))
        at->p++;
    m->path = (struct apf_str){at->p + 1, (size_t)(at->end - at->p) - 1};
    return at->p + 1 < at->end;
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
static int check_mapping(struct script_reader *r, const struct profgen_mapping *m)
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

/* The kernel is named after a symbol, or after none. */
static bool is_program(const struct script_reader *r, struct apf_str path)
{
    if (!r->options->kernel)
        return text_equal(text_last_part(path), r->program->name);
    return text_is(path, "[kernel.kallsyms]") || text_is(path, "[kernel.kallsyms]_text") ||
           text_is(path, "[kernel.kallsyms]_stext");
}

static int read_mapping(struct script_reader *r)
{
    struct profgen_mapping m;
    if (!profgen_mapping_parse(&r->at, &m)) {
        r->counts->bad_mappings++;
        return APF_OK;
    }
    if (!is_program(r, m.path) || (r->options->pid && m.pid != r->options->pid))
        return APF_OK;
    r->counts->mappings++;
    if (m.start != r->base && !r->options->kernel && m.offset != page_of(r->program->text.data[0].offset))
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

static int add_sample(struct script_reader *r)
{
    const struct profgen_sample sample = {r->stack.data, r->stack.n, r->frames.data, r->frames.n, r->repeat};
    r->counts->samples = profgen_sum(r->counts->samples, r->repeat);
    r->counts->unmapped = r->counts->unmapped || !r->mapped;
    return r->called && !r->options->unused_calls
               ? profgen_traces_add_called(r->traces, r->program, &sample, r->options->ignore_calls, r->error)
               : profgen_traces_add(r->traces, r->program, &sample, r->error);
}

/* The branches of a line, up to the first one that cannot be read. */
static int read_branches(struct script_reader *r)
{
    const uint64_t to_linked = r->program->base - r->base;
    r->stack.n = 0;
    for (;;) {
        struct address_pair pair = {0, 0, 0};
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
    return add_sample(r);
}

/* A line with the address of a frame. */
static int read_frame(struct script_reader *r)
{
    uint64_t address;
    scan_blanks(&r->at);
    if (!scan_hex(&r->at, &address)) {
        note_bad(r);
        r->spoiled = true;
        return APF_OK;
    }
    return VEC_PUSH(&r->frames, address + r->program->base - r->base) ? APF_OK : error_memory(r->error);
}

/* A line with branches. In texts with call stacks it begins with a blank and a branch, right after the frames; what
 * stands elsewhere, or after a call stack that cannot be read, is not used. */
static int read_sample(struct script_reader *r)
{
    int code = APF_OK;
    if (!r->decided) {
        r->decided = true;
        r->called = r->frames.n != 0;
    }
    if (!r->called) {
        pass_address(r);
        code = read_branches(r);
    } else if (!scan_begins(&r->at, " 0x")) {
        r->frames.n = 0;
        return APF_OK;
    } else if (!r->spoiled) {
        code = read_branches(r);
    }
    r->spoiled = false;
    r->frames.n = 0;
    r->repeat = 1;
    return code;
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

static void read_repeat(struct script_reader *r)
{
    if (!scan_decimal(&r->at, UINT64_MAX, &r->repeat))
        r->repeat = UINT64_MAX;
}

static int read_line(struct script_reader *r)
{
    r->at = (struct text_scan){r->lines.line, r->lines.line + r->lines.n};
    while (r->at.end > r->at.p && (text_is_blank(r->at.end[-1]) || r->at.end[-1] == '\r'))
        r->at.end--;
    if (r->at.p == r->at.end) { /* nothing stands between a call stack and its branches */
        r->frames.n = 0;
        return APF_OK;
    }
    if (find_mapping(r)) {
        r->frames.n = 0;
        return read_mapping(r);
    }
    if (r->frames.n == 0 && is_number(r, true, false)) {
        read_repeat(r);
        return APF_OK;
    }
    return is_number(r, false, true) ? read_frame(r) : read_sample(r);
}

int profgen_script_read(struct profgen_traces *t, struct profgen_script_counts *counts,
                        struct profgen_program *p, const struct apf_input *input,
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
    VEC_FREE(&r.frames);
    if (code == APF_END)
        code = APF_OK;
    if (code == APF_OK && counts->samples == 0)
        return error_plain(error, APF_BAD_SAMPLES, "profgen.script", "Invalid perf script input!");
    return code;
}
