/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From files to documents, and what every document says. */
#include <string.h>

#include "base/endian.h"
#include "base/file.h"
#include "probe/json_whole.h"
#include "probe/probe_json_read.h"

#define LIST_SCHEMA "anyprof-probe-list/1"
#define DESC_SCHEMA "anyprof-probe-descriptors/1"

/* Keeps the document where it belongs. */
static int take_document(struct probe_json *r, struct probe_document *doc)
{
    struct json_fields f = {doc->json, NULL, 0, &doc->escapes, r->error, APF_OK};
    if (!json_is_object(doc->json))
        json_fields_wrong(&f, "document", "this is no object");
    struct apf_str schema = json_fields_text(&f, "schema");
    bool is_list = strcmp(schema.p, LIST_SCHEMA) == 0;
    struct probe_document *place = is_list ? &r->list : &r->descs;
    if (!is_list && strcmp(schema.p, DESC_SCHEMA) != 0)
        json_fields_wrong(&f, "schema", "expected " LIST_SCHEMA " or " DESC_SCHEMA);
    if (f.code == APF_OK && place->json)
        json_fields_wrong(&f, "schema", "there was such a document already");
    if (json_fields_flag(&f, "partial"))
        json_fields_wrong(&f, "partial", "the document does not hold all that the sections did");
    if (f.code == APF_OK)
        *place = *doc;
    return f.code;
}

static void free_document(struct probe_document *doc)
{
    json_decref(doc->json);
    json_escapes_free(&doc->escapes);
}

static int load(struct probe_document *doc, const char *text, size_t n, struct apf_error *error)
{
    int code = json_escapes_hide(&doc->escapes, &text, n, error);
    return code == APF_OK ? json_whole_load(&doc->json, text, n, error) : code;
}

int probe_json_read(struct probe_json *r, const struct apf_input *input, size_t number, uint64_t max_bytes)
{
    struct file_bytes file = {0};
    struct probe_document doc = {.input = number};
    int code = file_read(&file, input, max_bytes, r->error);
    if (code == APF_OK)
        code = load(&doc, file.n ? (const char *)file.data : "", file.n, r->error);
    file_bytes_free(&file);
    if (code == APF_OK)
        code = take_document(r, &doc);
    if (code != APF_OK)
        free_document(&doc);
    if (code != APF_OK && r->error)
        r->error->input = number;
    return code;
}

static bool same_target(const struct apf_probes_info *a, const struct apf_probes_info *b)
{
    return a->elf_bits == b->elf_bits && a->elf_machine == b->elf_machine && a->big_endian == b->big_endian;
}

int probe_json_target(struct probe_json *r, struct json_fields *doc, bool other)
{
    struct apf_probes_info *info = &r->probes->info, before = *info;
    uint32_t flags = r->elf_flags;
    struct json_fields f = *doc;
    f.object = json_fields_object(doc, "file");
    f.code = doc->code;
    info->elf_bits = (uint32_t)json_fields_u64_or_0(&f, "elf_bits", 64);
    info->elf_machine = (uint32_t)json_fields_u64_or_0(&f, "elf_machine", UINT16_MAX);
    r->elf_flags = (uint32_t)json_fields_u64_or_0(&f, "elf_flags", UINT32_MAX);
    info->big_endian = json_fields_flag(&f, "big_endian");
    info->old_encoding = json_fields_flag(&f, "old_encoding");
    info->literal_bytes =
        json_fields_has(&f, "literal_bytes") ? (uint32_t)json_fields_u64(&f, "literal_bytes", 8) : 8;
    if (json_fields_flag(&f, "relocatable") && info->old_encoding && f.code == APF_OK)
        f.code = error_plain(f.error, APF_UNSUPPORTED, "json",
                             "its addresses are relocations, as LLVM 13 to 15 wrote "
                             "them in objects");
    if (info->elf_bits & ~96u)
        json_fields_wrong(&f, "file", "elf_bits is neither 32 nor 64");
    if (info->literal_bytes != 4 && info->literal_bytes != 8)
        json_fields_wrong(&f, "file", "literal_bytes is neither 4 nor 8");
    if (other && (!same_target(&before, info) || flags != r->elf_flags))
        json_fields_wrong(&f, "file", "the documents are of different targets");
    r->probes->swap = (info->big_endian != 0) != (bool)HOST_BIG_ENDIAN;
    doc->code = f.code;
    return f.code;
}

void probe_json_free(struct probe_json *r)
{
    apf_probes_close(r->probes);
    free_document(&r->list);
    free_document(&r->descs);
}
