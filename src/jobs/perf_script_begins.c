/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "jobs/perf_script_begins.h"

#include "base/text_scan.h"

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

/* Whether a branch begins a word: "0x201bf2/0x201a30/". */
static bool is_branch(struct text_scan at)
{
    uint64_t address;
    for (int i = 0; i < 2; i++)
        if (!scan_text(&at, "0x") || !scan_hex(&at, &address) || !scan_text(&at, "/"))
            return false;
    return true;
}

/* Accepts what `perf script -F ip,brstack` prints, also with call stacks: addresses, each in a line of its own except
 * the one before branches. */
static bool stacks_begin(struct text_scan at)
{
    uint64_t address;
    scan_blanks(&at);
    if (scan_begins(&at, "PERF_RECORD_MMAP2 ") || scan_begins(&at, "PERF_RECORD_MMAP "))
        return true;
    while (!scan_at_end(&at) && !is_branch(at)) {
        if (!scan_hex(&at, &address))
            return false;
        scan_blanks(&at);
        while (!scan_at_end(&at) && (*at.p == '\r' || *at.p == '\n'))
            at.p++;
        scan_blanks(&at);
    }
    return !scan_at_end(&at);
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
    if (stacks_begin((struct text_scan){(const char *)p, (const char *)stop}))
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
