/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data access profiles in YAML. */
#include "base/error.h"
#include "instr/memprof_yaml_keys.h"

#define NO_STRING UINT32_MAX

struct datum {
    uint32_t symbol;
    uint64_t hash, count;
};

static const struct memprof_key location_keys[] = {
    {"FileName", "memprof.yaml.Locations.FileName", memprof_yaml_file,
     offsetof(struct memprof_location, file), false},
    {"Line", "memprof.yaml.Locations.Line", memprof_yaml_u32, offsetof(struct memprof_location, line), false},
};

static int read_location(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    struct memprof_location l = {0, NO_STRING, 0};
    (void)object;
    int code = memprof_yaml_map(r, MEMPROF_KEYS(location_keys), key->where, &l);
    if (code != APF_OK)
        return code;
    if (l.file == NO_STRING)
        l.file = memprof_string_number(r->m, "", 0);
    return VEC_PUSH(&r->places, l) ? APF_OK : error_memory(r->events.error);
}

static int read_locations(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    return memprof_yaml_list(r, key, read_location, object);
}

static const struct memprof_key datum_keys[] = {
    {"Symbol", "memprof.yaml.SampledRecords.Symbol", memprof_yaml_symbol, offsetof(struct datum, symbol),
     false},
    {"Hash", "memprof.yaml.SampledRecords.Hash", memprof_yaml_u64, offsetof(struct datum, hash), false},
    {"AccessCount", "memprof.yaml.SampledRecords.AccessCount", memprof_yaml_u64,
     offsetof(struct datum, count), true},
    {"Locations", "memprof.yaml.SampledRecords.Locations", read_locations, 0, false},
};

static int read_datum(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    struct datum d = {NO_STRING, 0, 0};
    (void)object;
    r->places.n = 0;
    int code = memprof_yaml_map(r, MEMPROF_KEYS(datum_keys), key->where, &d);
    if (code != APF_OK)
        return code;
    bool literal = d.symbol == NO_STRING;
    uint32_t datum = memprof_push_datum(r->m, literal, literal ? d.hash : d.symbol, d.count);
    for (size_t i = 0; i < r->places.n; i++)
        memprof_push_location(r->m, datum, r->places.data[i].file, r->places.data[i].line);
    return memprof_check(r->m, key->where, r->events.at, r->events.error);
}

static int read_samples(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    return memprof_yaml_list(r, key, read_datum, object);
}

static int read_cold_symbol(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    static const struct memprof_key symbol = {"", "memprof.yaml.KnownColdSymbols", memprof_yaml_symbol, 0,
                                              true};
    uint32_t string = 0;
    (void)object;
    int code = memprof_yaml_symbol(r, &symbol, &string);
    if (code == APF_OK)
        memprof_push_cold(r->m, string);
    return code == APF_OK ? memprof_check(r->m, key->where, r->events.at, r->events.error) : code;
}

static int read_cold_symbols(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    return memprof_yaml_list(r, key, read_cold_symbol, object);
}

static int read_cold_hash(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    uint64_t hash = 0;
    (void)object;
    int code = memprof_yaml_number(r, key->where, UINT64_MAX, &hash);
    if (code == APF_OK)
        memprof_push_cold_hash(r->m, hash);
    return code == APF_OK ? memprof_check(r->m, key->where, r->events.at, r->events.error) : code;
}

static int read_cold_hashes(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    return memprof_yaml_list(r, key, read_cold_hash, object);
}

static const struct memprof_key data_keys[] = {
    {"SampledRecords", "memprof.yaml.SampledRecords", read_samples, 0, false},
    {"KnownColdSymbols", "memprof.yaml.KnownColdSymbols", read_cold_symbols, 0, false},
    {"KnownColdStrHashes", "memprof.yaml.KnownColdStrHashes", read_cold_hashes, 0, false},
};

int memprof_yaml_data(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    return memprof_yaml_map(r, MEMPROF_KEYS(data_keys), key->where, object);
}
