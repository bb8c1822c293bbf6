/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assembly text, cut into statements and those into tokens, without knowing any instruction.
 *
 * What a comment is depends on the target. Everywhere: from "//", from a "#" that begins a statement, and what stands
 * between slash-star and star-slash. Elsewhere "#" begins a comment where a blank, another "#" or the end of the line
 * follows: compilers for x86 write it so, and to those for AArch64 "#1" is a number. */
#ifndef PROBE_ASM_TEXT_H
#define PROBE_ASM_TEXT_H

#include <stdbool.h>

#include <anyprof/error.h>

/* A statement, or what is left of it. */
struct asm_span {
    const char *p, *end;
};

/* The next statement of a text, of which it is taken: without blanks before it, its separator and a comment that runs
 * to the end of the line; not empty. False: there is none. */
bool asm_statement(struct asm_span *text, struct asm_span *statement);
/* Passes blanks and comments; whether anything is left. */
bool asm_more(struct asm_span *s);
/* Takes this character, if it is next. */
bool asm_skip_char(struct asm_span *s, char c);
/* Takes a name, quoted or not, as it is spelled; n == 0: there is none. */
struct apf_str asm_read_name(struct asm_span *s);
/* Takes letters and digits that begin with a digit. */
struct apf_str asm_read_number(struct asm_span *s);
/* Takes what stands before the next comma, and that; n == 0: nothing. */
struct apf_str asm_read_part(struct asm_span *s);

/* The same word, but for the case of ASCII letters; `word` is in small ones. */
bool asm_is_word(struct apf_str text, const char *word);
static inline bool asm_is_quoted(struct apf_str name)
{
    return name.n >= 2 && name.p[0] == '"';
}

#endif
