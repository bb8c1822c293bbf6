/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* dump_profile FILE...: everything the public interface says about a profile, as one line of JSON for each file.
 *
 * Only the JSON writer is private. Hashes, ids and words are "0x..." strings, bytes are hexadecimal digits, counts are
 * numbers (strings above 2^53). A file that cannot be read has "error" instead of "info" and "records". The exit
 * code is 0 unless the output fails. */
#include <stdio.h>
#include <stdlib.h>

#include <anyprof/anyprof.h>

#include "base/json_write.h"

static int to_stdout(void *user, const void *p, size_t n)
{
    (void)user;
    return fwrite(p, 1, n, stdout) == n ? 0 : 1;
}

/* ---- pieces ---- */

static void text_entry(struct json_writer *w, const char *key, struct apf_str s)
{
    json_key(w, key);
    json_bytes(w, s.p, s.n);
}

static void number_entry(struct json_writer *w, const char *key, uint64_t v)
{
    json_key(w, key);
    json_u64(w, v);
}

static void hex_entry(struct json_writer *w, const char *key, uint64_t v)
{
    json_key(w, key);
    json_hex(w, v);
}

static void numbers(struct json_writer *w, const char *key, const uint64_t *v, size_t n)
{
    json_key(w, key);
    json_array_begin(w);
    for (size_t i = 0; i < n; i++)
        json_u64(w, v[i]);
    json_array_end(w);
}

/* ---- the profile as a whole ---- */

static void dump_traces(struct json_writer *w, struct apf_instr *instr, const struct apf_instr_info *info)
{
    json_key(w, "traces");
    json_array_begin(w);
    for (size_t i = 0; i < info->n_traces; i++) {
        const struct apf_trace *t = &info->traces[i];
        json_object_begin(w);
        number_entry(w, "weight", t->weight);
        json_key(w, "ids");
        json_array_begin(w);
        for (size_t j = 0; j < t->n; j++)
            json_hex(w, t->ids[j]);
        json_array_end(w);
        json_key(w, "names");
        json_array_begin(w);
        for (size_t j = 0; j < t->n; j++) {
            struct apf_str name = apf_instr_name(instr, t->ids[j]);
            json_bytes(w, name.p, name.n);
        }
        json_array_end(w);
        json_object_end(w);
    }
    json_array_end(w);
    number_entry(w, "trace_stream_size", info->trace_stream_size);
}

static void dump_lists(struct json_writer *w, const struct apf_instr_info *info)
{
    const char *name;
    json_key(w, "binary_ids");
    json_array_begin(w);
    for (size_t i = 0; i < info->n_binary_ids; i++)
        json_digits(w, info->binary_ids[i].p, info->binary_ids[i].n);
    json_array_end(w);
    json_key(w, "vtable_names");
    json_array_begin(w);
    for (size_t i = 0; i < info->n_vtable_names; i++)
        json_bytes(w, info->vtable_names[i].p, info->vtable_names[i].n);
    json_array_end(w);
    json_key(w, "producers");
    json_array_begin(w);
    for (unsigned i = 0; i < 64 && (name = apf_release_name(i)) != NULL; i++)
        if (info->producers >> i & 1)
            json_cstring(w, name);
    json_array_end(w);
}

static void dump_info(struct json_writer *w, struct apf_instr *instr)
{
    static const char *const formats[] = {"", "raw", "indexed", "text", "merged", "json"};
    const struct apf_instr_info *info = apf_instr_info(instr);
    json_key(w, "info");
    json_object_begin(w);
    json_key(w, "format");
    json_cstring(w, formats[info->format]);
    number_entry(w, "version", info->version);
    hex_entry(w, "version_word", info->version_word);
    hex_entry(w, "variant", info->variant);
    hex_entry(w, "last_variant", info->last_variant);
    number_entry(w, "pointer_bits", info->pointer_bits);
    json_key(w, "big_endian");
    json_bool(w, info->big_endian != 0);
    json_key(w, "front_end");
    json_bool(w, info->front_end != 0);
    number_entry(w, "n_profiles", info->n_profiles);
    number_entry(w, "n_records", info->n_records);
    number_entry(w, "n_counters", info->n_counters);
    number_entry(w, "nameless", info->nameless);
    dump_lists(w, info);
    dump_traces(w, instr, info);
    json_object_end(w);
}

static void dump_summary(struct json_writer *w, struct apf_instr *instr)
{
    const struct apf_summary *s;
    if (apf_instr_summary(instr, APF_SUMMARY_ALL, &s, NULL) != APF_OK)
        return;
    json_key(w, "summary");
    json_object_begin(w);
    number_entry(w, "n_functions", s->n_functions);
    number_entry(w, "n_counters", s->n_counters);
    number_entry(w, "max_function_count", s->max_function_count);
    number_entry(w, "max_count", s->max_count);
    number_entry(w, "max_internal_count", s->max_internal_count);
    number_entry(w, "total_count", s->total_count);
    json_object_end(w);
}

/* ---- records ---- */

static void dump_site(struct json_writer *w, struct apf_instr *instr, unsigned kind,
                      const struct apf_site *site)
{
    json_array_begin(w);
    for (size_t i = 0; i < site->n; i++) {
        const struct apf_value *v = &site->values[i];
        struct apf_str name = {NULL, 0};
        if (kind != APF_VALUE_MEMOP_SIZE)
            name = apf_instr_name(instr, v->value);
        json_array_begin(w);
        json_hex(w, v->value);
        json_u64(w, v->count);
        json_bytes(w, name.p, name.n);
        json_array_end(w);
    }
    json_array_end(w);
}

static void dump_sites(struct json_writer *w, struct apf_instr *instr, const struct apf_record *r)
{
    json_key(w, "sites");
    json_array_begin(w);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        json_array_begin(w);
        for (size_t i = 0; i < r->n_sites[k]; i++)
            dump_site(w, instr, k, &r->sites[k][i]);
        json_array_end(w);
    }
    json_array_end(w);
}

static void dump_record(struct json_writer *w, struct apf_instr *instr, const struct apf_record *r)
{
    json_object_begin(w);
    text_entry(w, "name", r->name);
    hex_entry(w, "id", r->id);
    hex_entry(w, "hash", r->hash);
    number_entry(w, "timestamp", r->timestamp);
    number_entry(w, "offset", r->offset);
    numbers(w, "counts", r->counts, r->n_counts);
    json_key(w, "bitmap");
    json_digits(w, r->bitmap, r->n_bitmap);
    dump_sites(w, instr, r);
    numbers(w, "uniform", r->uniform, r->n_uniform);
    json_key(w, "uniformity");
    json_digits(w, r->uniformity, r->n_uniformity);
    number_entry(w, "flags", r->flags);
    json_object_end(w);
}

static void dump_records(struct json_writer *w, struct apf_instr *instr)
{
    struct apf_record r = {.size = sizeof r};
    json_key(w, "records");
    json_array_begin(w);
    for (size_t i = 0; apf_instr_record(instr, i, &r, NULL) == APF_OK; i++)
        dump_record(w, instr, &r);
    json_array_end(w);
}

/* ---- errors and findings ---- */

static void dump_error(struct json_writer *w, const struct apf_error *e)
{
    json_object_begin(w);
    json_key(w, "code");
    json_cstring(w, apf_code_name(e->code));
    json_key(w, "where");
    json_cstring(w, e->where);
    json_key(w, "offset");
    if (e->offset == UINT64_MAX)
        json_none(w);
    else
        json_u64(w, e->offset);
    number_entry(w, "line", e->line);
    number_entry(w, "found", e->found);
    number_entry(w, "expected", e->expected);
    json_key(w, "message");
    json_cstring(w, e->message);
    json_object_end(w);
}

/* An apf_diag_fn; `user` is the JSON writer, in the array of findings. */
static int collect_finding(void *user, const struct apf_diag *diag)
{
    dump_error((struct json_writer *)user, diag->error);
    return 0;
}

static bool dump_file(const char *path)
{
    struct json_writer w;
    struct apf_instr *instr;
    struct apf_error error;
    struct apf_input input = apf_input_file(path);
    struct apf_options options = {0};
    options.size = sizeof options;
    options.diag = collect_finding;
    options.user = &w;
    json_start(&w, to_stdout, NULL, 0);
    json_object_begin(&w);
    json_key(&w, "file");
    json_cstring(&w, path);
    json_key(&w, "findings");
    json_array_begin(&w);
    int code = apf_instr_open(&instr, &input, &options, &error);
    json_array_end(&w);
    if (code == APF_OK) {
        dump_info(&w, instr);
        dump_summary(&w, instr);
        dump_records(&w, instr);
    } else {
        json_key(&w, "error");
        dump_error(&w, &error);
    }
    apf_instr_close(instr);
    json_object_end(&w);
    return json_finish(&w, NULL) == APF_OK && fflush(stdout) == 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!dump_file(argv[i])) {
            fprintf(stderr, "dump_profile: cannot write\n");
            return 2;
        }
    return 0;
}
