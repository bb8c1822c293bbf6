/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts of texts: profiles, texts of BOLT, text of perf script, JSON. */
#include <string.h>

#include <anyprof/bolt.h>

#include "base/error.h"
#include "base/json_read.h"
#include "base/text_bytes.h"
#include "bolt/bolt_kind.h"
#include "bolt/preagg_read.h"
#include "instr/model/profile.h"
#include "instr/text/text_read.h"
#include "jobs/info.h"
#include "perf/perf_script.h"

/* ---- profiles of BOLT ---- */

static int read_yaml(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = info_input(r);
    struct apf_bolt_yaml *yaml;
    int code = apf_bolt_yaml_new(&yaml, r->options, error);
    if (code == APF_OK)
        code = apf_bolt_yaml_read(yaml, &input, 1, error);
    if (code == APF_OK) {
        r->file->kind = APF_KIND_BOLT_YAML;
        r->facts->n_functions = apf_bolt_yaml_info(yaml)->n_functions;
    }
    apf_bolt_yaml_free(yaml);
    return code;
}

static int read_fdata(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = info_input(r);
    struct apf_fdata *fdata;
    int code = apf_fdata_new(&fdata, r->options, error);
    if (code == APF_OK)
        code = apf_fdata_read(fdata, &input, 1, error);
    if (code == APF_OK) {
        const struct apf_fdata_info *info = apf_fdata_info(fdata);
        r->file->kind = APF_KIND_BOLT_FDATA;
        if (!info_add_number(r, "branches", info->n_branches) ||
            !info_add_number(r, "samples", info->n_samples) ||
            !info_add_number(r, "memory_events", info->n_memory))
            code = error_memory(error);
    }
    apf_fdata_free(fdata);
    return code;
}

static int pass_sample(void *user, const struct branch_sample *sample, struct apf_error *error)
{
    uint64_t *total = user;
    (void)error;
    *total += sample->count;
    return APF_OK;
}

static int read_samples(struct info_reader *r, struct apf_error *error)
{
    struct preagg_events events = {0};
    uint64_t n = 0, total = 0;
    int code = preagg_read((const char *)r->bytes.data, r->bytes.n, &events, pass_sample, &total, &n, error);
    if (code == APF_OK && n == 0) /* an empty text has no kind */
        code = APF_UNRECOGNIZED_FORMAT;
    if (code == APF_OK) {
        r->file->kind = APF_KIND_BOLT_SAMPLES;
        if (!info_add_number(r, "records", n) || !info_add_number(r, "samples", total))
            code = error_memory(error);
    }
    VEC_FREE(&events.list);
    arena_free(&events.arena);
    return code;
}

/* ---- text of perf script ---- */

struct perf_counts {
    uint64_t n_samples, n_mappings;
    bool certain; /* a line proves the kind */
};

static int pass_perf(void *user, const struct perf_record *record, struct apf_error *error)
{
    struct perf_counts *c = user;
    (void)error;
    c->n_samples += record->kind <= PERF_LOAD;
    c->n_mappings += record->kind == PERF_MAPPING;
    c->certain |= record->n_branches || record->kind == PERF_MAPPING;
    return APF_OK;
}

/* APF_UNRECOGNIZED_FORMAT if the kind was not known before: the text may be of any other kind. */
int info_read_script(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = info_input(r);
    struct perf_script script = {.n_lines = 0};
    struct perf_counts counts = {0, 0, false};
    bool known = r->facts->file->kind == APF_KIND_PERF_SCRIPT;
    int code = perf_script_read(&script, &input, UINT64_MAX, pass_perf, &counts, error);
    uint64_t other = script.n_other + script.n_events;
    perf_script_free(&script);
    if (code == APF_OK && !known && (!counts.certain || script.n_other))
        code = APF_UNRECOGNIZED_FORMAT;
    if (code != APF_OK)
        return code;
    r->file->kind = APF_KIND_PERF_SCRIPT;
    bool done = info_add_number(r, "samples", counts.n_samples) &&
                info_add_number(r, "mappings", counts.n_mappings) && info_add_number(r, "other_lines", other);
    return done ? APF_OK : error_memory(error);
}

/* ---- any text ---- */

static int report_unknown(struct info_reader *r, const char *what, struct apf_error *error)
{
    r->file->kind = APF_KIND_UNKNOWN;
    return error_plain(error, APF_UNRECOGNIZED_FORMAT, "file", "%s", what);
}

/* Whether a reader accepted the first line: then the text is of that kind, and damaged. The reader of perf script does
 * not count: it accepts any line. */
static bool got_on(uint32_t kind, int code, const struct apf_error *error)
{
    return kind != APF_KIND_PERF_SCRIPT && code != APF_UNRECOGNIZED_FORMAT && error->line > 1;
}

/* The first reader that succeeds describes the text; else the first one that accepted a line, with its error. */
int info_read_text(struct info_reader *r, struct apf_error *error)
{
    static const struct {
        uint32_t kind;
        int (*read)(struct info_reader *r, struct apf_error *error);
    } readers[] = {{APF_KIND_BOLT_FDATA, read_fdata},
                   {APF_KIND_BOLT_SAMPLES, read_samples},
                   {APF_KIND_PERF_SCRIPT, info_read_script}};
    struct apf_error others[sizeof readers / sizeof *readers];
    if (bolt_kind_of(r->bytes.data, r->bytes.n) == BOLT_YAML)
        return read_yaml(r, error);
    int code = info_read_profile(r, error);
    if (code == APF_OK || code == APF_NO_MEMORY || text_read_begins(r->bytes.data, r->bytes.n))
        return code;
    int damaged = -1;
    for (int i = 0; i < (int)(sizeof readers / sizeof *readers); i++) {
        code = readers[i].read(r, &others[i]);
        if (code == APF_OK || code == APF_NO_MEMORY)
            return code == APF_OK ? APF_OK : error_memory(error);
        r->numbers.n = 0;
        if (damaged < 0 && got_on(readers[i].kind, code, &others[i]))
            damaged = i;
    }
    if (damaged < 0)
        return report_unknown(r, "no kind of text that anyprof knows", error);
    r->file->kind = readers[damaged].kind;
    *error = others[damaged];
    return error->code;
}

/* ---- JSON ---- */

/* "anyprof-diff/1" */
static bool is_ours(struct apf_str schema)
{
    static const char begins[] = "anyprof-";
    size_t i = sizeof begins - 1;
    if (schema.n < i || memcmp(schema.p, begins, i) != 0)
        return false;
    size_t word = i;
    while (i < schema.n && ((schema.p[i] >= 'a' && schema.p[i] <= 'z') || schema.p[i] == '-'))
        i++;
    size_t slash = i;
    if (i == word || i == schema.n || schema.p[i++] != '/')
        return false;
    while (i < schema.n && schema.p[i] >= '0' && schema.p[i] <= '9')
        i++;
    return i == schema.n && i > slash + 1;
}

static const char profiles[] = "anyprof-profile/";

static bool is_profile(const char *schema)
{
    return strncmp(schema, profiles, sizeof profiles - 1) == 0;
}

/* The schema of a document of anyprof, in the arena; NULL: another document, or allocation failed. *code: the result of
 * parsing to the end; profiles are not parsed further. */
static const char *schema_of(struct info_reader *r, int *code, struct apf_error *error)
{
    struct json_reader j;
    struct apf_str key;
    const char *schema = NULL;
    json_read_start(&j, r->bytes.data, r->bytes.n, error);
    j.where = "json";
    json_read_object(&j);
    while (!(schema && is_profile(schema)) && json_read_key(&j, &key)) {
        if (schema || !text_is(key, "schema")) {
            json_read_skip(&j);
            continue;
        }
        struct apf_str text = json_read_string(&j);
        if (json_read_failed(&j) || !is_ours(text))
            break;
        schema = arena_text(r->arena, text.p, text.n);
        if (!schema)
            json_read_memory(&j);
    }
    *code = json_read_finish(&j);
    return schema;
}

int info_read_json(struct info_reader *r, struct apf_error *error)
{
    int code = APF_OK;
    const char *schema = schema_of(r, &code, error);
    if (code == APF_NO_MEMORY)
        return error_memory(error);
    if (!schema)
        return report_unknown(r, "JSON without a schema that anyprof knows", error);
    if (is_profile(schema))
        return info_read_profile(r, error);
    r->file->kind = APF_KIND_OTHER_JSON;
    r->facts->schema = schema;
    return code;
}
