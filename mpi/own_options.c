/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "own_options.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "numbers.h"

#define MESSAGE_SIZE ((uint64_t)64 << 20)
#define CHECKPOINT 60u

struct taker {
    struct words *words;
    size_t at; /* the word that is looked at */
    const char *wrong, *word;
};

/* The value of the option if the word is it, "--NAME=VALUE" or "--NAME VALUE"; NULL: it is not, or it has none. */
static const char *value_of(struct taker *t, const char *word, const char *name)
{
    const size_t n = strlen(name);
    if (word[0] != '-' || strncmp(word + 1 + (word[1] == '-'), name, n) != 0)
        return NULL;
    const char *rest = word + 1 + (word[1] == '-') + n;
    if (*rest == '=')
        return rest + 1;
    if (*rest)
        return NULL;
    t->word = word;
    if (t->at + 1 == t->words->n)
        t->wrong = "it needs a value";
    else if (t->words->data[t->at + 1][0] == '-')
        t->wrong = "it needs a value; one that begins with '-' follows a '='";
    return t->wrong ? NULL : t->words->data[++t->at];
}

static bool is_flag(const char *word, const char *name)
{
    return word[0] == '-' && strcmp(word + 1 + (word[1] == '-'), name) == 0;
}

static bool take_size(struct taker *t, const char *word, const char *name, uint64_t most, uint64_t *size)
{
    const char *value = value_of(t, word, name);
    if (value && (!parse_size(value, size) || *size > most)) {
        t->wrong = "it needs a number of bytes, such as 64M";
        t->word = value;
    }
    return value != NULL;
}

/* 0 is no time at all. */
static bool take_duration(struct taker *t, const char *word, const char *name, uint64_t *seconds)
{
    const char *value = value_of(t, word, name);
    if (value && strcmp(value, "0") == 0) {
        *seconds = 0;
    } else if (value && !parse_duration(value, seconds)) {
        t->wrong = "it needs a time, such as 30s or 5m";
        t->word = value;
    }
    return value != NULL;
}

/* Whether the word, and perhaps the next one, is an option of ours. */
static bool take(struct own_options *o, struct taker *t, const char *word, bool *local)
{
    const char *value;
    if ((value = value_of(t, word, "work-dir")) != NULL)
        o->work_dir = value;
    else if ((value = value_of(t, word, "machine")) != NULL)
        o->machine = value;
    else if (is_flag(word, "local-inputs"))
        *local = true;
    else if (is_flag(word, "help") || (t->at < 2 && is_flag(word, "h")))
        o->help = true;
    else
        return take_duration(t, word, "checkpoint", &o->checkpoint) ||
               take_size(t, word, "piece-size", UINT64_MAX, &o->piece_size) ||
               take_size(t, word, "message-size", INT_MAX, &o->message_size);
    return true;
}

static const char *find_wrong(struct own_options *o, bool local)
{
    if (o->machine && !local)
        return "--machine is for --local-inputs";
    if (o->machine && (!*o->machine || strchr(o->machine, '/') || strlen(o->machine) >= sizeof o->host))
        return "--machine needs a name without '/'";
    return NULL;
}

void own_options_take(struct own_options *o, struct words *words)
{
    struct taker t = {.words = words};
    bool local = false, literal = false;
    size_t n = 0;
    *o = (struct own_options){.message_size = MESSAGE_SIZE, .checkpoint = CHECKPOINT};
    for (; t.at < words->n && !t.wrong; t.at++) {
        const char *word = words->data[t.at];
        literal |= strcmp(word, "--") == 0;
        if (literal || !take(o, &t, word, &local))
            words->data[n++] = word;
    }
    words->n = n;
    if (!t.wrong && !o->help)
        t.wrong = find_wrong(o, local);
    o->wrong = t.wrong;
    o->word = t.word;
    if (local && !o->machine) {
        if (gethostname(o->host, sizeof o->host - 1) != 0)
            o->host[0] = '\0'; /* which is an error */
        o->machine = o->host;
    }
}
