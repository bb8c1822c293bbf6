/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which of our documents a JSON file is. */
#ifndef BASE_JSON_SCHEMA_H
#define BASE_JSON_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

/* Whether n bytes are the beginning of a JSON object, whose key "schema", which is among these bytes, says that it is
 * `name` in any version, such as "anyprof-profile". */
bool json_schema_is(const void *data, size_t n, const char *name);

#endif
