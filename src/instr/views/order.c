/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/views/order.h"

#include <string.h>

#include "base/double_text.h"
#include "base/error.h"
#include "base/json_entry.h"
#include "base/options.h"
#include "base/text_append.h"

#define FUNCTIONS_OF_PAGE 32u /* LLVM's guess, since a profile does not have the sizes of functions */

/* ---- the area under the page fault curve ---- */

struct pages {
    const struct apf_order *order;
    struct hash_index places; /* places in the order, by id */
    uint32_t *touched;        /* for each page, the number, from 1, of the last trace that touched it */
};

static int make_pages(struct pages *pages, struct arena *arena, struct apf_error *error)
{
    const struct apf_order *order = pages->order;
    pages->touched = arena_zeros(arena, order->n / FUNCTIONS_OF_PAGE + 1, sizeof *pages->touched);
    if (!pages->touched || !hash_index_reserve(&pages->places, order->n))
        return hash_index_error(&pages->places, error);
    for (uint32_t i = 0; i < order->n; i++)
        hash_index_add(&pages->places, hash_index_mix(&pages->places, order->ids[i], 0), i);
    return APF_OK;
}

/* Returns the area of a trace: the sum, over its functions, of the number of pages touched so far. */
static uint32_t sum_faults(struct pages *pages, const struct apf_trace *trace, uint32_t number)
{
    uint32_t area = 0, n = 0;
    for (size_t i = 0; i < trace->n; i++) {
        uint32_t e;
        HASH_INDEX_FIND(e, &pages->places, hash_index_mix(&pages->places, trace->ids[i], 0),
                        pages->order->ids[e] == trace->ids[i]);
        if (e == HASH_INDEX_NONE)
            continue;
        uint32_t *touched = &pages->touched[e / FUNCTIONS_OF_PAGE];
        n += *touched != number;
        *touched = number;
        area += n;
    }
    return area;
}

static int find_area(struct apf_order *order, const struct apf_trace *traces, struct apf_error *error)
{
    struct pages pages = {order, {0}, NULL};
    struct arena arena = {0};
    int code = make_pages(&pages, &arena, error);
    for (uint32_t i = 0; code == APF_OK && i < order->n_test_traces; i++)
        order->area += sum_faults(&pages, &traces[i], i + 1);
    hash_index_free(&pages.places);
    arena_free(&arena);
    return code;
}

/* ---- the calls ---- */

static int find_order(struct apf_order *order, const struct apf_trace *traces, size_t n,
                      struct apf_error *error)
{
    struct order_set set;
    uint32_t *places = NULL;
    int code = order_set_make(&set, traces, n, error);
    if (code == APF_OK && set.n) {
        places = malloc(set.n * sizeof *places);
        order->ids = malloc(set.n * sizeof *order->ids);
        code = places && order->ids ? order_bisect(&set, places, error) : error_memory(error);
    }
    if (code == APF_OK)
        order->n = set.n;
    for (uint32_t i = 0; i < order->n; i++)
        order->ids[i] = set.ids[places[i]];
    free(places);
    arena_free(&set.arena);
    return code;
}

int apf_order_new(struct apf_order **order, const struct apf_instr *instr,
                  const struct apf_order_options *options, struct apf_error *error)
{
    struct apf_order_options o;
    size_t n = instr->info.n_traces;
    *order = NULL;
    int code = OPTIONS_READ(apf_order_options, &o, options, error);
    if (code == APF_OK)
        code = flags_check(o.flags, APF_ORDER_JSON, "apf_order_options.flags", error);
    if (code != APF_OK)
        return code;
    if (o.n_test_traces && o.n_test_traces >= n)
        return error_plain(error, APF_ARGUMENT, "order.n_test_traces", "there are only %zu traces", n);
    struct apf_order *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error);
    made->instr = instr;
    made->n_test_traces = o.n_test_traces;
    made->json = o.flags & APF_ORDER_JSON;
    n -= o.n_test_traces;
    code = find_order(made, instr->info.traces, n, error);
    if (code == APF_OK && o.n_test_traces)
        code = find_area(made, instr->info.traces + n, error);
    if (code == APF_OK)
        *order = made;
    else
        apf_order_free(made);
    return code;
}

const uint64_t *apf_order_ids(const struct apf_order *order, size_t *n)
{
    *n = order->n;
    return order->ids;
}

uint32_t apf_order_area(const struct apf_order *order)
{
    return order->area;
}

void apf_order_free(struct apf_order *order)
{
    if (!order)
        return;
    free(order->ids);
    free(order);
}

/* ---- text ---- */

/* Prints how a name is shown, in a comment, if that differs from the name and fits in a line. */
static void print_shown(struct file_out *out, struct apf_str name)
{
    const struct apf_str shown = file_out_shown(out, name);
    if (shown.p == name.p || (shown.n && memchr(shown.p, '\n', shown.n)))
        return;
    text_append(out, "# ");
    (void)file_out_write(out, shown.p, shown.n);
    text_append(out, "\n");
}

/* Prints a function's name, which linkers know without the file of a local function; the file stands in a comment. */
static void print_name(struct file_out *out, struct apf_str name)
{
    const char *semicolon = name.n ? memchr(name.p, ';', name.n) : NULL;
    size_t file = semicolon ? (size_t)(semicolon - name.p) : 0;
    if (semicolon && file + 1 < name.n) {
        if (file) {
            text_append(out, "# ");
            (void)file_out_write(out, name.p, file);
            text_append(out, "\n");
        }
        name.p += file + 1;
        name.n -= file + 1;
    }
    print_shown(out, name);
    (void)file_out_write(out, name.p, name.n);
    text_append(out, "\n");
}

static void print_text(const struct apf_order *order, struct file_out *out)
{
    text_append(out, "# Ordered ");
    text_decimal(out, order->n, 0);
    text_append(out, " functions\n");
    if (order->n_test_traces) {
        char digits[DOUBLE_EXPONENT_MAX];
        size_t n = double_exponent(digits, (double)(float)order->area);
        text_append(out, "# Total area under the page fault curve: ");
        (void)file_out_write(out, digits, n);
        text_append(out, "\n");
    }
    text_append(
        out, "# Warning: Mach-O may prefix symbols with \"_\" depending on the linkage and this output does "
             "not take that into account. Some post-processing may be required before passing to the linker "
             "via -order_file.\n");
    for (uint32_t i = 0; i < order->n; i++)
        print_name(out, apf_instr_name(order->instr, order->ids[i]));
}

/* ---- JSON ---- */

static int print_json(const struct apf_order *order, struct file_out *out, struct apf_error *error)
{
    const size_t n_traces = order->instr->info.n_traces;
    struct json_writer w;
    json_start_output(&w, out);
    json_object_begin(&w);
    json_head(&w, "anyprof-order/1");
    json_entry_u64(&w, "traces", n_traces - order->n_test_traces);
    json_entry_u64(&w, "test_traces", order->n_test_traces);
    json_entry_known(&w, "page_fault_area", order->n_test_traces != 0, order->area);
    json_key(&w, "functions");
    json_array_begin(&w);
    for (uint32_t i = 0; i < order->n && !json_failed(&w); i++) {
        json_line_object(&w);
        json_entry_function(&w, "name", apf_instr_name(order->instr, order->ids[i]));
        json_entry_hash(&w, "id", order->ids[i]);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    return json_finish(&w, error);
}

int apf_order_print(const struct apf_order *order, const struct apf_output *output, struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    if (order->json)
        code = print_json(order, out, error);
    else
        print_text(order, out);
    return file_out_finish(out, code, error);
}
