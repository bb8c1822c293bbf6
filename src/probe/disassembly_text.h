/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the lines of a disassembly with probes, byte for byte those of llvm-profgen. */
#ifndef PROBE_DISASSEMBLY_TEXT_H
#define PROBE_DISASSEMBLY_TEXT_H

#include "object/disassembler.h"
#include "object/source_lines.h"
#include "probe/name_budget.h"

struct listing_text {
    const struct apf_probes *probes;
    struct file_out *out;
    struct name_budget names;
    bool canonical;   /* names are shown without suffixes */
    bool with_probes; /* probes are shown; source locations then have probe numbers instead of lines */
    bool failed;      /* a write failed, and later ones are dropped */
};

/* The name that is shown of a symbol or a function. */
struct apf_str listing_name(const struct listing_text *t, struct apf_str name);
void listing_descs(struct listing_text *t);
void listing_file(struct listing_text *t, const char *name);
void listing_section(struct listing_text *t, const struct elf_section *section);
void listing_label(struct listing_text *t, const char *name);
void listing_end_label(struct listing_text *t);
void listing_probe(struct listing_text *t, const struct apf_probe *probe);
/* Write an instruction in three steps; the locations may be left out. */
void listing_instruction(struct listing_text *t, uint64_t address, const struct instruction *instruction,
                         size_t *columns);
void listing_locations(struct listing_text *t, const struct source_frame *frames, size_t n, size_t columns);
void listing_end_instruction(struct listing_text *t);

#endif
