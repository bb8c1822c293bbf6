/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/report_read.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct apf_error error;

struct apf_merge *merge_start(uint32_t flags, uint32_t threads)
{
    struct apf_merge *m;
    struct apf_merge_options options = {.size = sizeof options, .tolerance = &any_loss, .flags = flags};
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.threads = threads;
    assert_int_equal(apf_merge_new(&m, &options, &error), APF_OK);
    return m;
}

void merge_text(struct apf_merge *m, const char *name, const char *text, uint64_t weight)
{
    struct apf_input input = {
        .size = sizeof(struct apf_input), .data = text, .n = strlen(text), .name = name, .weight = weight};
    assert_int_equal(apf_merge_add(m, &input, 1, &error), APF_OK);
}

int merge_write_for(struct apf_merge *m, const char *target, uint32_t flags)
{
    struct apf_buffer buffer = {0};
    struct apf_write_options options = {.size = sizeof options, .flags = flags};
    struct apf_output output = apf_output_buffer(&buffer);
    options.format = strcmp(target, "text") == 0 ? APF_FORMAT_TEXT : APF_FORMAT_INDEXED;
    if (options.format == APF_FORMAT_INDEXED)
        assert_int_equal(apf_target_parse(target, &options.target, &error), APF_OK);
    int code = apf_merge_write(m, &options, &output, &error);
    apf_buffer_free(&buffer);
    return code;
}

void report_bytes(const struct apf_merge *m, const struct apf_tolerance *t, struct apf_buffer *buffer)
{
    struct apf_output output = apf_output_buffer(buffer);
    assert_int_equal(apf_merge_write_report(m, t, &output, &error), APF_OK);
}

json_t *report_of(const struct apf_merge *m, const struct apf_tolerance *t)
{
    struct apf_buffer buffer = {0};
    json_error_t why;
    report_bytes(m, t, &buffer);
    json_t *root = json_loadb(buffer.data, buffer.n, JSON_REJECT_DUPLICATES, &why);
    if (!root)
        fail_msg("line %d: %s\n%.*s", why.line, why.text, (int)buffer.n, (char *)buffer.data);
    apf_buffer_free(&buffer);
    return root;
}

json_t *report_at(json_t *root, const char *place)
{
    char part[64];
    for (const char *p = place; *p;) {
        size_t n = strcspn(p, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, p);
        json_t *next =
            json_is_array(root) ? json_array_get(root, strtoul(part, NULL, 10)) : json_object_get(root, part);
        if (!next)
            fail_msg("no %s", place);
        root = next;
        p += n + (p[n] == '.');
    }
    return root;
}

void expect_entry(json_t *root, const char *place, const char *want)
{
    char *got = json_dumps(report_at(root, place), JSON_ENCODE_ANY | JSON_COMPACT);
    assert_non_null(got);
    if (strcmp(got, want) != 0)
        fail_msg("%s is %s, not %s", place, got, want);
    free(got);
}

void expect_entries(json_t *root, const struct entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++)
        expect_entry(root, entries[i].place, entries[i].want);
}
