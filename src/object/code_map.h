/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the instructions of a program begin and what they do to the flow of control, as llvm-profgen sees it: code is
 * decoded from each symbol to the next one, in sections other than .plt. A part is decoded when it is asked about. */
#ifndef OBJECT_CODE_MAP_H
#define OBJECT_CODE_MAP_H

#include "object/disassembler.h"
#include "object/pair_counts.h"

struct code_map;

#define CODE_MAP_A 1u
#define CODE_MAP_B 2u

/* `symbols` is the file with the symbols: the same one, or one with the debug information of a stripped program. The
 * path of the file and its handle must stay as long as the map. APF_UNSUPPORTED where Capstone does not know the
 * processor. */
int code_map_open(struct code_map **result, const struct elf_file *elf, const struct elf_file *symbols,
                  struct apf_error *error);
void code_map_close(struct code_map *m);
/* Whether there was no memory for code that was asked about, which then counts as none. */
bool code_map_failed(const struct code_map *m);
/* Whether an instruction begins at an address. */
bool code_map_has(struct code_map *m, uint64_t address);
/* The same for both addresses of each of n pairs: found[i] gets CODE_MAP_A and CODE_MAP_B, for those at which one
 * does. */
void code_map_has_pairs(struct code_map *m, const struct address_pair *pairs, size_t n, uint8_t *found);
/* Whether an address is in a section whose code is known, also between instructions. */
bool code_map_covers(const struct code_map *m, uint64_t address);
/* What the instruction at an address is; INSTRUCTION_PLAIN also where none begins. */
enum instruction_kind code_map_kind(struct code_map *m, uint64_t address);
/* What a branch, but no call or return, does to the flow of control; false: the instruction is none. */
bool code_map_jump(struct code_map *m, uint64_t address, struct instruction_flow *flow);
/* The target of a direct call; false: the instruction is none. */
bool code_map_call(struct code_map *m, uint64_t address, uint64_t *target);
/* The bytes of the instruction at an address; 0: none begins there. */
uint64_t code_map_size(struct code_map *m, uint64_t address);
/* Whether code runs from the instruction at `start` to the one at `end`: the addresses ascend, and none of the
 * instructions from start on, but before end, is a call, a return or an unconditional direct jump. */
bool code_map_runs(struct code_map *m, uint64_t start, uint64_t end);
/* The address of the last instruction that begins before an address, in its section; 0: there is none. */
uint64_t code_map_before(struct code_map *m, uint64_t address);
/* The address of the first instruction that begins at an address or after it, in its section; UINT64_MAX: there is
 * none. */
uint64_t code_map_from(struct code_map *m, uint64_t address);

#endif
