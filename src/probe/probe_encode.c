/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Encodes both sections from probes and descriptors of a caller. */
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/leb128.h"
#include "base/options.h"
#include "probe/probe_trie.h"

struct apf_probe_encoder {
    struct probe_trie trie;
    struct apf_buffer descs;
    bool swap;    /* the byte order is not the host's */
    bool ordered; /* nothing was added since */
};

int apf_probe_encoder_new(struct apf_probe_encoder **encoder, const struct apf_probe_encoder_options *options,
                          struct apf_error *error)
{
    struct apf_probe_encoder_options o;
    *encoder = NULL;
    int code = OPTIONS_READ(apf_probe_encoder_options, &o, options, error);
    if (code != APF_OK)
        return code;
    struct apf_probe_encoder *e = calloc(1, sizeof *e);
    if (!e)
        return error_memory(error);
    e->swap = (o.big_endian != 0) != (bool)HOST_BIG_ENDIAN;
    *encoder = e;
    return APF_OK;
}

void apf_probe_encoder_free(struct apf_probe_encoder *e)
{
    if (!e)
        return;
    trie_free(&e->trie);
    apf_buffer_free(&e->descs);
    free(e);
}

int apf_probe_encoder_add_desc(struct apf_probe_encoder *e, uint64_t guid, uint64_t hash, struct apf_str name,
                               struct apf_error *error)
{
    uint8_t head[16 + ULEB128_MAX];
    size_t before = e->descs.n;
    if (name.n > UINT32_MAX)
        return error_plain(error, APF_ARGUMENT, "pseudo_probe_desc.name_size", "a name longer than 4 GiB");
    store64(head, guid, e->swap);
    store64(head + 8, hash, e->swap);
    size_t n = 16 + uleb128_store(head + 16, name.n);
    if (apf_buffer_write(&e->descs, head, n) != 0 || apf_buffer_write(&e->descs, name.p, name.n) != 0) {
        e->descs.n = before;
        return error_memory(error);
    }
    return APF_OK;
}

int apf_probe_encoder_add_function(struct apf_probe_encoder *e, uint64_t symbol, uint64_t address,
                                   uint32_t *function, struct apf_error *error)
{
    if (symbol == 0)
        return error_plain(error, APF_ARGUMENT, "probes.guid", "a GUID of 0 stands for no function");
    return trie_add_function(&e->trie, symbol, address, function, error);
}

int apf_probe_encoder_add(struct apf_probe_encoder *e, uint32_t function, const struct apf_probe_entry *entry,
                          struct apf_error *error)
{
    struct apf_probe_entry copy;
    int code = OPTIONS_READ(apf_probe_entry, &copy, entry, error);
    e->ordered = false;
    return code == APF_OK ? trie_add(&e->trie, function, &copy, error) : code;
}

/* ---- the sink of bytes ---- */

struct byte_sink {
    struct apf_buffer out;
    bool swap;
    bool no_memory;
};

static void write_bytes(struct byte_sink *s, const void *p, size_t n)
{
    s->no_memory |= apf_buffer_write(&s->out, p, n) != 0;
}

static void write_guid(void *user, uint64_t guid)
{
    struct byte_sink *s = user;
    uint8_t bytes[8];
    store64(bytes, guid, s->swap);
    write_bytes(s, bytes, sizeof bytes);
}

static void write_number(void *user, uint32_t number)
{
    uint8_t bytes[ULEB128_MAX];
    write_bytes(user, bytes, uleb128_store(bytes, number));
}

static void write_byte(void *user, uint8_t byte)
{
    write_bytes(user, &byte, 1);
}

static void write_distance(void *user, uint64_t from, uint64_t to)
{
    uint8_t bytes[SLEB128_MAX];
    write_bytes(user, bytes, sleb128_store(bytes, (int64_t)(to - from)));
}

/* Writes the records of the functions [first, end). */
static int write_functions(struct apf_probe_encoder *e, size_t first, size_t end,
                           const struct apf_output *output, struct apf_error *error)
{
    struct byte_sink bytes = {.swap = e->swap};
    struct probe_sink sink = {write_guid, write_number, write_byte, write_distance, &bytes};
    int code = e->ordered ? APF_OK : trie_order(&e->trie, error);
    if (code != APF_OK)
        return code;
    e->ordered = true;
    for (size_t i = first; i < end && !bytes.no_memory; i++)
        trie_write(&e->trie, (uint32_t)i, &sink);
    code =
        bytes.no_memory ? error_memory(error) : apf_output_write(output, bytes.out.data, bytes.out.n, error);
    apf_buffer_free(&bytes.out);
    return code;
}

int apf_probe_encoder_write(struct apf_probe_encoder *e, const struct apf_output *output,
                            struct apf_error *error)
{
    return write_functions(e, 0, e->trie.functions.n, output, error);
}

int apf_probe_encoder_write_function(struct apf_probe_encoder *e, uint32_t function,
                                     const struct apf_output *output, struct apf_error *error)
{
    if (function >= e->trie.functions.n)
        return error_plain(error, APF_ARGUMENT, "probes.function", "no function has that number");
    return write_functions(e, function, function + (size_t)1, output, error);
}

int apf_probe_encoder_write_descs(const struct apf_probe_encoder *e, const struct apf_output *output,
                                  struct apf_error *error)
{
    return apf_output_write(output, e->descs.data, e->descs.n, error);
}
