/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON with bytes that are no UTF-8, for a reader that only knows text.
 *
 * Such a byte XX is the escape of a lone surrogate, "\udcXX" (base/json_write.h), which jansson refuses. Before it
 * reads a text, each of them becomes the escape of another character, one that occurs nowhere in the text; in the
 * strings it found, these are turned back into bytes. Both are as long, so that lines and columns of errors stay
 * right. */
#ifndef PROBE_JSON_ESCAPES_H
#define PROBE_JSON_ESCAPES_H

#include <stdbool.h>

#include <anyprof/error.h>

#include "base/arena.h"

/* All zero: there are none. */
struct json_escapes {
    uint8_t *bytes; /* by character of 16 bits: the byte it stands for, or below 0x80: it stands for itself */
    struct arena arena;
};

/* Replaces *text, if it has such bytes, by one that lives as long as the escapes. */
int json_escapes_hide(struct json_escapes *e, const char **text, size_t n, struct apf_error *error);
/* A string as it was meant, with a zero behind it. p == NULL: memory is out. */
struct apf_str json_escapes_show(struct json_escapes *e, struct apf_str text);
void json_escapes_free(struct json_escapes *e);

#endif
