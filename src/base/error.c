/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/anyprof.h>

#define TEXT(x) TEXT2(x)
#define TEXT2(x) #x

const char *apf_version(void)
{
    return TEXT(APF_VERSION_MAJOR) "." TEXT(APF_VERSION_MINOR) "." TEXT(APF_VERSION_PATCH);
}

const char *apf_code_name(int code)
{
    switch (code) {
#define NAME_CASE(name, number, damage, text)                                                                \
    case number:                                                                                             \
        return #name;
        APF_CODES(NAME_CASE)
#undef NAME_CASE
    default:
        return "UNKNOWN";
    }
}

const char *apf_code_text(int code)
{
    switch (code) {
#define TEXT_CASE(name, number, damage, text)                                                                \
    case number:                                                                                             \
        return text;
        APF_CODES(TEXT_CASE)
#undef TEXT_CASE
    default:
        return "unknown error";
    }
}

int apf_code_is_damage(int code)
{
    switch (code) {
#define DAMAGE_CASE(name, number, damage, text)                                                              \
    case number:                                                                                             \
        return damage;
        APF_CODES(DAMAGE_CASE)
#undef DAMAGE_CASE
    default:
        return 0;
    }
}

/* Appends to the message; what does not fit is cut, the text stays terminated. */
static void append_va(struct apf_error *e, const char *fmt, va_list args)
{
    size_t used = strlen(e->message);
    vsnprintf(e->message + used, sizeof e->message - used, fmt, args);
}

PRINTF_LIKE(2, 3) static void append_text(struct apf_error *e, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    append_va(e, fmt, args);
    va_end(args);
}

static void start_message(struct apf_error *e, int code, const char *where)
{
    memset(e, 0, sizeof *e);
    e->code = code;
    e->offset = NO_OFFSET;
    e->where = where ? where : "";
    append_text(e, "%s", apf_code_text(code));
}

/* Errors of these codes are about too much or too little: `expected` is one of many right values. */
static bool is_bound(int code)
{
    return code == APF_TOO_LARGE || code == APF_LIMIT || code == APF_TRUNCATED ||
           code == APF_UNSUPPORTED_VERSION || code == APF_SAMPLE_TRUNCATED || code == APF_SAMPLE_VERSION;
}

/* Starts a message with everything up to the numbers. */
static void append_place(struct apf_error *e, int code, struct error_at at, const char *detail, va_list args)
{
    start_message(e, code, at.where);
    e->offset = at.offset;
    e->found = at.found;
    e->expected = at.expected;
    if (detail) {
        append_text(e, ": ");
        append_va(e, detail, args);
    }
    append_text(e, " [%s", e->where);
    if (at.offset != NO_OFFSET)
        append_text(e, " at offset %" PRIu64, at.offset);
}

bool error_has_hashes(const struct apf_error *e)
{
    static const char end[] = "hash";
    size_t n = strlen(e->where), n_end = sizeof end - 1;
    bool is_field = n >= n_end && memcmp(e->where + n - n_end, end, n_end) == 0;
    return e->found != e->expected && (is_field || e->code == APF_HASH_MISMATCH);
}

static void append_numbers(struct apf_error *e, bool bound)
{
    if (error_has_hashes(e)) {
        append_text(e, ": found 0x%016" PRIx64 ", expected 0x%016" PRIx64 "]", e->found, e->expected);
        return;
    }
    const char *side = !bound ? "" : e->found < e->expected ? "at least " : "at most ";
    append_text(e, ": found %" PRIu64 ", expected %s%" PRIu64 "]", e->found, side, e->expected);
}

void error_set_at(struct apf_error *e, int code, struct error_at at, const char *detail, ...)
{
    va_list args;
    if (!e)
        return;
    va_start(args, detail);
    append_place(e, code, at, detail, args);
    va_end(args);
    append_numbers(e, is_bound(code));
}

void error_set_bound(struct apf_error *e, int code, struct error_at at, const char *detail, ...)
{
    va_list args;
    if (!e)
        return;
    va_start(args, detail);
    append_place(e, code, at, detail, args);
    va_end(args);
    append_numbers(e, true);
}

/* Appends bytes in the order of the file, as numbers and as text: 7f 45 4c 46 ... ".ELF...". */
static void append_bytes(struct apf_error *e, uint64_t bytes)
{
    char text[9];
    for (unsigned i = 0; i < 8; i++) {
        unsigned byte = bytes >> 8 * i & 0xff;
        text[i] = byte >= 0x20 && byte < 0x7f ? (char)byte : '.';
        append_text(e, "%02x ", byte);
    }
    text[8] = '\0';
    append_text(e, "\"%s\"", text);
}

void error_set_magic(struct apf_error *e, int code, struct error_at at)
{
    if (!e)
        return;
    start_message(e, code, at.where);
    e->offset = at.offset;
    e->found = at.found;
    e->expected = at.expected;
    append_text(e, " [%s at offset %" PRIu64 ": found ", e->where, at.offset);
    append_bytes(e, at.found);
    append_text(e, ", expected ");
    append_bytes(e, at.expected);
    append_text(e, "]");
}

void error_set_place(struct apf_error *e, int code, const char *where, uint64_t offset, const char *detail)
{
    if (!e)
        return;
    start_message(e, code, where);
    e->offset = offset;
    append_text(e, ": %s [%s at offset %" PRIu64 "]", detail, e->where, offset);
}

void error_set_plain(struct apf_error *e, int code, const char *where, const char *detail, ...)
{
    if (!e)
        return;
    start_message(e, code, where);
    if (detail) {
        va_list args;
        append_text(e, ": ");
        va_start(args, detail);
        append_va(e, detail, args);
        va_end(args);
    }
}

void error_set_words(struct apf_error *e, int code, const char *where, const char *words)
{
    if (!e)
        return;
    start_message(e, code, where);
    e->message[0] = '\0';
    append_text(e, "%s", words);
}

void error_set_version(struct apf_error *e, struct error_at at, const char *words, ...)
{
    va_list args;
    if (!e)
        return;
    start_message(e, APF_UNSUPPORTED_VERSION, at.where);
    e->message[0] = '\0';
    e->offset = at.offset;
    e->found = at.found;
    e->expected = at.expected;
    va_start(args, words);
    append_va(e, words, args);
    va_end(args);
    append_text(e, " [%s at offset %" PRIu64 "]", e->where, at.offset);
}

void error_set_line(struct apf_error *e, int code, const char *where, uint64_t offset, uint32_t line,
                    const char *detail)
{
    if (!e)
        return;
    start_message(e, code, where);
    e->offset = offset;
    e->line = line;
    e->column = 1;
    if (detail)
        append_text(e, ": %s", detail);
    append_text(e, " [line %" PRIu32 ", %s]", line, e->where);
}

void error_set_column(struct apf_error *e, int code, const char *where, uint64_t offset, uint32_t line,
                      uint32_t column, const char *detail)
{
    if (!e)
        return;
    start_message(e, code, where);
    e->offset = offset;
    e->line = line;
    e->column = column;
    append_text(e, ": %s [line %" PRIu32 ", column %" PRIu32 ", %s]", detail, line, column, e->where);
}

/* Bytes of a line: the place after it, and the numbers, still fit into the message. */
#define MOST_QUOTED ((size_t)120)
#define MOST_QUOTED_WITH_NUMBERS ((size_t)60)

void error_set_quote(struct apf_error *e, int code, const struct error_quote *q)
{
    if (!e)
        return;
    const size_t most = q->most ? MOST_QUOTED_WITH_NUMBERS : MOST_QUOTED;
    size_t n = q->text.n;
    if (n > most)
        for (n = most; n > 0 && ((uint8_t)q->text.p[n] & 0xc0) == 0x80;) /* whole characters of UTF-8 */
            n--;
    start_message(e, code, q->where);
    e->message[0] = '\0';
    e->offset = q->offset;
    e->line = q->line;
    e->column = q->column;
    append_text(e, "%s%.*s%s [line %" PRIu32 ", column %" PRIu32 ", %s", q->words, (int)n, n ? q->text.p : "",
                n < q->text.n ? "..." : "", q->line, q->column, e->where);
    if (q->most) {
        e->found = q->found;
        e->expected = q->most;
        append_numbers(e, true);
    } else {
        append_text(e, "]");
    }
}

void error_add(struct apf_error *e, const char *detail, ...)
{
    va_list args;
    if (!e)
        return;
    va_start(args, detail);
    append_va(e, detail, args);
    va_end(args);
}

int error_report_diag(apf_diag_fn *diag, void *user, const struct apf_diag *d, struct apf_error *error)
{
    return diag && diag(user, d) != 0 ? error_plain(error, APF_STOPPED, "diag", NULL) : APF_OK;
}

#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
#define HAS_STRERRORDESC 1
const char *strerrordesc_np(int sys_errno); /* glibc declares it only to files with all extensions */
#endif

/* The text is English where the C library allows it; strerror_r follows the locale. */
static void append_errno(struct apf_error *e, int sys_errno)
{
#ifdef HAS_STRERRORDESC
    const char *text = strerrordesc_np(sys_errno);
#else
    char room[128];
    const char *text = strerror_r(sys_errno, room, sizeof room) == 0 ? room : NULL;
#endif
    e->sys_errno = sys_errno;
    if (text)
        append_text(e, "%s", text);
    else
        append_text(e, "system error %d", sys_errno);
}

void error_set_errno(struct apf_error *e, int sys_errno, const char *where)
{
    if (!e)
        return;
    start_message(e, APF_IO, where);
    e->message[0] = '\0';
    append_errno(e, sys_errno);
}

void error_set_errno_of(struct apf_error *e, int sys_errno, const char *where, const char *file)
{
    if (!e)
        return;
    start_message(e, APF_IO, where);
    e->message[0] = '\0';
    append_errno(e, sys_errno);
    append_text(e, ": %s", file); /* last, because a long name may be cut */
}

void error_set_system(struct apf_error *e, int code, int sys_errno, const char *where)
{
    if (!e)
        return;
    start_message(e, code, where);
    append_text(e, ": ");
    append_errno(e, sys_errno);
}

int error_file(struct apf_error *e, int code, const char *name, size_t n)
{
    if (!e || code < APF_UNRECOGNIZED_FORMAT || code == APF_NO_MEMORY || e->file[0])
        return code;
    size_t room = sizeof e->file - 1;
    bool cut = n > room;
    if (cut) {
        memcpy(e->file, "...", 3);
        name += n - (room - 3);
        n = room - 3;
    }
    memcpy(e->file + (cut ? 3 : 0), name, n);
    e->file[(cut ? 3 : 0) + n] = '\0';
    return code;
}
