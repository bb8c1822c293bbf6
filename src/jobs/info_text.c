/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts of texts: profiles, JSON. */
#include <string.h>

#include "base/error.h"
#include "base/file_magic.h"
#include "base/json_read.h"
#include "base/text_bytes.h"
#include "instr/model/profile.h"
#include "instr/text/text_read.h"
#include "jobs/info.h"

/* ---- any text ---- */

static int report_unknown(struct info_reader *r, const char *what, struct apf_error *error)
{
    r->file->kind = APF_KIND_UNKNOWN;
    return error_plain(error, APF_UNRECOGNIZED_FORMAT, "file", "%s", what);
}

int info_read_text(struct info_reader *r, struct apf_error *error)
{
    if (!yaml_begins(r->bytes.data, r->bytes.n)) {
        int code = info_read_profile(r, error);
        if (code == APF_OK || code == APF_NO_MEMORY || text_read_begins(r->bytes.data, r->bytes.n))
            return code;
    }
    int code = info_read_other_text(r, error);
    return code == APF_UNRECOGNIZED_FORMAT ? report_unknown(r, "no kind of text that anyprof knows", error)
                                           : code;
}

/* ---- JSON ---- */

/* "anyprof-diff/1" */
static bool is_ours(struct apf_str schema)
{
    static const char begins[] = "anyprof-";
    size_t i = sizeof begins - 1;
    if (schema.n < i || memcmp(schema.p, begins, i) != 0)
        return false;
    size_t word = i;
    while (i < schema.n && ((schema.p[i] >= 'a' && schema.p[i] <= 'z') || schema.p[i] == '-'))
        i++;
    size_t slash = i;
    if (i == word || i == schema.n || schema.p[i++] != '/')
        return false;
    while (i < schema.n && schema.p[i] >= '0' && schema.p[i] <= '9')
        i++;
    return i == schema.n && i > slash + 1;
}

static const char profiles[] = "anyprof-profile/";

static bool is_profile(const char *schema)
{
    return strncmp(schema, profiles, sizeof profiles - 1) == 0;
}

/* The schema of a document of anyprof, in the arena; NULL: another document, or allocation failed. *code: the result of
 * parsing to the end; profiles are not parsed further. */
static const char *schema_of(struct info_reader *r, int *code, struct apf_error *error)
{
    struct json_reader j;
    struct apf_str key;
    const char *schema = NULL;
    json_read_start(&j, r->bytes.data, r->bytes.n, error);
    j.where = "json";
    json_read_object(&j);
    while (!(schema && is_profile(schema)) && json_read_key(&j, &key)) {
        if (schema || !text_is(key, "schema")) {
            json_read_skip(&j);
            continue;
        }
        struct apf_str text = json_read_string(&j);
        if (json_read_failed(&j) || !is_ours(text))
            break;
        schema = arena_text(r->arena, text.p, text.n);
        if (!schema)
            json_read_memory(&j);
    }
    *code = json_read_finish(&j);
    return schema;
}

int info_read_json(struct info_reader *r, struct apf_error *error)
{
    int code = APF_OK;
    const char *schema = schema_of(r, &code, error);
    if (code == APF_NO_MEMORY)
        return error_memory(error);
    if (!schema)
        return report_unknown(r, "JSON without a schema that anyprof knows", error);
    if (is_profile(schema))
        return info_read_profile(r, error);
    r->file->kind = APF_KIND_OTHER_JSON;
    r->facts->schema = schema;
    return code;
}
