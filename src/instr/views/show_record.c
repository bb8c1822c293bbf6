/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/views/show_record.h"

#include "base/decimal.h"

void show_name(const struct show *s, uint64_t id)
{
    struct apf_str name = profile_name(s->instr, s->instr->symbols, id);
    show_function(s, name.n ? name : profile_name(s->instr, s->instr->vtables, id));
}

void show_number(const struct show *s, const char *before, uint64_t v, const char *behind)
{
    text_append(s->out, before);
    text_decimal(s->out, v, 0);
    text_append(s->out, behind);
}

static void print_counts(const struct show *s, const struct record *r)
{
    uint32_t first = s->ir ? 0 : 1; /* of a front-end profile, "Function count" has printed the first count */
    text_append(s->out, "    Block counts: [");
    for (uint32_t i = first; i < r->n_counts; i++) {
        uint8_t *p = file_out_room(s->out, DECIMAL_MAX + 2);
        if (i != first) {
            *p++ = ',';
            *p++ = ' ';
        }
        s->out->p = p + decimal_store(p, r->counts[i]);
    }
    text_append(s->out, "]\n");
}

/* Prints a count as a signed number, as LLVM does. */
static void print_signed(const struct show *s, uint64_t v, unsigned width)
{
    if (v >> 63 == 0) {
        text_decimal(s->out, v, width);
        return;
    }
    unsigned n = decimal_digits(0 - v) + 1;
    text_blanks(s->out, n < width ? width - n : 0);
    text_append(s->out, "-");
    text_decimal(s->out, 0 - v, 0);
}

static bool count_site(struct site_stats *stats, size_t n)
{
    stats->values += n;
    stats->with_values++;
    if (n > stats->histogram.n) {
        if (!VEC_RESERVE(&stats->histogram, n - stats->histogram.n))
            return false;
        while (stats->histogram.n < n)
            stats->histogram.data[stats->histogram.n++] = 0;
    }
    stats->histogram.data[n - 1]++;
    return true;
}

static void print_site(const struct show *s, size_t number, const struct apf_site *site, unsigned kind)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < site->n; j++)
        sum += site->values[j].count;
    if (sum == 0)
        sum = 1;
    for (size_t j = 0; j < site->n; j++) {
        const struct apf_value *v = &site->values[j];
        text_append(s->out, "\t[ ");
        text_decimal(s->out, number, 2);
        text_append(s->out, ", ");
        if (kind == APF_VALUE_MEMOP_SIZE)
            text_decimal(s->out, v->value, 4);
        else
            show_name(s, v->value);
        text_append(s->out, ", ");
        print_signed(s, v->count, 10);
        text_append(s->out, " ] (");
        text_fixed(s->out, (double)v->count * 100.0 / (double)sum, 2, 0);
        text_append(s->out, "%)\n");
    }
}

/* Prints the sites of a kind if the options ask for it. */
static bool print_sites(struct show *s, const struct record *r, unsigned kind, uint32_t flag,
                        const char *title)
{
    struct site_stats *stats = &s->stats[kind];
    const struct apf_site *site = r->sites;
    if (!show_asked(s, flag) || (kind == APF_VALUE_MEMOP_SIZE && !r->n_sites[kind]))
        return true;
    text_append(s->out, title);
    for (unsigned k = 0; k < kind; k++)
        site = ENTRY_AT(site, r->n_sites[k]);
    stats->sites += r->n_sites[kind];
    for (uint32_t i = 0; i < r->n_sites[kind]; i++, site++) {
        if (site->n == 0)
            continue;
        if (!count_site(stats, site->n))
            return false;
        print_site(s, i, site, kind);
    }
    return true;
}

static void print_site_numbers(const struct show *s, const struct record *r)
{
    if (show_asked(s, APF_INSTR_PRINT_IC_TARGETS))
        show_number(s, "    Indirect Call Site Count: ", r->n_sites[APF_VALUE_INDIRECT_CALL], "\n");
    if (show_asked(s, APF_INSTR_PRINT_VTABLES))
        show_number(s, "    Number of instrumented vtables: ", r->n_sites[APF_VALUE_VTABLE], "\n");
    if (show_asked(s, APF_INSTR_PRINT_MEMOP_SIZES) && r->n_sites[APF_VALUE_MEMOP_SIZE])
        show_number(s, "    Number of Memory Intrinsics Calls: ", r->n_sites[APF_VALUE_MEMOP_SIZE], "\n");
}

static void print_hash(const struct show *s, uint64_t hash)
{
    text_append(s->out, ":\n    Hash: 0x");
    text_hex_digits(s->out, hash, HEX_MAX);
}

bool show_record(struct show *s, const struct record *r)
{
    if (s->shown++ == 0)
        text_append(s->out, "Counters:\n");
    text_append(s->out, "  ");
    show_function(s, record_name(s->instr, r));
    print_hash(s, r->hash);
    text_append(s->out, "\n    Counters: ");
    text_decimal(s->out, r->n_counts, 0);
    if (r->flags & APF_RECORD_PSEUDO) {
        text_append(s->out, r->counts[0] == PSEUDO_HOT ? "    <PseudoHot>\n" : "    <PseudoWarm>\n");
        return true;
    }
    text_append(s->out, "\n");
    if (!s->ir && r->n_counts)
        show_number(s, "    Function count: ", r->counts[0], "\n");
    print_site_numbers(s, r);
    if (show_asked(s, APF_INSTR_PRINT_COUNTS))
        print_counts(s, r);
    return print_sites(s, r, APF_VALUE_INDIRECT_CALL, APF_INSTR_PRINT_IC_TARGETS,
                       "    Indirect Target Results:\n") &&
           print_sites(s, r, APF_VALUE_VTABLE, APF_INSTR_PRINT_VTABLES, "    VTable Results:\n") &&
           print_sites(s, r, APF_VALUE_MEMOP_SIZE, APF_INSTR_PRINT_MEMOP_SIZES,
                       "    Memory Intrinsic Size Results:\n");
}
