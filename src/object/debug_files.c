/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/debug_files.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_crc.h"
#include "base/file_identity.h"
#include "base/text_bytes.h"

#define MOST_NOTES 8u
#define HEX_ID (2u * DEBUG_MOST_ID + 1)

struct finder {
    struct debug_files *d;
    const struct debug_search *search;
    const struct elf_file *program;
    struct file_identity identity; /* of the program */
    struct apf_error *error;
};

/* What a file must be to be used. */
struct wanted {
    struct apf_str id;
    bool shared; /* by several programs, as dwz makes it: it is an object file */
    bool has_crc;
    uint32_t crc;
};

/* ---- texts ---- */

static const char *hex_of(char *to, struct apf_str id)
{
    size_t n = 0;
    for (size_t i = 0; i < id.n && n + 2 < HEX_ID; i++, n += 2)
        snprintf(to + n, 3, "%02x", (unsigned)(uint8_t)id.p[i]);
    to[n] = '\0';
    return to;
}

/* DIRECTORY/MIDDLE/NAME; an empty MIDDLE is left out. NULL: allocation failed. */
static const char *join(struct finder *f, const char *directory, const char *middle, const char *name)
{
    size_t size = strlen(directory) + strlen(middle) + strlen(name) + 3;
    char *path = arena_bytes(&f->d->arena, size);
    if (path)
        snprintf(path, size, "%s/%s%s%s", directory, middle, *middle ? "/" : "", name);
    return path;
}

/* Keeps why a file is not used. Returns APF_NO_MEMORY if that is the reason, or there is no memory for it. */
static int keep_note(struct finder *f, const char *path, const struct apf_error *error)
{
    struct debug_note note = {.path = path, .error = *error};
    if (error->code != APF_NO_MEMORY && (f->d->notes.n >= MOST_NOTES || VEC_PUSH(&f->d->notes, note)))
        return APF_OK;
    return error_memory(f->error);
}

static int refuse(struct apf_error *why, const char *where, const char *text)
{
    return error_plain(why, APF_WRONG_DEBUG_FILE, where, "%s", text);
}

/* ---- a file ---- */

static int check_kind(const struct finder *f, const struct elf_file *elf, bool shared, struct apf_error *why)
{
    const struct elf_facts *a = elf_file_facts(f->program), *b = elf_file_facts(elf);
    if (a->machine != b->machine || a->bits != b->bits || a->big_endian != b->big_endian ||
        (b->relocatable && !shared))
        return refuse(why, "elf.header", "it is of another kind of program");
    return APF_OK;
}

static int check_id(const struct elf_file *elf, struct apf_str wanted, struct apf_error *why)
{
    struct apf_str id = debug_id_of(elf);
    char hex[HEX_ID], other[HEX_ID];
    if (text_equal(id, wanted))
        return APF_OK;
    if (!id.n)
        return refuse(why, "elf.build_id", "it has no build id");
    return error_plain(why, APF_WRONG_DEBUG_FILE, "elf.build_id", "its build id is %s, not %s",
                       hex_of(hex, id), hex_of(other, wanted));
}

static int check_crc(const char *path, const struct wanted *wanted, struct apf_error *why)
{
    uint32_t crc;
    int code = wanted->has_crc ? file_crc(path, &crc, why) : APF_OK;
    if (code != APF_OK || !wanted->has_crc || crc == wanted->crc)
        return code;
    return error_plain(why, APF_WRONG_DEBUG_FILE, "elf.gnu_debuglink",
                       "its CRC is 0x%08x, but .gnu_debuglink says 0x%08x", (unsigned)crc,
                       (unsigned)wanted->crc);
}

static int open_elf(const struct finder *f, const char *path, struct elf_file **elf, struct apf_error *why)
{
    struct apf_input input = apf_input_file(path);
    return elf_file_open_input(elf, &input, f->search->max_bytes, why);
}

/* A file that has to be unpacked is none: it could be of any size. */
static bool is_elf(const char *path)
{
    char magic[SELFMAG];
    return file_peek(path, magic, sizeof magic) == sizeof magic && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* Opens a file if it is the one that is wanted; *elf is NULL otherwise. Fails for want of memory only. */
static int try_file(struct finder *f, const char *path, const struct wanted *wanted, struct elf_file **elf)
{
    struct file_identity identity;
    struct apf_error why;
    *elf = NULL;
    if (!path)
        return error_memory(f->error);
    int failed = file_look(&identity, path, true);
    if (failed == ENOENT || failed == ENOTDIR)
        return APF_OK;
    int code = failed ? error_errno(&why, failed, "file.open") : APF_OK;
    if (code == APF_OK && !identity.regular)
        code = refuse(&why, "file.open", "it is no regular file");
    if (code == APF_OK && file_identity_same(&identity, &f->identity))
        code = refuse(&why, "elf.gnu_debuglink", "it is the program itself");
    if (code == APF_OK && !is_elf(path))
        code = refuse(&why, "elf.header", "it is no ELF file");
    if (code == APF_OK)
        code = open_elf(f, path, elf, &why);
    if (code == APF_OK)
        code = check_kind(f, *elf, wanted->shared, &why);
    if (code == APF_OK && wanted->id.n)
        code = check_id(*elf, wanted->id, &why);
    if (code == APF_OK)
        code = check_crc(path, wanted, &why);
    if (code == APF_OK)
        return APF_OK;
    elf_file_close(*elf);
    *elf = NULL;
    return keep_note(f, path, &why);
}

/* ---- directories ---- */

static const char *directory_at(const struct finder *f, size_t i)
{
    return i < f->search->n_directories ? f->search->directories[i] : DEBUG_DIRECTORY;
}

/* DIRECTORY/.build-id/xx/yyyy.debug, for each directory. */
static int find_by_id(struct finder *f, const struct wanted *wanted, struct elf_file **elf, const char **path)
{
    struct apf_str id = wanted->id;
    char hex[HEX_ID], name[HEX_ID + sizeof "/.debug"];
    int code = APF_OK;
    if (id.n < 2 || id.n > DEBUG_MOST_ID)
        return APF_OK;
    hex_of(hex, id);
    snprintf(name, sizeof name, "%.2s/%s.debug", hex, hex + 2);
    for (size_t i = 0; code == APF_OK && !*elf && i <= f->search->n_directories; i++) {
        *path = join(f, directory_at(f, i), ".build-id", name);
        code = try_file(f, *path, wanted, elf);
    }
    return code;
}

/* The file of .gnu_debuglink. `directory` is the program's, absolute. */
static int find_beside(struct finder *f, const char *directory)
{
    struct debug_files *d = f->d;
    const struct wanted wanted = {.id = d->build_id, .has_crc = true, .crc = d->link.crc};
    d->path = join(f, directory, "", d->link.name.p);
    int code = try_file(f, d->path, &wanted, &d->file);
    if (code == APF_OK && !d->file) {
        d->path = join(f, directory, ".debug", d->link.name.p);
        code = try_file(f, d->path, &wanted, &d->file);
    }
    for (size_t i = 0; code == APF_OK && !d->file && i <= f->search->n_directories; i++) {
        d->path = join(f, directory_at(f, i), *directory ? directory + 1 : "", d->link.name.p);
        code = try_file(f, d->path, &wanted, &d->file);
    }
    return code;
}

/* The directory that a path, with links followed, leads through, without a slash at its end. NULL: there is none, or
 * no memory. */
static const char *directory_of(struct finder *f, const char *path)
{
    char *real = NULL, *absolute = NULL;
    const char *result = NULL;
    if (file_resolve(&real, path) == 0 && (absolute = file_absolute(real)))
        result = arena_text(&f->d->arena, absolute, (size_t)(strrchr(absolute, '/') - absolute));
    free(real);
    free(absolute);
    return result;
}

static int find_by_link(struct finder *f)
{
    struct apf_error why;
    if (f->d->link.unsafe) {
        (void)refuse(&why, "elf.gnu_debuglink",
                     "the link is damaged, or not the name of a file alone: it is not followed");
        return keep_note(f, ".gnu_debuglink", &why);
    }
    if (!f->d->link.name.n || !f->search->program)
        return APF_OK;
    errno = 0;
    const char *directory = directory_of(f, f->search->program);
    if (directory)
        return find_beside(f, directory);
    return errno == ENOMEM ? error_memory(f->error) : APF_OK;
}

/* ---- the files ---- */

/* Where either file has no build id, the caller's word counts. */
static int check_given(struct finder *f)
{
    const struct debug_files *d = f->d;
    struct apf_error why;
    if (!d->build_id.n || !elf_file_build_id(d->file).n || check_id(d->file, d->build_id, &why) == APF_OK)
        return APF_OK;
    if (!f->search->any_build)
        return check_id(d->file, d->build_id, f->error);
    error_add(&why, "; it is used nevertheless");
    return keep_note(f, f->search->file, &why);
}

/* Opens the file that the caller has named. */
static int open_given(struct finder *f)
{
    struct debug_files *d = f->d;
    const char *path = f->search->file;
    struct file_identity identity;
    if (file_look(&identity, path, true) == 0 && file_identity_same(&identity, &f->identity))
        return APF_OK;
    int code = open_elf(f, path, &d->file, f->error);
    if (code == APF_OK)
        code = check_kind(f, d->file, false, f->error);
    if (code == APF_OK)
        code = check_given(f);
    d->path = path;
    return error_file(f->error, code, path, strlen(path));
}

static int find_file(struct finder *f)
{
    struct debug_files *d = f->d;
    struct debug_contents own = debug_contents_of(f->program);
    errno = 0; /* which tells a section that is missing from one for which there is no memory */
    d->build_id = elf_file_build_id(f->program);
    d->link = debug_link_of(f->program);
    if (errno == ENOMEM)
        return error_memory(f->error);
    const struct wanted by_id = {.id = d->build_id};
    if (f->search->file)
        return open_given(f);
    if (own.dwarf)
        return APF_OK;
    int code = find_by_link(f);
    if (code == APF_OK && !d->file)
        code = find_by_id(f, &by_id, &d->file, &d->path);
    if (!d->file)
        d->path = NULL;
    return code;
}

/* The path in .gnu_debugaltlink, which counts from the directory of the file that has it. *path is NULL where that is
 * not known. */
static int alternate_path(struct finder *f, struct apf_str link, const char **path)
{
    const char *holder = f->d->file ? f->d->path : f->search->program;
    *path = NULL;
    if (*link.p == '/') {
        *path = arena_text(&f->d->arena, link.p, link.n);
        return *path ? APF_OK : error_memory(f->error);
    }
    errno = 0;
    const char *directory = holder ? directory_of(f, holder) : NULL;
    if (directory)
        *path = join(f, directory, "", link.p);
    return errno == ENOMEM || (directory && !*path) ? error_memory(f->error) : APF_OK;
}

/* Finds the file that dwz has moved debug information to. One that refers to a further file is not followed. */
static int find_alternate(struct finder *f)
{
    struct debug_files *d = f->d;
    errno = 0;
    struct debug_alternate_link link = debug_alternate_link_of(d->file ? d->file : f->program);
    const struct wanted wanted = {.id = link.id, .shared = true};
    struct apf_error why;
    char hex[HEX_ID];
    if (!link.path.n)
        return errno == ENOMEM ? error_memory(f->error) : APF_OK;
    int code = alternate_path(f, link.path, &d->alternate_path);
    if (code == APF_OK && d->alternate_path)
        code = try_file(f, d->alternate_path, &wanted, &d->alternate);
    if (code == APF_OK && !d->alternate)
        code = find_by_id(f, &wanted, &d->alternate, &d->alternate_path);
    if (code != APF_OK || d->alternate)
        return code;
    d->alternate_path = NULL;
    (void)error_plain(
        &why, APF_UNSUPPORTED, "elf.gnu_debugaltlink",
        "dwz has moved a part of the debug information to this file, which was not found (build id %s); "
        "--debug-dir=DIR is searched for it",
        hex_of(hex, link.id));
    return keep_note(f, link.path.p, &why);
}

int debug_files_open(struct debug_files *d, const struct elf_file *program, const struct debug_search *search,
                     struct apf_error *error)
{
    struct finder f = {.d = d, .search = search, .program = program, .error = error};
    *d = (struct debug_files){.file = NULL};
    if (search->program)
        (void)file_look(&f.identity, search->program, true);
    int code = find_file(&f);
    return code == APF_OK ? find_alternate(&f) : code;
}

void debug_files_close(struct debug_files *d)
{
    elf_file_close(d->file);
    elf_file_close(d->alternate);
    VEC_FREE(&d->notes);
    arena_free(&d->arena);
    *d = (struct debug_files){.file = NULL};
}

void debug_files_describe(const struct debug_files *d, const struct debug_search *search,
                          struct apf_error *error)
{
    char hex[HEX_ID];
    error_add(error, " (");
    if (d->build_id.n)
        error_add(error, "build id %s, ", hex_of(hex, d->build_id));
    if (d->link.name.n)
        error_add(error, "link %s, ", d->link.name.p);
    error_add(error, d->link.name.n && search->program ? "in its directory, .debug there, " : "in ");
    for (size_t i = 0; i < search->n_directories; i++)
        error_add(error, "%s, ", search->directories[i]);
    error_add(error, "%s)", DEBUG_DIRECTORY);
}
