/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data access profiles in YAML. */
#include "base/error.h"
#include "instr/memprof/memprof_yaml_values.h"

#define NO_STRING UINT32_MAX

struct datum {
    uint32_t symbol;
    uint64_t hash, count;
};

static const struct yaml_field location_keys[] = {
    {"FileName", "memprof.yaml.Locations.FileName", memprof_yaml_file,
     offsetof(struct memprof_location, file), false},
    {"Line", "memprof.yaml.Locations.Line", yaml_value_u32, offsetof(struct memprof_location, line), false},
};

static int read_location(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = memprof_yaml_of(e);
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
    {"Symbol", "memprof.yaml.SampledRecords.Symbol", memprof_yaml_symbol, offsetof(struct datum, symbol),
     false},
    {"Hash", "memprof.yaml.SampledRecords.Hash", yaml_value_u64, offsetof(struct datum, hash), false},
    {"AccessCount", "memprof.yaml.SampledRecords.AccessCount", yaml_value_u64, offsetof(struct datum, count),
     true},
    {"Locations", "memprof.yaml.SampledRecords.Locations", read_locations, 0, false},
};

static int read_datum(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = memprof_yaml_of(e);
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

static int read_samples(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_list(e, field, read_datum, object);
}

static int read_cold_symbol(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct memprof_yaml *r = memprof_yaml_of(e);
    static const struct yaml_field symbol = {"", "memprof.yaml.KnownColdSymbols", memprof_yaml_symbol, 0,
                                             true};
    uint32_t string = 0;
    (void)object;
    int code = memprof_yaml_symbol(e, &symbol, &string);
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
    struct memprof_yaml *r = memprof_yaml_of(e);
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
    {"SampledRecords", "memprof.yaml.SampledRecords", read_samples, 0, false},
    {"KnownColdSymbols", "memprof.yaml.KnownColdSymbols", read_cold_symbols, 0, false},
    {"KnownColdStrHashes", "memprof.yaml.KnownColdStrHashes", read_cold_hashes, 0, false},
};

int memprof_yaml_data(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    return yaml_read_map(e, YAML_FIELDS(data_keys), field->where, object);
}
