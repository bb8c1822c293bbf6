/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a program, found as BOLT finds them: by symbols, which need no type, by the stubs of the procedure
 * linkage table, and by frames where there is no symbol. */
#ifndef OBJECT_PROGRAM_FUNCTIONS_H
#define OBJECT_PROGRAM_FUNCTIONS_H

#include "base/vec.h"
#include "object/elf_file.h"

/* A symbol of code or data that is loaded. */
struct program_symbol {
    uint64_t address, size;
    const char *name;
    /* of a local symbol: the source file named last before it; NULL: none, or a global symbol */
    const char *file;
    uint32_t n;       /* bytes of the name */
    uint32_t order;   /* place in .symtab */
    uint32_t section; /* its number; ELF_NO_SECTION: the symbol is absolute */
    uint8_t type;     /* STT_* */
    bool is_local;
    bool is_function; /* begins a function, or is one of several symbols that do */
    bool is_entry;    /* has the type of a function, but is inside another one */
};

enum function_origin { FUNCTION_OF_SYMBOL, FUNCTION_OF_STUB, FUNCTION_OF_FRAME };

struct program_function {
    uint64_t address, size; /* of the code, without padding */
    uint64_t end;           /* where the next function or object begins, or the section ends */
    enum function_origin origin;
    uint32_t symbol; /* FUNCTION_OF_SYMBOL: the first one that names it; the others may follow */
    /* FUNCTION_OF_STUB: the function it jumps to, or where the one begins that chooses it; NULL and 0: the code before
     * the first stub */
    const char *target;
    uint64_t resolver;
    const char *section; /* FUNCTION_OF_STUB: the name of its section */
};

struct program_functions {
    VEC(struct program_symbol) symbols; /* by address; functions first, sections last, else as in .symtab */
    VEC(struct program_function) list;  /* by address */
};

/* Lists the symbols and the functions of a program. Texts are valid while the file is open. To be closed in any
 * case. */
int program_functions_open(struct program_functions *f, const struct elf_file *elf, struct apf_error *error);
void program_functions_close(struct program_functions *f);

/* The function that begins at an address; NULL: none. */
const struct program_function *program_function_at(const struct program_functions *f, uint64_t address);

/* Whether it is a mapping symbol, which tells code from data on AArch64 and RISC-V. BOLT gives some of them sizes;
 * these are symbols like others. */
bool is_mapping_symbol(uint32_t machine, const struct elf_symbol *symbol);
/* Whether a section has stubs of the procedure linkage table. */
bool is_plt_section(const struct elf_section *section);

#endif
