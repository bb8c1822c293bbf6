/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The public functions that look up single functions. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "sample/binary/sample_binary_read.h"
#include "sample/layout/sample_layout.h"
#include "sample/lookup/sample_lookup_state.h"
#include "sample/model/sample_words.h"
#include "sample/read/sample_formats.h"

/* ---- opening ---- */

/* Opens the pages of an input. *usable: it is an extbinary file whose pages can be read. */
static int open_pages(struct apf_sample_lookup *l, const struct apf_input *input, bool *usable,
                      struct apf_error *error)
{
    struct file_pages *pages = &l->tables.pages;
    uint8_t magic[SAMPLE_MAGIC_BYTES] = {0};
    int code = file_pages_open(pages, input, l->options.max_bytes, usable, error);
    if (code != APF_OK || !*usable)
        return code;
    size_t n = pages->size < sizeof magic ? (size_t)pages->size : sizeof magic;
    code = file_pages_read(pages, 0, magic, n, "sample.ext.magic", error);
    *usable = code == APF_OK && sample_ext_begins(magic, n);
    return code;
}

static void copy_facts(struct apf_sample_lookup *l, const struct apf_sample_info *info)
{
    l->info.format = info->format;
    l->info.version = info->version;
    l->info.flags = info->flags;
}

static int open_whole(struct apf_sample_lookup *l, const struct apf_input *input,
                      const struct apf_sample_read_options *options, struct apf_error *error)
{
    int code = sample_whole_open(&l->whole, input, options, error);
    if (code != APF_OK)
        return code;
    copy_facts(l, &l->whole.profile->info);
    l->info.n_functions = l->whole.profile->info.n_functions;
    l->info.whole = 1;
    return APF_OK;
}

static int open_lookup(struct apf_sample_lookup *l, const struct apf_input *input,
                       const struct apf_sample_read_options *options, struct apf_error *error)
{
    bool usable = false;
    l->found = sample_new();
    int code = l->found ? open_pages(l, input, &usable, error) : error_memory(error);
    if (code == APF_OK && usable)
        code = sample_tables_open(&l->tables, &l->options, &usable, error);
    if (code != APF_OK)
        return code;
    if (!usable) {
        sample_tables_close(&l->tables);
        return open_whole(l, input, options, error);
    }
    copy_facts(l, &l->tables.facts->info);
    l->info.n_functions = l->tables.entries.n;
    l->info.reads = l->tables.pages.reads;
    l->info.read_bytes = l->tables.pages.read_bytes;
    return APF_OK;
}

/* A lookup without a profile; NULL: allocation failed. */
static struct apf_sample_lookup *new_lookup(const struct apf_input *input)
{
    struct apf_sample_lookup *l = calloc(1, sizeof *l);
    struct apf_str file = file_name(input);
    if (!l)
        return NULL;
    l->tables.pages.fd = -1;
    l->file = malloc(file.n + 1);
    if (!l->file) {
        apf_sample_lookup_close(l);
        return NULL;
    }
    memcpy(l->file, file.p, file.n + 1);
    return l;
}

int apf_sample_lookup_open(struct apf_sample_lookup **lookup, const struct apf_input *input,
                           const struct apf_sample_read_options *options, struct apf_error *error)
{
    struct sample_read_options resolved;
    struct apf_options common;
    *lookup = NULL;
    int code = sample_read_options_resolve(&resolved, options, &common, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    struct apf_sample_lookup *l = new_lookup(input);
    if (!l)
        return error_memory(error);
    l->options = resolved;
    code = open_lookup(l, input, options, error);
    if (code == APF_OK)
        *lookup = l;
    else
        apf_sample_lookup_close(l);
    return file_error(error, code, input, 0);
}

void apf_sample_lookup_close(struct apf_sample_lookup *l)
{
    if (!l)
        return;
    sample_tables_close(&l->tables);
    sample_whole_close(&l->whole);
    sample_free(l->found);
    free(l->file);
    free(l);
}

const struct apf_sample_lookup_info *apf_sample_lookup_info(const struct apf_sample_lookup *l)
{
    return &l->info;
}

/* ---- searching ---- */

struct apf_str apf_sample_context_function(struct apf_str text)
{
    static const char separator[] = " @ ";
    const size_t n = sizeof separator - 1;
    const struct apf_str context = sample_context_plain(text);
    for (size_t at = context.n; at >= n; at--)
        if (memcmp(context.p + at - n, separator, n) == 0)
            return (struct apf_str){context.p + at, context.n - at};
    return context;
}

/* Leaves only the function with this context, without brackets, of those that were found; several ones if their source
 * files differ. */
static int keep_context(struct apf_sample *s, struct apf_str context, bool *any, struct apf_error *error)
{
    struct sample_context_text memory = {{NULL, 0, 0}, {NULL, 0, 0}};
    uint32_t *kept = malloc((s->top.n + 1) * sizeof *kept);
    size_t n = 0;
    int code = kept ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < s->top.n; i++) {
        uint32_t of = s->nodes.data[s->top.data[i]].context;
        struct apf_str text = sample_context_text(&memory, &s->contexts, &s->names, of);
        if (!text.p)
            code = error_memory(error);
        else if (text_equal(text, context))
            kept[n++] = s->top.data[i];
    }
    sample_context_text_free(&memory);
    *any = n != 0;
    if (code == APF_OK)
        code = sample_keep_tops(s, kept, n, error);
    free(kept);
    return code == APF_OK ? sample_complete(s, error) : code;
}

/* Finds the functions with a name. */
static int find_name(struct apf_sample_lookup *l, struct apf_str name, bool *any, struct apf_error *error)
{
    return l->info.whole ? sample_whole_find(&l->whole, name, l->found, any, error)
                         : sample_tables_find(&l->tables, name, l->found, any, error);
}

int apf_sample_lookup_find(struct apf_sample_lookup *l, struct apf_str name, const struct apf_sample **found,
                           struct apf_error *error)
{
    bool any = false;
    *found = NULL;
    if (!name.p)
        name.p = "";
    const struct apf_str context = sample_context_plain(name), function = apf_sample_context_function(name);
    bool is_context = function.n < name.n;
    int code = find_name(l, function, &any, error);
    if (code == APF_OK && any && is_context)
        code = keep_context(l->found, context, &any, error);
    if (code == APF_OK && !any && is_context) /* a name may have brackets and " @ ", too */
        code = find_name(l, name, &any, error);
    l->info.reads = l->tables.pages.reads;
    l->info.read_bytes = l->tables.pages.read_bytes;
    if (code == APF_OK && !any)
        code = error_plain(error, APF_UNKNOWN_FUNCTION, "lookup", "%.*s", (int)(name.n < 100 ? name.n : 100),
                           name.p);
    if (code != APF_OK)
        return error_file(error, code, l->file, strlen(l->file));
    *found = l->found;
    return APF_OK;
}

/* The name of function i at the top level. */
static struct apf_sample_name name_of(const struct apf_sample_lookup *l, size_t i)
{
    const struct apf_sample *s = l->whole.profile;
    struct apf_sample_name name = {{NULL, 0}, 0};
    if (s) {
        const struct sample_name *n = &s->names.list.data[s->nodes.data[s->top.data[i]].name];
        name.text.p = n->p;
        name.text.n = n->n;
        name.hash = n->p ? 0 : n->hash;
        return name;
    }
    const struct sample_tables *t = &l->tables;
    uint32_t leaf = sample_tables_leaf(t, &t->entries.data[i]);
    if (t->d.table.hashes.n)
        name.hash = t->d.table.hashes.data[leaf];
    else
        name.text = t->d.table.names.data[leaf];
    return name;
}

int apf_sample_lookup_names(struct apf_sample_lookup *l, apf_sample_lookup_name_fn *fn, void *user,
                            struct apf_error *error)
{
    size_t n = l->whole.profile ? l->whole.profile->top.n : l->tables.entries.n;
    for (size_t i = 0; i < n; i++)
        if (fn(user, name_of(l, i)) != 0)
            return error_plain(error, APF_STOPPED, "lookup", NULL);
    return APF_OK;
}
