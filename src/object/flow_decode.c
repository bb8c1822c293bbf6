/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/flow_model.h"

#include <string.h>

/* An address in code that other code computes or jumps to is a place where a function may be entered. */
static bool add_reference(struct code_flow *c, struct flow_function *f, uint64_t address)
{
    struct flow_reference reference = {address, (uint32_t)(f - c->list.data)};
    uint64_t n = 1;
    if (address - f->address < f->size) {
        if (address != f->address)
            flow_label(c, f, address - f->address, true);
        return true;
    }
    return !code_reader_bytes(c->reader, address, &n) || VEC_PUSH(&c->references, reference);
}

static bool add_branch(struct code_flow *c, struct flow_function *f, uint64_t from, uint64_t target)
{
    struct flow_branch branch = {(uint32_t)from, (uint32_t)(target - f->address)};
    flow_label(c, f, branch.to, false);
    return VEC_PUSH(&c->branches, branch);
}

/* A jump to the end of the function that is not the beginning of the next one is a rest of unreachable code: BOLT
 * counts it as no instruction. */
static bool goes_past(const struct code_flow *c, const struct flow_function *f, uint64_t target)
{
    const struct code_function *function = &c->functions->list[f->function];
    return target == f->address + f->size && target < function->end;
}

static bool follow_direct(struct code_flow *c, struct flow_function *f, uint64_t at,
                          const struct instruction_flow *flow, uint16_t *mark)
{
    bool inside = flow->target - f->address < f->size;
    if (goes_past(c, f, flow->target))
        return true;
    *mark |= MARK_END;
    if (flow->conditional)
        *mark |= inside ? MARK_CONDITIONAL : MARK_CONDITIONAL | MARK_LEAVES;
    else
        *mark |= inside ? MARK_JUMP : 0;
    return inside ? add_branch(c, f, at, flow->target) : add_reference(c, f, flow->target);
}

static bool follow_indirect(struct code_flow *c, struct flow_function *f, uint64_t at,
                            struct flow_steps *steps, uint16_t *mark)
{
    struct flow_site site = {.function = (uint32_t)(f - c->list.data), .offset = (uint32_t)at};
    site.from = site.offset;
    *mark |= MARK_END | MARK_INDIRECT;
    switch (flow_find_table(c, f, steps, &site)) {
    case FLOW_JUMP_TABLE:
        return flow_add_site(c, &site);
    case FLOW_JUMP_TO:
        *mark = (uint16_t)((*mark & ~MARK_INDIRECT) | MARK_JUMP);
        flow_label(c, f, site.table - f->address, true);
        return add_branch(c, f, at, site.table);
    case FLOW_JUMP_AWAY:
        site.table = 0;
        return flow_add_site(c, &site);
    default:
        *mark |= MARK_OPEN;
        c->open_jumps += f->is_wanted;
        return true;
    }
}

/* A call of the function's beginning is a recursion; a call of another place inside obtains the current address. */
static bool follow_call(struct code_flow *c, struct flow_function *f, const struct instruction_flow *flow)
{
    bool inside = flow->direct && flow->target - f->address < f->size;
    if (inside && flow->target != f->address)
        flow_label(c, f, flow->target - f->address, false);
    if (flow->direct)
        return inside || add_reference(c, f, flow->target);
    return !flow->is_relative || add_reference(c, f, (uint64_t)flow->memory);
}

static bool mark_step(struct code_flow *c, struct flow_function *f, uint64_t at, const struct instruction *i,
                      struct flow_steps *steps)
{
    const struct instruction_flow *flow = &steps->list.data[steps->list.n - 1].flow;
    uint16_t mark = MARK_STEP;
    bool done = true;
    if (i->kind == INSTRUCTION_CALL) {
        mark |= MARK_CALL;
        done = follow_call(c, f, flow);
    } else if (i->kind == INSTRUCTION_RETURN) {
        mark |= MARK_END | MARK_RETURN;
    } else if (flow->pattern == PATTERN_STOP) {
        mark |= MARK_END;
    } else if (i->kind == INSTRUCTION_BRANCH && flow->direct) {
        done = follow_direct(c, f, at, flow, &mark);
    } else if (i->kind == INSTRUCTION_BRANCH) {
        done = follow_indirect(c, f, at, steps, &mark);
    } else if (flow->is_relative) {
        done = add_reference(c, f, (uint64_t)flow->memory) && flow_add_table(c, f, (uint64_t)flow->memory);
    }
    if (flow->pattern == PATTERN_POP)
        mark |= MARK_EPILOGUE;
    c->marks.data[f->marks + at] |= mark;
    return done;
}

static bool are_zeros(const uint8_t *p, size_t n)
{
    while (n && *p == 0)
        p++, n--;
    return n == 0;
}

/* The length of an instruction that is newer than Capstone; on x86 no such instruction changes the flow of control.
 * 0: it is no instruction. */
static uint32_t length_of_new(const struct instruction *i, const uint8_t *p, uint64_t n)
{
    uint32_t at = 0;
    if (i->is_newer)
        return i->size;
    while (at < n && (p[at] == 0x66 || p[at] == 0xf2 || p[at] == 0xf3 || p[at] >> 4 == 4))
        at++;
    if (n - at >= 3 && p[at] == 0x0f && p[at + 1] == 0x01 && p[at + 2] >= 0xc0) /* three bytes of opcode */
        return at + 3;
    bool is_long = at < n && (p[at] == 0x0f || p[at] == 0xc4 || p[at] == 0xc5 || p[at] == 0x62);
    return is_long ? i->size : 0;
}

#define LOOKS_FOR_EACH 64u
#define LONGEST_INSTRUCTION 15u

static bool decode_code(struct code_flow *c, struct flow_function *f, const uint8_t *bytes, uint64_t n,
                        struct flow_steps *steps)
{
    steps->list.n = 0;
    steps->budget = LOOKS_FOR_EACH * (size_t)f->size;
    for (uint64_t at = 0; at < f->size;) {
        struct instruction i = code_reader_decode(c->reader, bytes + at, n - at, f->address + at);
        struct flow_step step = {code_reader_flow(c->reader), (uint32_t)at};
        i.size = i.mnemonic ? i.size : length_of_new(&i, bytes + at, n - at);
        bool known = i.size != 0;
        if (!known && are_zeros(bytes + at, (size_t)(f->size - at)))
            break;
        if (!known || step.flow.pattern == PATTERN_COUNTING) {
            f->state = FLOW_IS_BROKEN;
            break;
        }
        if (!VEC_PUSH(&steps->list, step) || !mark_step(c, f, at, &i, steps))
            return false;
        at += i.size;
    }
    return true;
}

bool flow_decode(struct code_flow *c, struct flow_function *f, struct flow_steps *steps)
{
    uint64_t n = f->size + LONGEST_INSTRUCTION;
    const uint8_t *bytes = code_reader_bytes(c->reader, f->address, &n);
    f->marks = c->marks.n;
    f->first_branch = c->branches.n;
    if (!bytes || n < f->size || f->size >= UINT32_MAX || f->size == 0)
        f->state = FLOW_IS_BROKEN;
    if (f->state != FLOW_IS_KNOWN)
        return true;
    if (!VEC_RESERVE(&c->marks, (size_t)f->size))
        return false;
    memset(c->marks.data + f->marks, 0, (size_t)f->size * sizeof *c->marks.data);
    c->marks.n += (size_t)f->size;
    c->marks.data[f->marks] = MARK_LABEL | MARK_ENTRY;
    bool done = decode_code(c, f, bytes, n, steps);
    f->n_branches = c->branches.n - f->first_branch;
    return done;
}
