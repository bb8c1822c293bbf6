/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What can be said of each kind of file. */
#include <string.h>

#include <anyprof/bat.h>
#include <anyprof/bolt.h>
#include <anyprof/probe.h>

#include "base/error.h"
#include "bolt/bolt_kind.h"
#include "bolt/preagg_read.h"
#include "instr/instr_facts.h"
#include "instr/memprof_raw_head.h"
#include "instr/raw_versions.h"
#include "instr/releases.h"
#include "jobs/info.h"
#include "jobs/program_version.h"
#include "object/elf_file.h"
#include "perf/perf_data_head.h"

static struct apf_input input_of(const struct info_reader *r)
{
    struct apf_input input = {NULL, r->bytes.data, r->bytes.n, "file", 0};
    return input;
}

/* ---- instrumentation profiles ---- */

static void take_facts(struct apf_file_facts *to, const struct instr_facts *from)
{
    const struct apf_instr_info *info = &from->info;
    to->origin = info->format == APF_FORMAT_JSON ? info->origin : 0;
    to->version = info->version;
    to->pointer_bits = info->pointer_bits;
    to->big_endian = info->big_endian != 0;
    to->variant = info->variant;
    to->n_profiles = info->n_profiles;
    to->n_functions = info->n_records;
    to->n_counters = info->n_counters;
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
    to->shape = from->shape;
    to->writers = info->producers;
    to->readers = from->readers;
    to->binary_ids = info->binary_ids;
    to->n_binary_ids = info->n_binary_ids;
    to->findings = from->findings;
    to->n_findings = from->n_findings;
}

/* What there is of a memory profile. */
static bool take_memprof(struct info_reader *r, const struct instr_facts *facts)
{
    return !facts->has_memprof || (info_add_number(r, "memprof_functions", facts->n_memprof_functions) &&
                                   info_add_number(r, "memprof_contexts", facts->n_memprof_contexts) &&
                                   info_add_number(r, "memprof_frames", facts->n_memprof_frames));
}

int info_read_profile(struct info_reader *r, struct apf_error *error)
{
    struct read_options options = read_options_resolve(r->options);
    struct instr_facts facts;
    options.stored = r->bytes.stored;
    int code = instr_facts_read(&facts, r->bytes.data, r->bytes.n, &options, &r->info->arena, error);
    if (code != APF_OK)
        return code;
    take_facts(r->facts, &facts);
    bool done = take_memprof(r, &facts);
    for (size_t i = 0; done && i < facts.parts.list.n; i++) {
        const struct file_part *part = &facts.parts.list.data[i];
        done = info_add_part(r, part->name, part->at, part->size, part->profile);
    }
    file_parts_free(&facts.parts);
    return done ? APF_OK : error_memory(error);
}

/* ---- text ---- */

static int read_yaml(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = input_of(r);
    struct apf_bolt_yaml *yaml;
    int code = apf_bolt_yaml_new(&yaml, r->options, error);
    if (code == APF_OK)
        code = apf_bolt_yaml_read(yaml, &input, 1, error);
    if (code == APF_OK) {
        r->facts->file.kind = APF_KIND_BOLT_YAML;
        r->facts->n_functions = apf_bolt_yaml_info(yaml)->n_functions;
    }
    apf_bolt_yaml_free(yaml);
    return code;
}

static int read_fdata(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = input_of(r);
    struct apf_fdata *fdata;
    int code = apf_fdata_new(&fdata, r->options, error);
    if (code == APF_OK)
        code = apf_fdata_read(fdata, &input, 1, error);
    if (code == APF_OK) {
        const struct apf_fdata_info *info = apf_fdata_info(fdata);
        r->facts->file.kind = APF_KIND_BOLT_FDATA;
        if (!info_add_number(r, "branches", info->n_branches) ||
            !info_add_number(r, "samples", info->n_samples) ||
            !info_add_number(r, "memory_events", info->n_memory))
            code = error_memory(error);
    }
    apf_fdata_free(fdata);
    return code;
}

static int pass_sample(void *user, const struct sample *sample, struct apf_error *error)
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
    if (code == APF_OK && n == 0) /* nothing tells what it is */
        code = APF_UNRECOGNIZED_FORMAT;
    if (code == APF_OK) {
        r->facts->file.kind = APF_KIND_BOLT_SAMPLES;
        if (!info_add_number(r, "records", n) || !info_add_number(r, "samples", total))
            code = error_memory(error);
    }
    VEC_FREE(&events.list);
    arena_free(&events.arena);
    return code;
}

/* Whatever reads it; if nobody does, what the reader of profiles says. */
int info_read_text(struct info_reader *r, struct apf_error *error)
{
    struct apf_error other;
    if (bolt_kind_of(r->bytes.data, r->bytes.n) == BOLT_YAML)
        return read_yaml(r, error);
    int code = info_read_profile(r, error);
    if (code == APF_OK || code == APF_NO_MEMORY)
        return code;
    int others[] = {APF_UNSUPPORTED, APF_UNSUPPORTED};
    others[0] = read_fdata(r, &other);
    if (others[0] != APF_OK && others[0] != APF_NO_MEMORY)
        others[1] = read_samples(r, &other);
    if (others[0] == APF_OK || others[1] == APF_OK)
        return APF_OK;
    return others[0] == APF_NO_MEMORY || others[1] == APF_NO_MEMORY ? error_memory(error) : code;
}

/* ---- ELF ---- */

/* Sections that concern profiling. */
static bool is_ours(const char *name)
{
    static const char *const begins[] = {"__llvm_prf_", "__llvm_cov",        ".pseudo_probe",
                                         ".note.bolt_", ".llvm_bb_addr_map", "__llvm_orderfile"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

struct elf_walk {
    struct info_reader *r;
    struct elf_file *elf;
    uint64_t data_size; /* of the data records */
    bool no_memory;
};

static int take_section(void *user, const struct elf_section *section)
{
    struct elf_walk *w = user;
    if (!is_ours(section->name))
        return 0;
    if (strcmp(section->name, "__llvm_prf_data") == 0)
        w->data_size += section->size;
    const char *name = arena_text(&w->r->info->arena, section->name, strlen(section->name));
    w->no_memory = !name || !info_add_part(w->r, name, section->offset, section->size, 0);
    return w->no_memory;
}

static void take_version(struct elf_walk *w)
{
    struct apf_file_facts *f = w->r->facts;
    uint64_t word = 0;
    bool found = false;
    if (!(f->file.contents & APF_ELF_INSTRUMENTED))
        return;
    w->no_memory |= program_version_word(w->elf, &word, &found, NULL) != APF_OK;
    if (found) {
        f->version = (uint32_t)word;
        f->variant = word & VARIANT_BITS;
    }
    const struct raw_version *version = raw_version_find(f->version);
    if (!version)
        return;
    struct release_clues clues = {.format = APF_FORMAT_RAW, .version = f->version, .variant = f->variant};
    f->writers = releases_that_made(&clues);
    f->readers = releases_that_read(&clues, UINT64_MAX);
    f->n_functions = w->data_size / version->record[f->file.elf_bits == 32].size;
}

static int take_probes(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = input_of(r);
    struct apf_probes *probes;
    if (!(r->facts->file.contents & APF_ELF_PROBES))
        return APF_OK;
    int code = apf_probes_open(&probes, &input, NULL, error);
    if (code != APF_OK)
        return code == APF_NO_PROBES ? APF_OK : code; /* descriptors alone, or none that are left */
    const struct apf_probes_info *info = apf_probes_info(probes);
    bool done =
        info_add_number(r, "probe_functions", info->n_descs) && info_add_number(r, "probes", info->n_probes);
    apf_probes_close(probes);
    return done ? APF_OK : error_memory(error);
}

static int take_table(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = input_of(r);
    struct apf_bat *bat;
    if (!(r->facts->file.contents & APF_ELF_BAT))
        return APF_OK;
    int code = apf_bat_open(&bat, &input, r->options, error);
    if (code != APF_OK)
        return code == APF_NO_BAT ? APF_OK : code;
    const struct apf_bat_info *info = apf_bat_info(bat);
    bool done = info_add_number(r, "bat_functions", info->n_hot) &&
                info_add_number(r, "bat_cold_fragments", info->n_cold) &&
                info_add_number(r, "bat_entries", info->n_entries);
    apf_bat_close(bat);
    return done ? APF_OK : error_memory(error);
}

int info_read_elf(struct info_reader *r, struct apf_error *error)
{
    struct elf_walk w = {.r = r};
    struct apf_file_facts *f = r->facts;
    int code = elf_file_open(&w.elf, r->bytes.data, r->bytes.n, error);
    if (code != APF_OK)
        return code;
    f->pointer_bits = f->file.elf_bits;
    f->big_endian = f->file.big_endian;
    elf_file_sections(w.elf, take_section, &w);
    take_version(&w);
    struct apf_str id = elf_file_build_id(w.elf);
    struct apf_str *kept = arena_alloc(&r->info->arena, sizeof *kept);
    if (kept) {
        kept->n = id.n;
        kept->p = arena_text(&r->info->arena, id.p, id.n);
    }
    if (w.no_memory || !kept || !kept->p)
        code = error_memory(error);
    f->binary_ids = kept;
    f->n_binary_ids = id.n != 0;
    elf_file_close(w.elf);
    if (code == APF_OK)
        code = take_probes(r, error);
    return code == APF_OK ? take_table(r, error) : code;
}

/* ---- others ---- */

int info_read_perf(struct info_reader *r, struct apf_error *error)
{
    struct perf_data_head head;
    int code = perf_data_head_read(&head, r->bytes.data, r->bytes.n, error);
    if (code != APF_OK)
        return code;
    r->facts->big_endian = head.big_endian;
    bool done = info_add_number(r, "piped", head.piped) && info_add_number(r, "events", head.n_events) &&
                info_add_part(r, "header", 0, head.header_size, 0) &&
                (head.piped || (info_add_part(r, "events", head.events_at, head.events_size, 0) &&
                                info_add_part(r, "data", head.data_at, head.data_size, 0)));
    return done ? APF_OK : error_memory(error);
}

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
