/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The address translation table in memory, for bat_*.c and the conversion of samples. */
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

/* The symbol of a function in the output, or in the input. */
struct bat_symbol {
    uint64_t address, size;
    const char *name;
    uint32_t n;     /* bytes of the name */
    uint32_t order; /* among the symbols of one name, as in .symtab */
    uint32_t place; /* in .symtab */
    bool is_typed;  /* its type is that of a function */
    /* 1 + number of the last symbol with that type up to here; 0: none. Set only in the output. */
    uint32_t typed;
};

/* A vector. */
struct bat_symbols {
    struct bat_symbol *data;
    size_t n, capacity;
};

/* The input: the program that BOLT rewrote. */
struct bat_original {
    struct elf_file *elf;
    struct bat_symbols symbols; /* in the order of .symtab */
    struct sort_key *functions; /* numbers of the hot fragments that were found, by address in the input */
    size_t n;
    uint64_t *sizes; /* sizes of the functions of all hot fragments */
};

struct apf_bat {
    struct apf_bat_info info;
    struct elf_file *elf; /* NULL: opened from a section alone */
    struct file_bytes file;
    struct arena arena;
    const uint8_t *section;
    bool has_table; /* false: see bat_open_program */
    VEC(struct apf_bat_fragment) fragments;
    VEC(struct apf_bat_entry) entries;
    VEC(uint32_t) secondary;
    /* by address; at one address typed ones first, then in the order of .symtab */
    struct bat_symbols symbols;
    uint32_t *by_address; /* numbers of the fragments by address */
    uint64_t *starts;     /* their addresses, in that order */
    struct bat_original original;
    struct sort_key *blocks; /* numbers of the block entries, by bat_block_key */
    size_t n_blocks;
};

/* apf_bat_open for any program: one without the section has an empty table. */
int bat_open_program(struct apf_bat **bat, const struct apf_input *input, const struct apf_options *options,
                     struct apf_error *error);

/* Orders block entries by function, and in a function by input offset. */
static inline uint64_t bat_block_key(uint32_t function, uint32_t input)
{
    return (uint64_t)function << 32 | input;
}

/* The note consists of a header, the payload and padding. */
#define BAT_NOTE_NAME "BOLT" /* stored with its zero */
#define BAT_NOTE_HEADER ((size_t)20)
#define BAT_NOTE_TYPE 1u

/* Finds the payload of a section. APF_BAD_BAT: it is no note of BOLT. */
int bat_note_open(const uint8_t *section, size_t n, struct cursor *payload, struct apf_error *error);

/* Decode the payload, the rest of a cursor over the section, into fragments, entries and so on, and leave the cursor
 * after the tables. info.encoding selects the encoding of bat_decode_tables. */
int bat_decode_tables(struct apf_bat *bat, struct cursor *c, struct apf_error *error);
int bat_decode_fixed(struct apf_bat *bat, struct cursor *c, struct apf_error *error);

/* Parts of a payload, by which its bytes are counted. */
enum bat_field {
    BAT_FIELD_ADDRESS,       /* addresses of fragments */
    BAT_FIELD_PARENT,        /* functions of cold fragments, and skews */
    BAT_FIELD_FUNCTION_HASH, /* 8 bytes for each function */
    BAT_FIELD_COUNT,         /* numbers of fragments, blocks and entries */
    BAT_FIELD_SECONDARY,     /* secondary entry points, and their number */
    BAT_FIELD_EQUAL,         /* prefixes: lengths and bits for branches */
    BAT_FIELD_OUTPUT,
    BAT_FIELD_INPUT,
    BAT_FIELD_BLOCK_HASH, /* 8 bytes for each block entry */
    BAT_FIELD_BLOCK,      /* numbers of blocks */
    BAT_FIELDS
};
/* Counts the bytes of each field in the current encoding. */
int bat_count_bytes(const struct apf_bat *bat, uint64_t bytes[BAT_FIELDS], struct apf_error *error);

/* The number of symbols at or below an address. */
size_t bat_symbols_up_to(const struct apf_bat *bat, uint64_t address);
/* The symbol that llvm-bat-dump finds for an address: the nearest typed one at or below the address, the last one of
 * several. NULL: there is none. */
const struct bat_symbol *bat_find_symbol(const struct apf_bat *bat, uint64_t address);

/* Collects the symbols of functions, in the order of .symtab: those that have the type of one, and those that begin
 * one. `measure`: the size of a symbol without one becomes that of its function. */
int bat_collect_symbols(const struct elf_file *elf, bool measure, struct bat_symbols *symbols,
                        struct apf_error *error);
/* Reads bat->symbols, and names the fragments after them. */
int bat_read_symbols(struct apf_bat *bat, struct apf_error *error);
/* Sorts the names of symbols, which are in the order of .symtab, and fills in their `order`. NULL: allocation
 * failed. */
struct sort_name *bat_sort_names(struct bat_symbol *symbols, size_t n, struct arena *arena);
void bat_original_free(struct bat_original *original);

#endif
