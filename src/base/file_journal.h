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

/* An input that the output holds. Device and inode are not stored: they may change at a reboot, or when a directory
 * moves to another disk. */
struct journal_entry {
    const char *path; /* absolute */
    uint64_t size;
    int64_t seconds, nanoseconds; /* of the last change to its bytes */
    struct file_digest digest;
    bool removed; /* the file is gone for good; naming it again is no error */
    bool keep;    /* the output does not hold all of it: later merges skip the file, and it is not removed */
};

struct file_journal {
    char *target;                /* the output, absolute, links followed */
    char *path;                  /* of the journal */
    struct file_identity output; /* of the target when the journal was opened; all zero: no file */
    struct file_identity latest; /* the identity that the target must have now */
    uint32_t owner;              /* of the output, or of this process */
    int fd;                      /* -1: there is no journal */
    uint64_t end;                /* offset after the last whole block */
    bool useful;                 /* a block describes the present output */
    uint64_t said_size;          /* size and digest of the output in the last block */
    struct file_digest said;
    struct arena arena;
    VEC(struct journal_entry) held; /* the inputs in that block, sorted by digest */
    VEC(const struct journal_entry *) by_path;
};

/* Reads the journal of an output, which must belong to this user or to the owner of the output. With `create`, the
 * output must be a file or not exist yet; the journal is made and locked, and temporary files of killed processes are
 * removed. Without `create`, an existing journal is locked; *journal is NULL for an output that is no file and cannot
 * become one. */
int file_journal_open(struct file_journal **journal, const char *output, bool create,
                      struct apf_error *error);
/* Whether the output holds a file of this name (in whatever directory), age and content. */
bool file_journal_holds(const struct file_journal *j, const char *path, const struct file_identity *identity,
                        const struct file_digest *digest);
/* Whether the output holds the file that had this absolute path; *removed: the file is gone for good. */
bool file_journal_held(const struct file_journal *j, const char *path, bool *removed);
/* Whether the file that had this absolute path must not be removed. */
bool file_journal_keeps(const struct file_journal *j, const char *path);
/* Whether another process changed the output since the journal was opened. */
bool file_journal_overtaken(const struct file_journal *j);
/* Appends a block, on the disk when this returns: an output of that size and digest holds these inputs. */
int file_journal_append(struct file_journal *j, uint64_t size, struct file_digest digest,
                        const struct journal_entry *entries, size_t n, struct apf_error *error);
/* Records that this process has replaced the output. */
void file_journal_renamed(struct file_journal *j);
/* Replaces all blocks by one block with these inputs; the output must be that of the last block. No block may be
 * appended afterwards. After a failure the journal only says more than is needed. */
void file_journal_rewrite(const struct file_journal *j, const struct journal_entry *entries, size_t n);
/* Unlocks the journal, and removes it unless it is still needed. */
void file_journal_close(struct file_journal *j, bool needed);

/* Whether the last part of a path names a journal or a temporary output, which are no inputs. */
bool file_name_is_ours(const char *name);

#endif
