/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The documents of `probes list --json` and `probes desc --json`, read back. */
#ifndef PROBE_PROBE_JSON_READ_H
#define PROBE_PROBE_JSON_READ_H

#include "probe/json_fields.h"
#include "probe/probe_model.h"

/* As much of a model as its sections are written from: addresses are only right relative to each other. */
struct probe_json {
    struct apf_probes *probes; /* freed by apf_probes_close */
    json_t *list, *descs;      /* names point into them; NULL: not given */
    struct apf_error *error;
};

/* Reads one document; which one it is, it says itself. Then the model is made of all. */
int probe_json_read(struct probe_json *r, const struct apf_input *input, uint64_t max_bytes);
int probe_json_finish(struct probe_json *r);
void probe_json_free(struct probe_json *r);

#endif
