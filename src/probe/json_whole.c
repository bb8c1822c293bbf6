/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/json_whole.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define BLANKS " \t\r\n"
#define SLACK 8u /* the key is longer by so much: jansson looks at characters behind a token, too */

/* The text with the key in it, as it is handed to jansson piece by piece. */
struct whole {
    const char *text;
    size_t n, at;
    size_t start;      /* where the key comes, behind the first brace; 0: there is none */
    size_t key, added; /* bytes of the key, and of all that is put in: quotes, value, comma */
    size_t given;      /* of these */
};

static bool is_blank(char c)
{
    return c && strchr(BLANKS, c);
}

static size_t skip_blanks(const char *text, size_t n, size_t at)
{
    while (at < n && is_blank(text[at]))
        at++;
    return at;
}

/* Bytes of a string or of another token, with its quotes. */
static size_t token_bytes(const char *text, size_t n)
{
    size_t i = 1;
    if (*text != '"') {
        while (i < n && text[i] && !strchr(BLANKS "\"[]{}:,", text[i]))
            i++;
        return i;
    }
    while (i < n && text[i] != '"')
        i += text[i] == '\\' && n - i > 1 ? 2 : 1;
    return i < n ? i + 1 : n;
}

static size_t longest_token(const char *text, size_t n)
{
    size_t longest = 0;
    for (size_t i = 0; i < n;) {
        size_t bytes = token_bytes(text + i, n - i);
        longest = bytes > longest ? bytes : longest;
        i += bytes;
    }
    return longest;
}

/* The buffer of jansson has 16 bytes, and twice as many each time that one more is needed. It must not be the quote at
 * the end that is left out: jansson takes what follows then for text. */
static size_t key_bytes(const char *text, size_t n)
{
    size_t key = longest_token(text, n) + SLACK;
    return ((key + 2) & (key + 1)) == 0 ? key + 1 : key;
}

/* What stands at a place of what is put in: "~~~~":0, */
static char added_at(const struct whole *w, size_t at)
{
    if (at == 0 || at == w->key + 1)
        return '"';
    if (at <= w->key)
        return '~';
    return ":0,"[at - w->key - 2];
}

/* A json_load_callback_t. */
static size_t give(void *buffer, size_t room, void *user)
{
    struct whole *w = user;
    char *to = buffer;
    size_t n = 0;
    if (w->at < w->start || !w->start || w->given == w->added) {
        size_t left = (w->at < w->start ? w->start : w->n) - w->at;
        n = left < room ? left : room;
        if (n)
            memcpy(to, w->text + w->at, n);
        w->at += n;
        return n;
    }
    while (n < room && w->given < w->added)
        to[n++] = added_at(w, w->given++);
    return n;
}

/* Whether the key is there as it was put in. */
static bool has_key(json_t *object, size_t n)
{
    bool found = false;
    for (void *i = json_object_iter(object); i && !found; i = json_object_iter_next(object, i))
        found = strlen(json_object_iter_key(i)) == n;
    return found;
}

/* Where an error is in the text alone: only in the line of the key, columns are others. */
static void set_error(const struct whole *w, const json_error_t *why, struct apf_error *error)
{
    uint64_t position = (uint64_t)why->position;
    uint32_t line = 1, column = (uint32_t)why->column;
    for (size_t i = 0; i < w->start; i++)
        line += w->text[i] == '\n';
    if (w->start && position > w->start) {
        position = position > w->start + w->added ? position - w->added : w->start;
        if ((uint32_t)why->line == line)
            column = column > w->added ? column - (uint32_t)w->added : 0;
    }
    error_set_column(error, APF_BAD_JSON, "json", position, (uint32_t)why->line, column, why->text);
}

int json_whole_load(json_t **json, const char *text, size_t n, struct apf_error *error)
{
    struct whole w = {.text = text, .n = n};
    json_error_t why;
    size_t first = skip_blanks(text, n, 0);
    *json = NULL;
    if (first < n && text[first] == '[')
        return APF_OK;
    if (first < n && text[first] == '{') {
        size_t next = skip_blanks(text, n, first + 1);
        w.start = first + 1;
        w.key = key_bytes(text, n);
        w.added = w.key + 4 + !(next < n && text[next] == '}');
    }
    char *room = malloc(4 * w.key + 1); /* as much as the buffer will take: it need not be tried in vain */
    if (!room)
        return error_memory(error);
    free(room);
    errno = 0;
    *json = json_load_callback(give, &w, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &why);
    if (*json && has_key(*json, w.key))
        return APF_OK;
    /* Mostly jansson calls lack of memory an error of syntax, at no place. */
    bool memory = *json || errno == ENOMEM || json_error_code(&why) == json_error_out_of_memory;
    json_decref(*json);
    *json = NULL;
    if (memory)
        return error_memory(error);
    set_error(&w, &why, error);
    return APF_BAD_JSON;
}
