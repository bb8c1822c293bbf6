/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "jobs/perf_script_begins.h"

#include "base/number.h"

#define SNIFFED_LINE 4096u

/* "5.123456:", as perf writes times. */
static bool is_time(const uint8_t *p, size_t n)
{
    size_t i = 0, digits = 0;
    while (i < n && number_is_digit((char)p[i]))
        i++;
    if (i == 0 || i == n || p[i++] != '.')
        return false;
    for (; i < n && number_is_digit((char)p[i]); i++)
        digits++;
    return digits >= 6 && i + 1 == n && p[i] == ':';
}

/* "123", "123/124", "[003]": a process, a thread, a processor. */
static bool is_pid(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!number_is_digit((char)p[i]) && p[i] != '/' && p[i] != '[' && p[i] != ']')
            return false;
    return n > 0;
}

/* Passes hexadecimal digits. False: there are none. */
static bool pass_hex(const uint8_t **p, const uint8_t *end)
{
    const uint8_t *start = *p;
    while (*p < end && number_digits[**p])
        ++*p;
    return *p > start;
}

/* Whether a branch begins a word: "0x201bf2/0x201a30/". */
static bool is_branch(const uint8_t *p, const uint8_t *end)
{
    for (int i = 0; i < 2; i++) {
        if (end - p < 2 || memcmp(p, "0x", 2) != 0)
            return false;
        p += 2;
        if (!pass_hex(&p, end) || p == end || *p++ != '/')
            return false;
    }
    return true;
}

static void pass_blanks(const uint8_t **p, const uint8_t *end)
{
    while (*p < end && (**p == ' ' || **p == '\t'))
        ++*p;
}

/* Accepts what `perf script -F ip,brstack` prints, also with call stacks: addresses, each in a line of its own except
 * the one before branches. */
static bool stacks_begin(const uint8_t *p, const uint8_t *stop)
{
    static const char mapping[] = "PERF_RECORD_MMAP";
    pass_blanks(&p, stop);
    if ((size_t)(stop - p) >= sizeof mapping && memcmp(p, mapping, sizeof mapping - 1) == 0)
        return true;
    while (p < stop && !is_branch(p, stop)) {
        if (!pass_hex(&p, stop))
            return false;
        pass_blanks(&p, stop);
        while (p < stop && (*p == '\r' || *p == '\n'))
            p++;
        pass_blanks(&p, stop);
    }
    return p < stop;
}

/* Accepts the first line of perf script, also with fields that perf_script_read refuses: a time after the number of a
 * process, "app 22755 29758.954303: 250000 cycles:u: ...". Lines of its header begin with '#'. */
bool perf_script_begins(const uint8_t *p, size_t n)
{
    const uint8_t *stop = p + (n < SNIFFED_LINE ? n : SNIFFED_LINE);
    while (p < stop && (*p == '#' || *p == '\n')) {
        const uint8_t *end = memchr(p, '\n', (size_t)(stop - p));
        p = end ? end + 1 : stop;
    }
    if (stacks_begin(p, stop))
        return true;
    bool pid = false;
    while (p < stop && *p != '\n') {
        const uint8_t *word = p;
        while (p < stop && *p != ' ' && *p != '\t' && *p != '\n')
            p++;
        if (pid && is_time(word, (size_t)(p - word)))
            return true;
        if (p > word)
            pid = is_pid(word, (size_t)(p - word));
        p += p < stop && *p != '\n';
    }
    return false;
}
