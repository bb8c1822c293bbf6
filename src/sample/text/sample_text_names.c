/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/text/sample_text_names.h"

#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "sample/layout/sample_layout.h"
#include "sample/text/sample_text_line.h"

#define EVERYWHERE                                                                                           \
    (SAMPLE_TEXT_AS_HEADER | SAMPLE_TEXT_AS_FRAME | SAMPLE_TEXT_AS_INLINED | SAMPLE_TEXT_AS_TARGET |         \
     SAMPLE_TEXT_AS_VTABLE)

static bool has_byte(struct apf_str name, char c)
{
    return name.n && memchr(name.p, c, name.n);
}

static bool begins_with(struct apf_str name, const char *word)
{
    size_t n = strlen(word);
    return name.n >= n && memcmp(name.p, word, n) == 0;
}

/* After the place of a line, a digit begins a count, unless it begins a hash before a colon. */
static bool as_inlined(struct apf_str name)
{
    if (name.n && number_is_digit(name.p[0]))
        return sample_text_hash_end(name.p, name.p + name.n) == name.p + name.n;
    return !begins_with(name, "vtables ");
}

/* The first colon with a number after it that ends at a blank or at the end of the line ends a target. */
static bool as_target(struct apf_str name)
{
    if (name.n == 0 || name.p[0] == ' ' || name.p[0] == ':')
        return false;
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] != ':')
            continue;
        uint64_t number;
        size_t end = i + 1;
        while (end < name.n && number_is_digit(name.p[end]))
            end++;
        if (end < name.n && name.p[end] == ' ' && number_decimal(name.p + i + 1, end - i - 1, &number))
            return false;
    }
    return true;
}

uint8_t sample_text_uses(const struct sample_name *entry)
{
    struct apf_str name = {entry->p, entry->n};
    unsigned uses = 0;
    if (!entry->p)
        return entry->hash ? EVERYWHERE | SAMPLE_TEXT_DECIMAL : EVERYWHERE;
    if (has_byte(name, '\n') || has_byte(name, 0))
        return 0;
    if (!name.n || !memchr(" #[", name.p[0], 3))
        uses |= SAMPLE_TEXT_AS_HEADER;
    if (sample_names_in_frame(name))
        uses |= SAMPLE_TEXT_AS_FRAME;
    if (as_inlined(name))
        uses |= SAMPLE_TEXT_AS_INLINED;
    if (as_target(name))
        uses |= SAMPLE_TEXT_AS_TARGET;
    if (!has_byte(name, ':') && (!name.n || name.p[0] != ' '))
        uses |= SAMPLE_TEXT_AS_VTABLE;
    if (sample_names_decimal(name))
        uses |= SAMPLE_TEXT_DECIMAL;
    return (uint8_t)uses;
}

/* Whether the bytes that say what a format is are UTF-8, without control characters. */
static bool begins_as_text(struct apf_str name)
{
    uint32_t character;
    size_t i = 0, length = 1;
    while (i < name.n && i < SAMPLE_MAGIC_BYTES && length) {
        length = utf8_decode(name.p + i, name.n - i, &character);
        if (length == 1 && !text_bytes(name.p + i, 1))
            length = 0;
        i += length;
    }
    return length != 0;
}

bool sample_text_mistaken(const struct sample_name *entry)
{
    struct apf_str name = {entry->p, entry->n};
    if (!entry->p)
        return false;
    return !begins_as_text(name) || begins_with(name, "{") || begins_with(name, "---");
}
