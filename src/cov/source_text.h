/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source files, whose names may be replaced. */
#ifndef COV_SOURCE_TEXT_H
#define COV_SOURCE_TEXT_H

#include <anyprof/cov.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"

struct source_text {
    uint32_t file;
    bool there;    /* else it cannot be read */
    int sys_errno; /* why not; 0: it is no regular file, or too large */
    struct apf_str bytes;
    const size_t *marks; /* where each SOURCE_MARK_LINES lines begin, the first of them with line 1 */
    size_t n_marks;
    uint64_t n_lines;
};
#define SOURCE_MARK_LINES 256u

/* Those that were read lately. All zero, but for the replacements and the callback: empty. */
struct source_texts {
    const struct apf_name_change *changes; /* of beginnings of names; of several, the last that fits counts */
    size_t n_changes;
    apf_cov_source_fn *source; /* NULL, or gets each file when it is looked for first */
    void *user;                /* of source */
    VEC(uint8_t) reported;     /* for each number of a file: whether `source` has got it */
    VEC(struct source_text) list;
    uint64_t max_bytes; /* of a file; 0: 256 MiB */
    uint64_t kept;      /* bytes */
    struct arena arena;
};

/* Reads a file, with the number `file` and this name. Its bytes stay until the texts are dropped. APF_NO_MEMORY. */
int source_texts_read(struct source_texts *t, uint32_t file, struct apf_str name, struct source_text *text,
                      struct apf_error *error);
/* Passes a file to the callback, if there is one, and it was not before. APF_NO_MEMORY. */
int source_texts_report(struct source_texts *t, struct apf_str name, const struct source_text *text,
                        struct apf_error *error);
/* Drops all texts. */
void source_texts_drop(struct source_texts *t);
/* Drops them, and forgets which files were reported. */
void source_texts_free(struct source_texts *t);

/* Goes through the lines of a text. */
struct source_lines {
    const char *at, *end;
};
static inline struct source_lines source_lines_of(const struct source_text *text)
{
    const struct source_lines lines = {text->bytes.p, ENTRY_AT(text->bytes.p, text->bytes.n)};
    return lines;
}
/* The lines from `first` on, which begin with 1; *line becomes the number of the first one. That is `first`, or one a
 * little before it. */
struct source_lines source_lines_near(const struct source_text *text, uint64_t first, uint64_t *line);
/* The next line, without its end; false: there is none. */
bool source_lines_next(struct source_lines *lines, struct apf_str *line);
/* Writes a line, or a part of it, that cannot change colours: all control characters but tabs are escaped. */
void source_line_write(struct file_out *out, struct apf_str text);

#endif
