/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The readers of object files, of which each fills in a struct cov_sections. */
#ifndef COV_SECTION_READERS_H
#define COV_SECTION_READERS_H

#include "cov/sections.h"

/* An object while its sections are found. */
struct section_reader {
    struct cov_sections *sections;
    struct section_bytes fallback; /* the names of a program that was built for correlation */
    uint64_t fallback_address;
    /* bytes that sections of functions may have together; 0: ELF, whose reader counts them */
    uint64_t most_functions;
    struct apf_error *error;
};

/* Takes a section if it is one of coverage. `name` is what it is called in the format: "__llvm_covmap", or, in COFF
 * ".lcovmap", with what follows it. APF_BAD_COVERAGE: there are two of a kind. */
int section_take(struct section_reader *r, struct apf_str name, struct section_bytes bytes, uint64_t address);

/* Whether section_take takes a section with this name. */
bool section_is_taken(struct apf_str name);
/* Ends the work, when all sections were seen. */
void sections_finish(struct section_reader *r);

/* These say by the first bytes whether an image is of their format, and read it. The sections are in the image. */
bool macho_is(const uint8_t *p, size_t n);
int macho_read(struct section_reader *r, const uint8_t *p, size_t n);
bool coff_is(const uint8_t *p, size_t n);
int coff_read(struct section_reader *r, const uint8_t *p, size_t n);
bool covtest_is(const uint8_t *p, size_t n);
int covtest_read(struct section_reader *r, const uint8_t *p, size_t n);

/* An image in a universal file of Mach-O, or a member of an archive. */
struct container_entry {
    struct apf_str name;
    const uint8_t *p;
    size_t n;
    const char *path;       /* a member of a thin archive: its file; else NULL */
    uint32_t cpu, cpu_kind; /* of an image: the numbers of its processor */
};

/* Whether an image is for an architecture, such as "arm64". */
bool macho_is_for(uint32_t cpu, uint32_t cpu_kind, const char *architecture);
bool archive_is(const uint8_t *p, size_t n);
bool universal_is(const uint8_t *p, size_t n);
/* Calls `each` for the entries that may be objects; a result that is not APF_OK ends the walk. `path` is the file's,
 * for members of thin archives; NULL: it is in memory. APF_BAD_COVERAGE: the container is damaged. */
int archive_walk(const uint8_t *p, size_t n, const char *path,
                 int (*each)(void *user, const struct container_entry *entry), void *user,
                 struct apf_error *error);
int universal_walk(const uint8_t *p, size_t n, int (*each)(void *user, const struct container_entry *entry),
                   void *user, struct apf_error *error);

#endif
