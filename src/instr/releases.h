/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each LLVM release writes and reads, as a table. A new release is one more row. */
#ifndef INSTR_RELEASES_H
#define INSTR_RELEASES_H

#include <stdbool.h>
#include <stdint.h>

#include <anyprof/instr.h>

#include "instr/symbols.h"

struct release {
    const char *name;
    uint32_t raw_version;     /* what its programs write */
    uint32_t indexed_version; /* what its llvm-profdata writes, and the newest its compiler reads */
    uint32_t value_kinds;     /* kinds its readers accept */
    char separator;           /* between file and name of a local function in IR profiles */
    uint64_t variants;        /* variant bits it knows */
    uint8_t memprof_first, memprof_last; /* versions of MemProf data that it reads ... */
    uint8_t memprof_usual;               /* ... and the one that it writes */
    uint8_t memprof_fields;              /* fields of it that it knows, from 1; 0: it knows no MemProf */
};

unsigned release_count(void);
const struct release *release_row(unsigned release);
/* The newest of a set of releases (a bit each); the set must not be empty. */
unsigned release_newest(uint64_t set);
/* Those of a set that cannot read an indexed version. */
uint64_t releases_too_old(uint64_t set, uint32_t indexed_version);
bool release_reads(unsigned release, uint32_t indexed_version);
bool release_reads_memprof(unsigned release, uint64_t memprof_version);
/* The front-end's hash scheme that an indexed version stands for: 0 .. 4. */
unsigned hash_scheme(uint32_t indexed_version);
/* The lowest indexed version that stands for the same scheme. */
uint32_t hash_scheme_lowest(uint32_t indexed_version);
/* The highest one. */
uint32_t hash_scheme_highest(uint32_t indexed_version);
/* Whether a front end's hash is a digest of the control flow. That of up to ten parts is not: all releases since 12
 * make the same of it. */
bool hash_is_digest(uint64_t hash);
/* Of the releases that may have made a front-end profile without digests, those to choose a version by: the oldest
 * scheme among those that differ in digests only. */
uint64_t releases_without_digests(uint64_t set);
/* The separator that consumers of an indexed version expect. */
char separator_of_version(uint32_t indexed_version);

/* What a profile tells of the releases that may have made it. */
struct release_clues {
    int32_t format;
    uint32_t version;
    uint64_t variant;
    uint64_t hash_bits;      /* all hashes, ORed: front-end hashes of LLVM 22 have 60 bits */
    uint32_t max_kinds;      /* raw: entries in the array of site counts; else highest kind with sites + 1 */
    uint64_t digests;        /* how many of the hashes are digests, if they are a front end's */
    bool semicolons, colons; /* separators in the names of local functions */
};

void release_clues_names(struct release_clues *c, const struct symbols *names);
/* Adds what another profile of the same file tells; format, version and variant stay those of the first. */
void release_clues_join(struct release_clues *to, const struct release_clues *from);
/* The releases that may have written a profile, a bit each. 0 for text and for what no release writes. */
uint64_t releases_that_made(const struct release_clues *c);
/* The releases that can read it: raw profiles exactly those that write the version; indexed ones those that know the
 * version and the kinds of values, and read its MemProf section (its version, or UINT64_MAX: there is none). None of
 * those misses a variant bit that says how counts are stored. 0 for text, which all read. */
uint64_t releases_that_read(const struct release_clues *c, uint64_t memprof_version);
/* Where a local name of an IR profile is split: position of the separator, or 0 when the name is not local. */
size_t local_name_split(const char *name, size_t n, char separator);

/* What an output will be, once the target is known. */
struct target_choice {
    uint32_t version;
    char separator;       /* '\0': names stay as they are */
    uint32_t value_kinds; /* kinds that may be written */
    uint64_t variants;    /* variant bits that may be written */
};

/* An explicit target; `auto` is decided by the merge. */
struct target_choice target_choose(const struct apf_target *target);

#endif
