/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions as in the source code, whole or in part. */
#ifndef CLI_SOURCE_NAME_H
#define CLI_SOURCE_NAME_H

#include <stdbool.h>

#include "name_pattern.h"

/* A name that a user gives. */
struct source_name {
    const char *as_given;
    char *wanted; /* without blanks that mean nothing */
    char *last;   /* the letters of its last part, which every name has that it means */
    struct name_text shown, form, rest;
};

void source_name_begin(struct source_name *s, const char *wanted);
void source_name_free(struct source_name *s);
enum source_match { OTHER_FUNCTION = 0, IN_PART, AS_A_WHOLE };

/* Whether that means a function with this symbol and demangled name: as a whole, also without its return type and
 * parameters; or by the last parts of that, such as "Class::method"; either with arguments of templates or without. Of
 * Rust's "<Type as Trait>::method" also as "Type::method" and "Trait::method". The file of a local function is a part,
 * which may be left out, or have the other separator after it. */
enum source_match source_name_means(struct source_name *s, struct apf_str symbol, struct apf_str shown);
/* Whether a text can be no name of a symbol, but one of the source code. */
bool source_name_is(const char *text);
/* A demangled name without its return type, its parameters and what follows them. */
struct apf_str source_name_whole(struct apf_str shown);
/* The last part of a demangled name, without parameters and arguments of templates. */
struct apf_str source_name_last(struct apf_str shown);

#endif
