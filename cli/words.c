/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "report.h"

/* Largest nesting of response files: a file that names itself would have no end. */
#define MOST_NESTED 32u

static void add_word(struct words *words, const char *word)
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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

/* Splits the text into terminated words in place, by the rules of GNU's libiberty: blanks separate words, except in
 * single and double quotes; the character after a backslash stands for itself, also in quotes. */
static void split_words(struct words *words, char *text, size_t n)
{
    char *out = text; /* at or before text + i: a word's terminator has the place of the blank after it */
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
        add_word(words, word);
    }
}

/* Whether the text begins with a byte order mark of UTF-16. */
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
    split_words(&inner, text + mark, n - mark);
    bool good = true;
    for (size_t i = 0; i < inner.n && good; i++)
        good = expand_word(words, session, inner.data[i], depth + 1);
    words_free(&inner);
    return good;
}

/* The name of a file that does not exist stays a word, as in GNU's and LLVM's tools. Names in a response file are
 * relative to the current directory. */
static bool expand_word(struct words *words, const struct session *session, const char *word, unsigned depth)
{
    struct stat st;
    if (word[0] != '@' || word[1] == '\0' || (stat(word + 1, &st) != 0 && errno == ENOENT)) {
        add_word(words, word);
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
