/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keys and values are those of LLVM 22; what it does not know it refuses, and so do we. */
#include "instr/memprof_yaml.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/number.h"
#include "base/yaml_events.h"

#define SNIFFED ((size_t)4096)

struct reader {
    struct yaml_events events;
    struct apf_memprof *m;
    const struct read_options *options;
    VEC(uint32_t) frames;  /* of the list that is read, by number */
    VEC(uint64_t) callees; /* of the call site */
    VEC(struct memprof_location) places;
};

struct key;
/* Reads the value that the current event begins, up to its last event. */
typedef int value_fn(struct reader *r, const struct key *key, void *object);

struct key {
    const char *name, *where;
    value_fn *read;
    size_t at; /* in the object */
    bool required;
};

#define KEYS(table) table, sizeof table / sizeof *table

static bool is_text(struct apf_str text, const char *word)
{
    return text.n == strlen(word) && memcmp(text.p, word, text.n) == 0;
}

/* ---- numbers and words ---- */

static int read_number(struct reader *r, const char *where, uint64_t most, uint64_t *v)
{
    const struct yaml_events *e = &r->events;
    if (e->kind != YAML_SCALAR || !number_auto(e->text.p, e->text.n, v))
        return yaml_bad(e, where, "expected a number of at most 64 bits");
    return *v > most ? yaml_bad(e, where, "a number of more than 32 bits") : APF_OK;
}

static int read_u32(struct reader *r, const struct key *key, void *object)
{
    uint64_t v = 0;
    int code = read_number(r, key->where, UINT32_MAX, &v);
    uint32_t narrow = (uint32_t)v;
    memcpy((char *)object + key->at, &narrow, sizeof narrow);
    return code;
}

static int read_u64(struct reader *r, const struct key *key, void *object)
{
    uint64_t v = 0;
    int code = read_number(r, key->where, UINT64_MAX, &v);
    memcpy((char *)object + key->at, &v, sizeof v);
    return code;
}

static int read_bool(struct reader *r, const struct key *key, void *object)
{
    static const char *const words[] = {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N",
                                        "true",  "True",  "TRUE",  "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"};
    const struct yaml_events *e = &r->events;
    const size_t n = sizeof words / sizeof *words;
    size_t i = 0;
    while (i < n && !(e->kind == YAML_SCALAR && is_text(e->text, words[i])))
        i++;
    uint32_t v = i >= n / 2;
    memcpy((char *)object + key->at, &v, sizeof v);
    return i < n ? APF_OK : yaml_bad(e, key->where, "expected true or false");
}

/* ---- names ---- */

/* The last place of `what` in a name; n: it is not in it. */
static size_t find_last(const char *p, size_t n, const char *what)
{
    size_t length = strlen(what);
    for (size_t i = n < length ? 0 : n - length + 1; i-- > 0;)
        if (memcmp(p + i, what, length) == 0)
            return i;
    return n;
}

/* Ids are those of names without what compilers append: ".llvm.N", and ".part.N", in this order. */
static uint64_t id_of_function(struct apf_str name)
{
    static const char *const suffixes[] = {".llvm.", ".part."};
    for (size_t s = 0; s < 2; s++) {
        size_t at = find_last(name.p, name.n, suffixes[s]);
        if (at < name.n && find_last(name.p, name.n, ".") == at + strlen(suffixes[s]) - 1)
            name.n = at;
    }
    return md5_name_ref(name.p, name.n);
}

static int read_guid(struct reader *r, const struct key *key, void *object)
{
    const struct yaml_events *e = &r->events;
    uint64_t v = 0;
    bool hex = e->text.n >= 2 && e->text.p[0] == '0' && (e->text.p[1] | 0x20) == 'x';
    if (e->kind != YAML_SCALAR)
        return yaml_bad(e, key->where, "expected an id or the name of a function");
    bool digits = true;
    for (size_t i = 0; i < e->text.n; i++)
        digits &= e->text.p[i] >= '0' && e->text.p[i] <= '9';
    if (digits)
        return yaml_bad(e, key->where, "use a hexadecimal GUID or a function instead");
    if (hex && !number_auto(e->text.p, e->text.n, &v))
        return yaml_bad(e, key->where, "invalid hex64 number");
    if (!hex)
        v = id_of_function(e->text);
    memcpy((char *)object + key->at, &v, sizeof v);
    return APF_OK;
}

/* The name of data up to the first dot that is not of ".__uniq.". */
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

static bool has_separator(struct apf_str text)
{
    return text.n && memchr(text.p, 1, text.n) != NULL;
}

static int read_symbol(struct reader *r, const struct key *key, void *object)
{
    const struct yaml_events *e = &r->events;
    if (e->kind != YAML_SCALAR || e->text.n == 0 || has_separator(e->text))
        return yaml_bad(e, key->where, "expected the name of a symbol");
    struct apf_str name = name_of_symbol(e->text);
    uint32_t v = memprof_string_number(r->m, name.p, name.n);
    memcpy((char *)object + key->at, &v, sizeof v);
    return APF_OK;
}

static int read_file_name(struct reader *r, const struct key *key, void *object)
{
    const struct yaml_events *e = &r->events;
    if (e->kind != YAML_SCALAR || has_separator(e->text))
        return yaml_bad(e, key->where, "expected the name of a file");
    uint32_t v = memprof_string_number(r->m, e->text.p, e->text.n);
    memcpy((char *)object + key->at, &v, sizeof v);
    return APF_OK;
}

/* ---- mappings and lists ---- */

static int read_entry(struct reader *r, const struct key *keys, size_t n, uint64_t *seen, void *object)
{
    size_t i = 0;
    if (r->events.kind != YAML_SCALAR)
        return yaml_bad(&r->events, "yaml.syntax", "expected a key");
    while (i < n && !is_text(r->events.text, keys[i].name))
        i++;
    if (i == n)
        return yaml_bad(&r->events, "memprof.yaml", "unknown key");
    if (*seen >> i & 1)
        return yaml_bad(&r->events, keys[i].where, "the same key a second time");
    *seen |= (uint64_t)1 << i;
    int code = yaml_next(&r->events);
    return code == APF_OK ? keys[i].read(r, &keys[i], object) : code;
}

static int read_map(struct reader *r, const struct key *keys, size_t n, const char *where, void *object)
{
    uint64_t seen = 0;
    size_t at = r->events.at;
    if (r->events.kind != YAML_MAP)
        return yaml_bad(&r->events, where, "expected a mapping");
    int code = yaml_next(&r->events);
    while (code == APF_OK && r->events.kind != YAML_MAP_END) {
        code = read_entry(r, keys, n, &seen, object);
        if (code == APF_OK)
            code = yaml_next(&r->events);
    }
    for (size_t i = 0; i < n && code == APF_OK; i++)
        if (keys[i].required && !(seen >> i & 1))
            code = yaml_bad_at(&r->events, at, keys[i].where, "missing required key");
    return code;
}

/* Begins a list; *empty: there is none, which is the same as an empty one. */
static int begin_list(struct reader *r, const char *where, bool *empty)
{
    const struct yaml_events *e = &r->events;
    *empty = e->kind == YAML_SCALAR && (e->text.n == 0 || is_text(e->text, "null") || is_text(e->text, "~"));
    return *empty || e->kind == YAML_LIST ? APF_OK : yaml_bad(e, where, "expected a list");
}

/* Goes to the next item of a list; *more is false at its end. */
static int next_item(struct reader *r, bool *more)
{
    int code = yaml_next(&r->events);
    *more = r->events.kind != YAML_LIST_END;
    return code;
}

/* ---- call stacks ---- */

#define FRAME(member) offsetof(struct apf_memprof_frame, member)

static const struct key frame_keys[] = {
    {"Function", "memprof.yaml.frame.Function", read_guid, FRAME(function), true},
    {"LineOffset", "memprof.yaml.frame.LineOffset", read_u32, FRAME(line_offset), true},
    {"Column", "memprof.yaml.frame.Column", read_u32, FRAME(column), true},
    {"IsInlineFrame", "memprof.yaml.frame.IsInlineFrame", read_bool, FRAME(is_inline), true},
};

/* Innermost first, in the file and in r->frames; `object` has the number of the stack. */
static int read_stack(struct reader *r, const struct key *key, void *object)
{
    bool empty, more = false;
    uint32_t stack = 0;
    r->frames.n = 0;
    int code = begin_list(r, key->where, &empty);
    if (code == APF_OK && !empty)
        code = next_item(r, &more);
    while (code == APF_OK && more) {
        struct apf_memprof_frame frame = {0};
        code = read_map(r, KEYS(frame_keys), key->where, &frame);
        if (code != APF_OK)
            break;
        uint32_t number = memprof_frame_number(r->m, &frame);
        if (!VEC_PUSH(&r->frames, number))
            return error_memory(r->events.error);
        code = next_item(r, &more);
    }
    while (r->frames.n)
        stack = memprof_node_number(r->m, stack, r->frames.data[--r->frames.n]);
    memcpy((char *)object + key->at, &stack, sizeof stack);
    return code == APF_OK ? memprof_check(r->m, r->events.error) : code;
}

/* ---- allocation contexts ---- */

struct context {
    uint32_t stack, fields;
    uint64_t values[APF_MEMPROF_FIELDS];
};

static int read_field(struct reader *r, struct context *c)
{
    static const char where[] = "memprof.yaml.MemInfoBlock";
    unsigned f = 1;
    if (r->events.kind != YAML_SCALAR)
        return yaml_bad(&r->events, "yaml.syntax", "expected a key");
    while (f < APF_MEMPROF_FIELDS && !is_text(r->events.text, apf_memprof_field_name(f)))
        f++;
    if (f == APF_MEMPROF_FIELDS)
        return yaml_bad(&r->events, where, "no field of a MemInfoBlock");
    if (c->fields & memprof_bit(f))
        return yaml_bad(&r->events, where, "the same key a second time");
    c->fields |= memprof_bit(f);
    int code = yaml_next(&r->events);
    return code == APF_OK ? read_number(r, where, memprof_field_bytes(f) == 4 ? UINT32_MAX : UINT64_MAX,
                                        &c->values[f])
                          : code;
}

static int read_block(struct reader *r, const struct key *key, void *object)
{
    if (r->events.kind != YAML_MAP)
        return yaml_bad(&r->events, key->where, "expected a mapping");
    int code = yaml_next(&r->events);
    while (code == APF_OK && r->events.kind != YAML_MAP_END) {
        code = read_field(r, object);
        if (code == APF_OK)
            code = yaml_next(&r->events);
    }
    return code;
}

static const struct key alloc_keys[] = {
    {"Callstack", "memprof.yaml.AllocSites.Callstack", read_stack, offsetof(struct context, stack), true},
    {"MemInfoBlock", "memprof.yaml.AllocSites.MemInfoBlock", read_block, 0, true},
};

/* What is read of a function before its id is known, which may stand behind it, waits in the lists of the profile
 * under a number of its own. */
struct heap_record {
    uint64_t guid;
    size_t first_alloc, first_site;
};

static int read_allocs(struct reader *r, const struct key *key, void *object)
{
    bool empty, more = false;
    (void)object;
    int code = begin_list(r, key->where, &empty);
    if (code == APF_OK && !empty)
        code = next_item(r, &more);
    while (code == APF_OK && more) {
        struct context c = {0};
        code = read_map(r, KEYS(alloc_keys), key->where, &c);
        if (code != APF_OK)
            return code;
        memprof_push_alloc(r->m, 0, c.stack, c.fields, c.values);
        code = next_item(r, &more);
    }
    return code;
}

/* ---- call sites ---- */

static int read_callees(struct reader *r, const struct key *key, void *object)
{
    static const struct key guid = {"", "memprof.yaml.CallSites.CalleeGuids", read_guid, 0, true};
    bool empty, more = false;
    (void)object;
    int code = begin_list(r, key->where, &empty);
    if (code == APF_OK && !empty)
        code = next_item(r, &more);
    while (code == APF_OK && more) {
        uint64_t callee = 0;
        code = read_guid(r, &guid, &callee);
        if (code != APF_OK)
            return code;
        if (!VEC_PUSH(&r->callees, callee))
            return error_memory(r->events.error);
        code = next_item(r, &more);
    }
    return code;
}

static const struct key site_keys[] = {
    {"Frames", "memprof.yaml.CallSites.Frames", read_stack, 0, true},
    {"CalleeGuids", "memprof.yaml.CallSites.CalleeGuids", read_callees, 0, false},
};

static int read_sites(struct reader *r, const struct key *key, void *object)
{
    bool empty, more = false;
    (void)object;
    int code = begin_list(r, key->where, &empty);
    if (code == APF_OK && !empty)
        code = next_item(r, &more);
    while (code == APF_OK && more) {
        uint32_t stack = 0;
        r->callees.n = 0;
        code = read_map(r, KEYS(site_keys), key->where, &stack);
        if (code != APF_OK)
            return code;
        uint32_t site = memprof_push_site(r->m, 0, stack);
        for (size_t i = 0; i < r->callees.n; i++)
            memprof_push_callee(r->m, site, r->callees.data[i]);
        code = next_item(r, &more);
    }
    return code;
}

static const struct key record_keys[] = {
    {"GUID", "memprof.yaml.HeapProfileRecords.GUID", read_guid, offsetof(struct heap_record, guid), true},
    {"AllocSites", "memprof.yaml.HeapProfileRecords.AllocSites", read_allocs, 0, false},
    {"CallSites", "memprof.yaml.HeapProfileRecords.CallSites", read_sites, 0, false},
};

/* A function may stand in several records. */
static int read_records(struct reader *r, const struct key *key, void *object)
{
    struct apf_memprof *m = r->m;
    bool empty, more = false;
    (void)object;
    int code = begin_list(r, key->where, &empty);
    if (code == APF_OK && !empty)
        code = next_item(r, &more);
    while (code == APF_OK && more) {
        struct heap_record record = {0, m->allocs.n, m->sites.n};
        size_t at = r->events.at;
        code = read_map(r, KEYS(record_keys), key->where, &record);
        if (code != APF_OK)
            return code;
        uint32_t function = memprof_function_number(m, record.guid, NULL);
        for (size_t i = record.first_alloc; i < m->allocs.n; i++)
            m->allocs.data[i].function = function;
        for (size_t i = record.first_site; i < m->sites.n; i++)
            m->sites.data[i].function = function;
        code = memprof_check(m, r->events.error);
        if (code == APF_OK && m->functions.n > r->options->max_records) {
            error_set_place(r->events.error, APF_LIMIT, key->where, at, "more functions than the limit allows");
            return APF_LIMIT;
        }
        if (code == APF_OK)
            code = next_item(r, &more);
    }
    return code;
}

/* ---- data access profiles ---- */

#define NO_STRING UINT32_MAX

struct datum {
    uint32_t symbol;
    uint64_t hash, count;
};

static const struct key location_keys[] = {
    {"FileName", "memprof.yaml.Locations.FileName", read_file_name, offsetof(struct memprof_location, file), false},
    {"Line", "memprof.yaml.Locations.Line", read_u32, offsetof(struct memprof_location, line), false},
};

static int read_locations(struct reader *r, const struct key *key, void *object)
{
    bool empty, more = false;
    (void)object;
    int code = begin_list(r, key->where, &empty);
    if (code == APF_OK && !empty)
        code = next_item(r, &more);
    while (code == APF_OK && more) {
        struct memprof_location l = {0, NO_STRING, 0};
        code = read_map(r, KEYS(location_keys), key->where, &l);
        if (code != APF_OK)
            return code;
        if (l.file == NO_STRING)
            l.file = memprof_string_number(r->m, "", 0);
        if (!VEC_PUSH(&r->places, l))
            return error_memory(r->events.error);
        code = next_item(r, &more);
    }
    return code;
}

static const struct key datum_keys[] = {
    {"Symbol", "memprof.yaml.SampledRecords.Symbol", read_symbol, offsetof(struct datum, symbol), false},
    {"Hash", "memprof.yaml.SampledRecords.Hash", read_u64, offsetof(struct datum, hash), false},
    {"AccessCount", "memprof.yaml.SampledRecords.AccessCount", read_u64, offsetof(struct datum, count), true},
    {"Locations", "memprof.yaml.SampledRecords.Locations", read_locations, 0, false},
};

static int read_samples(struct reader *r, const struct key *key, void *object)
{
    bool empty, more = false;
    (void)object;
    int code = begin_list(r, key->where, &empty);
    if (code == APF_OK && !empty)
        code = next_item(r, &more);
    while (code == APF_OK && more) {
        struct datum d = {NO_STRING, 0, 0};
        r->places.n = 0;
        code = read_map(r, KEYS(datum_keys), key->where, &d);
        if (code != APF_OK)
            return code;
        bool literal = d.symbol == NO_STRING;
        uint32_t datum = memprof_push_datum(r->m, literal, literal ? d.hash : d.symbol, d.count);
        for (size_t i = 0; i < r->places.n; i++)
            memprof_push_location(r->m, datum, r->places.data[i].file, r->places.data[i].line);
        code = next_item(r, &more);
    }
    return code;
}

static int read_cold_symbols(struct reader *r, const struct key *key, void *object)
{
    static const struct key symbol = {"", "memprof.yaml.KnownColdSymbols", read_symbol, 0, true};
    bool empty, more = false;
    (void)object;
    int code = begin_list(r, key->where, &empty);
    if (code == APF_OK && !empty)
        code = next_item(r, &more);
    while (code == APF_OK && more) {
        uint32_t string = 0;
        code = read_symbol(r, &symbol, &string);
        if (code == APF_OK && !VEC_PUSH(&r->m->cold, string))
            return error_memory(r->events.error);
        if (code == APF_OK)
            code = next_item(r, &more);
    }
    return code;
}

static int read_cold_hashes(struct reader *r, const struct key *key, void *object)
{
    bool empty, more = false;
    (void)object;
    int code = begin_list(r, key->where, &empty);
    if (code == APF_OK && !empty)
        code = next_item(r, &more);
    while (code == APF_OK && more) {
        uint64_t hash = 0;
        code = read_number(r, key->where, UINT64_MAX, &hash);
        if (code == APF_OK && !VEC_PUSH(&r->m->cold_hashes, hash))
            return error_memory(r->events.error);
        if (code == APF_OK)
            code = next_item(r, &more);
    }
    return code;
}

static const struct key data_keys[] = {
    {"SampledRecords", "memprof.yaml.SampledRecords", read_samples, 0, false},
    {"KnownColdSymbols", "memprof.yaml.KnownColdSymbols", read_cold_symbols, 0, false},
    {"KnownColdStrHashes", "memprof.yaml.KnownColdStrHashes", read_cold_hashes, 0, false},
};

static int read_data(struct reader *r, const struct key *key, void *object)
{
    return read_map(r, KEYS(data_keys), key->where, object);
}

static const struct key top_keys[] = {
    {"HeapProfileRecords", "memprof.yaml.HeapProfileRecords", read_records, 0, false},
    {"DataAccessProfiles", "memprof.yaml.DataAccessProfiles", read_data, 0, false},
};

/* ---- the file ---- */

bool memprof_yaml_begins(const uint8_t *data, size_t n)
{
    return n >= 3 && memcmp(data, "---", 3) == 0 && (n == 3 || data[3] == '\n' || data[3] == '\r' || data[3] == ' ');
}

bool memprof_yaml_is(const uint8_t *data, size_t n)
{
    static const char *const words[] = {"\nHeapProfileRecords:", "\nDataAccessProfiles:", "\n# MemProfSummary:"};
    if (!memprof_yaml_begins(data, n))
        return false;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t length = strlen(words[w]);
        for (size_t i = 0; i + length <= n && i < SNIFFED; i++)
            if (memcmp(data + i, words[w], length) == 0)
                return true;
    }
    return false;
}

/* The summary in front is comments, in a document of their own. */
static int skip_empty_document(struct reader *r)
{
    int code = APF_OK;
    if (r->events.kind == YAML_SCALAR && r->events.text.n == 0)
        for (unsigned i = 0; code == APF_OK && i < 3; i++) /* its end, the next one, that one's value */
            code = yaml_next(&r->events);
    return code;
}

static int read_file(struct reader *r)
{
    int code = skip_empty_document(r);
    if (code == APF_OK && r->events.kind != YAML_MAP)
        return yaml_bad(&r->events, "memprof.yaml", "The profile is empty.");
    if (code == APF_OK)
        code = read_map(r, KEYS(top_keys), "memprof.yaml", NULL);
    for (unsigned i = 0; code == APF_OK && i < 2; i++) /* the end of the document, and of the file */
        code = yaml_next(&r->events);
    if (code == APF_OK && r->events.event.type != YAML_STREAM_END_EVENT)
        return yaml_bad(&r->events, "memprof.yaml", "a second document");
    const struct apf_memprof *m = r->m;
    if (code == APF_OK && !m->functions.n && !m->data.n && !m->cold.n && !m->cold_hashes.n)
        return yaml_bad(&r->events, "memprof.yaml", "The profile is empty.");
    return code;
}

int memprof_yaml_read(struct apf_memprof **memprof, const uint8_t *data, size_t n,
                      const struct read_options *options, struct apf_error *error)
{
    struct reader r = {.m = memprof_new(), .options = options};
    struct apf_error unused;
    *memprof = NULL;
    if (!r.m)
        return error_memory(error);
    int code = yaml_events_open(&r.events, data, n, error ? error : &unused);
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
        *memprof = r.m;
    else
        memprof_free(r.m);
    return code;
}
