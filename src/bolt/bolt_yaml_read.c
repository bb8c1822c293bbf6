/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads files in YAML into a profile: the keys of LLVM 15 to 22, each in one table. A function is added after it was
 * read completely. */
#include <stdio.h>

#include "base/error.h"
#include "base/options.h"
#include "base/pulse.h"
#include "base/text_bytes.h"
#include "bolt/bolt_kind.h"
#include "bolt/bolt_yaml_model.h"
#include "bolt/bolt_yaml_values.h"
#include "bolt/fdata_model.h"

/* ---- edges and blocks ---- */

static const struct yaml_field call_fields[] = {
    {"off", "yaml.functions.blocks.calls.off", yaml_value_u32, offsetof(struct apf_bolt_yaml_edge, offset),
     true},
    {"fid", "yaml.functions.blocks.calls.fid", yaml_value_u32, offsetof(struct apf_bolt_yaml_edge, to), true},
    {"disc", "yaml.functions.blocks.calls.disc", yaml_value_u32, offsetof(struct apf_bolt_yaml_edge, entry),
     false},
    {"cnt", "yaml.functions.blocks.calls.cnt", yaml_value_u64, offsetof(struct apf_bolt_yaml_edge, count),
     true},
    {"mis", "yaml.functions.blocks.calls.mis", yaml_value_u64,
     offsetof(struct apf_bolt_yaml_edge, mispredictions), false},
    {"pp", "yaml.functions.blocks.calls.pp", yaml_value_u32, offsetof(struct apf_bolt_yaml_edge, probe),
     false},
    {"ppn", "yaml.functions.blocks.calls.ppn", yaml_value_u32, offsetof(struct apf_bolt_yaml_edge, node),
     false},
    {"ind", "yaml.functions.blocks.calls.ind", yaml_value_bool, offsetof(struct apf_bolt_yaml_edge, indirect),
     false},
};

static const struct yaml_field successor_fields[] = {
    {"bid", "yaml.functions.blocks.succ.bid", yaml_value_u32, offsetof(struct apf_bolt_yaml_edge, to), true},
    {"cnt", "yaml.functions.blocks.succ.cnt", yaml_value_u64, offsetof(struct apf_bolt_yaml_edge, count),
     true},
    {"mis", "yaml.functions.blocks.succ.mis", yaml_value_u64,
     offsetof(struct apf_bolt_yaml_edge, mispredictions), false},
};

/* A block that is being read; its lists are in r->edges, which may move. */
struct open_block {
    struct apf_bolt_yaml_block b;
    size_t first_call, first_successor;
};

static uint64_t weighted_count(struct yaml_reader *r, uint64_t v)
{
    uint64_t product;
    if (!MUL_OVERFLOWS(v, r->weight, &product))
        return product;
    r->y->info.n_saturated++;
    return UINT64_MAX;
}

static int read_edge(struct yaml_events *e, const struct yaml_field *fields, size_t n_fields,
                     const char *where)
{
    struct yaml_reader *r = yaml_reader_of(e);
    struct apf_bolt_yaml_edge edge = {0};
    int code = yaml_read_map(e, fields, n_fields, where, &edge);
    if (code != APF_OK)
        return code;
    edge.count = weighted_count(r, edge.count);
    edge.mispredictions = weighted_count(r, edge.mispredictions);
    return VEC_PUSH(&r->edges, edge) ? APF_OK : error_memory(e->error);
}

static int read_call(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    (void)object;
    return read_edge(e, YAML_FIELDS(call_fields), field->where);
}

static int read_calls(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct yaml_reader *r = yaml_reader_of(e);
    struct open_block *open = object;
    open->first_call = r->edges.n;
    int code = yaml_read_list(e, field, read_call, NULL);
    open->b.n_calls = r->edges.n - open->first_call;
    return code;
}

static int read_successor(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    (void)object;
    return read_edge(e, YAML_FIELDS(successor_fields), field->where);
}

static int read_successors(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct yaml_reader *r = yaml_reader_of(e);
    struct open_block *open = object;
    open->first_successor = r->edges.n;
    int code = yaml_read_list(e, field, read_successor, NULL);
    open->b.n_successors = r->edges.n - open->first_successor;
    return code;
}

#define BLOCK(member) offsetof(struct open_block, b.member)

static const struct yaml_field block_fields[] = {
    {"bid", "yaml.functions.blocks.bid", yaml_value_u32, BLOCK(index), true},
    {"insns", "yaml.functions.blocks.insns", yaml_value_u32, BLOCK(n_instructions), true},
    {"hash", "yaml.functions.blocks.hash", yaml_value_u64, BLOCK(hash), false},
    {"exec", "yaml.functions.blocks.exec", yaml_value_u64, BLOCK(exec), false},
    {"events", "yaml.functions.blocks.events", yaml_value_u64, BLOCK(events), false},
    {"calls", "yaml.functions.blocks.calls", read_calls, 0, false},
    {"succ", "yaml.functions.blocks.succ", read_successors, 0, false},
    {"probes", "yaml.functions.blocks.probes", yaml_value_kept, BLOCK(probes), false},
    {"pseudo_probes", "yaml.functions.blocks.pseudo_probes", yaml_value_kept, BLOCK(probes), false},
};

/* ---- functions ---- */

static int read_block(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct yaml_reader *r = yaml_reader_of(e);
    struct apf_bolt_yaml_function *f = object;
    struct open_block open = {.first_call = 0};
    int code = yaml_read_map(e, YAML_FIELDS(block_fields), field->where, &open);
    if (code != APF_OK)
        return code;
    open.b.exec = weighted_count(r, open.b.exec);
    open.b.events = weighted_count(r, open.b.events);
    struct yaml_span span = {open.first_call, open.first_successor};
    if (!VEC_PUSH(&r->blocks, open.b) || !VEC_PUSH(&r->spans, span))
        return error_memory(e->error);
    f->n_blocks = r->blocks.n;
    return APF_OK;
}

static int read_blocks(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_block, object);
}

#define FUNCTION(member) offsetof(struct apf_bolt_yaml_function, member)

static const struct yaml_field function_fields[] = {
    {"name", "yaml.functions.name", yaml_value_text, FUNCTION(name), true},
    {"fid", "yaml.functions.fid", yaml_value_u32, FUNCTION(fid), true},
    {"hash", "yaml.functions.hash", yaml_value_u64, FUNCTION(hash), true},
    {"exec", "yaml.functions.exec", yaml_value_u64, FUNCTION(exec), true},
    {"extern", "yaml.functions.extern", yaml_value_u64, FUNCTION(entered), false},
    {"nblocks", "yaml.functions.nblocks", yaml_value_u32, FUNCTION(n_all_blocks), true},
    {"blocks", "yaml.functions.blocks", read_blocks, 0, false},
    {"inline_tree", "yaml.functions.inline_tree", yaml_value_kept, FUNCTION(probes), false},
    {"guid", "yaml.functions.guid", yaml_value_kept, FUNCTION(probes), false},
    {"pseudo_probe_desc_hash", "yaml.functions.pseudo_probe_desc_hash", yaml_value_kept, FUNCTION(probes),
     false},
};

/* Adds a function to the profile. `at` is its offset in the file. */
static int add_function(struct yaml_reader *r, size_t at)
{
    struct apf_bolt_yaml_function *f = &r->function;
    for (size_t i = 0; i < r->blocks.n; i++) {
        r->blocks.data[i].calls = ENTRY_AT(r->edges.data, r->spans.data[i].first_call);
        r->blocks.data[i].successors = ENTRY_AT(r->edges.data, r->spans.data[i].first_successor);
    }
    f->blocks = r->blocks.data;
    f->exec = weighted_count(r, f->exec);
    f->entered = weighted_count(r, f->entered);
    const char *fault = yaml_function_fault(r->y, f);
    if (fault)
        return *fault ? yaml_bad_at(&r->events, at, "yaml.functions", fault) : error_memory(r->events.error);
    return yaml_add_function(r->y, f, r->file, r->events.error);
}

static int read_function(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    static const struct apf_bolt_yaml_function none = {.fid = 0};
    struct yaml_reader *r = yaml_reader_of(e);
    size_t at = e->at;
    (void)object;
    arena_rewind(&r->scratch, r->mark);
    r->mark = arena_mark(&r->scratch);
    r->blocks.n = r->spans.n = r->edges.n = 0;
    r->function = none;
    int code = yaml_read_map(e, YAML_FIELDS(function_fields), field->where, &r->function);
    return code == APF_OK ? add_function(r, at) : code;
}

static int read_functions(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    if (e->kind == YAML_LIST && !yaml_reader_of(e)->has_header)
        return yaml_bad(e, field->where, "functions before the header");
    return yaml_read_list(e, field, read_function, object);
}

/* ---- header ---- */

static int read_version(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    uint64_t v = 0;
    (void)object;
    int code = yaml_read_number(e, field->where, UINT64_MAX, &v);
    if (code != APF_OK || v == 1)
        return code;
    struct error_at at = {field->where, NO_OFFSET, v, 1};
    return error_at(e->error, APF_UNSUPPORTED, at, "unknown version of a YAML profile");
}

static int read_flag(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    static const char *const names[] = {"lbr", "sample", "memevent"};
    struct apf_bolt_yaml_header *header = object;
    for (size_t i = 0; i < 3; i++)
        if (e->kind == YAML_SCALAR && text_is(e->text, names[i])) {
            header->flags |= 1u << i;
            return APF_OK;
        }
    return yaml_bad(e, field->where, "expected lbr, sample or memevent");
}

static int read_flags(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_flag, object);
}

static int read_order(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct apf_bolt_yaml_header *header = object;
    int code = yaml_value_bool(e, field, object);
    header->order = header->order ? APF_BOLT_ORDER_DFS : APF_BOLT_ORDER_LAYOUT;
    return code;
}

static int read_hash(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct apf_bolt_yaml_header *header = object;
    bool scalar = e->kind == YAML_SCALAR, xxh3 = scalar && text_is(e->text, "xxh3");
    if (!xxh3 && !(scalar && text_is(e->text, "std-hash")))
        return yaml_bad(e, field->where, "expected std-hash or xxh3");
    header->hash = xxh3 ? APF_BOLT_XXH3 : APF_BOLT_STD_HASH;
    return APF_OK;
}

#define HEADER(member) offsetof(struct apf_bolt_yaml_header, member)

static const struct yaml_field header_fields[] = {
    {"profile-version", "yaml.header.profile-version", read_version, 0, true},
    {"binary-name", "yaml.header.binary-name", yaml_value_text, HEADER(binary_name), true},
    {"binary-build-id", "yaml.header.binary-build-id", yaml_value_text, HEADER(build_id), false},
    {"profile-flags", "yaml.header.profile-flags", read_flags, 0, true},
    {"profile-origin", "yaml.header.profile-origin", yaml_value_text, HEADER(origin), false},
    {"profile-events", "yaml.header.profile-events", yaml_value_text, HEADER(events), false},
    {"dfs-order", "yaml.header.dfs-order", read_order, HEADER(order), false},
    {"hash-func", "yaml.header.hash-func", read_hash, 0, false},
};

static int read_header(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct yaml_reader *r = yaml_reader_of(e);
    (void)object;
    int code = yaml_read_map(e, YAML_FIELDS(header_fields), field->where, &r->header);
    r->has_header = true;
    return code == APF_OK ? yaml_header_join(r->y, &r->header, r->file, e->error) : code;
}

/* ---- the document ---- */

static int read_desc(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct yaml_reader *r = yaml_reader_of(e);
    static const struct yaml_field fields[] = {
        {"gs", "yaml.pseudo_probe_desc.gs", yaml_value_kept, 0, false},
        {"gh", "yaml.pseudo_probe_desc.gh", yaml_value_kept, 0, false},
        {"hs", "yaml.pseudo_probe_desc.hs", yaml_value_kept, 0, false},
    };
    (void)object;
    r->mark = arena_mark(&r->scratch); /* the scratch memory returns to this mark after each function */
    int code = yaml_read_map(e, YAML_FIELDS(fields), field->where, &r->desc);
    r->mark = arena_mark(&r->scratch);
    return code;
}

static int read_document(struct yaml_reader *r)
{
    static const struct yaml_field fields[] = {
        {"header", "yaml.header", read_header, 0, true},
        {"functions", "yaml.functions", read_functions, 0, true},
        {"pseudo_probe_desc", "yaml.pseudo_probe_desc", read_desc, 0, false},
    };
    int code = yaml_read_map(&r->events, YAML_FIELDS(fields), "yaml", NULL);
    if (code == APF_OK)
        code = yaml_next(&r->events); /* the end of the document */
    if (code == APF_OK)
        code = yaml_next(&r->events); /* the end of the stream, or another document */
    if (code == APF_OK && r->events.kind != YAML_END)
        code = yaml_bad(&r->events, "yaml.syntax", "a second document");
    if (code == APF_OK && r->has_probes && !yaml_header_probes(r->y, r->desc))
        code = error_memory(r->events.error);
    return code;
}

static void count_unknown(struct yaml_events *e)
{
    struct yaml_reader *r = yaml_reader_of(e);
    size_t n = e->text.n < sizeof r->unknown - 1 ? e->text.n : sizeof r->unknown - 1;
    if (r->n_unknown++ == 0) {
        memcpy(r->unknown, e->text.p, n);
        r->unknown[n] = '\0';
    }
}

static int report_unknown(struct yaml_reader *r)
{
    struct apf_error finding;
    r->y->info.n_unknown_keys += r->n_unknown;
    if (r->n_unknown == 0)
        return APF_OK;
    error_set_plain(&finding, APF_UNKNOWN_KEY, "yaml", "%s, left out as all of %llu such keys", r->unknown,
                    (unsigned long long)r->n_unknown);
    struct apf_diag d = {APF_SEVERITY_WARNING,
                         APF_UNKNOWN_KEY,
                         r->file - 1,
                         r->y->files.data[r->file],
                         {NULL, 0},
                         0,
                         &finding};
    return error_report_diag(r->y->options.diag, r->y->options.user, &d, r->events.error);
}

static void reader_free(struct yaml_reader *r)
{
    VEC_FREE(&r->text);
    VEC_FREE(&r->blocks);
    VEC_FREE(&r->spans);
    VEC_FREE(&r->edges);
    arena_free(&r->scratch);
}

/* Parses a profile in YAML that was read whole. */
static int read_yaml(struct apf_bolt_yaml *y, const struct apf_input *input, const struct file_bytes *bytes,
                     struct apf_error *error)
{
    struct yaml_reader r = {
        .y = y, .file = (uint32_t)y->files.n, .weight = input->weight ? input->weight : 1};
    struct apf_str name = file_name(input);
    if (y->files.n >= UINT32_MAX)
        return error_plain(error, APF_LIMIT, "yaml.files", "more than 2^32 files");
    if (!yaml_keep(y, &name) || !VEC_PUSH(&y->files, name))
        return error_memory(error);
    int code = yaml_events_open(&r.events, bytes->data, bytes->n, error);
    if (code != APF_OK)
        return code;
    r.events.unknown = count_unknown;
    code = read_document(&r);
    if (code == APF_OK)
        code = report_unknown(&r);
    if (code == APF_OK)
        y->info.n_inputs++;
    yaml_events_close(&r.events);
    reader_free(&r);
    return code;
}

int apf_bolt_yaml_read(struct apf_bolt_yaml *y, const struct apf_input *inputs, size_t n,
                       struct apf_error *error)
{
    struct file_bytes bytes = {0};
    uint64_t max_bytes = options_max_bytes(&y->options);
    int code = yaml_usable(y, error);
    if (code == APF_OK)
        code = inputs_check(inputs, n, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < n && code == APF_OK; i++) {
        code = file_read(&bytes, input_at(inputs, i), max_bytes, error);
        if (code == APF_OK && bolt_kind_of(bytes.data, bytes.n) != BOLT_YAML)
            code = error_plain(error, APF_UNSUPPORTED, "yaml.kind",
                               "not a profile in YAML, which begins with a line ---");
        if (code == APF_OK)
            code = read_yaml(y, input_at(inputs, i), &bytes, error);
        file_error(error, code, input_at(inputs, i), i);
    }
    y->failed = code != APF_OK;
    file_bytes_free(&bytes);
    return code;
}

static int read_either(struct apf_fdata *f, struct apf_bolt_yaml *y, const struct apf_input *input,
                       const struct file_bytes *bytes, struct apf_error *error)
{
    bool yaml = bolt_kind_of(bytes->data, bytes->n) == BOLT_YAML;
    if (bytes->n && (yaml ? f->info.known : y->info.known))
        return error_plain(error, APF_UNSUPPORTED, "bolt.kind",
                           "profiles in YAML together with fdata: this file is %s, those before are not",
                           yaml ? "YAML" : "fdata");
    return yaml ? read_yaml(y, input, bytes, error) : fdata_read_bytes(f, input, bytes, error);
}

int apf_bolt_read(struct apf_fdata *f, struct apf_bolt_yaml *y, const struct apf_input *inputs, size_t n,
                  struct apf_error *error)
{
    struct file_bytes bytes = {0};
    uint64_t max_bytes = options_max_bytes(&f->options);
    struct apf_progress progress = {0, n, 0, 0};
    int code = fdata_usable(f, error);
    if (code == APF_OK)
        code = yaml_usable(y, error);
    if (code == APF_OK)
        code = inputs_check(inputs, n, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < n && code == APF_OK; i++) {
        code = file_read(&bytes, input_at(inputs, i), max_bytes, error);
        if (code == APF_OK)
            code = read_either(f, y, input_at(inputs, i), &bytes, error);
        file_error(error, code, input_at(inputs, i), i);
        progress.n_done++;
        progress.bytes += bytes.stored;
        if (code == APF_OK && f->options.progress &&
            f->options.progress(f->options.progress_user, &progress) != 0)
            code = pulse_error(error);
    }
    f->failed = y->failed = code != APF_OK;
    file_bytes_free(&bytes);
    return code;
}
