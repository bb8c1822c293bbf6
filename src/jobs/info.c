/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Describes files: each is read, described and dropped. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/pool.h"
#include "base/pulse.h"
#include "jobs/file_detect.h"
#include "jobs/file_kinds.h"
#include "jobs/info.h"

/* ---- one file ---- */

static int read_facts(struct info_reader *r, struct apf_error *error)
{
    const struct file_kind *kind = file_kind_row(r->facts->file->kind);
    return kind->read_facts ? kind->read_facts(r, error) : APF_OK;
}

/* Copies the collected lists to the arena. False: allocation failed. */
static bool copy_lists(struct info_reader *r)
{
    struct arena *arena = r->arena;
    struct apf_file_part *parts = arena_array(arena, r->parts.n, sizeof *parts);
    struct apf_file_number *numbers = arena_array(arena, r->numbers.n, sizeof *numbers);
    struct apf_file_word *words = arena_array(arena, r->words.n, sizeof *words);
    if (!parts || !numbers || !words)
        return false;
    if (r->parts.n)
        memcpy(parts, r->parts.data, r->parts.n * sizeof *parts);
    if (r->numbers.n)
        memcpy(numbers, r->numbers.data, r->numbers.n * sizeof *numbers);
    if (r->words.n)
        memcpy(words, r->words.data, r->words.n * sizeof *words);
    r->facts->words = words;
    r->facts->n_words = r->words.n;
    r->facts->parts = parts;
    r->facts->n_parts = r->parts.n;
    r->facts->numbers = numbers;
    r->facts->n_numbers = r->numbers.n;
    return true;
}

static int keep_error(struct info_reader *r, const struct apf_error *failure, struct apf_error *error)
{
    struct apf_error *copy = arena_alloc(r->arena, sizeof *copy);
    if (!copy)
        return error_memory(error);
    *copy = *failure;
    r->facts->error = copy;
    return APF_OK;
}

/* Clears the readers of a compressed file: no release of LLVM unpacks files. */
static void refuse_packed(struct apf_file_facts *f)
{
    if (!f->file->compression || info_build_of(f) == INFO_BUILD_NONE)
        return;
    f->readers = 0;
    f->refusal = "LLVM reads no compressed files";
}

/* Describes a recording of perf that is a directory. */
static int describe_directory(struct info_reader *r, const struct apf_input *input, struct apf_error *failure)
{
    r->directory = input;
    r->file->kind = APF_KIND_PERF_DATA;
    return read_facts(r, failure);
}

/* Detects and describes a file. The lock keeps all but one thread out of libelf. */
static int describe(struct info_reader *r, const struct apf_input *input, pthread_mutex_t *elf,
                    struct apf_error *failure)
{
    r->directory = NULL;
    if (input->path && !input->n_directory && apf_is_recording_directory(input->path))
        return describe_directory(r, input, failure);
    int code = file_detect_kind(r->file, &r->bytes, input, options_max_bytes(r->options), failure);
    if (code != APF_OK)
        return code;
    r->facts->unpacked_size = r->bytes.n;
    if (r->file->kind != APF_KIND_ELF)
        return read_facts(r, failure);
    pthread_mutex_lock(elf);
    code = file_detect_elf(r->file, &r->bytes, failure);
    if (code == APF_OK)
        code = read_facts(r, failure);
    pthread_mutex_unlock(elf);
    return code;
}

static int read_file(struct info_reader *r, const struct apf_input *input, pthread_mutex_t *elf,
                     struct apf_error *error)
{
    struct apf_error failure;
    struct apf_str name = file_name(input);
    r->facts->path.n = name.n;
    r->facts->path.p = arena_text(r->arena, name.p, name.n);
    r->facts->memprof_version = APF_MEMPROF_NO_VERSION;
    r->parts.n = r->numbers.n = r->words.n = 0;
    if (!r->facts->path.p)
        return error_memory(error);
    int code = describe(r, input, elf, &failure);
    if (code == APF_NO_MEMORY)
        return error_memory(error);
    error_file(&failure, code, name.p, name.n);
    if (code != APF_OK)
        return keep_error(r, &failure, error);
    refuse_packed(r->facts);
    return copy_lists(r) ? APF_OK : error_memory(error);
}

/* ---- all of them ---- */

struct batch {
    struct apf_info *info;
    const struct apf_input *inputs;
    size_t n_inputs;
    const struct apf_options *options;
    struct info_reader *readers; /* one for each thread */
    pthread_mutex_t elf;
    atomic_uint_least64_t n_done, n_bad, bytes;
    atomic_bool no_memory, stopped;
};

static int report_progress(struct batch *b)
{
    struct apf_progress p = {atomic_load(&b->n_done), b->n_inputs, atomic_load(&b->n_bad),
                             atomic_load(&b->bytes)};
    return b->options->progress ? b->options->progress(b->options->progress_user, &p) : 0;
}

/* A pool_task. */
static void read_one(void *context, size_t i, unsigned thread)
{
    struct batch *b = context;
    struct info_reader *r = &b->readers[thread];
    if (atomic_load(&b->no_memory) || atomic_load(&b->stopped))
        return;
    r->facts = &b->info->files.data[i];
    r->file = &b->info->file_infos.data[i];
    if (read_file(r, input_at(b->inputs, i), &b->elf, NULL) != APF_OK)
        atomic_store(&b->no_memory, true);
    atomic_fetch_add(&b->bytes, r->facts->file->file_size);
    if (r->facts->error)
        atomic_fetch_add(&b->n_bad, 1);
    atomic_fetch_add(&b->n_done, 1);
    if (thread == 0 && report_progress(b) != 0)
        atomic_store(&b->stopped, true);
}

static bool make_readers(struct batch *b, unsigned threads)
{
    b->info->arenas = calloc(threads, sizeof *b->info->arenas);
    b->readers = calloc(threads, sizeof *b->readers);
    if (!b->info->arenas || !b->readers)
        return false;
    b->info->n_arenas = threads;
    for (unsigned i = 0; i < threads; i++) {
        b->readers[i].arena = &b->info->arenas[i];
        b->readers[i].options = b->options;
    }
    return true;
}

static void free_readers(struct batch *b, unsigned threads)
{
    for (unsigned i = 0; b->readers && i < threads; i++) {
        file_bytes_free(&b->readers[i].bytes);
        VEC_FREE(&b->readers[i].parts);
        VEC_FREE(&b->readers[i].numbers);
        VEC_FREE(&b->readers[i].words);
    }
    free(b->readers);
}

/* Makes the groups in the order of the inputs. */
static int make_groups(struct apf_info *info, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < info->files.n; i++) {
        info->n_bytes += info->files.data[i].file->file_size;
        info->n_unreadable += info->files.data[i].error != NULL;
        code = info_group_add(info, i, error);
    }
    return code == APF_OK ? info_groups_link(info, error) : code;
}

static int read_all(struct apf_info *info, const struct apf_input *inputs, size_t n,
                    const struct apf_options *options, struct apf_error *error)
{
    struct batch b = {.info = info, .inputs = inputs, .n_inputs = n, .options = options};
    unsigned threads = pool_threads(options->threads, n);
    if (!VEC_RESERVE(&info->files, n) || !VEC_RESERVE(&info->file_infos, n) ||
        pthread_mutex_init(&b.elf, NULL) != 0)
        return error_memory(error);
    info->files.n = info->file_infos.n = n;
    for (size_t i = 0; i < n; i++) {
        info->file_infos.data[i] = (struct apf_file_info){.size = sizeof *info->file_infos.data};
        info->files.data[i] = (struct apf_file_facts){.file = &info->file_infos.data[i]};
    }
    int code = make_readers(&b, threads) ? APF_OK : error_memory(error);
    if (code == APF_OK) {
        pool_run(threads, n, read_one, &b);
        const bool stopped = atomic_load(&b.stopped) || report_progress(&b) != 0;
        code = atomic_load(&b.no_memory) ? error_memory(error)
               : stopped                 ? pulse_error(error)
                                         : make_groups(info, error);
    }
    free_readers(&b, threads);
    pthread_mutex_destroy(&b.elf);
    return code;
}

int apf_info_open(struct apf_info **info, const struct apf_input *inputs, size_t n,
                  const struct apf_options *options, struct apf_error *error)
{
    struct apf_options o;
    *info = NULL;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = inputs_check(inputs, n, error);
    if (code != APF_OK)
        return code;
    struct apf_info *made = calloc(1, sizeof *made);
    o.diag = NULL; /* the facts hold the findings */
    if (!made)
        return error_memory(error);
    code = read_all(made, inputs, n, &o, error);
    if (code == APF_OK)
        *info = made;
    else
        apf_info_close(made);
    return code;
}

void apf_info_close(struct apf_info *info)
{
    if (!info)
        return;
    VEC_FREE(&info->files);
    VEC_FREE(&info->file_infos);
    VEC_FREE(&info->group_of);
    VEC_FREE(&info->groups);
    VEC_FREE(&info->programs);
    hash_index_free(&info->by_build);
    for (unsigned i = 0; i < info->n_arenas; i++)
        arena_free(&info->arenas[i]);
    free(info->arenas);
    free(info);
}

const struct apf_file_facts *apf_info_file(const struct apf_info *info, size_t i)
{
    return i < info->files.n ? &info->files.data[i] : NULL;
}

size_t apf_info_unreadable(const struct apf_info *info)
{
    return info->n_unreadable;
}

size_t apf_info_group(const struct apf_info *info, size_t i)
{
    return i < info->files.n ? info->group_of.data[i] : SIZE_MAX;
}

size_t apf_info_program(const struct apf_info *info, size_t group, size_t k)
{
    if (group >= info->groups.n || k >= info->groups.data[group].n_programs)
        return SIZE_MAX;
    return info->programs.data[info->groups.data[group].programs + k];
}
