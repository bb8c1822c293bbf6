/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Encodes probes and decodes them: none is lost, changed or added, and encoding them again gives the same bytes. The
 * input is a program of 8-byte steps, each of which adds a function, pushes a call onto the inline stack, pops some,
 * or adds a probe. */
#include "fuzz_profile.h"

#include <anyprof/probe.h>

#define STEP 8u
#define MOST_CALLS 64u
#define FIRST_SYMBOL 1000u /* symbols have GUIDs of their own, or those of small numbers */

/* Compares two sets: sums of the hashes of their members. */
struct tally {
    uint64_t sum, n;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * 0x9E3779B97F4A7C15u;
    return a ^ a >> 29;
}

static void count_probe(struct tally *t, uint64_t path, uint64_t distance, const struct apf_probe_entry *e)
{
    uint64_t v = mix(mix(path, e->guid), distance);
    v = mix(mix(v, e->id), e->type | (uint64_t)e->attributes << 8 | (uint64_t)e->discriminator << 16);
    t->sum += v;
    t->n++;
}

struct script {
    struct apf_probe_encoder *encoder;
    struct apf_probe_site calls[MOST_CALLS];
    size_t n_calls;
    uint32_t function, n_functions;
    uint64_t symbol, start;
    struct tally tally;
};

static uint64_t path_of(const struct apf_probe_site *calls, size_t n, uint64_t symbol)
{
    uint64_t path = symbol;
    for (size_t i = 0; i < n; i++)
        path = mix(mix(path, calls[i].guid), calls[i].call_probe);
    return path;
}

static void begin_function(struct script *s, const uint8_t *p)
{
    s->symbol = FIRST_SYMBOL + s->n_functions++; /* distinct symbols */
    s->start = (uint64_t)p[1] << 56 | (uint64_t)p[2] << 8 | p[3];
    s->n_calls = 0;
    REQUIRE(apf_probe_encoder_add_function(s->encoder, s->symbol, s->start, &s->function, NULL) == APF_OK);
}

static void add_probe(struct script *s, const uint8_t *p)
{
    struct apf_probe_entry e = {.size = sizeof e,
                                .guid = p[1] % 8u + (p[1] & 128 ? FIRST_SYMBOL : 1u),
                                .inlined = s->calls,
                                .n_inlined = s->n_calls,
                                .id = p[2] | (uint32_t)p[3] << 24,
                                .discriminator = p[4] < 200 ? 0 : (uint32_t)p[4] << p[5] % 24,
                                .type = p[5] >> 4};
    uint64_t distance = (uint64_t)(int64_t)(int8_t)p[6] << p[7] % 56u;
    e.address = s->start + distance;
    e.attributes = p[7] & 128 ? APF_PROBE_ATTRIBUTE_RESERVED : 0;
    REQUIRE(apf_probe_encoder_add(s->encoder, s->function, &e, NULL) == APF_OK);
    e.attributes |= e.discriminator ? APF_PROBE_ATTRIBUTE_DISCRIMINATOR : 0;
    count_probe(&s->tally, path_of(s->calls, s->n_calls, s->symbol), distance, &e);
}

static void run(struct script *s, const uint8_t *data, size_t size)
{
    static const uint8_t first[STEP];
    begin_function(s, first);
    for (; size >= STEP; data += STEP, size -= STEP) {
        unsigned what = data[0] % 8u;
        if (what == 0) {
            begin_function(s, data);
        } else if (what == 1 && s->n_calls < MOST_CALLS) {
            struct apf_probe_site site = {data[1] % 8u + 1u, data[2] % 4u};
            s->calls[s->n_calls++] = site;
        } else if (what == 2) {
            s->n_calls = s->n_calls > data[1] % 8u ? s->n_calls - data[1] % 8u : 0;
        } else {
            add_probe(s, data);
        }
    }
}

/* Returns the path of a node as path_of does: outermost call first. */
static uint64_t node_path(const struct apf_probes *p, uint32_t node, struct apf_probe_site *calls, size_t *n)
{
    const struct apf_probe_node *record = apf_probes_node(p, node);
    *n = record->depth;
    for (size_t i = *n; record->parent != APF_PROBE_NONE; record = apf_probes_node(p, record->parent)) {
        calls[--i].guid = apf_probes_node(p, record->parent)->guid;
        calls[i].call_probe = record->call_probe;
    }
    return path_of(calls, *n, record->symbol ? record->symbol : record->guid);
}

/* Encodes the decoded probes. Without symbols a record begins at its sentinel's GUID, or else at 0. */
static struct apf_probe_encoder *encode_again(const struct apf_probes *p, struct tally *tally)
{
    struct apf_probe_encoder *e;
    struct apf_probe_site calls[MOST_CALLS] = {{0}}; /* used up to the depth of a node */
    uint64_t symbol = 0, start = 0;
    uint32_t function = 0;
    REQUIRE(apf_probe_encoder_new(&e, NULL, NULL) == APF_OK);
    for (uint32_t i = 0; i < apf_probes_info(p)->n_nodes; i++) {
        const struct apf_probe_node *n = apf_probes_node(p, i);
        size_t n_calls;
        uint64_t path = node_path(p, i, calls, &n_calls);
        if (n->parent == APF_PROBE_NONE) {
            uint64_t own = n->symbol ? n->symbol : n->guid;
            start = n->symbol;
            if (own != symbol)
                REQUIRE(apf_probe_encoder_add_function(e, own, 0, &function, NULL) == APF_OK);
            symbol = own;
        }
        for (uint32_t k = n->first_probe; k < n->first_probe + n->n_probes; k++) {
            const struct apf_probe *probe = apf_probes_probe(p, k);
            struct apf_probe_entry entry = {sizeof entry,     n->guid,   probe->address - start, calls,
                                            n_calls,          probe->id, probe->discriminator,   probe->type,
                                            probe->attributes};
            count_probe(tally, path, probe->address - start, &entry);
            REQUIRE(apf_probe_encoder_add(e, function, &entry, NULL) == APF_OK);
        }
    }
    return e;
}

static void write_section(struct apf_probe_encoder *e, struct apf_buffer *out)
{
    struct apf_output output = apf_output_buffer(out);
    REQUIRE(apf_probe_encoder_write(e, &output, NULL) == APF_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script script = {.n_calls = 0};
    struct apf_buffer section = {NULL, 0, 0}, again = {NULL, 0, 0};
    struct apf_probes *probes;
    struct tally tally = {0, 0};
    REQUIRE(apf_probe_encoder_new(&script.encoder, NULL, NULL) == APF_OK);
    run(&script, data, size);
    write_section(script.encoder, &section);
    struct apf_input input = apf_input_memory(section.n ? section.data : "", section.n, "fuzz");
    REQUIRE(apf_probes_open_sections(&probes, &input, NULL, NULL, NULL) == APF_OK);
    REQUIRE(!apf_probes_info(probes)->padded);
    struct apf_probe_encoder *second = encode_again(probes, &tally);
    REQUIRE(tally.n == script.tally.n && tally.sum == script.tally.sum);
    write_section(second, &again);
    REQUIRE(again.n == section.n && (again.n == 0 || memcmp(again.data, section.data, again.n) == 0));
    apf_probes_close(probes);
    apf_probe_encoder_free(second);
    apf_probe_encoder_free(script.encoder);
    apf_buffer_free(&section);
    apf_buffer_free(&again);
    return 0;
}
