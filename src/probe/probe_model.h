/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The model of opened probes, which the files of this room share. */
#ifndef PROBE_PROBE_MODEL_H
#define PROBE_PROBE_MODEL_H

#include <stdbool.h>

#include <anyprof/probe.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash_index.h"
#include "base/sort.h"
#include "base/vec.h"
#include "object/elf_file.h"

/* The start of a function's code. */
struct probe_symbol {
    uint64_t guid, address, size;
    const char *name; /* n bytes */
    size_t n;
    uint32_t section; /* objects: the section of the code */
    uint32_t within;  /* the last symbol of its GUID in this section; 0: in all */
};

/* A number stored in more bytes than it needs. */
struct probe_padding {
    uint64_t offset;
    uint32_t section, bytes;
    bool in_descs;
};

/* A sentinel: stored like a probe, but none. */
struct probe_sentinel {
    uint64_t offset;
    uint64_t guid; /* or a distance, which LLVM never writes */
    uint32_t next; /* number of the probe that follows */
    uint32_t node;
    uint32_t id, discriminator;
    uint8_t packed; /* as in the section */
};

struct probe_section {
    const uint8_t *data;
    size_t n;
    uint32_t index;       /* of the ELF section; else its place in the list */
    uint32_t text;        /* objects: the section of its code if the section is linked to it, else 0 */
    uint32_t relocations; /* objects: the section of its relocations; else 0 */
    bool has_descs, comdat;
    const char *group;     /* name of its group in an object; NULL: none */
    struct apf_str source; /* the name of its file */
    size_t first, count;   /* its nodes, or its descriptors in the order of the sections */
};

struct apf_probes {
    struct apf_probes_info info;
    struct elf_file *elf; /* NULL: sections alone */
    struct file_bytes files[2];
    struct arena arena;
    bool swap;             /* the byte order is not the host's */
    uint64_t max_bytes;    /* limit for inflating a section */
    uint32_t chained_from; /* old_encoding: the first node after the first literal address */
    VEC(struct probe_section) sections;
    VEC(struct apf_probe_desc) descs;
    VEC(struct apf_probe_node) nodes;
    VEC(struct apf_probe) probes;
    VEC(struct probe_symbol) symbols;
    VEC(struct probe_sentinel) sentinels; /* in the order of the sections */
    VEC(struct probe_padding) paddings;   /* those of descriptors first */
    VEC(struct apf_error) damages;        /* damage that was skipped */
    struct hash_index desc_index, symbol_index;
    uint32_t *desc_places; /* places of the descriptors in the order of the sections; NULL: not sorted yet */
    uint32_t *section_order; /* numbers of the sections, those of probes first */
    uint32_t *by_address;    /* numbers of the placed probes */
    size_t n_placed;
    uint32_t *by_guid; /* numbers of the nodes, by GUID */
};

/* The state of opening. */
struct probe_reader {
    struct apf_probes *probes;
    bool keep_going, any_program;
    const struct apf_options *options;
    struct apf_str source;
    struct apf_error *error;
    uint64_t max_records, max_depth;
    bool in_descs;   /* the section that is being read has descriptors */
    bool several[2]; /* the file has several sections of probes, of descriptors: messages say which one */
};

/* Reports damage: a finding (APF_OK) if the reader keeps going, else the error. */
int probe_damage(struct probe_reader *r, const struct apf_error *damage);
/* Reports damage in a section. */
int probe_damage_in(struct probe_reader *r, const struct probe_section *section, struct apf_error *damage);
/* Reports a failure to read the file as damage, unless it always ends the work. */
int probe_damage_of_file(struct probe_reader *r, const struct apf_error *failure);

/* Checks that one more entry is allowed. */
static inline int probe_check_limit(const struct probe_reader *r, const char *where, uint64_t n,
                                    uint64_t limit)
{
    struct error_at at = {where, NO_OFFSET, n + 1, limit};
    return LIKELY(n < limit) ? APF_OK : error_at(r->error, APF_LIMIT, at, "too many");
}

/* The section with a number; numbers ascend. NULL: no section of probes or descriptors. */
struct probe_section *probe_section_with(const struct apf_probes *p, uint32_t index);
/* Fills probes->symbols from .symtab; a damaged .symtab counts as empty. */
int probe_read_symbols(struct probe_reader *r);
/* The symbol where the code of a GUID starts: the last one in the section `text` (0: any) or, if there is none, the
 * last of all. NULL: none. */
const struct probe_symbol *probe_find_symbol(const struct apf_probes *probes, uint64_t guid, uint32_t text);

/* The address from which the distances of a top-level record count. Without a symbol it is, as in llvm-profgen, the end
 * of the record before; in sections alone 0. */
static inline uint64_t probe_start(const struct apf_probes *probes, const struct probe_symbol *symbol,
                                   uint64_t before)
{
    if (symbol)
        return symbol->address;
    return probes->elf ? before : 0;
}

/* Whether the addresses of a top-level record continue those of the record before, wherever its function is. */
static inline bool probe_is_chained(const struct apf_probes *probes, uint32_t node)
{
    return probes->info.old_encoding && node >= probes->chained_from;
}

/* Decode a section, and append its entries to the model. */
int probe_read_descs(struct probe_reader *r, struct probe_section *section);
int probe_read_section(struct probe_reader *r, struct probe_section *section);
/* The section of the code a probe is in; objects only. */
static inline uint32_t probe_text(const struct apf_probes *probes, uint32_t probe)
{
    return probes->nodes.data[probes->probes.data[probe].node].text;
}
/* Sorts numbers of probes by that section, stable. False: an allocation failed. */
bool probe_sort_by_text(const struct apf_probes *probes, uint32_t *order, size_t n) MUST_USE;

/* The hashes of a function in two files. Each file may have several descriptors of it, in the linker's order: if both
 * files have equal hashes, the first one counts for both; else a hash that the other file lacks, if there is one.
 * Without a descriptor a file's hash stays unchanged. */
void probe_compare_hashes(const struct apf_probes *const files[2], uint64_t guid, uint64_t hashes[2]);

/* Sorts and indexes the model. */
int probe_index(struct apf_probes *probes, struct apf_error *error);

#endif
