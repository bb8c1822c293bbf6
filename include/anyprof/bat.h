/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file bat.h
 * BOLT address translation (BAT): the section .note.bolt_bat of programs that BOLT wrote with --enable-bat.
 *
 * The *input* is the program BOLT was given, the *output* the one it wrote, which runs and is sampled. BOLT cuts a
 * function of the input into *fragments*: contiguous pieces of the output. The *hot* one has the function's symbol, all
 * others are *cold*. The table has for each fragment *entries*, which say what offset in the function an offset in the
 * fragment comes from: where a basic block begins, or where a branch (or another instruction that BOLT followed) is.
 *
 * Unless a comment says otherwise, offsets in the output are bytes from the start of the fragment, and offsets in the
 * input are bytes from the start of the function. docs/formats/bat.md describes the sections.
 */
#ifndef ANYPROF_BAT_H
#define ANYPROF_BAT_H

#include <anyprof/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A table that was opened. One thread at a time may use it: some calls read the program's other sections. */
struct apf_bat;

/** The encoding of a table. The section does not name it: it is the one that decodes the section without a rest. */
enum apf_bat_encoding {
    APF_BAT_ENCODING_CURRENT = 0, /**< BOLT 19 and later: hashes, block numbers, secondary entry points */
    APF_BAT_ENCODING_LEB =
        1, /**< BOLT 18: LEB128 numbers, without hashes, block numbers and secondary entry points */
    APF_BAT_ENCODING_FIXED = 2 /**< BOLT 15 to 17: numbers of fixed width, and as in BOLT 18 */
};

#define APF_BAT_NONE UINT32_MAX

struct apf_bat_info {
    uint32_t encoding;      /**< enum apf_bat_encoding */
    uint32_t n_hot, n_cold; /**< fragments */
    uint64_t n_entries;     /**< entries of all fragments */
    uint64_t n_secondary;   /**< secondary entry points of all functions */
    uint64_t section_bytes; /**< with the note's header and padding */
    uint64_t payload_bytes; /**< bytes of the tables */
    /** bytes after the tables that are no padding: BOLT ignores such bytes, and never writes any */
    uint64_t rest_bytes;
    uint64_t section_offset; /**< offset of the section in the file; 0: a section alone */
    uint64_t file_bytes;
    uint32_t elf_machine; /**< 0: a section alone */
    /** symbols of functions in .symtab; without them sizes and names of fragments are unknown */
    uint32_t n_symbols;
};

/** A fragment. Hot ones come first, both kinds in the order of the section, which is that of their addresses. */
struct apf_bat_fragment {
    uint64_t address; /**< in the output */
    uint64_t input; /**< hot: address of the function in the input, after apf_bat_read_original; 0: unknown */
    uint64_t size;  /**< bytes of its code, as its symbol says; 0: unknown */
    struct apf_str name; /**< of its symbol; n == 0: unknown */
    /** number of the hot fragment of its function, which may be itself; APF_BAT_NONE: unknown (BOLT 18 wrote other
     * numbers, a bug) */
    uint32_t function;
    uint32_t is_cold; /**< 0 or 1 */
    uint32_t first_entry, n_entries;
    uint32_t first_secondary,
        n_secondary;   /**< hot: input offsets of other entry points; see apf_bat_secondary */
    uint32_t n_blocks; /**< hot: basic blocks of the function in the input; 0: unknown */
    uint32_t skew;     /**< cold: input offset of its first entry, as stored */
    /** number of entries, from the first one on, that store no input offset: it is output + skew */
    uint32_t n_equal;
    uint64_t hash;          /**< hot: BOLT's hash of the function in the input; 0: unknown */
    uint64_t offset, bytes; /**< the bytes that encode it, in the section */
};

/** apf_bat_entry.flags */
#define APF_BAT_ENTRY_BRANCH                                                                                 \
    1u /**< an instruction: most often a branch, call or return. Else: a basic block begins */
#define APF_BAT_ENTRY_DELETED                                                                                \
    2u /**< a block of the input of which the output has no code; only known with symbols */

struct apf_bat_entry {
    uint32_t output,
        input;      /**< offsets; `output` ascends as an unsigned number. Of an instruction that is in another
                               fragment it is negative, that is, near 2^32 */
    uint32_t block; /**< of a block: its number in the input; 0 also when no block begins there */
    uint32_t flags;
    uint64_t hash;          /**< of a block: BOLT's hash of it; 0: none begins there, or unknown */
    uint32_t offset, bytes; /**< the bytes that encode it, in the section */
};

/** Opens an ELF file, or a section alone (`anyprof bat extract`, objcopy -O binary); its first bytes tell them apart.
 * APF_NO_BAT: the file has no such section. APF_BAD_BAT: the section cannot be decoded. APF_BAD_ELF: the
 * ELF file is damaged around it. The views below are valid until apf_bat_close. */
APF_API int apf_bat_open(struct apf_bat **bat, const struct apf_input *input,
                         const struct apf_options *options, struct apf_error *error);
/** Closes a table. NULL is allowed. */
APF_API void apf_bat_close(struct apf_bat *bat);

/** Facts about the table as a whole. Never NULL; valid until apf_bat_close. */
APF_API const struct apf_bat_info *apf_bat_info(const struct apf_bat *bat);
/** The fragment with a number; NULL past the end. */
APF_API const struct apf_bat_fragment *apf_bat_fragment(const struct apf_bat *bat, size_t i);
/** The entry with a number; NULL past the end. */
APF_API const struct apf_bat_entry *apf_bat_entry(const struct apf_bat *bat, size_t i);
/** The input offset of a secondary entry point; 0 past the end. */
APF_API uint32_t apf_bat_secondary(const struct apf_bat *bat, size_t i);
/** The number of the i-th fragment by address; APF_BAT_NONE past the end. */
APF_API uint32_t apf_bat_fragment_by_address(const struct apf_bat *bat, size_t i);
/** The block entry in which BOLT finds the number and hash of a block: the first one with this input offset in any
 * fragment of the function. NULL: no block begins there. */
APF_API const struct apf_bat_entry *apf_bat_find_block(const struct apf_bat *bat, size_t function,
                                                       uint32_t input);

/** Reads the input, the program BOLT was given, for the addresses of its functions: the table has only offsets in them.
 * Functions are found by their names; several functions with one name by their order in .symtab, which BOLT keeps.
 * `found` receives the number of hot fragments whose function was found; NULL is allowed. */
APF_API int apf_bat_read_original(struct apf_bat *bat, const struct apf_input *input,
                                  const struct apf_options *options, size_t *found, struct apf_error *error);
/** The number of the function that has an address in the input, and the offset in it; APF_BAT_NONE: none that is
 * known. */
APF_API uint32_t apf_bat_find_function(const struct apf_bat *bat, uint64_t address, uint32_t *offset);
/** The functions with a name, as hot fragments: the name of the symbol, or the name in profiles (bolt.h), where local
 * functions are NAME/FILE/NUMBER. Returns their number, and stores the numbers of the first `max` fragments. */
APF_API size_t apf_bat_find_named(const struct apf_bat *bat, struct apf_str name, uint32_t *functions,
                                  size_t max);

/** A place: in the input for apf_bat_translate, in the output for apf_bat_reverse. Its layout is frozen. */
struct apf_bat_place {
    uint64_t address;  /**< in the output */
    uint32_t fragment; /**< the fragment that has the address; APF_BAT_NONE: none */
    uint32_t function; /**< number of the function's hot fragment; APF_BAT_NONE: none, or unknown */
    uint32_t offset;   /**< in the input, in the function; without a fragment 0 */
    uint32_t flags;
};

/** apf_bat_place.flags */
#define APF_BAT_PLACE_OUTSIDE 1u  /**< no fragment has the address: code that BOLT left alone, or none */
#define APF_BAT_PLACE_NO_ENTRY 2u /**< no entry at or before it: the offset in the fragment */
#define APF_BAT_PLACE_REMOVED 4u  /**< reverse: the block is in the table, but the output has no code of it */
#define APF_BAT_PLACE_ESTIMATED                                                                              \
    8u /**< reverse: the instructions before it have other lengths there; it is near */

/** apf_bat_translate: `flags`; others mean nothing */
#define APF_BAT_TRANSLATE_BRANCH_SOURCE                                                                      \
    1u /**< the addresses are those of branches: the entry counts, not the distance to it */

/** Translates n addresses of the output into places of the input, as BOLT's perf2bolt does: from the last entry at or
 * before each one. The end of a fragment is known by its symbol; without one, a fragment ends where the next one
 * begins. The fastest order of addresses is the ascending one. */
APF_API void apf_bat_translate(const struct apf_bat *bat, const uint64_t *addresses, size_t n, uint32_t flags,
                               struct apf_bat_place *places);
/** The way back: the places in the output of the code at an offset of a function in the input. There may be several
 * places, because BOLT copies code, and none, if BOLT removed it without a trace. Stores the first `max` places, by
 * address, those of removed blocks last, and returns their number. */
APF_API size_t apf_bat_reverse(const struct apf_bat *bat, size_t function, uint32_t offset,
                               struct apf_bat_place *places, size_t max);

/** `flags` of the functions below: APF_BAT_PRINT_JSON for all but apf_bat_print_as_tool, each other flag for one. */
#define APF_BAT_PRINT_JSON 1u     /**< JSON (docs/json.md) instead of text */
#define APF_BAT_PRINT_REVERSED 2u /**< apf_bat_print_places: the places are those of apf_bat_reverse */
#define APF_BAT_PRINT_DUMP_ALL 4u /**< apf_bat_print_as_tool: the table, too */

/** Prints the whole table. As text it is what `llvm-bat-dump --dump-all` of LLVM 22 prints, or, of tables without
 * hashes, that of the release that wrote them. */
APF_API int apf_bat_print(const struct apf_bat *bat, uint32_t flags, const struct apf_output *output,
                          struct apf_error *error);
/** Prints places, one in a line. A place with a function but without a fragment is an offset without code in the
 * output. */
APF_API int apf_bat_print_places(const struct apf_bat *bat, const struct apf_bat_place *places, size_t n,
                                 uint32_t flags, const struct apf_output *output, struct apf_error *error);

/** Prints the output of llvm-bat-dump: the number of fragments; with APF_BAT_PRINT_DUMP_ALL the table; and for each
 * address the nearest function's symbol at or below it, and the offset that this tool computes. The tool ignores where
 * the code of a function ends. */
APF_API int apf_bat_print_as_tool(const struct apf_bat *bat, const uint64_t *addresses, size_t n,
                                  uint32_t flags, const struct apf_output *output, struct apf_error *error);

/** Prints counts and sizes of each kind of entry. */
APF_API int apf_bat_print_stats(const struct apf_bat *bat, uint32_t flags, const struct apf_output *output,
                                struct apf_error *error);

/** The result of apf_bat_check. */
struct apf_bat_verdict {
    size_t size;          /**< sizeof(struct apf_bat_verdict), set by the caller */
    uint64_t n_findings;  /**< number of errors in the table */
    uint64_t n_decoded;   /**< fragments whose code in the output was decoded, */
    uint64_t n_originals; /**< and functions whose code in the input was */
};

/** Finds errors in a table: numbers that are out of order or contradict each other, fragments and entries outside of
 * their symbols, entries where no instruction begins; and, after apf_bat_read_original, offsets in the input where no
 * instruction or another kind of instruction begins. Prints them as text or JSON. Errors in the table are no failure of
 * the call. */
APF_API int apf_bat_check(const struct apf_bat *bat, uint32_t flags, const struct apf_output *output,
                          struct apf_bat_verdict *verdict, struct apf_error *error);

/** apf_bat_write: `flags` */
#define APF_BAT_WRITE_AS_STORED 1u /**< the section's bytes exactly as they were read */

/** Writes the section: header, tables in the current encoding, padding. A table of BOLT 19 or later gives the same
 * bytes. Values that older tables lack are 0. APF_NOT_REPRESENTABLE: a cold fragment whose function is unknown. */
APF_API int apf_bat_write(const struct apf_bat *bat, uint32_t flags, const struct apf_output *output,
                          struct apf_error *error);

/** Writes a copy of a program with the section of `bat` instead of its own, or, where `bat` is NULL, without it. No
 * byte that is loaded changes or moves. A section is added at the end of the file with new section headers, and of the
 * ELF header only e_shoff, e_shnum and e_shstrndx change; a section is removed by setting its bytes and its section
 * header to 0. APF_NO_BAT: there is no section to remove. */
APF_API int apf_bat_write_program(const struct apf_bat *bat, const struct apf_input *program,
                                  const struct apf_options *options, const struct apf_output *output,
                                  struct apf_error *error);

#ifdef __cplusplus
}
#endif

#endif
