/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the JSON writer makes, in memory. */
#ifndef HELPERS_SHARED_JSON_WRITTEN_H
#define HELPERS_SHARED_JSON_WRITTEN_H

#include "base/json_write.h"
#include "helpers/shared/unit.h"

struct json_written {
    struct json_writer w;
    struct apf_buffer text;
};

void json_written_begin(struct json_written *out, unsigned indent);
/* Each ends the document, and fails the test unless it is this text, or unless the writer was used wrongly just so. */
void json_written_check(struct json_written *out, const char *want);
void json_written_misused(struct json_written *out, const char *what);

#endif
