/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is shown of source code: a file, or what a macro, an included file or an instantiation has of one, with its
 * lines and what belongs to each of them. */
#ifndef COV_SOURCE_VIEW_H
#define COV_SOURCE_VIEW_H

#include "cov/outputs.h"
#include "cov/source_text.h"

/* A function that is shown by itself, below its last line. */
struct view_instantiation {
    uint32_t line, function;
};

/* Decisions that end in one line: the text about them. */
struct view_decisions {
    uint32_t line;
    size_t from, to; /* in view_reader.text */
};

/* All zero = empty. */
struct source_view {
    bool whole; /* all lines of the file are shown, else only those of the view */
    struct source_text text;
    struct segments segments;
    /* What belongs to lines, in their order. */
    VEC(struct view_region) expansions;
    VEC(struct view_instantiation) instantiations;
    VEC(struct region) branches; /* `file` is the number of their block: rows of one line */
    VEC(struct view_decisions) decisions;
};

/* What is collected. */
enum { VIEW_EXPANSIONS = 1, VIEW_INSTANTIATIONS = 2, VIEW_BRANCHES = 4, VIEW_DECISIONS = 8 };

/* Reused from view to view. */
struct view_reader {
    const struct cov_output *o;
    const struct coverage *c;
    unsigned parts; /* VIEW_* */
    void (*write_decision)(const struct cov_output *o, struct file_out *out, const struct decision *d);
    struct source_texts texts;
    struct file_view file;
    struct cov_work work;
    uint32_t opened;        /* the number of the function that is open in `work`, plus 1; 0: none */
    struct apf_buffer text; /* about decisions */
    struct file_out *text_out;
    struct apf_error *error;
};

/* A reader of what the flags of an output ask for. */
struct view_reader view_reader_for(const struct cov_output *o,
                                   void (*write_decision)(const struct cov_output *o, struct file_out *out,
                                                          const struct decision *d));
/* Makes room for texts. view_reader_free must follow either way. */
int view_reader_init(struct view_reader *r);
void view_reader_free(struct view_reader *r);

/* Collects a whole file into an empty view. If its source cannot be read, v->text.there is false: nothing is set. */
int view_open_file(struct view_reader *r, struct source_view *v, uint32_t file);
/* Collects what a function has in its file number `number`; with its decisions, if these are wanted. */
int view_open_function(struct view_reader *r, struct source_view *v, uint32_t function, uint32_t number,
                       bool decisions);
/* The number of the main file among those of a function; UINT32_MAX: it has none. */
int view_main_file(struct view_reader *r, uint32_t function, uint32_t *number);
/* Drops a view, and, of a whole file, texts that were read for it. */
void view_close(struct view_reader *r, struct source_view *v);

/* Goes through the lines of a view. */
struct view_lines {
    const struct source_view *view;
    struct line_walk walk;
    struct source_lines lines;
    struct line_run run;           /* of the line */
    const struct segment *wrapped; /* in which the line begins, or NULL */
    uint64_t line;
    struct apf_str text;
    bool ended; /* no more lines have counts */
    /* The next ones of what belongs to lines. */
    size_t expansion, instantiation, branch, decision;
};
struct view_lines view_lines_of(const struct source_view *v);
/* Goes to the next line; false: there is none. */
bool view_lines_next(struct view_lines *l);

/* A part of the line. */
struct view_piece {
    struct apf_str text;
    bool missed;                  /* it is code that never ran */
    const struct segment *begins; /* after it; NULL: the line ends */
};
struct view_pieces {
    const struct view_lines *lines;
    const struct segment *wrapped;
    size_t column, i;
    bool ended;
};
struct view_pieces view_pieces_of(const struct view_lines *l);
bool view_pieces_next(struct view_pieces *p, struct view_piece *piece);
/* Whether what a segment begins is code that never ran. */
static inline bool segment_is_missed(const struct segment *s)
{
    return s && s->has_count && !s->count && !s->is_gap;
}

/* The next expansion, and so on, that belongs to the line; NULL: none. */
const struct view_region *view_next_expansion(struct view_lines *l);
const struct view_instantiation *view_next_instantiation(struct view_lines *l);
const struct region *view_next_branch(struct view_lines *l);
const struct view_decisions *view_next_decisions(struct view_lines *l);

#endif
