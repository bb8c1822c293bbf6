/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cuts assembly text into statements, and those into tokens, without knowledge of instructions.
 *
 * Comments depend on the target. On all targets they begin with "//" or with a "#" at the start of a statement, or
 * stand between slash-star and star-slash. In a statement, "#" begins a comment if a blank, another "#" or the end of
 * the line follows: compilers for x86 write it so, and to those for AArch64 "#1" is a number. */
#ifndef PROBE_ASM_TEXT_H
#define PROBE_ASM_TEXT_H

#include <stdbool.h>

#include <anyprof/error.h>

/* A statement, or its rest. */
struct asm_span {
    const char *p, *end;
};

/* Cuts the next statement from a text: not empty, without leading blanks, its separator and a comment up to the end of
 * the line. False: none. */
bool asm_statement(struct asm_span *text, struct asm_span *statement);
/* Skips blanks and comments. Returns whether anything is left. */
bool asm_more(struct asm_span *s);
/* Skips this character if it is next. */
bool asm_skip_char(struct asm_span *s, char c);
/* Reads a name, quoted or not, in its spelling; n == 0: none. */
struct apf_str asm_read_name(struct asm_span *s);
/* Reads letters and digits that begin with a digit. */
struct apf_str asm_read_number(struct asm_span *s);
/* Reads up to the next comma, and skips it; n == 0: nothing. */
struct apf_str asm_read_part(struct asm_span *s);

/* Whether a text is a word, ignoring the case of ASCII letters; `word` is in lower case. */
bool asm_is_word(struct apf_str text, const char *word);
static inline bool asm_is_quoted(struct apf_str name)
{
    return name.n >= 2 && name.p[0] == '"';
}

#endif
