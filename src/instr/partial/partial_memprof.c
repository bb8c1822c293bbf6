/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/partial/partial_memprof.h"

#include "base/error.h"
#include "instr/partial/partial_memprof_order.h"

/* ---- writing ---- */

static void write_frame(struct partial_writer *file, const struct apf_memprof_frame *f)
{
    partial_fixed(file, f->function);
    partial_number(file, f->line_offset);
    partial_number(file, f->column);
    partial_number(file, f->is_inline);
}

static void write_alloc(struct partial_writer *file, const struct memprof_order *o,
                        const struct memprof_alloc *a)
{
    uint64_t values[APF_MEMPROF_FIELDS];
    memprof_values(o->memprof, a, values);
    partial_number(file, o->places[FUNCTIONS][a->function]);
    partial_number(file, o->places[NODES][a->stack]);
    partial_number(file, a->fields);
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        if (a->fields & memprof_bit(f))
            partial_number(file, values[f]);
}

static void write_datum(struct partial_writer *file, const struct memprof_order *o,
                        const struct memprof_datum *d)
{
    partial_number(file, d->is_literal);
    partial_fixed(file, d->is_literal ? d->id : o->places[STRINGS][d->id]);
    partial_number(file, d->count);
}

/* Writes entry i of a list as a record. */
static void write_entry(struct partial_writer *file, const struct memprof_order *o, enum memprof_list list,
                        uint32_t i)
{
    const struct apf_memprof *m = o->memprof;
    switch (list) {
    case FRAMES:
        write_frame(file, &m->frames.data[i]);
        break;
    case NODES:
        partial_number(file, o->places[NODES][m->nodes.data[i].parent]);
        partial_number(file, o->places[FRAMES][m->nodes.data[i].frame]);
        break;
    case FUNCTIONS:
        partial_fixed(file, m->functions.data[i].guid);
        break;
    case STRINGS:
        partial_text(file, m->strings.data[i]);
        break;
    case ALLOCS:
        write_alloc(file, o, &m->allocs.data[i]);
        break;
    case SITES:
        partial_number(file, o->places[FUNCTIONS][m->sites.data[i].function]);
        partial_number(file, o->places[NODES][m->sites.data[i].stack]);
        break;
    case CALLEES:
        partial_number(file, o->places[SITES][m->callees.data[i].site]);
        partial_fixed(file, m->callees.data[i].guid);
        break;
    case DATA:
        write_datum(file, o, &m->data.data[i]);
        break;
    case LOCATIONS:
        partial_number(file, o->places[DATA][m->locations.data[i].datum]);
        partial_number(file, o->places[STRINGS][m->locations.data[i].file]);
        partial_number(file, m->locations.data[i].line);
        break;
    case COLD:
        partial_number(file, o->places[STRINGS][m->cold.data[i]]);
        break;
    default:
        partial_fixed(file, m->cold_hashes.data[i]);
        break;
    }
    partial_end_record(file);
}

int partial_write_memprof(struct partial_writer *file, uint32_t class, const struct apf_memprof *m,
                          struct apf_error *error)
{
    struct memprof_order o;
    int code = memprof_order_open(&o, m, error);
    if (code == APF_OK) {
        partial_number(file, class == PARTIAL_HOLLOW ? 0 : (uint64_t)class + 1);
        partial_number(file, m->inputs);
        partial_number(file, m->info.schema);
        for (unsigned list = 0; list < MEMPROF_LISTS; list++)
            partial_number(file, o.n[list] - (list == NODES)); /* without the root */
        partial_end_record(file);
        for (unsigned list = 0; list < MEMPROF_LISTS; list++)
            for (size_t i = list == NODES; i < o.n[list]; i++)
                write_entry(file, &o, (enum memprof_list)list, o.sorted[list][i]);
    }
    memprof_order_close(&o);
    return code;
}

/* ---- reading ---- */

static uint32_t read_frame(struct cursor *c, struct apf_memprof *m)
{
    struct apf_memprof_frame f = {.function = cursor_u64(c)};
    f.line_offset = partial_read_small(c);
    f.column = partial_read_small(c);
    f.is_inline = (uint32_t)partial_read_below(c, 2);
    return c->failed ? 0 : memprof_frame_number(m, &f);
}

static void read_alloc(struct cursor *c, struct apf_memprof *m)
{
    uint64_t values[APF_MEMPROF_FIELDS] = {0};
    const uint32_t function = (uint32_t)partial_read_below(c, m->functions.n),
                   stack = (uint32_t)partial_read_below(c, m->nodes.n);
    const uint32_t fields =
        (uint32_t)partial_read_below(c, (uint64_t)memprof_fields_to(APF_MEMPROF_FIELDS - 1) + 1);
    c->failed |= fields & 1;
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        if (fields & memprof_bit(f))
            values[f] = cursor_uleb128(c);
    if (!c->failed)
        memprof_push_alloc(m, function, stack, fields, values);
}

static void read_datum(struct cursor *c, struct apf_memprof *m)
{
    const bool is_literal = (uint32_t)partial_read_below(c, 2);
    const uint64_t id = cursor_u64(c), count = cursor_uleb128(c);
    c->failed |= !is_literal && id >= m->strings.n;
    if (!c->failed)
        memprof_push_datum(m, is_literal, id, count);
}

static void read_location(struct cursor *c, struct apf_memprof *m)
{
    const uint32_t datum = (uint32_t)partial_read_below(c, m->data.n),
                   file = (uint32_t)partial_read_below(c, m->strings.n), line = partial_read_small(c);
    if (!c->failed)
        memprof_push_location(m, datum, file, line);
}

/* Reads entry i of a list. Returns its number, of lists in which each entry is there once: then it is i. */
static uint64_t read_entry(struct partial_reader *file, struct apf_memprof *m, enum memprof_list list,
                           uint64_t i)
{
    struct cursor *c = &file->c;
    uint32_t a, b;
    struct apf_str text;
    switch (list) {
    case FRAMES:
        return read_frame(c, m);
    case NODES:
        a = (uint32_t)partial_read_below(c, m->nodes.n);
        b = (uint32_t)partial_read_below(c, m->frames.n);
        return c->failed ? i : memprof_node_number(m, a, b) - (uint64_t)1;
    case FUNCTIONS:
        return memprof_function_number(m, cursor_u64(c), NULL);
    case STRINGS:
        text = partial_read_text(file);
        return c->failed ? i : memprof_string_number(m, text.p, text.n);
    case ALLOCS:
        read_alloc(c, m);
        return i;
    case SITES:
        a = (uint32_t)partial_read_below(c, m->functions.n);
        b = (uint32_t)partial_read_below(c, m->nodes.n);
        return c->failed ? i : memprof_push_site(m, a, b);
    case CALLEES:
        a = (uint32_t)partial_read_below(c, m->sites.n);
        memprof_push_callee(m, a, cursor_u64(c));
        return i;
    case DATA:
        read_datum(c, m);
        return i;
    case LOCATIONS:
        read_location(c, m);
        return i;
    case COLD:
        memprof_push_cold(m, (uint32_t)partial_read_below(c, m->strings.n));
        return i;
    default:
        memprof_push_cold_hash(m, cursor_u64(c));
        return i;
    }
}

static int read_list(struct partial_reader *file, struct apf_memprof *m, enum memprof_list list, uint64_t n,
                     struct apf_error *error)
{
    int code = APF_OK;
    for (uint64_t i = 0; code == APF_OK && i < n; i++) {
        bool more;
        code = partial_next(file, PARTIAL_MEMPROF, &more, error);
        if (code == APF_OK && !more)
            code = partial_wrong(file, "partial.memprof", "entries are missing", error);
        if (code != APF_OK)
            return code;
        const bool same = read_entry(file, m, list, i) == i;
        code = memprof_check(m, "partial.memprof", file->at, error);
        if (code == APF_OK)
            code = partial_check(file, "partial.memprof", error);
        if (code == APF_OK && !same)
            code = partial_wrong(file, "partial.memprof", "an entry is there twice", error);
    }
    return code;
}

int partial_read_memprof(struct partial_reader *file, uint32_t *class, struct apf_memprof **m, bool *more,
                         struct apf_error *error)
{
    uint64_t n[MEMPROF_LISTS];
    *m = NULL;
    int code = partial_next(file, PARTIAL_MEMPROF, more, error);
    if (code != APF_OK || !*more)
        return code;
    const uint64_t number = partial_read_small(&file->c), inputs = cursor_uleb128(&file->c);
    const uint32_t schema = partial_read_small(&file->c);
    for (unsigned list = 0; list < MEMPROF_LISTS; list++)
        n[list] = cursor_uleb128(&file->c);
    code = partial_check(file, "partial.memprof", error);
    if (code == APF_OK && inputs == 0)
        code = partial_wrong(file, "partial.memprof", "it is of no input", error);
    if (code != APF_OK)
        return code;
    *class = number ? (uint32_t)number - 1 : PARTIAL_HOLLOW;
    *m = memprof_new(MEMPROF_MOST);
    if (!*m)
        return error_memory(error);
    (*m)->inputs = inputs;
    (*m)->info.schema = schema;
    for (unsigned list = 0; code == APF_OK && list < MEMPROF_LISTS; list++)
        code = read_list(file, *m, (enum memprof_list)list, n[list], error);
    return code;
}
