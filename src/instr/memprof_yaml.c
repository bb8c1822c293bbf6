/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keys and values are those of LLVM 22; what it does not know it refuses, and so do we. */
#include "instr/memprof_yaml.h"

#include "base/error.h"
#include "base/text_bytes.h"
#include "instr/memprof_yaml_keys.h"

#define SNIFFED ((size_t)4096)

/* ---- call stacks ---- */

#define FRAME(member) offsetof(struct apf_memprof_frame, member)

static const struct memprof_key frame_keys[] = {
    {"Function", "memprof.yaml.frame.Function", memprof_yaml_guid, FRAME(function), true},
    {"LineOffset", "memprof.yaml.frame.LineOffset", memprof_yaml_u32, FRAME(line_offset), true},
    {"Column", "memprof.yaml.frame.Column", memprof_yaml_u32, FRAME(column), true},
    {"IsInlineFrame", "memprof.yaml.frame.IsInlineFrame", memprof_yaml_bool, FRAME(is_inline), true},
};

static int read_frame(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    struct apf_memprof_frame frame = {0};
    (void)object;
    int code = memprof_yaml_map(r, MEMPROF_KEYS(frame_keys), key->where, &frame);
    if (code != APF_OK)
        return code;
    uint32_t number = memprof_frame_number(r->m, &frame);
    return VEC_PUSH(&r->frames, number) ? APF_OK : error_memory(r->events.error);
}

/* Innermost first, in the file and in r->frames; the object has the number of the stack. */
static int read_stack(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    uint32_t stack = 0;
    r->frames.n = 0;
    int code = memprof_yaml_list(r, key, read_frame, NULL);
    if (code != APF_OK)
        return code;
    while (r->frames.n)
        stack = memprof_node_number(r->m, stack, r->frames.data[--r->frames.n]);
    memcpy((char *)object + key->at, &stack, sizeof stack);
    return memprof_check(r->m, key->where, r->events.at, r->events.error);
}

/* ---- allocation contexts ---- */

struct context {
    uint32_t stack, fields;
    uint64_t values[APF_MEMPROF_FIELDS];
};

static int read_field(struct memprof_yaml *r, struct context *c)
{
    static const char where[] = "memprof.yaml.MemInfoBlock";
    unsigned f = 1;
    if (r->events.kind != YAML_SCALAR)
        return yaml_bad(&r->events, "yaml.syntax", "expected a key");
    while (f < APF_MEMPROF_FIELDS && !text_is(r->events.text, apf_memprof_field_name(f)))
        f++;
    if (f == APF_MEMPROF_FIELDS)
        return yaml_bad(&r->events, where, "no field of a MemInfoBlock");
    if (c->fields & memprof_bit(f))
        return yaml_bad(&r->events, where, "the same key a second time");
    c->fields |= memprof_bit(f);
    int code = yaml_next(&r->events);
    uint64_t most = memprof_field_bytes(f) == 4 ? UINT32_MAX : UINT64_MAX;
    return code == APF_OK ? memprof_yaml_number(r, where, most, &c->values[f]) : code;
}

static int read_block(struct memprof_yaml *r, const struct memprof_key *key, void *object)
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

static const struct memprof_key alloc_keys[] = {
    {"Callstack", "memprof.yaml.AllocSites.Callstack", read_stack, offsetof(struct context, stack), true},
    {"MemInfoBlock", "memprof.yaml.AllocSites.MemInfoBlock", read_block, 0, true},
};

/* What is read of a function whose id may stand behind it waits in the lists of the profile, as of function 0. */
static int read_alloc(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    struct context c = {0};
    (void)object;
    int code = memprof_yaml_map(r, MEMPROF_KEYS(alloc_keys), key->where, &c);
    if (code == APF_OK)
        memprof_push_alloc(r->m, 0, c.stack, c.fields, c.values);
    return code;
}

static int read_allocs(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    return memprof_yaml_list(r, key, read_alloc, object);
}

/* ---- call sites ---- */

static int read_callee(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    const struct memprof_key guid = {"", key->where, memprof_yaml_guid, 0, true};
    uint64_t callee = 0;
    (void)object;
    int code = memprof_yaml_guid(r, &guid, &callee);
    return code != APF_OK || VEC_PUSH(&r->callees, callee) ? code : error_memory(r->events.error);
}

static int read_callees(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    return memprof_yaml_list(r, key, read_callee, object);
}

static const struct memprof_key site_keys[] = {
    {"Frames", "memprof.yaml.CallSites.Frames", read_stack, 0, true},
    {"CalleeGuids", "memprof.yaml.CallSites.CalleeGuids", read_callees, 0, false},
};

static int read_site(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    uint32_t stack = 0;
    (void)object;
    r->callees.n = 0;
    int code = memprof_yaml_map(r, MEMPROF_KEYS(site_keys), key->where, &stack);
    if (code != APF_OK)
        return code;
    uint32_t site = memprof_push_site(r->m, 0, stack);
    for (size_t i = 0; i < r->callees.n; i++)
        memprof_push_callee(r->m, site, r->callees.data[i]);
    return APF_OK;
}

static int read_sites(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    return memprof_yaml_list(r, key, read_site, object);
}

/* ---- functions ---- */

struct heap_record {
    uint64_t guid;
    size_t first_alloc, first_site;
};

static const struct memprof_key record_keys[] = {
    {"GUID", "memprof.yaml.HeapProfileRecords.GUID", memprof_yaml_guid, offsetof(struct heap_record, guid),
     true},
    {"AllocSites", "memprof.yaml.HeapProfileRecords.AllocSites", read_allocs, 0, false},
    {"CallSites", "memprof.yaml.HeapProfileRecords.CallSites", read_sites, 0, false},
};

/* A function may stand in several records. */
static int read_record(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    struct apf_memprof *m = r->m;
    struct heap_record record = {0, m->allocs.n, m->sites.n};
    size_t at = r->events.at;
    (void)object;
    int code = memprof_yaml_map(r, MEMPROF_KEYS(record_keys), key->where, &record);
    if (code != APF_OK)
        return code;
    uint32_t function = memprof_function_number(m, record.guid, NULL);
    for (size_t i = record.first_alloc; i < m->allocs.n; i++)
        m->allocs.data[i].function = function;
    for (size_t i = record.first_site; i < m->sites.n; i++)
        m->sites.data[i].function = function;
    if (m->functions.n > r->options->max_records) {
        error_set_place(r->events.error, APF_LIMIT, key->where, at, "more functions than the limit allows");
        return APF_LIMIT;
    }
    return memprof_check(m, key->where, at, r->events.error);
}

static int read_records(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    return memprof_yaml_list(r, key, read_record, object);
}

static const struct memprof_key top_keys[] = {
    {"HeapProfileRecords", "memprof.yaml.HeapProfileRecords", read_records, 0, false},
    {"DataAccessProfiles", "memprof.yaml.DataAccessProfiles", memprof_yaml_data, 0, false},
};

/* ---- the file ---- */

bool memprof_yaml_begins(const uint8_t *data, size_t n)
{
    return n >= 3 && memcmp(data, "---", 3) == 0 &&
           (n == 3 || data[3] == '\n' || data[3] == '\r' || data[3] == ' ');
}

bool memprof_yaml_is(const uint8_t *data, size_t n)
{
    static const char *const words[] = {
        "\nHeapProfileRecords:", "\nDataAccessProfiles:", "\n# MemProfSummary:"};
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
static int skip_empty_document(struct memprof_yaml *r)
{
    int code = APF_OK;
    if (r->events.kind == YAML_SCALAR && r->events.text.n == 0)
        for (unsigned i = 0; code == APF_OK && i < 3; i++) /* its end, the next one, that one's value */
            code = yaml_next(&r->events);
    return code;
}

static int read_file(struct memprof_yaml *r)
{
    int code = skip_empty_document(r);
    if (code == APF_OK && r->events.kind != YAML_MAP)
        return yaml_bad(&r->events, "memprof.yaml", "The profile is empty.");
    if (code == APF_OK)
        code = memprof_yaml_map(r, MEMPROF_KEYS(top_keys), "memprof.yaml", NULL);
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
    struct memprof_yaml r = {.m = memprof_new(options->max_records), .options = options};
    *memprof = NULL;
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
        *memprof = r.m;
    else
        memprof_free(r.m);
    return code;
}
