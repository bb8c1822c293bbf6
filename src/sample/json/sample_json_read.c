/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/json/sample_json_read.h"

#include <string.h>

#include "base/json_schema.h"
#include "base/text_bytes.h"
#include "sample/json/sample_json.h"
#include "sample/layout/gcc_layout.h"
#include "sample/model/sample_info_words.h"

#define DOCUMENT_KEYS(KEY)                                                                                   \
    KEY(document, schema)                                                                                    \
    KEY(document, source)                                                                                    \
    KEY(document, flags)                                                                                     \
    KEY(document, findings)                                                                                  \
    KEY(document, summary) KEY(document, symbols) KEY(document, names) KEY(document, functions)
JSON_KEYS(document_keys, DOCUMENT_KEYS);
#define SOURCE_KEYS(KEY) KEY(source, kind) KEY(source, version) KEY(source, layout) KEY(source, byte_order)
JSON_KEYS(source_keys, SOURCE_KEYS);
#define SUMMARY_KEYS(KEY)                                                                                    \
    KEY(summary, total)                                                                                      \
    KEY(summary, max_count)                                                                                  \
    KEY(summary, max_head) KEY(summary, counts) KEY(summary, functions) KEY(summary, rows)
JSON_KEYS(summary_keys, SUMMARY_KEYS);
#define ROW_KEYS(KEY) KEY(rows, cutoff) KEY(rows, min_count) KEY(rows, counts)
JSON_KEYS(row_keys, ROW_KEYS);
#define NAME_KEYS(KEY) KEY(names, name) KEY(names, hash) KEY(names, file)
JSON_KEYS(name_keys, NAME_KEYS);

/* ---- the source ---- */

static void read_source(struct sample_json_reader *r, struct json_fields *document)
{
    struct apf_sample_info *info = &r->sample->info;
    struct json_fields f;
    json_fields_object(document, document_source, &f, source_keys);
    if (json_fields_has(&f, source_kind)) {
        info->origin = sample_format_of(json_fields_text(&f, source_kind, NULL));
        if (!info->origin)
            json_fields_wrong(&f, source_kind,
                              "expected text, binary, compact, extbinary, gcc, merged or json");
    }
    info->version = (uint32_t)json_fields_u64_or(&f, source_version, UINT32_MAX, 0);
    struct apf_str layout = json_fields_text(&f, source_layout, NULL);
    const char *name = arena_text(&r->sample->arena, layout.p, layout.n);
    const struct gcc_layout *known = name ? gcc_layout_named(name) : NULL;
    info->layout = known ? known->name : ""; /* a constant, which outlives the profile, as in other readers */
    if (!name)
        json_read_memory(&r->json);
    else if (layout.n && (!known || strlen(name) != layout.n))
        json_fields_wrong(&f, source_layout, "expected 1, 704, 2, 3a, 3b or 3");
    struct apf_str order = json_fields_text(&f, source_byte_order, NULL);
    info->big_endian = text_is(order, "big");
    if (order.n && !text_is(order, "big") && !text_is(order, "little"))
        json_fields_wrong(&f, source_byte_order, "expected big or little");
}

static void read_flags(struct sample_json_reader *r, struct json_fields *document)
{
    if (!json_fields_list(document, document_flags))
        return;
    while (json_read_more(&r->json)) {
        const struct sample_bit_word *flag = sample_flag_words;
        struct apf_str word = json_read_string(&r->json);
        while (flag->word && !text_is(word, flag->word))
            flag++;
        if (!flag->word)
            json_read_wrong(&r->json, APF_BAD_JSON, "unknown flag");
        r->sample->info.flags |= flag->bit;
    }
    json_fields_leave(document);
}

/* Numbers of findings; those that this version does not know are left out. */
static void read_findings(struct sample_json_reader *r, struct json_fields *document)
{
    struct apf_str key;
    if (!json_fields_enter(document, document_findings))
        return;
    for (json_read_object(&r->json); json_read_key(&r->json, &key);) {
        unsigned finding = 0;
        while (finding < SAMPLE_FINDING_COUNT && !text_is(key, sample_json_finding(finding)))
            finding++;
        uint64_t n = json_read_u64(&r->json, UINT64_MAX);
        if (finding < SAMPLE_FINDING_COUNT)
            r->sample->findings[finding] = n;
    }
    json_fields_leave(document);
}

/* ---- the summary ---- */

static void read_rows(struct sample_json_reader *r, struct json_fields *f, struct sample_summary *summary)
{
    VEC(struct sample_summary_row) rows = {NULL, 0, 0};
    if (json_fields_list(f, summary_rows))
        while (json_read_more(&r->json)) {
            struct json_fields row;
            json_fields_read(&row, &r->json, row_keys);
            struct sample_summary_row new = {json_fields_u64(&row, rows_cutoff, UINT32_MAX),
                                             json_fields_u64(&row, rows_min_count, UINT64_MAX),
                                             json_fields_u64(&row, rows_counts, UINT64_MAX)};
            if (!VEC_PUSH(&rows, new))
                json_read_memory(&r->json);
        }
    summary->rows = arena_array(&r->sample->arena, rows.n, sizeof *summary->rows);
    summary->n_rows = rows.n;
    if (!summary->rows)
        json_read_memory(&r->json);
    else if (rows.n)
        memcpy(summary->rows, rows.data, rows.n * sizeof *rows.data);
    VEC_FREE(&rows);
}

static void read_summary(struct sample_json_reader *r, struct json_fields *document)
{
    struct json_fields f;
    if (!json_fields_has(document, document_summary))
        return;
    json_fields_object(document, document_summary, &f, summary_keys);
    struct sample_summary *summary = arena_zeros(&r->sample->arena, 1, sizeof *summary);
    if (!summary) {
        json_read_memory(&r->json);
        return;
    }
    summary->total = json_fields_u64(&f, summary_total, UINT64_MAX);
    summary->max_count = json_fields_u64(&f, summary_max_count, UINT64_MAX);
    summary->max_head = json_fields_u64(&f, summary_max_head, UINT64_MAX);
    summary->n_counts = json_fields_u64(&f, summary_counts, UINT64_MAX);
    summary->n_functions = json_fields_u64(&f, summary_functions, UINT64_MAX);
    read_rows(r, &f, summary);
    r->sample->stored = summary;
    json_fields_leave(document);
}

/* ---- lists of names ---- */

static void read_symbols(struct sample_json_reader *r, struct json_fields *document)
{
    if (!json_fields_list(document, document_symbols))
        return;
    r->sample->has_symbols = true;
    while (json_read_more(&r->json)) {
        struct apf_str name = json_read_string(&r->json);
        if (!json_read_failed(&r->json) && sample_append_symbol(r->sample, name, r->json.error) != APF_OK)
            json_read_memory(&r->json);
    }
    json_fields_leave(document);
}

static void read_names(struct sample_json_reader *r, struct json_fields *document)
{
    if (!json_fields_list(document, document_names))
        return;
    while (json_read_more(&r->json)) {
        struct json_fields f;
        json_fields_read(&f, &r->json, name_keys);
        (void)sample_json_identity(r, &f, names_name, names_hash, names_file);
    }
    json_fields_leave(document);
}

/* ---- the document ---- */

static void read_schema(struct json_fields *document)
{
    struct apf_str schema = json_fields_text(document, document_schema, NULL);
    if (!text_is(schema, SAMPLE_SCHEMA))
        json_fields_wrong(document, document_schema, "expected " SAMPLE_SCHEMA);
}

/* Without the flags that say so, checksums show that a profile is of probes. */
static void find_probes(struct apf_sample *s)
{
    for (size_t i = 0; i < s->top.n; i++)
        if (s->nodes.data[s->top.data[i]].checksum)
            s->info.flags |= APF_SAMPLE_PROBES;
}

static int read_document(struct sample_json_reader *r, const uint8_t *data, size_t n)
{
    struct json_fields document;
    const struct sample_read_options *o = r->options;
    json_read_start(&r->json, data, n, r->json.error);
    r->json.pulse = o->pulse;
    json_fields_read(&document, &r->json, document_keys);
    read_schema(&document);
    read_source(r, &document);
    read_flags(r, &document);
    read_findings(r, &document);
    read_summary(r, &document);
    read_symbols(r, &document);
    if (o->discriminator && r->sample->info.flags & APF_SAMPLE_FS)
        r->mask = (uint64_t)UINT32_MAX << 32 | o->discriminator;
    sample_json_functions(r, &document, document_functions);
    read_names(r, &document);
    if (!json_fields_has(&document, document_flags))
        find_probes(r->sample);
    json_fields_leave(&document);
    return json_read_finish(&r->json);
}

int sample_json_read(struct apf_sample *s, const uint8_t *data, size_t n, const struct sample_read_options *o,
                     struct apf_error *error)
{
    struct sample_json_reader r = {.sample = s, .options = o, .mask = UINT64_MAX, .json.error = error};
    s->info.format = APF_SAMPLE_JSON;
    int code = read_document(&r, data, n);
    VEC_FREE(&r.open);
    if (code == APF_OK)
        code = sample_seal(s, error);
    return code == APF_OK ? sample_complete(s, error) : code;
}

bool sample_json_begins(const uint8_t *data, size_t n)
{
    return json_schema_is(data, n, SAMPLE_SCHEMA_NAME);
}
