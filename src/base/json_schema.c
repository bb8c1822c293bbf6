/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/json_schema.h"

#include <string.h>

#include "base/json_read.h"
#include "base/number.h"
#include "base/text_bytes.h"

/* Whether a schema is the name, a slash and digits. */
static bool is_version_of(struct apf_str schema, const char *name)
{
    size_t n = strlen(name);
    if (schema.n < n + 2 || memcmp(schema.p, name, n) != 0 || schema.p[n] != '/')
        return false;
    for (size_t i = n + 1; i < schema.n; i++)
        if (!number_is_digit(schema.p[i]))
            return false;
    return true;
}

bool json_schema_is(const void *data, size_t n, const char *name)
{
    struct json_reader r;
    struct apf_str key;
    bool found = false, is = false;
    if (!json_read_is_object(data, n))
        return false;
    json_read_start(&r, data, n, NULL);
    for (json_read_object(&r); !found && json_read_key(&r, &key);) {
        found = text_is(key, "schema");
        if (found)
            is = is_version_of(json_read_string(&r), name);
        else
            json_read_skip(&r);
    }
    (void)json_read_finish(&r);
    return is;
}
