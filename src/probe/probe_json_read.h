/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The documents of `probes list --json` and `probes desc --json`, read back. */
#ifndef PROBE_PROBE_JSON_READ_H
#define PROBE_PROBE_JSON_READ_H

#include "probe/json_fields.h"
#include "probe/probe_model.h"

/* A document, and which input it was. */
struct probe_document {
    json_t *json; /* NULL: not given */
    struct json_escapes escapes;
    size_t input;
};

/* As much of a model as its sections are written from: addresses are only right relative to each other. */
struct probe_json {
    struct apf_probes *probes;         /* freed by apf_probes_close */
    struct probe_document list, descs; /* names point into them */
    uint32_t elf_flags;
    struct apf_error *error;
};

/* Reads one document, which is input number `input`; which one it is, it says itself. Then the model is made of all;
 * a failure names the input it is about. */
int probe_json_read(struct probe_json *r, const struct apf_input *input, size_t number, uint64_t max_bytes);
int probe_json_finish(struct probe_json *r);
/* What every document says about its file. It has to be the same as in the `other` one, if there is one. */
int probe_json_target(struct probe_json *r, struct json_fields *doc, bool other);
void probe_json_free(struct probe_json *r);

#endif
