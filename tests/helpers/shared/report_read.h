/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the reports of merges with jansson. */
#ifndef HELPERS_SHARED_REPORT_READ_H
#define HELPERS_SHARED_REPORT_READ_H

#include <anyprof/anyprof.h>
#include <jansson.h>

#include "helpers/shared/unit.h"

struct apf_merge *merge_start(uint32_t flags, uint32_t threads);
void merge_text(struct apf_merge *m, const char *name, const char *text, uint64_t weight);
/* Writes to memory, for "text" or a target of --for; the code. */
int merge_write_for(struct apf_merge *m, const char *target, uint32_t flags);

void report_bytes(const struct apf_merge *m, const struct apf_tolerance *t, struct apf_buffer *buffer);
json_t *report_of(const struct apf_merge *m, const struct apf_tolerance *t);
/* "a.b.2.c"; fails the test when it is not there. */
json_t *report_at(json_t *root, const char *place);

/* An entry of a report: its place, and JSON text. */
struct entry {
    const char *place, *want;
};
/* Compares the bytes of the entry, without blanks. */
void expect_entry(json_t *root, const char *place, const char *want);
#define EXPECT_ENTRIES(root, entries) expect_entries(root, entries, COUNT(entries))
void expect_entries(json_t *root, const struct entry *entries, size_t n);

#endif
