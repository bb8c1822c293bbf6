/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names in partial profiles: sorted by id, each once, with the classes of the inputs that have it. */
#ifndef INSTR_PARTIAL_NAMES_H
#define INSTR_PARTIAL_NAMES_H

#include "instr/model/symbols.h"
#include "partial/partial_read.h"
#include "partial/partial_write.h"

/* The sections, of names of functions and of vtables. */
#define PARTIAL_NAMES 20u
#define PARTIAL_VTABLES 30u

struct partial_names_writer {
    struct partial_writer *file;
    uint64_t last; /* id of the last name */
};

/* Writes a name; names must come in their order. */
void partial_write_name(struct partial_names_writer *w, const struct symbol *name);

struct partial_names_reader {
    struct partial_reader *file;
    uint8_t section;
    uint64_t last; /* id of the last name */
    bool any;
    bool trusts; /* that ids are those of the names: they were checked before */
};

/* Reads the next name, if *more. Its text is in the block; without text, the id stands for several names and so for
 * none. APF_BAD_PARTIAL. */
int partial_read_name(struct partial_names_reader *r, struct symbol *name, bool *more,
                      struct apf_error *error);

#endif
