/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What show prints of a sample profile, as JSON of ours; sample_show_json.c has that of LLVM. Parts that the options do
 * not ask for are null. */
#include "sample/views/sample_show_document.h"

#include "base/error.h"
#include "base/json_entry.h"
#include "sample/json/sample_json_writer.h"

struct document {
    struct sample_json_writer json; /* whose order and tree are those of the show */
    struct sample_show *show;
    struct arena arena;
};

static bool is_asked(const struct document *d, uint32_t flag)
{
    return (d->show->options.flags & flag) != 0;
}

static void write_null(struct json_writer *w, const char *key)
{
    json_key(w, key);
    json_none(w);
}

static void write_rows(struct json_writer *w, const struct sample_summary *summary)
{
    json_key(w, "detailed_summary");
    json_array_begin(w);
    for (size_t i = 0; i < summary->n_rows; i++) {
        json_line_object(w);
        json_entry_u64(w, "cutoff", summary->rows[i].cutoff);
        json_entry_u64(w, "min_count", summary->rows[i].min_count);
        json_entry_u64(w, "counts", summary->rows[i].n_counts);
        json_object_end(w);
    }
    json_array_end(w);
}

static int write_summary(struct document *d, struct apf_error *error)
{
    struct json_writer *w = &d->json.json;
    struct sample_summary summary;
    const int code = sample_show_summary(d->show, &d->arena, &summary, error);
    if (code != APF_OK)
        return code;
    json_key(w, "summary");
    json_object_begin(w);
    json_entry_u64(w, "functions", summary.n_functions);
    json_entry_u64(w, "counts", summary.n_counts);
    json_entry_u64(w, "max_count", summary.max_count);
    json_entry_u64(w, "max_head", summary.max_head);
    json_entry_u64(w, "total", summary.total);
    json_object_end(w);
    if (is_asked(d, APF_SAMPLE_PRINT_DETAILED_SUMMARY))
        write_rows(w, &summary);
    else
        write_null(w, "detailed_summary");
    return APF_OK;
}

/* ---- hot functions ---- */

static bool write_hot_row(struct document *d, const struct sample_hot *hot, uint32_t node)
{
    const struct apf_sample *sample = d->show->sample;
    const struct sample_node *f = &sample->nodes.data[node];
    struct json_writer *w = &d->json.json;
    const struct apf_str name =
        sample_context_text(&d->show->context, &sample->contexts, &sample->names, f->context);
    if (!name.p)
        return false;
    json_line_object(w);
    json_entry_function(w, "name", name);
    json_entry_u64(w, "total", f->total);
    json_entry_u64(w, "max_count", hot->stats[node].most);
    json_entry_u64(w, "entries", sample_hot_entries(hot, sample, node));
    json_object_end(w);
    return true;
}

static bool write_hot_rows(struct document *d, const struct sample_hot *hot)
{
    const struct sample_order *order = &d->show->order;
    uint64_t rows = d->show->options.topn ? d->show->options.topn : UINT64_MAX;
    bool ok = true;
    for (size_t i = 0; ok && rows && i < order->n_tops; i++)
        if (hot->stats[order->tops[i]].most >= hot->threshold) {
            ok = write_hot_row(d, hot, order->tops[i]);
            rows--;
        }
    return ok;
}

static int write_hot(struct document *d, struct apf_error *error)
{
    struct json_writer *w = &d->json.json;
    struct sample_hot hot = {0};
    if (!d->show->options.topn && !is_asked(d, APF_SAMPLE_PRINT_HOT_FUNCTIONS)) {
        write_null(w, "hot");
        return APF_OK;
    }
    int code = sample_hot_find(&hot, d->show, &d->arena, error);
    if (code == APF_OK) {
        json_key(w, "hot");
        json_object_begin(w);
        json_entry_u64(w, "threshold", hot.threshold);
        json_entry_u64(w, "hot_functions", hot.n_hot);
        json_entry_u64(w, "hot_samples", hot.hot_samples);
        json_entry_u64(w, "samples", hot.samples);
        json_key(w, "functions");
        json_array_begin(w);
        code = write_hot_rows(d, &hot) ? APF_OK : error_memory(error);
        json_array_end(w);
        json_object_end(w);
    }
    sample_hot_free(&hot);
    return code;
}

/* ---- functions ---- */

static int write_functions(struct document *d, struct apf_error *error)
{
    struct sample_show *s = d->show;
    const struct sample_wanted wanted = sample_show_wanted(s->options.function);
    bool ok = true;
    int code = sample_tree_make(&d->json.tree, s->sample, s->order.names, error);
    json_key(&d->json.json, "functions");
    json_array_begin(&d->json.json);
    for (size_t i = 0; code == APF_OK && i < s->order.n_tops && !json_failed(&d->json.json); i++)
        if (!s->options.function.n || sample_show_wants(s, &wanted, s->order.tops[i], &ok))
            code = sample_json_function(&d->json, s->order.tops[i], error);
        else if (!ok)
            code = error_memory(error);
    json_array_end(&d->json.json);
    return code;
}

static int write_document(struct document *d, struct apf_error *error)
{
    struct json_writer *w = &d->json.json;
    json_object_begin(w);
    json_head(w, "anyprof-sample-show/1");
    sample_json_source(w, &d->show->sample->info);
    int code = write_summary(d, error);
    if (code == APF_OK)
        code = write_hot(d, error);
    if (code != APF_OK)
        return code;
    if (is_asked(d, APF_SAMPLE_PRINT_SYMBOLS))
        sample_json_symbols(w, d->show->sample);
    else
        write_null(w, "symbols");
    code = write_functions(d, error);
    json_object_end(w);
    return code == APF_OK ? json_finish(w, error) : code;
}

int sample_show_document(struct sample_show *s, struct apf_error *error)
{
    struct document d = {.json = {.sample = s->sample}, .show = s};
    json_start_output(&d.json.json, s->out);
    int code = sample_order_make(&s->order, s->sample, error);
    d.json.order = s->order; /* which sample_json_writer_free frees */
    if (code == APF_OK)
        code = write_document(&d, error);
    sample_json_writer_free(&d.json);
    sample_context_text_free(&s->context);
    arena_free(&d.arena);
    return code;
}
