/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON that is read as it is, or not at all.
 *
 * jansson keeps the token it is at in a buffer that grows, and where it gets no memory for that it leaves out the bytes
 * and goes on; the buffer does not shrink. So an object is read with one more key, as its first one, which is longer
 * than any token in it: if that one came whole, so did all others. */
#ifndef PROBE_JSON_WHOLE_H
#define PROBE_JSON_WHOLE_H

#include <jansson.h>

#include <anyprof/error.h>

/* Parses a text that must be an object, and gets a key that nobody asks for. APF_BAD_JSON with the line and the column
 * in the text. *json is NULL of a text that begins with '[': it is not looked at. */
int json_whole_load(json_t **json, const char *text, size_t n, struct apf_error *error);

#endif
