/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/fdata_line.h"

#include <string.h>

#include "base/compiler.h"
#include "base/decimal.h"
#include "base/number.h"

/* A line that is being read. `p` never passes `end`. */
struct reading {
    const char *p, *end;
    struct fdata_fault *fault;
};

static bool refuse_at(struct reading *r, const char *p, const char *where, const char *detail)
{
    r->fault->p = p;
    r->fault->where = where;
    r->fault->detail = detail;
    return false;
}

static bool refuse_line(struct reading *r, const char *where, const char *detail)
{
    return refuse_at(r, r->p, where, detail);
}

/* Skips the blanks after a field, at least one. */
static bool pass_blanks(struct reading *r, const char *where, const char *what_is_next)
{
    const char *from = r->p;
    while (r->p < r->end && *r->p == ' ')
        r->p++;
    if (r->p == r->end)
        return refuse_line(r, where, what_is_next);
    return r->p > from || refuse_line(r, where, "expected a blank");
}

static bool read_hex(struct reading *r, uint64_t *out)
{
    static const char where[] = "fdata.offset";
    const char *from = r->p;
    uint64_t v = 0;
    for (int digit; r->p < r->end && (digit = number_hex_digit(*r->p)) >= 0; r->p++) {
        if (v >> 60)
            return refuse_at(r, from, where, "an offset of more than 64 bits");
        v = v << 4 | (uint64_t)digit;
    }
    *out = v;
    if (r->p == from + 1 && *from == '0' && r->p < r->end && (*r->p == 'x' || *r->p == 'X'))
        return refuse_line(r, where, "expected a hexadecimal number without 0x");
    return r->p > from || refuse_line(r, where, "expected an offset, a hexadecimal number");
}

static bool read_decimal(struct reading *r, const char *where, const char *what, uint64_t *out)
{
    const char *from = r->p;
    uint64_t v = 0;
    if (*from == '-')
        return refuse_line(r, where, "a negative number");
    for (; r->p < r->end && number_is_digit(*r->p); r->p++) {
        uint64_t digit = (uint64_t)(*r->p - '0');
        if (v > (APF_FDATA_MOST - digit) / 10)
            return refuse_at(r, from, where, "a number above 2^63 - 1, the largest that llvm-bolt reads");
        v = 10 * v + digit;
    }
    *out = v;
    return r->p > from || refuse_line(r, where, what);
}

/* Reads a name up to a blank that is not escaped. */
static bool read_name(struct reading *r, struct apf_str *name)
{
    const char *from = r->p;
    for (; r->p < r->end && *r->p != ' '; r->p++) {
        if (*r->p == '\\' && ++r->p == r->end)
            return refuse_line(r, "fdata.name", "a backslash at the end of the line");
        if (*r->p == '\0')
            return refuse_line(r, "fdata.name", "a zero byte");
    }
    name->p = from;
    name->n = (size_t)(r->p - from);
    return true;
}

/* `base` is the digit of the first kind of symbol in this record. */
static bool read_location(struct reading *r, struct apf_fdata_location *l, unsigned base, const char *what)
{
    unsigned digit = r->p < r->end ? (unsigned)(unsigned char)*r->p - '0' : 99;
    if (digit < base || digit > base + APF_FDATA_LOCAL_SYMBOL)
        return refuse_line(r, "fdata.symbol", what);
    r->p++;
    l->symbol = digit - base;
    l->reserved = 0;
    return pass_blanks(r, "fdata.name", "expected the name of a symbol") && read_name(r, &l->name) &&
           pass_blanks(r, "fdata.offset", "expected an offset after the name") && read_hex(r, &l->offset);
}

/* Parses the line before the counts. */
static bool read_text(struct reading *r, struct apf_fdata_record *record, bool no_lbr)
{
    static const struct apf_fdata_location nowhere = {{"", 0}, 0, 0, 0};
    bool memory = r->p < r->end && *r->p >= '3' && *r->p <= '5';
    unsigned base = memory ? FDATA_MEMORY_DIGIT : 0;
    record->kind = memory ? APF_FDATA_MEMORY : no_lbr ? APF_FDATA_SAMPLE : APF_FDATA_BRANCH;
    record->reserved = 0;
    record->to = nowhere;
    if (!read_location(r, &record->from, base, "expected a record, which begins with 0 to 5"))
        return false;
    if (record->kind == APF_FDATA_SAMPLE)
        return true;
    return pass_blanks(r, "fdata.symbol", "expected a second location") &&
           read_location(r, &record->to, base,
                         memory ? "expected the location of the data, which begins with 3, 4 or 5"
                                : "expected the target of the branch, which begins with 0, 1 or 2");
}

/* Expects the end of the line, after any blanks. */
static bool read_end(struct reading *r)
{
    while (r->p < r->end && *r->p == ' ')
        r->p++;
    if (r->p == r->end)
        return true;
    return refuse_line(r, "fdata.end", "expected the end of the line");
}

bool fdata_line_parse(struct apf_fdata_record *record, const char *p, const char *end, bool no_lbr,
                      struct fdata_fault *fault)
{
    static const char count[] = "expected the count, a decimal number";
    static const char missed[] = "expected the number of mispredictions, a decimal number";
    struct reading r = {p, end, fault};
    record->mispredictions = 0;
    if (!read_text(&r, record, no_lbr))
        return false;
    if (record->kind == APF_FDATA_BRANCH &&
        !(pass_blanks(&r, "fdata.mispredictions", missed) &&
          read_decimal(&r, "fdata.mispredictions", missed, &record->mispredictions)))
        return false;
    return pass_blanks(&r, "fdata.count", count) && read_decimal(&r, "fdata.count", count, &record->count) &&
           read_end(&r);
}

bool fdata_text_parse(struct apf_fdata_record *record, const char *p, const char *end, bool no_lbr,
                      struct fdata_fault *fault)
{
    struct reading r = {p, end, fault};
    return read_text(&r, record, no_lbr) && read_end(&r);
}

/* ---- writing ---- */

static bool append_location(struct fdata_text *text, const struct apf_fdata_location *l, unsigned base)
{
    size_t room;
    if (ADD_OVERFLOWS(l->name.n, 4 + HEX_MAX, &room) || !VEC_RESERVE(text, room))
        return false;
    char *p = text->data + text->n;
    *p++ = (char)('0' + base + l->symbol);
    *p++ = ' ';
    memcpy(p, l->name.p, l->name.n);
    p += l->name.n;
    *p++ = ' ';
    p += hex_store((uint8_t *)p, l->offset);
    text->n = (size_t)(p - text->data);
    return true;
}

bool fdata_text_make(struct fdata_text *text, const struct apf_fdata_record *record)
{
    unsigned base = record->kind == APF_FDATA_MEMORY ? FDATA_MEMORY_DIGIT : 0;
    text->n = 0;
    if (!append_location(text, &record->from, base))
        return false;
    return record->kind == APF_FDATA_SAMPLE ||
           (VEC_PUSH(text, ' ') && append_location(text, &record->to, base));
}

bool fdata_name_is_good(struct apf_str name)
{
    if (name.n == 0)
        return false;
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == ' ' || (name.p[i] == '\\' && ++i == name.n))
            return false;
        if (name.p[i] == '\0' || name.p[i] == '\n')
            return false;
    }
    return true;
}

size_t fdata_name_unescape(char *to, struct apf_str name)
{
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        i += name.p[i] == '\\' && i + 1 < name.n;
        to[n++] = name.p[i];
    }
    return n;
}

size_t apf_fdata_escape(struct apf_str name, char *to, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == ' ' || name.p[i] == '\\') {
            if (n < size)
                to[n] = '\\';
            n++;
        }
        if (n < size)
            to[n] = name.p[i];
        n++;
    }
    return n;
}
