/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes profiles of samples in memory: of the two programs of fuzz/profgen_programs.h, or of other ones. */
#ifndef HELPERS_SHARED_PROFGEN_MEMORY_H
#define HELPERS_SHARED_PROFGEN_MEMORY_H

#include <anyprof/profgen.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"

/* The programs, called "/x/mini" and "/x/lines". */
struct apf_input pm_probed(void);
struct apf_input pm_lined(void);

/* A program for x86-64 of one segment, which is mapped at its page from offset 0 on. */
struct pm_program {
    const uint8_t *code;
    size_t n_code;
    uint64_t address;
    const struct eb_symbol *symbols; /* their section is 1 */
    size_t n_symbols;
    const void *probes, *descs; /* NULL: it has none */
    size_t n_probes, n_descs;
};

/* The bytes of a program; the caller frees them. */
struct eb_bytes pm_build(const struct pm_program *p);
/* Appends a record of .pseudo_probe_desc. Returns its size. */
size_t pm_describe(uint8_t *to, const char *name, uint64_t hash);

/* What was made. Texts end with a zero, and are "" unless code is APF_OK. */
struct pm_made {
    int code;
    struct apf_error error;
    struct apf_profgen_funnel funnel;
    char *raw, *profile;
};

/* Reads a text of samples, writes its counts, and makes a profile. `options` may be NULL. */
void pm_make(struct pm_made *m, const struct apf_input *program, enum apf_profgen_input kind,
             const char *text, const struct apf_profgen_options *options);
/* Only the counts: a program without debug information and probes has no profile. */
void pm_count(struct pm_made *m, const struct apf_input *program, enum apf_profgen_input kind,
              const char *text, const struct apf_profgen_options *options);
void pm_free(struct pm_made *m);
/* Fails the test unless the profile, or the counts, of the text are these. */
void pm_check(const struct apf_input *program, enum apf_profgen_input kind, const char *text,
              const struct apf_profgen_options *options, const char *profile);
void pm_check_raw(const struct apf_input *program, enum apf_profgen_input kind, const char *text,
                  const struct apf_profgen_options *options, const char *raw);

#endif
