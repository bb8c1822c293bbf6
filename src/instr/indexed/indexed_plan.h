/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The content of an indexed file, decided before its first byte is written: shared by indexed_plan.c, which decides,
 * and indexed_write.c, which writes. */
#ifndef INSTR_INDEXED_PLAN_H
#define INSTR_INDEXED_PLAN_H

#include "instr/indexed/indexed_write.h"
#include "instr/layout/indexed_layout.h"
#include "instr/layout/llvm_order.h"
#include "instr/model/disk_table.h"
#include "instr/model/name_blob.h"

/* A name with its records: records[first .. first + n), in the order of the file. */
struct indexed_key {
    const struct symbol *name;
    uint64_t data_size;
    const struct record *only; /* its record if it has only one */
    uint32_t first, n;
};

struct indexed_plan {
    const struct apf_instr *view;
    const struct indexed_write_options *options;
    const struct indexed_version *version;
    uint64_t variant;
    struct file_out *out;
    struct write_losses *losses;
    struct arena *arena; /* holds the data below; the caller rewinds it */
    struct indexed_key *keys;
    size_t n_keys;
    uint64_t payload_size;         /* bytes of the items of all keys */
    const struct record **records; /* of all keys */
    size_t n_records;
    struct apf_summary *summary, *cs_summary;
    struct llvm_table table;
    struct name_blob vtables;
    struct memprof_section memprof;
    uint64_t *bucket_at;
    const struct record *too_large; /* a record whose value data exceeds the 32 bits of its size, or NULL */
    bool failed;                    /* a write failed; file_out_close says why */
};

/* Fills in everything but view, options, version, variant, out, losses and arena, which the caller sets. */
int indexed_plan_make(struct indexed_plan *w, struct apf_error *error);
void indexed_plan_free(struct indexed_plan *w);
/* The size of a record's value data, and the number of kinds that are written. */
uint64_t indexed_values_size(const struct indexed_plan *w, const struct record *r);
uint32_t indexed_kinds_written(const struct indexed_plan *w, const struct record *r);

static inline bool can(const struct indexed_plan *w, unsigned cap)
{
    return (w->version->caps & cap) != 0;
}

#endif
