/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the documents of `probes list --json` and `probes desc --json`. */
#ifndef PROBE_PROBE_JSON_READ_H
#define PROBE_PROBE_JSON_READ_H

#include "base/json_fields.h"
#include "probe/probe_model.h"

/* The keys of a document, as places in its table. */
enum {
    DOCUMENT_SCHEMA,
    DOCUMENT_PARTIAL,
    DOCUMENT_FILE,
    DOCUMENT_SECTIONS,
    DOCUMENT_NODES,
    DOCUMENT_PROBES,
    DOCUMENT_SENTINELS,
    DOCUMENT_DESCRIPTORS,
    DOCUMENT_PADDED,
};

struct probe_document {
    struct file_bytes file; /* the text */
    struct json_reader json;
    struct json_fields fields; /* of the document; all zero: no document */
    size_t input;              /* number of the input */
};

static inline bool probe_document_given(const struct probe_document *doc)
{
    return doc->fields.json != NULL;
}

/* A model that is sufficient to write its sections: addresses are right only relative to each other. */
struct probe_json {
    struct apf_probes *probes;         /* freed by probe_json_free */
    struct probe_document list, descs; /* names point into them */
    uint32_t elf_flags;
    struct apf_error *error;
};

/* Reads one document, which is input number `input`; its schema says whether it is the list or the descriptors. */
int probe_json_read(struct probe_json *r, const struct apf_input *input, size_t number, uint64_t max_bytes);
/* Makes the model of all documents; a failure names the input it is about. */
int probe_json_finish(struct probe_json *r);
/* Reads what every document says about its file. It must equal that of the `other` document, if there is one. */
int probe_json_target(struct probe_json *r, struct probe_document *doc, bool other);
void probe_json_free(struct probe_json *r);

#endif
