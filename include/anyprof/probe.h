/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file probe.h
 * Pseudo probes: the sections .pseudo_probe and .pseudo_probe_desc of programs that clang built with
 * -fpseudo-probe-for-profiling. Part of libanyprof-elf.
 *
 * Opened probes are a flat model that never changes: functions with a descriptor, the forest of inlined calls (nodes,
 * in the order of the sections: a node, then its probes, then the nodes inlined into it), and probes. All of them have
 * an index, and pointers to them are valid until apf_probes_close. docs/formats/pseudo-probe.md describes the format.
 */
#ifndef ANYPROF_PROBE_H
#define ANYPROF_PROBE_H

#include <anyprof/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/** No index. */
#define APF_PROBE_NONE UINT32_MAX

/** apf_probe.type; other types are kept. */
enum apf_probe_type {
    APF_PROBE_TYPE_BLOCK = 0,
    APF_PROBE_TYPE_INDIRECT_CALL = 1,
    APF_PROBE_TYPE_DIRECT_CALL = 2
};

/** apf_probe.attributes */
#define APF_PROBE_ATTRIBUTE_RESERVED 1u
#define APF_PROBE_ATTRIBUTE_SENTINEL                                                                         \
    2u /**< names the symbol of the code that follows; apf_probe_node.symbol */
#define APF_PROBE_ATTRIBUTE_DISCRIMINATOR 4u /**< a discriminator is stored */

/** apf_probe.flags */
#define APF_PROBE_FLAG_LITERAL 1u /**< its address is stored as a number (LLVM 13 to 15), not as a distance */
#define APF_PROBE_FLAG_UNPLACED 2u /**< the start of its function is not known, so neither is its address */

/** The descriptor of a function that was defined when probes were inserted. */
struct apf_probe_desc {
    uint64_t guid, hash; /**< first 8 bytes of the MD5 of the name; checksum of the control flow */
    struct apf_str name;
    uint64_t offset;  /**< in its section */
    uint32_t section; /**< number of the ELF section */
};

/** A function, or a copy of it that was inlined. */
struct apf_probe_node {
    uint64_t guid; /**< of the function */
    /** GUID of the symbol that has the code, if that is another function's (sentinel); else 0 */
    uint64_t symbol;
    uint64_t offset, size;          /**< bytes in the section, inlined nodes included */
    uint32_t parent;                /**< the node it was inlined into; APF_PROBE_NONE: a top-level record */
    uint32_t call_probe;            /**< the parent's call probe that was inlined; 0: unknown */
    uint32_t first_probe, n_probes; /**< its own probes, in the order of the section, without the sentinel */
    uint32_t n_children;            /**< nodes inlined directly into it: index + 1 is the first */
    uint32_t n_nodes; /**< nodes of its tree, itself included: index + n_nodes is its next sibling */
    uint32_t depth;   /**< 0: a top-level record */
    uint32_t section; /**< number of the ELF section */
    uint32_t text;    /**< objects: the section of its code, to which addresses are relative; else 0 */
};

/** A probe. */
struct apf_probe {
    uint64_t address;
    uint64_t offset; /**< in its section */
    uint32_t node;
    uint32_t id;            /**< number in its function, from 1 */
    uint32_t discriminator; /**< of flow-sensitive profiles; 0: none */
    uint8_t type;           /**< enum apf_probe_type */
    uint8_t attributes;     /**< APF_PROBE_* */
    uint8_t flags;          /**< APF_PROBE_FLAG_LITERAL, APF_PROBE_FLAG_UNPLACED */
    uint8_t reserved;
};

/** One step of an inline context: the function, and its call probe that leads to the next one. Its layout is frozen. */
struct apf_probe_frame {
    uint64_t guid;
    uint32_t call_probe;
    uint32_t node;
    struct apf_str name; /**< n == 0: there is neither a descriptor nor a symbol with this GUID */
};

struct apf_probe_options {
    size_t size;                       /**< sizeof(struct apf_probe_options) */
    const struct apf_options *options; /**< those of every call; NULL: the defaults */
    uint32_t flags;                    /**< APF_PROBES_* */
    /** For apf_probes_open_sections: */
    uint32_t big_endian; /**< 1: the numbers of the sections are */
};

/** Keep the part before damage, which becomes a finding instead of an error. The rest of a section after a damaged
 * record of .pseudo_probe is lost, because the beginning of the next record is unknown. A section that is not in the
 * file or cannot be inflated is empty, and a damaged .symtab gives no symbols. */
#define APF_PROBES_OPEN_KEEP_GOING 1u
/** Open a program without probes, too, for apf_probes_disassemble and apf_probes_lookup: it has none. */
#define APF_PROBES_OPEN_WITHOUT_PROBES 2u

/** Probes that were opened. One thread at a time may use them: some calls read the program's other sections. */
struct apf_probes;

/** Opens an executable, a shared library or an object file. APF_NO_PROBES when it has neither section (without
 * APF_PROBES_OPEN_WITHOUT_PROBES), APF_BAD_ELF when
 * it is none of these, or damaged. Offsets of APF_BAD_ELF are offsets in the file, those of other errors in the
 * section.
 *
 * Addresses are those of the program headers, or in objects offsets in the sections of code. A function's address is
 * that of the last symbol in .symtab whose name has its GUID, as for llvm-profgen; without .symtab it is unknown. */
APF_API int apf_probes_open(struct apf_probes **probes, const struct apf_input *input,
                            const struct apf_probe_options *options, struct apf_error *error);
/** Opens sections that are files of their own (or in memory); either may be NULL. Unlike other inputs they are never
 * unpacked, because a section may begin like a compressed file. Addresses are unknown: those of each top-level record
 * begin at 0. An error's `input` is 0 for `probe` and 1 for `desc`. */
APF_API int apf_probes_open_sections(struct apf_probes **probes, const struct apf_input *probe,
                                     const struct apf_input *desc, const struct apf_probe_options *options,
                                     struct apf_error *error);
/** Closes probes. NULL is allowed. */
APF_API void apf_probes_close(struct apf_probes *probes);

/** The uses of the bytes of .pseudo_probe. */
enum apf_probe_bytes {
    APF_PROBE_BYTES_GUIDS = 0,  /**< of functions */
    APF_PROBE_BYTES_COUNTS,     /**< of probes and inlined functions */
    APF_PROBE_BYTES_CALL_SITES, /**< of inlined functions */
    APF_PROBE_BYTES_INDEXES,    /**< of probes; this and the following without sentinels */
    APF_PROBE_BYTES_TYPES,      /**< and attributes */
    APF_PROBE_BYTES_DISTANCES,  /**< addresses as distances */
    APF_PROBE_BYTES_ADDRESSES,  /**< literal ones */
    APF_PROBE_BYTES_DISCRIMINATORS,
    APF_PROBE_BYTES_SENTINELS, /**< all of them */
    APF_PROBE_BYTES_KINDS
};

/** Facts about opened probes. */
struct apf_probes_info {
    uint64_t n_descs, n_nodes, n_records, n_probes, n_sentinels;
    uint64_t desc_bytes, probe_bytes, file_bytes;
    uint64_t n_symbols;                         /**< of .symtab that have a name */
    uint32_t n_desc_sections, n_probe_sections; /**< objects can have many */
    uint32_t elf_bits, elf_machine;             /**< 0: no ELF file */
    uint32_t big_endian;                        /**< 1 = big-endian */
    uint32_t relocatable;                       /**< 1 = an object */
    uint32_t old_encoding;                      /**< 1 = LLVM 13 to 15: a probe has a literal address */
    uint32_t literal_bytes; /**< of a literal address: 8, or 4 as LLVM 13 to 15 wrote for 32-bit targets */
    uint32_t padded;        /**< 1 = a number is stored with more bytes than needed */
    uint64_t bytes[APF_PROBE_BYTES_KINDS]; /**< of the records that were read */
};
/** Facts about the probes as a whole. Never NULL; valid until apf_probes_close. */
APF_API const struct apf_probes_info *apf_probes_info(const struct apf_probes *probes);

/** The descriptor, node or probe with an index; NULL past the end. Descriptors ascend by GUID; those with one GUID are
 * in the order of the file. Nodes and probes are in the order of the sections. */
APF_API const struct apf_probe_desc *apf_probes_desc(const struct apf_probes *probes, size_t i);
/** The node with an index, in the order of the sections; NULL past the end. */
APF_API const struct apf_probe_node *apf_probes_node(const struct apf_probes *probes, size_t i);
/** The probe with an index, in the order of the sections; NULL past the end. */
APF_API const struct apf_probe *apf_probes_probe(const struct apf_probes *probes, size_t i);

/** The first descriptor with a GUID; NULL: there is none. */
APF_API const struct apf_probe_desc *apf_probes_find_desc(const struct apf_probes *probes, uint64_t guid);
/** The name of a GUID: that of its descriptor, or of a symbol; n == 0: neither. */
APF_API struct apf_str apf_probes_name(const struct apf_probes *probes, uint64_t guid);
/** The GUID of a function name. */
APF_API uint64_t apf_probe_guid(struct apf_str name);
/** The functions that a name may mean: the function with exactly this name or, if there is none, those that have it
 * before the first ".", and those whose C++ mangling has it as the first word. Thus `mid` finds `_ZL3midi.__uniq.1`,
 * which clang makes of a static function `mid`. Returns their number, and stores the GUIDs of the first `max`
 * functions, ascending. */
APF_API size_t apf_probes_find_named(const struct apf_probes *probes, struct apf_str name, uint64_t *guids,
                                     size_t max);
/** Finds where the code of a GUID starts: the address of the last symbol that has it. Returns 0 if no symbol has it,
 * else 1. */
APF_API int apf_probes_find_start(const struct apf_probes *probes, uint64_t guid, uint64_t *address);

/** Finds the nodes of a function, top-level and inlined, and returns their number. apf_probes_node_by_guid gives them
 * for *first, *first + 1, ..., in the order of the sections. */
APF_API size_t apf_probes_find_nodes(const struct apf_probes *probes, uint64_t guid, size_t *first);
/** The index of the i-th node by GUID; APF_PROBE_NONE past the last one. */
APF_API uint32_t apf_probes_node_by_guid(const struct apf_probes *probes, size_t i);

/** Finds the probes with low <= address < high, without unplaced probes, and returns their number.
 * apf_probes_probe_by_address gives them for *first, *first + 1, ..., by address and then in the order of the
 * sections. */
APF_API size_t apf_probes_find_range(const struct apf_probes *probes, uint64_t low, uint64_t high,
                                     size_t *first);
/** The index of the i-th probe by address; APF_PROBE_NONE past the last one. */
APF_API uint32_t apf_probes_probe_by_address(const struct apf_probes *probes, size_t i);

/** The inline context of a probe, outermost function first, without its own function, so that a top-level record has no
 * frames. Stores at most `max` frames (the outermost ones) and returns their number. */
APF_API size_t apf_probes_frames(const struct apf_probes *probes, size_t probe,
                                 struct apf_probe_frame *frames, size_t max);

/** The views that apf_probes_print prints. */
enum apf_probes_view {
    APF_PROBES_VIEW_DESC = 0, /**< descriptors by GUID, the hash also in its parts */
    APF_PROBES_VIEW_LIST = 1, /**< probes by address, with their inline context */
    APF_PROBES_VIEW_TREE = 2, /**< functions and the functions inlined into them */
    APF_PROBES_VIEW_STATS = 3 /**< counts and sizes of each kind of entry */
};

/** apf_probes_print_options.flags */
#define APF_PROBES_PRINT_JSON 1u         /**< JSON (docs/json.md) instead of text for people */
#define APF_PROBES_PRINT_ONE_FUNCTION 2u /**< only the function `guid`, inlined copies of it included */
#define APF_PROBES_PRINT_RANGE 4u /**< only functions and probes with a probe at low <= address < high */

struct apf_probes_print_options {
    size_t size;   /**< sizeof(struct apf_probes_print_options) */
    uint32_t view; /**< enum apf_probes_view */
    uint32_t flags;
    uint64_t guid;
    uint64_t low, high;
};

/** Prints a view; without `options` the descriptors, as text. The filters are for descriptors (only the function), the
 * list and the tree. APF_UNKNOWN_FUNCTION when there is no such function; a range without probes is no error. */
APF_API int apf_probes_print(const struct apf_probes *probes, const struct apf_probes_print_options *options,
                             const struct apf_output *output, struct apf_error *error);

/** apf_probes_check_options.flags of apf_probes_diff */
#define APF_PROBES_DIFF_MOVED 8u    /**< functions whose probes only moved differ, too */
#define APF_PROBES_DIFF_SUMMARY 16u /**< numbers only, no functions */

/** Options of apf_probes_check and apf_probes_diff. NULL: all functions, as text. */
struct apf_probes_check_options {
    size_t size;            /**< sizeof(struct apf_probes_check_options) */
    uint32_t flags;         /**< APF_PROBES_PRINT_JSON, APF_PROBES_PRINT_ONE_FUNCTION, APF_PROBES_DIFF_* */
    uint64_t guid;          /**< that function: findings about it, or about the whole file */
    uint64_t max_functions; /**< of apf_probes_diff: only the first functions of the ranking; 0: all */
};

/** The result of apf_probes_check. */
struct apf_probes_verdict {
    size_t size;         /**< sizeof(struct apf_probes_verdict), set by the caller */
    uint64_t n_findings; /**< number of errors and oddities */
    /** probes at decoded code, for which it is known whether an instruction begins there */
    uint64_t n_decoded;
    /** Against another build: */
    uint64_t n_changed;        /**< functions whose hash differs, */
    uint64_t n_changed_probes; /**< and how many probes they have here */
    uint64_t n_compared;       /**< functions that both have */
    uint64_t n_compared_probes;
};

/** Looks for errors in probes: damage (if they were opened with APF_PROBES_OPEN_KEEP_GOING), GUIDs that are not those
 * of the names, addresses outside of the function or in the middle of instructions, probes without a descriptor, mixed
 * encodings and more. Compares the hashes with those of another build (`against`, or NULL), which shows which part of a
 * profile of that build can still be used. Prints the findings as text or JSON, and counts them in `verdict`; findings
 * are no failure of the call. */
APF_API int apf_probes_check(const struct apf_probes *probes, const struct apf_probes *against,
                             const struct apf_probes_check_options *options, const struct apf_output *output,
                             struct apf_probes_verdict *verdict, struct apf_error *error);

/** Prints the functions whose hash or probes differ between two builds: probes that vanished, are new, have more or
 * fewer copies, moved within their function, or were inlined elsewhere; *n is the number of such functions, listed or
 * not. First come those for which a profile of the one build is of no use for the other (another hash, or only one has
 * a descriptor), then other ones, then those whose probes only moved; each group by number of probes, then GUID. */
APF_API int apf_probes_diff(const struct apf_probes *a, const struct apf_probes *b,
                            const struct apf_probes_check_options *options, const struct apf_output *output,
                            uint64_t *n, struct apf_error *error);

/** The parts of a descriptor's hash. Larger numbers wrap. Its layout is frozen. */
struct apf_probe_hash {
    uint32_t calls; /**< call probes */
    uint32_t edges; /**< of the control flow graph */
    uint32_t crc;   /**< of the probe ids that the edges lead to */
};
/** Takes the hash of a descriptor apart. */
APF_API struct apf_probe_hash apf_probe_hash_parts(uint64_t hash);

/** Writes the section with a number from the model, with the same bytes as it was read. APF_UNSUPPORTED for the old
 * encoding in objects, whose addresses are relocations. */
APF_API int apf_probes_write_section(const struct apf_probes *probes, uint32_t section,
                                     const struct apf_output *output, struct apf_error *error);
/** Numbers of the sections, probes first: 0 <= i < n_probe_sections + n_desc_sections; APF_PROBE_NONE past the end. */
APF_API uint32_t apf_probes_section(const struct apf_probes *probes, size_t i);

/** Options of apf_probes_disassemble. */
struct apf_disassembly_options {
    size_t size;                       /**< sizeof(struct apf_disassembly_options) */
    const struct apf_options *options; /**< those of every call; NULL: the defaults */
    const char *name; /**< path of the file, for the heading and to find split DWARF; NULL: "" */
    uint32_t flags;   /**< APF_DISASSEMBLY_* */
    uint32_t reserved;
    const struct apf_str *functions; /**< names of the symbols whose code is printed, and no other code */
    size_t n_functions;              /**< 0: all */
    uint64_t guid;
    uint64_t low, high;
};

#define APF_DISASSEMBLY_INTEL 1u     /**< x86: the syntax of Intel, not that of AT&T */
#define APF_DISASSEMBLY_LOCATIONS 2u /**< functions and lines, or probes of calls, from debug information */
#define APF_DISASSEMBLY_NO_PROBES 4u /**< code only; locations then have lines */
#define APF_DISASSEMBLY_ONE_FUNCTION 8u /**< only the code of the function `guid`, its split parts included */
#define APF_DISASSEMBLY_RANGE 16u       /**< only instructions that have a byte at low <= address < high */
/** Names of symbols and in locations without the suffixes .llvm.* and .part.*, as with --show-canonical-fname of
 * llvm-profgen. `functions` then are such names, too. */
#define APF_DISASSEMBLY_CANONICAL 32u

/** Prints the code of a program or object as `llvm-profgen --show-disassembly-only --show-pseudo-probe` does, without
 * the latter option if it has no probes; only the spelling of instructions differs. Split DWARF is read from a file
 * `name`.dwp, or from .dwo files where the compiler wrote them or beside the program; a warning names the first that is
 * missing. APF_UNSUPPORTED where there is no disassembler for the processor, for sections that stand alone, and for
 * locations of objects; APF_UNKNOWN_FUNCTION when there is no code of the one function. */
APF_API int apf_probes_disassemble(const struct apf_probes *probes,
                                   const struct apf_disassembly_options *options,
                                   const struct apf_output *output, struct apf_error *error);

/** Options of apf_probes_lookup. */
struct apf_probe_lookup_options {
    size_t size;                       /**< sizeof(struct apf_probe_lookup_options) */
    const struct apf_options *options; /**< those of every call; NULL: the defaults */
    const char *name;                  /**< path of the file, to find split DWARF; NULL: unknown */
    const uint64_t *addresses;
    size_t n_addresses;
    uint32_t flags; /**< APF_PROBES_PRINT_JSON */
    uint32_t reserved;
};

/** Prints what is at addresses of a linked program: the symbol, the lines of the source with the functions that were
 * inlined, and the probes there or, if there are none, at the nearest address with probes in the same symbol, before it
 * rather than after it. *n_unknown becomes the number of addresses without a symbol and without lines. Split DWARF is
 * found as by apf_probes_disassemble. APF_UNSUPPORTED for objects and for sections that stand alone. */
APF_API int apf_probes_lookup(const struct apf_probes *probes, const struct apf_probe_lookup_options *options,
                              const struct apf_output *output, uint64_t *n_unknown, struct apf_error *error);

/* ---- making sections ---- */

/** A call that was inlined: the function that called, and its call probe. Its layout is frozen. */
struct apf_probe_site {
    uint64_t guid;
    uint32_t call_probe; /**< 0: unknown */
};

/** A probe to be written. */
struct apf_probe_entry {
    size_t size;                          /**< sizeof(struct apf_probe_entry); see struct apf_options */
    uint64_t guid;                        /**< of its function, which may be inlined */
    uint64_t address;                     /**< where it stands */
    const struct apf_probe_site *inlined; /**< the calls that led to it, outermost first */
    size_t n_inlined;
    uint32_t id;
    uint32_t discriminator; /**< is written when it is not 0, or APF_PROBE_ATTRIBUTE_DISCRIMINATOR is given */
    uint8_t type;           /**< enum apf_probe_type */
    /** APF_PROBE_ATTRIBUTE_RESERVED and APF_PROBE_ATTRIBUTE_DISCRIMINATOR; the encoder adds sentinels itself. */
    uint8_t attributes;
};

/** Makes both sections, in the encoding of LLVM 16 and newer. One thread at a time may use it. */
struct apf_probe_encoder;

struct apf_probe_encoder_options {
    size_t size;         /**< sizeof(struct apf_probe_encoder_options) */
    uint32_t big_endian; /**< 1: for a big-endian target. LLVM writes such sections, and cannot read them */
};

/** Makes an empty encoder. Free it with apf_probe_encoder_free. */
APF_API int apf_probe_encoder_new(struct apf_probe_encoder **encoder,
                                  const struct apf_probe_encoder_options *options, struct apf_error *error);
/** Frees an encoder. NULL is allowed. */
APF_API void apf_probe_encoder_free(struct apf_probe_encoder *encoder);
/** Appends a descriptor; descriptors are written in the order in which they were added. The name is copied. */
APF_API int apf_probe_encoder_add_desc(struct apf_probe_encoder *encoder, uint64_t guid, uint64_t hash,
                                       struct apf_str name, struct apf_error *error);
/** Adds the code of a function: the GUID of its symbol, and where it starts. Functions are numbered from 0, and written
 * in that order. A function without probes is not written. APF_ARGUMENT for a GUID of 0. */
APF_API int apf_probe_encoder_add_function(struct apf_probe_encoder *encoder, uint64_t symbol,
                                           uint64_t address, uint32_t *function, struct apf_error *error);
/** Adds a probe in the code of a function. Probes with one inline stack stay in the order in which they were added;
 * stacks are written as by LLVM, by GUID and call probe. A record whose function is not that of the symbol begins with
 * a sentinel. APF_ARGUMENT for values that the section cannot hold: a GUID of 0, a type above 15. */
APF_API int apf_probe_encoder_add(struct apf_probe_encoder *encoder, uint32_t function,
                                  const struct apf_probe_entry *entry, struct apf_error *error);
/** Writes the section .pseudo_probe, or only the part of one function. More probes may be added after that. */
APF_API int apf_probe_encoder_write(struct apf_probe_encoder *encoder, const struct apf_output *output,
                                    struct apf_error *error);
/** Writes the part of the section .pseudo_probe that belongs to one function. More probes may be added after that. */
APF_API int apf_probe_encoder_write_function(struct apf_probe_encoder *encoder, uint32_t function,
                                             const struct apf_output *output, struct apf_error *error);
/** Writes the section .pseudo_probe_desc. */
APF_API int apf_probe_encoder_write_descs(const struct apf_probe_encoder *encoder,
                                          const struct apf_output *output, struct apf_error *error);

struct apf_probe_emit_options {
    size_t size;                       /**< sizeof(struct apf_probe_emit_options) */
    const struct apf_options *options; /**< those of every call; NULL: the defaults */
    uint32_t flags;                    /**< APF_PROBE_EMIT_* */
    uint32_t reserved;
};

/** Sections that were in a COMDAT group with code are in no group. Linkers keep one group of each name: linked with
 * that code, the object would lose its probes or, if it comes first, the program would lose its code. */
#define APF_PROBE_EMIT_NO_CODE_GROUPS 1u

/** The result of apf_probes_emit. */
struct apf_probe_emit_info {
    size_t size;         /**< sizeof(struct apf_probe_emit_info), set by the caller */
    uint64_t n_sections; /**< sections that were written */
    /** sections among them that are in a COMDAT group whose name is not one of descriptors */
    uint64_t n_in_code_groups;
};

/** Writes an ELF object with the sections that JSON documents describe: those of apf_probes_print with
 * APF_PROBES_VIEW_LIST, APF_PROBES_VIEW_DESC, or one of each. Sections get the same bytes (also numbers that were
 * stored with more bytes than needed) and the same groups as before; they are linked to no code, since there is none.
 * docs/json.md lists the fields that are read, and the defaults of missing ones. APF_BAD_JSON, also for a document
 * that was printed with a filter; APF_UNSUPPORTED for objects of LLVM 13 to 15, whose addresses are relocations.
 * error->input is the number of the document, if it is about one. `options` and `info` may be NULL. */
APF_API int apf_probes_emit(const struct apf_input *inputs, size_t n,
                            const struct apf_probe_emit_options *options, const struct apf_output *output,
                            struct apf_probe_emit_info *info, struct apf_error *error);

/* ---- assembly ---- */

/** The result of apf_probe_assemble. */
struct apf_probe_asm_info {
    size_t size;       /**< sizeof(struct apf_probe_asm_info), set by the caller */
    uint64_t n_probes; /**< directives that were turned into labels */
    uint64_t n_named;  /**< directives among them that named no function symbol, as LLVM 13 to 15 write */
    /** functions with code in another section than their symbol, by section: these have records of their own there.
     * LLVM 22 cannot encode them */
    uint64_t n_split;
    uint64_t n_symbols;  /**< of them, how many begin at a symbol that had to be made */
    uint64_t n_left_out; /**< directives that only LLVM's assembler knows and that change no code: .addrsig,
                              .addrsig_sym, .cg_profile */
};

/** Turns assembly with .pseudoprobe directives, as clang 13 to 22 write it, into assembly that any assembler for ELF
 * understands: a local label for each probe, and sections .pseudo_probe with distances between the labels at the end.
 * Everything else stays as it is, each in its line; of .file, directory and name are joined, or .file 0 is added, where
 * GNU as wants that. APF_BAD_ASSEMBLY, with line and column, for directives that cannot be understood, name a symbol
 * that is not known, or stand in macros and conditional parts, which are not expanded.
 * `info` may be NULL. */
APF_API int apf_probe_assemble(const struct apf_input *input, const struct apf_options *options,
                               const struct apf_output *output, struct apf_probe_asm_info *info,
                               struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
