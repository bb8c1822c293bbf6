/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/json_written.h"

#include <stdio.h>
#include <string.h>

void json_written_begin(struct json_written *out, unsigned indent)
{
    apf_buffer_free(&out->text);
    json_start(&out->w, apf_buffer_write, &out->text, indent);
}

void json_written_check(struct json_written *out, const char *want)
{
    struct apf_error e;
    size_t n = strlen(want);
    assert_false(json_failed(&out->w));
    assert_int_equal(json_finish(&out->w, &e), APF_OK);
    if (out->text.n != n || memcmp(out->text.data, want, n) != 0)
        fail_msg("got  %.*s\nwant %s", (int)out->text.n, (const char *)out->text.data, want);
    apf_buffer_free(&out->text);
}

void json_written_misused(struct json_written *out, const char *what)
{
    struct apf_error e;
    char message[240];
    assert_true(json_failed(&out->w));
    assert_int_equal(json_finish(&out->w, &e), APF_ARGUMENT);
    assert_int_equal(e.code, APF_ARGUMENT);
    assert_string_equal(e.where, "json.structure");
    snprintf(message, sizeof message, "invalid argument: %s", what);
    assert_string_equal(e.message, message);
    apf_buffer_free(&out->text);
}
