/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of local functions: "FILE;NAME" in instrumentation profiles, "NAME" in sample profiles, where the compiler may
 * have added a suffix that is made of the file (-funique-internal-linkage-names). */
#include <string.h>

#include "base/md5.h"
#include "instr/merge/supplement_match.h"

#define SUFFIX ".__uniq."
#define SUFFIX_LENGTH (sizeof SUFFIX - 1)
#define DIGITS_MAX 39u /* of a number of 128 bits */

static bool same_letters(const char *a, const char *lower, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = a[i] >= 'A' && a[i] <= 'Z' ? (char)(a[i] - 'A' + 'a') : a[i];
        if (c != lower[i])
            return false;
    }
    return true;
}

/* The first place of the separator after an ending; n: there is none. */
static size_t find_after(struct apf_str name, const char *ending, char separator)
{
    size_t length = strlen(ending);
    const char *end = name.p + name.n, *p = name.p;
    while (p < end && (p = (const char *)memchr(p, separator, (size_t)(end - p))) != NULL) {
        if ((size_t)(p - name.p) >= length && same_letters(p - length, ending, length))
            return (size_t)(p - name.p);
        p++;
    }
    return name.n;
}

/* The length of the file in the name of a local function; name.n: it is none. As in LLVM, the first ending of the list
 * that the name has counts, wherever it is. */
static size_t find_file(struct apf_str name)
{
    static const char *const endings[] = {".cpp", "cc", ".c", ".hpp", ".h"};
    static const char separators[] = {';', ':'};
    for (size_t s = 0; s < sizeof separators; s++)
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            size_t at = find_after(name, endings[i], separators[s]);
            if (at < name.n)
                return at;
        }
    return name.n;
}

/* The place of the suffix; name.n: there is none. */
static size_t find_suffix(struct apf_str name)
{
    const char *end = name.p + name.n, *p = name.p;
    while ((size_t)(end - p) >= SUFFIX_LENGTH && (p = (const char *)memchr(p, '.', (size_t)(end - p)))) {
        if ((size_t)(end - p) >= SUFFIX_LENGTH && memcmp(p, SUFFIX, SUFFIX_LENGTH) == 0)
            return (size_t)(p - name.p);
        p++;
    }
    return name.n;
}

/* Stores the MD5 of a file's name as a decimal number; returns the number of digits. */
static size_t store_digest(struct apf_str file, char *to)
{
    uint8_t digest[MD5_BYTES];
    char digits[DIGITS_MAX];
    size_t n = 0;
    bool zero = false;
    md5_bytes(file.p, file.n, digest);
    while (!zero && n < DIGITS_MAX) {
        unsigned rest = 0;
        zero = true;
        for (unsigned i = 0; i < MD5_BYTES; i++) {
            unsigned part = rest << 8 | digest[i];
            digest[i] = (uint8_t)(part / 10);
            rest = part % 10;
            zero &= digest[i] == 0;
        }
        digits[n++] = (char)('0' + rest);
    }
    for (size_t i = 0; i < n; i++)
        to[i] = digits[n - 1 - i];
    return n;
}

static bool add_suffix(struct supplement_name *to, struct apf_str file)
{
    to->text.n = 0;
    if (!VEC_RESERVE(&to->text, to->name.n + SUFFIX_LENGTH + DIGITS_MAX))
        return false;
    char *p = to->text.data;
    memcpy(p, to->name.p, to->name.n);
    memcpy(p + to->name.n, SUFFIX, SUFFIX_LENGTH);
    to->name.n += SUFFIX_LENGTH;
    to->name.n += store_digest(file, p + to->name.n);
    to->name.p = p;
    return true;
}

bool supplement_name_find(struct supplement_name *to, struct apf_str name, bool unique)
{
    struct apf_str file = {name.p, find_file(name)};
    to->name.n = 0;
    if (file.n == name.n || file.n + 1 == name.n)
        return true;
    to->name.p = name.p + file.n + 1;
    to->name.n = name.n - file.n - 1;
    size_t suffix = find_suffix(to->name);
    if (suffix == to->name.n)
        return !unique || add_suffix(to, file);
    if (!unique)
        to->name.n = suffix;
    return true;
}
