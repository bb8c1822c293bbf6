/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles as text, byte for byte as llvm-profdata writes them. */
#ifndef INSTR_TEXT_WRITE_H
#define INSTR_TEXT_WRITE_H

#include "base/file.h"
#include "instr/model/profile.h"

/* Counts of records that were written or left out. */
struct text_write_result {
    uint64_t written;
    uint64_t sparse_dropped; /* left out because they and all others of their name are zero */
    uint64_t nameless;       /* left out because their name is unknown */
    uint64_t unwritable;     /* left out because their name cannot be in a text file */
    uint64_t guards; /* lines that LLVM does not write, which keep the next record from being misread */
};

struct text_write_options {
    bool show_style; /* as `show --text`: no header but ":ir", no traces */
    bool sparse;     /* leave out names all of whose counters and bitmap bytes are 0 */
    /* name every target whose name is known, not only those that have a record in this output */
    bool all_names;
    bool vtable_names;                /* without all_names: name vtables too */
    struct text_write_result *result; /* may be NULL */
};

/* Writes the records in their order, which must be that of (name, hash) where the output is to be LLVM's. A failed
 * write ends the work early, with APF_OK; file_out_close reports it. */
int text_write(const struct apf_instr *instr, const struct text_write_options *options, struct file_out *out,
               struct apf_error *error);

/* text_write piece by piece: opening writes the part before the records. The arguments must stay valid; the result is
 * not filled in. The caller frees the writer, also after a failure. */
struct text_writer;
int text_writer_open(struct text_writer **writer, const struct apf_instr *instr,
                     const struct text_write_options *options, struct file_out *out, struct apf_error *error);
/* Writes n records; fails only when an allocation fails. */
int text_writer_records(struct text_writer *w, const struct record *records, size_t n,
                        struct apf_error *error);
void text_writer_free(struct text_writer *w);

#endif
