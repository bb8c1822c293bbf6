/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/json_entry.h"

#include <string.h>

#include <anyprof/anyprof.h>

#include "base/error.h"
#include "base/text_bytes.h"
#include "base/utf8.h"

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

void json_entry_hash(struct json_writer *w, const char *key, uint64_t v)
{
    json_key(w, key);
    json_hash(w, v);
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

void json_start_output(struct json_writer *w, struct file_out *out)
{
    json_start(w, file_out_callback, out, 2);
    w->show_name = out->show_name;
    w->names = out->names;
}

void json_entry_demangled(struct json_writer *w, struct apf_str name)
{
    if (!w->show_name)
        return;
    const struct apf_str shown = name.n ? w->show_name(w->names, name) : name, none = {NULL, 0};
    json_entry_name(w, "demangled", text_equal(shown, name) ? none : shown);
}

void json_entry_function(struct json_writer *w, const char *key, struct apf_str name)
{
    json_entry_name(w, key, name);
    json_entry_demangled(w, name);
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

void json_entry_path(struct json_writer *w, struct apf_str path)
{
    json_key(w, "path");
    if (path.p)
        json_text(w, path.p, path.n);
    else
        json_none(w);
    json_key(w, "path_hex");
    if (path.p && !utf8_valid(path))
        json_digits(w, path.p, path.n);
    else
        json_none(w);
}

void json_entry_digits(struct json_writer *w, const char *key, const struct apf_str *list, size_t n)
{
    json_key(w, key);
    json_array_begin(w);
    for (size_t i = 0; i < n; i++)
        json_digits(w, list[i].p, list[i].n);
    json_array_end(w);
}

void json_entry_double(struct json_writer *w, const char *key, double v)
{
    json_key(w, key);
    json_double(w, v);
}

void json_entry_known(struct json_writer *w, const char *key, bool known, uint64_t v)
{
    json_key(w, key);
    if (known)
        json_u64(w, v);
    else
        json_none(w);
}

static void write_difference(struct json_writer *w, const struct apf_error *e, const char *key, uint64_t v)
{
    if (error_has_hashes(e))
        json_entry_hash(w, key, v);
    else
        json_entry_known(w, key, e->found != e->expected, v); /* equal numbers were not set */
}

void json_entry_numbers(struct json_writer *w, const struct apf_error *e)
{
    write_difference(w, e, "found", e->found);
    write_difference(w, e, "expected", e->expected);
}

void json_entry_error(struct json_writer *w, const char *key, const struct apf_error *e)
{
    json_key(w, key);
    if (!e) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_string(w, "code", apf_code_name(e->code));
    json_entry_string(w, "where", e->where);
    json_entry_known(w, "offset", e->offset != NO_OFFSET, e->offset);
    json_entry_known(w, "line", e->line != 0, e->line);
    json_entry_numbers(w, e);
    json_entry_known(w, "errno", e->sys_errno != 0, (uint64_t)e->sys_errno);
    json_key(w, "message");
    json_text(w, e->message, strlen(e->message));
    json_object_end(w);
}

void json_entry_findings(struct json_writer *w, const struct apf_finding *findings, size_t n)
{
    static const char *const severities[] = {"note", "warning", "error"};
    json_key(w, "findings");
    json_array_begin(w);
    for (size_t i = 0; i < n; i++) {
        const struct apf_finding *f = &findings[i];
        json_object_begin(w);
        json_entry_string(w, "severity", severities[f->severity]);
        json_entry_string(w, "code", apf_code_name(f->code));
        json_entry_string(w, "where", f->where);
        json_entry_u64(w, "count", f->n);
        json_entry_string(w, "message", f->text);
        json_object_end(w);
    }
    json_array_end(w);
}
