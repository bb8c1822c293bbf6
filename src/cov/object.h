/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the sections of an object: which functions it has, and where their mappings and names are. */
#ifndef COV_OBJECT_H
#define COV_OBJECT_H

#include "base/name_chunks.h"
#include "base/text_set.h"
#include "cov/file_names.h"
#include "cov/mapping_versions.h"
#include "cov/names.h"
#include "cov/sections.h"

/* A function. Its mapping is decoded when it is needed. */
struct cov_record {
    uint64_t hash;
    const uint8_t *mapping;
    uint32_t size;
    uint32_t unit; /* whose list of files its mapping is about */
    uint32_t name; /* its number */
};

/* The list of files of a unit. */
struct cov_unit {
    uint64_t ref;      /* the first 8 bytes of the MD5 of the stored list */
    uint32_t first, n; /* in cov_object.unit_files */
    bool ambiguous;    /* another list has the same ref, so that none can be told from the other */
};

/* An object. The bytes of mappings belong to its file. All zero = empty. */
struct cov_object {
    const struct cov_sections *sections;
    uint32_t program;                      /* set by the caller: number of the file that it is in */
    const struct mapping_version *version; /* NULL: no unit was read */
    VEC(struct cov_unit) units;            /* by ref */
    VEC(uint32_t) unit_files;              /* numbers of names */
    VEC(struct cov_record) records;
};

/* What makes names of source files. */
struct cov_name_rules {
    struct apf_str compilation_dir; /* n == 0: that in the object */
    bool has_compilation_dir;
    enum names_style style;                /* NAMES_BY_DRIVE: in COFF, NAMES_OF_WINDOWS */
    const struct apf_name_change *changes; /* of beginnings; see file_names_change */
    size_t n_changes;
};

/* The names of all objects. */
struct cov_tables {
    struct cov_names *names;
    struct text_set *files;
    const struct cov_name_rules *rules;
};

/* Reads an object. `number` counts objects from 1. *budget is what its names may inflate to, and becomes what is left
 * of that. APF_COVERAGE_VERSION, APF_BAD_COVERAGE, APF_MALFORMED (see cov_names_add), APF_LIMIT, APF_NO_MEMORY.
 * cov_object_free must follow either way. */
int cov_object_read(struct cov_object *o, const struct cov_sections *sections, uint32_t number,
                    const struct cov_tables *tables, uint64_t *budget, struct apf_error *error);
void cov_object_free(struct cov_object *o);

#endif
