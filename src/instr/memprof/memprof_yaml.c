/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keys and values are those of LLVM 22; unknown ones are refused, as in LLVM. */
#include "instr/memprof/memprof_yaml.h"

#include "base/error.h"
#include "base/file_magic.h"
#include "base/md5.h"
#include "base/number.h"
#include "base/text_bytes.h"
#include "base/yaml_fields.h"
#include "instr/memprof/memprof_group.h"
#include "instr/model/name_blob.h"

#define NO_STRING UINT32_MAX

struct memprof_yaml {
    struct yaml_events events; /* the first member: see reader_of */
    struct apf_memprof *m;
    struct symbols *names; /* of functions that the file names; the model has only ids */
    const struct read_options *options;
    VEC(uint32_t) frames;  /* numbers of the frames of the present list */
    VEC(uint64_t) callees; /* of the present call site */
    VEC(struct memprof_location) places;
};

static struct memprof_yaml *reader_of(struct yaml_events *e)
{
    return (void *)e;
}

/* ---- values ---- */

/* The last place of `what` in a name; n: it is not in it. */
static size_t find_last(const char *p, size_t n, const char *what)
{
    size_t length = strlen(what);
    for (size_t i = n < length ? 0 : n - length + 1; i-- > 0;)
        if (memcmp(p + i, what, length) == 0)
            return i;
    return n;
}

/* The name of a function without the suffixes ".llvm.N" and ".part.N", removed in this order: the one that has the
 * function's id. */
static struct apf_str name_of_function(struct apf_str name)
{
    static const char *const suffixes[] = {".llvm.", ".part."};
    for (size_t s = 0; s < 2; s++) {
        size_t at = find_last(name.p, name.n, suffixes[s]);
        if (at < name.n && find_last(name.p, name.n, ".") == at + strlen(suffixes[s]) - 1)
            name.n = at;
    }
    return name;
}

/* Computes the id of a name, and keeps the name; of two names with one id, which takes intent, neither. */
static int add_function_name(struct memprof_yaml *r, struct apf_str name, uint64_t *id)
{
    uint32_t entry;
    *id = md5_name_ref(name.p, name.n);
    if (name.n == 0 || name_has_separator(name))
        return APF_OK;
    const int code = symbols_add_id(r->names, *id, name.p, name.n, true, &entry, r->events.error);
    if (code == APF_MALFORMED)
        r->names->list.data[entry].n = 0;
    return code == APF_MALFORMED ? APF_OK : code;
}

static int read_function_id(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    uint64_t v = 0;
    bool hex = e->text.n >= 2 && e->text.p[0] == '0' && (e->text.p[1] | 0x20) == 'x';
    if (e->kind != YAML_SCALAR)
        return yaml_bad(e, field->where, "expected an id or the name of a function");
    bool digits = true;
    for (size_t i = 0; i < e->text.n; i++)
        digits &= e->text.p[i] >= '0' && e->text.p[i] <= '9';
    if (digits)
        return yaml_bad(e, field->where, "use a hexadecimal GUID or a function instead");
    if (hex && !number_auto(e->text.p, e->text.n, &v))
        return yaml_bad(e, field->where, "invalid hex64 number");
    const int code = hex ? APF_OK : add_function_name(reader_of(e), name_of_function(e->text), &v);
    memcpy((char *)object + field->at, &v, sizeof v);
    return code;
}

/* The name of data up to the first dot that is not part of ".__uniq.". */
static struct apf_str name_of_symbol(struct apf_str name)
{
    static const char unique[] = ".__uniq.";
    size_t from = 0, length = sizeof unique - 1;
    for (size_t i = 0; from == 0 && i + length <= name.n; i++)
        if (memcmp(name.p + i, unique, length) == 0)
            from = i + length;
    for (size_t i = from; i < name.n; i++)
        if (name.p[i] == '.' && i > 0) {
            name.n = i;
            break;
        }
    return name;
}

static int read_symbol_name(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    if (e->kind != YAML_SCALAR || e->text.n == 0 || name_has_separator(e->text))
        return yaml_bad(e, field->where, "expected the name of a symbol");
    struct apf_str name = name_of_symbol(e->text);
    uint32_t v = memprof_string_number(reader_of(e)->m, name.p, name.n);
    memcpy((char *)object + field->at, &v, sizeof v);
    return APF_OK;
}

static int read_file_name(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    if (e->kind != YAML_SCALAR || name_has_separator(e->text))
        return yaml_bad(e, field->where, "expected the name of a file");
    uint32_t v = memprof_string_number(reader_of(e)->m, e->text.p, e->text.n);
    memcpy((char *)object + field->at, &v, sizeof v);
    return APF_OK;
}

/* ---- call stacks ---- */

#define FRAME(member) offsetof(struct apf_memprof_frame, member)

static const struct yaml_field frame_keys[] = {
    {"Function", "memprof.yaml.frame.Function", read_function_id, FRAME(function), true},
    {"LineOffset", "memprof.yaml.frame.LineOffset", yaml_value_u32, FRAME(line_offset), true},
    {"Column", "memprof.yaml.frame.Column", yaml_value_u32, FRAME(column), true},
    {"IsInlineFrame", "memprof.yaml.frame.IsInlineFrame", yaml_value_bool, FRAME(is_inline), true},
};

static int read_frame(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = reader_of(e);
    struct apf_memprof_frame frame = {0};
    (void)object;
    int code = yaml_read_map(e, YAML_FIELDS(frame_keys), field->where, &frame);
    if (code != APF_OK)
        return code;
    uint32_t number = memprof_frame_number(r->m, &frame);
    return VEC_PUSH(&r->frames, number) ? APF_OK : error_memory(e->error);
}

/* Reads a stack, whose innermost frame is first in the file and in r->frames, and stores its number in the object. */
static int read_stack(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = reader_of(e);
    uint32_t stack = 0;
    r->frames.n = 0;
    int code = yaml_read_list(e, field, read_frame, NULL);
    if (code != APF_OK)
        return code;
    while (r->frames.n)
        stack = memprof_node_number(r->m, stack, r->frames.data[--r->frames.n]);
    memcpy((char *)object + field->at, &stack, sizeof stack);
    return memprof_check(r->m, field->where, e->at, e->error);
}

/* ---- allocation contexts ---- */

struct context {
    uint32_t stack, fields;
    uint64_t values[APF_MEMPROF_FIELDS];
};

static int read_field(struct yaml_events *e, struct context *c)
{
    static const char where[] = "memprof.yaml.MemInfoBlock";
    unsigned f = 1;
    if (e->kind != YAML_SCALAR)
        return yaml_bad(e, "yaml.syntax", "expected a key");
    while (f < APF_MEMPROF_FIELDS && !text_is(e->text, apf_memprof_field_name(f)))
        f++;
    if (f == APF_MEMPROF_FIELDS)
        return yaml_bad(e, where, "no field of a MemInfoBlock");
    if (c->fields & memprof_bit(f))
        return yaml_bad(e, where, "the same key a second time");
    c->fields |= memprof_bit(f);
    int code = yaml_next(e);
    uint64_t most = memprof_field_bytes(f) == 4 ? UINT32_MAX : UINT64_MAX;
    return code == APF_OK ? yaml_read_number(e, where, most, &c->values[f]) : code;
}

static int read_block(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    if (e->kind != YAML_MAP)
        return yaml_bad(e, field->where, "expected a mapping");
    int code = yaml_next(e);
    while (code == APF_OK && e->kind != YAML_MAP_END) {
        code = read_field(e, object);
        if (code == APF_OK)
            code = yaml_next(e);
    }
    return code;
}

static const struct yaml_field alloc_keys[] = {
    {"Callstack", "memprof.yaml.AllocSites.Callstack", read_stack, offsetof(struct context, stack), true},
    {"MemInfoBlock", "memprof.yaml.AllocSites.MemInfoBlock", read_block, 0, true},
};

/* Allocation contexts wait in the lists of the profile as function 0, since the id of the function may follow. */
static int read_alloc(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = reader_of(e);
    struct context c = {0};
    (void)object;
    int code = yaml_read_map(e, YAML_FIELDS(alloc_keys), field->where, &c);
    if (code == APF_OK)
        memprof_push_alloc(r->m, 0, c.stack, c.fields, c.values);
    return code;
}

static int read_allocs(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_alloc, object);
}

/* ---- call sites ---- */

static int read_callee(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = reader_of(e);
    const struct yaml_field guid = {"", field->where, read_function_id, 0, true};
    uint64_t callee = 0;
    (void)object;
    int code = read_function_id(e, &guid, &callee);
    return code != APF_OK || VEC_PUSH(&r->callees, callee) ? code : error_memory(e->error);
}

static int read_callees(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_callee, object);
}

static const struct yaml_field site_keys[] = {
    {"Frames", "memprof.yaml.CallSites.Frames", read_stack, 0, true},
    {"CalleeGuids", "memprof.yaml.CallSites.CalleeGuids", read_callees, 0, false},
};

static int read_site(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = reader_of(e);
    uint32_t stack = 0;
    (void)object;
    r->callees.n = 0;
    int code = yaml_read_map(e, YAML_FIELDS(site_keys), field->where, &stack);
    if (code != APF_OK)
        return code;
    uint32_t site = memprof_push_site(r->m, 0, stack);
    for (size_t i = 0; i < r->callees.n; i++)
        memprof_push_callee(r->m, site, r->callees.data[i]);
    return APF_OK;
}

static int read_sites(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_site, object);
}

/* ---- functions ---- */

struct heap_record {
    uint64_t guid;
    size_t first_alloc, first_site;
};

static const struct yaml_field record_keys[] = {
    {"GUID", "memprof.yaml.HeapProfileRecords.GUID", read_function_id, offsetof(struct heap_record, guid),
     true},
    {"AllocSites", "memprof.yaml.HeapProfileRecords.AllocSites", read_allocs, 0, false},
    {"CallSites", "memprof.yaml.HeapProfileRecords.CallSites", read_sites, 0, false},
};

/* Reads a record; a function may have several. */
static int read_record(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = reader_of(e);
    struct apf_memprof *m = r->m;
    struct heap_record record = {0, m->allocs.n, m->sites.n};
    size_t at = e->at;
    (void)object;
    int code = yaml_read_map(e, YAML_FIELDS(record_keys), field->where, &record);
    if (code != APF_OK)
        return code;
    uint32_t function = memprof_function_number(m, record.guid, NULL);
    for (size_t i = record.first_alloc; i < m->allocs.n; i++)
        m->allocs.data[i].function = function;
    for (size_t i = record.first_site; i < m->sites.n; i++)
        m->sites.data[i].function = function;
    if (m->functions.n > r->options->max_records) {
        error_set_place(e->error, APF_LIMIT, field->where, at, "more functions than the limit allows");
        return APF_LIMIT;
    }
    return memprof_check(m, field->where, at, e->error);
}

static int read_records(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_record, object);
}

/* ---- data access profiles ---- */

struct datum {
    uint32_t symbol;
    uint64_t hash, count;
};

static const struct yaml_field location_keys[] = {
    {"FileName", "memprof.yaml.Locations.FileName", read_file_name, offsetof(struct memprof_location, file),
     false},
    {"Line", "memprof.yaml.Locations.Line", yaml_value_u32, offsetof(struct memprof_location, line), false},
};

static int read_location(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = reader_of(e);
    struct memprof_location l = {0, NO_STRING, 0};
    (void)object;
    int code = yaml_read_map(e, YAML_FIELDS(location_keys), field->where, &l);
    if (code != APF_OK)
        return code;
    if (l.file == NO_STRING)
        l.file = memprof_string_number(r->m, "", 0);
    return VEC_PUSH(&r->places, l) ? APF_OK : error_memory(e->error);
}

static int read_locations(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_location, object);
}

static const struct yaml_field datum_keys[] = {
    {"Symbol", "memprof.yaml.SampledRecords.Symbol", read_symbol_name, offsetof(struct datum, symbol), false},
    {"Hash", "memprof.yaml.SampledRecords.Hash", yaml_value_u64, offsetof(struct datum, hash), false},
    {"AccessCount", "memprof.yaml.SampledRecords.AccessCount", yaml_value_u64, offsetof(struct datum, count),
     true},
    {"Locations", "memprof.yaml.SampledRecords.Locations", read_locations, 0, false},
};

static int read_datum(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = reader_of(e);
    struct datum d = {NO_STRING, 0, 0};
    (void)object;
    r->places.n = 0;
    int code = yaml_read_map(e, YAML_FIELDS(datum_keys), field->where, &d);
    if (code != APF_OK)
        return code;
    bool literal = d.symbol == NO_STRING;
    uint32_t datum = memprof_push_datum(r->m, literal, literal ? d.hash : d.symbol, d.count);
    for (size_t i = 0; i < r->places.n; i++)
        memprof_push_location(r->m, datum, r->places.data[i].file, r->places.data[i].line);
    return memprof_check(r->m, field->where, e->at, e->error);
}

static int read_data_samples(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_datum, object);
}

static int read_cold_symbol(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = reader_of(e);
    static const struct yaml_field symbol = {"", "memprof.yaml.KnownColdSymbols", read_symbol_name, 0, true};
    uint32_t string = 0;
    (void)object;
    int code = read_symbol_name(e, &symbol, &string);
    if (code == APF_OK)
        memprof_push_cold(r->m, string);
    return code == APF_OK ? memprof_check(r->m, field->where, e->at, e->error) : code;
}

static int read_cold_symbols(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_cold_symbol, object);
}

static int read_cold_hash(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = reader_of(e);
    uint64_t hash = 0;
    (void)object;
    int code = yaml_read_number(e, field->where, UINT64_MAX, &hash);
    if (code == APF_OK)
        memprof_push_cold_hash(r->m, hash);
    return code == APF_OK ? memprof_check(r->m, field->where, e->at, e->error) : code;
}

static int read_cold_hashes(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_cold_hash, object);
}

static const struct yaml_field data_keys[] = {
    {"SampledRecords", "memprof.yaml.SampledRecords", read_data_samples, 0, false},
    {"KnownColdSymbols", "memprof.yaml.KnownColdSymbols", read_cold_symbols, 0, false},
    {"KnownColdStrHashes", "memprof.yaml.KnownColdStrHashes", read_cold_hashes, 0, false},
};

static int read_access_data(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_map(e, YAML_FIELDS(data_keys), field->where, object);
}

/* ---- the file ---- */

static const struct yaml_field top_keys[] = {
    {"HeapProfileRecords", "memprof.yaml.HeapProfileRecords", read_records, 0, false},
    {"DataAccessProfiles", "memprof.yaml.DataAccessProfiles", read_access_data, 0, false},
};

bool memprof_yaml_begins(const uint8_t *data, size_t n)
{
    return yaml_marker_begins(data, n) && !bolt_yaml_begins(data, n);
}

bool memprof_yaml_is(const uint8_t *data, size_t n)
{
    return memprof_yaml_begins(data, n) &&
           (yaml_has_line(data, n, "HeapProfileRecords:") || yaml_has_line(data, n, "DataAccessProfiles:") ||
            yaml_has_line(data, n, "# MemProfSummary:"));
}

/* Skips the document before the profile, whose comments are a summary. */
static int skip_empty_document(struct memprof_yaml *r)
{
    int code = APF_OK;
    if (r->events.kind == YAML_SCALAR && r->events.text.n == 0)
        for (unsigned i = 0; code == APF_OK && i < 3; i++) /* its end, the next document, its value */
            code = yaml_next(&r->events);
    return code;
}

static int read_file(struct memprof_yaml *r)
{
    int code = skip_empty_document(r);
    if (code == APF_OK && r->events.kind != YAML_MAP)
        return yaml_bad(&r->events, "memprof.yaml", "The profile is empty.");
    if (code == APF_OK)
        code = yaml_read_map(&r->events, YAML_FIELDS(top_keys), "memprof.yaml", NULL);
    for (unsigned i = 0; code == APF_OK && i < 2; i++) /* the end of the document, and of the file */
        code = yaml_next(&r->events);
    if (code == APF_OK && r->events.kind != YAML_END)
        return yaml_bad(&r->events, "memprof.yaml", "a second document");
    const struct apf_memprof *m = r->m;
    if (code == APF_OK && !m->functions.n && !m->data.n && !m->cold.n && !m->cold_hashes.n)
        return yaml_bad(&r->events, "memprof.yaml", "The profile is empty.");
    return code;
}

static int read_memprof(struct apf_instr *instr, const uint8_t *data, size_t n,
                        const struct read_options *options, struct apf_error *error)
{
    struct memprof_yaml r = {
        .m = memprof_new(options->max_records), .names = instr->symbols, .options = options};
    if (!r.m)
        return error_memory(error);
    int code = yaml_events_open(&r.events, data, n, error);
    if (code == APF_OK) {
        code = read_file(&r);
        yaml_events_close(&r.events);
    }
    if (code == APF_OK)
        code = memprof_group(r.m, false, error);
    VEC_FREE(&r.frames);
    VEC_FREE(&r.callees);
    VEC_FREE(&r.places);
    if (code == APF_OK)
        instr->memprof = r.m;
    else
        memprof_free(r.m);
    return code;
}

int memprof_yaml_read_profile(struct apf_instr *instr, const uint8_t *data, size_t n,
                              const struct read_options *options, struct apf_error *error)
{
    int code = read_memprof(instr, data, n, options, error);
    instr->info.format = APF_FORMAT_MEMPROF;
    instr->info.n_profiles = 1;
    if (code != APF_OK)
        return code;
    instr->info.variant = APF_VARIANT_MEMPROF;
    if (options->flags & APF_FLAG_DROP_MEMPROF)
        profile_drop_memprof(instr);
    return APF_OK;
}
