/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes JSON to memory, and compares it. */
#ifndef HELPERS_SHARED_JSON_WRITTEN_H
#define HELPERS_SHARED_JSON_WRITTEN_H

#include "base/json_write.h"
#include "helpers/shared/unit.h"

struct json_written {
    struct json_writer w;
    struct apf_buffer text;
};

void json_written_begin(struct json_written *out, unsigned indent);
/* End the document. The first fails the test unless it is this text, the second unless the writer reports this
 * misuse. */
void json_written_check(struct json_written *out, const char *want);
void json_written_misused(struct json_written *out, const char *what);

#endif
