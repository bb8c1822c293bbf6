/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_data_head.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

#define PIPE_HEADER 16u

/* Checks that a section that the header names lies in the file. */
static int check_section(const char *where, uint64_t field_at, uint64_t at, uint64_t size, uint64_t n,
                         struct apf_error *error)
{
    struct error_at place = {where, field_at, at > n ? at : size, at > n ? n : n - at};
    return at > n || size > n - at ? error_at(error, APF_TRUNCATED, place, NULL) : APF_OK;
}

int perf_data_head_read(struct perf_data_head *head, const uint8_t *data, size_t n, struct apf_error *error)
{
    memset(head, 0, sizeof *head);
    head->big_endian = n > 0 && data[0] == '2'; /* the magic is stored as a number */
    struct cursor c = cursor_make(data, n, head->big_endian != (bool)HOST_BIG_ENDIAN);
    cursor_skip(&c, 8);
    head->header_size = cursor_u64(&c);
    head->piped = !c.failed && head->header_size == PIPE_HEADER;
    if (head->piped)
        return APF_OK;
    uint64_t event_size = cursor_u64(&c);
    head->events_at = cursor_u64(&c);
    head->events_size = cursor_u64(&c);
    head->data_at = cursor_u64(&c);
    head->data_size = cursor_u64(&c);
    struct error_at at = {"perf_data.header", 0, n, 56};
    if (c.failed)
        return error_at(error, APF_TRUNCATED, at, NULL);
    head->n_events = event_size ? head->events_size / event_size : 0;
    int code = check_section("perf_data.header.attrs", 24, head->events_at, head->events_size, n, error);
    return code == APF_OK
               ? check_section("perf_data.header.data", 40, head->data_at, head->data_size, n, error)
               : code;
}
