/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/disassembler.h"

#include <capstone/capstone.h>
#ifndef ANYPROF_CAPSTONE_LINKED
#include <dlfcn.h>
#endif
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/error.h"
#include "object/arm64_newer.h"
#include "object/x86_length.h"

/* Where the instruction after an unknown one begins. */
enum stepping { STEP_UNKNOWN, STEP_2, STEP_4, STEP_S390 };

/* Processors by the machine and width of an ELF file. Modes are without the byte order. */
struct processor {
    uint32_t machine, bits;
    cs_arch arch;
    unsigned mode;
    enum stepping stepping;
    uint8_t kinds; /* KINDS_*: how calls are told from jumps */
};
enum { KINDS_BY_GROUP, KINDS_ARM64, KINDS_ARM };

static const struct processor processors[] = {
    {EM_X86_64, 64, CS_ARCH_X86, CS_MODE_64, STEP_UNKNOWN, KINDS_BY_GROUP},
    {EM_X86_64, 32, CS_ARCH_X86, CS_MODE_64, STEP_UNKNOWN, KINDS_BY_GROUP}, /* x32 */
    {EM_386, 32, CS_ARCH_X86, CS_MODE_32, STEP_UNKNOWN, KINDS_BY_GROUP},
    {EM_AARCH64, 64, CS_ARCH_ARM64, CS_MODE_ARM, STEP_4, KINDS_ARM64},
    {EM_AARCH64, 32, CS_ARCH_ARM64, CS_MODE_ARM, STEP_4, KINDS_ARM64},
    {EM_ARM, 32, CS_ARCH_ARM, CS_MODE_ARM, STEP_4, KINDS_ARM},
    {EM_MIPS, 32, CS_ARCH_MIPS, CS_MODE_MIPS32, STEP_4, KINDS_BY_GROUP},
    {EM_MIPS, 64, CS_ARCH_MIPS, CS_MODE_MIPS64, STEP_4, KINDS_BY_GROUP},
    {EM_PPC, 32, CS_ARCH_PPC, CS_MODE_32, STEP_4, KINDS_BY_GROUP},
    {EM_PPC64, 64, CS_ARCH_PPC, CS_MODE_64, STEP_4, KINDS_BY_GROUP},
    {EM_SPARC, 32, CS_ARCH_SPARC, 0, STEP_4, KINDS_BY_GROUP},
    {EM_SPARC32PLUS, 32, CS_ARCH_SPARC, CS_MODE_V9, STEP_4, KINDS_BY_GROUP},
    {EM_SPARCV9, 64, CS_ARCH_SPARC, CS_MODE_V9, STEP_4, KINDS_BY_GROUP},
    {EM_S390, 64, CS_ARCH_SYSZ, 0, STEP_S390, KINDS_BY_GROUP},
#if CS_API_MAJOR >= 5
    {EM_RISCV, 32, CS_ARCH_RISCV, CS_MODE_RISCV32 | CS_MODE_RISCVC, STEP_2, KINDS_BY_GROUP},
    {EM_RISCV, 64, CS_ARCH_RISCV, CS_MODE_RISCV64 | CS_MODE_RISCVC, STEP_2, KINDS_BY_GROUP},
#endif
};

/* Capstone is loaded when there is something to disassemble: its tables take 3 MB of memory and some milliseconds from
 * every program that is linked with it. It is in programs that are linked statically, which cannot load libraries. */
struct capstone {
    void *library; /* NULL: not loaded, or linked */
    cs_err (*open)(cs_arch arch, cs_mode mode, csh *handle);
    cs_err (*close)(csh *handle);
    cs_err (*option)(csh handle, cs_opt_type type, size_t value);
    cs_insn *(*new_insn)(csh handle);
    void (*free_insn)(cs_insn *insn, size_t count);
    bool (*next)(csh handle, const uint8_t **code, size_t *size, uint64_t *address, cs_insn *insn);
};

struct disassembler {
    struct capstone capstone;
    const struct processor *processor;
    csh handle;
    cs_insn *insn;
    unsigned mode;
    bool kinds, thumb;
    bool known;               /* the last instruction is in insn */
    struct arm64_newer newer; /* of the last instruction, if it is not known */
};

static const struct processor *find_processor(const struct elf_facts *facts)
{
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++)
        if (processors[i].machine == facts->machine && processors[i].bits == facts->bits)
            return &processors[i];
    return NULL;
}

#ifdef ANYPROF_CAPSTONE_LINKED

static int load_capstone(struct capstone *c, struct apf_error *error)
{
    (void)error;
    *c = (struct capstone){NULL, cs_open, cs_close, cs_option, cs_malloc, cs_free, cs_disasm_iter};
    return APF_OK;
}

static void unload_capstone(struct capstone *c)
{
    c->library = NULL;
}

#else

/* C has no conversion from an address of data to one of code; on these systems both have one representation. */
static bool find_function(const struct capstone *c, const char *name, void *function)
{
    void *found = dlsym(c->library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static int load_capstone(struct capstone *c, struct apf_error *error)
{
    errno = 0;
    c->library = dlopen(ANYPROF_CAPSTONE, RTLD_NOW | RTLD_LOCAL);
    if (!c->library && errno == ENOMEM)
        return error_memory(error);
    if (!c->library)
        return error_plain(error, APF_UNSUPPORTED, "capstone", "%s cannot be loaded; is it installed?",
                           ANYPROF_CAPSTONE);
    if (find_function(c, "cs_open", &c->open) && find_function(c, "cs_close", &c->close) &&
        find_function(c, "cs_option", &c->option) && find_function(c, "cs_malloc", &c->new_insn) &&
        find_function(c, "cs_free", &c->free_insn) && find_function(c, "cs_disasm_iter", &c->next))
        return APF_OK;
    return error_plain(error, APF_UNSUPPORTED, "capstone", "%s lacks a function", ANYPROF_CAPSTONE);
}

static void unload_capstone(struct capstone *c)
{
    if (c->library)
        dlclose(c->library);
}

#endif

static int set_up(struct disassembler *d, uint32_t flags, struct apf_error *error)
{
    int code = load_capstone(&d->capstone, error);
    if (code != APF_OK)
        return code;
    cs_err result = d->capstone.open(d->processor->arch, (cs_mode)d->mode, &d->handle);
    if (result == CS_ERR_MEM)
        return error_memory(error);
    if (result != CS_ERR_OK)
        return error_plain(error, APF_UNSUPPORTED, "elf.machine",
                           "this Capstone was built without support for the processor");
    if (d->processor->arch == CS_ARCH_X86)
        (void)d->capstone.option(d->handle, CS_OPT_SYNTAX,
                                 flags & DISASSEMBLER_INTEL ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
    d->kinds = flags & DISASSEMBLER_KINDS;
    if (d->kinds && d->capstone.option(d->handle, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK)
        return error_memory(error);
    d->insn = d->capstone.new_insn(d->handle);
    return d->insn ? APF_OK : error_memory(error);
}

int disassembler_open(struct disassembler **result, const struct elf_facts *facts, uint32_t flags,
                      struct apf_error *error)
{
    const struct processor *processor = find_processor(facts);
    *result = NULL;
    if (!processor)
        return error_plain(error, APF_UNSUPPORTED, "elf.machine", "no disassembler for machine %u of ELF",
                           facts->machine);
    struct disassembler *d = calloc(1, sizeof *d);
    if (!d)
        return error_memory(error);
    d->processor = processor;
    d->mode = processor->mode | (facts->big_endian ? (unsigned)CS_MODE_BIG_ENDIAN : 0u);
    int code = set_up(d, flags, error);
    if (code == APF_OK)
        *result = d;
    else
        disassembler_close(d);
    return code;
}

void disassembler_close(struct disassembler *d)
{
    if (!d)
        return;
    if (d->insn)
        d->capstone.free_insn(d->insn, 1);
    if (d->handle)
        (void)d->capstone.close(&d->handle);
    unload_capstone(&d->capstone);
    free(d);
}

/* $a begins ARM code, $t Thumb code; a suffix as in "$t.1" has no meaning. */
void disassembler_symbol(struct disassembler *d, const char *name)
{
    if (d->processor->arch != CS_ARCH_ARM || name[0] != '$' || (name[1] != 'a' && name[1] != 't') ||
        (name[2] != '\0' && name[2] != '.'))
        return;
    bool thumb = name[1] == 't';
    if (thumb != d->thumb)
        (void)d->capstone.option(d->handle, CS_OPT_MODE, d->mode | (thumb ? (unsigned)CS_MODE_THUMB : 0u));
    d->thumb = thumb;
}

/* ---- kinds ---- */

static bool in_group(const cs_insn *insn, uint8_t group)
{
    for (unsigned i = 0; i < insn->detail->groups_count; i++)
        if (insn->detail->groups[i] == group)
            return true;
    return false;
}

static bool is_register(const cs_arm *arm, unsigned i, int reg)
{
    return i < arm->op_count && arm->operands[i].type == ARM_OP_REG && arm->operands[i].reg == reg;
}

/* On ARM, an instruction that writes to pc jumps. Returns are bx lr, mov pc, lr and pop {..., pc}. */
static enum instruction_kind arm_kind(const cs_insn *insn)
{
    const cs_arm *arm = &insn->detail->arm;
    bool to_pc = is_register(arm, 0, ARM_REG_PC) && arm->operands[0].access & CS_AC_WRITE;
    switch (insn->id) {
    case ARM_INS_BX:
        return is_register(arm, 0, ARM_REG_LR) ? INSTRUCTION_RETURN : INSTRUCTION_BRANCH;
    case ARM_INS_MOV:
        if (to_pc && is_register(arm, 1, ARM_REG_LR))
            return INSTRUCTION_RETURN;
        break;
    case ARM_INS_POP:
    case ARM_INS_LDM:
        if (is_register(arm, arm->op_count - 1u, ARM_REG_PC)) /* the highest one is the last one */
            return INSTRUCTION_RETURN;
        break;
    default:
        break;
    }
    return to_pc || in_group(insn, CS_GRP_JUMP) ? INSTRUCTION_BRANCH : INSTRUCTION_PLAIN;
}

/* LLVM does not count returns from the kernel as returns. */
static bool leaves_kernel(const struct disassembler *d, const cs_insn *insn)
{
    return d->processor->arch == CS_ARCH_X86 && (insn->id == X86_INS_SYSRET || insn->id == X86_INS_SYSEXIT);
}

static enum instruction_kind kind_of(const struct disassembler *d, const cs_insn *insn)
{
    bool links =
        d->processor->kinds == KINDS_ARM64 && (insn->id == ARM64_INS_BL || insn->id == ARM64_INS_BLR);
    if (links || in_group(insn, CS_GRP_CALL))
        return INSTRUCTION_CALL;
    if (in_group(insn, CS_GRP_RET) || in_group(insn, CS_GRP_IRET))
        return leaves_kernel(d, insn) ? INSTRUCTION_PLAIN : INSTRUCTION_RETURN;
    if (d->processor->kinds == KINDS_ARM)
        return arm_kind(insn);
    return in_group(insn, CS_GRP_JUMP) || in_group(insn, CS_GRP_BRANCH_RELATIVE) ? INSTRUCTION_BRANCH
                                                                                 : INSTRUCTION_PLAIN;
}

/* ---- instructions ---- */

#define LOCK 0xf0u

/* In Capstone 4, UD1 ends after its opcode. */
static bool is_cut_ud1(const struct disassembler *d, const uint8_t *p)
{
    size_t n = d->insn->size;
    return d->processor->arch == CS_ARCH_X86 && n >= 2 && p[n - 2] == 0x0f && p[n - 1] == 0xb9;
}

static uint32_t fixed_step(size_t n, uint32_t bytes)
{
    return n >= bytes ? bytes : 1; /* as in LLVM where the section ends within an instruction */
}

static uint32_t unknown_size(const struct disassembler *d, const uint8_t *p, size_t n)
{
    if (d->processor->arch == CS_ARCH_X86)
        return (uint32_t)x86_length(p, n, d->mode & CS_MODE_64);
    if (d->thumb || d->processor->stepping == STEP_2)
        return fixed_step(n, 2);
    if (d->processor->stepping == STEP_S390) /* the first two bits give the length */
        return fixed_step(n, p[0] < 0x40 ? 2 : p[0] < 0xc0 ? 4 : 6);
    return fixed_step(n, 4);
}

struct instruction disassembler_next(struct disassembler *d, const uint8_t *p, size_t n, uint64_t address)
{
    struct instruction i = {NULL, NULL, 0, INSTRUCTION_PLAIN, false};
    const uint8_t *code = p;
    const size_t all = n;
    d->known = false;
    d->newer.is_known = false;
    if (d->processor->arch == CS_ARCH_X86 && p[0] == LOCK) {
        i.mnemonic = "lock";
        i.operands = "";
        i.size = 1;
        return i;
    }
    if (!d->capstone.next(d->handle, &code, &n, &address, d->insn)) {
        i.size = unknown_size(d, p, n);
        if (d->kinds && d->processor->kinds == KINDS_ARM64 && n >= 4)
            d->newer = arm64_newer(load32le(p), address);
        i.is_newer = d->newer.is_known;
        i.kind = i.is_newer ? d->newer.kind : INSTRUCTION_PLAIN;
        return i;
    }
    d->known = true;
    i.mnemonic = d->insn->mnemonic;
    i.operands = d->insn->op_str;
    i.size = d->insn->size;
    size_t whole = is_cut_ud1(d, p) ? x86_length(p, all, d->mode & CS_MODE_64) : 0;
    if (whole > i.size) {
        i.mnemonic = "ud1";
        i.size = (uint32_t)whole;
    }
    if (d->kinds)
        i.kind = kind_of(d, d->insn);
    return i;
}

/* ---- where control goes ---- */

/* Parts of one register have one number. */
static uint8_t x86_register(unsigned reg)
{
    static const uint16_t parts[][5] = {{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
                                        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
                                        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
                                        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
                                        {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL},
                                        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL},
                                        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL},
                                        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL}};
    const unsigned bases[] = {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t k = 0; k < sizeof *parts / sizeof **parts; k++)
            if (parts[i][k] == reg)
                return (uint8_t)i;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (reg - bases[i] < 8) /* r8 to r15 follow each other */
            return (uint8_t)(8 + reg - bases[i]);
    return NO_REGISTER;
}

static void mark_written(struct instruction_flow *f, uint8_t reg)
{
    f->writes |= reg != NO_REGISTER ? 1u << reg : 0;
}

static void x86_memory(struct instruction_flow *f, const cs_insn *insn, const x86_op_mem *m)
{
    bool relative = m->base == X86_REG_RIP;
    f->has_memory = true;
    f->is_relative = relative;
    f->has_segment = m->segment != X86_REG_INVALID;
    f->base = x86_register(m->base);
    f->index = x86_register(m->index);
    f->scale = (uint8_t)m->scale;
    f->memory = relative ? (int64_t)(insn->address + insn->size + (uint64_t)m->disp) : m->disp;
}

static uint8_t x86_pattern(const cs_insn *insn, const cs_x86_op *to, const cs_x86_op *from)
{
    bool loads = to && to->type == X86_OP_REG && from && from->type == X86_OP_MEM;
    switch (insn->id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
        return loads ? PATTERN_LOAD : PATTERN_OTHER;
    case X86_INS_MOVSXD:
        return loads && to->size == 8 ? PATTERN_LOAD_SIGNED : PATTERN_OTHER;
    case X86_INS_LEA:
        return loads && to->size == 8 ? PATTERN_ADDRESS : PATTERN_OTHER;
    case X86_INS_ADD:
        return to && to->type == X86_OP_REG && from && from->type == X86_OP_REG && to->size == 8
                   ? PATTERN_ADD
                   : PATTERN_OTHER;
    case X86_INS_UD2:
    case X86_INS_HLT:
        return PATTERN_STOP;
    case X86_INS_LOOP:
    case X86_INS_LOOPE:
    case X86_INS_LOOPNE:
    case X86_INS_JCXZ:
    case X86_INS_JECXZ:
    case X86_INS_JRCXZ:
        return PATTERN_COUNTING;
    case X86_INS_POP:
    case X86_INS_POPF:
    case X86_INS_POPFD:
    case X86_INS_POPFQ:
    case X86_INS_LEAVE:
        return PATTERN_POP;
    default:
        return PATTERN_OTHER;
    }
}

static void x86_flow(struct instruction_flow *f, const cs_insn *insn, enum instruction_kind kind)
{
    const cs_x86 *x86 = &insn->detail->x86;
    /* In AT&T's syntax the destination is the last operand. */
    const cs_x86_op *to = x86->op_count ? &x86->operands[x86->op_count - 1] : NULL,
                    *from = x86->op_count ? &x86->operands[0] : NULL;
    for (unsigned i = 0; i < x86->op_count; i++) {
        const cs_x86_op *op = &x86->operands[i];
        if (op->type == X86_OP_MEM)
            x86_memory(f, insn, &op->mem);
        if (op->type == X86_OP_REG && op->access & CS_AC_WRITE)
            mark_written(f, x86_register(op->reg));
    }
    for (unsigned i = 0; i < insn->detail->regs_write_count; i++)
        mark_written(f, x86_register(insn->detail->regs_write[i]));
    bool is_ud1 =
        x86->opcode[0] == 0x0f && x86->opcode[1] == 0xb9; /* versions of Capstone name it differently */
    f->pattern = is_ud1 ? PATTERN_STOP : x86_pattern(insn, to, from);
    f->to = to && to->type == X86_OP_REG ? x86_register(to->reg) : NO_REGISTER;
    f->from = from && from->type == X86_OP_REG ? x86_register(from->reg) : NO_REGISTER;
    if (kind != INSTRUCTION_BRANCH && kind != INSTRUCTION_CALL)
        return;
    f->conditional = kind == INSTRUCTION_BRANCH && insn->id != X86_INS_JMP && insn->id != X86_INS_LJMP;
    f->direct = x86->op_count == 1 && from->type == X86_OP_IMM;
    f->target = f->direct ? (uint64_t)from->imm : 0;
}

/* The address is the last operand. */
static void arm64_flow(struct instruction_flow *f, const cs_insn *insn, enum instruction_kind kind)
{
    const cs_arm64 *arm = &insn->detail->arm64;
    const cs_arm64_op *last = arm->op_count ? &arm->operands[arm->op_count - 1] : NULL;
    if (insn->id == ARM64_INS_BRK || insn->id == ARM64_INS_HLT)
        f->pattern = PATTERN_STOP;
    if (kind != INSTRUCTION_BRANCH && kind != INSTRUCTION_CALL)
        return;
    f->conditional = insn->id == ARM64_INS_CBZ || insn->id == ARM64_INS_CBNZ || insn->id == ARM64_INS_TBZ ||
                     insn->id == ARM64_INS_TBNZ ||
                     (insn->id == ARM64_INS_B && arm->cc != ARM64_CC_INVALID && arm->cc != ARM64_CC_AL);
    f->direct = last && last->type == ARM64_OP_IMM;
    f->target = f->direct ? (uint64_t)last->imm : 0;
}

struct instruction_flow disassembler_flow(const struct disassembler *d)
{
    struct instruction_flow f = {.to = NO_REGISTER, .from = NO_REGISTER};
    f.base = f.index = NO_REGISTER;
    f.conditional = f.direct = d->newer.is_known && d->newer.conditional;
    f.target = f.direct ? d->newer.target : 0;
    if (!d->known || !d->kinds)
        return f;
    enum instruction_kind kind = kind_of(d, d->insn);
    if (d->processor->arch == CS_ARCH_X86)
        x86_flow(&f, d->insn, kind);
    else if (d->processor->kinds == KINDS_ARM64)
        arm64_flow(&f, d->insn, kind);
    return f;
}
