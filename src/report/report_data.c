/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The data of the page's script. Lists of many things are columns, arrays of one thing each: they are smaller when they
 * are compressed, and faster to read. */
#include "base/json_write.h"
#include "instr/layout/releases.h"
#include "report/report_words.h"

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

/* Writes the names: `shown` is what they are shown as, null where that is the same, and `files` the files that names of
 * local functions begin with, of others null. */
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
    json_key(w, "files");
    json_array_begin(w);
    for (size_t i = 0; i < r->names.n; i++) {
        const struct apf_str raw = r->names.data[i].raw;
        const size_t n = r->family == REPORT_INSTR ? local_name_file(raw.p, raw.n) : 0;
        if (n)
            json_text(w, raw.p, n);
        else
            json_none(w);
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
    if (r->has_twins)
        COLUMN(w, "twin", &r->functions, json_bool, is_twin);
    if (r->has_states)
        COLUMN(w, "state", &r->functions, json_u64, state);
    json_object_end(w);
}

static void write_tree(struct json_writer *w, const char *key, const struct report_tree *tree)
{
    json_key(w, key);
    json_object_begin(w);
    COLUMN(w, "parent", &tree->frames, json_u64, parent);
    COLUMN(w, "name", &tree->frames, json_u64, name);
    COLUMN(w, "total", &tree->frames, json_u64, total);
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
    json_object_end(w);
}

/* Writes the words that tables of functions have for this family. */
static void write_words(struct json_writer *w, const struct apf_report *r)
{
    const struct report_words *words = report_words(r);
    const struct {
        const char *key, *text;
    } rows[] = {{"unit", words->unit},    {"never", words->never},     {"total", words->total},
                {"most", words->most},    {"entries", words->entries}, {"n", words->n},
                {"powers", words->powers}};
    json_key(w, "words");
    json_object_begin(w);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_key(w, rows[i].key);
        json_cstring(w, rows[i].text);
    }
    json_object_end(w);
    json_key(w, "states");
    json_array_begin(w);
    for (uint32_t i = 0; i < REPORT_STATES; i++)
        json_cstring(w, report_state_word(i));
    json_array_end(w);
    json_key(w, "changes");
    json_array_begin(w);
    for (uint32_t i = 0; i <= REPORT_CHANGES; i++)
        json_cstring(w, report_change_words[i]);
    json_array_end(w);
}

int report_write_data(const struct apf_report *r, struct apf_buffer *to, struct apf_error *error)
{
    struct json_writer w;
    json_start(&w, apf_buffer_write, to, 0);
    json_object_begin(&w);
    write_words(&w, r);
    json_key(&w, "total");
    json_u64(&w, r->total);
    json_key(&w, "powers");
    json_array_begin(&w);
    for (size_t i = 0; i < REPORT_POWERS; i++)
        json_u64(&w, r->powers[i]);
    json_array_end(&w);
    write_names(&w, r);
    write_functions(&w, r);
    write_tree(&w, "frames", &r->stacks);
    write_tree(&w, "memory", &r->memory);
    write_comparison(&w, r);
    json_object_end(&w);
    return json_finish(&w, error);
}
