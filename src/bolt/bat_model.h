/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table that was read: shared by the files about it. */
#ifndef BOLT_BAT_MODEL_H
#define BOLT_BAT_MODEL_H

#include <stdbool.h>

#include <anyprof/bat.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/sort.h"
#include "base/vec.h"
#include "object/elf_file.h"

#define BAT_SECTION ".note.bolt_bat"

/* The symbol of a function in the output. */
struct bat_symbol {
    uint64_t address, size;
    const char *name;
    uint32_t n;     /* bytes of the name */
    uint32_t order; /* among those of one name, as in .symtab */
    uint64_t end;   /* of its section; only in the input */
};

/* The input, the program that BOLT was given. */
struct bat_original {
    struct elf_file *elf;
    VEC(struct bat_symbol) symbols; /* in the order of .symtab */
    struct sort_key *functions; /* numbers of the hot fragments that were found, by address in the input */
    size_t n;
    uint64_t *sizes; /* of all hot fragments' functions */
};

struct apf_bat {
    struct apf_bat_info info;
    struct elf_file *elf; /* NULL: a section alone */
    struct file_bytes file;
    struct arena arena;
    const uint8_t *section;
    VEC(struct apf_bat_fragment) fragments;
    VEC(struct apf_bat_entry) entries;
    VEC(uint32_t) secondary;
    VEC(struct bat_symbol) symbols; /* by address; those at one address in the order of .symtab */
    uint32_t *by_address;           /* numbers of the fragments, */
    uint64_t *starts;               /* and their addresses */
    struct bat_original original;
    struct sort_key *blocks; /* numbers of the block entries, by bat_block_key */
    size_t n_blocks;
};

/* By function, and in it by input offset. */
static inline uint64_t bat_block_key(uint32_t function, uint32_t input)
{
    return (uint64_t)function << 32 | input;
}

/* The note: its header, the payload, padding. */
#define BAT_NOTE_NAME "BOLT" /* with the zero behind it */
#define BAT_NOTE_HEADER ((size_t)20)
#define BAT_NOTE_TYPE 1u

/* Whether bytes begin with such a note, in either byte order. */
bool bat_note_begins(const uint8_t *section, size_t n);
/* Finds the payload of a section. APF_BAD_BAT: it is no such note. */
int bat_note_open(const uint8_t *section, size_t n, struct cursor *payload, struct apf_error *error);

/* Decode a payload, which is what is left of a cursor over the section, into fragments, entries and so on. The cursor
 * then stands behind the tables. info.encoding says which numbers of LEB128 they are. */
int bat_decode_tables(struct apf_bat *bat, struct cursor *c, struct apf_error *error);
int bat_decode_fixed(struct apf_bat *bat, struct cursor *c, struct apf_error *error);

/* What takes bytes of a payload. */
enum bat_field {
    BAT_FIELD_ADDRESS,       /* of fragments */
    BAT_FIELD_PARENT,        /* of cold fragments, and their skew */
    BAT_FIELD_FUNCTION_HASH, /* 8 bytes for each function */
    BAT_FIELD_COUNT,         /* of fragments, blocks and entries */
    BAT_FIELD_SECONDARY,     /* secondary entry points, and how many */
    BAT_FIELD_EQUAL,         /* prefixes: lengths and bits for branches */
    BAT_FIELD_OUTPUT,
    BAT_FIELD_INPUT,
    BAT_FIELD_BLOCK_HASH, /* 8 bytes for each block entry */
    BAT_FIELD_BLOCK,      /* numbers of blocks */
    BAT_FIELDS
};
/* Bytes of each field in the current encoding. */
int bat_count_bytes(const struct apf_bat *bat, uint64_t bytes[BAT_FIELDS], struct apf_error *error);

/* How many symbols are at or below an address. */
size_t bat_symbols_up_to(const struct apf_bat *bat, uint64_t address);
/* The symbol that llvm-bat-dump finds for an address: the nearest one at or below, of several the last one. NULL: there
 * is none. */
const struct bat_symbol *bat_find_symbol(const struct apf_bat *bat, uint64_t address);

/* Reads bat->symbols, and names the fragments by them. */
int bat_read_symbols(struct apf_bat *bat, struct apf_error *error);
/* Sorts the names of symbols, which are in the order of .symtab, and fills their `order`. NULL: allocation failed. */
struct sort_name *bat_sort_names(struct bat_symbol *symbols, size_t n, struct arena *arena);
void bat_original_free(struct bat_original *original);

#endif
