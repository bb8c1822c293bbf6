/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of an extbinary file. */
#ifndef SAMPLE_EXT_H
#define SAMPLE_EXT_H

#include "sample/binary/sample_parts.h"

/* How the functions of a context-sensitive file have their contexts. */
enum sample_context_form {
    SAMPLE_NO_CONTEXTS,      /* not context-sensitive */
    SAMPLE_CONTEXT_SECTION,  /* in a section of their own */
    SAMPLE_CONTEXT_NAMES,    /* LLVM 13: as text in the name table */
    SAMPLE_CONTEXTS_MISSING, /* not at all: llvm-profdata merge --split-layout leaves them out */
};

enum sample_context_form sample_ext_context_form(const struct sample_sections *sections);
/* The flags of a profile that the table of sections says, APF_SAMPLE_*. */
uint32_t sample_ext_flags(const struct sample_sections *sections);
/* Prepares a decoder for the functions of the file, by the table of sections and the options. */
void sample_ext_prepare(struct sample_decoder *d, const struct sample_sections *sections);
/* Reads the name table. The names are not copied nor interned. */
int sample_ext_names(struct sample_decoder *d, const struct sample_section *section, struct apf_error *error);

/* A frame of the context that was read last. */
struct sample_ext_frame {
    uint64_t at;            /* the place of the call in it */
    uint32_t name, context; /* numbers in the profile */
};

/* Frames of contexts, reused from context to context, because sorted ones have long beginnings in common. */
struct sample_ext_frames {
    VEC(struct sample_ext_frame) list;
};

/* Reads one context. */
int sample_ext_context(struct sample_decoder *d, struct sample_ext_frames *frames, uint32_t *context,
                       struct apf_error *error);
/* Reads the table of contexts, and interns all of them. */
int sample_ext_contexts(struct sample_decoder *d, struct apf_error *error);
/* Interns a context that LLVM 13 has written as the text of entry i of the name table; a
 * sample_decoder.intern_context. */
int sample_ext_context_text(struct sample_decoder *d, size_t i, uint32_t *context, struct apf_error *error);

/* How entries of metadata look. */
struct sample_metadata_form {
    bool has_checksums, has_attributes;
    bool has_inlined; /* entries end with those of inlined functions */
    bool skips;       /* entries are only passed, not stored, and no name is interned */
};

/* Finds the form of the section that is the decoder's part. No flag tells that of LLVM 12 and 13, whose files have no
 * section of contexts: entries without inlined functions. */
int sample_ext_metadata_form(struct sample_decoder *d, const struct sample_sections *sections,
                             const struct sample_section *section, struct sample_metadata_form *form,
                             struct apf_error *error);
/* Reads the checksums and attributes of a function at the top level, and of those inlined in it. All are sealed. */
int sample_ext_metadata_entry(struct sample_decoder *d, const struct sample_metadata_form *form,
                              struct apf_error *error);
/* Reads the whole section. */
int sample_ext_metadata(struct sample_decoder *d, const struct sample_sections *sections,
                        const struct sample_section *section, struct apf_error *error);

#endif
