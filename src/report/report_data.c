/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The data of the page's script. Lists of many things are columns, arrays of one thing each: they are smaller when they
 * are compressed, and faster to read. */
#include "base/json_write.h"
#include "report/report.h"

#define COLUMN(w, key, list, write, member)                                                                  \
    do {                                                                                                     \
        json_key(w, key);                                                                                    \
        json_array_begin(w);                                                                                 \
        for (size_t i_ = 0; i_ < (list)->n; i_++)                                                            \
            write(w, (list)->data[i_].member);                                                               \
        json_array_end(w);                                                                                   \
    } while (0)

static void write_text(struct json_writer *w, struct apf_str text)
{
    json_text(w, text.p, text.n);
}

/* Writes the names; [1] is what they are shown as, null where that is the same. */
static void write_names(struct json_writer *w, const struct apf_report *r)
{
    COLUMN(w, "names", &r->names, write_text, raw);
    json_key(w, "shown");
    json_array_begin(w);
    for (size_t i = 0; i < r->names.n; i++) {
        const struct report_name *name = &r->names.data[i];
        if (name->shown.p == name->raw.p)
            json_none(w);
        else
            write_text(w, name->shown);
    }
    json_array_end(w);
}

static void write_functions(struct json_writer *w, const struct apf_report *r)
{
    json_key(w, "functions");
    json_object_begin(w);
    COLUMN(w, "name", &r->functions, json_u64, name);
    COLUMN(w, "hash", &r->functions, json_hash, hash);
    COLUMN(w, "n", &r->functions, json_u64, n_counts);
    COLUMN(w, "total", &r->functions, json_u64, total);
    COLUMN(w, "most", &r->functions, json_u64, most);
    COLUMN(w, "entries", &r->functions, json_u64, entries);
    json_object_end(w);
}

static void write_site(struct json_writer *w, const struct report_site *site)
{
    static const char *const kinds[] = {
        [REPORT_CALLS] = "calls", [REPORT_SIZES] = "sizes", [REPORT_TYPES] = "types"};
    json_object_begin(w);
    json_key(w, "function");
    json_u64(w, site->function);
    json_key(w, "kind");
    json_cstring(w, kinds[site->kind]);
    json_key(w, "line");
    json_u64(w, site->line);
    json_key(w, "discriminator");
    json_u64(w, site->discriminator);
    json_key(w, "total");
    json_u64(w, site->total);
    json_key(w, "n");
    json_u64(w, site->n_values);
    json_key(w, "values");
    json_array_begin(w);
    for (size_t i = 0; i < site->n_values && i < REPORT_VALUES; i++) {
        json_array_begin(w);
        if (site->values[i].value == UINT64_MAX)
            json_none(w);
        else
            json_u64(w, site->values[i].value);
        json_u64(w, site->values[i].count);
        json_array_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static void write_sites(struct json_writer *w, const struct apf_report *r)
{
    json_key(w, "sites");
    json_array_begin(w);
    for (size_t i = 0; i < r->sites.n; i++)
        write_site(w, &r->sites.data[i]);
    json_array_end(w);
}

static void write_frames(struct json_writer *w, const struct apf_report *r)
{
    json_key(w, "frames");
    json_object_begin(w);
    COLUMN(w, "parent", &r->frames, json_u64, parent);
    COLUMN(w, "name", &r->frames, json_u64, name);
    COLUMN(w, "self", &r->frames, json_u64, self);
    COLUMN(w, "total", &r->frames, json_u64, total);
    json_object_end(w);
}

static void write_comparison(struct json_writer *w, const struct apf_report *r)
{
    const struct report_comparison *c = &r->comparison;
    json_key(w, "differences");
    if (!c->made) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    COLUMN(w, "name", &c->list, json_u64, name);
    COLUMN(w, "changes", &c->list, json_u64, changes);
    COLUMN(w, "effect", &c->list, json_double, effect);
    COLUMN(w, "before", &c->list, json_double, share[0]);
    COLUMN(w, "after", &c->list, json_double, share[1]);
    COLUMN(w, "counts_before", &c->list, json_u64, counts[0]);
    COLUMN(w, "counts_after", &c->list, json_u64, counts[1]);
    json_object_end(w);
}

int report_write_data(const struct apf_report *r, struct apf_buffer *to, struct apf_error *error)
{
    struct json_writer w;
    json_start(&w, apf_buffer_write, to, 0);
    json_object_begin(&w);
    json_key(&w, "family");
    json_u64(&w, r->family);
    json_key(&w, "total");
    json_u64(&w, r->total);
    json_key(&w, "powers");
    json_array_begin(&w);
    for (size_t i = 0; i < REPORT_POWERS; i++)
        json_u64(&w, r->powers[i]);
    json_array_end(&w);
    write_names(&w, r);
    write_functions(&w, r);
    write_sites(&w, r);
    write_frames(&w, r);
    write_comparison(&w, r);
    json_object_end(&w);
    return json_finish(&w, error);
}
