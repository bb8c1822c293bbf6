/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads documents from files, and the fields of every document. */
#include "base/endian.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text_bytes.h"
#include "probe/probe_json_read.h"

#define LIST_SCHEMA "anyprof-probe-list/1"
#define DESC_SCHEMA "anyprof-probe-descriptors/1"

static const struct json_key document_keys[] = {[DOCUMENT_SCHEMA] = {"schema", "json.schema"},
                                                [DOCUMENT_PARTIAL] = {"partial", "json.partial"},
                                                [DOCUMENT_FILE] = {"file", "json.file"},
                                                [DOCUMENT_SECTIONS] = {"sections", "json.sections"},
                                                [DOCUMENT_NODES] = {"nodes", "json.nodes"},
                                                [DOCUMENT_PROBES] = {"probes", "json.probes"},
                                                [DOCUMENT_SENTINELS] = {"sentinels", "json.sentinels"},
                                                [DOCUMENT_DESCRIPTORS] = {"descriptors", "json.descriptors"},
                                                [DOCUMENT_PADDED] = {"padded", "json.padded"},
                                                {NULL, NULL}};

/* Finds the place of a document in *r, which must be empty. */
static struct probe_document *find_place(struct probe_json *r, struct json_fields *f)
{
    struct apf_str schema = json_fields_text(f, DOCUMENT_SCHEMA, NULL);
    bool is_list = text_is(schema, LIST_SCHEMA);
    struct probe_document *place = is_list ? &r->list : &r->descs;
    if (!is_list && !text_is(schema, DESC_SCHEMA))
        json_fields_wrong(f, DOCUMENT_SCHEMA, "expected " LIST_SCHEMA " or " DESC_SCHEMA);
    else if (probe_document_given(place))
        json_fields_wrong(f, DOCUMENT_SCHEMA, "there was such a document already");
    if (json_fields_flag(f, DOCUMENT_PARTIAL))
        json_fields_wrong(f, DOCUMENT_PARTIAL, "the document does not hold all that the sections did");
    return place;
}

static void free_document(struct probe_document *doc)
{
    VEC_FREE(&doc->json.text);
    file_bytes_free(&doc->file);
}

int probe_json_read(struct probe_json *r, const struct apf_input *input, size_t number, uint64_t max_bytes)
{
    struct probe_document doc = {.input = number};
    int code = file_read(&doc.file, input, max_bytes, r->error);
    if (code == APF_OK) {
        json_read_start(&doc.json, doc.file.data, doc.file.n, r->error);
        json_fields_read(&doc.fields, &doc.json, document_keys);
        code = json_read_finish(&doc.json);
    }
    struct probe_document *place = code == APF_OK ? find_place(r, &doc.fields) : NULL;
    if (code == APF_OK)
        code = doc.json.code;
    if (code == APF_OK) {
        *place = doc;
        place->fields.json = &place->json;
        return APF_OK;
    }
    free_document(&doc);
    return file_error(r->error, code, input, number);
}

#define FILE_KEYS(KEY)                                                                                       \
    KEY(file, elf_bits)                                                                                      \
    KEY(file, elf_machine)                                                                                   \
    KEY(file, elf_flags)                                                                                     \
    KEY(file, big_endian) KEY(file, relocatable) KEY(file, old_encoding) KEY(file, literal_bytes)
JSON_KEYS(file_keys, FILE_KEYS);

static bool same_target(const struct apf_probes_info *a, const struct apf_probes_info *b)
{
    return a->elf_bits == b->elf_bits && a->elf_machine == b->elf_machine && a->big_endian == b->big_endian;
}

int probe_json_target(struct probe_json *r, struct probe_document *doc, bool other)
{
    struct apf_probes_info *info = &r->probes->info, before = *info;
    uint32_t flags = r->elf_flags;
    struct json_fields f;
    json_fields_object(&doc->fields, DOCUMENT_FILE, &f, file_keys);
    info->elf_bits = (uint32_t)json_fields_u64_or(&f, file_elf_bits, 64, 0);
    info->elf_machine = (uint32_t)json_fields_u64_or(&f, file_elf_machine, UINT16_MAX, 0);
    r->elf_flags = (uint32_t)json_fields_u64_or(&f, file_elf_flags, UINT32_MAX, 0);
    info->big_endian = json_fields_flag(&f, file_big_endian);
    info->old_encoding = json_fields_flag(&f, file_old_encoding);
    info->literal_bytes = (uint32_t)json_fields_u64_or(&f, file_literal_bytes, 8, 8);
    if (json_fields_flag(&f, file_relocatable) && info->old_encoding && !json_read_failed(&doc->json))
        doc->json.code = error_plain(r->error, APF_UNSUPPORTED, "json",
                                     "its addresses are relocations, as LLVM 13 to 15 wrote them in objects");
    if (info->elf_bits & ~96u)
        json_fields_wrong(&f, file_elf_bits, "elf_bits is neither 32 nor 64");
    if (info->literal_bytes != 4 && info->literal_bytes != 8)
        json_fields_wrong(&f, file_literal_bytes, "literal_bytes is neither 4 nor 8");
    if (other && (!same_target(&before, info) || flags != r->elf_flags))
        json_fields_wrong(&doc->fields, DOCUMENT_FILE, "the documents are of different targets");
    r->probes->swap = (info->big_endian != 0) != (bool)HOST_BIG_ENDIAN;
    return doc->json.code;
}

void probe_json_free(struct probe_json *r)
{
    apf_probes_close(r->probes);
    free_document(&r->list);
    free_document(&r->descs);
}
