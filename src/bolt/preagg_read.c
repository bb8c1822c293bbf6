/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/preagg_read.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text_bytes.h"

#define MOST_EVENTS 1000u

struct line_reader {
    const char *p, *end; /* the line, without its line feed */
    const char *start, *text;
    uint32_t number;
    struct apf_error *error;
};

static int report_line(const struct line_reader *r, const char *p, const char *where, const char *detail)
{
    error_set_column(r->error, APF_BAD_SAMPLES, where, (uint64_t)(p - r->text), r->number,
                     (uint32_t)(p - r->start) + 1, detail);
    return APF_BAD_SAMPLES;
}

static void pass_blanks(struct line_reader *r)
{
    while (r->p < r->end && *r->p == ' ')
        r->p++;
}

/* Reads a hexadecimal address. BOLT ignores the name of a file before a colon. */
static int read_address(struct line_reader *r, const char *where, uint64_t *address)
{
    pass_blanks(r);
    const char *start = r->p, *end = r->p;
    while (end < r->end && *end != ' ')
        end++;
    const char *colon = memchr(start, ':', (size_t)(end - start));
    const char *p = colon ? colon + 1 : start;
    uint64_t v = 0;
    r->p = end;
    if (p == end)
        return report_line(r, p, where, "expected a hexadecimal number");
    for (; p < end; p++) {
        int digit = number_hex_digit(*p);
        if (digit < 0)
            return report_line(r, p, where, "expected a hexadecimal number");
        if (v >> 60)
            return report_line(r, start, where, "the number has more than 64 bits");
        v = v << 4 | (unsigned)digit;
    }
    *address = v;
    return APF_OK;
}

static int read_count(struct line_reader *r, const char *where, uint64_t *count)
{
    pass_blanks(r);
    const char *start = r->p;
    uint64_t v = 0;
    for (; r->p < r->end && *r->p != ' '; r->p++) {
        unsigned digit = (unsigned)(uint8_t)*r->p - '0';
        if (digit > 9)
            return report_line(r, r->p, where,
                               *r->p == '-' ? "a count below 0" : "expected a decimal number");
        if (v > (APF_FDATA_MOST - digit) / 10)
            return report_line(r, start, where, "the count is above 2^63 - 1");
        v = 10 * v + digit;
    }
    if (r->p == start)
        return report_line(r, start, where, "expected a decimal number");
    *count = v;
    return APF_OK;
}

static int read_event(struct line_reader *r, struct text_set *events)
{
    pass_blanks(r);
    const char *end = r->end;
    while (end > r->p && end[-1] == ' ')
        end--;
    struct apf_str name = {r->p, (size_t)(end - r->p)};
    uint32_t number;
    r->p = r->end;
    if (!text_word(name.p, name.n))
        return report_line(r, name.p, "samples.event", "expected the name of an event");
    const int code = text_set_add(events, name, &number, r->error);
    return code != APF_OK || number < MOST_EVENTS
               ? code
               : report_line(r, name.p, "samples.event", "too many events");
}

/* ---- records ---- */

/* The fields that follow each letter. */
static const struct {
    char letter;
    enum sample_kind kind;
    bool branch, fall, mispredictions;
} forms[] = {
    {'T', SAMPLE_TRACE, true, true, false},    {'R', SAMPLE_RETURN, true, true, false},
    {'B', SAMPLE_BRANCH, true, false, true},   {'F', SAMPLE_FALL, false, true, false},
    {'f', SAMPLE_FALL_IN, false, true, false}, {'r', SAMPLE_FALL_RETURN, false, true, false},
    {'S', SAMPLE_BASIC, true, false, false},
};

static int read_record(struct line_reader *r, struct text_set *events, struct branch_sample *s,
                       bool *is_record)
{
    const size_t n_forms = sizeof forms / sizeof *forms;
    pass_blanks(r);
    const char *letter = r->p;
    size_t i = 0;
    *is_record = false;
    while (i < n_forms && (letter == r->end || forms[i].letter != *letter))
        i++;
    bool single = letter < r->end && letter + 1 < r->end && letter[1] == ' ';
    r->p += single;
    if (single && *letter == 'E')
        return read_event(r, events);
    if (!single || i == n_forms)
        return report_line(r, letter, "samples.kind", "expected T, R, S, E, B, F, f or r");
    *s = (struct branch_sample){.kind = forms[i].kind};
    int code = forms[i].branch ? read_address(r, "samples.branch", &s->branch) : APF_OK;
    if (code == APF_OK && s->kind != SAMPLE_BASIC)
        code = read_address(r, "samples.from", &s->from);
    if (code == APF_OK && forms[i].fall)
        code = read_address(r, "samples.to", &s->to);
    if (code == APF_OK)
        code = read_count(r, "samples.count", &s->count);
    if (code == APF_OK && forms[i].mispredictions)
        code = read_count(r, "samples.mispredictions", &s->mispredictions);
    pass_blanks(r);
    if (code == APF_OK && r->p < r->end)
        code = report_line(r, r->p, "samples.line", "more fields than the record has");
    *is_record = true;
    return code;
}

int preagg_read(const char *text, size_t n, struct text_set *events, read_sample *each, void *user,
                uint64_t *n_records, struct apf_error *error)
{
    struct line_reader r = {.text = text, .error = error};
    const char *end = text + n;
    int code = APF_OK;
    for (const char *p = text; code == APF_OK && p < end; p = r.end + 1) {
        struct branch_sample sample;
        bool is_record;
        r.start = r.p = p;
        r.end = memchr(p, '\n', (size_t)(end - p));
        r.number++;
        if (!r.end) {
            r.end = end;
            return report_line(&r, end, "samples.line",
                               "the last line has no end: the file may have been cut off");
        }
        const bool carriage = r.end > p && r.end[-1] == '\r';
        r.end -= carriage;
        code = read_record(&r, events, &sample, &is_record);
        if (code == APF_OK && carriage)
            code = report_line(&r, r.end, PREAGG_CARRIAGE_RETURN, TEXT_CARRIAGE_RETURN);
        *n_records += code == APF_OK && is_record;
        if (code == APF_OK && is_record)
            code = each(user, &sample, error);
    }
    return code;
}
