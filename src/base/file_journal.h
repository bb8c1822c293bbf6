/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an output holds already, so that inputs can be removed by a process that may end at any point.
 *
 * The journal of DIR/NAME is DIR/.NAME.anyprof-merged. It is a list of blocks, each of which says: an output of this
 * size and digest holds these inputs. A block is appended and made to last before the new output takes its name, so
 *   - if the output is the one of a block, the renaming was done: the inputs of the block that are still there must be
 *     removed, or left out, but not added again;
 *   - if it is not, the renaming was not done, or the file was replaced since: the block means nothing.
 * A block that was not written whole is not there. A block stays true for ever: digests of contents, not names or
 * times, decide. While a merge that removes inputs is at work it holds a lock on the journal. */
#ifndef BASE_FILE_JOURNAL_H
#define BASE_FILE_JOURNAL_H

#include <anyprof/io.h>

#include "base/arena.h"
#include "base/file_identity.h"
#include "base/vec.h"

/* An input that the output holds. Which device and inode it was is no matter: they may change when a machine is started
 * anew, or when a directory is moved to another disk. */
struct journal_entry {
    const char *path; /* absolute */
    uint64_t size;
    int64_t seconds, nanoseconds; /* of the last change to its bytes */
    struct file_digest digest;
    bool removed; /* it is gone for good; who names it once more need not be told that it does not exist */
    bool keep;    /* the output does not hold all of it: it is left out, but not removed */
};

struct file_journal {
    char *target;                /* the output, absolute, links followed */
    char *path;                  /* of the journal */
    struct file_identity output; /* what was at the target when the journal was opened; all zero: nothing */
    struct file_identity latest; /* what must be there now */
    uint32_t owner;              /* of it, or of this process */
    int fd;                      /* -1: there is no journal */
    uint64_t end;                /* of its last whole block */
    bool useful;                 /* a block is of the output as it is */
    uint64_t said_size;          /* of the output of the block that was appended last, and its digest */
    struct file_digest said;
    struct arena arena;
    VEC(struct journal_entry) held; /* the inputs in that block, sorted by digest */
    VEC(const struct journal_entry *) by_path;
};

/* Reads the journal of an output; it is one's own, or that of the owner of the output. With `create` the output must be
 * a file, or nothing yet; the journal is made and locked, and what killed processes left of this output is removed.
 * Without, a journal that is there is locked, and for an output that is no file and cannot become one *journal is
 * NULL. */
int file_journal_open(struct file_journal **journal, const char *output, bool create,
                      struct apf_error *error);
/* Whether the output holds a file, as it is: of that name (in whatever directory), age and content. */
bool file_journal_holds(const struct file_journal *j, const char *path, const struct file_identity *identity,
                        const struct file_digest *digest);
/* Whether it holds the file that had this absolute path; *removed: that one is gone for good. */
bool file_journal_held(const struct file_journal *j, const char *path, bool *removed);
/* Whether the file that had this absolute path must not be removed. */
bool file_journal_keeps(const struct file_journal *j, const char *path);
/* The output has been changed since the journal was opened. */
bool file_journal_overtaken(const struct file_journal *j);
/* Appends a block, on the disk when this returns: an output of that size and digest holds these inputs. */
int file_journal_append(struct file_journal *j, uint64_t size, struct file_digest digest,
                        const struct journal_entry *entries, size_t n, struct apf_error *error);
/* The output was written anew, by us. */
void file_journal_renamed(struct file_journal *j);
/* When the output is the one of the block that was appended last: replaces all blocks by one that says that it holds
 * these. Nothing is appended any more. If it fails, the journal only says more than is needed. */
void file_journal_rewrite(const struct file_journal *j, const struct journal_entry *entries, size_t n);
/* Unlocks; the journal is removed when nothing in it is needed any more. */
void file_journal_close(struct file_journal *j, bool needed);

/* Whether the last part of a path is the name of a journal or of an output that is being written: no input. */
bool file_name_is_ours(const char *name);

#endif
