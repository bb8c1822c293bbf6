/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of a profile as JSON, for documents of several schemas. */
#ifndef SAMPLE_JSON_WRITER_H
#define SAMPLE_JSON_WRITER_H

#include "base/json_write.h"
#include "sample/model/sample_order.h"
#include "sample/model/sample_tree.h"

struct sample_json_writer {
    struct json_writer json;
    const struct apf_sample *sample;
    struct sample_order order; /* made by the caller, as is the tree */
    struct sample_tree tree;
    VEC(uint32_t) frames; /* of the current context, from the innermost caller on */
};

/* Writes a function at the top level with all that is inlined in it, as an object. */
int sample_json_function(struct sample_json_writer *d, uint32_t node, struct apf_error *error);
/* Write their keys and values: "source" and "flags"; "summary", null without one; "symbols", null if the profile has
 * no list. */
void sample_json_source(struct json_writer *w, const struct apf_sample_info *info);
void sample_json_summary(struct json_writer *w, const struct sample_summary *summary);
void sample_json_symbols(struct json_writer *w, const struct apf_sample *s);
void sample_json_writer_free(struct sample_json_writer *d);

#endif
