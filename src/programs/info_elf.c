/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts of ELF files. */
#include <string.h>

#include <anyprof/bat.h>
#include <anyprof/correlate.h>
#include <anyprof/probe.h>

#include "base/cursor.h"
#include "base/error.h"
#include "instr/layout/raw_versions.h"
#include "instr/layout/releases.h"
#include "instr/model/build_digest.h"
#include "instr/model/profile.h"
#include "jobs/info.h"
#include "object/elf_file.h"
#include "programs/correlate_program.h"
#include "programs/program_version.h"

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
    uint64_t data_size; /* bytes of data records, loaded or not */
    uint32_t metadata;
    bool no_memory;
};

static int add_section(void *user, const struct elf_section *section)
{
    struct elf_walk *w = user;
    if (!is_ours(section->name))
        return 0;
    bool loaded = strcmp(section->name, CORRELATE_DATA) == 0;
    if (loaded || strcmp(section->name, CORRELATE_COVDATA) == 0) {
        w->data_size += section->size;
        w->metadata =
            loaded || w->metadata == APF_METADATA_LOADED ? APF_METADATA_LOADED : APF_METADATA_BINARY;
    }
    const char *name = arena_text(w->r->arena, section->name, strlen(section->name));
    w->no_memory = !name || !info_add_part(w->r, name, section->offset, section->size, 0);
    return w->no_memory;
}

/* Finds symbols of run-time libraries: of -fmemory-profile and of gcov. */
static int match_runtime(void *user, const struct elf_symbol *symbol)
{
    static const struct {
        const char *begins;
        uint32_t bit;
    } rows[] = {{"__memprof_", APF_ELF_MEMPROF}, {"__gcov_", APF_ELF_GCOV}, {"llvm_gcov_", APF_ELF_GCOV}};
    uint32_t *contents = user;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(symbol->name, rows[i].begins, strlen(rows[i].begins)) == 0)
            *contents |= rows[i].bit;
    return 0;
}

static void find_runtimes(struct elf_walk *w)
{
    uint32_t contents = 0;
    int code = elf_file_symbols(w->elf, match_runtime, &contents, NULL);
    w->no_memory |= code == APF_NO_MEMORY;
    w->r->file->contents |= contents;
}

/* Finds what BOLT says of itself: its revision and its command line, in a note. */
static int find_bolt(void *user, const struct elf_section *section)
{
    struct elf_walk *w = user;
    const uint8_t *data;
    size_t n;
    if (strcmp(section->name, ".note.bolt_info") != 0 ||
        elf_file_bytes(w->elf, section->index, &data, &n, NULL) != APF_OK)
        return 0;
    struct cursor c = cursor_make(data, n, elf_file_facts(w->elf)->big_endian != (bool)HOST_BIG_ENDIAN);
    uint32_t name_size = cursor_u32(&c), size = cursor_u32(&c);
    cursor_skip(&c, 4 + (((uint64_t)name_size + 3) & ~(uint64_t)3)); /* the type, the name */
    const uint8_t *text = cursor_bytes(&c, size);
    if (c.failed)
        return 0;
    while (size && text[size - 1] == 0)
        size--;
    struct apf_str copy = {arena_text(w->r->arena, text, size), size};
    w->no_memory |= !copy.p || !info_add_word(w->r, "bolt", copy);
    return 1;
}

static void find_version(struct elf_walk *w)
{
    struct apf_file_facts *f = w->r->facts;
    uint64_t word = 0;
    bool found = false;
    w->no_memory |= program_version_word(w->elf, &word, &found, NULL) != APF_OK;
    if (found) {
        f->version = (uint32_t)word;
        f->variant = word & VARIANT_BITS;
    }
    if (w->metadata == 0 &&
        (f->variant & APF_VARIANT_DEBUG_CORRELATE || f->file->contents & APF_ELF_DEBUG_INFO))
        w->metadata = APF_METADATA_DEBUG_INFO;
    f->metadata = w->metadata;
    const struct raw_version *version = raw_version_find(f->version);
    if (!version)
        return;
    struct release_clues clues = {.format = APF_FORMAT_RAW, .version = f->version, .variant = f->variant};
    f->producers = releases_that_made(&clues);
    f->readers = releases_that_read(&clues, APF_MEMPROF_NO_VERSION);
    f->n_functions = w->data_size / version->record[f->file->elf_bits == 32].size;
}

/* Counters of a function without the slots of a timestamp before them. (The variant of a stripped program is
 * unknown.) */
static uint64_t counters_of(const struct apf_file_facts *f, const struct apf_function *function)
{
    uint64_t slots = f->variant & APF_VARIANT_BYTE_COVERAGE ? 8 : 1;
    bool temporal = f->variant & APF_VARIANT_TEMPORAL;
    return function->n_counters - (temporal && function->n_counters > slots ? slots : 0);
}

/* Adds up the functions. As in instr_facts.c, the digest omits functions without a name, unless no function has one. */
static bool sum_functions(struct apf_file_facts *f, const struct correlate_program *p)
{
    struct build_digest digest = {{0}};
    bool all = p->info.nameless == p->functions.n, done = true;
    f->n_functions = p->functions.n;
    for (size_t i = 0; done && i < p->functions.n; i++) {
        const struct apf_function *function = &p->functions.data[i];
        uint64_t n = counters_of(f, function);
        f->n_counters += n;
        f->n_bitmaps += function->n_bitmap != 0;
        f->n_bitmap_bytes += function->n_bitmap;
        if (all || function->name.n)
            done = build_digest_add(&digest, function->id, function->hash, n);
    }
    memcpy(f->n_sites, p->n_sites, sizeof f->n_sites);
    return build_digest_finish(&digest, &f->build_digest) && done;
}

/* Reads the records of a linked program. Unreadable records are ignored, and so is debug information, which takes too
 * long. */
static int read_functions(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = info_input(r);
    struct apf_file_facts *f = r->facts;
    struct correlate_request request = {&input, r->options, f->metadata, 1};
    struct correlate_program program;
    if (f->metadata != APF_METADATA_LOADED && f->metadata != APF_METADATA_BINARY)
        return APF_OK;
    int code = correlate_program_read(&program, &request, NULL);
    bool done = code != APF_OK || sum_functions(f, &program);
    correlate_program_free(&program);
    return code == APF_NO_MEMORY || !done ? error_memory(error) : APF_OK;
}

static bool add_word(struct info_reader *r, const char *name, const char *text)
{
    struct apf_str s = {text, strlen(text)};
    return info_add_word(r, name, s);
}

static int read_probes(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = info_input(r);
    struct apf_probes *probes;
    int code = apf_probes_open(&probes, &input, NULL, error);
    if (code != APF_OK)
        return code == APF_NO_PROBES ? APF_OK : code; /* only descriptors, or no probes at all */
    const struct apf_probes_info *info = apf_probes_info(probes);
    bool done =
        info_add_number(r, "probe_functions", info->n_descs) && info_add_number(r, "probes", info->n_probes);
    done = done && add_word(r, "probe_encoding",
                            info->old_encoding ? "that of LLVM 13 to 15" : "that of LLVM 16 and later");
    apf_probes_close(probes);
    return done ? APF_OK : error_memory(error);
}

static const char *const bat_encodings[] = {[APF_BAT_ENCODING_CURRENT] = "that of BOLT 19 and later",
                                            [APF_BAT_ENCODING_LEB] = "that of BOLT 18",
                                            [APF_BAT_ENCODING_FIXED] = "that of BOLT 15 to 17"};

/* Reads the table of a program, or of its section alone. */
int info_read_bat(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = info_input(r);
    struct apf_bat *bat;
    int code = apf_bat_open(&bat, &input, r->options, error);
    if (code != APF_OK)
        return code == APF_NO_BAT ? APF_OK : code;
    const struct apf_bat_info *info = apf_bat_info(bat);
    bool done = info_add_number(r, "bat_functions", info->n_hot) &&
                info_add_number(r, "bat_cold_fragments", info->n_cold) &&
                info_add_number(r, "bat_entries", info->n_entries);
    if (info->encoding < sizeof bat_encodings / sizeof *bat_encodings)
        done = done && add_word(r, "bat_encoding", bat_encodings[info->encoding]);
    apf_bat_close(bat);
    return done ? APF_OK : error_memory(error);
}

/* Reads the header, the sections, and the symbols of interest. */
static int read_tables(struct info_reader *r, struct apf_error *error)
{
    struct elf_walk w = {.r = r};
    struct apf_file_facts *f = r->facts;
    int code = elf_file_open(&w.elf, r->bytes.data, r->bytes.n, error);
    if (code != APF_OK)
        return code;
    f->pointer_bits = f->file->elf_bits;
    f->big_endian = f->file->big_endian;
    elf_file_sections(w.elf, add_section, &w);
    find_runtimes(&w);
    elf_file_sections(w.elf, find_bolt, &w);
    if (f->file->contents & APF_ELF_INSTRUMENTED)
        find_version(&w);
    struct apf_str id = elf_file_build_id(w.elf);
    f->binary_ids = profile_copy_ids(&id, 1, r->arena);
    f->n_binary_ids = id.n != 0;
    if (w.no_memory || !f->binary_ids)
        code = error_memory(error);
    elf_file_close(w.elf);
    return code;
}

int info_read_elf(struct info_reader *r, struct apf_error *error)
{
    int code = read_tables(r, error);
    if (code == APF_OK && r->facts->file->contents & APF_ELF_INSTRUMENTED)
        code = read_functions(r, error);
    if (code == APF_OK && r->facts->file->contents & APF_ELF_PROBES)
        code = read_probes(r, error);
    return code == APF_OK && r->facts->file->contents & APF_ELF_BAT ? info_read_bat(r, error) : code;
}
