/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_script.h"

#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"
#include "base/text_scan.h"

/* The line that is being parsed. */
struct perf_line {
    struct perf_script *script;
    struct text_scan at;
    struct apf_error *error;
};

static int report_line(const struct perf_line *r, const char *p, const char *where, const char *detail)
{
    return file_lines_wrong(&r->script->text, p, APF_BAD_SAMPLES, where, detail, r->error);
}

/* ---- events ---- */

static bool read_pid(struct text_scan *at, uint32_t *pid)
{
    uint64_t number;
    if (scan_text(at, "-1")) {
        *pid = PERF_NO_PID;
        return true;
    }
    bool good = scan_decimal(at, PERF_NO_PID - 1, &number);
    *pid = (uint32_t)number;
    return good;
}

/* "0xNUMBER", or "0", as perf prints that. */
static bool read_number(struct text_scan *at, uint64_t *number)
{
    return (scan_text(at, "0x") || scan_begins(at, "0")) && scan_hex(at, number);
}

bool perf_script_parse_mapping(struct text_scan *at, struct perf_record *record)
{
    uint32_t tid;
    bool good = read_pid(at, &record->pid) && scan_text(at, "/") && read_pid(at, &tid) &&
                scan_text(at, ": [") && read_number(at, &record->start) && scan_text(at, "(") &&
                read_number(at, &record->size) && scan_text(at, ") @ ") && read_number(at, &record->offset);
    if (good && scan_text(at, " <")) {
        const char *id = at->p;
        while (at->p < at->end && number_digits[(uint8_t)*at->p])
            at->p++;
        good = perf_build_id_parse(&record->build_id, id, (size_t)(at->p - id)) && scan_text(at, ">");
    }
    while (good && at->p < at->end && *at->p != ']')
        at->p++;
    if (!good || !scan_text(at, "]: "))
        return false;
    const char *flags = at->p;
    at->p = scan_word_end(at);
    record->executable = memchr(flags, 'x', (size_t)(at->p - flags)) != NULL;
    at->p += at->p < at->end;
    record->path = (struct apf_str){at->p, (size_t)(at->end - at->p)};
    record->kind = PERF_MAPPING;
    return true;
}

static int read_mapping(struct perf_line *r, struct perf_record *record)
{
    return perf_script_parse_mapping(&r->at, record)
               ? APF_OK
               : report_line(r, r->at.p, "perf.mapping",
                             "expected PID/TID: [0xSTART(0xSIZE) @ OFFSET ...]: FLAGS FILE");
}

/* "(PID:TID):(PPID:PTID)" */
static int read_fork(struct perf_line *r, struct perf_record *record)
{
    uint32_t tid;
    bool good = scan_text(&r->at, "(") && read_pid(&r->at, &record->pid) && scan_text(&r->at, ":") &&
                read_pid(&r->at, &tid) && scan_text(&r->at, "):(") && read_pid(&r->at, &record->parent) &&
                scan_text(&r->at, ":") && read_pid(&r->at, &tid) && scan_text(&r->at, ")");
    record->kind = PERF_FORK;
    return good ? APF_OK : report_line(r, r->at.p, "perf.fork", "expected (PID:TID):(PID:TID)");
}

/* "NAME:PID/TID"; a name may contain any bytes. */
static int read_exec(struct perf_line *r, struct perf_record *record)
{
    const char *last = r->at.end;
    uint32_t tid;
    while (last > r->at.p && last[-1] != ':')
        last--;
    bool good = last > r->at.p;
    r->at.p = last;
    good = good && read_pid(&r->at, &record->pid) && scan_text(&r->at, "/") && read_pid(&r->at, &tid) &&
           r->at.p == r->at.end;
    record->kind = PERF_EXEC;
    return good ? APF_OK : report_line(r, r->at.p, "perf.exec", "expected NAME:PID/TID");
}

/* Whether the word before p is the time 0. */
static bool is_untimed(const struct perf_line *r, const char *p)
{
    const char *start = r->script->text.line;
    bool point = false;
    while (p > start && text_is_blank(p[-1]))
        p--;
    if (p == start || *--p != ':')
        return false;
    for (; p > start && (p[-1] == '0' || p[-1] == '.'); p--)
        point = point || p[-1] == '.';
    return point && (p == start || text_is_blank(p[-1]));
}

/* Parses an event from PERF_RECORD_ on. *known: the record was filled in. */
static int read_event(struct perf_line *r, struct perf_record *record, bool *known)
{
    record->untimed = is_untimed(r, r->at.p);
    *known = true;
    if (scan_text(&r->at, "PERF_RECORD_MMAP2 ") || scan_text(&r->at, "PERF_RECORD_MMAP "))
        return read_mapping(r, record);
    if (scan_text(&r->at, "PERF_RECORD_FORK"))
        return read_fork(r, record);
    if (scan_text(&r->at, "PERF_RECORD_COMM exec: "))
        return read_exec(r, record);
    r->script->n_events++;
    r->script->n_lost += scan_text(&r->at, "PERF_RECORD_LOST");
    *known = false;
    return APF_OK;
}

/* ---- samples ---- */

/* Parses P, M or a dash; newer versions of perf print several letters, and N for a branch that did not jump. Skips the
 * rest, from a slash up to a blank. */
static int read_flags(struct perf_line *r, struct apf_perf_branch *branch, bool *taken)
{
    const char *p = r->at.p;
    *taken = true;
    branch->flags = *p == '-' ? 0 : APF_PERF_BRANCH_PREDICTED;
    for (; *p != '/'; p++) {
        *taken = *taken && *p != 'N';
        if (*p == 'M')
            branch->flags = APF_PERF_BRANCH_MISPREDICTED;
        if (*p != 'P' && *p != 'M' && *p != '-' && *p != 'N')
            break;
    }
    bool any = p > r->at.p;
    r->at.p = p;
    if (!any || (*p != '/' && !text_is_blank(*p) && p < r->at.end))
        return report_line(r, p, "perf.branch.flag", "expected P, M or -");
    if (*p != '/')
        return report_line(r, p, "perf.branch", "expected a slash, and more about the branch");
    while ((uint8_t)*p > ' ')
        p++;
    r->at.p = p;
    return APF_OK;
}

#define NO_ADDRESS "expected a hexadecimal number (print brstack, not brstacksym)"
#define NO_SLASH "expected a slash (print brstack, without names of files)"

static inline int read_end(struct perf_line *r, uint64_t *address, const char *where)
{
    const char *p = r->at.p, *start;
    uint64_t v = 0;
    if (p[0] == '0' && p[1] == 'x')
        p += 2;
    for (start = p; number_digits[(uint8_t)*p]; p++)
        v = v << 4 | (unsigned)(number_digits[(uint8_t)*p] - 1);
    r->at.p = p + 1;
    *address = v;
    if (*p != '/' || p == start)
        return report_line(r, p, where, p == start ? NO_ADDRESS : NO_SLASH);
    return p - start <= 16 ? APF_OK : report_line(r, start, where, "the number has more than 16 digits");
}

/* Parses "0xFROM/0xTO/FLAG/..." up to the end of the line. Reading spends nearly all its time here: the line feed at
 * r->at.end ends every loop. */
static int read_stack(struct perf_line *r, struct perf_record *record)
{
    struct perf_script *s = r->script;
    s->branches.n = 0;
    for (; r->at.p < r->at.end; scan_blanks(&r->at)) {
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
    return memchr(r->at.p, '/', (size_t)(scan_word_end(&r->at) - r->at.p)) != NULL;
}

/* Finds an event in a line that does not begin with a process, as perf prints it without -F. */
static bool find_event(struct perf_line *r)
{
    static const char event[] = "PERF_RECORD_";
    while (scan_after(&r->at, event)) {
        const char *start = r->at.p - (sizeof event - 1);
        if (start == r->script->text.line || text_is_blank(start[-1])) {
            r->at.p = start;
            return true;
        }
    }
    return false;
}

/* Parses a line that is no sample: an event, or anything else. */
static int read_other(struct perf_line *r, struct perf_record *record, bool *known)
{
    struct perf_script *s = r->script;
    r->at.p = s->text.line;
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
    struct text_scan at = {r->script->text.line, r->at.end};
    size_t n = 0;
    for (scan_blanks(&at); at.p < at.end; scan_blanks(&at)) {
        const char *end = scan_word_end(&at);
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
    for (; r->at.p < r->at.end && !is_branch(r); scan_blanks(&r->at)) {
        const char *start = r->at.p;
        scan_text(&r->at, "0x");
        bool good =
            n < 2 && scan_hex(&r->at, &numbers[n++]) && (r->at.p == r->at.end || text_is_blank(*r->at.p));
        if (!good && has_program(r))
            return read_other(r, record, known);
        if (!good)
            return report_line(r, start, "perf.address", "expected a hexadecimal number, or branches");
    }
    if (r->at.p < r->at.end || n == 0)
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
    for (scan_blanks(&r->at); r->at.p < r->at.end && !scan_begins(&r->at, "0x"); scan_blanks(&r->at)) {
        const char *start = r->at.p, *end = scan_word_end(&r->at);
        if (scan_begins(&r->at, "PERF_RECORD_"))
            return read_event(r, record, known);
        if (end[-1] != ':')
            break;
        bool time = is_time(start, end);
        if (!time && (record->event.n || !text_word(start, (size_t)(end - start))))
            return report_line(r, start, "perf.event", "expected one event");
        if (!time)
            record->event = (struct apf_str){start, (size_t)(end - start) - 1};
        r->at.p = end;
    }
    return read_addresses(r, record, known);
}

static int read_line(struct perf_line *r, struct perf_record *record, bool *known)
{
    const char *start;
    uint32_t tid;
    *record = (struct perf_record){.kind = PERF_SAMPLE};
    *known = false;
    scan_blanks(&r->at);
    start = r->at.p;
    if (r->at.p == r->at.end || !(number_is_digit(*r->at.p) || scan_begins(&r->at, "-1")))
        return read_other(r, record, known);
    bool good = read_pid(&r->at, &record->pid) && (!scan_text(&r->at, "/") || read_pid(&r->at, &tid)) &&
                (r->at.p == r->at.end || text_is_blank(*r->at.p));
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
        struct perf_line r = {s, {s->text.line, s->text.line + s->text.n}, error};
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
