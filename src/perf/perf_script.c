/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_script.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text_bytes.h"

/* The line that is being parsed. */
struct perf_line {
    struct perf_script *script;
    const char *p, *end;
    struct apf_error *error;
};

static int report_line(const struct perf_line *r, const char *p, const char *where, const char *detail)
{
    return file_lines_wrong(&r->script->text, p, APF_BAD_SAMPLES, where, detail, r->error);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void pass_blanks(struct perf_line *r)
{
    while (r->p < r->end && is_blank(*r->p))
        r->p++;
}

static const char *word_end(const struct perf_line *r)
{
    const char *p = r->p;
    while (p < r->end && !is_blank(*p))
        p++;
    return p;
}

static bool line_begins(const struct perf_line *r, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(r->end - r->p) >= n && memcmp(r->p, text, n) == 0;
}

/* Skips a text that must come next. */
static bool skip_text(struct perf_line *r, const char *text)
{
    bool there = line_begins(r, text);
    r->p += there ? strlen(text) : 0;
    return there;
}

/* ---- numbers ---- */

/* The digits of a hexadecimal number. False: there are none, or more than 64 bits; p stands at the error. */
static inline bool read_hex(struct perf_line *r, uint64_t *number)
{
    const char *p = r->p;
    uint64_t v = 0;
    uint8_t digit;
    for (; p < r->end && (digit = number_digits[(uint8_t)*p]) != 0 && v >> 60 == 0; p++)
        v = v << 4 | (unsigned)(digit - 1);
    bool good = p > r->p && (p == r->end || !number_digits[(uint8_t)*p]);
    r->p = p;
    *number = v;
    return good;
}

static bool read_pid(struct perf_line *r, uint32_t *pid)
{
    const char *start = r->p;
    uint64_t v = 0;
    if (skip_text(r, "-1")) {
        *pid = PERF_NO_PID;
        return true;
    }
    for (; r->p < r->end && number_is_digit(*r->p) && v < PERF_NO_PID; r->p++)
        v = 10 * v + (unsigned)(*r->p - '0');
    *pid = (uint32_t)v;
    return r->p > start && v < PERF_NO_PID;
}

/* ---- events ---- */

/* "PID/TID: [0xSTART(0xSIZE) @ OFFSET ...]: r-xp PATH"; in older records the flags are one letter. */
static int read_mapping(struct perf_line *r, struct perf_record *record)
{
    uint32_t tid;
    bool good = read_pid(r, &record->pid) && skip_text(r, "/") && read_pid(r, &tid) &&
                skip_text(r, ": [0x") && read_hex(r, &record->start) && skip_text(r, "(0x") &&
                read_hex(r, &record->size) && skip_text(r, ") @ ") &&
                (skip_text(r, "0x") || line_begins(r, "0")) && read_hex(r, &record->offset);
    if (good && skip_text(r, " <")) {
        const char *id = r->p;
        while (r->p < r->end && number_digits[(uint8_t)*r->p])
            r->p++;
        good = perf_build_id_parse(&record->build_id, id, (size_t)(r->p - id)) && skip_text(r, ">");
    }
    while (good && r->p < r->end && *r->p != ']')
        r->p++;
    if (!good || !skip_text(r, "]: "))
        return report_line(r, r->p, "perf.mapping",
                           "expected PID/TID: [0xSTART(0xSIZE) @ OFFSET ...]: FLAGS FILE");
    const char *flags = r->p;
    r->p = word_end(r);
    record->executable = memchr(flags, 'x', (size_t)(r->p - flags)) != NULL;
    r->p += r->p < r->end;
    record->path = (struct apf_str){r->p, (size_t)(r->end - r->p)};
    record->kind = PERF_MAPPING;
    return APF_OK;
}

/* "(PID:TID):(PPID:PTID)" */
static int read_fork(struct perf_line *r, struct perf_record *record)
{
    uint32_t tid;
    bool good = skip_text(r, "(") && read_pid(r, &record->pid) && skip_text(r, ":") && read_pid(r, &tid) &&
                skip_text(r, "):(") && read_pid(r, &record->parent) && skip_text(r, ":") &&
                read_pid(r, &tid) && skip_text(r, ")");
    record->kind = PERF_FORK;
    return good ? APF_OK : report_line(r, r->p, "perf.fork", "expected (PID:TID):(PID:TID)");
}

/* "NAME:PID/TID"; a name may contain any bytes. */
static int read_exec(struct perf_line *r, struct perf_record *record)
{
    const char *last = r->end;
    uint32_t tid;
    while (last > r->p && last[-1] != ':')
        last--;
    bool good = last > r->p;
    r->p = last;
    good = good && read_pid(r, &record->pid) && skip_text(r, "/") && read_pid(r, &tid) && r->p == r->end;
    record->kind = PERF_EXEC;
    return good ? APF_OK : report_line(r, r->p, "perf.exec", "expected NAME:PID/TID");
}

/* Whether the word before p is the time 0. */
static bool is_untimed(const struct perf_line *r, const char *p)
{
    const char *start = r->script->text.line;
    bool point = false;
    while (p > start && is_blank(p[-1]))
        p--;
    if (p == start || *--p != ':')
        return false;
    for (; p > start && (p[-1] == '0' || p[-1] == '.'); p--)
        point = point || p[-1] == '.';
    return point && (p == start || is_blank(p[-1]));
}

/* Parses an event from PERF_RECORD_ on. *known: the record was filled in. */
static int read_event(struct perf_line *r, struct perf_record *record, bool *known)
{
    record->untimed = is_untimed(r, r->p);
    *known = true;
    if (skip_text(r, "PERF_RECORD_MMAP2 ") || skip_text(r, "PERF_RECORD_MMAP "))
        return read_mapping(r, record);
    if (skip_text(r, "PERF_RECORD_FORK"))
        return read_fork(r, record);
    if (skip_text(r, "PERF_RECORD_COMM exec: "))
        return read_exec(r, record);
    r->script->n_events++;
    r->script->n_lost += skip_text(r, "PERF_RECORD_LOST");
    *known = false;
    return APF_OK;
}

/* ---- samples ---- */

/* Parses P, M or a dash; newer versions of perf print several letters, and N for a branch that did not jump. Skips the
 * rest, from a slash up to a blank. */
static int read_flags(struct perf_line *r, struct apf_perf_branch *branch, bool *taken)
{
    const char *p = r->p;
    *taken = true;
    branch->flags = *p == '-' ? 0 : APF_PERF_BRANCH_PREDICTED;
    for (; *p != '/'; p++) {
        *taken = *taken && *p != 'N';
        if (*p == 'M')
            branch->flags = APF_PERF_BRANCH_MISPREDICTED;
        if (*p != 'P' && *p != 'M' && *p != '-' && *p != 'N')
            break;
    }
    bool any = p > r->p;
    r->p = p;
    if (!any || (*p != '/' && !is_blank(*p) && p < r->end))
        return report_line(r, p, "perf.branch.flag", "expected P, M or -");
    if (*p != '/')
        return report_line(r, p, "perf.branch", "expected a slash, and more about the branch");
    while ((uint8_t)*p > ' ')
        p++;
    r->p = p;
    return APF_OK;
}

#define NO_ADDRESS "expected a hexadecimal number (print brstack, not brstacksym)"
#define NO_SLASH "expected a slash (print brstack, without names of files)"

static inline int read_end(struct perf_line *r, uint64_t *address, const char *where)
{
    const char *p = r->p, *start;
    uint64_t v = 0;
    if (p[0] == '0' && p[1] == 'x')
        p += 2;
    for (start = p; number_digits[(uint8_t)*p]; p++)
        v = v << 4 | (unsigned)(number_digits[(uint8_t)*p] - 1);
    r->p = p + 1;
    *address = v;
    if (*p != '/' || p == start)
        return report_line(r, p, where, p == start ? NO_ADDRESS : NO_SLASH);
    return p - start <= 16 ? APF_OK : report_line(r, start, where, "the number has more than 16 digits");
}

/* Parses "0xFROM/0xTO/FLAG/..." up to the end of the line. Reading spends nearly all its time here: the line feed at
 * r->end ends every loop. */
static int read_stack(struct perf_line *r, struct perf_record *record)
{
    struct perf_script *s = r->script;
    s->branches.n = 0;
    for (; r->p < r->end; pass_blanks(r)) {
        struct apf_perf_branch branch;
        bool taken = true;
        int code = read_end(r, &branch.from, "perf.branch.from");
        if (code == APF_OK)
            code = read_end(r, &branch.to, "perf.branch.to");
        if (code == APF_OK)
            code = read_flags(r, &branch, &taken);
        if (code != APF_OK)
            return code;
        s->not_taken += !taken;
        if (taken && !VEC_PUSH(&s->branches, branch))
            return error_memory(r->error);
    }
    record->fields = APF_PERF_HAS_BRANCHES;
    record->branches = s->branches.data;
    record->n_branches = s->branches.n;
    return APF_OK;
}

static bool is_branch(const struct perf_line *r)
{
    return memchr(r->p, '/', (size_t)(word_end(r) - r->p)) != NULL;
}

/* Finds an event in a line that does not begin with a process, as perf prints it without -F. */
static bool find_event(struct perf_line *r)
{
    while (r->p < r->end) {
        const char *p = memchr(r->p, 'P', (size_t)(r->end - r->p));
        r->p = p ? p : r->end;
        if (line_begins(r, "PERF_RECORD_") && is_blank(r->p == r->script->text.line ? ' ' : r->p[-1]))
            return true;
        r->p += r->p < r->end;
    }
    return false;
}

/* Parses a line that is no sample: an event, or anything else. */
static int read_other(struct perf_line *r, struct perf_record *record, bool *known)
{
    struct perf_script *s = r->script;
    r->p = s->text.line;
    if (find_event(r))
        return read_event(r, record, known);
    *known = false;
    s->n_other++;
    if (!s->first_other)
        s->first_other = s->text.number;
    return APF_OK;
}

static bool is_time(const char *p, const char *end)
{
    bool good = p < end && number_is_digit(*p) && end[-1] == ':';
    for (; good && p < end - 1; p++)
        good = number_is_digit(*p) || *p == '.';
    return good;
}

/* Whether perf printed its default fields: then the name of a program, which may look like a number, stands before the
 * process and the time. */
static bool has_program(const struct perf_line *r)
{
    struct perf_line at = *r;
    size_t n = 0;
    at.p = r->script->text.line;
    for (pass_blanks(&at); at.p < at.end; pass_blanks(&at)) {
        const char *end = word_end(&at);
        if (is_time(at.p, end))
            return n >= 2;
        at.p = end;
        n++;
    }
    return false;
}

/* Parses one address or two, then branches or nothing; other fields after them are ignored. */
static int read_addresses(struct perf_line *r, struct perf_record *record, bool *known)
{
    uint64_t numbers[2] = {0, 0};
    size_t n = 0;
    for (; r->p < r->end && !is_branch(r); pass_blanks(r)) {
        const char *start = r->p;
        skip_text(r, "0x");
        bool good = n < 2 && read_hex(r, &numbers[n++]) && (r->p == r->end || is_blank(*r->p));
        if (!good && has_program(r))
            return read_other(r, record, known);
        if (!good)
            return report_line(r, start, "perf.address", "expected a hexadecimal number, or branches");
    }
    if (r->p < r->end || n == 0)
        return read_stack(r, record);
    record->fields = n == 2 ? APF_PERF_HAS_ADDRESS | APF_PERF_HAS_DATA : APF_PERF_HAS_ADDRESS;
    record->data = n == 2 ? numbers[0] : 0;
    record->address = numbers[n - 1];
    return APF_OK;
}

/* Parses the line after the number of the process: "TIME: EVENT: ..." */
static int read_sample(struct perf_line *r, struct perf_record *record, bool *known)
{
    *known = true;
    for (pass_blanks(r); r->p < r->end && !line_begins(r, "0x"); pass_blanks(r)) {
        const char *start = r->p, *end = word_end(r);
        if (line_begins(r, "PERF_RECORD_"))
            return read_event(r, record, known);
        if (end[-1] != ':')
            break;
        bool time = is_time(start, end);
        if (!time && (record->event.n || !text_word(start, (size_t)(end - start))))
            return report_line(r, start, "perf.event", "expected one event");
        if (!time)
            record->event = (struct apf_str){start, (size_t)(end - start) - 1};
        r->p = end;
    }
    return read_addresses(r, record, known);
}

static int read_line(struct perf_line *r, struct perf_record *record, bool *known)
{
    const char *start;
    uint32_t tid;
    *record = (struct perf_record){.kind = PERF_SAMPLE};
    *known = false;
    pass_blanks(r);
    start = r->p;
    if (r->p == r->end || !(number_is_digit(*r->p) || line_begins(r, "-1")))
        return read_other(r, record, known);
    bool good = read_pid(r, &record->pid) && (!skip_text(r, "/") || read_pid(r, &tid)) &&
                (r->p == r->end || is_blank(*r->p));
    if (!good && has_program(r))
        return read_other(r, record, known);
    return good ? read_sample(r, record, known)
                : report_line(r, start, "perf.pid", "expected the number of a process");
}

int perf_script_read(struct perf_script *s, const struct apf_input *input, uint64_t max_bytes,
                     perf_record_fn *visit, void *user, struct apf_error *error)
{
    struct perf_record record;
    bool known;
    int code = file_lines_open(&s->text, input, max_bytes, error);
    while (code == APF_OK && (code = file_lines_next(&s->text, error)) == APF_OK) {
        struct perf_line r = {s, s->text.line, s->text.line + s->text.n, error};
        s->n_lines++;
        code = read_line(&r, &record, &known);
        if (code == APF_OK && known)
            code = visit(user, &record, error);
    }
    file_lines_close(&s->text);
    return code == APF_END ? APF_OK : code;
}

void perf_script_free(struct perf_script *s)
{
    VEC_FREE(&s->branches);
}
