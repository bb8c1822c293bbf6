/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts of instrumentation and memory profiles, and of files that cannot be read. */
#include <string.h>

#include <anyprof/correlate.h>
#include <anyprof/merge.h>

#include "base/error.h"
#include "base/options.h"
#include "inputs/inputs_partial.h"
#include "inputs/partial_rosters.h"
#include "instr/memprof/memprof_raw.h"
#include "instr/merge/merge.h"
#include "instr/open/partial_profile.h"
#include "instr/partial/partial_classes.h"
#include "instr/partial/partial_memprof.h"
#include "instr/partial/partial_names.h"
#include "instr/partial/partial_sums.h"
#include "instr/partial/partial_traces.h"
#include "instr/read/instr_facts.h"
#include "jobs/info.h"
#include "partial/partial_read.h"

/* ---- instrumentation profiles ---- */

/* The profile of a front end does not show which of the two applies. */
static uint32_t metadata_of(const struct instr_facts *facts)
{
    if (facts->n_bare == 0)
        return 0;
    if (facts->bare_variant & APF_VARIANT_DEBUG_CORRELATE)
        return APF_METADATA_DEBUG_INFO;
    return facts->bare_variant & APF_VARIANT_IR ? APF_METADATA_BINARY : 0;
}

static void copy_facts(struct apf_file_facts *to, const struct instr_facts *from)
{
    const struct apf_instr_info *info = &from->info;
    to->origin = info->format == APF_FORMAT_JSON ? info->origin : 0;
    to->version = info->version;
    to->pointer_bits = info->pointer_bits;
    to->big_endian = info->big_endian != 0;
    to->variant = info->variant;
    to->n_profiles = info->n_profiles;
    to->n_functions = info->n_records;
    to->n_counters = info->n_counters + from->bare_counters;
    to->n_bare = from->n_bare;
    to->metadata = metadata_of(from);
    memcpy(to->n_sites, from->n_sites, sizeof to->n_sites);
    memcpy(to->n_values, from->n_values, sizeof to->n_values);
    to->n_bitmaps = from->n_bitmaps;
    to->n_bitmap_bytes = from->n_bitmap_bytes;
    to->n_contextual = from->n_contextual;
    to->n_pseudo = from->n_pseudo;
    to->n_unexecuted = from->n_unexecuted;
    to->n_nameless = info->nameless;
    to->n_traces = info->n_traces;
    to->n_traces_seen = info->trace_stream_size;
    to->n_vtable_names = info->n_vtable_names;
    to->memprof_version = from->memprof_version;
    to->build_digest = from->build_digest;
    to->producers = info->producers;
    to->readers = from->readers;
    to->refusal = from->refusal;
    to->binary_ids = info->binary_ids;
    to->n_binary_ids = info->n_binary_ids;
    to->findings = from->findings;
    to->n_findings = from->n_findings;
}

/* Adds the numbers of a memory profile. */
static bool add_memprof(struct info_reader *r, const struct instr_facts *facts)
{
    return !facts->has_memprof || (info_add_number(r, "memprof_functions", facts->n_memprof_functions) &&
                                   info_add_number(r, "memprof_contexts", facts->n_memprof_contexts) &&
                                   info_add_number(r, "memprof_frames", facts->n_memprof_frames) &&
                                   info_add_if_any(r, "memprof_data_profiles", facts->n_memprof_data) &&
                                   info_add_if_any(r, "memprof_cold_data", facts->n_memprof_cold));
}

int info_read_profile(struct info_reader *r, struct apf_error *error)
{
    struct read_options options = read_options_resolve(r->options);
    struct instr_facts facts;
    options.stored = r->bytes.stored;
    int code = instr_facts_read(&facts, r->bytes.data, r->bytes.n, &options, r->arena, error);
    if (code == APF_NO_MEMORY)
        return code;
    copy_facts(r->facts, &facts);
    if (code != APF_OK)
        return code;
    bool done = add_memprof(r, &facts);
    for (size_t i = 0; done && i < facts.parts.list.n; i++) {
        const struct byte_span *part = &facts.parts.list.data[i];
        done = info_add_part(r, part->name, part->at, part->size, part->profile);
    }
    byte_map_free(&facts.parts);
    return done ? APF_OK : error_memory(error);
}

/* ---- partial profiles ---- */

static const char *section_name(uint8_t section)
{
    static const char *const names[] = {[PARTIAL_WHOLE] = "whole",     [PARTIAL_ROSTERS] = "rosters",
                                        [PARTIAL_INPUTS] = "inputs",   [PARTIAL_NAMES] = "names",
                                        [PARTIAL_VTABLES] = "vtables", [PARTIAL_CLASSES] = "classes",
                                        [PARTIAL_SUMS] = "functions",  [PARTIAL_TRACES] = "traces",
                                        [PARTIAL_MEMPROF] = "memprof", [PARTIAL_LAST_SECTION] = "end"};
    return names[section];
}

/* The facts of what a merge of the file would write. Inputs that were lost when it was made are no reason not to. */
int info_read_partial(struct info_reader *r, struct apf_error *error)
{
    static const struct apf_tolerance all = {APF_FAIL_WARN, 0};
    struct apf_instr *instr;
    struct instr_facts facts;
    const bool undecided = partial_is_of(r->bytes.data, r->bytes.n, PARTIAL_UNDECIDED);
    int code = partial_profile_open(&instr, r->bytes.data, r->bytes.n, r->options, &all, error);
    if (code != APF_OK)
        return code;
    code = instr_facts_of(&facts, instr, r->arena, error);
    if (code == APF_OK) {
        copy_facts(r->facts, &facts);
        r->facts->version = PARTIAL_VERSION;
        r->facts->refusal =
            undecided ? "its inputs are no profiles by their first bytes; merges of both kinds take it"
                      : "LLVM reads what a merge of it writes";
        const bool done = info_add_inputs(r, &instr->owner->kept.counts) && add_memprof(r, &facts) &&
                          info_add_sections(r, section_name);
        code = done ? APF_OK : error_memory(error);
    }
    apf_instr_close(instr);
    return code;
}

/* ---- others ---- */

int info_read_memprof(struct info_reader *r, struct apf_error *error)
{
    struct memprof_raw_head head;
    int code = memprof_raw_head_read(&head, r->bytes.data, r->bytes.n, error);
    if (code != APF_OK)
        return code;
    r->facts->version = (uint32_t)head.version;
    r->facts->big_endian = head.big_endian;
    return APF_OK;
}

/* Reports the reason why a file could not be unpacked. */
int info_read_packed(struct info_reader *r, struct apf_error *error)
{
    int code = file_unpack(&r->bytes, options_max_bytes(r->options), error);
    if (code != APF_OK)
        return code;
    return error_plain(error, APF_DECOMPRESS_FAILED, "file", "a compressed file in a compressed file");
}

int info_read_unknown(struct info_reader *r, struct apf_error *error)
{
    (void)r;
    return error_plain(error, APF_UNRECOGNIZED_FORMAT, "file", "no kind of file that anyprof knows");
}
