/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/json_entry.h"

#include <anyprof/anyprof.h>

void json_entry_u64(struct json_writer *w, const char *key, uint64_t v)
{
    json_key(w, key);
    json_u64(w, v);
}

void json_entry_hex(struct json_writer *w, const char *key, uint64_t v)
{
    json_key(w, key);
    json_hex(w, v);
}

void json_entry_bool(struct json_writer *w, const char *key, bool v)
{
    json_key(w, key);
    json_bool(w, v);
}

void json_entry_string(struct json_writer *w, const char *key, const char *s)
{
    json_key(w, key);
    if (s && *s)
        json_cstring(w, s);
    else
        json_none(w);
}

void json_entry_name(struct json_writer *w, const char *key, struct apf_str name)
{
    json_key(w, key);
    if (name.n)
        json_bytes(w, name.p, name.n);
    else
        json_none(w);
}

void json_head(struct json_writer *w, const char *schema)
{
    json_entry_string(w, "schema", schema);
    json_key(w, "generator");
    json_object_begin(w);
    json_entry_string(w, "name", "anyprof");
    json_entry_string(w, "version", apf_version());
    json_object_end(w);
}
