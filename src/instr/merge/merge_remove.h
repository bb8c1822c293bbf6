/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which inputs the output holds already, and removing them. base/file_journal.h has how that survives the end of the
 * process at any point; here is what is decided. */
#ifndef INSTR_MERGE_REMOVE_H
#define INSTR_MERGE_REMOVE_H

#include "base/file.h"
#include "base/file_journal.h"

struct apf_merge;

/* A file that was an input. */
struct merge_file {
    const char *path; /* absolute; NULL: standard input, which has no name to remove */
    struct file_identity identity;
    struct file_digest digest;
};

/* Of a merge that knows its output beforehand. */
struct merge_removal {
    struct file_journal *journal;
    const char *output;       /* as the caller calls it */
    bool remove;              /* the inputs are to be removed; else a journal is only heeded */
    bool heed;                /* the inputs that the output holds are left out */
    bool troubled;            /* the journal cannot be read or locked, ... */
    struct apf_error trouble; /* ... and why */
    bool with_output;         /* the output is one of the inputs */
    bool written;             /* a block of the journal says what the output is, if it was renamed ... */
    bool renamed;             /* ... and it was */
    bool done;                /* the inputs were removed */
    bool left;                /* not all of them: what is still there must be left out of the next merge */
    bool unsynced;            /* that may not last */
};

/* When a merge begins: reads the journal, if an output was named. */
int merge_removal_open(struct apf_merge *m, struct apf_error *error);
void merge_removal_close(struct apf_merge *m);

/* Before inputs are added: are those to be left out that the output holds? */
int merge_removal_check(struct apf_merge *m, const struct apf_input *inputs, size_t n,
                        struct apf_error *error);
/* On any thread, when an input was read, or was not there: the output holds it already. */
bool merge_removal_holds(const struct merge_removal *r, const struct apf_input *input,
                         const struct merge_file *file);
/* What an input with that weight weighs where records do not go together: one that is added to an output must not
 * outvote what is in it. */
uint64_t merge_removal_votes(const struct merge_removal *r, const struct merge_file *file, uint64_t weight);
/* Digests of inputs are needed. */
bool merge_removal_digests(const struct apf_merge *m);
/* Keeps what was read of a file, if it is needed at the end; the result is the merge's. `held`: the output holds it. */
int merge_removal_keep(struct apf_merge *m, const struct apf_input *input, const struct merge_file *file,
                       bool held, const struct merge_file **kept, struct apf_error *error);

/* Before an output is opened: removes what the output holds already. *nothing: there is nothing else to do. */
int merge_removal_begin(struct apf_merge *m, const struct apf_output *output, bool *nothing,
                        struct apf_error *error);
/* Whether the output must be on the disk when that is over. */
bool merge_removal_syncs(const struct apf_merge *m);
/* When all is written, before the renaming. */
int merge_removal_prepare(struct apf_merge *m, const struct apf_output *output, struct file_out *out,
                          struct apf_error *error);
/* After it: removes what was merged. */
int merge_removal_finish(struct apf_merge *m, const struct apf_output *output, struct apf_error *error);

#endif
