/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From files to documents. */
#include <string.h>

#include "base/file.h"
#include "probe/probe_json_read.h"

#define LIST_SCHEMA "anyprof-probe-list/1"
#define DESC_SCHEMA "anyprof-probe-descriptors/1"

static int take_document(struct probe_json *r, json_t *doc)
{
    struct json_fields f = {doc, NULL, 0, r->error, APF_OK};
    if (!json_is_object(doc))
        json_fields_wrong(&f, "document", "this is no object");
    struct apf_str schema = json_fields_text(&f, "schema");
    bool is_list = strcmp(schema.p, LIST_SCHEMA) == 0;
    json_t **place = is_list ? &r->list : &r->descs;
    if (!is_list && strcmp(schema.p, DESC_SCHEMA) != 0)
        json_fields_wrong(&f, "schema", "expected " LIST_SCHEMA " or " DESC_SCHEMA);
    if (f.code == APF_OK && *place)
        json_fields_wrong(&f, "schema", "there was such a document already");
    if (f.code == APF_OK)
        *place = json_incref(doc);
    return f.code;
}

int probe_json_read(struct probe_json *r, const struct apf_input *input, uint64_t max_bytes)
{
    struct file_bytes file = {0};
    json_error_t why;
    int code = file_read(&file, input, max_bytes, r->error);
    if (code != APF_OK) {
        file_bytes_free(&file);
        return code;
    }
    json_t *doc = json_loadb((const char *)file.data, file.n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &why);
    file_bytes_free(&file);
    if (!doc) {
        if (json_error_code(&why) == json_error_out_of_memory)
            return error_memory(r->error);
        error_set_column(r->error, APF_BAD_JSON, "json", (uint64_t)why.position, (uint32_t)why.line,
                         (uint32_t)why.column, why.text);
        return APF_BAD_JSON;
    }
    code = take_document(r, doc);
    json_decref(doc);
    return code;
}

void probe_json_free(struct probe_json *r)
{
    apf_probes_close(r->probes);
    json_decref(r->list);
    json_decref(r->descs);
}
