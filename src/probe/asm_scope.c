/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/asm_scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/md5.h"
#include "base/text_bytes.h"

static struct apf_str text_of(const char *s)
{
    struct apf_str text = {s, strlen(s)};
    return text;
}

/* ---- sections ---- */

static bool same_section(const struct asm_section *a, const struct asm_section *b)
{
    return text_equal(a->name, b->name) && text_equal(a->group, b->group) &&
           text_equal(a->linked, b->linked) && text_equal(a->unique, b->unique);
}

static uint64_t hash_text(struct apf_str text)
{
    return text.n ? md5_name_ref(text.p, text.n) : 0;
}

static bool find_section(struct asm_scope *s, const struct asm_section *section, uint32_t *number)
{
    if (!hash_index_reserve(&s->section_index, 1))
        return false;
    uint64_t of_others =
        hash_text(section->group) + 3 * hash_text(section->linked) + 5 * hash_text(section->unique);
    uint64_t hash = hash_index_mix(&s->section_index, hash_text(section->name), of_others);
    HASH_INDEX_FIND(*number, &s->section_index, hash, same_section(&s->sections.data[*number], section));
    if (*number != HASH_INDEX_NONE)
        return true;
    *number = (uint32_t)s->sections.n;
    if (!VEC_PUSH(&s->sections, *section))
        return false;
    hash_index_add(&s->section_index, hash, *number);
    return true;
}

static bool enter_macro(struct asm_scope *s, const struct asm_section *section)
{
    uint32_t number;
    if (!find_section(s, section, &number))
        return false;
    s->at.previous = s->at.section;
    s->at.section = number;
    return true;
}

static struct apf_str without_quotes(struct apf_str text)
{
    if (asm_is_quoted(text)) {
        text.p++;
        text.n -= 2;
    }
    return text;
}

static bool has_flag(struct apf_str flags, char flag)
{
    return flags.n && memchr(flags.p, flag, flags.n) != NULL;
}

/* Reads the operands of .section: NAME[,"FLAGS"[,TYPE[,ENTRY SIZE][,LINKED-TO
 * SYMBOL][,GROUP[,LINKAGE]][,unique,N]]]. */
static struct asm_section read_section(const struct asm_scope *s, struct asm_span *operands)
{
    struct asm_section section = {.label = ASM_NONE};
    section.name = without_quotes(asm_read_part(operands));
    struct apf_str flags = asm_read_part(operands);
    if (!asm_is_quoted(flags)) /* a number of .pushsection, or flags of another kind */
        return section;
    asm_read_part(operands); /* type */
    if (has_flag(flags, 'M'))
        asm_read_part(operands);
    if (has_flag(flags, 'o'))
        section.linked = asm_read_part(operands);
    if (has_flag(flags, '?')) {
        section.group = s->sections.data[s->at.section].group;
        section.linkage = s->sections.data[s->at.section].linkage;
    }
    if (has_flag(flags, 'G'))
        section.group = asm_read_part(operands);
    struct apf_str word = asm_read_part(operands);
    if (asm_is_word(word, "comdat")) {
        section.linkage = word;
        word = asm_read_part(operands);
    }
    if (asm_is_word(word, "unique"))
        section.unique = asm_read_part(operands);
    return section;
}

static bool is_section_word(struct apf_str word)
{
    static const char *const words[] = {".text",     ".data",  ".bss",         ".rodata",
                                        ".tdata",    ".tbss",  ".data.rel.ro", ".eh_frame",
                                        ".data.rel", ".sdata", ".sbss"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (asm_is_word(word, words[i]))
            return true;
    return false;
}

static bool section_directive(struct asm_scope *s, struct apf_str word, struct asm_span *operands,
                              bool *known)
{
    *known = true;
    if (asm_is_word(word, ".section") || asm_is_word(word, ".pushsection")) {
        struct asm_section section = read_section(s, operands);
        if (asm_is_word(word, ".pushsection") && !VEC_PUSH(&s->stack, s->at))
            return false;
        return enter_macro(s, &section);
    }
    if (is_section_word(word)) {
        struct asm_section section = {.name = word, .label = ASM_NONE};
        return enter_macro(s, &section);
    }
    if (asm_is_word(word, ".popsection")) {
        if (s->stack.n)
            s->at = s->stack.data[--s->stack.n];
    } else if (asm_is_word(word, ".previous")) {
        struct asm_place back = {s->at.previous, s->at.section, s->at.function};
        s->at = back;
    } else {
        *known = false;
    }
    return true;
}

/* ---- symbols ---- */

/* Whether the object does not keep a symbol. */
static bool is_hidden(struct apf_str name)
{
    return name.n >= 2 && name.p[0] == '.' && name.p[1] == 'L';
}

/* Reads the name between quotes; a backslash stands for the next character. */
static bool read_name(struct asm_scope *s, struct apf_str spelling, struct apf_str *name)
{
    *name = without_quotes(spelling);
    if (!asm_is_quoted(spelling) || !memchr(name->p, '\\', name->n))
        return true;
    char *text = arena_text(&s->arena, name->p, name->n);
    size_t n = 0;
    for (size_t i = 0; text && i < name->n; i++) {
        if (name->p[i] == '\\' && i + 1 < name->n)
            i++;
        text[n++] = name->p[i];
    }
    name->p = text;
    name->n = n;
    return text != NULL;
}

static uint32_t look_up(const struct asm_scope *s, uint64_t hash, struct apf_str name)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &s->index, hash, text_equal(s->symbols.data[e].name, name));
    return e;
}

bool asm_scope_find(struct asm_scope *s, struct apf_str spelling, uint32_t *symbol)
{
    struct apf_str name;
    *symbol = ASM_NONE;
    if (!read_name(s, spelling, &name))
        return false;
    *symbol = look_up(s, hash_index_mix(&s->index, md5_name_ref(name.p, name.n), 0), name);
    return true;
}

/* Finds the symbol with a spelling, or adds it. */
static bool mention_symbol(struct asm_scope *s, struct apf_str spelling, uint32_t *symbol)
{
    struct asm_symbol new = {.spelling = spelling, .section = ASM_NONE};
    if (!read_name(s, spelling, &new.name) || !hash_index_reserve(&s->index, 1))
        return false;
    new.guid = md5_name_ref(new.name.p, new.name.n);
    uint64_t hash = hash_index_mix(&s->index, new.guid, 0);
    *symbol = look_up(s, hash, new.name);
    if (*symbol != HASH_INDEX_NONE)
        return true;
    *symbol = (uint32_t)s->symbols.n;
    if (!VEC_PUSH(&s->symbols, new))
        return false;
    s->n_hidden += is_hidden(new.name);
    hash_index_add(&s->index, hash, *symbol);
    return true;
}

/* Defines a label. Labels that the object does not keep, which are many, count only if something names them as
 * symbols. */
static bool define_symbol(struct asm_scope *s, struct apf_str spelling)
{
    uint32_t number;
    bool hidden = is_hidden(without_quotes(spelling));
    if (hidden && !s->n_hidden)
        return true;
    if (!(hidden ? asm_scope_find(s, spelling, &number) : mention_symbol(s, spelling, &number)))
        return false;
    if (number == ASM_NONE)
        return true;
    s->symbols.data[number].section = s->at.section;
    if (!hidden)
        s->sections.data[s->at.section].label = number;
    if (s->symbols.data[number].function)
        s->at.function = number;
    return true;
}

bool asm_scope_labels(struct asm_scope *s, struct asm_span *statement)
{
    for (;;) {
        struct asm_span ahead = *statement;
        struct apf_str name = asm_read_name(&ahead);
        bool named = name.n != 0;
        if (!named)
            name = asm_read_number(&ahead); /* 1: */
        if (!name.n || !asm_skip_char(&ahead, ':'))
            return true;
        if (named && !s->macros && !define_symbol(s, name))
            return false;
        *statement = ahead;
    }
}

static bool contains_word(struct apf_str text, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= text.n; i++) {
        struct apf_str part = {text.p + i, n};
        if (asm_is_word(part, word))
            return true;
    }
    return false;
}

/* Reads .type NAME,@function in all spellings. */
static bool type_directive(struct asm_scope *s, struct asm_span *operands)
{
    uint32_t number;
    struct apf_str name = asm_read_name(operands);
    if (!name.n)
        return true;
    if (!mention_symbol(s, name, &number))
        return false;
    struct apf_str type = {operands->p, (size_t)(operands->end - operands->p)};
    if (!contains_word(type, "func")) /* @function, STT_FUNC, @gnu_indirect_function */
        return true;
    s->symbols.data[number].function = true;
    if (s->symbols.data[number].section == s->at.section &&
        s->sections.data[s->at.section].label == number) /* the label precedes the directive */
        s->at.function = number;
    return true;
}

static bool symbol_directive(struct asm_scope *s, struct apf_str word, struct asm_span *operands)
{
    uint32_t number;
    if (asm_is_word(word, ".type"))
        return type_directive(s, operands);
    if (!asm_is_word(word, ".globl") && !asm_is_word(word, ".global") && !asm_is_word(word, ".weak") &&
        !asm_is_word(word, ".local"))
        return true;
    do {
        struct apf_str name = asm_read_name(operands);
        if (name.n && !mention_symbol(s, name, &number))
            return false;
    } while (asm_skip_char(operands, ','));
    return true;
}

uint32_t asm_scope_function(const struct asm_scope *s)
{
    return s->at.function != ASM_NONE ? s->at.function : s->sections.data[s->at.section].label;
}

/* ---- everything ---- */

static bool has_prefix(struct apf_str word, const char *prefix)
{
    struct apf_str head = {word.p, strlen(prefix)};
    return word.n >= head.n && asm_is_word(head, prefix);
}

static bool is_condition(struct apf_str word)
{
    return has_prefix(word, ".if") || has_prefix(word, ".else") || asm_is_word(word, ".endif");
}

/* The assembled part of a condition is unknown here: every part, and the text after the condition, continues from the
 * state before the condition. If the section is another one, the assembler reports it, since the distance is not
 * constant. */
static bool condition_directive(struct asm_scope *s, struct apf_str word)
{
    if (has_prefix(word, ".if"))
        return VEC_PUSH(&s->conditions, s->at);
    if (s->conditions.n)
        s->at = s->conditions.data[s->conditions.n - 1];
    s->conditions.n -= s->conditions.n && asm_is_word(word, ".endif");
    return true;
}

/* Counts open blocks, whose repetition is unknown here. */
static bool block_directive(struct asm_scope *s, struct apf_str word)
{
    if (asm_is_word(word, ".macro") || asm_is_word(word, ".rept") || asm_is_word(word, ".rep") ||
        asm_is_word(word, ".irp") || asm_is_word(word, ".irpc"))
        s->macros++;
    else if (asm_is_word(word, ".endm") || asm_is_word(word, ".endmacro") || asm_is_word(word, ".endr"))
        s->macros -= s->macros > 0;
    else
        return false;
    return true;
}

bool asm_scope_directive(struct asm_scope *s, struct apf_str word, struct asm_span *operands)
{
    bool known;
    if (block_directive(s, word) || s->macros)
        return true;
    if (is_condition(word))
        return condition_directive(s, word);
    if (!section_directive(s, word, operands, &known))
        return false;
    return known || symbol_directive(s, word, operands);
}

bool asm_scope_start(struct asm_scope *s)
{
    struct asm_section text = {.name = text_of(".text"), .label = ASM_NONE};
    struct asm_scope empty = {.at = {0, 0, ASM_NONE}};
    *s = empty;
    return hash_index_reserve(&s->index, 1) && enter_macro(s, &text);
}

int asm_scope_error(const struct asm_scope *s, struct apf_error *error)
{
    return hash_index_error(s->index.refused ? &s->index : &s->section_index, error);
}

void asm_scope_free(struct asm_scope *s)
{
    VEC_FREE(&s->sections);
    VEC_FREE(&s->symbols);
    VEC_FREE(&s->stack);
    VEC_FREE(&s->conditions);
    hash_index_free(&s->section_index);
    hash_index_free(&s->index);
    arena_free(&s->arena);
}
