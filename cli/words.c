/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words of a command line: response files, numbers, and how near two words are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report.h"

/* Response files inside response files; deeper means that one names itself. */
#define MOST_NESTED 32u

void *checked_realloc(void *old, size_t n, size_t size)
{
    void *p = n > SIZE_MAX / size - 1 ? NULL : realloc(old, n ? n * size : 1);
    if (!p) {
        fputs("error: out of memory\n", stderr);
        exit(EXIT_DATA);
    }
    return p;
}

void words_add(struct words *words, const char *word)
{
    if (words->n == words->capacity) {
        words->capacity = words->capacity * 2 + 16;
        words->data =
            (const char **)checked_realloc((void *)words->data, words->capacity, sizeof *words->data);
    }
    words->data[words->n++] = word;
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->n_owned; i++)
        free(words->owned[i]);
    free((void *)words->owned);
    free((void *)words->files);
    free((void *)words->data);
    memset(words, 0, sizeof *words);
}

char *read_whole(const char *path, size_t *n)
{
    bool from_stdin = strcmp(path, "-") == 0;
    FILE *file = from_stdin ? stdin : fopen(path, "rb");
    if (!file)
        return NULL;
    size_t capacity = 4096, used = 0;
    char *data = (char *)checked_realloc(NULL, capacity, 1);
    while (!feof(file) && !ferror(file)) {
        used += fread(data + used, 1, capacity - used - 1, file);
        if (used == capacity - 1) {
            capacity *= 2;
            data = (char *)checked_realloc(data, capacity, 1);
        }
    }
    int failed = ferror(file) ? errno : 0;
    if (!from_stdin)
        fclose(file);
    data[used] = '\0';
    *n = used;
    if (!failed)
        return data;
    free(data);
    errno = failed;
    return NULL;
}

/* ---- response files ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

/* Cuts the text into terminated words in place, by the rules of GNU's libiberty: blanks separate, single and
 * double quotes keep them, a backslash takes the next character as it is, also inside quotes. */
static void cut(struct words *words, char *text, size_t n)
{
    char *out = text; /* never ahead of what is read: a word ends before the blank that follows it */
    size_t i = 0;
    for (;;) {
        while (i < n && is_blank(text[i]))
            i++;
        if (i == n)
            return;
        char *word = out;
        char quote = '\0';
        for (; i < n && (quote || !is_blank(text[i])); i++) {
            if (text[i] == '\\' && i + 1 < n)
                *out++ = text[++i];
            else if (text[i] == quote)
                quote = '\0';
            else if (!quote && (text[i] == '"' || text[i] == '\''))
                quote = text[i];
            else
                *out++ = text[i];
        }
        i += i < n; /* the blank, or the place of the terminator */
        *out++ = '\0';
        words_add(words, word);
    }
}

/* As some editors save text, behind its byte order mark. */
static bool is_utf16(const char *text, size_t n)
{
    return n >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
}

static bool expand_word(struct words *words, const struct session *session, const char *word, unsigned depth);

static bool expand_file(struct words *words, const struct session *session, const char *path, unsigned depth)
{
    size_t n = 0;
    char *text = read_whole(path, &n);
    if (!text) {
        report_errno(session, path, errno);
        return false;
    }
    if (words->n_owned == words->owned_capacity) {
        words->owned_capacity = words->owned_capacity * 2 + 4;
        words->owned =
            (char **)checked_realloc((void *)words->owned, words->owned_capacity, sizeof *words->owned);
    }
    words->owned[words->n_owned++] = text;
    words->files =
        (const char **)checked_realloc((void *)words->files, words->n_files + 1, sizeof *words->files);
    words->files[words->n_files++] = path;
    if (is_utf16(text, n)) {
        report_usage(session, "the response file '%s' is UTF-16: save it as UTF-8", path);
        return false;
    }
    struct words inner = {0};
    size_t mark = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    cut(&inner, text + mark, n - mark);
    bool good = true;
    for (size_t i = 0; i < inner.n && good; i++)
        good = expand_word(words, session, inner.data[i], depth + 1);
    words_free(&inner);
    return good;
}

/* A name of no file stays as it is, as in GNU's and LLVM's tools. Names are relative to the directory we are in,
 * not to that of the file they stand in. */
static bool expand_word(struct words *words, const struct session *session, const char *word, unsigned depth)
{
    struct stat st;
    if (word[0] != '@' || word[1] == '\0' || (stat(word + 1, &st) != 0 && errno == ENOENT)) {
        words_add(words, word);
        return true;
    }
    if (depth == MOST_NESTED) {
        report_usage(session, "recursive expansion of: '%s'", word + 1);
        return false;
    }
    return expand_file(words, session, word + 1, depth);
}

bool words_expand(struct words *words, const struct session *session, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!expand_word(words, session, argv[i], 0))
            return false;
    }
    return true;
}

/* ---- numbers and nearness ---- */

static bool parse_digits(const char *text, size_t n, unsigned base, uint64_t *number)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = 99;
        if (text[i] >= '0' && text[i] <= '9')
            digit = (unsigned)(text[i] - '0');
        else if (text[i] >= 'a' && text[i] <= 'f')
            digit = (unsigned)(text[i] - 'a') + 10;
        else if (text[i] >= 'A' && text[i] <= 'F')
            digit = (unsigned)(text[i] - 'A') + 10;
        if (digit >= base || sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    *number = sum;
    return n > 0;
}

bool parse_decimal(const char *text, size_t n, uint64_t *number)
{
    return parse_digits(text, n, 10, number);
}

bool parse_number(const char *text, uint64_t *number)
{
    size_t n = strlen(text);
    if (n < 2 || text[0] != '0')
        return parse_digits(text, n, 10, number);
    switch (text[1]) {
    case 'x':
    case 'X':
        return parse_digits(text + 2, n - 2, 16, number);
    case 'b':
    case 'B':
        return parse_digits(text + 2, n - 2, 2, number);
    case 'o':
        return parse_digits(text + 2, n - 2, 8, number);
    default:
        return parse_digits(text + 1, n - 1, 8, number);
    }
}

#define LONGEST_NAME 64u /* longer words are nobody's mistyped option */

/* Two letters in each other's place are one mistake: "mrege". */
size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][LONGEST_NAME + 1];
    if (na > LONGEST_NAME || nb > LONGEST_NAME)
        return SIZE_MAX;
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *twice_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                twice_above[j - 2] + 1 < best)
                best = twice_above[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[na % 3][nb];
}
