/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From addresses to lines of the source, through libdw. */
#ifndef OBJECT_SOURCE_LINES_H
#define OBJECT_SOURCE_LINES_H

#include "object/debug_files.h"

struct source_lines;

/* A function that contains an address, inlined or not. Names are borrowed. */
struct source_frame {
    const char *function; /* its linkage name, else its name; NULL: none */
    uint32_t line;        /* line of the address, or of the call of the frame before; 0: unknown */
    uint32_t first_line;  /* of the function */
    uint32_t class_line;  /* of its class, if first_line is unknown, as of a lambda; 0: unknown */
    uint32_t discriminator;
    uint32_t file, unit; /* for source_lines_file */
    bool statement;      /* the innermost function's: a statement begins in the row of the address */
    uint32_t first_file; /* for source_lines_first_file; 0: unknown */
    uint64_t first_table;
};

/* What lookups needed and did not find. */
struct source_missing {
    uint32_t n_tables; /* tables of lines that are damaged, or not there */
    uint32_t n;        /* number of units whose split DWARF was not found */
    uint32_t n_other; /* those of them for which a file was found that has other units, as of another build */
    char name[128];   /* of the first one's file */
};

/* Where DWARF is looked for. */
struct source_places {
    const struct debug_files *files; /* of the program, open while the lines are */
    const char *path;                /* the program's (borrowed; NULL: unknown) */
    const char *package;             /* with its split DWARF (borrowed); NULL: as dwarf_split.h says */
};

/* Reads the DWARF of a linked file; its sections may unpack to max_bytes. Without DWARF nothing is found. Split DWARF
 * is searched for in packages, where the compiler wrote it, and beside the program. */
int source_lines_open_in(struct source_lines **result, const struct elf_file *elf,
                         const struct source_places *places, uint64_t max_bytes, struct apf_error *error);
/* source_lines_open_in, with the debug files that debug_files_open finds without options. `path` is the program's
 * (borrowed; NULL: unknown). */
int source_lines_open(struct source_lines **result, const struct elf_file *elf, const char *path,
                      uint64_t max_bytes, struct apf_error *error);
const struct source_missing *source_lines_missing(const struct source_lines *s);
/* The number of entries, in the units that lookups needed, whose children are deeper than DWARF_MOST_DEPTH: what is
 * inlined there is taken to be of the function around it. */
uint64_t source_lines_too_deep(const struct source_lines *s);
/* Whether the file has debug information that libdw can read. */
bool source_lines_any(const struct source_lines *s);
void source_lines_close(struct source_lines *s);
/* Which compiler unit number i is of, in its words (borrowed); "": it does not say. NULL: there are not so many. */
const char *source_lines_producer(const struct source_lines *s, size_t i);
/* Calls `each` for each range [low, high) of each function in the debug information, in its order. Names are borrowed.
 * A result other than APF_OK ends the walk and is returned. */
typedef int source_function_fn(void *user, const char *name, uint64_t low, uint64_t high);
int source_lines_functions(struct source_lines *s, source_function_fn *each, void *user,
                           struct apf_error *error);
/* The functions of an address, innermost first; valid until the next call. *n is 0 where nothing is known;
 * where only the line is, there is one frame without a function. */
int source_lines_at(struct source_lines *s, uint64_t address, const struct source_frame **frames, size_t *n,
                    struct apf_error *error);

/* The file of a frame's line, relative to the directory of the compilation; both texts are borrowed. *name is NULL
 * where it is unknown, and *directory is "" where the name is complete. */
int source_lines_file(struct source_lines *s, const struct source_frame *frame, const char **directory,
                      const char **name, struct apf_error *error);
/* The same of first_line. */
int source_lines_first_file(struct source_lines *s, const struct source_frame *frame, const char **directory,
                            const char **name, struct apf_error *error);

#endif
